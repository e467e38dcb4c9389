"""Compile and build what advice and the study need, before anyone waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Report = Callable[[dict[str, Any]], None]


def warm_up(part: str, report: Report) -> None:
    """Prepare a part: 'advice', 'study' or 'thinking'."""
    {"advice": advice, "study": study, "thinking": thinking}[part](report)


def study(report: Report) -> None:
    """The kernels of the spot solver, from each street on, and what fast solutions need."""
    from ludus.search.fast_spots import solve_fast
    from ludus.solvers.spot.layout import Layout
    from ludus.solvers.spot.solver import SpotSolver
    from ludus.trees.spot import Spot

    for board in ("Ks Th 6h", "Ks Th 6h 4c", "Ks Th 6h 4c 2s"):
        spot = Spot.of(board, 10, 20, "AA, KQs", "QQ, JTs", {"river": {"bet": "50%"}})
        solver = SpotSolver(Layout.of(spot))
        solver.warm_up()
        solver.run(1)
    solve_fast(Spot.of("Ks Th 6h", 10, 20, "AA, KQs", "QQ, JTs", {"flop": {"bet": "50%"}}), iterations=1)


def thinking(report: Report) -> None:
    """What those need who think at hold'em tables: hands that they think about a little, checked down."""
    import numpy as np

    from ludus.agents import make
    from ludus.games import CALL, holdem
    from ludus.games.record import dealt

    for spec, players in (("resolver:iterations=10,threads=1", 2), ("multiway:seconds=0.02,threads=1", 6)):
        game, rng = holdem(players), np.random.default_rng(0)
        agent, state = make(spec, game), dealt(game.start(), game.deck)
        while state.player >= 0:
            agent.act(state.seen_by(state.player), rng)
            state = dealt(state.apply(CALL), game.deck)


def advice(report: Report, threads: int = 1) -> None:
    """The card tables of the shipped blueprints, and advice at a table of each kind. It takes a few minutes once."""
    from dataclasses import replace

    from ludus.agents.blueprint import load_blueprint, shipped_blueprints
    from ludus.games import CALL, holdem
    from ludus.games.record import dealt
    from ludus.teach.advisor import default_advisor

    for name in shipped_blueprints():
        if (buckets := load_blueprint(name).abstraction.buckets) is not None:
            buckets.tables(threads, lambda done, total, name=name: report({"what": name, "done": done, "total": total}))  # type: ignore[misc]
    for players in (2, 6):
        game = holdem(players=players)
        adviser, state = default_advisor(game), dealt(game.start(), game.deck)
        for each in (adviser, replace(adviser, solve=False)):  # as a solution has it, and by search
            each.advise(state.seen_by(state.player))
    while state.player >= 0:  # rivers are searched in a way of their own
        if state.street == len(game.board_cards) - 1:
            adviser.advise(state.seen_by(state.player))
            break
        state = dealt(state.apply(CALL), game.deck)
