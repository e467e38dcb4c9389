"""The solver of hold'em spots: CFR in vector form over the public tree, on one or several threads."""

from __future__ import annotations

import time
from math import prod

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import parse_range
from ludus.files import Arrays, overwrite
from ludus.solvers.capabilities import check_supports
from ludus.solvers.leaf_values import LeafValues, settles
from ludus.solvers.schedules import ALGORITHMS, Algorithm, Discount
from ludus.solvers.spot.gadget import Gadget, LeaveOrFollow
from ludus.solvers.spot.kernels.plan import Floats
from ludus.solvers.spot.kernels.structures import LEARN, PackedTable, Update
from ludus.solvers.spot.layout import PLAYERS, STREETS, Layout, Tables, store
from ludus.solvers.spot.traverser import Traverser
from ludus.trees.locks import Lock

DEFAULT, RIVER_DEFAULT = "dcfr-4", "dcfr+"
AVERAGE_EVERY = {2: 3}
"""Strategies are averaged every so many iterations on this many streets, to save memory traffic; elsewhere always."""


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
        self.locked = self.locked or self._unlocked()
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

    def _unlocked(self) -> list[list[NDArray[np.uint8]]]:
        return [[np.zeros(len(table.plain), np.uint8) for table in tables] for tables in self.regrets]

    def lock_first_street(self, player: int, strategy: Floats) -> None:
        """Fix all that a player does on the first street: a table as `average` gives it."""
        self.locked = self.locked or self._unlocked()
        self.locked[0][player][:] = 1
        for tables in (self.regrets, self.sums):
            tables[0][player].plain[:] = strategy

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
        steps = range(self.iterations + 1, self.iterations + 1 + iterations)
        discounts = [self.algorithm.discount(t, self.planned) for t in steps]
        updates = np.array(
            [(*d[:2], self._average_factor(t)) for t, d in zip(steps, discounts, strict=True)], np.float32
        )
        if len(self.streets) == 1 and self.choice is None and self.frontier is None:  # all in one call
            nothing = np.float32(0)
            self._alone(range(2), Update(LEARN, nothing, nothing, nothing, floor), updates, self.regrets, self.sums)
        else:
            for t, (positive, negative, average), discount in zip(steps, updates, discounts, strict=True):
                self._iterate(t, Update(LEARN, positive, negative, average, floor), discount)
        self.iterations += iterations

    def _iterate(self, t: int, how: Update, discount: Discount) -> None:
        """One iteration by itself, with what is between its passes."""
        choice = self.choice
        if self.frontier is not None and self.frontier.settles and settles(t):
            if choice is not None:
                self.reach[choice.player] = choice.average()[1]
            self.settle(self.sums)
        for player in (0, 1):
            if choice is not None:
                self.reach[choice.player] = choice.reach()
            values = self.learn(player, how, self.regrets, self.sums)
            if choice is not None and choice.player == player:
                choice.learn(values, discount, how.floor)

    def _average_factor(self, t: int) -> float:
        """What sums are multiplied by after iteration t, until a strategy is added again; 0 if none is added in t."""
        every = AVERAGE_EVERY.get(len(self.streets), 1)
        steps = range(t, t + every) if (t - 1) % every == 0 else ()
        return prod(self.algorithm.discount(step, self.planned).average for step in steps) if steps else 0.0

    def average(self) -> Tables:
        """The sums of strategies as floats: normalised over the actions of a node they are the average strategy."""
        return [[self._unpacked(at, player, self.sums[at][player]) for player in (0, 1)] for at in self.streets]

    def _unpacked(self, at: int, player: int, table: PackedTable) -> Floats:
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
