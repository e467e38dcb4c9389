"""A tournament as tables: the cross table and the ranking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console

from ludus.arena.interval import caution
from ludus.cli.views.tables import new_table
from ludus.experiments.report import plus_minus
from ludus.files import write_atomically, write_csv


def write_tournament(out: Path, found: dict[str, Any]) -> None:
    """The figures as JSON, the cross table as CSV."""
    write_atomically(out / "tournament.json", (json.dumps(found, indent=2) + "\n").encode())
    rows = [
        (name, other, cell["mean"], cell["ci95"], cell["too_few"])
        for name, row in found["cross_table"].items()
        for other, cell in row.items()
    ]
    write_csv(out / "tournament.csv", ("player", "against", "mbb_per_game", "ci95", "too_few"), rows)


def show_tournament(found: dict[str, Any]) -> None:
    """Print both tables."""
    console = Console(highlight=False)
    console.print(
        f"{found['game']}: {found['hands']:,} hands in all, seed {found['seed']}; mbb/g +- half of 95 %", style="bold"
    )
    order = [row["name"] for row in found["ranking"]]
    cross = new_table(["", *order])
    for name in order:
        cross.add_row(
            name, *("" if name == other else plus_minus(found["cross_table"][name][other]) for other in order)
        )
    console.print(cross)
    ranking = new_table(["player", "place", "mean, mbb/g", "places, 95 %", "best, %"])
    for place, row in enumerate(found["ranking"], 1):
        first, last = row["places"]
        text = plus_minus({"mean": row["mbb_per_game"], "ci95": row["ci95"], "too_few": row["too_few"]})
        ranking.add_row(
            row["name"], f"{place}", text, f"{first}" if first == last else f"{first}-{last}",
            f"{100 * row['chance_of_first']:.1f}",
        )  # fmt: skip
    console.print(ranking)
    if words := caution(found["units"], "units of each match"):
        console.print(words, style="yellow")
