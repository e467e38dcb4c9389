// A question of a drill: the table, the story so far in words, the actions; then what the solution says.

import { h, put } from "../dom.js";
import { number, percent, t } from "../i18n.js";
import { equityName, sourceText } from "../components/advice.js";
import { cardText } from "../components/card.js";
import { segmented } from "../components/forms.js";
import { rangeGrid } from "../components/grid.js";
import { actionText, mixBar, mixLegend, mixRows } from "../components/mix.js";
import { gradeBadge } from "../components/review.js";
import { felt } from "../table/felt.js";
import { moneyOf } from "../table/money.js";
import { cardsOf, choicesOf, classOf } from "./hands.js";

const STREETS = ["preflop", "flop", "turn", "river"];
const NOTHING = 0.005; // big blinds that read as 0.00
const MOSTLY = 2 / 3; // what is taken less often is one part of a mix
const money = (question) => moneyOf(question.big_blind);
const sized = ({ kind, amount: chips }) => chips !== null && kind !== "fold" && kind !== "check";
const phraseOf = (action) => ({ key: action.kind, amount: sized(action) ? action.amount : null }); // as the solver says them
const label = (action, say) => actionText(phraseOf(action), say);

// The actions as components take them, with amounts as the reader likes them.
const named = (question, chances, values) => choicesOf(question.actions.map(phraseOf), chances,
  values).map((choice, at) => ({ ...choice, label: label(question.actions[at], money(question)) }));

// The table seen from the hand that is asked about: who is still in, and what everybody has done on this street.
function feltOf(question) {
  const { place, street } = question, places = question.places ?? [place, question.villain], you = places.indexOf(place), table = felt();
  const seats = places.map((name, chair) => ({
    chair, kind: "person", name: chair === you ? t("drill.you", { place }) : name, place: null, in_hand: true, turn: chair === you, tag: null, folded: false,
    stack: chair === you ? question.stack : null, bet: (!street && question.blinds?.[chair]) || 0, cards: chair === you ? cardsOf(question.hand) : ["??", "??"],
  }));
  for (const step of question.line) {
    const seat = seats[places.indexOf(step.place)];
    if (step.key === "fold") Object.assign(seat, { folded: true, cards: [] });
    if (step.key !== "fold" && step.street !== street) continue;
    seat.tag = { action: step.key };
    if (step.amount !== null) seat.bet = step.key === "call" ? seat.bet + step.amount : step.amount;
  }
  table.draw({ game: "holdem", bigBlind: question.big_blind || 1, you, number: 1, seats, board: cardsOf(question.board), slots: 5, pot: question.pot, button: places.findIndex((name) => name.startsWith("BTN")), over: false }, money(question));
  return table.element;
}

// What has happened, street by street.
function storyOf(question) {
  const say = money(question), board = cardsOf(question.board), dealt = [[], board.slice(0, 3), board.slice(3, 4), board.slice(4, 5)];
  const who = (step) => (step.place === question.place ? t("drill.who.you") : step.place);
  const said = (step) => (step.amount === null ? t(`drill.did.${step.key}`, { who: who(step) })
    : t(`drill.did.${step.key}.amount`, { who: who(step), amount: say(step.amount) }));
  const steps = (street) => question.line.filter((step) => step.street === street);
  const told = [0, 1, 2, 3].filter((street) => street <= question.street && (steps(street).length || street === question.street || dealt[street].length));
  return h("ol", { class: "drill-story" }, told.map((street) => h("li", {},
    h("span", { class: "drill-street" }, t(`study.street.${STREETS[street]}`), " ", dealt[street].length ? cardText(dealt[street]) : null),
    h("span", {}, steps(street).map(said).join(", ") || (street === question.street ? t("drill.did.nothing") : "–")))));
}

export function questionView(question, onanswer) {
  const say = money(question);
  const odds = question.needed ? h("p", { class: "muted tiny" }, t("drill.odds", { call: say(question.to_call), odds: percent(question.needed) })) : null;
  const buttons = question.actions.map((action, at) => h("button",
    { type: "button", class: `button drill-action ${action.kind}`, dataset: { action: action.key }, onclick: () => onanswer(action.key) },
    h("kbd", { "aria-hidden": "true" }, String(at + 1)), label(action, say)));
  return h("div", { class: "drill-question" }, feltOf(question),
    h("div", { class: "drill-told" }, storyOf(question), odds, question.ranges ? rangesBefore(question) : null,
      h("h2", { class: "drill-ask", tabindex: "-1" }, t("drill.ask"), " ", cardText(cardsOf(question.hand)), "?"),
      h("div", { class: "drill-actions", role: "group", "aria-label": t("drill.actions") }, buttons)));
}

const whose = (values, onchange, name) => segmented(values.map((value) => ({ value, label: t(`drill.range-of.${value}`) })), values[0], onchange, { label: name });

// The ranges that the street began with: who wants to think about them may.
function rangesBefore(question) {
  const grid = rangeGrid({ weights: question.ranges.villain, label: t("drill.ranges") });
  return h("details", { class: "drill-ranges" }, h("summary", {}, t("drill.ranges")),
    whose(["villain", "you"], (value) => grid.update({ weights: question.ranges[value] }), t("drill.ranges")), grid);
}

// After the answer: grade, loss, the solution's mix with EVs, a sentence, the range at this point.
export function answerView(question, answer, taken, onnext) {
  const solved = question.actions.map(({ key }) => answer.choices.find((choice) => choice.key === key));
  const rows = named(question, solved.map((choice) => choice?.chance), solved.map((choice) => choice?.ev))
    .map((choice, at) => ({ ...choice, best: question.actions[at].key === answer.best, chosen: question.actions[at].key === taken }));
  const best = rows.find((row) => row.best), mine = rows.find((row) => row.chosen);
  const verdict = mine.best && mine.chance >= MOSTLY ? "best" : answer.loss < NOTHING ? "equal" : mine.chance >= 0.005 ? "mixed" : "wrong";
  return h("section", { class: "panel drill-answer" },
    h("div", { class: "row spread" }, h("div", { class: "row", role: "status" }, gradeBadge(answer.grade),
      h("strong", { class: "num" }, answer.loss < NOTHING ? t("drill.no-loss") : t("drill.loss", { loss: number(answer.loss, 2) }))),
      h("button", { type: "button", class: "button primary drill-next", onclick: onnext }, t("drill.next"), h("kbd", { "aria-hidden": "true" }, "Enter"))),
    h("div", { class: "stack drill-verdict" },
      h("p", {}, t(`drill.says.${verdict}`, { action: mine.label, best: best?.label ?? "", loss: number(answer.loss, 2), chance: percent(mine.chance) })),
      mixRows(rows, { caption: t("drill.solution"), unit: t("review.ev-bb") }),
      facts(question, answer), answer.hands ? otherSuits(question, answer.hands) : null),
    answer.grid ? rangeAt(question, answer) : null);
}

function facts(question, answer) {
  const said = [
    question.against && answer.equity !== null && `${equityName(question.against)}: ${percent(answer.equity, 1)}`,
    sourceText({ source: answer.source, accuracy: answer.percent === null ? null : answer.percent / 100 }),
  ].filter(Boolean);
  return said.length ? h("p", { class: "muted tiny" }, said.join(" · ")) : null;
}

// The same cards in other suits play differently: blockers and draws.
function otherSuits(question, hands) {
  const own = cardsOf(question.hand).join("");
  const rows = Object.entries(hands).filter(([, strategy]) => strategy);
  return rows.length < 2 ? null : h("div", {}, h("h3", {}, t("drill.suits")), h("ul", { class: "drill-suits" }, rows.map(([hand, strategy]) =>
    h("li", { class: hand === own ? "own" : "" }, cardText(hand), mixBar(named(question, strategy), { thin: true })))));
}

function rangeAt(question, answer) {
  const rows = Object.entries(answer.grid), most = Math.max(...rows.map(([, row]) => row.reach), 1e-9), selected = classOf(cardsOf(question.hand).join(""));
  const own = { shares: Object.fromEntries(rows.map(([name, row]) => [name, row.reach])),
    weights: Object.fromEntries(rows.map(([name, row]) => [name, Math.max(0.18, row.reach / most)])),
    strategy: Object.fromEntries(rows.map(([name, row]) => [name, named(question, row.strategy)])), selected };
  const grid = rangeGrid({ ...own, label: t("drill.range") }), legend = h("div", {}, mixLegend(named(question)));
  const show = (who) => {
    grid.update(who === "you" ? own : { shares: null, weights: answer.villain, strategy: null, selected: null });
    put(legend, who === "you" ? mixLegend(named(question)) : null);
  };
  return h("details", { class: "drill-range", open: matchMedia("(min-width: 761px)").matches }, h("summary", {}, t("drill.range")),
    h("div", { class: "stack tight" }, answer.villain ? whose(["you", "villain"], show, t("drill.range")) : null, grid, legend));
}
