"""Vectors in kernels: eight floats at once against NumPy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ludus.compiled import kernel
from ludus.solvers.spot.kernels.leaves import turn
from ludus.solvers.spot.kernels.vectors import WIDTH, aligned, load, padded, store, take_number

U = np.uint64
NO, STEP = U(0), U(WIDTH)


@kernel
def fused(one: np.ndarray, two: np.ndarray, out: np.ndarray) -> None:
    for at in range(NO, U(len(out)), STEP):
        x, y = load(one, at), load(two, at + U(1))
        store(out, at, (x + y) * x - y)


def test_arithmetic_is_that_of_floats():
    one, two = np.random.default_rng(1).standard_normal((2, 65)).astype(np.float32)
    out = np.zeros(64, np.float32)
    fused(one[:64].copy(), two, out)
    np.testing.assert_array_equal(out, (one[:64] + two[1:]) * one[:64] - two[1:])


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (8, 8), (17, 40), (85, 31)])
def test_tables_are_transposed(rows, columns):
    table = np.random.default_rng(2).standard_normal((padded(rows), padded(columns))).astype(np.float32)
    wide = padded(rows) + WIDTH
    out = np.full(padded(columns) * wide, np.nan, np.float32)
    turn(table.ravel(), NO, U(rows), U(columns), U(table.shape[1]), out, U(wide))
    found = out.reshape(-1, wide)
    np.testing.assert_array_equal(found[:columns, :rows], table[:rows, :columns].T)
    assert np.isnan(found[:, padded(rows) :]).all()


def test_rows_start_at_a_cache_line():
    rows = aligned(100)
    assert rows.shape == (100,)
    assert rows.dtype == np.float32
    assert not rows.any()
    assert rows.ctypes.data % 64 == 0


@kernel
def take_many(queue: np.ndarray, taken: np.ndarray) -> None:
    for at in range(len(taken)):
        taken[at] = take_number(queue)


def test_threads_take_every_number_once():
    queue, taken = np.zeros(1, np.int64), np.zeros((2, 100_000), np.int64)
    take_many(np.zeros(1, np.int64), taken[0, :1])  # compiled before the threads start
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda row: take_many(queue, row), taken))
    np.testing.assert_array_equal(np.sort(taken, axis=None), np.arange(200_000))
