"""Charts of play before the flop: numbers in a table, 13 x 13 charts in the terminal and as figures."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill

from rich.table import Table

from ludus.cli.views.chart import chart_figure, print_chart
from ludus.cli.views.tables import print_table
from ludus.experiments.plots import save_figure
from ludus.teach.preflop_charts import PreflopDecision

MOST_DRAWN = 24  # charts of a figure


def draw_charts(path: Path, decisions: list[PreflopDecision], title: str) -> None:
    """Draw the charts side by side."""
    if len(decisions) > MOST_DRAWN:
        raise ValueError(f"a figure has room for {MOST_DRAWN} charts, these are {len(decisions)}: name a --position")
    width = 44 * min(len(decisions), 3)
    save_figure(chart_figure([decision.chart for decision in decisions], fill(title, width)), path)


def show_charts(title: str, drawn: list[PreflopDecision], told: list[PreflopDecision]) -> None:
    """Print the shares of all decisions, and the charts of those that are drawn."""
    print(title)
    table = Table(box=None, pad_edge=False)
    table.add_column("position")
    table.add_column("before")
    decisions = [*drawn, *told]
    words = [
        word for word in ("all-in", "raise", "call", "check", "fold") if any(word in s.shares() for s in decisions)
    ]
    for word in words:
        table.add_column(f"{word} %", justify="right")
    for decision in decisions:
        shares = decision.shares()
        numbers = [f"{100 * shares[word]:.1f}" if word in shares else "" for word in words]
        table.add_row(decision.position, ", ".join(decision.played) or "first in", *numbers)
    print_table(table)
    for decision in drawn:
        print()
        print_chart(decision.chart)
