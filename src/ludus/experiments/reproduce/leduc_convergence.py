"""Every algorithm on limit Leduc, how fast and how far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ludus import games
from ludus.experiments.plots import new_figure, save_figure
from ludus.experiments.report import Report, folder
from ludus.files import write_csv
from ludus.parallel import Stages
from ludus.solvers import Evaluator, Settings
from ludus.solvers.montecarlo.solver import SAMPLINGS
from ludus.solvers.running import follow, measuring_points
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.solve import make_solver
from ludus.trees import flatten

NAME = "leduc-convergence"
TARGETS = (1e-1, 1e-2, 1e-3, 1e-4)
BASELINE = 0.1  # step of the moving averages in outcome sampling with baselines
WITH_BASELINE = "outcome+baseline"
SHORTEST = 10  # iterations of the shortest run of a scheduled algorithm


@dataclass(frozen=True)
class Point:
    """How far an algorithm has come; seconds of solving on one core, without measuring."""

    algorithm: str
    iterations: int
    seconds: float
    nash_conv: float
    exploitability: float


def leduc_convergence(
    iterations: int, samples: int, algorithms: Sequence[str], seed: int, out: Path | None, progress: Stages
) -> Report:
    """Iterations and seconds to a NashConv, of some algorithms or (none named) of all.

    ``iterations`` are those of the exact algorithms and fictitious play, ``samples`` those of Monte Carlo.
    """
    chosen = _choose(algorithms)
    place = folder(out, NAME)
    evaluator = Evaluator(flatten(games.leduc()))
    points: list[Point] = []
    whole = True
    try:
        for name in chosen:
            points += _converge(evaluator, name, iterations, samples, seed, progress)
            _write_points(place, points)  # after each, so that a crash loses one algorithm at most
    except KeyboardInterrupt:
        whole = False
        if not points:
            raise
    result: dict[str, Any] = {
        "experiment": NAME, "iterations": iterations, "samples": samples, "seed": seed, "cores": 1,
        "scheduled": "each point is the end of a run of its own, planned for that length",
        "reached": {name: _reached(points, name) for name in dict.fromkeys(point.algorithm for point in points)},
        "points": [asdict(point) for point in points],
        "files": {"csv": str(_write_points(place, points))} | _plot(place, points),
    }  # fmt: skip
    title = f"{NAME}: iterations and seconds to a NashConv on limit Leduc, one core, seed {seed}"
    stopped = "" if whole else f"{len(result['reached'])} of {len(chosen)} algorithms"
    header = ("NashConv, chips", *(f"{target:g}" for target in TARGETS), "at end")
    return Report(title, result, header, _rows(result), _notes(), stopped)


def _choose(names: Sequence[str]) -> list[str]:
    """The algorithms asked for; ValueError names those there are."""
    known = [*ALGORITHMS, "xfp", *SAMPLINGS, WITH_BASELINE]
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"there is no algorithm {unknown[0]!r}; there are {', '.join(known)}")
    return list(dict.fromkeys(names)) or known


def _converge(
    evaluator: Evaluator, name: str, iterations: int, samples: int, seed: int, progress: Stages
) -> list[Point]:
    """The learning curve of one algorithm."""
    settings = Settings("outcome", seed, baseline=BASELINE) if name == WITH_BASELINE else Settings(name, seed)
    length = samples if settings.sampled else iterations
    told = partial(progress, f"limit Leduc, {name}", unit="iterations")
    points = []
    for solver, done, seconds in _runs(evaluator, settings, length, told):
        found = evaluator.evaluate(solver.average())
        points.append(Point(name, done, seconds, found.nash_conv, found.exploitability))
    return points


def _runs(
    evaluator: Evaluator, settings: Settings, length: int, progress: Callable[[int, int], object]
) -> Iterator[tuple[Any, int, float]]:
    """The solver at each point to measure, its iterations and seconds; scheduled ones run once for each length."""
    flat, points = evaluator.flat, measuring_points(length)
    if not settings.sampled and settings.schedule.planned:
        for planned in planned_lengths(length):
            solver = make_solver(flat, settings, planned)
            for done, seconds in follow(solver, [planned], lambda done, _: progress(done, length)):
                yield solver, done, seconds
        return
    solver = make_solver(flat, settings, length)
    for done, seconds in follow(solver, points, progress):
        yield solver, done, seconds


def planned_lengths(longest: int) -> list[int]:
    """Lengths of the runs of a scheduled algorithm: halved from the longest down.

    >>> planned_lengths(100)
    [12, 25, 50, 100]
    """
    lengths = [longest]
    while lengths[0] // 2 >= SHORTEST:
        lengths.insert(0, lengths[0] // 2)
    return lengths


def _reached(points: list[Point], name: str) -> dict[str, Any]:
    """Where an algorithm first came to each target, and where it ended."""
    own = [point for point in points if point.algorithm == name]
    found: dict[str, Any] = {"final_nash_conv": own[-1].nash_conv, "final_iterations": own[-1].iterations}
    for target in TARGETS:
        at = next((point for point in own if point.nash_conv <= target), None)
        found[f"{target:g}"] = at and {"iterations": at.iterations, "seconds": at.seconds}
    return found


def _rows(result: dict[str, Any]) -> list[tuple[str, ...]]:
    rows = []
    for name, row in result["reached"].items():
        reached = (row[f"{target:g}"] for target in TARGETS)
        cells = [f"{at['iterations']:,} ({at['seconds']:.2g})" if at else "-" for at in reached]
        rows.append((name, *cells, f"{row['final_nash_conv']:.1e}"))
    return rows


def _notes() -> list[str]:
    return [
        "Each cell: iterations (and seconds) at the first measured point at or below the target; points lie four to a "
        "doubling; a dash: not reached. Exploitability is NashConv / 2. Seconds are those of solving alone.",
        "Scheduled algorithms (hs-...) must know their length beforehand: each of their points is the end of a run of "
        "its own, planned for that length, and the lengths double.",
        "In an iteration of Monte Carlo each player walks once. "
        f"{WITH_BASELINE}: moving averages with step {BASELINE:g} (VR-MCCFR).",
    ]


def _write_points(place: Path, points: list[Point]) -> Path:
    path = place / f"{NAME}.csv"
    write_csv(path, list(Point.__dataclass_fields__), [list(asdict(point).values()) for point in points])
    return path


def _plot(place: Path, points: list[Point]) -> dict[str, str]:
    """NashConv by iterations and by seconds."""
    files = {}
    for axis in ("iterations", "seconds"):
        figure, axes = new_figure()
        for name, (line, colour) in _styles(points).items():
            own = [point for point in points if point.algorithm == name and point.nash_conv > 0]
            own_x = [getattr(point, axis) for point in own]
            axes.plot(own_x, [point.nash_conv for point in own], line, color=colour, label=name, linewidth=1.4)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("iterations" if axis == "iterations" else "seconds of solving on one core")
        axes.set_ylabel("NashConv, chips")
        axes.set_title("Limit Leduc")
        axes.grid(True, which="major", alpha=0.35)
        axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.0, 0.5))
        files[axis] = place / f"{NAME}-{axis}.png"
        save_figure(figure, files[axis])
    return {kind: str(path) for kind, path in files.items()}


def _styles(points: list[Point]) -> dict[str, tuple[str, str]]:
    """A line and a colour for each algorithm: Monte Carlo dotted, scheduled ones and fictitious play dashed."""
    styles: dict[str, tuple[str, str]] = {}
    used = {"-": 0, "--": 0, ":": 0}
    for name in dict.fromkeys(point.algorithm for point in points):
        dashed = name == "xfp" or (name in ALGORITHMS and ALGORITHMS[name].planned)
        line = "--" if dashed else "-" if name in ALGORITHMS else ":"
        styles[name] = line, f"C{used[line] % 10}"
        used[line] += 1
    return styles
