"""Leaf values of a batch: from rows of tensors to whatever values leaves, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.solvers.batch.hands import places_of
from ludus.solvers.batch.streets import Group, Street
from ludus.solvers.leaf_values import LeafValues, Leaves

EvaluateTensors = Callable[[Tensor], Tensor]
"""`ludus.solvers.leaf_values.Evaluate` with tensors, which stay on their device: ``[leaves, 2, 1326]`` to the same."""


@runtime_checkable
class TensorLeafValues(Protocol):
    """What values leaves without leaving the device: a network, say."""

    def bind_tensors(self, leaves: Leaves, device: torch.device) -> EvaluateTensors:
        """As `LeafValues.bind`; the function is called with float32 tensors on the device."""


class Frontier:
    """The leaves of a group that are neither all-in nor out of reach: those of all spots in one list."""

    def __init__(
        self, street: Street, group: Group, pots: NDArray[np.int64], scale: float, values: LeafValues | TensorLeafValues
    ) -> None:
        boards, device = len(street.boards), street.combos.device
        ends = [group.after(node) for node in group.plan.ends]
        pot, stack, there = (group.spread(each, boards).ravel() for each in zip(*ends, strict=True))
        kept = np.flatnonzero(there)
        board = np.broadcast_to(np.arange(boards)[:, None], (len(ends), boards, group.lines)).ravel()
        leaves = Leaves(street.boards[board[kept]], pot[kept], stack[kept])
        self._evaluate = _bound(values, leaves, device)
        self._kept = torch.from_numpy(kept).to(device)
        unit = np.repeat(pots, boards // len(pots))[board[kept]]
        self._to_chips, self._to_units = 1 / scale, torch.from_numpy((scale / unit).astype(np.float32)).to(device)
        self._places = torch.from_numpy(places_of(street.combos.cpu().numpy())).to(device)
        self._combos = street.combos
        self._size = (len(ends), boards, group.lines)

    def values(self, reach: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """Both players' values, in pots, from both players' reach, ``[ends, boards, lines, hands]`` each."""
        wide = self._places[None, :, None].expand(*self._size, -1)
        asked = torch.stack([each.gather(3, wide).flatten(0, 2)[self._kept] for each in reach], 1)
        with torch.no_grad():
            found = self._evaluate(asked * self._to_chips) * self._to_units[:, None, None]
        narrow = self._combos[None, :, None].expand(*self._size, -1)
        results = []
        for player, each in enumerate(reach):
            whole = torch.zeros(self._size[0] * self._size[1] * self._size[2], wide.shape[3], device=each.device)
            whole[self._kept] = found[:, player]
            rows = torch.zeros_like(each)
            rows[..., : narrow.shape[3]] = whole.view(wide.shape).gather(3, narrow)
            results.append(rows)
        return results[0], results[1]


def _bound(values: LeafValues | TensorLeafValues, leaves: Leaves, device: torch.device) -> EvaluateTensors:
    if isinstance(values, TensorLeafValues):
        return values.bind_tensors(leaves, device)
    evaluate = values.bind(leaves)

    def through_numpy(reach: Tensor) -> Tensor:
        return torch.from_numpy(np.asarray(evaluate(reach.cpu().numpy()), np.float32)).to(device)

    return through_numpy
