"""Agents by name: ``make("heuristic-mc:simulations=500")``. Other packages add kinds of their own with ``register``."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ludus.agents.base import Agent
from ludus.games.poker import PokerGame

_NAME = re.compile("[a-z][a-z0-9-]*")


@dataclass(frozen=True)
class AgentKind:
    """A kind of agent. Its parameters are those of the factory: whole numbers, decimals or texts."""

    factory: Callable[..., Agent]
    description: str  # one line, without a full stop
    main: str = ""  # the parameter whose name may be left out, as in 'strategy:FILE'
    verbatim: bool = False  # whether all that follows the colon is that parameter, commas and all
    games: tuple[str, ...] = ()  # those that it plays, by their names in `ludus.games`; none: any poker
    web: bool | tuple[str, ...] = True  # whether it may sit at web tables, or of which games, if it needs no parameter
    heads_up: bool = False  # whether it plays against one opponent only
    remembers: bool = False  # whether it plays by what its opponents did before: web tables tell it (`ExploiterAgent`)

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """What can be set."""
        return dict(inspect.signature(self.factory).parameters)

    @property
    def needed(self) -> list[str]:
        """What must be set: it has no default."""
        return [key for key, parameter in self.parameters.items() if parameter.default is parameter.empty]

    @property
    def levels(self) -> bool:
        """Whether it can be told how strong to be."""
        return "level" in self.parameters

    @property
    def thinks(self) -> bool:
        """Whether it can be told how many seconds to think about a decision."""
        return "seconds" in self.parameters


AGENTS: dict[str, AgentKind] = {}


def register(
    name: str,
    factory: Callable[..., Agent],
    description: str,
    main: str = "",
    verbatim: bool = False,
    games: tuple[str, ...] = (),
    web: bool | tuple[str, ...] = True,
    heads_up: bool = False,
    remembers: bool = False,
) -> None:
    """Add a kind of agent, once: from then on the terminal, the arena and web tables know it by its name.

    ``web=False`` keeps it from web tables, because it thinks long; ``web=("kuhn",)`` from those of other games. A web
    table sets no parameter except for a level, so an agent that must be told a file or a program is never there.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"the name of an agent is small letters, digits and hyphens, got {name!r}")
    kind = AgentKind(factory, description, main, verbatim, games, web, heads_up, remembers)
    if main and main not in kind.parameters:
        raise ValueError(f"{name} has no parameter {main!r} to be its main one")
    if AGENTS.setdefault(name, kind) != kind:
        raise ValueError(f"there is an agent {name!r} already")


def at_web_tables(game: str) -> list[str]:
    """The agents that may sit at a web table of a game, by its name in `ludus.games`.

    >>> "tight" in at_web_tables("holdem"), "strategy" in at_web_tables("holdem"), "blueprint" in at_web_tables("leduc")
    (True, False, False)
    """
    return [
        name
        for name, kind in AGENTS.items()
        if (kind.web is True or (kind.web and game in kind.web))
        and not kind.needed
        and (not kind.games or game in kind.games)
    ]


def describe() -> dict[str, str]:
    """For each name, what the agent does and which parameters it has with which defaults."""
    return {
        name: f"{kind.description} ({settings})" if (settings := _settings(kind)) else kind.description
        for name, kind in AGENTS.items()
    }


def _settings(kind: AgentKind) -> str:
    shown = []
    for name, parameter in kind.parameters.items():
        value = parameter.default
        shown.append(name.upper() if value is parameter.empty else name if value is None else f"{name}={value}")
    return ", ".join(shown)


def make(spec: str, game: PokerGame | None = None) -> Agent:
    """An agent from ``name``, ``name:key=value,key=value``, ``name:MAIN`` or ``name:MAIN,key=value``.

    A part between commas that has no key belongs to the value before it. ValueError says what there is, or why the
    agent cannot play a game that is given: agents that play some games only have a method ``check(game)``.

    >>> make("heuristic-mc:simulations=500")
    HeuristicAgent(simulations=500, size=1.0, ahead=0.5, least=0.0)
    """
    name, colon, text = spec.partition(":")
    kind = AGENTS.get(name)
    if kind is None:
        near = get_close_matches(name, AGENTS, 1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"there is no player {name!r} here; {meant}there are {', '.join(AGENTS)}")
    known = kind.parameters
    given = {kind.main: text} if colon and kind.verbatim else _split(name, kind, text) if colon else {}
    values = {key: _value(name, known[key], value) for key, value in given.items()}
    for key in kind.needed:
        if key not in values:
            raise ValueError(f"{name} needs a {key}: write {name}:{key.upper()}")
    agent = kind.factory(**values)
    if game is not None and (check := getattr(agent, "check", None)) is not None:
        check(game)
    return agent


def settings_of(spec: str) -> dict[str, str]:
    """The parameters that a player's name gives, as texts; empty when it gives none or is not known.

    >>> settings_of("strategy:out/a.safetensors,purify=0.1")
    {'file': 'out/a.safetensors', 'purify': '0.1'}
    """
    name, colon, text = spec.partition(":")
    kind = AGENTS.get(name)
    if kind is None or not colon or kind.verbatim:
        return {}
    try:
        return _split(name, kind, text)
    except ValueError:
        return {}


def with_settings(spec: str, **settings: object) -> str:
    """A player's name with parameters added, except for those that it gives itself.

    >>> with_settings("spot-solver:streets=turn,river,seconds=2", iterations=50, seconds=1)
    'spot-solver:streets=turn,river,seconds=2,iterations=50'
    """
    given = settings_of(spec)
    added = [f"{key}={value}" for key, value in settings.items() if key not in given]
    return ("," if ":" in spec else ":").join([spec, ",".join(added)]) if added else spec


def with_time(specs: Sequence[str], seconds: float | None) -> list[str]:
    """Players of whom those who think take some seconds a decision, unless their names say how many; None: as they are.

    >>> with_time(["resolver", "call", "spot-solver:seconds=2"], 0.5)
    ['resolver:seconds=0.5', 'call', 'spot-solver:seconds=2']
    """
    if seconds is None:
        return [*specs]
    if not 0 < seconds < math.inf:
        raise ValueError(f"the time for a decision is a number of seconds above 0, got {seconds:g}")
    thinkers = [name for name, kind in AGENTS.items() if kind.thinks]
    timed = [
        with_settings(spec, seconds=f"{seconds:g}") if spec.partition(":")[0] in thinkers else spec for spec in specs
    ]
    if timed == [*specs]:
        raise ValueError(
            f"a time for decisions is for {' and '.join(thinkers)}, unless they say their own seconds, "
            f"not for {', '.join(specs)}"
        )
    return timed


def _split(name: str, kind: AgentKind, text: str) -> dict[str, str]:
    """The texts of the parameters by their names."""
    known, given = kind.parameters, dict[str, str]()
    last = ""
    for part in text.split(","):
        key, equals, value = part.partition("=")
        key = key.strip()
        if equals and key in known:
            if key in given:
                raise ValueError(f"{name} has {key} twice in {text!r}")
            given[last := key] = value.strip()
        elif last and not equals:
            given[last] += f",{part}"
        elif kind.main and not last:
            given[last := kind.main] = part
        else:
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(f"{name} has no parameter {key!r}; {there}")
    return given


def _value(name: str, parameter: inspect.Parameter, text: str) -> Any:
    """A parameter's value from its text, by what its factory says it takes."""
    wanted = str(getattr(parameter.annotation, "__name__", parameter.annotation))
    if "int" in wanted:
        if re.fullmatch(r"[+-]?[0-9]{1,18}", text, re.ASCII):
            return int(text)
        raise ValueError(f"{parameter.name} of {name} is a whole number, got {text!r}")
    if "float" in wanted:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
        raise ValueError(f"{parameter.name} of {name} is a number, got {text!r}")
    if not text:
        raise ValueError(f"{parameter.name} of {name} is empty")
    return text
