"""Training a value network in PyTorch: Huber loss, Adam, a learning rate that falls to nothing along a cosine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ludus.files import Arrays
from ludus.games.definition import Definition
from ludus.nets.examples import Examples
from ludus.nets.network import Shape, ValueNetwork, inputs_of

try:
    import torch
    from torch import Tensor, nn
except ImportError:
    raise ValueError("training networks needs PyTorch: pip install 'ludus[torch]'") from None


@dataclass(frozen=True)
class Recipe:
    """How a network is trained."""

    epochs: int = 150
    batch: int = 500
    rate: float = 1e-3
    warm_up: int = 200  # steps in which the rate rises from nothing
    clip: float = 0.5
    validation: float = 0.1  # the share of situations that is not learnt from
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch) < 1 or not 0 < self.validation < 1 or self.rate <= 0:
            raise ValueError(f"epochs and batches are 1 or more, a validation share is below 1, got {asdict(self)}")


class Losses(NamedTuple):
    """How a network does on what it learnt from and on what it did not: mean Huber losses, in pots."""

    epoch: int
    training: float
    validation: float


class _Module(nn.Module):
    """The same function as ``ValueNetwork.values``, for PyTorch to differentiate."""

    def __init__(self, shape: Shape, generator: torch.Generator) -> None:
        super().__init__()
        self.shape = shape
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(shape.sizes))
        for layer in self.layers:
            assert isinstance(layer, nn.Linear)
            bound = (6 / layer.in_features) ** 0.5  # He et al. 2015
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
            nn.init.zeros_(layer.bias)
        last = self.layers[-1]
        assert isinstance(last, nn.Linear)
        nn.init.zeros_(last.weight)

    def forward(self, inputs: Tensor, ranges: Tensor) -> Tensor:
        x = inputs
        for at, layer in enumerate(self.layers):
            y = layer(x)
            if at < self.shape.layers:
                y = torch.relu(y)
                if self.shape.residual and at > 0:
                    y = y + x
            x = y
        found = x.view(ranges.shape)
        missed = (found * ranges).sum(dim=(1, 2), keepdim=True)
        return found - missed / 2


def train(
    shape: Shape,
    examples: Examples,
    recipe: Recipe,
    rules: Definition,
    stage: str,
    progress: Callable[[Losses], object] | None = None,
    device: str = "cpu",
) -> tuple[ValueNetwork, list[Losses]]:
    """A network trained on examples, the last of which are kept for validation, and its losses epoch by epoch.

    On one device the same seed gives the same network. An interrupt ends training after the epoch and keeps it.
    """
    count = len(examples.pot)
    held = max(1, round(count * recipe.validation))
    if count - held < 1:
        raise ValueError(f"a network needs situations to learn from and to be judged by, got {count}")
    generator = torch.Generator().manual_seed(recipe.seed)
    model = _Module(shape, generator).to(device)
    learnt, judged = (
        _tensors(examples.part(rows), device) for rows in (slice(0, count - held), slice(count - held, None))
    )
    steps = recipe.epochs * -(-(count - held) // recipe.batch)
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _rate(step, recipe.warm_up, steps))
    history: list[Losses] = []
    try:
        for epoch in range(1, recipe.epochs + 1):
            order = torch.randperm(count - held, generator=generator).to(device)
            total = 0.0
            for rows in torch.split(order, recipe.batch):
                loss = _loss(model, *(each[rows] for each in learnt))
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
                optimiser.step()
                schedule.step()
                total += float(loss.detach()) * len(rows)
            with torch.no_grad():
                history.append(Losses(epoch, total / (count - held), float(_loss(model, *judged))))
            if progress is not None:
                progress(history[-1])
    except KeyboardInterrupt:
        if not history:
            raise
    origin = {
        "recipe": asdict(recipe), "situations": count, "epochs": history[-1].epoch,
        "training_loss": history[-1].training, "validation_loss": history[-1].validation,
    }  # fmt: skip
    return ValueNetwork(shape, _arrays(model), rules, stage, origin), history


def _tensors(examples: Examples, device: str) -> tuple[Tensor, ...]:
    inputs = inputs_of(examples.board, examples.pot, examples.ranges)
    return tuple(
        torch.as_tensor(np.asarray(each, np.float32), device=device)
        for each in (inputs, examples.ranges, examples.values, examples.possible)
    )


def _loss(model: nn.Module, inputs: Tensor, ranges: Tensor, values: Tensor, possible: Tensor) -> Tensor:
    losses = nn.functional.huber_loss(model(inputs, ranges), values, reduction="none")
    weights = possible[:, None].expand_as(losses)
    return (losses * weights).sum() / weights.sum()


def _rate(step: int, warm_up: int, steps: int) -> float:
    rising = min(1.0, (step + 1) / max(warm_up, 1))
    return float(rising * (1 + np.cos(np.pi * min(step / max(steps, 1), 1.0))) / 2)


def _arrays(model: _Module) -> Arrays:
    arrays: Arrays = {}
    for at, layer in enumerate(model.layers):
        assert isinstance(layer, nn.Linear)
        arrays[f"weight{at}"] = layer.weight.detach().cpu().numpy().T.copy()
        arrays[f"bias{at}"] = layer.bias.detach().cpu().numpy().copy()
    return arrays
