"""What learners remember: rows of named columns, in a ring or as a fair sample of all that ever came.

Rows come in batches. A memory takes its room when it is made, but an operating system hands that out only as it fills.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ludus.files import Arrays

_WORD = (1 << 64) - 1
Column = tuple[tuple[int, ...], DTypeLike]  # shape and type of an entry
Columns = Mapping[str, Column]


class Circular:
    """The last ``size`` rows.

    >>> memory = Circular(3, {"x": ((), np.int64)})
    >>> memory.add({"x": np.arange(5)})
    >>> sorted(memory.rows["x"].tolist())
    [2, 3, 4]
    """

    def __init__(self, size: int, columns: Columns) -> None:
        if size < 1:
            raise ValueError(f"a memory has room for at least 1 row, got {size}")
        self.size, self.seen = size, 0  # seen: all rows that ever came
        self.rows: Arrays = {name: np.zeros((size, *shape), kind) for name, (shape, kind) in columns.items()}

    def __len__(self) -> int:
        return min(self.seen, self.size)

    def add(self, rows: Mapping[str, NDArray[Any]]) -> None:
        """Remember rows; the oldest ones make room."""
        count = len(next(iter(rows.values())))
        self._put(rows, (self.seen + np.arange(count)) % self.size)
        self.seen += count

    def _put(self, rows: Mapping[str, NDArray[Any]], places: NDArray[np.int64]) -> None:
        for name, column in self.rows.items():
            column[places] = rows[name]  # of several rows for one place the last one stays

    def sample(self, count: int, rng: np.random.Generator, last: int | None = None) -> Arrays:
        """Rows drawn with replacement, of all that are kept or of the last ones that came."""
        drawn = rng.integers(len(self) if last is None else min(last, len(self)), size=count)
        drawn = (self.seen - 1 - drawn) % self.size
        return {name: column[drawn] for name, column in self.rows.items()}

    def forget(self) -> None:
        """Begin with nothing again."""
        self.seen = 0

    def state(self) -> Arrays:
        """All that is needed to go on later."""
        kept = {name: column[: len(self)] for name, column in self.rows.items()}
        return {"seen": np.array([self.seen]), **kept}

    def restore(self, arrays: Arrays) -> None:
        """Go on from what ``state`` gave."""
        self.seen = int(arrays["seen"][0])
        for name, column in self.rows.items():
            column[: len(self)] = arrays[name]


class Reservoir(Circular):
    """A sample of all rows that ever came (Vitter 1985, algorithm R): each is kept with the same probability.

    With a ``recency`` of r above 1 a full memory takes rows in r times as often, and row t of T is in it in proportion
    to t ** (r - 1): with 2 an average over the sample weighs rows linearly, as linear CFR does, and forgets its start.
    """

    def __init__(self, size: int, columns: Columns, rng: np.random.Generator, recency: float = 1.0) -> None:
        super().__init__(size, columns)
        if recency < 1:
            raise ValueError(f"the recency of a reservoir is 1 for a fair sample, or more, got {recency}")
        self.rng, self.recency = rng, recency

    def add(self, rows: Mapping[str, NDArray[Any]]) -> None:
        """Remember rows, or pass them over."""
        count = len(next(iter(rows.values())))
        numbers = self.seen + np.arange(count)
        drawn = (self.rng.random(count) * np.maximum((numbers + 1) / self.recency, self.size)).astype(np.int64)
        places = np.where(numbers < self.size, numbers, drawn)
        kept = places < self.size
        self._put({name: column[kept] for name, column in rows.items()}, places[kept])
        self.seen += count


class Prioritised(Circular):
    """The last rows, drawn in proportion to their errors to a power (Schaul et al. 2016, arXiv:1511.05952, 3.3).

    A row that was never learnt from has the largest error so far, so that it is seen soon.
    """

    LEAST = 1e-3  # added to an error, so that no row is forgotten

    def __init__(self, size: int, columns: Columns, power: float) -> None:
        super().__init__(size, {**columns, "place": ((), np.int64)})
        if not 0 < power <= 1:
            raise ValueError(f"the power of errors is above 0 and at most 1, got {power}")
        self.power, self.largest = power, 1.0
        self._chances = np.zeros(size)  # of each row, up to a factor

    def _put(self, rows: Mapping[str, NDArray[Any]], places: NDArray[np.int64]) -> None:
        super()._put({**rows, "place": places}, places)
        self._chances[places] = self.largest**self.power

    def sample(self, count: int, rng: np.random.Generator, last: int | None = None) -> Arrays:
        """Rows drawn with replacement, the column ``place`` says where they are."""
        del last
        sums = self._chances[: len(self)].cumsum()
        drawn = np.searchsorted(sums, rng.random(count) * sums[-1], side="right")
        return {name: column[drawn] for name, column in self.rows.items()}

    def weights(self, places: NDArray[np.int64], correction: float) -> NDArray[np.float32]:
        """What rows that were drawn count, so that often drawn ones do not count too much; at most 1."""
        found = (self._chances[places] * len(self) / self._chances[: len(self)].sum()) ** -correction
        weights: NDArray[np.float32] = (found / found.max()).astype(np.float32)
        return weights

    def note(self, places: NDArray[np.int64], errors: NDArray[Any]) -> None:
        """The errors that rows have now."""
        sizes = np.abs(errors) + self.LEAST
        self.largest = max(self.largest, float(sizes.max()))
        self._chances[places] = sizes**self.power

    def state(self) -> Arrays:
        """All that is needed to go on later."""
        return super().state() | {"chances": self._chances[: len(self)], "largest": np.array([self.largest])}

    def restore(self, arrays: Arrays) -> None:
        """Go on from what ``state`` gave."""
        super().restore(arrays)
        self._chances[: len(self)], self.largest = arrays["chances"], float(arrays["largest"][0])


# The state of a generator as an array


def generator_state(rng: np.random.Generator) -> NDArray[np.uint64]:
    """[6] Where NumPy's default generator is: two numbers of 128 bits, and half a number that is left over."""
    state = rng.bit_generator.state
    words = [state["state"][name] >> shift & _WORD for name in ("state", "inc") for shift in (64, 0)]
    return np.array([*words, state["has_uint32"], state["uinteger"]], np.uint64)


def restore_generator(rng: np.random.Generator, words: NDArray[np.uint64]) -> None:
    """Take a generator to where another one was."""
    high, low, inc_high, inc_low, left, over = (int(word) for word in words)
    rng.bit_generator.state = {
        "bit_generator": "PCG64", "state": {"state": high << 64 | low, "inc": inc_high << 64 | inc_low},
        "has_uint32": left, "uinteger": over,
    }  # fmt: skip
