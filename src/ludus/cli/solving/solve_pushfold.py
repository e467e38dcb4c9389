"""``ludus solve pushfold``: heads-up play before the flop for short stacks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    pass

TREE, STOP, FILES = "The bets, in big blinds", "When to stop", "Results and files"


def pushfold(
    stack: Annotated[
        float, typer.Option(help="What each player has before blinds and antes.", rich_help_panel=TREE)
    ] = 10.0,
    small_blind: Annotated[float, typer.Option(help="The small blind.", rich_help_panel=TREE)] = 0.5,
    ante: Annotated[float, typer.Option(help="Each player's ante.", rich_help_panel=TREE)] = 0.0,
    raises: Annotated[
        str, typer.Option(help="What the small blind can open to, such as 2,2.5.", rich_help_panel=TREE)
    ] = "",
    reraises: Annotated[
        str, typer.Option(help="Later raises, as multiples of the bet before them, such as 3.", rich_help_panel=TREE)
    ] = "",
    limp: Annotated[bool, typer.Option("--limp", help="The small blind can just call.", rich_help_panel=TREE)] = False,
    no_all_in: Annotated[
        bool, typer.Option("--no-all-in", help="Nobody can move all-in.", rich_help_panel=TREE)
    ] = False,
    target: Annotated[
        float, typer.Option(help="At this exploitability, in big blinds a hand.", rich_help_panel=STOP)
    ] = 1e-6,
    iterations: Annotated[
        int, typer.Option(help="After this many iterations at the latest.", rich_help_panel=STOP)
    ] = 100_000,
    algorithm: Annotated[
        str, typer.Option("--algorithm", "-a", help="One of the CFR family, see `ludus solve --list`.")
    ] = "dcfr+",
    charts: Annotated[
        bool | None,
        typer.Option(help="Print 13 x 13 charts.", show_default="for push or fold", rich_help_panel=FILES),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the charts, as PNG, SVG or PDF.", rich_help_panel=FILES)
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the strategy to this .json or .csv file.", rich_help_panel=FILES)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=FILES)] = False,
) -> None:
    """Heads-up before the flop: push or fold, or simple raise trees, solved exactly over the 169 classes of hands.

    Without --raises and --limp the small blind moves all-in or folds, and the big blind calls or folds.

    There is no play after the flop: a called raise that is not all-in ends the hand, and each player takes the share
    of the pot that their all-in equity is. So raise trees are a sketch, push or fold is the game itself.
    """
    from ludus.cards.preflop import preflop_table
    from ludus.cli.views.progress import solver_bar
    from ludus.cli.views.pushfold import as_data, draw, show, write
    from ludus.experiments.plots import check_plot_path
    from ludus.solvers.preflop import PreflopTree, solve_preflop

    tree = PreflopTree(
        stack, small_blind, ante, _sizes("--raises", raises), _sizes("--reraises", reraises), limp, not no_all_in
    )
    if plot:
        check_plot_path(plot)
    if out and out.suffix.lower() not in (".json", ".csv"):
        raise ValueError(f"--out is a file ending in .json or .csv, got {out.name!r}")
    table = preflop_table()
    with solver_bar("before the flop", iterations, target) as progress:
        found = solve_preflop(tree, table, target=target, iterations=iterations, algorithm=algorithm, progress=progress)
    left_out = draw(plot, found) if plot else 0
    if out:
        write(out, found)
    if as_json:
        print(json.dumps(as_data(found)))
        return
    show(found, target, tree.allin_only if charts is None else charts)
    if left_out:
        print(f"the figure shows the commonest decisions; {left_out} rarer ones are left out")
    for path in (plot, out):
        if path:
            print(f"wrote {path}")


def _sizes(option: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(word) for word in text.split(",")) if text.strip() else ()
    except ValueError:
        raise ValueError(f"{option} is a list of numbers such as 2,2.5, got {text!r}") from None
