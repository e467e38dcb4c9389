"""The solver of hold'em spots: CFR in vector form over the public tree, on one or several threads.

The betting tree is the same on every board, so the public tree is the betting of each street times the boards of that
street. ``plan.py`` turns the betting into steps, ``boards.py`` lists the hands, ``sweeps.py`` runs the steps. Here
are the tables, and the work is shared out: each board of the second street is one task. Tasks write to places of
their own and are added up in order, so the result does not depend on the number of threads.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import Weights, parse_range
from ludus.cards.runouts import suit_symmetries
from ludus.files import Arrays, overwrite
from ludus.solvers.capabilities import check_supports
from ludus.solvers.leaf_values import LeafValues
from ludus.solvers.schedules import ALGORITHMS, Algorithm
from ludus.solvers.spot.boards import Boards, deal_boards
from ludus.solvers.spot.frontier import Frontier
from ludus.solvers.spot.gadget import Gadget, LeaveOrFollow
from ludus.solvers.spot.plan import PASS, Floats, plan_street
from ludus.solvers.spot.rows import BEST, FOLLOW, LEARN, Above, Side, Table, Update, Work
from ludus.solvers.spot.sweeps import collect, look, rivers, root_down, root_up, turns
from ludus.solvers.spot.vectors import WIDTH, aligned, padded
from ludus.trees.betting import FRONTIER, BettingTree, build_betting_tree, leaf_payoffs
from ludus.trees.locks import Lock
from ludus.trees.spot import Spot

DEFAULT, RIVER_DEFAULT = "dcfr-4", "dcfr+"
STREETS = {3: "flop", 4: "turn", 5: "river"}
PLAYERS = ("oop", "ip")
LEAST_WEIGHT = 1e-6  # of the commonest hand of a range, so that sums of products are above zero
AVERAGE_EVERY = {2: 3}
"""Strategies are averaged every so many iterations on this many streets, to save memory traffic; elsewhere always."""


@dataclass(frozen=True)
class Layout:
    """Where everything of a spot lies: its betting, its boards and the shape of its tables, before any is allocated."""

    spot: Spot
    tree: BettingTree
    boards: tuple[Boards, ...]  # by street, from the first street of the spot to the river
    rows: tuple[tuple[int, int], ...]  # by street, player: actions at his nodes, that is rows of a table per board
    ranges: tuple[Weights, Weights]

    @classmethod
    def of(cls, spot: Spot) -> Layout:
        """Lay out a spot, a subgame with both ranges; ValueError if its betting is too large."""
        tree, ranges = build_betting_tree(spot), spot.weights
        for name, weights in zip(PLAYERS, ranges, strict=True):
            if weights.max() < LEAST_WEIGHT:
                raise ValueError(f"the {name} range has no weight of {LEAST_WEIGHT:g} or more: make them larger")
        cards = [[card] for lock in spot.locks for card in lock.cards if card is not None]
        symmetries = suit_symmetries([*ranges, *(parse_range(lock.hands) for lock in spot.locks)], [spot.board, *cards])
        boards = deal_boards(spot.board, ranges, symmetries, spot.subgame.depth or 4)
        actions = np.diff(tree.child_start)
        rows = tuple(
            (
                int(actions[(tree.kind == 0) & (tree.street == street)].sum()),
                int(actions[(tree.kind == 1) & (tree.street == street)].sum()),
            )
            for street in range(len(spot.board), len(spot.board) + len(boards))
        )
        return cls(spot, tree, tuple(boards), rows, ranges)

    def entries(self, at: int, player: int) -> int:
        """The size of a player's table on the street with this index: rows times hands, over all boards."""
        return self.rows[at][player] * int(self.boards[at].hands[player].start[-1])

    @property
    def nodes(self) -> int:
        """Nodes of the public tree: each street's betting times its boards, those that stand for others once."""
        per_street = np.bincount(self.tree.street, minlength=6)
        return sum(int(per_street[len(boards.cards[0])]) * len(boards.cards) for boards in self.boards)

    @property
    def memory(self) -> int:
        """Bytes of the regrets and of the sums of strategies; half of it if packed."""
        return 8 * sum(self.entries(at, player) for at in range(len(self.boards)) for player in (0, 1))


Tables = list[list[Floats]]
"""Rows of floats by street, then by player (0 is OOP)."""

Stored = list[list[Table]]
"""The same as they are stored."""

_NOTHING, _UNPACKED, _UNLOCKED = np.zeros(0, np.float32), np.zeros(0, np.int16), np.zeros(0, np.uint8)


def store(layout: Layout, packed: bool) -> Stored:
    """Zeros in the shape of a spot's tables, as floats or as 16-bit integers with a scale for each row."""

    def table(at: int, player: int) -> Table:
        entries = layout.entries(at, player)
        if not packed:
            return Table(np.zeros(entries, np.float32), _UNPACKED, _NOTHING)
        rows = layout.rows[at][player] * len(layout.boards[at].cards)
        return Table(_NOTHING, np.zeros(entries, np.int16), np.zeros(rows, np.float32))

    return [[table(at, player) for player in (0, 1)] for at in range(len(layout.boards))]


class Traverser:
    """Runs passes over the tree of a spot, with whatever tables it is given."""

    def __init__(self, layout: Layout, workers: int = 1, leaf_values: LeafValues | None = None) -> None:
        self.layout = layout
        if (layout.tree.kind == FRONTIER).any() != (leaf_values is not None):
            raise ValueError("leaf values go with a spot that ends at a frontier, and only with one")
        spot, tree = layout.spot, layout.tree
        self.frontier = Frontier(spot, tree, layout.boards, leaf_values) if leaf_values is not None else None
        self.locked: list[list[NDArray[np.uint8]]] = []  # by street, player; empty where nothing is locked
        payoffs = leaf_payoffs(layout.spot, layout.tree)
        first = len(layout.spot.board)
        self.streets = range(len(layout.boards))
        self.plans = [
            [plan_street(layout.tree, payoffs, first + at, player) for player in (0, 1)] for at in self.streets
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
        mine, his = (int(np.diff(hands[who].start).max()) for who in (player, 1 - player))
        lanes = int((2 * s.mixed + s.facing + s.shown + s.counted).max())
        results = int((s.mixed + 2 * s.facing + s.shown + s.counted).max())
        lanes, more = padded(lanes), padded(results) + WIDTH  # whole vectors are read and written
        slots, actions = int(s.slots.max()), int(np.diff(s.first).max())
        sizes = {
            "other": (slots + lanes) * his + WIDTH, "own": slots * mine, "turned": lanes * (his + WIDTH + 1),
            "out": more * padded(mine), "values": (int(s.values.max()) + WIDTH) * mine + WIDTH,
            "played": int(s.own_rows.max()) * mine, "cards": 53 * lanes + WIDTH, "weight": max(mine, his),
            "even": max(mine, his), "unpacked": actions * max(mine, his), "summed": actions * mine,
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
        """What each of a player's hands wins when he plays his best against an average strategy."""
        return self._traverse(player, _looking(BEST), average, average)

    def follow(self, player: int, average: Tables | Stored) -> Floats:
        """What each of a player's hands wins when both play an average strategy."""
        return self._traverse(player, _looking(FOLLOW), average, average)

    def node_values(self, player: int, average: Tables, at: int, board: int) -> tuple[NDArray[np.int32], Floats]:
        """The values of a player's hands at the decisions of a street on a board: nodes ``[n]``, values ``[n, hands]``.

        A value is what the hand wins from half the starting pot on, weighted by the reach of the opponent's hands and
        of the cards, when both play an average strategy.
        """
        plan, hands = self.plans[at][player], self.layout.boards[at].hands[player]
        kept = np.zeros(len(plan.who) * int(hands.start[board + 1] - hands.start[board]), np.float32)
        self._traverse(player, _looking(FOLLOW), average, average, (at, board, kept))
        decisions = plan.who != PASS
        return plan.node[decisions], kept.reshape(len(plan.who), -1)[decisions]

    def _sides(self, player: int, regrets: Tables | Stored, sums: Tables | Stored) -> list[tuple[Side, Side]]:
        """Both players on every street, the given one first."""
        boards, rows = self.layout.boards, self.layout.rows

        def table(given: Floats | Table) -> Table:
            return given if isinstance(given, Table) else Table(given, _UNPACKED, _NOTHING)

        def side(at: int, who: int) -> Side:
            locked = self.locked[at][who] if self.locked else _UNLOCKED
            return Side(boards[at].hands[who], rows[at][who], table(regrets[at][who]), table(sums[at][who]), locked)

        return [(side(at, player), side(at, 1 - player)) for at in self.streets]

    def _traverse(
        self, player: int, how: Update, regrets: Tables | Stored, sums: Tables | Stored,
        keep: tuple[int, int, Floats] | None = None,
    ) -> Floats:  # fmt: skip
        """One pass over the tree: what each of a player's hands wins, weighted by the opponent's reach.

        With ``keep`` (a street, a board and room) the values of the nodes there are kept, and no more is run for it.
        """
        sides, plans = self._sides(player, regrets, sums), [plans[player] for plans in self.plans]
        root, reach, boards = self._root[player], self.reach, self.layout.boards
        values = np.empty(len(reach[player]), np.float32)
        root_down(plans[0], *sides[0], how, root, self.own[player], reach[1 - player])
        if self.frontier is not None:
            self._value_leaves(player, how, sides[0])
        if len(self.streets) > 1:
            above = Above(plans[0], len(reach[player]), len(reach[1 - player]), root.own, root.other)
            if keep and keep[0] > 0:
                self._keep(player, how, sides, above, *keep)
                return values
            second = boards[1]

            def work(worker: int, first: int, last: int) -> None:
                self._second_street(worker, player, first, last, sides, above, how, _NOTHING)

            self._share(work, len(second.cards))
            collect(
                plans[0], second.hands[player], second.copies, 0, len(second.cards), np.uint64(above.mine),
                self._results[player], np.uint64(0), root,
            )  # fmt: skip
        root_up(plans[0], sides[0][0], how, root, values, keep[2] if keep else _NOTHING)
        return values

    def _value_leaves(self, player: int, how: Update, sides: tuple[Side, Side]) -> None:
        """Have the leaves of the frontier valued, for which the player's own reach is brought down to them as well."""
        looking = _looking(how.mode if how.mode == LEARN else FOLLOW)._replace(average=np.float32(0))
        first, second = self.plans[0]
        root_down(
            self.plans[0][1 - player], sides[1], sides[0], looking, self._root[1 - player], self.own[1 - player],
            self.reach[player],
        )  # fmt: skip
        assert self.frontier is not None
        self.frontier.fill(player, (first, second), (self._root[0], self._root[1]))

    def _second_street(
        self, worker: int, player: int, first: int, last: int, sides: list[tuple[Side, Side]], above: Above,
        how: Update, kept: Floats,
    ) -> None:  # fmt: skip
        """Boards of the second street with all that follows."""
        plans, boards = [plans[player] for plans in self.plans], self.layout.boards
        rooms, results = self._rooms[worker][player], self._results[player]
        if len(self.streets) == 2:
            rivers(plans[1], first, last, *sides[1], above, how, rooms[0], results, np.uint64(0), kept)
        else:
            turns(
                plans[1], plans[2], first, last, boards[1].children, boards[2].copies, *sides[1], *sides[2],
                above, how, rooms[0], rooms[1], self._rivers[worker][player], results, kept,
            )  # fmt: skip

    def _keep(
        self, player: int, how: Update, sides: list[tuple[Side, Side]], above: Above, at: int, board: int, kept: Floats
    ) -> None:
        """Keep the values of nodes on a board of a later street."""
        if at == 1:
            self._second_street(0, player, board, board + 1, sides, above, how, kept)
            return
        rooms, parent = self._rooms[0][player], int(self.layout.boards[2].parent[board])
        look(self.plans[1][player], parent, *sides[1], above, how, rooms[0])
        mine, his = (int(np.diff(side.hands.start)[parent]) for side in sides[1])
        turn = Above(self.plans[1][player], mine, his, rooms[0].own, rooms[0].other)
        start = sides[2][0].hands.start[board] * len(self.plans[2][player].root_value)
        rivers(
            self.plans[2][player], board, board + 1, *sides[2], turn, how, rooms[1], self._rivers[0][player],
            np.uint64(start), kept,
        )  # fmt: skip

    def _share(self, work: Callable[[int, int, int], None], count: int) -> None:
        """Have all boards worked on, each by the first thread that is free."""
        if self._pool is None:
            work(0, 0, count)
            return
        blocks, left = [0], count
        while left:  # ever smaller ones, so that all threads end together
            blocks.append(blocks[-1] + max(1, left // (2 * self._workers)))
            left = count - blocks[-1]
        queue = itertools.count()

        def drain(worker: int) -> None:
            while (block := next(queue)) < len(blocks) - 1:
                work(worker, blocks[block], blocks[block + 1])

        for _ in self._pool.map(drain, range(self._workers)):
            pass


def default_algorithm(layout: Layout) -> str:
    """What solves a spot fastest, as measured: see ``docs/spot-engine.md``."""
    return DEFAULT if len(layout.boards) > 1 else RIVER_DEFAULT


class SpotSolver(Traverser):
    """CFR on a spot that can be continued: regrets and sums of strategies, the latter the average strategy."""

    def __init__(
        self, layout: Layout, algorithm: Algorithm | None = None, planned: int = 0, workers: int = 1,
        packed: bool = False, leaf_values: LeafValues | None = None, gadget: Gadget | None = None,
    ) -> None:  # fmt: skip
        algorithm = algorithm or ALGORITHMS[default_algorithm(layout)]
        if algorithm.planned and planned < 1:
            raise ValueError("a scheduled algorithm must know its number of iterations beforehand")
        check_supports("spots", algorithm)
        super().__init__(layout, workers, leaf_values)
        self.algorithm, self.planned, self.packed = algorithm, planned, packed
        self.regrets, self.sums = store(layout, packed), store(layout, packed)
        self.iterations, self._speed = 0, 10.0
        self.choice: LeaveOrFollow | None = None
        if gadget is not None:
            if packed:
                raise ValueError("16-bit tables do not hold constraints: use the usual ones")
            combos = layout.boards[0].hands[gadget.player].combo
            self.choice = LeaveOrFollow(gadget, combos, self.own[gadget.player])
        for lock in layout.spot.locks:
            self._lock(lock)

    def _lock(self, lock: Lock) -> None:
        """Fix a strategy: regrets and sums of the hands are set to it, and are left alone from then on."""
        layout, tree = self.layout, self.layout.tree
        node = tree.find(lock.line)
        if tree.kind[node] not in (0, 1):
            raise ValueError(f"nobody decides at {lock.line!r}, so nothing can be locked there")
        actions, play = tree.actions(node), dict(lock.play)
        if unknown := set(play) - set(actions):
            possible = ", ".join(map(str, actions))
            raise ValueError(f"{unknown.pop()} cannot be played at {lock.line!r}: possible are {possible}")
        if self.packed:
            raise ValueError("16-bit tables cannot hold locked strategies: use the usual ones")
        if not self.locked:
            self.locked = [[np.zeros(len(table.plain), np.uint8) for table in tables] for tables in self.regrets]
        at, player = int(tree.street[node]) - len(layout.spot.board), int(tree.kind[node])
        before = (tree.kind[:node] == player) & (tree.street[:node] == tree.street[node])
        first, rows = int(np.diff(tree.child_start)[:node][before].sum()), layout.rows[at][player]
        boards, hands = layout.boards[at], layout.boards[at].hands[player]
        wanted, found = parse_range(lock.hands) > 0, 0
        for board, cards in enumerate(boards.cards):
            dealt = cards[len(layout.spot.board) :].tolist()
            if any(card not in (None, there) for card, there in zip(lock.cards, dealt, strict=True)):
                continue
            count = int(hands.start[board + 1] - hands.start[board])
            where = rows * int(hands.start[board]) + first * count
            chosen = np.flatnonzero(wanted[hands.combo[hands.start[board] : hands.start[board + 1]]])
            self.locked[at][player][where + chosen] = 1
            found += len(chosen)
            for row, action in enumerate(actions):
                for tables in (self.regrets, self.sums):
                    tables[at][player].plain[where + row * count + chosen] = play.get(action, 0.0)
        if not found:
            raise ValueError(f"the lock at {lock.line!r} holds for no hand that {PLAYERS[player]} can have there")

    @property
    def memory(self) -> int:
        """Bytes of its tables."""
        return sum(array.nbytes for array in self.state().values())

    def warm_up(self) -> None:
        """Compile without playing."""
        for player in (0, 1):
            self.best_response(player, self.sums)

    def advance(self, goal: int) -> None:
        """Continue towards a goal for about a tenth of a second."""
        chunk = max(1, min(goal - self.iterations, int(self._speed / 10)))
        start = time.perf_counter()
        self.run(chunk)
        self._speed = chunk / (time.perf_counter() - start)

    def run(self, iterations: int) -> None:
        """Continue for so many iterations."""
        floor = np.float32(0 if self.algorithm.clip else -np.inf)
        if self.choice is not None:
            self.reach[self.choice.player] = self.choice.reach()
        for t in range(self.iterations + 1, self.iterations + 1 + iterations):
            d = self.algorithm.discount(t, self.planned)
            average = np.float32(self._average_factor(t))
            how = Update(LEARN, np.float32(d.positive), np.float32(d.negative), average, floor)
            for player in (0, 1):
                values = self.learn(player, how, self.regrets, self.sums)
                if self.choice is not None and self.choice.player == player:
                    self.choice.learn(values, d, floor)
                    self.reach[player] = self.choice.reach()
            self.iterations = t

    def _average_factor(self, t: int) -> float:
        """What sums are multiplied by after iteration t, until a strategy is added again; 0 if none is added in t."""
        every = AVERAGE_EVERY.get(len(self.streets), 1)
        steps = range(t, t + every) if (t - 1) % every == 0 else ()
        return prod(self.algorithm.discount(step, self.planned).average for step in steps) if steps else 0.0

    def average(self) -> Tables:
        """The sums of strategies as floats: normalised over the actions of a node they are the average strategy."""
        return [[self._unpacked(at, player, self.sums[at][player]) for player in (0, 1)] for at in self.streets]

    def _unpacked(self, at: int, player: int, table: Table) -> Floats:
        if not len(table.packed):
            return table.plain
        counts = np.diff(self.layout.boards[at].hands[player].start)
        scales = np.repeat(table.scale, np.repeat(counts, self.layout.rows[at][player]))
        return table.packed.astype(np.float32) * scales

    def state(self) -> Arrays:
        """Everything needed to go on later."""
        kept = {} if self.choice is None else {"gadget": self.choice.table}
        return kept | {
            f"{name}.{STREETS[len(self.layout.spot.board) + at]}.{PLAYERS[player]}.{part}": array
            for name, tables in (("regrets", self.regrets), ("sums", self.sums))
            for at in self.streets
            for player in (0, 1)
            for part, array in tables[at][player]._asdict().items()
        }

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""
        self.iterations = iterations
        overwrite(self.state(), arrays)


def _looking(mode: int) -> Update:
    """A pass that changes nothing."""
    return Update(mode, np.float32(1), np.float32(1), np.float32(1), np.float32(0))
