"""Trainings on disk, from which the same training goes on as if nothing had happened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from ludus.files import Arrays, load_arrays, save_arrays

KIND, FORMAT = "hold'em training", 1


class Judged(NamedTuple):
    """How a network does after some steps: Huber losses in pots, and the mean error."""

    step: int
    training: float
    huber: float
    mean_error: float


@dataclass(frozen=True)
class Checkpoint:
    """A file for the state of a training; the header is what the training is of."""

    file: Path
    header: dict[str, Any]

    def save(
        self, module: nn.Module, optimiser: torch.optim.Optimizer, generator: torch.Generator, history: list[Judged]
    ) -> None:
        """Keep weights, the optimiser's numbers, random numbers and what was judged."""
        arrays = {f"weight.{name}": weight for name, weight in module.state_dict().items()}
        for at, state in optimiser.state_dict()["state"].items():
            arrays |= {f"optimiser.{at}.{name}": number for name, number in state.items()}
        arrays["generator"] = generator.get_state()
        found: Arrays = {name: tensor.detach().cpu().numpy() for name, tensor in arrays.items()}
        save_arrays(self.file, {**self._header, "history": [list(each) for each in history]}, found)

    def load(
        self, module: nn.Module, optimiser: torch.optim.Optimizer, generator: torch.Generator
    ) -> list[Judged]:  # fmt: skip
        """Take up what was kept, if anything was: what had been judged. ValueError for another training."""
        if not self.file.exists():
            return []
        header, arrays = load_arrays(self.file, KIND, FORMAT)
        for name, value in self._header.items():
            if header.get(name) != value:
                raise ValueError(
                    f"{self.file} has another training: {name} is {header.get(name)} there and {value} here; delete it "
                    "to begin again"
                )
        try:
            state: dict[int, dict[str, torch.Tensor]] = {}
            for name, array in arrays.items():
                if name.startswith("optimiser."):
                    _, at, what = name.split(".")
                    state.setdefault(int(at), {})[what] = torch.from_numpy(array)
            weights = {name: torch.from_numpy(arrays[f"weight.{name}"]) for name in module.state_dict()}
            history = [Judged(*each) for each in header["history"]]
            module.load_state_dict(weights)
            optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
            generator.set_state(torch.from_numpy(arrays["generator"]))
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise ValueError(f"{self.file} is damaged ({error}): delete it to begin again") from None
        return history

    @property
    def _header(self) -> dict[str, Any]:
        return {**self.header, "kind": KIND, "format": FORMAT}

    def delete(self) -> None:
        """The training is over."""
        self.file.unlink(missing_ok=True)
