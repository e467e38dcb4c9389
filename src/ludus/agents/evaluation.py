"""What actions are worth, and who can say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from ludus.cards.ranges import Weights
from ludus.games.poker import PokerState


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
