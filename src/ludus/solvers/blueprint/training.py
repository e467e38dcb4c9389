"""Training a blueprint: blocks of sampled hands on all cores, discounted, saved, and gone on with later.

Work is cut into blocks of equal size. Within a block each worker plays its share with random numbers of its own, from
the seed, the block and the worker; after block b regrets and averages are discounted as an algorithm of
``schedules.ALGORITHMS`` does after iteration b. The usual one is linear CFR (Brown & Sandholm 2019, "Solving
Imperfect-Information Games via Discounted Regret Minimization"): both are multiplied by b / (b + 1), so a hand weighs
in proportion to its block.

Workers are threads that add to the same arrays without locks. One worker gives the same numbers for the same seed, in
one go or in several; with more, additions are lost where two meet, so results differ from run to run by noise. Copies
that are merged after each block (`copies`) give the same numbers on any number of cores and machines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.files import check_array, load_arrays, overwrite, save_arrays
from ludus.parallel import HERE, Engine
from ludus.solvers.blueprint.copies import play_copies
from ludus.solvers.blueprint.deals import no_tables
from ludus.solvers.blueprint.samplers import HANDED_OVER, Walk, external, outcome
from ludus.solvers.capabilities import check_supports
from ludus.solvers.schedules import ALGORITHMS, Discount
from ludus.trees.blueprint import Abstraction
from ludus.trees.bucket_tables import BucketTables

Sampling = Literal["outcome", "external"]
KIND, FORMAT = "blueprint training", 1
BLOCKS = {"outcome": 2_000_000, "external": 200_000}
"""Walks of a block: hands of outcome sampling, walks through many hands of external sampling."""
MOST_WORKERS = 256
MOST_COPIES = 4096


@dataclass(frozen=True)
class Method:
    """How to train."""

    sampling: Sampling = "external"
    seed: int = 1
    block: int = 0  # walks of a block; 0 for the usual number
    epsilon: float = 0.6  # outcome sampling: the share of uniform exploration
    baseline: float = 0.0  # outcome sampling: the step of the baselines, 0 for none
    pruned: float = 0.0  # external sampling: the share of walks that leave bad actions out
    threshold: float = -300.0  # actions of a lower regret are bad; in big blinds, summed over a block of hands
    algorithm: str = "lcfr"  # how blocks are discounted: lcfr, lcfr-3, dcfr, or cfr for not at all
    copies: int = 0  # that play a block apart and are merged after it; 0 for threads that share all arrays

    def __post_init__(self) -> None:
        if self.sampling not in get_args(Sampling):
            raise ValueError(f"sampling is one of {', '.join(get_args(Sampling))}, got {self.sampling!r}")
        if not isinstance(self.seed, int) or not isinstance(self.block, int):
            raise ValueError(f"seeds and blocks are whole numbers, got {self.seed!r} and {self.block!r}")
        if not 0 <= self.seed < 1 << 63:
            raise ValueError(f"a seed is not negative and below 2^63, got {self.seed}")
        if not 0 <= self.block <= 1 << 40:
            raise ValueError(f"a block has 0 (the usual number) or more walks, got {self.block}")
        if not isinstance(self.copies, int) or not 0 <= self.copies <= MOST_COPIES:
            raise ValueError(f"there are 0 (none) to {MOST_COPIES} copies, got {self.copies!r}")
        if self.copies and self.baseline:
            raise ValueError("copies cannot merge baselines: leave out one of the two")
        if not 0 < self.epsilon <= 1:
            raise ValueError(f"the share of exploration is above 0 and at most 1, got {self.epsilon}")
        for name, share in (("baseline", self.baseline), ("pruned", self.pruned)):
            if not 0 <= share <= 1:
                raise ValueError(f"{name} is a share from 0 to 1, got {share}")
        if not -1e12 < self.threshold < 0:
            raise ValueError(f"the threshold of pruning is below 0, got {self.threshold}")
        check_supports("blueprints", self.algorithm)

    @classmethod
    def from_header(cls, saved: Mapping[str, Any]) -> Method:
        """The method in the header of a file, which may say more.

        Earlier versions wrote ``linear`` for two algorithms and knew no copies.

        KeyError and TypeError tell what it lacks.
        """
        known: dict[str, Any] = {} if "copies" in saved else {"copies": 0}
        if "linear" in saved:
            known["algorithm"] = "lcfr" if saved["linear"] else "cfr"
        return cls(**known | {each.name: saved[each.name] for each in fields(cls) if each.name not in known})

    @property
    def walks(self) -> int:
        """Walks of a block."""
        return self.block or BLOCKS[self.sampling]


class State(NamedTuple):
    """How far a training is."""

    blocks: int
    hands: int  # sampled terminals
    seconds: float  # of all runs together, of the work alone


class Point(NamedTuple):
    """A point of the training curve."""

    hands: int
    seconds: float
    infosets: int  # met so far
    regret: float  # see Training.regret


class Training:
    """A blueprint being trained: arrays of regrets and averages, how far it is, and what was measured on the way."""

    def __init__(self, abstraction: Abstraction, method: Method, tables: BucketTables | None = None) -> None:
        if abstraction.buckets is not None and tables is None:
            tables = abstraction.buckets.tables()
        layout = abstraction.layout
        self.abstraction, self.method, self.layout = abstraction, method, layout
        self.state = State(0, 0, 0.0)
        self.curve: list[Point] = []
        regret, average = (np.zeros(layout.slots, np.float32) for _ in range(2))
        baseline = np.zeros(layout.slots if method.baseline else 0, np.float32)
        tree = layout.tree
        self.walk = Walk(tree.first, tree.child, tree.offset, tables or no_tables(), regret, average, baseline)

    @property
    def memory(self) -> int:
        """Bytes of the arrays that training needs."""
        return sum(array.nbytes for array in self._arrays().values()) + sum(a.nbytes for a in self.layout.tree)

    def warm_up(self) -> None:
        """Compile without playing."""
        self.play(0, 0, 0)
        _discount(np.zeros(0, np.float32), np.float32(1), np.float32(1))

    def run_block(self, workers: int = 1, engine: Engine = HERE) -> State:
        """Play one block, by threads or, if the method has copies, by an engine; how far the training is then."""
        import time

        if not 1 <= workers <= MOST_WORKERS:
            raise ValueError(f"training takes 1 to {MOST_WORKERS} workers, got {workers}")
        begun = time.perf_counter()
        number, walks = self.state.blocks, self.method.walks
        shares = [walks // workers + (worker < walks % workers) for worker in range(workers)]
        discount = self._discount(number + 1)

        def forget(part: tuple[NDArray[np.float32], NDArray[np.float32]]) -> None:
            _discount(part[0], np.float32(discount.positive), np.float32(discount.negative))
            _discount(part[1], np.float32(discount.average), np.float32(discount.average))

        with ThreadPoolExecutor(workers) as pool:
            if self.method.copies:
                hands = play_copies(self, engine)
            else:
                hands = sum(
                    pool.map(lambda worker: self.play(number, worker, shares[worker], workers > 1), range(workers))
                )
            parts = (np.array_split(array, workers) for array in (self.walk.regret, self.walk.average))
            list(pool.map(forget, zip(*parts, strict=True)))
        before = self.state
        self.state = State(number + 1, before.hands + hands, before.seconds + time.perf_counter() - begun)
        return self.state

    def _discount(self, block: int) -> Discount:
        return ALGORITHMS[self.method.algorithm].discount(block, 0)

    def play(self, block: int, worker: int, walks: int, beside: bool = False) -> int:
        """Play a worker's share of a block, alone or beside others; the hands played."""
        s0, s1 = np.random.SeedSequence((self.method.seed, block, worker)).generate_state(2, np.uint64)
        spec, rules, method = self.layout.spec, self.layout.rules, self.method
        if method.sampling == "outcome":
            return outcome(spec, rules, self.walk, walks, method.epsilon, method.baseline, s0, s1)
        threshold = method.threshold * self.abstraction.game.big_blind
        apart = HANDED_OVER if beside else 0
        return external(spec, rules, self.walk, walks, method.pruned, threshold, s0, s1, apart)

    def run(self, hands: int, workers: int = 1) -> Iterator[State]:
        """Blocks until so many hands have been played in all."""
        while self.state.hands < hands:
            yield self.run_block(workers)

    def seen(self) -> int:
        """How many information sets have been met."""
        return int(_seen(self._row_ends(), self.walk.regret, self.walk.average))

    def regret(self) -> float:
        """The mean over information sets met of the largest positive regret, by the weight of a hand: mbb a hand."""
        blocks = self.state.blocks
        if not blocks:
            return 0.0
        weight = 0.0
        for block in range(1, blocks + 1):
            weight = (weight + 1) * self._discount(block).positive
        total, rows = _largest(self._row_ends(), self.walk.regret)
        per_walk = total / max(rows, 1) / (weight * self.method.walks / self.abstraction.game.players)
        return float(1000 * per_walk / self.abstraction.game.big_blind)

    def measure(self) -> Point:
        """The point of the curve where the training is now; it takes a pass over all arrays."""
        if not self.curve or self.curve[-1].hands != self.state.hands:
            self.curve.append(Point(self.state.hands, self.state.seconds, self.seen(), self.regret()))
        return self.curve[-1]

    def _row_ends(self) -> NDArray[np.int64]:
        return row_ends(self.abstraction)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {"regret": self.walk.regret, "average": self.walk.average}
        return arrays | ({"baseline": self.walk.baseline} if self.method.baseline else {})

    def save(self, path: Path) -> None:
        """All that is needed to go on, in one file that replaces the last."""
        header = {
            "kind": KIND, "format": FORMAT, "abstraction": self.abstraction.to_json(), "method": asdict(self.method),
            "state": self.state._asdict(), "curve": self.curve,
        }  # fmt: skip
        save_arrays(path, header, self._arrays())

    @classmethod
    def load(cls, path: Path, tables: BucketTables | None = None) -> Training:
        """A training as it was saved; ValueError says why a file is none."""
        header, arrays = load_arrays(path, KIND, FORMAT)
        try:
            method, state = Method.from_header(header["method"]), State(**header["state"])
            abstraction = Abstraction.from_json(header["abstraction"])
            check_array("regret", arrays["regret"], "float32", (abstraction.layout.slots,))  # before memory is taken
            training = cls(abstraction, method, tables)
            overwrite(training._arrays(), arrays)
            training.state = State(int(state.blocks), int(state.hands), float(state.seconds))
            training.curve = [Point(int(at[0]), float(at[1]), int(at[2]), float(at[3])) for at in header["curve"]]
        except (KeyError, TypeError, IndexError, OverflowError) as error:
            raise ValueError(f"{path} is not a training of a blueprint ({error!r})") from None
        if min(training.state) < 0 or not all(np.isfinite(array).all() for array in arrays.values()):
            raise ValueError(f"{path} is damaged: it has entries that are not numbers, or claims less than nothing")
        return training


def row_ends(abstraction: Abstraction) -> NDArray[np.int64]:
    """``[runs, 2]``: in runs of rows of one width, where each run ends and how wide its rows are."""
    layout = abstraction.layout
    if not layout.tree.nodes:
        return np.array([[layout.slots, layout.spec["width"]]], np.int64)
    return np.column_stack([np.append(layout.tree.offset[1:], layout.slots), np.diff(layout.tree.first)])


@kernel
def _discount(array: NDArray[np.float32], positive: np.float32, negative: np.float32) -> None:
    if positive != 1 or negative != 1:
        for at in range(len(array)):
            array[at] *= positive if array[at] > 0 else negative


@kernel
def _seen(runs: NDArray[np.int64], regret: NDArray[np.float32], average: NDArray[np.float32]) -> int:
    count, at = 0, 0
    for run in range(len(runs)):
        end, width = runs[run]
        while at < end:
            found = False
            for slot in range(at, at + width):
                found |= regret[slot] != 0 or average[slot] != 0
            count += found
            at += width
    return count


@kernel
def _largest(runs: NDArray[np.int64], regret: NDArray[np.float32]) -> tuple[float, int]:
    total, rows, at = 0.0, 0, 0
    for run in range(len(runs)):
        end, width = runs[run]
        while at < end:
            best, found = 0.0, False
            for slot in range(at, at + width):
                best = max(best, np.float64(regret[slot]))
                found |= regret[slot] != 0
            total += best
            rows += found
            at += width
    return total, rows
