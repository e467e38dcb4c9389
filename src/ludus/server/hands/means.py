"""Means with their 95 % intervals, as the API tells them."""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, Field

from ludus.arena.interval import Interval


class Mean(BaseModel):
    """A mean and its 95 % interval; nothing where there are too few values."""

    mean: float | None
    low: float | None
    high: float | None
    too_few: bool = Field(description="whether there are too few values to trust the interval")


def per_100(found: Interval) -> Mean:
    """An interval per hand as one per hundred hands."""
    found = found.scaled(100)
    if not found.units:
        return Mean(mean=None, low=None, high=None, too_few=True)
    if not np.isfinite(found.ci95):
        return Mean(mean=found.mean, low=None, high=None, too_few=True)
    return Mean(
        mean=found.mean, low=found.mean - found.ci95, high=found.mean + found.ci95, too_few=found.too_few
    )  # fmt: skip


def from_sums(count: int, total: float, squares: float) -> Interval:
    """The interval of values of which only their number, sum and sum of squares are known."""
    if count < 2:
        return Interval(count, total if count else float("nan"), float("nan"))
    variance = max(squares - total * total / count, 0.0) / (count - 1)
    return Interval(count, total / count, float(np.sqrt(variance)))
