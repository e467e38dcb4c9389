"""Plain tables, texts from files, and what all views share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table


def new_table(columns: Sequence[str]) -> Table:
    """A plain table: the first column of words, the others of numbers."""
    table = Table(box=None)
    for at, column in enumerate(columns):
        table.add_column(column, justify="right" if at else "left", overflow="fold")
    return table


def print_table(table: Table) -> None:
    """Print a table to standard output."""
    Console(markup=False, emoji=False, highlight=False).print(table)  # names are shown as they are


def print_rows(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table of texts, its first column never broken."""
    table = Table(box=None, pad_edge=False)
    for at, name in enumerate(header):
        table.add_column(name, justify="right" if at else "left", no_wrap=at == 0)
    for row in rows:
        table.add_row(*row)
    print_table(table)


def printable(text: str) -> str:
    """Text from a file without what would move the cursor or change colours."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def number_text(value: float | None, digits: int) -> str:
    """A number, or a dash where there is none.

    >>> number_text(1.23456, 2), number_text(float("nan"), 2), number_text(-0.0001, 2), number_text(None, 2)
    ('1.23', '-', '0.00', '-')
    """
    if value is None or value != value:
        return "-"
    return f"{round(value, digits) + 0.0:.{digits}f}"


def say_written(*paths: Path | None) -> None:
    """Say which files were written."""
    for path in paths:
        if path:
            print(f"wrote {path}")
