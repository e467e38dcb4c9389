// What this browser saw and gave before the cards of a hand were dealt, to compare with what is told after it.

const NAME = "promises", MOST = 100;

function kept() {
  try { return new Map(JSON.parse(localStorage.getItem(NAME) ?? "[]")); } catch { return new Map(); }
}

function note(hand, what) {
  const all = kept(), known = all.get(hand) ?? {};
  if (Object.keys(what).every((key) => key in known)) return known;
  all.set(hand, { ...what, ...known }); // what was noted first stays
  localStorage.setItem(NAME, JSON.stringify([...all].slice(-MOST)));
  return all.get(hand);
}

// {commitment, early: it was seen before the deal, seed and chair: what this browser would give, and for whom, given: it was taken,
// seeds and at: as told with the deal, and where one sat then}
export const noted = (hand) => kept().get(hand) ?? {};

// The seed that this browser gave for a hand, with its chair; none where one has changed chairs since.
export const ownSeed = ({ given, seed, chair = null, at = chair }) => (given && chair !== null && at === chair ? { chair, seed } : null);

const random = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// Notes what a view of the table promises; gives the message to send, if the server has no seed from us yet.
export function heed({ promise, hand, you, closed }) {
  if (hand && !hand.over) note(hand.id, { commitment: hand.commitment, early: false, seeds: hand.seeds, at: you });
  if (!promise || closed) return null;
  note(promise.id, { commitment: promise.commitment, early: true });
  if (you === null) return null;
  const { seed, chair } = note(promise.id, { seed: noted(promise.id).seed ?? random(), chair: you });
  if (promise.seed === seed && chair === you) note(promise.id, { given: true });
  return promise.seed === null ? { type: "seed", hand: promise.id, seed } : null;
}
