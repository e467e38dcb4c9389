"""The proof of a deck, and what a server could try instead: both verifiers, Python's and the page's, judge the same."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from hashlib import sha256
from itertools import combinations
from typing import Any, NamedTuple

import pytest

from ludus.cards.card import CARDS, DECK, parse_cards
from ludus.server.tables.deck import PromisedDeck, commitment, first_button, leaf, order, seed_list, verify
from reveals import mutations

HAND, OTHER = "Hand-id_of-22-letters", "Another-id-of-22-letter"
SEEDS = {0: "00" * 16, 3: "f1" * 16}
OWN, PEOPLE, CHAIRS = 0, [0, 3], [0, 1, 3]
KEY = "07" * 32
LEDUC = parse_cards("JhJsQhQsKhKs")
CHECK = """
const { check } = await import('./js/table/fairness.js');
console.log(JSON.stringify(given.map(([known, reveal]) => check(known, reveal).good)));
"""


class Proof(NamedTuple):
    """What somebody knows who checks, and what they are told after the hand."""

    known: dict[str, Any]
    reveal: Any


def shuffled(cards: tuple[int, ...], hand: str = HAND) -> PromisedDeck:
    """The same deck every time."""
    return PromisedDeck(hand, tuple(random.Random(5).sample(cards, len(cards))), KEY)


def honest(promised: PromisedDeck, closed: tuple[int, ...] = (), seeds: dict[int, str] = SEEDS) -> Proof:
    """An honest proof, for somebody who has noted everything: their own two cards and a board of one."""
    dealt = [CARDS[card] for card in promised.dealt(seeds)]
    known = {
        "hand": promised.hand, "commitment": promised.commitment,
        "deck": [CARDS[card] for card in sorted(promised.cards)], "people": PEOPLE,
        "seeds": seed_list(seeds), "own": {"chair": OWN, "seed": SEEDS[OWN]},
        "first": {"chairs": CHAIRS, "button": first_button(promised.hand, seeds, CHAIRS)},
        "seen": [[at, card] for at, card in enumerate(dealt[:3]) if at not in closed],
    }  # fmt: skip
    return Proof(known, promised.opened(seeds, closed))


def python_believes(proof: Proof) -> bool:
    known = dict(proof.known)
    seeds, own, first = known.get("seeds"), known.get("own"), known.get("first")
    return verify(
        known["commitment"], known["hand"], parse_cards("".join(known["deck"])), proof.reveal,
        seeds=None if seeds is None else {each["chair"]: each["seed"] for each in seeds},
        own=None if own is None else (own["chair"], own["seed"]), people=known.get("people"),
        first=None if first is None else (first["chairs"], first["button"]), seen=dict(known.get("seen", ())),
    )  # fmt: skip


@pytest.fixture(params=["python", "javascript"])
def believed(request: pytest.FixtureRequest) -> Any:
    """What is believed of some proofs, in each language."""
    if request.param == "python":
        return lambda proofs: [python_believes(proof) for proof in proofs]
    run = request.getfixturevalue("javascript")
    return lambda proofs: run(CHECK, proofs)


@pytest.mark.parametrize(
    ("cards", "closed"), [(DECK, ()), (DECK, (3, 4, 40)), (LEDUC, ()), (LEDUC, (1, 4)), (LEDUC[::2], (0, 1, 2))]
)
def test_an_honest_proof_is_believed(believed: Any, cards: tuple[int, ...], closed: tuple[int, ...]) -> None:
    assert believed([honest(shuffled(cards), closed)]) == [True]


def test_who_has_noted_nothing_but_the_promise_believes_what_fits_it(believed: Any) -> None:
    assert believed([said(shuffled(DECK), seed_list(SEEDS)), said(shuffled(DECK), [])]) == [True, True]


@pytest.mark.parametrize(
    ("cards", "closed", "every"), [(DECK, (), 40), (DECK, (3, 4, 40), 40), (LEDUC, (1, 4), 1), (LEDUC[::2], (), 1)]
)
def test_no_single_field_of_a_proof_can_be_changed(
    believed: Any, cards: tuple[int, ...], closed: tuple[int, ...], every: int
) -> None:
    known, reveal = honest(shuffled(cards), closed)
    wrong = [(what, each) for what, each in mutations(reveal) if not same_in_javascript(each, reveal)]
    assert len(wrong) > 60 * len(cards)
    wrong = wrong[::every]
    found = believed([Proof(known, each) for _, each in wrong])
    assert [what for (what, _), good in zip(wrong, found, strict=True) if good] == []


def same_in_javascript(one: Any, other: Any) -> bool:
    """Whether two values are the same after JSON.parse, for which 1.0 is 1."""
    return json.dumps(one).replace(".0", "") == json.dumps(other)


def test_in_python_no_number_is_a_fraction() -> None:
    known, reveal = honest(shuffled(LEDUC))
    wrong = [Proof(known, each) for _, each in mutations(reveal) if same_in_javascript(each, reveal)]
    assert len(wrong) == len(LEDUC) + len(SEEDS)
    assert not any(map(python_believes, wrong))


def test_two_changes_at_once_do_not_make_up_for_each_other(believed: Any) -> None:
    rng, (known, reveal) = random.Random(8), honest(shuffled(LEDUC[::2]), (1,))
    once, twice = [each for _, each in mutations(reveal)], list[Proof]()
    while len(twice) < 1000:
        wrong = rng.choice(list(mutations(rng.choice(once))))[1]
        if not same_in_javascript(wrong, reveal):
            twice.append(Proof(known, wrong))
    assert not any(believed(twice))


# A server that knows the scheme, and works everything out again after what it has changed


def forged(promised: PromisedDeck, closed: tuple[int, ...] = (), **changes: Any) -> Proof:
    """What a checker who saw an honest beginning is told by a server that changes something."""
    known, _ = honest(promised, closed)
    return Proof({**known, **changes}, promised.opened(SEEDS, closed))


def with_seeds(promised: PromisedDeck, seeds: dict[int, str], **known: Any) -> Proof:
    """A server that deals by other seeds, and tells these from the deal on: it sees them before it has to choose."""
    told = honest(promised, (), seeds).known
    return Proof({**told, **known}, promised.opened(seeds))


def rebuilt(promised: PromisedDeck, leaves: list[str], reveal: dict[str, Any]) -> Proof:
    """A proof whose promise is that of other leaves."""
    known, _ = honest(promised)
    return Proof({**known, "commitment": commitment(HAND, leaves)}, reveal)


def said(promised: PromisedDeck, seeds: list[dict[str, Any]]) -> Proof:
    """A server that deals by seeds as it lists them, to somebody who has noted the promise and nothing else."""
    text = ",".join(f"{each['chair']}={each['seed']}" for each in seeds)
    hashes = [sha256(f"ludus-2:order:{HAND}:{text}:{place}".encode()).hexdigest() for place in range(52)]
    places = sorted(range(52), key=hashes.__getitem__)
    by_place = {each["place"]: each for each in promised.opened({})["cards"]}
    known = {name: honest(promised).known[name] for name in ("hand", "commitment", "deck")}
    opened = {"scheme": "ludus-2", "id": HAND, "seeds": seeds, "cards": [by_place[place] for place in places]}
    return Proof(known, opened)


def changed(reveal: dict[str, Any], at: int, **values: Any) -> dict[str, Any]:
    other = deepcopy(reveal)
    other["cards"][at] |= values
    return other


def forgeries() -> Iterator[tuple[str, Proof]]:
    promised = shuffled(DECK)
    known, reveal = honest(promised)
    closed = promised.opened(SEEDS, (20, 21))
    seed, other = SEEDS[0], SEEDS[3]
    # seeds
    yield "the own seed is left out", with_seeds(promised, {3: other})
    yield "the own seed is another", with_seeds(promised, {0: "ab" * 16, 3: other})
    yield "seeds are swapped", with_seeds(promised, {0: other, 3: seed})
    yield "all of them are one's own", with_seeds(promised, {3: seed})
    for chair in (1, 7, 10, -1, 2**53 + 1):  # any of them gives another order: the server could choose the best
        yield f"the own seed is said to be chair {chair}'s", with_seeds(promised, {chair: seed, 3: other})
        yield f"there is a seed of chair {chair}", with_seeds(promised, {**SEEDS, chair: "cd" * 16})
    yield "a seed of an AI takes the place of a person's", with_seeds(promised, {0: seed, 1: other})
    told = seed_list(SEEDS)
    for what, seeds in (
        ("out of order", told[::-1]), ("twice", [told[0], told[0]]), ("of a text", [{"chair": "0", "seed": seed}]),
        ("of a chair too many", [{"chair": 10, "seed": seed}]), ("of none", [{"chair": -1, "seed": seed}]),
        ("too short", [{"chair": 0, "seed": seed[:-1]}]), ("in capitals", [{"chair": 0, "seed": "AB" * 16}]),
        ("two in one", [{"chair": 0, "seed": f"{seed},3={other}"}]), ("empty", [{"chair": 0, "seed": ""}]),
    ):  # fmt: skip
        yield f"seeds by which it is dealt are {what}", said(promised, seeds)
    yield (
        "others' seeds are not those told with the deal",
        Proof({**known, "seeds": seed_list({0: seed, 3: "ab" * 16})}, reveal),
    )
    yield "a seed was not told with the deal", Proof({**known, "seeds": told[:1]}, reveal)
    for what, seeds in (
        ("in another order", told[::-1]), ("none", []), ("no list", {"0": told[0]}), ("twice", [*told, told[1]]),
        ("of texts", [{**each, "chair": str(each["chair"])} for each in told]), ("pairs", [[0, seed], [3, other]]),
        ("of no number", [{"chair": False, "seed": seed}]), ("of half a chair", [{"chair": 0.5, "seed": seed}]),
    ):  # fmt: skip
        yield f"seeds are {what}", Proof({**known, "seeds": None}, {**reveal, "seeds": seeds})
    # the deck
    hand = promised.hand
    for what, cards in (
        ("one card twice", (DECK[1], *DECK[1:])), ("one card less", DECK[1:]), ("one card more", (*DECK, DECK[0])),
    ):  # fmt: skip
        deck = PromisedDeck(hand, tuple(cards), KEY)
        yield what, Proof({**known, "commitment": deck.commitment, "seen": []}, deck.opened(SEEDS))
    strange = deepcopy(reveal)
    at = strange["cards"][30]
    for card in ("Zz", "ah", "A", "Ahh", "", "А♥"):
        at |= {"card": card, "hash": leaf(hand, at["place"], at["salt"], card)}
        leaves = list(promised.leaves)
        leaves[at["place"]] = at["hash"]
        yield f"there is a card {card!r}", rebuilt(promised, leaves, deepcopy(strange))
    small = shuffled(LEDUC)
    yield "a deck of another game", Proof({**known, "commitment": small.commitment, "seen": []}, small.opened(SEEDS))
    # leaves
    place, salt, card = (reveal["cards"][30][name] for name in ("place", "salt", "card"))
    for what, hashed in (
        ("another hand", leaf(OTHER, place, salt, card)), ("another place", leaf(hand, place + 1, salt, card)),
        ("another card", leaf(hand, place, salt, reveal["cards"][31]["card"])),
        ("another salt", leaf(hand, place, "0" * 32, card)),
    ):  # fmt: skip
        leaves = list(promised.leaves)
        leaves[place] = hashed
        yield f"a leaf is that of {what}", rebuilt(promised, leaves, changed(reveal, 30, hash=hashed))
    for what, short in (("short", salt[:8]), ("empty", ""), ("long", salt * 2), ("in capitals", "AB" * 16)):
        hashed = leaf(hand, place, short, card)
        leaves = list(promised.leaves)
        leaves[place] = hashed
        yield f"a salt is {what}", rebuilt(promised, leaves, changed(reveal, 30, hash=hashed, salt=short))
    first, second = (closed["cards"][at]["place"] for at in (20, 21))
    for what, one, two in (
        ("merged", promised.leaves[first] + promised.leaves[second], ""), ("empty", "", ""), ("short", "ab", "cd"),
        ("cut elsewhere", promised.leaves[first][:10], promised.leaves[first][10:] + promised.leaves[second]),
        ("in capitals", promised.leaves[first].upper(), promised.leaves[second]),
        ("no hashes", "x" * 64, promised.leaves[second]),
    ):  # fmt: skip
        leaves = list(promised.leaves)
        leaves[first], leaves[second] = one, two
        proof = changed(changed(closed, 20, hash=one), 21, hash=two)
        yield f"closed leaves are {what}", rebuilt(promised, leaves, proof)
    merged = deepcopy(closed)
    merged["cards"][20]["hash"] += merged["cards"].pop(21)["hash"]
    yield "two leaves are one", Proof(known, merged)
    less = deepcopy(reveal)
    gone = less["cards"].pop()["place"]
    joined = "".join(hashed for place, hashed in enumerate(promised.leaves) if place != gone)
    missing = sha256(f"ludus-2:deck:{HAND}:52:{joined}".encode()).hexdigest()
    yield "a leaf is missing from a promise of 52", Proof({**known, "commitment": missing}, less)
    dropped, doubled, swapped, again = (deepcopy(reveal) for _ in range(4))
    dropped["cards"].pop()
    doubled["cards"][31] = deepcopy(doubled["cards"][30])
    swapped["cards"][30], swapped["cards"][31] = swapped["cards"][31], swapped["cards"][30]
    again["cards"].append(deepcopy(again["cards"][51]))
    for what, proof in (("dropped", dropped), ("doubled", doubled), ("swapped", swapped), ("added", again)):
        yield f"a leaf is {what}", Proof(known, proof)
    yield "a card without a salt", Proof(known, changed(closed, 20, card="Ah"))
    yield "a salt without a card", Proof(known, changed(closed, 20, salt=promised.salts[0]))
    yield (
        "cards are swapped",
        Proof(
            known, changed(changed(reveal, 30, card=reveal["cards"][31]["card"]), 31, card=reveal["cards"][30]["card"])
        ),
    )
    # what it is about
    elsewhere = PromisedDeck(OTHER, promised.cards, KEY)
    yield "the proof of another hand", Proof(known, elsewhere.opened(SEEDS))
    yield "the promise of another hand", forged(promised, commitment=elsewhere.commitment)
    yield "another deck", Proof(known, PromisedDeck(hand, promised.cards[::-1], KEY).opened(SEEDS))
    yield "other salts", Proof(known, PromisedDeck(hand, promised.cards, "08" * 32).opened(SEEDS))
    yield "something more in it", Proof(known, {**reveal, "more": 1})
    yield "the scheme before", Proof(known, {**reveal, "scheme": "ludus-1"})
    for nothing in (None, [], {}, "", 0, [reveal]):
        yield f"{str(nothing)[:10]} instead of a proof", Proof(known, nothing)
    # what was seen
    yield "a card that was seen is another", forged(promised, seen=[*known["seen"], [40, known["seen"][0][1]]])
    yield (
        "a card that was seen stays closed",
        Proof({**known, "seen": [[20, CARDS[promised.dealt(SEEDS)[20]]]]}, closed),
    )
    yield "a card was seen that was not in the deck", forged(promised, seen=[[52, "Ah"]])
    for chair in sorted({*CHAIRS, 2} - {known["first"]["button"]}):
        yield f"the first button is chair {chair}", forged(promised, first={"chairs": CHAIRS, "button": chair})


def test_no_forgery_is_believed(believed: Any) -> None:
    named = list(forgeries())
    assert len({what for what, _ in named}) == len(named) > 70
    found = believed([proof for _, proof in named])
    assert [what for (what, _), good in zip(named, found, strict=True) if good] == []


def test_whatever_is_known_both_languages_judge_the_same(javascript: Any) -> None:
    """Somebody who has noted less may believe more, but the page and Python believe the same."""
    names, proofs = ("people", "seeds", "own", "first", "seen"), list[Proof]()
    for _, (known, reveal) in forgeries():
        for count in range(1, len(names) + 1):
            for without in list(combinations(names, count))[:: 3 if count < 5 else 1]:
                proofs.append(Proof({name: value for name, value in known.items() if name not in without}, reveal))
    found = javascript(CHECK, proofs)
    assert found == [python_believes(proof) for proof in proofs]
    assert 0 < sum(found) < len(found) / 2


def test_what_is_said_not_to_be_proved_is_not(believed: Any) -> None:
    """A seed that a server invents for a person who gave none, and what lies under leaves that stay closed."""
    promised, twice = shuffled(DECK), PromisedDeck(HAND, (DECK[1], *DECK[1:]), KEY)
    hidden = [at for at, place in enumerate(order(HAND, SEEDS, 52)) if place in (0, 1)]
    known = {**honest(promised).known, "commitment": twice.commitment, "seen": []}
    invented = with_seeds(promised, {0: SEEDS[0], 3: "ab" * 16})
    assert believed([invented, Proof(known, twice.opened(SEEDS, hidden))]) == [True, True]
