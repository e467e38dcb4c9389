"""Strategies of one decision: drawing from them, and giving every hand the same one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ludus.games.poker import PokerGame
from ludus.games.record import hole_hands
from ludus.solvers.beliefs import RangeStrategy


def draw(strategy: Mapping[int, float], u: float) -> int:
    """The action that a number from 0 to 1 picks: the first whose cumulative probability, in order, exceeds it.

    Should rounding leave the sum at or below ``u``, it is the last action that can be played at all. Every agent that
    has a strategy draws in this way, with one number a decision and the actions in ascending order, so that a match
    can be played again from its seed by other code.

    >>> draw({-1: 0.25, 0: 0.5, 6: 0.25}, 0.25), draw({-1: 0.25, 0: 0.5, 6: 0.25}, 0.1)
    (0, -1)
    """
    total, chosen = 0.0, None
    for action, chance in strategy.items():
        total += chance
        if chance > 0:
            chosen = action
        if u < total:
            break
    assert chosen is not None, "a strategy plays something"
    return chosen


def for_every_hand(game: PokerGame, strategy: Mapping[int, float]) -> RangeStrategy:
    """The strategy of a player that does not look at its cards."""
    row = np.fromiter(strategy.values(), np.float64, len(strategy))
    return RangeStrategy(tuple(strategy), np.broadcast_to(row, (len(hole_hands(game)), len(row))))
