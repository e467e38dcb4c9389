"""One spot solved on many flops, one after the other, into a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ludus.cards.card import format_cards, parse_cards
from ludus.solvers.spot.fit import check_fits
from ludus.solvers.spot.flops import FlopRow, check_suits_alike, flop_subset, on_flop, solved_before
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import SpotRun
from ludus.trees.spot import Spot

SUFFIX = ".solution"
Flops = Mapping[tuple[int, ...], float]
"""Flops and how many flops each of them stands for."""


def wanted_flops(spot: Spot, names: str | None, count: int) -> Flops:
    """Flops by their names, such as 'Ah7c2d, KsKd4h', or without names ``count`` of them, spread evenly."""
    if names is None:
        check_suits_alike(spot)
        return {flop[::-1]: weight for flop, weight in flop_subset(count).items()}  # the highest card first
    wanted: dict[tuple[int, ...], float] = {}
    for name in filter(None, (part.strip() for part in names.replace(";", ",").split(","))):
        flop = parse_cards(name)
        if len(flop) != 3:
            raise ValueError(f"a flop is three cards, as in Ah7c2d, got {name!r}")
        wanted[flop] = 1.0
    if not wanted:
        raise ValueError("--flops names no flop: write some, as in 'Ah7c2d, KsKd4h', or leave it out")
    return wanted


def solve_flops(
    spot: Spot, wanted: Flops, folder: Path, limits: Mapping[str, Any], rivers: bool, memory: float,
    solve: Callable[[Layout, str], SpotRun], leave_out: Callable[[str], object],
) -> tuple[list[FlopRow], bool]:  # fmt: skip
    """The rows of all flops that are solved, and whether the user stopped it.

    What is in the folder within the limits (target, iterations, seconds) is not solved again. ``solve`` gets a tree,
    which fits into ``memory`` bytes, and a title; ``leave_out`` is told about flops that the ranges do not have.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[FlopRow] = []
    for number, (flop, times) in enumerate(wanted.items(), 1):
        name = format_cards(flop)
        try:
            here = on_flop(spot, flop)
        except ValueError as error:
            leave_out(f"{name} is left out: {error}")
            continue
        path = folder / f"{name}{SUFFIX}"
        known = solved_before(path, here, **limits)
        if known is None:
            layout = Layout.of(here)
            check_fits(layout, memory, saving=rivers)
            run = solve(layout, f"flop {number} of {len(wanted)}, {name}")
            if run.stopped_by == "interrupt":
                return rows, True
            known = Solution.of(run, rivers)
            known.save(path)
        rows.append(FlopRow.of(known, times))
    return rows, False
