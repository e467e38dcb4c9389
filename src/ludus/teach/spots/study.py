"""The study of spots, as JSON data: whether one fits, solving it into a file, and looking at what was solved."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludus.parallel import usable_cores
from ludus.search.fast_spots import first_street, solve_fast
from ludus.solvers.running import Check
from ludus.solvers.spot.fit import available_memory, check_fits, needed_memory
from ludus.solvers.spot.kernels.compact import Places
from ludus.solvers.spot.layout import PLAYERS, Layout
from ludus.solvers.spot.reports import (
    Comparison,
    Runout,
    RunoutReport,
    Summary,
    range_equity,
    runout_report,
    summarise,
)
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import SpotRun, solve_spot
from ludus.solvers.spot.solver import SpotSolver
from ludus.teach.spots.places import describe_place, rounded, trail
from ludus.trees.betting import CHANCE, RIVER
from ludus.trees.spot import Spot

MOST_MEMORY = 2e9  # bytes that solving may take
MOST_SHARE = 0.6  # of the memory that is left on the machine
MOST_LINE = 1000
MOST_FILE = 100e6  # a solution that takes more bytes is kept without its rivers
LEAST_TARGET = 0.01  # per cent of the pot; 32-bit sums reach no further everywhere
PAUSE = 0.25  # seconds between two reports
Report = Callable[[dict[str, Any]], None]


def check(spot: dict[str, Any], most: float | None = None) -> dict[str, Any]:
    """What a spot takes, and what would make it fit; its canonical form. ValueError says what is wrong with it.

    ``most`` bytes are there for it; by default what the machine can spare.
    """
    asked = Spot.from_dict(spot)
    layout = Layout.of(asked)
    kept = _keeps_rivers(layout)
    advice, packed, most = None, False, _most() if most is None else most
    try:
        packed = _fit(layout, kept, most)
    except ValueError as error:
        advice = str(error)
    if asked.locks and advice is None:
        SpotSolver(layout)  # it says what is wrong with a lock
    hands = layout.boards[0].hands
    return {
        "spot": asked.to_dict(),
        "nodes": layout.nodes,
        "lines": len(layout.tree),
        "decisions": layout.tree.decisions,
        "hands": {name: len(each.combo) for name, each in zip(PLAYERS, hands, strict=True)},
        "tables": needed_memory(layout),
        "memory": needed_memory(layout, kept, packed),
        "packed": packed,
        "available": int(most),
        "fits": advice is None,
        "advice": advice,
        "rivers": kept,
        "fast": _can_be_fast(asked),
    }


def _can_be_fast(spot: Spot) -> bool:
    try:
        first_street(spot)
    except ValueError:
        return False
    return True


def estimate(spot: dict[str, Any], file: str) -> dict[str, Any]:
    """Solve the first street of a flop spot into a file, by networks; how wrong that may be, in percent of the pot."""
    run = solve_fast(Spot.from_dict(spot))
    Solution.of(run).save(Path(file))
    assert run.accuracy is not None
    return run.accuracy.to_dict()


def solve(
    spot: dict[str, Any], target: float, seconds: float, file: str, report: Report, most: float | None = None,
    workers: int | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Solve a spot into a file within ``most`` bytes of memory, as `check`; by default on all cores.

    Reports iterations, seconds and, where it was measured, the exploitability.
    """
    layout = Layout.of(Spot.from_dict(spot))
    kept = _keeps_rivers(layout)
    packed = _fit(layout, kept, _most() if most is None else most)
    last = 0.0

    def tell(step: Check[float]) -> None:
        nonlocal last
        now = time.monotonic()
        if step.measured is not None or now - last > PAUSE:
            last = now
            report({"iterations": step.iterations, "seconds": round(step.seconds, 3), "percent": step.measured})

    run = solve_spot(
        layout, target=max(target, LEAST_TARGET), seconds=seconds, workers=workers or usable_cores(), packed=packed,
        progress=tell,
    )  # fmt: skip
    summary = summarise(run)
    Solution.of(run, kept).save(Path(file))
    return {"summary": _summary(run, summary, target, kept), "size": Path(file).stat().st_size}


def _summary(run: SpotRun, summary: Summary, target: float, rivers: bool) -> dict[str, Any]:
    layout = run.solver.layout
    return {
        "target": target,
        "percent": run.measured.percent,
        "exploitability": run.measured.exploitability,
        "ev": dict(zip(PLAYERS, summary.ev, strict=True)),
        "best_response": dict(zip(PLAYERS, summary.best_response, strict=True)),
        "equity": dict(zip(PLAYERS, summary.equity, strict=True)),
        "actions": [*map(str, summary.actions)],
        "names": summary.names,
        "frequencies": summary.frequencies,
        "algorithm": run.algorithm,
        "iterations": run.iterations,
        "seconds": run.seconds,
        "stopped_by": run.stopped_by,
        "nodes": layout.nodes,
        "rivers": rivers,
        "raked": bool(layout.spot.rake.percent),  # with rake nothing guarantees an equilibrium
    }


def view(file: str, line: str) -> dict[str, Any]:
    """What a line leads to: a decision with every hand, a card to come, or the end."""
    return describe_place(_opened(file), _text(line))


def runouts(file: str, line: str) -> dict[str, Any]:
    """Card by card: what every card after a line makes of the play."""
    solution, line = _opened(file), _text(line)
    found = _equities(solution, line) if _before_lost_river(solution, line) else runout_report(solution, line)
    content: dict[str, Any] = rounded(found.to_dict())
    return content


def _before_lost_river(solution: Solution, line: str) -> bool:
    """Whether the card after a line is that of a river which was not kept, and somebody would decide there."""
    tree = solution.layout.tree
    node = tree.find(line)
    return bool(
        not solution.rivers and tree.kind[node] == CHANCE and tree.street[node] == RIVER - 1
        and not Places.of(tree).all_in[node]
    )  # fmt: skip


def _equities(solution: Solution, line: str) -> RunoutReport:
    """A report without what only the rivers know: equities and how often each card comes."""
    stage = trail(solution, line)[-1]
    places = [(card, stage.place.deal(card)) for card in range(52) if card not in stage.place.board]
    masses = [float(place.reach[0] @ place.met[0]) for _, place in places]
    total, known, rows = sum(masses) or 1.0, dict[int, tuple[float, float]](), []
    for (card, place), mass in zip(places, masses, strict=True):
        if place.index not in known:
            known[place.index] = range_equity(place)
        rows.append(Runout(card, mass / total, (math.nan, math.nan), known[place.index], ()))
    pot = solution.spot.pot + int(solution.layout.tree.paid[stage.node].sum())
    return RunoutReport(stage.line, stage.place.board, pot, "", (), (), tuple(rows))


def compare(file: str, other: str, line: str) -> dict[str, Any]:
    """Two solutions of one spot at a line."""
    content: dict[str, Any] = rounded(Comparison(_opened(file), _opened(other)).to_dict(_text(line)))
    return content


def _opened(file: str) -> Solution:
    try:
        return _load(file, Path(file).stat().st_mtime_ns)
    except OSError:
        raise ValueError("this solution is no longer there: solve the spot again") from None


@lru_cache(maxsize=8)  # mapped, not read: what is kept open takes little memory
def _load(file: str, changed: int) -> Solution:
    return Solution.load(file)


def _text(line: str) -> str:
    if len(line) > MOST_LINE:
        raise ValueError(f"a line has at most {MOST_LINE} characters, got {len(line)}")
    return line


def _keeps_rivers(layout: Layout) -> bool:
    """Whether the rivers are kept: two bytes for what takes eight during the solve."""
    return len(layout.boards) == 1 or layout.memory / 4 <= MOST_FILE


def _most() -> float:
    return min(MOST_MEMORY, MOST_SHARE * available_memory())


def _fit(layout: Layout, rivers: bool, most: float) -> bool:
    """Whether the tables must be packed to fit; ValueError if even that is not enough."""
    if needed_memory(layout, rivers) <= most:
        return False
    packed = not layout.spot.locks  # which packed tables cannot hold
    check_fits(layout, most, saving=rivers, packed=packed)
    return packed
