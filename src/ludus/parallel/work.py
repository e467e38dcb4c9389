"""What tasks do, named so that any process that has this version of Ludus can do it."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

Task = tuple[Any, ...]
"""The arguments of one call: numbers, texts, frozen dataclasses and arrays, never an open file or a function."""
Tell = Callable[[Any], object]
"""Called with what a task says while it runs: as `Task`, such as numbers and texts."""


@dataclass(frozen=True)
class Work:
    """A pure function of what is given to all tasks and of each task, by name.

    Without ``prepare`` a task is ``function(*given, *task)``. With it every worker calls ``prepare(*given)`` once, and
    a task is ``function(prepared, *task)``; what was prepared is closed at the end if it has a ``close``. A function
    that ``tells`` also takes ``tell=``, to say how far it is.
    """

    function: str  # "module:function"
    given: tuple[Any, ...] = ()
    prepare: str = ""  # "module:function"
    seed: int | None = None  # told where a task fails
    gpus: float = 0.0  # that a task takes of a machine of a cluster
    tells: bool = False

    def prepared(self, tell: Tell | None = None) -> Prepared:
        """A worker's own."""
        function = named(self.function)
        if self.tells:
            function = partial(function, tell=tell or _nobody)
        if not self.prepare:
            return Prepared(lambda *task: function(*self.given, *task), None)
        own = named(self.prepare)(*self.given)
        return Prepared(lambda *task: function(own, *task), own)


@dataclass(frozen=True)
class Prepared:
    """What a worker has prepared."""

    call: Callable[..., Any]
    own: Any

    def close(self) -> None:
        """Close what can be closed."""
        if hasattr(self.own, "close"):
            self.own.close()


def _nobody(_: Any) -> None:
    """Whom tasks tell when nobody listens."""


def named(name: str) -> Callable[..., Any]:
    """A function by the name of its module and its own.

    >>> named("math:gcd")(12, 18)
    6
    """
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


@cache
def versions() -> dict[str, str]:
    """What has to be the same everywhere for results to be: versions, and the sources that this process runs."""
    import ludus

    root, digest = Path(ludus.__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(os.fsencode(path.relative_to(root)) + b"\0" + path.read_bytes())
    return {
        "Python": platform.python_version(), "Ludus": ludus.__version__, "NumPy": version("numpy"),
        "Numba": version("numba"), "Ludus' source": digest.hexdigest()[:12],
    }  # fmt: skip


def difference(there: dict[str, str], here: dict[str, str]) -> str:
    """The first version that differs, as part of a sentence; empty for none.

    >>> difference({"Ludus": "0.1"}, {"Ludus": "0.2"})
    'Ludus 0.1 where 0.2 is wanted'
    """
    for name, wanted in here.items():
        if there.get(name) != wanted:
            return f"{name} {there.get(name, 'unknown')} where {wanted} is wanted"
    return ""
