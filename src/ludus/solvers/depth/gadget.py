"""Safe re-solving of a subgame: the opponent may leave it for what they had before.

To solve a subgame again, the ranges with which a strategy comes there are not enough: against a strategy that is best
for one belief about the opponent's hands, the opponent changes how they come there. Burch, Johanson & Bowling (2014),
"Solving Imperfect Information Games Using Decomposition" (CFR-D), therefore put a *gadget* in front of the subgame.
Chance deals the hands as often as the re-solving player's own range has them; then the opponent, knowing their hand,
either leaves and gets a given value, or follows into the subgame. With the values that the old strategy conceded to
each hand (counterfactual best-response values), the re-solved strategy concedes no hand more, up to how far the gadget
game is from being solved: against a best response in the whole game it is as good as the old one (their theorem 1).

What is kept from one re-solve to the next (continual re-solving) comes from `Evaluator`: ``reach`` is the own range at
a public state, ``values`` with ``best`` the values at which the opponent may leave there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ludus.games.base import TERMINAL
from ludus.solvers.passes import Floats
from ludus.trees.flat import NODE, FlatGame, Leaving

LEAVE, FOLLOW = "leave", "follow"


def constrain(flat: FlatGame, opponent: int, values: Floats, own_range: Floats) -> tuple[FlatGame, Floats]:
    """The gadget game of a subgame, and the ranges to solve it with.

    ``values`` [situations of the root] are the counterfactual values at which the opponent may leave, ``own_range`` the
    other player's reach of the root. The tables of the gadget game are those of the subgame with the opponent's choice
    at the end: ``table[: flat.entries]`` is the subgame's. Its own range being part of the game, it is solved with
    these ranges and no others.
    """
    root, hands = flat.nodes[0], len(flat.deals.hands)
    shape = (len(flat.deals.boards[root["level"]]) * hands,)
    if not flat.public or flat.leaving is not None or opponent not in (0, 1):
        raise ValueError("constraints are for player 0 or 1 of a subgame in its public form that has none yet")
    for name, array in (("values", values), ("an own range", own_range)):
        if np.shape(array) != shape or not np.isfinite(array).all():
            raise ValueError(f"{name} of the root's {shape[0]} situations are numbers, got {list(np.shape(array))}")
    meet = flat.deals.meet[root["level"]]
    met = np.einsum("bho,bo->bh", meet, np.reshape(own_range, (-1, hands))).ravel()
    payoffs = np.divide(values, met, out=np.zeros(shape), where=met > 0)
    ranges = np.ones((2, *shape))
    ranges[1 - opponent] = own_range
    return _with_choice(flat, Leaving(opponent, payoffs, len(flat.payoffs))), ranges


def _with_choice(flat: FlatGame, leaving: Leaving) -> FlatGame:
    """The same game with a root in front of it: its first child is a leaf, its second the old root."""
    below, level, group, start = flat.nodes.copy(), flat.nodes["level"][0], len(flat.groups), flat.entries
    below["first"] += 2
    choice = np.array([(leaving.player, 2, 1, group, start, level, -1, 1.0)], NODE)
    leaf = np.array([(TERMINAL, 0, 0, -1, 0, level, leaving.leaf, 1.0)], NODE)
    groups = flat.groups.copy()
    groups["node"] += 2
    row = np.array([(start, leaving.player, 2, len(leaving.payoffs), 0)], groups.dtype)
    street = flat.root.street if flat.root is not None else 0
    return replace(
        flat,
        nodes=np.concatenate([choice, leaf, below]),
        groups=np.concatenate([groups, row]),
        payoffs=np.concatenate([flat.payoffs, np.zeros((1, *flat.payoffs.shape[1:]))]),
        group_names=(*flat.group_names, LEAVE),
        group_streets=(*flat.group_streets, street),
        group_actions=(*flat.group_actions, (0, 1)),
        group_labels=(*flat.group_labels, (LEAVE, FOLLOW)),
        leaving=leaving,
    )
