"""The odds of every hand against one known hand, over all the boards that can still come."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ludus.arena.aivat.preflop_counts import BOARDS_OF_A_PAIR, pair_counts
from ludus.cards.card import DECK
from ludus.cards.ranges import combo_index
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, PLACE_BITS, PLACES, rank_live
from ludus.compiled import kernel
from ludus.games.poker import PokerGame
from ludus.games.record import hole_hands
from ludus.games.showdown import strength_rows

Floats = NDArray[np.float64]
_KEPT = 1024  # results that are remembered; a hand of hold'em asks for each up to a dozen times
_PLACE = np.uint32(PLACE_BITS)


class Showdowns:
    """Who would win a game's showdowns; rows follow ``games.record.hole_hands``."""

    def __init__(self, game: PokerGame) -> None:
        self.game = game
        self.hands = hole_hands(game)
        self.holds = np.zeros((len(self.hands), 52), np.bool_)
        """``[hands, cards]``"""
        for at, hand in enumerate(self.hands):
            self.holds[at, list(hand)] = True
        self._board_cards = sum(game.board_cards)
        self._ranked = game.hole_cards == 2 and 3 <= self._board_cards <= 5
        self._combos = np.array([combo_index(*hand) for hand in self.hands]) if self._ranked else None
        self._remembered = lru_cache(_KEPT)(self._count)

    def possible(self, cards: Sequence[int]) -> NDArray[np.bool_]:
        """Which hands ``[hands]`` hold none of some cards."""
        return np.logical_not(self.holds[:, list(cards)].any(axis=1))

    def against(self, other: Sequence[int], board: Sequence[int]) -> tuple[Floats, Floats]:
        """The probability that each hand wins and ties ``[hands]`` against another; anything for impossible hands.

        >>> from ludus.games import leduc
        >>> win, tie = Showdowns(leduc()).against((38,), (42,))  # a jack, the board is a queen
        >>> win[1:].tolist(), tie[1:].tolist()  # the other jack, the queens, the kings
        ([0.0, 0.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 0.0, 0.0])
        """
        return self._remembered(tuple(sorted(other)), tuple(sorted(board)))

    def _count(self, other: tuple[int, ...], board: tuple[int, ...]) -> tuple[Floats, Floats]:
        game, missing = self.game, self._board_cards - len(board)
        if self._combos is not None and self._board_cards == 5 and not board and game.card_set == set(DECK):
            counts = pair_counts()[:, :, combo_index(*other)]
            return counts[0] / BOARDS_OF_A_PAIR, counts[1] / BOARDS_OF_A_PAIR
        unseen = [card for card in game.deck if card not in other and card not in board]
        boards = np.array([board + rest for rest in combinations(unseen, missing)], np.uint8)
        boards_each = comb(len(unseen) - game.hole_cards, missing)
        if self._combos is not None:
            at = self._combos
            own = combo_index(*other)
            counted = _count_ranked(boards, COMBO_KEYS[at], COMBO_BITS[at], COMBO_KEYS[own], COMBO_BITS[own])
        else:
            counted = self._count_any(boards, other)
        return counted[0] / boards_each, counted[1] / boards_each

    def _count_any(self, boards: NDArray[np.uint8], other: tuple[int, ...]) -> NDArray[np.int64]:
        """Wins and ties ``[2, hands]`` on full boards ``[n, cards]``, for hands of any size."""
        counts = np.zeros((2, len(self.hands)), np.int64)
        for board in boards.astype(np.int64):
            live = np.flatnonzero(self.possible(board.tolist()))
            rows = np.array([self.hands[at] for at in live] + [other], np.int64)
            strengths = strength_rows(np.hstack([rows, np.tile(board, (len(rows), 1))]))
            counts[0, live] += strengths[:-1] > strengths[-1]
            counts[1, live] += strengths[:-1] == strengths[-1]
        return counts


@kernel
def _count_ranked(
    boards: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    bits: NDArray[np.uint64],
    other_key: np.uint64,
    other_bits: np.uint64,
) -> NDArray[np.int64]:
    """Wins and ties ``[2, hands]`` of hands of two cards on full boards ``[n, 3..5]`` that hold none of the other's."""
    counts = np.zeros((2, len(keys)), np.int64)
    other_keys, other_bit = np.full(1, other_key), np.full(1, other_bits)
    other, packed = np.empty(1, np.uint32), np.empty(len(keys), np.uint32)
    for row in range(len(boards)):
        rank_live(boards[row], other_keys, other_bit, other)
        rank = other[0] >> _PLACE
        for place in range(rank_live(boards[row], keys, bits, packed)):
            theirs, at = packed[place] >> _PLACE, packed[place] & PLACES
            counts[0, at] += theirs < rank
            counts[1, at] += theirs == rank
    return counts
