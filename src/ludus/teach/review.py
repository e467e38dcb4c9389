"""Finished hands reviewed: what every decision cost against the advice, and where most of it is lost.

A decision costs the value of the advised mix less the value of the action taken, in big blinds, if that is certain and
the advice does not play the action itself; `GradingRule` says when. Values are estimates of one way to play on, so what
is summed up is what the advice could show, not all that was lost. Nobody is graded on cards that they could not see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Protocol

from ludus.games.base import TERMINAL
from ludus.games.holdem import is_holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import HIDDEN, PokerState
from ludus.games.record import retrace
from ludus.teach.advice import Advice
from ludus.teach.grading import ERRORS, GRADES, STANDARD, GradedDecision, GradingRule, graded


class GivesAdvice(Protocol):
    """Says what is best in a decision, and what certain other actions are worth."""

    def advise(self, observation: PokerState, also: Sequence[int] = ()) -> Advice:
        """Advice for the player to act, whose cards alone are seen.

        The legal actions of ``also`` are among its choices. ValueError when it knows nothing about such a game.
        """


# Hands


@dataclass(frozen=True, slots=True)
class Missing:
    """A hand of a player, or one decision in it, that could not be reviewed, and why."""

    hand: int | str
    player: str
    why: str


@dataclass(frozen=True, eq=False, slots=True)
class HandReview:
    """The decisions of some seats in a hand, in the order of play."""

    number: int | str
    final: PokerState
    names: tuple[str, ...]
    seats: tuple[int, ...]  # those looked at
    decisions: tuple[GradedDecision, ...]
    missing: tuple[Missing, ...] = ()


def review_hand(
    final: PokerState,
    names: Sequence[str],
    adviser: GivesAdvice,
    seats: Sequence[int] | None = None,
    number: int | str = 1,
    rule: GradingRule = STANDARD,
    steps: Collection[int] | None = None,
    progress: Callable[[], object] | None = None,
    keep: Callable[[GradedDecision, Advice], object] | None = None,
) -> HandReview:
    """Grade what some seats, or all, did in a hand that is over; of their actions those of some numbers, or all.

    Seats whose cards nobody saw, games that are not hold'em and what the adviser refuses are ``missing``. ``progress``
    is called after every decision, ``keep`` with each that could be graded and the whole advice that it was graded by.
    """
    if final.player != TERMINAL or len(names) != final.game.players:
        raise ValueError("a review needs a hand that is over and a name for each seat")
    wanted = range(final.game.players) if seats is None else seats
    obstacles = {seat: obstacle(final, seat) for seat in wanted}
    missing = [Missing(number, names[seat], why) for seat, why in obstacles.items() if why]
    open_seats = tuple(seat for seat, why in obstacles.items() if not why)
    decisions = []
    for step, observation, action in sorted(
        (found for seat in open_seats for found in observations(final, seat)), key=lambda found: found[0]
    ):
        if steps is not None and step not in steps:
            continue
        player = names[observation.player]
        try:
            advice = adviser.advise(observation, also=(action,) if action in observation.legal_actions() else ())
            decision = graded(number, step, player, observation, action, advice, rule)
        except ValueError as error:
            missing.append(Missing(number, player, f"{error}"))
        else:
            decisions.append(decision)
            if keep is not None:
                keep(decision, advice)
        if progress is not None:
            progress()
    return HandReview(number, final, tuple(names), open_seats, tuple(decisions), tuple(missing))


def obstacle(final: PokerState, seat: int) -> str:
    """Why the decisions of a seat cannot be reviewed, empty if they can."""
    game = final.game
    if not is_holdem(game):
        return f"{game.name} is not hold'em"
    return "the player's cards are not known" if HIDDEN in final.hole(seat) else ""


def observations(final: PokerState, seat: int) -> Iterator[tuple[int, PokerState, int]]:
    """A seat's decisions in a finished hand: number of the action in the hand, what the seat saw, what it did.

    The hand is dealt again with the cards that the seat knows and any others, so nothing else can leak.
    """
    known = {*final.hole(seat), *final.board}
    others = (card for card in final.game.deck if card not in known)
    deck = [card if card in known else next(others) for card in final.cards]
    for step, (state, action) in enumerate(retrace(final, deck)):
        if state.player == seat:
            yield step, state.seen_by(seat), action


# Kinds of decisions


def situation(state: PokerState) -> str:
    """What the player to act faces on this street.

    >>> from ludus.games import holdem
    >>> state = holdem().start().deal(range(52))
    >>> situation(state), situation(state.apply(6)), situation(state.apply(6).apply(0).deal(range(52)))
    ('first in', 'facing a raise', 'first to act')
    """
    raises = sum(action > 0 for action in state.line[-1])
    if state.street:
        begun = "checked to" if CALL in state.line[-1] else "first to act"
        return (begun, "facing a bet", "facing a raise")[min(raises, 2)]
    begun = "after a limp" if CALL in state.line[0] else "first in"
    return (begun, "facing a raise", "facing a 3-bet", "facing a 4-bet or more")[min(raises, 3)]


def pot_kind(state: PokerState) -> str | None:
    """How often the pot was raised before the flop; None before the flop itself."""
    if not state.street:
        return None
    raises = sum(action > 0 for action in state.line[0])
    return ("limped pot", "raised pot", "3-bet pot", "4-bet pot or more")[min(raises, 3)]


def tendency(decision: GradedDecision) -> str | None:
    """In which way the action taken was worse than the best one; None when it was no error."""
    if decision.grade not in ERRORS:
        return None
    taken, better = decision.action, decision.best.action
    if taken == FOLD:
        return "folds too much"
    if taken > CALL:
        return "bets the wrong size" if better > CALL else "too aggressive"
    return "calls too much" if better == FOLD else "too passive"


GROUPS: Mapping[str, Callable[[GradedDecision], str | None]] = {
    "street": lambda decision: decision.street,
    "position": lambda decision: decision.place,
    "situation": lambda decision: f"{decision.street}, {situation(decision.state)}",
    "pot": lambda decision: pot_kind(decision.state),
    "opponents": lambda decision: "one opponent" if len(decision.state.live_seats()) == 2 else "several opponents",
    "tendency": tendency,
}
"""Ways to sort decisions into groups; those of which a function says None are in none."""


@dataclass(frozen=True, slots=True)
class Leak:
    """The decisions of one kind together."""

    kind: str
    decisions: int
    errors: int  # inaccuracies and worse
    loss: float  # big blinds

    @property
    def per_decision(self) -> float:
        """Big blinds lost in each, on average."""
        return self.loss / self.decisions


def leaks(decisions: Sequence[GradedDecision], group: str) -> list[Leak]:
    """The decisions by one of `GROUPS`, the costliest kind first."""
    kinds: dict[str, list[GradedDecision]] = {}
    for decision in decisions:
        kind = GROUPS[group](decision)
        if kind is not None:
            kinds.setdefault(kind, []).append(decision)
    found = [
        Leak(kind, len(rows), sum(row.grade in ERRORS for row in rows), sum(row.loss for row in rows))
        for kind, rows in kinds.items()
    ]
    return sorted(found, key=lambda leak: -leak.loss)


# Sums


@dataclass(frozen=True, eq=False, slots=True)
class ReviewSummary:
    """All that was reviewed of one player."""

    player: str
    losses: tuple[float, ...]  # big blinds, one a hand
    decisions: tuple[GradedDecision, ...]
    missing: int  # hands, or decisions in them, that could not be reviewed

    @property
    def hands(self) -> int:
        """Hands that were reviewed, also those without a decision."""
        return len(self.losses)

    @property
    def loss(self) -> float:
        """Big blinds lost in all."""
        return sum(self.losses)

    @property
    def error(self) -> float:
        """Its standard error from the estimates alone: how far it is from what more thinking would have found."""
        return sqrt(sum(decision.error**2 for decision in self.decisions if decision.loss))

    @property
    def per_100(self) -> float:
        """Big blinds lost per hundred hands."""
        return 100 * self.loss / self.hands if self.hands else 0.0

    def grades(self) -> dict[str, int]:
        """How many decisions have each grade."""
        counts = Counter(decision.grade for decision in self.decisions)
        return {grade: counts[grade] for grade in GRADES}

    def costliest(self, count: int) -> list[GradedDecision]:
        """The decisions that lost most, the worst first."""
        losing = [decision for decision in self.decisions if decision.loss]
        return sorted(losing, key=lambda decision: -decision.loss)[:count]


def summarize(hands: Sequence[HandReview]) -> list[ReviewSummary]:
    """The sums of every player who was looked at, in the order in which they appear."""
    losses: dict[str, list[float]] = {}
    decisions: dict[str, list[GradedDecision]] = {}
    missing = Counter(entry.player for hand in hands for entry in hand.missing)
    for hand in hands:
        for player in dict.fromkeys(hand.names[seat] for seat in hand.seats):
            own = [decision for decision in hand.decisions if decision.player == player]
            losses.setdefault(player, []).append(sum(decision.loss for decision in own))
            decisions.setdefault(player, []).extend(own)
    return [
        ReviewSummary(player, tuple(rows), tuple(decisions[player]), missing[player]) for player, rows in losses.items()
    ]
