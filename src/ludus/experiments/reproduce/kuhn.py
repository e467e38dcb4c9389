"""CFR and Monte Carlo CFR on Kuhn poker (Joppi Filho and Wensing 2023, tables 4 to 7; Jenselme and Kujundzic)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ludus import games
from ludus.experiments.plots import convergence_plot
from ludus.experiments.report import Report, folder
from ludus.experiments.sources import (
    JENSELME_KUJUNDZIC,
    JENSELME_KUJUNDZIC_IN_FULL,
    JOPPI_WENSING,
    JOPPI_WENSING_IN_FULL,
)
from ludus.files import write_csv
from ludus.parallel import Stages
from ludus.solvers import Evaluation, Evaluator, Settings
from ludus.solvers.kuhn import (
    SETS,
    Bets,
    bets_of,
    equilibrium,
    fitted_alpha,
    information_set,
    off_the_family,
)
from ludus.solvers.running import follow, measuring_points
from ludus.solvers.solve import make_solver
from ludus.trees import FlatGame, flatten

Curves = dict[str, list[tuple[int, Evaluation]]]  # algorithm -> iterations and what the average is worth


@dataclass(frozen=True)
class Printed:
    """A strategy as a source prints it: pass and bet for each of SETS, and the value it reports."""

    name: str
    source: str
    iterations: int
    value: float
    passes: tuple[float, ...]
    bets: tuple[float, ...]

    def normalised(self) -> Bets:
        """The probabilities of betting; rounded digits need not sum to 1."""
        return {name: bet / (bet + other) for name, other, bet in zip(SETS, self.passes, self.bets, strict=True)}


JOPPI_WENSING_CFR = Printed(
    f"{JOPPI_WENSING}, CFR", f"{JOPPI_WENSING_IN_FULL}, tables 4 and 5", 100_000, -0.053,
    (73.67, 99.99, 65.81, 99.99, 99.97, 66.10, 99.98, 40.10, 20.16, 0.0, 0.0, 0.0),
    (26.32, 0.0, 34.18, 0.0, 0.02, 33.89, 0.01, 59.90, 79.83, 99.99, 99.99, 99.99),
)  # fmt: skip
JOPPI_WENSING_MCCFR = Printed(
    f"{JOPPI_WENSING}, MCCFR", f"{JOPPI_WENSING_IN_FULL}, tables 6 and 7", 100_000, -0.056,
    (98.16, 99.99, 64.62, 99.99, 99.99, 64.66, 99.99, 64.16, 94.96, 0.01, 0.01, 0.01),
    (1.84, 0.0, 35.37, 0.01, 0.01, 35.33, 0.01, 35.83, 5.03, 99.99, 99.99, 99.99),
)  # fmt: skip
JENSELME_KUJUNDZIC_CFR = Printed(  # its cards 0, 1 and 2 are Q, K and A here
    f"{JENSELME_KUJUNDZIC}, CFR", JENSELME_KUJUNDZIC_IN_FULL, 25_000, -0.050832241960913245,
    (0.75, 1.0, 0.68, 1.0, 0.99, 0.64, 1.0, 0.40, 0.23, 0.0, 0.0, 0.0),
    (0.25, 0.0, 0.32, 0.0, 0.01, 0.36, 0.0, 0.60, 0.77, 1.0, 1.0, 1.0),
)  # fmt: skip


def kuhn_cfr(iterations: int, seed: int, out: Path | None, progress: Stages) -> Report:
    """CFR and its chance-sampled form, compared with the equilibria."""
    note = (
        "Both sources shuffle anew in each iteration, so what they call CFR is chance sampling. The value that "
        f"{JENSELME_KUJUNDZIC} report is an average over their whole run, and so, by their description, is that of "
        f"{JOPPI_WENSING}; value is that of the strategy itself."
    )
    printed = (JOPPI_WENSING_CFR, JENSELME_KUJUNDZIC_CFR)
    return _run("kuhn-cfr", {"CFR": "cfr", "chance sampling": "chance"}, printed, note, iterations, seed, out, progress)


def kuhn_mccfr(iterations: int, seed: int, out: Path | None, progress: Stages) -> Report:
    """External sampling, compared with the equilibria."""
    note = "In an iteration each player walks once: all their own actions, one drawn for the other and one deal."
    printed = (JOPPI_WENSING_MCCFR,)
    return _run("kuhn-mccfr", {"external sampling": "external"}, printed, note, iterations, seed, out, progress)


def evaluate(evaluator: Evaluator, bets: Bets) -> Evaluation:
    """Value and exploitability, exactly."""
    known = {information_set(name): bet for name, bet in bets.items()}
    sets = evaluator.flat.sets
    chances = [known[key] for key in zip(sets.players.tolist(), sets.names, strict=True)]
    return evaluator.evaluate(evaluator.flat.table([each for bet in chances for each in (1 - bet, bet)]))


def _run(
    name: str, algorithms: dict[str, str], printed: tuple[Printed, ...], note: str,
    iterations: int, seed: int, out: Path | None, progress: Stages,
) -> Report:  # fmt: skip
    from ludus.solvers import Evaluator
    from ludus.solvers.kuhn import SETS

    place = folder(out, name)
    evaluator = Evaluator(flatten(games.kuhn()))
    curves, ours, whole = _learn(evaluator, algorithms, iterations, seed, progress)
    first = next(iter(ours))
    columns = {"theory": equilibrium(fitted_alpha(ours[first]))} | ours
    columns |= {each.name: each.normalised() for each in printed}
    found = {column: evaluate(evaluator, bets) for column, bets in columns.items()}
    levels = {f"{each.name}, as printed": found[each.name].exploitability for each in printed}
    result = {
        "experiment": name, "iterations": iterations, "seed": seed, "exact_value": -1 / 18,
        "strategies": {
            column: {
                "alpha": fitted_alpha(bets), "off_the_family": off_the_family(bets), "value": found[column].value[0],
                "exploitability": found[column].exploitability, "nash_conv": found[column].nash_conv,
                "bet": bets, "pass": {each: 1 - bets[each] for each in SETS},
            }
            for column, bets in columns.items()
        },
        "reported_values": {each.name: each.value for each in printed},
        "files": _write(name, place, columns, curves, levels, seed),
    }  # fmt: skip
    notes = [
        "Bet: how often the player bets or calls in each information set, in per cent; they pass or fold otherwise. "
        "Q, K, A: the card; p a pass, b a bet. Theory: the equilibrium with alpha fitted to ours "
        f"({first}) by least squares over Q, Kpb and A.",
        "Off the family: the largest difference to the nearest equilibrium, each strategy with an alpha of its own. "
        "Exploitability: NashConv / 2, exact, also of the printed tables, which came without one. " + note,
        *(f"{each.name}: {each.source}, {each.iterations:,} iterations." for each in printed),
    ]
    title = f"{name}: Kuhn poker after {iterations:,} iterations, seed {seed}"
    stopped = ", ".join(f"{label} {rows[-1][0]:,} iterations" for label, rows in curves.items())
    return Report(title, result, ("bet %", *columns), _rows(result), notes, "" if whole else stopped)


def _learn(
    evaluator: Evaluator, algorithms: dict[str, str], iterations: int, seed: int, progress: Stages
) -> tuple[Curves, dict[str, Bets], bool]:
    """Each algorithm's learning curve and last average strategy, and whether nobody interrupted."""
    curves: Curves = {}
    ours: dict[str, Bets] = {}
    try:
        for label, algorithm in algorithms.items():
            solver = _solver(evaluator.flat, algorithm, seed)
            told = partial(progress, f"Kuhn poker, {algorithm}", unit="iterations")
            for done, _ in follow(solver, measuring_points(iterations), told):
                average = solver.average()
                curves.setdefault(label, []).append((done, evaluator.evaluate(average)))
                ours[label] = bets_of(evaluator.flat, average)
    except KeyboardInterrupt:
        if not ours:
            raise
        return curves, ours, False
    return curves, ours, True


def _solver(flat: FlatGame, algorithm: str, seed: int) -> Any:
    return make_solver(flat, Settings(algorithm, seed, streams=1) if algorithm != "cfr" else Settings("cfr"))


def _write(
    name: str, place: Path, columns: dict[str, Bets], curves: Curves, levels: dict[str, float], seed: int
) -> dict[str, str]:
    """The files of the experiment, by what they hold."""
    ends = {"strategies": "-strategies.csv", "convergence": "-convergence.csv", "plot": ".png"}
    files = {kind: place / f"{name}{end}" for kind, end in ends.items()}
    write_csv(
        files["strategies"],
        ("information_set", *(f"{column} {action}" for column in columns for action in ("pass", "bet"))),
        [(each, *(p for bets in columns.values() for p in (1 - bets[each], bets[each]))) for each in SETS],
    )
    write_csv(
        files["convergence"],
        ("algorithm", "iterations", "value", "nash_conv", "exploitability"),
        [
            (label, done, found.value[0], found.nash_conv, found.exploitability)
            for label, rows in curves.items()
            for done, found in rows
        ],
    )
    lines = {label: [(float(done), found.exploitability) for done, found in rows] for label, rows in curves.items()}
    last = max(x for points in lines.values() for x, _ in points)
    lines |= {label: [(1.0, level), (last, level)] for label, level in levels.items()}
    convergence_plot(files["plot"], lines, f"{name}: Kuhn poker, seed {seed}", "exploitability (NashConv / 2), chips")
    return {kind: str(path) for kind, path in files.items()}


def _rows(result: dict[str, Any]) -> list[tuple[str, ...]]:
    columns, reported = result["strategies"], result["reported_values"]
    rows: list[tuple[str, ...]] = [
        (name, *(f"{100 * column['bet'][name]:.2f}" for column in columns.values())) for name in SETS
    ]
    return [
        *rows,
        ("",),
        ("alpha", *(f"{column['alpha']:.4f}" for column in columns.values())),
        ("off the family %", *(f"{100 * column['off_the_family']:.2f}" for column in columns.values())),
        ("value", *(f"{column['value']:.6f}" for column in columns.values())),
        ("value as reported", *(f"{reported[name]:.4f}" if name in reported else "" for name in columns)),
        ("exploitability", *(f"{max(column['exploitability'], 0.0):.6f}" for column in columns.values())),
    ]
