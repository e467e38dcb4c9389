"""``ludus train deep-cfr``: CFR with networks in place of tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.game_options import Bets, poker_game
from ludus.cli.options import AsJson, Seed, stop_early, whole_number


def deep_cfr(
    game: Annotated[str, typer.Argument(help="A small game of two players: kuhn, leduc, leduc-nl.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The policy; its training is kept next to it, ending in .training.", show_default="GAME.deep-cfr"
        ),
    ] = None,
    preset: Annotated[str, typer.Option(help="Settings: tuned or source-002.")] = "tuned",
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this many seconds.", min=0.1, show_default="120 if nothing else")
    ] = None,
    iterations: Annotated[str | None, typer.Option(help="Stop after this many iterations, such as 500.")] = None,
    target: Annotated[float | None, typer.Option(help="Stop at this exploitability, in mbb/g.")] = None,
    bets: Bets = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Deep CFR on a small game: networks learn regrets from sampled hands, and their average play, exactly measured.

    Ctrl-C saves; the same command goes on from there. Needs PyTorch; the policy then plays without it, as
    `deep-cfr:FILE`.
    """
    from ludus.cli.views.progress import solver_bar
    from ludus.cli.views.train import show_self_play
    from ludus.files import check_writable
    from ludus.rl.deep_cfr import PRESETS
    from ludus.rl.self_play import SelfPlayPlan, train_self_play
    from ludus.solvers.running import Limits

    if preset not in PRESETS:
        raise ValueError(f"presets are {', '.join(PRESETS)}, got {preset!r}")
    played = poker_game(game, bets=bets)
    wanted = None if iterations is None else whole_number("--iterations", iterations)
    goal = None if target is None else target * played.big_blind / 1000
    limits = Limits(wanted, goal, 120.0 if seconds is None and iterations is None and target is None else seconds)
    plan = SelfPlayPlan(played, out or Path(f"{game}.deep-cfr"), PRESETS[preset], limits, seed)
    check_writable(plan.out)
    with solver_bar(f"deep-cfr {game}", limits.iterations, goal, limits.seconds) as progress:
        result = train_self_play(plan, progress)
    show_self_play(result, as_json)
    if result["stopped_by"] == "interrupt":
        stop_early(f"the training is kept in {plan.training_file}; the same command goes on from there")
