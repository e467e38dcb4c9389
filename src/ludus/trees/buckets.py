"""Card abstraction: hands on a board that are strategically alike share a bucket.

Before the flop a bucket is one of the 169 classes. From the flop on each street is clustered by itself (imperfect
recall: a player forgets the buckets of earlier streets; Waugh et al., "A practical use of imperfect recall", SARA
2009), by one of the methods of `bucket_features`. The bucket of a hand is the nearest centre to its feature, so the
centres are all that a hand on any board needs; the buckets of a street are numbered from the weakest to the strongest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import require_distinct
from ludus.cards.ranges import CLASSES, COMBOS, class_of_combo
from ludus.cards.runouts import MOVED
from ludus.compiled import cache_home
from ludus.files import check_array, load_arrays, save_arrays
from ludus.parallel import Progress
from ludus.trees.bucket_features import DISTANCE, METHODS, OPPONENTS, SCALE, Opponents, dimensions, features
from ludus.trees.bucket_tables import (
    BLOCK_BOARDS,
    NO_BOARDS,
    SHIFT,
    BucketTables,
    RunoutTables,
    are_buckets,
    board_index,
    build_table,
    find_board,
    kept_table,
    open_table,
)
from ludus.trees.clusters import MOST_CENTRES, Points, assign, centre_sums

KIND, FORMAT = "buckets", 1
STREETS = ("flop", "turn", "river")
SHIPPED = Path(__file__).parent / "data"
CLASS_COUNT = len(CLASSES)
TURNS, RIVERS = 500, 4  # of some boards
_HANDS = len(COMBOS)


@dataclass(frozen=True, eq=False)
class StreetBuckets:
    """The buckets of one street: how hands are looked at, and the centres of the clusters."""

    cards: int
    """How many cards the board has, 3 to 5."""
    method: str
    centres: Points
    """``[k, dimensions]`` in the order of the sums of their coordinates."""
    opponents: Opponents

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"{self.method!r} is no method of buckets: choose from {', '.join(METHODS)}")
        count = self.centres.shape[0] if self.centres.ndim else 0
        check_array("centres", self.centres, "int16", (count, dimensions(self.method, self.cards)))
        if not 1 <= count <= MOST_CENTRES:
            raise ValueError(f"a street has 1 to {MOST_CENTRES} buckets, got {count}")
        if self.centres.min() < 0 or self.centres.max() > SCALE or (np.diff(centre_sums(self.centres)) < 0).any():
            raise ValueError(f"centres are numbers from 0 to {SCALE}, in the order of their sums")
        check_opponents(self.opponents)

    def of_boards(self, boards: NDArray[np.uint8]) -> NDArray[np.uint16]:
        """The buckets ``[n, 1326]`` of all hands on boards ``[n, cards]``, 0 for impossible hands."""
        points = features(self.method, boards, self.opponents)
        possible = np.ones((len(boards), _HANDS), np.bool_)
        for at in range(boards.shape[1]):
            possible &= (COMBOS[:, 0] != boards[:, at, None]) & (COMBOS[:, 1] != boards[:, at, None])
        rows = points[possible]
        nearest, costs = np.empty(len(rows), np.uint16), np.empty(len(rows), np.int64)
        assign(rows, self.centres, self._totals, DISTANCE[self.method], nearest, costs)
        found = np.zeros((len(boards), _HANDS), np.uint16)
        found[possible] = nearest
        return found

    @cached_property
    def _totals(self) -> NDArray[np.int32]:
        return centre_sums(self.centres)


@dataclass(frozen=True, eq=False)
class Buckets:
    """A card abstraction; checked when it is made."""

    flop: StreetBuckets
    turn: StreetBuckets
    river: StreetBuckets
    flop_table: NDArray[np.uint16]
    """``[1755, 1326]``: the buckets of all hands on all flops, in the order of `bucket_tables.board_index`."""
    seed: int
    fitted: tuple[int, int, int]
    """On how many boards, up to suits, the centres of each street were fitted."""
    _opened: dict[int, NDArray[np.uint16]] = field(init=False, repr=False, default_factory=dict)
    _complete: list[BucketTables] = field(init=False, repr=False, default_factory=list)

    def __post_init__(self) -> None:
        check_flop_table(self.flop_table, len(self.flop.centres))
        for street, cards in zip(self.streets, (3, 4, 5), strict=True):
            if street.cards != cards:
                raise ValueError(f"expected buckets for a board of {cards} cards, got them for {street.cards}")

    @property
    def streets(self) -> tuple[StreetBuckets, StreetBuckets, StreetBuckets]:
        """Flop, turn and river."""
        return self.flop, self.turn, self.river

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The number of buckets before the flop and on the flop, the turn and the river."""
        return CLASS_COUNT, len(self.flop.centres), len(self.turn.centres), len(self.river.centres)

    @property
    def methods(self) -> tuple[str, str, str]:
        """The methods of flop, turn and river."""
        return self.flop.method, self.turn.method, self.river.method

    def of_board(self, board: Sequence[int]) -> NDArray[np.uint16]:
        """The bucket ``[1326]`` of every hand on a board of 0 or 3 to 5 cards in any order, 0 for impossible hands.

        Takes microseconds before the turn, and later too once there are tables; without them a few milliseconds on the
        turn and one on the river.
        """
        if len(board) not in (0, 3, 4, 5) or not all(0 <= card <= 51 for card in board):
            raise ValueError(f"expected a board of 0, 3, 4 or 5 cards numbered 0..51, got {list(board)}")
        require_distinct([("board", board)])
        if not board:
            return class_of_combo.astype(np.uint16)
        entry = int(find_board(board_index(len(board))[0], np.array(board, np.uint8), 0, len(board)))
        row = entry >> SHIFT
        found = self.flop_table[row] if len(board) == 3 else self._rows(len(board), np.array([row]))[0]
        return np.asarray(found[MOVED[entry & 31]])

    def tables(self, threads: int = 1, progress: Progress | None = None) -> BucketTables:
        """The tables for kernels, from the cache folder; the first time they are built, which takes a minute or so.

        A street that is done is kept when the work is interrupted. The river's table takes 357 MB of disk, and as much
        memory as is looked at.
        """
        folder = self._folder
        steps = [-(-len(board_index(cards)[1]) // BLOCK_BOARDS[cards]) for cards in (4, 5)]

        def of_street(at: int) -> NDArray[np.uint16]:
            def told(done: int, _: int) -> None:
                if progress is not None:
                    progress(sum(steps[: at - 1]) + done, sum(steps))

            street, path = self.streets[at], folder / f"{STREETS[at]}.safetensors"
            return kept_table(path, street, street.cards, len(street.centres), threads, told)

        flop = self.flop_table.copy()
        flop.setflags(write=False)
        index = [board_index(cards)[0] for cards in (3, 4, 5)]
        return BucketTables(index[0], index[1], index[2], flop, of_street(1), of_street(2))

    def tables_after(
        self, board: Sequence[int], threads: int = 1, build: bool = True
    ) -> tuple[BucketTables, NDArray[np.uint8]]:
        """The tables for kernels that deal nothing but runouts of a board, so that from the flop on none are built.

        Also the runouts ``[n, 5]`` that may be dealt, none where all may. Before the flop, where there are no tables
        yet and none shall be built, these are `some_boards`.
        """
        if board:
            runouts = self._runouts  # once: threads may make several at the same time
            runouts.fill_after(board, threads)
            return runouts.tables, NO_BOARDS
        if build or all(self._kept(size) is not None for size in (4, 5)):
            if not self._complete:
                self._complete.append(self.tables(threads))
            return self._complete[0], NO_BOARDS
        boards, runouts = some_boards(), self._runouts
        runouts.fill(boards[:, :4], 4, threads)
        runouts.fill(boards, 5, threads)
        return runouts.tables, boards

    @cached_property
    def _runouts(self) -> RunoutTables:
        return RunoutTables(self.flop_table, self._rows)

    def _rows(self, size: int, numbers: NDArray[np.int64], threads: int = 1) -> NDArray[np.uint16]:
        """Rows of the table of the turn or the river, found one by one where it is not built."""
        kept = self._kept(size)
        if kept is not None and are_buckets(rows := kept[numbers], self.counts[size - 2]):
            return rows
        return build_table(self.streets[size - 3], board_index(size)[1][numbers], threads)

    def _kept(self, size: int) -> NDArray[np.uint16] | None:
        """The table of the turn or the river, unchecked, if there is one by now."""
        if size not in self._opened:
            try:
                path = self._folder / f"{STREETS[size - 3]}.safetensors"
                self._opened[size] = open_table(path, size, self.counts[size - 2])
            except (OSError, ValueError):  # there is no table or no cache folder, or it is damaged
                return None
        return self._opened[size]

    @property
    def _folder(self) -> Path:
        return cache_home() / "buckets" / self.digest

    @cached_property
    def digest(self) -> str:
        """A name for exactly these buckets: 16 hexadecimal digits."""
        digest = hashlib.sha256(repr((FORMAT, self.methods, self.counts)).encode())
        for street in self.streets:
            digest.update(street.centres.tobytes())
        digest.update(self.flop.opponents.tobytes() + self.flop_table.tobytes())
        return digest.hexdigest()[:16]


@cache
def some_boards() -> NDArray[np.uint8]:
    """2,000 boards in the order of dealing, ``[n, 5]``, that stand for all: four rivers after each of 500 turns."""
    decks = np.random.default_rng(1).permuted(np.tile(np.arange(52, dtype=np.uint8), (TURNS, 1)), axis=1)
    boards = np.concatenate([np.delete(decks[:, : 5 + river], np.s_[4 : 4 + river], axis=1) for river in range(RIVERS)])
    boards.setflags(write=False)
    return boards


def check_opponents(opponents: Opponents) -> None:
    """ValueError unless every class of hands is in one of the clusters, since kernels count by cluster."""
    check_array("opponents", opponents, "uint8", (CLASS_COUNT,))
    if opponents.max() >= OPPONENTS:
        raise ValueError(f"opponents' clusters are 0..{OPPONENTS - 1}, got {opponents.max()}")


def check_flop_table(table: NDArray[np.uint16], buckets: int) -> None:
    """ValueError unless a table has a bucket for every hand on every flop."""
    check_array("flop_table", table, "uint16", (len(board_index(3)[1]), _HANDS))
    if table.max() >= buckets:
        raise ValueError(f"the flop has {buckets} buckets, its table names {table.max()}")


def save_buckets(buckets: Buckets, path: Path) -> None:
    """Write buckets to one file; the same buckets give the same bytes."""
    header = {
        "kind": KIND,
        "format": FORMAT,
        "methods": buckets.methods,
        "seed": buckets.seed,
        "fitted": buckets.fitted,
    }
    arrays = {name: street.centres for name, street in zip(STREETS, buckets.streets, strict=True)}
    save_arrays(path, header, {**arrays, "opponents": buckets.flop.opponents, "flop_table": buckets.flop_table})


def shipped_buckets() -> list[str]:
    """The names of the buckets that come with the package.

    >>> "200" in shipped_buckets()
    True
    """
    return sorted(path.stem.removeprefix("buckets-") for path in SHIPPED.glob("buckets-*.safetensors"))


def load_buckets(name: str | Path) -> Buckets:
    """Buckets by the name of shipped ones or from a file.

    >>> load_buckets("200").counts
    (169, 200, 200, 200)
    """
    path = SHIPPED / f"buckets-{name}.safetensors" if str(name) in shipped_buckets() else Path(name)
    if not path.is_file():
        raise ValueError(f"there are no buckets {str(name)!r}: name a file or one of {', '.join(shipped_buckets())}")
    header, arrays = load_arrays(path, KIND, FORMAT)
    try:
        methods, opponents = header["methods"], arrays["opponents"]
        streets = [StreetBuckets(3 + at, methods[at], arrays[name], opponents) for at, name in enumerate(STREETS)]
        flop, turn, river = header["fitted"]
        fitted = int(flop), int(turn), int(river)
        return Buckets(streets[0], streets[1], streets[2], arrays["flop_table"], int(header["seed"]), fitted)
    except (KeyError, TypeError, IndexError, ValueError, OverflowError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None
