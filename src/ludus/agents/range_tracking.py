"""The hands that players may hold, followed through a hand by Bayes' rule under a strategy that they are taken to play.

Everybody begins with all hands. An action multiplies the weight of each hand of who acts by the chance with which the
strategy takes that action with it; seats are taken as independent, but for the cards that are seen.

People do not play by any strategy, so a small part of the time, `UNAWARE`, an action is taken to say nothing: then
every hand does it as often as the range on the whole. That way no hand is ever ruled out, and an action that the
strategy takes with hardly any hand teaches little. A raise between two sizes of the strategy is taken for both, by the
pseudo-harmonic mapping (`ludus.trees.translation`); one of a size that it hardly ever makes for a raise of any size.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from ludus.agents.base import RangeStrategist, RangeStrategy
from ludus.agents.spot_policy import without
from ludus.cards.ranges import COMBOS, Weights
from ludus.games.moves import CALL
from ludus.games.poker import PokerState
from ludus.games.record import public_decisions
from ludus.trees.translation import neighbours, pot_fraction

UNAWARE = 0.05
RARE = 0.01  # of a range: a size that is raised to less often is no size of its own
MOST_KEPT = 256  # points of hands whose ranges are remembered

Ranges = tuple[Weights, ...]
"""Of each seat, ``[1326]``, the largest weight 1."""


@dataclass(frozen=True, eq=False)
class RangeTracker:
    """Follows ranges under one strategy, and remembers them, so that the next decision of a hand takes one step."""

    strategist: RangeStrategist
    _known: dict[Hashable, Ranges] = field(init=False, repr=False, default_factory=dict)

    def ranges(self, public: PokerState) -> Ranges:
        """The ranges of all seats, also of those that have folded; only the board's cards are taken out."""
        ranges: Ranges = (np.ones(len(COMBOS)),) * public.game.players
        for state, action in public_decisions(public):
            key = state.game, state.line, state.board, action
            known = self._known.get(key)
            if known is None:
                seat = state.player
                own = without(ranges[seat], state.board)
                played = self.strategist.range_strategy(state)
                known = (*ranges[:seat], after(own, chances_of(played, state, action, own)), *ranges[seat + 1 :])
                if len(self._known) >= MOST_KEPT:
                    self._known.clear()
                self._known[key] = known
            ranges = known
        return tuple(_scaled(without(own, public.board)) for own in ranges)

    def opponents(self, observation: PokerState) -> list[Weights | None]:
        """By seat, the ranges of those who play on against the player to act, without the cards that he sees.

        None for his own seat and for those that have folded.
        """
        me, ranges = observation.player, self.ranges(observation)
        return [
            _scaled(without(own, observation.hole(me))) if seat != me and not observation.folded >> seat & 1 else None
            for seat, own in enumerate(ranges)
        ]


def track(public: PokerState, strategist: RangeStrategist) -> Ranges:
    """The ranges of all seats after what was done so far.

    >>> from ludus.agents.styles import TightAgent
    >>> from ludus.cards.ranges import combo_index
    >>> from ludus.games import holdem
    >>> state = holdem(players=3).start().deal(range(52)).apply(-1).apply(6).seen_by(-1)
    >>> raiser = track(state, TightAgent())[0]
    >>> float(raiser[combo_index(50, 51)]), float(raiser[combo_index(0, 5)]) < 0.01  # aces, and three-two
    (1.0, True)
    """
    return RangeTracker(strategist).ranges(public)


def chances_of(played: RangeStrategy, public: PokerState, action: int, own: Weights) -> Weights:
    """How often each hand ``[1326]`` takes an action, of the strategy's own sizes or not."""
    columns = dict(zip(played.actions, played.chances.T, strict=True))
    if action <= CALL:
        return np.asarray(columns.get(action, np.zeros(len(own))))
    raises = sorted(known for known in columns if known > CALL)
    if not raises:
        return np.zeros(len(own))
    sizes = [pot_fraction(public, known) for known in raises]
    low, high, chance = neighbours(sizes, pot_fraction(public, action))
    found = chance * columns[raises[low]] + (1 - chance) * columns[raises[high]]
    if found @ own < RARE * own.sum():
        found = np.sum([columns[known] for known in raises], axis=0)
    return np.asarray(found)


def after(own: Weights, chances: Weights) -> Weights:
    """A range after an action that its hands take with these chances; unchanged if none of them ever does.

    >>> after(np.array([1.0, 1.0]), np.array([0.4, 0.0])).round(3).tolist()
    [1.0, 0.026]
    """
    often = float(chances @ own / own.sum())
    return _scaled(own * ((1 - UNAWARE) * chances + UNAWARE * often)) if often > 0 else own


def _scaled(own: Weights) -> Weights:
    return np.asarray(own / own.max())
