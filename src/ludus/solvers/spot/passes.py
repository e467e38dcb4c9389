"""The kernels: one street of one board at a time, every row a vector over hands.

``down`` turns tables into strategies and carries reach to the leaves, ``settle`` works out what the leaves pay, ``up``
carries values back and updates regrets. All of them work on one chunk of a `Street` and on rows in a `Work`, which
belongs to one thread.

Tables (regrets, sums of strategies) hold, for each board in turn, rows over the hands alive there: row r of board b
starts at ``rows * start[b] + r * hands``. They are float32, or 16-bit integers with a scale for each row; the latter
are unpacked to rows of a `Work` where they are used.

Indices are unsigned throughout and constants are float32: both decide whether a loop becomes vector instructions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.solvers.spot.boards import Hands
from ludus.solvers.spot.plan import OTHER, OWN, Floats, Street

LEARN, BEST, FOLLOW = 0, 1, 2
"""What the player whose values are asked for does: regret matching and learning from it, his best, or his average."""

U = np.uint64
FIRST = np.int64(0)  # a chunk or board, typed so that kernels are compiled only once
NO, ZERO, ONE, HALF = U(0), np.float32(0), np.float32(1), np.float32(0.5)
CARDS = U(52)
LARGEST = np.float32(32767)
TINY = np.float32(1e-30)  # numbers below count as nothing: their inverses overflow, and they are slow to work with


class Table(NamedTuple):
    """Rows of floats; either ``plain`` or ``packed`` with ``scale`` holds them, the other is empty."""

    plain: Floats
    packed: NDArray[np.int16]
    scale: Floats  # one for each row of each board


class Side(NamedTuple):
    """One player on one street."""

    hands: Hands
    rows: int  # of his tables on a board
    regrets: Table
    sums: Table
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

    other: Floats  # reach of the opponent's hands, a row a slot
    own: Floats  # reach of the learner's hands
    lanes: Floats  # a row a lane
    turned: Floats  # the same, a row a hand, and one of zeros
    out: Floats  # results, a row a hand
    values: Floats  # a row a value, those of the lanes first
    played: Floats  # the learner's strategy, a row an action
    cards: Floats  # [53] rows of lanes: sums over the hands with a card, then over all
    unpacked: Floats  # the rows of one node
    summed: Floats
    weight: Floats  # two rows over hands
    even: Floats


class Above(NamedTuple):
    """The street that lines come from, on the board that the cards are added to."""

    street: Street
    mine: int  # hands there
    his: int
    own: Floats  # reach rows
    other: Floats


@kernel
def unpack(table: Table, at: np.uint64, row: np.uint64, rows: np.uint64, n: np.uint64, out: Floats) -> None:
    """Rows of a packed table, the first of which has an index among all rows, as floats."""
    packed = table.packed
    for r in range(rows):
        scale, start, to = table.scale[row + r], at + r * n, r * n
        for h in range(n):
            out[to + h] = np.float32(packed[start + h]) * scale


@kernel
def pack(rows_of: Floats, rows: np.uint64, n: np.uint64, table: Table, at: np.uint64, row: np.uint64) -> None:
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


@kernel
def down(s: Street, chunk: int, board: int, me: Side, he: Side, how: Update, w: Work) -> None:
    """From the lines' reach to the reach of every node, the lanes and the learner's strategy; averages grow here."""
    n = U(he.hands.start[board + 1] - he.hands.start[board])
    m = U(me.hands.start[board + 1] - me.hands.start[board])
    his_at, my_at = U(he.rows) * U(he.hands.start[board]), U(me.rows) * U(me.hands.start[board])
    reach, own, lanes, played, weight, even = w.other, w.own, w.lanes, w.played, w.weight, w.even
    packed, learn = len(me.sums.packed) > 0, how.mode == LEARN
    his_table, my_table = (he.regrets, me.regrets) if learn else (he.sums, me.sums)
    mixing, locks = how.mode != BEST or len(me.locked) > 0, len(me.locked) > 0
    average, averaging = how.average, learn and how.average > ZERO
    for at in range(s.chunk[chunk], s.chunk[chunk + 1]):
        his, mine = U(s.other_slot[at]) * n, U(s.own_slot[at]) * m
        first, last = s.first[at], s.first[at + 1]
        other = s.who[at] == OTHER
        if not other:
            for e in range(first, last):  # where the learner acts last
                if s.lane[e] >= 0:
                    to, stake = U(s.lane[e]) * n, s.stake[e]
                    for h in range(n):
                        lanes[to + h] = reach[his + h] * stake
            if s.who[at] != OWN or not mixing:
                continue
        # regret matching: the strategy is max(row, 0) * weight + even
        count, actions = n if other else m, U(last - first)
        entry = (his_at if other else my_at) + U(s.row[at]) * count
        index = U(he.rows if other else me.rows) * U(board) + U(s.row[at])
        source, table = his_table.plain if other else my_table.plain, entry
        if packed:
            unpack(his_table if other else my_table, entry, index, actions, count, w.unpacked)
            source, table = w.unpacked, NO
        second = table + count
        if actions == U(1):
            for h in range(count):
                x = source[table + h]
                weight[h] = x if x > ZERO else ZERO
        else:
            for h in range(count):
                x, y = source[table + h], source[second + h]
                weight[h] = (x if x > ZERO else ZERO) + (y if y > ZERO else ZERO)
        for a in range(U(2), actions):
            row = table + a * count
            for h in range(count):
                x = source[row + h]
                weight[h] += x if x > ZERO else ZERO
        share = ONE / np.float32(actions)
        if other:
            for h in range(n):
                total, now = weight[h], reach[his + h]
                weight[h] = now / total if total > TINY else ZERO
                even[h] = ZERO if total > TINY else now * share
            for e in range(first, last):
                row = table + U(e - first) * n
                if s.slot[e] >= 0:
                    to = U(s.slot[e]) * n
                    for h in range(n):
                        x = source[row + h]
                        reach[to + h] = (x if x > ZERO else ZERO) * weight[h] + even[h]
                else:
                    to, stake = U(s.lane[e]) * n, s.stake[e]
                    for h in range(n):
                        x = source[row + h]
                        lanes[to + h] = ((x if x > ZERO else ZERO) * weight[h] + even[h]) * stake
            continue
        mix = U(s.row[at] - s.own_row[chunk]) * m
        for h in range(m):
            total = weight[h]
            weight[h] = ONE / total if total > TINY else ZERO
            even[h] = ZERO if total > TINY else share
        for a in range(actions):
            row, to = table + a * m, mix + a * m
            for h in range(m):
                x = source[row + h]
                played[to + h] = (x if x > ZERO else ZERO) * weight[h] + even[h]
        if not averaging:
            continue
        sums, table = me.sums.plain, entry
        if packed:
            unpack(me.sums, entry, index, actions, m, w.summed)
            sums, table = w.summed, NO
        for e in range(first, last):
            row, now = table + U(e - first) * m, mix + U(e - first) * m
            if locks:
                for h in range(m):
                    if me.locked[entry + h] == 0:
                        sums[row + h] = (sums[row + h] + own[mine + h] * played[now + h]) * average
            else:
                for h in range(m):
                    sums[row + h] = (sums[row + h] + own[mine + h] * played[now + h]) * average
            if s.slot[e] >= 0:
                to = U(s.slot[e]) * m
                for h in range(m):
                    own[to + h] = own[mine + h] * played[now + h]
        if packed:
            pack(w.summed, actions, m, me.sums, entry, index)


@kernel
def up(s: Street, chunk: int, board: int, me: Side, how: Update, w: Work) -> None:
    """From the values of leaves and of cards to come to the values of all nodes; regrets change here."""
    m = U(me.hands.start[board + 1] - me.hands.start[board])
    my_at = U(me.rows) * U(me.hands.start[board])
    values, played = w.values, w.played
    packed, locks = len(me.regrets.packed) > 0, len(me.locked) > 0
    positive, negative, floor = how.positive, how.negative, how.floor
    results = s.mixed[chunk] + 2 * s.facing[chunk] + s.shown[chunk] + s.counted[chunk]
    for back in range(s.chunk[chunk + 1] - s.chunk[chunk]):
        at = s.chunk[chunk + 1] - 1 - back
        here = U(s.value[at]) * m
        first, last = s.first[at], s.first[at + 1]
        if s.who[at] == OTHER:
            fresh = s.value[at] >= results
            for e in range(first, last):
                if s.result[e] >= 0:
                    row = U(s.result[e]) * m
                    if fresh:
                        for h in range(m):
                            values[here + h] = values[row + h]
                    else:
                        for h in range(m):
                            values[here + h] += values[row + h]
                    fresh = False
            continue
        if s.who[at] != OWN:
            continue
        entry, actions = my_at + U(s.row[at]) * m, U(last - first)
        mix, row = U(s.row[at] - s.own_row[chunk]) * m, U(s.result[first]) * m
        if how.mode == BEST:
            for h in range(m):
                values[here + h] = values[row + h]
            for e in range(first + 1, last):
                row = U(s.result[e]) * m
                for h in range(m):
                    x, y = values[row + h], values[here + h]
                    values[here + h] = x if x > y else y
            if locks:
                for h in range(m):
                    if me.locked[entry + h]:
                        total = ZERO
                        for e in range(first, last):
                            total += values[U(s.result[e]) * m + h] * played[mix + U(e - first) * m + h]
                        values[here + h] = total
            continue
        if actions == U(1):
            for h in range(m):
                values[here + h] = values[row + h]
        else:
            second = U(s.result[first + 1]) * m
            for h in range(m):
                values[here + h] = values[row + h] * played[mix + h] + values[second + h] * played[mix + m + h]
        for e in range(first + 2, last):
            row, now = U(s.result[e]) * m, mix + U(e - first) * m
            for h in range(m):
                values[here + h] += values[row + h] * played[now + h]
        if how.mode != LEARN:
            continue
        regrets, table, index = me.regrets.plain, entry, U(me.rows) * U(board) + U(s.row[at])
        if packed:
            unpack(me.regrets, entry, index, actions, m, w.unpacked)
            regrets, table = w.unpacked, NO
        for e in range(first, last):
            row, to = U(s.result[e]) * m, table + U(e - first) * m
            if locks:
                for h in range(m):
                    x = regrets[to + h] + (values[row + h] - values[here + h])
                    x = x if x > floor else floor
                    if me.locked[entry + h] == 0:
                        regrets[to + h] = x * (positive if x > TINY else negative if x < -TINY else ZERO)
            else:
                for h in range(m):
                    x = regrets[to + h] + (values[row + h] - values[here + h])
                    x = x if x > floor else floor
                    regrets[to + h] = x * (positive if x > TINY else negative if x < -TINY else ZERO)
        if packed:
            pack(w.unpacked, actions, m, me.regrets, entry, index)


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
    turn(w.lanes, k, n, turned)
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
    turn(out, m, results, w.values)


@kernel
def turn(table: Floats, rows: np.uint64, columns: np.uint64, out: Floats) -> None:
    """Transpose a table [rows, columns]."""
    tile = U(16)
    for r in range(NO, rows, tile):
        r_end = min(r + tile, rows)
        for c in range(columns):
            for x in range(r, r_end):
                out[c * rows + x] = table[x * columns + c]


@kernel
def enter(
    s: Street, chunk: int, board: int, mine: Hands, his: Hands, above: Above, scale: np.float32, how: Update, w: Work
) -> None:
    """Bring the reach of a chunk's lines from the street above; ``scale`` is the probability of the card."""
    n, m = U(his.start[board + 1] - his.start[board]), U(mine.start[board + 1] - mine.start[board])
    his_at, my_at = U(his.start[board]), U(mine.start[board])
    for line in range(s.line[chunk], s.line[chunk + 1]):
        to, source = U(s.root_other[line]) * n, U(above.street.out_other[line]) * U(above.his)
        for h in range(n):
            w.other[to + h] = above.other[source + U(his.above[his_at + h])] * scale
        if how.mode == LEARN and how.average > ZERO:
            to, source = U(s.root_own[line]) * m, U(above.street.out_own[line]) * U(above.mine)
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
    s: Street, first: int, last: int, me: Side, he: Side, above: Above, how: Update, w: Work,
    result: Floats, start: np.uint64, kept: Floats,
) -> None:  # fmt: skip
    """Boards of the river below one board of the turn; ``kept [nodes, hands]``, if there, gets the values of nodes."""
    scale, lines = ONE / np.float32(44), U(len(s.root_value))
    for board in range(first, last):
        m = U(me.hands.start[board + 1] - me.hands.start[board])
        for chunk in range(len(s.chunk) - 1):
            enter(s, chunk, board, me.hands, he.hands, above, scale, how, w)
            down(s, chunk, board, me, he, how, w)
            settle(s, chunk, board, me.hands, he.hands, w)
            up(s, chunk, board, me, how, w)
            leave(s, chunk, m, w, result, U(me.hands.start[board]) * lines - start)
            if len(kept) > 0:
                keep(s, chunk, m, w, kept)


@kernel
def turns(
    s: Street, s5: Street, first: int, last: int, children: NDArray[np.int32], copies: NDArray[np.int32],
    me: Side, he: Side, me5: Side, he5: Side, above: Above, how: Update, w: Work, w5: Work, room: Floats,
    result: Floats, kept: Floats,
) -> None:  # fmt: skip
    """Boards of the turn below the flop, each with all its rivers."""
    scale = ONE / np.float32(45)
    lines, lines5 = U(len(s.root_value)), U(len(s5.root_value))
    for board in range(first, last):
        n = he.hands.start[board + 1] - he.hands.start[board]
        m = me.hands.start[board + 1] - me.hands.start[board]
        enter(s, FIRST, board, me.hands, he.hands, above, scale, how, w)
        down(s, FIRST, board, me, he, how, w)
        below, end = np.int64(children[board]), np.int64(children[board + 1])
        start = U(me5.hands.start[below]) * lines5
        here = Above(s, m, n, w.own, w.other)
        rivers(s5, below, end, me5, he5, here, how, w5, room, start, kept[:0])
        collect(s, me5.hands, copies, below, end, U(m), room, start, w)
        settle(s, FIRST, board, me.hands, he.hands, w)
        up(s, FIRST, board, me, how, w)
        leave(s, FIRST, U(m), w, result, U(me.hands.start[board]) * lines)
        if len(kept) > 0:
            keep(s, FIRST, U(m), w, kept)


@kernel
def look(s: Street, board: int, me: Side, he: Side, above: Above, how: Update, w: Work) -> None:
    """The reach on one board of the turn, without what follows."""
    enter(s, FIRST, board, me.hands, he.hands, above, ONE / np.float32(45), how, w)
    down(s, FIRST, board, me, he, how, w)


@kernel
def keep(s: Street, chunk: int, m: np.uint64, w: Work, kept: Floats) -> None:
    """Copy the values of a chunk's nodes to ``kept [nodes, hands]``."""
    for at in range(s.chunk[chunk], s.chunk[chunk + 1]):
        to, source = U(at) * m, U(s.value[at]) * m
        for h in range(m):
            kept[to + h] = w.values[source + h]


@kernel
def root_down(s: Street, me: Side, he: Side, how: Update, w: Work, own: Floats, other: Floats) -> None:
    """The first street of a spot, up to its leaves and cards to come."""
    for h in range(U(len(other))):
        w.other[h] = other[h]
    for h in range(U(len(own))):
        w.own[h] = own[h]
    down(s, FIRST, FIRST, me, he, how, w)


@kernel
def root_up(s: Street, me: Side, he: Side, how: Update, w: Work, values: Floats, kept: Floats) -> None:
    """The first street of a spot, back to the value of each hand."""
    m = U(len(values))
    settle(s, FIRST, FIRST, me.hands, he.hands, w)
    up(s, FIRST, FIRST, me, how, w)
    for h in range(m):
        values[h] = w.values[U(s.root_value[0]) * m + h]
    if len(kept) > 0:
        keep(s, FIRST, m, w, kept)
