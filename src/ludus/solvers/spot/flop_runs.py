"""One spot solved on many flops, here one after the other or by an engine side by side, into a folder."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.cards.card import format_cards, parse_cards
from ludus.files import write_atomically
from ludus.parallel import HERE, Engine, Progress, Work
from ludus.solvers.spot.fit import available_memory, check_fits
from ludus.solvers.spot.flops import FlopRow, check_suits_alike, flop_subset, on_flop, solved_before
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import SpotRun, solve_spot
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


@dataclass(frozen=True)
class FlopsPlan:
    """A spot, the flops to solve it on, where the solutions go, and until when."""

    spot: Spot
    flops: Flops
    folder: Path
    algorithm: str | None = None
    target: float | None = None
    iterations: int | None = None
    seconds: float | None = None
    rivers: bool = False  # whether to save them
    memory: float | None = None  # bytes; None for what a machine has left

    @property
    def limits(self) -> dict[str, Any]:
        """Until when to solve."""
        return {"target": self.target, "iterations": self.iterations, "seconds": self.seconds}

    def file(self, flop: tuple[int, ...]) -> Path:
        """The file of a flop's solution."""
        return self.folder / f"{format_cards(flop)}{SUFFIX}"

    def layout(self, flop: tuple[int, ...]) -> Layout:
        """The tree of a flop; ValueError where it does not fit into the memory."""
        layout = Layout.of(on_flop(self.spot, flop))
        check_fits(layout, available_memory() if self.memory is None else self.memory, saving=self.rivers)
        return layout


def solve_flops(
    plan: FlopsPlan,
    solve: Callable[[Layout, str], SpotRun],
    leave_out: Callable[[str], object],
    engine: Engine = HERE,
    progress: Progress | None = None,
) -> tuple[list[FlopRow], bool]:
    """The rows of all flops that are solved, and whether the user stopped it.

    What is in the folder within the limits is not solved again. Here one flop is solved after the other by ``solve``,
    which gets a tree and a title; another engine solves one for each of its workers, and ``progress`` counts them.
    ``leave_out`` is told about flops that the ranges do not have.
    """
    plan.folder.mkdir(parents=True, exist_ok=True)
    known: dict[tuple[int, ...], Solution | None] = {}
    for flop in plan.flops:
        try:
            here = on_flop(plan.spot, flop)
        except ValueError as error:
            leave_out(f"{format_cards(flop)} is left out: {error}")
            continue
        known[flop] = solved_before(plan.file(flop), here, **plan.limits)
    missing = [flop for flop, solution in known.items() if solution is None]
    made = _one_by_one(plan, missing, solve) if engine is HERE else _side_by_side(plan, missing, engine)
    rows: list[FlopRow] = []
    try:
        with closing(made):
            for flop, solution in known.items():
                rows.append(FlopRow.of(solution or next(made), plan.flops[flop]))
                if progress is not None:
                    progress(len(rows), len(known))
    except (KeyboardInterrupt, StopIteration):
        return rows, True
    return rows, False


def _one_by_one(
    plan: FlopsPlan, missing: Sequence[tuple[int, ...]], solve: Callable[[Layout, str], SpotRun]
) -> Generator[Solution, None, None]:
    """Solutions, saved; it ends when the user wants it to."""
    for number, flop in enumerate(missing, 1):
        run = solve(plan.layout(flop), f"flop {number} of {len(missing)}, {format_cards(flop)}")
        if run.stopped_by == "interrupt":
            return
        solution = Solution.of(run, plan.rivers)
        solution.save(plan.file(flop))
        yield solution


def _side_by_side(
    plan: FlopsPlan, missing: Sequence[tuple[int, ...]], engine: Engine
) -> Generator[Solution, None, None]:
    """The same by workers; a solution comes as the bytes of its file."""
    work = Work("ludus.solvers.spot.flop_runs:solve_flop", (plan,))
    with closing(engine.run(work, ((flop,) for flop in missing))) as files:
        for flop, data in zip(missing, files, strict=True):
            write_atomically(plan.file(flop), data)
            yield Solution.load(plan.file(flop))


def solve_flop(plan: FlopsPlan, flop: tuple[int, ...]) -> bytes:
    """One flop, solved on one core, as the bytes of a file."""
    run = solve_spot(plan.layout(flop), plan.algorithm, **plan.limits)
    if run.stopped_by == "interrupt":
        raise KeyboardInterrupt
    with tempfile.TemporaryDirectory(prefix="ludus-") as folder:
        file = Path(folder) / "solution"
        Solution.of(run, plan.rivers).save(file)
        return file.read_bytes()
