"""``ludus solve``: a game, an algorithm, a strategy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.solving.strategy import Bets, Deck, Stack, Suits

if TYPE_CHECKING:
    from ludus.games import Game
    from ludus.solvers import Result, Settings, Strategy

STOP, METHOD, SAMPLING, FILES = "When to stop", "The algorithm", "Monte Carlo", "Results and files"
EXACT_ITERATIONS, SAMPLED_ITERATIONS = 1000, 1_000_000


def solve(
    game: Annotated[str | None, typer.Argument(help="A game of `ludus games`: rps, kuhn, leduc, leduc-nl, ...")] = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm", "-a", show_default="dcfr", rich_help_panel=METHOD,
            help="cfr, cfr+, dcfr, ..., or external, outcome, ... (Monte Carlo), or xfp; see --list. "
            "Give it again to compare several.",
        ),
    ] = None,
    list_algorithms: Annotated[
        bool, typer.Option("--list", help="List the algorithms, and stop.", rich_help_panel=METHOD)
    ] = False,
    iterations: Annotated[
        int | None,
        typer.Option(help="After this many iterations.", rich_help_panel=STOP, show_default="1000, sampled 1,000,000"),
    ] = None,
    target: Annotated[
        float | None, typer.Option(help="At this exploitability, in the game's chips.", rich_help_panel=STOP)
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--time", help="After this many seconds.", rich_help_panel=STOP)
    ] = None,
    bets: Bets = None,
    deck: Deck = None,
    stack: Stack = None,
    suits: Suits = False,
    seed: Annotated[int, typer.Option(help="Same seed, same strategy.", min=0, rich_help_panel=METHOD)] = 0,
    averaging: Annotated[
        str | None,
        typer.Option(help="How strategies are averaged: uniform, linear or quadratic.", rich_help_panel=METHOD),
    ] = None,
    averaging_from: Annotated[
        int | None, typer.Option(help="Average from this iteration on.", rich_help_panel=METHOD)
    ] = None,
    updates: Annotated[
        str | None, typer.Option(help="How players learn: alternating or simultaneous.", rich_help_panel=METHOD)
    ] = None,
    discount: Annotated[
        str | None, typer.Option(help="Alpha, beta and gamma of dcfr, such as 1.5,0,2.", rich_help_panel=METHOD)
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT=FILE", rich_help_panel=METHOD,
            help="A player, counted from 0, keeps the strategy of a file; the others learn to exploit it.",
        ),
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Exploration of outcome and average sampling.", rich_help_panel=SAMPLING)
    ] = None,
    baseline: Annotated[
        float | None,
        typer.Option(help="Step of the baselines that reduce variance, 0 for none.", rich_help_panel=SAMPLING),
    ] = None,
    streams: Annotated[
        int | None, typer.Option(help="Streams of random numbers, a part of the result.", rich_help_panel=SAMPLING)
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Cores, no part of the result.", min=1, show_default="all", rich_help_panel=SAMPLING),
    ] = None,
    grow: Annotated[
        bool, typer.Option("--grow", help="For large games: grow the tree as it is played.", rich_help_panel=SAMPLING)
    ] = False,
    purify: Annotated[
        float | None,
        typer.Option(help="Never play what is less likely than this.", min=0, max=1, rich_help_panel=FILES),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Save the strategy in this file.", rich_help_panel=FILES)] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the exploitability by iterations, as PNG or SVG.", rich_help_panel=FILES)
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Save the run here at its end, and go on from here.", rich_help_panel=FILES)
    ] = None,
    checkpoint_every: Annotated[
        int, typer.Option(help="... and each time after this many iterations.", min=0, rich_help_panel=FILES)
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=FILES)] = False,
) -> None:  # fmt: skip
    """Solve a game: approach an equilibrium, and measure how far away it still is.

    NashConv is what all players together could gain by leaving the strategy, exploitability that divided by players.

    Ctrl-C ends a run early and without loss.
    """
    if list_algorithms:
        _list_algorithms(as_json)
        return
    if game is None:
        raise ValueError("name a game, as in: ludus solve kuhn")
    from ludus.cli.game_options import make_game
    from ludus.cli.views.solve import report
    from ludus.experiments.plots import check_plot_path
    from ludus.files import check_writable
    from ludus.solvers import Settings
    from ludus.solvers.running import Limits
    from ludus.solvers.solve import check_limits

    names = algorithm or ["dcfr"]
    if len(names) > 1 and (out or checkpoint):
        raise ValueError("--out and --checkpoint are for one algorithm at a time")
    if checkpoint_every and not checkpoint:
        raise ValueError("--checkpoint-every needs a --checkpoint file")
    rules = make_game(game, bets, deck, stack, suits)
    wished: dict[str, Any] = {
        "averaging": averaging, "averaging_from": averaging_from, "updates": updates, "epsilon": epsilon,
        "baseline": baseline, "streams": streams, "growing": grow or None,
        "discount": None if discount is None else _discount(discount),
    }  # fmt: skip
    given = {name: value for name, value in wished.items() if value is not None}
    runs = [Settings(name, seed, **given) for name in names]
    kept = _fixed(fixed or [], rules)
    if kept and target is not None and iterations is None and seconds is None:
        raise ValueError("a frozen strategy may never reach a --target: add --iterations or --time")
    if plot:
        check_plot_path(plot)
    paths = [path.resolve() for path in (out, plot, checkpoint) if path]
    if len(set(paths)) < len(paths):
        raise ValueError("--out, --plot and --checkpoint are different files")
    for path in paths:
        check_writable(path)
    limits = {"iterations": iterations, "target": target, "seconds": seconds}
    for settings in runs:
        check_limits(rules, settings, Limits(**_with_default(limits, settings)))
    files = {"checkpoint": checkpoint, "checkpoint_every": checkpoint_every}
    results: list[Result] = []
    for settings in runs:
        results.append(_run(rules, settings, given, limits, kept, purify, workers, files))
        if results[-1].stopped_by == "interrupt":
            break
    report(rules, results, kept, target, out, plot, as_json, len(names) > 1)
    if results[-1].stopped_by == "interrupt":
        raise typer.Exit(130)


def _with_default(limits: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """The limits, or a number of iterations where none was given."""
    if any(limit is not None for limit in limits.values()):
        return limits
    return limits | {"iterations": SAMPLED_ITERATIONS if settings.sampled else EXACT_ITERATIONS}


def _run(
    game: Game, settings: Settings, given: dict[str, Any], limits: dict[str, Any], kept: dict[int, Strategy],
    purify: float | None, workers: int | None, files: dict[str, Any],
) -> Result:  # fmt: skip
    """Solve once, with the other options."""
    from ludus.cli.views.progress import solver_bar
    from ludus.parallel import usable_cores
    from ludus.solvers import solve as solve_game
    from ludus.solvers.purification import purified

    limits = _with_default(limits, settings)
    with solver_bar(f"{game.name} {settings.algorithm}", **limits) as progress:
        result = solve_game(
            game, settings.algorithm, seed=settings.seed, fixed=kept, progress=progress,
            workers=workers or usable_cores(), **limits, **files, **given,
        )  # fmt: skip
    return result if purify is None else purified(result, purify, kept)


# What was asked for


def _discount(text: str) -> tuple[float, ...]:
    try:
        alpha, beta, gamma = map(float, text.split(","))
    except ValueError:
        raise ValueError(f"--discount is alpha, beta and gamma such as 1.5,0,2, got {text!r}") from None
    return alpha, beta, gamma


def _fixed(words: list[str], game: Game) -> dict[int, Strategy]:
    from ludus.solvers import Strategy

    kept: dict[int, Strategy] = {}
    for word in words:
        seat, _, file = word.partition("=")
        if not (seat.isascii() and seat.isdecimal() and file) or int(seat) >= game.players or int(seat) in kept:
            raise ValueError(f"--fixed is a player from 0 to {game.players - 1} and a file, as 0=FILE, got {word!r}")
        kept[int(seat)] = Strategy.load(Path(file), game)
    if len(kept) == game.players:
        raise ValueError("with every player frozen there is nothing to learn: see `ludus exploitability --against`")
    return kept


def _list_algorithms(as_json: bool) -> None:
    from rich.table import Table

    from ludus.cli.views.tables import print_table
    from ludus.solvers.settings import ABOUT

    if as_json:
        print(json.dumps(ABOUT))
        return
    table = Table("algorithm", "what it is", box=None, pad_edge=False)
    for name, about in ABOUT.items():
        table.add_row(name, about)
    print_table(table)
