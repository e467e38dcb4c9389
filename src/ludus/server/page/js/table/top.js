// The line above the felt: which table this is, the connection, and what one seldom needs.

import { button } from "../components/forms.js";
import { copy, dialog, icon } from "../components/shell.js";
import { h, put } from "../dom.js";
import { t } from "../i18n.js";
import { prefer, preferences } from "../preferences.js";
import { inviteLink, scoreButton } from "./session.js";
import { settings } from "./settings.js";
import { commitmentView } from "./verify.js";

// on: {leave(), close(), away(), chat: element}. Returns {element, draw(view), connection(text)}.
export function top(on) {
  const title = h("h1", { class: "table-title" }), lost = h("span", { class: "badge warn", role: "status", hidden: true });
  const tools = h("div", { class: "row table-tools" });
  const element = h("div", { class: "table-top row spread" }, h("div", { class: "row table-name" }, title, lost), tools);
  let drawn = "";

  function draw(view, money, level = "") {
    title.textContent = [nameOf(view), level].filter(Boolean).join(" · ");
    const now = JSON.stringify([view.chairs.map((chair) => chair.free), view.ledger, view.sit_and_go, view.invite, view.you, view.hosting, view.closed, fixed(view), preferences.amounts, preferences.sounds, view.config.people, view.chairs[view.you]?.away]);
    if (now === drawn) return;
    drawn = now;
    const items = [
      button(t("table.settings"), () => settings(view.config.people), "quiet"), button(t("table.shortcuts"), shortcuts, "quiet"),
      view.you !== null && !view.closed && view.config.people > 1 && !view.chairs[view.you].away && button(t("table.sit-out"), on.away, "quiet"),
      view.you !== null && !view.closed && button(t("table.leave"), on.leave, "quiet"),
      view.hosting && !view.closed && button(t("table.close-table"), on.close, "quiet"),
    ];
    const menu = h("details", { class: "pop" }, h("summary", { class: "button quiet small icon", "aria-label": t("shell.menu"), title: t("shell.menu") }, icon("menu")),
      h("div", { class: "pop-body stack tight", onclick: () => { menu.open = false; } }, items));
    put(tools,
      scoreButton(view, money),
      fixed(view) && commitmentView(fixed(view)),
      view.config.big_blind > 0 && button(t(`table.unit.${preferences.amounts}`), () => prefer({ amounts: preferences.amounts === "bb" ? "chips" : "bb" }), "quiet small",
        { title: t("table.unit-switch"), "aria-label": t("table.unit-switch") }),
      button(icon(preferences.sounds === "on" ? "sound" : "mute"), () => prefer({ sounds: preferences.sounds === "on" ? "off" : "on" }), "quiet small icon",
        { title: t("table.sounds"), "aria-label": t("table.sounds"), "aria-pressed": String(preferences.sounds === "on") }),
      on.chat,
      view.invite && view.config.people > 1 && view.chairs.some((chair) => chair.free) && button([icon("link"), h("span", {}, t("table.invite"))], () => invite(view), "small invite"),
      menu);
  }

  const outside = (event) => { for (const each of tools.querySelectorAll("details[open]")) if (!each.contains(event.target)) each.open = false; };
  document.addEventListener("pointerdown", outside);
  return {
    element, draw, connection(text) { lost.hidden = !text; lost.textContent = text; }, close: () => document.removeEventListener("pointerdown", outside),
  };
}

// The fingerprint of the deck that is played with, or between hands of the next one.
const fixed = ({ hand, promise }) => (hand && !hand.over ? hand.commitment : (promise ?? hand)?.commitment);

function nameOf(view) {
  const { game, small_blind: small, big_blind: big, seats } = view.config;
  const blinds = big ? t("table.blinds", { small, big }) : "";
  return [t(`common.game.${game}`), blinds, t("table.seats", { count: seats }), view.closing && !view.closed && t("table.closing")].filter(Boolean).join(" · ");
}

function invite(view) {
  const field = h("input", { type: "text", readonly: true, value: inviteLink(view), "aria-label": t("table.invite-link"), onfocus: (event) => event.target.select() });
  dialog({
    title: t("table.invite"), body: [h("p", {}, t("table.invite-why")), h("div", { class: "row" }, h("div", { class: "grow" }, field), button(t("table.copy"), () => copy(field.value), "primary"))],
    actions: [{ label: t("table.done"), value: null }],
  }).then(() => document.querySelector(".table-foot")?.focus({ preventScroll: true })); // Space plays on instead of opening it again
}

export function shortcuts() {
  const keys = [["F"], ["C"], ["R", "Enter"], ["A", "A"], ["1", "…", "6"], ["↑", "↓"], [t("table.space")], ["Esc"], ["?"]];
  const names = ["fold", "call", "raise", "all-in", "sizes", "arrows", "next", "escape", "help"];
  dialog({
    title: t("table.shortcuts"),
    body: h("dl", { class: "table-keys" }, names.map((name, i) => [h("dt", {}, keys[i].map((key) => h("kbd", {}, key))), h("dd", {}, t(`table.shortcut.${name}`))])),
    actions: [{ label: t("table.done"), value: null, kind: "primary" }],
  });
}
