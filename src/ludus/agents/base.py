"""What it takes to play."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ludus.games.poker import PokerState


class Agent(Protocol):
    """Anything that acts. It is shown the state with the other players' cards hidden (``PokerState.seen_by``)."""

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """One of the legal actions of the player to act. All randomness comes from ``rng``."""
