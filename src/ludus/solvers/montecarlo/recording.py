"""External sampling (Lanctot et al. 2009) of a fixed strategy profile that writes down what it finds, for networks.

A walk is for one player, the *walker*: it follows all of their actions and one of everybody else's. At each of the
walker's decisions it records how much better every action did than the strategy (the sampled *advantages*), at each of
the others' decisions that they were there. Nothing is learnt on the way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.random import next_state, uniform
from ludus.compiled import kernel
from ludus.games.base import CHANCE
from ludus.solvers.passes import Floats
from ludus.trees.flat import FlatGame

MOST_ROWS = 1 << 20  # that one call of the kernel may write


class Recorded(NamedTuple):
    """What walks met."""

    groups: NDArray[np.int32]  # [n]: the walker's decisions ...
    advantages: NDArray[np.float32]  # [n, actions]: ... and what actions gained there, in the tree's order, in chips
    others: NDArray[np.int32]  # [m]: decisions of the others
    touched: int  # nodes of the tree, with repetition


class Recorder:
    """Walks in the history form of a game."""

    def __init__(self, flat: FlatGame) -> None:
        if flat.public:
            raise ValueError(f"walks that are recorded need the history form of {flat.game.name}")
        self.flat = flat
        self._most = [_most_rows(flat.nodes, player) for player in range(flat.players)]
        depth, width = int(flat.nodes["count"].max()) and _deepest(flat.nodes), int(flat.groups["actions"].max())
        self._stack = np.zeros((depth + 1, 2), np.int64)
        self._values = np.zeros((depth + 1, width))

    def walk(self, walker: int, walks: int, strategy: Floats, random: NDArray[np.uint64]) -> Recorded:
        """So many walks for a player through a table [entries] of everybody's probabilities; ``random`` moves on."""
        if strategy.shape != (self.flat.entries,) or strategy.dtype != np.float64:
            raise ValueError(f"a strategy has {self.flat.entries} numbers of float64, got {strategy.shape}")
        if not 0 <= walker < self.flat.players or walks < 0 or random.shape != (2,):
            raise ValueError(f"a player walks 0 or more times, got player {walker} and {walks} walks")
        own, others = self._most[walker]
        at_once = max(1, MOST_ROWS // max(own, others, 1))
        parts, touched = list[tuple[NDArray[Any], ...]](), 0
        for first in range(0, walks, at_once):
            count = min(at_once, walks - first)
            groups, met = np.empty(count * own, np.int32), np.empty(count * others, np.int32)
            gained = np.zeros((count * own, self._values.shape[1]), np.float32)
            n, m, nodes = record(
                self.flat.nodes, self.flat.payoffs, strategy, walker, count, random, self._stack, self._values,
                groups, gained, met,
            )  # fmt: skip
            parts.append((groups[:n], gained[:n], met[:m]))
            touched += nodes
        if not parts:
            parts = [(np.empty(0, np.int32), np.empty((0, self._values.shape[1]), np.float32), np.empty(0, np.int32))]
        groups, gained, met = (np.concatenate(each) for each in zip(*parts, strict=True))
        return Recorded(groups, gained, met, touched)


def _most_rows(nodes: NDArray[Any], walker: int) -> tuple[int, int]:
    """The most decisions of the walker, and of the others, that one walk can meet."""
    own, others = np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64)
    for node in range(len(nodes) - 1, -1, -1):  # children come after their parents
        player, first, count = (int(nodes[name][node]) for name in ("player", "first", "count"))
        if count:
            below = slice(first, first + count)
            if player == walker:
                own[node], others[node] = 1 + own[below].sum(), others[below].sum()
            else:
                own[node], others[node] = own[below].max(), (player >= 0) + others[below].max()
    return int(own[0]), int(others[0])


def _deepest(nodes: NDArray[Any]) -> int:
    depth = np.zeros(len(nodes), np.int64)
    for node in np.flatnonzero(nodes["count"] > 0).tolist():
        first, count = nodes["first"][node], nodes["count"][node]
        depth[first : first + count] = depth[node] + 1
    return int(depth.max())


@kernel
def record(
    nodes: NDArray[Any], payoffs: Floats, strategy: Floats, walker: int, walks: int, random: NDArray[np.uint64],
    stack: NDArray[np.int64], values: Floats, groups: NDArray[np.int32], gained: NDArray[np.float32],
    others: NDArray[np.int32],
) -> tuple[int, int, int]:  # fmt: skip
    """Fill ``groups`` [n], ``gained`` [n, actions] and ``others`` [m]; returns n, m and the nodes touched.

    ``stack`` [depth, 2] has the walker's nodes on the way and the action followed at each, ``values`` [depth, actions].
    """
    s0, s1 = random[0], random[1]
    written = met = touched = 0
    for _ in range(walks):
        n = depth = 0
        while True:
            touched += 1
            player, first, count = nodes[n].player, nodes[n].first, nodes[n].count
            if player == walker:
                stack[depth, 0], stack[depth, 1] = n, 0
                depth += 1
                n = first
            elif player >= 0:
                others[met] = nodes[n].group
                met += 1
                left = uniform(s0, s1)
                s0, s1 = next_state(s0, s1)
                row, pick = nodes[n].start, 0
                for a in range(count):
                    if strategy[row + a] > 0.0:
                        pick = a  # never one of no probability, however the numbers round
                        left -= strategy[row + a]
                        if left < 0.0:
                            break
                n = first + pick
            elif player == CHANCE:
                left = uniform(s0, s1) - nodes[first].probability
                s0, s1 = next_state(s0, s1)
                n, last = first, first + count - 1
                while left >= 0.0 and n < last:
                    n += 1
                    left -= nodes[n].probability
            else:
                result = payoffs[nodes[n].leaf, 0, walker]
                while depth > 0:
                    top = depth - 1
                    n, done = stack[top, 0], stack[top, 1]
                    values[top, done] = result
                    if done + 1 < nodes[n].count:
                        stack[top, 1] = done + 1
                        n = nodes[n].first + done + 1
                        break
                    row, result = nodes[n].start, 0.0
                    for a in range(nodes[n].count):
                        result += strategy[row + a] * values[top, a]
                    groups[written] = nodes[n].group
                    for a in range(nodes[n].count):
                        gained[written, a] = values[top, a] - result
                    written += 1
                    depth = top
                if depth == 0:
                    break
    random[0], random[1] = s0, s1
    return written, met, touched
