"""What a value network knows of every hand on a board, before it looks at any range.

On each way in which the board can end a hand has a place among all hands, 0 the best and 1 the worst. A network is told
how these places are spread, which tells a made hand from a draw, and their mean, by which hands are ordered.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import COMBOS, class_of_combo
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, DIGITS, PLACE_BITS, PLACES, rank_live, sort_packed
from ludus.compiled import kernel
from ludus.parallel import in_blocks, usable_cores

Floats = NDArray[np.float32]
HANDS = len(COMBOS)
PARTS = 8  # of the places of hands, each a triangle over its neighbours
KNOWN = 1 + PARTS  # numbers about a hand: its mean place, and how much of its places lies in each part
RIVER = 5
PREFLOP_BOARDS = 4096  # random ones stand for all before the flop
BOARDS_KEPT = 64


@dataclass(frozen=True, eq=False)
class BoardHands:
    """The hands that a board allows, in the order of all combinations."""

    board: tuple[int, ...]
    combos: NDArray[np.int64]  # [hands]
    known: Floats  # [hands, KNOWN]
    order: NDArray[np.int64]  # [hands]: from the best mean place to the worst
    better: NDArray[np.int64]  # [hands]: how many have a better mean place
    not_worse: NDArray[np.int64]  # [hands]: how many have a better one or the same

    @cached_property
    def representatives(self) -> tuple[NDArray[np.int64] | slice, NDArray[np.int64] | slice]:
        """Hands that stand for all, and for each hand which of them does: before the flop one for each class."""
        if self.board:
            return slice(None), slice(None)
        return np.unique(class_of_combo, return_index=True)[1], class_of_combo.astype(np.int64)

    @cached_property
    def cards(self) -> NDArray[np.int64]:
        """``[hands, 2]``"""
        return COMBOS[self.combos].astype(np.int64)


@lru_cache(BOARDS_KEPT)
def board_hands(board: tuple[int, ...]) -> BoardHands:
    """The hands of one board."""
    means, parts = read_boards(np.array([board], np.uint8).reshape(1, len(board)))
    combos = np.flatnonzero(means[0] >= 0)
    known = known_of(means[:, combos], parts[:, combos])[0]
    return BoardHands(board, combos, known, *(each[0] for each in ordered(means[:, combos])))


def read_boards(boards: NDArray[np.uint8]) -> tuple[NDArray[np.int64], Floats]:
    """``[n, 1326]`` the mean places of hands as whole numbers, -1 where they are blocked, and ``[n, 1326, PARTS]``."""
    endings, known = _endings(boards), boards.shape[1]
    means, parts = np.full((len(boards), HANDS), -1, np.int64), np.zeros((len(boards), HANDS, PARTS), np.float32)
    threads = usable_cores()
    block = max(1, -(-len(boards) // (4 * threads)))

    def work(first: int) -> None:
        part = slice(first, first + block)
        _read(boards[part], endings, known, means[part], parts[part])

    in_blocks(work, range(0, len(boards), block), threads, None)
    if known == 0:  # what random boards say of a hand holds for all hands of its class
        size = np.bincount(class_of_combo)
        by_class = np.stack([np.bincount(class_of_combo, each) for each in parts[0].T], 1) / size[:, None]
        means[0] = np.round(np.bincount(class_of_combo, means[0]) / size).astype(np.int64)[class_of_combo]
        parts[0] = by_class[class_of_combo]
    return means, parts


def _endings(boards: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The ways to end a board, as places among the cards that it leaves."""
    known = boards.shape[1]
    if known == 0:
        decks = np.random.default_rng(0).permuted(np.tile(np.arange(52), (PREFLOP_BOARDS, 1)), axis=1)
        return np.ascontiguousarray(decks[:, :RIVER])
    return np.array(list(combinations(range(52 - known), RIVER - known)), np.int64)


def known_of(means: NDArray[np.int64], parts: Floats) -> Floats:
    """``[n, hands, KNOWN]`` What networks are told, from what `read_boards` finds."""
    return np.concatenate([(means / MOST)[..., None], parts], axis=2, dtype=np.float32)


def ordered(means: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """``[n, hands]`` each: the hands from the best to the worst; how many are better, and how many are not worse."""
    order = np.argsort(means, axis=1, kind="stable")
    places = np.take_along_axis(means, order, axis=1)
    sides = [
        np.stack([np.searchsorted(row, own, side=side) for row, own in zip(places, means, strict=True)])
        for side in ("left", "right")
    ]
    return order, sides[0], sides[1]


MOST = 1 << 40
"""The mean place of a hand that every other hand beats on every ending."""


@kernel
def _read(
    boards: NDArray[np.uint8], endings: NDArray[np.int64], known: int, means: NDArray[np.int64], parts: Floats
) -> None:
    """Fill in ``means [n, 1326]``, in parts of MOST, and ``parts [n, 1326, PARTS]``."""
    packed, spare = np.empty(len(COMBO_KEYS) + 1, np.uint32), np.empty(len(COMBO_KEYS), np.uint32)
    digits = np.empty((2, DIGITS), np.uint32)
    sums, times = np.empty(len(COMBO_KEYS), np.int64), np.empty(len(COMBO_KEYS), np.int64)
    live, whole = np.empty(52, np.int64), np.empty(RIVER, np.uint8)
    for spot in range(len(boards)):
        left = 0
        for card in range(52):
            dealt = False
            for at in range(known):
                dealt = dealt or boards[spot, at] == card
            if not dealt:
                live[left] = card
                left += 1
        for at in range(known):
            whole[at] = boards[spot, at]
        sums[:] = 0
        times[:] = 0
        count = 0
        for ending in range(len(endings)):
            for card in range(RIVER - known):
                whole[known + card] = live[endings[ending, card]]
            count = rank_live(whole, COMBO_KEYS, COMBO_BITS, packed)
            sort_packed(packed, count, spare, digits)
            packed[count] = np.uint32(0)
            first = 0
            while first < count:
                last = first
                rank = packed[first] >> np.uint32(PLACE_BITS)
                while packed[last] >> np.uint32(PLACE_BITS) == rank and last < count:
                    last += 1
                middle = (first + last) / (2 * count)
                part = min(max(middle * PARTS - 0.5, 0.0), PARTS - 1.0)
                low = min(int(part), PARTS - 2)
                for each in range(first, last):
                    hand = int(packed[each] & PLACES)
                    sums[hand] += first + last
                    times[hand] += 1
                    parts[spot, hand, low] += np.float32(1 - (part - low))
                    parts[spot, hand, low + 1] += np.float32(part - low)
                first = last
        for hand in range(len(COMBO_KEYS)):
            if times[hand]:
                means[spot, hand] = np.int64(np.round(sums[hand] / (2 * count * times[hand]) * MOST))
                for which in range(PARTS):
                    parts[spot, hand, which] /= np.float32(times[hand])
