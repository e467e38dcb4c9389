"""What chance can deal in a small two-player poker game, and what each player then knows.

A *situation* of a player is his hand together with the board, as far as information states tell cards apart. On the
public tree a solver keeps one number a situation instead of one node a deal.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from ludus.games.poker import PokerGame
from ludus.games.showdown import strength_rows

MOST_DEALS = 2_000_000
FIRST_WINS, SECOND_WINS, TIE = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Deals:
    """Every deal, all equally likely. A *level* is a number of board cards dealt; situation = board * hands + hand."""

    hands: tuple[str, ...]
    boards: tuple[tuple[tuple[str, ...], ...], ...]  # per level: boards, each as the cards of its streets
    before: tuple[NDArray[np.int64], ...]  # per level: for each board, the board of the level before
    situation: NDArray[np.int32]  # [deals, players, levels]
    outcome: NDArray[np.int8]  # [deals]: who wins a showdown
    meet: tuple[NDArray[np.float64], ...]  # per level [boards, hands, hands]: probability of own and other hand
    wins: NDArray[np.float64]  # [boards, hands, hands], last level: that probability where own wins, minus where loses
    ties: NDArray[np.float64]  # the same where nobody wins


def no_deals() -> Deals:
    """Nothing is dealt outside the tree: one situation, always the same."""
    one = np.ones((1, 1, 1))
    return Deals(
        ("",), (((),),), (np.zeros(1, np.int64),), np.zeros((1, 1, 1), np.int32), np.zeros(1, np.int8), (one,),
        np.zeros((1, 1, 1)), np.zeros((1, 1, 1)),
    )  # fmt: skip


def count_deals(game: PokerGame) -> int:
    """How many ways there are to deal a whole hand, the order within a hand or a street aside."""
    sizes = [game.hole_cards] * game.players + list(game.board_cards)
    left = [len(game.deck) - sum(sizes[:at]) for at in range(len(sizes))]
    return prod(comb(cards, size) for cards, size in zip(left, sizes, strict=True))


def levels_of(game: PokerGame) -> tuple[int, ...]:
    """Numbers of cards on the table, hole cards included, at which betting can happen."""
    return tuple(sorted(set(game.card_targets)))


def deal_all(game: PokerGame) -> Deals:
    """Enumerate the deals of a two-player game; ValueError when there are too many."""
    assert game.players == 2
    if (total := count_deals(game)) > MOST_DEALS:
        raise ValueError(f"{game.name} has {total:,} deals, too many to solve whole: at most {MOST_DEALS:,}")
    hole, levels = game.hole_cards, levels_of(game)
    cards = np.array(_choose(game.deck, [hole, hole, *game.board_cards]), np.int64)
    named = [_names(game, cards[:, seat * hole : (seat + 1) * hole]) for seat in range(2)]
    hands = {name: at for at, name in enumerate(dict.fromkeys(named[0]))}
    own = np.array([[hands[name] for name in names] for names in named]).T
    starts = (2 * hole, *game.card_targets)
    streets = [_names(game, cards[:, first:last]) for first, last in pairwise(starts)]
    situation = np.empty((len(cards), 2, len(levels)), np.int32)
    boards: list[tuple[tuple[str, ...], ...]] = []
    before: list[NDArray[np.int64]] = []
    index = np.zeros(len(cards), np.int64)
    for level, target in enumerate(levels):
        dealt = [names for names, end in zip(streets, game.card_targets, strict=True) if end <= target]
        parts = list(zip(*dealt, strict=True))
        found = {board: at for at, board in enumerate(dict.fromkeys(parts))}
        parents, above = np.zeros(len(found), np.int64), index
        index = np.array([found[board] for board in parts], np.int64)
        parents[index] = above
        boards.append(tuple(found))
        before.append(parents)
        situation[:, :, level] = index[:, None] * len(hands) + own
    strengths = [
        strength_rows(np.hstack([cards[:, seat * hole : (seat + 1) * hole], cards[:, 2 * hole :]])) for seat in range(2)
    ]
    outcome = np.where(
        strengths[0] == strengths[1], TIE, np.where(strengths[0] > strengths[1], FIRST_WINS, SECOND_WINS)
    )
    meet = tuple(
        _joint(situation[:, :, level], len(boards[level]), len(hands), np.ones(len(cards)))
        for level in range(len(levels))
    )
    sign = np.where(outcome == FIRST_WINS, 1.0, np.where(outcome == SECOND_WINS, -1.0, 0.0))
    last_level = situation[:, :, -1], len(boards[-1]), len(hands)
    return Deals(
        tuple(hands), tuple(boards), tuple(before), situation, outcome.astype(np.int8), meet,
        _joint(*last_level, sign), _joint(*last_level, (outcome == TIE).astype(np.float64)),
    )  # fmt: skip


def _choose(deck: tuple[int, ...], sizes: list[int]) -> list[tuple[int, ...]]:
    """Every way to take groups of cards of the given sizes one after the other."""
    if not sizes:
        return [()]
    return [
        first + rest
        for first in combinations(deck, sizes[0])
        for rest in _choose(tuple(card for card in deck if card not in first), sizes[1:])
    ]


def _names(game: PokerGame, rows: NDArray[np.int64]) -> list[str]:
    """The cards of each row as information states name them; most rows come again and again."""
    hands = [tuple(row) for row in rows.tolist()]
    names = {hand: game.name_cards(hand) for hand in set(hands)}
    return [names[hand] for hand in hands]


def _joint(situation: NDArray[np.int32], boards: int, hands: int, weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of a weight over all deals by [board, first player's hand, second player's hand], as a mean."""
    table = np.zeros((boards, hands, hands))
    first = situation[:, 0].astype(np.int64)
    np.add.at(table, (first // hands, first % hands, situation[:, 1] % hands), weight / len(situation))
    return table
