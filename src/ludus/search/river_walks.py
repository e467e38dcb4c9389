"""Walks through the last street, compiled, with all hands of a player at once.

On the river nothing is drawn any more, so who wins is a matter of ranks. A walk draws the hands of the other players
and one hand of each group of the walker's, all of which meet the same opponents (Johanson, Bard, Lanctot, Gibson &
Bowling 2012, "Efficient Nash Equilibrium Approximation through Monte Carlo Counterfactual Regret Minimization"), and
takes one action of everybody else's.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.random import next_state
from ludus.cards.ranges import Weights
from ludus.cards.showdown import COMBO_BITS
from ludus.compiled import kernel
from ludus.search.multiway_walks import Street, deal_for, first_action, luck, match_regrets, pick
from ludus.search.street_tree import MOST_CHOICES, StreetTree
from ludus.solvers.blueprint.deals import DEAL, held_combo, won
from ludus.solvers.blueprint.rollouts import UnseenCards, fraction

Floats = NDArray[np.float64]
_DEEP = 16  # decisions of one player on the river, at most


class Members(NamedTuple):
    """The hands of a seat by their groups."""

    combo: NDArray[np.int64]  # [hands]
    total: Floats  # [hands] the part of the group up to this hand
    starts: NDArray[np.int64]  # [groups + 1]


class RiverRoom(NamedTuple):
    """Arrays that a walk works in; a number a group is the last dimension."""

    deck: NDArray[np.uint8]
    deals: Any  # [1] of DEAL
    own: NDArray[np.int64]  # [players] the group of each other seat's hand
    rank: NDArray[np.int64]  # of the walker's hand, 0 where they hold none
    sigma: Floats  # [MOST_CHOICES]
    nodes: NDArray[np.int64]  # [2, deep] the walker's decisions that a walk is in, and the next action of each
    chance: Floats  # [deep, MOST_CHOICES, groups]
    value: Floats  # [deep, MOST_CHOICES, groups]
    reach: Floats  # [deep, groups]
    found: Floats  # [groups]


def members_of(group: NDArray[np.int64], weights: Weights, groups: int, exact: int) -> Members:
    """The hands of groups that are numbered up to the last, which is the ``exact`` hand alone, or empty for -1."""
    held = np.flatnonzero(weights)
    combo = held[np.argsort(group[held], kind="stable")]
    counts = np.bincount(group[combo], minlength=groups)
    if exact >= 0:
        combo, counts[groups - 1] = np.append(combo, exact), 1
    starts = np.concatenate([[0], np.cumsum(counts)])
    total = np.zeros(len(combo))
    for low, high in pairwise(starts):
        part = np.cumsum(weights[combo[low:high]])
        total[low:high] = part / part[-1] if len(part) else part
    return Members(combo, total, starts)


@kernel
def make_river_room(players: int, groups: int) -> RiverRoom:
    """Room for walks at a table."""
    return RiverRoom(
        np.zeros(2 * players + 5, np.uint8), np.zeros(1, DEAL), np.zeros(players, np.int64), np.zeros(groups, np.int64),
        np.zeros(MOST_CHOICES), np.zeros((2, _DEEP), np.int64), np.zeros((_DEEP, MOST_CHOICES, groups)),
        np.zeros((_DEEP, MOST_CHOICES, groups)), np.zeros((_DEEP, groups)), np.zeros(groups),
    )  # fmt: skip


@kernel
def learn_river(
    rules: Any, street: Street, regret: Floats, table: UnseenCards, ranks: NDArray[np.int64], members: Members,
    seat: int, walks: int, s0: np.uint64, s1: np.uint64, gain: Floats, average: Floats,
) -> int:  # fmt: skip
    """Walks for one seat against hands from a table, whose regrets and strategies are added to rows of its own.

    ``ranks [1326]`` are those of all hands on the board. Returns the number of walks.
    """
    players, groups = rules.players, street.groups
    room = make_river_room(players, groups)
    for number in range(walks):
        first = first_action(street.tree, seat == street.asked, number)
        found, wanted, s0, s1 = deal_for(street, regret, table, first, number, room.deck, room.sigma, s0, s1)
        if not found:
            return number
        if not wanted:
            continue
        used = _sort(street, table, seat, players, ranks, room)
        key = s0 + s1
        s0, s1 = next_state(s0, s1)
        for group in range(groups):
            held = _drawn(members, group, fraction(key, np.int64(group)))
            room.rank[group] = ranks[held] if held >= 0 and not COMBO_BITS[held] & used else 0
        walk(rules, street, regret, seat, key, first, room, gain, average)
    return walks


@kernel
def _sort(
    street: Street, table: UnseenCards, seat: int, players: int, ranks: NDArray[np.int64], room: RiverRoom
) -> np.uint64:
    """Find the groups and ranks of the other players' hands; returns the cards that nobody else can hold."""
    used = table.bits
    for other in range(players):
        if other == seat or street.tree.hands[0].folded >> other & 1:
            continue
        combo = held_combo(room.deck, other)
        room.own[other] = street.group[other, combo]
        room.deals[0].rank[other] = ranks[combo]
        used |= COMBO_BITS[combo]
    return used


@kernel
def _drawn(members: Members, group: int, u: float) -> int:
    """The hand of a group that a number from 0 to 1 falls on, -1 where it has none."""
    low, high = members.starts[group], members.starts[group + 1] - 1
    if high < low:
        return -1
    while low < high:
        middle = (low + high) >> 1
        if u < members.total[middle]:
            high = middle
        else:
            low = middle + 1
    return int(members.combo[low])


@kernel
def walk(
    rules: Any, street: Street, regret: Floats, seat: int, key: np.uint64, first: int, room: RiverRoom, gain: Floats,
    average: Floats,
) -> None:  # fmt: skip
    """All actions of the walker with all hands, one of everybody else's; the first may be given."""
    tree, groups = street.tree, street.groups
    node, depth = np.int64(0 if first < 0 else tree.first[0] + first), 0
    while True:
        while tree.children[node] > 0 and tree.hands[node].player != seat:
            other, count = tree.hands[node].player, tree.children[node]
            match_regrets(regret, tree.row[node] + room.own[other] * count, count, room.sigma)
            node = tree.first[node] + pick(room.sigma, count, luck(key, other, tree.hands[node].moves))
        if tree.children[node] > 0:
            _enter(tree, node, depth, groups, regret, room, average)
            depth += 1
            node = tree.first[node]
            continue
        _end(rules, street, node, seat, room)
        while depth > 0:
            above, at = room.nodes[0, depth - 1], room.nodes[1, depth - 1]
            room.value[depth - 1, at] = room.found
            if at + 1 < tree.children[above]:
                break
            _leave(tree, above, depth - 1, groups, room, gain)
            depth -= 1
        if depth == 0:
            return
        room.nodes[1, depth - 1] += 1
        node = tree.first[room.nodes[0, depth - 1]] + room.nodes[1, depth - 1]


@kernel
def _enter(
    tree: StreetTree, node: np.int64, depth: int, groups: int, regret: Floats, room: RiverRoom, average: Floats
) -> None:
    """Begin a decision of the walker's: the strategy of every group, averaged by how often it comes here itself."""
    count = tree.children[node]
    room.nodes[0, depth], room.nodes[1, depth] = node, 0
    for group in range(groups):
        reach = 1.0
        if depth > 0:
            reach = room.reach[depth - 1, group] * room.chance[depth - 1, room.nodes[1, depth - 1], group]
        room.reach[depth, group] = reach
        row = tree.row[node] + group * count
        match_regrets(regret, row, count, room.sigma)
        for at in range(count):
            room.chance[depth, at, group] = room.sigma[at]
            if room.rank[group] > 0:
                average[row + at] += reach * room.sigma[at]


@kernel
def _leave(tree: StreetTree, node: np.int64, depth: int, groups: int, room: RiverRoom, gain: Floats) -> None:
    """End a decision of the walker's: its value, and what each action would have gained on it."""
    count = tree.children[node]
    for group in range(groups):
        value = 0.0
        for at in range(count):
            value += room.chance[depth, at, group] * room.value[depth, at, group]
        room.found[group] = value
        if room.rank[group] > 0:
            for at in range(count):
                gain[tree.row[node] + group * count + at] += room.value[depth, at, group] - value


@kernel
def _end(rules: Any, street: Street, node: np.int64, seat: int, room: RiverRoom) -> None:
    """What the walker wins with every hand where the hand is over.

    Groups go from the weakest to the strongest, so that hands with the same winners stand together.
    """
    hand, deal = street.tree.hands[node], room.deals[0]
    value, before = 0.0, np.int64(-1)
    for group in range(street.groups):
        rank = room.rank[group]
        order = np.int64(0)
        for other in range(rules.players):
            if other != seat and not hand.folded >> other & 1:
                order = 3 * order + (rank < deal.rank[other]) + 2 * (rank == deal.rank[other])
        if order != before:
            deal.rank[seat] = rank
            value = won(rules, hand, deal, seat)
            before = order
        room.found[group] = value
