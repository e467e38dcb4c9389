// What has been won at a table so far: the running score above the felt, and the ledger of everybody who played.

import { api } from "../api.js";
import { go } from "../app.js";
import { button } from "../components/forms.js";
import { copy, dialog, toast } from "../components/shell.js";
import { h } from "../dom.js";
import { number, t } from "../i18n.js";
import { levelText, standingsTable } from "./tournament.js";

const tone = (value) => (value > 0 ? "good" : value < 0 ? "bad" : "");

// "+12.5 bb · 34 hands": opens the ledger.
export function scoreButton(view, money) {
  const own = view.ledger.find(({ you }) => you) ?? null, hands = view.history;
  if (!hands && !view.sit_and_go) return null;
  const text = view.sit_and_go ? [h("b", {}, t("tournament.level", { level: view.sit_and_go.level + 1 })), h("span", { class: "muted num" }, `${number(view.sit_and_go.left)}/${number(view.config.seats)}`)] : [own?.hands ? h("b", { class: `num ${tone(own.net)}` }, money.signed(own.net)) : null, h("span", { class: "muted" }, t("lobby.hands", { count: hands }))];
  return button(h("span", { class: "score" }, text), () => ledgerDialog(view, money), "quiet small", { title: t(view.sit_and_go ? "tournament.standings" : "session.ledger"), "aria-label": [t(view.sit_and_go ? "tournament.standings" : "session.ledger"), own && money.signed(own.net)].filter(Boolean).join(": ") });
}

export function ledgerDialog(view, money) {
  const [title, body] = view.sit_and_go ? ["tournament.standings", [h("p", {}, levelText(view)), standingsTable(view, money)]] : ["session.ledger", ledgerTable(view, money)];
  return dialog({ title: t(title), body, actions: [{ label: t("table.done"), value: null, kind: "primary" }] });
}

function ledgerTable(view, money) {
  const carried = view.config.chips === "carry", rows = [...view.ledger].sort((a, b) => b.net - a.net);
  const head = ["session.player", "shell.hands", ...(carried ? ["session.bought", "session.now"] : []), "session.result"];
  const now = (row) => (row.sitting ? money(view.chairs[row.chair].stack) : t("session.gone"));
  return h("div", { class: "scroll" }, h("table", { class: "figures ledger" },
    h("thead", {}, h("tr", {}, head.map((key, i) => h("th", { scope: "col", class: i ? "num" : "" }, t(key))))),
    h("tbody", {}, rows.map((row) => h("tr", { class: row.sitting ? "" : "muted" },
      h("th", { scope: "row" }, row.you ? t("table.you", { name: row.name }) : row.name, row.ai && h("span", { class: "muted tiny" }, " ", t("session.ai"))),
      h("td", { class: "num" }, number(row.hands)),
      carried && [h("td", { class: "num" }, money(row.bought), row.buys > 1 && h("span", { class: "muted tiny" }, ` (${number(row.buys)}×)`)), h("td", { class: "num" }, now(row))],
      h("td", { class: `num ${tone(row.net)}` }, money.signed(row.net)))))));
}

// What happened at the table besides the cards: who came, who left and who plays instead.
export function noticeOf(event, view) {
  const mine = event.chair === view.you;
  if (event.kind === "leave") return t("session.left", { name: event.name, instead: event.instead });
  if (event.kind === "sit" && !mine) return t("table.say.sit", { name: event.name });
  return "";
}

export const inviteLink = (view) => `${location.origin}/table/${view.id}?invite=${view.invite}`;

// The link for a friend, before the first hand: nobody has to look for it.
export function invitation(view) {
  const free = view.chairs.filter((chair) => chair.free).length;
  if (!view.invite || view.config.people < 2 || !free || view.hand) return null;
  const field = h("input", { type: "text", readonly: true, value: inviteLink(view), "aria-label": t("table.invite-link"), onfocus: (event) => event.target.select() });
  return h("div", { class: "invitation" }, h("p", {}, t("session.invite", { count: free })),
    h("div", { class: "row" }, h("div", { class: "grow" }, field), button(t("table.copy"), () => copy(field.value))));
}

// Play again at a table like this one: the one who asks first makes it, the others come after.
export function rematch(view) {
  if (view.you === null) return null;
  const again = async () => {
    try {
      const [id, invite] = view.rematch ?? (await api.post(`/tables/${view.id}/rematch`)).rematch;
      await api.post(`/tables/${id}/seats`, { invite });
      await go(`/table/${id}`);
    } catch (error) { toast(error.message, "bad"); }
  };
  return { again, text: t(view.rematch ? "session.rematch-join" : "session.rematch") };
}
