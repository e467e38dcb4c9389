"""The AI's turns at the tables, and what must be loaded before the first of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ludus.agents import AGENTS, Agent, ExploiterAgent, draw, make
from ludus.agents.levels import STRONGEST
from ludus.agents.opponents import Profile
from ludus.agents.short_stacks import push_or_fold
from ludus.games.poker import PokerState
from ludus.games.record import dealt
from ludus.server.tables.config import HOLDEM, SMALL, USUAL_LEVEL, TableConfig, agents_at, usual_agent
from ludus.server.work.jobs import Report
from ludus.server.work.wire import from_wire, profile_from_wire
from ludus.teach.warm_up import note_prepared

log = logging.getLogger(__name__)


def act(turns: list[dict[str, Any]]) -> list[int | None]:
    """One action for each of the turns ``{agent, seed, state}``; None where an agent fails. ``short``: push or fold.

    A turn of an agent who remembers has ``known``, too: profiles of the others by seat. In a sit-and-go a turn has the
    ``prizes`` of the places that are left.
    """
    return [_act(turn) for turn in turns]


def _act(turn: dict[str, Any]) -> int | None:
    try:
        known = {int(seat): profile_from_wire(each) for seat, each in turn.get("known", {}).items()}
        state, rng = from_wire(turn["state"]), np.random.default_rng(turn["seed"])
        if turn.get("short"):
            return push_or_fold(state, turn.get("prizes"), rng)
        return play(turn["agent"], state, rng, known)
    except Exception:
        log.exception("%s failed after %s", turn["agent"], turn["state"]["line"])
        return None


def play(
    spec: str, observation: PokerState, rng: np.random.Generator, known: Mapping[int, Profile] | None = None
) -> int:
    """The action of an agent by its name, at the table that an observation is of; it may know others by their seats."""
    agent = _agent(spec)
    if isinstance(agent, ExploiterAgent):
        return draw(agent.exploiter.against(observation, known or {}), rng.random())
    return int(agent.act(observation, rng))


@lru_cache(maxsize=32)
def _agent(spec: str) -> Agent:
    return make(spec)


def prepare(report: Report, least: bool = False) -> None:
    """Load or compile what tables need, by playing at them: every agent of web tables, and blueprints at every level.

    The ``least`` is what the usual table needs: the usual opponent, at two seats and at six.
    """
    usual = f"{usual_agent(HOLDEM)}:level={USUAL_LEVEL}"
    steps: list[tuple[str, str, int]] = [(usual, HOLDEM, seats) for seats in (2, 6)]
    if not least:
        steps += [(spec, game, 2) for game in (HOLDEM, *SMALL) for spec in _specs(game)]
        steps += [(spec, HOLDEM, 6) for spec in _specs(HOLDEM) if AGENTS[spec.partition(":")[0]].levels]
    for at, (spec, game, seats) in enumerate(steps):
        config = TableConfig.model_validate({"game": game, "seats": seats})
        _play_some(spec, config)
        report({"done": at + 1, "of": len(steps), "what": f"{spec} at {game}"})
    if not least:
        note_prepared("agents")


def _specs(game: str) -> list[str]:
    """The agents of a game's web tables, at all their levels; those who think for seconds play elsewhere."""
    levels = [f":level={level}" for level in range(1, STRONGEST + 1)]
    names = [name for name in agents_at(game) if game != HOLDEM or not AGENTS[name].thinks]
    return [f"{name}{level}" for name in names for level in (levels if AGENTS[name].levels else [""])]


def _play_some(spec: str, config: TableConfig) -> None:
    """Some decisions of an agent, while everybody checks and calls."""
    game, rng = config.game_of([config.stack] * config.seats), np.random.default_rng(1)
    state = dealt(game.start(), game.deck)
    odd = dict.fromkeys(range(game.players), Profile(np.full_like(Profile().actions, 10.0)))  # for those who remember
    for _ in range(2 * config.seats):
        if state.player < 0:
            break
        play(spec, state.seen_by(state.player), rng, odd)
        state = dealt(state.apply(0), game.deck)
