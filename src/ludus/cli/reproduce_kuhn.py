"""``ludus reproduce kuhn-...``: CFR and Monte Carlo CFR on Kuhn poker (sources S0, tables 4 to 7, and S2)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.reproduce_common import (
    S0,
    S2,
    AsJson,
    Out,
    Seed,
    folder,
    follow,
    measuring_points,
    new_table,
    show,
    stop_early,
    table_of,
    write_csv,
)

if TYPE_CHECKING:
    from ludus.solvers import Evaluation, Evaluator
    from ludus.solvers.kuhn import Bets
    from ludus.trees import FlatGame

Iterations = Annotated[int, typer.Option(help="Iterations of each algorithm.", min=1, max=10**9)]
Curves = dict[str, list[tuple[int, "Evaluation"]]]  # algorithm -> iterations and what the average is worth


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
        from ludus.solvers.kuhn import SETS

        return {name: bet / (bet + other) for name, other, bet in zip(SETS, self.passes, self.bets, strict=True)}


S0_CFR = Printed(
    "S0 CFR", f"{S0}, tables 4 and 5", 100_000, -0.053,
    (73.67, 99.99, 65.81, 99.99, 99.97, 66.10, 99.98, 40.10, 20.16, 0.0, 0.0, 0.0),
    (26.32, 0.0, 34.18, 0.0, 0.02, 33.89, 0.01, 59.90, 79.83, 99.99, 99.99, 99.99),
)  # fmt: skip
S0_MCCFR = Printed(
    "S0 MCCFR", f"{S0}, tables 6 and 7", 100_000, -0.056,
    (98.16, 99.99, 64.62, 99.99, 99.99, 64.66, 99.99, 64.16, 94.96, 0.01, 0.01, 0.01),
    (1.84, 0.0, 35.37, 0.01, 0.01, 35.33, 0.01, 35.83, 5.03, 99.99, 99.99, 99.99),
)  # fmt: skip
S2_CFR = Printed(  # its cards 0, 1 and 2 are Q, K and A here
    "S2 CFR", S2, 25_000, -0.050832241960913245,
    (0.75, 1.0, 0.68, 1.0, 0.99, 0.64, 1.0, 0.40, 0.23, 0.0, 0.0, 0.0),
    (0.25, 0.0, 0.32, 0.0, 0.01, 0.36, 0.0, 0.60, 0.77, 1.0, 1.0, 1.0),
)  # fmt: skip


def kuhn_cfr(iterations: Iterations = 100_000, seed: Seed = 1, out: Out = None, as_json: AsJson = False) -> None:
    """Kuhn poker by CFR, beside the equilibria (source S0: UFSC 2023, tables 4 and 5; source S2)."""
    note = (
        "Both sources shuffle anew in each iteration, so what they call CFR is chance sampling. The value "
        "that S2 reports is an average over its whole run, and so by its description is S0's; value is that of the "
        "strategy itself."
    )
    _run(
        "kuhn-cfr", {"CFR": "cfr", "chance sampling": "chance"}, (S0_CFR, S2_CFR), note, iterations, seed, out, as_json
    )


def kuhn_mccfr(iterations: Iterations = 100_000, seed: Seed = 1, out: Out = None, as_json: AsJson = False) -> None:
    """Kuhn poker by Monte Carlo CFR, external sampling (source S0: UFSC 2023, tables 6 and 7)."""
    note = "In an iteration each player walks once: all his own actions, one drawn for the other and one deal."
    _run("kuhn-mccfr", {"external sampling": "external"}, (S0_MCCFR,), note, iterations, seed, out, as_json)


def evaluate(evaluator: Evaluator, bets: Bets) -> Evaluation:
    """Value and exploitability, exactly."""
    from ludus.solvers.kuhn import information_set

    known = {information_set(name): bet for name, bet in bets.items()}
    sets = evaluator.flat.sets
    chances = [known[key] for key in zip(sets.players.tolist(), sets.names, strict=True)]
    return evaluator.evaluate(table_of(evaluator.flat, [each for bet in chances for each in (1 - bet, bet)]))


def _run(
    name: str, algorithms: dict[str, str], printed: tuple[Printed, ...], note: str,
    iterations: int, seed: int, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    from ludus import games
    from ludus.solvers import Evaluator
    from ludus.solvers.kuhn import SETS, equilibrium, fitted_alpha, off_the_family
    from ludus.trees import flatten

    place = folder(out, name)
    evaluator = Evaluator(flatten(games.kuhn()))
    curves, ours, whole = _learn(evaluator, algorithms, iterations, seed)
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
        "Bet: how often the player bets or calls in each information set, in per cent; he passes or folds otherwise. "
        "Q, K, A: the card; p a pass, b a bet. Theory: the equilibrium with alpha fitted to ours "
        f"({first}) by least squares over Q, Kpb and A.",
        "Off the family: the largest difference to the nearest equilibrium, each strategy with an alpha of its own. "
        "Exploitability: NashConv / 2, exact, also of the printed tables, which came without one. " + note,
        *(f"{each.name}: {each.source}, {each.iterations:,} iterations." for each in printed),
    ]
    title = f"{name}: Kuhn poker after {iterations:,} iterations, seed {seed}"
    show(result, title, _table(result), notes, as_json)
    if not whole:
        stop_early(", ".join(f"{label} {rows[-1][0]:,} iterations" for label, rows in curves.items()))


def _learn(
    evaluator: Evaluator, algorithms: dict[str, str], iterations: int, seed: int
) -> tuple[Curves, dict[str, Bets], bool]:
    """Each algorithm's learning curve and last average strategy, and whether nobody interrupted."""
    from ludus.cli.views.progress import progress_bar
    from ludus.solvers.kuhn import bets_of

    curves: Curves = {}
    ours: dict[str, Bets] = {}
    try:
        for label, algorithm in algorithms.items():
            solver = _solver(evaluator.flat, algorithm, seed)
            with progress_bar(f"Kuhn poker, {algorithm}", "iterations") as progress:
                for done, _ in follow(solver, measuring_points(iterations), progress):
                    average = solver.average()
                    curves.setdefault(label, []).append((done, evaluator.evaluate(average)))
                    ours[label] = bets_of(evaluator.flat, average)
    except KeyboardInterrupt:
        if not ours:
            raise
        return curves, ours, False
    return curves, ours, True


def _solver(flat: FlatGame, algorithm: str, seed: int) -> Any:
    from ludus.solvers import Settings
    from ludus.solvers.solve import make_solver

    return make_solver(flat, Settings(algorithm, seed, streams=1) if algorithm != "cfr" else Settings("cfr"))


def _write(
    name: str, place: Path, columns: dict[str, Bets], curves: Curves, levels: dict[str, float], seed: int
) -> dict[str, str]:
    """The files of the experiment, by what they hold."""
    from ludus.cli.plots import convergence_plot
    from ludus.solvers.kuhn import SETS

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


def _table(result: dict[str, Any]) -> Any:
    from ludus.solvers.kuhn import SETS

    columns = result["strategies"]
    table = new_table(("bet %", *columns))
    for name in SETS:
        table.add_row(name, *(f"{100 * column['bet'][name]:.2f}" for column in columns.values()))
    table.add_row()
    reported = {name: f"{value:.4f}" for name, value in result["reported_values"].items()}
    table.add_row("alpha", *(f"{column['alpha']:.4f}" for column in columns.values()))
    table.add_row("off the family %", *(f"{100 * column['off_the_family']:.2f}" for column in columns.values()))
    table.add_row("value", *(f"{column['value']:.6f}" for column in columns.values()))
    table.add_row("value as reported", *(reported.get(name, "") for name in columns))
    table.add_row("exploitability", *(f"{max(column['exploitability'], 0.0):.6f}" for column in columns.values()))
    return table
