"""The betting of the rest of a street for any number of players, and what may follow it by a blueprint: flat, compiled.

Nodes stand level by level, the decision that is asked about first; the children of a node are in a row. A node without
children is the end of the hand, the first decision of the next street, or a fold of who is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND
from ludus.games.moves import FOLD
from ludus.solvers.blueprint.rollouts import reach
from ludus.solvers.blueprint.samplers import play
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.trees.situations import FRAME, MOST_ACTIONS, menu

Ints = NDArray[np.int64]
MOST_NODES = 1500
MOST_CHOICES = 16  # actions of the decision that is asked about
MOST_ALL_IN = 4.0  # times the pot: a larger all-in is not among the bets to come, unless there is no smaller one
BETS = ((MOST_ACTIONS, 9), (2, 9), (2, 2), (1, 2), (1, 1), (0, 0))
"""How many sizes there are after the decision that is asked about, from the largest of the blueprint down, and how many
raises: the first of these with which the tree is not too large."""


class StreetTree(NamedTuple):
    """Nodes, as kernels read them."""

    hands: Any  # [n] of engine.HAND
    memory: Ints  # [n] what the blueprint remembers
    first: Ints  # [n] the first child
    children: Ints  # [n] how many, 0 where the street is over
    action: Ints  # [n] that leads here
    row: Ints  # [n] where the rows of a node begin (`place_rows`)


def street_tree(blueprint: Blueprint, rules: Any, line: Sequence[int], actions: Sequence[int]) -> StreetTree:
    """The tree after the actions of a hand in progress, where the player to act has these actions."""
    if len(actions) > MOST_CHOICES:
        raise ValueError(f"a search compares at most {MOST_CHOICES} actions, got {len(actions)}")
    spec, tree = blueprint.abstraction.layout.spec, blueprint.abstraction.layout.tree
    room = StreetTree(np.zeros(MOST_NODES, HAND), *(np.zeros(MOST_NODES, np.int64) for _ in range(5)))
    played = np.array(line, np.int64)
    room.memory[0] = reach(spec, rules, tree.first, tree.child, played, np.int64(0), room.hands[0])
    for sizes, raises in BETS:
        nodes = grow_street(spec, rules, np.array(actions, np.int64), sizes, raises, room)
        if nodes > 0:
            return StreetTree(*(np.ascontiguousarray(array[:nodes]) for array in room))
    raise ValueError(f"the betting of this street has more than {MOST_NODES} nodes without any raise")


@kernel
def grow_street(spec: Any, rules: Any, actions: Ints, sizes: int, raises: int, out: StreetTree) -> int:
    """Fill in the nodes below the first one; returns their number, 0 where there are too many."""
    frames = np.zeros(1, FRAME)
    street, raised = out.hands[0].street, out.hands[0].raises
    nodes, at = 1, 0
    while at < nodes:
        hand, frame = out.hands[at], frames[0]
        out.children[at] = 0
        given_up = 0 < at <= out.children[0] and out.action[at] == FOLD  # what follows is not theirs to win
        if hand.player != TERMINAL and hand.street == street and not given_up:
            count = len(actions)
            if at > 0:
                count = offered(spec, rules, hand, sizes if hand.raises - raised < raises else 0, frame)
            if nodes + count > len(out.memory):
                return 0
            out.first[at], out.children[at] = nodes, count
            for place in range(count):
                action = frame.action[place] if at > 0 else actions[place]
                out.hands[nodes] = out.hands[at]
                out.action[nodes] = action
                out.memory[nodes] = play(spec, rules, out.hands[nodes], out.memory[at], action, np.int32(0))
                nodes += 1
        at += 1
    return nodes


@kernel
def offered(spec: Any, rules: Any, hand: Any, sizes: int, frame: Any) -> int:
    """Fill in the actions of the blueprint with this many sizes at most; returns their number.

    All-in is left out where it is far more than the pot; as the one size a smaller bet is taken where there is one.
    """
    count = menu(spec, rules, hand, frame)
    passive = 1 + (frame.action[0] == FOLD)
    if count - passive > 1 and frame.slot[count - 1] == spec.width - 1:
        pot = hand.pot + hand.top - hand.bet[hand.player]
        if sizes == 1 or frame.action[count - 1] - hand.top > MOST_ALL_IN * pot:
            count -= 1
    kept = min(count - passive, sizes)
    for place in range(kept):
        frame.action[passive + place] = frame.action[count - kept + place]
    return int(passive + kept)


def place_rows(tree: StreetTree, players: int, groups: int, choices: int) -> int:
    """Give every node its rows: one a group of hands, with a number an action; at the end of the street one a seat and
    group with a number a continuation. Returns how many numbers there are."""
    over = tree.hands["player"] == TERMINAL
    sizes = np.where(tree.children > 0, groups * tree.children, np.where(over, 0, players * groups * choices))
    tree.row[:] = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return int(sizes.sum())
