"""What the kernels of the spot solver work on: tables, sides, rows.

Tables (regrets, sums of strategies) hold, for each board in turn, rows over the hands alive there: row r of board b
starts at ``rows * start[b] + r * hands``. They are float32, or 16-bit integers with a scale for each row; the latter
are unpacked to rows of a `Work` where they are used.

Indices are unsigned throughout and constants are float32: both decide whether a loop becomes vector instructions.
"""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.solvers.spot.boards import Hands
from ludus.solvers.spot.kernels.plan import Floats, Index

LEARN, BEST, FOLLOW = 0, 1, 2
"""What the player whose values are asked for does: learning by regret matching, a best answer, or the average."""

U = np.uint64
FIRST = cast("int", np.int64(0))  # a chunk or board, of the type that makes kernels compile only once
NO, ZERO, ONE, HALF = U(0), np.float32(0), np.float32(1), np.float32(0.5)
CARDS = U(52)
LARGEST = np.float32(32767)
NOTHING, UNPACKED, UNLOCKED = np.zeros(0, np.float32), np.zeros(0, np.int16), np.zeros(0, np.uint8)  # empty fields
TINY = np.float32(1e-30)  # numbers below count as nothing: their inverses overflow, and they are slow to work with


class PackedTable(NamedTuple):
    """Rows of floats; either ``plain`` or ``packed`` with ``scale`` holds them, the other is empty."""

    plain: Floats
    packed: NDArray[np.int16]
    scale: Floats  # one for each row of each board


class Side(NamedTuple):
    """One player on one street."""

    hands: Hands
    rows: int  # of the player's tables on a board
    regrets: PackedTable
    sums: PackedTable
    locked: NDArray[np.uint8]  # 1 at a node's first row where the strategy of a hand is fixed; or empty


class Update(NamedTuple):
    """What to do with the learner's tables: the recurrence of ``solvers/schedules.py``."""

    mode: int
    positive: np.float32
    negative: np.float32
    average: np.float32  # what the sums are multiplied by; 0 leaves them alone, strategy and all
    floor: np.float32


class Work(NamedTuple):
    """Room for the rows of one chunk."""

    other: Floats  # reach of the opponent's hands, a row a slot, then a row a lane
    own: Floats  # reach of the learner's hands
    turned: Floats  # the lanes, a row a hand, and one of zeros
    out: Floats  # results, a row a hand
    values: Floats  # a row a value, those of the lanes first
    played: Floats  # the learner's strategy, a row an action
    cards: Floats  # [53] rows of lanes: sums over the hands with a card, then over all
    unpacked: Floats  # the rows of one node
    summed: Floats
    weight: Floats  # two rows over hands
    even: Floats


class Above(NamedTuple):
    """Where lines come from: the street above, on the board that the cards are added to."""

    out_own: Index  # [lines] the reach rows of each line
    out_other: Index
    mine: int  # hands there
    theirs: int
    own: Floats  # reach rows
    other: Floats


@kernel
def unpack(table: PackedTable, at: np.uint64, row: np.uint64, rows: np.uint64, n: np.uint64, out: Floats) -> None:
    """Rows of a packed table, the first of which has an index among all rows, as floats."""
    packed = table.packed
    for r in range(rows):
        scale, start, to = table.scale[row + r], at + r * n, r * n
        for h in range(n):
            out[to + h] = np.float32(packed[start + h]) * scale


@kernel
def pack(rows_of: Floats, rows: np.uint64, n: np.uint64, table: PackedTable, at: np.uint64, row: np.uint64) -> None:
    """The reverse: each row is scaled so that its largest number just fits."""
    packed = table.packed
    for r in range(rows):
        start, to = r * n, at + r * n
        largest = ZERO
        for h in range(n):
            x = abs(rows_of[start + h])
            largest = x if x > largest else largest
        table.scale[row + r] = largest / LARGEST
        times = LARGEST / largest if largest > TINY else ZERO
        for h in range(n):
            x = rows_of[start + h] * times
            packed[to + h] = np.int16(x + (HALF if x > ZERO else -HALF))
