"""``ludus train q-learning`` and its successors: learners of small games, against a fixed opponent or by self-play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.game_options import Bets, poker_game
from ludus.cli.options import AsJson, Seed, stop_early, whole_number

GameName = Annotated[str, typer.Argument(help="A small game: kuhn, leduc, leduc-nl.")]
Against = Annotated[
    str | None,
    typer.Option(help="An agent of `ludus agents`, which is read off and does not learn.", show_default="self-play"),
]  # fmt: skip
Seconds = Annotated[
    float | None, typer.Option(help="Stop after this many seconds.", min=0.1, show_default="60 without --steps")
]
Steps = Annotated[str | None, typer.Option(help="Stop after this many decisions, such as 5M.")]
OutFile = Annotated[
    Path | None,
    typer.Option(help="Save the policy, for the agent strategy:FILE; its training is kept next to it."),
]


def q_learning(
    game: GameName, against: Against = None, seconds: Seconds = None, steps: Steps = None, out: OutFile = None,
    bets: Bets = None, seed: Seed = 1, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Q-learning with a table: what the greedy policy earns against an opponent beside the exact best response.

    In self-play it is measured how exploitable the policy is, which does not go to 0: a greedy policy never mixes.
    """
    _train("q-learning", {}, game, against, seconds, steps, out, bets, seed, as_json)


def dqn(
    game: GameName, against: Against = None, seconds: Seconds = None, steps: Steps = None,
    prioritised: Annotated[
        float, typer.Option(help="Draw transitions by their error to this power, such as 0.6.", min=0, max=1)
    ] = 0.0,
    out: OutFile = None, bets: Bets = None, seed: Seed = 1, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Deep Q-learning: a network learns from a memory of transitions what actions are worth. Needs PyTorch."""
    _train("dqn", {"prioritised": prioritised}, game, against, seconds, steps, out, bets, seed, as_json)


def reinforce(
    game: GameName, against: Against = None, seconds: Seconds = None, steps: Steps = None,
    form: Annotated[
        str, typer.Option(help="What a decision is credited with: trajectory, reward-to-go or baseline.")
    ] = "baseline",
    out: OutFile = None, bets: Bets = None, seed: Seed = 1, as_json: AsJson = False,
) -> None:  # fmt: skip
    """REINFORCE: a policy network climbs the return of whole games; the variance of its gradient is measured.

    Needs PyTorch.
    """
    _train("reinforce", {"form": form}, game, against, seconds, steps, out, bets, seed, as_json)


def actor_critic(
    game: GameName, against: Against = None, seconds: Seconds = None, steps: Steps = None, out: OutFile = None,
    bets: Bets = None, seed: Seed = 1, as_json: AsJson = False,
) -> None:  # fmt: skip
    """Actor-critic: a policy network learns from how much better things went than a network of values expected.

    Needs PyTorch.
    """
    _train("actor-critic", {}, game, against, seconds, steps, out, bets, seed, as_json)


def a3c(
    game: GameName, against: Against = None, seconds: Seconds = None, steps: Steps = None,
    workers: Annotated[int, typer.Option(help="Threads that play and learn.", min=1, max=256)] = 4,
    synchronous: Annotated[
        bool, typer.Option("--synchronous", help="Apply the mean gradient of all workers: same seed, same policy.")
    ] = False,
    out: OutFile = None, bets: Bets = None, seed: Seed = 1, as_json: AsJson = False,
) -> None:  # fmt: skip
    """A3C: actor-critics on shared weights, which they change without waiting for each other. Needs PyTorch.

    Results differ by noise from run to run unless the form is synchronous.
    """
    given = {"workers": workers, "synchronous": synchronous}
    _train("a3c", given, game, against, seconds, steps, out, bets, seed, as_json)


def _train(
    algorithm: str, given: dict[str, Any], name: str, against: str | None, seconds: float | None, steps: str | None,
    out: Path | None, bets: str | None, seed: int, as_json: bool,
) -> None:  # fmt: skip
    """Train one of the learners; ``given`` are settings that differ from the usual ones."""
    from ludus.cli.views.progress import solver_bar
    from ludus.cli.views.train import show_learner
    from ludus.files import check_writable
    from ludus.rl.training import LearnerPlan, train_learner, usual_settings
    from ludus.solvers.running import Limits

    wanted = None if steps is None else whole_number("--steps", steps)
    limits = Limits(wanted, None, 60.0 if seconds is None and steps is None else seconds)
    game = poker_game(name, bets=bets)
    opponent = None
    if against is not None:
        from ludus.agents import make
        from ludus.arena.whole_strategy import check_whole, whole_strategy

        check_whole(game)
        opponent = whole_strategy(make(against, game), game, against)
    if out is not None:
        check_writable(out)
    plan = LearnerPlan(algorithm, game, limits, opponent, replace(usual_settings(algorithm), **given), seed, out)
    title = f"{algorithm} {name}" + (f" against {against}" if against else "")
    measure = "still to win" if against else "exploitability"
    with solver_bar(title, limits.iterations, None, limits.seconds, measure) as progress:
        result = train_learner(plan, progress)
    show_learner(result, as_json)
    if result["stopped_by"] == "interrupt":
        kept = f"the training is kept in {plan.training_file}; the same command goes on from there"
        stop_early(kept if plan.training_file else "nothing is kept without --out FILE")


LEARNERS = (q_learning, dqn, reinforce, actor_critic, a3c)
