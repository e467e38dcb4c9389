"""``ludus equity``: how often each hand wins when all the money is in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def equity(
    players: Annotated[
        list[str] | None, typer.Argument(help="Two to ten hands or ranges: AhKh, 'QQ+,AKs', 'A5s-A2s,T9o:0.5', random.")
    ] = None,
    board: Annotated[str, typer.Option(help="0, 3, 4 or 5 cards of the board, such as Td9d6h.")] = "",
    dead: Annotated[str, typer.Option(help="Cards that are out of the deck.")] = "",
    samples: Annotated[
        int | None,
        typer.Option(help="Draw this many deals at random, even where all could be enumerated.", max=10**10),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Enumerate all deals, even if it takes minutes.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the random deals.", min=0)] = 0,
    build_preflop: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Compute the 169 x 169 table of ludus.cards.preflop anew into a file, and stop."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Equity of hands and ranges against each other, exact where all deals can be enumerated.

    Otherwise by Monte Carlo, with its 95 % interval.
    """
    from ludus.cli.views.progress import progress_bar
    from ludus.parallel import usable_cores

    if build_preflop:
        from ludus.cards.preflop import build_preflop_table, save_table
        from ludus.files import check_writable

        check_writable(build_preflop)
        with progress_bar("pre-flop table") as progress:
            save_table(build_preflop_table(progress, usable_cores()), build_preflop)
        print(json.dumps({"path": str(build_preflop)}) if as_json else f"wrote {build_preflop}")
        return
    if not players or len(players) < 2:
        raise ValueError("name at least two hands or ranges, as in: ludus equity AhKh QsQd")
    from ludus.cards.card import parse_board, parse_cards
    from ludus.cards.equity import as_range
    from ludus.cards.equity import equity as equity_of

    ranges = [as_range(text) for text in players]
    with progress_bar("dealing") as progress:
        result = equity_of(
            ranges,
            parse_board(board),
            parse_cards(dead),
            samples=samples,
            seed=seed,
            exact=True if exact else None,
            progress=progress,
            threads=usable_cores(),
        )
    if as_json:
        print(
            json.dumps(
                {
                    "players": players,
                    "equity": result.equity,
                    "win": result.win,
                    "tie": result.tie,
                    "boards": result.boards,
                    "exact": result.exact,
                    "ci95": result.ci95,
                    "samples": result.samples,
                }
            )
        )
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("player", box=None)
    for column in ("equity %",) + (("95 % +/-",) if not result.exact else ()) + ("wins %",):
        table.add_column(column, justify="right")
    for name, share, half, win in zip(players, result.equity, result.ci95, result.win, strict=True):
        interval = (f"{100 * half:.3f}",) if not result.exact else ()
        table.add_row(name, f"{100 * share:.3f}", *interval, f"{100 * win:.3f}")
    Console().print(table)
    how = "every one of" if result.exact else "a random sample of"
    print(f"ties {100 * result.tie:.3f} %, {how} {result.boards:,} deal{'s' * (result.boards > 1)}")
