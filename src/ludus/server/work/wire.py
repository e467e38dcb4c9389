"""Hands in progress, and what is known of players, as JSON between the server and its worker processes."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

from ludus.agents.opponents import Profile
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.record import dealt
from ludus.games.rules import PokerRules

_RULES = [field.name for field in fields(PokerRules) if field.name != "bets"]


def game_to_wire(game: PokerGame) -> dict[str, Any]:
    """The rules of a game without a bet menu."""
    assert game.bets is None, "tables have no bet menus"
    return {name: getattr(game, name) for name in _RULES}


def game_from_wire(data: dict[str, Any]) -> PokerGame:
    """And back; equal games are one object, since agents remember tables by the identity of their games."""
    return _game(tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in data.items()))


@lru_cache(maxsize=256)
def _game(rules: tuple[tuple[str, Any], ...]) -> PokerGame:
    return PokerGame(**dict(rules))


def to_wire(state: PokerState) -> dict[str, Any]:
    """A state as somebody sees it: hidden cards are -1."""
    return {"game": game_to_wire(state.game), "line": state.line, "cards": state.cards}


def from_wire(data: dict[str, Any]) -> PokerState:
    """And back."""
    game, cards = game_from_wire(data["game"]), data["cards"]
    spare = iter([card for card in game.deck if card not in cards])
    deck = [card if card != HIDDEN else next(spare) for card in cards]
    deck += spare
    state = game.start()
    for street in data["line"]:
        for action in street:
            state = dealt(state, deck).after(action)
    state = dealt(state, deck)
    seen = [seat for seat in range(game.players) if HIDDEN not in cards[seat * game.hole_cards :][: game.hole_cards]]
    return state if len(seen) == game.players else state.seen_by(*(seen or [-1]))


def profile_to_wire(profile: Profile) -> dict[str, Any]:
    """What is known of a player: counts, no cards."""
    return {"actions": profile.actions.tolist(), "expected": profile.expected.tolist(), "hands": profile.hands}


def profile_from_wire(data: dict[str, Any]) -> Profile:
    """And back."""
    return Profile(np.array(data["actions"]), np.array(data["expected"]), data["hands"])
