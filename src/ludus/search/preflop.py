"""Play before the flop at a table of 2 to 10, solved for the 169 classes of hands of all seats.

Discounted CFR in vector form: a seat's turn goes over the whole tree with all its classes at once. Cards that two hands
take from each other count exactly between a seat's own hand and each of the others'; the others' hands are taken to be
independent of one another given it. What leaves are worth follows from the average strategies' ranges there
(`preflop_leaves`) and is worked out anew every few iterations; equities follow the ranges at once.

Everybody expects the others to do anything at all once in a while (`TREMBLE`), so that there is an answer to what
nobody does. With more than two seats no algorithm is known to end in an equilibrium, so the result is measured: what
each seat's best response gains, over all its hands, against the others' average strategies, which do not err, with the
leaf values that belong to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.nets.holdem.classes import COUNT, SIZES
from ludus.nets.holdem.network import HandNetwork
from ludus.search.preflop_leaves import HANDS_MET, PreflopLeaves
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.preflop import CHIPS, PreflopModel, preflop_betting

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
REFRESH = 10  # iterations between two looks at the leaves
TREMBLE = 1e-3  # how often an action is taken at random


@dataclass(frozen=True)
class PreflopGain:
    """What best responses gain, in big blinds a hand, by seat; and what the strategies win."""

    gains: tuple[float, ...]
    values: tuple[float, ...]
    pot: float  # that is played for: the blinds

    @property
    def mean(self) -> float:
        """The average seat's gain as a part of the pot."""
        return float(np.mean(self.gains)) / self.pot


class PreflopSolver:
    """Average strategies of all seats, better with every iteration.

    Arrays ``[nodes, 169]`` speak of the action that leads to a node, by class of who took it.
    """

    def __init__(self, model: PreflopModel, network: HandNetwork, algorithm: str = "dcfr") -> None:
        self.betting = preflop_betting(model)
        self.leaves = PreflopLeaves(self.betting, network)
        self.iterations = 0
        self._algorithm = ALGORITHMS[algorithm]
        nodes, seats = self.betting.paid.shape
        self._strategy = np.ones((nodes, COUNT), np.float32)
        self._regret, self._sums = np.zeros((nodes, COUNT), np.float32), np.zeros((nodes, COUNT), np.float32)
        _match(self.betting.first, self.betting.child, self.betting.decisions, self._regret, self._strategy)
        self._taken = [
            np.flatnonzero((self.betting.parent >= 0) & (self.betting.player[self.betting.parent] == seat))
            for seat in range(seats)
        ]
        self._decided = [np.flatnonzero(self.betting.player == seat) for seat in range(seats)]
        self._leaf = np.zeros((nodes, seats, COUNT), np.float32)
        self._values = np.zeros((nodes, COUNT), np.float32)
        self._now = self._reach(self._strategy)

    def run(self, iterations: int, progress: Callable[[int], None] | None = None) -> None:
        """So many more iterations."""
        for _ in range(iterations):
            if self.iterations % REFRESH == 0:
                self._refresh(self._reach(self.average()))
            self.iterations += 1
            self._iterate()
            if progress:
                progress(self.iterations)

    def average(self, sums: Floats | None = None) -> Floats:
        """``[nodes, 169]`` The average strategies, or those that other sums make."""
        found = np.ones_like(self._sums)
        sums = self._sums if sums is None else sums
        _match(self.betting.first, self.betting.child, self.betting.decisions, sums, found)
        return found

    def measure(self, sums: Floats | None = None) -> PreflopGain:
        """The best responses to these strategies, leaves valued by their ranges."""
        average = self.average(sums)
        self._refresh(self._reach(average))
        reach = self._reach(average, tremble=0.0)
        chances, gains, values = SIZES / SIZES.sum(), [], []
        for seat in range(self.betting.model.players):
            won = [
                float(chances @ self._pass(seat, average, reach, best).astype(np.float64)) for best in (False, True)
            ]  # fmt: skip
            gains.append((won[1] - won[0]) / CHIPS)
            values.append(won[0] / CHIPS)
        return PreflopGain(tuple(gains), tuple(values), float(self.betting.paid[0].sum()) / CHIPS)

    def worth(self, sums: Floats | None = None) -> Floats:
        """``[nodes, 169]`` What the action that leads to a node is worth to who takes it, in big blinds from then on;
        folding is 0."""
        average, tree = self.average(sums), self.betting
        reach = self._reach(average)
        self._refresh(reach)
        found = np.zeros_like(self._values)
        for seat in range(tree.model.players):
            self._pass(seat, average, reach, False)
            taken = self._taken[seat]
            at, met = tree.parent[taken], np.ones((len(taken), COUNT), np.float32)
            for other in range(tree.model.players):
                if other != seat:
                    met *= reach.met[tree.latest[at, other]]
            found[taken] = (self._values[taken] / met + tree.paid[at, seat, None]) / CHIPS
        return found

    def _iterate(self) -> None:
        discount = self._algorithm.discount(self.iterations, 0)
        for seat in range(self.betting.model.players):
            self._pass(seat, self._strategy, self._now, False)
            _learn(
                seat, self._decided[seat], self.betting.first, self.betting.child, self.betting.latest, self._values,
                self._now.own, self._regret, self._sums, self._strategy, *discount, self._algorithm.clip,
            )  # fmt: skip
            self._now.follow(seat, self._strategy)

    def _refresh(self, reach: _Reach) -> None:
        self.leaves.values(reach.own, self._leaf)

    def _reach(self, strategy: Floats, tremble: float = TREMBLE) -> _Reach:
        reach = _Reach(self, tremble)
        for seat in range(self.betting.model.players):
            reach.follow(seat, strategy)
        return reach

    def _pass(self, seat: int, strategy: Floats, reach: _Reach, best: bool) -> Floats:
        """What a seat's classes win from each node on into ``_values``; returned are those at the root."""
        tree = self.betting
        _walk(
            seat, best, tree.player, tree.parent, tree.first, tree.child, tree.paid, tree.live, tree.latest, strategy,
            reach.met, reach.margin, reach.mass, self._leaf, self._values,
        )  # fmt: skip
        return np.asarray(self._values[0])


class _Reach:
    """How often each class takes the actions on the way, and what that means to the hands that meet it."""

    def __init__(self, solver: PreflopSolver, tremble: float) -> None:
        self._solver, self._tremble = solver, tremble
        nodes = len(solver.betting)
        self.own = np.ones((nodes, COUNT), np.float32)
        self.met = np.ones((nodes, COUNT), np.float32)
        self.margin = np.zeros((nodes, COUNT), np.float32)
        self.mass = np.full(nodes, SIZES.sum() / HANDS_MET, np.float32)
        self._set(np.zeros(1, np.int64))

    def follow(self, seat: int, strategy: Floats) -> None:
        """Take over a seat's strategy."""
        tree, taken = self._solver.betting, self._solver._taken[seat]
        _follow(taken, tree.parent, tree.first, tree.latest, seat, strategy, self._tremble, self.own)
        self._set(taken)

    def _set(self, nodes: Ints) -> None:
        own, leaves = self.own[nodes], self._solver.leaves
        self.met[nodes] = own @ leaves.meet.T
        self.margin[nodes] = own @ leaves.margin.T
        self.mass[nodes] = own @ (SIZES / np.float32(HANDS_MET))


@kernel
def _follow(
    taken: Ints, parent: Ints, first: Ints, latest: Ints, seat: int, strategy: Floats, tremble: float, own: Floats
) -> None:
    """The reach ``own`` after each action of a seat, from that after its action before."""
    for node in taken:
        before, count = latest[parent[node], seat], first[parent[node] + 1] - first[parent[node]]
        kept, more = np.float32(1 - tremble), np.float32(tremble / count)
        for hand in range(own.shape[1]):
            own[node, hand] = own[before, hand] * (kept * strategy[node, hand] + more)


@kernel
def _match(first: Ints, child: Ints, decisions: Ints, weights: Floats, strategy: Floats) -> None:
    """At each decision: each action as often as its weight is above 0, all alike where none is."""
    for node in decisions:
        count = first[node + 1] - first[node]
        for hand in range(weights.shape[1]):
            total = np.float32(0)
            for at in range(first[node], first[node + 1]):
                total += max(weights[child[at], hand], np.float32(0))
            for at in range(first[node], first[node + 1]):
                even = np.float32(1) / np.float32(count)
                strategy[child[at], hand] = max(weights[child[at], hand], np.float32(0)) / total if total > 0 else even


@kernel
def _learn(
    seat: int, decided: Ints, first: Ints, child: Ints, latest: Ints, values: Floats, own: Floats, regret: Floats,
    sums: Floats, strategy: Floats, positive: float, negative: float, average: float, clip: bool,
) -> None:  # fmt: skip
    """Regrets and sums of one seat after a pass, and its next strategy."""
    hands = values.shape[1]
    for node in decided:
        before = latest[node, seat]
        for at in range(first[node], first[node + 1]):
            to = child[at]
            for hand in range(hands):
                known = regret[to, hand] + values[to, hand] - values[node, hand]
                if clip:
                    known = max(known, np.float32(0))
                regret[to, hand] = known * np.float32(positive if known > 0 else negative)
                sums[to, hand] = (sums[to, hand] + own[before, hand] * strategy[to, hand]) * np.float32(average)
    _match(first, child, decided, regret, strategy)


@kernel
def _walk(
    seat: int, best: bool, player: Ints, parent: Ints, first: Ints, child: Ints, paid: Ints, live: NDArray[np.bool_],
    latest: Ints, strategy: Floats, met: Floats, margin: Floats, mass: Floats, leaf: Floats, values: Floats,
) -> None:  # fmt: skip
    """What a seat wins with each hand from each node on, in chips times how often the others get there.

    With ``best`` it takes the best action everywhere. Nodes after its own fold stay as they are: nobody reads them.
    """
    nodes, hands = values.shape
    for node in range(nodes - 1, -1, -1):
        if not live[node, seat] and player[parent[node]] != seat:
            continue
        row = values[node]
        if player[node] >= 0 and live[node, seat]:
            own = player[node] == seat
            for at in range(first[node], first[node + 1]):
                to = child[at]
                for hand in range(hands):
                    value = values[to, hand]
                    if own and not best:
                        value *= strategy[to, hand]
                    if at == first[node]:
                        row[hand] = value
                    elif own and best:
                        row[hand] = max(row[hand], value)
                    else:
                        row[hand] += value
            continue
        _end(node, seat, paid, live, latest, met, margin, mass, leaf, row)


@kernel
def _end(
    node: int, seat: int, paid: Ints, live: NDArray[np.bool_], latest: Ints, met: Floats, margin: Floats, mass: Floats,
    leaf: Floats, row: Floats,
) -> None:  # fmt: skip
    """The same where a seat folds or the betting ends, into ``row [hands]``."""
    seats, hands = paid.shape[1], len(row)
    pot, left, other = 0, 0, -1
    for each in range(seats):
        pot += paid[node, each]
        if live[node, each]:
            left += 1
            if each != seat:
                other = each
    whole, lost = np.float32(pot), np.float32(paid[node, seat])
    row[:] = 1
    for each in range(seats):
        if each != seat and not (live[node, seat] and left == 2 and each == other):
            for hand in range(hands):
                row[hand] *= met[latest[node, each], hand]
    if not live[node, seat]:
        for hand in range(hands):
            row[hand] *= -lost
    elif left == 1:
        for hand in range(hands):
            row[hand] *= whole - lost
    elif left == 2:
        at = latest[node, other]
        for hand in range(hands):
            share = (met[at, hand] + margin[at, hand]) / 2 + mass[at] * leaf[node, seat, hand]
            row[hand] *= whole * max(share, np.float32(0)) - lost * met[at, hand]
    else:
        for hand in range(hands):
            row[hand] *= whole * leaf[node, seat, hand] - lost
