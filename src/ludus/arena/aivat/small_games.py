"""AIVAT for small games: the estimates of every possible course of a hand, computed at once and looked up."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.agents.strategy import StrategyAgent
from ludus.arena.aivat.cell_tree import Board, Cells, CellTree, leaf_pay, tree_of
from ludus.arena.aivat.hand_by_hand import check_final, check_known, read_range
from ludus.arena.aivat.heuristics import Heuristic, SolvedHeuristic
from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.games.definition import define
from ludus.games.moves import FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import hole_hands, retrace
from ludus.solvers.beliefs import RangeStrategist
from ludus.trees.flat import DEAL

Floats = NDArray[np.float64]


class AivatTable:
    """The same as ``Aivat``, for games that fit into a tree of cells.

    Where the game leaves suits out, ``suits`` lets a known player look at them anyway.
    """

    def __init__(
        self, game: PokerGame, known: Mapping[int, RangeStrategist], heuristic: Heuristic, suits: bool = False
    ) -> None:
        check_known(game, known)
        self.game = game
        self.tree = tree = tree_of(game, suits)
        strategy, values = _read(tree, known, heuristic)
        self._unknown = None if len(known) == 2 else 1 - min(known)
        self._keys = 1 if self._unknown is None else tree.cells.hands
        self._at: list[int] = (tree.cells.at // tree.cells.hands**2 * self._keys).tolist()
        found = _estimates(tree.cells, _Known(0 in known, 1 in known, self._keys, strategy), values)
        self._sums: list[float] = found.tolist()
        """By node, board and hand of an unknown player: estimates for seat 0 at the ends, else corrections so far."""

    def estimate(self, final: PokerState, seat: int, forfeit: bool = False) -> float:
        """What a seat would have won in a finished hand with less luck: see ``Aivat.estimate``."""
        check_final(self.game, final)
        node = None if forfeit else self.tree.node_after(final.line, len(final.cards))
        value = self._look_up(node, final) if node is not None else nan
        if isnan(value):  # the last action is not in the tree, or not the player's choice
            value = self._forfeited(final)
        return value if seat == 0 else -value

    def _look_up(self, node: int, final: PokerState) -> float:
        key = 0 if self._unknown is None else self.tree.hand_index(final.hole(self._unknown))
        return self._sums[self._at[node] + self.tree.board_index(final.board) * self._keys + key]

    def _forfeited(self, final: PokerState) -> float:
        """Corrections up to the last action, and then what was won."""
        *_, (state, action) = retrace(final)
        node = self.tree.node_after(state.line, len(state.cards))
        value = nan if node is None else self._look_up(node, final)
        if action != FOLD or isnan(value):
            raise ValueError(f"in {final.betting()!r} a known player did what its strategy never does")
        return value + final.returns()[0]


def _read(tree: CellTree, known: Mapping[int, RangeStrategist], heuristic: Heuristic) -> tuple[Floats, Floats]:
    """The known players' strategies (by_action) and the heuristic's values of all cells."""
    strategy, values = np.zeros(tree.flat.entries), np.zeros(tree.cells.at[-1])
    asked = dict(known)
    for seat, player in known.items():
        if type(player) is StrategyAgent and player.table.definition == define(tree.flat.game):
            _copy_seat(tree, seat, player.table.table(tree.flat), strategy)
            del asked[seat]
    looked_up = isinstance(heuristic, SolvedHeuristic) and heuristic.tree is tree
    if isinstance(heuristic, SolvedHeuristic) and looked_up:
        values = heuristic.cells
    if not asked and looked_up:
        return strategy, values
    levels = [[_Stand(tree, board) for board in boards] for boards in tree.boards]
    for node, states in tree.states():
        reader = asked.get(states[0].player)
        for board, (state, stand) in enumerate(zip(states, levels[int(tree.cells.level[node])], strict=True)):
            if reader is not None:
                _read_strategy(tree, node, board, stand, state, reader, strategy)
            if not looked_up:
                tree.cells_of(values, node, board)[:] = stand.cells(heuristic, state)
    return strategy, values


def _copy_seat(tree: CellTree, seat: int, source: Floats, target: Floats) -> None:
    """One seat's part of a table by_action."""
    for group in tree.flat.groups[tree.flat.groups["player"] == seat]:
        here = slice(group["start"], group["start"] + group["actions"] * group["situations"])
        target[here] = source[here]


class _Stand:
    """Hands of real cards that stand for the hands of a tree on one board."""

    def __init__(self, tree: CellTree, board: Board) -> None:
        self.hands = hole_hands(tree.game)
        apart = [not set(hand) & set(board) for hand in self.hands]
        self.possible = np.array(apart)
        self.members = [np.flatnonzero(self.possible & (tree.hand_of == at)) for at in range(tree.cells.hands)]
        """For each hand of the tree, the real ones."""
        self.others = [at for at, members in enumerate(self.members) if len(members)]
        self.other_cards = [self.hands[self.members[at][0]] for at in self.others]
        self._rows = np.arange(len(self.others))[:, None]
        self.columns = np.zeros((len(self.others), tree.cells.hands), np.int64)
        for row, other in enumerate(self.other_cards):
            for at, members in enumerate(self.members):
                free = [hand for hand in members.tolist() if not set(self.hands[hand]) & set(other)]
                self.columns[row, at] = free[0] if free else 0

    def cells(self, heuristic: Heuristic, state: PokerState) -> Floats:
        """The heuristic's values ``[hand of seat 0, hand of seat 1]`` of a state; anything where it cannot be."""
        size = self.columns.shape[1]
        cells = np.zeros((size, size))
        values = heuristic.values(state, 0, self.other_cards)
        cells[:, self.others] = values[self._rows, self.columns].T
        return cells


def _read_strategy(
    tree: CellTree, node: int, board: int, stand: _Stand, state: PokerState, player: RangeStrategist, strategy: Floats
) -> None:
    """Write how a player plays one public state into a table by_action."""
    cells, read = tree.cells, read_range(player, state, stand.possible)
    legal = state.legal_actions()
    begin, width = int(cells.start[node]), int(cells.boards[cells.level[node]]) * cells.hands
    for action, chances in zip(read.actions, read.chances.T, strict=True):
        if action not in legal:
            if chances.any():
                raise ValueError(f"{action} is no legal action at {state!r}")
            continue
        entry = begin + legal.index(action) * width + board * cells.hands
        for at in stand.others:
            each = chances[stand.members[at]]
            if np.ptp(each) > 1e-9:
                raise ValueError(f"the player of seat {state.player} tells hands apart that {tree.game.name} does not")
            strategy[entry + at] = each[0]


class _Known(NamedTuple):
    """Whose strategy is known, and how they play."""

    first: bool
    second: bool
    keys: int  # hands of an unknown player, 1 when both are known
    strategy: Floats


@kernel
def _add_up(c: Cells, known: _Known, node: int, weights: Floats, values: Floats, sums: Floats) -> None:
    """Fill in ``sums [2, boards * keys]``: a node's weighted values, and weights, over the hands of known players."""
    keys = known.keys
    for k in range(c.boards[c.level[node]] * keys):
        sums[0, k] = sums[1, k] = 0.0
    for b in range(c.boards[c.level[node]]):
        for h in range(c.hands):
            for o in range(c.hands):
                i = c.at[node] + (b * c.hands + h) * c.hands + o
                k = b if keys == 1 else b * keys + (o if known.first else h)
                sums[0, k] += weights[i] * values[i]
                sums[1, k] += weights[i]


@kernel
def _deal(c: Cells, known: _Known, node: int, weights: Floats, values: Floats, found: Floats, room: Floats) -> None:
    """Weights after the board is dealt, times its chance given both hands; corrections for what was dealt."""
    child, squared, keys = c.first[node], c.hands * c.hands, known.keys
    level, below = c.level[node], c.level[c.first[node]]
    for b in range(c.boards[below]):
        above = c.before[below, b] * squared
        for i in range(squared):
            chance = c.meet[c.meet_at[level] + above + i]
            if chance > 0.0:
                chance = c.meet[c.meet_at[below] + b * squared + i] / chance
                weights[c.at[child] + b * squared + i] = chance * weights[c.at[node] + above + i]
    before, dealt = room[:2], room[2:]
    _add_up(c, known, node, weights, values, before)
    _add_up(c, known, child, weights, values, dealt)
    for k in range(c.boards[level] * keys):
        before[0, k] = 0.0
    for k in range(c.boards[below] * keys):
        before[0, c.before[below, k // keys] * keys + k % keys] += dealt[0, k]
    here, there = c.at[node] // squared * keys, c.at[child] // squared * keys
    for k in range(c.boards[below] * keys):
        above = c.before[below, k // keys] * keys + k % keys
        found[there + k] = found[here + above] + before[0, above] / before[1, above] - dealt[0, k] / dealt[1, k]


@kernel
def _decide(c: Cells, known: _Known, node: int, weights: Floats, values: Floats, found: Floats, room: Floats) -> None:
    """Weights after each action, times its probability; corrections for what was done. None for an unknown player."""
    squared, keys, boards = c.hands * c.hands, known.keys, c.boards[c.level[node]]
    told = known.first if c.player[node] == 0 else known.second
    before, taken = room[:2], room[2:]
    _add_up(c, known, node, weights, values, before)
    for k in range(boards * keys):
        before[0, k] = 0.0
    here = c.at[node] // squared * keys
    for a in range(c.children[node]):
        child, entry = c.first[node] + a, c.start[node] + a * boards * c.hands
        for i in range(boards * squared):
            own = i // c.hands if c.player[node] == 0 else i // squared * c.hands + i % c.hands
            chance = known.strategy[entry + own] if told else 1.0
            weights[c.at[child] + i] = chance * weights[c.at[node] + i]
        _add_up(c, known, child, weights, values, taken)
        there = c.at[child] // squared * keys
        for k in range(boards * keys):
            before[0, k] += taken[0, k]
            found[there + k] = found[here + k] - (taken[0, k] / taken[1, k] if told else 0.0)
    for a in range(c.children[node] if told else 0):
        there = c.at[c.first[node] + a] // squared * keys
        for k in range(boards * keys):
            found[there + k] += before[0, k] / before[1, k]


@kernel
def _estimates(c: Cells, known: _Known, values: Floats) -> Floats:
    """Corrections on the way to every node ``[boards, keys]``; at a leaf the payoff is added. nan: never reached.

    Once down the tree: see ``ludus.arena.aivat.estimator`` for the formula.
    """
    squared, keys = c.hands * c.hands, known.keys
    weights, pays, found = np.zeros(c.at[-1]), np.zeros(c.at[-1]), np.zeros(c.at[-1] // squared * keys)
    room = np.zeros((4, c.boards.max() * keys))
    mean = total = 0.0
    for i in range(squared):
        weights[i] = c.meet[i]
        mean += c.meet[i] * values[i]
        total += c.meet[i]
    _add_up(c, known, 0, weights, values, room)
    for k in range(keys):
        found[k] = mean / total - room[0, k] / room[1, k]
    for n in range(len(c.player)):
        if c.player[n] == DEAL:
            _deal(c, known, n, weights, values, found, room)
        elif c.player[n] != TERMINAL:
            _decide(c, known, n, weights, values, found, room)
        else:
            for i in range(c.at[n + 1] - c.at[n]):
                pays[c.at[n] + i] = leaf_pay(c, n, i)
            _add_up(c, known, n, weights, pays, room)
            for k in range(c.boards[c.level[n]] * keys):
                found[c.at[n] // squared * keys + k] += room[0, k] / room[1, k]
    return found
