"""xoroshiro128+ for kernels: two 64-bit words of state, passed in and out by value.

Blackman & Vigna, "Scrambled linear pseudorandom number generators" (2021), constants (24, 16, 37). A kernel keeps
``s0, s1`` in local variables and advances them with ``next_state``; ``streams`` gives it a start far from every other
stream of the same seed, because streams are 2**64 numbers apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel

_MASK = (1 << 64) - 1
JUMP = np.array([0xDF900294D8F554A5, 0x170865DF4B3201FC], np.uint64)  # by 2**64 (the generator's authors give both)
LONG_JUMP = np.array([0xD2A98B26625EEE7B, 0xDDDF9B1090AA7AC1], np.uint64)  # by 2**96

_U1, _U11, _U24, _U16, _U27, _U37, _U40 = (np.uint64(n) for n in (1, 11, 24, 16, 27, 37, 40))
_TO_UNIT = 2.0**-53
_U57, _U7 = np.uint64(57), np.uint64(7)


@kernel(inline=True)
def next_state(s0: np.uint64, s1: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The state after one step; the number drawn is ``s0 + s1`` of the state *before* it."""
    s1 ^= s0
    return ((s0 << _U24) | (s0 >> _U40)) ^ s1 ^ (s1 << _U16), (s1 << _U37) | (s1 >> _U27)


@kernel
def uniform(s0: np.uint64, s1: np.uint64) -> float:
    """The number of this state as a float in [0, 1): its upper 53 bits (the lowest bits are the weak ones)."""
    return ((s0 + s1) >> _U11) * _TO_UNIT


@kernel
def below(s0: np.uint64, s1: np.uint64, n: int) -> np.int64:
    """The number of this state as an integer in 0..n-1, for n up to 128, uneven by at most 2**-50."""
    return np.int64((((s0 + s1) >> _U7) * np.uint64(n)) >> _U57)


@kernel
def fill(s0: np.uint64, s1: np.uint64, out: NDArray[np.uint64]) -> tuple[np.uint64, np.uint64]:
    """Write the next ``len(out)`` numbers and return the state after them."""
    for i in range(len(out)):
        out[i] = s0 + s1
        s0, s1 = next_state(s0, s1)
    return s0, s1


@kernel
def jump(s0: np.uint64, s1: np.uint64, polynomial: NDArray[np.uint64]) -> tuple[np.uint64, np.uint64]:
    """The state ``JUMP`` or ``LONG_JUMP`` numbers further on."""
    j0 = j1 = np.uint64(0)
    for word in polynomial:
        for bit in range(np.uint64(64)):
            if word >> bit & _U1:
                j0, j1 = j0 ^ s0, j1 ^ s1
            s0, s1 = next_state(s0, s1)
    return j0, j1


@kernel
def _fill_streams(s0: np.uint64, s1: np.uint64, out: NDArray[np.uint64]) -> None:
    for row in range(len(out)):
        out[row, 0], out[row, 1] = s0, s1
        s0, s1 = jump(s0, s1, JUMP)


def _split_mix(seed: int) -> int:
    z = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def streams(seed: int, count: int) -> NDArray[np.uint64]:
    """Start states [count, 2] of ``count`` streams of one seed, 2**64 numbers apart; the seed is spread by SplitMix64.

    >>> bool((streams(7, 2)[0] == streams(7, 5)[0]).all())
    True
    """
    gamma = 0x9E3779B97F4A7C15
    s0, s1 = (np.uint64(_split_mix(seed + n * gamma & _MASK)) for n in (1, 2))
    states = np.empty((count, 2), np.uint64)
    _fill_streams(s0, s1, states)
    return states


def stream_blocks(seed: int, total: int, size: int) -> list[tuple[np.uint64, np.uint64, int]]:
    """Cut ``total`` units of work into nearly equal blocks of at most ``size``, each with its own stream.

    The number of blocks depends on the total and the size alone, so the number of threads changes no result.

    >>> [block for *_, block in stream_blocks(seed=1, total=10, size=4)]
    [4, 3, 3]
    """
    count = -(-total // size)
    sizes = (total // count + (i < total % count) for i in range(count))
    return [(s0, s1, block) for (s0, s1), block in zip(streams(seed, count), sizes, strict=True)]
