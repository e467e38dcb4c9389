"""Down and up a street: one chunk of one board, every row a vector over hands.

``down`` turns tables into strategies and carries reach to the leaves, `leaves.settle` works out what
the leaves pay, ``up`` carries values back and updates regrets.
"""

from __future__ import annotations

import numpy as np

from ludus.compiled import kernel
from ludus.solvers.spot.kernels.plan import OTHER, OWN, Street
from ludus.solvers.spot.kernels.structures import BEST, LEARN, NO, ONE, TINY, ZERO, Side, U, Update, Work, pack, unpack


@kernel
def down(s: Street, chunk: int, board: int, me: Side, them: Side, how: Update, w: Work) -> None:
    """From the lines' reach to the reach of every node, the lanes and the learner's strategy; averages grow here."""
    n = U(them.hands.start[board + 1] - them.hands.start[board])
    m = U(me.hands.start[board + 1] - me.hands.start[board])
    their_at, my_at = U(them.rows) * U(them.hands.start[board]), U(me.rows) * U(me.hands.start[board])
    reach, own, played, weight, even = w.other, w.own, w.played, w.weight, w.even
    lanes = U(s.slots[chunk])  # lanes lie behind the rows of reach
    packed, learn = len(me.sums.packed) > 0, how.mode == LEARN
    their_table, my_table = (them.regrets, me.regrets) if learn else (them.sums, me.sums)
    mixing, locks = how.mode != BEST or len(me.locked) > 0, len(me.locked) > 0
    average, averaging = how.average, learn and how.average > ZERO
    for at in range(s.chunk[chunk], s.chunk[chunk + 1]):
        theirs, mine = U(s.other_slot[at]) * n, U(s.own_slot[at]) * m
        first, last = s.first[at], s.first[at + 1]
        other = s.who[at] == OTHER
        if not other:
            for e in range(first, last):  # where the learner acts last
                if s.lane[e] >= 0:
                    to, stake = (lanes + U(s.lane[e])) * n, s.stake[e]
                    for h in range(n):
                        reach[to + h] = reach[theirs + h] * stake
            if s.who[at] != OWN or not mixing:
                continue
        # regret matching: the strategy is max(row, 0) * weight + even, the reach of the opponent included
        count, actions = n if other else m, U(last - first)
        entry = (their_at if other else my_at) + U(s.row[at]) * count
        index = U(them.rows if other else me.rows) * U(board) + U(s.row[at])
        source, table = their_table.plain if other else my_table.plain, entry
        if packed:
            unpack(their_table if other else my_table, entry, index, actions, count, w.unpacked)
            source, table = w.unpacked, NO
        second, share = table + count, ONE / np.float32(actions)
        mix = U(s.row[at] - s.own_row[chunk]) * m if not other else NO
        if actions == U(2):  # the usual case in one loop
            if other:
                to, stake = (U(s.slot[first]) if s.slot[first] >= 0 else lanes + U(s.lane[first])) * n, s.stake[first]
                e = first + 1
                then, last_stake = (U(s.slot[e]) if s.slot[e] >= 0 else lanes + U(s.lane[e])) * n, s.stake[e]
                for h in range(n):
                    x, y, now = source[table + h], source[second + h], reach[theirs + h]
                    x, y = x if x > ZERO else ZERO, y if y > ZERO else ZERO
                    total = x + y
                    scale = now / total if total > TINY else ZERO
                    rest = ZERO if total > TINY else now * share
                    reach[to + h] = (x * scale + rest) * stake
                    reach[then + h] = (y * scale + rest) * last_stake
                continue
            then = mix + m
            for h in range(m):
                x, y = source[table + h], source[second + h]
                x, y = x if x > ZERO else ZERO, y if y > ZERO else ZERO
                total = x + y
                scale = ONE / total if total > TINY else ZERO
                rest = ZERO if total > TINY else share
                played[mix + h] = x * scale + rest
                played[then + h] = y * scale + rest
        else:
            for h in range(count):
                x = source[table + h]
                weight[h] = x if x > ZERO else ZERO
            for a in range(U(1), actions):
                row = table + a * count
                for h in range(count):
                    x = source[row + h]
                    weight[h] += x if x > ZERO else ZERO
            for h in range(count):
                total, now = weight[h], reach[theirs + h] if other else ONE
                weight[h] = now / total if total > TINY else ZERO
                even[h] = ZERO if total > TINY else now * share
            if other:
                for e in range(first, last):
                    row = table + U(e - first) * n
                    to, stake = (U(s.slot[e]) if s.slot[e] >= 0 else lanes + U(s.lane[e])) * n, s.stake[e]
                    for h in range(n):
                        x = source[row + h]
                        reach[to + h] = ((x if x > ZERO else ZERO) * weight[h] + even[h]) * stake
                continue
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
            row, mixed = table + U(e - first) * m, mix + U(e - first) * m
            if locks:
                for h in range(m):
                    if me.locked[entry + h] == 0:
                        sums[row + h] = (sums[row + h] + own[mine + h] * played[mixed + h]) * average
            else:
                for h in range(m):
                    sums[row + h] = (sums[row + h] + own[mine + h] * played[mixed + h]) * average
            if s.slot[e] >= 0:
                to = U(s.slot[e]) * m
                for h in range(m):
                    own[to + h] = own[mine + h] * played[mixed + h]
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
        if how.mode == LEARN and actions == U(2) and not packed and not locks:  # the usual case in one loop
            second, other_entry = U(s.result[first + 1]) * m, entry + m
            regrets = me.regrets.plain
            for h in range(m):
                x, y = values[row + h], values[second + h]
                now = x * played[mix + h] + y * played[mix + m + h]
                values[here + h] = now
                x, y = regrets[entry + h] + (x - now), regrets[other_entry + h] + (y - now)
                x, y = x if x > floor else floor, y if y > floor else floor
                regrets[entry + h] = x * (positive if x > TINY else negative if x < -TINY else ZERO)
                regrets[other_entry + h] = y * (positive if y > TINY else negative if y < -TINY else ZERO)
            continue
        for h in range(m):
            values[here + h] = values[row + h] * played[mix + h]
        for e in range(first + 1, last):
            row, mixed = U(s.result[e]) * m, mix + U(e - first) * m
            for h in range(m):
                values[here + h] += values[row + h] * played[mixed + h]
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
