"""Philox4x64-10: random numbers as a function of where they are needed, bit for bit those of NumPy's Philox.

Salmon et al. (2011), "Parallel random numbers: as easy as 1, 2, 3". A stream is named by a key (the seed) and three
words of a counter; no other number has to be drawn first. Matches use one stream for each deck and each seat of each
hand, so a hand is the same on any number of workers and after a restart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel

Words = NDArray[np.uint64]

_M0, _M1 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_W0, _W1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
_LOW, _U32, _U11, _U1, _ZERO = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(11), np.uint64(1), np.uint64(0)
_TO_UNIT = 2.0**-53
Number = int | np.uint64 | np.int64


@kernel
def _high(a: np.uint64, b: np.uint64) -> np.uint64:
    """The upper 64 bits of a product."""
    a0, a1, b0, b1 = a & _LOW, a >> _U32, b & _LOW, b >> _U32
    middle = a1 * b0 + ((a0 * b0) >> _U32)
    other = a0 * b1 + (middle & _LOW)
    return a1 * b1 + (middle >> _U32) + (other >> _U32)


@kernel
def _block(
    k0: Number, c0: Number, c1: Number, c2: Number, c3: Number
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four random words of the key (k0, 0) at a counter."""
    key0, key1 = np.uint64(k0), _ZERO
    x0, x1, x2, x3 = np.uint64(c0), np.uint64(c1), np.uint64(c2), np.uint64(c3)
    for _ in range(10):
        x0, x1, x2, x3 = _high(_M1, x2) ^ x1 ^ key0, _M1 * x2, _high(_M0, x0) ^ x3 ^ key1, _M0 * x0
        key0, key1 = key0 + _W0, key1 + _W1
    return x0, x1, x2, x3


@kernel
def uniform_at(seed: Number, c1: Number, c2: Number, c3: Number, at: int) -> float:
    """Number ``at`` of a stream, in [0, 1): what ``Generator.random`` gives as its draw ``at``."""
    x0, x1, x2, x3 = _block(seed, np.uint64(at // 4 + 1), c1, c2, c3)
    part = at % 4
    word = x0 if part == 0 else x1 if part == 1 else x2 if part == 2 else x3
    return (word >> _U11) * _TO_UNIT


@kernel
def fill_decks(seed: Number, first: int, hand: int, deck: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """Shuffled decks of units ``first``, ``first + 1``, ...: the first cards of each into ``out`` [units, cards].

    Fisher and Yates' shuffle; the stream of a deck is (unit, hand, 0).
    """
    cards = len(deck)
    work = np.empty(cards, np.int64)
    for row in range(len(out)):
        for at in range(cards):
            work[at] = deck[at]
        for at in range(out.shape[1]):
            u = uniform_at(seed, np.uint64(first + row), np.uint64(hand), _ZERO, at)
            other = at + np.int64(u * (cards - at))
            work[at], work[other] = work[other], work[at]
            out[row, at] = work[at]


def decks(seed: int, first: int, units: int, deck: tuple[int, ...], cards: int, hand: int = 0) -> NDArray[np.int64]:
    """The decks of some units in the order of dealing, ``cards`` cards of each: [units, cards].

    >>> bool((decks(1, 5, 3, tuple(range(52)), 9)[2] == decks(1, 7, 1, tuple(range(52)), 9)[0]).all())
    True
    """
    out = np.empty((units, cards), np.int64)
    fill_decks(np.uint64(seed), first, hand, np.array(deck, np.int64), out)
    return out


class Streams:
    """The generators of the seats of a table; ``rewind`` moves them to the start of their streams for a hand."""

    def __init__(self, seed: int, seats: int) -> None:
        self._bits = [np.random.Philox(key=seed) for _ in range(seats)]
        self.generators = [np.random.Generator(bits) for bits in self._bits]
        self._fresh = [bits.state for bits in self._bits]

    def rewind(self, unit: int, hand: int) -> list[np.random.Generator]:
        """Generators for each seat: the stream of a seat is (unit, hand, seat + 1)."""
        for seat, (bits, fresh) in enumerate(zip(self._bits, self._fresh, strict=True)):
            fresh["state"]["counter"][:] = 0, unit, hand, seat + 1
            bits.state = fresh
        return self.generators
