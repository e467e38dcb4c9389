"""Situations of a plan in files, a block each: made in some order by an engine, and read as soon as they are there.

A block depends on the plan and its number alone, so neither the engine nor the order in which blocks are made matters.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.files import load_arrays, open_arrays, save_arrays
from ludus.nets.holdem.devices import check_device
from ludus.nets.holdem.labels import Drawn, Labelled, draw_block, label
from ludus.nets.holdem.network import STAGES, HandNetwork
from ludus.parallel import HERE, Engine, Work, ahead

if TYPE_CHECKING:
    from ludus.nets.holdem.runs import StagePlan

KIND, FORMAT = "hold'em situations", 1
AHEAD = 8  # blocks that are drawn while others are solved


class Shards:
    """The blocks of a plan: which are missing, making them in order, and reading them, also from another thread."""

    def __init__(
        self, plan: StagePlan, networks: Mapping[str, HandNetwork], order: Sequence[int], engine: Engine,
        came: Callable[[Shards], object] | None = None,
    ) -> None:  # fmt: skip
        self.plan, self.networks, self.header = plan, networks, plan.header(networks)
        self.count, self.engine, self._tell = len(order), engine, came
        for number in order:
            if self._file(number).exists():
                self._check(*open_arrays(self._file(number), KIND, FORMAT), self._file(number))
        self._missing = [number for number in order if not self._file(number).exists()]
        self._came, self._stopped = threading.Condition(), False
        self._making = self.make()

    @property
    def made(self) -> int:
        """How many are there."""
        return self.count - len(self._missing)

    def make(self) -> Generator[None, None, None]:
        """Make what is missing; each block is in its file before the next one is taken in."""
        made = _made_here(self.plan, self.networks, tuple(self._missing))
        if self.engine is not HERE:
            work = Work(
                "ludus.nets.holdem.shards:make_block", (self.plan, dict(self.networks)), seed=self.plan.recipe.seed,
                gpus=float(self.plan.solver.startswith("cuda")),
            )  # fmt: skip
            made = self.engine.run(work, [(number,) for number in self._missing])
        with closing(made):
            for block in made:
                save_arrays(self._file(self._missing[0]), self.header, block._asdict())
                with self._came:
                    self._missing.pop(0)
                    self._came.notify_all()
                if self._tell:
                    self._tell(self)
                yield

    def wait_for(self, number: int) -> Labelled:
        """A block: here it is made now, on an engine by whoever calls `make`. KeyboardInterrupt after `stop`."""
        while self.engine is HERE and number in self._missing:
            next(self._making)
        with self._came:
            self._came.wait_for(lambda: self._stopped or number not in self._missing)
        self.check_going()
        return self.load(number)

    def check_going(self) -> None:
        """KeyboardInterrupt after `stop`."""
        if self._stopped:
            raise KeyboardInterrupt

    def close(self) -> None:
        """End what is being made here."""
        self._making.close()

    def stop(self) -> None:
        """Let nobody wait any more."""
        with self._came:
            self._stopped = True
            self._came.notify_all()

    def load(self, number: int) -> Labelled:
        """A block that is there; ValueError when it is damaged."""
        file = self._file(number)
        header, arrays = load_arrays(file, KIND, FORMAT)
        self._check(header, arrays, file)
        if not all(np.isfinite(each).all() for each in arrays.values()):
            raise ValueError(f"{file} is damaged (not all are numbers): delete it")
        return Labelled(**arrays)

    def _file(self, number: int) -> Path:
        return self.plan.situations_folder / f"{number:05d}.safetensors"

    def _check(self, header: Mapping[str, Any], arrays: Mapping[str, Any], file: Path) -> None:
        """ValueError when a file is of another run or damaged."""
        for name, value in self.header.items():
            if header.get(name) != value:
                raise ValueError(
                    f"{file} has situations of another run: {name} is {header.get(name)} there and {value} here; "
                    f"delete {file.parent} or write elsewhere"
                )
        count, wide = self.plan.block.situations, (self.plan.block.situations, 2, 1326)
        shapes = [(count, STAGES[self.plan.stage]), (count,), wide, wide, wide]
        if {name: each.shape for name, each in arrays.items()} != dict(zip(Labelled._fields, shapes, strict=True)):
            raise ValueError(f"{file} is damaged (its arrays do not fit together): delete it")


def make_block(plan: StagePlan, networks: Mapping[str, HandNetwork], number: int) -> Labelled:
    """A block of situations and what they are worth, with random numbers of its own; on one core, or a GPU."""
    check_device(plan.solver)
    return label(plan.stage, _draw(plan, networks, number), networks, plan.iterations, plan.solver, workers=1)


def _draw(plan: StagePlan, networks: Mapping[str, HandNetwork], number: int) -> Drawn:
    seed = np.random.SeedSequence(plan.recipe.seed, spawn_key=(number,))
    return draw_block(plan.stage, plan.block, networks, plan.play, seed)


def _made_here(
    plan: StagePlan, networks: Mapping[str, HandNetwork], numbers: Sequence[int]
) -> Generator[Labelled, None, None]:
    """Blocks as `make_block` makes them; a few are drawn ahead by threads."""
    pool = ThreadPoolExecutor(AHEAD)
    try:
        for drawn in ahead(lambda number: pool.submit(_draw, plan, networks, number), numbers, AHEAD):
            yield label(plan.stage, drawn, networks, plan.iterations, plan.solver)
    finally:
        pool.shutdown(cancel_futures=True)
