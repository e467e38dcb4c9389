"""``ludus reproduce value-networks, blop, nfsp-holdem, deep-cfr``: networks that learn, as PyTorch trains them."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from ludus.cli.options import AsJson, Out, Seed, whole_number
from ludus.cli.research.reproduce import run_experiment, split_players


def value_networks(
    stage: Annotated[str, typer.Option(help="river or turn.")] = "river",
    situations: Annotated[str, typer.Option(help="Situations to learn from and to be judged by.")] = "20k",
    steps: Annotated[int, typer.Option(help="Batches that each network learns from.", min=1)] = 6000,
    batch: Annotated[
        int | None, typer.Option(help="Situations of a batch.", min=1, show_default="512, 32 without a GPU")
    ] = None,
    device: Annotated[str | None, typer.Option(help="PyTorch's device.", show_default="a GPU if there is one")] = None,
    seed: Seed = 0,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Forms of value networks for hold'em on the same situations: the source's over clusters, over hands, hand by hand.

    Situations are solved exactly and kept. Needs PyTorch, and a GPU unless there are few situations and steps.
    """
    from ludus.experiments.reproduce.value_networks import value_networks

    count = whole_number("--situations", situations, 10)
    run_experiment(partial(value_networks, stage, count, steps, batch, device, seed, out), as_json)


def blop(
    quick: Annotated[bool, typer.Option("--quick", help="500 episodes of one seed: two minutes on one core.")] = False,
    episodes: Annotated[
        int | None, typer.Option(help="Episodes of each run.", min=500, show_default="5000, 500 if quick")
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Runs, one a seed.", min=1, show_default="5, 1 if quick")] = None,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Neural fictitious play beside Double DQN on the game Blop, with an enemy that stands still and one that moves.

    Pricope 2020, figure 5. Needs PyTorch and Gymnasium. Stopped with Ctrl-C, it goes on when the same command is given
    again.
    """
    from dataclasses import replace

    from ludus.experiments.reproduce.blop import QUICK, BlopPlan, blop

    plan = replace(QUICK if quick else BlopPlan(), seed=seed)
    wished = {"episodes": episodes, "seeds": seeds}
    plan = replace(plan, **{name: value for name, value in wished.items() if value is not None})
    run_experiment(partial(blop, plan, out), as_json)


def nfsp_holdem(
    games: Annotated[int, typer.Option(help="Games of training against each opponent.", min=50)] = 15_000,
    test_games: Annotated[int, typer.Option(help="Games of each row of the table.", min=50)] = 1000,
    opponents: Annotated[str, typer.Option(help="One after the other: random, call, heuristic-mc, expert.")] = (
        "random,expert,expert:model"
    ),
    preset: Annotated[str, typer.Option(help="Settings: tuned or source-003.")] = "tuned",
    episode: Annotated[str, typer.Option(help="What it wins the most chips by: a game or a hand.")] = "game",
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Neural fictitious play in heads-up no-limit hold'em, on pictures, against one opponent after the other.

    Pricope 2020, section 4.4. Needs PyTorch. Stopped with Ctrl-C, it goes on when the same command is given again.
    """
    from ludus.experiments.reproduce.nfsp_holdem import HoldemPlan, nfsp_holdem

    plan = HoldemPlan(split_players(opponents), games, test_games, preset, seed, episode)
    run_experiment(partial(nfsp_holdem, plan, out), as_json)


def deep_cfr(
    game: Annotated[str, typer.Option(help="kuhn, leduc or leduc-nl.")] = "leduc",
    seconds: Annotated[float, typer.Option(help="CPU time of each contender.", min=1)] = 120,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Deep CFR beside Single Deep CFR, CFR with tables and OpenSpiel's Deep CFR: by nodes touched and by CPU time.

    Needs PyTorch; OpenSpiel takes part where it is installed.
    """
    from ludus.experiments.reproduce.deep_cfr import deep_cfr

    run_experiment(partial(deep_cfr, game, seconds, seed, out), as_json)


EXPERIMENTS = (value_networks, blop, nfsp_holdem, deep_cfr)
