"""``ludus train deep-cfr``: CFR with networks in place of tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.game_options import Bets, poker_game
from ludus.cli.options import AsJson, Seed, stop_early, whole_number

if TYPE_CHECKING:
    from ludus.rl.deep_cfr import DeepCfrSettings

HOLDEM_BETS = "100%, a"


def deep_cfr(
    game: Annotated[str, typer.Argument(help="A game of two players: kuhn, leduc, leduc-nl, holdem.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The policy; its training is kept next to it, ending in .training.", show_default="GAME.deep-cfr"
        ),
    ] = None,
    preset: Annotated[str, typer.Option(help="Settings: tuned, source-002 or, for hold'em, large.")] = "tuned",
    average: Annotated[
        str, typer.Option(help="A network learns it (network), or it is what all networks played (single).")
    ] = "network",
    seconds: Annotated[
        float | None, typer.Option(help="Stop after this many seconds.", min=0.1, show_default="120 if nothing else")
    ] = None,
    iterations: Annotated[str | None, typer.Option(help="Stop after this many iterations, such as 500.")] = None,
    target: Annotated[float | None, typer.Option(help="Stop at this exploitability, in mbb/g.")] = None,
    bets: Bets = None,
    stack: Annotated[float, typer.Option(help="Hold'em: stacks in big blinds, whole or half ones.", min=1)] = 100.0,
    cards: Annotated[str, typer.Option(help="Hold'em: the name or file of buckets that tell hands apart.")] = "200",
    device: Annotated[str, typer.Option(help="PyTorch's device for the networks, such as cuda.")] = "cpu",
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Deep CFR: networks learn regrets from sampled hands, and their average play; small games are measured exactly.

    Ctrl-C saves; the same command goes on from there. Needs PyTorch; the policy then plays without it, as
    `deep-cfr:FILE`. In hold'em the average is written down for every information set of a bet menu and buckets.
    """
    from ludus.cli.views.progress import solver_bar
    from ludus.cli.views.train import show_self_play
    from ludus.files import check_writable
    from ludus.nets.holdem.devices import check_device
    from ludus.rl.deep_cfr import HOLDEM_PRESETS, PRESETS
    from ludus.rl.self_play import SelfPlayPlan, train_self_play
    from ludus.solvers.running import Limits

    wanted = None if iterations is None else whole_number("--iterations", iterations)
    presets, where = HOLDEM_PRESETS if game == "holdem" else PRESETS, check_device(device)
    if preset not in presets:
        raise ValueError(f"presets are {', '.join(presets)}, got {preset!r}")
    settings = replace(presets[preset], average=average)
    if game == "holdem":
        file = out or Path("holdem.deep-cfr")
        _holdem(file, settings, bets, stack, cards, wanted, seconds, target, where, seed, as_json)
        return
    played = poker_game(game, bets=bets)
    goal = None if target is None else target * played.big_blind / 1000
    limits = Limits(wanted, goal, 120.0 if seconds is None and iterations is None and target is None else seconds)
    plan = SelfPlayPlan(played, out or Path(f"{game}.deep-cfr"), settings, limits, seed, where)
    check_writable(plan.out)
    with solver_bar(f"deep-cfr {game}", limits.iterations, goal, limits.seconds) as progress:
        result = train_self_play(plan, progress)
    show_self_play(result, as_json)
    if result["stopped_by"] == "interrupt":
        stop_early(f"the training is kept in {plan.training_file}; the same command goes on from there")


def _holdem(
    out: Path, settings: DeepCfrSettings, bets: str | None, stack: float, cards: str, iterations: int | None,
    seconds: float | None, target: float | None, device: str, seed: int, as_json: bool,
) -> None:  # fmt: skip
    from ludus.cli.views.progress import solver_bar
    from ludus.cli.views.train import show_deep_holdem
    from ludus.files import check_writable
    from ludus.rl.self_play import HoldemPlan, train_holdem
    from ludus.solvers.blueprint.presets import make_abstraction
    from ludus.solvers.running import Limits

    if target is not None:
        raise ValueError("nobody measures hold'em exactly: leave --target out")
    abstraction = make_abstraction(2, stack, "tree", cards, bets or HOLDEM_BETS)
    limits = Limits(iterations, None, 900.0 if seconds is None and iterations is None else seconds)
    plan = HoldemPlan(abstraction, out, settings, limits, seed, device)
    check_writable(plan.out)
    with solver_bar("deep-cfr holdem", limits.iterations, None, limits.seconds) as progress:
        result = train_holdem(plan, progress)
    show_deep_holdem(result, as_json)
    if result["stopped_by"] == "interrupt":
        stop_early(f"the training is kept in {plan.training_file}; the same command goes on from there")
