"""The betting of a subgame or a game as a tree of flat arrays: who acts, what was paid, and what a leaf pays.

A node stands for a betting history; a dealt card is one child, because the betting goes on in the same way after every
card. Nodes lie in depth-first order, so a node's subtree follows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from reprlib import repr as shortened
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.action import Action, Kind
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import NO_CAP, RULES, betting_rules, empty_hand, new_hand
from ludus.games.compiled.offers import menu_record
from ludus.games.menu import PLAIN_RULES, BetRules, Menu
from ludus.games.poker import PokerGame
from ludus.trees.growing import (
    CHANCE,
    FOLD,
    FRONTIER,
    IP,
    MOST_DEEP,
    OOP,
    OTHER,
    SHOWDOWN,
    TOO_DEEP,
    TOO_MANY,
    Grown,
    grow,
)
from ludus.trees.lines import DEALT, line_words, same_word
from ludus.trees.spot import Spot
from ludus.trees.subgame import CARDS_ON, Subgame

__all__ = [
    "CHANCE", "FOLD", "FRONTIER", "IP", "OOP", "OTHER", "SHOWDOWN", "BettingTree", "build_betting_tree", "game_tree",
    "leaf_payoffs",
]  # fmt: skip
MOST_NODES, MOST_SIZES = 300_000, 250
RIVER, RIVER_STREET = 5, 3


@dataclass(frozen=True, eq=False)
class BettingTree:
    """A tree of n nodes; node 0 is the root.

    Without a bet to call the children of a decision are the check, then bets ascending; facing one: fold, call, raises
    ascending.
    """

    kind: NDArray[np.uint8]  # [n]: OOP, IP, CHANCE, FOLD, SHOWDOWN, FRONTIER or OTHER
    street: NDArray[np.uint8]  # [n]: cards on the board; at a chance node, before its card
    parent: NDArray[np.int32]  # [n]: -1 at the root
    child_start: NDArray[np.int32]  # [n + 1]: where a node's children begin in ``child``
    child: NDArray[np.int32]  # [n - 1]
    paid: NDArray[np.int64]  # [n, players]: chips that each has put in since the first street of the tree began
    player: NDArray[np.int8]  # [n]: who decides, -1 where nobody does
    done: NDArray[np.uint8]  # [n]: the kind of the action that leads to the node; 0 after a card and at the root
    amount: NDArray[np.int64]  # [n]: its amount
    size: NDArray[np.uint8]  # [n]: after a bet or raise, the place of its size in the list of the menu

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def decisions(self) -> int:
        """Number of decision nodes."""
        return int(np.count_nonzero(self.player >= 0))

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

    def breadth_first(self) -> BettingTree:
        """The same tree with its nodes in breadth-first order: the children of each lie side by side."""
        order = [0]
        for node in order:  # which grows on the way
            order.extend(self.children(node))
        place = np.argsort(np.array(order))
        counts = np.diff(self.child_start)[order]
        return BettingTree(
            self.kind[order], self.street[order], np.append(-1, place)[self.parent[order] + 1].astype(np.int32),
            np.append(0, np.cumsum(counts)).astype(np.int32), np.arange(1, len(order), dtype=np.int32),
            self.paid[order], self.player[order], self.done[order], self.amount[order], self.size[order],
        )  # fmt: skip

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
                ended = "this solution ends there" if self.kind[node] == FRONTIER else "the hand is over there"
                possible = f"write one of {', '.join(self.words(node))}" if children else ended
                if self.kind[node] == CHANCE:
                    possible = "a card comes next, write D or its name, as in 2c"
                raise ValueError(f"{shortened(word)} is not possible {where}: {possible}")
            node = match[0]
        return node


def build_betting_tree(where: Subgame | Spot, most: int = MOST_NODES, streets: int | None = None) -> BettingTree:
    """All the betting that a subgame allows, on so many streets; ValueError when it has more than ``most`` nodes.

    Where the tree ends before the hand does its leaves are of the kind FRONTIER, all-in or not.
    """
    subgame = where if isinstance(where, Subgame) else where.subgame
    depth = subgame.depth if streets is None else streets
    if depth is not None and depth < 1:
        raise ValueError(f"a tree has at least one street, got {depth}")
    last = RIVER_STREET if depth is None else min(RIVER_STREET, subgame.street + depth - 1)
    rules, hand = start_of(subgame)
    return _grown(rules, subgame.menu, subgame.rules, hand, last, most, CARDS_ON)


def game_tree(game: PokerGame, most: int = MOST_NODES, streets: int | None = None) -> BettingTree:
    """All the betting of a game, of any number of players: Kuhn, Leduc, hold'em with a bet menu."""
    if game.betting != "limit" and game.bets is None:
        raise ValueError(f"{game.name} has too many bets for a tree: give it a bet menu")
    rules, hand = betting_rules(game), empty_hand()
    new_hand(rules, hand)
    last = len(game.board_cards) - 1 if streets is None else min(len(game.board_cards), streets) - 1
    if last < 0:
        raise ValueError(f"a tree has at least one street, got {streets}")
    return _grown(rules, game.bets, PLAIN_RULES, hand, last, most, tuple(accumulate(game.board_cards)))


def start_of(subgame: Subgame) -> tuple[Any, Any]:
    """The rules of a subgame's betting, and the hand where it begins, as records for the kernels."""
    rules, hand, own = np.zeros(1, RULES)[0], empty_hand(), subgame.rules
    cap = NO_CAP if own.raise_cap is None else own.raise_cap
    rules["players"], rules["streets"], rules["smallest"] = 2, len(CARDS_ON), own.min_bet
    rules["max_raises"] = min(cap + 1, NO_CAP)
    rules["max_raises"][0] = cap  # before the flop the blind is the bet
    player, top = subgame.player, max(subgame.bets)
    assert player is not None
    waits = not subgame.raises and player == subgame.opener  # the other has not acted yet
    hand["street"], hand["player"], hand["raises"] = subgame.street, player, subgame.raises
    hand["queue"] = 3 if waits and subgame.stacks[1 - player] else 1 << player
    hand["acted"], hand["moves"] = 0 if waits else 1 << (1 - player), not waits
    hand["bet"][:2], hand["stack"][:2] = subgame.bets, subgame.stacks
    hand["top"], hand["pot"] = top, subgame.pot + sum(subgame.bets)
    hand["raise_by"] = top - subgame.bets[player] if subgame.raises else 0
    hand["min_to"] = top + max(hand["raise_by"], own.min_bet)
    if not subgame.stacks[player]:
        hand["player"] = TERMINAL
    return rules, hand


def _grown(
    rules: Any, menu: Menu | None, more: BetRules, hand: Any, last: int, most: int, cards: tuple[int, ...]
) -> BettingTree:
    stack = int((hand["stack"] + hand["bet"]).max())
    width = 1 + max((sizes.most(stack) for sizes in menu.lists), default=0) if menu else 1
    if width > MOST_SIZES:
        raise ValueError(f"a decision of a tree has at most {MOST_SIZES} bets, and here {width}: list fewer sizes")
    tree = grow(rules, menu_record(menu, more), hand, last, width, most)
    if tree == TOO_MANY:
        raise ValueError(
            f"the betting of this spot has more than {most} nodes: list fewer sizes, raises above all, "
            "or set a raise_cap"
        )
    if tree == TOO_DEEP:
        raise ValueError(
            f"the betting of this spot has more than {most} nodes, or {MOST_DEEP} actions in a row: use larger sizes "
            "or set a raise_cap"
        )
    assert isinstance(tree, Grown)
    return BettingTree(
        tree.kind, np.array(cards, np.uint8)[tree.street], tree.parent, tree.first, tree.child, tree.paid, tree.player,
        tree.done, tree.amount, tree.size,
    )  # fmt: skip


def leaf_payoffs(spot: Subgame | Spot, tree: BettingTree) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What leaves pay: alpha ``[n]`` and beta ``[n, 2]``, both 0 at nodes that are no leaves.

    At a leaf a player's result, in chips and relative to half the starting pot each, is
    ``alpha * (win - lose) + beta[player] * (win + tie + lose)``, where win, tie and lose are the reach of the hands
    of the opponent that it beats, ties and loses to. The winner pays the rake r, both half of it in a tie, so with
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
