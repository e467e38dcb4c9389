"""``ludus bench``: speeds, ours and the peers', measured in the same run."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.options import AsJson

app = typer.Typer(
    help="Measure speeds: ours, and the peers' in the same run where they are installed.", no_args_is_help=True
)
Seed = Annotated[int, typer.Option(help="Seed of the random numbers.", min=0)]


@app.command()
def evaluator(
    hands: Annotated[int, typer.Option(help="Random hands to draw in each run.", min=1000, max=10**11)] = 100_000_000,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Rank seven-card hands: drawn at random inside the kernel on all cores, and all 133,784,560 in order on one."""
    from ludus.cli.views.bench import show, show_rates
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.evaluator import bench_evaluator

    with measuring() as tell:
        result = bench_evaluator(hands, seed, tell)
    show(result, as_json, partial(show_rates, "Seven-card hands ranked"))


@app.command()
def engine(
    hands: Annotated[
        int, typer.Option(help="Hands of the compiled engine in each run.", min=1000, max=10**9)
    ] = 1_000_000,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Play random no-limit hold'em, 100 big blinds, on one core.

    Policy: fold (when facing a bet), call and raise are equally likely, and so are all sizes of a raise.
    """
    from ludus.cli.views.bench import show, show_rates
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.engine import bench_engine

    with measuring() as tell:
        result = bench_engine(hands, seed, tell)
    show(result, as_json, partial(show_rates, "Random hold'em hands"))


@app.command()
def cfr(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions and games, no NashConv of 1e-4.")] = False,
    peer_seconds: Annotated[
        float | None, typer.Option(help="Longest time of a peer on one game; 60, or 20 when quick.", min=0.01)
    ] = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Solve limit and no-limit Leduc on one core: iterations per second, and seconds to a NashConv of 1e-2, 1e-3, 1e-4.

    Ratios: what OpenSpiel's CFR+ (in C++) and LiteEFG's take to 1e-3 over what our dcfr takes, on the same game.
    """
    from ludus.cli.views.bench import show, show_cfr
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.cfr import bench_cfr

    with measuring() as tell:
        result = bench_cfr(quick, peer_seconds, seed, tell)
    show(result, as_json, show_cfr)


@app.command()
def spots(
    files: Annotated[
        list[Path] | None, typer.Argument(help="TOML files of spots.", show_default="a river, a turn and a flop")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Threads.", min=1, show_default="all cores")] = None,
    repeats: Annotated[int, typer.Option(help="The best of this many runs.", min=1)] = 1,
    as_json: AsJson = False,
) -> None:
    """Solve hold'em spots: seconds to an exploitability of 0.5 % and of 0.1 % of the pot, memory, iterations.

    Compilation is not counted.
    """
    from ludus.cli.views.bench import show, show_spots
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.spots import bench_spots
    from ludus.parallel import usable_cores

    with measuring() as tell:
        result = bench_spots(files or [], workers or usable_cores(), repeats, tell)
    show(result, as_json, show_spots)


@app.command()
def rivers(
    spots: Annotated[int, typer.Option(help="Spots in all.", min=1)] = 8192,
    batch: Annotated[int, typer.Option(help="Spots solved together.", min=1)] = 2048,
    target: Annotated[float, typer.Option(help="Mean exploitability of a batch, in percent of the pot.")] = 0.3,
    device: Annotated[str | None, typer.Option(help="PyTorch's device.", show_default="a GPU if there is one")] = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Solve random river spots in batches with PyTorch: fold, call, pot, all-in; stacks of 0.25 to 5 pots."""
    from ludus.cli.views.bench import show, show_rates
    from ludus.experiments.bench.rivers import bench_rivers

    result = bench_rivers(spots, batch, target, seed, device)
    show(result, as_json, partial(show_rates, "Random river spots solved"))


@app.command()
def arena(seed: Seed = 1, as_json: AsJson = False) -> None:
    """Play matches with their logs on one core, and deal to two programs over the ACPC protocol.

    Compilation is not counted. OpenSpiel's game is the small one, limit Leduc, and keeps no log.
    """
    from ludus.cli.views.bench import show, show_rates
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.arena import bench_arena

    with measuring() as tell:
        result = bench_arena(seed, tell)
    show(result, as_json, partial(show_rates, "Hands of matches"))


@app.command()
def blueprint(
    quick: Annotated[bool, typer.Option("--quick", help="Short runs; no buckets in the tree.")] = False,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train blueprints: outcome sampling on the key of Aparicio (2025), external sampling on a tree with buckets.

    Speeds are of one core, in CPU seconds, except where all are named; a hand is one sampled end of a hand, 100 big
    blinds. Bucket tables that are not there yet are built first. OpenSpiel's samplers walk the same betting tree as
    ours do.
    """
    from ludus.cli.views.bench import show, show_rates
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.blueprint import bench_blueprint

    with measuring() as tell:
        result = bench_blueprint(seed, quick, tell)
    show(result, as_json, partial(show_rates, "Hands of self-play"))


@app.command()
def thinking(
    hands: Annotated[int, typer.Option(help="Hands that it plays against itself.", min=1)] = 20,
    agent: Annotated[str, typer.Option(help="Who thinks, as in `ludus match`.")] = "resolver",
    stack: Annotated[int, typer.Option(help="Stacks in big blinds.", min=1, max=10_000)] = 100,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Seconds that an agent thinks about a decision of heads-up no-limit hold'em, by street.

    Compilation is not counted. What was thought before the flop is remembered from hand to hand.
    """
    from ludus.cli.views.bench import show, show_thinking
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.thinking import bench_thinking

    with measuring() as tell:
        result = bench_thinking(agent, hands, stack, seed, tell)
    show(result, as_json, show_thinking)


@app.command()
def advice(
    decisions: Annotated[int, typer.Option(help="Decisions of each street.", min=1)] = 20,
    street: Annotated[list[str] | None, typer.Option(help="river, turn or flop.", show_default="all")] = None,
    seconds: Annotated[float, typer.Option("--time", help="Seconds of thinking about a decision.")] = 1.0,
    hands: Annotated[int, typer.Option(help="Hands that are judged in one solution.", min=1, max=1000)] = 10,
    target: Annotated[float, typer.Option(help="Percent of the pot that exact solutions are solved to.")] = 0.1,
    stack: Annotated[int, typer.Option(help="Stacks in big blinds.", min=1, max=1000)] = 100,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """What following the advice costs in heads-up hold'em: its regret in exact solutions of the same subgames.

    Spots are from hands that the blueprint plays against itself, and so is what a player holds there. Regrets are
    parts of the pot, and their interval is that of spots. On two cores an exact river takes a fraction of a second, a
    turn some seconds, a flop minutes. Ctrl-C shows what was found.
    """
    from ludus.cli.views.bench import show, show_advice
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.advice import STREETS, bench_advice

    with measuring() as tell:
        result = bench_advice(street or STREETS, decisions, seconds, seed, stack, tell, hands, target)
    show(result, as_json, show_advice)


@app.command()
def values(
    spots: Annotated[int, typer.Option(help="Spots of each street.", min=1)] = 64,
    ranges: Annotated[str, typer.Option(help="random, or play: as look-aheads with the networks lead to.")] = "random",
    networks: Annotated[Path | None, typer.Option(help="A folder of networks.", show_default="those shipped")] = None,
    stage: Annotated[
        list[str] | None, typer.Option(help="turn, flop or preflop-end.", show_default="turn, flop")
    ] = None,
    deepest: Annotated[float, typer.Option(help="The deepest stacks, in pots.")] = 3.0,
    device: Annotated[str, typer.Option(help="Solve turns on a device of PyTorch, such as cuda.")] = "cpu",
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """How wrong the value networks of hold'em are: turns and flops are solved exactly and compared.

    Errors are parts of the pot. On two cores a turn takes half a second, a flop fifteen, the
    end of the betting before the flop a minute and a half: four of its flops are solved.
    """
    from ludus.cli.views.bench import show, show_value_errors
    from ludus.cli.views.progress import stages
    from ludus.experiments.bench.values import bench_values

    with stages() as progress:
        result = bench_values(stage or ("turn", "flop"), ranges, spots, seed, networks, progress, deepest, device)
    show(result, as_json, show_value_errors)


@app.command()
def plays(
    seconds: Annotated[float, typer.Option("--time", help="Seconds of thinking about a decision.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """How many standard plays of hold'em the advice takes, and how many it grades as fine or best.

    These are decisions of 2 and of 6 players about which no strong player disagrees. One is advised when the most
    played action is accepted and at most a tenth of the mix is on others.
    """
    from ludus.cli.views.bench import show, show_plays
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.plays import bench_plays

    with measuring() as tell:
        result = bench_plays(seconds, tell)
    show(result, as_json, show_plays)


@app.command()
def exploiter(
    against: Annotated[
        list[str] | None, typer.Argument(help="Opponents.", show_default="five kinds of players")
    ] = None,
    seats: Annotated[int, typer.Option(help="Players at the table; the opponent takes all seats but one.")] = 6,
    hands: Annotated[int, typer.Option(help="Hands against each.", min=2)] = 1200,
    stack: Annotated[int, typer.Option(help="Stacks in big blinds.", min=1, max=10_000)] = 100,
    player: Annotated[str, typer.Option(help="Who is measured, as in `ludus match`.")] = "exploiter",
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """What the exploiter wins more than its blueprint, from the same opponents with the same cards.

    It begins without any memory of them and learns from hand to hand. Every deal is played from every seat, by both.
    """
    from ludus.cli.views.bench import show, show_exploiter
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.exploiter import AGAINST, bench_exploiter

    with measuring() as tell:
        result = bench_exploiter(against or AGAINST, seats, hands, stack, seed, tell, player)
    show(result, as_json, show_exploiter)


@app.command()
def fast(
    spots: Annotated[int, typer.Option(help="Spots for each range of stacks.", min=1)] = 10,
    workers: Annotated[int | None, typer.Option(help="Threads.", min=1, show_default="all cores")] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """How wrong `ludus solve spot --fast` is on flops: the errors of EVs, and what is lost by playing it.

    Each spot is also solved exactly, and once more for each player who plays the flop as the fast solution does. The
    JSON of this command is what `--fast` states; half an hour on two cores.
    """
    from ludus.cli.views.bench import show, show_fast
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.fast import bench_fast
    from ludus.parallel import usable_cores

    with measuring() as tell:
        result = bench_fast(spots, seed, workers or usable_cores(), tell)
    show(result, as_json, show_fast)


@app.command()
def cluster(
    tasks: Annotated[int, typer.Option(help="Tasks of each measurement.", min=10)] = 60,
    busy: Annotated[
        bool, typer.Option("--busy", help="Tasks that compute instead of waiting: for idle machines.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """What `--ray` costs on this machine: overhead of a task, efficiency of one and two workers, bytes moved.

    Tasks wait for 100 ms, so that what is lost is the engine's and not that of other programs beside it.
    """
    from ludus.cli.views.bench import show, show_rates
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.cluster import bench_cluster

    with measuring() as tell:
        result = bench_cluster(tasks, busy, tell)
    show(result, as_json, partial(show_rates, "Tasks on a Ray cluster"))


@app.command()
def copies(
    deals: Annotated[int, typer.Option(help="Deals of each duel.", min=2)] = 60_000,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """What copies that are merged (`ludus train blueprint --copies`) cost in strength, by duels of small blueprints.

    Where Ray is installed, also what shards of regrets would be at best for the same CPU time.
    """
    from ludus.cli.views.bench import show, show_copies
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.copies import bench_copies

    with measuring() as tell:
        result = bench_copies(deals, seed, tell)
    show(result, as_json, show_copies)


@app.command()
def scale(
    quick: Annotated[bool, typer.Option("--quick", help="Shorter measurements.")] = False,
    as_json: AsJson = False,
) -> None:
    """Plan large runs on up to 1,000 cores: task times measured here, then a simulated cluster (docs/scale.md).

    The plans are a blueprint of 12,400 core-hours, ten million situations of the flop, a match of a million hands, and
    all 1,755 flops after 50 lines of play before the flop.
    """
    from ludus.cli.views.bench import show, show_scale
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.scale import bench_scale

    with measuring() as tell:
        result = bench_scale(quick, tell)
    show(result, as_json, show_scale)
