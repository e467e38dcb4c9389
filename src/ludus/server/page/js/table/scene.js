// A scene is what the felt draws. A view of the server is a scene; its events lead there in steps that one can follow.

import { unitOf } from "./money.js";
import { endOf, takenBy, winningCards } from "./showdown.js";

export const THINKING = "thinking"; // whose turn it is while nothing happens, if it is the AI's
const LASTING = ["fold", "all-in"]; // tags that stay when a new street comes

export function sceneOf(view, tags = {}) {
  const { hand, config } = view, end = endOf(view);
  return {
    game: config.game, bigBlind: hand?.blinds?.[1] || unitOf(config), lifted: winningCards(end), you: view.you, number: hand?.number ?? 0,
    seats: view.chairs.map((chair) => ({
      ...chair, tag: chair.in_hand ? tags[chair.chair] ?? null : null, turn: Boolean(hand) && !hand.over && hand.to_act === chair.chair && (chair.kind === "ai" ? THINKING : true),
      ...takenBy(end.awards, chair.chair),
    })),
    board: hand?.board ?? [], slots: slotsOf(config.game), pot: hand && !hand.over ? hand.pot : 0,
    pots: hand && !hand.over && view.chairs.some((chair) => chair.all_in) && view.chairs.every((chair) => !chair.bet) ? contested(hand) : [], button: hand?.button ?? null, over: hand?.over ?? true, deadline: hand?.deadline ?? null,
  };
}

// Pots that are there to be won; chips that nobody has called are none. Bets of a street make pots when it is over.
const contested = (hand) => hand.pots.filter(({ chairs }) => chairs.length > 1);

export const slotsOf = (game) => (game === "kuhn" ? 0 : game.startsWith("leduc") ? 1 : 5);
export const holeCards = (game) => (game === "holdem" ? 2 : 1);

// Chairs by seat of the hand: the first after the button has seat 0, the button the last.
export function seatOrder(view) {
  const count = view.chairs.length, button = view.hand?.button ?? 0;
  return view.chairs.filter((chair) => chair.in_hand).map((chair) => chair.chair)
    .sort((a, b) => ((a - button - 1 + count) % count) - ((b - button - 1 + count) % count));
}

// The scene after an event, given the scene before it and the view that the events lead to.
export function after(scene, event, view) {
  const next = { ...scene, caption: "", lifted: null, allIn: Boolean(event.all_in), seats: scene.seats.map((seat) => ({ ...seat, turn: false, won: seat.won && event.kind === "win" })) };
  const seat = next.seats[event.chair] ?? null;
  if (event.kind === "hand") begin(next, event, view);
  if (event.kind === "street") {
    next.board = [...scene.board, ...event.cards];
    next.pots = event.all_in && view.hand?.number === scene.number ? contested(view.hand) : [];
    for (const each of next.seats) if (!LASTING.includes(each.tag?.action)) each.tag = null;
  }
  if (event.kind === "act" && seat) {
    next.pots = [];
    seat.tag = tagOf(event);
    seat.turn = true;
    if (event.action === "fold") Object.assign(seat, { folded: true, cards: seat.chair === scene.you ? seat.cards : [] });
    if (event.stacks?.[event.chair] === 0) seat.all_in = true;
  }
  if (event.kind === "show" && seat) seat.cards = event.cards;
  if (event.kind === "win" && seat) {
    const end = endOf(view);
    Object.assign(seat, { net: event.net, ...takenBy(end.awards, event.chair) });
    next.lifted = winningCards(end);
  }
  count(next, event);
  return next;
}

function begin(scene, event, view) {
  const hole = holeCards(view.config.game);
  Object.assign(scene, { board: [], pots: [], over: false, button: event.chair, number: event.number });
  scene.seats = view.chairs.map((chair) => ({
    ...chair, bet: 0, tag: null, folded: false, all_in: false, turn: false, won: false, net: null, made: null,
    cards: !chair.in_hand ? [] : chair.chair === view.you && chair.cards.length ? chair.cards : Array(hole).fill("??"),
  }));
}

// Chips after the event, as the server counts them.
function count(scene, { stacks, bets, pot }) {
  scene.seats.forEach((seat, chair) => {
    if (stacks) seat.stack = stacks[chair];
    if (bets) seat.bet = bets[chair];
  });
  if (pot !== undefined) scene.pot = pot;
}

const tagOf = (event) => ({ action: event.stacks?.[event.chair] === 0 ? "all-in" : event.action });

// Tags of the seats after events: what everybody did last.
export function tagsAfter(tags, events) {
  let now = { ...tags };
  for (const event of events) {
    if (event.kind === "hand") now = {};
    if (event.kind === "street") now = Object.fromEntries(Object.entries(now).filter(([, tag]) => LASTING.includes(tag.action)));
    if (event.kind === "act") now[event.chair] = tagOf(event);
  }
  return now;
}
