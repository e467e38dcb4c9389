"""The AI's turns at the tables, and what must be loaded before the first of them."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ludus.agents import Agent, make
from ludus.agents.equilibrium import NAMES, equilibrium, solved_game
from ludus.agents.strategy import StrategyAgent
from ludus.games import holdem
from ludus.games.poker import PokerState
from ludus.games.record import betting_text, dealt, replay
from ludus.server.work.jobs import Report
from ludus.server.work.wire import from_wire

log = logging.getLogger(__name__)
EQUILIBRIUM = "equilibrium"


def act(turns: list[dict[str, Any]]) -> list[int | None]:
    """One action for each of the turns ``{agent, seed, state}``; None where an agent fails."""
    return [_act(turn) for turn in turns]


def _act(turn: dict[str, Any]) -> int | None:
    try:
        return play(turn["agent"], from_wire(turn["state"]), np.random.default_rng(turn["seed"]))
    except Exception:
        log.exception("%s failed at %s", turn["agent"], turn["state"])
        return None


def play(spec: str, observation: PokerState, rng: np.random.Generator) -> int:
    """The action of an agent by its name, at the table that an observation is of."""
    if spec != EQUILIBRIUM:
        return int(_agent(spec).act(observation, rng))
    name = observation.game.name
    agent = _equilibrium(name)
    if observation.game.betting == "limit":  # the same game with finite stacks, deep enough for every bet
        observation = _with_rules(observation, name)
    return int(agent.act(observation, rng))


@lru_cache(maxsize=32)
def _agent(spec: str) -> Agent:
    return make(spec)


@lru_cache(maxsize=8)
def _equilibrium(name: str) -> StrategyAgent:
    return StrategyAgent(equilibrium(name).strategy)


def _with_rules(observation: PokerState, name: str) -> PokerState:
    """An observation of a limit game with the stacks that the game was solved with."""
    game = _plain(name)
    seen = [card for card in observation.cards if card >= 0]
    spare = iter([card for card in game.deck if card not in seen])
    deck = [card if card >= 0 else next(spare) for card in observation.cards]
    return replay(game, betting_text(observation), [*deck, *spare]).seen_by(observation.player)


@lru_cache(maxsize=8)
def _plain(name: str) -> Any:
    return replace(solved_game(name), bets=None)


def prepare(report: Report, least: bool = False) -> None:
    """Load or compile what tables need: blueprints at their levels, the other agents, the small games' equilibria.

    The ``least`` is what the usual table needs: one level of the blueprint, at two seats and at six.
    """
    rng = np.random.default_rng(1)
    levels = [f"blueprint:level={level}" for level in (3, 1, 2, 4, 5)]
    steps = [(spec, players) for players in (2, 6) for spec in levels]
    steps += [(spec, 2) for spec in ("tight", "loose", "heuristic-mc")]
    names: tuple[str, ...] = NAMES
    if least:
        steps, names = [(levels[0], 2), (levels[0], 6)], ()
    for at, (spec, players) in enumerate(steps):
        game = holdem(players)
        state = dealt(game.start(), game.deck)
        for _ in range(2 * players):
            play(spec, state.seen_by(state.player), rng)
            state = dealt(state.apply(0), game.deck)
        report({"done": at + 1, "of": len(steps) + len(names), "what": spec})
    for at, name in enumerate(names):
        _equilibrium(name)
        report({"done": len(steps) + at + 1, "of": len(steps) + len(names), "what": name})
