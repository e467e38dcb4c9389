"""``ludus bench``: speeds, ours and the peers', measured in the same run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    help="Measure speeds: ours, and the peers' in the same run where they are installed.", no_args_is_help=True
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers.", min=0)]


def best_rate(what: str, work: Callable[[], float], repeats: int = 5) -> float:
    """Units per second of the fastest of some runs: the one least disturbed by the rest of the machine."""
    from rich.console import Console

    rates = []
    with Console(stderr=True).status(f"measuring {what}"):
        for _ in range(repeats):
            start = time.perf_counter()
            units = work()
            rates.append(units / (time.perf_counter() - start))
    return max(rates)


def show(title: str, result: dict[str, Any], as_json: bool) -> None:
    """Print a result as JSON or as a table of its numbers and its peers."""
    if as_json:
        print(json.dumps(result, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    peers = result.get("peers", {})
    ratios = sorted({key for peer in peers.values() for key in peer if key.startswith("ratio")})
    table = Table(title=title, box=None, title_justify="left")
    for column in ("", "per second", *(key.replace("_", " ") for key in ratios)):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for name, value in result.items():
        if "_per_second" in name:
            table.add_row(name.replace("_", " "), f"{value:,.0f}")
    for name, peer in peers.items():
        table.add_row(name, f"{peer['per_second']:,.0f}", *(f"{peer[key]:,.1f}" for key in ratios))
    Console().print(table)
    rest = {name: value for name, value in result.items() if "per_second" not in name and name != "peers"}
    Console().print(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in rest.items()), style="dim")


@app.command()
def evaluator(
    hands: Annotated[int, typer.Option(help="Random hands to draw in each run.", min=1000, max=10**11)] = 100_000_000,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Rank seven-card hands: drawn at random inside the kernel on all cores, and all 133,784,560 in order on one."""
    from ludus.cards.census import draw_hands, enumerate_checksum
    from ludus.cli.peers import evaluator_peers
    from ludus.cli.research.reproduce import SOURCE_HANDS_PER_SECOND
    from ludus.parallel import usable_cores

    cores = usable_cores()
    draw_hands(1000, seed)  # compiled or loaded before the clock starts
    enumerate_checksum()
    one_core = best_rate("random hands, one core", lambda: int(draw_hands(hands // cores, seed).sum()))
    result: dict[str, Any] = {
        "random_hands_per_second": best_rate("random hands", lambda: int(draw_hands(hands, seed, cores).sum())),
        "random_hands_per_second_one_core": one_core,
        "enumerated_hands_per_second": best_rate("all hands in order", lambda: int(enumerate_checksum()[0])),
        "cores": cores,
        "hands": hands,
        "seed": seed,
        "source_hands_per_second": SOURCE_HANDS_PER_SECOND,
    }
    result["peers"] = {
        name: {"per_second": rate, "ratio": one_core / rate}  # one core each, hands drawn beforehand for the peer
        for name, rate in evaluator_peers(seed)
    }
    show("Seven-card hands ranked", result, as_json)


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
    from ludus.cli.peers import engine_peers, play_compiled, play_readable

    result: dict[str, Any] = {}
    actions_readable = play_readable(5000, seed)[1]  # compiled or loaded before the clock starts, here and below
    for players in (2, 6):
        result[f"actions_per_hand_{players}p"] = round(play_compiled(players, hands, seed)[1] / hands, 3)
        rate = best_rate(f"compiled, {players} players", lambda: play_compiled(players, hands, seed)[0])  # noqa: B023
        result[f"compiled_hands_per_second_{players}p"] = rate
    readable = best_rate("readable", lambda: play_readable(5000, seed)[0])
    result["readable_hands_per_second_2p"] = readable
    result["readable_actions_per_hand_2p"] = round(actions_readable / 5000, 3)
    result |= {"hands": hands, "seed": seed, "cores": 1}
    result["peers"] = {
        name: {
            "per_second": rate,
            "actions_per_hand": actions,
            "ratio_compiled": result["compiled_hands_per_second_2p"] / rate,
            "ratio_readable": readable / rate,
        }
        for name, rate, actions in engine_peers(seed)
    }
    show("Random hold'em hands", result, as_json)


@app.command()
def cfr(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions and games, no NashConv of 1e-4.")] = False,
    peer_seconds: Annotated[
        float | None, typer.Option(help="Longest time of a peer on one game; 60, or 20 when quick.", min=0.01)
    ] = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Solve limit and no-limit Leduc on one core: iterations a second, and seconds to a NashConv of 1e-2, 1e-3, 1e-4.

    Ratios: what OpenSpiel's CFR+ (in C++) and LiteEFG's take to 1e-3 over what our dcfr takes, on the same game.
    """
    from ludus.cli.bench_cfr import measure, show_speeds

    result = measure(quick, peer_seconds, seed)
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        show_speeds(result)


@app.command()
def spots(
    files: Annotated[
        list[Path] | None, typer.Argument(help="TOML files of spots.", show_default="a river, a turn and a flop")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Threads.", min=1, show_default="all cores")] = None,
    repeats: Annotated[int, typer.Option(help="The best of so many runs.", min=1)] = 1,
    as_json: AsJson = False,
) -> None:
    """Solve hold'em spots: seconds to an exploitability of 0.5 % and of 0.1 % of the pot, memory, iterations.

    Compilation is not counted.
    """
    from ludus.cli.bench_spots import bench_spots, show_spots
    from ludus.parallel import usable_cores

    result = bench_spots(files or [], workers or usable_cores(), repeats)
    if as_json:
        print(json.dumps(result, indent=2))
    else:
        show_spots(result)


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
    from ludus.cli.bench_spots import bench_rivers

    show("Random river spots solved", bench_rivers(spots, batch, target, seed, device), as_json)


@app.command()
def arena(seed: Seed = 1, as_json: AsJson = False) -> None:
    """Play matches with their logs on one core, and deal to two programs over the ACPC protocol.

    Compilation is not counted. OpenSpiel's game is the small one, limit Leduc, and keeps no log.
    """
    from ludus.cli.bench_arena import bench_arena

    show("Hands of matches", bench_arena(seed, best_rate), as_json)


@app.command()
def blueprint(
    quick: Annotated[bool, typer.Option("--quick", help="Short runs; no buckets in the tree.")] = False,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train blueprints: outcome sampling on source S1's key, external sampling on a heads-up tree with buckets.

    Speeds are of one core, in CPU seconds, but where all are named; a hand is one sampled end of a hand, 100 big
    blinds. Bucket tables that are not there yet are built first. OpenSpiel's samplers walk the same betting tree as
    ours beside them.
    """
    from ludus.cli.bench_blueprint import bench_blueprint

    show("Hands of self-play", bench_blueprint(seed, quick), as_json)


@app.command()
def server(
    tables: Annotated[int, typer.Option(help="People, each at a table of his own.", min=1, max=2000)] = 200,
    hands: Annotated[int, typer.Option(help="Hands that each of them plays.", min=1)] = 60,
    think: Annotated[float, typer.Option(help="Seconds that they think before they act, on average.", min=0)] = 0.5,
    level: Annotated[int, typer.Option(help="Level of the blueprint they play against.", min=1, max=5)] = 3,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Play at many tables of a web server at once, heads-up against the AI: latency of moves, hands, memory.

    Server, AI and the crowd share this machine. A move lasts from the message sent to the one that shows that it is
    one's turn again or the hand is over.
    """
    from ludus.cli.bench_server import bench_server

    show("Hands at the tables of a server", bench_server(tables, hands, think, level, seed), as_json)
