"""Leaf values of small games by exact solves of what lies behind the leaves.

For the ranges with which a leaf is reached the rest of the game, all boards together, is solved as a game of its own,
and a hand's value is what it wins when both players play that solution. The ranges change from one question to the
next, and with them the solution. Values read off *one* strategy for the whole game are something else: a strategy fixed
behind the leaf answers a change of ranges with the play of the old ones, and a solver in front of it would learn to
exploit that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludus.games.poker import PokerState
from ludus.solvers.best_response import Evaluator
from ludus.solvers.capabilities import check_supports
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.depth.frontier import FlatLeaves
from ludus.solvers.leaf_values import Evaluate, Leaves
from ludus.solvers.leaf_values import Floats as Reach
from ludus.solvers.passes import Floats
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.flat import flatten


@dataclass(frozen=True)
class SolvedLeaves:
    """Solve the rest of the game behind each leaf, each time for this many iterations on from where the last solve was.

    A solve begins with the regrets of the last one, which was for other ranges, and averages over its own iterations
    alone. As the ranges settle, solves of a few iterations become exact; and because CFR+ does not forget, the values
    move slowly with the ranges, so that the solver in front of the leaves settles far sooner than with solves to the
    end each time, which jump from one equilibrium to the next.
    """

    iterations: int = 10
    algorithm: str = "cfr+"

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise ValueError(f"a solve takes at least 1 iteration, got {self.iterations}")
        check_supports("exact", self.algorithm)

    def bind(self, leaves: Leaves) -> Evaluate:
        """Build the rest of the game for every leaf."""
        if not isinstance(leaves, FlatLeaves):
            raise ValueError("exact solves of small games value the leaves of a FlatGame, not of a hold'em tree")
        rests = [Rest(leaves.state(at), leaves.meet[at], self) for at in range(len(leaves))]

        def evaluate(reach: Reach) -> Reach:
            return np.array([rest.values(both) for rest, both in zip(rests, reach, strict=True)])

        return evaluate


class Rest:
    """The game from a public state on; ``meet`` [hands, hands] is how probably chance deals its board and two hands."""

    def __init__(self, state: PokerState, meet: Floats, how: SolvedLeaves) -> None:
        flat = flatten(state.game, root=state)
        self._iterations, self._meet = how.iterations, meet
        self._offset = state.pot / 2 - np.array(state.spent())
        self._solver = ExactSolver(flat, ALGORITHMS[how.algorithm], planned=how.iterations)
        self._judge = Evaluator(flat, self._solver.plan)

    def values(self, reach: Reach, forget: bool = False) -> Floats:
        """[2, hands] Both players' values for their reach, counted from half the pot.

        To ``forget`` earlier questions makes the answer depend on this one alone.
        """
        scale = reach.max(axis=1, keepdims=True)
        ranges = np.where(scale > 0, reach / np.where(scale > 0, scale, 1.0), 1.0)  # any, where nobody comes
        if forget:
            self._solver.forget()
        self._solver.restart(ranges)
        self._solver.run(self._iterations)
        average = self._solver.average()
        found = [self._judge.values(average, player, 0) for player in range(2)]
        met = ranges[::-1] @ self._meet
        values: Floats = (np.array(found) - met * self._offset[:, None]) * scale[::-1]
        return values
