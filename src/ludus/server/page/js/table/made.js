// What cards make, in words of the reader's language. It names hands for people; who wins is the server's word.

import { t } from "../i18n.js";

const RANKS = "23456789TJQKA";
const rankName = (rank) => t(`common.rank.${RANKS[rank]}`);
const rankNames = (rank) => t(`table.ranks.${RANKS[rank]}`);

// The best hand in the cards: {kind, ranks}. Kinds as in the texts "table.made.*"; fewer than five cards are allowed.
export function handOf(cards) {
  const known = cards.filter((card) => RANKS.includes(card[0]));
  const counts = new Map(), suits = new Map();
  for (const [letter, suit] of known) {
    const rank = RANKS.indexOf(letter);
    counts.set(rank, (counts.get(rank) ?? 0) + 1);
    suits.set(suit, [...(suits.get(suit) ?? []), rank]);
  }
  const high = [...counts.keys()].sort((a, b) => b - a);
  const of = (count) => high.filter((rank) => counts.get(rank) >= count);
  const flush = [...suits.values()].find((ranks) => ranks.length >= 5)?.sort((a, b) => b - a);
  const straightFlush = flush && straight(flush), run = straight(high);
  const [four] = of(4), [three] = of(3), pairs = of(2);
  const full = three === undefined ? undefined : pairs.find((rank) => rank !== three);
  if (straightFlush !== undefined) return { kind: straightFlush === 12 ? "royal" : "straight-flush", ranks: [straightFlush] };
  if (four !== undefined) return { kind: "four", ranks: [four] };
  if (full !== undefined) return { kind: "full", ranks: [three, full] };
  if (flush) return { kind: "flush", ranks: [flush[0]] };
  if (run !== undefined) return { kind: "straight", ranks: [run] };
  if (three !== undefined) return { kind: "three", ranks: [three] };
  if (pairs.length > 1) return { kind: "two-pair", ranks: pairs.slice(0, 2) };
  if (pairs.length) return { kind: "pair", ranks: pairs };
  return { kind: "high", ranks: high.slice(0, 1) };
}

// The highest card of five ranks in a row, the ace counting low too; undefined where there are none.
function straight(ranks) {
  const all = new Set(ranks);
  if (all.has(12)) all.add(-1);
  return [...all].sort((a, b) => b - a).find((top) => top >= 3 && [1, 2, 3, 4].every((down) => all.has(top - down)));
}

export function made(cards) {
  if (!cards.some((card) => RANKS.includes(card[0]))) return "";
  const { kind, ranks } = handOf(cards);
  return t(`table.made.${kind}`, {
    rank: rankName(ranks[0]), ranks: rankNames(ranks[0]), other: ranks.length > 1 ? rankNames(ranks[1]) : "",
  });
}
