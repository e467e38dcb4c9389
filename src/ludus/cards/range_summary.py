"""How two ranges stand against each other, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ludus.cards.distribution import class_equities, distribution, hand_equities, histogram, meetings
from ludus.cards.equity import as_range
from ludus.cards.ranges import CLASSES, Weights
from ludus.parallel import Progress

BUCKETS = 10  # of the histogram of equities
CURVE = 100  # points of equity by percentile


def compare_ranges(
    texts: Sequence[str], board: Sequence[int] = (), threads: int = 1, progress: Progress | None = None
) -> list[dict[str, Any]]:
    """Both ranges: combinations, equity, its quarters, histogram and curve, and the equity of each class, best first.

    Each hand counts by how many hands of the other range it can meet.
    """
    ranges = [as_range(text) for text in texts]
    equities = hand_equities(ranges, board, threads=threads, progress=progress)
    weights = meetings(ranges, board)
    return [_side(text, *each) for text, *each in zip(texts, ranges, equities, weights, strict=True)]


def _side(name: str, weights: Weights, equities: Weights, counted: Weights) -> dict[str, Any]:
    """What is said about one range."""
    by_class = class_equities(equities, counted)
    return {
        "range": name,
        "combos": float(weights[~np.isnan(equities)].sum()),
        "equity": float(distribution(equities, counted, 1)[0]),
        "quarters": distribution(equities, counted, 4).tolist(),
        "buckets": histogram(equities, counted, BUCKETS).tolist(),
        "curve": distribution(equities, counted, CURVE).tolist(),
        "classes": {CLASSES[at]: float(by_class[at]) for at in np.argsort(-by_class) if not np.isnan(by_class[at])},
    }
