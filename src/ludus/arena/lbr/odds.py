"""One hand against each hand that the other player may hold, when both check to the end.

Exact over all boards that can come, except in hold'em before the flop, where a hand stands for its class of the 169:
the table averages over suits. That is precise enough for choosing actions; what is won when all chips go in before the
flop is taken from random boards instead, which is right for any range.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.preflop import preflop_table
from ludus.cards.ranges import class_of_combo, combo_index
from ludus.cards.runouts import runouts
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, PLACE_BITS, PLACES, rank_live
from ludus.compiled import kernel
from ludus.games.poker import PokerGame
from ludus.games.record import free_hands, hole_hands
from ludus.games.showdown import strength_rows

Floats = NDArray[np.float64]

MOST_SHOWDOWNS = 2_000_000
"""Hands times boards that are compared one by one in games other than hold'em."""

_PLACE = np.uint32(PLACE_BITS)


class Odds(NamedTuple):
    """How often a hand wins and ties against each hand of ``hole_hands``; 0 where they share a card."""

    win: Floats
    tie: Floats

    @property
    def equity(self) -> Floats:
        """Wins and half the ties."""
        return self.win + self.tie / 2


def is_holdem(game: PokerGame) -> bool:
    """Whether hands are two cards of 52 and the board has five in the end."""
    return len(game.deck) == 52 and game.hole_cards == 2 and sum(game.board_cards) == 5


@lru_cache(maxsize=256)
def odds(game: PokerGame, hole: tuple[int, ...], board: tuple[int, ...]) -> Odds:
    """The odds of a hand on a board; the arrays must not be changed."""
    found = _holdem_odds(game, hole, board) if is_holdem(game) else _small_odds(game, hole, board)
    for array in found:
        array.setflags(write=False)
    return found


def _holdem_odds(game: PokerGame, hole: tuple[int, ...], board: tuple[int, ...]) -> Odds:
    hand, free = combo_index(*hole), free_hands(game, (*hole, *board))
    if not board:
        table, row = preflop_table(), class_of_combo[hand]
        return Odds(
            np.where(free, table.win[row][class_of_combo], 0.0), np.where(free, table.tie[row][class_of_combo], 0.0)
        )
    deck = [card for card in game.deck if card not in hole and card not in board]
    boards, _ = runouts(board, deck)
    combos = np.flatnonzero(free).astype(np.uint16)
    met = comb(len(deck) - 2, 5 - len(board))
    result = np.zeros((2, len(free)))
    result[:, combos] = _count_each(boards, hand, combos) / met
    return Odds(*result)


@kernel
def _count_each(boards: NDArray[np.uint8], hand: int, combos: NDArray[np.uint16]) -> NDArray[np.int64]:
    """``[2, m]``: on how many boards ``[n, 5]`` a combination beats and ties each of others ``[m]``."""
    keys, bits = COMBO_KEYS[combos], COMBO_BITS[combos]
    packed, own = np.empty(len(combos), np.uint32), np.empty(1, np.uint32)
    counts = np.zeros((2, len(combos)), np.int64)
    for row in range(len(boards)):
        rank_live(boards[row], COMBO_KEYS[hand : hand + 1], COMBO_BITS[hand : hand + 1], own)
        live = np.uint64(rank_live(boards[row], keys, bits, packed))
        rank = own[0] >> _PLACE
        for place in range(live):
            at, theirs = packed[place] & PLACES, packed[place] >> _PLACE
            counts[0, at] += theirs > rank
            counts[1, at] += theirs == rank
    return counts


def _small_odds(game: PokerGame, hole: tuple[int, ...], board: tuple[int, ...]) -> Odds:
    """By comparing every pair of hands on every board."""
    hands = np.array(hole_hands(game), np.int64)
    missing = sum(game.board_cards) - len(board)
    deck = [card for card in game.deck if card not in hole and card not in board]
    if comb(len(deck), missing) * len(hands) > MOST_SHOWDOWNS:
        raise ValueError(f"{game.name} is too large: local best response knows hold'em and games with few cards")
    counts, met = np.zeros((2, len(hands))), np.zeros(len(hands))
    for rest in combinations(deck, missing):
        shown = (*board, *rest)
        free = free_hands(game, (*hole, *shown))
        theirs = strength_rows(np.hstack([hands[free], np.tile(np.array(shown, np.int64), (free.sum(), 1))]))
        mine = strength_rows(np.array([[*hole, *shown]], np.int64))
        counts[:, free] += mine > theirs, mine == theirs
        met += free
    return Odds(*(counts / np.maximum(met, 1)))
