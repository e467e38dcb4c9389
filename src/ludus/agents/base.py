"""What it takes to play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from ludus.games.poker import PokerState


class Agent(Protocol):
    """Anything that acts. It is shown the state with the other players' cards hidden (``PokerState.seen_by``)."""

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """One of the legal actions of the player to act. All randomness comes from ``rng``."""


@runtime_checkable
class Strategist(Protocol):
    """An agent that can say how it mixes its actions with the hand it holds."""

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """The probability of each action that it may play, adding up to 1."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at the table, as one seat saw it: cards were dealt, somebody acted, the hand ended.

    When the hand is over, ``state`` shows the hands of all who have not folded, if there was a showdown.
    """

    seat: int  # the observer's own, in this hand
    state: PokerState  # after it
    player: int = -1  # who acted
    action: int | None = None  # None: the cards of a new hand


@runtime_checkable
class Observer(Protocol):
    """An agent that follows the hands it plays in, and may learn from them."""

    def observe(self, event: Event) -> None:
        """Told to every observer at the table, after a hand is dealt and after every action, its own too."""


def learns(agent: object) -> bool:
    """Whether an agent must see its hands in order: it observes, and does not say that hands are ``independent``."""
    return isinstance(agent, Observer) and not getattr(agent, "independent", False)
