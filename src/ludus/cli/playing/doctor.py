"""``ludus doctor``: what there is on this machine, and what is missing."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ludus.cli.options import AsJson

MARKS = {"ok": "ok", "missing": "-", "wrong": "WRONG"}


def doctor(
    db: Annotated[
        str, typer.Option(metavar="URL", help="A database to look at, as `ludus serve --db`.", show_default="SQLite")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Look at this machine: Python, processor, memory, GPU, cache, database, and what tests need. Nothing is changed.

    It says what is missing and what that means; exit code 1 if Ludus cannot run. Put it into reports of bugs.
    """
    from ludus.doctor import as_data, examine

    findings = examine(db)
    data = as_data(findings)
    if as_json:
        print(json.dumps(data, indent=2))
    else:
        print(f"Ludus {data['ludus']}")
        for finding in findings:
            print(f"{MARKS[finding.state]:5}  {finding.name:10}  {finding.found}")
            if finding.meaning:
                print(f"{'':19}{finding.meaning}")
    if not data["works"]:
        raise typer.Exit(1)
