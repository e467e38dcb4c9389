"""From the start of a spot along a line: the board, the hands alive on it and how likely they come so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import CARDS, parse_card
from ludus.cards.ranges import COMBOS, Weights
from ludus.cards.runouts import ALL_SYMMETRIES, MOVED
from ludus.solvers.spot.kernels.compact import compose
from ludus.solvers.spot.layout import Layout
from ludus.trees.betting import CHANCE, IP
from ludus.trees.lines import DEALT, line_words, longer

Pair = tuple[Weights, Weights]
"""Something for the hands of OOP and for those of IP."""

Played = Callable[[int, int, int], Weights]
"""The strategy ``[actions, hands]`` at a street, a board and a node."""

LEAST_MET = 1e-5
"""A hand that meets a smaller part of a range is taken to meet nothing: 32-bit sums say no more."""


@dataclass(frozen=True, eq=False)
class Place:
    """A node with the board that was dealt; hands are those of the kept board that it is a copy of."""

    layout: Layout
    node: int
    at: int  # index of the street
    index: int  # of the kept board
    symmetry: int  # of ALL_SYMMETRIES: turns the kept board into the one that was dealt
    board: tuple[int, ...]  # as it was dealt
    line: str
    reach: Pair

    @property
    def combos(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Both players' hands by the names that they have on the board that was dealt."""
        hands = self.layout.boards[self.at].hands
        first, second = (
            MOVED[self.symmetry, each.combo[each.start[self.index] : each.start[self.index + 1]]] for each in hands
        )
        return first, second

    @property
    def ranges(self) -> Pair:
        """The reach as ranges ``[1326]`` with the names of the board that was dealt."""
        ranges = np.zeros((2, len(COMBOS)))
        for player in (0, 1):
            ranges[player, self.combos[player]] = self.reach[player]
        return ranges[0], ranges[1]

    @property
    def met(self) -> Pair:
        """For each hand, the reach of the opponent's hands that it can meet."""
        first, second = (
            mass_met(self.layout, self.at, self.index, player, self.reach[1 - player][None])[0] for player in (0, 1)
        )
        return first, second

    def act(self, action: int, played: Played) -> Place:
        """The place after an action."""
        tree = self.layout.tree
        player, child = int(tree.kind[self.node]), tree.children(self.node)[action]
        reach = [*self.reach]
        reach[player] = reach[player] * played(self.at, self.index, self.node)[action]
        return replace(self, node=child, line=longer(self.line, tree.word(child)), reach=(reach[0], reach[1]))

    def deal(self, card: int) -> Place:
        """The place after a card; ValueError if it has been dealt already."""
        if card in self.board:
            raise ValueError(f"{CARDS[card]} is on the board already: name another card")
        layout, suits = self.layout, ALL_SYMMETRIES[self.symmetry].tolist()
        kept_card = card & ~3 | suits.index(card & 3)
        boards = layout.boards[self.at + 1]
        children = layout.boards[self.at].children
        first, last = boards.copies[children[self.index]], boards.copies[children[self.index + 1]]
        copy = int(first + np.flatnonzero(boards.copy_card[first:last] == kept_card)[0])
        index = int(np.searchsorted(boards.copies, copy, side="right")) - 1
        moved = compose(suits, ALL_SYMMETRIES[boards.copy_symmetry[copy]].tolist())
        symmetry = int(np.flatnonzero((np.array(moved) == ALL_SYMMETRIES).all(axis=1))[0])
        reach = [
            before[hands.above[hands.start[index] : hands.start[index + 1]]]
            for before, hands in zip(self.reach, boards.hands, strict=True)
        ]
        return Place(
            layout, layout.tree.children(self.node)[0], self.at + 1, index, symmetry, (*self.board, card),
            longer(self.line, CARDS[card]), (reach[0], reach[1]),
        )  # fmt: skip


def start_of(layout: Layout) -> Place:
    """Where a spot starts."""
    hands = layout.boards[0].hands
    reach = layout.ranges[0][hands[0].combo], layout.ranges[1][hands[1].combo]
    return Place(layout, 0, 0, 0, 0, tuple(layout.spot.board), "", reach)


def follow_line(layout: Layout, line: str, played: Played) -> Place:
    """Where a line such as 'X-B50-C-2c-X' leads; ValueError says what is wrong with it."""
    tree = layout.tree
    nodes = [tree.find(line)]
    while nodes[-1]:
        nodes.append(int(tree.parent[nodes[-1]]))
    place = start_of(layout)
    for word, node in zip(line_words(line), nodes[-2::-1], strict=True):
        if tree.kind[place.node] == CHANCE:
            if word.upper() == DEALT:
                known = longer(place.line, "2c")
                raise ValueError(f"a line names the cards that come: write one instead of D, as in '{known}'")
            place = place.deal(parse_card(word))
        else:
            place = place.act(tree.children(place.node).index(node), played)
    return place


def mass_met(layout: Layout, at: int, board: int, player: int, reach: NDArray[np.floating]) -> Weights:
    """For each of a player's hands the opponent's reach that it can meet: ``[n, hands]`` from ``[n, their hands]``."""
    own, other = layout.boards[at].hands[player], layout.boards[at].hands[1 - player]
    ours, theirs = slice(own.start[board], own.start[board + 1]), slice(other.start[board], other.start[board + 1])
    their_cards = np.zeros((theirs.stop - theirs.start, 52))
    for cards in (other.low[theirs], other.high[theirs]):
        their_cards[np.arange(len(their_cards)), cards] = 1
    rows = reach.astype(np.float64)
    if not rows.shape[1]:
        return np.zeros((len(rows), ours.stop - ours.start))
    with_card, total = rows @ their_cards, rows.sum(axis=1, keepdims=True)
    same = own.same[ours]
    met = total - with_card[:, own.low[ours]] - with_card[:, own.high[ours]] + np.where(same >= 0, rows[:, same], 0)
    return np.where(met > LEAST_MET * total, met, 0.0)


def street_reach(
    layout: Layout, at: int, board: int, entries: Iterable[tuple[int, Pair]], played: Played
) -> dict[int, Pair]:
    """The reach at all nodes of a street on a board, from the reach where its lines enter."""
    tree = layout.tree
    reach = dict(entries)
    for node in sorted(reach):
        stack = [node]
        while stack:
            here = stack.pop()
            player = int(tree.kind[here])
            if player > IP:
                continue
            mixed = played(at, board, here)
            for action, child in enumerate(tree.children(here)):
                mine, theirs = reach[here][player] * mixed[action], reach[here][1 - player]
                reach[child] = (mine, theirs) if player == 0 else (theirs, mine)
                stack.append(child)
    return reach
