"""Beliefs: what each seat may hold after what was done, by Bayes' rule under strategies that are known or assumed.

Everybody begins with all hands. An action multiplies the weight of each hand of the player who acts by how often the
strategy takes that action with it; seats count as independent, except for the cards that are seen.

People do not play by any strategy, so for a small part of the time, `UNAWARE`, an action is taken to say nothing: every
hand then does it as often as the range does as a whole. That way no hand is ever ruled out, and an action that the
strategy takes with hardly any hand teaches little. An action that it takes with no hand at all teaches nothing. A raise
between two sizes of the strategy is taken for both, by the pseudo-harmonic mapping (`ludus.trees.translation`); one of
a size that it hardly ever makes, for a raise of any size. Where the strategy is the one that is really played (one's
own, or an agent's that AIVAT and local best response look into) this is Bayes' rule exactly.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import Weights
from ludus.games.moves import CALL
from ludus.games.poker import PokerState
from ludus.games.record import free_hands, hole_hands, public_decisions
from ludus.trees.translation import neighbours, pot_fraction

UNAWARE = 0.05
RARE = 0.01  # of a range: a size that is raised to less often is no size of its own
MOST_KEPT = 512  # actions of hands after which a range is remembered

Ranges = tuple[Weights, ...]
"""Of each seat, over ``hole_hands``, the largest weight 1."""

Decisions = Sequence[tuple[PokerState, int]]
"""Of a hand so far, in order: the public state before each action, and the action."""


@dataclass(frozen=True, eq=False)
class RangeStrategy:
    """How every hand plays in one public state. Rows follow ``games.record.hole_hands``; each adds up to 1."""

    actions: tuple[int, ...]
    chances: NDArray[np.float64]  # [hands, actions]; a hand that the board makes impossible has any row


@runtime_checkable
class RangeStrategist(Protocol):
    """Whatever can say how it would play with every hand: what beliefs, LBR and AIVAT need."""

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """The strategy of the player to act for each of their hands; ``public`` hides all of them (``seen_by(-1)``)."""


@dataclass(frozen=True, eq=False)
class ActionValues:
    """What actions win on average over one's range, in chips from a common reference, by the opponent's hand."""

    actions: tuple[int, ...]
    values: NDArray[np.float64]  # [hands of the opponent, actions]


@runtime_checkable
class Valuer(Protocol):
    """Whoever can say what their play is worth against every hand of the opponent; None where they cannot."""

    def action_values(self, public: PokerState) -> ActionValues | None:
        """Of the player to act in a public state."""

    def range_values(self, publics: Sequence[PokerState], seat: int) -> NDArray[np.float64] | None:
        """What a seat's range wins on average from public states on ``[states, hands of the opponent]``, in chips from
        half of the pot: at the beginning of a hand, or right after a card, in which alone they differ."""


def bayes(own: Weights, chances: Weights, unaware: float = 0.0) -> Weights:
    """Weights of hands after an action that they take with these chances, not scaled.

    >>> bayes(np.array([1.0, 1.0]), np.array([0.4, 0.0]), unaware=0.05).round(3).tolist()
    [0.39, 0.01]
    """
    likely = own * chances
    if not unaware:
        return np.asarray(likely)
    total = likely.sum()
    return np.asarray((1 - unaware) * likely + (unaware * total / own.sum()) * own) if total > 0 else own


def chances_of(played: RangeStrategy, public: PokerState, action: int, own: Weights, rare: float = RARE) -> Weights:
    """How often each hand takes an action, be it of the strategy's own sizes or not."""
    columns = dict(zip(played.actions, played.chances.T, strict=True))
    if action <= CALL:
        return np.asarray(columns.get(action, np.zeros(len(own))))
    raises = sorted(known for known in columns if known > CALL)
    if not raises:
        return np.zeros(len(own))
    sizes = [pot_fraction(public, known) for known in raises]
    low, high, chance = neighbours(sizes, pot_fraction(public, action))
    found = chance * columns[raises[low]] + (1 - chance) * columns[raises[high]]
    if found @ own < rare * own.sum():
        found = np.sum([columns[known] for known in raises], axis=0)
    return np.asarray(found)


def reach_of(strategist: RangeStrategist, public: PokerState) -> Weights:
    """How often each hand of the player to act comes here by that player's own strategy, which is the one given."""
    own = free_hands(public.game, public.board).astype(np.float64)
    for state, action in public_decisions(public):
        if state.player == public.player:
            own = bayes(own, chances_of(strategist.range_strategy(state), state, action, own, rare=0.0))
    return own


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Follows ranges under one strategy for all seats; remembers them, so that the next decision takes one step.

    ``decisions`` are those of ``public_decisions``, for callers who have replayed the hand already.
    """

    strategist: RangeStrategist
    _known: dict[Hashable, Weights] = field(init=False, repr=False, default_factory=dict)

    def ranges(self, public: PokerState, decisions: Decisions | None = None) -> Ranges:
        """The ranges of all seats, also of those that have folded; only the board's cards are taken out."""
        return self._follow(public, range(public.game.players), decisions)

    def range_of(self, public: PokerState, seat: int) -> Weights:
        """The range of one seat."""
        return self._follow(public, (seat,))[0]

    def opponents(self, observation: PokerState, decisions: Decisions | None = None) -> list[Weights | None]:
        """By seat, the ranges of those who play on against the player to act, without the cards that they see.

        None for that player's own seat and for those that have folded.
        """
        me, ranges = observation.player, self.ranges(observation, decisions)
        return [
            possible(observation, own, observation.hole(me))
            if seat != me and not observation.folded >> seat & 1
            else None
            for seat, own in enumerate(ranges)
        ]

    def _follow(self, public: PokerState, seats: range | tuple[int, ...], decisions: Decisions | None = None) -> Ranges:
        ranges = dict.fromkeys(seats, np.ones(len(hole_hands(public.game))))
        for state, action in public_decisions(public) if decisions is None else decisions:
            if state.player in ranges:
                ranges[state.player] = self._after(state, action, ranges[state.player])
        return tuple(possible(public, own) for own in ranges.values())

    def _after(self, state: PokerState, action: int, own: Weights) -> Weights:
        key = state.game, state.line, state.board, action
        known = self._known.get(key)
        if known is None:
            own = possible(state, own)
            chances = chances_of(self.strategist.range_strategy(state), state, action, own)
            known = bayes(own, chances, UNAWARE)
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            self._known[key] = known
        return known


def possible(public: PokerState, own: Weights, seen: tuple[int, ...] = ()) -> Weights:
    """A range without the hands that the board and other cards in sight block, the largest weight 1.

    Should nothing be left of it, every hand that is possible.
    """
    free = free_hands(public.game, (*public.board, *seen))
    left = own * free
    return np.asarray(left / most if (most := left.max()) > 0 else free, np.float64)
