"""Small games solved once: near-exact equilibria that play and that lessons show, kept in the cache folder."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from ludus import games
from ludus.agents.drawing import draw
from ludus.agents.strategy import StrategyAgent, difference
from ludus.compiled import cache_home
from ludus.games import PokerGame, PokerState
from ludus.games.record import betting_text, replay
from ludus.solvers.beliefs import RangeStrategy
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


@dataclass(frozen=True)
class EquilibriumAgent:
    """Plays the equilibrium of the small game that it sits at, whatever the stacks of a limit game are."""

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Draw from the equilibrium."""
        return draw(self.strategy(observation), rng.random())

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """How the equilibrium plays the hand it holds."""
        return _player(observation.game.name).strategy(_as_solved(observation, observation.player))

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """How it plays every hand."""
        return _player(public.game.name).range_strategy(_as_solved(public, -1))

    def check(self, game: PokerGame) -> None:
        """ValueError unless it can play a game."""
        solved = solved_game(game.name)
        if game.betting == "limit":
            game = replace(game, stacks=solved.stacks)
        if found := difference(solved, game):
            raise ValueError(f"the equilibrium is of another game: {found}")


@cache
def _player(name: str) -> StrategyAgent:
    return StrategyAgent(equilibrium(name).strategy)


def _as_solved(observation: PokerState, seat: int) -> PokerState:
    """An observation of a limit game with the stacks that the game was solved with; others are as they are."""
    if observation.game.betting != "limit":
        return observation
    game = replace(solved_game(observation.game.name), bets=None)
    seen = [card for card in observation.cards if card >= 0]
    spare = iter([card for card in game.deck if card not in seen])
    deck = [card if card >= 0 else next(spare) for card in observation.cards]
    return replay(game, betting_text(observation), [*deck, *spare]).seen_by(seat)
