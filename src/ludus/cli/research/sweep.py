"""``ludus sweep``: a command over settings and seeds."""

from __future__ import annotations

import io
import json
import shlex
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import AsJson, Ray, stop_early

if TYPE_CHECKING:
    from ludus.experiments.sweeps import Run


def sweep(
    command: Annotated[
        str, typer.Argument(help="A command that has --json, in quotes; {NAME} stands for what is swept.")
    ],
    over: Annotated[
        list[str] | None,
        typer.Option(metavar="'NAME=VALUE VALUE'", help="Values of a name; repeat it for all combinations."),
    ] = None,
    seeds: Annotated[int, typer.Option(help="Runs of each with --seed 1, 2, ...; 0 for one without.", min=0)] = 3,
    show: Annotated[
        list[str] | None,
        typer.Option(help="A figure of the JSON for the table, such as seconds.", show_default="those that differ"),
    ] = None,
    workers: Annotated[int, typer.Option(help="Runs at once, in processes.", min=1)] = 1,
    out: Annotated[Path | None, typer.Option(help="Folder for results.  [default: out/sweep]")] = None,
    ray: Ray = None,
    as_json: AsJson = False,
) -> None:
    """Run a command over settings and seeds, and show what comes out as a table, seeds averaged.

    ludus sweep "solve leduc --algorithm {how} --iterations {n}" --over "how=cfr dcfr" --over "n=50 100" --seeds 0

    Results are kept in the folder, with all figures in sweep.csv; what is there is not run again, so that a sweep
    stopped with Ctrl-C goes on. Intervals are 95 %, by Student's distribution over the seeds.
    """
    from ludus.cli.views.progress import progress_bar
    from ludus.cli.views.sweep import show_sweep
    from ludus.experiments.report import folder
    from ludus.experiments.sweeps import Kept, Sweep
    from ludus.parallel import Processes, Work, open_engine

    plan = Sweep(command, _values(over or []), seeds)
    kept, runs = Kept(folder(out, "sweep")), plan.runs()
    known: dict[Run, dict[str, float]] = {run: figures for run in runs if (figures := kept.load(run)) is not None}
    missing, stopped = [run for run in runs if run not in known], False
    work = Work("ludus.cli.research.sweep:run_command")
    with open_engine(ray=ray, here=Processes(workers)) as engine, progress_bar("runs", engine=engine) as progress:
        progress(len(known), len(runs))
        try:
            with closing(engine.run(work, ((run.words,) for run in missing))) as results:
                for run, figures in zip(missing, results, strict=True):
                    kept.save(run, figures)
                    known[run] = figures
                    progress(len(known), len(runs))
        except KeyboardInterrupt:
            stopped = True
        used = engine.figures()
    show_sweep(plan, [(run, known[run]) for run in runs if run in known], show or [], kept.folder, used, as_json)
    if stopped:
        stop_early(f"{len(known)} of {len(runs)} runs are kept; the same command goes on from there")


def _values(over: list[str]) -> dict[str, tuple[str, ...]]:
    """Names and their values.

    >>> _values(["bets=pot 'pot, allin'", "n=1 2"])
    {'bets': ('pot', 'pot, allin'), 'n': ('1', '2')}
    """
    found = {}
    for text in over:
        name, _, values = text.partition("=")
        if not name.isidentifier() or not values.strip() or name in found:
            raise ValueError(f"--over is 'NAME=VALUE VALUE', each name once, got {text!r}")
        found[name] = tuple(shlex.split(values))
    return found


def run_command(words: tuple[str, ...]) -> dict[str, float]:
    """The figures of a command's JSON; ValueError for what it refuses."""
    import ludus.cli.main as ludus
    from ludus.experiments.sweeps import figures

    out, told = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(told):
            code = ludus.app([*words], standalone_mode=False) or 0
    except Exception as error:
        if hasattr(error, "format_message"):  # a usage error of Typer's, whose class is not public
            raise ValueError(f"ludus {shlex.join(words)}: {error.format_message()}") from None
        raise
    if code:
        last = told.getvalue().strip().splitlines()[-1:]
        raise OSError(f"ludus {shlex.join(words)} ended with exit code {code}: {' '.join(last)}")
    try:
        found: Any = json.loads(out.getvalue())
    except ValueError:
        raise ValueError(f"ludus {shlex.join(words)} does not print JSON") from None
    return figures(found if isinstance(found, dict) else {})
