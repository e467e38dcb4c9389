"""Card abstractions as texts, tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ludus.experiments.plots import save_figure
from ludus.trees.bucket_quality import MEASURES, Quality
from ludus.trees.buckets import STREETS, Buckets


def facts(buckets: Buckets) -> dict[str, Any]:
    """What buckets are, as JSON data."""
    return {
        "counts": buckets.counts, "methods": buckets.methods, "seed": buckets.seed, "fitted_on_boards": buckets.fitted,
        "digest": buckets.digest,
    }  # fmt: skip


def show_buckets(buckets: Buckets) -> None:
    """Print what buckets are."""
    parts = [
        f"{name}: {count} by {method}, fitted on {fitted} boards"
        for name, count, method, fitted in zip(
            STREETS, buckets.counts[1:], buckets.methods, buckets.fitted, strict=True
        )
    ]
    print(f"before the flop: {buckets.counts[0]} classes\n" + "\n".join(parts) + f"\nseed {buckets.seed}")


def show_hand(found: dict[str, Any]) -> None:
    """Print the bucket of a hand."""
    board = found["board"]
    name = f"{found['hand']} on {board}" if board else found["hand"]
    print(f"{name}: bucket {found['bucket']} of 0..{found['buckets'] - 1}, from weak to strong ({found['method']})")
    if board:
        print(f"equity against a random hand: {100 * found['equity']:.1f} %")
        low, high = (100 * value for value in found["mates_equity"])
        print(f"with {found['mates']} of {found['possible']} hands on this board, equities {low:.1f} to {high:.1f} %:")
        print(found["mates_range"])


def show_quality(found: Sequence[Quality]) -> None:
    """Print the deviations within buckets."""
    table = Table(title="Standard deviation within buckets, in %", title_justify="left")
    for name in ("street", "method"):
        table.add_column(name)
    table.add_column("buckets", justify="right")
    for words in MEASURES.values():
        table.add_column(words, justify="right", max_width=18)
    for before, row in zip([None, *found], found, strict=False):
        if before is not None and before.method != row.method:
            table.add_section()
        deviations = [f"{100 * row.variance[key] ** 0.5:.2f}" for key in MEASURES]
        table.add_row(row.street, row.method, str(row.buckets), *deviations)
    Console().print(table)


def draw_quality(path: Path, found: Sequence[Quality]) -> None:
    """A panel for each street and measure: the deviation within buckets against their number, one line per method."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    streets = list(dict.fromkeys(row.street for row in found))
    figure = Figure(figsize=(1.5 + 3.4 * len(streets), 2.6 * len(MEASURES)), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(len(MEASURES), len(streets), squeeze=False, sharex=True)
    methods = list(dict.fromkeys(row.method for row in found))
    for line, (key, words) in enumerate(MEASURES.items()):
        for column, street in enumerate(streets):
            axes = grid[line][column]
            for at, method in enumerate(methods):
                rows = [row for row in found if row.street == street and row.method == method]
                points = [(row.buckets, 100 * row.variance[key] ** 0.5) for row in rows if row.variance[key] > 0]
                if points:
                    axes.plot(*zip(*points, strict=True), label=method, color=f"C{at}", marker="osD^"[at % 4], ms=4)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xticks(sorted({row.buckets for row in found}))
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0, 7.0)))
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(FormatStrFormatter("%g"))
                axis.set_minor_formatter(NullFormatter())
            axes.minorticks_off()
            axes.tick_params(labelsize="small")
            axes.grid(True, alpha=0.3)
            if line == 0:
                axes.set_title(street)
            if column == 0:
                axes.set_ylabel(f"{words}, %", fontsize="small")
            if line == len(MEASURES) - 1:
                axes.set_xlabel("buckets")
    handles = [handle for axes in grid[0] for handle in axes.get_legend_handles_labels()[0]]
    labelled = {handle.get_label(): handle for handle in handles}
    figure.legend(labelled.values(), labelled.keys(), loc="outside lower center", ncols=len(labelled), frameon=False)
    figure.suptitle("Standard deviation within buckets (smaller is better)", fontsize="medium")
    save_figure(figure, path)
