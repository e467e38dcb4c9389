"""A value network (Moravcik et al. 2017, "DeepStack"): from a public state and both ranges to the values of all hands.

Inputs are numbers about the public state (board, pot), both ranges, each adding up to 1, and what every hand would win
if nobody bet any more; a network learns what betting adds to that. Outputs are both players' counterfactual values in
pots, counted from half the pot. The values of both ranges add up to zero: what they miss by is taken from all hands
alike (the outer network of DeepStack).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.files import Arrays, check_array, load_arrays, save_arrays
from ludus.games.definition import Definition

Floats = NDArray[np.float64] | NDArray[np.float32]
KIND, FORMAT = "value-network", 1


@dataclass(frozen=True)
class Shape:
    """How large a network is: hidden layers of one width, each with rectifiers, added to what came in if residual."""

    hands: int
    public: int  # numbers about the public state
    width: int = 64
    layers: int = 4
    residual: bool = True

    def __post_init__(self) -> None:
        if min(self.hands, self.public, self.width, self.layers) < 1:
            raise ValueError(f"a network has hands, inputs, a width and layers of at least 1, got {asdict(self)}")

    @property
    def sizes(self) -> tuple[int, ...]:
        """The width of every layer, inputs and outputs included."""
        return (self.public + 4 * self.hands, *(self.width,) * self.layers, 2 * self.hands)


@dataclass(frozen=True, eq=False)
class ValueNetwork:
    """Weights and what they are for. ``rules`` is the game without its bets, ``stage`` where in a hand it is asked."""

    shape: Shape
    arrays: Arrays  # weight0, bias0, ... float32
    rules: Definition
    stage: str
    origin: dict[str, Any]  # how it was trained

    def values(self, public: Floats, ranges: Floats, unbet: Floats) -> Floats:
        """[n, 2, hands] Both players' values in pots, from [n, public], [n, 2, hands] and the values without bets."""
        count, hands = len(public), self.shape.hands
        parts = public, ranges.reshape(count, -1) * hands, unbet.reshape(count, -1)
        x = np.concatenate(parts, axis=1).astype(np.float32)
        last = self.shape.layers
        for layer in range(last + 1):
            y = x @ self.arrays[f"weight{layer}"] + self.arrays[f"bias{layer}"]
            if layer < last:
                np.maximum(y, 0, out=y)
                if self.shape.residual and layer > 0:
                    y += x
            x = y
        found = x.reshape(ranges.shape) + np.asarray(unbet, np.float64)
        missed = np.einsum("nph,nph->n", found, ranges)
        return np.asarray(found - missed[:, None, None] / 2)

    def save(self, path: Path) -> None:
        """Write it; the same network always gives the same bytes."""
        header = {
            "kind": KIND, "format": FORMAT, "shape": asdict(self.shape), "game": self.rules, "stage": self.stage,
            "origin": self.origin,
        }  # fmt: skip
        save_arrays(path, header, self.arrays)

    @classmethod
    def load(cls, path: Path) -> ValueNetwork:
        """Read one; ValueError when it is damaged."""
        header, arrays = load_arrays(path, KIND, FORMAT)
        try:
            shape = Shape(**header["shape"])
            if len(arrays) != 2 * (shape.layers + 1):
                raise ValueError(f"{shape.layers} hidden layers have other arrays than these {len(arrays)}")
            if not (isinstance(header["game"], dict) and isinstance(header["origin"], dict)):
                raise ValueError("game and origin are not named")
            for layer, (before, after) in enumerate(pairwise(shape.sizes)):
                check_array(f"weight{layer}", arrays[f"weight{layer}"], "float32", (before, after))
                check_array(f"bias{layer}", arrays[f"bias{layer}"], "float32", (after,))
            if not all(np.isfinite(array).all() for array in arrays.values()):
                raise ValueError("some weights are not numbers")
            return cls(shape, arrays, header["game"], str(header["stage"]), header["origin"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is a damaged value network ({error})") from None
