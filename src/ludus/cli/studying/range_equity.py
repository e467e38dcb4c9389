"""``ludus range-equity``: how the equity of two ranges is spread over their hands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


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
    from ludus.cards.range_summary import compare_ranges
    from ludus.cli.views.progress import progress_bar
    from ludus.cli.views.range_equity import draw_ranges, show_ranges
    from ludus.experiments.plots import check_plot_path
    from ludus.parallel import usable_cores

    if plot:
        check_plot_path(plot)
    cards = parse_board(board)
    with progress_bar("dealing") as progress:
        sides = compare_ranges((first, second), cards, usable_cores(), progress)
    if plot:
        draw_ranges(plot, format_cards(cards), sides)
    if as_json:
        print(json.dumps({"board": format_cards(cards), "ranges": sides}))
        return
    show_ranges(sides)
    if plot:
        print(f"wrote {plot}")
