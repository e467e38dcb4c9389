"""Decks that nobody can know or choose: promised before anybody is ready, dealt in an order that the players give.

Scheme ``ludus-2``. The server shuffles a deck and fixes it. The card at each place has a salt of 16 bytes; its leaf is
SHA-256("ludus-2:leaf:HAND:PLACE:SALT:CARD"), and the promise is SHA-256("ludus-2:deck:HAND:SIZE:" and all leaves in
hex, by place). The players are told the hand's id and the promise, then each gives a seed of 16 random bytes, and cards
are dealt from the places in the order of SHA-256("ludus-2:order:HAND:CHAIR=SEED,CHAIR=SEED:PLACE"). Who promises does
not know that order, and who gives a seed does not know the cards. At the first hand of a table, seeds also say who has
the button: SHA-256("ludus-2:button:HAND:CHAIR=SEED,CHAIR=SEED") modulo the number of chairs in it, in their order.

After the hand leaves are opened by telling card and salt; of those that stay closed only the leaf is told, so that the
promise, the order and all open cards can still be checked.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from ludus.cards.card import CARDS

SCHEME = "ludus-2"
SALT = SEED = 32  # hexadecimal digits
CHAIRS = range(10)  # that a table may have
_NUMBERS = {name: card for card, name in enumerate(CARDS)}
_OPENED, _LEAF, _SEEDED = {"scheme", "id", "seeds", "cards"}, {"place", "card", "salt", "hash"}, {"chair", "seed"}
Seeds = Mapping[int, str]
"""What the players have given for the order, by chair."""


@dataclass(frozen=True)
class PromisedDeck:
    """A deck as the server has fixed it, by place, with the key of its salts. Not in the order in which it is dealt."""

    hand: str
    cards: tuple[int, ...]
    key: str

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PromisedDeck:
        """A deck as `to_dict` writes it down."""
        return cls(data["hand"], tuple(_NUMBERS[name] for name in re.findall("..", data["deck"])), data["key"])

    def to_dict(self) -> dict[str, str]:
        """All of it as data."""
        return {"hand": self.hand, "deck": "".join(CARDS[card] for card in self.cards), "key": self.key}

    @cached_property
    def salts(self) -> list[str]:
        """The salt of every place: none tells of another one."""
        key = bytes.fromhex(self.key)
        return [hmac.digest(key, str(place).encode(), "sha256").hex()[:SALT] for place in range(len(self.cards))]

    @cached_property
    def leaves(self) -> list[str]:
        """What stands for every card."""
        return [
            leaf(self.hand, place, salt, CARDS[card])
            for place, (salt, card) in enumerate(zip(self.salts, self.cards, strict=True))
        ]

    @cached_property
    def commitment(self) -> str:
        """What is made known before the hand."""
        return commitment(self.hand, self.leaves)

    def dealt(self, seeds: Seeds) -> tuple[int, ...]:
        """The cards in the order in which they are dealt."""
        return tuple(self.cards[place] for place in order(self.hand, seeds, len(self.cards)))

    def opened(self, seeds: Seeds, closed: Collection[int] = ()) -> dict[str, Any]:
        """What is told after the hand, in the order of dealing; ``closed`` are numbers in that order."""
        leaves = [
            {"place": place, "card": None, "salt": None, "hash": self.leaves[place]}
            if at in closed
            else {"place": place, "card": CARDS[self.cards[place]], "salt": self.salts[place],
                  "hash": self.leaves[place]}
            for at, place in enumerate(order(self.hand, seeds, len(self.cards)))
        ]  # fmt: skip
        return {"scheme": SCHEME, "id": self.hand, "seeds": seed_list(seeds), "cards": leaves}


def shuffled(hand: str, deck: Sequence[int]) -> PromisedDeck:
    """A deck for a hand, shuffled by the system's generator."""
    cards = list(deck)
    secrets.SystemRandom().shuffle(cards)
    return PromisedDeck(hand, tuple(cards), secrets.token_hex(32))


def leaf(hand: str, place: int, salt: str, card: str) -> str:
    """What stands for a card."""
    return sha256(f"{SCHEME}:leaf:{hand}:{place}:{salt}:{card}".encode()).hexdigest()


def commitment(hand: str, leaves: Sequence[str]) -> str:
    """The promise of a deck whose leaves are given by place."""
    return sha256(f"{SCHEME}:deck:{hand}:{len(leaves)}:{''.join(leaves)}".encode()).hexdigest()


def order(hand: str, seeds: Seeds, size: int) -> list[int]:
    """The places of a deck in the order in which they are dealt."""
    given = _joined(seeds)
    return sorted(range(size), key=lambda place: sha256(f"{SCHEME}:order:{hand}:{given}:{place}".encode()).digest())


def first_button(hand: str, seeds: Seeds, chairs: Sequence[int]) -> int:
    """Which of the chairs in it has the button at the first hand of a table."""
    drawn = sha256(f"{SCHEME}:button:{hand}:{_joined(seeds)}".encode()).hexdigest()
    return sorted(chairs)[int(drawn, 16) % len(chairs)]


def _joined(seeds: Seeds) -> str:
    return ",".join(f"{chair}={seeds[chair]}" for chair in sorted(seeds))


def seed_list(seeds: Seeds) -> list[dict[str, Any]]:
    """Seeds as clients are told."""
    return [{"chair": chair, "seed": seeds[chair]} for chair in sorted(seeds)]


def read_seed(text: object) -> str:
    """A seed that a client gives; ValueError if it is none."""
    if not _is_hex(text, SEED):
        raise ValueError(f"a seed is {SEED} hexadecimal digits, in small letters")
    return str(text)


def closed_places(shown: Collection[int], players: int, hole_cards: int, dealt: int, size: int) -> set[int]:
    """Cards, by their number in the order of dealing, that stay closed when only some seats' hands have been shown.

    The cards that were not dealt stay closed with them: whoever knew those would know the hidden hands by elimination.
    """
    hidden = {seat * hole_cards + at for seat in range(players) if seat not in shown for at in range(hole_cards)}
    return hidden | set(range(dealt, size)) if hidden else hidden


# Checking


def verify(
    promise: str,
    hand: str,
    deck: Sequence[int],
    reveal: Any,
    *,
    seeds: Seeds | None = None,
    own: tuple[int, str] | None = None,
    seen: Mapping[int, str] | None = None,
    people: Collection[int] | None = None,
    first: tuple[Sequence[int], int] | None = None,
) -> bool:
    """Whether what is told after a hand is what was promised before it, dealt in the order that the seeds give.

    ``deck`` are the cards of the game. ``seeds`` are those that were told when the cards were dealt, ``own`` the chair
    and seed that one gave oneself, and ``seen`` the cards that one saw, by their number in the order of dealing: seat
    by seat, then the board. ``people`` are the chairs in which people were in the hand: with a seed of another chair,
    the server would have chosen the order itself. ``first`` are, at the first hand of a table, the chairs in it and the
    button. Each of them may be left out where it is not known.
    """
    if not isinstance(reveal, dict) or set(reveal) != _OPENED or (reveal["scheme"], reveal["id"]) != (SCHEME, hand):
        return False
    given, leaves, size = _read_seeds(reveal["seeds"]), reveal["cards"], len(deck)
    if given is None or (seeds is not None and given != dict(seeds)) or (own and given.get(own[0]) != own[1]):
        return False
    if people is not None and not set(given) <= set(people):
        return False
    if first is not None and first_button(hand, given, first[0]) != first[1]:
        return False
    if not isinstance(leaves, list) or len(leaves) != size or not all(_is_leaf(hand, each) for each in leaves):
        return False
    if [each["place"] for each in leaves] != order(hand, given, size):
        return False
    if any(at not in range(size) or leaves[at]["card"] != card for at, card in (seen or {}).items()):
        return False
    known = [each["card"] for each in leaves if each["card"] is not None]
    if len(set(known)) != len(known) or not {CARDS[card] for card in deck}.issuperset(known):
        return False
    by_place = sorted(leaves, key=lambda each: int(each["place"]))
    return commitment(hand, [each["hash"] for each in by_place]) == promise


def _is_hex(text: object, digits: int) -> bool:
    return isinstance(text, str) and re.fullmatch(f"[0-9a-f]{{{digits}}}", text) is not None


def _read_seeds(told: object) -> dict[int, str] | None:
    """Seeds as they are told, if they are: by chair, each chair once, in their order."""
    if not isinstance(told, list) or not all(isinstance(each, dict) and set(each) == _SEEDED for each in told):
        return None
    chairs = [each["chair"] for each in told]
    if not all(type(chair) is int and chair in CHAIRS for chair in chairs) or chairs != sorted(set(chairs)):
        return None
    return {each["chair"]: each["seed"] for each in told} if all(_is_hex(each["seed"], SEED) for each in told) else None


def _is_leaf(hand: str, each: object) -> bool:
    """Whether a leaf is closed, or open and right: card and salt are both told or neither is."""
    if not isinstance(each, dict) or set(each) != _LEAF or type(each["place"]) is not int:
        return False
    if not _is_hex(each["hash"], 64):
        return False
    if each["card"] is None and each["salt"] is None:
        return True
    card, salt = each["card"], each["salt"]
    return isinstance(card, str) and _is_hex(salt, SALT) and leaf(hand, each["place"], salt, card) == each["hash"]
