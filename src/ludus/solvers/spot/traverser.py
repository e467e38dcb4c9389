"""Passes over the tree of a spot, on one or several threads.

The betting tree is the same on every board, so the public tree is the betting of each street times the boards of that
street. ``plan.py`` turns the betting into steps, ``boards.py`` lists the hands, ``sweeps.py`` runs the steps. Here the
work is shared out: each board of the second street is one task. Tasks write to places of their own and are added up in
order, so the result does not depend on the number of threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from ludus.solvers.leaf_values import LeafValues
from ludus.solvers.spot.frontier import Frontier
from ludus.solvers.spot.kernels.plan import PASS, Floats, plan_street
from ludus.solvers.spot.kernels.structures import (
    BEST,
    FOLLOW,
    LEARN,
    NOTHING,
    UNLOCKED,
    UNPACKED,
    Above,
    PackedTable,
    Side,
    Update,
    Work,
)
from ludus.solvers.spot.kernels.sweeps import Queue, alone, collect, look, rivers, root_down, root_up, turns
from ludus.solvers.spot.kernels.vectors import WIDTH, aligned, padded
from ludus.solvers.spot.layout import Layout, Stored, Tables
from ludus.trees.betting import FRONTIER, leaf_payoffs

NOBODY = np.zeros(0, np.int64)  # the queue where one thread works on all boards


class Traverser:
    """Runs passes over the tree of a spot, with whatever tables it is given."""

    def __init__(self, layout: Layout, workers: int = 1, leaf_values: LeafValues | None = None) -> None:
        self.layout = layout
        if (layout.tree.kind == FRONTIER).any() != (leaf_values is not None):
            raise ValueError("leaf values go with a spot that ends at a frontier, and only with one")
        spot, tree = layout.spot, layout.tree
        self.frontier = Frontier(spot, tree, layout.boards, leaf_values, workers) if leaf_values is not None else None
        self.locked: list[list[NDArray[np.uint8]]] = []  # by street, player; empty where nothing is locked
        payoffs = leaf_payoffs(spot, tree)
        self.streets = range(len(layout.boards))
        self.plans = [
            [plan_street(tree, payoffs, len(spot.board) + at, player) for player in (0, 1)] for at in self.streets
        ]
        root = layout.boards[0].hands
        self.own = [layout.ranges[player][root[player].combo].astype(np.float32) for player in (0, 1)]
        self.reach = [own.copy() for own in self.own]  # as the opponent sees it; ``own`` only weighs a hand's averages
        self._pool = ThreadPoolExecutor(workers) if workers > 1 and len(self.streets) > 1 else None
        self._workers = workers if self._pool else 1
        self._root = [self._room(0, player) for player in (0, 1)]
        self._rooms = [
            [[self._room(at, player) for at in self.streets[1:]] for player in (0, 1)] for _ in range(self._workers)
        ]
        self._results = [self._results_of(1, player, whole=True) for player in (0, 1)]
        self._rivers = [[self._results_of(2, player, whole=False) for player in (0, 1)] for _ in range(self._workers)]

    def _room(self, at: int, player: int) -> Work:
        """Rows for one thread on one street."""
        s, hands = self.plans[at][player], self.layout.boards[at].hands
        mine, theirs = (int(np.diff(hands[who].start).max()) for who in (player, 1 - player))
        lanes = int((2 * s.mixed + s.facing + s.shown + s.counted).max())
        results = int((s.mixed + 2 * s.facing + s.shown + s.counted).max())
        lanes, more = padded(lanes), padded(results) + WIDTH  # whole vectors are read and written
        slots, actions = int(s.slots.max()), int(np.diff(s.first).max())
        sizes = {
            "other": (slots + lanes) * theirs + WIDTH, "own": slots * mine, "turned": lanes * (theirs + WIDTH + 1),
            "out": more * padded(mine), "values": (int(s.values.max()) + WIDTH) * mine + WIDTH,
            "played": int(s.own_rows.max()) * mine, "cards": 53 * lanes + WIDTH, "weight": max(mine, theirs),
            "even": max(mine, theirs), "unpacked": actions * max(mine, theirs), "summed": actions * mine,
        }  # fmt: skip
        return Work(**{name: aligned(max(size, 1)) for name, size in sizes.items()})

    def _results_of(self, at: int, player: int, whole: bool) -> Floats:
        """Room for the values of a street's lines: on all its boards, or on those below one board."""
        if at >= len(self.streets):
            return np.zeros(1, np.float32)
        boards = self.layout.boards[at]
        start = boards.hands[player].start
        below = self.layout.boards[at - 1].children
        hands = int(start[-1]) if whole else int(np.diff(start[below]).max())
        return np.zeros(len(self.plans[at][player].root_value) * hands, np.float32)

    def learn(self, player: int, how: Update, regrets: Stored, sums: Stored) -> Floats:
        """One pass of CFR: the player's regrets and sums of strategies change. His hands' values."""
        return self._traverse(player, how, regrets, sums)

    def best_response(self, player: int, average: Tables | Stored) -> Floats:
        """What each of a player's hands wins when they play their best against an average strategy."""
        return self._traverse(player, looking(BEST), average, average)

    def follow(self, player: int, average: Tables | Stored) -> Floats:
        """What each of a player's hands wins when both play an average strategy."""
        return self._traverse(player, looking(FOLLOW), average, average)

    def node_values(self, player: int, average: Tables, at: int, board: int) -> tuple[NDArray[np.int32], Floats]:
        """The values of a player's hands at the decisions of a street on a board: nodes ``[n]``, values ``[n, hands]``.

        A value is what the hand wins from half the starting pot on, weighted by the reach of the opponent's hands and
        of the cards, when both play an average strategy.
        """
        plan, hands = self.plans[at][player], self.layout.boards[at].hands[player]
        kept = np.zeros(len(plan.who) * int(hands.start[board + 1] - hands.start[board]), np.float32)
        self._traverse(player, looking(FOLLOW), average, average, (at, board, kept))
        decisions = plan.who != PASS
        return plan.node[decisions], kept.reshape(len(plan.who), -1)[decisions]

    def frontier_values(self, player: int, average: Tables) -> tuple[NDArray[np.int32], Floats]:
        """The same at the leaves of the frontier."""
        assert self.frontier is not None
        side, how = self._sides(player, average, average)[0], looking(FOLLOW)
        root_down(self.plans[0][player], *side, how, self._root[player], self.own[player], self.reach[1 - player])
        return self.frontier.nodes, self._value_leaves(player, how, side)

    def settle(self, average: Tables | Stored) -> None:
        """Have the leaves of the frontier settle on the ranges of an average strategy."""
        assert self.frontier is not None
        sides, how = self._sides(0, average, average)[0], looking(FOLLOW)
        for player in (0, 1):
            side, other = sides[player], sides[1 - player]
            root_down(
                self.plans[0][player], side, other, how, self._root[player], self.own[player], self.reach[1 - player]
            )
        self.frontier.settle((self.plans[0][0], self.plans[0][1]), (self._root[0], self._root[1]))

    def _sides(self, player: int, regrets: Tables | Stored, sums: Tables | Stored) -> list[tuple[Side, Side]]:
        """Both players on every street, the given one first."""
        boards, rows = self.layout.boards, self.layout.rows

        def table(given: Floats | PackedTable) -> PackedTable:
            return given if isinstance(given, PackedTable) else PackedTable(given, UNPACKED, NOTHING)

        def side(at: int, who: int) -> Side:
            locked = self.locked[at][who] if self.locked else UNLOCKED
            return Side(boards[at].hands[who], rows[at][who], table(regrets[at][who]), table(sums[at][who]), locked)

        return [(side(at, player), side(at, 1 - player)) for at in self.streets]

    def _traverse(
        self, player: int, how: Update, regrets: Tables | Stored, sums: Tables | Stored,
        keep: tuple[int, int, Floats] | None = None,
    ) -> Floats:  # fmt: skip
        """One pass over the tree: what each of a player's hands wins, weighted by the opponent's reach.

        With ``keep`` (a street, a board and room) the values of the nodes there are kept, and no more is run for it.
        """
        if len(self.streets) == 1 and self.frontier is None:
            updates = np.array([how[1:4]], np.float32)
            return self._alone(range(player, player + 1), how, updates, regrets, sums, keep[2] if keep else NOTHING)
        sides, plans = self._sides(player, regrets, sums), [plans[player] for plans in self.plans]
        root, reach, boards = self._root[player], self.reach, self.layout.boards
        values = np.empty(len(reach[player]), np.float32)
        root_down(plans[0], *sides[0], how, root, self.own[player], reach[1 - player])
        if self.frontier is not None:
            self._value_leaves(player, how, sides[0])
        if len(self.streets) > 1:
            out = plans[0].out_own, plans[0].out_other
            above = Above(*out, len(reach[player]), len(reach[1 - player]), root.own, root.other)
            if keep and keep[0] > 0:
                self._keep(player, how, sides, above, *keep)
                return values
            second = boards[1]
            queue = np.zeros(1 if self._pool else 0, np.int64)

            def work(worker: int) -> None:
                self._second_street(worker, player, 0, len(second.cards), queue, sides, above, how, NOTHING)

            if self._pool:
                list(self._pool.map(work, range(self._workers)))
            else:
                work(0)
            collect(
                plans[0], second.hands[player], second.copies, 0, len(second.cards), np.uint64(above.mine),
                self._results[player], np.uint64(0), root,
            )  # fmt: skip
        root_up(plans[0], sides[0][0], how, root, values, keep[2] if keep else NOTHING)
        return values

    def _alone(
        self, players: range, how: Update, updates: Floats, regrets: Tables | Stored, sums: Tables | Stored,
        kept: Floats = NOTHING,
    ) -> Floats:  # fmt: skip
        """Passes of players over a spot of one street; what each hand of the last of them wins."""
        (plan, other_plan), (work, other_work) = self.plans[0], self._root
        (own, other_own), (reach, other_reach) = self.own, self.reach
        values = np.empty_like(own), np.empty_like(other_own)
        alone(
            (plan, other_plan), self._sides(0, regrets, sums)[0], (work, other_work), (own, other_own),
            (reach, other_reach), players.start, players.stop, how, updates, values, kept,
        )  # fmt: skip
        return values[players[-1]]

    def _value_leaves(self, player: int, how: Update, sides: tuple[Side, Side]) -> Floats:
        """Have the leaves of the frontier valued, for which the player's own reach is brought down to them as well."""
        passing = looking(how.mode if how.mode == LEARN else FOLLOW)._replace(average=np.float32(0))
        first, second = self.plans[0]
        root_down(
            self.plans[0][1 - player], sides[1], sides[0], passing, self._root[1 - player], self.own[1 - player],
            self.reach[player],
        )  # fmt: skip
        assert self.frontier is not None
        return self.frontier.fill(player, (first, second), (self._root[0], self._root[1]), settle=how.mode != LEARN)

    def _second_street(
        self, worker: int, player: int, first: int, last: int, queue: Queue, sides: list[tuple[Side, Side]],
        above: Above, how: Update, kept: Floats,
    ) -> None:  # fmt: skip
        """Boards of the second street with all that follows, each by the first thread that is free."""
        plans, boards = [plans[player] for plans in self.plans], self.layout.boards
        rooms, results = self._rooms[worker][player], self._results[player]
        if len(self.streets) == 2:
            rivers(plans[1], first, last, queue, *sides[1], above, how, rooms[0], results, np.uint64(0), kept)
        else:
            turns(
                plans[1], plans[2], first, last, queue, boards[1].children, boards[2].copies, *sides[1], *sides[2],
                above, how, rooms[0], rooms[1], self._rivers[worker][player], results, kept,
            )  # fmt: skip

    def _keep(
        self, player: int, how: Update, sides: list[tuple[Side, Side]], above: Above, at: int, board: int, kept: Floats
    ) -> None:
        """Keep the values of nodes on a board of a later street."""
        if at == 1:
            self._second_street(0, player, board, board + 1, NOBODY, sides, above, how, kept)
            return
        rooms, parent = self._rooms[0][player], int(self.layout.boards[2].parent[board])
        look(self.plans[1][player], parent, *sides[1], above, how, rooms[0])
        mine, theirs = (int(np.diff(side.hands.start)[parent]) for side in sides[1])
        plan = self.plans[1][player]
        turn = Above(plan.out_own, plan.out_other, mine, theirs, rooms[0].own, rooms[0].other)
        start = sides[2][0].hands.start[board] * len(self.plans[2][player].root_value)
        rivers(
            self.plans[2][player], board, board + 1, NOBODY, *sides[2], turn, how, rooms[1], self._rivers[0][player],
            np.uint64(start), kept,
        )  # fmt: skip


def looking(mode: int) -> Update:
    """A pass that changes nothing."""
    return Update(mode, np.float32(1), np.float32(1), np.float32(1), np.float32(0))
