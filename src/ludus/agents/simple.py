"""The generic players of Pricope (2020): they fold, call and raise without looking at much."""

from __future__ import annotations

import numpy as np

from ludus.games.moves import CALL, FOLD, Moves
from ludus.games.poker import PokerState


def poker_moves(observation: PokerState) -> Moves:
    """The legal actions of the player to act."""
    moves = observation.legal_actions()
    assert isinstance(moves, Moves), "no player is to act"
    return moves


def nearest_raise(moves: Moves, size: int) -> int:
    """The legal raise closest to a wished size."""
    if isinstance(moves.raises, range):
        return min(max(size, moves.raises[0]), moves.raises[-1])
    return min(moves.raises, key=lambda raise_to: abs(raise_to - size))


class RandomAgent:
    """Calls (or checks) three times in five; the other kinds of action share the rest, raises of every size alike."""

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Call with 3/5, else fold or raise."""
        moves = poker_moves(observation)
        others = [FOLD] * moves.fold + ["raise"] * bool(moves.raises)
        if not others or rng.random() < 0.6:
            return CALL
        if others[rng.integers(len(others))] == FOLD:
            return FOLD
        return moves.raises[int(rng.integers(len(moves.raises)))]


class CallAgent:
    """Always calls, or checks."""

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Call."""
        return CALL
