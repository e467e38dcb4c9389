"""``ludus range-equity``: how the equity of two ranges is spread over their hands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ludus.cards.ranges import Weights

BUCKETS, BAR = 10, 20
CURVE = 100  # points of a curve in JSON
TOP = 8  # classes


def range_equity(
    first: Annotated[str, typer.Argument(help="A hand or range: 'QQ+,AKs', 'A5s-A2s,T9o:0.5', random.")],
    second: Annotated[str, typer.Argument(help="The range against it.")],
    board: Annotated[str, typer.Option(help="0, 3, 4 or 5 cards of the board, such as Ah7c2d.")] = "",
    plot: Annotated[
        Path | None, typer.Option(help="Draw both curves, equity by percentile, as PNG, SVG or PDF.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """How two ranges stand on a board: the exact equity of every hand against the whole other range.

    The quarters and buckets count each hand by how many hands of the other range it can meet.
    """
    from ludus.cards.card import format_cards, parse_board
    from ludus.cards.distribution import hand_equities, meetings
    from ludus.cards.equity import as_range
    from ludus.cli.views.progress import progress_bar
    from ludus.experiments.plots import check_plot_path
    from ludus.parallel import usable_cores

    if plot:
        check_plot_path(plot)
    names = (first, second)
    ranges = [as_range(text) for text in names]
    cards = parse_board(board)
    with progress_bar("dealing") as progress:
        equities = hand_equities(ranges, cards, threads=usable_cores(), progress=progress)
    weights = meetings(ranges, cards)
    sides = [_side(name, *each) for name, *each in zip(names, ranges, equities, weights, strict=True)]
    if plot:
        _draw(plot, format_cards(cards), sides)
    if as_json:
        print(json.dumps({"board": format_cards(cards), "ranges": sides}))
        return
    _show(sides)
    if plot:
        print(f"wrote {plot}")


def _side(name: str, weights: Weights, equities: Weights, counted: Weights) -> dict[str, Any]:
    """What is said about one range."""
    import numpy as np

    from ludus.cards.distribution import class_equities, distribution, histogram
    from ludus.cards.ranges import CLASSES

    by_class = class_equities(equities, counted)
    return {
        "range": name,
        "combos": float(weights[~np.isnan(equities)].sum()),
        "equity": float(distribution(equities, counted, 1)[0]),
        "quarters": distribution(equities, counted, 4).tolist(),
        "buckets": histogram(equities, counted, BUCKETS).tolist(),
        "curve": distribution(equities, counted, CURVE).tolist(),
        "classes": {CLASSES[at]: float(by_class[at]) for at in np.argsort(-by_class) if not np.isnan(by_class[at])},
    }


def _draw(path: Path, board: str, sides: list[dict[str, Any]]) -> None:
    from ludus.experiments.plots import new_figure, save_figure

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


def _show(sides: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    from ludus.cli.views.tables import print_table

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
