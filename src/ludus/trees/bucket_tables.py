"""Buckets of all hands on all boards, as tables for kernels.

Boards that differ only in the names of the suits share a row: there are 1755 flops, 16,432 turns and 134,459 rivers as
sets of cards. An index by the board says which row that is and which permutation of the suits leads there, so that a
kernel finds the bucket of a hand with

    entry = find_board(tables.river_index, cards, start, 5)
    bucket = tables.river[entry >> 5, MOVED[entry & 31, combo]]

where `MOVED` is that of `ludus.cards.runouts`. The tables are files in the cache folder, mapped into memory. Who knows
the board needs few of their rows, and need not wait until all are built: those are `RunoutTables`.
"""

from __future__ import annotations

import mmap
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import COMBOS
from ludus.cards.runouts import ALL_SYMMETRIES
from ludus.compiled import kernel
from ludus.files import check_array, open_arrays, save_arrays
from ludus.parallel import Progress, in_blocks

SHIFT = 5
"""An entry of an index is ``row << SHIFT | permutation of ALL_SYMMETRIES``."""

KIND, FORMAT = "bucket table", 1
BLOCK_BOARDS = {3: 1, 4: 16, 5: 64}
"""Boards of 3 to 5 cards in a block of work."""

CHOOSE = np.array([[comb(card, size) for size in range(6)] for card in range(52)], np.uint32)
_SYMMETRY = np.full(256, 255, np.uint8)  # by two bits for what each suit becomes
_SYMMETRY[(ALL_SYMMETRIES.astype(np.int64) << [0, 2, 4, 6]).sum(axis=1)] = np.arange(len(ALL_SYMMETRIES))


class BucketTables(NamedTuple):
    """What a kernel needs to find buckets from the flop on; all arrays are read-only."""

    flop_index: NDArray[np.uint32]
    """``[22100]``, by `board_rank`: the row of the flop << 5 | the permutation of the suits that leads there."""
    turn_index: NDArray[np.uint32]
    """``[270725]``"""
    river_index: NDArray[np.uint32]
    """``[2598960]``"""
    flop: NDArray[np.uint16]
    """``[1755, 1326]``: the bucket of every combination on the canonical board, 0 for impossible hands."""
    turn: NDArray[np.uint16]
    """``[16432, 1326]``"""
    river: NDArray[np.uint16]
    """``[134459, 1326]``"""


NO_BOARDS = np.zeros((0, 5), np.uint8)
"""The runouts where all may come."""
NO_BOARDS.setflags(write=False)


class _Street(Protocol):
    def of_boards(self, boards: NDArray[np.uint8]) -> NDArray[np.uint16]: ...


@kernel
def board_rank(cards: NDArray[np.uint8], start: int, count: int) -> np.uint32:
    """The number of a set of cards among all sets of its size (its colexicographic rank), whatever their order."""
    rank = np.uint32(0)
    for at in range(np.uint64(start), np.uint64(start + count)):
        card, size = cards[at], np.uint64(1)
        for other in range(np.uint64(start), np.uint64(start + count)):
            size += np.uint64(cards[other] < card)
        rank += CHOOSE[card, size]
    return rank


@kernel
def find_board(index: NDArray[np.uint32], cards: NDArray[np.uint8], start: int, count: int) -> np.uint32:
    """The entry of an index for the board ``cards[start : start + count]``."""
    entry: np.uint32 = index[board_rank(cards, start, count)]
    return entry


@cache
def board_index(size: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """The index of all boards of a size, and the canonical boards ``[n, size]`` in the order of their rows.

    >>> index, boards = board_index(3)
    >>> len(index), len(boards)
    (22100, 1755)
    """
    index = np.empty(comb(52, size), np.uint32)
    canonical = np.empty((len(index), size), np.uint8)
    count = _fill_index(size, index, canonical)
    boards = canonical[:count].copy()
    for array in (index, boards):
        array.setflags(write=False)
    return index, boards


@kernel
def _fill_index(size: int, index: NDArray[np.uint32], canonical: NDArray[np.uint8]) -> int:
    """Write the index and the canonical boards, in the order of their rank; their number.

    The canonical form is that of `ludus.cards.isomorphism`: the suit with the greatest set of ranks becomes spades.
    A first pass notes the canonical board's rank and the permutation, a second one replaces ranks by rows.
    """
    cards, image, becomes = np.empty(size, np.uint8), np.empty(size, np.uint8), np.empty(4, np.uint8)
    signature = np.empty(4, np.int64)
    for at in range(size):
        cards[at] = at
    permutation = np.empty(len(index), np.uint8)
    rows = np.empty(len(index), np.uint32)
    count = 0
    for rank in range(len(index)):
        for suit in range(4):
            signature[suit] = 0
        for at in range(size):
            signature[cards[at] & 3] |= 1 << (cards[at] >> 2)
        code = 0
        for suit in range(4):
            place = 3
            for other in range(4):
                if signature[other] > signature[suit] or (signature[other] == signature[suit] and other > suit):
                    place -= 1
            becomes[suit] = place
            code |= place << (2 * suit)
        permutation[rank] = _SYMMETRY[code]
        for at in range(size):
            image[at] = cards[at] & 0xFC | becomes[cards[at] & 3]
        index[rank] = board_rank(image, 0, size)
        if index[rank] == rank:
            for at in range(size):
                canonical[count, at] = cards[at]
            rows[rank] = count
            count += 1
        at = 0  # the next set in colexicographic order: raise the first card that has room, and lower those before it
        while at < size - 1 and cards[at] + 1 == cards[at + 1]:
            cards[at] = at
            at += 1
        cards[at] += 1
    for rank in range(len(index)):
        index[rank] = (rows[index[rank]] << np.uint32(SHIFT)) | np.uint32(permutation[rank])
    return count


def build_table(
    street: _Street, boards: NDArray[np.uint8], threads: int = 1, progress: Progress | None = None
) -> NDArray[np.uint16]:
    """The buckets ``[n, 1326]`` of all hands on boards ``[n, 3..5]``."""
    table = np.empty((len(boards), len(COMBOS)), np.uint16)
    step = BLOCK_BOARDS[boards.shape[1]]

    def work(start: int) -> None:
        block = slice(start, start + step)
        table[block] = street.of_boards(boards[block])

    in_blocks(work, range(0, len(boards), step), threads, progress)
    return table


def kept_table(
    path: Path, street: _Street, cards: int, count: int, threads: int = 1, progress: Progress | None = None
) -> NDArray[np.uint16]:
    """The table of a street from a file, mapped; built and saved first where there is none or it is damaged."""
    if path.is_file():
        try:
            if are_buckets(table := open_table(path, cards, count), count):
                return table
        except ValueError:  # what can be made again is made again
            pass
    table = build_table(street, board_index(cards)[1], threads, progress)
    save_arrays(path, _header(cards, count), {"table": table})
    return open_table(path, cards, count)


def open_table(path: Path, cards: int, count: int) -> NDArray[np.uint16]:
    """The table of a street from a file, mapped; what it says is not looked at yet (`are_buckets`)."""
    header, arrays = open_arrays(path, KIND, FORMAT)
    if header != _header(cards, count) or set(arrays) != {"table"}:
        raise ValueError(f"{path} holds another table than {_header(cards, count)}")
    table = arrays["table"]
    check_array("table", table, "uint16", (len(board_index(cards)[1]), len(COMBOS)))
    return table


def _header(cards: int, count: int) -> dict[str, Any]:
    return {"kind": KIND, "format": FORMAT, "cards": cards, "buckets": count}


def are_buckets(rows: NDArray[np.uint16], count: int) -> bool:
    """Whether rows of a table lead no kernel outside its arrays."""
    return int(rows.max()) < count


class RunoutTables:
    """The same tables with no rows but those that were asked for: the rest is never written, and takes no memory."""

    def __init__(
        self, flop: NDArray[np.uint16], rows: Callable[[int, NDArray[np.int64], int], NDArray[np.uint16]]
    ) -> None:
        """``rows(cards, numbers, threads)`` are rows of the turn (4 cards) and the river (5)."""
        self._find, self._lock = rows, threading.Lock()
        self._tables = {size: _untouched(len(board_index(size)[1])) for size in (4, 5)}
        self._known = {size: np.zeros(len(board_index(size)[1]), np.bool_) for size in (4, 5)}
        index = [board_index(size)[0] for size in (3, 4, 5)]
        self.tables = BucketTables(index[0], index[1], index[2], flop, self._tables[4], self._tables[5])

    def fill(self, boards: Iterable[Sequence[int]], size: int, threads: int = 1) -> None:
        """Have the rows of boards of 4 or 5 cards."""
        index = board_index(size)[0]
        rows = np.unique([int(find_board(index, np.array(each, np.uint8), 0, size)) >> SHIFT for each in boards])
        with self._lock:
            new = rows[~self._known[size][rows]]
            if len(new):
                self._tables[size][new] = self._find(size, new, threads)
                self._known[size][new] = True

    def fill_after(self, board: Sequence[int], threads: int = 1) -> None:
        """Have the rows of all runouts of a board of 3 to 5 cards."""
        rest = [card for card in range(52) if card not in board]
        for size in range(max(4, len(board)), 6):
            self.fill([(*board, *more) for more in combinations(rest, size - len(board))], size, threads)


def _untouched(rows: int) -> NDArray[np.uint16]:
    """A table of zeros, in small pages: of large ones, some rows would take as much memory as all."""
    room = mmap.mmap(-1, 2 * rows * len(COMBOS))
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        room.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(room, np.uint16).reshape(rows, len(COMBOS))
