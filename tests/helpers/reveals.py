"""Forged proofs: what is told of a deck after a hand, with one thing in it changed."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any


def mutations(reveal: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The proof once for each change of each single value, key or item in it; named by where and to what."""
    for path in _paths(reveal, ()):
        value = _at(reveal, path)
        for other in _others(value):
            if other == value and type(other) is type(value):
                continue
            wrong = deepcopy(reveal)
            _at(wrong, path[:-1])[path[-1]] = other
            yield f"{path} is {other!r}", wrong
        wrong = deepcopy(reveal)
        del _at(wrong, path[:-1])[path[-1]]
        yield f"{path} is gone", wrong
        if isinstance(value, list):
            wrong = deepcopy(reveal)
            _at(wrong, path).append(deepcopy(value[-1]) if value else 0)
            yield f"{path} has one more", wrong
        if isinstance(value, dict):
            wrong = deepcopy(reveal)
            _at(wrong, path)["more"] = 1
            yield f"{path} has more", wrong


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from _paths(part, (*path, key))


def _others(value: Any) -> Iterator[Any]:
    """Values that somebody might put in the place of one."""
    yield from (None, 0, "", [], {}, True)
    if isinstance(value, str):
        flipped = chr(ord(value[:1] or "1") ^ 1)
        yield from (flipped + value[1:], value[:-1], value + "0", value.upper() if value.upper() != value else "??")
        yield from (f"{value}\n", "Ah" if value != "Ah" else "As", "0" * len(value), "Xx")
    if isinstance(value, int) and type(value) is int:
        yield from (value + 1, value - 1, float(value), str(value), -1)
    if value is None:
        yield from ("Ah", "0" * 32, "Xx")
