"""``ludus slumbot``: an agent plays Slumbot over the internet."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli.options import Time, stop_early

if TYPE_CHECKING:
    from ludus.protocols.slumbot.client import Settings
    from ludus.protocols.slumbot.log import Log


def slumbot(
    agent: Annotated[str, typer.Option(help="Who plays, as in `ludus match`: call, heuristic-mc, ...")],
    hands: Annotated[int, typer.Option(help="Finished hands in all, those of earlier runs included.", min=1)] = 100,
    out: Annotated[Path, typer.Option(help="Folder for the log of hands, the figures and the plot.")] = Path(
        "out/slumbot"
    ),
    url: Annotated[
        str | None, typer.Option(help="Base of the API.", show_default="the two known ones of slumbot.com")
    ] = None,
    seconds: Time = None,
    timeout: Annotated[float, typer.Option(help="Seconds for a request.")] = 20.0,
    pause: Annotated[float, typer.Option(help="Seconds between hands.")] = 0.5,
    seed: Annotated[int, typer.Option(help="Seed of the agent's random numbers.", min=0)] = 1,
    plot: Annotated[
        Path | None, typer.Option(help="Plot of the gain, .png, .svg or .pdf.", show_default="OUT/slumbot.png")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play Slumbot: heads-up no-limit hold'em, 50/100, stacks of 20,000 in every hand.

    Slumbot is one person's free server: keep the pause, play one run at a time,
    and ask the owner before a large one (thousands of hands). The hands are
    played at Slumbot's own site, slumbot.com.

    Every hand is in OUT/slumbot.jsonl before the next one is dealt, and the same
    command again goes on until there are as many hands as asked for. Ctrl-C finishes
    the hand and shows the figures, a second one leaves at once. No action is sent
    twice: a hand whose answer was lost is broken, counted as such and left out.

    To play with an account of slumbot.com set LUDUS_SLUMBOT_USER and
    LUDUS_SLUMBOT_PASSWORD.
    """
    from ludus.agents import with_time
    from ludus.arena.slumbot_summary import summary
    from ludus.cli.views.matches.slumbot import print_report, write_report
    from ludus.experiments.plots import check_plot_path
    from ludus.protocols.slumbot.client import Settings
    from ludus.protocols.slumbot.log import NAME, Log
    from ludus.protocols.slumbot.wire import KNOWN_URLS, SlumbotError, check_url

    (agent,) = with_time([agent], seconds)
    settings = Settings(KNOWN_URLS if url is None else (check_url(url),), timeout, pause)
    picture = out / "slumbot.png" if plot is None else plot
    check_plot_path(picture)
    run = _prepare(agent, settings, hands, seed)
    failure = None
    with Log(out / NAME, {"agent": agent, "url": settings.urls[0], "seed": seed}) as log:
        try:
            run(log)
        except (SlumbotError, KeyboardInterrupt) as error:
            failure = error
    result = summary(log.hands, agent, settings.urls[0], seed)
    result["files"] = {"hands": str(log.path), **write_report(result, log.hands, out, picture)}
    if as_json:
        print(json.dumps(result, indent=2, allow_nan=False))
    else:
        print_report(result)
    if isinstance(failure, SlumbotError):
        raise failure
    if log.finished < hands:
        stop_early(f"{log.finished} of {hands} hands; the same command goes on with them")


def _prepare(agent: str, settings: Settings, hands: int, seed: int) -> Callable[[Log], None]:
    """All that can be wrong before the first hand; returns what plays until a log has enough of them."""
    from functools import partial

    from ludus.cli.views.progress import progress_bar
    from ludus.protocols.programs import make_player, put_away
    from ludus.protocols.slumbot.actions import slumbot_game
    from ludus.protocols.slumbot.client import Client, Login
    from ludus.protocols.slumbot.play import play_hands
    from ludus.solvers.running import interrupts

    player, client = make_player(agent, slumbot_game()), Client(settings, Login.from_environment())

    client.report = partial(typer.echo, err=True)

    def run(log: Log) -> None:
        done = log.finished
        with interrupts() as client.stop, progress_bar("Slumbot", "hands") as progress:
            try:
                for _ in play_hands(player, client, log, hands, seed):
                    progress(log.finished - done, hands - done)
            finally:
                put_away([player])

    return run
