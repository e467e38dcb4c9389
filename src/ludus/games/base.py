"""The one protocol every game follows: immutable states, integer actions, explicit chance.

A solver, an agent or an adapter knows a game only through this page. ``tests/games/test_contract.py`` runs the same
checks over every registered game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

CHANCE = -1
TERMINAL = -2


class State(Protocol):
    """One point in a game. Applying an action gives a new state; an old one never changes."""

    @property
    def player(self) -> int:
        """Who acts: a player 0, 1, ..., or ``CHANCE``, or ``TERMINAL`` when the game is over."""

    def legal_actions(self) -> Sequence[int]:
        """The actions open to the player (or to chance), in a fixed order; empty when the game is over."""

    def apply(self, action: int) -> Self:
        """The state after an action; ValueError with a reason when it is not legal here."""

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """At a chance state: each outcome with its probability."""

    def returns(self) -> tuple[float, ...]:
        """At a terminal state: what each player has won, less what they have paid."""

    def information_state(self, player: int) -> str:
        """Everything this player knows, as text: equal in two states exactly when they cannot tell them apart."""

    def public_state(self) -> str:
        """Everything an onlooker knows, as text."""

    def action_name(self, action: int) -> str:
        """An action in the game's own words."""


class Game(Protocol):
    """The rules: everything that is fixed before the first move."""

    @property
    def name(self) -> str:
        """Name under which the registry knows it."""

    @property
    def players(self) -> int:
        """Number of players."""

    @property
    def zero_sum(self) -> bool:
        """Whether the returns of every game add up to nothing."""

    def start(self) -> State:
        """The first state."""
