"""What leaves pay: all folds and showdowns of a chunk in one sweep over the hands."""

from __future__ import annotations

import numpy as np

from ludus.compiled import kernel
from ludus.solvers.spot.boards import Hands
from ludus.solvers.spot.plan import Floats, Street
from ludus.solvers.spot.rows import CARDS, NO, ZERO, U, Work


@kernel
def settle(s: Street, chunk: int, board: int, mine: Hands, his: Hands, w: Work) -> None:
    """Fill the value rows of a chunk's lanes.

    With P(h) for a sum over the opponent's hands that share no card with h, a fold lane's result is P of all, and a
    showdown lane's is P of the weaker less P of the stronger. The hands of both players come in one order of strength,
    so that what has been added up so far is stronger: the result is P of all less P of the stronger less P of the not
    weaker, read before and after the equals are added. The lanes of a hand lie side by side, so all lanes are
    worked on at once.
    """
    mixed, facing = U(s.mixed[chunk]), U(s.facing[chunk])
    showdowns, counted = mixed + facing + U(s.shown[chunk]), U(s.counted[chunk])
    k, results = showdowns + mixed + counted, showdowns + facing + counted
    if k == NO:
        return
    n, m = U(his.start[board + 1] - his.start[board]), U(mine.start[board + 1] - mine.start[board])
    his_at, my_at = U(his.start[board]), U(mine.start[board])
    turned, out, cards = w.turned, w.out, w.cards
    turn(w.other, U(s.slots[chunk]) * n, k, n, turned)
    for c in range((CARDS + U(1)) * k):
        cards[c] = ZERO
    for lane in range(k):  # a hand that nobody holds
        turned[n * k + lane] = ZERO
    total = CARDS * k
    j = i = NO
    while i < m and showdowns > NO:
        rank = mine.rank[my_at + i]
        end = i
        while j < n and his.rank[his_at + j] < rank:
            x, a, b = j * k, U(his.low[his_at + j]) * k, U(his.high[his_at + j]) * k
            for lane in range(k):
                now = turned[x + lane]
                cards[total + lane] += now
                cards[a + lane] += now
                cards[b + lane] += now
            j += U(1)
        while end < m and mine.rank[my_at + end] == rank:
            to, a, b = end * results, U(mine.low[my_at + end]) * k, U(mine.high[my_at + end]) * k
            for lane in range(showdowns):
                out[to + lane] = cards[a + lane] + cards[b + lane] - cards[total + lane]
            end += U(1)
        while j < n and his.rank[his_at + j] == rank:
            x, a, b = j * k, U(his.low[his_at + j]) * k, U(his.high[his_at + j]) * k
            for lane in range(k):
                now = turned[x + lane]
                cards[total + lane] += now
                cards[a + lane] += now
                cards[b + lane] += now
            j += U(1)
        for at in range(i, end):
            to, a, b = at * results, U(mine.low[my_at + at]) * k, U(mine.high[my_at + at]) * k
            for lane in range(showdowns):
                out[to + lane] += cards[a + lane] + cards[b + lane] - cards[total + lane]
        i = end
    while j < n:
        x, a, b = j * k, U(his.low[his_at + j]) * k, U(his.high[his_at + j]) * k
        for lane in range(k):
            now = turned[x + lane]
            cards[total + lane] += now
            cards[a + lane] += now
            cards[b + lane] += now
        j += U(1)
    rake, raked = U(s.rake_at[chunk]), False
    for lane in range(showdowns):
        raked |= s.rake[rake + lane] != ZERO
    folds = U(s.fold_at[chunk])
    for at in range(m):
        to, a, b = at * results, U(mine.low[my_at + at]) * k, U(mine.high[my_at + at]) * k
        same = (U(mine.same[my_at + at]) if mine.same[my_at + at] >= 0 else n) * k  # it was taken off twice
        for lane in range(showdowns):
            out[to + lane] += cards[total + lane] - cards[a + lane] - cards[b + lane]
        if raked:
            for lane in range(showdowns):
                met = cards[total + lane] - cards[a + lane] - cards[b + lane] + turned[same + lane]
                out[to + lane] += met * s.rake[rake + lane]
        for lane in range(showdowns, showdowns + mixed):
            met = cards[total + lane] - cards[a + lane] - cards[b + lane] + turned[same + lane]
            out[to + lane - showdowns] += met
        fold = folds - mixed
        for lane in range(mixed, mixed + facing):
            met = cards[total + lane] - cards[a + lane] - cards[b + lane] + turned[same + lane]
            out[to + showdowns - mixed + lane] = met * s.fold[fold + lane]
        for lane in range(showdowns + mixed, k):
            met = cards[total + lane] - cards[a + lane] - cards[b + lane] + turned[same + lane]
            out[to + facing - mixed + lane] = met
    turn(out, NO, m, results, w.values)


@kernel
def turn(table: Floats, start: np.uint64, rows: np.uint64, columns: np.uint64, out: Floats) -> None:
    """Transpose a table [rows, columns] that starts somewhere in an array."""
    tile = U(16)
    for r in range(NO, rows, tile):
        r_end = min(r + tile, rows)
        for c in range(columns):
            for x in range(r, r_end):
                out[c * rows + x] = table[start + x * columns + c]
