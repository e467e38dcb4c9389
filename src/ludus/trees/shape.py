"""One street's betting of many spots as one tree: the same actions for all, amounts and availability for each.

Spots that differ in pot and stack allow different bets: a pot-sized bet of one is all-in for another. The shape has
every action that any of them has, in the order of its list of sizes, and a mask that says whose it is. With the mask
each spot plays exactly the tree that `ludus.trees.betting` builds for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ludus.games.sizes import Sizes, percent_of
from ludus.trees.betting import FOLD, IP, OOP, SHOWDOWN

Chips = NDArray[np.int64]
Mask = NDArray[np.bool_]
MOST_NODES = 10_000


@dataclass(frozen=True)
class ShapeNode:
    """A node: what it is, what each spot has paid there, and whether it can be reached in each."""

    kind: int  # OOP, IP, FOLD, or what the street ends in: SHOWDOWN or FRONTIER
    parent: int
    label: str  # X, C, F, or the size that leads here, as '100%' or 'a'
    paid: Chips  # [spots, 2] since the street began, blinds included
    there: Mask  # [spots]
    children: list[int]


@dataclass(frozen=True)
class TreeShape:
    """Nodes in depth-first order; node 0 is the root."""

    nodes: tuple[ShapeNode, ...]
    pots: Chips
    stacks: Chips

    @cached_property
    def structure(self) -> tuple[tuple[int, int], ...]:
        """Kind and parent of every node: shapes that have it in common differ in amounts and masks only."""
        return tuple((node.kind, node.parent) for node in self.nodes)

    def payoffs(self, node: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """At a leaf, for each spot: what a showdown is about, and what OOP gets by a fold; relative to half the pot."""
        at = self.nodes[node]
        share = self.pots / 2
        if at.kind != FOLD:
            return share + at.paid[:, 0], np.zeros(len(share))
        folder = self.nodes[at.parent].kind
        lost = share + at.paid[:, folder]
        return np.zeros(len(share)), -lost if folder == OOP else lost

    def all_in(self, node: int) -> Mask:
        """For each spot whether nobody has chips left at a node where the street has ended."""
        return np.asarray(self.nodes[node].paid[:, 0] == self.stacks)


def build_shape(
    pots: Chips,
    stacks: Chips,
    bet: str,
    raises: str,
    *,
    closed: int = SHOWDOWN,
    there: Mask | None = None,
    blinds: tuple[int, int] | None = None,
) -> TreeShape:
    """The union of the betting of spots, both players with the same sizes: percentages of the pot and all-in.

    The street ends in leaves of the kind ``closed``; a spot that is not ``there`` adds no action. With ``blinds``, the
    small one and the big one, the street is that before the flop: the player in position has posted the small blind
    and acts first, stacks are those before the blinds, and every bet is a raise.
    """
    menus = {False: Sizes.parse(bet), True: Sizes.parse(raises)}
    for size in (*menus[False].items, *menus[True].items):
        if size.kind not in ("%", "a"):
            raise ValueError(f"many spots at once take percentages of the pot and 'a' as sizes, got '{size}'")
    least_pot = 0 if blinds else 1
    if pots.shape != stacks.shape or pots.ndim != 1 or (pots < least_pot).any() or (stacks < 0).any():
        raise ValueError("each spot has a pot of 1 chip or more and a stack of 0 or more")
    if blinds and (not 0 < blinds[0] < blinds[1] or (stacks <= blinds[1]).any()):
        raise ValueError(f"blinds are chips, the small one first, and less than each stack, got {blinds}")
    nodes: list[ShapeNode] = []

    def add(
        kind: int, parent: int, label: str, paid: Chips, there: Mask, *,
        raised: bool = False, facing: bool = False, closing: bool = False, least: Chips,
    ) -> None:  # fmt: skip
        """Add a node and what follows; a check or call is ``closing`` if the opponent has acted before."""
        if len(nodes) >= MOST_NODES:
            raise ValueError(f"the betting has more than {MOST_NODES} nodes: list fewer sizes")
        index = len(nodes)
        nodes.append(ShapeNode(kind, parent, label, paid, there, []))
        if parent >= 0:
            nodes[parent].children.append(index)
        if kind not in (OOP, IP):
            return
        top = paid[:, 1 - kind]
        if facing:
            add(FOLD, index, "F", paid, there, least=least)
        level = np.stack([top, top], axis=1)
        following = closed if closing else 1 - kind
        add(following, index, "C" if facing else "X", level, there, raised=raised, closing=True, least=least)
        for size, extra in _extras(menus[raised], pots + 2 * top, stacks - top, least):
            offered = there & (extra > 0)
            if offered.any():
                total = np.where(offered, top + extra, top)
                after = np.stack([total, top] if kind == OOP else [top, total], axis=1)
                step = np.where(offered, extra, least)
                add(1 - kind, index, size, after, offered, raised=True, facing=True, closing=True, least=step)

    everywhere = np.ones(len(pots), np.bool_) if there is None else there
    posted = np.broadcast_to(np.array(blinds[::-1] if blinds else (0, 0)), (len(pots), 2))
    least = np.full(len(pots), blinds[1] if blinds else 1)
    root = closed if not stacks[everywhere].any() else IP if blinds else OOP
    add(root, -1, "", posted, everywhere, raised=bool(blinds), facing=bool(blinds), least=least)
    return TreeShape(tuple(nodes), pots, stacks)


def _extras(menu: Sizes, pot: Chips, stack: Chips, least: Chips) -> list[tuple[str, Chips]]:
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
