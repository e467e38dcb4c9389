"""The table that Jenselme and Kujundzic call the exact equilibrium of Kuhn poker, and their run time."""

from __future__ import annotations

from functools import partial
from typing import Any

from ludus import games
from ludus.experiments.report import Report, Table
from ludus.experiments.reproduce.kuhn import JENSELME_KUJUNDZIC_CFR, Printed, evaluate
from ludus.experiments.sources import JENSELME_KUJUNDZIC, JENSELME_KUJUNDZIC_IN_FULL
from ludus.parallel import Stages
from ludus.solvers import Evaluator, Settings
from ludus.solvers.kuhn import SETS, VALUE, equilibrium, fitted_alpha
from ludus.solvers.running import follow
from ludus.solvers.solve import make_solver
from ludus.trees import flatten

SECONDS = 4.565027475357056  # of the source's run of 25,000 iterations
EXACT = Printed(  # its cards J, Q and K are Q, K and A here
    f"{JENSELME_KUJUNDZIC}, exact", JENSELME_KUJUNDZIC_IN_FULL, 0, -1 / 17,
    (80, 100, 67, 100, 100, 65, 100, 40, 25, 0, 0, 0),
    (20, 0, 33, 0, 0, 33, 0, 60, 75, 100, 100, 100),
)  # fmt: skip
ALGORITHMS = {"chance sampling": Settings("chance", 1, streams=1), "CFR": Settings("cfr")}


def kuhn_table(iterations: int, progress: Stages) -> Report:
    """What the printed table concedes, the alphas in it, and how long as many iterations take here."""
    evaluator = Evaluator(flatten(games.kuhn()))
    bets = EXACT.normalised()
    theory = equilibrium(fitted_alpha(bets))
    found = evaluate(evaluator, bets)
    alphas = {"Q": bets["Q"], "Kpb": bets["Kpb"] - 1 / 3, "A": bets["A"] / 3}
    rows = [
        (name, f"{100 * bets[name]:.2f}", f"{100 * theory[name]:.2f}", f"{alphas[name]:.4f}" if name in alphas else "")
        for name in SETS
    ]
    rows += [
        ("value", f"{found.value[0]:.6f}", f"{VALUE:.6f}", ""),
        ("exploitability", f"{found.exploitability:.6f}", "0.000000", ""),
    ]
    times = _times(evaluator, iterations, progress)
    more = Table(
        f"Seconds of {iterations:,} iterations on one core",
        ("", "seconds", "exploitability"),
        [(f"ours, {name}", f"{run['seconds']:.3g}", f"{run['exploitability']:.6f}") for name, run in times.items()]
        + [(f"{JENSELME_KUJUNDZIC}, 25,000 iterations", f"{SECONDS:.3g}", f"{_theirs(evaluator):.6f}")],
    )
    figures = {
        "experiment": "kuhn-table", "iterations": iterations, "alphas": alphas, "value": found.value[0],
        "exact_value": VALUE, "exploitability": found.exploitability, "times": times, "source_seconds": SECONDS,
    }  # fmt: skip
    notes = [
        "Bet: how often the player bets or calls, in per cent. Q, K, A: the card; p a pass, b a bet. An equilibrium "
        "has one alpha; the table mixes three, and a 65/33 that does not sum to 100 is normalised. So it is no "
        "equilibrium, and its exploitability (NashConv / 2, exact) is what that costs.",
        "The source takes the value for -1/17 = -0.0588; it is -1/18 = -0.0556.",
        f"Their program is pure Python and shuffles in each iteration, as chance sampling does; {SECONDS:.3f} s is "
        "what it printed, on a machine that is not named. Seconds of ours are those of solving alone.",
        f"Source: {JENSELME_KUJUNDZIC_IN_FULL}.",
    ]
    header = ("bet %", EXACT.name, "nearest equilibrium", "alpha by this row")
    title = "kuhn-table: a table of Kuhn poker that is called an exact equilibrium"
    return Report(title, figures, header, rows, notes, more=(more,))


def _theirs(evaluator: Evaluator) -> float:
    return evaluate(evaluator, JENSELME_KUJUNDZIC_CFR.normalised()).exploitability


def _times(evaluator: Evaluator, iterations: int, progress: Stages) -> dict[str, dict[str, Any]]:
    """Seconds of solving, and what the strategy concedes."""
    runs = {}
    for name, settings in ALGORITHMS.items():
        solver = make_solver(evaluator.flat, settings)
        told = partial(progress, f"Kuhn poker, {name}", unit="iterations")
        ((_, seconds),) = follow(solver, [iterations], told)
        runs[name] = {"seconds": seconds, "exploitability": evaluator.evaluate(solver.average()).exploitability}
    return runs
