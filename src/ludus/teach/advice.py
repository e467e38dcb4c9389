"""Advice about one decision, as data: what to do, what each action is worth, and what that rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ludus.agents.evaluation import Estimate
from ludus.cards.ranges import Weights
from ludus.games.poker import PokerState


@dataclass(frozen=True)
class Choice:
    """One action with how often it should be played and what it is worth."""

    action: int
    name: str  # 'raise to 600'
    chance: float
    value: Estimate  # chips from now on; folding is 0
    behind: Estimate | None = None  # what it loses to the best, where that is known better than the values are


@dataclass(frozen=True, eq=False)
class Opponent:
    """What is assumed about a player who is still in the hand."""

    seat: int
    place: str  # 'BTN'
    range: Weights  # [1326], the largest 1
    share: float  # of all hands that they may hold, weighted, 0 to 1
    equity: float  # of the player's own hand against this range alone


@dataclass(frozen=True, eq=False)
class Advice:
    """Everything that the assistant says about a decision."""

    state: PokerState  # with the other players' cards hidden
    source: str  # 'solved', 'searched', 'chart', 'blueprint' or another word for where mix and values come from
    choices: tuple[Choice, ...]  # actions ascending: fold, call, raises
    equity: float  # of the player's own hand against all ranges at once
    pot_odds: float  # what a call pays: the share of the pot after calling that it costs; 0 when checking is free
    defence: float | None  # minimum defence frequency against the bet faced, None when nothing is faced
    outs: tuple[
        int, ...
    ]  # cards that make the hand the likely best on the next street; empty before the flop and on the river
    opponents: tuple[Opponent, ...]
    explanation: str  # a sentence or two in plain words
    seconds: float
    exploiting: tuple[Choice, ...] = ()  # the mix against these opponents, when their play is known
    exploiting_gain: Estimate | None = None  # what that mix wins more from them than the balanced one, if that is clear
    exploiting_hands: int = 0  # that their play is known from: of the opponent who is known least
    own_range: Weights | None = None  # [1326] of the player to act, as the others know it from what was done
    note: str = ""  # how good the source is, or why it is not a better one

    @property
    def seat(self) -> int:
        """Whose decision it is."""
        return self.state.player

    @property
    def best(self) -> Choice:
        """The choice of the highest value among those that are played."""
        return best_of(self.choices)

    @property
    def worth(self) -> float:
        """What the decision is worth: the value of the mix, in chips from now on."""
        return sum(choice.chance * choice.value.mean for choice in self.choices)


def best_of(choices: Sequence[Choice]) -> Choice:
    """The choice of the highest value among those that are played."""
    played = [choice for choice in choices if choice.chance > 0] or choices
    return max(played, key=lambda choice: choice.value.mean)
