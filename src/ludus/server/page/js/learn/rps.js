// Lesson 1: regret matching on rock-paper-scissors. The learning itself happens on the server.

import { api } from "../api.js";
import { lineChart } from "../components/chart.js";
import { button, field, numberInput, segmented, select } from "../components/forms.js";
import { h, put } from "../dom.js";
import { number, percent, signed, t } from "../i18n.js";
import { asker, count, figure, remember, says, section } from "./parts.js";
import { player } from "./player.js";
import { mixBars, simplex } from "./simplex.js";

const STANDARD = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]];
const DOUBLED = [[0, -1, 2], [1, 0, -2], [-2, 2, 0]]; // everything counts twice as soon as somebody plays scissors
const OPPONENTS = { scissors: [0.3, 0.3, 0.4], rock: [1, 0, 0], even: [1 / 3, 1 / 3, 1 / 3] };
const AIMS = [[STANDARD, "self", [1 / 3, 1 / 3, 1 / 3]], [DOUBLED, "self", [0.4, 0.4, 0.2]], [STANDARD, "scissors", [1, 0, 0]], [STANDARD, "rock", [0, 1, 0]]]; // what theory says
const EXACT_RUNS = [100, 1000, 10_000, 100_000];
const chips = (value) => signed(value, Number.isInteger(value) ? 0 : 1);
const TYPING = 300; // milliseconds after which a number counts as typed
const FIRST = 10; // rounds that are shown one by one

export async function lessonPage(root) {
  const names = ["rock", "paper", "scissors"].map((move) => t(`learn.move.${move}`));
  const state = { payoffs: STANDARD.map((row) => [...row]), against: "self", iterations: 10_000, seed: 1 };
  let timer;
  const example = oneRound(names, state), run = learning(names, state), table = payoffTable(names, state, () => {
    example.update();
    clearTimeout(timer);
    timer = setTimeout(run.again, TYPING);
  });
  put(root, h("h1", {}, t("learn.rps.title")), h("p", { class: "lead" }, t("learn.rps.lead")),
    section("learn.rps.game", says("learn.rps.game.1", "learn.rps.game.2"), table),
    section("learn.rps.regret", says("learn.rps.regret.1", "learn.rps.regret.2"), example.element, says("learn.rps.regret.3")),
    section("learn.rps.rule", says("learn.rps.rule.1", "learn.rps.rule.2"), run.first),
    section("learn.rps.watch", says("learn.rps.watch.1"), run.element, says("learn.rps.watch.2", "learn.rps.watch.3")),
    section("learn.rps.try", h("ul", {}, ["learn.rps.try.1", "learn.rps.try.2", "learn.rps.try.3"].map((key) => h("li", {}, t(key))))),
    section("learn.remember", remember("learn.rps.remember.1", "learn.rps.remember.2", "learn.rps.remember.3"),
      h("p", {}, h("a", { href: "/rps" }, t("learn.rps.play")))));
  await run.again();
  return () => { clearTimeout(timer); run.stop(); };
}

function payoffTable(names, state, changed) {
  const inputs = state.payoffs.map((row, mine) => row.map((value, theirs) => numberInput({
    value, min: -100, max: 100, step: 0.5, "aria-label": t("learn.rps.payoff", { mine: names[mine], theirs: names[theirs] }),
    onchange: (typed) => { if (Math.abs(typed) <= 100) { state.payoffs[mine][theirs] = typed; changed(); } },
  })));
  const preset = (payoffs) => () => {
    payoffs.forEach((row, mine) => row.forEach((value, theirs) => { state.payoffs[mine][theirs] = value; inputs[mine][theirs].value = value; }));
    changed();
  };
  return figure("learn.rps.payoffs.caption",
    h("table", { class: "payoffs" }, h("caption", {}, t("learn.rps.payoffs")),
      h("thead", {}, h("tr", {}, h("td", {}), names.map((name) => h("th", { scope: "col" }, t("learn.rps.mine", { move: name }))))),
      h("tbody", {}, names.map((name, mine) => h("tr", {}, h("th", { scope: "row" }, t("learn.rps.mine", { move: name })), inputs[mine].map((cell) => h("td", {}, cell)))))),
    h("div", { class: "row" }, button(t("learn.rps.standard"), preset(STANDARD), "small"), button(t("learn.rps.doubled"), preset(DOUBLED), "small")));
}

// One round by hand: what each move would have brought against theirs, less what was won.
function oneRound(names, state) {
  const chosen = { mine: 0, theirs: 1 }, body = h("tbody", {}), sentence = h("p", { "aria-live": "polite" });
  const choices = names.map((label, value) => ({ label, value }));
  function update() {
    const column = state.payoffs.map((row) => row[chosen.theirs]), got = column[chosen.mine];
    put(sentence, t("learn.rps.round", { mine: names[chosen.mine], theirs: names[chosen.theirs], got: chips(got) }));
    put(body, names.map((name, move) => h("tr", { class: move === chosen.mine ? "chosen" : "" }, h("th", { scope: "row" }, name),
      h("td", { class: "num" }, chips(column[move])), h("td", { class: "num" }, `${chips(column[move])} − (${chips(got)})`),
      h("td", { class: "num" }, h("strong", { class: column[move] > got ? "good" : "" }, chips(column[move] - got))))));
  }
  update();
  const element = figure("learn.rps.round.caption",
    h("div", { class: "columns" },
      field(t("learn.rps.round.mine"), segmented(choices, chosen.mine, (move) => { chosen.mine = move; update(); })),
      field(t("learn.rps.round.theirs"), segmented(choices, chosen.theirs, (move) => { chosen.theirs = move; update(); }))),
    sentence,
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["move", "would", "sum", "regret"].map((key, index) =>
      h("th", { scope: "col", class: index ? "num" : "" }, t(`learn.rps.round.${key}`))))), body)));
  return { element, update };
}

// The run itself: its controls, its first rounds one by one, the triangle and the lines.
function learning(names, state) {
  const figurePlace = h("div", { class: "watch" }), ask = asker(figurePlace);
  const triangle = simplex(names), mean = mixBars(names, t("learn.rps.average")), now = mixBars(names, t("learn.rps.current"));
  const lines = h("div", {}), facts = h("p", { class: "facts num" }), rounds = firstRounds(names);
  let points = [], target = null;
  const transport = player({
    caption: (at) => (points.length ? t("learn.iteration", { count: points[at].iteration }) : ""),
    onframe: (at) => { if (points.length) draw(points[at], points.slice(0, at + 1)); },
  });

  function draw(point, until) {
    triangle.show(until, target);
    mean.update(point.average);
    now.update(point.mix);
    put(facts, point.exploitability === null ? t("learn.rps.facts.fixed", { value: signed(point.value, 3), best: signed(point.best_response, 3) })
      : t("learn.rps.facts.self", { exploitability: number(point.exploitability, 4) }));
  }

  const again = () => ask(() => api.post("/learn/regret-matching", {
    payoffs: state.payoffs, opponent: OPPONENTS[state.against] ?? null, iterations: state.iterations, seed: state.seed,
  }), (answer) => {
    points = answer.points;
    target = AIMS.find(([payoffs, against]) => against === state.against && String(payoffs) === String(state.payoffs))?.[2] ?? null;
    rounds.show(points);
    put(lines, chart(names, points));
    transport.load(points.length, 0, false);
  });

  const mixes = Object.keys(OPPONENTS).map((key) => ({ value: key, label: t(`learn.rps.against.${key}`) }));
  const controls = h("div", { class: "columns controls" },
    field(t("learn.rps.against"), select([{ value: "self", label: t("learn.rps.against.self") }, ...mixes], "self",
      (key) => { state.against = key; again(); })),
    field(t("learn.iterations"), select(EXACT_RUNS.map((count) => ({ value: count, label: number(count) })), state.iterations, (count) => { state.iterations = count; again(); })),
    field(t("learn.luck"), button(t("learn.luck.again"), () => { state.seed += 1; again(); })));
  put(figurePlace, h("div", { class: "watch-grid" }, triangle.element, h("div", { class: "stack" }, mean.element, now.element)), transport.element, facts, lines);
  return { element: figure("learn.rps.watch.caption", controls, figurePlace), first: rounds.element, again, stop: transport.stop };
}

function chart(names, points) {
  const series = names.flatMap((name, move) => [
    { name: t("learn.rps.line.average", { move: name }), points: points.map((point) => [point.iteration, point.average[move]]), kind: "", colour: `var(--series-${move})` },
    { name: t("learn.rps.line.current", { move: name }), points: points.map((point) => [point.iteration, point.mix[move]]), kind: "thin", colour: `var(--series-${move})` }]);
  return lineChart({ series, x: t("learn.iterations"), y: t("learn.rps.share"), log: true, yFormat: (share) => percent(share, 1), xFormat: count, label: t("learn.rps.lines") });
}

// The first rounds of the run, one line each: what was regretted then, and the mix that follows from it.
function firstRounds(names) {
  const body = h("tbody", {}), more = button(t("learn.rps.next"), () => { shown += 1; draw(); }, "small");
  let shown = 1, points = [];
  function draw() {
    put(body, points.slice(0, shown).map((point) => h("tr", {}, h("th", { scope: "row", class: "num" }, number(point.iteration)),
      point.regrets.map((regret) => h("td", { class: "num" }, signed(regret, 1))),
      point.mix.map((share) => h("td", { class: "num" }, h("strong", {}, percent(share)))))));
    more.disabled = shown >= points.length;
  }
  const element = figure("learn.rps.rounds.caption",
    h("div", { class: "scroll" }, h("table", { class: "rounds" }, h("thead", {},
      h("tr", {}, h("td", {}), h("th", { scope: "colgroup", colspan: 3 }, t("learn.rps.rounds.regrets")), h("th", { scope: "colgroup", colspan: 3 }, t("learn.rps.rounds.mix"))),
      h("tr", {}, h("th", { scope: "col", class: "num" }, t("learn.rps.rounds.round")), [...names, ...names].map((name) => h("th", { scope: "col", class: "num" }, name)))), body)), more);
  return { element, show(all) { points = all.filter((point) => point.iteration <= FIRST); shown = 1; draw(); } };
}
