"""``solve``: any small game, any algorithm, until a number of iterations, a target or a time is reached.

>>> from ludus import games, solvers
>>> result = solvers.solve(games.kuhn(), algorithm="dcfr", target=1e-3)
>>> result.exploitability < 1e-3, round(result.value[0], 2)
(True, -0.06)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from ludus.games.base import Game
from ludus.games.definition import define
from ludus.solvers.best_response import Evaluation, Evaluator
from ludus.solvers.capabilities import FICTITIOUS, check_honours
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.checkpoints import Checkpoint
from ludus.solvers.fictitious import FictitiousPlay
from ludus.solvers.montecarlo.solver import GrowingMonteCarlo, MonteCarlo
from ludus.solvers.passes import Floats
from ludus.solvers.running import Check, Limits, Measuring, Saving, on_the_grid, run
from ludus.solvers.settings import Settings
from ludus.solvers.strategy import Origin, Strategy
from ludus.trees.flat import FlatGame, estimate_nodes, flatten

MEASURABLE = 300_000  # nodes of a growing game up to which its strategy is measured all the same


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
    checks: tuple[Check[Evaluation], ...] = field(repr=False)
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
    progress: Callable[[Check[Evaluation]], object] | None = None,
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
    limits = Limits(iterations, target, seconds)
    check_limits(game, known, limits)
    solver, flat = _prepare(game, known, iterations or 0, workers, fixed or {})
    measure = _measure(game, solver, flat)
    measuring, saving = None, None
    if checkpoint is not None:
        kept = Checkpoint(Path(checkpoint), _identity(game, known, iterations or 0, fixed or {}))
        kept.resume(solver, iterations)
        saving = Saving(partial(kept.save, solver), checkpoint_every)
    if measure:
        solver.warm_up()
        measure()  # compiled before the clock starts
        measuring = Measuring(measure, partial(_distance, fixed), on_the_grid, sparing=target is None)
    ended = run(solver, limits, measuring, saving, progress)
    last, checks = ended.last, ended.checks
    if measure and not last.measured:
        last = replace(last, measured=measure())
        checks = (*checks, last)
    noted = {"fixed": sorted(fixed)} if fixed else {}
    origin = Origin(known.algorithm, {**known.changed(), **noted}, known.seed, last.iterations)
    return Result(
        game=game,
        settings=known,
        strategy=Strategy.of(flat or solver.flat(), solver.average(), origin),
        iterations=last.iterations,
        seconds=last.seconds,
        evaluation=last.measured,
        iterations_per_second=last.iterations_per_second,
        checks=checks,
        stopped_by=ended.stopped_by,
        resumed_from=ended.resumed_from,
    )


def _distance(fixed: Mapping[int, Strategy] | None, found: Evaluation) -> float:
    """How far from its end a run is: its exploitability, or what the learners could still win of fixed players."""
    return found.still_to_win(fixed) if fixed else found.exploitability


def check_limits(game: Game, settings: Settings, limits: Limits) -> None:
    """ValueError unless a run with these settings can come to such an end: it says what is wrong or missing."""
    iterations = limits.iterations
    if iterations is not None and iterations < settings.averaging_from:
        raise ValueError(
            f"averaging from iteration {settings.averaging_from} on needs more iterations than {iterations}"
        )
    if iterations is None and not settings.sampled and settings.schedule.planned:
        raise ValueError(f"{settings.algorithm} must know its number of iterations beforehand")
    if limits.target is not None and settings.growing and estimate_nodes(game.start()) > MEASURABLE:
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
    """The solver of a whole game that settings ask for; ``fixed`` maps a player to a table by_action that they keep."""
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


def _identity(game: Game, settings: Settings, total: int, fixed: Mapping[int, Strategy]) -> dict[str, Any]:
    """All that two runs must have in common for one to go on where the other stopped."""
    planned = total if not settings.sampled and settings.schedule.planned else 0
    kept = {str(player): _digest(each) for player, each in sorted(fixed.items())}
    options = asdict(settings) | {"discount": settings.discount and list(settings.discount)}
    return {"game": define(game), "settings": options | {"planned iterations": planned, "fixed strategies": kept}}


def _digest(strategy: Strategy) -> str:
    content = "\n".join(strategy.names).encode(), strategy.players, strategy.actions, strategy.probabilities
    return sha256(b"\0".join(bytes(part) for part in content)).hexdigest()
