"""Outcome sampling in a part of a game, as Monte-Carlo continual re-solving needs it: the kernel and its tables.

A sample deals two hands and a board, and plays one line to the end of the hand for one player, the *walker*, who
explores. In a gadget game the opponent chooses first whether to leave. Both choices are looked at in every sample: what
leaving pays is known, and the line shows what following does.

The tree grows: a sample stores at most one information set that it has not met before, and plays at random beyond it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.random import next_state, uniform
from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.solvers.passes import Floats
from ludus.trees.flat import DEAL

LEAST_WEIGHT = 1e-9  # in a mean of values: of a history that nobody wants to come to
VALUE, WEIGHT = 0, 1


class Stage(NamedTuple):
    """A part of a game in its public form. Its *cells* are information sets: a group of decisions and a situation."""

    nodes: NDArray[Any]
    payoffs: Floats
    situation: NDArray[np.int32]  # [deals, players, levels]
    outcome: NDArray[np.int8]
    cell: NDArray[np.int64]  # [groups]: the first cell of each
    hands: int


class Start(NamedTuple):
    """How samples begin: which deals, and whether the opponent may leave."""

    player: int  # whose search it is
    share: float  # of the samples that are aimed at some deals
    aim: NDArray[np.int64]  # those deals
    aimed: NDArray[np.bool_]  # [deals]
    chances: Floats  # [deals]: chance times the player's range, adding up to 1
    cumulative: Floats
    leaving: Floats  # [situations of the root]: what the opponent gets who leaves; empty without a gadget


class Tables(NamedTuple):
    """What is learned, rows of actions by_situation."""

    regrets: Floats
    sums: Floats
    stored: NDArray[np.bool_]  # [cells]: whether an information set is in the tree
    values: Floats  # [players, VALUE or WEIGHT, cells of player 0 x hands of player 1]: sums, chips of player 0
    choice: Floats  # [situations of the root, 2]: regrets of leaving and of following


class Line(NamedTuple):
    """The decisions of one sample, and what comes after the last."""

    row: NDArray[np.int64]
    pair: NDArray[np.int64]
    player: NDArray[np.int64]
    action: NDArray[np.int64]
    actions: NDArray[np.int64]  # how many there are
    play: Floats  # [decisions, actions]: the strategy
    likely: Floats  # [decisions]: how probably the action was sampled
    reach: Floats  # [decisions + 1, players]: how probably the players come there
    sampled: Floats  # [decisions + 1]: how probably the sample does, as a multiple of chance


def new_line(depth: int, actions: int) -> Line:
    """Room for so many decisions and actions at each."""
    row, pair, player, action, count = np.zeros((5, depth), np.int64)
    play, likely = np.zeros((depth, actions)), np.zeros(depth)
    return Line(row, pair, player, action, count, play, likely, np.zeros((depth + 1, 2)), np.zeros(depth + 1))


@kernel
def sample(
    stage: Stage, start: Start, tables: Tables, line: Line, epsilon: float, by_reach: bool, first: int, count: int,
    random: NDArray[np.uint64],
) -> None:  # fmt: skip
    """Play samples ``first`` to ``first + count - 1``; even ones are player 0's, odd ones player 1's.

    ``by_reach`` a history's value counts by both players' reach, and the weights are summed beside it. Else it counts
    by the reach of the other, as counterfactual values do: their sum is to be divided by the number of samples.
    """
    other = 1 - start.player
    for t in range(first, first + count):
        walker = t % 2
        deal, sampled = _deal(stage, start, random)
        follows, hand = 1.0, stage.situation[deal, other, stage.nodes[0].level]
        if len(start.leaving):
            follows = _follows(tables.choice[hand])
        line.sampled[0], line.reach[0, other] = sampled, follows
        line.reach[0, start.player] = start.chances[deal] * len(stage.outcome)
        n, depth, stored = _down(stage, tables, line, deal, walker, epsilon, random)
        chips = stage.payoffs[stage.nodes[n].leaf, stage.outcome[deal], 0]
        value = _up(tables, line, depth, stored, walker, chips, by_reach)
        if len(start.leaving) and walker == other:
            weight = line.reach[0, start.player] / sampled
            leave, follow = weight * start.leaving[hand], weight * value
            mean = leave + follows * (follow - leave)
            tables.choice[hand, 0] += leave - mean
            tables.choice[hand, 1] += follow - mean


@kernel
def _draw(random: NDArray[np.uint64]) -> float:
    s0, s1 = random[0], random[1]
    random[0], random[1] = next_state(s0, s1)
    return uniform(s0, s1)


@kernel
def _deal(stage: Stage, start: Start, random: NDArray[np.uint64]) -> tuple[int, float]:
    """A deal, and how probably it is drawn as a multiple of its chance."""
    aims = start.share > 0.0 and _draw(random) < start.share
    u = _draw(random)
    if aims:
        deal = start.aim[int(u * len(start.aim))]
    else:
        deal = min(np.searchsorted(start.cumulative, u, side="right"), len(start.cumulative) - 1)
    sampled = (1.0 - start.share) * start.chances[deal]
    if start.aimed[deal]:
        sampled += start.share / len(start.aim)
    return deal, sampled * len(start.cumulative)


@kernel
def _follows(choice: Floats) -> float:
    """How often regret matching follows."""
    leave, follow = max(choice[0], 0.0), max(choice[1], 0.0)
    return follow / (leave + follow) if leave + follow > 0.0 else 0.5


@kernel
def _down(
    stage: Stage, tables: Tables, line: Line, deal: int, walker: int, epsilon: float, random: NDArray[np.uint64]
) -> tuple[int, int, int]:
    """Play to the end of the hand: its node, the number of decisions, and how many are in the tree now."""
    nodes, depth, stored, n = stage.nodes, 0, 0, 0
    growing = False
    while nodes[n].player != TERMINAL:
        if nodes[n].player == DEAL:
            n = nodes[n].first
            continue
        player, count, level = nodes[n].player, nodes[n].count, nodes[n].level
        here, cell = stage.situation[deal, player, level], stage.cell[nodes[n].group]
        row, total = nodes[n].start + count * here, 0.0
        inside = not growing
        if inside:
            growing = not tables.stored[cell + here]
            tables.stored[cell + here] = True
            stored += 1
            for a in range(count):
                total += max(tables.regrets[row + a], 0.0)
        mine = player == walker
        u, pick, likely = _draw(random), -1, 0.0
        for a in range(count):
            play = max(tables.regrets[row + a], 0.0) / total if total > 0.0 else 1.0 / count
            line.play[depth, a] = play
            if inside and not mine:
                tables.sums[row + a] += play * line.reach[depth, player] / line.sampled[depth]
            mass = epsilon / count + (1.0 - epsilon) * play if mine else play
            if mass > 0.0 and (pick < 0 or u >= 0.0):
                pick, likely = a, mass
            u -= mass
        line.row[depth], line.player[depth], line.actions[depth] = row, player, count
        line.action[depth], line.likely[depth] = pick, likely
        first, second = stage.situation[deal, 0, level], stage.situation[deal, 1, level] % stage.hands
        line.pair[depth] = (cell + first) * stage.hands + second
        line.sampled[depth + 1] = line.sampled[depth] * likely
        line.reach[depth + 1, player] = line.reach[depth, player] * line.play[depth, pick]
        line.reach[depth + 1, 1 - player] = line.reach[depth, 1 - player]
        depth += 1
        n = nodes[n].first + pick
    return n, depth, stored


@kernel
def _up(tables: Tables, line: Line, depth: int, stored: int, walker: int, chips: float, by_reach: bool) -> float:
    """Add to regrets and values along a line; what the line is worth to the walker from its beginning on.

    Regrets: Lanctot et al. (2009), eq. 10. ``below`` is both players' play of the line from a decision on over how
    probably it was sampled, ``own`` the walker's play of the line after it.
    """
    won = chips if walker == 0 else -chips
    against, below, own = line.reach[depth, 1 - walker] / line.sampled[depth], 1.0, 1.0
    for k in range(depth - 1, -1, -1):
        row, pick = line.row[k], line.action[k]
        played = line.play[k, pick]
        below *= played / line.likely[k]
        if k < stored:
            for i in range(2):
                weight = line.reach[k, 1 - i]
                if by_reach:
                    weight = max(weight * line.reach[k, i], LEAST_WEIGHT)
                    tables.values[i, WEIGHT, line.pair[k]] += weight / line.sampled[k]
                tables.values[i, VALUE, line.pair[k]] += weight / line.sampled[k] * below * chips
        if line.player[k] == walker:
            if k < stored:
                gain = won * against * own
                for a in range(line.actions[k]):
                    tables.regrets[row + a] -= gain * played
                tables.regrets[row + pick] += gain
            own *= played
    return won * below
