"""The networks of hold'em in PyTorch: many boards at once, on any device, for training and for solving in batches.

The functions are those of `boards` and `network`, over all 1,326 combinations: rows of blocked hands are zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import COMBOS
from ludus.files import Arrays
from ludus.nets.holdem.boards import HANDS, known_of, read_boards
from ludus.nets.holdem.network import (
    BLOCKED_UNIT,
    NUMBERS,
    HandNetwork,
    HandShape,
    betting_scale,
    stack_numbers,
)
from ludus.solvers.leaf_values import Leaves

try:
    import torch
    from torch import Tensor, nn
except ImportError:
    raise ValueError("training networks needs PyTorch: pip install 'ludus[torch]'") from None

from ludus.solvers.batch.hands import distinct_boards
from ludus.solvers.batch.showings import KeptRows, Matrices, MatrixReader, Showings

SIZES = (64, 512, 4096)  # situations that a network is asked for in one go
AT_ONCE = SIZES[-1]


class BoardTable(NamedTuple):
    """What is known of all hands on some boards, row by row."""

    known: Tensor  # [boards, 1326, KNOWN] half precision
    order: Tensor  # [boards, 1326] 16 bits, blocked hands last
    better: Tensor
    not_worse: Tensor
    possible: Tensor  # [boards, 1326]

    @classmethod
    def of(cls, boards: NDArray[np.uint8], device: torch.device) -> BoardTable:
        """Read boards, which should differ."""
        means, parts = read_boards(boards)
        places = torch.from_numpy(means).to(device)
        possible = places >= 0
        known = torch.from_numpy(known_of(np.maximum(means, 0), parts)).to(device) * possible[..., None]
        places = torch.where(possible, places, torch.iinfo(torch.int64).max)
        sorted_places, order = places.sort(dim=1, stable=True)
        sides = [torch.searchsorted(sorted_places, places, side=side) for side in ("left", "right")]
        return cls(known.half(), order.short(), sides[0].short(), sides[1].short(), possible)

    def part(self, rows: Tensor) -> BoardTable:
        """Some rows, in some order."""
        return BoardTable(*(each[rows] for each in self))


class BoardReader:
    """Reads boards for a device, which should differ, and keeps the latest: play asks about a board again and again."""

    def __init__(self, device: torch.device, most: int = 0) -> None:
        self._table = KeptRows(lambda boards: BoardTable.of(boards, device), most)
        self.matrices = MatrixReader(device, most)

    def table(self, boards: NDArray[np.uint8]) -> BoardTable:
        """What is known of all hands on boards."""
        return BoardTable(*self._table(boards))


def unbet_values(showings: Showings, ranges: Tensor) -> Tensor:
    """``[n, 2, 1326]`` What hands win if nobody bets, in pots, against ranges ``[n, 2, 1326]``."""
    return torch.stack([showings.won(ranges[:, 1 - player]) / 2 for player in (0, 1)], 1)


def hand_features(table: BoardTable, ranges: Tensor, unbet: Tensor, holds: Tensor) -> Tensor:
    """``[n, 2, 1326, SEEN]`` As `network.hand_features`, each situation on the board of its row; ``holds [52, 1326]``
    has the hands that hold a card."""
    count = len(ranges)
    triangle = nn.functional.pad(ranges.gather(2, _wide(table.order, 2)).cumsum(2), (1, 0))
    better, not_worse = (triangle.gather(2, _wide(each, 2)) for each in (table.better, table.not_worse))
    worse = triangle[:, :, -1:] - not_worse
    spread = ranges[..., None] * table.known[:, None, :, 1:].float()
    blocked = torch.matmul(holds.T, torch.matmul(holds, spread)) - spread
    other = blocked.flip(1)
    numbers = [worse.flip(1), better.flip(1), worse, better, 1 - other.sum(3), unbet]
    found = torch.cat([torch.stack(numbers, 3), other / BLOCKED_UNIT], 3)
    return found * table.possible.view(count, 1, HANDS, 1)


def _wide(rows: Tensor, players: int) -> Tensor:
    return rows.long()[:, None].expand(-1, players, -1)


class HandModule(nn.Module):
    """The same function as `HandNetwork.values`, for PyTorch to differentiate."""

    holds: Tensor
    who: Tensor

    def __init__(self, shape: HandShape, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.shape = shape
        weights = {}
        for name, size in shape.arrays.items():
            weights[name.replace(".", "_")] = weight = nn.Parameter(torch.zeros(size))
            if name != "out" and not name.endswith(".bias"):
                bound = (6 / size[0]) ** 0.5 * (0.3 if name.startswith("told") else 1)  # He et al. 2015
                nn.init.uniform_(weight, -bound, bound, generator=generator)
        self.weights = nn.ParameterDict(weights)
        holds = torch.zeros(52, HANDS)
        holds[torch.from_numpy(COMBOS.T.astype(np.int64)), torch.arange(HANDS)] = 1
        self.register_buffer("holds", holds, persistent=False)
        self.register_buffer("who", torch.tensor([[[0.0], [1.0]]]), persistent=False)

    @classmethod
    def of(cls, network: HandNetwork) -> HandModule:
        """A network's weights."""
        module = cls(network.shape)
        with torch.no_grad():
            for name, array in network.arrays.items():
                module.weights[name.replace(".", "_")].copy_(torch.from_numpy(array))
        return module

    def arrays(self) -> Arrays:
        """The weights, as `HandNetwork` has them."""
        return {name: self._of(name).detach().float().cpu().numpy() for name in self.shape.arrays}

    def _of(self, name: str) -> Tensor:
        weight: Tensor = self.weights[name.replace(".", "_")]
        return weight

    def forward(self, table: BoardTable, numbers: Tensor, scale: Tensor, ranges: Tensor, unbet: Tensor) -> Tensor:
        """``[n, 2, 1326]`` Values in pots; the table has one row for each situation."""
        added = self.added(table, numbers, scale, ranges, unbet)
        return evened(added, ranges, table.possible[:, None]) + unbet * table.possible[:, None]

    def added(self, table: BoardTable, numbers: Tensor, scale: Tensor, ranges: Tensor, unbet: Tensor) -> Tensor:
        """The part of them that betting adds, before both players' are made to add up to zero."""
        return added(self.tensors(), self.shape.layers, table, numbers, scale, ranges, unbet)

    def tensors(self) -> dict[str, Tensor]:
        """The weights, and what is the same for all networks."""
        return {**{name: self._of(name) for name in self.shape.arrays}, "holds": self.holds, "who": self.who}


def added(
    weights: dict[str, Tensor], layers: int, table: BoardTable, numbers: Tensor, scale: Tensor, ranges: Tensor,
    unbet: Tensor,
) -> Tensor:  # fmt: skip
    """``[n, 2, 1326]`` What betting adds, in pots, by the weights of `HandModule.tensors`: one function for all
    networks, so that it is compiled for all of them at once."""

    def linear(name: str, x: Tensor) -> Tensor:
        return x @ weights[name] + weights[f"{name}.bias"]

    known, possible = table.known.float(), table.possible[:, None].float()
    seen = hand_features(table, ranges, unbet, weights["holds"])
    kinds = torch.relu(linear("kind1", torch.relu(linear("kind0", known)))) * possible[:, 0, :, None]
    pooled = torch.matmul(ranges, kinds)
    even = kinds.sum(1, keepdim=True) / possible.sum(2, keepdim=True)
    who = weights["who"].expand(len(ranges), -1, -1)
    x = torch.cat([pooled, pooled.flip(1), even.expand(-1, 2, -1), who, numbers[:, None].expand(-1, 2, NUMBERS)], 2)
    for name in ("context0", "context1"):
        x = torch.relu(linear(name, x))
    hands = torch.cat([known[:, None].expand(-1, 2, -1, -1), seen], 3)
    for layer in range(layers):
        new = torch.relu(linear(f"hand{layer}", hands) + (x @ weights[f"told{layer}"])[:, :, None])
        hands = new + hands if layer else new
    return linear("out", hands)[..., 0] * scale[:, None, None] * possible


def evened(added: Tensor, ranges: Tensor, possible: Tensor) -> Tensor:
    """What betting adds ``[n, 2, 1326]``, less what it may not add to both together; ``possible [n, 1, 1326]``."""
    return added - (added * ranges).sum(dim=(1, 2), keepdim=True) / 2 * possible


class TensorNetwork:
    """A network on a device, as leaf values of solves in batches (`ludus.solvers.batch.leaves.TensorLeafValues`)."""

    def __init__(self, network: HandNetwork, device: torch.device, reader: BoardReader | None = None) -> None:
        module = HandModule.of(network).to(device).requires_grad_(requires_grad=False)
        ask = _compiled() if device.type == "cuda" else added
        self._ask = partial(ask, module.tensors(), network.shape.layers)
        self._reader = reader or BoardReader(device)

    @classmethod
    def kept(cls, network: HandNetwork, device: torch.device) -> TensorNetwork:
        """The same as before for the same network: it is compiled once."""
        return _on_device(network, device)

    def bind_tensors(self, leaves: Leaves, device: torch.device) -> TensorLeaves:
        """Prepare for leaves."""
        boards, rows = distinct_boards(leaves.boards)
        numbers, scale, pots = (
            torch.from_numpy(each).to(device)
            for each in (
                stack_numbers(leaves.pots, leaves.stacks), betting_scale(leaves.pots, leaves.stacks),
                leaves.pots.astype(np.float32),
            )
        )  # fmt: skip
        return TensorLeaves(self.on(boards, device).at(torch.from_numpy(rows).to(device), numbers, scale), pots)

    def on(self, boards: NDArray[np.uint8], device: torch.device) -> OnBoards:
        """Prepare for situations on boards, which differ."""
        return OnBoards(self._ask, self._reader.table(boards), self._reader.matrices(boards))


@cache
def _compiled() -> Any:
    """`added` for a GPU, compiled once for the networks of all stages."""
    return torch.compile(added, dynamic=False)


@lru_cache(4)
def _on_device(network: HandNetwork, device: torch.device) -> TensorNetwork:
    return TensorNetwork(network, device)


@dataclass(frozen=True, eq=False)
class OnBoards:
    """A network that can be asked about situations on some boards."""

    module: Any
    table: BoardTable
    matrices: Matrices

    def at(self, rows: Tensor, numbers: Tensor, scale: Tensor) -> Situated:
        """Prepare for situations on the boards of rows."""
        return Situated(self, rows, numbers, scale)


class Situated:
    """A network that can be asked about some situations again and again, with other ranges."""

    def __init__(self, on: OnBoards, rows: Tensor, numbers: Tensor, scale: Tensor) -> None:
        self.possible = on.table.possible[rows][:, None].float()  # [n, 1, 1326]
        self._even = self.possible / self.possible.sum(2, keepdim=True)
        self._module, self.showings = on.module, on.matrices.at(rows)
        self._parts = []
        for part, size in _parts(len(rows)):
            last = part.start + size if rows.is_cuda else part.stop
            padded = torch.arange(part.start, last, device=rows.device).clamp(max=part.stop - 1)
            self._parts.append((part, padded, (on.table.part(rows[padded]), numbers[padded], scale[padded])))

    def ranges(self, reach: Tensor) -> tuple[Tensor, Tensor]:
        """Both players' ranges ``[n, 2, 1326]``, which add up to 1, and what they added up to ``[n, 2, 1]``."""
        mass = reach.sum(2, keepdim=True)
        return torch.where(mass > 0, reach / mass.clamp(min=1e-30), self._even), mass

    def added(self, ranges: Tensor) -> Tensor:
        """``[n, 2, 1326]`` What betting adds, in pots."""
        unbet, found = unbet_values(self.showings, ranges), torch.empty_like(ranges)
        with torch.autocast(ranges.device.type, torch.float16, enabled=ranges.is_cuda):
            for part, padded, given in self._parts:
                found[part] = self._module(*given, ranges[padded], unbet[padded])[: part.stop - part.start]
        return found


class TensorLeaves:
    """A network bound to leaves, as `ludus.solvers.batch.leaves.SettlingTensors`."""

    def __init__(self, asked: Situated, pots: Tensor) -> None:
        self._asked, self._pots = asked, pots[:, None]
        self._added = torch.zeros(len(pots), 2, HANDS, device=pots.device)

    def settle(self, reach: Tensor) -> None:
        """Work out what betting adds; in place, so that what was recorded on a device goes on from it."""
        self._added.copy_(self._asked.added(self._asked.ranges(reach)[0]))

    def values(self, reach: Tensor, player: int) -> Tensor:
        """A player's values ``[leaves, 1326]``."""
        ranges, mass = self._asked.ranges(reach)
        won = (
            self._asked.showings.won(ranges[:, 1 - player]) / 2
            + evened(self._added, ranges, self._asked.possible)[:, player]
        )
        return won * mass[:, 1 - player] * self._pots


def _parts(count: int) -> Iterator[tuple[slice, int]]:
    """Some situations in parts of few sizes, as a compiled network has them, most of them full.

    >>> [(part.stop, size) for part, size in _parts(700)]
    [(512, 512), (576, 64), (640, 64), (700, 64)]
    """
    start = 0
    while start < count:
        size = next((size for size in reversed(SIZES) if 2 * (count - start) > size), SIZES[0])
        part = slice(start, min(start + size, count))
        yield part, size
        start = part.stop
