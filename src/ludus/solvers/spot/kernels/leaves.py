"""What leaves pay: all folds and showdowns of a chunk in one sweep over the hands."""

from __future__ import annotations

import numpy as np

from ludus.compiled import kernel
from ludus.solvers.spot.boards import Hands
from ludus.solvers.spot.kernels.plan import Floats, Street
from ludus.solvers.spot.kernels.structures import CARDS, NO, ZERO, U, Work
from ludus.solvers.spot.kernels.vectors import WIDTH, load, store, transpose

STEP = U(WIDTH)


@kernel
def settle(s: Street, chunk: int, board: int, mine: Hands, theirs: Hands, w: Work) -> None:
    """Fill the value rows of a chunk's lanes.

    With P(h) for a sum over the opponent's hands that share no card with h, a fold lane's result is P of all, and a
    showdown lane's is P of the weaker less P of the stronger. The hands of both players come in one order of strength,
    so that what has been added up so far is stronger: the result is P of all less P of the stronger less P of the not
    weaker, read before and after the equals are added. The lanes of a hand lie side by side, so all lanes are
    worked on at once, in vectors. The last vector of a kind of lanes reaches into the next kind, whose results are
    written later: facing, shown, mixed, the folds of facing, counted.
    """
    mixed, facing, counted = U(s.mixed[chunk]), U(s.facing[chunk]), U(s.counted[chunk])
    showdowns = mixed + facing + U(s.shown[chunk])
    lanes, results = showdowns + mixed + counted, showdowns + facing + counted
    if lanes == NO:
        return
    k, row = (lanes + STEP - U(1)) // STEP * STEP, (results + STEP - U(1)) // STEP * STEP + STEP
    n, m = U(theirs.start[board + 1] - theirs.start[board]), U(mine.start[board + 1] - mine.start[board])
    their_at, my_at = U(theirs.start[board]), U(mine.start[board])
    turned, out, cards = w.turned, w.out, w.cards
    turn(w.other, U(s.slots[chunk]) * n, lanes, n, n, turned, k)
    for c in range((CARDS + U(1)) * k):
        cards[c] = ZERO
    for lane in range(k):  # a hand that nobody holds
        turned[n * k + lane] = ZERO
    total = CARDS * k
    j = i = NO
    while i < m and showdowns > NO:
        rank = mine.rank[my_at + i]
        end = i
        while j < n and theirs.rank[their_at + j] < rank:
            x, a, b = j * k, U(theirs.low[their_at + j]) * k, U(theirs.high[their_at + j]) * k
            for v in range(NO, k, STEP):
                now = load(turned, x + v)
                store(cards, total + v, load(cards, total + v) + now)
                store(cards, a + v, load(cards, a + v) + now)
                store(cards, b + v, load(cards, b + v) + now)
            j += U(1)
        while end < m and mine.rank[my_at + end] == rank:
            to, a, b = end * row, U(mine.low[my_at + end]) * k, U(mine.high[my_at + end]) * k
            for v in range(NO, showdowns, STEP):
                store(out, to + v, load(cards, a + v) + load(cards, b + v) - load(cards, total + v))
            end += U(1)
        while j < n and theirs.rank[their_at + j] == rank:
            x, a, b = j * k, U(theirs.low[their_at + j]) * k, U(theirs.high[their_at + j]) * k
            for v in range(NO, k, STEP):
                now = load(turned, x + v)
                store(cards, total + v, load(cards, total + v) + now)
                store(cards, a + v, load(cards, a + v) + now)
                store(cards, b + v, load(cards, b + v) + now)
            j += U(1)
        for at in range(i, end):
            to, a, b = at * row, U(mine.low[my_at + at]) * k, U(mine.high[my_at + at]) * k
            for v in range(NO, showdowns, STEP):
                found = load(cards, a + v) + load(cards, b + v) - load(cards, total + v)
                store(out, to + v, load(out, to + v) + found)
        i = end
    while j < n:
        x, a, b = j * k, U(theirs.low[their_at + j]) * k, U(theirs.high[their_at + j]) * k
        for v in range(NO, k, STEP):
            now = load(turned, x + v)
            store(cards, total + v, load(cards, total + v) + now)
            store(cards, a + v, load(cards, a + v) + now)
            store(cards, b + v, load(cards, b + v) + now)
        j += U(1)
    rake, raked = U(s.rake_at[chunk]), False
    for lane in range(showdowns):
        raked |= s.rake[rake + lane] != ZERO
    folds = U(s.fold_at[chunk])
    for at in range(m):
        to, a, b = at * row, U(mine.low[my_at + at]) * k, U(mine.high[my_at + at]) * k
        same = (U(mine.same[my_at + at]) if mine.same[my_at + at] >= 0 else n) * k  # it was taken off twice
        for v in range(NO, showdowns, STEP):
            met = load(cards, total + v) - load(cards, a + v) - load(cards, b + v)
            found = load(out, to + v) + met
            if raked:
                found = found + (met + load(turned, same + v)) * load(s.rake, rake + v)
            store(out, to + v, found)
        here = to + showdowns - mixed
        for v in range(showdowns, showdowns + mixed, STEP):
            met = load(cards, total + v) - load(cards, a + v) - load(cards, b + v) + load(turned, same + v)
            store(out, here + v - showdowns, load(out, here + v - showdowns) + met)
        here = to + showdowns
        for v in range(NO, facing, STEP):
            met = load(cards, total + v) - load(cards, a + v) - load(cards, b + v) + load(turned, same + v)
            store(out, here + v, met * load(s.fold, folds + v))
        here = to + showdowns + facing
        for v in range(NO, counted, STEP):
            x = showdowns + mixed + v
            met = load(cards, total + x) - load(cards, a + x) - load(cards, b + x) + load(turned, same + x)
            store(out, here + v, met)
    turn(out, NO, m, results, row, w.values, m)


@kernel
def turn(
    table: Floats,
    start: np.uint64,
    rows: np.uint64,
    columns: np.uint64,
    step: np.uint64,
    out: Floats,
    out_step: np.uint64,
) -> None:
    """Transpose a table [rows, columns] that starts somewhere in an array; rows are so far apart before and after.

    Whole blocks are written, so each row of the result may be some floats too long, and there may be some rows too
    many. What is written over is written later.
    """
    for c in range(NO, columns, STEP):
        for back in range(STEP - U(1), rows + STEP - U(1), STEP):
            r = (rows + STEP - U(1)) // STEP * STEP - back - U(1)
            transpose(table, start + r * step + c, step, out, c * out_step + r, out_step)
