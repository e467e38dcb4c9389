"""The figures of a decision, once: what the terminal, the API and the page show, and what every sentence is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from ludus.agents.evaluation import Estimate
from ludus.games.moves import CALL
from ludus.games.names import street_name
from ludus.games.poker import PokerState
from ludus.teach.advice import Advice, Choice, best_of

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class ChoiceFigures:
    """An action: how it is said, how often it is played, and what it is worth, in chips from now on."""

    action: int
    name: str  # 'raise to 600'
    verb: str  # fold, check, call, bet, raise or all-in
    amount: int | None  # chips that are named with it
    chance: float
    value: Estimate  # folding is 0
    best: bool  # of the highest value among those that are played


@dataclass(frozen=True, slots=True)
class OpponentFigures:
    """An opponent: how many of all hands they may hold, and the equity of the own hand against these alone."""

    seat: int
    place: str
    share: float
    equity: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What is known about a decision; amounts are chips, shares 0 to 1."""

    big_blind: int
    pot: int
    choices: tuple[ChoiceFigures, ...]
    opponents: tuple[OpponentFigures, ...]
    others: int  # opponents in the hand, also those of whom nothing is said
    equity: float  # of the own hand against all of them at once
    pot_odds: float | None  # the share of the pot after a call that the call costs; None with no bet to call
    defence: float | None  # minimum defence frequency against the bet faced
    outs: tuple[int, ...]
    next_street: str  # the one that outs come on
    source: str
    note: str
    exploiting: tuple[ChoiceFigures, ...] = ()

    def __post_init__(self) -> None:
        if not all(isfinite(number) for choice in self.choices for number in choice.value):
            raise ValueError("the advice has a value that is no number")
        shares = [self.equity, *(choice.chance for choice in self.choices), *(each.equity for each in self.opponents)]
        wrong = [share for share in shares if not -_ROUNDING <= share <= 1 + _ROUNDING]
        if wrong or not self.choices:
            raise ValueError(f"a decision has choices, and shares of 0 to 1, got {wrong or 'no choices'}")

    @classmethod
    def of(cls, advice: Advice) -> Figures:
        """The figures of advice."""
        state = advice.state
        others = len(state.live_seats()) - 1
        last = state.street + 1 >= len(state.game.board_cards)
        return cls(
            state.game.big_blind,
            state.pot,
            _choices(state, advice.choices),
            tuple(OpponentFigures(each.seat, each.place, each.share, each.equity) for each in advice.opponents),
            others,
            advice.equity,
            advice.pot_odds if _is_priced(state, others) else None,
            advice.defence,
            advice.outs,
            "" if last else street_name(state.game, state.street + 1),
            advice.source,
            advice.note,
            _choices(state, advice.exploiting),
        )

    @property
    def needed(self) -> float | None:
        """The equity that a call needs: the pot odds, against one opponent; several make no such rule."""
        return self.pot_odds if self.others == 1 else None

    @property
    def enough(self) -> bool | None:
        """Whether the hand has the equity that a call needs."""
        return None if self.needed is None else self.equity >= self.needed

    @property
    def best(self) -> ChoiceFigures:
        """The choice of the highest value among those that are played."""
        return next(choice for choice in self.choices if choice.best)

    @property
    def accuracy(self) -> float:
        """How far the values may be off: the largest standard error, in parts of the pot."""
        return max(choice.value.error for choice in self.choices) / max(self.pot, 1)


def _is_priced(state: PokerState, others: int) -> bool:
    """Whether there is a bet to call: blinds are one between two players only."""
    raised = any(action > CALL for action in state.line[-1])
    return state.to_call() > 0 and (raised or others == 1)


def _choices(state: PokerState, choices: Sequence[Choice]) -> tuple[ChoiceFigures, ...]:
    best = best_of(choices) if choices else None
    return tuple(
        ChoiceFigures(
            choice.action, choice.name, *state.phrase(choice.action), choice.chance, choice.value, choice is best
        )
        for choice in choices
    )


# In short


def percent(share: float) -> str:
    """A share as people read it.

    >>> percent(0.234), percent(0.004)
    ('23 %', '0 %')
    """
    return f"{100 * share:.0f} %"


def odds_in_words(figures: Figures) -> str:
    """Equity with who it is against, and what a call needs, or costs, as far as there is one."""
    if figures.others > 1:
        whom = f" against all {figures.others} opponents"
    else:
        whom = "".join(f" against {each.place}" for each in figures.opponents)
    told = f"equity {percent(figures.equity)}{whom}"
    if figures.needed is not None:
        return f"{told}, a call needs {percent(figures.needed)}"
    return told if figures.pot_odds is None else f"{told}, pot odds {percent(figures.pot_odds)}"


def source_in_words(figures: Figures) -> str:
    """What the figures come from and how far their values may be off."""
    return f"{figures.source}, values to {max(100 * figures.accuracy, 0.01):.2g} % of the pot"
