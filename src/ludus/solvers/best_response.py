"""Exact values, best responses and exploitability, in one pass over the tree for all hands (Johanson et al. 2011).

In a tree that ends at a frontier the leaf values are those of the strategy profile, for a best response too. They
depend on both players' ranges there, so this is the best response *within* the tree, not a bound for the whole game.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ludus.compiled import kernel
from ludus.solvers.depth.frontier import Frontier
from ludus.solvers.leaf_values import LeafValues
from ludus.solvers.passes import Floats, Index, Ints, Plan, frontier_pass, leaf_pass, plan, reach_pass, value_pass
from ludus.trees.flat import DEAL, FlatGame


@dataclass(frozen=True)
class Evaluation:
    """What a strategy profile earns and how much each player could gain by leaving it, in the game's chips."""

    value: tuple[float, ...]
    best_response: tuple[float, ...]

    @property
    def nash_conv(self) -> float:
        """The gains of all players added up; 0 in a Nash equilibrium."""
        return self.still_to_win(())

    def still_to_win(self, frozen: Collection[int]) -> float:
        """What the players that are not frozen could gain, added up."""
        pairs = enumerate(zip(self.best_response, self.value, strict=True))
        return float(sum(best - value for player, (best, value) in pairs if player not in frozen))

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.nash_conv / len(self.value)


class Evaluator:
    """Measures strategies of one game (tables by_action); keeps its buffers from one call to the next.

    ``ready`` is a plan that a solver has made already, with the ranges of its root.
    """

    def __init__(
        self, flat: FlatGame, ready: Plan | None = None, leaf_values: LeafValues | Floats | None = None
    ) -> None:
        self.flat = flat
        self.plan = plan(flat) if ready is None else ready
        self.frontier = Frontier(flat, self.plan, leaf_values)
        self._reach, self._values = np.zeros(self.plan.reaches), np.zeros(self.plan.values)
        self._gain, self._reply = np.zeros(flat.entries), np.zeros(flat.entries)
        orders = [_order(self.plan, player) for player in range(flat.players)]
        most = max(len(ends) for _, ends in orders)
        self._order = np.array([order for order, _ in orders])
        self._ends = np.array([np.pad(ends, (0, most - len(ends)), mode="edge") for _, ends in orders])

    def evaluate(self, strategy: Floats) -> Evaluation:
        """Expected values and best-response values of every player."""
        value, best = self._run(strategy)
        return Evaluation(tuple(value.tolist()), tuple(best.tolist()))

    def best_responses(self, strategy: Floats) -> Floats:
        """Each player's pure best response to the others' strategies, as one table."""
        self._run(strategy)
        return self._reply.copy()

    def reach(self, strategy: Floats, player: int, node: int) -> Floats:
        """A player's range at a node [situations]: their range at the root times what they play to come here."""
        reach_pass(self.plan, player, strategy, self._reach)
        at = int(self.plan.reach_at[player, node])
        return self._reach[at : at + int(self.plan.size[node])].copy()

    def values(self, strategy: Floats, player: int, node: int, best: bool = False) -> Floats:
        """A player's counterfactual values at a node [situations], if everybody plays the strategy, or ``best`` they.

        They are weighted by chance and by the other's reach, from the root of the game. With ``best`` they are the
        counterfactual best-response values: what the other's strategy concedes from here on.
        """
        leaves = self._leaves(strategy)
        _leaf_values(self.plan, player, strategy, leaves, self._reach, self._values)
        if best:
            self._gain[:], self._reply[:] = 0.0, 0.0
            order, ends = self._order[player], self._ends[player]
            _best_response(self.plan, player, order, ends, self._values, self._gain, self._reply)
        else:
            value_pass(self.plan, player, strategy, self._values, self._gain)
        at = int(self.plan.at[node])
        return self._values[at : at + int(self.plan.size[node])].copy()

    def _leaves(self, strategy: Floats) -> Floats:
        """Both players' values at the frontier under a strategy."""
        if self.frontier.size:
            for player in range(self.flat.players):
                reach_pass(self.plan, player, strategy, self._reach)
        return self.frontier.values(self._reach)

    def _run(self, strategy: Floats) -> Floats:
        buffers = self._reach, self._values, self._gain, self._reply
        return _evaluate(self.plan, self._order, self._ends, strategy, self._leaves(strategy), *buffers)


@kernel
def _evaluate(
    p: Plan, order: Index, ends: Ints, strategy: Floats, leaves: Floats,
    reach: Floats, values: Floats, gain: Floats, reply: Floats,
) -> Floats:  # fmt: skip
    """[2, players]: values and best-response values. One call for all, as small games are measured often."""
    players = len(p.reach_at)
    found = np.empty((2, players))
    gain[:] = 0.0
    reply[:] = 0.0
    for q in range(players):
        _leaf_values(p, q, strategy, leaves, reach, values)
        found[0, q] = _expected(p, q, reach, values)
        found[1, q] = _best_response(p, q, order[q], ends[q], values, gain, reply)
    return found


@kernel
def _leaf_values(p: Plan, player: int, strategy: Floats, leaves: Floats, reach: Floats, values: Floats) -> None:
    """A player's values at all leaves under a strategy; ``leaves`` are all players' values of a frontier."""
    for q in range(len(p.reach_at)):
        reach_pass(p, q, strategy, reach)
    leaf_pass(p, player, reach, values)
    frontier_pass(p, leaves[player], values)


@kernel
def _expected(p: Plan, player: int, reach: Floats, values: Floats) -> float:
    """A player's expected value from the values at the leaves and their own reach of them."""
    total = 0.0
    for leaves in (p.leaves, p.frontier):
        for n in leaves:
            for s in range(p.size[n]):
                total += reach[p.reach_at[player, n] + s] * values[p.at[n] + s]
    return total


def _order(p: Plan, player: int) -> tuple[Index, Ints]:
    """Inner nodes by falling number of the player's own earlier decisions, last first, and where each number ends.

    With perfect recall all nodes of an information set have the same number, so its actions can be compared before any
    of its nodes is needed further up.
    """
    steps, recalls = _own_steps(p, player)
    if not recalls:
        raise ValueError(
            f"player {player} forgets what they knew (imperfect recall): a best response cannot be computed"
        )
    own = steps[p.inner]
    order = p.inner[np.argsort(-own, kind="stable")]
    return order, np.flatnonzero(np.diff(steps[order], append=-1)) + 1


@kernel
def _own_steps(p: Plan, player: int) -> tuple[Ints, bool]:
    steps, last = np.zeros(len(p.player), np.int64), np.full(len(p.player), -1)
    for n in range(len(p.player)):
        own = p.player[n] == player
        for a in range(p.children[n]):
            c = p.first[n] + a
            steps[c] = steps[n] + own
            last[c] = np.int64(p.start[n] + a) if own else last[n]
    recalls = True
    for n in range(len(p.player)):
        if p.player[n] == player and last[n] != last[p.group_node[p.group[n]]]:
            recalls = False
    return steps, recalls


@kernel
def _best_response(
    p: Plan, player: int, order: Index, ends: Ints, values: Floats, gain: Floats, reply: Floats
) -> float:
    """Value of the best response; ``values`` has the leaves. ``gain`` and ``reply`` are tables of zeros to fill."""
    begin = 0
    for end in ends:
        for k in range(begin, end):
            n = order[k]
            if p.player[n] == player:
                below = p.at[p.first[n]]
                for e in range(p.children[n] * p.size[n]):
                    gain[p.start[n] + e] += values[below + e]
        for k in range(begin, end):
            n = order[k]
            here, width, child, start = p.at[n], p.size[n], p.at[p.first[n]], p.start[n]
            for s in range(width):
                values[here + s] = 0.0
            if p.player[n] == player:
                for s in range(width):
                    best = s
                    for a in range(p.children[n]):
                        if gain[start + a * width + s] > gain[start + best]:
                            best = a * width + s
                    values[here + s] = values[child + best]
                    reply[start + best] = 1.0
            elif p.player[n] == DEAL:
                level = p.level[p.first[n]]
                for b in range(p.boards[level]):
                    above = here + p.before[level, b] * p.hands
                    for h in range(p.hands):
                        values[above + h] += values[child + b * p.hands + h]
            else:
                for a in range(p.children[n]):
                    for s in range(width):
                        values[here + s] += values[child + a * width + s]
        begin = end
    total = 0.0
    for s in range(p.size[0]):
        total += p.ranges[player, s] * values[p.at[0] + s]
    return total
