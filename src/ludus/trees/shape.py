"""The betting of many river spots as one tree: the same actions for all, amounts and availability for each.

Spots that differ in pot and stack allow different bets: a pot-sized bet of one is all-in for another. The shape has
every action that any of them has, in the order of its list of sizes, and a mask that says whose it is. With the mask
each spot plays exactly the tree that `ludus.trees.betting` builds for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludus.games.sizes import Sizes, percent_of
from ludus.trees.betting import FOLD, IP, OOP, SHOWDOWN

Chips = NDArray[np.int64]
MOST_NODES = 10_000


@dataclass(frozen=True)
class ShapeNode:
    """A node: what it is, what each spot has paid there, and whether it can be reached in each."""

    kind: int  # OOP, IP, FOLD or SHOWDOWN
    parent: int
    label: str  # X, C, F, or the size that leads here, as '100%' or 'a'
    paid: Chips  # [spots, 2]
    there: NDArray[np.bool_]  # [spots]
    children: list[int]


@dataclass(frozen=True)
class TreeShape:
    """Nodes in depth-first order; node 0 is the root."""

    nodes: tuple[ShapeNode, ...]
    pots: Chips
    stacks: Chips

    def payoffs(self, node: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """At a leaf, for each spot: what a showdown is about, and what OOP gets by a fold; relative to half the pot."""
        at = self.nodes[node]
        share = self.pots / 2
        if at.kind == SHOWDOWN:
            return share + at.paid[:, 0], np.zeros(len(share))
        folder = self.nodes[at.parent].kind
        lost = share + at.paid[:, folder]
        return np.zeros(len(share)), -lost if folder == OOP else lost


def build_shape(pots: Chips, stacks: Chips, bet: str, raises: str) -> TreeShape:
    """The union of the betting of river spots, both players with the same sizes: percentages of the pot and all-in."""
    menus = {False: Sizes.parse(bet), True: Sizes.parse(raises)}
    for size in (*menus[False].items, *menus[True].items):
        if size.kind not in ("%", "a"):
            raise ValueError(f"many spots at once take percentages of the pot and 'a' as sizes, got '{size}'")
    if pots.shape != stacks.shape or pots.ndim != 1 or (pots < 1).any() or (stacks < 0).any():
        raise ValueError("each spot has a pot of 1 chip or more and a stack of 0 or more")
    nodes: list[ShapeNode] = []

    def add(kind: int, parent: int, label: str, paid: Chips, there: NDArray[np.bool_], bets: int) -> None:
        if len(nodes) >= MOST_NODES:
            raise ValueError(f"the betting has more than {MOST_NODES} nodes: list fewer sizes")
        index = len(nodes)
        nodes.append(ShapeNode(kind, parent, label, paid, there, []))
        if parent >= 0:
            nodes[parent].children.append(index)
        if kind in (FOLD, SHOWDOWN):
            return
        top = paid[:, 1 - kind]
        if bets:
            add(FOLD, index, "F", paid, there, 0)
            add(SHOWDOWN, index, "C", np.stack([top, top], axis=1), there, 0)
        else:
            add(IP if kind == OOP else SHOWDOWN, index, "X", paid, there, 0)
        for size, extra in _extras(menus[bets > 0], pots + 2 * top, stacks - top, top - paid[:, kind] if bets else 1):
            offered = there & (extra > 0)
            if offered.any():
                total = np.where(offered, top + extra, top)
                after = np.stack([total, top] if kind == OOP else [top, total], axis=1)
                add(1 - kind, index, size, after, offered, bets + 1)

    everywhere = np.ones(len(pots), np.bool_)
    nothing = np.zeros((len(pots), 2), np.int64)
    add(OOP if stacks.any() else SHOWDOWN, -1, "", nothing, everywhere, 0)
    return TreeShape(tuple(nodes), pots, stacks)


def _extras(menu: Sizes, pot: Chips, stack: Chips, least: Chips | int) -> list[tuple[str, Chips]]:
    """What each size adds over a call; 0 where it is not offered, or where a later size adds the same."""
    extras: list[tuple[str, Chips]] = []
    for size in menu.items:
        extra = stack if size.kind == "a" else np.minimum(np.maximum(percent_of(size.number, pot), least), stack)
        extras.append((str(size), extra))
    for at, (_, extra) in enumerate(extras):
        for _, later in extras[at + 1 :]:
            extra = np.where(extra == later, 0, extra)
        extras[at] = (extras[at][0], extra)
    return extras
