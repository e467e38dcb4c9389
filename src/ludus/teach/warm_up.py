"""Compile and build what advice and the study need, before anyone waits for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludus.compiled import stamp

Report = Callable[[dict[str, Any]], None]
FIRST = (
    "heads-up, 100bb; hero BTN AhKh",
    "heads-up, 100bb; hero BTN AhKh; r2.5bb, c; Ks Th 6c; x",
    "6 players, 100bb; hero CO AhKh; folds to CO",
)
LATER = (f"{FIRST[1]}, x; 2d; x", f"{FIRST[1]}, x; 2d; x, x; 3d; x")
SEARCHED = ("3 players, 100bb; hero SB AhKh; c", "3 players, 100bb; hero SB AhKh; c, c, x; Ks Th 6c")
RIVER = f"{SEARCHED[1]}; x, x, x; 2d; x, x, x; 3d"
A_LITTLE = 0.05  # seconds of thinking


def warm_up(part: str, report: Report) -> None:
    """Prepare a part, one of `PARTS`."""
    PARTS[part](report)
    note_prepared(part)


def load() -> list[str]:
    """What has been prepared before, by these sources on this machine; the first advice is loaded if it is among that.

    Other parts than those of this module may be among it, which were noted.
    """
    known = [part for part in (*PARTS, "agents") if is_prepared(part)]
    if "spots" in known:
        _ask(FIRST[:1], A_LITTLE, "advice" in known)
    return known


def is_prepared(part: str) -> bool:
    """Whether a part has been prepared before, by these sources on this machine: what it needs is only loaded now."""
    file = stamp(Path(__file__), part)
    return file is not None and file.exists()


def note_prepared(part: str) -> None:
    """Remember that a part, one of these or any other, has been prepared."""
    if file := stamp(Path(__file__), part):
        file.touch()


def fast(report: Report) -> None:
    """The kernels of solutions with a network behind the street."""
    from ludus.search.fast_spots import solve_fast
    from ludus.trees.spot import Spot

    solve_fast(Spot.of("Ks Th 6h", 10, 20, "AA, KQs", "QQ, JTs", {"flop": {"bet": "50%"}}), iterations=1)


def spots(report: Report) -> None:
    """What advice needs where it is solved with networks or in a chart: before the flop and on it."""
    _ask(FIRST)


def _ask(texts: Sequence[str], seconds: float = 1.0, search: bool = False) -> None:
    from ludus.teach.advisor import AnyTableAdvisor, Unsolved
    from ludus.teach.situation import parse_situation

    adviser = AnyTableAdvisor(seconds=seconds, search=search, build=False)
    for text in texts:
        with suppress(Unsolved):  # in the time there was: all is compiled by then
            adviser.advise(parse_situation(text))


def study(report: Report) -> None:
    """The kernels of exact solutions, from each street on, and advice by them."""
    from ludus.solvers.spot.layout import Layout
    from ludus.solvers.spot.solver import SpotSolver
    from ludus.trees.spot import Spot

    for board in ("Ks Th 6h", "Ks Th 6h 4c", "Ks Th 6h 4c 2s"):
        spot = Spot.of(board, 10, 20, "AA, KQs", "QQ, JTs", {"river": {"bet": "50%"}})
        solver = SpotSolver(Layout.of(spot))
        solver.warm_up()
        solver.run(1)
    _ask(LATER)


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


def advice(report: Report) -> None:
    """What advice by search needs: before the flop, on it, and on the river, which is searched in a way of its own."""
    _ask((*SEARCHED, RIVER), A_LITTLE, search=True)


def tables(report: Report) -> None:
    """The card tables of the shipped blueprints: without them a search before the flop deals some boards only."""
    from ludus.agents.blueprint import load_blueprint, shipped_blueprints
    from ludus.parallel import usable_cores

    for name in shipped_blueprints():
        if (buckets := load_blueprint(name).abstraction.buckets) is not None:
            buckets.tables(usable_cores(), lambda done, total: report({"done": done, "total": total}))


PARTS = {"fast": fast, "spots": spots, "advice": advice, "study": study, "tables": tables, "thinking": thinking}
"""In the order in which a newcomer comes to need them."""
