"""A result without its rare actions: Ganzfried, Sandholm & Waugh (2012), "Strategy purification and thresholding"."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from ludus.solvers.measure import measure
from ludus.solvers.solve import Result


def purified(result: Result, threshold: float, frozen: Collection[int] = ()) -> Result:
    """The result with its strategy purified (`Strategy.purified`), frozen players aside, and measured anew."""
    old = result.strategy
    kept = np.isin(np.repeat(old.players, np.diff(old.offsets)), list(frozen))
    origin = replace(old.origin, parameters={**old.origin.parameters, "purify": threshold})
    chances = np.where(kept, old.probabilities, old.purified(threshold).probabilities)
    strategy = replace(old, probabilities=chances, origin=origin)
    return replace(result, strategy=strategy, evaluation=measure(strategy)[0] if result.evaluation else None)
