"""A mean and how far it can be trusted.

Poker results are skewed: most hands are small, and a few large pots decide. Until a sample has met some of these, its
own spread is far too small, and no formula can know. So a 95 % interval uses Student's quantile, which helps a little,
and below `FEW` units every result says that they are too few (`docs/arena.md` has the figures).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt, tan

import numpy as np
from numpy.typing import ArrayLike

NORMAL_95 = 1.959963984540054  # 97.5 % quantile of the normal distribution
FEW = 100
"""With fewer units than this the 95 % interval of a match covers the true value clearly less often than 95 %."""


def student_95(freedom: int) -> float:
    """The 97.5 % quantile of Student's t distribution with 1 or more degrees of freedom.

    Exact for 1 and 2; beyond that the expansion around the normal quantile, Abramowitz & Stegun (1964) 26.7.5, which
    is off by 0.12 % at 3 and by less than 0.005 % from 6 on.

    >>> [round(student_95(freedom), 2) for freedom in (1, 2, 9, 99)]
    [12.71, 4.3, 2.26, 1.98]
    """
    if freedom < 1:
        raise ValueError(f"Student's distribution has 1 or more degrees of freedom, got {freedom}")
    if freedom <= 2:
        return tan(0.475 * pi) if freedom == 1 else 0.95 * sqrt(2 / (1 - 0.95**2))
    z, v = NORMAL_95, float(freedom)
    return (
        z
        + (z**3 + z) / 4 / v
        + (5 * z**5 + 16 * z**3 + 3 * z) / 96 / v**2
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / v**3
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160 / v**4
    )


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
        """Half the width of the 95 % interval: with enough units it contains the true value 19 times in 20."""
        return student_95(self.units - 1) * self.error if self.units > 1 else float("nan")

    @property
    def too_few(self) -> bool:
        """Whether there are too few units for the interval to cover what it says."""
        return self.units < FEW

    def scaled(self, factor: float) -> Interval:
        """The same in other units of measurement."""
        return Interval(self.units, self.mean * factor, self.deviation * abs(factor))

    def as_dict(self) -> dict[str, float | bool | None]:
        """As JSON shows it."""
        return {"mean": finite(self.mean), "ci95": finite(self.ci95), "too_few": self.too_few}


def interval(values: ArrayLike) -> Interval:
    """The interval of independent values.

    >>> interval([1, 3]).mean, round(interval([1, 3]).ci95, 2)
    (2.0, 12.71)
    """
    array = np.asarray(values, np.float64)
    if not len(array):
        return Interval(0, float("nan"), float("nan"))
    return Interval(len(array), float(array.mean()), float(array.std(ddof=1)) if len(array) > 1 else float("nan"))


def running(values: ArrayLike, most: int = 1000) -> list[Interval]:
    """The intervals of the first two of independent values, the first three, ..., all; evenly thinned to so many.

    >>> running([1, 3, 5]) == [interval([1, 3]), interval([1, 3, 5])]
    True
    """
    array = np.asarray(values, np.float64)
    if len(array) < 2:
        return []
    centre = array.mean()  # so that squares of large and similar numbers lose nothing
    totals, squares = np.cumsum(array - centre), np.cumsum((array - centre) ** 2)
    units = np.unique(np.linspace(2, len(array), min(most, len(array) - 1)).astype(np.int64))
    means = totals[units - 1] / units
    spread = np.sqrt(np.maximum(squares[units - 1] - units * means**2, 0) / (units - 1))
    return [Interval(*each) for each in zip(units.tolist(), (centre + means).tolist(), spread.tolist(), strict=True)]


def caution(units: int, what: str = "units") -> str:
    """What to say under results of too few units; empty if there are enough.

    >>> caution(12, "deals")
    'only 12 deals: too few to trust a 95 % interval, which takes 100 or more'
    """
    return f"only {units:,} {what}: too few to trust a 95 % interval, which takes {FEW} or more" if units < FEW else ""


def finite(value: float) -> float | None:
    """A number as JSON can hold it."""
    return float(value) if np.isfinite(value) else None
