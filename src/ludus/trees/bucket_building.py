"""Fit the buckets of all streets to exact features of hands, street by street."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import COMBOS
from ludus.cards.runouts import ALL_SYMMETRIES, MOVED
from ludus.compiled import cache_home
from ludus.files import Arrays, load_arrays, save_arrays
from ludus.parallel import Progress, in_blocks
from ludus.trees.bucket_features import DISTANCE, METHODS, Opponents, dimensions, features, opponent_clusters
from ludus.trees.bucket_tables import BLOCK_BOARDS, board_index, build_table
from ludus.trees.buckets import CLASS_COUNT, STREETS, Buckets, StreetBuckets, check_flop_table, check_opponents
from ludus.trees.clusters import MOST_CENTRES, Points, assign_all, cluster

StageProgress = Callable[[str, int, int], object]
"""Called with what is being done, the blocks of work done and their number."""

KIND, FORMAT = "buckets being built", 1


@dataclass(frozen=True, slots=True)
class BucketPlan:
    """What buckets to build."""

    counts: tuple[int, int, int, int] = (169, 200, 200, 200)
    methods: tuple[str, str, str] = ("potential", "emd", "ochs")
    seed: int = 1
    boards: tuple[int, int, int] = (1755, 1500, 3000)
    """How many boards, up to suits, the centres of flop, turn and river are fitted on."""
    iterations: int = 50

    def __post_init__(self) -> None:
        if len(self.counts) != 4 or self.counts[0] != CLASS_COUNT:
            raise ValueError(
                f"expected the numbers of buckets on four streets, {CLASS_COUNT} before the flop, got {self.counts}"
            )
        if not all(1 <= count <= MOST_CENTRES for count in self.counts):
            raise ValueError(f"a street has 1 to {MOST_CENTRES} buckets, got {self.counts}")
        for method in self.methods:
            if method not in METHODS:
                raise ValueError(f"{method!r} is no method of buckets: choose from {', '.join(METHODS)}")
        if len(self.methods) != 3 or len(self.boards) != 3 or min(self.boards) < 1:
            raise ValueError(
                f"expected methods and 1 or more boards for three streets, got {self.methods, self.boards}"
            )
        if self.iterations < 1 or self.seed < 0:
            raise ValueError(f"expected 1 or more iterations and a seed >= 0, got {self.iterations} and {self.seed}")


def build_buckets(plan: BucketPlan, threads: int = 1, progress: StageProgress | None = None) -> Buckets:
    """Build the buckets of a plan. The number of threads changes nothing but the time.

    Each street that is done is kept in the cache folder, so that work that was interrupted goes on from there.
    """
    digest = hashlib.sha256(repr((FORMAT, plan)).encode()).hexdigest()[:16]
    folder = cache_home() / "buckets" / "parts" / digest

    def clusters() -> Arrays:
        return {"opponents": opponent_clusters(plan.seed, threads, _titled("hands before the flop", progress))}

    def check_clusters(arrays: Arrays) -> None:
        check_opponents(arrays["opponents"])

    opponents = _kept(folder / "opponents.safetensors", clusters, check_clusters)["opponents"]
    parts: list[Arrays] = []
    for at, name in enumerate(STREETS):
        make = partial(_fit_street, plan, at, opponents, threads, progress)
        parts.append(_kept(folder / f"{name}.safetensors", make, partial(_street, plan, at, opponents)))
    flop, turn, river = (_street(plan, at, opponents, part) for at, part in enumerate(parts))
    fitted = [min(count, len(board_index(3 + at)[1])) for at, count in enumerate(plan.boards)]
    table = parts[0]["table"]
    buckets = Buckets(flop, turn, river, table, plan.seed, (fitted[0], fitted[1], fitted[2]))
    shutil.rmtree(folder, ignore_errors=True)
    return buckets


def _titled(title: str, progress: StageProgress | None) -> Progress | None:
    return None if progress is None else partial(progress, title)


def _kept(path: Path, make: Callable[[], Arrays], check: Callable[[Arrays], object]) -> Arrays:
    """Arrays from a file, made and saved first where there is none that can be read and passes the check."""
    if path.is_file():
        with suppress(ValueError, KeyError):
            arrays = load_arrays(path, KIND, FORMAT)[1]
            check(arrays)
            return arrays
    arrays = make()
    save_arrays(path, {"kind": KIND, "format": FORMAT}, arrays)
    return arrays


def _street(plan: BucketPlan, at: int, opponents: Opponents, arrays: Arrays) -> StreetBuckets:
    """The buckets of a street from its arrays; ValueError or KeyError unless they are those of the plan."""
    made = StreetBuckets(3 + at, plan.methods[at], arrays["centres"], opponents)
    if len(made.centres) != plan.counts[1 + at]:
        raise ValueError(f"the {STREETS[at]} is to have {plan.counts[1 + at]} buckets, got {len(made.centres)}")
    if at == 0:
        check_flop_table(arrays["table"], len(made.centres))
    return made


def _fit_street(
    plan: BucketPlan, at: int, opponents: Opponents, threads: int, progress: StageProgress | None
) -> Arrays:
    """The centres of a street (0 flop, 1 turn, 2 river), and the table of the flop."""
    cards, method, name = 3 + at, plan.methods[at], STREETS[at]
    rng = np.random.default_rng([plan.seed, 1 + at])
    boards = sample_boards(cards, plan.boards[at], rng)
    points, weights = hand_features(method, boards, opponents, threads, _titled(f"features of the {name}", progress))
    told = _titled(f"clusters of the {name}", progress)
    try:
        centres = cluster(points, weights, plan.counts[1 + at], DISTANCE[method], rng, plan.iterations, threads, told)
    except ValueError as error:
        raise ValueError(f"the {name} by {method} on {len(boards)} boards: {error}") from None
    if at > 0:
        return {"centres": centres}
    if len(boards) == len(board_index(cards)[1]):  # every hand's feature is at hand already
        nearest = assign_all(points, weights, centres, DISTANCE[method], threads)[0]
        return {"centres": centres, "table": _spread(boards, nearest)}
    street = StreetBuckets(cards, method, centres, opponents)
    told = _titled("table of the flop", progress)
    return {"centres": centres, "table": build_table(street, board_index(cards)[1], threads, told)}


def sample_boards(cards: int, count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Some canonical boards of 3 to 5 cards, or all of them, in order."""
    boards = board_index(cards)[1]
    if count >= len(boards):
        return boards
    return np.asarray(boards[np.sort(rng.choice(len(boards), count, replace=False))])


def hand_features(
    method: str,
    boards: NDArray[np.uint8],
    opponents: Opponents,
    threads: int = 1,
    progress: Progress | None = None,
) -> tuple[Points, NDArray[np.int64]]:
    """The features of all hands on canonical boards, and how many deals each of them stands for.

    Hands that a permutation of the suits turns into one another are one row here.
    """
    step = BLOCK_BOARDS[boards.shape[1]]
    weights = np.concatenate([deal_weights(boards[at : at + 1]) for at in range(len(boards))])
    upto = np.concatenate([[0], np.cumsum((weights > 0).sum(axis=1))])
    points = np.empty((upto[-1], dimensions(method, boards.shape[1])), np.int16)

    def work(start: int) -> None:
        end = min(start + step, len(boards))
        points[upto[start] : upto[end]] = features(method, boards[start:end], opponents)[weights[start:end] > 0]

    in_blocks(work, range(0, len(boards), step), threads, progress)
    return points, weights[weights > 0]


def alike(board: NDArray[np.uint8]) -> tuple[NDArray[np.int64], int]:
    """The first of the hands ``[1326]`` that are the same as each hand on a board, -1 for impossible ones.

    Hands are the same when a permutation of the suits that leaves the board alone turns one into the other; the second
    result is the number of boards that the permutations make of this one.
    """
    images = np.sort(board & 0xFC | ALL_SYMMETRIES[:, board & 3], axis=1)
    still = (images == np.sort(board)).all(axis=1)
    possible = ~np.isin(COMBOS, board).any(axis=1)
    return np.where(possible, MOVED[still].min(axis=0), -1), len(ALL_SYMMETRIES) // int(still.sum())


def deal_weights(boards: NDArray[np.uint8]) -> NDArray[np.int64]:
    """How many deals ``[n, 1326]`` each hand on canonical boards stands for, 0 for all but the first of equal hands."""
    weights = np.zeros((len(boards), len(COMBOS)), np.int64)
    for row, board in enumerate(boards):
        first, times = alike(board)
        weights[row] = times * np.bincount(first[first >= 0], minlength=len(COMBOS))
    return weights


def _spread(boards: NDArray[np.uint8], nearest: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """The table ``[n, 1326]`` from the buckets of the first of equal hands, board after board."""
    table = np.zeros((len(boards), len(COMBOS)), np.uint16)
    start = 0
    for row, board in enumerate(boards):
        first, _ = alike(board)
        kept = np.unique(first[first >= 0])
        found = np.zeros(len(COMBOS), np.uint16)
        found[kept] = nearest[start : start + len(kept)]
        table[row] = np.where(first >= 0, found[first], 0)
        start += len(kept)
    return table
