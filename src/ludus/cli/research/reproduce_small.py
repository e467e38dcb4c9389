"""``ludus reproduce prisoners-dilemma, kuhn-table, discounting, cleaning``: the smaller tables of the sources."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from ludus.cli.options import AsJson, Out, Seed, whole_number
from ludus.cli.research.reproduce import Iterations, run_experiment


def prisoners_dilemma(iterations: Iterations = 1000, as_json: AsJson = False) -> None:
    """The prisoner's dilemma: Nash against Pareto, and what CFR learns (Jenselme and Kujundzic)."""
    from ludus.experiments.reproduce.regret.prisoners_dilemma import prisoners_dilemma

    run_experiment(partial(prisoners_dilemma, iterations), as_json)


def kuhn_table(iterations: Iterations = 25_000, as_json: AsJson = False) -> None:
    """What a table of Kuhn poker called an exact equilibrium concedes, and the run time (Jenselme and Kujundzic)."""
    from ludus.experiments.reproduce.kuhn_table import kuhn_table

    run_experiment(partial(kuhn_table, iterations), as_json)


def discounting(
    iterations: Annotated[int, typer.Option(help="Iterations on limit Leduc.", min=1, max=10**7)] = 1000,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """How long CFR+, linear CFR and their mixture LCFR+ remember a costly first iteration (Tuholukova 2020, 3.1.3)."""
    from ludus.experiments.reproduce.regret.discounting import discounting

    run_experiment(partial(discounting, iterations, out), as_json)


def cleaning(
    game: Annotated[str, typer.Option(help="A game of `ludus games` for two that can be solved.")] = "leduc",
    algorithm: Annotated[str, typer.Option(help="An algorithm of `ludus solve`.")] = "external",
    iterations: Annotated[str, typer.Option(help="Iterations of each run.")] = "1M",
    seeds: Annotated[int, typer.Option(help="Runs of a sampled algorithm.", min=1, max=1000)] = 5,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Strategies averaged from later on, and without rare actions: before and after, exactly measured.

    The exploration phase of Joppi Filho and Wensing (2023, section 4.1.1), the cleaning of Tuholukova (2020, 3.1.1).
    """
    from ludus.experiments.reproduce.regret.cleaning import CleaningPlan, cleaning

    plan = CleaningPlan(game, algorithm, whole_number("--iterations", iterations, 100), seeds, seed)
    run_experiment(partial(cleaning, plan, out), as_json)


EXPERIMENTS = (prisoners_dilemma, kuhn_table, discounting, cleaning)
