"""An expert by rules (Pricope 2020, BaseAgent1): a table before the flop, win rate and potential after it.

How good a hand is, is a number from 0 to 1: before the flop the share of all hands that it is better than, then Loki's
effective hand strength, the win rate over all hands of an opponent as the cards lie and, where the hand is behind, the
chance that the next card puts it ahead (Billings, Papp, Schaeffer & Szafron 1998). Against several opponents it is
raised to the power of their number. Above 0.8 it is strong.

With a model of the opponent (Pricope's Agent 1, ``expert:model``) it guesses their next action and, with a probability
that is the accuracy of these guesses, plays by rules that exploit them (`ludus.agents.expert.guesses.exploit`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents.base import Event
from ludus.agents.expert.guesses import AS_USUAL, EXAMPLE, NO_RAISE, exploit, observe_spot
from ludus.agents.expert.model import ActionModel, Learning
from ludus.agents.expert.rules import effective, every_effective, stake
from ludus.agents.opponents import CALLS, RAISES, done_by
from ludus.cards.ranges import COMBOS
from ludus.files import check_writable
from ludus.games.base import TERMINAL
from ludus.games.holdem import is_holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.solvers.beliefs import RangeStrategy
from ludus.trees.translation import nearest_raise, poker_moves, raise_by


@dataclass(frozen=True)
class ExpertAgent:
    """Raises strong hands, raises the least with good ones, calls when the price is right, else checks or folds.

    It never bluffs.
    """

    size: float = 0.5  # of a raise with a strong hand, as a fraction of the pot
    strong: float = 0.8
    good: float = 0.6

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


@dataclass(eq=False)
class ModelExpertAgent:
    """The expert with a model of its opponent, which learns while it plays and forgets nothing.

    With more than two players at the table they are modelled as one, and exploited when one of them is left.
    """

    expert: ExpertAgent = field(default_factory=ExpertAgent)
    model: ActionModel = field(default_factory=ActionModel)
    bluffs: float = 0.9  # the chance of a fold from which on any hand raises
    memory: Path | None = None  # a file that has what is known, before and after every hand
    _before: PokerState | None = field(default=None, repr=False)
    _spot: NDArray[Any] = field(default_factory=lambda: np.zeros(1, EXAMPLE), repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.bluffs <= 1:
            raise ValueError(f"bluffs is a probability from 0 to 1, got {self.bluffs:g}")
        if self.memory is not None:
            check_writable(self.memory)
            if self.memory.is_file():
                self.model = ActionModel.load(self.memory, self.model.learning)

    def check(self, game: PokerGame) -> None:
        """ValueError for games that it does not know."""
        self.expert.check(game)

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Exploit, with the accuracy of the model as the probability; else as the expert."""
        return self.choice(observation, rng.random())

    def choice(self, observation: PokerState, u: float) -> int:
        """The action that a number from 0 to 1 picks."""
        bounds, seat = observation.raise_bounds(), observation.player
        others = [other for other in observation.live_seats() if other != seat]
        if not self.model.ready or u >= self.model.accuracy or bounds is None or len(others) > 1:
            return self.expert.choice(observation)
        (them,) = others
        hand, spot = observation.hole(seat), self._spot[0]
        observe_spot(
            spot, hand[0], hand[1], np.array(observation.board, np.uint8), 0, observation.pot, observation.stacks[them],
            observation.game.smallest_raise(0), True,
        )  # fmt: skip
        bets, value = observation.bets, effective_strength(hand, observation.board)
        found = exploit(
            self.model.record[0], spot, value, self.expert.strong, self.bluffs, observation.to_call(), observation.pot,
            bets[seat], max(bets), bets[them], observation.stacks[them], *bounds,
        )  # fmt: skip
        if found == AS_USUAL:
            return self.expert.choice(observation)
        if found == NO_RAISE:
            return call_or_fold(observation, value >= call_price(observation))
        return nearest_raise(poker_moves(observation), int(found))

    def observe(self, event: Event) -> None:
        """Remember what the others do; learn between hands."""
        before, self._before = self._before, event.state
        if event.action is not None and before is not None and event.player != event.seat:
            owed = before.to_call()
            if event.action != FOLD or owed:  # a forfeit is no decision
                first, second = before.hole(event.seat)
                observe_spot(
                    self._spot[0], first, second, np.array(before.board, np.uint8), owed, before.pot,
                    before.stacks[event.player], before.game.smallest_raise(0), before.raise_bounds() is not None,
                )  # fmt: skip
                self.model.remember(self._spot[0], done_by(event.action))
        if event.state.player == TERMINAL:
            self._before = None
            self.model.learn()
            if self.memory is not None:
                self.model.save(self.memory)


PLAIN, MODELLING = "plain", "model"


def expert_agent(
    kind: str = PLAIN,
    size: float = 0.5,
    strong: float = 0.8,
    good: float = 0.6,
    bluffs: float = 0.9,
    bayes: int = 100,
    network: int = 1000,
    memory: str = "",
    seed: int = 0,
) -> ExpertAgent | ModelExpertAgent:
    """The player ``expert`` of the registry, or ``expert:model``: who learns, how soon, and where it is kept."""
    expert = ExpertAgent(size, strong, good)
    if kind == PLAIN:
        return expert
    if kind != MODELLING:
        raise ValueError(f"the expert is {PLAIN} or has a {MODELLING}, got {kind!r}")
    learning = Learning(bayes=bayes, network=network, seed=seed)
    return ModelExpertAgent(expert, ActionModel(learning), bluffs, Path(memory) if memory else None)


def call_price(observation: PokerState) -> float:
    """What a call adds, as a share of the pot after it."""
    owed = observation.to_call()
    return owed / (observation.pot + owed)


def call_or_fold(observation: PokerState, calls: bool) -> int:
    """A call, or a fold where there is something to fold to."""
    return CALL if calls or not poker_moves(observation).fold else FOLD


@lru_cache(maxsize=4096)
def effective_strength(hand: tuple[int, ...], board: tuple[int, ...]) -> float:
    """How good a hand is against one opponent, from 0 to 1.

    >>> from ludus.cards.card import parse_cards
    >>> round(effective_strength(parse_cards("AdQc"), parse_cards("3h4cJh")), 3)
    0.63
    """
    return float(effective(hand[0], hand[1], np.array(board, np.uint8)))


@lru_cache(maxsize=256)
def all_strengths(board: tuple[int, ...]) -> NDArray[np.float64]:
    """The same for all hands ``[1326]``; 0 for those that the board makes impossible."""
    values = every_effective(COMBOS, np.array(board, np.uint8))
    values.setflags(write=False)
    return values
