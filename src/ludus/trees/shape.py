"""One street's betting of many spots as one tree: the same actions for all, amounts and availability for each.

Spots that differ in pot and stack allow different bets: a pot-sized bet of one is all-in for another. The shape has
every action that any of them has, in the order of its list of sizes, and a mask that says whose it is. With it each
spot plays exactly the tree that `ludus.trees.betting` builds for it; where it has no chips to bet, its players check.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.action import Kind
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND
from ludus.games.compiled.offers import menu_record
from ludus.games.menu import BetRules, Menu, PlayerSizes
from ludus.games.sizes import MOST_CHIPS, Sizes
from ludus.trees.betting import FOLD, IP, OOP, SHOWDOWN, start_of
from ludus.trees.growing import Grown, grow_many
from ludus.trees.subgame import Subgame

Chips = NDArray[np.int64]
Mask = NDArray[np.bool_]
MOST_NODES = 10_000
_FOLDING, _CALLING = 0, 1  # then the sizes


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

    ``raises`` may have a list for each raise, as in '100%, a; a; -'.
    The street ends in leaves of the kind ``closed``; a spot that is not ``there`` adds no action. With ``blinds``, the
    small one and the big one, the street is that before the flop: the player in position has posted the small blind
    and acts first, stacks are those before the blinds, and every bet is a raise.
    """
    rows = [part.strip() for part in raises.split(";")]
    lists = (Sizes.parse(bet), *(Sizes() if row == "-" else Sizes.parse(row) for row in rows))
    for size in (size for sizes in lists for size in sizes.items):
        if size.kind not in ("%", "a"):
            raise ValueError(f"many spots at once take percentages of the pot and 'a' as sizes, got '{size}'")
    if pots.shape != stacks.shape or pots.ndim != 1 or (pots < (0 if blinds else 1)).any() or (stacks < 0).any():
        raise ValueError("each spot has a pot of 1 chip or more and a stack of 0 or more")
    if blinds and (not 0 < blinds[0] < blinds[1] or (stacks <= blinds[1]).any()):
        raise ValueError(f"blinds are chips, the small one first, and less than each stack, got {blinds}")
    menu = Menu(((PlayerSizes(lists[1:] if blinds else lists),),))
    present = np.ones(len(pots), np.bool_) if there is None else there
    posted = (blinds[1], blinds[0]) if blinds else (0, 0)
    street = 0 if blinds else 3 if closed == SHOWDOWN else 1
    rules, begins = _starts(pots[present], stacks[present], street, posted)
    grown = grow_many(rules, menu_record(menu), begins, street, 1 + max(len(each.items) for each in lists), MOST_NODES)
    if grown is None:
        raise ValueError(f"the betting has more than {MOST_NODES} nodes: list fewer sizes")
    union = _Union(grown, menu, present, np.broadcast_to(np.array(posted), (len(pots), 2)), closed)
    return TreeShape(tuple(union.nodes), pots, stacks)


def _starts(pots: Chips, stacks: Chips, street: int, posted: tuple[int, int]) -> tuple[Any, Any]:
    """The rules of all spots, and a record for each where it begins."""
    board = tuple(range((0, 3, 4, 5)[street]))
    base = Subgame(board, 1, (MOST_CHIPS, MOST_CHIPS), rules=BetRules(min_bet=max(1, *posted)), bets=posted)
    rules, hand = start_of(base)
    begins = np.zeros(len(pots), HAND)
    begins[:] = hand
    begins["pot"] = pots + sum(posted)
    begins["stack"][:, :2] = stacks[:, None] - np.array(posted)
    begins["player"][begins["stack"][:, 1 if posted[0] else 0] == 0] = TERMINAL
    return rules, begins


class _Union:
    """Trees of many spots while they are laid over each other."""

    def __init__(
        self, grown: tuple[Grown, NDArray[np.int64]], menu: Menu, present: Mask, paid: Chips, closed: int
    ) -> None:
        self.tree, starts = grown
        self.menu, self.closed = menu, closed
        self.nodes: list[ShapeNode] = []
        self.children = self._children()
        at = np.full(len(present), -1)
        at[present] = starts
        self._add(-1, "", at, paid, 0)

    def _children(self) -> NDArray[np.int64]:
        """``[nodes + 1, actions]``: where each action leads in the tree of a spot, -1 where it has none."""
        tree = self.tree
        action = np.select([tree.done == Kind.FOLD, tree.done == Kind.RAISE], [_FOLDING, 2 + tree.size.astype(int)], 1)
        table = np.full((len(tree.kind) + 1, 2 + max(len(each.items) for each in self.menu.lists)), -1)
        below = np.flatnonzero(tree.done)
        table[tree.parent[below], action[below]] = below
        return table

    def _add(self, parent: int, label: str, at: NDArray[np.int64], before: Chips, bets: int) -> None:
        """Add the node where spots are ``at`` places of their trees, -1 for those that have none, and go on from it."""
        if len(self.nodes) >= MOST_NODES:
            raise ValueError(f"the betting has more than {MOST_NODES} nodes: list fewer sizes")
        index, there = len(self.nodes), at >= 0
        kinds = self.tree.kind[at[there]]
        least = int(kinds.min(initial=self.closed))
        kind = least if least <= FOLD else self.closed
        paid = self.tree.paid[at] if len(kinds) else before.copy()
        if len(kinds) < len(at):
            paid[~there] = before[~there].max(axis=1, keepdims=True)
        self.nodes.append(ShapeNode(kind, parent, label, paid, there, []))
        if parent >= 0:
            self.nodes[parent].children.append(index)
        if kind > IP:
            return
        following = self.children[at]
        if kinds.max() > IP:  # without chips they check on to the end
            waiting = there & (self.tree.kind[at] > IP)
            following[waiting, _CALLING] = at[waiting]
        some = np.any(following >= 0, axis=0, keepdims=True)[0]
        names = ["F", "C" if some[_FOLDING] else "X", *map(str, self.menu.of(0).at(bets).items)]
        for action, name in enumerate(names):
            if some[action]:
                self._add(index, name, following[:, action], paid, bets + (action > _CALLING))
