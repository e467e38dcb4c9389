"""How much the hands of a bucket differ: the quality of a card abstraction, method by method.

Buckets are fitted on some boards and measured on others. A measure is a mean square over all deals: how far a hand is
from the mean of its bucket in what a method may or may not have looked at. No method is best by all of them: one that
sees only the equity puts hands together that get there in different ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.parallel import Progress, Stages
from ludus.trees.bucket_building import hand_features, sample_boards
from ludus.trees.bucket_features import DISTANCE, METHODS, SCALE, Opponents, opponent_clusters
from ludus.trees.buckets import STREETS
from ludus.trees.clusters import Points, assign_all, cluster

MEASURES = {
    "equity": "E[HS]",
    "square": "E[HS^2]",
    "histogram": "histogram of HS",
    "opponents": "equity against 8 clusters of hands",
}
"""What is compared within buckets: key -> in words. Histograms and clusters are means over their parts."""

_LOOKED_AT = {"equity": "ehs", "square": "ehs2", "histogram": "emd", "opponents": "ochs"}


@dataclass(frozen=True, slots=True)
class Quality:
    """The variance within the buckets of one method on one street."""

    street: str
    method: str
    buckets: int
    variance: dict[str, float]
    """By the keys of `MEASURES`, in squares of shares of one."""
    explained: dict[str, float]
    """Which share of the whole variance is between buckets rather than within them."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "street": self.street, "method": self.method, "buckets": self.buckets, "variance_within": self.variance,
            "explained": self.explained,
        }  # fmt: skip


def methods_of(street: str) -> tuple[str, ...]:
    """The methods that differ on a street."""
    return METHODS if street == "flop" else tuple(method for method in METHODS if method != "potential")


def measure_streets(
    boards: Mapping[str, int], counts: Sequence[int], seed: int, iterations: int, threads: int,
    progress: Stages,
) -> list[Quality]:  # fmt: skip
    """The quality of every method, with each number of buckets, on some streets: name -> boards to fit on."""
    if not set(boards) <= set(STREETS) or min(counts) < 1 or min(boards.values()) < 1:
        raise ValueError(f"expected streets of {', '.join(STREETS)}, counts and boards of 1 or more")
    opponents = opponent_clusters(seed, threads, partial(progress, "hands before the flop"))
    found = []
    for street, drawn in boards.items():
        told = partial(progress, f"buckets of the {street}")
        found += measure_street(street, counts, drawn, opponents, seed, iterations, threads, told)
    return found


def measure_street(
    street: str,
    counts: Sequence[int],
    boards: int,
    opponents: Opponents,
    seed: int = 1,
    iterations: int = 30,
    threads: int = 1,
    progress: Progress | None = None,
) -> list[Quality]:
    """The quality of every method with each number of buckets, fitted on some boards and measured on as many others."""
    cards, methods = 3 + STREETS.index(street), methods_of(street)
    drawn = sample_boards(cards, 2 * boards, np.random.default_rng([seed, cards]))
    fitted, tested = drawn[::2], drawn[1::2]
    steps = len(MEASURES) + len(methods) * (1 + len(counts))
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, steps)

    looked_at: dict[str, Points] = {}
    weights = np.zeros(0, np.int64)
    for method in {*_LOOKED_AT.values(), *methods}:
        looked_at[method], weights = hand_features(method, tested, opponents, threads)
        step()
    found = []
    for method in methods:
        points, fit_weights = hand_features(method, fitted, opponents, threads)
        for count in counts:
            rng = np.random.default_rng([seed, cards, count])
            centres = cluster(points, fit_weights, count, DISTANCE[method], rng, iterations, threads)
            nearest = assign_all(looked_at[method], weights, centres, DISTANCE[method], threads)[0]
            within, whole = {}, {}
            for key, other in _LOOKED_AT.items():
                within[key] = variance_within(looked_at[other], weights, nearest)
                whole[key] = variance_within(looked_at[other], weights, np.zeros_like(nearest))
            explained = {key: 1 - within[key] / whole[key] for key in within}
            found.append(Quality(street, method, count, within, explained))
            step()
    return found


def variance_within(points: Points, weights: NDArray[np.int64], nearest: NDArray[np.uint16]) -> float:
    """The weighted mean square distance of points from the mean of their bucket, a mean over the coordinates.

    >>> points = np.array([[0], [8192], [4096]], np.int16)
    >>> variance_within(points, np.array([1, 1, 2]), np.array([0, 0, 1], np.uint16))
    0.125
    """
    shares = points / SCALE
    held = np.bincount(nearest, weights)
    total = 0.0
    for column in shares.T:
        means = np.bincount(nearest, weights * column) / np.maximum(held, 1)
        total += float((weights * (column - means[nearest]) ** 2).sum())
    return total / float(weights.sum() * points.shape[1])
