"""What a sweep has found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ludus.arena.interval import Interval, finite
from ludus.cli.views.tables import print_rows, say_written
from ludus.experiments.sweeps import Run, Sweep, averaged, names_shown
from ludus.files import write_csv

MOST = 6  # figures that fit on a screen


def show_sweep(
    sweep: Sweep, found: Sequence[tuple[Run, Mapping[str, float]]], asked: Sequence[str], folder: Path,
    engine: Mapping[str, Any], as_json: bool,
) -> None:  # fmt: skip
    """A row a setting; all runs with all figures as CSV."""
    every = list(dict.fromkeys(name for _, figures in found for name in figures))
    names, file = names_shown([figures for _, figures in found], asked), folder / "sweep.csv"
    write_csv(
        file, [*sweep.over, "seed", *every],
        [[*run.setting, run.seed, *(figures.get(name) for name in every)] for run, figures in found],
    )  # fmt: skip
    rows = averaged(sweep, found, names)
    if as_json:
        table = [
            {
                **dict(zip(sweep.over, setting, strict=True)),
                **{name: _data(each) for name, each in zip(names, columns, strict=True)},
            }
            for setting, columns in rows
        ]
        print(json.dumps({"command": sweep.command, "table": table, "files": {"csv": str(file)}, "engine": engine}))
        return
    shown = names if asked else names[:MOST]
    print_rows(
        [*sweep.over, *shown], [[*setting, *map(_text, columns[: len(shown)])] for setting, columns in rows]
    )  # fmt: skip
    if len(names) > len(shown):
        print(f"--show NAME shows others of these figures: {', '.join(names[MOST:])}")
    say_written(file)


def _data(found: Interval) -> dict[str, float | None]:
    return {"mean": finite(found.mean), "ci95": finite(found.ci95), "seeds": found.units}


def _text(found: Interval) -> str:
    """A mean and half its interval.

    >>> [_text(each) for each in (Interval(1, 1234.5678, 0.0), Interval(4, 0.25, 0.01), Interval(0, 0.0, 0.0))]
    ['1,235', '0.25 +- 0.016', '-']
    """
    half = f" +- {found.ci95:,.2g}" if found.units > 1 else ""
    return f"{found.mean:,.4g}{half}" if found.units else "-"
