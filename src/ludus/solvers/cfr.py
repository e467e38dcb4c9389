"""Counterfactual regret minimisation over a whole game (Zinkevich et al. 2007), all variants of ``schedules.py``."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.files import Arrays, overwrite
from ludus.solvers.capabilities import check_supports
from ludus.solvers.depth.frontier import Frontier
from ludus.solvers.leaf_values import LeafValues
from ludus.solvers.passes import (
    Floats,
    Plan,
    checked_ranges,
    copy_player,
    frontier_pass,
    leaf_pass,
    normalised,
    plan,
    reach_pass,
    uniform_strategy,
    value_pass,
)
from ludus.solvers.schedules import AVERAGING, Algorithm, Discount, cfr
from ludus.trees.flat import FlatGame


class ExactSolver:
    """CFR that can be continued: regrets, the current strategy and the sum of past ones, all tables by_action.

    ``fixed`` maps a player to a strategy that they keep (by_action): the others then learn to exploit it. ``ranges``
    [players, situations of the root] are what the players may hold where a subgame begins. Where it ends at a frontier
    ``leaf_values`` are asked for the rest, each time before a player learns (depth-limited solving as in Moravcik et
    al. 2017, "DeepStack"; with exact values it is the CFR-D of Burch, Johanson & Bowling 2014).
    """

    def __init__(
        self,
        flat: FlatGame,
        algorithm: Algorithm,
        planned: int = 0,
        averaging_from: int = 1,
        fixed: dict[int, Floats] | None = None,
        ranges: Floats | None = None,
        leaf_values: LeafValues | Floats | None = None,
    ) -> None:
        check_supports("exact", algorithm)
        if algorithm.planned and planned < 1:
            raise ValueError("a scheduled algorithm must know its number of iterations beforehand")
        self.flat, self.algorithm, self.planned, self.averaging_from = flat, algorithm, planned, averaging_from
        self.plan = plan(flat, ranges)
        self.frontier = Frontier(flat, self.plan, leaf_values)
        self.iterations, self._speed = 0, 1000.0
        self.regrets, self.sums, self._instant = (np.zeros(flat.entries) for _ in range(3))
        self.strategy = uniform_strategy(self.plan)
        self._values, self._reach = np.zeros(self.plan.values), np.zeros(self.plan.reaches)
        self._leaf_sums, self._leaf_weight = np.zeros((flat.players, self.frontier.size)), 0.0
        self._fixed = np.zeros(flat.players, np.bool_)
        for player, strategy in (fixed or {}).items():
            self._fixed[player] = True
            copy_player(self.plan, player, strategy, self.strategy)

    def warm_up(self) -> None:
        """Compile without playing."""
        self.run(0)

    def advance(self, goal: int) -> None:
        """Continue towards a goal for about a tenth of a second."""
        chunk = max(1, min(goal - self.iterations, int(self._speed / 10)))
        start = time.perf_counter()
        self.run(chunk)
        self._speed = chunk / (time.perf_counter() - start)

    def run(self, iterations: int) -> None:
        """Continue for this many iterations."""
        first = self.iterations + 1
        discounts = np.array([self._discount(t) for t in range(first, first + iterations)]).reshape(-1, 3)
        if not self.frontier.size:
            self._iterate(discounts, 0, self.flat.players, self._leaf_sums)
        else:
            turns = ((0, 1), (1, 2)) if self.algorithm.alternating else ((0, 2),)
            for discount in discounts[:, None]:
                for first_learner, last in turns:
                    leaves = self._ask()
                    if first_learner == 0:  # the strategies that this iteration adds to the average
                        self._leaf_sums = (self._leaf_sums + leaves) * discount[0, 2]
                        self._leaf_weight = (self._leaf_weight + 1.0) * discount[0, 2]
                    self._iterate(discount, first_learner, last, leaves)
        self.iterations += iterations

    def _iterate(self, discounts: Floats, first: int, last: int, leaves: Floats) -> None:
        how = self.algorithm
        _iterate(
            self.plan, discounts, first, last, leaves, how.clip, how.predict, how.alternating, self._fixed,
            self.regrets, self.strategy, self.sums, self._instant, self._values, self._reach,
        )  # fmt: skip

    def _ask(self) -> Floats:
        """Both players' values at the frontier under the current strategies."""
        for player in range(self.flat.players):
            reach_pass(self.plan, player, self.strategy, self._reach)
        return self.frontier.values(self._reach)

    def leaf_averages(self) -> Floats:
        """[players, situations of all leaves] Counterfactual values at the frontier, averaged as strategies are.

        A player's values are weighted by the *other* player's reach in each iteration, as the other's average strategy
        is, so they are what the other's average concedes (Burch et al. 2014, section 4): the values at which a player
        may leave when what lies behind a leaf is solved again. The leaves' vectors lie one after the other.
        """
        averages: Floats = self._leaf_sums / max(self._leaf_weight, np.finfo(float).tiny)
        return averages

    def restart(self, ranges: Floats) -> None:
        """Begin again with other ranges: the average is forgotten, regrets and strategy stay as a first guess."""
        self.plan.ranges[:] = checked_ranges(self.flat, ranges)
        self.iterations, self._leaf_weight = 0, 0.0
        self.sums[:], self._leaf_sums = 0.0, np.zeros_like(self._leaf_sums)

    def forget(self) -> None:
        """Lose what was learnt: the strategy is uniform again. ``restart`` forgets the average."""
        self.regrets[:], self._instant[:] = 0.0, 0.0
        uniform = uniform_strategy(self.plan)
        for player in np.flatnonzero(~self._fixed):
            copy_player(self.plan, int(player), uniform, self.strategy)

    def _discount(self, t: int) -> Discount:
        step = self.algorithm.discount(t, self.planned)
        return step._replace(average=0.0) if t < self.averaging_from else step

    def state(self) -> Arrays:
        """Everything needed to go on later."""
        if self.frontier.size:
            raise ValueError("a solve in front of leaf values cannot be saved: what values them has a state of its own")
        return {"regrets": self.regrets, "strategy": self.strategy, "sums": self.sums}

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""
        self.iterations = iterations
        overwrite(self.state(), arrays)

    def average(self) -> Floats:
        """The average strategy (by_action); the current one where nothing has been averaged yet."""
        return normalised(self.plan, self.sums, self.strategy)


def with_averaging(algorithm: Algorithm, averaging: str) -> Algorithm:
    """The same algorithm with uniform, linear or quadratic averaging."""
    if averaging not in AVERAGING:
        raise ValueError(f"averaging is one of {', '.join(AVERAGING)}, got {averaging!r}")
    old, power = algorithm.discount, AVERAGING[averaging]
    return replace(algorithm, discount=lambda t, n: old(t, n)._replace(average=cfr(t, power).average))


@kernel
def _iterate(
    p: Plan, discounts: Floats, first: int, last: int, leaves: Floats, clip: bool, predict: bool, alternating: bool,
    fixed: NDArray[np.bool_], regrets: Floats, strategy: Floats, sums: Floats, instant: Floats,
    values: Floats, reach: Floats,
) -> None:  # fmt: skip
    """Iterations of the players from ``first`` to before ``last``; ``leaves`` are all players' values of a frontier."""
    for q in range(len(p.reach_at)):
        reach_pass(p, q, strategy, reach)
    for t in range(len(discounts)):
        for q in range(first, last):
            if not fixed[q]:
                leaf_pass(p, q, reach, values)
                frontier_pass(p, leaves[q], values)
                value_pass(p, q, strategy, values, instant if predict else regrets)
            if alternating:
                update(p, q, discounts[t], clip, predict, fixed[q], regrets, strategy, sums, instant, reach)
                reach_pass(p, q, strategy, reach)
        if not alternating:
            for q in range(first, last):
                update(p, q, discounts[t], clip, predict, fixed[q], regrets, strategy, sums, instant, reach)
                reach_pass(p, q, strategy, reach)


@kernel
def update(
    p: Plan, player: int, discount: Floats, clip: bool, predict: bool, fixed: bool,
    regrets: Floats, strategy: Floats, sums: Floats, instant: Floats, reach: Floats,
) -> None:  # fmt: skip
    """The recurrence of ``schedules.py`` for every group of a player.

    Immediate regrets are in ``regrets`` already, or, where they are needed once more, in ``instant``, left empty here.
    """
    positive, negative, average = discount[0], discount[1], discount[2]
    floor = 0.0 if clip else -np.inf
    groups, entry, actions, size, node = p.groups, p.group_entry, p.group_actions, p.group_size, p.group_node
    at = p.reach_at[player]
    totals = np.empty(int(p.size.max()))
    for k in range(p.group_start[player], p.group_start[player + 1]):
        g = groups[k]
        start, width, here = entry[g], size[g], at[node[g]]
        count = actions[g]
        for a in range(count):
            first = start + a * width
            for s in range(width):
                sums[first + s] = (sums[first + s] + reach[here + s] * strategy[first + s]) * average
        if fixed:
            continue
        for s in range(width):
            totals[s] = 0.0
        for a in range(count):
            first = start + a * width
            for s in range(width):
                now = instant[first + s] if predict else 0.0
                regret = max(regrets[first + s] + now, floor)
                regret *= positive if regret > 0.0 else negative
                regrets[first + s] = regret
                weight = max(regret + now, 0.0)
                strategy[first + s] = weight
                totals[s] += weight
        for a in range(count):
            first = start + a * width
            for s in range(width):
                strategy[first + s] = strategy[first + s] / totals[s] if totals[s] > 0.0 else 1.0 / count
        if predict:
            for e in range(count * width):
                instant[start + e] = 0.0
