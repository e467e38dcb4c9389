// Lesson 2: counterfactual regret minimisation on Kuhn poker. The solving happens on the server.

import { api } from "../api.js";
import { card } from "../components/card.js";
import { lineChart } from "../components/chart.js";
import { button, field, segmented, select } from "../components/forms.js";
import { h, put } from "../dom.js";
import { number, percent, signed, t } from "../i18n.js";
import { asker, count, figure, remember, says, section } from "./parts.js";
import { kuhnTree } from "./kuhn_tree.js";
import { player } from "./player.js";

const LINES = ["", "cr", "c", "r"]; // the first player's two places, then the second's
const ALGORITHMS = ["cfr", "cfr+", "mccfr"];
const RUNS = [100, 1000, 10_000, 100_000];
const DEFAULT_RANKS = ["Q", "K", "A"];

export async function lessonPage(root) {
  const state = { algorithm: "cfr", iterations: 1000, seed: 1 };
  const picture = treeFigure(), run = solving(state, picture.strategy);
  put(root, h("h1", {}, t("learn.kuhn.title")), h("p", { class: "lead" }, t("learn.kuhn.lead")),
    section("learn.kuhn.game", says("learn.kuhn.game.1"), h("p", { class: "cards" }, DEFAULT_RANKS.map((rank) => card(`${rank}s`, { size: "l" }))),
      says("learn.kuhn.game.2", "learn.kuhn.game.3")),
    section("learn.kuhn.sets", says("learn.kuhn.sets.1", "learn.kuhn.sets.2"), picture.element),
    section("learn.kuhn.cfr", says("learn.kuhn.cfr.1", "learn.kuhn.cfr.2", "learn.kuhn.cfr.3")),
    section("learn.kuhn.watch", says("learn.kuhn.watch.1"), run.element, says("learn.kuhn.watch.2")),
    section("learn.kuhn.family", says("learn.kuhn.family.1", "learn.kuhn.family.2"), run.family, says("learn.kuhn.family.3")),
    section("learn.kuhn.measure", says("learn.kuhn.measure.1"), run.curves, says("learn.kuhn.measure.2")),
    section("learn.remember", remember("learn.kuhn.remember.1", "learn.kuhn.remember.2", "learn.kuhn.remember.3")));
  await run.again();
  return run.stop;
}

// The tree for two cards, with the strategy of the moment on its branches; a chosen decision is explained below it.
function treeFigure() {
  const state = { cards: ["K", "Q"], ranks: DEFAULT_RANKS, selected: "", bets: () => 0.5 };
  const said = h("p", {});
  const choosers = [0, 1].map((seat) => segmented(DEFAULT_RANKS.map((rank) => ({ value: rank, label: rank })), state.cards[seat], (rank) => deal(seat, rank)));
  const tree = kuhnTree((line) => { state.selected = line; draw(); });
  function draw() {
    tree.update(state);
    const who = state.selected.length % 2, own = state.cards[who];
    const others = state.ranks.filter((rank) => rank !== own);
    const chance = state.bets(who, own, state.selected);
    put(said, t("learn.kuhn.told", { player: who + 1, card: own, line: t(`learn.kuhn.line.${state.selected || "start"}`), one: others[0], other: others[1],
      chance: percent(chance, 1), act: t(state.selected.endsWith("r") ? "learn.kuhn.calls" : "learn.kuhn.bets") }));
  }
  function deal(seat, rank) { // nobody can hold the other's card: they change places then
    if (state.cards[1 - seat] === rank) state.cards[1 - seat] = state.cards[seat];
    state.cards[seat] = rank;
    choosers.forEach((chooser, each) => chooser.set(state.cards[each]));
    draw();
  }
  draw();
  const fields = choosers.map((chooser, seat) => field(t("learn.kuhn.card", { player: seat + 1 }), chooser));
  return {
    element: figure("learn.kuhn.tree.caption", h("div", { class: "columns" }, fields), tree.element, said),
    strategy(bets, ranks) { Object.assign(state, { bets, ranks }); draw(); },
  };
}

function solving(state, onstrategy) {
  const table = h("div", {}), place = h("div", {}), ask = asker(place), curves = h("figure", { class: "panel" }), figures = h("p", { class: "num facts" });
  const family = familyFigure();
  let answer = null, points = [];
  const transport = player({
    caption: (at) => (points.length ? t("learn.iteration", { count: points[at].iteration }) : ""),
    onframe: (at) => { if (points.length) draw(points[at]); },
  });
  function draw(point) {
    const bets = reader(point.strategy);
    put(table, strategyTable(answer.cards, bets, reader(answer.family.equilibrium)));
    put(figures, t("learn.kuhn.facts", { exploitability: number(point.exploitability, 5), value: signed(point.value, 4), exact: signed(answer.exact_value, 4) }));
    onstrategy(bets, answer.cards);
  }
  const again = () => ask(() => api.post("/learn/kuhn", { ...state }), (found) => {
    answer = found;
    points = found.points;
    family.show(found);
    put(curves, convergence(points, found.exact_value));
    transport.load(points.length, points.length - 1);
  });
  const controls = h("div", { class: "columns controls" },
    field(t("learn.kuhn.algorithm"), select(ALGORITHMS.map((name) => ({ value: name, label: t(`learn.kuhn.algorithm.${name}`) })), state.algorithm,
      (name) => { state.algorithm = name; again(); })),
    field(t("learn.iterations"), select(RUNS.map((count) => ({ value: count, label: number(count) })), state.iterations, (count) => { state.iterations = count; again(); })),
    field(t("learn.luck"), button(t("learn.luck.again"), () => { state.seed += 1; again(); }), t("learn.kuhn.luck.help")));
  put(place, transport.element, figures, table);
  return { element: figure("learn.kuhn.watch.caption", controls, place), curves, family: family.element, again, stop: transport.stop };
}

// A strategy by information sets such as "K:cr" (card, betting so far) as a function.
const reader = (strategy) => (player, card, line) => strategy[`${card}:${line}`];

function strategyTable(ranks, bets, exact) {
  const head = (line) => t(`learn.kuhn.column.${line || "start"}`);
  return h("div", { class: "scroll" }, h("table", { class: "kuhn-table" },
    h("thead", {}, h("tr", {}, h("td", {}), [1, 2].map((player) => h("th", { scope: "colgroup", colspan: 2 }, t("learn.kuhn.player", { player })))),
      h("tr", {}, h("th", { scope: "col" }, t("learn.kuhn.held")), LINES.map((line) => h("th", { scope: "col" }, head(line))))),
    h("tbody", {}, ranks.map((rank) => h("tr", {}, h("th", { scope: "row" }, card(`${rank}s`, { size: "s" })),
      LINES.map((line) => h("td", {}, chanceCell(bets(line.length % 2, rank, line), exact(line.length % 2, rank, line)))))))));
}

function chanceCell(chance, exact) {
  return h("span", { class: "chance" },
    h("span", { class: "num" }, percent(chance, 1)),
    h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: "fill", style: { width: `${100 * chance}%` } }),
      h("span", { class: "mark", style: { left: `${100 * exact}%` } })));
}

// The first player's equilibria, which have one free number, and the one that a run has come near to.
function familyFigure() {
  const found = h("p", {});
  return {
    element: figure("learn.kuhn.family.caption", familyTable(), found),
    show({ family }) { put(found, t("learn.kuhn.family.found", { alpha: number(family.alpha, 3), distance: percent(family.distance, 1) })); },
  };
}

function familyTable() {
  const rows = ["bluff", "call", "value"];
  return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["what", "rule", "range"].map((key) => h("th", { scope: "col" }, t(`learn.kuhn.family.${key}`))))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, t(`learn.kuhn.family.${row}`)), h("td", {}, t(`learn.kuhn.family.${row}.rule`)),
      h("td", {}, t(`learn.kuhn.family.${row}.range`)))))));
}

function convergence(points, exact) {
  const late = points.filter((point) => point.exploitability > 0);
  return [
    lineChart({ series: [{ name: t("learn.kuhn.exploitability"), points: late.map((point) => [point.iteration, point.exploitability]) }],
      x: t("learn.iterations"), y: t("learn.kuhn.exploitability.y"), log: true, yLog: true, xFormat: count, yFormat: count, label: t("learn.kuhn.exploitability") }),
    lineChart({ series: [{ name: t("learn.kuhn.value"), points: points.map((point) => [point.iteration, point.value]) },
      { name: t("learn.kuhn.value.exact"), points: [points[0], points.at(-1)].map((point) => [point.iteration, exact]), kind: "dashed" }],
    x: t("learn.iterations"), y: t("learn.kuhn.value.y"), log: true, zero: false, xFormat: count, yFormat: (value) => number(value, 3), label: t("learn.kuhn.value"), height: 180 })];
}
