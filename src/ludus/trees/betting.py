"""The betting of a spot as a tree of flat arrays, whatever the cards: who acts, what was paid, and what a leaf pays.

A node stands for a betting history; a dealt card is one child, because the betting goes on in the same way after every
card. Nodes lie in depth-first order, so a node's subtree follows it.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import parse_card
from ludus.trees.spot import Spot

OOP, IP, CHANCE, FOLD, SHOWDOWN, FRONTIER = range(6)
"""Kinds of nodes: the player out of position or in position decides, a card is dealt, the hand has ended, or the tree
ends before the next card though the hand does not."""
MOST_NODES, MOST_DEEP = 300_000, 300
RIVER = 5
MAX_LINE = 100_000


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A tree of n nodes; node 0 is the root.

    Without a bet to call the children of a decision are the check, then bets ascending; facing one: fold, call, raises
    ascending.
    """

    kind: NDArray[np.uint8]  # [n]: OOP, IP, CHANCE, FOLD, SHOWDOWN or FRONTIER
    street: NDArray[np.uint8]  # [n]: cards on the board; at a chance node, before its card
    parent: NDArray[np.int32]  # [n]: -1 at the root
    child_start: NDArray[np.int32]  # [n + 1]: where a node's children begin in ``child``
    child: NDArray[np.int32]  # [n - 1]
    paid: NDArray[np.int64]  # [n, 2]: chips that each player has put in since the spot began
    amount: NDArray[np.int64]  # [n]: after a bet or raise, what its player has put in on this street; else 0
    labels: tuple[
        str, ...
    ]  # [n]: what leads to the node: X, C, F, B50 (raises too, to 50), D for a card, '' at the root

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def decisions(self) -> int:
        """Number of decision nodes."""
        return int(np.count_nonzero(self.kind <= IP))

    def children(self, node: int) -> tuple[int, ...]:
        """The children of a node, in their order."""
        return tuple(self.child[self.child_start[node] : self.child_start[node + 1]].tolist())

    def actions(self, node: int) -> tuple[str, ...]:
        """What is possible at a node: the labels of its children."""
        return tuple(self.labels[child] for child in self.children(node))

    def line(self, node: int) -> str:
        """What leads from the root to a node, as in 'X-B50-C-D-B100'; '' for the root."""
        if not 0 <= node < len(self):
            raise ValueError(f"the nodes of this tree are 0..{len(self) - 1}, got {node}")
        labels = []
        while node:
            labels.append(self.labels[node])
            node = int(self.parent[node])
        return "-".join(reversed(labels))

    def find(self, line: str) -> int:
        """The node of a line; R may stand for B, the name of a card for D, and case does not matter."""
        if len(line) > MAX_LINE:
            raise ValueError(f"a line has at most {MAX_LINE} characters, got {len(line)}")
        node = 0
        for word in re.split("[-/]", line.strip().strip("-/")) if line.strip(" -/") else []:
            children = self.children(node)
            match = [child for child in children if self._means(word.strip(), self.labels[child])]
            if not match:
                where = f"after {self.line(node)}" if node else "at the start"
                possible = f"write one of {', '.join(self.actions(node))}" if children else "the hand is over there"
                if self.kind[node] == CHANCE:
                    possible = "a card comes next, write D or its name, as in 2c"
                raise ValueError(f"{shortened(word)} is not possible {where}: {possible}")
            node = match[0]
        return node

    @staticmethod
    def _means(word: str, label: str) -> bool:
        if label != "D":
            word = word.upper()
            return (f"B{word[1:]}" if word[:1] == "R" else word) == label
        try:
            return word.upper() == "D" or parse_card(word) >= 0
        except ValueError:
            return False


class _Point(NamedTuple):
    """A node while the tree is built, with what its children depend on."""

    parent: int
    label: str
    kind: int
    street: int
    paid: tuple[int, int]
    before: int  # what each player had paid when this street began
    bets: int = 0  # bets and raises on this street
    donk: bool = False  # the player in position was the last to bet on the street before
    amount: int = 0


def build_betting_tree(spot: Spot, most: int = MOST_NODES, streets: int | None = None) -> BettingTree:
    """All the betting that a spot allows, on so many streets; ValueError when it has more than ``most`` nodes.

    Where the tree ends before the hand does its leaves are of the kind FRONTIER, all-in or not.
    """
    street = len(spot.board)
    last = RIVER if streets is None else min(RIVER, street + streets - 1)
    if last < street:
        raise ValueError(f"a tree has at least one street, got {streets}")
    root = OOP if spot.stack else _closed(street, last)
    waiting = [_Point(-1, "", root, street, (0, 0), 0)]
    kind, street_of, labels = bytearray(), bytearray(), list[str]()
    parents, paid, amounts = array("i"), array("q"), array("q")
    while waiting:
        point = waiting.pop()
        waiting.extend(reversed(_children(spot, point, len(labels), last)))
        kind.append(point.kind)
        street_of.append(point.street)
        labels.append(sys.intern(point.label))
        parents.append(point.parent)
        paid.extend(point.paid)
        amounts.append(point.amount)
        if len(labels) + len(waiting) > most:
            raise ValueError(
                f"the betting of this spot has more than {most} nodes: list fewer sizes, raises above all, "
                "or set a raise_cap"
            )
    parent = np.array(parents, np.int32)
    if _depth(parents) > MOST_DEEP:
        raise ValueError(f"bets and raises go on for more than {MOST_DEEP} actions: use larger sizes or a raise_cap")
    counts = np.bincount(parent[1:], minlength=len(labels))
    return BettingTree(
        kind=np.array(kind, np.uint8),
        street=np.array(street_of, np.uint8),
        parent=parent,
        child_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        child=(np.argsort(parent[1:], kind="stable") + 1).astype(np.int32),
        paid=np.array(paid, np.int64).reshape(-1, 2),
        amount=np.array(amounts, np.int64),
        labels=tuple(labels),
    )


def _depth(parents: Sequence[int]) -> int:
    """The longest way from the root, where parents come before their children."""
    depth = [0] * len(parents)
    for node, above in enumerate(parents[1:], 1):
        depth[node] = depth[above] + 1
    return max(depth)


def _closed(street: int, last: int) -> int:
    """What follows when the betting of a street is over."""
    return CHANCE if street < last else SHOWDOWN if street == RIVER else FRONTIER


def _children(spot: Spot, point: _Point, index: int, last: int) -> list[_Point]:
    """The children of a point that gets this index, in their order."""
    kind, street, paid, before = point.kind, point.street, point.paid, point.before
    if kind == CHANCE:
        following = OOP if paid[0] < spot.stack else _closed(street + 1, last)
        return [_Point(index, "D", following, street + 1, paid, paid[0], donk=point.donk)]
    if kind in (FOLD, SHOWDOWN, FRONTIER):
        return []
    player, opponent = kind, 1 - kind
    closed = _closed(street, last)
    top = paid[opponent]
    if point.bets:
        children = [
            _Point(index, "F", FOLD, street, paid, before),
            _Point(index, "C", closed, street, (top, top), before, donk=player == OOP),
        ]
    else:
        children = [_Point(index, "X", IP if player == OOP else closed, street, paid, before)]
    for amount in _amounts(spot, point):
        total = before + amount
        after = (total, top) if player == OOP else (top, total)
        children.append(_Point(index, f"B{amount}", opponent, street, after, before, point.bets + 1, False, amount))
    return children


def _amounts(spot: Spot, point: _Point) -> tuple[int, ...]:
    """The bets or raises at a decision, as totals of the street."""
    player, top = point.kind, point.paid[1 - point.kind]
    own = spot.sizes[point.street - 3][player]
    opening = own.donk if point.donk and player == OOP and own.donk is not None else own.bet
    return spot.rules.amounts(
        own.raises if point.bets else opening,
        pot=spot.pot + 2 * top,
        stack=spot.stack - top,
        streets=RIVER + 1 - point.street,
        facing=top - point.before,
        step=top - point.paid[player],
        bets=point.bets,
    )


def leaf_payoffs(spot: Spot, tree: BettingTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What leaves pay: alpha ``[n]`` and beta ``[n, 2]``, both 0 at nodes that are no leaves.

    At a leaf a player's result, in chips and relative to half the starting pot each, is
    ``alpha * (win - lose) + beta[player] * (win + tie + lose)``, where win, tie and lose are the reach of the hands
    of the opponent that he beats, ties and loses to. The winner pays the rake r, both half of it in a tie, so with
    P = pot / 2 + paid a showdown is worth P - r, -r / 2 or -P. After a fold the pot is without what was not called.
    """
    alpha, beta = np.zeros(len(tree)), np.zeros((len(tree), 2))
    share = spot.pot / 2 + tree.paid.min(axis=1)
    rake = spot.rake.taken(2 * share)
    shown = tree.kind == SHOWDOWN
    alpha[shown] = (share - rake / 2)[shown]
    beta[shown] = -rake[shown, None] / 2
    folds = np.flatnonzero(tree.kind == FOLD)
    folder = tree.kind[tree.parent[folds]].astype(np.int64)
    beta[folds, folder] = -share[folds]
    beta[folds, 1 - folder] = share[folds] - rake[folds]
    return alpha, beta
