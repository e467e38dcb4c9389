"""The rules of games, and a registry of them by name. This package knows nothing of how anyone plays.

>>> make("kuhn").players, make("holdem", players=6).players
(2, 6)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ludus.games.base import CHANCE, TERMINAL, Game, State
from ludus.games.holdem import holdem
from ludus.games.kuhn import kuhn
from ludus.games.leduc import leduc, leduc_nl
from ludus.games.matrix import doubled_scissors, matching_pennies, prisoners_dilemma, rock_paper_scissors
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.games.tiny_holdem import tiny_holdem

__all__ = [
    "CALL", "CHANCE", "FOLD", "GAMES", "TERMINAL", "Game", "PokerGame", "PokerState", "State",
    "doubled_scissors", "holdem", "kuhn", "leduc", "leduc_nl", "make", "matching_pennies", "prisoners_dilemma",
    "rock_paper_scissors", "tiny_holdem",
]  # fmt: skip


def kuhn3() -> PokerGame:
    """Kuhn poker for three players and four cards; no equilibrium guarantee holds for its solvers."""
    return kuhn(players=3)


def holdem6(stack: int = 200, blinds: tuple[int, int] = (1, 2)) -> PokerGame:
    """No-limit hold'em for six players with 100 big blinds."""
    return replace(holdem(players=6, stack=stack, blinds=blinds), name="holdem6")


GAMES: dict[str, Callable[..., Game]] = {
    "rps": rock_paper_scissors,
    "rps-doubled": doubled_scissors,
    "matching-pennies": matching_pennies,
    "prisoners-dilemma": prisoners_dilemma,
    "kuhn": kuhn,
    "kuhn3": kuhn3,
    "leduc": leduc,
    "leduc-nl": leduc_nl,
    "tiny-holdem": tiny_holdem,
    "holdem": holdem,
    "holdem6": holdem6,
}


def make(name: str, **parameters: Any) -> Game:
    """A game by its name; ValueError names what there is when the name or a parameter is unknown."""
    if name not in GAMES:
        raise ValueError(f"there is no game {name!r}; there are {', '.join(GAMES)}")
    known = inspect.signature(GAMES[name]).parameters
    for parameter in parameters:
        if parameter not in known:
            raise ValueError(f"{name} has no parameter {parameter!r}; it has {', '.join(known) or 'none'}")
    return GAMES[name](**parameters)
