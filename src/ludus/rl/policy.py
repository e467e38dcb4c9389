"""A small network that plays: convolutions and dense layers with rectifiers, evaluated in NumPy, saved as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.files import Arrays, check_array, load_arrays, save_arrays
from ludus.games.definition import Definition

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
KIND, FORMAT = "policy-network", 1
CLOSED = np.float32(-1e9)  # the logit of an action that is not open


@dataclass(frozen=True)
class Shape:
    """Layers of a network. Pictures [channels, height, width] go through 3 x 3 convolutions first, each of which may be
    followed by a 2 x 2 max-pooling; a vector has no convolutions.
    """

    inputs: tuple[int, ...]
    outputs: int
    convolutions: tuple[int, ...] = ()  # channels
    pooled: tuple[int, ...] = ()  # the convolutions, from 0, after which there is a pooling
    dense: tuple[int, ...] = (128,)

    def __post_init__(self) -> None:
        sizes = (*self.inputs, self.outputs, *self.convolutions, *self.dense)
        if min(sizes) < 1 or len(self.inputs) != (3 if self.convolutions else 1):
            raise ValueError(f"a network has a vector, or a picture and convolutions, and layers, got {asdict(self)}")
        if not set(self.pooled) <= set(range(len(self.convolutions))):
            raise ValueError(f"poolings follow convolutions 0 to {len(self.convolutions) - 1}, got {self.pooled}")

    @property
    def flat(self) -> int:
        """Numbers that the first dense layer gets."""
        if not self.convolutions:
            return self.inputs[0]
        shrink = 1 << len(self.pooled)
        return self.convolutions[-1] * (self.inputs[1] // shrink) * (self.inputs[2] // shrink)

    def weights(self) -> dict[str, tuple[int, ...]]:
        """The arrays of a network and their shapes, in the order of its layers."""
        shapes: dict[str, tuple[int, ...]] = {}
        for at, (before, after) in enumerate(pairwise((self.inputs[0], *self.convolutions))):
            shapes |= {f"kernel{at}": (after, before, 3, 3), f"offset{at}": (after,)}
        for at, (before, after) in enumerate(pairwise((self.flat, *self.dense, self.outputs))):
            shapes |= {f"weight{at}": (before, after), f"bias{at}": (after,)}
        return shapes

    @classmethod
    def of(cls, data: dict[str, Any]) -> Shape:
        """The shape that JSON holds."""
        listed: dict[str, Any] = {key: tuple(each) if isinstance(each, list) else each for key, each in data.items()}
        return cls(**listed)


def forward(shape: Shape, arrays: Arrays, inputs: Floats) -> Floats:
    """[n, outputs] from [n, *inputs]."""
    x = inputs
    for at in range(len(shape.convolutions)):
        x = np.maximum(_convolved(x, arrays[f"kernel{at}"]) + arrays[f"offset{at}"][:, None, None], 0)
        if at in shape.pooled:
            n, channels, height, width = x.shape
            x = x[:, :, : height // 2 * 2, : width // 2 * 2].reshape(n, channels, height // 2, 2, width // 2, 2)
            x = x.max(axis=(3, 5))
    x = x.reshape(len(x), -1)
    for at in range(len(shape.dense) + 1):
        x = x @ arrays[f"weight{at}"] + arrays[f"bias{at}"]
        if at < len(shape.dense):
            np.maximum(x, 0, out=x)
    return x


def _convolved(x: Floats, kernel: Floats) -> Floats:
    """A 3 x 3 convolution [n, after, height, width] with a border of zeros."""
    n, before, height, width = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    columns = windows.transpose(0, 2, 3, 1, 4, 5).reshape(n * height * width, before * 9)
    out = columns @ kernel.reshape(len(kernel), -1).T
    return out.reshape(n, height, width, len(kernel)).transpose(0, 3, 1, 2)


def softmax(logits: Floats, open_actions: Bools) -> Floats:
    """[n, actions] Probabilities of the open actions."""
    masked = np.where(open_actions, logits, CLOSED)
    raised = np.exp(masked - masked.max(axis=1, keepdims=True)) * open_actions
    found: Floats = raised / raised.sum(axis=1, keepdims=True)
    return found


def draw_rows(chances: Floats, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """[n] The action that each number from 0 to 1 picks of chances [n, actions]."""
    sums = chances.cumsum(axis=1, dtype=np.float64)
    drawn: NDArray[np.int64] = (sums <= (numbers * sums[:, -1])[:, None]).sum(axis=1)
    return drawn


@dataclass(frozen=True, eq=False)
class PolicyNetwork:
    """Weights and what they are for: the game's rules, the kind of inputs, how it was trained."""

    shape: Shape
    arrays: Arrays  # float32
    rules: Definition
    inputs: str  # which of our ways to show a state to a network
    origin: dict[str, Any]

    def chances(self, inputs: Floats, open_actions: Bools) -> Floats:
        """[n, actions] How it mixes the open actions."""
        return softmax(forward(self.shape, self.arrays, inputs), open_actions)

    def save(self, path: Path) -> None:
        """Write it; the same network always gives the same bytes."""
        header = {
            "kind": KIND, "format": FORMAT, "shape": asdict(self.shape), "game": self.rules, "inputs": self.inputs,
            "origin": self.origin,
        }  # fmt: skip
        save_arrays(path, header, self.arrays)

    @classmethod
    def load(cls, path: Path) -> PolicyNetwork:
        """Read one; ValueError when it is damaged."""
        header, arrays = load_arrays(path, KIND, FORMAT)
        try:
            shape = Shape.of(header["shape"])
            wanted = shape.weights()
            if arrays.keys() != wanted.keys():
                raise ValueError(f"its shape has other arrays than these {len(arrays)}")
            if not (isinstance(header["game"], dict) and isinstance(header["origin"], dict)):
                raise ValueError("game and origin are not named")
            for name, size in wanted.items():
                check_array(name, arrays[name], "float32", size)
                if not np.isfinite(arrays[name]).all():
                    raise ValueError("some weights are not numbers")
            return cls(shape, arrays, header["game"], str(header["inputs"]), header["origin"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is a damaged policy network ({error})") from None


SHIPPED = Path(__file__).parent / "data"  # a folder an algorithm, in it a file a game


@cache
def shipped_policies(algorithm: str) -> tuple[PolicyNetwork, ...]:
    """The networks that come with Ludus and learnt by an algorithm, such as 'nfsp'."""
    return tuple(PolicyNetwork.load(file) for file in sorted((SHIPPED / algorithm).glob("*.safetensors")))
