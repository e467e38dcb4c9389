"""``ludus warm-up``: compile the kernels before anyone waits for them."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer


def warm_up(
    advice: Annotated[
        bool, typer.Option("--advice", help="Also what the assistant needs: tables of 400 MB, a few minutes.")
    ] = False,
) -> None:
    """Compile the kernels of the spot solver, the resolver, blueprints and matches now, so that they start at once.

    Compiled code is kept in the user's cache folder, or in $LUDUS_CACHE. `ludus serve` does the same in the background.
    """
    from rich.console import Console

    start = time.perf_counter()
    with Console(stderr=True).status("compiling kernels, which takes some minutes and is done once"):
        from ludus.teach.warm_up import study, thinking

        study(lambda _: None)
        thinking(lambda _: None)

        from ludus.arena.match import play_match
        from ludus.arena.plan import MatchPlan
        from ludus.games import holdem

        play_match(MatchPlan(holdem(), ("tight", "loose"), 20))
        play_match(MatchPlan(holdem(), ("blueprint", "call"), 4))
        play_match(MatchPlan(holdem(players=6), ("blueprint", *["call"] * 5), 6))
    if advice:
        _warm_up_advice()
    print(f"kernels are ready ({time.perf_counter() - start:.1f} s)")


def _warm_up_advice() -> None:
    """Build the card tables of the shipped blueprints, and ask for advice at a table of each kind."""
    from ludus.cli.views.progress import progress_bar
    from ludus.parallel import usable_cores
    from ludus.teach.warm_up import advice

    with progress_bar("card tables of the blueprints") as progress:

        def told(step: dict[str, Any]) -> None:
            progress(step["done"], step["total"])

        advice(told, usable_cores())
