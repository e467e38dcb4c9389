"""The boards that can still come, with those that differ only by a symmetry of the situation merged.

A permutation of the suits is a symmetry when it leaves every range and every known card where it was. Boards that a
symmetry turns into one another have the same result, so one of them is kept together with how many it stands for:
two ranges without regard to suits see 134,459 boards instead of 2,598,960.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ludus.cards.evaluator import CARD_BITS
from ludus.cards.isomorphism import permute_suits
from ludus.cards.ranges import COMBOS, Weights
from ludus.compiled import kernel

Symmetries = NDArray[np.uint8]
"""``[n, 4]``: permutations of the suits, entry s of a row being the suit that suit s becomes."""

ALL_SYMMETRIES: Symmetries = np.array(list(permutations(range(4))), np.uint8)
"""The 24 permutations; the first one changes nothing."""

_LANE, _LANES, _RANKS = np.uint64(16), np.uint64(4), np.uint64(0x1FFF)


def _moved_combos() -> NDArray[np.int64]:
    cards: NDArray[np.int64] = COMBOS & ~3 | ALL_SYMMETRIES[:, COMBOS & 3]
    low, high = cards.min(axis=2), cards.max(axis=2)
    return np.asarray(high * (high - 1) // 2 + low)


MOVED = _moved_combos()
"""``[24, 1326]``: where each permutation of `ALL_SYMMETRIES` takes each combination."""


def suit_symmetries(ranges: Sequence[Weights], groups: Sequence[Sequence[int]] = ()) -> Symmetries:
    """The permutations of the suits that leave each range and each group of cards, as a set, unchanged.

    >>> from ludus.cards.card import parse_cards
    >>> from ludus.cards.ranges import parse_range
    >>> len(suit_symmetries([parse_range("AhKh"), parse_range("QQ+")]))
    6
    >>> len(suit_symmetries([parse_range("AhKh"), parse_range("QQ+")], [parse_cards("2c3c4d")]))
    1
    """
    kept = [
        suits
        for suits, moved in zip(ALL_SYMMETRIES, MOVED, strict=True)
        if all(set(permute_suits(cards, suits.tolist())) == set(cards) for cards in groups)
        and all(np.array_equal(weights[moved], weights) for weights in ranges)
    ]
    return np.array(kept, np.uint8)


def runouts(
    board: Sequence[int], deck: Sequence[int], symmetries: Symmetries = ALL_SYMMETRIES[:1]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The full boards ``[n, 5]`` that a board becomes with cards of a deck, and how many ``[n]`` each stands for.

    The symmetries are a group that leaves board and deck unchanged, as `suit_symmetries` gives them.

    >>> boards, times = runouts((), range(52), ALL_SYMMETRIES)
    >>> len(boards), int(times.sum())
    (134459, 2598960)
    """
    missing = 5 - len(board)
    cards = np.array(sorted(deck), np.uint8)
    boards = np.empty((comb(len(cards), missing), 5), np.uint8)
    boards[:, : len(board)] = board
    times = np.empty(len(boards), np.int64)
    if len(boards) == 0:
        return boards, times
    count = _fill_runouts(cards, missing, symmetries, boards, times)
    return boards[:count].copy(), times[:count].copy()


@kernel
def _fill_runouts(
    deck: NDArray[np.uint8],
    missing: int,
    symmetries: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    times: NDArray[np.int64],
) -> int:
    """Write the last ``missing`` cards of the boards that no symmetry makes smaller, read as a number; their count."""
    at = np.arange(missing)
    known = np.uint64(0)
    for place in range(5 - missing):
        known |= CARD_BITS[boards[0, place]]
    count = 0
    while True:
        cards = known
        for place in range(missing):
            cards |= CARD_BITS[deck[at[place]]]
        smallest, unmoved = True, 0
        for row in range(len(symmetries)):
            image = np.uint64(0)
            for suit in range(_LANES):
                image |= ((cards >> (_LANE * suit)) & _RANKS) << (_LANE * np.uint64(symmetries[row, suit]))
            if image < cards:
                smallest = False
                break
            unmoved += image == cards
        if smallest:
            for place in range(missing):
                boards[count, 5 - missing + place] = deck[at[place]]
            times[count] = len(symmetries) // unmoved
            count += 1
        place = missing - 1
        while place >= 0 and at[place] == len(deck) - missing + place:
            place -= 1
        if place < 0:
            return count
        at[place] += 1
        for later in range(place + 1, missing):
            at[later] = at[later - 1] + 1
