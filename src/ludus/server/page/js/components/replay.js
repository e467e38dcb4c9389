// A finished hand on the felt, step by step.

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { button, toggle } from "./forms.js";
import { split } from "./card.js";
import { felt } from "../table/felt.js";
import { holeCards, slotsOf } from "../table/scene.js";
import { equitiesAt, resultSentence, takenBy, winningCards } from "../table/showdown.js";
import { motion } from "../preferences.js";

const BEAT = 1100; // milliseconds a step is shown while it plays

const ICONS = { first: "M5 4v12M16 4 8 10l8 6z", back: "M14 4 6 10l8 6z", forward: "M6 4l8 6-8 6z", last: "M15 4v12M4 4l8 6-8 6z" };

// The seat of the person who asks.
export const ownSeat = (hand) => hand.seats.find((seat) => seat.you)?.seat ?? null;

// All scenes of a hand: its steps, and the result at the end.
function scenesOf(hand, open, money, equities) {
  const own = ownSeat(hand), hole = holeCards(hand.game), bigBlind = hand.big_blind || 1;
  const blank = Array(hole).fill("??");
  const cardsOf = (seat, over) => {
    const known = split(seat.cards);
    return known.length && (open || seat.seat === own || (over && seat.shown)) ? known : blank;
  };
  const base = { game: hand.game, bigBlind, you: own, bottom: own ?? 0, slots: slotsOf(hand.game), button: hand.button, number: hand.number, deadline: null, pots: [] };
  const tags = [], last = hand.steps.findLastIndex((step) => step.number !== null), all = hand.ran_out;
  const frame = (step, i, up) => {
    if (i && step.seat === null) for (const [seat, tag] of tags.entries()) if (tag && tag.action !== "fold" && tag.action !== "all-in") tags[seat] = null;
    if (step.seat !== null && step.seat !== undefined) tags[step.seat] = { action: step.stacks[step.seat] === 0 && step.kind !== "fold" ? "all-in" : step.kind };
    return {
      ...base, board: split(step.board), pot: step.pot, over: false, words: up ? "" : wordsOf(step, hand), equities: up ? equitiesAt(equities, split(step.board).length) : null,
      seats: hand.seats.map((seat) => {
        const folded = step.folded.includes(seat.seat);
        return {
          chair: seat.seat, kind: "person", name: seat.name, place: seat.place, in_hand: true, folded, away: false, net: null, won: false,
          stack: step.stacks[seat.seat], bet: step.bets[seat.seat], all_in: step.stacks[seat.seat] === 0, turn: step.seat === seat.seat,
          tag: tags[seat.seat] ? { ...tags[seat.seat] } : null, cards: folded && !open && seat.seat !== own ? [] : cardsOf(seat, up && !folded),
        };
      }),
    };
  };
  const film = hand.steps.flatMap((step, i) => (all && i === last ? [frame(step, i, false), frame(step, i, true)] : [frame(step, i, all && i > last)]));
  return [...film, resultOf(film.at(-1), hand, (seat) => cardsOf(seat, true), open, money)];
}

// What the sentences about the end of a hand need: cards only where everybody saw them.
const endOf = (hand) => ({
  awards: hand.awards.map(({ chips, seats }) => ({ chips, chairs: seats })), board: split(hand.board),
  players: Object.fromEntries(hand.seats.map((seat) => [seat.seat, { name: seat.name, you: false, cards: seat.shown ? split(seat.cards) : [] }])),
});

function resultOf(last, hand, cardsOf, open, money) {
  const end = endOf(hand);
  return {
    ...last, pot: 0, over: true, words: null, equities: null, caption: resultSentence(end, money), lifted: winningCards(end),
    seats: last.seats.map((seat, i) => ({
      ...seat, bet: 0, turn: false, net: hand.seats[i].net, ...takenBy(end.awards, i), stack: hand.seats[i].stack + hand.seats[i].net,
      cards: seat.folded && !open ? seat.cards : cardsOf(hand.seats[i]),
    })),
  };
}

function wordsOf(step, hand) {
  if (step.seat === null || step.seat === undefined) return "";
  return t(`hand.did.${step.kind}`, { name: hand.seats[step.seat].name });
}

// money() gives the words for amounts. onstep(index) follows. Returns {element, go(index), count, key(event), redraw(), close()}.
export function replayer(hand, { money, onstep, equities: ask }) {
  const table = felt(), scrubber = h("input", { type: "range", min: 0, step: 1, class: "scrubber", "aria-label": t("hand.step"), oninput: () => { stop(); go(Number(scrubber.value)); } });
  const where = h("span", { class: "muted num replay-where" });
  let open = false, equities = null, scenes = scenesOf(hand, open, money(), null), at = 0, timer = null;
  scrubber.max = scenes.length - 1;
  const control = (name, act) => h("button", { type: "button", class: "button icon", "aria-label": t(`hand.${name}`), title: t(`hand.${name}`), onclick: () => { stop(); act(); } }, h("svg:svg", { viewBox: "0 0 20 20", width: 18, height: 18, fill: "currentColor", stroke: "currentColor", "stroke-width": 1.6, "stroke-linejoin": "round", "stroke-linecap": "round", "aria-hidden": "true" }, h("svg:path", { d: ICONS[name] })));
  const play = button(t("hand.play"), () => (timer ? stop() : start()));
  const controls = h("div", { class: "replay-controls" },
    h("div", { class: "row" }, control("first", () => go(0)), control("back", () => go(at - 1)), play, control("forward", () => go(at + 1)), control("last", () => go(scenes.length - 1)), where),
    scrubber, toggle(t("hand.open-cards"), open, (value) => { open = value; again(); }));
  const element = h("div", { class: "replay" }, table.element, controls);

  function again() {
    scenes = scenesOf(hand, open, money(), equities);
    go(at);
  }

  function go(index) {
    at = Math.max(0, Math.min(scenes.length - 1, index));
    table.draw(scenes[at], money());
    scrubber.value = at;
    const text = t("hand.where", { step: at, count: scenes.length - 1 });
    where.textContent = text;
    scrubber.setAttribute("aria-valuetext", [text, scenes[at].words ?? scenes[at].caption].filter(Boolean).join(". "));
    if (at === scenes.length - 1) stop();
    onstep?.(at);
  }

  function start() {
    if (at === scenes.length - 1) go(0);
    timer = setInterval(() => go(at + 1), Math.max(300, motion(BEAT) || BEAT));
    play.textContent = t("hand.pause");
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = t("hand.play");
  }

  function key(event) {
    const act = { ArrowRight: () => go(at + 1), ArrowLeft: () => go(at - 1), Home: () => go(0), End: () => go(scenes.length - 1) }[event.key];
    if (act) { stop(); act(); return true; }
    if (event.key === " ") { if (timer) stop(); else start(); return true; }
    return false;
  }

  go(0);
  if (hand.ran_out) ask?.().then((found) => { equities = found; again(); }, () => {}); // the film is whole without them
  return { element, go: (index) => { stop(); go(index); }, key, redraw: again, close() { stop(); table.close(); } };
}
