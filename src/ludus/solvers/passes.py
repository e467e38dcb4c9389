"""Passes over a flat game that the exact solvers share: reach down the tree, payoffs at its leaves, values back up.

All vectors run over situations (see ``ludus.trees.flat``). Counterfactual values follow Zinkevich et al. (2007), eq. 7:
they are weighted by the probability with which chance and the *others* reach a node. Chance's share of it is constant,
so it is multiplied into the payoffs once. Where a tree begins in the middle of a hand the players' *ranges*, how
probably they hold each hand by then, are their reach of the root; where it ends before the hand does, the values of the
frontier are given.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.trees.flat import DEAL, FRONTIER, FlatGame

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LEAST_RANGE = 1e-30  # of the likeliest situation: what cannot be held learns to play too, and changes nothing
Index = NDArray[np.uint64]  # unsigned: Numba then need not look for negative indices, and loops become vector code


class Plan(NamedTuple):
    """A flat game with everything that the passes look up. Node arrays are in tree order, parents first."""

    player: Ints
    children: Index  # how many; they lie side by side from ``first`` on
    first: Index
    start: Index
    group: Ints
    at: Index  # where a node's vector of values begins
    size: Index  # its length, the number of situations
    reach_at: Index  # [players, nodes]: where a player's vector of reach begins; nodes at which it is equal share it
    movers: Index  # decisions of player 0 and deals, of player 1 and deals, ..., in tree order
    mover_start: Ints  # [players + 1]
    inner: Index  # nodes with children, last first
    leaves: Index  # terminal nodes
    leaf_weights: Floats  # [leaves, players, tables]: payoff as multiples of wins minus losses, of meetings, of ties
    frontier: Index  # nodes where the tree ends before the hand does
    ranges: Floats  # [players, situations of the root]: reach of the root
    hands: np.uint64
    level: Index
    boards: Index  # [levels]
    before: Index  # [levels, boards]: a board's board one level before
    tables: Floats  # wins minus losses, meetings and ties, each [board, other's hand, own hand]: their probabilities
    table_at: Index  # [levels, tables]: where they begin
    groups: Index  # groups of player 0, of player 1, ...
    group_start: Ints  # [players + 1]
    group_entry: Index  # [groups]: where a group's numbers begin in a table
    group_actions: Index
    group_size: Index
    group_node: Index
    values: int  # length of a buffer of values
    reaches: int  # length of a buffer of reach


def plan(flat: FlatGame, ranges: Floats | None = None) -> Plan:
    """Everything the passes need, computed once; ``ranges``, [players, situations of the root], are 1 unless given."""
    nodes, deals, players = flat.nodes, flat.deals, flat.players
    player = nodes["player"].astype(np.int64)
    boards = np.array([len(level) for level in deals.boards])
    size = boards[nodes["level"]] * len(deals.hands)
    reach_at, reaches = _reach_offsets(player, nodes["first"], nodes["count"], size, players)
    movers = [np.flatnonzero((player == p) | (player == DEAL)) for p in range(players)]
    owned = [np.flatnonzero(flat.groups["player"] == p) for p in range(players)]
    leaves = np.flatnonzero(player == TERMINAL)
    weights = _leaf_weights(flat.payoffs[nodes["leaf"][leaves]]) * chance_reach(nodes)[leaves, None, None]
    if flat.leaving:  # two more tables: meetings times what the one who leaves gets, by their own hand and the other's
        leave, paid = nodes["leaf"][leaves] == flat.leaving.leaf, 1 - flat.leaving.player
        weights = np.concatenate([weights, np.zeros((len(leaves), players, 2))], axis=2)
        weights[leave, flat.leaving.player, 3], weights[leave, paid, 4] = 1.0, -1.0
    before = np.zeros((len(boards), boards.max()), np.uint64)
    for level, above in enumerate(deals.before):
        before[level, : len(above)] = above
    tables = [deals.wins, deals.ties, *deals.meet]  # all symmetric but the first, which is turned
    if flat.leaving:
        meet, payoffs = deals.meet[nodes["level"][0]], flat.leaving.payoffs.reshape(-1, len(deals.hands))
        tables += [meet * payoffs[:, :, None], meet * payoffs[:, None, :]]
    ends = np.cumsum([table.size for table in tables])
    extra = ends[-3:-1].tolist() if flat.leaving else []
    table_at = np.array([[0, ends[1 + level], ends[0], *extra] for level in range(len(boards))])
    groups = {name: _index(flat.groups[name]) for name in ("start", "actions", "situations", "node")}
    return Plan(
        player=player,
        children=_index(nodes["count"]),
        first=_index(nodes["first"]),
        start=_index(nodes["start"]),
        group=nodes["group"].astype(np.int64),
        at=_index(np.cumsum(size) - size),
        size=_index(size),
        reach_at=_index(reach_at),
        movers=_index(np.concatenate(movers)),
        mover_start=np.cumsum([0, *map(len, movers)]),
        inner=_index(np.flatnonzero(nodes["count"] > 0)[::-1]),
        leaves=_index(leaves),
        leaf_weights=weights,
        frontier=_index(np.flatnonzero(player == FRONTIER)),
        ranges=checked_ranges(flat, ranges),
        hands=np.uint64(len(deals.hands)),
        level=_index(nodes["level"]),
        boards=_index(boards),
        before=before,
        tables=np.concatenate([table.transpose(0, 2, 1).ravel() for table in tables]),
        table_at=_index(table_at),
        groups=_index(np.concatenate(owned)),
        group_start=np.cumsum([0, *map(len, owned)]),
        group_entry=groups["start"],
        group_actions=groups["actions"],
        group_size=groups["situations"],
        group_node=groups["node"],
        values=int(size.sum()),
        reaches=int(reaches),
    )


def checked_ranges(flat: FlatGame, ranges: Floats | None) -> Floats:
    """Ranges for the root of a game, none of them quite 0; ValueError unless they are weights of its situations."""
    root = int(flat.nodes["level"][0])
    shape = flat.players, len(flat.deals.boards[root]) * len(flat.deals.hands)
    if ranges is None:
        return np.ones(shape)
    if np.shape(ranges) != shape:
        raise ValueError(f"ranges are [players, situations of the root] = {list(shape)}, got {list(np.shape(ranges))}")
    if not (np.isfinite(ranges).all() and np.min(ranges) >= 0 and np.max(ranges, axis=1).min() > 0):
        raise ValueError("ranges are finite weights, none below 0 and some above it for each player")
    floored: Floats = np.maximum(ranges, LEAST_RANGE * np.max(ranges, axis=1, keepdims=True))
    return floored


def _index(values: NDArray[np.integer[Any]]) -> Index:
    return np.ascontiguousarray(values, np.uint64)


def _leaf_weights(payoffs: Floats) -> Floats:
    """Payoffs [leaves, outcomes, players] as multiples of (wins - losses), of any meeting, and of ties, per player."""
    weights = np.empty((len(payoffs), payoffs.shape[2], 3))
    for player in range(payoffs.shape[2]):
        win, lose = payoffs[:, min(player, 1), player], payoffs[:, 1 - min(player, 1), player]
        weights[:, player, 0] = (win - lose) / 2
        weights[:, player, 1] = (win + lose) / 2
        weights[:, player, 2] = payoffs[:, 2, player] - weights[:, player, 1]
    return weights


@kernel
def _reach_offsets(player: Ints, first: Ints, count: Ints, size: Ints, players: int) -> tuple[Ints, int]:
    offsets = np.zeros((players, len(player)), np.int64)
    used = 0
    for p in range(players):
        offsets[p, 0] = used
        used += size[0]
        for n in range(len(player)):
            for c in range(first[n], first[n] + count[n]):
                if player[n] == p or player[n] == DEAL:
                    offsets[p, c] = used
                    used += size[c]
                else:
                    offsets[p, c] = offsets[p, n]
    return offsets, used


def chance_reach(nodes: NDArray[np.void]) -> Floats:
    """How probably chance lets each node of the history form come; 1 everywhere in the public form."""
    reach = np.ones(len(nodes))
    for node in np.flatnonzero(nodes["count"] > 0).tolist():
        first, count = nodes["first"][node], nodes["count"][node]
        reach[first : first + count] = reach[node] * nodes["probability"][first : first + count]
    return reach


@kernel
def reach_pass(p: Plan, player: int, strategy: Floats, reach: Floats) -> None:
    """Fill in how probably a player's own play reaches each node with each situation, under a strategy (by_action)."""
    movers, owner, size, first = p.movers, p.player, p.size, p.first
    at, count, start, before, boards, level = p.reach_at[player], p.children, p.start, p.before, p.boards, p.level
    hands = p.hands
    for s in range(size[0]):
        reach[at[0] + s] = p.ranges[player, s]
    for m in range(p.mover_start[player], p.mover_start[player + 1]):
        n = movers[m]
        here, width, there = at[n], size[n], at[first[n]]
        if owner[n] == DEAL:
            below = level[first[n]]
            for b in range(boards[below]):
                above = here + before[below, b] * hands
                for h in range(hands):
                    reach[there + b * hands + h] = reach[above + h]
            continue
        for a in range(count[n]):
            shift = a * width
            entry = start[n] + shift
            for s in range(width):
                reach[there + shift + s] = reach[here + s] * strategy[entry + s]


@kernel
def leaf_pass(p: Plan, player: int, reach: Floats, values: Floats) -> None:
    """Fill in a player's counterfactual values at the leaves from the others' reach."""
    hands, boards, level, at, weights = p.hands, p.boards, p.level, p.at, p.leaf_weights
    leaves, reach_at, tables, table_at = p.leaves, p.reach_at, p.tables, p.table_at
    players = len(reach_at)
    others = reach_at[min(1 - min(player, 1), players - 1)]
    for k in range(len(leaves)):
        n = leaves[k]
        here, width = at[n], boards[level[n]] * hands
        if players != 2:  # one situation: the others' reach is a product
            product = weights[k, player, 1]
            for q in range(players):
                if q != player:
                    product *= reach[reach_at[q, n]]
            values[here] = product
            continue
        for s in range(width):
            values[here + s] = 0.0
        for term in range(weights.shape[2]):
            weight = weights[k, player, term]
            if weight == 0.0:
                continue
            table, there = table_at[level[n], term], others[n]
            for b in range(boards[level[n]]):
                own = here + b * hands
                for o in range(hands):
                    scaled = weight * reach[there + o]
                    if scaled != 0.0:  # much of a good strategy is never played
                        for h in range(hands):
                            values[own + h] += scaled * tables[table + h]
                    table += hands
                there += hands


@kernel
def frontier_pass(p: Plan, given: Floats, values: Floats) -> None:
    """Fill in a player's counterfactual values at the frontier: vectors of its nodes, one after the other."""
    used = 0
    for n in p.frontier:
        for s in range(p.size[n]):
            values[p.at[n] + s] = given[used + s]
        used += p.size[n]


@kernel
def value_pass(p: Plan, player: int, strategy: Floats, values: Floats, regret: Floats) -> None:
    """Carry a player's values up from the leaves and add their immediate regrets to a table (by_action)."""
    inner, owner, size, first, at = p.inner, p.player, p.size, p.first, p.at
    count, start, before, boards, level = p.children, p.start, p.before, p.boards, p.level
    hands = p.hands
    for k in range(len(inner)):
        n = inner[k]
        here, width, child = at[n], size[n], at[first[n]]
        for s in range(width):
            values[here + s] = 0.0
        if owner[n] == DEAL:
            below = level[first[n]]
            for b in range(boards[below]):
                above = here + before[below, b] * hands
                for h in range(hands):
                    values[above + h] += values[child + b * hands + h]
        elif owner[n] == player:
            for a in range(count[n]):
                shift = a * width
                entry = start[n] + shift
                for s in range(width):
                    values[here + s] += strategy[entry + s] * values[child + shift + s]
            for a in range(count[n]):
                shift = a * width
                entry = start[n] + shift
                for s in range(width):
                    regret[entry + s] += values[child + shift + s] - values[here + s]
        else:
            for a in range(count[n]):
                shift = a * width
                for s in range(width):
                    values[here + s] += values[child + shift + s]


@kernel
def by_action(p: Plan, table: Floats) -> Floats:
    """A table by_situation as one by_action."""
    out = np.empty_like(table)
    for g in range(len(p.group_entry)):
        start, count, width = p.group_entry[g], p.group_actions[g], p.group_size[g]
        for s in range(width):
            for a in range(count):
                out[start + a * width + s] = table[start + s * count + a]
    return out


@kernel
def by_situation(p: Plan, table: Floats) -> Floats:
    """A table by_action as one by_situation."""
    out = np.empty_like(table)
    for g in range(len(p.group_entry)):
        start, count, width = p.group_entry[g], p.group_actions[g], p.group_size[g]
        for s in range(width):
            for a in range(count):
                out[start + s * count + a] = table[start + a * width + s]
    return out


@kernel
def normalised(p: Plan, table: Floats, fallback: Floats) -> Floats:
    """Each information set's numbers divided by their sum; the fallback's where that is 0. All by_action."""
    out = np.empty_like(table)
    for g in range(len(p.group_entry)):
        start, count, width = p.group_entry[g], p.group_actions[g], p.group_size[g]
        for s in range(width):
            total = 0.0
            for a in range(count):
                total += table[start + a * width + s]
            for a in range(count):
                e = start + a * width + s
                out[e] = table[e] / total if total > 0.0 else fallback[e]
    return out


@kernel
def uniform_strategy(p: Plan) -> Floats:
    """Every action equally likely."""
    out = np.empty(int((p.group_actions * p.group_size).sum()))
    for g in range(len(p.group_entry)):
        for e in range(p.group_entry[g], p.group_entry[g] + p.group_actions[g] * p.group_size[g]):
            out[e] = 1.0 / p.group_actions[g]
    return out


@kernel
def copy_player(p: Plan, player: int, source: Floats, target: Floats) -> None:
    """Overwrite one player's part of a table with that of another table of the same order."""
    for k in range(p.group_start[player], p.group_start[player + 1]):
        g = p.groups[k]
        for e in range(p.group_entry[g], p.group_entry[g] + p.group_actions[g] * p.group_size[g]):
            target[e] = source[e]
