"""A command over settings and seeds: which runs there are, what is kept of each, and a table with seeds averaged."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path
from string import Formatter
from typing import Any

from ludus.arena.interval import Interval, interval
from ludus.files import write_atomically

Setting = tuple[str, ...]
"""A value for each of the swept names."""


@dataclass(frozen=True)
class Run:
    """A command with its settings and its seed."""

    setting: Setting
    seed: int | None
    words: tuple[str, ...]


@dataclass(frozen=True)
class Sweep:
    """A command with names in braces, values for each name, and how many seeds."""

    command: str
    over: Mapping[str, tuple[str, ...]]
    seeds: int

    def __post_init__(self) -> None:
        named = {name for word in shlex.split(self.command) for _, name, _, _ in Formatter().parse(word) if name}
        if named != set(self.over):
            missing, unused = sorted(named - set(self.over)), sorted(set(self.over) - named)
            raise ValueError(
                f"--over 'NAME=VALUE VALUE' gives {{{missing[0]}}} its values" if missing
                else f"the command has no {{{unused[0]}}}, which --over gives values"
            )  # fmt: skip
        if {"--json", *(["--seed"] if self.seeds else [])} & {
            word.partition("=")[0] for word in shlex.split(self.command)
        }:
            raise ValueError("a sweep adds --json and --seed itself: leave them out of the command")

    def runs(self) -> list[Run]:
        """All of them, setting by setting.

        >>> for run in Sweep("solve {game}", {"game": ("kuhn", "leduc")}, 1).runs():
        ...     print(*run.words)
        solve kuhn --seed 1 --json
        solve leduc --seed 1 --json
        """
        found = []
        for setting in product(*self.over.values()):
            values = dict(zip(self.over, setting, strict=True))
            words = [word.format_map(values) for word in shlex.split(self.command)]
            for seed in range(1, self.seeds + 1) if self.seeds else (None,):
                seeded = ("--seed", str(seed)) if seed is not None else ()
                found.append(Run(setting, seed, (*words, *seeded, "--json")))
        return found


class Kept:
    """Results in a folder, a file each, by the words of their commands."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _file(self, run: Run) -> Path:
        return self.folder / f"{sha256(json.dumps(run.words).encode()).hexdigest()[:16]}.json"

    def load(self, run: Run) -> dict[str, float] | None:
        """The figures of a run, if they are there."""
        if not self._file(run).exists():
            return None
        try:
            known = json.loads(self._file(run).read_text())
            return {str(name): float(value) for name, value in known["figures"].items()}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{self._file(run)} is not a result of a sweep ({error}): delete it") from None

    def save(self, run: Run, figures: Mapping[str, float]) -> None:
        """Keep them for the next time."""
        content = {"command": shlex.join(run.words), "figures": figures}
        write_atomically(self._file(run), json.dumps(content, indent=1).encode())


def figures(result: Any, prefix: str = "") -> dict[str, float]:
    """The numbers of a result by their names; those in lists are left out.

    >>> figures({"game": "kuhn", "values": {"oop": -0.05, "ip": 0.05}, "curve": [1, 2], "done": True})
    {'values.oop': -0.05, 'values.ip': 0.05}
    """
    found: dict[str, float] = {}
    for name, value in result.items():
        if isinstance(value, dict):
            found |= figures(value, f"{prefix}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool) and value == value:
            found[f"{prefix}{name}"] = value
    return found


def names_shown(found: Sequence[Mapping[str, float]], asked: Sequence[str]) -> list[str]:
    """The figures of a table: those asked for, by default all that are not the same in every run."""
    known = list(dict.fromkeys(name for each in found for name in each))
    if unknown := next((name for name in asked if name not in known), None):
        raise ValueError(f"no run has the figure {unknown!r}: they have {', '.join(known) or 'none'}")
    return [*asked] or [name for name in known if len({each.get(name) for each in found}) > 1]


def averaged(
    sweep: Sweep, found: Sequence[tuple[Run, Mapping[str, float]]], names: Sequence[str]
) -> list[tuple[Setting, list[Interval]]]:
    """A row a setting: each figure's mean over the seeds that have it."""
    rows = []
    for setting in product(*sweep.over.values()):
        mine = [each for run, each in found if run.setting == setting]
        rows.append((setting, [interval([each[name] for each in mine if name in each]) for name in names]))
    return rows
