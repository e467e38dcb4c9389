"""``ludus train nfsp``: networks that learn a small game by playing themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.game_options import Bets, poker_game
from ludus.cli.options import AsJson, Seed, stop_early, whole_number


def nfsp(
    game: Annotated[str, typer.Argument(help="A small game: kuhn, leduc, leduc-nl, kuhn3.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The policy; its training is kept next to it, ending in .training.", show_default="GAME.policy"
        ),
    ] = None,
    preset: Annotated[str, typer.Option(help="Settings: tuned, source-003 or open-spiel.")] = "tuned",
    seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds.", min=0.1)] = None,
    steps: Annotated[str | None, typer.Option(help="Stop after this many decisions, such as 5M.")] = None,
    bets: Bets = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Neural fictitious self-play on a small game: best responses by a Q-network, and their average, exactly measured.

    Ctrl-C saves; the same command goes on from there. Needs PyTorch; the policy then plays without it, as
    `nfsp:FILE`.
    """
    from ludus.cli.views.progress import solver_bar
    from ludus.cli.views.train import show_self_play
    from ludus.files import check_writable
    from ludus.rl.nfsp import PRESETS
    from ludus.rl.self_play import SelfPlayPlan, train_self_play
    from ludus.solvers.running import Limits

    if preset not in PRESETS:
        raise ValueError(f"presets are {', '.join(PRESETS)}, got {preset!r}")
    wanted = None if steps is None else whole_number("--steps", steps)
    limits = Limits(wanted, None, 60.0 if seconds is None and steps is None else seconds)
    played = poker_game(game, bets=bets)
    plan = SelfPlayPlan(played, out or Path(f"{game}.policy"), PRESETS[preset], limits, seed)
    check_writable(plan.out)
    with solver_bar(f"nfsp {game}", limits.iterations, None, limits.seconds) as progress:
        result = train_self_play(plan, progress)
    show_self_play(result, as_json)
    if result["stopped_by"] == "interrupt":
        stop_early(f"the training is kept in {plan.training_file}; the same command goes on from there")
