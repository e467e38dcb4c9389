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
    table.add_column("game", no_wrap=True)
    table.add_column("players", justify="right")
    table.add_column("what it is, and its parameters")
    for row in rows:
        table.add_row(row["name"], str(row["players"]), row["about"])
        if row["parameters"]:
            table.add_row("", "", f"[dim]{', '.join(row['parameters'])}[/dim]")
    Console().print(table)
