"""``ludus bench start, server, statistics``: what a web server takes, measured at a real one."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated

import typer

from ludus.cli.options import AsJson
from ludus.cli.research.bench import Seed

SERVER = (
    "import sys; from pathlib import Path; from ludus.server.running import serve; from ludus.server.settings import "
    "Settings; serve(Settings(port=0, folder=Path(sys.argv[3]), limits=False, warm_up=False, helpers=1, "
    "processes=int(sys.argv[1]), database=sys.argv[2]))"
)


def _command(processes: int = 1, db: str = "") -> list[str]:
    """What starts a server, with a folder after it."""
    return [sys.executable, "-c", SERVER, f"{processes}", db]


def start(as_json: AsJson = False) -> None:
    """Start a web server with an empty cache, then with a filled one: seconds to a table, and to advice there.

    The cache is a temporary one: yours is neither read nor changed. It takes some minutes.
    """
    from ludus.cli.views.bench import show, show_start
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.web.start import bench_start

    with measuring() as tell:
        result = bench_start(tell)
    show(result, as_json, show_start)


def server(
    tables: Annotated[int, typer.Option(help="People, each at a table of their own.", min=1, max=2000)] = 200,
    hands: Annotated[int, typer.Option(help="Hands that each of them plays.", min=1)] = 60,
    think: Annotated[float, typer.Option(help="Seconds of thinking before each action, on average.", min=0)] = 0.5,
    level: Annotated[int, typer.Option(help="Level of the blueprint they play against.", min=1, max=5)] = 3,
    thinkers: Annotated[int, typer.Option(help="How many of the tables are of level 6, which thinks.", min=0)] = 0,
    raisers: Annotated[
        int,
        typer.Option(help="Further tables at which two people raise by the minimum at once.", min=0, max=20),
    ] = 0,
    idle: Annotated[
        int, typer.Option(help="Further tables at which somebody sits and does nothing.", min=0, max=5000)
    ] = 0,
    processes: Annotated[int, typer.Option(help="Processes of the server; more than one need --db.", min=1)] = 1,
    db: Annotated[
        str, typer.Option(metavar="URL", help="An empty PostgreSQL database to play with.", show_default="SQLite")
    ] = "",
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Play at many tables of a web server at once, heads-up against the AI: latency of moves, hands, memory.

    Server, AI and the crowd share this machine. A move lasts from the message sent to the one that shows that it is
    one's turn again or the hand is over.
    """
    from ludus.cli.views.bench import show, show_rates
    from ludus.experiments.bench.web.crowd import Wish
    from ludus.experiments.bench.web.server import bench_server

    wish = Wish(tables, hands, think, level, seed, thinkers, raisers, idle)
    result = bench_server(_command(processes, db), wish, db)
    show(result, as_json, partial(show_rates, "Hands at the tables of a server"))


def statistics(
    hands: Annotated[int, typer.Option(help="Hands of one person.", min=1, max=10**7)] = 100_000,
    reviewed: Annotated[int, typer.Option(help="How many of them have three graded decisions.", min=0)] = 10_000,
    as_json: AsJson = False,
) -> None:
    """Ask a web server for the statistics of somebody with many hands: seconds, and its CPU seconds.

    The hands are some that were really played, written again and again; their grades are made up.
    """
    from ludus.cli.views.bench import show, show_statistics
    from ludus.cli.views.progress import measuring
    from ludus.experiments.bench.web.statistics import bench_statistics

    with measuring() as tell:
        result = bench_statistics(_command(), hands, reviewed, tell)
    show(result, as_json, show_statistics)


MEASUREMENTS = (start, server, statistics)
