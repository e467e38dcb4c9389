"""Small games solved once: near-exact equilibria for tables and lessons, kept in the cache folder."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from ludus import games
from ludus.compiled import cache_home
from ludus.games import PokerGame
from ludus.solvers.solve import solve
from ludus.solvers.strategy import Strategy

log = logging.getLogger(__name__)
NAMES = ("kuhn", "leduc", "leduc-nl")
TARGETS = {"kuhn": 1e-5, "leduc": 1e-4, "leduc-nl": 0.1}  # exploitability in chips; the antes are 1, 1 and 100
SECONDS = 60.0
EXPLOITABILITY = "exploitability"


class Equilibrium(NamedTuple):
    """A solved game, and what a best response would win against it in chips a hand, on average over the seats."""

    strategy: Strategy
    exploitability: float


def solved_game(name: str) -> PokerGame:
    """The game that is solved: no-limit Leduc with every bet that is a multiple of the ante."""
    if name not in NAMES:
        raise ValueError(f"equilibria are kept of {', '.join(NAMES)}, not of {name!r}")
    game = games.leduc_nl("all") if name == "leduc-nl" else games.make(name)
    assert isinstance(game, PokerGame)
    return game


@cache
def equilibrium(name: str) -> Equilibrium:
    """The equilibrium of a game by its name: from the cache, or solved now (seconds) and put there."""
    game, file = solved_game(name), cache_home() / "equilibria" / f"{name}.safetensors"
    try:
        strategy = Strategy.load(file, game)
        return Equilibrium(strategy, float(strategy.origin.parameters[EXPLOITABILITY]))
    except (OSError, KeyError, TypeError, ValueError):  # there is none yet, or it is of other rules
        pass
    result = solve(game, "dcfr", target=TARGETS[name], seconds=SECONDS)
    measured = max(result.exploitability, 0.0)
    origin = replace(result.strategy.origin, parameters={EXPLOITABILITY: measured})
    strategy = replace(result.strategy, origin=origin)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        strategy.save(file)
    except OSError as error:
        log.warning("the equilibrium of %s is not kept: %s", name, error)
    return Equilibrium(strategy, measured)


def exploitabilities() -> dict[str, float]:
    """What a best response would win against each equilibrium, in chips a hand."""
    return {name: equilibrium(name).exploitability for name in NAMES}
