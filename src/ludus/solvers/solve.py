"""``solve``: any small game, any algorithm, until a number of iterations, a target or a time is reached.

>>> from ludus import games, solvers
>>> result = solvers.solve(games.kuhn(), algorithm="dcfr", target=1e-3)
>>> result.exploitability < 1e-3, round(result.value[0], 2)
(True, -0.06)
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ludus.files import Arrays, load_arrays, save_arrays
from ludus.games.base import Game
from ludus.games.definition import define, first_difference
from ludus.solvers.best_response import Evaluation, Evaluator
from ludus.solvers.capabilities import FICTITIOUS, check_honours
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.fictitious import FictitiousPlay
from ludus.solvers.montecarlo import GrowingMonteCarlo, MonteCarlo
from ludus.solvers.passes import Floats
from ludus.solvers.settings import Settings
from ludus.solvers.strategy import Origin, Strategy
from ludus.trees.flat import FlatGame, estimate_nodes, flatten

MOST_ITERATIONS = 10**15
LARGEST = 1e100  # of what a checkpoint may hold: sums over the actions of a decision stay finite
CHECKPOINT, CHECKPOINT_FORMAT = "checkpoint", 1
MEASURABLE = 300_000  # nodes of a growing game up to which its strategy is measured all the same


@dataclass(frozen=True)
class Check:
    """How far a run has come."""

    iterations: int
    seconds: float
    evaluation: Evaluation | None  # None: not measured at this point
    iterations_per_second: float = 0.0  # of the solver alone, without the measuring in between
    save: bool = False  # whether a checkpoint is due


Progress = Callable[[Check], object]


@dataclass(frozen=True)
class Result:
    """A solved game: the average strategy, what it is worth and how it was reached."""

    game: Game
    settings: Settings
    strategy: Strategy
    iterations: int
    seconds: float
    evaluation: Evaluation | None  # None where the game is too large to measure
    iterations_per_second: float  # of the solver alone
    checks: tuple[Check, ...] = field(repr=False)
    stopped_by: str = "iterations"  # or target, seconds, interrupt
    resumed_from: int = 0  # iterations that a checkpoint had already

    @property
    def value(self) -> tuple[float, ...]:
        """What each player wins on average when all play this strategy."""
        return self.evaluation.value if self.evaluation else ()

    @property
    def nash_conv(self) -> float:
        """What the players could gain by leaving it, added up."""
        return self.evaluation.nash_conv if self.evaluation else float("nan")

    @property
    def exploitability(self) -> float:
        """NashConv divided by the number of players."""
        return self.evaluation.exploitability if self.evaluation else float("nan")

    @property
    def information_sets(self) -> int:
        """How many information sets the strategy covers."""
        return len(self.strategy)


class Saved(Protocol):
    """What a checkpoint needs of a solver."""

    iterations: int

    def state(self) -> Arrays:
        """Everything needed to go on later."""

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""


class Solver(Saved, Protocol):
    """What ``solve`` needs of an algorithm."""

    def warm_up(self) -> None:
        """Compile without playing."""

    def advance(self, goal: int) -> None:
        """Play some iterations towards a goal, for well under a second."""

    def average(self) -> Floats:
        """The average strategy."""


def solve(
    game: Game,
    algorithm: str = "dcfr",
    *,
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    workers: int = 1,
    fixed: Mapping[int, Strategy] | None = None,
    checkpoint: Path | None = None,
    checkpoint_every: int = 0,
    progress: Progress | None = None,
    **settings: Any,
) -> Result:
    """Solve a game until the first of ``iterations``, ``target`` (an exploitability) and ``seconds`` is reached.

    ``fixed`` gives players that keep a strategy: the others learn to exploit them, and a target is then what they could
    still win. ``settings`` are those of ``Settings``. With a ``checkpoint`` the run is saved there every so many
    iterations and at its end, and goes on from there when the file exists. An interrupt (Ctrl-C) ends the run early and
    without loss.
    """
    known = Settings(algorithm, **settings)
    if checkpoint_every < 0 or workers < 1:
        raise ValueError(f"workers are 1 or more, a checkpoint is every 0 or more, got {workers}, {checkpoint_every}")
    check_limits(game, known, iterations, target, seconds)
    solver, flat = _prepare(game, known, iterations or 0, workers, fixed or {})
    measure = _measure(game, solver, flat)
    run = _identity(game, known, iterations or 0, fixed or {})
    if checkpoint is not None:
        checkpoint = Path(checkpoint)
        checkpoint.parent.mkdir(parents=True, exist_ok=True)  # fails before the work, not after it
        if checkpoint.exists():
            resume_run(checkpoint, run, solver, iterations)
    last, reason = Check(solver.iterations, 0.0, None), "iterations"
    resumed_from = solver.iterations
    checks: list[Check] = []
    with interrupts() as interrupted:
        for last in _steps(solver, measure, iterations, target is not None, checkpoint_every):
            if progress:
                progress(last)
            if last.evaluation:
                checks.append(last)
            if checkpoint and last.save:
                save_run(checkpoint, run, solver)
            if target is not None and last.evaluation and _distance(last.evaluation, fixed) <= target:
                reason = "target"
            elif interrupted():
                reason = "interrupt"
            elif seconds is not None and last.seconds >= seconds:
                reason = "seconds"
            if reason != "iterations":
                break
    if checkpoint:
        save_run(checkpoint, run, solver)
    if measure and not last.evaluation:
        last = replace(last, evaluation=measure())
        checks.append(last)
    origin = Origin(known.algorithm, known.changed(), known.seed, last.iterations)
    return Result(
        game=game,
        settings=known,
        strategy=Strategy.of(flat or solver.flat(), solver.average(), origin),
        iterations=last.iterations,
        seconds=last.seconds,
        evaluation=last.evaluation,
        iterations_per_second=last.iterations_per_second,
        checks=tuple(checks),
        stopped_by=reason,
        resumed_from=resumed_from,
    )


def _steps(
    solver: Solver, measure: Callable[[], Evaluation] | None, iterations: int | None, always: bool, every: int
) -> Iterator[Check]:
    """Run a solver step by step, measured at the grid of ``next_check``: always, or while that takes little time."""
    solver.warm_up()
    if measure:
        measure()  # compiled before the clock starts
    first, saved, solving, start = solver.iterations, solver.iterations, 0.0, time.perf_counter()
    while iterations is None or solver.iterations < iterations:
        before = solver.iterations
        goal = min(next_check(before), iterations or sys.maxsize)
        if every:
            goal = min(goal, (before // every + 1) * every)
        begun = time.perf_counter()
        solver.advance(goal)
        now = time.perf_counter()
        solving += now - begun
        due = solver.iterations >= next_check(before) and (always or now - start - solving < 0.2 + solving / 10)
        save = bool(every) and solver.iterations // every > saved // every
        saved = solver.iterations if save else saved
        rate = (solver.iterations - first) / max(solving, 1e-9)
        yield Check(solver.iterations, now - start, measure() if due and measure else None, rate, save)


def _distance(found: Evaluation, fixed: Mapping[int, Strategy] | None) -> float:
    """How far from its end a run is: its exploitability, or what the learners could still win of fixed players."""
    return found.still_to_win(fixed) if fixed else found.exploitability


def check_limits(
    game: Game, settings: Settings, iterations: int | None, target: float | None, seconds: float | None
) -> None:
    """ValueError unless a run with these settings can end: it says what is wrong or missing."""
    if iterations is None and target is None and seconds is None:
        raise ValueError("say when to stop: a number of iterations, a target exploitability or seconds")
    for name, value in (("iterations", iterations), ("target", target), ("seconds", seconds)):
        if value is not None and not 0 < value <= MOST_ITERATIONS:
            raise ValueError(f"{name} must be above 0 and at most {MOST_ITERATIONS:.0e}, got {value}")
    if iterations is not None and not isinstance(iterations, int):
        raise ValueError(f"iterations are a whole number, got {iterations}")
    if iterations is not None and iterations < settings.averaging_from:
        raise ValueError(
            f"averaging from iteration {settings.averaging_from} on needs more iterations than {iterations}"
        )
    if iterations is None and not settings.sampled and settings.schedule.planned:
        raise ValueError(f"{settings.algorithm} must know its number of iterations beforehand")
    if target is not None and settings.growing and estimate_nodes(game.start()) > MEASURABLE:
        raise ValueError(f"{game.name} is too large to measure: stop by iterations or seconds instead of a target")


def _prepare(
    game: Game, settings: Settings, total: int, workers: int, fixed: Mapping[int, Strategy]
) -> tuple[Any, FlatGame | None]:
    if settings.growing:
        check_honours("growing", fixed=fixed)
        return GrowingMonteCarlo(game, settings.sampling), None
    flat = flatten(game)
    if any(not 0 <= player < flat.players for player in fixed):
        raise ValueError(f"players are 0..{flat.players - 1}, got a fixed strategy for {max(fixed)}")
    kept = {player: strategy.table(flat) for player, strategy in fixed.items()}
    return make_solver(flat, settings, total, workers, kept), flat


def make_solver(
    flat: FlatGame, settings: Settings, total: int = 0, workers: int = 1, fixed: dict[int, Floats] | None = None
) -> MonteCarlo | FictitiousPlay | ExactSolver:
    """The solver of a whole game that settings ask for; ``fixed`` maps a player to a table by_action that he keeps."""
    if settings.sampled:
        return MonteCarlo(flat, settings.sampling, total, workers, fixed)
    if settings.algorithm == FICTITIOUS:
        check_honours("fictitious", fixed=fixed)
        return FictitiousPlay(flat)
    return ExactSolver(flat, settings.schedule, total, settings.averaging_from, fixed)


def _measure(game: Game, solver: Any, flat: FlatGame | None) -> Callable[[], Evaluation] | None:
    """How to measure the solver's average strategy, None where the game is too large for it."""
    if flat is not None:
        evaluator = Evaluator(flat, solver.plan)
        return lambda: evaluator.evaluate(solver.average())
    if estimate_nodes(game.start()) > MEASURABLE:
        return None
    whole = flatten(game)
    judge = Evaluator(whole)
    return lambda: judge.evaluate(Strategy.of(solver.flat(), solver.average()).table(whole))


def next_check(iterations: int) -> int:
    """The first number of iterations after this one at which a run is measured: four for each doubling.

    >>> [next_check(n) for n in (0, 1, 2, 10, 100)]
    [1, 2, 3, 12, 108]
    """
    grid = 1.0
    while np.ceil(grid) <= iterations:
        grid *= 2**0.25
    return int(np.ceil(grid))


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Hear Ctrl-C between steps instead of within one; a second Ctrl-C is not waited for."""
    heard = False

    def hear(_signal: int, _frame: object) -> None:
        nonlocal heard
        if heard:
            raise KeyboardInterrupt
        heard = True

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, hear)
    try:
        yield lambda: heard
    finally:
        signal.signal(signal.SIGINT, before)


def _identity(game: Game, settings: Settings, total: int, fixed: Mapping[int, Strategy]) -> dict[str, Any]:
    """All that two runs must have in common for one to go on where the other stopped."""
    planned = total if not settings.sampled and settings.schedule.planned else 0
    kept = {str(player): _digest(each) for player, each in sorted(fixed.items())}
    options = asdict(settings) | {"discount": settings.discount and list(settings.discount)}
    return {"game": define(game), "settings": options | {"planned iterations": planned, "fixed strategies": kept}}


def _digest(strategy: Strategy) -> str:
    content = "\n".join(strategy.names).encode(), strategy.players, strategy.actions, strategy.probabilities
    return sha256(b"\0".join(bytes(part) for part in content)).hexdigest()


def save_run(path: Path, run: dict[str, Any], solver: Saved) -> None:
    """Everything needed to go on with a run later."""
    header = {"kind": CHECKPOINT, "format": CHECKPOINT_FORMAT, "iterations": solver.iterations, **run}
    save_arrays(path, header, solver.state())


def resume_run(path: Path, run: dict[str, Any], solver: Saved, wanted: int | None) -> None:
    """Go on with a run that was saved; ValueError if it is of another game, or damaged."""
    header, arrays = load_arrays(path, CHECKPOINT, CHECKPOINT_FORMAT)
    try:
        for part, mine in run.items():
            if difference := first_difference(dict(header[part]), mine):
                raise ValueError(f"it is of another run: {difference}")
        done = header["iterations"]
        if not isinstance(done, int) or not 0 <= done <= MOST_ITERATIONS:
            raise ValueError(f"it claims {done} iterations")
        if wanted is not None and done > wanted:
            raise ValueError(f"it has {done} iterations already, more than the {wanted} wanted")
        for name, array in arrays.items():
            low, high = float(np.min(array, initial=0)), float(np.max(array, initial=0))
            if array.dtype.kind == "f" and not -LARGEST < low <= high < LARGEST:
                raise ValueError(f"{name} has entries that are not numbers from -{LARGEST:g} to {LARGEST:g}")
        solver.restore(done, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"cannot go on from {path}: {error}") from None
