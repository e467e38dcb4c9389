"""Strategies as tables."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from ludus.cli.views.tables import printable
from ludus.solvers.strategy import Difference

MOST_COLUMNS = 6
Row = tuple[int, str, list[tuple[int, str, float]]]  # as Strategy.rows() has it


def strategy_table(rows: list[Row]) -> Table:
    """Information sets with the probabilities of their actions in per cent, one column per action where few differ."""
    labels = list(dict.fromkeys(label for _, _, actions in rows for _, label, _ in actions))
    table = Table(box=None, pad_edge=False)
    table.add_column("player", justify="right")
    table.add_column("information set", no_wrap=True)
    if len(labels) > MOST_COLUMNS:
        table.add_column("actions %")
        for player, name, actions in rows:
            words = ", ".join(f"{printable(label)} {100 * chance:.1f}" for _, label, chance in actions)
            table.add_row(str(player), printable(name), words)
        return table
    for label in labels:
        table.add_column(f"{printable(label)} %", justify="right", overflow="fold")
    for player, name, actions in rows:
        chances = {label: f"{100 * chance:.2f}" for _, label, chance in actions}
        table.add_row(str(player), printable(name), *(chances.get(label, "") for label in labels))
    return table


def difference_table(rows: Sequence[Difference]) -> Table:
    """Where two strategies differ, and by how much."""
    table = Table(box=None, pad_edge=False)
    table.add_column("player", justify="right")
    table.add_column("information set", no_wrap=True)
    table.add_column("distance", justify="right")
    table.add_column("actions %: first > second")
    for row in rows:
        words = (f"{label} {100 * p:.1f} > {100 * row.second.get(label, 0.0):.1f}" for label, p in row.first.items())
        table.add_row(str(row.player), printable(row.name), f"{row.total_variation:.6f}", ", ".join(words))
    return table
