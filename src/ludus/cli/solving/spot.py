"""``ludus spot``: look at solved spots, compare them, solve many flops, take them elsewhere."""

from __future__ import annotations

import json
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import Ray
from ludus.cli.solving.solve_spot import (
    PLAYERS,
    TARGET,
    Algorithm,
    Iterations,
    MaxMemory,
    Seconds,
    Target,
    Workers,
    check_limits,
)

if TYPE_CHECKING:
    from ludus.solvers.spot.layout import Layout
    from ludus.solvers.spot.solve import SpotRun

app = typer.Typer(
    help="Look at spots solved by `ludus solve spot --out`, compare them, solve many flops.", no_args_is_help=True
)
File = Annotated[Path, typer.Argument(help="A solution saved by `ludus solve spot --out`.")]
Line = Annotated[
    str,
    typer.Option(help="What has happened: X check, C call, F fold, B50 bet or raise to 50, 2c a card: 'X-X-2c-B50'."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
AsCsv = Annotated[Path | None, typer.Option("--csv", help="Write the numbers to this CSV file.")]
Plot = Annotated[Path | None, typer.Option(help="Draw it to this file, as PNG, SVG or PDF.")]
FORMATS = ("json", "csv")
FLOPS = 25


@app.command()
def show(
    solution: File,
    line: Line = "",
    player: Annotated[str | None, typer.Option(help="oop or ip.", show_default="who decides")] = None,
    hands: Annotated[bool, typer.Option("--hands", help="Every hand: its strategy, EV and equity.")] = False,
    ev: Annotated[bool, typer.Option("--ev", help="The chart of EVs instead of actions.")] = False,
    equity: Annotated[bool, typer.Option("--equity", help="The chart of equities instead of actions.")] = False,
    plot: Plot = None,
    csv_file: AsCsv = None,
    as_json: AsJson = False,
) -> None:
    """A decision: what the range and each of its hands do, on the 13 x 13 chart, and what they are worth.

    EVs are in chips: what a hand gets out of the final pot less what is put in after this point.
    """
    from ludus.cli.views.chart import chart_figure, print_chart
    from ludus.cli.views.spots.decisions import nan_where_zero, readable_hands, show_view, title_of
    from ludus.cli.views.spots.grid import Grid, decision_chart, grid_figure, print_grid
    from ludus.cli.views.tables import number_text, print_rows, say_written
    from ludus.experiments.plots import check_plot_path, save_figure
    from ludus.files import write_csv
    from ludus.solvers.spot.solution import Solution

    if plot:
        check_plot_path(plot)
    if player not in (None, *PLAYERS):
        raise ValueError(f"--player is oop or ip, got {player!r}")
    if ev and equity:
        raise ValueError("--ev and --equity are two charts: ask for one at a time")
    known = Solution.load(solution)
    view = known.at(line)
    who = view.player if player is None else PLAYERS.index(player)
    title = title_of(view, who)
    table = view.by_class(who)
    grid = None
    if ev:
        grid = Grid(title, table.ev, "EV in chips")
    elif equity:
        grid = Grid(title, 100 * table.equity, "equity in %")
    elif who != view.player:
        grid = Grid(title, nan_where_zero(100 * table.reach), "% of the hands that come here")
    if plot:
        worth = f": EV {number_text(view.mean_ev[who], 2)} of a pot of {view.pot}"
        save_figure(grid_figure(grid) if grid else chart_figure(decision_chart(view, title + worth)), plot)
    if csv_file:
        write_csv(csv_file, *view.table(who))
    if as_json:
        figures = {
            "exploitability_percent": known.exploitability_percent, "iterations": known.iterations,
            "estimate": known.accuracy and known.accuracy.to_dict(),
        }  # fmt: skip
        print(json.dumps({**figures, **view.to_dict(hands)}))
        return
    if known.accuracy is not None:
        print(f"An estimate: {known.accuracy}.")
    show_view(view)
    if hands:
        print_rows(*readable_hands(view, who))
    elif grid:
        print_grid(grid)
    else:
        print_chart(decision_chart(view, title))
    say_written(plot, csv_file)


@app.command()
def report(solution: File, line: Line = "", plot: Plot = None, csv_file: AsCsv = None, as_json: AsJson = False) -> None:
    """Card by card: what every turn or river card after a line makes of EVs, equities and the next decision.

    The line ends where a card comes: 'X-X', 'X-B50-C'.
    """
    from ludus.cli.views.spots.decisions import draw_runouts, show_runouts
    from ludus.cli.views.tables import say_written
    from ludus.experiments.plots import check_plot_path
    from ludus.files import write_csv
    from ludus.solvers.spot.reports import runout_report
    from ludus.solvers.spot.solution import Solution

    if plot:
        check_plot_path(plot)
    found = runout_report(Solution.load(solution), line)
    if plot:
        draw_runouts(plot, found)
    if csv_file:
        write_csv(csv_file, *found.table())
    if as_json:
        print(json.dumps(found.to_dict()))
        return
    show_runouts(found)
    say_written(plot, csv_file)


@app.command()
def compare(first: File, second: File, line: Line = "", as_json: AsJson = False) -> None:
    """Two bet-size trees of one spot side by side: EVs, frequencies, exploitability, and which hands gain."""
    from ludus.cli.views.spots.decisions import show_comparison
    from ludus.solvers.spot.reports import Comparison
    from ludus.solvers.spot.solution import Solution

    found = Comparison(Solution.load(first), Solution.load(second)).to_dict(line)
    if as_json:
        print(json.dumps(found))
        return
    show_comparison(found, (str(first), str(second)))


@app.command()
def flops(
    file: Annotated[Path, typer.Argument(help="A spot as a TOML file; its board is replaced.")],
    out: Annotated[Path, typer.Option(help="A folder for the solutions; those in it are not solved again.")],
    names: Annotated[str | None, typer.Option("--flops", help="These flops: 'Ah7c2d, KsKd4h'.")] = None,
    count: Annotated[
        int | None,
        typer.Option(help="This many of the 1755 flops, spread evenly; 1755 for all.", min=1, show_default=str(FLOPS)),
    ] = None,
    rivers: Annotated[bool, typer.Option("--rivers", help="Save the rivers too: large files.")] = False,
    target: Target = None,
    iterations: Iterations = None,
    seconds: Seconds = None,
    algorithm: Algorithm = None,
    workers: Workers = None,
    max_memory: MaxMemory = None,
    ray: Ray = None,
    csv_file: AsCsv = None,
    as_json: AsJson = False,
) -> None:
    """Solve one spot on many flops, and average: EVs, equities and frequencies of the first decision.

    Each flop counts by the number of flops that it stands for and by how likely it is given both ranges. Ctrl-C
    keeps what is done; the same command goes on from there.
    """
    from ludus.cli.views.progress import progress_bar
    from ludus.cli.views.spots.decisions import show_flops
    from ludus.cli.views.spots.solve import run_spot
    from ludus.cli.views.tables import say_written
    from ludus.files import write_csv
    from ludus.parallel import HERE, open_engine
    from ludus.solvers.spot.fit import GIGABYTE
    from ludus.solvers.spot.flop_runs import FlopsPlan, solve_flops, wanted_flops
    from ludus.solvers.spot.flops import FlopReport
    from ludus.trees.spot import Spot

    spot = Spot.load(file)
    if names is not None and count is not None:
        raise ValueError("--flops names the flops, --count picks some: give one of them")
    if target is None and iterations is None and seconds is None:
        target = TARGET
    check_limits(algorithm, target, iterations, seconds)
    wanted = wanted_flops(spot, names, FLOPS if count is None else count)
    memory = None if max_memory is None else max_memory * GIGABYTE
    plan = FlopsPlan(spot, wanted, out, algorithm, target, iterations, seconds, rivers, memory)

    def solve(layout: Layout, title: str) -> SpotRun:
        return run_spot(layout, algorithm, **plan.limits, workers=workers, title=title)

    with open_engine(ray=ray) as engine, ExitStack() as shown:
        progress = None if engine is HERE else shown.enter_context(progress_bar("flops", engine=engine))
        rows, stopped = solve_flops(plan, solve, partial(typer.echo, err=True), engine, progress)
    if not rows:
        raise ValueError("no flop was solved: there is nothing to report")
    found = FlopReport(tuple(rows))
    for path in (csv_file, out / "report.csv"):
        if path:
            write_csv(path, *found.table())
    if as_json:
        print(json.dumps({**found.to_dict(), "engine": engine.figures()}))
    else:
        show_flops(found, len(wanted))
        say_written(csv_file, out)
    if stopped:
        raise typer.Exit(130)


@app.command()
def export(
    solution: File,
    form: Annotated[str, typer.Option("--format", help="json or csv.")] = "json",
    line: Line = "",
    out: Annotated[Path | None, typer.Option(help="Write to this file.", show_default="standard output")] = None,
) -> None:
    """Write all decisions of a street from a line on, with every hand, as JSON or CSV.

    Later streets are exported by a line that names their cards, such as 'X-X-2c'.
    """
    from ludus.cli.views.spots.decisions import long_rows
    from ludus.files import csv_text, write_atomically
    from ludus.solvers.spot.reports import street_views
    from ludus.solvers.spot.solution import Solution

    if form not in FORMATS:
        raise ValueError(f"--format is one of {', '.join(FORMATS)}, got {form!r}")
    if out and out.resolve() == solution.resolve():
        raise ValueError("--out is the solution itself: give another file")
    known = Solution.load(solution)
    views = street_views(known, line)
    if form == "json":
        figures = {
            "spot": known.spot.to_dict(), "algorithm": known.algorithm, "iterations": known.iterations,
            "exploitability_percent": known.exploitability_percent,
            "estimate": known.accuracy and known.accuracy.to_dict(),
        }  # fmt: skip
        text = json.dumps({**figures, "decisions": [view.to_dict(hands=True) for view in views]}, indent=1) + "\n"
    else:
        header = ["line", "player", "hand", "reach", "ev", "equity", "action", "frequency", "action ev"]
        text = csv_text(header, [row for view in views for row in long_rows(view)])
    if out is None:
        print(text, end="")
    else:
        write_atomically(out, text.encode())
        print(f"wrote {out}")
