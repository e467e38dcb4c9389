// What cards make, in words of the reader's language. It names hands for people; who wins is the server's word.

import { t } from "../i18n.js";

const RANKS = "23456789TJQKA";
const rankName = (rank) => t(`common.rank.${RANKS[rank]}`);
const rankNames = (rank) => t(`table.ranks.${RANKS[rank]}`);
const rankOf = (card) => RANKS.indexOf(card[0]);

// The best hand in the cards: {kind, ranks, kickers, five}. Kinds as in the texts "table.made.*"; fewer than five cards are allowed.
export function handOf(cards) {
  const known = cards.filter((card) => RANKS.includes(card[0])).sort((a, b) => rankOf(b) - rankOf(a));
  const high = [...new Set(known.map(rankOf))];
  const of = (count) => high.filter((rank) => known.filter((card) => rankOf(card) === rank).length >= count);
  const flush = [..."shdc"].map((suit) => known.filter((card) => card[1] === suit)).find((suited) => suited.length >= 5);
  const straightFlush = flush && straight(flush.map(rankOf)), run = straight(high);
  const [four] = of(4), [three] = of(3), pairs = of(2);
  const full = three === undefined ? undefined : pairs.find((rank) => rank !== three);
  const inRow = (from, top) => [0, 1, 2, 3, 4].map((down) => from.find((card) => rankOf(card) === (top - down + 13) % 13));
  const take = (rank, count) => known.filter((card) => rankOf(card) === rank).slice(0, count);
  const rest = (kind, ranks, count) => {
    const main = ranks.flatMap((rank) => take(rank, count)), others = known.filter((card) => !main.includes(card)).slice(0, Math.max(0, 5 - main.length));
    return { kind, ranks, kickers: others.map(rankOf), five: [...main, ...others] };
  };
  const whole = (kind, ranks, five) => ({ kind, ranks, kickers: [], five });
  if (straightFlush !== undefined) return whole(straightFlush === 12 ? "royal" : "straight-flush", [straightFlush], inRow(flush, straightFlush));
  if (four !== undefined) return rest("four", [four], 4);
  if (full !== undefined) return whole("full", [three, full], [...take(three, 3), ...take(full, 2)]);
  if (flush) return { kind: "flush", ranks: [rankOf(flush[0])], kickers: flush.slice(1, 5).map(rankOf), five: flush.slice(0, 5) };
  if (run !== undefined) return whole("straight", [run], inRow(known, run));
  if (three !== undefined) return rest("three", [three], 3);
  if (pairs.length > 1) return rest("two-pair", pairs.slice(0, 2), 2);
  if (pairs.length) return rest("pair", pairs, 2);
  return rest("high", high.slice(0, 1), 1);
}

// The highest card of five ranks in a row, the ace counting low too; undefined where there are none.
function straight(ranks) {
  const all = new Set(ranks);
  if (all.has(12)) all.add(-1);
  return [...all].sort((a, b) => b - a).find((top) => top >= 3 && [1, 2, 3, 4].every((down) => all.has(top - down)));
}

export function made(cards) {
  return cards.some((card) => RANKS.includes(card[0])) ? words(handOf(cards)) : "";
}

const words = ({ kind, ranks }) => t(`table.made.${kind}`, {
  rank: rankName(ranks[0]), ranks: rankNames(ranks[0]), other: ranks.length > 1 ? rankNames(ranks[1]) : "",
});

// The same with kickers: the first one beside pairs, threes and fours, and as many as it takes to tell the hand from its rivals.
export function madeFully(cards, rivals = []) {
  const hand = handOf(cards);
  if (cards.length < 5) return made(cards);
  const like = rivals.map(handOf).filter((other) => words(other) === words(hand));
  const needed = like.map((other) => hand.kickers.findIndex((rank, i) => rank !== other.kickers[i]) + 1);
  const count = Math.max(["pair", "two-pair", "three", "four"].includes(hand.kind) ? 1 : 0, ...needed);
  return count ? t("showdown.kicker", { hand: words(hand), rank: hand.kickers.slice(0, count).map(rankName).join("-") }) : words(hand);
}
