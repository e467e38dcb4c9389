"""``solve``: any small game, any algorithm, until a number of iterations, a target or a time is reached.

>>> from ludus import games, solvers
>>> result = solvers.solve(games.kuhn(), algorithm="dcfr", target=1e-3)
>>> result.exploitability < 1e-3, round(result.value[0], 2)
(True, -0.06)
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus.files import Arrays, load_arrays, save_arrays
from ludus.games.base import Game
from ludus.games.definition import define, first_difference
from ludus.solvers.best_response import Evaluation, Evaluator
from ludus.solvers.cfr import ExactSolver, with_averaging
from ludus.solvers.fictitious import FictitiousPlay
from ludus.solvers.montecarlo import SAMPLINGS, GrowingMonteCarlo, MonteCarlo, Sampling
from ludus.solvers.schedules import ALGORITHMS, AVERAGING, Algorithm, discounted
from ludus.solvers.strategy import Origin, Strategy
from ludus.trees.flat import FlatGame, estimate_nodes, flatten

Floats = NDArray[np.float64]
SAMPLING_ABOUT = {
    "external": "Monte Carlo CFR, external sampling (Lanctot 2009)",
    "outcome": "Monte Carlo CFR, outcome sampling, epsilon-on-policy (Lanctot 2009)",
    "chance": "Monte Carlo CFR, chance sampling (Zinkevich 2007)",
    "average": "Monte Carlo CFR, average-strategy sampling (Gibson 2012)",
}
ABOUT = {name: each.about for name, each in ALGORITHMS.items()} | SAMPLING_ABOUT | {
    "xfp": "full-width fictitious play (Heinrich 2015)"
}  # fmt: skip
ALIASES = {"mccfr": "external", "linear-cfr": "lcfr"} | {f"{name}-sampling": name for name in SAMPLINGS}
CHECKPOINT, CHECKPOINT_FORMAT = "checkpoint", 1
MEASURABLE = 300_000  # nodes of a growing game up to which its strategy is measured all the same


@dataclass(frozen=True)
class Settings:
    """All that decides what a run computes, apart from its length. Empty or None: as the algorithm has it."""

    algorithm: str = "dcfr"
    seed: int = 0
    averaging: str = ""  # uniform, linear or quadratic
    averaging_from: int = 1  # iterations before this one are not averaged
    updates: str = ""  # alternating or simultaneous
    discount: tuple[float, float, float] | None = None  # alpha, beta, gamma of dcfr
    streams: int = 4  # Monte Carlo: logical streams of random numbers, whatever the number of cores
    epsilon: float | None = None  # outcome sampling: exploration; average-strategy sampling: smallest probability
    beta: float = 1e6  # average-strategy sampling
    tau: float = 1e3
    baseline: float = 0.0  # Monte Carlo: step of the moving averages of VR-MCCFR, 0 for none
    growing: bool = False  # Monte Carlo: grow the tree where it is played instead of building it first

    def __post_init__(self) -> None:
        object.__setattr__(self, "algorithm", ALIASES.get(self.algorithm.lower(), self.algorithm.lower()))
        if self.algorithm not in ABOUT:
            raise ValueError(f"there is no algorithm {self.algorithm!r}; there are {', '.join(ABOUT)}")
        if self.averaging and self.averaging not in AVERAGING:
            raise ValueError(f"averaging is one of {', '.join(AVERAGING)}, got {self.averaging!r}")
        if self.updates not in ("", "alternating", "simultaneous"):
            raise ValueError(f"updates are alternating or simultaneous, got {self.updates!r}")
        if self.seed < 0 or self.averaging_from < 1:
            raise ValueError(f"a seed is at least 0 and averaging starts at 1 or later, got {self}")
        if self.discount is not None and self.algorithm != "dcfr":
            raise ValueError(f"only dcfr takes discounts alpha, beta, gamma, not {self.algorithm}")
        if self.growing and not self.sampled:
            raise ValueError(f"only Monte Carlo algorithms ({', '.join(SAMPLINGS)}) can grow the tree as they play")
        if self.baseline and not self.sampled:
            raise ValueError(f"only Monte Carlo algorithms take baselines, not {self.algorithm}")
        _ = self.sampling if self.sampled else self.schedule  # check their own parameters

    @property
    def sampled(self) -> bool:
        """Whether the algorithm draws random numbers."""
        return self.algorithm in SAMPLINGS

    @property
    def sampling(self) -> Sampling:
        """The parameters of a Monte Carlo run."""
        epsilon = {"average": 0.05}.get(self.algorithm, 0.6) if self.epsilon is None else self.epsilon
        power = AVERAGING[self.averaging] if self.averaging else 0.0
        count = 1 if self.growing else self.streams
        return Sampling(
            self.algorithm, self.seed, count, epsilon, self.beta, self.tau, self.baseline, self.averaging_from, power
        )

    @property
    def schedule(self) -> Algorithm:
        """The member of the CFR family, with what was changed about it."""
        if self.algorithm == "xfp":
            return ALGORITHMS["cfr"]
        schedule = ALGORITHMS[self.algorithm] if self.discount is None else discounted(*self.discount)
        if self.averaging:
            schedule = with_averaging(schedule, self.averaging)
        return replace(schedule, alternating=self.updates == "alternating") if self.updates else schedule

    def changed(self) -> dict[str, Any]:
        """The settings that are not as they always are, without algorithm and seed."""
        default = Settings(self.algorithm)
        names = [each.name for each in fields(self) if each.name not in ("algorithm", "seed")]
        found = {name: getattr(self, name) for name in names if getattr(self, name) != getattr(default, name)}
        if self.sampled and not self.growing:
            found["streams"] = self.streams
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


@dataclass(frozen=True)
class Check:
    """How far a run has come."""

    iterations: int
    seconds: float
    evaluation: Evaluation | None  # None: not measured at this point


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
    iterations_per_second: float  # of the solver alone, without the measuring in between
    checks: tuple[Check, ...] = field(repr=False)
    stopped_by: str = "iterations"  # or target, seconds, interrupt

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


class Solver(Protocol):
    """What ``solve`` needs of an algorithm."""

    iterations: int

    def warm_up(self) -> None:
        """Compile without playing."""

    def advance(self, goal: int) -> None:
        """Play some iterations towards a goal, for well under a second."""

    def average(self) -> Floats:
        """The average strategy."""

    def state(self) -> Arrays:
        """Everything needed to go on later."""

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""


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

    ``fixed`` gives players that keep a strategy: the others learn to exploit them. ``settings`` are those of
    ``Settings``. With a ``checkpoint`` the run is saved there every so many iterations and at its end, and goes on from
    there when the file exists. An interrupt (Ctrl-C) ends the run early and without loss.
    """
    known = Settings(algorithm, **settings)
    _check_limits(game, known, iterations, target, seconds)
    solver, flat = _prepare(game, known, iterations or 0, workers, fixed or {})
    measure = _measure(game, solver, flat)
    run = _identity(game, known, iterations or 0, fixed or {})
    if checkpoint is not None:
        checkpoint = Path(checkpoint)
        checkpoint.parent.mkdir(parents=True, exist_ok=True)  # fails before the work, not after it
        if checkpoint.exists():
            _resume(checkpoint, run, solver, iterations)
    solver.warm_up()
    if measure:
        measure()  # compiled before the clock starts
    checks: list[Check] = []
    first, saved, measuring, reason = solver.iterations, solver.iterations, 0.0, "iterations"
    start = time.perf_counter()
    with _interrupts() as interrupted:
        while iterations is None or solver.iterations < iterations:
            goal = next_check(solver.iterations)
            if checkpoint_every:
                goal = min(goal, (solver.iterations // checkpoint_every + 1) * checkpoint_every)
            before = solver.iterations
            solver.advance(goal if iterations is None else min(goal, iterations))
            spent = time.perf_counter() - start
            due = solver.iterations >= next_check(before) and (target is not None or measuring < 0.2 + spent / 10)
            check = Check(solver.iterations, spent, measure() if due and measure else None)
            measuring += time.perf_counter() - start - spent
            if progress:
                progress(check)
            if check.evaluation:
                checks.append(check)
                if target is not None and check.evaluation.exploitability <= target:
                    reason = "target"
            if checkpoint and checkpoint_every and solver.iterations // checkpoint_every > saved // checkpoint_every:
                _save(checkpoint, run, solver)
                saved = solver.iterations
            if interrupted():
                reason = "interrupt"
            elif seconds is not None and spent >= seconds:
                reason = "seconds"
            if reason != "iterations":
                break
    if checkpoint:
        _save(checkpoint, run, solver)
    spent = time.perf_counter() - start
    if measure and not (checks and checks[-1].iterations == solver.iterations):
        checks.append(Check(solver.iterations, spent, measure()))
    evaluation = checks[-1].evaluation if checks else None
    origin = Origin(known.algorithm, known.changed(), known.seed, solver.iterations)
    found = flat or solver.flat()
    strategy = Strategy.of(found, solver.average(), origin)
    rate = (solver.iterations - first) / max(spent - measuring, 1e-9)
    return Result(game, known, strategy, solver.iterations, spent, evaluation, rate, tuple(checks), reason)


def _check_limits(
    game: Game, settings: Settings, iterations: int | None, target: float | None, seconds: float | None
) -> None:
    if iterations is None and target is None and seconds is None:
        raise ValueError("say when to stop: a number of iterations, a target exploitability or seconds")
    for name, value in (("iterations", iterations), ("target", target), ("seconds", seconds)):
        if value is not None and not value > 0:
            raise ValueError(f"{name} must be above 0, got {value}")
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
        if fixed:
            raise ValueError("a growing tree takes no fixed strategies")
        return GrowingMonteCarlo(game, settings.sampling, total), None
    flat = flatten(game)
    if any(not 0 <= player < flat.players for player in fixed):
        raise ValueError(f"players are 0..{flat.players - 1}, got a fixed strategy for {max(fixed)}")
    kept = {player: strategy.table(flat) for player, strategy in fixed.items()}
    if settings.sampled:
        return MonteCarlo(flat, settings.sampling, total, workers, kept), flat
    if settings.algorithm == "xfp":
        if fixed:
            raise ValueError("fictitious play takes no fixed strategies: a best response exploits one at once")
        return FictitiousPlay(flat), flat
    return ExactSolver(flat, settings.schedule, total, settings.averaging_from, kept), flat


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
def _interrupts() -> Iterator[Callable[[], bool]]:
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
    kept = {str(player): sha256(each.probabilities.tobytes()).hexdigest() for player, each in sorted(fixed.items())}
    options = asdict(settings) | {"discount": settings.discount and list(settings.discount)}
    return {"game": define(game), "settings": options | {"planned iterations": planned, "fixed strategies": kept}}


def _save(path: Path, run: dict[str, Any], solver: Solver) -> None:
    """Everything needed to go on with a run later."""
    header = {"kind": CHECKPOINT, "format": CHECKPOINT_FORMAT, "iterations": solver.iterations, **run}
    save_arrays(path, header, solver.state())


def _resume(path: Path, run: dict[str, Any], solver: Solver, wanted: int | None) -> None:
    header, arrays = load_arrays(path, CHECKPOINT, CHECKPOINT_FORMAT)
    try:
        for part, mine in run.items():
            if difference := first_difference(dict(header[part]), mine):
                raise ValueError(f"it is of another run: {difference}")
        done = int(header["iterations"])
        if wanted is not None and done > wanted:
            raise ValueError(f"it has {done} iterations already, more than the {wanted} wanted")
        for name, array in arrays.items():
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise ValueError(f"{name} has entries that are not numbers")
        solver.restore(done, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"cannot go on from {path}: {error}") from None
