// Names of hands, lines and actions, and the solver's words in the reader's language.

import { t } from "../i18n.js";
import { RANKS, SUITS } from "../components/card.js";
import { actionText } from "../components/mix.js";

export const DECK = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
export const ALL_COMBOS = 1326;

export function classOf(hand) { // "KhAs" -> "AKo"
  const [high, low] = [hand.slice(0, 2), hand.slice(2, 4)].sort((one, two) => RANKS.indexOf(one[0]) - RANKS.indexOf(two[0]));
  return high[0] === low[0] ? high[0] + low[0] : high[0] + low[0] + (high[1] === low[1] ? "s" : "o");
}

export const cardsOf = (text) => (Array.isArray(text) ? text : (text ?? "").match(/[2-9TJQKA][shdc]/g) ?? []);
export const isCard = (word) => /^[2-9TJQKA][shdc]$/.test(word);

const SHADES = 3; // of bets, above the lightest

// The actions of a decision as the components take them; several sizes are spread over the shades from small to large.
export function choicesOf(phrases, chances = [], values = []) {
  const keys = phrases.map(({ key }) => key), sized = keys.filter((key) => key === "bet" || key === "raise").length;
  let seen = 0;
  return phrases.map((phrase, at) => {
    const many = sized > 1 && (keys[at] === "bet" || keys[at] === "raise");
    const rank = many ? Math.round((SHADES * seen++) / (sized - 1)) : undefined;
    return { key: keys[at], rank, label: actionText(phrase), chance: chances[at] ?? 0, value: values[at] ?? null };
  });
}

export const playerName = (player) => t(`study.player.${player}`);

// "X-B100-2c" -> ["X", "B100", "2c"]
export const wordsOf = (line) => line.split("-").filter(Boolean);
export const longer = (line, word) => (line ? `${line}-${word}` : word);
export const streetOf = (cards) => ["preflop", "", "", "flop", "turn", "river"][cards.length];
