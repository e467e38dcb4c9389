"""The gadget of re-solving: before a subgame begins, one player may leave it with a given value, hand by hand."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from ludus.solvers.batch.passes import learned, matched
from ludus.solvers.batch.streets import DecisionTable, Street
from ludus.solvers.batch.subgames import Constraints
from ludus.solvers.schedules import Algorithm

_CHOICES = range(2)  # to follow, to leave


class Gadget:
    """The choice to follow or to leave (Burch, Johanson & Bowling 2014, "Solving Imperfect Information Games Using
    Decomposition"), learned like any other; a row is ``[spots, 1, hands]``."""

    def __init__(self, constraints: Constraints, street: Street, scale: float, algorithm: Algorithm) -> None:
        combos, device = street.combos, street.combos.device
        values = torch.from_numpy(constraints.values.astype(np.float32)).to(device)
        self.leaving = torch.zeros(len(combos), 1, street.width, device=device)
        self.leaving[:, 0, : street.hands] = values.gather(1, combos) * scale
        player = torch.from_numpy(constraints.player).to(device)
        self.bound = [(player == each)[:, None, None] for each in (0, 1)]
        regrets, sums = (torch.zeros(2, *self.leaving.shape, device=device) for _ in range(2))
        self.table = DecisionTable(torch.full((2, 1, 1, 1), 0.5, device=device), regrets, regrets, sums)
        self.algorithm = algorithm

    def follow(self, player: int, averaged: bool = False) -> Tensor:
        """How likely a player's hands follow, now or on average; 1 where they have no choice."""
        table = self.table
        share = matched(_CHOICES, table.sums if averaged else table.play, table.even)[0]
        return torch.where(self.bound[player], share, 1.0)

    def average(self, player: int, factor: Tensor) -> None:
        """Add the strategy of now to the sums."""
        share, sums = self.follow(player), self.table.sums
        self.table.sums = torch.where(self.bound[player], (sums + torch.stack([share, 1 - share])) * factor, sums)

    def learn(self, player: int, values: Tensor, discount: Tensor) -> None:
        """Learn from what a player's hands win by following."""
        mean = self.mean(player, values, self.follow(player))
        now = torch.stack([values - mean, self.leaving - mean])
        new = learned(self.table.regrets, now, discount, self.algorithm.clip)
        play = new + now if self.algorithm.predict else new
        self.table.regrets = torch.where(self.bound[player], new, self.table.regrets)
        self.table.play = torch.where(self.bound[player], play, self.table.play)

    def mean(self, player: int, values: Tensor, follow: Tensor) -> Tensor:
        """What a player's hands win by following so often; ``values`` are those of following."""
        return torch.where(self.bound[player], follow * values + (1 - follow) * self.leaving, values)

    def best(self, player: int, values: Tensor) -> Tensor:
        """What hands win if they leave where that is better."""
        return torch.where(self.bound[player], torch.maximum(values, self.leaving), values)
