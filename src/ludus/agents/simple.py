"""Players that fold, call and raise without looking at their cards; the first two are those of Pricope (2020)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ludus.agents.drawing import for_every_hand
from ludus.games.menu import MOST_MULTIPLES
from ludus.games.moves import CALL, FOLD, Moves
from ludus.games.poker import PokerState
from ludus.solvers.beliefs import RangeStrategy
from ludus.trees.translation import poker_moves, raise_by

CALLS = 0.6


@dataclass(frozen=True)
class RandomAgent:
    """Calls (or checks) three times in five; the other kinds of action share the rest, raises of every size alike."""

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Call with 3/5, else fold or raise."""
        moves, u = poker_moves(observation), rng.random()
        folds, calls, raises = _shares(moves)
        if u < folds:
            return FOLD
        if u < folds + calls or not raises:
            return CALL
        sizes = len(moves.raises)
        return moves.raises[min(int((u - folds - calls) / raises * sizes), sizes - 1)]

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """Every legal action with its probability."""
        moves = poker_moves(observation)
        folds, calls, raises = _shares(moves)
        sizes = len(moves.raises)
        if sizes > MOST_MULTIPLES:
            raise ValueError(f"a strategy of {sizes} raises is too long to list: at most {MOST_MULTIPLES}")
        first = {FOLD: folds, CALL: calls} if folds else {CALL: calls}
        return {**first, **dict.fromkeys(moves.raises, raises / sizes if sizes else 0.0)}

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """The same for every hand."""
        return for_every_hand(public.game, self.strategy(public))


def _shares(moves: Moves) -> tuple[float, float, float]:
    """How often it folds, calls and raises."""
    kinds = moves.fold + bool(moves.raises)
    if not kinds:
        return 0.0, 1.0, 0.0
    share = (1 - CALLS) / kinds
    return share if moves.fold else 0.0, CALLS, share if moves.raises else 0.0


@dataclass(frozen=True)
class CallAgent:
    """Always calls, or checks."""

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Call."""
        rng.random()  # one number a decision, as every agent draws
        return CALL

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """Call."""
        return {CALL: 1.0}

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """Call with every hand."""
        return for_every_hand(public.game, self.strategy(public))


@dataclass(frozen=True)
class RaiseAgent:
    """Always raises the pot, or the nearest to it that is legal; calls where no raise is possible."""

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Raise."""
        rng.random()
        return raise_by(observation, 1)

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """Raise."""
        return {raise_by(observation, 1): 1.0}

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """Raise with every hand."""
        return for_every_hand(public.game, self.strategy(public))
