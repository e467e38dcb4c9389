"""Small decks written as ranks."""

from __future__ import annotations

from collections.abc import Sequence

from ludus.cards.card import RANKS


def deck_of_ranks(ranks: str) -> tuple[int, ...]:
    """A deck given as ranks: the first card of a rank is a spade, followed by hearts, diamonds and clubs.

    >>> from ludus.cards.card import format_cards
    >>> format_cards(deck_of_ranks("QQKKAA"), " ")
    'Qh Qs Kh Ks Ah As'
    """
    cards = []
    text = ranks.upper().replace("10", "T")
    for at, rank in enumerate(text):
        if rank not in RANKS:
            raise ValueError(f"{rank!r} is not a rank: a deck is written with {RANKS}")
        suit = 3 - text[:at].count(rank)
        if suit < 0:
            raise ValueError(f"a deck has at most four cards of a rank, {ranks!r} has more of {rank}")
        cards.append(4 * RANKS.index(rank) + suit)
    return tuple(sorted(cards))


def ranks_of_deck(deck: Sequence[int]) -> str:
    """The ranks that `deck_of_ranks` makes a deck of; empty for a deck that cannot be written so.

    >>> ranks_of_deck(deck_of_ranks("KKQQAA")), ranks_of_deck([0, 1])
    ('QQKKAA', '')
    """
    ranks = "".join(RANKS[card // 4] for card in sorted(deck))
    return ranks if deck_of_ranks(ranks) == tuple(sorted(deck)) else ""
