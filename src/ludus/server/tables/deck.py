"""Decks that nobody can know or change: shuffled by the system's generator, committed to before the hand is dealt.

Scheme ``ludus-1``: the i-th card of the deck has a salt of 16 random bytes; its leaf is SHA-256(salt in hex + ":" +
card), the commitment SHA-256 of all leaves in hex, one after the other. After the hand, leaves are opened by revealing
card and salt; of those that stay closed only the leaf itself is given, so the rest can still be checked.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from hashlib import sha256
from typing import Any

from ludus.cards.card import CARDS

SCHEME = "ludus-1"
_SALT = 32  # hexadecimal digits


def shuffled(deck: Sequence[int]) -> tuple[tuple[int, ...], str]:
    """A deck in random order, and the salts of its cards one after the other."""
    cards = list(deck)
    secrets.SystemRandom().shuffle(cards)
    return tuple(cards), secrets.token_hex(_SALT // 2 * len(cards))


def leaves(deck: Sequence[int], salts: str) -> list[str]:
    """The hash of every card with its salt."""
    return [
        sha256(f"{salts[at * _SALT : (at + 1) * _SALT]}:{CARDS[card]}".encode()).hexdigest()
        for at, card in enumerate(deck)
    ]


def commitment(deck: Sequence[int], salts: str) -> str:
    """What is made known before the hand."""
    return sha256("".join(leaves(deck, salts)).encode()).hexdigest()


def opened(deck: Sequence[int], salts: str, closed: Collection[int] = ()) -> dict[str, Any]:
    """What is revealed after the hand: card and salt of every leaf, except for places in the deck that stay closed."""
    cards = [
        {"card": None, "salt": None, "hash": leaf}
        if at in closed
        else {"card": CARDS[deck[at]], "salt": salts[at * _SALT : (at + 1) * _SALT], "hash": leaf}
        for at, leaf in enumerate(leaves(deck, salts))
    ]
    return {"cards": cards, "scheme": SCHEME}


def closed_places(shown: Collection[int], players: int, hole_cards: int, dealt: int, size: int) -> set[int]:
    """Places in a deck of some size that stay closed when only the hands of some seats have been shown.

    The cards that were not dealt stay closed with them: whoever knew those would know the hidden hands by elimination.
    """
    hidden = {seat * hole_cards + at for seat in range(players) if seat not in shown for at in range(hole_cards)}
    return hidden | set(range(dealt, size)) if hidden else hidden


def verify(promised: str, reveal: dict[str, Any]) -> bool:
    """Whether what was revealed after a hand was promised before it: every open leaf, no card twice, and all."""
    cards = reveal["cards"]
    if reveal["scheme"] != SCHEME or sha256("".join(leaf["hash"] for leaf in cards).encode()).hexdigest() != promised:
        return False
    known = [leaf for leaf in cards if leaf["card"] is not None]
    return len({leaf["card"] for leaf in known}) == len(known) and all(
        sha256(f"{leaf['salt']}:{leaf['card']}".encode()).hexdigest() == leaf["hash"] for leaf in known
    )
