"""k-means in whole numbers: the same clusters on every machine, whatever the number of threads.

Points are rows of small integers, each with a whole weight, and a centre is the weighted mean of its points, rounded.
Sums of integers do not depend on their order, so threads change nothing but the time. Two distances are known: the sum
of the absolute differences (L1; for cumulative histograms that is the earth mover's distance) and the sum of the
squared differences (L2). The centres are kept in the order of the sums of their coordinates. Neither distance can be
smaller than the difference of these sums asks for, so the search for the nearest centre starts at the point's own sum,
goes outwards and stops early, without ever missing the nearest one.

The start is k-means++: Arthur & Vassilvitskii, "k-means++: the advantages of careful seeding" (SODA 2007).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.parallel import Progress, in_blocks

Points = NDArray[np.int16]
"""``[n, dimensions]``, coordinates 0..8192."""

L1, L2 = 1, 2
MOST_CENTRES = 1 << 16
_BLOCK_POINTS = 1 << 15
_SEED_POINTS = 1 << 14
_SEEN_BITS = 12
_SEEN = 1 << _SEEN_BITS  # points remembered, one for each value of a hash
_HASH, _HASH_SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(64 - _SEEN_BITS)
_FAR = np.int64(1 << 40)  # beyond any distance, and far enough from overflow


def cluster(
    points: Points,
    weights: NDArray[np.int64],
    count: int,
    distance: int,
    rng: np.random.Generator,
    iterations: int = 30,
    threads: int = 1,
    progress: Progress | None = None,
) -> Points:
    """``count`` centres of weighted points, in the order of the sums of their coordinates.

    Ends when no centre moves, or after some iterations. Also for L1 the centre is the mean, not the median: a bucket
    should have the mean strength of its hands.

    >>> points = np.array([[0], [2], [50], [53], [99]], np.int16)
    >>> cluster(points, np.array([1, 1, 1, 2, 1]), 3, L1, np.random.default_rng(1)).ravel().tolist()
    [1, 52, 99]
    """
    if not 1 <= count <= MOST_CENTRES:
        raise ValueError(f"there can be 1 to {MOST_CENTRES} clusters, got {count}")
    centres = _by_sum(_first_centres(points, weights, count, distance, rng))
    for turn in range(iterations):
        _, costs, sums, held = assign_all(points, weights, centres, distance, threads)
        empty = np.flatnonzero(held == 0)
        moved = centres.copy()
        full = held > 0
        moved[full] = (2 * sums[full] + held[full, None]) // (2 * held[full, None])
        if len(empty):  # goes where the worst placed points are
            worst = np.argsort(-(costs * weights), kind="stable")[: len(empty)]
            moved[empty] = points[worst]
        moved = _by_sum(moved)
        if progress is not None:
            progress(turn + 1, iterations)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def assign_all(
    points: Points, weights: NDArray[np.int64], centres: Points, distance: int, threads: int = 1
) -> tuple[NDArray[np.uint16], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The nearest centre ``[n]`` of each point and its cost ``[n]``; of each centre the points' sum and weight."""
    nearest, costs = np.empty(len(points), np.uint16), np.empty(len(points), np.int64)
    totals = centre_sums(centres)

    def work(start: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        block = slice(start, start + _BLOCK_POINTS)
        assign(points[block], centres, totals, distance, nearest[block], costs[block])
        return _sum_points(points[block], weights[block], nearest[block], len(centres))

    parts = in_blocks(work, range(0, len(points), _BLOCK_POINTS), threads, None)
    return nearest, costs, np.sum([sums for sums, _ in parts], axis=0), np.sum([held for _, held in parts], axis=0)


def centre_sums(centres: Points) -> NDArray[np.int32]:
    """The sum ``[k]`` of each centre's coordinates, by which centres are kept in order."""
    return np.asarray(centres.sum(axis=1, dtype=np.int32))


def _by_sum(centres: Points) -> Points:
    keys = (*centres.T[::-1], centre_sums(centres))  # the sum first, then the coordinates from the first on
    return np.ascontiguousarray(centres[np.lexsort(keys)])


def _first_centres(
    points: Points, weights: NDArray[np.int64], count: int, distance: int, rng: np.random.Generator
) -> Points:
    """k-means++ on a sample of the points, or on all where there are few."""
    most = max(_SEED_POINTS, 8 * count)
    if len(points) > most:
        drawn = np.unique(_draw(weights, most, rng))
        points, weights = points[drawn], weights[drawn]
    costs = np.full(len(points), _FAR)
    chosen = int(_draw(weights, 1, rng)[0])
    centres = [points[chosen]]
    while len(centres) < count:
        _lower_costs(points, points[chosen], distance, costs)
        chances = costs * weights
        if not chances.any():
            raise ValueError(f"{count} clusters ask for as many different points, but only {len(centres)} were found")
        chosen = int(_draw(chances, 1, rng)[0])
        centres.append(points[chosen])
    return np.array(centres)


def _draw(weights: NDArray[np.int64], size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Places drawn with chances in proportion to whole weights."""
    upto = np.cumsum(weights)
    return np.asarray(np.searchsorted(upto, rng.integers(upto[-1], size=size), side="right"), np.int64)


@kernel
def _lower_costs(points: Points, centre: NDArray[np.int16], distance: int, costs: NDArray[np.int64]) -> None:
    """Costs ``[n]`` no greater than the distance to one more centre."""
    for row in range(np.uint64(len(points))):
        apart = np.int32(0)
        for at in range(np.uint64(points.shape[1])):
            gap = np.int32(points[row, at]) - np.int32(centre[at])
            apart += abs(gap) if distance == L1 else gap * gap
        costs[row] = min(costs[row], np.int64(apart))


@kernel
def assign(
    points: Points,
    centres: Points,
    totals: NDArray[np.int32],
    distance: int,
    nearest: NDArray[np.uint16],
    costs: NDArray[np.int64],
) -> None:
    """Write the nearest of centres ``[k, dimensions]`` for points ``[n, dimensions]``, and how far it is.

    The centres come in the order of their ``totals [k]``; of several at the same distance the first one is taken. Many
    hands look alike, so where a point with the same hash was the same point, its answer is taken over.
    """
    wide, count = np.uint64(points.shape[1]), np.int64(len(centres))
    seen = np.zeros(_SEEN, np.uint64)
    for row in range(np.uint64(len(points))):
        total, key = np.int32(0), np.uint64(0)
        for at in range(wide):
            total += np.int32(points[row, at])
            key = (key + np.uint64(points[row, at])) * _HASH
        place = key >> _HASH_SHIFT
        before, seen[place] = seen[place], row
        same = before < row
        for at in range(wide):
            same &= points[before, at] == points[row, at]
        if same:
            nearest[row], costs[row] = nearest[before], costs[before]
            continue
        up, end = np.int64(0), count
        while up < end:  # the first centre whose total is not smaller
            middle = (up + end) >> 1
            if totals[middle] < total:
                up = middle + 1
            else:
                end = middle
        down, chosen, best = up - 1, np.int64(-1), _FAR
        while up < count or down >= 0:
            above = np.int64(totals[up] - total) if up < count else _FAR
            below = np.int64(total - totals[down]) if down >= 0 else _FAR
            least = min(above, below)
            if (least if distance == L1 else least * least) > (best if distance == L1 else best * np.int64(wide)):
                break
            if above < below:
                other = up
                up += 1
            else:
                other = down
                down -= 1
            apart = np.int32(0)
            centre = np.uint64(other)
            if distance == L1:
                for at in range(wide):
                    apart += abs(np.int32(points[row, at]) - np.int32(centres[centre, at]))
            else:
                for at in range(wide):
                    gap = np.int32(points[row, at]) - np.int32(centres[centre, at])
                    apart += gap * gap
            if apart < best or (apart == best and other < chosen):
                best, chosen = np.int64(apart), other
        nearest[row] = chosen
        costs[row] = best


@kernel
def _sum_points(
    points: Points, weights: NDArray[np.int64], nearest: NDArray[np.uint16], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The weighted sum ``[k, dimensions]`` of each centre's points and their weight ``[k]``."""
    sums, held = np.zeros((count, points.shape[1]), np.int64), np.zeros(count, np.int64)
    for row in range(np.uint64(len(points))):
        to = np.uint64(nearest[row])
        held[to] += weights[row]
        for at in range(np.uint64(points.shape[1])):
            sums[to, at] += weights[row] * np.int64(points[row, at])
    return sums, held
