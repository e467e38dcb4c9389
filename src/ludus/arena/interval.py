"""A mean and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

NORMAL_95 = 1.959963984540054  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True)
class Interval:
    """The mean of independent units, their standard deviation, and what follows from both."""

    units: int
    mean: float
    deviation: float

    @property
    def error(self) -> float:
        """Standard error of the mean; nan with fewer than two units."""
        return self.deviation / sqrt(self.units) if self.units > 1 else float("nan")

    @property
    def ci95(self) -> float:
        """Half the width of the 95 % interval: the mean lies within this of the true value 19 times in 20."""
        return NORMAL_95 * self.error

    def scaled(self, factor: float) -> Interval:
        """The same in other units of measurement."""
        return Interval(self.units, self.mean * factor, self.deviation * abs(factor))


def interval(values: ArrayLike) -> Interval:
    """Of independent values.

    >>> interval([1, 3]).mean, round(interval([1, 3]).ci95, 2)
    (2.0, 1.96)
    """
    array = np.asarray(values, np.float64)
    if not len(array):
        return Interval(0, float("nan"), float("nan"))
    return Interval(len(array), float(array.mean()), float(array.std(ddof=1)) if len(array) > 1 else float("nan"))
