"""Two ranges against each other, as tables and as curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ludus.cards.range_summary import BUCKETS, CURVE
from ludus.cli.views.tables import print_table
from ludus.experiments.plots import new_figure, save_figure

BAR = 20
TOP = 8  # classes


def draw_ranges(path: Path, board: str, sides: list[dict[str, Any]]) -> None:
    """Draw equity by percentile, one line per range."""
    figure, axes = new_figure()
    for number, (side, colour) in enumerate(zip(sides, ("tab:blue", "tab:red"), strict=True), 1):
        middle = [100 * (at + 0.5) / CURVE for at in range(CURVE)]
        label = f"{number}: {_short(side['range'], 48)} ({100 * side['equity']:.1f} %)"
        axes.plot(middle, [100 * value for value in side["curve"]], label=label, color=colour, linewidth=2)
    axes.axhline(50, color="0.5", linewidth=0.8, linestyle="--")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_xlabel("percentile of the range, the weakest hands first (%)")
    axes.set_ylabel("equity against the other range (%)")
    axes.set_title(f"Range against range on {board}" if board else "Range against range before the flop")
    axes.grid(True, alpha=0.35)
    axes.legend(loc="upper left")
    save_figure(figure, path)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def show_ranges(sides: list[dict[str, Any]]) -> None:
    """Print equities, their spread and the best classes."""
    for number, side in enumerate(sides, 1):
        print(f"range {number}: {side['range']}")
    print("\nequity, of the whole range and of its quarters from the weakest to the best, in %")
    table = Table("range", box=None, pad_edge=False)
    for column in ("combos", "equity", "weakest", "second", "third", "best"):
        table.add_column(column, justify="right")
    for number, side in enumerate(sides, 1):
        shares = (f"{100 * share:.2f}" for share in (side["equity"], *side["quarters"]))
        table.add_row(f"{number}", f"{side['combos']:g}", *shares)
    print_table(table)
    print("\nshare of the hands by their equity, in %")
    block = "█" if Console().encoding.lower().startswith("utf") else "#"
    table = Table(box=None, pad_edge=False)
    table.add_column("equity", justify="right", no_wrap=True)
    for number in (1, 2):
        table.add_column(f"range {number}", justify="right", no_wrap=True)
        table.add_column("", min_width=BAR, no_wrap=True)
    most = max(max(side["buckets"]) for side in sides)
    for at in reversed(range(BUCKETS)):
        cells = []
        for side in sides:
            share = side["buckets"][at]
            cells += [f"{100 * share:.1f}", block * round(BAR * share / most)]
        table.add_row(f"{100 * at // BUCKETS}-{100 * (at + 1) // BUCKETS}", *cells)
    print_table(table)
    print()
    for number, side in enumerate(sides, 1):
        best = ", ".join(f"{name} {100 * share:.1f}" for name, share in list(side["classes"].items())[:TOP])
        print(f"best of range {number}: {best}")
