"""The report of an experiment, as JSON or as a table with notes."""

from __future__ import annotations

import json
from textwrap import fill

from rich.console import Console

from ludus.cli.views.tables import new_table
from ludus.experiments.report import Report, Table

NARROW = 15  # characters of a heading in a line


def show_report(report: Report, as_json: bool) -> None:
    """Print a report: its figures as JSON, or its table with notes under it and the files that were written."""
    if as_json:
        print(json.dumps(report.figures, indent=2))
        return
    console = Console(highlight=False)
    for part in (Table(report.title, report.header, report.rows), *report.more):
        console.print(part.title, style="bold")
        table = new_table([fill(column, NARROW) for column in part.header])
        for row in part.rows:
            table.add_row(*row)
        console.print(table)
    for note in report.notes:
        console.print(note)
    if files := report.figures.get("files"):
        console.print(f"Files: {', '.join(files.values())}", soft_wrap=True)
