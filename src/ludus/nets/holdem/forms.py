"""Other forms of value networks, to compare ours with on the same situations: over clusters of hands, and over hands.

Both see whole ranges at once and give all values at once, as DeepStack's networks do (Moravcik et al. 2017).
"""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import torch
from torch import Tensor, nn

from ludus.cards.ranges import COMBOS
from ludus.nets.holdem.boards import HANDS
from ludus.nets.holdem.tensors import BoardTable
from ludus.parallel import usable_cores
from ludus.trees.clusters import L2, cluster

UNIT = 4096  # of whole numbers that stand for shares
SAMPLED = 64  # boards whose hands are clustered
CHUNK = 1 << 16  # hands whose nearest cluster is looked for in one go


def _layers(sizes: list[int], generator: torch.Generator) -> nn.ModuleList:
    layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(sizes))
    for layer in layers:
        assert isinstance(layer, nn.Linear)
        bound = (6 / layer.in_features) ** 0.5  # He et al. 2015
        nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
        nn.init.zeros_(layer.bias)
    assert isinstance(layers[-1], nn.Linear)
    nn.init.zeros_(layers[-1].weight)
    return layers


def _balanced(found: Tensor, ranges: Tensor, possible: Tensor) -> Tensor:
    """Values whose sums over both ranges add up to zero, 0 for hands that cannot be held."""
    found = found * possible[:, None]
    missed = (found * ranges).sum(dim=(1, 2), keepdim=True)
    return (found - missed / 2) * possible[:, None]


class ClusterForm(nn.Module):
    """Ranges over clusters of hands, seven hidden layers of 500: the network of the source (and of DeepStack).

    Clusters are of hands alike in what is known of them on their board, for all boards of a street.
    """

    def __init__(
        self, table: BoardTable, generator: torch.Generator, clusters: int = 1000, width: int = 500, layers: int = 7
    ) -> None:
        super().__init__()
        hands = table.known[:SAMPLED][table.possible[:SAMPLED]].float()
        points = np.round(hands.cpu().numpy() * UNIT).astype(np.int16)
        different, times = np.unique(points, axis=0, return_counts=True)
        self.clusters = clusters = min(clusters, len(different))
        self.layers = _layers([1 + 2 * clusters, *[width] * layers, 2 * clusters], generator)
        centres = cluster(different, times, clusters, L2, np.random.default_rng(0), threads=usable_cores())
        self.register_buffer("centres", torch.from_numpy(centres.astype(np.float32) / UNIT))

    def _nearest(self, known: Tensor) -> Tensor:
        centres: Tensor = self.get_buffer("centres")
        flat = known.float().flatten(0, 1)
        parts = [torch.cdist(part, centres).argmin(1) for part in torch.split(flat, CHUNK)]
        return torch.cat(parts).view(known.shape[:2])

    def forward(self, table: BoardTable, numbers: Tensor, scale: Tensor, ranges: Tensor, unbet: Tensor) -> Tensor:
        """``[n, 2, 1326]`` Values in pots."""
        where = self._nearest(table.known)[:, None].expand(-1, 2, -1)
        held = torch.zeros(len(ranges), 2, self.clusters, device=ranges.device).scatter_add(2, where, ranges)
        x = torch.cat([numbers[:, :1], held.flatten(1) * self.clusters], 1)
        for at, layer in enumerate(self.layers):
            x = layer(x)
            if at + 1 < len(self.layers):
                x = torch.relu(x)
        return _balanced(x.view(held.shape).gather(2, where), ranges, table.possible)


class DenseForm(nn.Module):
    """All 1,326 hands as inputs and outputs, residual layers; suits are renamed at random while it learns."""

    def __init__(self, table: BoardTable, generator: torch.Generator, width: int = 1024, layers: int = 6) -> None:
        super().__init__()
        self.layers = _layers([54 + 4 * HANDS, *[width] * layers, 2 * HANDS], generator)
        hands, cards = _renamings()
        self.register_buffer("hands", torch.from_numpy(hands))
        self.register_buffer("cards", torch.from_numpy(cards))
        holds = np.zeros((HANDS, 52), np.float32)
        holds[np.arange(HANDS)[:, None], COMBOS] = 1
        self.register_buffer("holds", torch.from_numpy(holds))
        self.turn = 0

    def forward(self, table: BoardTable, numbers: Tensor, scale: Tensor, ranges: Tensor, unbet: Tensor) -> Tensor:
        """``[n, 2, 1326]`` Values in pots."""
        self.turn = (self.turn + 1) % len(self.get_buffer("hands")) if self.training else 0
        hands, cards = self.get_buffer("hands")[self.turn], self.get_buffer("cards")[self.turn]
        board = (table.possible.float() @ self.get_buffer("holds") == 0).float()
        wide = (each[:, :, hands].flatten(1) for each in (ranges * HANDS, unbet))
        x = torch.cat([board[:, cards], numbers, *wide], 1)
        for at, layer in enumerate(self.layers):
            y = layer(x)
            if at + 1 < len(self.layers):
                y = torch.relu(y)
                y = y + x if at else y
            x = y
        found = torch.empty_like(ranges)
        found[:, :, hands] = x.view(ranges.shape)
        return _balanced(found * scale[:, None, None] + unbet, ranges, table.possible)


def _renamings() -> tuple[np.ndarray, np.ndarray]:
    """``[24, 1326]`` and ``[24, 52]``: which hand and which card is asked for each when suits are renamed."""
    place = {tuple(sorted(hand)): at for at, hand in enumerate(COMBOS.tolist())}
    hands, cards = [], []
    for order in permutations(range(4)):
        moved = np.array([card // 4 * 4 + order[card % 4] for card in range(52)])
        cards.append(moved)
        hands.append([place[tuple(sorted(pair))] for pair in moved[COMBOS].tolist()])
    return np.array(hands), np.array(cards)
