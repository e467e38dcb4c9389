import numpy as np
import pytest

from ludus.rl.memories import Circular, Prioritised, Reservoir, generator_state, restore_generator

COLUMNS = {"x": ((), np.int64), "y": ((2,), np.float32)}


def rows(numbers):
    return {"x": np.array(numbers), "y": np.array([[number, -number] for number in numbers], np.float32)}


def test_a_ring_keeps_the_last_rows_whole():
    memory = Circular(5, COLUMNS)
    for first in range(0, 12, 3):
        memory.add(rows(range(first, first + 3)))
    assert sorted(memory.rows["x"]) == [7, 8, 9, 10, 11]
    drawn = memory.sample(50, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn["y"][:, 0], drawn["x"])


def kept_shares(recency, size=200, total=2000, runs=60):
    """How often rows of each quarter of a stream are in a reservoir at its end."""
    counts = np.zeros(4)
    for seed in range(runs):
        memory = Reservoir(size, COLUMNS, np.random.default_rng(seed), recency)
        for first in range(0, total, 50):
            memory.add(rows(range(first, first + 50)))
        counts += np.bincount(memory.rows["x"] * 4 // total, minlength=4)
    return counts / counts.sum()


def test_a_reservoir_keeps_all_rows_alike():
    assert kept_shares(1.0) == pytest.approx([0.25] * 4, abs=0.02)


def test_a_recent_reservoir_weighs_rows_linearly():
    assert kept_shares(2.0) == pytest.approx([1 / 16, 3 / 16, 5 / 16, 7 / 16], abs=0.025)


def test_memories_go_on_where_they_were():
    one, other = Circular(5, COLUMNS), Circular(5, COLUMNS)
    one.add(rows(range(7)))
    other.restore(one.state())
    for memory in (one, other):
        memory.add(rows([40, 41]))
    np.testing.assert_array_equal(one.rows["y"], other.rows["y"])


def test_generators_go_on_where_they_were():
    one, other = np.random.default_rng(3), np.random.default_rng(4)
    one.integers(5, size=3, dtype=np.int32)
    restore_generator(other, generator_state(one))
    assert one.random() == other.random()
    assert one.integers(9, dtype=np.int32) == other.integers(9, dtype=np.int32)


def test_senseless_memories_are_refused():
    with pytest.raises(ValueError, match="at least 1 row"):
        Circular(0, COLUMNS)
    with pytest.raises(ValueError, match="recency"):
        Reservoir(4, COLUMNS, np.random.default_rng(0), 0.5)


def test_rows_of_large_errors_are_drawn_more_often_and_weigh_less():
    memory = Prioritised(4, {"x": ((), np.int64)}, power=1.0)
    memory.add({"x": np.arange(4)})
    memory.note(np.arange(4), np.array([0.0, 1.0, -2.0, 5.0]) - np.array([0, 1, -1, 1]) * memory.LEAST)
    rows = memory.sample(20_000, np.random.default_rng(0))
    share = np.bincount(rows["x"], minlength=4) / 20_000
    assert share == pytest.approx([memory.LEAST / 8, 1 / 8, 2 / 8, 5 / 8], abs=0.02)
    weights = memory.weights(np.array([1, 2, 3]), correction=1.0)
    assert weights == pytest.approx([1.0, 1 / 2, 1 / 5])
    memory.add({"x": np.array([9])})  # a new row takes the oldest one's place with the largest error so far
    assert (memory.sample(20_000, np.random.default_rng(1))["x"] == 9).mean() == pytest.approx(5 / 13, abs=0.02)
