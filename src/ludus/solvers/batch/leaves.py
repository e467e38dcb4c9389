"""Leaf values of a batch: from rows of tensors to whatever values leaves, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.solvers.batch.hands import places_of
from ludus.solvers.batch.streets import Group, Street
from ludus.solvers.leaf_values import Evaluate, LeafValues, Leaves


class SettlingTensors(Protocol):
    """`ludus.solvers.leaf_values.Settling` with tensors, which stay on their device: reach is ``[leaves, 2, 1326]``."""

    def settle(self, reach: Tensor) -> None:
        """Work out what changes little while ranges do."""

    def values(self, reach: Tensor, player: int) -> Tensor:
        """A player's values ``[leaves, 1326]``."""


@runtime_checkable
class TensorLeafValues(Protocol):
    """What values leaves without leaving the device: a network, say."""

    def bind_tensors(self, leaves: Leaves, device: torch.device) -> SettlingTensors:
        """As `LeafValues.bind`; what is returned is asked with float32 tensors on the device."""


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
        self._bound = _bound(values, leaves, device)
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
            found = both_anew(self._bound, asked * self._to_chips) * self._to_units[:, None, None]
        narrow = self._combos[None, :, None].expand(*self._size, -1)
        results = []
        for player, each in enumerate(reach):
            whole = torch.zeros(self._size[0] * self._size[1] * self._size[2], wide.shape[3], device=each.device)
            whole[self._kept] = found[:, player]
            rows = torch.zeros_like(each)
            rows[..., : narrow.shape[3]] = whole.view(wide.shape).gather(3, narrow)
            results.append(rows)
        return results[0], results[1]


def both_anew(bound: SettlingTensors, reach: Tensor) -> Tensor:
    """Both players' values ``[leaves, 2, 1326]``, settled on their reach."""
    bound.settle(reach)
    return torch.stack([bound.values(reach, player) for player in (0, 1)], 1)


@dataclass(eq=False)
class _ThroughNumpy:
    """Leaf values that know no tensors."""

    evaluate: Evaluate
    device: torch.device

    def settle(self, reach: Tensor) -> None:
        found = np.asarray(self.evaluate(reach.cpu().numpy()), np.float32)
        self._values = torch.from_numpy(found).to(self.device)

    def values(self, reach: Tensor, player: int) -> Tensor:
        return self._values[:, player]


def _bound(values: LeafValues | TensorLeafValues, leaves: Leaves, device: torch.device) -> SettlingTensors:
    if isinstance(values, TensorLeafValues):
        return values.bind_tensors(leaves, device)
    return _ThroughNumpy(values.bind(leaves), device)
