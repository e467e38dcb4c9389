"""The frontier of a small game: what stands where a flat game ends before the hand does.

The leaves of the frontier are its lines of betting times the boards that they may have. Before anyone learns or is
measured, `LeafValues` turn both players' reach of the leaves into both players' values there.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from ludus.games.poker import PokerState
from ludus.solvers.leaf_values import LeafValues, Leaves
from ludus.solvers.passes import Floats, Ints, Plan
from ludus.trees.flat import FRONTIER, FlatGame


@dataclass(frozen=True, eq=False)
class FlatLeaves(Leaves):
    """The leaves of a flat game, by node and then by board."""

    flat: FlatGame
    line: Ints  # [leaves]: the public state is ``flat.frontier[line]``, on a board of its own
    board: Ints  # [leaves]: which board of the level it is
    meet: Floats  # [leaves, hands, hands]: how probably chance deals the board and these two hands
    offset: Floats  # [leaves, 2]: from a value counted from half the pot to what is won in the whole hand

    @classmethod
    def of(cls, flat: FlatGame) -> FlatLeaves:
        """All leaves of a game that ends at a frontier."""
        nodes = flat.nodes[flat.nodes["player"] == FRONTIER]
        level = int(nodes["level"][0])  # the same for all: as much of the board is dealt
        boards = len(flat.deals.boards[level])
        line, board = np.repeat(nodes["leaf"], boards).astype(np.int64), np.tile(np.arange(boards), len(nodes))
        states = [flat.frontier[at] for at in line]
        pots = np.array([state.pot for state in states], np.int64)
        return cls(
            boards=flat.deals.cards[level][board],
            pots=pots,
            stacks=np.array([min(state.stacks) for state in states], np.int64),
            flat=flat,
            line=line,
            board=board,
            meet=flat.deals.meet[level][board],
            offset=pots[:, None] / 2 - np.array([state.spent() for state in states]),
        )

    def state(self, at: int) -> PokerState:
        """The public state of a leaf, with its board."""
        state: PokerState = copy(self.flat.frontier[self.line[at]])
        hole = state.game.players * state.game.hole_cards
        state.cards = (*state.cards[:hole], *self.boards[at].tolist())
        return state


class Frontier:
    """Leaf values bound to the places of a plan's buffers. A game that is played to its end has an empty one.

    Instead of something that values leaves, their values can be given as ``values`` would have them, such as
    ``ExactSolver.leaf_averages``: then they are the same whatever the reach.
    """

    def __init__(self, flat: FlatGame, p: Plan, leaf_values: LeafValues | Floats | None) -> None:
        if flat.frontier and leaf_values is None:
            raise ValueError("this part of a game ends before the hand does: give leaf values")
        if leaf_values is not None and not flat.frontier:
            raise ValueError("this game is played to its end: it takes no leaf values")
        nodes = p.frontier.astype(np.int64)
        self.size = int(p.size[nodes].sum())
        self._given: Floats | None = np.zeros((flat.players, 0))
        if leaf_values is None:
            return
        if isinstance(leaf_values, np.ndarray):
            if leaf_values.shape != (2, self.size):
                raise ValueError(f"given leaf values are [2, {self.size}], got {list(leaf_values.shape)}")
            self._given = leaf_values
            return
        self._given = None
        leaves = FlatLeaves.of(flat)
        hands = np.arange(int(p.hands))
        row_nodes = np.repeat(nodes, int(p.size[nodes[0]]) // len(hands))
        firsts = p.reach_at[:, row_nodes].T.astype(np.int64) + leaves.board[:, None] * len(hands)
        self._places = firsts[:, :, None] + hands
        self._meet, self._offset = leaves.meet, leaves.offset
        self._evaluate = leaf_values.bind(leaves)

    def values(self, reach: Floats) -> Floats:
        """[players, situations of all leaves]: counterfactual values, in the chips of the whole hand."""
        if self._given is not None:
            return self._given
        here = reach[self._places]
        found = np.asarray(self._evaluate(here), np.float64)
        if found.shape != here.shape:
            raise ValueError(f"leaf values are {list(here.shape)} like the reach, got {list(found.shape)}")
        if not np.isfinite(found).all():
            raise ValueError("leaf values are numbers, got some that are none: is the value network sound?")
        if self._offset.any():
            met = np.einsum("lho,lpo->lph", self._meet, here[:, ::-1])
            found = found + met * self._offset[:, :, None]
        return np.ascontiguousarray(found.transpose(1, 0, 2)).reshape(2, -1)
