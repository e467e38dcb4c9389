// Whether what is told of a deck after a hand is what was promised before it; the scheme is "ludus-2" (docs/web.md).

import { sha256 } from "../components/sha256.js";

const SCHEME = "ludus-2", HASH = /^[0-9a-f]{64}$/, SHORT = /^[0-9a-f]{32}$/, CHAIRS = 10; // a leaf; a salt or a seed; of a table at the most
const ranked = (ranks, suits) => [...ranks].flatMap((rank) => [...suits].map((suit) => rank + suit));
const DECKS = { holdem: ranked("23456789TJQKA", "cdhs"), "leduc-nl": ranked("QKA", "hs"), leduc: ranked("JQK", "hs"), kuhn: ranked("QKA", "s") };
export const deckOf = (game) => DECKS[game];

const leafOf = (hand, { place, salt, card }) => sha256(`${SCHEME}:leaf:${hand}:${place}:${salt}:${card}`);

const joined = (seeds) => seeds.map(({ chair, seed }) => `${chair}=${seed}`).join(",");

// Which of the chairs in it, in their order, has the button at the first hand of a table.
export const firstButton = (hand, seeds, chairs) => chairs[Number(BigInt(`0x${sha256(`${SCHEME}:button:${hand}:${joined(seeds)}`)}`) % BigInt(chairs.length))];

// The places of a deck in the order in which they are dealt.
export function orderOf(hand, seeds, size) {
  const given = joined(seeds), keys = new Map();
  for (let place = 0; place < size; place++) keys.set(place, sha256(`${SCHEME}:order:${hand}:${given}:${place}`));
  return [...keys.keys()].sort((a, b) => (keys.get(a) < keys.get(b) ? -1 : 1));
}

const has = (value, names) => typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).sort().join() === names;
const text = (value, pattern) => typeof value === "string" && pattern.test(value);

// Whether a proof has everything that one has, and nothing else: as many leaves as cards, hashes of full length, card and salt both or neither.
function whole(reveal, hand, size) {
  return has(reveal, "cards,id,scheme,seeds") && reveal.scheme === SCHEME && reveal.id === hand
    && Array.isArray(reveal.seeds) && reveal.seeds.every((each, i) => has(each, "chair,seed") && Number.isInteger(each.chair) && each.chair >= 0 && each.chair < CHAIRS && text(each.seed, SHORT)
      && (i === 0 || reveal.seeds[i - 1].chair < each.chair))
    && Array.isArray(reveal.cards) && reveal.cards.length === size && reveal.cards.every((leaf) => has(leaf, "card,hash,place,salt") && Number.isInteger(leaf.place)
      && text(leaf.hash, HASH) && (leaf.card === null ? leaf.salt === null : typeof leaf.card === "string" && text(leaf.salt, SHORT)));
}

const listed = (seeds) => JSON.stringify(seeds.map(({ chair, seed }) => [chair, seed]));

// given: {hand, commitment, deck: the game's cards, people: the chairs of those in the hand, seeds: as told with the deal, own: {chair, seed} as given here,
// first: {chairs, button} of a table's first hand, seen: [number in the order of dealing, card] of the cards that were seen}; all but the first three may
// be missing. Tells {good, whole, fits, ordered, extra: a seed is nobody's, placed: the button is where it should be, dealt: what was seen lay there,
// opened, closed, wrong, twice, seeded}; wrong and twice are numbers in the order of dealing.
export function check({ hand, commitment, deck, people = null, seeds = null, own = null, first = null, seen = [] }, reveal) {
  if (!whole(reveal, hand, deck.length)) return { good: false, whole: false, fits: false, ordered: false, extra: false, placed: true, dealt: false, opened: 0, closed: 0, wrong: [], twice: [], seeded: null };
  const { cards } = reveal, open = cards.flatMap((leaf, at) => (leaf.card === null ? [] : [at]));
  const wrong = open.filter((at) => !deck.includes(cards[at].card) || leafOf(hand, cards[at]) !== cards[at].hash);
  const twice = open.filter((at) => cards.findIndex((leaf) => leaf.card === cards[at].card) !== at);
  const order = orderOf(hand, reveal.seeds, deck.length), ordered = cards.every((leaf, at) => leaf.place === order[at]) && (seeds === null || listed(seeds) === listed(reveal.seeds));
  const hashes = [...cards].sort((a, b) => a.place - b.place).map((leaf) => leaf.hash);
  const fits = sha256(`${SCHEME}:deck:${hand}:${deck.length}:${hashes.join("")}`) === commitment;
  const extra = people !== null && reveal.seeds.some(({ chair }) => !people.includes(chair));
  const seeded = own === null ? null : reveal.seeds.some(({ chair, seed }) => chair === own.chair && seed === own.seed);
  const placed = first === null || firstButton(hand, reveal.seeds, first.chairs) === first.button;
  const dealt = seen.every(([at, card]) => cards[at]?.card === card);
  const good = fits && ordered && !extra && placed && dealt && !wrong.length && !twice.length && seeded !== false;
  return { good, whole: true, fits, ordered, extra, placed, dealt, opened: open.length, closed: cards.length - open.length, wrong, twice, seeded };
}

// Where the cards of a hand lie in the order of dealing: first the seats' own, seat by seat, then the board. Unknown ones are left out.
export function placesOf(hands, board, holes) {
  const own = hands.flatMap((cards, seat) => cards.map((each, i) => [seat * holes + i, each]));
  return [...own, ...board.map((each, i) => [hands.length * holes + i, each])].filter(([, each]) => each !== "??");
}
