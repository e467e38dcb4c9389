"""Full-width extensive-form fictitious play (Heinrich, Lanctot & Silver 2015), for comparison with CFR."""

from __future__ import annotations

import numpy as np

from ludus.files import Arrays, overwrite
from ludus.solvers.best_response import Evaluator
from ludus.solvers.capabilities import check_honours
from ludus.solvers.cfr import update
from ludus.solvers.passes import Floats, normalised, plan, reach_pass, uniform_strategy
from ludus.trees.flat import FlatGame


class FictitiousPlay:
    """Everybody answers the others' average strategy with a best response, which then joins their own average.

    Strategies are averaged with their own reach, as in the paper's theorem 7, and all count alike; the uniform one is
    the first.
    """

    def __init__(self, flat: FlatGame) -> None:
        check_honours("fictitious", frontier=flat.frontier, constraints=flat.leaving)
        self.flat, self.plan = flat, plan(flat)
        self.iterations = 0
        self.sums = np.zeros(flat.entries)
        self._reach, self._unused = np.zeros(self.plan.reaches), np.zeros(0)
        self._evaluator = Evaluator(flat, self.plan)
        self._uniform = uniform_strategy(self.plan)
        self._add(self._uniform)

    def _add(self, strategy: Floats) -> None:
        for player in range(self.flat.players):
            reach_pass(self.plan, player, strategy, self._reach)
            update(
                self.plan, player, np.ones(3), False, False, True,
                self._unused, strategy, self.sums, self._unused, self._reach,
            )  # fmt: skip

    def warm_up(self) -> None:
        """Compile without playing."""
        self._evaluator.best_responses(self.average())

    def advance(self, goal: int) -> None:
        """Continue towards a goal by a few iterations."""
        self.run(min(goal - self.iterations, 10))

    def run(self, iterations: int) -> None:
        """Continue for so many iterations."""
        for _ in range(iterations):
            self._add(self._evaluator.best_responses(self.average()))
            self.iterations += 1

    def average(self) -> Floats:
        """The average strategy (by_action)."""
        return normalised(self.plan, self.sums, self._uniform)

    def state(self) -> Arrays:
        """Everything needed to go on later."""
        return {"sums": self.sums}

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""
        self.iterations = iterations
        overwrite(self.state(), arrays)
