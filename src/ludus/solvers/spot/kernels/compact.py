"""Strategies as small whole numbers, and where the rows of a node lie in the tables of a spot.

A strategy is kept as shares of 65535, two bytes each: off by at most a few hundred-thousandths, a quarter of what the
solver needs, and the shares of a hand's actions add up exactly, so damage shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import Weights
from ludus.compiled import kernel
from ludus.solvers.spot.kernels.plan import Floats
from ludus.solvers.spot.layout import Layout
from ludus.trees.betting import CHANCE, FRONTIER, IP, SHOWDOWN, BettingTree
from ludus.trees.subgame import CARDS_ON

WHOLE = 65535
Shares = NDArray[np.uint16]
_Kind = TypeVar("_Kind", bound=np.generic)


class Places(NamedTuple):
    """Rows of a betting tree's nodes in the tables of their street; -1 where a node has none.

    A table holds, for each board in turn, rows over the hands alive there: row r of board b starts at
    ``rows * start[b] + r * hands``. What folds and all-ins are worth follows from the reach, so they have no values.
    """

    strategy: NDArray[np.int32]  # [n] the first of a decision's rows in the table of who decides
    value: NDArray[np.int32]  # [2, n] a player's row of values: of decisions, and of cards that their action lets come,
    # whether they are in the tree or behind its frontier
    values: NDArray[np.int32]  # [6, 2] by cards on the board, player: the number of their rows of values
    all_in: NDArray[np.bool_]  # [n] whether only cards are dealt from a node on, as at a showdown

    @classmethod
    def of(cls, tree: BettingTree) -> Places:
        """Count the rows, in the order of the nodes."""
        actions = np.diff(tree.child_start)
        strategy = np.full(len(tree), -1, np.int32)
        value, values = np.full((2, len(tree)), -1, np.int32), np.zeros((6, 2), np.int32)
        over, parent = _all_in(tree), np.maximum(tree.parent, 0)
        for street in CARDS_ON:
            here = tree.street == street
            for player in (0, 1):
                own = here & (tree.kind == player)
                strategy[own] = np.cumsum(actions[own]) - actions[own]
                lets_come = np.isin(tree.kind, (CHANCE, FRONTIER)) & (tree.kind[parent] == player) & ~over
                kept = here & ((tree.kind <= IP) | lets_come)
                value[player, kept] = np.arange(np.count_nonzero(kept))
                values[street, player] = np.count_nonzero(kept)
        return cls(strategy, value, values, over)


def _all_in(tree: BettingTree) -> NDArray[np.bool_]:
    over: NDArray[np.bool_] = tree.kind == SHOWDOWN
    for node in np.flatnonzero(tree.kind == CHANCE)[::-1]:
        over[node] = over[tree.child[tree.child_start[node]]]
    return over


def rows_of(
    table: NDArray[_Kind], rows: int, start: NDArray[np.int64], board: int, first: int, count: int = 1
) -> NDArray[_Kind]:
    """Some consecutive rows of a board, ``[count, hands]``."""
    hands = int(start[board + 1] - start[board])
    at = rows * int(start[board]) + first * hands
    return table[at : at + count * hands].reshape(count, hands)


def to_shares(layout: Layout, at: int, player: int, sums: Floats) -> Shares:
    """Sums of strategies on a street as shares; a hand that no action has a sum for plays uniformly."""
    tree = layout.tree
    own = (tree.kind == player) & (tree.street == len(layout.spot.board) + at)
    first = np.concatenate([[0], np.cumsum(np.diff(tree.child_start)[own])])
    shares = np.empty(len(sums), np.uint16)
    fill_shares(sums, first, layout.boards[at].hands[player].start, shares)
    return shares


@kernel
def fill_shares(sums: Floats, first: NDArray[np.int64], start: NDArray[np.int64], shares: Shares) -> None:
    """Round the shares of each node (rows ``first[k] .. first[k + 1]``) of each board; the largest takes the rest."""
    rows = first[-1]
    for board in range(len(start) - 1):
        hands = start[board + 1] - start[board]
        for node in range(len(first) - 1):
            row = rows * start[board] + first[node] * hands
            actions = first[node + 1] - first[node]
            for hand in range(row, row + hands):
                total = 0.0
                for a in range(actions):
                    total += max(sums[hand + a * hands], np.float32(0))
                left, largest = np.int64(WHOLE), 0
                for a in range(actions):
                    share = max(sums[hand + a * hands], np.float32(0)) / total if total > 0 else 1.0 / actions
                    shares[hand + a * hands] = np.uint16(share * WHOLE + 0.5)
                    left -= np.int64(shares[hand + a * hands])
                    if shares[hand + a * hands] > shares[hand + largest * hands]:
                        largest = a
                shares[hand + largest * hands] += np.uint16(left & 0xFFFF)


def from_shares(shares: Shares, what: str) -> Weights:
    """Probabilities ``[actions, hands]``; ValueError when some do not add up."""
    if not (shares.sum(axis=0, dtype=np.int64) == WHOLE).all():
        raise ValueError(f"{what} is damaged: the probabilities of a hand do not add up to 1")
    return shares / np.float64(WHOLE)


def normalised(sums: NDArray[np.floating]) -> Weights:
    """Probabilities from sums of strategies, ``[actions, hands]``."""
    kept = np.maximum(sums, 0).astype(np.float64)
    total = kept.sum(axis=0)
    return np.where(total > 0, kept / np.where(total > 0, total, 1), 1 / len(kept))


def compose(second: Sequence[int], first: Sequence[int]) -> tuple[int, ...]:
    """The permutation of the suits that does one and then another."""
    return tuple(int(second[suit]) for suit in first)
