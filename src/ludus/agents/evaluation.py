"""What actions are worth, and who can say it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from ludus.cards.ranges import Weights
from ludus.games.poker import PokerState

RARE = 0.05  # of a range, of a hand, or of a mix: a solution says nothing about what is rarer


class Estimate(NamedTuple):
    """A value in chips and the standard error of its estimate, 0 where it is exact."""

    mean: float
    error: float = 0.0


class ActionEvaluator(Protocol):
    """Says what actions are worth when everybody plays on in some way that it knows."""

    def values(
        self, public: PokerState, hand: tuple[int, int], ranges: Sequence[Weights | None], actions: Sequence[int]
    ) -> Mapping[int, Estimate]:
        """Chips won from now on, on average, after each action of the player to act; folding now is worth 0.

        ``ranges`` are those of the seats, ``[1326]``, None for one's own seat and for those that have folded.
        """


def within(mix: Mapping[int, float], values: Mapping[int, float], error: float) -> dict[int, float]:
    """A mix without the actions that are worth less than the best by more than an error."""
    best = max(values, key=values.__getitem__)
    return purified(mix, {action for action, value in values.items() if value >= values[best] - error}, best)


def purified(mix: Mapping[int, float], good: Collection[int], best: int) -> dict[int, float]:
    """A mix of good actions alone; of the best one where it hardly has any of them."""
    kept = {action: chance for action, chance in mix.items() if action in good}
    if (total := sum(kept.values())) < RARE:
        kept, total = {best: 1.0}, 1.0
    return {action: kept.get(action, 0.0) / total for action in mix}
