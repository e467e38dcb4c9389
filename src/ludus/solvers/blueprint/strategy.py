"""A finished blueprint: one byte a probability, memory-mapped, and where a hand at a table finds its row.

A row of an information set that training never met is all zeros; it is played uniformly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.evaluator import CATEGORY, evaluate
from ludus.cards.ranges import COMBOS, class_of_combo
from ludus.compiled import kernel
from ludus.files import check_array, open_arrays, save_arrays
from ludus.games.base import TERMINAL
from ludus.games.compiled.engine import HAND, new_hand
from ludus.solvers.blueprint.deals import CATEGORIES, no_tables
from ludus.solvers.blueprint.samplers import decide, play
from ludus.solvers.blueprint.training import Training, row_ends
from ludus.trees.blueprint import Abstraction
from ludus.trees.bucket_tables import NO_BOARDS, BucketTables
from ludus.trees.situations import FRAME, TREE

KIND, FORMAT = "blueprint", 1
FULL = 255  # the byte of a probability of 1


class Loss(NamedTuple):
    """What quantisation changes: total variation distances between a row and what becomes of it."""

    mean: float  # weighted by how often training has averaged a row
    largest: float


class Found(NamedTuple):
    """A decision in a blueprint: the actions there and where the rows of all hands lie."""

    actions: tuple[int, ...]
    slots: tuple[int, ...]
    start: int  # of the row of the first kind of hand
    stride: int
    street: int


class Book(NamedTuple):
    """What kernels read of a blueprint; all of it read-only, so that they are compiled once for files and arrays."""

    first: NDArray[np.int32]  # the tree, empty but in the form of a tree
    child: NDArray[np.int32]
    offset: NDArray[np.int64]
    tables: BucketTables
    strategy: NDArray[np.uint8]  # [slots]


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A strategy for every information set of an abstract game."""

    abstraction: Abstraction
    training: dict[str, Any]  # how it was made
    strategy: NDArray[np.uint8]  # [slots]

    @classmethod
    def of(cls, training: Training, **notes: Any) -> tuple[Blueprint, Loss]:
        """The average strategy of a training, quantised; where nothing was averaged, its current strategy."""
        from dataclasses import asdict

        strategy = np.zeros(training.layout.slots, np.uint8)
        runs = row_ends(training.abstraction)
        mean, largest = _quantise(runs, training.walk.regret, training.walk.average, strategy)
        loss = Loss(float(mean), float(largest))
        made = {
            **asdict(training.method), **training.state._asdict(), "infosets": training.seen(),
            "quantisation": loss._asdict(), **notes,
        }  # fmt: skip
        return cls(training.abstraction, made, strategy), loss

    def save(self, path: Path) -> None:
        """Write it as one file."""
        header = {"kind": KIND, "format": FORMAT, "abstraction": self.abstraction.to_json(), "training": self.training}
        save_arrays(path, header, {"strategy": self.strategy})

    @classmethod
    def load(cls, path: Path) -> Blueprint:
        """A blueprint of a file, mapped; ValueError says why a file is none."""
        header, arrays = open_arrays(path, KIND, FORMAT)
        try:
            abstraction = Abstraction.from_json(header["abstraction"])
            strategy, made = arrays["strategy"], header["training"]
        except KeyError as error:
            raise ValueError(f"{path} is not a blueprint: it has no {error}") from None
        if not isinstance(made, dict):
            raise ValueError(f"{path} does not say how it was made")
        check_array("strategy", strategy, "uint8", (abstraction.layout.slots,))
        return cls(abstraction, made, strategy)

    def book(self, threads: int = 1) -> Book:
        """The blueprint for kernels; its bucket tables are built if they are not there yet."""
        buckets = self.abstraction.buckets
        return self._book(no_tables() if buckets is None else buckets.tables(threads))

    def book_after(self, board: Sequence[int], threads: int = 1, build: bool = True) -> tuple[Book, NDArray[np.uint8]]:
        """The same for runouts of a board alone, and those that may be dealt, as `Buckets.tables_after` has them."""
        buckets = self.abstraction.buckets
        tables, runouts = (no_tables(), NO_BOARDS) if buckets is None else buckets.tables_after(board, threads, build)
        return self._book(tables), runouts

    def _book(self, tables: BucketTables) -> Book:
        tree = self.abstraction.layout.tree
        return Book(
            _frozen(tree.first), _frozen(tree.child), _frozen(tree.offset),
            BucketTables(*(_frozen(array) for array in tables)), _frozen(self.strategy),
        )  # fmt: skip

    def find(self, rules: Any, actions: Sequence[int]) -> Found | None:
        """The decision after actions, in a tree of its own game, else at a table of these rules (`engine.rules_of`).

        None where the tree has no such actions, or nobody is to act.
        """
        layout = self.abstraction.layout
        frame = np.zeros(1, FRAME)[0]
        played = np.array(actions, np.int64)
        if not _follow(layout.spec, rules, layout.tree.first, layout.tree.child, layout.tree.offset, played, frame):
            return None
        count = int(frame["count"])
        stride = count if layout.spec["form"] == TREE else int(layout.spec["width"])
        return Found(
            tuple(frame["action"][:count].tolist()), tuple(frame["slot"][:count].tolist()), int(frame["offset"]),
            stride, int(frame["street"]),
        )  # fmt: skip

    def kinds(self, board: Sequence[int]) -> NDArray[np.int64]:
        """The kind of every hand ``[1326]`` on a board; 0 for hands that the board makes impossible."""
        if not board:
            return class_of_combo.astype(np.int64)
        if self.abstraction.buckets is not None:
            return self.abstraction.buckets.of_board(board).astype(np.int64)
        live = ~np.isin(COMBOS, board).any(axis=1)
        cards = np.column_stack([COMBOS[live], np.tile(np.array(board), (int(live.sum()), 1))])
        kinds = np.zeros(len(COMBOS), np.int64)
        kinds[live] = class_of_combo[live].astype(np.int64) * CATEGORIES + CATEGORY[evaluate(cards)]
        return kinds

    def rows(self, found: Found, kinds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Probabilities ``[hands, actions]`` of hands of these kinds at a decision."""
        places = found.start + kinds[:, None] * found.stride + np.array(found.slots)
        chances = self.strategy[places].astype(np.float64)
        total = chances.sum(axis=1, keepdims=True)
        return np.where(total > 0, chances / np.where(total > 0, total, 1), 1 / len(found.actions))


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


@kernel
def _follow(
    spec: Any, rules: Any, first: NDArray[np.int32], child: NDArray[np.int32], offset: NDArray[np.int64],
    actions: NDArray[np.int64], frame: Any,
) -> bool:  # fmt: skip
    """Replay actions, and fill in the decision after them for the first kind of hand; whether there is one."""
    hands = np.zeros(1, HAND)
    new_hand(rules, hands[0])
    memory = np.int64(0)
    for at in range(len(actions) + 1):
        hand = hands[0]
        if hand.player == TERMINAL:
            return False
        start = offset[memory] if spec.form == TREE else np.int64(0)
        decide(spec, rules, hand, memory, 0, start, frame)
        if at == len(actions):
            return True
        node = np.int32(0)
        if spec.form == TREE:
            chosen = -1
            for place in range(frame.count):
                if frame.action[place] == actions[at]:
                    chosen = place
            if chosen < 0:
                return False
            node = child[first[memory] + chosen]
        memory = play(spec, rules, hand, memory, actions[at], node)
    return False


@kernel
def _quantise(
    runs: NDArray[np.int64], regret: NDArray[np.float32], average: NDArray[np.float32], out: NDArray[np.uint8]
) -> tuple[float, float]:
    """Write the bytes; the mean and the largest total variation distance to what they stand for."""
    weights, sum_apart, largest, at = 0.0, 0.0, 0.0, 0
    for run in range(len(runs)):
        end, width = runs[run]
        while at < end:
            total, learnt = 0.0, 0.0
            for slot in range(at, at + width):
                total += average[slot]
                learnt += max(regret[slot], np.float32(0))
            source = average if total > 0 else regret
            whole = total if total > 0 else learnt
            if whole > 0:
                written = 0
                for slot in range(at, at + width):
                    out[slot] = np.uint8(np.rint(FULL * max(source[slot], np.float32(0)) / whole))
                    written += out[slot]
                apart = 0.0
                for slot in range(at, at + width):
                    apart += abs(out[slot] / written - max(source[slot], np.float32(0)) / whole) / 2
                largest = max(largest, apart)
                sum_apart += total * apart
                weights += total
            at += width
    return sum_apart / max(weights, 1e-300), largest
