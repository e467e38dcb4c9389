"""A strategy cleaned of what early iterations left in it: later averaging, and no rare actions.

Joppi Filho and Wensing (2023) call the iterations that are not averaged an exploration phase; Tuholukova (2020, section
3.1.1) names both ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludus import games
from ludus.arena.interval import interval
from ludus.experiments.report import Report, Table, folder
from ludus.experiments.sources import JOPPI_WENSING, JOPPI_WENSING_IN_FULL, TUHOLUKOVA, TUHOLUKOVA_IN_FULL
from ludus.files import write_csv
from ludus.parallel import Stages
from ludus.solvers import Evaluator, Settings, Strategy
from ludus.solvers.capabilities import FICTITIOUS
from ludus.solvers.running import follow
from ludus.solvers.solve import make_solver
from ludus.trees import FlatGame, flatten

NAME = "cleaning"
SKIPPED = (0.0, 0.01, 0.1, 0.5)  # share of the iterations that are not averaged
THRESHOLDS = (0.0, 0.001, 0.01, 0.05, 0.2)


@dataclass(frozen=True)
class CleaningPlan:
    """A game, an algorithm and how long; a sampled one runs once for each seed."""

    game: str = "leduc"
    algorithm: str = "external"
    iterations: int = 1_000_000
    seeds: int = 5
    seed: int = 1

    def __post_init__(self) -> None:
        if Settings(self.algorithm).algorithm == FICTITIOUS:
            raise ValueError(f"{self.algorithm} has no averaging to begin later; take external or cfr")
        if self.iterations < 100 or self.seeds < 1:
            raise ValueError(f"iterations are 100 or more, seeds 1 or more, got {self.iterations} and {self.seeds}")

    @property
    def runs(self) -> range:
        """The seeds; one where nothing is drawn."""
        return range(self.seed, self.seed + (self.seeds if Settings(self.algorithm).sampled else 1))


def cleaning(plan: CleaningPlan, out: Path | None, progress: Stages) -> Report:
    """Exploitability by the iterations that are not averaged and by the threshold, and what cleaning wins in play."""
    place = folder(out, NAME)
    flat = flatten(games.make(plan.game))
    evaluator = Evaluator(flat)
    conceded = np.zeros((len(SKIPPED), len(THRESHOLDS), len(plan.runs)))
    won = np.zeros_like(conceded)
    for run, seed in enumerate(plan.runs):
        for row, share in enumerate(SKIPPED):
            before = _learnt(flat, plan, share, seed, progress)
            for column, threshold in enumerate(THRESHOLDS):
                after = before.purified(threshold)
                conceded[row, column, run] = evaluator.evaluate(after.table(flat)).exploitability
                won[row, column, run] = wins(evaluator, after, before)
    csv = place / f"{NAME}.csv"
    points = [
        (SKIPPED[row], THRESHOLDS[column], plan.runs[run], conceded[row, column, run], won[row, column, run])
        for row, column, run in np.ndindex(conceded.shape)
    ]
    write_csv(csv, ("not averaged", "threshold", "seed", "exploitability", "wins"), points)
    figures: dict[str, Any] = {
        "experiment": NAME, "game": plan.game, "algorithm": plan.algorithm, "iterations": plan.iterations,
        "seeds": list(plan.runs), "not_averaged": SKIPPED, "thresholds": THRESHOLDS,
        "exploitability": conceded.mean(axis=2).tolist(), "wins": won.mean(axis=2).tolist(), "files": {"csv": str(csv)},
    }  # fmt: skip
    header = ("not averaged", *(f"threshold {each:g}" if each else "as it is" for each in THRESHOLDS))
    seeds = f", seeds {plan.runs[0]} to {plan.runs[-1]}" if len(plan.runs) > 1 else ""
    title = f"{NAME}: exploitability of {plan.algorithm} on {plan.game} after {plan.iterations:,} iterations{seeds}"
    more = Table("What the cleaned strategy wins of the one as it is, per game", header, _rows(won))
    return Report(title, figures, header, _rows(conceded), _notes(), more=(more,))


def wins(evaluator: Evaluator, one: Strategy, other: Strategy) -> float:
    """What one wins of the other per game, the mean of both seats, exactly."""
    flat = evaluator.flat
    owner = np.repeat(one.players, np.diff(one.offsets))
    seats = [
        evaluator.evaluate(flat.table(np.where(owner == seat, one.probabilities, other.probabilities))).value[seat]
        for seat in range(2)
    ]
    return sum(seats) / 2


def _learnt(flat: FlatGame, plan: CleaningPlan, share: float, seed: int, progress: Stages) -> Strategy:
    first = 1 + int(share * plan.iterations)
    settings = Settings(plan.algorithm, averaging_from=first, seed=seed)
    solver = make_solver(flat, settings, plan.iterations)
    stage = f"{plan.algorithm}, seed {seed}, averaged from {first:,}"
    for _ in follow(solver, [plan.iterations], lambda done, total: progress(stage, done, total, "iterations")):
        pass
    return Strategy.of(flat, solver.average())


def _rows(values: Any) -> list[tuple[str, ...]]:
    """A row for each share of iterations: means, with their 95 % interval where there are several seeds."""
    return [
        (f"{100 * share:g} %", *(_mean(values[row, column]) for column in range(len(THRESHOLDS))))
        for row, share in enumerate(SKIPPED)
    ]


def _mean(values: Any) -> str:
    half = f" +- {interval(values).ci95:.5f}" if len(values) > 1 else ""
    return f"{round(values.mean(), 5) + 0.0:.5f}{half}"


def _notes() -> list[str]:
    return [
        "In chips, exact, means with 95 % intervals over seeds. Not averaged: the share of iterations, from the first "
        "on, that change regrets and not the average (`ludus solve --averaging-from`). Threshold: actions less likely "
        "are never played (`ludus solve --purify`). Exploitability is NashConv / 2; the same seed draws the same games "
        "in every row.",
        f"{JOPPI_WENSING} saw worse results with their exploration phase and left it at 0, without figures. "
        f"{TUHOLUKOVA} advises both ways of cleaning, without figures, and says that a threshold can cost the "
        "guarantee of convergence but not the results in play.",
        f"Sources: {JOPPI_WENSING_IN_FULL}, section 4; {TUHOLUKOVA_IN_FULL}, section 3.1.1.",
    ]
