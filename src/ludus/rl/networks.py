"""The networks of ``policy`` for PyTorch to train."""

from __future__ import annotations

import numpy as np

from ludus.files import Arrays
from ludus.rl.policy import Shape

try:
    import torch
    from torch import Tensor, nn
except ImportError:
    raise ValueError("training networks needs PyTorch: pip install 'ludus[torch]'") from None


class Network(nn.Module):
    """The same function as ``policy.forward``."""

    def __init__(self, shape: Shape, generator: torch.Generator) -> None:
        super().__init__()
        self.shape = shape
        for name, size in shape.weights().items():
            weight = torch.zeros(size)
            if len(size) > 1:
                inputs = size[0] if len(size) == 2 else size[1] * 9
                bound = (6 / inputs) ** 0.5 if name != f"weight{len(shape.dense)}" else inputs**-0.5  # He et al. 2015
                nn.init.uniform_(weight, -bound, bound, generator=generator)
            self.register_parameter(name, nn.Parameter(weight))

    def forward(self, inputs: Tensor) -> Tensor:
        """[n, outputs] from [n, *inputs]."""
        last, own = len(self.shape.dense), self._parameters
        return torch.addmm(own[f"bias{last}"], self.hidden(inputs), own[f"weight{last}"])  # type: ignore[arg-type]

    def hidden(self, inputs: Tensor) -> Tensor:
        """[n, width] What the last layer gets."""
        x, own = inputs, self._parameters
        for at in range(len(self.shape.convolutions)):
            x = torch.relu(nn.functional.conv2d(x, own[f"kernel{at}"], own[f"offset{at}"], padding=1))  # type: ignore[arg-type]
            if at in self.shape.pooled:
                x = nn.functional.max_pool2d(x, 2)
        x = x.flatten(1)
        for at in range(len(self.shape.dense)):
            x = torch.relu(torch.addmm(own[f"bias{at}"], x, own[f"weight{at}"]))  # type: ignore[arg-type]
        return x

    @property
    def size(self) -> int:
        """How many weights there are."""
        return sum(each.numel() for each in self.parameters())

    def state(self) -> Arrays:
        """The weights, as ``policy.forward`` takes them."""
        return {name: weight.detach().cpu().numpy().copy() for name, weight in self.named_parameters()}

    def restore(self, arrays: Arrays) -> None:
        """Take over weights."""
        with torch.no_grad():
            for name, weight in self.named_parameters():
                weight.copy_(torch.from_numpy(np.array(arrays[name])))
