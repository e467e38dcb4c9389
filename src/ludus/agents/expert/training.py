"""Training the network that guesses an opponent's actions. It needs PyTorch; guessing does not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents.expert.guesses import NETWORK, RANKS, SUITS, WEIGHTS
from ludus.agents.expert.model import Learning
from ludus.nets.training import one_thread

try:
    import torch
    from torch import Tensor
    from torch.nn import functional
except ModuleNotFoundError:
    raise ValueError("the network of an opponent's actions needs PyTorch: pip install 'ludus[torch]'") from None


PARAMETERS = {name: shape for name, shape in WEIGHTS.items() if name not in ("mean", "scale")}


def logits(weights: dict[str, Tensor], pictures: Tensor, numbers: Tensor) -> Tensor:
    """What `guesses.network_logits` gives, [n, 3], of pictures [n, 1, 4, 13] and standardised numbers [n, 6]."""
    x = functional.conv2d(pictures, weights["filters1"][:, None], weights["bias1"], padding=1)
    x = functional.max_pool2d(torch.relu(x), 2)
    x = torch.relu(functional.conv2d(x, weights["filters2"], weights["bias2"], padding=1)).flatten(1)
    x = torch.relu(functional.linear(torch.cat([x, numbers], 1), weights["dense"], weights["bias3"]))
    return functional.linear(x, weights["out"], weights["bias4"])


def pictures_of(seen: NDArray[Any]) -> NDArray[np.float32]:
    """The boards of examples as pictures [n, 1, 4, 13]."""
    pictures = np.zeros((len(seen), 1, SUITS, RANKS), np.float32)
    row, column = np.nonzero(np.arange(5) < seen["cards"][:, None])
    cards = seen["board"][row, column]
    pictures[row, 0, cards & 3, cards >> 2] = 1
    return pictures


def train_network(model: Any, seen: NDArray[Any], learning: Learning) -> None:
    """Train on random batches of all examples, from the weights that are there; the seed and their number decide."""
    rng = np.random.default_rng((learning.seed, len(seen)))
    if model["stage"] != NETWORK:
        model["mean"] = seen["numbers"].mean(axis=0)
        model["scale"] = 1 / (seen["numbers"].std(axis=0) + 1e-3)
        for name, shape in PARAMETERS.items():
            inputs = np.prod(shape[1:]) if len(shape) > 1 else 1.0
            spread = (3 / inputs) ** 0.5 if len(shape) > 1 else 0.0
            model[name] = rng.uniform(-spread, spread, shape)
    weights = {name: torch.tensor(model[name], dtype=torch.float32, requires_grad=True) for name in PARAMETERS}
    pictures = torch.from_numpy(pictures_of(seen))
    numbers = torch.from_numpy(((seen["numbers"] - model["mean"]) * model["scale"]).astype(np.float32))
    closed = torch.from_numpy(np.stack([~seen["can_fold"], np.zeros(len(seen), bool), ~seen["can_raise"]], 1))
    actions = torch.from_numpy(seen["action"].copy())
    optimiser = torch.optim.Adam(weights.values(), lr=learning.rate)
    with one_thread():  # sums in one order make one result
        for _ in range(learning.steps):
            rows = torch.from_numpy(rng.integers(len(seen), size=learning.batch))
            guesses = logits(weights, pictures[rows], numbers[rows]).masked_fill(closed[rows], -1e9)
            loss = functional.cross_entropy(guesses, actions[rows])
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
    for name, tensor in weights.items():
        model[name] = tensor.detach().numpy()
