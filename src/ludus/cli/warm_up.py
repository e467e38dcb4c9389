"""``ludus warm-up``: compile the kernels before anyone waits for them."""

from __future__ import annotations

import time


def warm_up() -> None:
    """Compile the kernels of the spot solver, the evaluator and matches now, so that the first ones start at once.

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
    print(f"kernels are ready ({time.perf_counter() - start:.1f} s)")
