"""``ludus train values``: value networks for re-solving."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.game_options import Bets, poker_game
from ludus.cli.options import Ray, stop_early, whole_number

SMALL, HOLDEM = "Small games", "Hold'em"


def values(
    game: Annotated[str, typer.Argument(help="A small game of two streets, leduc or leduc-nl; or holdem, heads-up.")],
    stage: Annotated[
        str | None,
        typer.Option(
            help="Hold'em: river, turn-end, turn, flop-end, flop or preflop-end, each after those it learns from.",
            show_default=False, rich_help_panel=HOLDEM,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The network's file, in hold'em the folder of all networks; situations are kept next to them.",
            show_default="GAME.values",
        ),
    ] = None,
    situations: Annotated[
        str | None, typer.Option(help="Situations to learn from, such as 20k.", show_default="150k, hold'em 40k")
    ] = None,
    epochs: Annotated[
        int | None,
        typer.Option(help="How often each is learnt from.", min=1, show_default="150", rich_help_panel=SMALL),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="Batches to learn from.", min=1, show_default="20,000", rich_help_panel=HOLDEM)
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            help="Situations of a batch.", min=1, show_default="512, 32 without a GPU", rich_help_panel=HOLDEM
        ),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(help="To solve a situation.", min=1, show_default="40", rich_help_panel=HOLDEM)
    ] = None,
    block: Annotated[
        int | None,
        typer.Option(
            help="Situations that are solved together: a file, and a task with --ray.", min=1,
            show_default="256 to 2,048, by stage", rich_help_panel=HOLDEM,
        ),
    ] = None,
    play: Annotated[
        float | None,
        typer.Option(
            help="Share of situations with ranges from play, by the folder's networks.", min=0, max=1,
            show_default="0", rich_help_panel=HOLDEM,
        ),
    ] = None,
    go_on: Annotated[
        bool, typer.Option("--go-on", help="Go on from the network that is there.", rich_help_panel=HOLDEM)
    ] = False,
    device: Annotated[
        str | None,
        typer.Option(help="PyTorch's device.", show_default="a GPU if there is one", rich_help_panel=HOLDEM),
    ] = None,
    solve_on: Annotated[
        str | None,
        typer.Option(
            help="The device that solves situations; with --ray that of other machines, where cuda takes a GPU a task.",
            show_default="as --device", rich_help_panel=HOLDEM,
        ),
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Learn while situations are still being made.", rich_help_panel=HOLDEM)
    ] = False,
    window: Annotated[
        str | None,
        typer.Option(
            help="With --stream: situations in memory, such as 500k.", show_default="all", rich_help_panel=HOLDEM
        ),
    ] = None,
    width: Annotated[
        int | None, typer.Option(help="Neurons of a layer.", min=1, max=4096, show_default="128, hold'em 64")
    ] = None,
    layers: Annotated[
        int | None, typer.Option(help="Hidden layers.", min=1, max=50, show_default="5, hold'em 2")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same network.", min=0)] = 0,
    bets: Bets = None,
    ray: Ray = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:  # fmt: skip
    """Train a value network: what every hand is worth where a look-ahead ends, for the agent `resolver`.

    Random situations are solved and learnt from; some are kept to judge the network by. In a small game these are the
    beginnings of the second street, and the agent's exploitability with the network is measured over the whole game.
    Hold'em has a network for each stage: the river and the turn are solved exactly; the end of a street learns from the
    beginning of the next, and the flop from its end.

    Ctrl-C keeps the situations that are ready, and the network as it was last judged; the same command goes on from
    there, in hold'em with training too. Needs PyTorch: pip install 'ludus\\[torch]'.
    """
    sizes = {name: size for name, size in (("width", width), ("layers", layers)) if size is not None}
    if game == "holdem":
        _refuse(game, {"--epochs": epochs, "--bets": bets})
        chosen = {"steps": steps, "batch": batch, "seed": seed}
        plan = {"iterations": iterations, "play": play, "situations": situations, "window": window}
        plan |= {"solve_on": solve_on, "stream": stream, "go_on": go_on, "together": block}
        _holdem_values(stage, out, device, plan, chosen, sizes, ray, as_json)
        return
    _refuse(game, {
        "--stage": stage, "--steps": steps, "--batch": batch, "--iterations": iterations, "--block": block,
        "--play": play, "--device": device, "--solve-on": solve_on, "--window": window, "--go-on": go_on or None,
        "--stream": stream or None,
    })  # fmt: skip
    _small_values(game, out, situations or "150k", epochs, sizes, seed, bets, ray, as_json)


def _refuse(game: str, options: dict[str, object]) -> None:
    """ValueError for options that mean nothing in a game."""
    if given := next((name for name, value in options.items() if value is not None), None):
        raise ValueError(f"{given} has no meaning for the networks of {game}: leave it out")


def _holdem_values(
    stage: str | None, out: Path | None, device: str | None, plan: dict[str, Any], recipe: dict[str, int | None],
    sizes: dict[str, int], ray: str | None, as_json: bool,
) -> None:  # fmt: skip
    """The network of a stage of hold'em."""
    from ludus.cli.views.progress import stages
    from ludus.cli.views.train import show_stage
    from ludus.files import check_writable
    from ludus.nets.holdem.network import STAGES, HandShape

    if stage is None:
        raise ValueError(f"hold'em has a network for each stage: give --stage, one of {', '.join(STAGES)}")
    from ludus.nets.holdem.devices import check_device

    where = check_device(device)
    from ludus.nets.holdem.runs import StagePlan, train_stage
    from ludus.nets.holdem.training import HandRecipe
    from ludus.nets.runs import Interrupted
    from ludus.parallel import open_engine

    given = {name: value for name, value in plan.items() if value is not None}
    for name, least in (("situations", 10), ("window", 1)):
        if name in given:
            given[name] = whole_number(f"--{name}", given[name], least)
    if "solve_on" in given and ray is None:
        check_device(given["solve_on"])
    chosen = {name: value for name, value in recipe.items() if value is not None}
    learning = HandRecipe(**{"batch": 512 if where.startswith("cuda") else 32, **chosen})
    wanted = StagePlan(
        stage, out or Path("holdem.values"), **given, shape=HandShape(**sizes), recipe=learning, device=where
    )
    check_writable(wanted.file)
    try:
        with open_engine(ray=ray) as engine, stages(engine) as progress:
            result = train_stage(wanted, progress, engine) | {"engine": engine.figures()}
    except Interrupted as kept:
        stop_early(f"{kept}; the same command goes on from there")
    show_stage(result, as_json)
    if not result["finished"]:
        stop_early(f"training is kept after {result['steps']} steps; the same command goes on from there")


def _small_values(
    game: str, out: Path | None, situations: str, epochs: int | None, sizes: dict[str, int], seed: int,
    bets: str | None, ray: str | None, as_json: bool,
) -> None:  # fmt: skip
    """The network of a small game, and what it is good for."""
    from ludus.arena.whole_strategy import whole_strategy
    from ludus.cli.views.amounts import in_mbb
    from ludus.cli.views.progress import stages
    from ludus.cli.views.train import show_values
    from ludus.files import check_writable
    from ludus.nets.runs import Interrupted, ValuesPlan, train_values
    from ludus.nets.small_games import NetworkLeaves
    from ludus.nets.training import Recipe
    from ludus.parallel import open_engine
    from ludus.search.resolver import Resolver
    from ludus.search.small_games import SmallGames
    from ludus.solvers import measure

    played = poker_game(game, bets=bets)
    recipe = Recipe(seed=seed) if epochs is None else Recipe(epochs=epochs, seed=seed)
    count = whole_number("--situations", situations, 10)
    plan = ValuesPlan(played, out or Path(f"{game}.values"), count, **sizes, recipe=recipe)
    check_writable(plan.out)
    try:
        with open_engine(ray=ray) as engine, stages(engine) as progress:
            result = train_values(plan, progress, engine) | {"engine": engine.figures()}
    except Interrupted as kept:
        stop_early(f"{kept}; the same command goes on from there")
    player = Resolver(SmallGames(lambda game: NetworkLeaves.load(plan.out, game)))
    (found,) = measure(whole_strategy(player, played))
    result["exploitability_mbb"] = in_mbb(played, found.exploitability)
    show_values(result, as_json)
    if not result["finished"]:
        stop_early(f"the network of {result['epochs']} epochs is saved in {plan.out}")
