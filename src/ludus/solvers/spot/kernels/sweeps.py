"""Whole streets: lines enter a board, are passed down, settled and passed up, and their values go back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.solvers.spot.boards import Hands
from ludus.solvers.spot.kernels.leaves import settle
from ludus.solvers.spot.kernels.passes import down, up
from ludus.solvers.spot.kernels.plan import Floats, Street
from ludus.solvers.spot.kernels.structures import FIRST, LEARN, ONE, ZERO, Above, Side, U, Update, Work
from ludus.solvers.spot.kernels.vectors import take_number

Queue = NDArray[np.int64]
"""The next board to be worked on, shared by threads; empty where there is one thread."""


@kernel
def enter(
    s: Street, chunk: int, board: int, mine: Hands, theirs: Hands, above: Above, scale: np.float32, how: Update, w: Work
) -> None:
    """Bring the reach of a chunk's lines from the street above; ``scale`` is the probability of the card."""
    n, m = U(theirs.start[board + 1] - theirs.start[board]), U(mine.start[board + 1] - mine.start[board])
    their_at, my_at = U(theirs.start[board]), U(mine.start[board])
    for line in range(s.line[chunk], s.line[chunk + 1]):
        to, source = U(s.root_other[line]) * n, U(above.out_other[line]) * U(above.theirs)
        for h in range(n):
            w.other[to + h] = above.other[source + U(theirs.above[their_at + h])] * scale
        if how.mode == LEARN and how.average > ZERO:
            to, source = U(s.root_own[line]) * m, U(above.out_own[line]) * U(above.mine)
            for h in range(m):
                w.own[to + h] = above.own[source + U(mine.above[my_at + h])]


@kernel
def leave(s: Street, chunk: int, m: np.uint64, w: Work, result: Floats, at: np.uint64) -> None:
    """Write the values of a chunk's lines to ``result [lines, hands]``, which starts somewhere in an array."""
    for line in range(s.line[chunk], s.line[chunk + 1]):
        to, source = at + U(line) * m, U(s.root_value[line]) * m
        for h in range(m):
            result[to + h] = w.values[source + h]


@kernel
def collect(
    s: Street, hands: Hands, copies: NDArray[np.int32], first: int, last: int, m: np.uint64, result: Floats,
    start: np.uint64, w: Work,
) -> None:  # fmt: skip
    """Add the values of boards of the next street, and of those they stand for, to the lines that lead there."""
    lines = U(len(s.out_value))
    for line in range(lines):
        to = U(s.out_value[line]) * m
        for h in range(m):
            w.values[to + h] = ZERO
    for board in range(first, last):
        count = U(hands.start[board + 1] - hands.start[board])
        base = U(hands.start[board]) * lines - start
        for copy in range(copies[board], copies[board + 1]):
            places = U(hands.copy_start[copy])
            for line in range(lines):
                to, source = U(s.out_value[line]) * m, base + U(line) * count
                for h in range(count):
                    w.values[to + U(hands.copy[places + h])] += result[source + h]


@kernel
def rivers(
    s: Street, first: int, last: int, queue: Queue, me: Side, them: Side, above: Above, how: Update, w: Work,
    result: Floats, start: np.uint64, kept: Floats,
) -> None:  # fmt: skip
    """Boards of the river below one board of the turn; ``kept [nodes, hands]``, if there, gets the values of nodes."""
    scale, lines = ONE / np.float32(44), U(len(s.root_value))
    board = first if len(queue) == 0 else take_number(queue)
    while board < last:
        m = U(me.hands.start[board + 1] - me.hands.start[board])
        for chunk in range(len(s.chunk) - 1):
            enter(s, chunk, board, me.hands, them.hands, above, scale, how, w)
            down(s, chunk, board, me, them, how, w)
            settle(s, chunk, board, me.hands, them.hands, w)
            up(s, chunk, board, me, how, w)
            leave(s, chunk, m, w, result, U(me.hands.start[board]) * lines - start)
            if len(kept) > 0:
                keep(s, chunk, m, w, kept)
        board = board + 1 if len(queue) == 0 else take_number(queue)


@kernel
def turns(
    s: Street, s5: Street, first: int, last: int, queue: Queue, children: NDArray[np.int32], copies: NDArray[np.int32],
    me: Side, them: Side, me5: Side, them5: Side, above: Above, how: Update, w: Work, w5: Work, room: Floats,
    result: Floats, kept: Floats,
) -> None:  # fmt: skip
    """Boards of the turn below the flop, each with all its rivers."""
    scale = ONE / np.float32(45)
    lines, lines5 = U(len(s.root_value)), U(len(s5.root_value))
    board = first if len(queue) == 0 else take_number(queue)
    while board < last:
        n = them.hands.start[board + 1] - them.hands.start[board]
        m = me.hands.start[board + 1] - me.hands.start[board]
        enter(s, FIRST, board, me.hands, them.hands, above, scale, how, w)
        down(s, FIRST, board, me, them, how, w)
        settle(s, FIRST, board, me.hands, them.hands, w)
        below, end = FIRST + children[board], FIRST + children[board + 1]
        start = U(me5.hands.start[below]) * lines5
        here = Above(s.out_own, s.out_other, m, n, w.own, w.other)
        rivers(s5, below, end, queue[:0], me5, them5, here, how, w5, room, start, kept[:0])
        collect(s, me5.hands, copies, below, end, U(m), room, start, w)
        up(s, FIRST, board, me, how, w)
        leave(s, FIRST, U(m), w, result, U(me.hands.start[board]) * lines)
        if len(kept) > 0:
            keep(s, FIRST, U(m), w, kept)
        board = board + 1 if len(queue) == 0 else take_number(queue)


@kernel
def look(s: Street, board: int, me: Side, them: Side, above: Above, how: Update, w: Work) -> None:
    """The reach on one board of the turn, without what follows."""
    enter(s, FIRST, board, me.hands, them.hands, above, ONE / np.float32(45), how, w)
    down(s, FIRST, board, me, them, how, w)


@kernel
def keep(s: Street, chunk: int, m: np.uint64, w: Work, kept: Floats) -> None:
    """Copy the values of a chunk's nodes to ``kept [nodes, hands]``."""
    for at in range(s.chunk[chunk], s.chunk[chunk + 1]):
        to, source = U(at) * m, U(s.value[at]) * m
        for h in range(m):
            kept[to + h] = w.values[source + h]


@kernel
def root_down(s: Street, me: Side, them: Side, how: Update, w: Work, own: Floats, other: Floats) -> None:
    """The first street of a spot, its leaves settled, up to the cards to come."""
    for h in range(U(len(other))):
        w.other[h] = other[h]
    for h in range(U(len(own))):
        w.own[h] = own[h]
    down(s, FIRST, FIRST, me, them, how, w)
    settle(s, FIRST, FIRST, me.hands, them.hands, w)


@kernel
def root_up(s: Street, me: Side, how: Update, w: Work, values: Floats, kept: Floats) -> None:
    """The first street of a spot, back to the value of each hand."""
    m = U(len(values))
    up(s, FIRST, FIRST, me, how, w)
    for h in range(m):
        values[h] = w.values[U(s.root_value[0]) * m + h]
    if len(kept) > 0:
        keep(s, FIRST, m, w, kept)


@kernel
def alone(
    streets: tuple[Street, Street], sides: tuple[Side, Side], works: tuple[Work, Work], own: tuple[Floats, Floats],
    reach: tuple[Floats, Floats], first: int, last: int, how: Update, updates: Floats,
    values: tuple[Floats, Floats], kept: Floats,
) -> None:  # fmt: skip
    """Passes over a spot of one street, as often as there are ``updates [n, 3]`` to regrets and averages.

    Those of the players from ``first`` to before ``last``, in turn.
    """
    for t in range(len(updates)):
        now = Update(how.mode, updates[t, 0], updates[t, 1], updates[t, 2], how.floor)
        for player in range(first, last):
            s, me, them, w = streets[player], sides[player], sides[1 - player], works[player]
            mine, theirs, found = own[player], reach[1 - player], values[player]
            for h in range(U(len(theirs))):
                w.other[h] = theirs[h]
            for h in range(U(len(mine))):
                w.own[h] = mine[h]
            down(s, FIRST, FIRST, me, them, now, w)
            settle(s, FIRST, FIRST, me.hands, them.hands, w)
            up(s, FIRST, FIRST, me, now, w)
            for h in range(U(len(found))):
                found[h] = w.values[U(s.root_value[0]) * U(len(found)) + h]
            if len(kept) > 0:
                keep(s, FIRST, U(len(found)), w, kept)
