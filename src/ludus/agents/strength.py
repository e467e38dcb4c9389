"""How good a hand is among all that one may be dealt: the measure that players with a style go by.

It is the share of all other hands that a hand is better than, ties counting half: 0 for the worst, 1 for the best.
Better is what wins more often against a random hand, over all boards to come, before the flop of hold'em and in small
games; from the flop on and with large decks of other kinds it is what is ahead as the cards lie.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import DECK
from ludus.cards.ranges import CLASSES, class_of_combo, combo_index
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, DIGITS, PLACE_BITS, PLACES, rank_live, sort_packed
from ludus.cards.strength import PREFLOP_ORDER
from ludus.compiled import kernel
from ludus.games.poker import PokerGame
from ludus.games.record import hole_hands
from ludus.games.showdown import strength_rows

Shares = NDArray[np.float64]

MOST_COMPARED = 2_000_000  # pairs of hands on boards to come
_PLACE = np.uint32(PLACE_BITS)


@lru_cache(maxsize=512)
def shares_beaten(game: PokerGame, board: tuple[int, ...]) -> Shares:
    """The measure for every hand, in the order of ``hole_hands``; 0 for hands that the board makes impossible.

    >>> from ludus.games import kuhn
    >>> shares_beaten(kuhn(), ()).tolist()
    [0.0, 0.5, 1.0]
    """
    if not _is_holdem(game) or len(board) in (1, 2):
        found = _in_other_games(game, board)
    else:
        found = _on_board(np.array(board, np.uint8)) if board else preflop_shares()
    found.setflags(write=False)
    return found


def hand_place(game: PokerGame, hand: tuple[int, ...]) -> int:
    """The place of a hand in the order of ``hole_hands``."""
    return combo_index(*hand) if _is_holdem(game) else _places(game)[tuple(sorted(hand))]


def beaten(values: NDArray[np.float64]) -> Shares:
    """From how good hands are, whatever the scale, the share of the others that each is better than.

    >>> beaten(np.array([3.0, 1.0, 3.0])).tolist()
    [0.75, 0.0, 0.75]
    """
    ordered = np.sort(values)
    worse, not_better = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return np.asarray((worse + not_better - 1) / 2 / max(len(values) - 1, 1))


def _is_holdem(game: PokerGame) -> bool:
    return game.hole_cards == 2 and game.deck == DECK


@lru_cache(maxsize=32)
def _places(game: PokerGame) -> dict[tuple[int, ...], int]:
    return {hand: at for at, hand in enumerate(hole_hands(game))}


def preflop_shares() -> Shares:
    """The measure for all hands ``[1326]`` of hold'em before the flop."""
    order = PREFLOP_ORDER.split()
    return beaten(-np.array([order.index(name) for name in CLASSES], np.float64)[class_of_combo])


def _in_other_games(game: PokerGame, board: tuple[int, ...]) -> Shares:
    """By enumeration, with the boards to come where they are few enough."""
    hands = hole_hands(game)
    live = [at for at, hand in enumerate(hands) if not set(hand) & set(board)]
    unseen = [card for card in game.deck if card not in board]
    to_come = sum(game.board_cards) - len(board)
    if comb(len(unseen), to_come) * len(live) ** 2 > MOST_COMPARED:
        to_come = 0
    cards = np.array([hands[at] for at in live], np.int64)
    apart = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    won, met = np.zeros(len(live)), np.zeros(len(live))
    for coming in combinations(unseen, to_come):
        free = np.flatnonzero(~np.isin(cards, coming).any(axis=1))
        shown = np.array((*board, *coming), np.int64)
        values = strength_rows(np.hstack([cards[free], np.tile(shown, (len(free), 1))]))
        both = apart[np.ix_(free, free)]
        ahead = (values[:, None] > values) + (values[:, None] == values) / 2
        won[free] += (ahead * both).sum(axis=1)
        met[free] += both.sum(axis=1)
    shares = np.zeros(len(hands))
    shares[live] = beaten(np.round(won / np.maximum(met, 1), 12))
    return shares


@kernel
def _on_board(board: NDArray[np.uint8]) -> Shares:
    """All hands ``[1326]`` of hold'em on a board of 3 to 5 cards, as it lies."""
    found = np.zeros(len(COMBO_KEYS))
    packed, spare = np.empty(len(COMBO_KEYS) + 1, np.uint32), np.empty(len(COMBO_KEYS), np.uint32)
    live = rank_live(board, COMBO_KEYS, COMBO_BITS, packed)
    sort_packed(packed, live, spare, np.empty((2, DIGITS), np.uint32))
    packed[live] = np.uint32(0)  # ends the last group of equals
    start = 0
    while start < live:
        end = start
        while packed[end] >> _PLACE == packed[start] >> _PLACE:
            end += 1
        for place in range(start, end):
            found[packed[place] & PLACES] = (live - end + (end - start - 1) / 2) / (live - 1)
        start = end
    return found
