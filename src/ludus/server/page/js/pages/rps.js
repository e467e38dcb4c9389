// Rock-paper-scissors against the computer: it commits to its move before yours, and the page checks that it kept its word.

import { api } from "../api.js";
import { lineChart } from "../components/chart.js";
import { button, segmented } from "../components/forms.js";
import { sha256 } from "../components/sha256.js";
import { style, toast } from "../components/shell.js";
import { h, put, shortcut } from "../dom.js";
import { number, percent, signed, t } from "../i18n.js";
import { mixBars } from "../learn/simplex.js";

const MOVES = ["rock", "paper", "scissors"];
const FEWEST = 20; // rounds before an interval means anything
const OPPONENTS = ["learner", "biased", "equilibrium"];
const KEYS = { r: "rock", p: "paper", s: "scissors", 1: "rock", 2: "paper", 3: "scissors" };
const LETTERS = { rock: "R", paper: "P", scissors: "S" };
const SHAPES = { // 48 x 48
  rock: "M6 37l4-15 8-3 5-9 11 3 3 9 5 15zM18 19l6 5-3 6M34 13l-4 8 7 4",
  paper: "M13 6h16l7 7v29H13zM29 6v7h7M18 20h13M18 26h13M18 32h9",
  scissors: "M12 37a5 5 0 1 0 10 0 5 5 0 1 0-10 0M26 37a5 5 0 1 0 10 0 5 5 0 1 0-10 0M20 33L33 7M28 33L15 7",
};
const sign = (move) => h("svg:svg", { viewBox: "0 0 48 48", class: "sign", "aria-hidden": "true" },
  h("svg:path", { d: SHAPES[move], fill: "none", stroke: "currentColor", "stroke-width": 2.4, "stroke-linejoin": "round", "stroke-linecap": "round" }));
const named = (move) => t(`learn.move.${move}`);

export async function show(root, parameters, query) {
  await Promise.all([style("rps"), style("learn")]);
  let match = null, busy = false, opponent = OPPONENTS.includes(query.get("opponent")) ? query.get("opponent") : OPPONENTS[0];
  const about = h("p", { class: "muted" }), duel = h("div", { class: "duel", "aria-live": "polite" }), promise = h("div", { class: "promise" });
  const side = h("div", { class: "stack" }), strip = h("ol", { class: "strip" });
  const keys = h("div", { class: "throws" }, MOVES.map((move) => h("button",
    { type: "button", class: "button throw", "aria-keyshortcuts": LETTERS[move], onclick: () => play(move) },
    sign(move), h("span", {}, named(move)), h("kbd", { "aria-hidden": "true" }, LETTERS[move]))));

  // Goes on with the match of the address if there still is one; the server forgets them when it ends.
  async function begin(key) {
    match = (key && await api.get(`/rps/${key}`).catch(() => null)) || await api.post("/rps", { opponent });
    opponent = match.opponent;
    history.replaceState(null, "", `/rps?${new URLSearchParams({ opponent, match: match.id })}`);
    choice.set(opponent);
    put(about, t(`rps.opponent.${opponent}.how`));
    put(duel, h("p", { class: "muted" }, t("rps.ready")));
    draw();
  }

  async function play(move) {
    if (busy || match.over) return;
    busy = true;
    const promised = match.commitment;
    try {
      match = await api.post(`/rps/${match.id}`, { move, round: match.round });
      put(duel, outcome(match.last, promised));
      draw();
    } catch (error) {
      toast(error.message, "bad");
      if (error.status === 404) await begin();
      else match = await api.get(`/rps/${match.id}`);
    } finally { busy = false; }
  }

  function draw() {
    put(promise, match.over ? h("p", { class: "note" }, t("rps.over"))
      : [h("h2", {}, t("rps.promise")), h("p", { class: "muted tiny" }, t("rps.promise.how")), h("code", { class: "hash" }, match.commitment)]);
    for (const key of keys.children) key.disabled = match.over;
    put(side, score(match, () => begin()), match.rounds.length ? learnt(match) : null);
    put(strip, [...match.rounds].reverse().map(roundMark));
  }

  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest?.("textarea, select, input:not([type=radio])")) return;
    const move = KEYS[shortcut(event)];
    if (move) { event.preventDefault(); play(move); }
  }

  const choice = segmented(OPPONENTS.map((key) => ({ value: key, label: t(`rps.opponent.${key}`) })), opponent,
    (key) => { opponent = key; begin(); }, { label: t("rps.opponent"), wrap: true });
  put(root, h("h1", {}, t("rps.title")), h("p", {}, t("rps.lead")),
    h("div", { class: "split" },
      h("section", { class: "panel stack" }, choice, about, duel, keys, promise, h("div", {}, h("h2", {}, t("rps.history")), strip)),
      side));
  await begin(query.get("match"));
  document.addEventListener("keydown", pressed);
  return () => document.removeEventListener("keydown", pressed);
}

// What was played, and whether the opened move has the fingerprint that was shown before.
function outcome(last, promised) {
  const opened = `${last.salt}:${last.theirs}`, kept = last.commitment === promised && sha256(opened) === promised;
  return [
    h("div", { class: "throw-pair" }, h("div", {}, sign(last.move), h("span", {}, t("rps.you", { move: named(last.move) }))),
      h("strong", { class: `result ${last.result}` }, t(`rps.result.${last.result}`)), h("div", {}, sign(last.theirs), h("span", {}, t("rps.they", { move: named(last.theirs) })))),
    h("details", { class: `verify ${kept ? "good" : "bad"}` }, h("summary", {}, t(kept ? "rps.kept" : "rps.broken")),
      h("p", {}, t("rps.verify")), h("code", { class: "hash" }, `SHA-256("${opened}")`), h("code", { class: "hash" }, `= ${sha256(opened)}`))];
}

function score({ score: sum }, again) {
  const sure = sum.won + sum.tied + sum.lost >= FEWEST && Number.isFinite(sum.low) && Number.isFinite(sum.high);
  return h("section", { class: "panel" }, h("h2", {}, t("rps.score")),
    h("p", { class: "tally num" }, ["won", "tied", "lost"].map((key) => h("span", { class: key }, h("strong", {}, number(sum[key])), " ", t(`rps.${key}`)))),
    sure ? [h("p", {}, t("rps.mean", { mean: signed(sum.mean, 2), low: signed(sum.low, 2), high: signed(sum.high, 2) })),
      h("p", { class: "muted tiny" }, t(sum.low > 0 ? "rps.sure.up" : sum.high < 0 ? "rps.sure.down" : "rps.sure.open"))] : h("p", { class: "muted tiny" }, t("rps.mean.none")),
    button(t("rps.again"), again, "small"));
}

// What one has shown of oneself, and the mix from which its last move was drawn.
function learnt({ rounds, last, opponent }) {
  const names = MOVES.map(named), own = mixBars(names, t("rps.yours", { count: rounds.length })), theirs = mixBars(names, t("rps.theirs"));
  own.update(MOVES.map((move) => rounds.filter((round) => round.move === move).length / rounds.length));
  theirs.update(last.mix);
  const course = opponent === "learner" && rounds.length > 4 ? lineChart({
    series: names.map((name, move) => ({ name, points: rounds.map((round) => [round.round, round.mix[move]]), kind: "thin" })),
    x: t("rps.course.x"), y: "", yFormat: (share) => percent(share), height: 150, label: t("rps.course") }) : null;
  const body = [theirs.element, course, h("p", { class: "muted tiny" }, t(`rps.learnt.${opponent}`))];
  return h("section", { class: "panel" }, h("h2", {}, t("rps.learnt")), own.element,
    opponent === "biased" ? h("details", { class: "secret" }, h("summary", {}, t("rps.secret")), body) : body,
    h("p", {}, h("a", { href: "/learn/rps" }, t("rps.lesson"))));
}

function roundMark(round) {
  const said = t("rps.round", { move: named(round.move), theirs: named(round.theirs), result: t(`rps.result.${round.result}`) });
  return h("li", { class: round.result, title: said }, sign(round.move), sign(round.theirs), h("span", { class: "visually-hidden" }, said));
}
