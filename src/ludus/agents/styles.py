"""Players with a style: they go by the rank of their hand alone, and either play few hands or most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from ludus.agents.drawing import draw
from ludus.agents.strength import hand_place, shares_beaten
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.solvers.beliefs import RangeStrategy
from ludus.trees.translation import poker_moves, raise_by


class _Limits(NamedTuple):
    """What a style comes to in a public state. Hands are measured by the share of others that they beat."""

    fold: bool  # whether there is something to fold to
    raise_to: int  # the raise it would make, CALL where none is possible
    goes_on: float  # the least hand that it pays with
    raises: float  # ... and raises with
    bluffs: float  # how often other hands that it plays raise


@dataclass(frozen=True)
class TightAgent:
    """Plays and raises with its best hands only, and never bluffs.

    Shares are of all hands, from the best down, against one opponent; against more a hand must be the best of all as
    often. What it raises is the pot. Where there is nothing to pay it plays every hand.
    """

    play: float = 0.25  # the share of hands it goes on with where it must pay
    raises: float = 0.1  # the share of hands it bets and raises with
    caution: float = 0.5  # both are multiplied by this for every raise after the first bet; blinds are a bet
    bluffs: float = 0.0  # how often other hands that it plays bet or raise, where nobody has before

    def __post_init__(self) -> None:
        for each in fields(self):
            if not 0 <= (value := getattr(self, each.name)) <= 1:
                raise ValueError(f"{each.name} is a share from 0 to 1, got {value}")

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Play by the rank of the hand."""
        return draw(self.strategy(observation), rng.random())

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """How it plays the hand it holds."""
        game, limits = observation.game, self._limits(observation)
        place = hand_place(game, observation.hole(observation.player))
        rank = shares_beaten(game, observation.board)[place]
        if limits.fold and rank < limits.goes_on:
            return {FOLD: 1.0}
        if limits.raise_to == CALL:
            return {CALL: 1.0}
        if rank >= limits.raises:
            return {limits.raise_to: 1.0}
        return {CALL: 1 - limits.bluffs, limits.raise_to: limits.bluffs} if limits.bluffs else {CALL: 1.0}

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """How it plays every hand."""
        limits, ranks = self._limits(public), shares_beaten(public.game, public.board)
        folds = (ranks < limits.goes_on) & limits.fold
        raises = np.where(folds, 0.0, np.where(ranks >= limits.raises, 1.0, limits.bluffs))
        if limits.raise_to == CALL:
            return RangeStrategy((FOLD, CALL), np.column_stack([folds, ~folds]).astype(np.float64))
        calls = np.where(folds, 0.0, 1 - raises)
        return RangeStrategy((FOLD, CALL, limits.raise_to), np.column_stack([folds, calls, raises]))

    def _limits(self, public: PokerState) -> _Limits:
        moves, game = poker_moves(public), public.game
        raised = sum(action > 0 for action in public.line[-1])
        blinds = public.street == 0 and len(set(game.blinds)) > 1
        factor = self.caution ** max(raised - 1 + blinds, 0)
        root = 1 / (game.players - public.folded.bit_count() - 1)
        return _Limits(
            moves.fold,
            raise_by(public, 1),
            (1 - self.play * factor) ** root,
            (1 - self.raises * factor) ** root,
            0.0 if raised else self.bluffs,
        )


@dataclass(frozen=True)
class LooseAgent(TightAgent):
    """Plays most hands, calls a lot, and bets now and then with anything."""

    play: float = 0.9
    raises: float = 0.2
    caution: float = 0.9
    bluffs: float = 0.15
