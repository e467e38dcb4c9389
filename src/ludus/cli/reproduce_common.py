"""What the experiments of ``ludus reproduce`` share: options, files, and a run that is measured on its way."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.solvers.passes import Floats
    from ludus.trees import FlatGame

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option(help="Same seed, same figures.", min=0)]
Out = Annotated[Path | None, typer.Option(help="Folder for the CSV files and plots.  [default: out/NAME]")]
S0 = "source S0 (Joppi Filho and Wensing, UFSC 2023)"
S2 = "source S2 (Jenselme and Kujundzic)"


def folder(out: Path | None, name: str) -> Path:
    """Where an experiment's files go; it is made now, so that a bad place is known before the work."""
    place = Path("out") / name if out is None else out
    place.mkdir(parents=True, exist_ok=True)
    return place


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table as a file, whole or not at all; numbers with all their digits."""
    from ludus.files import write_atomically

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    write_atomically(path, text.getvalue().encode())


def measuring_points(iterations: int) -> list[int]:
    """Where a run of so many iterations is measured: four points for each doubling, and its end."""
    from ludus.solvers.solve import next_check

    points = [min(1, iterations)]
    while points[-1] < iterations:
        points.append(min(next_check(points[-1]), iterations))
    return points


def follow(
    solver: Any, stops: Sequence[int], progress: Callable[[int, int], object] | None = None
) -> Iterator[tuple[int, float]]:
    """Take a solver to each stop; yields iterations and seconds spent on them, without what is done in between.

    A Monte Carlo run of several streams advances in rounds and may pass a stop by.
    """
    from ludus.solvers.montecarlo import MonteCarlo

    one_stream = isinstance(solver, MonteCarlo) and solver.sampling.streams == 1  # may be cut anywhere
    solver.warm_up()
    seconds = 0.0
    for stop in stops:
        if solver.iterations >= stop:
            continue
        while solver.iterations < stop:
            start = time.perf_counter()
            if one_stream:
                solver.run(stop - solver.iterations)
            else:
                solver.advance(stop)
            seconds += time.perf_counter() - start
            if progress:
                progress(solver.iterations, stops[-1])
        yield solver.iterations, seconds


def table_of(flat: FlatGame, probabilities: Sequence[float] | Floats) -> Floats:
    """A solver's table of probabilities in the order of ``flat.sets``."""
    import numpy as np

    table: Floats = np.zeros(flat.entries)
    table[flat.sets.by_action] = probabilities
    return table


def show(result: dict[str, Any], title: str, table: Table, notes: Sequence[str], as_json: bool) -> None:
    """Print a result as JSON, or as a table with notes under it and the files that were written."""
    if as_json:
        print(json.dumps(result, indent=2))
        return
    from rich.console import Console

    console = Console(highlight=False)
    console.print(title, style="bold")
    console.print(table)
    for note in notes:
        console.print(note)
    console.print(f"Files: {', '.join(result['files'].values())}", soft_wrap=True)


def new_table(columns: Sequence[str]) -> Table:
    """A plain table: the first column of words, the others of numbers."""
    from rich.table import Table

    table = Table(box=None)
    for at, column in enumerate(columns):
        table.add_column(column, justify="right" if at else "left", overflow="fold")
    return table


def stop_early(done: str) -> NoReturn:
    """End a command that was interrupted after it has shown what there is."""
    typer.echo(f"ludus: stopped early: {done}", err=True)
    raise typer.Exit(130)
