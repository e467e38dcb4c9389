"""``ludus agents``: who can play."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def agents(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """The players that matches and tables know, with their parameters: `call`, `heuristic-mc:simulations=500`."""
    from rich.console import Console
    from rich.table import Table

    from ludus.agents import describe

    known = describe() | {
        "exec": "a program of anybody's that speaks the ACPC protocol, started with HOST PORT: exec:./bot (COMMAND); "
        "a wrong answer costs the hand, so try an unknown one at `ludus acpc dealer`, which repairs and warns",
        "human": "you, at this terminal: in `ludus match` and `ludus acpc play`",
    }
    if as_json:
        print(json.dumps(known, indent=2))
        return
    table = Table(box=None)
    table.add_column("player")
    table.add_column("what it does (parameters)")
    for name, text in known.items():
        table.add_row(name, text)
    Console(highlight=False).print(table)
