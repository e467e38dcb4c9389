"""Checkpoints: a run in a file, with all that another run must have in common with it to go on from there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ludus.files import Arrays, load_arrays, save_arrays
from ludus.games.definition import first_difference
from ludus.solvers.running import MOST_ITERATIONS

KIND, FORMAT = "checkpoint", 1
LARGEST = 1e100  # of what a checkpoint may hold: sums over the actions of a decision stay finite


class Saved(Protocol):
    """What a checkpoint needs of a solver."""

    iterations: int

    def state(self) -> Arrays:
        """Everything needed to go on later."""

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""


@dataclass(frozen=True)
class Checkpoint:
    """The file of a run. ``identity`` names what decides the run's result: a game or a spot, and settings."""

    path: Path
    identity: dict[str, dict[str, Any]]

    def save(self, solver: Saved) -> None:
        """Everything needed to go on with a run later."""
        header = {"kind": KIND, "format": FORMAT, "iterations": solver.iterations, **self.identity}
        save_arrays(self.path, header, solver.state())

    def resume(self, solver: Saved, wanted: int | None) -> None:
        """Go on with what was saved, if anything; ValueError if that is of another run, damaged, or too far already."""
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)  # fails before the work, not after it
            return
        header, arrays = load_arrays(self.path, KIND, FORMAT)
        try:
            for part, mine in self.identity.items():
                if difference := first_difference(dict(header[part]), mine):
                    raise ValueError(f"it is of another run: {difference}")
            done = header["iterations"]
            if not isinstance(done, int) or not 0 <= done <= MOST_ITERATIONS:
                raise ValueError(f"it claims {done} iterations")
            if wanted is not None and done > wanted:
                raise ValueError(f"it has {done} iterations already, more than the {wanted} wanted")
            for name, array in arrays.items():
                low, high = float(np.min(array, initial=0)), float(np.max(array, initial=0))
                if array.dtype.kind == "f" and not -LARGEST < low <= high < LARGEST:
                    raise ValueError(f"{name} has entries that are not numbers from -{LARGEST:g} to {LARGEST:g}")
            solver.restore(done, arrays)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"cannot go on from {self.path}: {error}") from None
