"""``ludus solve``: a game, an algorithm, a strategy."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.strategy import Bets, Deck, Stack, Suits

if TYPE_CHECKING:
    from ludus.games import Game
    from ludus.solvers import Evaluation, Result, Settings, Strategy
    from ludus.solvers.solve import Check

STOP, METHOD, SAMPLING, FILES = "When to stop", "The algorithm", "Monte Carlo", "Results and files"
EXACT_ITERATIONS, SAMPLED_ITERATIONS = 1000, 1_000_000
SMALL = 40  # information sets up to which the strategy is printed


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
        typer.Option(help="After so many iterations.", rich_help_panel=STOP, show_default="1000, sampled 1,000,000"),
    ] = None,
    target: Annotated[
        float | None, typer.Option(help="At this exploitability, in the game's chips.", rich_help_panel=STOP)
    ] = None,
    seconds: Annotated[float | None, typer.Option("--time", help="After these seconds.", rich_help_panel=STOP)] = None,
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
        str | None, typer.Option(help="Players learn alternating or simultaneous.", rich_help_panel=METHOD)
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
        int, typer.Option(help="... and each time after so many iterations.", min=0, rich_help_panel=FILES)
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
    from ludus.cli.plots import check_plot_path
    from ludus.cli.strategy import make_game
    from ludus.solvers import Settings

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
    for path in (out, plot, checkpoint):
        if path:
            _check_writable(path)
    limits = {"iterations": iterations, "target": target, "seconds": seconds}
    files = {"checkpoint": checkpoint, "checkpoint_every": checkpoint_every}
    results: list[Result] = []
    failure = None
    for settings in runs:
        try:
            results.append(_run(rules, settings, given, limits, kept, purify, workers, files))
        except ValueError as error:
            failure = error  # what was solved before is shown all the same
            break
        if results[-1].stopped_by == "interrupt":
            break
    if results:
        _report(rules, results, kept, out, plot, as_json, len(names) > 1)
    if failure:
        raise failure
    if results[-1].stopped_by == "interrupt":
        raise typer.Exit(130)


def _run(
    game: Game, settings: Settings, given: dict[str, Any], limits: dict[str, Any], kept: dict[int, Strategy],
    purify: float | None, workers: int | None, files: dict[str, Any],
) -> Result:  # fmt: skip
    """Solve once, with what else was asked for."""
    from dataclasses import replace

    from ludus.parallel import usable_cores
    from ludus.solvers import solve as solve_game

    if all(limit is None for limit in limits.values()):
        limits = {"iterations": SAMPLED_ITERATIONS if settings.sampled else EXACT_ITERATIONS}
    with _progress_bar(f"{game.name} {settings.algorithm}", **limits) as progress:
        result = solve_game(
            game, settings.algorithm, seed=settings.seed, fixed=kept, progress=progress,
            workers=workers or usable_cores(), **limits, **files, **given,
        )  # fmt: skip
    noted: dict[str, Any] = {"fixed": sorted(kept)} if kept else {}
    if purify is not None:
        result, noted = _purified(result, purify, kept), {**noted, "purify": purify}
    if noted:
        origin = replace(result.strategy.origin, parameters={**result.strategy.origin.parameters, **noted})
        result = replace(result, strategy=replace(result.strategy, origin=origin))
    return result


def _purified(result: Result, threshold: float, kept: dict[int, Strategy]) -> Result:
    """The result with its strategy purified, frozen players aside, and measured anew."""
    from dataclasses import replace

    import numpy as np

    from ludus.cli.exploitability import evaluate

    old = result.strategy
    strategy = old.purified(threshold)
    frozen = np.isin(np.repeat(old.players, np.diff(old.offsets)), list(kept))
    strategy = replace(strategy, probabilities=np.where(frozen, old.probabilities, strategy.probabilities))
    return replace(result, strategy=strategy, evaluation=evaluate(strategy)[0] if result.evaluation else None)


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


def _check_writable(path: Path) -> None:
    """ValueError, before the work, when a result could not be saved after it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror}") from None
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise ValueError(f"cannot write {path}: it is a folder, or its folder is read-only")


# Progress


@contextmanager
def _progress_bar(
    title: str, iterations: int | None = None, target: float | None = None, seconds: float | None = None
) -> Iterator[Callable[[Check], None]]:
    """A bar on standard error that shows how far the nearest of the limits is away."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=12), TextColumn("{task.fields[text]}"))
    with Progress(*columns, transient=True, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{title}: compiling", total=None, text="")
        seen: list[Check] = []
        measured: list[float] = []

        def progress(check: Check) -> None:
            seen[1:] = [check]  # the first, from which a resumed run has its speed, and the last
            speed = (check.iterations - seen[0].iterations) / max(check.seconds - seen[0].seconds, 1e-9)
            if check.evaluation:
                measured.append(check.evaluation.exploitability)
            parts = [_short(check.iterations) + (f"/{_short(iterations)}" if iterations else ""), f"{_short(speed)}/s"]
            if measured:
                parts.append(f"exploitability {measured[-1]:.3g}" + (f" (target {target:g})" if target else ""))
            left = [(iterations - check.iterations) / speed] if iterations and speed else []
            left += [seconds - check.seconds] if seconds else []
            if left:
                minutes, rest = divmod(max(0, math.ceil(min(left))), 60)
                parts.append(f"{minutes}:{rest:02} left")
            done = [check.iterations / iterations] if iterations else []
            done += [check.seconds / seconds] if seconds else []
            done += [_descent(measured, target)] if target else []
            bar.update(task, description=title, total=1.0, completed=min(1.0, max(done)), text="  ".join(parts))

        yield progress


def _short(number: float) -> str:
    """A number of at most five characters or so.

    >>> _short(950), _short(43_210), _short(5_000_000)
    ('950', '43.2k', '5M')
    """
    if number < 1e4:
        return f"{number:.0f}"
    return f"{number / 1e3:.3g}k" if number < 1e6 else f"{number / 1e6:,.3g}M" if number < 1e9 else f"{number:.2e}"


def _descent(measured: list[float], target: float) -> float:
    """Which part of the way from the first measured exploitability to the target is done, counted in digits."""
    if not measured or measured[0] <= target:
        return 0.0
    return math.log(measured[0] / max(measured[-1], target)) / math.log(measured[0] / target)


# Results


def _report(
    game: Game, results: list[Result], kept: dict[int, Strategy], out: Path | None, plot: Path | None,
    as_json: bool, several: bool,
) -> None:  # fmt: skip
    """Save, draw and print what was found."""
    if out:
        results[0].strategy.save(out)
    if plot:
        _draw(plot, game, results, kept)
    if as_json:
        rows = [_as_json(game, result, kept, out) for result in results]
        print(json.dumps(rows if several else rows[0]))
    else:
        _show(game, results, kept)
        for path in (out, plot):
            if path:
                print(f"wrote {path}")


def _draw(path: Path, game: Game, results: list[Result], kept: dict[int, Strategy]) -> None:
    from ludus.cli.plots import convergence_plot

    def height(found: Evaluation) -> float:
        return _still_to_win(found, kept) if kept else found.exploitability

    series = {
        result.settings.algorithm: [
            (check.iterations, height(check.evaluation)) for check in result.checks if check.evaluation
        ]
        for result in results
    }
    what = "what the learners could still win" if kept else "exploitability"
    unit = "chips a game" if hasattr(game, "big_blind") else "payoff a game"
    convergence_plot(path, series, f"{game.name}: convergence", f"{what} ({unit})")


def _still_to_win(found: Evaluation, kept: dict[int, Strategy]) -> float:
    """What the players that are not frozen could gain, added up."""
    pairs = enumerate(zip(found.best_response, found.value, strict=True))
    return sum(best - value for player, (best, value) in pairs if player not in kept)


def _as_json(game: Game, result: Result, kept: dict[int, Strategy], out: Path | None) -> dict[str, Any]:
    from ludus.cli.exploitability import in_mbb

    found = result.evaluation
    return {
        "game": game.name,
        "algorithm": result.settings.algorithm,
        "parameters": result.strategy.origin.parameters,
        "seed": result.settings.seed,
        "iterations": result.iterations,
        "seconds": result.seconds,
        "iterations_per_second": result.iterations_per_second,
        "stopped_by": result.stopped_by,
        "value": found and found.value,
        "best_response": found and found.best_response,
        "exploitability": found and found.exploitability,
        "exploitability_mbb": in_mbb(game, result.exploitability),
        "nash_conv": found and found.nash_conv,
        "information_sets": result.information_sets,
        "equilibrium_guarantee": _guaranteed(game) and not kept,
        "checks": [
            [check.iterations, check.seconds, check.evaluation.exploitability]
            for check in result.checks
            if check.evaluation
        ],
        "out": out and str(out),
    }


def _guaranteed(game: Game) -> bool:
    """Whether theory promises an equilibrium."""
    return game.players == 2 and game.zero_sum


def _show(game: Game, results: list[Result], kept: dict[int, Strategy]) -> None:
    from rich.table import Table

    from ludus.cli.strategy import print_table, strategy_table

    first = results[0]
    print(
        f"{game.name}: {game.players} players, {first.information_sets:,} information sets, seed {first.settings.seed}"
    )
    facts = [_facts(game, result, bool(kept), len(results) > 1) for result in results]
    if len(facts) == 1:
        table = Table(box=None, show_header=False, pad_edge=False)
        for row in facts[0].items():
            table.add_row(*row)
    else:
        table = Table(box=None, pad_edge=False)
        for name in facts[0]:
            table.add_column(name, justify="left" if name == "algorithm" else "right")
        for each in facts:
            table.add_row(*each.values())
    print_table(table)
    for result in results:
        _say_what_was_exploited(result, kept)
    if not _guaranteed(game):
        kind = "three or more players" if game.players > 2 else "payoffs that do not add up to nothing"
        print(f"No guarantee of an equilibrium holds with {kind}; what is printed was measured.")
    if results[-1].stopped_by == "interrupt":
        print("Stopped early; this is the result so far.")
    if len(results) == 1 and first.information_sets <= SMALL:
        print()
        print_table(strategy_table(list(first.strategy.rows())))


def _facts(game: Game, result: Result, frozen: bool, narrow: bool) -> dict[str, str]:
    """What a table says about a result; in a narrow column without what follows from the rest."""
    from ludus.cli.exploitability import in_mbb

    nothing = "not measured"
    facts = {"algorithm": result.settings.algorithm}
    values = [f"{value:+.6g}" for value in result.value]
    if narrow:
        facts["value"] = "\n".join(values[:1] if _guaranteed(game) else values) or nothing
    else:
        facts["value by player"] = "  ".join(values) or nothing
    if not (narrow or frozen):
        facts["NashConv"] = f"{result.nash_conv:.4g}" if result.evaluation else nothing
    if not frozen:  # the frozen player could gain, but that says nothing about the learners
        facts["exploitability"] = f"{result.exploitability:.4g}" if result.evaluation else nothing
        if hasattr(game, "big_blind"):
            thousandths = in_mbb(game, result.exploitability)
            facts["in mbb/g"] = nothing if thousandths is None else f"{thousandths:,.4g}"
    facts["iterations"] = f"{result.iterations:,}"
    facts["a second"] = f"{result.iterations_per_second:,.0f}"
    facts["seconds"] = f"{result.seconds:.2f}"
    return facts


def _say_what_was_exploited(result: Result, kept: dict[int, Strategy]) -> None:
    """Against frozen players: what each learner wins, and what a best response would."""
    found = result.evaluation
    if kept and found:
        for player in sorted(set(range(len(found.value))) - set(kept)):
            print(
                f"{result.settings.algorithm}: player {player} wins {found.value[player]:+.6g} a game against the "
                f"frozen strategy; a best response would win {found.best_response[player]:+.6g}."
            )


def _list_algorithms(as_json: bool) -> None:
    from rich.table import Table

    from ludus.cli.strategy import print_table
    from ludus.solvers.settings import ABOUT

    if as_json:
        print(json.dumps(ABOUT))
        return
    table = Table("algorithm", "what it is", box=None, pad_edge=False)
    for name, about in ABOUT.items():
        table.add_row(name, about)
    print_table(table)
