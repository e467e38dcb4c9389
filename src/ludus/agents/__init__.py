"""Everything that acts, by name. An agent does not know who its opponents are."""

from __future__ import annotations

from collections.abc import Callable

from ludus.agents.base import Agent
from ludus.agents.heuristic import HeuristicAgent
from ludus.agents.simple import CallAgent, RandomAgent

__all__ = ["AGENTS", "Agent", "CallAgent", "HeuristicAgent", "RandomAgent", "make"]

AGENTS: dict[str, Callable[[], Agent]] = {
    "random": RandomAgent,
    "call": CallAgent,
    "heuristic-mc": HeuristicAgent,
}


def make(name: str) -> Agent:
    """An agent by its name.

    >>> type(make("call")).__name__
    'CallAgent'
    """
    if name not in AGENTS:
        raise ValueError(f"there is no player {name!r}; there are {', '.join(AGENTS)}")
    return AGENTS[name]()
