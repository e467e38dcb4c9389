"""Walks through a game that sample it: the kernels of Monte Carlo CFR (Lanctot et al. 2009).

A walk is for one player, the *walker*. At its nodes it follows all actions, or one, or some of them; at those of the
others all or one; at chance always one. A value estimate divides by the probability with which an action was followed,
which makes every estimate unbiased.

With two players the walk for one also averages the other's strategy, where it meets them. With more, a third player who
never does something would keep parts of the tree out of the average, so each player has a walk for averages alone, in
which the others move at random.

Tables are by_situation. ``external`` is the one that has to be fastest and stands by itself; ``walk`` is the general
one, which can also stop at a node that is not known yet and go on later.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.random import next_state, uniform
from ludus.compiled import kernel
from ludus.games.base import CHANCE, TERMINAL
from ludus.solvers.passes import Floats
from ludus.trees.flat import DEAL, UNKNOWN

EXTERNAL, OUTCOME, CHANCE_ONLY, AVERAGE = 0, 1, 2, 3
ZERO, ONE = np.uint64(0), np.uint64(1)  # unsigned indices: Numba need not look for negative ones
DONE, GROW, PAUSE = -1, -2, -3  # what ``walk`` returns when it has not come to an unknown node


class World(NamedTuple):
    """The tree to walk in and the deals to draw from."""

    nodes: NDArray[Any]
    payoffs: Floats
    situation: NDArray[np.int32]  # [deals, players or 1, levels]
    outcome: NDArray[np.int8]
    fixed: NDArray[np.bool_]  # [players]: who does not learn


class Rule(NamedTuple):
    """How to sample and to weigh."""

    sampling: int
    epsilon: float  # outcome: share of uniform exploration; average: smallest probability
    beta: float  # average-strategy sampling (Gibson et al. 2012)
    tau: float
    averaging_from: int
    power: float  # iteration t weighs t**power in the average
    baseline: float  # step of the moving averages that serve as baselines; 0 for none


class Path(NamedTuple):
    """Where a walk is: what it must remember to go on after it has stopped."""

    cursor: NDArray[np.int64]  # node, depth, walker, iteration, deal
    random: NDArray[np.uint64]  # [2]
    node: NDArray[np.int64]  # [depth]
    row: NDArray[np.int64]
    action: NDArray[np.int64]
    own: Floats  # [depth]: probability with which the walker's own samples led here
    reach: Floats  # [depth, players]
    sigma: Floats  # [depth, actions]
    chosen: Floats  # [depth, actions]: probability with which an action was chosen, 0 where it was not
    value: Floats  # [depth, actions]


def new_path(players: int, depth: int, actions: int) -> Path:
    """An empty path with room for so many decisions on it and actions at each."""
    return Path(
        cursor=np.zeros(5, np.int64),
        random=np.zeros(2, np.uint64),
        node=np.zeros(depth, np.int64),
        row=np.zeros(depth, np.int64),
        action=np.zeros(depth, np.int64),
        own=np.ones(depth),
        reach=np.ones((depth, players)),
        sigma=np.zeros((depth, actions)),
        chosen=np.zeros((depth, actions)),
        value=np.zeros((depth, actions)),
    )


@kernel
def external(
    world: World, averaging_from: int, power: float, first: int, iterations: int, random: NDArray[np.uint64],
    regrets: Floats, sums: Floats, path: Path,
) -> None:  # fmt: skip
    """External sampling for two players: all actions of the walker, one of the other's; ``random`` is moved on."""
    nodes, payoffs, situation, outcome = world.nodes, world.payoffs, world.situation, world.outcome
    stack_node, stack_row, stack_action, sigma, value = path.node, path.row, path.action, path.sigma, path.value
    s0, s1 = random[0], random[1]
    deals, own_cards = len(outcome), situation.shape[1] > 1
    for t in range(first, first + iterations):
        weight = 0.0 if t < averaging_from else float(t) ** power if power != 0.0 else 1.0
        for walker in range(2):
            learns = not world.fixed[walker]  # if not, the walk is for the other's average alone
            deal = ZERO
            if deals > 1:
                deal = np.uint64(uniform(s0, s1) * deals)
                s0, s1 = next_state(s0, s1)
            depth = n = ZERO
            while True:
                player, child, count = nodes[n].player, np.uint64(nodes[n].first), np.uint64(nodes[n].count)
                if player >= 0:
                    row = np.uint64(nodes[n].start)
                    if own_cards:
                        row += count * np.uint64(situation[deal, np.uint64(player), np.uint64(nodes[n].level)])
                    total = 0.0
                    for a in range(count):
                        total += max(regrets[row + a], 0.0)
                    scale = 1.0 / total if total > 0.0 else 1.0 / count
                    if player == walker:
                        for a in range(count):
                            sigma[depth, a] = max(regrets[row + a], 0.0) * scale if total > 0.0 else scale
                        stack_node[depth], stack_row[depth], stack_action[depth] = n, row, ZERO
                        depth += ONE
                        n = child
                        continue
                    left = uniform(s0, s1)
                    s0, s1 = next_state(s0, s1)
                    if total > 0.0:
                        left, found = left * total, False
                        for a in range(count):
                            mass = max(regrets[row + a], 0.0)
                            if mass > 0.0:
                                sums[row + a] += weight * mass * scale
                                if not found:
                                    n, found = child + a, left < mass
                                    left -= mass
                    else:
                        n = child + np.uint64(left * count)
                        for a in range(count):
                            sums[row + a] += weight * scale
                elif player == DEAL:
                    n = child
                elif player == CHANCE:
                    left = uniform(s0, s1) - nodes[child].probability
                    s0, s1 = next_state(s0, s1)
                    n, last = child, child + count - ONE
                    while left >= 0.0 and n < last:
                        n += ONE
                        left -= nodes[n].probability
                else:
                    result = payoffs[np.uint64(nodes[n].leaf), np.uint64(outcome[deal]), walker]
                    while depth > ZERO:
                        top = depth - ONE
                        n, row, done = (
                            np.uint64(stack_node[top]),
                            np.uint64(stack_row[top]),
                            np.uint64(stack_action[top]),
                        )
                        child, count = np.uint64(nodes[n].first), np.uint64(nodes[n].count)
                        value[top, done] = result
                        if done + ONE < count:
                            stack_action[top] = done + ONE
                            n = child + done + ONE
                            break
                        result = 0.0
                        for a in range(count):
                            result += sigma[top, a] * value[top, a]
                        if learns:
                            for a in range(count):
                                regrets[row + a] += value[top, a] - result
                        depth = top
                    if depth == ZERO:
                        break
    random[0], random[1] = s0, s1


@kernel
def walk(
    world: World, rule: Rule, iterations: int, path: Path,
    policy: Floats, regrets: Floats, sums: Floats, baselines: Floats,
) -> int:  # fmt: skip
    """Go on from ``path`` until its iteration is above ``iterations`` (DONE), or return a node that must be expanded.

    ``policy`` holds the regrets that are played from, ``regrets`` those that are added to: the same table in training.
    ``baselines`` is [players, entries]: for each walker a moving average of what an action is worth to them (Schmid et
    al. 2019, eq. 8), so that an action not followed counts with its baseline instead of with 0. GROW is returned when
    the path has no room for one more decision, PAUSE after each walk of chance sampling.
    """
    nodes, payoffs, situation, outcome = world.nodes, world.payoffs, world.situation, world.outcome
    sigma, chosen, value, reach, own = path.sigma, path.chosen, path.value, path.reach, path.own
    players, sampling = reach.shape[1], rule.sampling
    deals, own_cards = len(outcome), situation.shape[1] > 1
    s0, s1 = path.random[0], path.random[1]
    n, depth, walker, t, deal = path.cursor[0], path.cursor[1], path.cursor[2], path.cursor[3], path.cursor[4]
    walks = 2 * players if players != 2 and sampling != CHANCE_ONLY else players
    while t <= iterations:
        if n < 0:  # a new walk
            if world.fixed[walker % players] and (players != 2 or sampling == CHANCE_ONLY):
                walker += 1
                if walker == walks:
                    walker, t = 0, t + 1
                continue
            deal = 0
            if deals > 1:
                deal = int(uniform(s0, s1) * deals)
                s0, s1 = next_state(s0, s1)
            n, depth = 0, 0
            own[0] = 1.0
            for q in range(players):
                reach[0, q] = 1.0
        player = nodes[n].player
        if player == UNKNOWN or (player >= 0 and (depth + 1 == len(own) or nodes[n].count > sigma.shape[1])):
            path.cursor[0], path.cursor[1], path.cursor[2], path.cursor[3], path.cursor[4] = n, depth, walker, t, deal
            path.random[0], path.random[1] = s0, s1
            return n if player == UNKNOWN else GROW
        if player == DEAL:
            n = nodes[n].first
            continue
        if player == CHANCE:
            left = uniform(s0, s1)
            s0, s1 = next_state(s0, s1)
            c, last = nodes[n].first, nodes[n].first + nodes[n].count - 1
            left -= nodes[c].probability
            while left >= 0.0 and c < last:
                c += 1
                left -= nodes[c].probability
            n = c
            continue
        if player >= 0:
            count = nodes[n].count
            row = nodes[n].start
            if own_cards:
                row += count * situation[deal, player, nodes[n].level]
            total = 0.0
            for a in range(count):
                total += max(policy[row + a], 0.0)
            for a in range(count):
                sigma[depth, a] = max(policy[row + a], 0.0) / total if total > 0.0 else 1.0 / count
                chosen[depth, a] = 0.0
                value[depth, a] = baselines[walker % players, row + a] if rule.baseline > 0.0 else 0.0
            weight = 0.0 if t < rule.averaging_from else float(t) ** rule.power
            if walker >= players:  # a walk for averages alone: its player plays, the others move at random
                mine = player == walker - players
                left = uniform(s0, s1)
                s0, s1 = next_state(s0, s1)
                pick = -1
                for a in range(count):
                    mass = sigma[depth, a] if mine else 1.0 / count
                    sums[row + a] += weight * mass if mine else 0.0
                    if mass > 0.0 and (pick < 0 or left >= 0.0):
                        pick = a
                    left -= mass
                n = nodes[n].first + pick
                continue
            # which actions to follow
            if sampling == CHANCE_ONLY:
                for a in range(count):
                    chosen[depth, a] = 1.0
                    if player == walker:
                        sums[row + a] += weight * reach[depth, player] * sigma[depth, a]
            elif player == walker and sampling == EXTERNAL:
                for a in range(count):
                    chosen[depth, a] = 1.0
            elif player == walker and sampling == AVERAGE:
                played = 0.0
                for a in range(count):
                    played += sums[row + a]
                for a in range(count):
                    likely = (rule.beta + rule.tau * sums[row + a]) / (rule.beta + played)
                    likely = max(rule.epsilon, min(1.0, likely))
                    if uniform(s0, s1) < likely:
                        chosen[depth, a] = likely
                    s0, s1 = next_state(s0, s1)
            else:
                explore = rule.epsilon if player == walker else 0.0
                left = uniform(s0, s1)
                s0, s1 = next_state(s0, s1)
                pick, likely = -1, 0.0
                for a in range(count):
                    mass = explore / count + (1.0 - explore) * sigma[depth, a]
                    if mass > 0.0 and (pick < 0 or left >= 0.0):
                        pick, likely = a, mass
                    left -= mass
                chosen[depth, pick] = likely
            if player != walker and players == 2 and sampling != CHANCE_ONLY:
                for a in range(count):  # this player came here as they play; what the walker's samples did is undone
                    sums[row + a] += weight * sigma[depth, a] / own[depth]
            path.node[depth], path.row[depth], path.action[depth] = n, row, -1
            depth += 1
            result, back = 0.0, False
        else:
            assert player == TERMINAL
            result, back = payoffs[nodes[n].leaf, outcome[deal], walker % players], True
        # the next action to follow, or up
        while depth > 0:
            top = depth - 1
            n, row, a = path.node[top], path.row[top], path.action[top]
            count, player = nodes[n].count, nodes[n].player
            if back:  # what following an action has brought: its baseline, and the surprise over its probability
                value[top, a] += (result - value[top, a]) / chosen[top, a]
                if rule.baseline > 0.0:
                    baselines[walker, row + a] += rule.baseline * (result - baselines[walker, row + a])
            a += 1
            while a < count and chosen[top, a] == 0.0:
                a += 1
            if a < count:
                path.action[top] = a
                for q in range(players):
                    reach[depth, q] = reach[top, q]
                reach[depth, player] *= sigma[top, a]
                own[depth] = own[top] * (chosen[top, a] if player == walker else 1.0)
                n = nodes[n].first + a
                break
            result, back = 0.0, True
            for a in range(count):
                result += sigma[top, a] * value[top, a]
            if player == walker and not world.fixed[walker]:
                scale = 1.0 / own[top]
                if sampling == CHANCE_ONLY:
                    for q in range(players):
                        if q != walker:
                            scale *= reach[top, q]
                for a in range(count):
                    regrets[row + a] += scale * (value[top, a] - result)
            depth = top
        if depth == 0:
            n = -1
            walker += 1
            if walker == walks:
                walker, t = 0, t + 1
            if sampling == CHANCE_ONLY:  # it can meet an information set more than once, and must play it alike
                path.cursor[0], path.cursor[1], path.cursor[2], path.cursor[3] = n, depth, walker, t
                path.random[0], path.random[1] = s0, s1
                return PAUSE
    path.cursor[0], path.cursor[1], path.cursor[2], path.cursor[3], path.cursor[4] = n, depth, walker, t, deal
    path.random[0], path.random[1] = s0, s1
    return DONE


@kernel
def chance_walks(
    world: World, rule: Rule, iterations: int, path: Path, regrets: Floats, sums: Floats, baselines: Floats
) -> int:
    """``walk`` for chance sampling: each walk plays from the regrets as they were when it began."""
    policy = regrets.copy()
    code = PAUSE
    while code == PAUSE:
        code = walk(world, rule, iterations, path, policy, regrets, sums, baselines)
        policy[:] = regrets
    return code
