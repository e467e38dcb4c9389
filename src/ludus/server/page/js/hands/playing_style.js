// How somebody plays, as trackers count it: tiles for oneself, tables by position and by opponent.

import { withLevel } from "../components/agents.js";
import { h } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { inWords, known } from "./intervals.js";

const STYLE = ["vpip", "pfr", "three_bet", "fold_to_three_bet", "steal", "c_bet", "fold_to_c_bet", "aggression", "showdowns", "won_at_showdown"];
const FEW = 20; // chances below which a share says little
const figure = (key, style) => (!known(style[key]) ? "–" : key === "aggression" ? number(style[key], 1) : percent(style[key]));
const chances = (key, style) => t("statistics.chances", { count: style.chances[key] ?? 0 });
const faint = (key, style) => ((style.chances[key] ?? 0) < FEW ? " faint" : "");

export function manner(style, places) {
  const rows = places.filter((row) => row.style);
  return h("section", { class: "panel" }, h("h2", {}, t("statistics.style")),
    h("dl", { class: "manner" }, STYLE.map((key) => h("div", {},
      h("dt", {}, t(`statistics.style.${key}`)), h("dd", { class: `big num${faint(key, style)}`, title: chances(key, style) }, figure(key, style)),
      h("dd", { class: "muted tiny" }, t(`statistics.style.${key}.how`))))),
    rows.length > 1 && [h("h3", { class: "under" }, t("statistics.style.places")), h("p", { class: "muted tiny" }, t("statistics.style.faint", { count: FEW })),
      table(t("statistics.place.column"), [], rows.map((row) => ({ name: row.key, cells: [number(row.hands)], style: row.style })))]);
}

// "blueprint:level=3" in words.
function agentWords(agent) {
  const [kind, rest = ""] = agent.split(":"), level = rest.match(/level=(\d)/)?.[1];
  return withLevel(kind, level);
}

// address(name) is where the hands with somebody are.
export function opponents(rows, address) {
  return h("section", { class: "panel" }, h("h2", {}, t("lobby.opponents")), h("p", { class: "muted tiny" }, t("statistics.opponents.how")),
    table(t("statistics.opponents.name"), [t("statistics.opponents.yours")], rows.map((row) => ({
      name: [h("a", { href: address(row.name) }, row.name), row.agent ? h("span", { class: "muted tiny agent" }, agentWords(row.agent)) : null],
      cells: [number(row.hands), inWords(row.bb100)], style: row.style,
    }))));
}

function table(first, also, rows) {
  const head = (text, title) => h("th", { scope: "col", class: "num", title }, text);
  return h("div", { class: "scroll" }, h("table", { class: "figures style-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, first), head(t("shell.hands")), also.map((text) => head(text)),
      STYLE.map((key) => head(t(`statistics.style.${key}.short`), t(`statistics.style.${key}`))))),
    h("tbody", {}, rows.map(({ name, cells, style }) => h("tr", {}, h("th", { scope: "row" }, name),
      cells.map((text) => h("td", { class: "num nowrap" }, text)),
      STYLE.map((key) => h("td", { class: `num${faint(key, style)}`, title: chances(key, style) }, figure(key, style))))))));
}
