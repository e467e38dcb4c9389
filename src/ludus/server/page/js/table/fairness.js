// Whether what was told of a deck after a hand is what was promised before it; the scheme is "ludus-1".

import { sha256 } from "../components/sha256.js";

// {fits, opened, closed, wrong}: wrong are the places in the deck whose card and salt do not give their hash.
export function check(commitment, reveal) {
  const opened = reveal.cards.filter((leaf) => leaf.card !== null && leaf.salt !== null);
  const wrong = reveal.cards.flatMap((leaf, place) =>
    (leaf.card !== null && leaf.salt !== null && sha256(`${leaf.salt}:${leaf.card}`) !== leaf.hash ? [place] : []));
  const cards = opened.map((leaf) => leaf.card), twice = cards.filter((each, i) => cards.indexOf(each) !== i);
  const fits = sha256(reveal.cards.map((leaf) => leaf.hash).join("")) === commitment;
  return { fits, opened: opened.length, closed: reveal.cards.length - opened.length, wrong, twice, good: fits && !wrong.length && !twice.length };
}

// Where the cards of a hand lie in its deck: first the seats' own, seat by seat, then the board. Unknown ones are left out.
export function placesOf(hands, board, holes) {
  const own = hands.flatMap((cards, seat) => cards.map((each, i) => [seat * holes + i, each]));
  return [...own, ...board.map((each, i) => [hands.length * holes + i, each])].filter(([, each]) => each !== "??");
}
