"""Monte Carlo CFR on no-limit Leduc, and how exploitable it is (Joppi Filho and Wensing 2023, section 5.3)."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ludus import games
from ludus.experiments.plots import convergence_plot
from ludus.experiments.report import Report, folder
from ludus.experiments.sources import JOPPI_WENSING, JOPPI_WENSING_IN_FULL
from ludus.files import load_arrays, write_csv
from ludus.games import Game
from ludus.parallel import Stages, usable_cores
from ludus.solvers import Evaluation, Strategy, solve
from ludus.solvers.checkpoints import FORMAT, KIND
from ludus.solvers.running import Check

NAME = "leduc-nl"
VALUES = {"all": -6.916477, "pot,allin": -6.556422}  # chips for the first seat, by a sequence-form linear programme
BIG_BLIND = 100
SAVE_EVERY = 1_000_000
# Table 12 of the source: mbb/g against DeepStack-Leduc over 100,000 games, and its standard error.
MATCHES = {4_000_000: (-13.6, 7.41), 20_000_000: (1.05, 6.79), 100_000_000: (7.79, 6.96)}


@dataclass(frozen=True)
class Point:
    """What the average strategy is worth at some point of the run, in chips."""

    iterations: int
    seconds: float
    value: float  # of the first seat
    nash_conv: float
    exploitability: float


def leduc_no_limit(stops: Sequence[int], bets: str, seed: int, out: Path | None, progress: Stages) -> Report:
    """Train by external sampling on all cores; measure, and save a strategy, at each of the rising stops.

    Stopped with Ctrl-C, or by a crash, it goes on from there when it is run again.
    """
    run = LeducTraining(games.leduc_nl(bets), seed, folder(out, NAME))
    reached: dict[int, Point] = {}
    for stop in stops:
        point = run.to(stop, lambda done: progress("no-limit Leduc", done, stops[-1], "iterations"))
        if point is None:
            break
        reached[stop] = point
    kept = f"{run.done:,} iterations are saved in {run.place}; the same command goes on from there"
    return _report(run, reached, bets, kept if len(reached) < len(stops) else "")


class LeducTraining:
    """A long run in a folder: its checkpoint, its learning curve, and a strategy for each stop.

    A stop ends a round of the solver early, so the stops are part of what decides the figures, as the seed is.
    """

    def __init__(self, game: Game, seed: int, place: Path) -> None:
        self.game, self.seed, self.place, self.done = game, seed, place, 0
        self.checkpoint, self.csv = place / f"{NAME}-checkpoint.safetensors", place / f"{NAME}.csv"
        self.curve: dict[int, Point] = {}
        if self.csv.exists() and self.checkpoint.exists():  # a curve without its run would be somebody else's
            self.curve = {point.iterations: point for point in _read_curve(self.csv)}

    def strategy_path(self, stop: int) -> Path:
        """Where the strategy of a stop is."""
        return self.place / f"{NAME}-{stop}.safetensors"

    def to(self, stop: int, progress: Callable[[int], object]) -> Point | None:
        """Go on to a stop and save the strategy there; None when interrupted before."""
        if known := self._known(stop):
            self.done = stop
            return known
        before = self._seconds()

        def note(check: Check[Evaluation]) -> None:
            progress(check.iterations)
            if check.measured:
                self._add(check.iterations, before + check.seconds, check.measured)

        try:
            result = solve(
                self.game, "external", seed=self.seed, iterations=stop, workers=usable_cores(),
                checkpoint=self.checkpoint, checkpoint_every=SAVE_EVERY, progress=note,
            )  # fmt: skip
        except ValueError as error:
            raise ValueError(f"{error} (another --out keeps runs apart)") from None
        self.done = result.iterations
        assert result.evaluation is not None
        self._add(result.iterations, before + result.seconds, result.evaluation)
        if result.iterations < stop:
            return None
        result.strategy.save(self.strategy_path(stop))
        return self.curve[stop]

    def _known(self, stop: int) -> Point | None:
        """A stop that an earlier run with this seed has come to."""
        path = self.strategy_path(stop)
        if stop not in self.curve or not path.exists():
            return None
        origin = Strategy.load(path, self.game).origin
        return self.curve[stop] if (origin.seed, origin.iterations) == (self.seed, stop) else None

    def _seconds(self) -> float:
        """Seconds that the saved part of the run has taken."""
        if not self.checkpoint.exists():
            self.curve.clear()
            return 0.0
        saved = int(load_arrays(self.checkpoint, KIND, FORMAT)[0].get("iterations", 0))
        return max((point.seconds for point in self.curve.values() if point.iterations <= saved), default=0.0)

    def _add(self, iterations: int, seconds: float, found: Evaluation) -> None:
        self.curve[iterations] = Point(iterations, seconds, found.value[0], found.nash_conv, found.exploitability)
        rows = [list(asdict(self.curve[at]).values()) for at in sorted(self.curve)]
        write_csv(self.csv, list(Point.__dataclass_fields__), rows)


def _read_curve(path: Path) -> list[Point]:
    try:
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        return [Point(int(row["iterations"]), *(float(row[name]) for name in list(row)[1:])) for row in rows]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{path} is damaged: delete it, and the run goes on without its past curve") from None


def _report(run: LeducTraining, reached: dict[int, Point], bets: str, stopped: str) -> Report:
    per_chip = 1000 / BIG_BLIND
    plot = run.place / f"{NAME}.png"
    line = [(float(at), per_chip * run.curve[at].exploitability) for at in sorted(run.curve)]
    convergence_plot(
        plot, {"external sampling": line}, f"No-limit Leduc, bets: {bets}, seed {run.seed}",
        "exploitability (NashConv / 2), mbb/g",
    )  # fmt: skip
    matches = MATCHES if bets == "all" else {}
    rows = [
        asdict(point) | {
            "exploitability_mbb_per_game": per_chip * point.exploitability,
            "source_match_mbb_per_game": matches.get(stop, (None, None))[0],
            "source_standard_error": matches.get(stop, (None, None))[1],
            "strategy": str(run.strategy_path(stop)),
        }
        for stop, point in reached.items()
    ]  # fmt: skip
    files = {"csv": str(run.csv), "plot": str(plot), "checkpoint": str(run.checkpoint)}
    result: dict[str, Any] = {
        "experiment": NAME, "bets": bets, "seed": run.seed, "cores": usable_cores(), "iterations": run.done,
        "value": VALUES.get(bets),
        "stops": rows,
        "files": files | {f"strategy {stop}": str(run.strategy_path(stop)) for stop in reached},
    }  # fmt: skip
    header = (
        "iterations", "exploitability, chips", "mbb/g", "value, chips", "seconds",
        f"{JOPPI_WENSING} against DeepStack, mbb/g",
    )  # fmt: skip
    texts = []
    for row in rows:
        match = row["source_match_mbb_per_game"]
        texts.append((
            f"{row['iterations']:,}", f"{row['exploitability']:.3f}", f"{row['exploitability_mbb_per_game']:.1f}",
            f"{row['value']:.3f}", f"{row['seconds']:.0f}",
            "" if match is None else f"{match:+.2f} +- {row['source_standard_error']}",
        ))  # fmt: skip
    notes = [
        "Exploitability: NashConv / 2, exact, in chips and in thousandths of a big blind (100 chips) a game: what a "
        "perfect opponent wins from it over both seats. The source could not measure it; next to it are its matches "
        "against DeepStack-Leduc, 100,000 games each, +- one standard error: none of them is two of these off 0.",
        f"Value: what the first seat wins; in equilibrium {VALUES.get(bets, 'not known')}. "
        f"An iteration: each player walks once. Seconds on {usable_cores()} cores, measuring included.",
        f"{JOPPI_WENSING}: {JOPPI_WENSING_IN_FULL}, table 12.",
    ]
    title = f"{NAME}: external sampling on no-limit Leduc, bets: {bets}, seed {run.seed}"
    return Report(title, result, header, texts, notes, stopped)
