"""What a search of a street begins with: the blueprint's play of each group of hands, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.games.moves import FOLD
from ludus.search.multiway_walks import CHOICES, Floats, Street
from ludus.search.street_tree import MOST_CHOICES, StreetTree
from ludus.solvers.blueprint.samplers import decide
from ludus.solvers.blueprint.strategy import Book
from ludus.trees.situations import FRAME

UNKNOWN = 10.0  # times as little does a strategy count to begin with where the blueprint has none


@kernel
def begin_with(
    spec: Any, rules: Any, book: Book, street: Street, kinds: NDArray[np.int64], weights: Floats, asked: int,
    steps: float, pots: float, regret: Floats, average: Floats,
) -> None:  # fmt: skip
    """Begin every row with what the blueprint does with the hands of the group (warm starting: Brown & Sandholm 2016).

    It counts as an average of some ``steps``, and its regrets are in proportion to it: so many ``pots`` in all.
    ``kinds [1326]`` are the blueprint's on this board, ``weights [players, 1326]`` the ranges, ``asked`` the hand that
    is asked about. A bet that the tree leaves out counts as the nearest one that it has.
    """
    tree, frames = street.tree, np.zeros(1, FRAME)
    place = np.zeros(MOST_CHOICES, np.int64)
    sums = np.zeros((street.groups, MOST_CHOICES))
    for node in range(len(tree.memory)):
        count, hand, frame = tree.children[node], tree.hands[node], frames[0]
        if count == 0:
            if hand.player != TERMINAL:
                for row in range(rules.players * street.groups):
                    average[tree.row[node] + row * CHOICES] = steps
                    regret[tree.row[node] + row * CHOICES] = pots * hand.pot
            continue
        decide(spec, rules, hand, tree.memory[node], 0, np.int64(0), frame)
        for at in range(frame.count):
            place[at] = _nearest(tree, node, frame.action[at])
        sums[:] = 0.0
        seat = hand.player
        for combo in range(len(kinds)):
            weight = weights[seat, combo]
            start = frame.offset + kinds[combo] * spec.width
            total = 0.0
            for at in range(frame.count):
                total += book.strategy[start + frame.slot[at]]
            if weight == 0 or total == 0:
                continue
            for at in range(frame.count):
                chance = book.strategy[start + frame.slot[at]] / total
                sums[street.group[seat, combo], place[at]] += weight * chance
                if combo == asked and seat == street.asked:
                    sums[street.groups - 1, place[at]] += chance
        for group in range(street.groups):
            total, row = 0.0, tree.row[node] + group * count
            for at in range(count):
                total += sums[group, at]
            if total == 0:  # nothing is known: a check, or a call with the better part of the range
                folds = tree.action[tree.first[node]] == FOLD
                known = street.group[seat, asked] if group == street.groups - 1 else group
                better = (known + 0.5) / (street.groups - 1)
                sums[group, int(folds and better > folding_part(rules, hand))] = 1.0
                total = UNKNOWN
            for at in range(count):
                average[row + at] = steps * sums[group, at] / total
                regret[row + at] = pots * hand.pot * sums[group, at] / total


@kernel
def folding_part(rules: Any, hand: Any) -> float:
    """The part of a range that folds to a bet, so that all who face it fold just as often as a bluff needs."""
    facing, seat = -1, hand.player
    for other in range(rules.players):
        facing += not hand.folded >> other & 1
    cost = min(hand.top - hand.bet[seat], hand.stack[seat])
    return float((cost / hand.pot) ** (1 / facing))


@kernel
def _nearest(tree: StreetTree, node: int, action: int) -> int:
    """The place of the child whose action is nearest; folds and calls are themselves."""
    best = 0
    for at in range(tree.children[node]):
        known = tree.action[tree.first[node] + at]
        if known == action:
            return at
        if known >= 0 and abs(known - action) <= abs(tree.action[tree.first[node] + best] - action):
            best = at
    return best
