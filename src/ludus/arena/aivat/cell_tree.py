"""Small two-player games with one number for each public state, board and pair of hands: a *cell*.

The tree is the public one of `ludus.trees.flat`. A node's cells are [board, hand of seat 0, hand of seat 1], hands and
boards as information states name them: where suits do not count, hands of the same ranks share a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import CARDS
from ludus.compiled import kernel
from ludus.games.base import TERMINAL, Game
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.record import hole_hands
from ludus.trees.deals import Deals, count_deals
from ludus.trees.flat import DEAL, FlatGame, estimate_nodes, flatten

MOST_CELLS = 20_000_000
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Line = tuple[tuple[int, ...], ...]
Board = tuple[int, ...]


class Cells(NamedTuple):
    """What kernels need of a tree. Node arrays are in tree order, parents first."""

    player: Ints
    children: Ints  # how many
    first: Ints
    start: Ints  # of a decision: where its numbers begin in a strategy
    level: Ints
    at: Ints  # where a node's cells begin
    pays: Floats  # [nodes, 3]: chips of seat 0 at the end, if it wins, if it loses, in a tie
    hands: int
    boards: Ints  # [levels]
    before: Ints  # [levels, boards]: a board's board one level before
    meet: Floats  # the probabilities of cells, level by level
    meet_at: Ints  # [levels]: where those of a level begin
    wins: Floats  # [cells of the last level]: the probability that seat 0 wins a showdown
    ties: Floats


@dataclass(frozen=True, eq=False)
class CellTree:
    """A game's public tree, and how to find states, boards and hands in it."""

    game: PokerGame
    flat: FlatGame  # of the same game, perhaps with suits in its information states
    cells: Cells
    hand_of: Ints  # [hole hands]
    boards: tuple[tuple[Board, ...], ...]  # per level: cards that stand for each board
    _nodes: dict[tuple[Line, int], int] = field(default_factory=dict)
    _boards: dict[Board, int] = field(default_factory=dict)
    _hands: dict[Board, int] = field(default_factory=dict)

    def node_of(self, state: PokerState) -> int:
        """The node of a state; ValueError when its betting is not in the tree."""
        node = self.node_after(state.line, len(state.cards))
        if node is None:
            raise ValueError(f"the betting {state.betting()!r} does not belong to {self.game.name} with these bets")
        return node

    def node_after(self, line: Line, cards: int) -> int | None:
        """The node after some betting with this many cards on the table, None when it is not in the tree."""
        if not self._nodes:
            walk = self.states(every_board=False)
            self._nodes.update({(states[0].line, len(states[0].cards)): node for node, states in walk})
        return self._nodes.get((line, cards))

    def hand_index(self, cards: Sequence[int]) -> int:
        """The number of a hand."""
        if not self._hands:
            self._hands.update(zip(hole_hands(self.game), self.hand_of.tolist(), strict=True))
        return self._hands[tuple(sorted(cards))]

    def board_index(self, board: Board) -> int:
        """The number of a board among those of its level."""
        index = self._boards.get(board)
        if index is None:
            parts = _parts(self.flat.game, board)
            level = next(at for at, cards in enumerate(self.boards) if len(cards[0]) == len(board))
            index = self._boards[board] = self.flat.deals.boards[level].index(parts)
        return index

    def cells_of(self, values: Floats, node: int, board: int) -> Floats:
        """The cells ``[hand of seat 0, hand of seat 1]`` of a node and a board."""
        hands = self.cells.hands
        begin = int(self.cells.at[node]) + board * hands * hands
        return values[begin : begin + hands * hands].reshape(hands, hands)

    def states(self, every_board: bool = True) -> Iterator[tuple[int, list[PokerState]]]:
        """Every node with its public states: one for each board of its level, or a single one."""
        cells, before = self.cells, self.flat.deals.before
        stack = [(0, [self.game.start().deal(self.game.deck).seen_by(-1)])]
        while stack:
            node, states = stack.pop()
            yield node, states
            first = int(cells.first[node])
            if cells.player[node] == DEAL:
                below = int(cells.level[first])
                hidden = (HIDDEN,) * (2 * self.game.hole_cards)
                boards = self.boards[below] if every_board else self.boards[below][:1]
                deals = zip(before[below].tolist(), boards, strict=False)
                stack.append((first, [states[parent].deal(hidden + board) for parent, board in deals]))
            elif cells.player[node] != TERMINAL:
                for at, action in enumerate(states[0].legal_actions()):
                    stack.append((first + at, [state.apply(action) for state in states]))


def fits(game: PokerGame) -> bool:
    """Whether a game is small enough for a tree of cells."""
    if game.players != 2 or game.board_cards[0] or (deals := count_deals(game)) > MOST_CELLS:
        return False
    return estimate_nodes(game.start().deal(game.deck).seen_by(-1)) * deals <= MOST_CELLS


def tree_of(game: PokerGame, suits: bool = False) -> CellTree:
    """The tree of a game, optionally with suits that the game itself leaves out; ValueError when it is too large."""
    return _tree_of(game, game.show_suits or suits)


@lru_cache(maxsize=4)
def _tree_of(game: PokerGame, suits: bool) -> CellTree:
    if not fits(game):
        raise ValueError(
            f"{game.name} is too large for values of every pair of hands, or not for two: take equity as the heuristic"
        )
    named = replace(game, show_suits=suits)
    flat = flatten(named)
    names = {name: at for at, name in enumerate(flat.deals.hands)}
    hand_of = np.array([names[named.name_cards(hand)] for hand in hole_hands(game)], np.int64)
    return CellTree(game, flat, _cells(flat), hand_of, _board_cards(named, flat.deals))


def profile_values(tree: CellTree, strategy: Floats) -> Floats:
    """What seat 0 wins on average in every cell when both players follow a strategy (by_action)."""
    return _profile_values(tree.cells, strategy)


def _cells(flat: FlatGame) -> Cells:
    nodes, deals = flat.nodes, flat.deals
    hands = len(deals.hands)
    boards = np.array([len(level) for level in deals.boards], np.int64)
    size = boards[nodes["level"]] * hands**2
    before = np.zeros((len(boards), boards.max()), np.int64)
    for level, above in enumerate(deals.before):
        before[level, : len(above)] = above
    meet_size = boards * hands**2
    pays = np.zeros((len(nodes), 3))
    leaves = nodes["player"] == TERMINAL
    pays[leaves] = flat.payoffs[nodes["leaf"][leaves]][:, :, 0]
    meet = deals.meet[-1]
    chance = np.where(meet > 0, meet, 1.0)
    ties, lead = deals.ties / chance, deals.wins / chance
    return Cells(
        player=nodes["player"].astype(np.int64),
        children=nodes["count"].astype(np.int64),
        first=nodes["first"].astype(np.int64),
        start=nodes["start"].astype(np.int64),
        level=nodes["level"].astype(np.int64),
        at=np.concatenate([[0], np.cumsum(size)]),
        pays=pays,
        hands=hands,
        boards=boards,
        before=before,
        meet=np.concatenate([level.ravel() for level in deals.meet]),
        meet_at=np.cumsum(meet_size) - meet_size,
        wins=((1 - ties + lead) / 2).ravel(),
        ties=ties.ravel(),
    )


def _parts(game: Game, board: Board) -> tuple[str, ...]:
    """A board as the names of the cards of each street dealt."""
    assert isinstance(game, PokerGame)
    ends = [end - 2 * game.hole_cards for end in game.card_targets]
    starts = [0, *ends]
    return tuple(game.name_cards(board[starts[at] : end]) for at, end in enumerate(ends) if end <= len(board))


def _board_cards(game: PokerGame, deals: Deals) -> tuple[tuple[Board, ...], ...]:
    """Cards that stand for each board of each level; a board begins with the cards of the one before it."""
    levels: list[tuple[Board, ...]] = [((),)]
    for parts_of, before in zip(deals.boards[1:], deals.before[1:], strict=True):
        made = []
        for parts, above in zip(parts_of, before.tolist(), strict=True):
            board = levels[-1][above]
            made.append(_complete(game, board, "".join(parts[len(_parts(game, board)) :])))
        levels.append(tuple(made))
    return tuple(levels)


def _complete(game: PokerGame, board: Board, names: str) -> Board:
    """A board with the first cards of the deck that have some names."""
    width = 1 + game.show_suits
    for at in range(0, len(names), width):
        name = names[at : at + width]
        board += (next(card for card in game.deck if card not in board and CARDS[card].startswith(name)),)
    return board


@kernel
def leaf_pay(c: Cells, node: int, at: int) -> float:
    """What seat 0 wins at a leaf in a cell of the node, counted from the node's first one."""
    won, lost, tied = c.pays[node, 0], c.pays[node, 1], c.pays[node, 2]
    if won == lost:  # a fold, perhaps before the whole board is dealt
        return float(won)
    return float(lost + (won - lost) * c.wins[at] + (tied - lost) * c.ties[at])


@kernel
def _profile_values(c: Cells, strategy: Floats) -> Floats:
    values = np.zeros(c.at[-1])
    squared = c.hands * c.hands
    for n in range(len(c.player) - 1, -1, -1):
        here, first, level = c.at[n], c.first[n], c.level[n]
        width = c.boards[level] * c.hands
        if c.player[n] == TERMINAL:
            for i in range(c.at[n + 1] - here):
                values[here + i] = leaf_pay(c, n, i)
        elif c.player[n] == DEAL:
            below = c.level[first]
            meet, after = c.meet_at[level], c.meet_at[below]
            for b in range(c.boards[below]):
                above = c.before[below, b] * squared
                for i in range(squared):
                    if c.meet[meet + above + i] > 0.0:
                        chance = c.meet[after + b * squared + i] / c.meet[meet + above + i]
                        values[here + above + i] += chance * values[c.at[first] + b * squared + i]
        else:
            for a in range(c.children[n]):
                child, entry = c.at[first + a], c.start[n] + a * width
                for b in range(c.boards[level]):
                    for h in range(c.hands):
                        for o in range(c.hands):
                            i = (b * c.hands + h) * c.hands + o
                            own = h if c.player[n] == 0 else o
                            values[here + i] += strategy[entry + b * c.hands + own] * values[child + i]
    return values
