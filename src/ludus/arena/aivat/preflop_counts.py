"""How often each hand of hold'em beats each other hand on all the boards that can come, counted once and kept.

Suits matter here: ace-king of hearts does a little worse against queens with a heart than against others, so the 169
classes of `ludus.cards.preflop` are not enough where a value must be the exact mean of the values after the flop.
As there, the counting goes board by board, over 134,459 boards that stand for all 2,598,960.
"""

from __future__ import annotations

import io
from contextlib import suppress
from functools import cache
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import CLASSES, COMBOS, class_of_combo
from ludus.cards.runouts import ALL_SYMMETRIES, MOVED, runouts
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, PLACE_BITS, PLACES, rank_live
from ludus.compiled import cache_home, kernel
from ludus.files import load_npz, write_atomically
from ludus.parallel import in_blocks, usable_cores

FILE_NAME = "preflop-pairs-v1.npz"
BOARDS_OF_A_PAIR = comb(48, 5)
_BLOCK_BOARDS, _BLOCK_HANDS = 256, 64
_N = len(COMBOS)
_PLACE = np.uint32(PLACE_BITS)

Counts = NDArray[np.int32]
"""``[2, 1326, 1326]``: on how many boards the row's hand beats the column's, and on how many they tie."""


@cache
def pair_counts() -> Counts:
    """Wins and ties of every two hands out of `BOARDS_OF_A_PAIR`, 0 where they share a card.

    Read from the cache folder. The very first call counts them, which takes about half a minute.
    """
    path = cache_home() / FILE_NAME
    rows = _load(path)
    if rows is None:
        rows = count_pairs(*runouts((), range(52), ALL_SYMMETRIES), threads=usable_cores())
        data = io.BytesIO()
        np.savez_compressed(data, rows=rows)
        with suppress(OSError):  # a cache that cannot be written only costs time
            write_atomically(path, data.getvalue())
    return _for_every_hand(rows)


def count_pairs(boards: NDArray[np.uint8], times: NDArray[np.int64], threads: int = 1) -> Counts:
    """Wins and ties ``[2, 169, 1326]`` of one hand of every class against each hand.

    Boards ``[n, 5]`` that count ``times [n]`` each must stand for all their images under permutations of the suits.
    """
    totals = np.zeros((2, _N, _N), np.int32)

    def work(start: int) -> None:
        """A share of the rows of the totals, over all boards: threads write to different rows."""
        for first in range(0, len(boards), _BLOCK_BOARDS):
            block = slice(first, first + _BLOCK_BOARDS)
            _add_block(ranks[block], weights[block], start, min(start + _BLOCK_HANDS, _N), totals)

    ranks, weights = _rank_boards(boards), times.astype(np.int16)
    in_blocks(work, range(0, _N, _BLOCK_HANDS), threads, None)
    holders = np.unique(class_of_combo, return_index=True)[1]  # the first hand of each class
    rows = np.zeros((2, len(CLASSES), _N), np.int64)
    for moved in MOVED:  # boards that stand for others: count for every way to turn the suits
        rows += totals[:, moved[holders]][:, :, moved]
    assert not (rows % len(MOVED)).any()
    return (rows // len(MOVED)).astype(np.int32)


def _for_every_hand(rows: Counts) -> Counts:
    """The counts of all hands from those of one hand of each class, by turning the suits."""
    holders = np.unique(class_of_combo, return_index=True)[1]
    counts = np.empty((2, _N, _N), np.int32)
    for moved in MOVED:  # hand moved[holder] against moved[other] is as holder against other
        counts[:, moved[holders][:, None], moved] = rows
    counts.setflags(write=False)
    return counts


def _load(path: Path) -> Counts | None:
    """The rows of a file that holds them, None where there is none or it is damaged."""
    try:
        (rows,) = load_npz(path, "rows")
    except (OSError, ValueError):
        return None
    if rows.shape != (2, len(CLASSES), _N) or rows.dtype != np.int32:
        return None
    holders = np.unique(class_of_combo, return_index=True)[1]
    apart = (COMBO_BITS[holders][:, None] & COMBO_BITS) == 0
    sound = rows.min() >= 0 and (rows.sum(axis=0, dtype=np.int64) <= BOARDS_OF_A_PAIR * apart).all()
    return rows if sound else None


@kernel
def _rank_boards(boards: NDArray[np.uint8]) -> NDArray[np.int16]:
    """``[n, 1326]``: the class of each hand on each board, 1 the best; 0 where they share a card."""
    ranks = np.zeros((len(boards), _N), np.int16)
    packed = np.empty(_N, np.uint32)
    for row in range(len(boards)):
        live = rank_live(boards[row], COMBO_KEYS, COMBO_BITS, packed)
        for place in range(live):
            ranks[row, packed[place] & PLACES] = packed[place] >> _PLACE
    return ranks


@kernel
def _add_block(ranks: NDArray[np.int16], times: NDArray[np.int16], first: int, last: int, totals: Counts) -> None:
    """Add wins and ties of the hands ``first .. last`` on some boards, few enough for counts of 16 bits."""
    wins, ties = np.empty(_N, np.int16), np.empty(_N, np.int16)
    nothing = np.int16(0)
    for hand in range(first, last):
        wins[:] = 0
        ties[:] = 0
        for row in range(len(ranks)):
            own = ranks[row, hand]
            if own == 0:
                continue
            time, theirs = times[row], ranks[row]
            for other in range(_N):
                wins[other] += time if theirs[other] > own else nothing
                ties[other] += time if theirs[other] == own else nothing
        for other in range(_N):
            if COMBO_BITS[hand] & COMBO_BITS[other] == 0:
                totals[0, hand, other] += wins[other]
                totals[1, hand, other] += ties[other]
