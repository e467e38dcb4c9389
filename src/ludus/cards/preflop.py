"""The table of all-in equities before the flop, class against class, exact.

The 169 classes meet in 28,561 ways, and an entry stands for all hands of the two classes that share no card, on all
1,712,304 boards each. Going through the boards instead of the pairs of hands makes that quick. The classes treat suits
alike, so 134,459 boards are enough, each counted as often as it occurs. On a board the 1081 hands are sorted once;
from the best one down, a running count by class says how many hands of every class are stronger. That also counts pairs
that share a card; there are few of them, and they are subtracted one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.cards.ranges import CLASSES, COMBOS, class_index, class_of_combo
from ludus.cards.runouts import ALL_SYMMETRIES, runouts
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, DIGITS, PLACE_BITS, PLACES, rank_live, sort_packed
from ludus.compiled import kernel
from ludus.files import load_arrays, save_arrays
from ludus.parallel import Progress, in_blocks

KIND, FORMAT = "pre-flop equities", 1
SHIPPED = Path(__file__).parent / "data" / "preflop-equity.safetensors"

_N = len(CLASSES)
_BLOCK_BOARDS = 1024
_CLASS = class_of_combo.astype(np.uint16)
_PLACE, _U0 = np.uint32(PLACE_BITS), np.uint64(0)
_WIDE = np.uint64(_N)
_LOSSES = np.uint64(_N * _N)  # where the counts of losses start, after those of ties


@dataclass(frozen=True, slots=True)
class PreflopTable:
    """Shares of class against class, ``[169, 169]`` in the order of `ranges.CLASSES`."""

    equity: NDArray[np.float32]
    """The share of the pot of the row's class against the column's, splits included."""
    tie: NDArray[np.float32]
    """The share of the deals that are split."""

    @property
    def win(self) -> NDArray[np.float32]:
        """The share of the deals that the row's class wins alone."""
        return self.equity - self.tie / np.float32(2)

    def of(self, first: str, second: str) -> float:
        """The equity of one class, named as in 'AKs', against another."""
        return float(self.equity[class_index(first), class_index(second)])

    def ranges(self, first: ArrayLike, second: ArrayLike) -> float:
        """The equity of a range against another, each given as the weights ``[169]`` of its classes."""
        one, two = (np.asarray(weights, np.float64) for weights in (first, second))
        if one.shape != (_N,) or two.shape != (_N,) or min(one.min(), two.min()) < 0:
            raise ValueError(f"expected two arrays of {_N} weights that are not negative, got {one.shape}, {two.shape}")
        deals = one[:, None] * pair_counts() * two
        if not deals.any():
            raise ValueError("both ranges need a hand, and some two of them that share no card")
        return float((deals * self.equity).sum() / deals.sum())


@cache
def pair_counts() -> NDArray[np.int64]:
    """``[169, 169]``: in how many ways two players can hold hands of two classes.

    >>> int(pair_counts()[class_index("AA"), class_index("AKs")]), int(pair_counts().sum()) == 1326 * 1225
    (12, True)
    """
    apart = (COMBO_BITS[:, None] & COMBO_BITS) == 0
    members = np.zeros((_N, len(COMBOS)))
    members[class_of_combo, np.arange(len(COMBOS))] = 1
    counts: NDArray[np.int64] = (members @ apart.astype(np.float64) @ members.T).astype(np.int64)
    counts.setflags(write=False)
    return counts


@cache
def preflop_table() -> PreflopTable:
    """The table that comes with the package, as `ludus equity --build-preflop FILE` computes it."""
    return load_table(SHIPPED)


def load_table(path: Path) -> PreflopTable:
    """Read a table and check that it is one."""
    arrays = load_arrays(path, KIND, FORMAT)[1]
    if set(arrays) != {"equity", "tie"}:
        raise ValueError(f"{path} is not a pre-flop table: it holds {', '.join(sorted(arrays)) or 'nothing'}")
    table = PreflopTable(**arrays)
    if problem := _problem(table):
        raise ValueError(f"{path} is not a pre-flop table ({problem})")
    for array in (table.equity, table.tie):
        array.setflags(write=False)
    return table


def _problem(table: PreflopTable) -> str | None:
    """What is wrong with a table, if anything."""
    for name, array in (("equity", table.equity), ("tie", table.tie)):
        if array.shape != (_N, _N) or array.dtype != np.float32:
            return f"{name} is {array.dtype}{list(array.shape)} instead of float32[{_N}, {_N}]"
        if not ((array >= 0) & (array <= 1)).all():
            return f"{name} has entries outside of 0..1"
    if np.abs(table.equity + table.equity.T - 1).max() > 1e-6:
        return "the equities of two classes do not sum to 1"
    if not np.array_equal(table.tie, table.tie.T) or (table.win < 0).any():
        return "ties are not symmetric, or more than the equity allows"
    return None


def save_table(table: PreflopTable, path: Path) -> None:
    """Write a table; the same table gives the same bytes."""
    save_arrays(path, {"kind": KIND, "format": FORMAT}, {"equity": table.equity, "tie": table.tie})


def build_preflop_table(progress: Progress | None = None, threads: int = 2) -> PreflopTable:
    """Compute the table, which takes some fifteen seconds."""
    boards, times = runouts((), range(52), ALL_SYMMETRIES)
    wins, ties = count_classes_on(boards, times, threads, progress)
    deals = pair_counts() * comb(48, 5)
    assert np.array_equal(wins + wins.T + ties, deals)
    return PreflopTable(((wins + ties / 2) / deals).astype(np.float32), (ties / deals).astype(np.float32))


def count_classes_on(
    boards: NDArray[np.uint8], times: NDArray[np.int64], threads: int = 1, progress: Progress | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Wins of the row's class and ties ``[169, 169]`` on boards ``[n, 5]`` that count ``times [n]`` each.

    Counted over all pairs of hands that share no card with each other or with the board.
    """

    def work(start: int) -> NDArray[np.int32]:
        return _count_block(boards[start : start + _BLOCK_BOARDS], times[start : start + _BLOCK_BOARDS])

    parts: Sequence[NDArray[np.int32]] = in_blocks(work, range(0, len(boards), _BLOCK_BOARDS), threads, progress)
    ties, losses = np.sum(parts, axis=0, dtype=np.int64).reshape(2, _N, _N)
    return losses.T, ties + ties.T


@kernel
def _count_block(boards: NDArray[np.uint8], times: NDArray[np.int64]) -> NDArray[np.int32]:
    """Counts ``[2 * 169 * 169]``: ties of class and class, each pair of hands once; losses of class to class.

    A block's counts fit 32 bits: no two classes have more than 144 pairs of hands, on at most 2,598,960 boards.
    """
    counts = np.zeros(2 * _N * _N, np.int32)
    stronger, equal = np.zeros(_N, np.int32), np.zeros(_N, np.int32)
    classes = np.empty(_N, np.uint16)
    packed, spare = np.empty(len(COMBO_KEYS) + 1, np.uint32), np.empty(len(COMBO_KEYS), np.uint32)
    digits = np.empty((2, DIGITS), np.uint32)
    rank_of = np.zeros(len(COMBO_KEYS), np.uint32)
    for row in range(len(boards)):
        board, weight = boards[row], np.int32(times[row])
        live = np.uint64(rank_live(board, COMBO_KEYS, COMBO_BITS, packed))
        sort_packed(packed, int(live), spare, digits)
        packed[live] = np.uint32(0)  # ends the last group of equals
        rank_of[:] = 0
        stronger[:] = 0
        start = np.uint64(0)
        while start < live:
            rank = packed[start] >> _PLACE
            found = np.uint64(0)
            while packed[start] >> _PLACE == rank:
                combo = packed[start] & PLACES
                rank_of[combo] = rank
                if equal[_CLASS[combo]] == 0:
                    classes[found] = _CLASS[combo]
                    found += np.uint64(1)
                equal[_CLASS[combo]] += np.int32(1)
                start += np.uint64(1)
            for one in range(found):
                here = np.uint64(classes[one])
                for other in range(one):
                    counts[here * _WIDE + classes[other]] += weight * equal[here] * equal[classes[other]]
                # the pairs within a class once, and not a hand with itself
                counts[here * _WIDE + here] += weight * (equal[here] * (equal[here] - 1) // 2)
                losing = weight * equal[here]
                for above in range(_WIDE):
                    counts[_LOSSES + here * _WIDE + above] += losing * stronger[above]
            for one in range(found):
                stronger[classes[one]] += equal[classes[one]]
                equal[classes[one]] = 0
        _take_off_conflicts(rank_of, weight, counts)
    return counts


@kernel
def _take_off_conflicts(rank_of: NDArray[np.uint32], weight: np.int32, counts: NDArray[np.int32]) -> None:
    """Subtract the pairs of hands that share a card from the counts; hands that the board blocks have the rank 0."""
    ranks, classes = np.empty(51, np.uint32), np.empty(51, np.uint64)
    for card in range(52):
        held = 0
        for other in range(52):
            low, high = min(card, other), max(card, other)
            combo = high * (high - 1) // 2 + low
            if low < high and rank_of[combo] != 0:
                ranks[held], classes[held] = rank_of[combo], _CLASS[combo]
                held += 1
        for one in range(held):
            rank, here = ranks[one], classes[one]
            for other in range(one):
                there = classes[other]
                # arithmetic instead of branches that no processor could predict
                at = there * _WIDE + here if rank < ranks[other] else here * _WIDE + there
                counts[at + (_U0 if rank == ranks[other] else _LOSSES)] -= weight
