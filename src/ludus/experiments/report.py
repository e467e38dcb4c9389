"""What an experiment hands back: its figures as data, the same as a table of texts, and the files it wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class Stopped(Exception):
    """An experiment was interrupted before there was anything to show; the text says what is kept."""


@dataclass(frozen=True)
class Table:
    """A table of texts under a title."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Report:
    """The result of an experiment."""

    title: str
    figures: dict[str, Any]  # plain data; "files" has the paths of what was written
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    stopped: str = ""  # how far it was when it was interrupted; empty at its end
    more: Sequence[Table] = ()  # tables that follow the first


def folder(out: Path | None, name: str) -> Path:
    """Where an experiment's files go; it is made now, so that a bad place shows before the work."""
    place = Path("out") / name if out is None else out
    place.mkdir(parents=True, exist_ok=True)
    return place


def plus_minus(found: Mapping[str, Any] | None, digits: int = 1) -> str:
    """A mean with half its interval, and whether too few units have been played for it."""
    if not found or found["mean"] is None:
        return ""
    mean = f"{round(found['mean'], digits) + 0.0:+,.{digits}f}"  # no minus before 0
    half = "" if found["ci95"] is None else f" +- {found['ci95']:,.{digits}f}"
    return mean + half + (" (too few)" if found["too_few"] else "")


def times_smaller(found: Mapping[str, Any] | None) -> str:
    """How many times smaller AIVAT's variance is."""
    return "" if not found or found["variance_ratio"] is None else f"x{found['variance_ratio']:.1f}"
