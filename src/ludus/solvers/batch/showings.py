"""Who wins at showdown on many boards: matrices that are made once, and rows of ranges that are asked about again."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.solvers.batch.hands import combos_of, places_of, showdowns
from ludus.solvers.spot.leaf_solvers import margin


class Matrices:
    """Who beats whom on some boards that differ ``[boards, cards]``."""

    def __init__(self, boards: NDArray[np.uint8], device: torch.device) -> None:
        combos, fast = combos_of(boards), device.type == "cuda"
        self.combos = torch.from_numpy(combos).to(device)
        self.places = torch.from_numpy(places_of(combos)).to(device)
        self.half = torch.float16 if fast else torch.float32
        if fast:
            beat, self.unit = showdowns(boards, device, self.half, "inductor")
        else:  # where a kernel is faster
            each = [margin(tuple(board))[np.ix_(own, own)] for board, own in zip(boards.tolist(), combos, strict=True)]
            beat, self.unit = torch.from_numpy(np.pad(np.stack(each), ((0, 0), (0, 1), (0, 1)))), 1.0
        self.beat = (beat if beat.dim() == 3 else beat[None]).transpose(1, 2)

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

    def won(self, ranges: Tensor) -> Tensor:
        """``[rows, 1326]`` What hands win less what they lose against ranges ``[rows, 1326]``."""
        beat, half = self._matrices.beat, self._matrices.half
        scale = ranges.amax(1, keepdim=True).clamp(min=1e-30)  # half precision holds what is near 1
        wide = torch.zeros(len(beat), self._most, beat.shape[1], dtype=half, device=ranges.device)
        wide[self._row, self._place, : self._combos.shape[1]] = (ranges / scale).gather(1, self._combos).to(half)
        found = torch.matmul(wide, beat)[self._row, self._place].float()
        return found.gather(1, self._places) * (scale * self._matrices.unit)
