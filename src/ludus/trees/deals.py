"""What chance can deal in a small two-player poker game, and what each player then knows.

A *situation* of a player is their hand together with the board, as far as information states tell cards apart. On the
public tree a solver keeps one number a situation instead of one node a deal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
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
    cards: tuple[NDArray[np.uint8], ...] = ()  # per level [boards, cards]: one deal of each board, suits being equal


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


def board_names(game: PokerGame, cards: Sequence[int]) -> tuple[str, ...]:
    """The board among the cards on the table, as ``Deals.boards`` has it: the cards of each street that is dealt."""
    starts = (game.players * game.hole_cards, *game.card_targets)
    return tuple(game.name_cards(cards[first:last]) for first, last in pairwise(starts) if last <= len(cards))


@lru_cache(maxsize=4)  # parts of one game share them
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
    board_cards: list[NDArray[np.uint8]] = []
    before: list[NDArray[np.int64]] = []
    index = np.zeros(len(cards), np.int64)
    for level, target in enumerate(levels):
        dealt = [names for names, end in zip(streets, game.card_targets, strict=True) if end <= target]
        parts = list(zip(*dealt, strict=True))
        found = {board: at for at, board in enumerate(dict.fromkeys(parts))}
        parents, above = np.zeros(len(found), np.int64), index
        index = np.array([found[board] for board in parts], np.int64)
        parents[index] = above
        firsts = np.unique(index, return_index=True)[1]
        board_cards.append(cards[firsts, 2 * hole : target].astype(np.uint8))
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
        _joint(*last_level, sign), _joint(*last_level, (outcome == TIE).astype(np.float64)), tuple(board_cards),
    )  # fmt: skip


def deals_with(deals: Deals, level: int, board: tuple[str, ...]) -> Deals:
    """The deals in which the board of a level is this one; their probabilities stay those in the whole game."""
    if board not in deals.boards[level]:
        raise ValueError(f"no deal has the board {'/'.join(board)!r}")
    kept = [np.arange(len(boards)) for boards in deals.boards]
    kept[level] = np.array([deals.boards[level].index(board)])
    for below in range(level + 1, len(kept)):
        kept[below] = np.flatnonzero(np.isin(deals.before[below], kept[below - 1]))
    hands, possible = len(deals.hands), deals.situation[:, 0, level] // len(deals.hands) == kept[level][0]
    situation, before = deals.situation[possible], [np.zeros(len(kept[0]), np.int64)]
    for at, old in enumerate(kept):
        situation[:, :, at] = np.searchsorted(old, situation[:, :, at] // hands) * hands + situation[:, :, at] % hands
        before += [np.searchsorted(kept[at - 1], deals.before[at][old])] if at else []
    return Deals(
        hands=deals.hands,
        boards=tuple(tuple(boards[at] for at in old) for boards, old in zip(deals.boards, kept, strict=True)),
        before=tuple(before),
        situation=situation,
        outcome=deals.outcome[possible],
        meet=tuple(table[old] for table, old in zip(deals.meet, kept, strict=True)),
        wins=deals.wins[kept[-1]],
        ties=deals.ties[kept[-1]],
        cards=tuple(cards[old] for cards, old in zip(deals.cards, kept, strict=True)),
    )


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
