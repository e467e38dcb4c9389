// How a hand ends: who wins which pot with what, the five cards that win it, and the equities of an all-in.

import { t } from "../i18n.js";
import { handOf, madeFully } from "./made.js";

// A hand that is over, as the sentences need it: awards [{chips, chairs}], board, and players by chair {name, you, cards}; cards only if they were shown.
export const endOf = (view) => ({
  awards: view.hand?.over ? view.hand.awards : [], board: view.hand?.board ?? [],
  players: Object.fromEntries(view.chairs.map((chair) => [chair.chair, {
    name: chair.name, you: chair.chair === view.you, cards: chair.made && !chair.cards.includes("??") ? chair.cards : [],
  }])),
});

// "Ada wins 41 bb with two pair, kings and fours, ace kicker.": the line under the board.
export function resultSentence({ awards, board, players }, money) {
  const one = ({ chips, chairs }) => {
    const winners = chairs.map((chair) => players[chair]).sort((a, b) => b.you - a.you), [first] = winners, amount = money(chips);
    const rivals = Object.entries(players).filter(([chair, { cards }]) => cards.length && !chairs.includes(Number(chair))).map(([, { cards }]) => [...cards, ...board]);
    const hand = first.cards.length ? madeFully([...first.cards, ...board], rivals) : "", known = hand ? "-with" : "";
    if (chairs.length > 1) return t(`showdown.split${known}`, { names: listed(winners.map(nameOf)), amount, hand });
    return t(`showdown.${first.you ? "you" : "other"}${known}`, { name: first.name, amount, hand });
  };
  if (awards.length === 1) return one(awards[0]);
  return awards.map((award, i) => t(i ? "showdown.side" : "showdown.main", { result: one(award) })).join(" ");
}

const nameOf = ({ name, you }) => (you ? t("showdown.you-too") : name);
const listed = (names) => (names.length < 2 ? names.join("") : t("showdown.and", { names: names.slice(0, -1).join(", "), last: names.at(-1) }));

// The cards that win, of all winners together; null where nothing was shown or fewer than five cards lie on the board.
export function winningCards({ awards, board, players }) {
  if (board.length < 5) return null;
  const shown = awards.flatMap(({ chairs }) => chairs).map((chair) => players[chair].cards).filter((cards) => cards.length);
  return shown.length ? [...new Set(shown.flatMap((cards) => handOf([...cards, ...board]).five))] : null;
}

// What a seat gets of the pots: {won, taken, split}.
export function takenBy(awards, chair) {
  const own = awards.filter(({ chairs }) => chairs.includes(chair));
  return { won: own.length > 0, taken: own.reduce((sum, { chips, chairs }) => sum + chips / chairs.length, 0), split: own.some(({ chairs }) => chairs.length > 1) };
}

// The equities with so many cards on the board, by chair; null where they are not known.
export const equitiesAt = (equities, cards) => equities?.find((street) => street.cards === cards)?.shares ?? null;
