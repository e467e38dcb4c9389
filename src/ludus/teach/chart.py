"""What a player does with each of the 169 classes of hands: the data of a 13 x 13 chart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import CLASS_SIZES, CLASSES
from ludus.games.action import Kind

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Chart:
    """What each class does, in the order of `ranges.CLASSES`; checked and copied when it is made."""

    title: str
    actions: tuple[str, ...]
    """In words."""
    kinds: tuple[Kind, ...]
    """Their kinds, which are told apart by colours."""
    frequencies: Floats
    """``[169, actions]``, each row summing to 1; anything, even nan, where the class is not in the range."""
    weights: Floats
    """``[169]``: how much of each class is in the range, 0..1."""
    combos: Floats | None = None
    """``[169]``: the combinations of each class, where the board leaves fewer than 6, 4 or 12."""

    def __post_init__(self) -> None:
        weights, combos = (np.array(each, np.float64) for each in (self.weights, self.sizes))
        frequencies = np.array(self.frequencies, np.float64)
        shape = (len(CLASSES), len(self.actions))
        if len(self.kinds) != len(self.actions):
            raise ValueError(f"a chart of {len(self.actions)} actions needs as many kinds, got {len(self.kinds)}")
        if not self.actions or frequencies.shape != shape or weights.shape != shape[:1] or combos.shape != shape[:1]:
            raise ValueError(
                f"a chart of {len(self.actions)} actions needs frequencies {list(shape)}, weights [169] and "
                f"combinations [169], got {list(frequencies.shape)}, {list(weights.shape)} and {list(combos.shape)}"
            )
        if not ((weights >= 0) & (weights <= 1)).all() or not (combos >= 0).all():
            raise ValueError("a chart's weights are numbers from 0 to 1, its combinations not negative")
        rows = frequencies[weights > 0]
        if not ((rows >= -1e-9).all() and np.allclose(rows.sum(axis=1), 1, atol=1e-6)):
            raise ValueError("the frequencies of a class in the range are not negative and sum to 1")
        frequencies[weights == 0] = 0.0
        for name, array in (("frequencies", np.clip(frequencies, 0, 1)), ("weights", weights), ("combos", combos)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def sizes(self) -> Floats:
        """``[169]``: the combinations of each class that can be held."""
        return CLASS_SIZES if self.combos is None else self.combos

    @property
    def totals(self) -> Floats:
        """``[actions]``: how often the whole range takes each action, counted by combinations; nan when it is empty."""
        held = self.sizes * self.weights
        total = held.sum()
        return (held @ self.frequencies) / total if total > 0 else np.full(len(self.actions), np.nan)

    @property
    def held(self) -> float:
        """The number of combinations in the range."""
        return float(self.sizes @ self.weights)
