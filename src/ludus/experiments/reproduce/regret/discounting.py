"""How long a costly first iteration is remembered; linear CFR with clipping (Tuholukova 2020, section 3.1.3)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus import games
from ludus.experiments.plots import convergence_plot
from ludus.experiments.report import Report, Table, folder
from ludus.experiments.sources import TUHOLUKOVA, TUHOLUKOVA_IN_FULL
from ludus.files import write_csv
from ludus.parallel import Stages
from ludus.solvers import Evaluator, Settings
from ludus.solvers.running import follow, measuring_points
from ludus.solvers.schedules import ALGORITHMS, Algorithm
from ludus.solvers.solve import make_solver
from ludus.trees import flatten

NAME = "discounting"
PAYOFFS = (0.0, 1.0, -1_000_000.0)
MEMBERS = ("cfr", "cfr+", "lcfr", "lcfr+", "dcfr")
PRINTED = {"cfr+": 471_407, "lcfr": 970}
Curves = dict[str, list[tuple[int, float]]]


def iterations_to_the_best(algorithm: Algorithm, payoffs: Sequence[float] = PAYOFFS, most: int = 10**6) -> int | None:
    """After how many iterations only the best action is played, by the recurrence of ``schedules.py``; None: never.

    Plain numbers, one decision and nobody else: a game of a single information set, a million times.
    """
    regrets = [0.0] * len(payoffs)
    best = max(range(len(payoffs)), key=payoffs.__getitem__)
    for t in range(1, most + 1):
        above = [max(regret, 0.0) for regret in regrets]
        total = sum(above)
        mix = [each / total for each in above] if total > 0 else [1 / len(payoffs)] * len(payoffs)
        value = sum(chance * payoff for chance, payoff in zip(mix, payoffs, strict=True))
        positive, negative, _ = algorithm.discount(t, most)
        for at, payoff in enumerate(payoffs):
            regret = regrets[at] + payoff - value
            regret = max(regret, 0.0) if algorithm.clip else regret
            regrets[at] = regret * (positive if regret > 0 else negative)
        if regrets[best] > 0 and all(regret <= 0 for at, regret in enumerate(regrets) if at != best):
            return t
    return None


def discounting(iterations: int, out: Path | None, progress: Stages) -> Report:
    """The example with three payoffs, then the same algorithms on limit Leduc."""
    place = folder(out, NAME)
    found = {}
    for at, name in enumerate(MEMBERS, 1):
        found[name] = iterations_to_the_best(ALGORITHMS[name])
        progress("payoffs 0, 1 and -1,000,000", at, len(MEMBERS))
    evaluator = Evaluator(flatten(games.leduc()))
    curves: Curves = {name: _leduc(evaluator, name, iterations, progress) for name in MEMBERS}
    files = {"csv": place / f"{NAME}.csv", "plot": place / f"{NAME}.png"}
    write_csv(
        files["csv"],
        ("algorithm", "iterations", "exploitability"),
        [(name, *point) for name, curve in curves.items() for point in curve],
    )
    convergence_plot(
        files["plot"], curves, "Limit Leduc: weighting and clipping", "exploitability (NashConv / 2), chips"
    )
    figures: dict[str, Any] = {
        "experiment": NAME, "payoffs": PAYOFFS, "iterations_to_the_best": found, "source": PRINTED,
        "leduc": {name: dict(curve) for name, curve in curves.items()},
        "files": {name: str(path) for name, path in files.items()},
    }  # fmt: skip
    rows = [(name, _count(found[name]), _count(PRINTED.get(name))) for name in MEMBERS]
    looked = sorted({max(1, iterations // 100), max(1, iterations // 10), iterations})
    at_points = [(name, *(f"{_at(curves[name], point):.2e}" for point in looked)) for name in MEMBERS]
    more = Table("Exploitability on limit Leduc, chips", ("iterations", *(f"{point:,}" for point in looked)), at_points)
    title = "discounting: iterations until only the best of the payoffs 0, 1 and -1,000,000 is played"
    return Report(title, figures, ("", "ours", TUHOLUKOVA), rows, _notes(), more=(more,))


def _leduc(evaluator: Evaluator, name: str, iterations: int, progress: Stages) -> list[tuple[int, float]]:
    solver = make_solver(evaluator.flat, Settings(name), iterations)
    points = sorted({*measuring_points(iterations), max(1, iterations // 10), max(1, iterations // 100)})
    return [
        (done, evaluator.evaluate(solver.average()).exploitability)
        for done, _ in follow(solver, points, lambda done, total: progress(f"limit Leduc, {name}", done, total))
    ]


def _at(curve: list[tuple[int, float]], iterations: int) -> float:
    return next(value for done, value in curve if done >= iterations)


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _notes() -> list[str]:
    return [
        "Ours: the first iteration after which no other action has a regret above 0, so that the next one plays only "
        "the best. The source has its figures from Brown & Sandholm (2019). Ours are one less for CFR+ and one more "
        "for linear CFR, so another way to count does not explain both; rounding at the border may. In plain CFR the "
        "worst action's regret stays below 0 and plays no part: it is exactly as slow as CFR+.",
        "LCFR+ is linear CFR that forgets regrets below 0. The source says that it is worse than both linear CFR and "
        "CFR+, without figures; the second table has them. Exploitability: NashConv / 2, exact.",
        f"{TUHOLUKOVA}: {TUHOLUKOVA_IN_FULL}, section 3.1.3.",
    ]
