"""Spots on the flop and before it in a second or two: their first street is solved, and a value network stands for the
rest of the hand.

How wrong that is on flops was measured against exact solutions (``ludus bench fast``), and before them by what the
network says of ranges (``ludus bench values --stage preflop-end``); the figures go with every answer. For the later
streets the networks know bets of the pot and all-in, whatever sizes a spot has there.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ludus.nets.holdem.shipped import shipped_values
from ludus.solvers.spot.accuracy import NAMES, Accuracy
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solve import Progress, SpotRun, solve_spot
from ludus.trees.spot import Spot

ITERATIONS = {0: 400, 3: 100}  # by cards on the board
STAGES = {0: "preflop-end", 3: "flop-end"}
FIGURES = Path(__file__).parent / "data" / "fast.json"


def first_street(spot: Spot) -> Spot:
    """A spot that ends with its first street; ValueError where a network cannot stand for the rest."""
    if len(spot.board) not in STAGES:
        raise ValueError("value networks stand behind flops: solve turns and rivers exactly, they take about a second")
    if spot.rake.percent:
        raise ValueError(f"value networks know no rake, and here it is {spot.rake}: leave it out, or solve exactly")
    if later := [lock.line for lock in spot.locks if lock.cards]:
        raise ValueError(f"only the first street is solved, and a lock is at {later[0]!r}: leave it out")
    return spot.changed(depth=1)


def solve_fast(
    spot: Spot | Layout,
    algorithm: str | None = None,
    *,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
) -> SpotRun:
    """A spot of `first_street`, or one laid out, with a network behind it; `ITERATIONS` without limits."""
    layout = spot if isinstance(spot, Layout) else Layout.of(first_street(spot))
    cards = len(layout.spot.board)
    if target is None and iterations is None and seconds is None:
        iterations = ITERATIONS[cards]
    run = solve_spot(
        layout, algorithm, target=target, iterations=iterations, seconds=seconds, progress=progress,
        leaf_values=shipped_values()[STAGES[cards]],
    )  # fmt: skip
    return replace(
        run, accuracy=accuracy_of(layout.spot.stack / layout.spot.pot) if cards else _accuracy_before(layout.spot)
    )


def _accuracy_before(spot: Spot) -> Accuracy:
    """What was measured before the flop, where stacks behind a pot that is just called are as deep as that."""
    found, called = dict(figures()["preflop"]), max(spot.subgame.bets)
    deepest = found.pop("deepest_stack_pots")
    return Accuracy(**found, measured=spot.stack - called <= deepest * (spot.pot + 2 * called))


def accuracy_of(stack: float) -> Accuracy:
    """What was measured on flops with a stack of so many pots, or with the nearest."""
    rows = figures()["stacks"]
    row = next((row for row in rows if stack <= row["to"]), rows[-1])
    known = rows[0]["from"] <= stack <= rows[-1]["to"]
    return Accuracy(**{name: row[name] for name in NAMES}, measured=known)


@cache
def figures() -> dict[str, Any]:
    """What ``ludus bench fast`` found: errors by stacks in pots, and the networks that they are of."""
    found: dict[str, Any] = json.loads(FIGURES.read_text())
    return found
