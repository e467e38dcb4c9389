"""``ludus warm-up``: compile the kernels before anyone waits for them."""

from __future__ import annotations

import time
from typing import Annotated

import typer


def warm_up(
    advice: Annotated[
        bool, typer.Option("--advice", help="Also what the assistant needs: tables of 400 MB, a few minutes.")
    ] = False,
) -> None:
    """Compile the kernels of the spot solver, the evaluator, blueprints and matches now: the first ones start at once.

    Compiled code is kept in the user's cache folder, or in $LUDUS_CACHE. Installing with make does this.
    """
    from rich.console import Console

    start = time.perf_counter()
    with Console(stderr=True).status("compiling kernels, which takes about a minute and is done once"):
        from ludus.solvers.spot.solver import Layout, SpotSolver
        from ludus.trees.spot import Spot

        for board in ("Ks Th 6h", "Ks Th 6h 4c", "Ks Th 6h 4c 2s"):
            spot = Spot.of(board, 10, 20, "AA, KQs", "QQ, JTs", {"river": {"bet": "50%"}})
            solver = SpotSolver(Layout.of(spot))
            solver.warm_up()
            solver.run(1)

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
    from rich.console import Console

    from ludus.agents.advisor import default_advisor
    from ludus.agents.blueprint import load_blueprint, shipped_blueprints
    from ludus.cli.progress import progress_bar
    from ludus.games import holdem
    from ludus.parallel import usable_cores

    for name in shipped_blueprints():
        if (buckets := load_blueprint(name).abstraction.buckets) is not None:
            with progress_bar(f"card tables of {name}") as progress:
                buckets.tables(usable_cores(), progress)
    with Console(stderr=True).status("asking for advice"):
        for players in (2, 6):
            game = holdem(players=players)
            advisor, state = default_advisor(game), game.start().deal(game.deck)
            advisor.advise(state.seen_by(state.player))
