"""Who wins at showdown on many boards: matrices that are made once, and rows of ranges that are asked about again."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.solvers.batch.hands import combos_of, places_of, showdowns
from ludus.solvers.spot.leaf_solvers import margin


class Matrices(NamedTuple):
    """Who beats whom on some boards."""

    beat: Tensor  # [boards, hands, hands] what the column's hand wins from the row's, as `showdowns` has it
    combos: Tensor  # [boards, hands]
    places: Tensor  # [boards, 1326]
    unit: Tensor  # [boards]

    @classmethod
    def of(cls, boards: NDArray[np.uint8], device: torch.device) -> Matrices:
        """Those of boards that differ ``[boards, cards]``."""
        combos = combos_of(boards)
        if device.type == "cuda":
            beat, unit = showdowns(boards, device, torch.float16, "inductor")
        else:  # where a kernel is faster
            each = [margin(tuple(board))[np.ix_(own, own)] for board, own in zip(boards.tolist(), combos, strict=True)]
            beat, unit = torch.from_numpy(np.pad(np.stack(each), ((0, 0), (0, 1), (0, 1)))), 1.0
        return cls(
            (beat if beat.dim() == 3 else beat[None]).transpose(1, 2), torch.from_numpy(combos).to(device),
            torch.from_numpy(places_of(combos)).to(device), torch.full((len(boards),), unit, device=device),
        )  # fmt: skip

    def at(self, rows: Tensor) -> Showings:
        """Prepare for rows of ranges, each on one of the boards."""
        return Showings(self, rows)


class Showings:
    """Rows of ranges on boards; those of one board are multiplied by one matrix."""

    def __init__(self, matrices: Matrices, rows: Tensor) -> None:
        order = torch.argsort(rows, stable=True)
        sizes = torch.bincount(rows, minlength=len(matrices.beat))
        place = torch.arange(len(rows), device=rows.device) - (sizes.cumsum(0) - sizes)[rows[order]]
        self._matrices, self._row, self._most = matrices, rows, int(sizes.max())
        self._place = torch.empty_like(place)
        self._place[order] = place
        self._combos, self._places = matrices.combos[rows], matrices.places[rows]
        self._unit = matrices.unit[rows, None]

    def won(self, ranges: Tensor) -> Tensor:
        """``[rows, 1326]`` What hands win less what they lose against ranges ``[rows, 1326]``."""
        beat, half = self._matrices.beat, self._matrices.beat.dtype
        scale = ranges.amax(1, keepdim=True).clamp(min=1e-30)  # half precision holds what is near 1
        wide = torch.zeros(len(beat), self._most, beat.shape[1], dtype=half, device=ranges.device)
        wide[self._row, self._place, : self._combos.shape[1]] = (ranges / scale).gather(1, self._combos).to(half)
        found = torch.matmul(wide, beat)[self._row, self._place].float()
        return found.gather(1, self._places) * (scale * self._unit)


class KeptRows:
    """Rows of tensors by board, made for boards that are new; the latest ``most`` boards are kept."""

    def __init__(self, make: Callable[[NDArray[np.uint8]], tuple[Tensor, ...]], most: int) -> None:
        self._make, self._most = make, most
        self._rows: dict[bytes, tuple[Tensor, ...]] = {}

    def __call__(self, boards: NDArray[np.uint8]) -> tuple[Tensor, ...]:
        """The tensors of boards that differ, a row each."""
        if not self._most:
            return self._make(boards)
        keys = [board.tobytes() for board in boards]
        if new := [at for at, key in enumerate(keys) if key not in self._rows]:
            made = self._make(boards[new])
            self._rows |= {keys[at]: tuple(each[row].clone() for each in made) for row, at in enumerate(new)}
        found = [self._rows.pop(key) for key in keys]
        self._rows |= zip(keys, found, strict=True)  # the latest come last
        while len(self._rows) > self._most:
            self._rows.pop(next(iter(self._rows)))
        return tuple(torch.stack(each) for each in zip(*found, strict=True))


class MatrixReader:
    """Makes matrices on a device, and keeps those of the latest ``most`` boards."""

    def __init__(self, device: torch.device, most: int = 0) -> None:
        self._rows = KeptRows(lambda boards: Matrices.of(boards, device), most)

    def __call__(self, boards: NDArray[np.uint8]) -> Matrices:
        """The matrices of boards that differ."""
        return Matrices(*self._rows(boards))
