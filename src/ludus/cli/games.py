"""``ludus games``: what can be played and solved."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer


def games(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the games, their players and their parameters."""
    import inspect

    from ludus.games import GAMES, make

    rows: list[dict[str, Any]] = []
    for name, factory in GAMES.items():
        game = make(name)
        rows.append(
            {
                "name": name,
                "players": game.players,
                "zero_sum": game.zero_sum,
                "parameters": list(inspect.signature(factory).parameters),
                "about": (inspect.getdoc(factory) or "").splitlines()[0],
            }
        )
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("game", "players", "about", "parameters"):
        table.add_column(column, no_wrap=column in ("game", "players"))
    for row in rows:
        table.add_row(row["name"], str(row["players"]), row["about"], ", ".join(row["parameters"]) or "-")
    Console().print(table)
