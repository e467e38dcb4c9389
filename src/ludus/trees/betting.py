"""The betting of a spot as a tree of flat arrays, whatever the cards: who acts, what was paid, and what a leaf pays.

A node stands for a betting history; a dealt card is one child, because the betting goes on in the same way after every
card. Nodes lie in depth-first order, so a node's subtree follows it.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.games.action import Action, Kind
from ludus.games.menu import BetPoint, amounts
from ludus.trees.lines import DEALT, line_words, same_word
from ludus.trees.spot import Spot

OOP, IP, CHANCE, FOLD, SHOWDOWN, FRONTIER = range(6)
"""Kinds of nodes: the player out of position or in position decides, a card is dealt, the hand has ended, or the tree
ends before the next card though the hand does not."""
MOST_NODES, MOST_DEEP = 300_000, 300
RIVER = 5


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
    done: NDArray[np.uint8]  # [n]: the kind of the action that leads to the node; 0 after a card and at the root
    amount: NDArray[np.int64]  # [n]: its amount

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def decisions(self) -> int:
        """Number of decision nodes."""
        return int(np.count_nonzero(self.kind <= IP))

    def children(self, node: int) -> tuple[int, ...]:
        """The children of a node, in their order."""
        return tuple(self.child[self.child_start[node] : self.child_start[node + 1]].tolist())

    def action(self, node: int) -> Action:
        """The action that leads to a node."""
        return Action(Kind(int(self.done[node])), int(self.amount[node]))

    def actions(self, node: int) -> tuple[Action, ...]:
        """What the player who decides at a node can do."""
        return tuple(self.action(child) for child in self.children(node))

    def word(self, node: int) -> str:
        """What leads to a node, as in lines: an action, D for a card, nothing for the root."""
        return str(self.action(node)) if self.done[node] else DEALT if node else ""

    def words(self, node: int) -> tuple[str, ...]:
        """What can follow a node, as in lines."""
        return tuple(map(self.word, self.children(node)))

    def line(self, node: int) -> str:
        """What leads from the root to a node, as in 'X-B50-C-D-B100'; '' for the root."""
        if not 0 <= node < len(self):
            raise ValueError(f"the nodes of this tree are 0..{len(self) - 1}, got {node}")
        words = []
        while node:
            words.append(self.word(node))
            node = int(self.parent[node])
        return "-".join(reversed(words))

    def find(self, line: str) -> int:
        """The node of a line; R may stand for B, the name of a card for D, and case does not matter."""
        node = 0
        for word in line_words(line):
            children = self.children(node)
            match = [child for child in children if same_word(word, self.word(child))]
            if not match:
                where = f"after {self.line(node)}" if node else "at the start"
                possible = f"write one of {', '.join(self.words(node))}" if children else "the hand is over there"
                if self.kind[node] == CHANCE:
                    possible = "a card comes next, write D or its name, as in 2c"
                raise ValueError(f"{shortened(word)} is not possible {where}: {possible}")
            node = match[0]
        return node


class _Point(NamedTuple):
    """A node while the tree is built, with what its children depend on."""

    parent: int
    done: int
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
    waiting = [_Point(-1, 0, root, street, (0, 0), 0)]
    kind, street_of, done = bytearray(), bytearray(), bytearray()
    parents, paid, amounts = array("i"), array("q"), array("q")
    while waiting:
        point = waiting.pop()
        waiting.extend(reversed(_children(spot, point, len(kind), last)))
        kind.append(point.kind)
        street_of.append(point.street)
        done.append(point.done)
        parents.append(point.parent)
        paid.extend(point.paid)
        amounts.append(point.amount)
        if len(kind) + len(waiting) > most:
            raise ValueError(
                f"the betting of this spot has more than {most} nodes: list fewer sizes, raises above all, "
                "or set a raise_cap"
            )
    parent = np.array(parents, np.int32)
    if _depth(parents) > MOST_DEEP:
        raise ValueError(f"bets and raises go on for more than {MOST_DEEP} actions: use larger sizes or a raise_cap")
    counts = np.bincount(parent[1:], minlength=len(kind))
    return BettingTree(
        kind=np.array(kind, np.uint8),
        street=np.array(street_of, np.uint8),
        parent=parent,
        child_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        child=(np.argsort(parent[1:], kind="stable") + 1).astype(np.int32),
        paid=np.array(paid, np.int64).reshape(-1, 2),
        done=np.array(done, np.uint8),
        amount=np.array(amounts, np.int64),
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
        return [_Point(index, 0, following, street + 1, paid, paid[0], donk=point.donk)]
    if kind in (FOLD, SHOWDOWN, FRONTIER):
        return []
    player, opponent = kind, 1 - kind
    closed = _closed(street, last)
    top = paid[opponent]
    if point.bets:
        children = [
            _Point(index, Kind.FOLD, FOLD, street, paid, before),
            _Point(index, Kind.CALL, closed, street, (top, top), before, donk=player == OOP),
        ]
    else:
        children = [_Point(index, Kind.CHECK, IP if player == OOP else closed, street, paid, before)]
    for amount in _amounts(spot, point):
        total = before + amount
        after = (total, top) if player == OOP else (top, total)
        children.append(_Point(index, Kind.RAISE, opponent, street, after, before, point.bets + 1, False, amount))
    return children


def _amounts(spot: Spot, point: _Point) -> tuple[int, ...]:
    """The bets or raises at a decision, as totals of the street."""
    player, top = point.kind, point.paid[1 - point.kind]
    rules, bets = spot.rules, point.bets
    if rules.raise_cap is not None and bets > rules.raise_cap:
        return ()
    where = BetPoint(
        pot=spot.pot + 2 * top,
        stack=spot.stack - top,
        least=top - point.paid[player] if bets else rules.min_bet,
        facing=top - point.before,
        streets=RIVER + 1 - point.street,
        bets=bets,
    )
    sizes = spot.menu.of(point.street - 2, player).at(bets, point.donk and player == OOP)
    return amounts(sizes, where, spot.menu.fit, rules)


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
