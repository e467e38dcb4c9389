"""Training a network of hold'em on situations that are kept on the device: Huber loss, Adam, a cosine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ludus.nets.holdem.checkpoints import Checkpoint, Judged
from ludus.nets.holdem.labels import Labelled
from ludus.nets.holdem.network import HandNetwork, HandShape, betting_scale, stack_numbers
from ludus.nets.holdem.tensors import BoardTable, HandModule
from ludus.nets.training import falling_rate
from ludus.solvers.batch.hands import distinct_boards

TOLD = 500  # steps from one look at the held situations to the next


@dataclass(frozen=True)
class HandRecipe:
    """How a network of hold'em is trained."""

    steps: int = 20_000
    batch: int = 512
    rate: float = 2e-3
    warm_up: int = 300  # steps in which the rate rises from nothing
    clip: float = 0.5
    held: float = 0.05  # the share of situations that is not learnt from
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.steps, self.batch) < 1 or not 0 < self.held < 1 or not self.rate > 0:
            raise ValueError(f"steps and batches are 1 or more, a held share is below 1, got {asdict(self)}")


class Memory:
    """Situations on a device."""

    PARTS = ("rows", "stacks", "numbers", "scale", "ranges", "unbet", "values")  # tensors with a row a situation
    table: BoardTable
    rows: Tensor
    stacks: Tensor
    numbers: Tensor
    scale: Tensor
    ranges: Tensor
    unbet: Tensor
    values: Tensor

    def __init__(self, blocks: Sequence[Labelled], device: torch.device) -> None:
        boards, rows = distinct_boards(np.concatenate([each.boards for each in blocks]))
        stacks = np.concatenate([each.stacks for each in blocks]).astype(np.float64)
        self.table = BoardTable.of(boards, device)
        self.rows = torch.from_numpy(rows).to(device)
        self.stacks = torch.from_numpy(stacks).to(device)
        ones = np.ones_like(stacks)
        self.numbers = torch.from_numpy(stack_numbers(ones, stacks)).to(device)
        self.scale = torch.from_numpy(betting_scale(ones, stacks)).to(device)
        self.ranges, self.unbet, self.values = (
            torch.from_numpy(np.concatenate([getattr(each, name) for each in blocks])).to(device)
            for name in ("ranges", "unbet", "values")
        )

    def __len__(self) -> int:
        return len(self.rows)

    def held(self, share: float) -> int:
        """How many situations, the last ones, are held to judge by; ValueError when none is left to learn from."""
        held = max(1, round(len(self) * share))
        if len(self) <= held:
            raise ValueError(f"a network needs situations to learn from and to be judged by, got {len(self)}")
        return held

    def have(self, step: int, held: int) -> int:
        """How many situations, the first ones, a step may learn from."""
        return len(self) - held

    def batch(self, at: Tensor) -> tuple[tuple[Any, ...], Tensor]:
        """What a network is given, and what it is to say."""
        ranges = self.ranges[at].float()
        given = (self.table.part(self.rows[at]), self.numbers[at], self.scale[at])
        return (*given, ranges / ranges.sum(2, keepdim=True), self.unbet[at].float()), self.values[at].float()


def losses(found: Tensor, values: Tensor, possible: Tensor) -> tuple[Tensor, Tensor]:
    """``[n]`` Huber losses and mean errors over the hands that can be held."""
    weights = possible[:, None].float() / (2 * possible.sum(1)[:, None, None])
    missed = (found - values).abs()
    huber = torch.where(missed < 1, missed**2 / 2, missed - 0.5)
    return (huber * weights).sum((1, 2)), (missed * weights).sum((1, 2))


def train_network(
    stage: str, shape: HandShape, memory: Memory, recipe: HandRecipe, start: HandNetwork | None = None,
    progress: Callable[[Judged], object] | None = None, checkpoint: Checkpoint | None = None,
) -> tuple[HandNetwork, list[Judged]]:  # fmt: skip
    """A network trained on situations, the last of which are held to judge it by; ``start`` is one to go on from.

    The same seed gives the same network on one device, also when it goes on from a checkpoint. An interrupt ends
    training and keeps what there is.
    """
    where, generator = memory.rows.device, torch.Generator().manual_seed(recipe.seed)
    module = (HandModule.of(start) if start else HandModule(shape, generator)).to(where)
    history = fit(module, memory, recipe, generator, progress, where.type == "cuda", checkpoint)
    if not all(np.isfinite(history[-1])):
        raise ValueError(f"training has diverged after {history[-1].step} steps: take more situations, or a lower rate")
    origin = {
        "recipe": asdict(recipe), "situations": len(memory), "continued": start is not None, **history[-1]._asdict()
    }  # fmt: skip
    return HandNetwork(module.shape, module.arrays(), stage, origin), history


def fit(
    module: nn.Module, memory: Memory, recipe: HandRecipe, generator: torch.Generator,
    progress: Callable[[Judged], object] | None = None, compiled: bool = False, checkpoint: Checkpoint | None = None,
) -> list[Judged]:  # fmt: skip
    """Train a module that is given what `Memory.batch` has; an interrupt leaves it as it was last judged.

    A checkpoint is gone on from, and written whenever the module is judged.
    """
    held, where = memory.held(recipe.held), memory.rows.device
    quick: Any = torch.compile(module, dynamic=False) if compiled else module
    optimiser = torch.optim.Adam(module.parameters(), lr=recipe.rate)
    history = checkpoint.load(module, optimiser, generator) if checkpoint else []
    total, kept = torch.zeros((), device=where), _weights(module)
    try:
        for step in range(history[-1].step + 1 if history else 1, recipe.steps + 1):
            for group in optimiser.param_groups:
                group["lr"] = recipe.rate * falling_rate(step - 1, recipe.warm_up, recipe.steps)
            at = torch.randint(memory.have(step, held), (recipe.batch,), generator=generator).to(where)
            given, values = memory.batch(at)
            found = losses(quick(*given), values, given[0].possible)[0].mean()
            optimiser.zero_grad()
            found.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(module.parameters(), recipe.clip)
            optimiser.step()
            total += found.detach()
            if step % TOLD == 0 or step == recipe.steps:
                steps = step - (history[-1].step if history else 0)
                history.append(Judged(step, float(total) / steps, *judge(quick, memory, held, recipe.batch)))
                total.zero_()
                kept = _weights(module)
                if checkpoint and all(np.isfinite(history[-1])):
                    checkpoint.save(module, optimiser, generator, history)
                if progress:
                    progress(history[-1])
    except KeyboardInterrupt:
        if not history:
            raise
        module.load_state_dict(kept)
    return history


def _weights(module: nn.Module) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in module.state_dict().items()}


def judge(module: Any, memory: Memory, held: int, batch: int) -> tuple[float, float]:
    """The mean Huber loss and the mean error on the last situations."""
    sums, first = torch.zeros(2, dtype=torch.float64, device=memory.rows.device), len(memory) - held
    module.eval()
    with torch.no_grad():
        for start in range(first, len(memory), batch):
            at = torch.arange(start, start + batch, device=memory.rows.device).clamp(max=len(memory) - 1)
            given, values = memory.batch(at)
            for place, each in enumerate(losses(module(*given), values, given[0].possible)):
                sums[place] += each[: len(memory) - start].sum()
    module.train()
    huber, error = (sums / held).tolist()
    return huber, error
