// What a decision comes to: who acts, with what, how often each action is taken, and what both ranges are worth.

import { h, put } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { cards } from "../components/card.js";
import { mixBar, mixRows } from "../components/mix.js";
import { cardsOf, choicesOf, playerName, streetOf } from "./hands.js";
import { endText } from "./path.js";

export const chipDigits = (pot) => (pot >= 1000 ? 0 : pot >= 100 ? 1 : 2);
const RARE = 0.005; // an action taken less often has an EV of hardly any hands
export const shown = (value, text) => (value === null || value === undefined ? "–" : text(value));

export function nodeSummary() {
  const element = h("section", { class: "panel node-summary", "aria-live": "polite" });
  element.update = (view) => {
    const board = cardsOf(view.board), digits = chipDigits(view.pot);
    const facts = [
      t("study.node.pot", { pot: number(view.pot) }),
      view.stacks ? t("study.node.stacks", { oop: number(view.stacks.oop),
        ip: number(view.stacks.ip) }) : view.stack !== undefined && t("study.node.stack", { stack: number(view.stack) }),
      view.to_call ? t("study.node.to-call", { chips: number(view.to_call), odds: percent(view.to_call / (view.pot + view.to_call)) }) : null,
    ].filter(Boolean);
    const heading = view.kind === "decision" ? t("study.node.acts", { who: playerName(view.player) })
      : view.kind === "end" ? endText(view) : t(view.all_in ? "study.node.all-in" : "study.node.card");
    put(element,
      h("div", { class: "node-head" }, h("div", {}, h("h2", {}, heading),
        h("p", { class: "muted tiny" }, [t(`study.street.${streetOf(board)}`), ...facts].join(" · "))), cards(board, { size: "s" })),
      view.kind === "decision" ? decision(view, digits) : null);
  };
  return element;
}

function decision(view, digits) {
  const choices = choicesOf(view.phrases, view.frequencies, view.action_ev);
  const reached = view.frequencies.every((chance) => chance !== null);
  return [
    reached ? mixBar(choices) : h("p", { class: "note warn" }, t("study.node.unreached")),
    reached ? mixRows(choices.map((choice) => ({ ...choice, best: false, value: choice.chance < RARE ? null : choice.value })), { caption: t("study.node.mix"), unit: t("study.ev.chips"), digits }) : null,
    ranges(view, digits),
  ];
}

// Both players side by side.
function ranges(view, digits) {
  const row = (who) => h("tr", { class: who === view.player ? "acting" : "" },
    h("th", { scope: "row" }, playerName(who)),
    h("td", { class: "num" }, shown(view.combos?.[who], (value) => number(value, 1))),
    h("td", { class: "num" }, shown(view.equity?.[who], (value) => percent(value, 1))),
    h("td", { class: "num" }, shown(view.ev?.[who], (value) => number(value, digits))),
    h("td", { class: "num" }, shown(view.ev?.[who], (value) => percent(value / view.pot, 0))),
    h("td", { class: "num" }, shown(view.equity?.[who] ? view.ev?.[who] : null, (value) => percent(value / view.pot / view.equity[who], 0))));
  const head = (key) => h("th", { scope: "col", class: "num", title: t(`study.column.${key}.help`) }, t(`study.column.${key}`));
  return h("div", { class: "scroll" }, h("table", { class: "dense" },
    h("caption", { class: "visually-hidden" }, t("study.node.ranges")),
    h("thead", {}, h("tr", {}, h("td", {}), head("combos"), head("equity"), head("ev"), head("share"), head("realised"))),
    h("tbody", {}, row("oop"), row("ip"))));
}
