"""What both players win below a node of the river: every pair of hands compared, in 64 bits."""

from __future__ import annotations

import numpy as np

from ludus.solvers.spot.line import Pair, Place, Played, street_reach
from ludus.trees.betting import IP, leaf_payoffs


def river_values(place: Place, played: Played) -> dict[int, Pair]:
    """The values of both players' hands at a place on the river and at all nodes below it, when both play so.

    As the solver counts them: net chips from half the starting pot on, weighted by the opponent's reach.
    """
    layout, tree = place.layout, place.layout.tree
    hands = layout.boards[place.at].hands
    here = [slice(each.start[place.index], each.start[place.index + 1]) for each in hands]
    rank, low, high = (
        [np.asarray(getattr(each, name)[part], np.int64) for each, part in zip(hands, here, strict=True)]
        for name in ("rank", "low", "high")
    )
    apart = np.ones((len(rank[0]), len(rank[1])))
    for mine in (low[0], high[0]):
        for theirs in (low[1], high[1]):
            apart[mine[:, None] == theirs] = 0
    wins = np.sign(rank[1] - rank[0][:, None]) * apart  # 1 is the best rank
    alpha, beta = leaf_payoffs(layout.spot, tree)
    reach = street_reach(layout, place.at, place.index, [(place.node, place.reach)], played)
    leaves = [node for node in reach if tree.kind[node] > IP]
    first, second = (np.array([reach[node][player] for node in leaves]).T for player in (0, 1))
    won = (wins @ second) * alpha[leaves] + (apart @ second) * beta[leaves, 0]
    lost = -(wins.T @ first) * alpha[leaves] + (apart.T @ first) * beta[leaves, 1]
    values: dict[int, Pair] = {node: (won[:, at], lost[:, at]) for at, node in enumerate(leaves)}
    for node in sorted(reach, reverse=True):
        player = int(tree.kind[node])
        if player <= IP:
            below = [values[child] for child in tree.children(node)]
            mine = (played(place.at, place.index, node) * [each[player] for each in below]).sum(axis=0)
            theirs = np.sum([each[1 - player] for each in below], axis=0)
            values[node] = (mine, theirs) if player == 0 else (theirs, mine)
    return values
