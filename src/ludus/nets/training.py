"""Training a value network in PyTorch: Huber loss, Adam, a learning rate that falls to nothing along a cosine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ludus.files import Arrays
from ludus.games.definition import Definition
from ludus.nets.examples import Examples
from ludus.nets.network import Shape, ValueNetwork

try:
    import torch
    from torch import Tensor, nn
except ImportError:
    raise ValueError("training networks needs PyTorch: pip install 'ludus[torch]'") from None


@contextmanager
def one_thread() -> Iterator[None]:
    """Networks so small are trained faster by one thread than by several that wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


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


class Module(nn.Module):
    """The same function as ``ValueNetwork.values``, for PyTorch to differentiate."""

    def __init__(self, shape: Shape, generator: torch.Generator) -> None:
        super().__init__()
        self.shape = shape
        self.layers = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(shape.sizes))
        for at, layer in enumerate(self._linear()):
            bound = (6 / layer.in_features) ** 0.5  # He et al. 2015
            bound *= 0.3 if shape.residual and 0 < at < shape.layers else 1.0
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
            nn.init.zeros_(layer.bias)
        nn.init.zeros_(self._linear()[-1].weight)  # at first nobody is thought to gain by betting

    def _linear(self) -> list[nn.Linear]:
        return [layer for layer in self.layers if isinstance(layer, nn.Linear)]

    def forward(self, public: Tensor, ranges: Tensor, unbet: Tensor) -> Tensor:
        """[n, 2, hands] Both players' values in pots."""
        x = torch.cat([public, ranges.flatten(1) * self.shape.hands, unbet.flatten(1)], 1)
        for at, layer in enumerate(self.layers):
            y = layer(x)
            if at < self.shape.layers:
                y = torch.relu(y)
                if self.shape.residual and at > 0:
                    y = y + x
            x = y
        found = x.view(ranges.shape) + unbet
        missed = (found * ranges).sum(dim=(1, 2), keepdim=True)
        return found - missed / 2

    def arrays(self) -> Arrays:
        """The weights, as ``ValueNetwork`` has them."""
        arrays: Arrays = {}
        for at, layer in enumerate(self._linear()):
            arrays[f"weight{at}"] = layer.weight.detach().float().cpu().numpy().T.copy()
            arrays[f"bias{at}"] = layer.bias.detach().float().cpu().numpy().copy()
        return arrays


def loss(model: nn.Module, public: Tensor, ranges: Tensor, unbet: Tensor, values: Tensor, possible: Tensor) -> Tensor:
    """The mean Huber loss over the hands that can be held."""
    losses = nn.functional.huber_loss(model(public, ranges, unbet), values, reduction="none")
    weights = possible[:, None].expand_as(losses)
    return (losses * weights).sum() / weights.sum()


def train(
    shape: Shape,
    examples: Examples,
    recipe: Recipe,
    rules: Definition,
    stage: str,
    progress: Callable[[Losses], object] | None = None,
) -> tuple[ValueNetwork, list[Losses]]:
    """A network trained on examples, the last of which are kept for validation, and its losses epoch by epoch.

    The same seed gives the same network. An interrupt ends training after the last whole epoch and keeps it.
    """
    count = len(examples.values)
    held = max(1, round(count * recipe.validation))
    if count - held < 1:
        raise ValueError(f"a network needs situations to learn from and to be judged by, got {count}")
    generator = torch.Generator().manual_seed(recipe.seed)
    model = Module(shape, generator)
    learnt = _tensors(examples.part(slice(0, count - held)))
    judged = _tensors(examples.part(slice(count - held, count)))
    steps = recipe.epochs * -(-(count - held) // recipe.batch)
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: falling_rate(step, recipe.warm_up, steps))
    history, arrays = list[Losses](), dict[str, Any]()
    try:
        with one_thread():
            for epoch in range(1, recipe.epochs + 1):
                total = 0.0
                for rows in torch.split(torch.randperm(count - held, generator=generator), recipe.batch):
                    found = loss(model, *(each[rows] for each in learnt))
                    optimiser.zero_grad()
                    found.backward()  # type: ignore[no-untyped-call]
                    nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
                    optimiser.step()
                    schedule.step()
                    total += float(found.detach()) * len(rows)
                with torch.no_grad():
                    history.append(Losses(epoch, total / (count - held), float(loss(model, *judged))))
                arrays = model.arrays()
                if progress is not None:
                    progress(history[-1])
    except KeyboardInterrupt:
        if not history:
            raise
    origin = {
        "recipe": asdict(recipe), "situations": count, "epochs": history[-1].epoch,
        "training_loss": history[-1].training, "validation_loss": history[-1].validation,
    }  # fmt: skip
    return ValueNetwork(shape, arrays, rules, stage, origin), history


def _tensors(examples: Examples) -> tuple[Tensor, ...]:
    return tuple(torch.as_tensor(np.asarray(each, np.float32)) for each in examples)


def falling_rate(step: int, warm_up: int, steps: int) -> float:
    """What a learning rate is multiplied by: it rises for some steps, then falls along a cosine."""
    rising = min(1.0, (step + 1) / max(warm_up, 1))
    return float(rising * (1 + np.cos(np.pi * min(step / max(steps, 1), 1.0))) / 2)
