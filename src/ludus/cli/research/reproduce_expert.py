"""``ludus reproduce expert-table, expert-readings, hand-strength, pricope-ceiling``: the expert of Pricope (2020)."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import AsJson, Out, Seed
from ludus.cli.research.reproduce import Workers, run_experiment, split_players

Player = Annotated[str | None, typer.Option(help="Another reading of who it is.", show_default="what fits best")]


def expert_table(
    games: Annotated[int, typer.Option(help="Freeze-outs of each row, in sessions of 250.", min=2)] = 2000,
    heuristic: Player = None,
    expert: Player = None,
    model: Player = None,
    workers: Workers = None,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """An expert with and without a model of its opponent against generic players (Pricope 2020, table 1).

    Stacks of 100, blinds 5/10; 40,000 games make an interval of half a point. The model's network is trained with
    PyTorch; without it naive Bayes guesses alone. Stopped with Ctrl-C, it goes on when the same command is given again.
    """
    from ludus.experiments.reproduce.expert.table import Reading, TablePlan, expert_table
    from ludus.parallel import usable_cores

    given = {"heuristic": heuristic, "expert": expert, "model": model}
    plan = TablePlan(games, seed, Reading(**{key: player for key, player in given.items() if player}))
    run_experiment(partial(expert_table, plan, workers or usable_cores(), out), as_json)


def expert_readings(
    games: Annotated[int, typer.Option(help="Freeze-outs of each row and reading.", min=2)] = 1000,
    workers: Workers = None,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Search raise sizes and thresholds that the source does not state for what fits its table best (Pricope 2020).

    Stopped with Ctrl-C, it goes on when the same command is given again.
    """
    from ludus.experiments.reproduce.expert.readings import expert_readings
    from ludus.parallel import usable_cores

    run_experiment(partial(expert_readings, games, seed, workers or usable_cores(), out), as_json)


def hand_strength(
    games: Annotated[int, typer.Option(help="Games to deal.", min=1, max=10**7)] = 1000,
    plot: Annotated[
        Path | None, typer.Option(help="The plot's file: .png, .svg or .pdf.  [default: in the folder]")
    ] = None,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """How strong hands are on the river, by class and by win rate (Pricope 2020, figure 1)."""
    from ludus.experiments.reproduce.expert.hand_strength import hand_strength

    run_experiment(partial(hand_strength, games, seed, plot, out), as_json)


def pricope_ceiling(
    opponents: Annotated[str, typer.Option(help="From whom: random, random-folding, call, heuristic-mc, expert.")] = (
        "random,random-folding"
    ),
    decisions: Annotated[int, typer.Option(help="Decisions that the table learns from.", min=1)] = 20_000_000,
    games: Annotated[int, typer.Option(help="Freeze-outs of each row.", min=2)] = 20_000,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """How much a table learnt by Q-learning wins from the source's players, beside its learner and its expert.

    Pricope 2020, section 4.4 and table 1. The default takes two minutes on one core.
    """
    from ludus.experiments.reproduce.expert.ceiling import pricope_ceiling

    run_experiment(partial(pricope_ceiling, split_players(opponents), decisions, games, seed, out), as_json)


EXPERIMENTS = (expert_table, expert_readings, hand_strength, pricope_ceiling)
