// Where decisions lose: the costliest kinds of decisions of a chosen grouping.

import { actionLabel } from "../components/advice.js";
import { cards } from "../components/card.js";
import { gradeBadge } from "../components/review.js";
import { h, put } from "../dom.js";
import { has, number, t } from "../i18n.js";
import { moneyOf } from "../table/money.js";

const GROUPS = ["street", "position", "situation", "tendency"];
const MOST = 8; // kinds shown

// leaks: {group: [{kind, decisions, errors, loss}]}, losses in big blinds.
export function leakTables(leaks) {
  const groups = GROUPS.filter((group) => leaks[group]?.some((leak) => leak.loss > 0));
  if (!groups.length) return h("p", { class: "muted" }, t("hands.leaks.none"));
  const place = h("div", {});
  const tabs = groups.map((group) => h("button", { type: "button", class: "button small", onclick: () => choose(group) }, t(`hands.leaks.${group}`)));
  function choose(group) {
    tabs.forEach((tab, index) => { tab.setAttribute("aria-pressed", groups[index] === group); });
    put(place, table(leaks[group], t(`hands.leaks.${group}`)));
  }
  choose(groups[0]);
  return h("div", { class: "leaks" }, h("h3", {}, t("hands.leaks.title")), h("div", { class: "row choices", role: "group", "aria-label": t("hands.leaks.by") }, tabs), place);
}

function table(rows, caption) {
  const shown = rows.filter((leak) => leak.loss > 0).sort((one, other) => other.loss - one.loss).slice(0, MOST);
  const most = shown[0]?.loss || 1;
  return h("div", { class: "scroll" }, h("table", { class: "figures" }, h("caption", { class: "visually-hidden" }, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, caption), h("th", { scope: "col", class: "num" }, t("hands.leaks.errors")),
      h("th", { scope: "col", class: "num" }, t("hands.leaks.loss")), h("th", { class: "whisker-head", "aria-hidden": "true" }))),
    h("tbody", {}, shown.map((leak) => h("tr", {}, h("th", { scope: "row" }, kindName(leak.kind)),
      h("td", { class: "num" }, t("hands.leaks.of", { errors: leak.errors, decisions: leak.decisions })),
      h("td", { class: "num" }, number(leak.loss, 1)),
      h("td", { "aria-hidden": "true", class: "whisker-cell" }, h("span", { class: "whisker" },
        h("span", { class: "length down", style: { left: 0, width: `${(100 * leak.loss) / most}%` } }))))))));
}

// Kinds come in the library's English words; those with a text are translated, "flop, facing a bet" part by part.
export const kindName = (kind) => String(kind).split(", ").map((part) => {
  const key = `hands.kind.${part.replaceAll(" ", "-")}`;
  return has(key) ? t(key) : part;
}).join(", ");

// The decisions that lost most: [{hand, step, situation, name, cards, board, grade, loss, big_blind}].
export function worstDecisions(worst) {
  return h("ol", { class: "worst" }, worst.map((decision) => h("li", {}, h("a", { href: `/hands/${decision.hand}?step=${decision.step}`, class: "worst-row" },
    h("span", { class: "own" }, cards(decision.cards, { size: "s" })), h("span", { class: "board" }, cards(decision.board, { size: "s" })),
    h("span", { class: "about" }, h("strong", {}, actionLabel(decision.name, moneyOf(decision.big_blind))), " ", h("span", { class: "muted" }, kindName(decision.situation))),
    gradeBadge(decision.grade),
    h("span", { class: "num bad" }, t("review.loss", { loss: number(decision.loss, 2) }))))));
}
