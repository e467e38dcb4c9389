"""An expert by rules (Pricope 2020, BaseAgent1): a table before the flop, win rate and potential after it.

How good a hand is, is a number from 0 to 1: before the flop the share of all hands that it is better than, then Loki's
effective hand strength, the win rate over all hands of an opponent as the cards lie and, where the hand is behind, the
chance that the next card puts it ahead (Billings, Papp, Schaeffer & Szafron 1998). Against several opponents it is
raised to the power of their number. Above 0.8 it is strong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ludus.agents.expert_rules import effective, every_effective, stake
from ludus.agents.opponents import CALLS, RAISES
from ludus.cards.ranges import COMBOS
from ludus.games.holdem import is_holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.solvers.beliefs import RangeStrategy
from ludus.trees.translation import poker_moves, raise_by


@dataclass(frozen=True)
class ExpertAgent:
    """Raises strong hands, raises the least with good ones, calls when the price is right, else checks or folds.

    It never bluffs.
    """

    size: float = 1.0  # of a raise with a strong hand, as a fraction of the pot
    strong: float = 0.8
    good: float = 0.65

    def __post_init__(self) -> None:
        if not 0 <= self.size <= 1000:
            raise ValueError(f"a raise is from 0 to 1000 pots, 0 for the smallest, got {self.size:g}")
        for name in ("strong", "good"):
            if not 0 <= (value := getattr(self, name)) <= 1:
                raise ValueError(f"{name} is a strength from 0 to 1, got {value:g}")

    def check(self, game: PokerGame) -> None:
        """ValueError for games that it does not know."""
        if not is_holdem(game):
            raise ValueError(f"the expert plays hold'em, not {game.name}")

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Bet on how good the hand is."""
        rng.random()  # one number a decision, as every agent draws
        return self.choice(observation)

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """The one thing that it does."""
        return {self.choice(observation): 1.0}

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """What it does with each of the hands."""
        chosen = [self._with_value(public, value) for value in all_strengths(public.board).tolist()]
        actions = tuple(sorted(set(chosen)))
        return RangeStrategy(actions, (np.array(chosen)[:, None] == np.array(actions)).astype(np.float64))

    def choice(self, observation: PokerState) -> int:
        """The action with the hand it holds."""
        return self._with_value(
            observation, effective_strength(observation.hole(observation.player), observation.board)
        )

    def _with_value(self, state: PokerState, value: float) -> int:
        """The action with a hand of some strength against one opponent."""
        against_all = value ** (len(state.live_seats()) - 1)
        can_raise = bool(poker_moves(state).raises)
        chosen = stake(against_all, call_price(state), self.strong, self.good, 0.0, can_raise)
        if chosen >= RAISES:
            return raise_by(state, self.size if chosen == RAISES else 0.0)
        return call_or_fold(state, chosen == CALLS)


def call_price(observation: PokerState) -> float:
    """What a call adds, as a share of the pot after it."""
    owed = observation.to_call()
    return owed / (observation.pot + owed)


def call_or_fold(observation: PokerState, calls: bool) -> int:
    """A call, or a fold where there is something to fold to."""
    return CALL if calls or not poker_moves(observation).fold else FOLD


@lru_cache(maxsize=4096)
def effective_strength(hand: tuple[int, int], board: tuple[int, ...]) -> float:
    """How good a hand is against one opponent, from 0 to 1.

    >>> from ludus.cards.card import parse_cards
    >>> round(effective_strength(parse_cards("AdQc"), parse_cards("3h4cJh")), 3)
    0.649
    """
    return float(effective(*hand, np.array(board, np.uint8)))


@lru_cache(maxsize=256)
def all_strengths(board: tuple[int, ...]) -> NDArray[np.float64]:
    """The same for all hands ``[1326]``; 0 for those that the board makes impossible."""
    values = every_effective(COMBOS, np.array(board, np.uint8))
    values.setflags(write=False)
    return values
