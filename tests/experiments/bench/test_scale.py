"""The simulated cluster keeps to what is certain: no core does more than its share, and the driver is the limit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.experiments.bench.scale import Hardware, Plan, simulate, simulate_blueprint

FREE = Hardware(network=1e18, disk=1e18, adding=1e18)


def test_without_overhead_a_run_takes_its_work_divided_by_the_cores():
    found = simulate(Plan("x", 6400, (9.0,), 0.0), 64, 0.0, FREE)
    assert found["hours"] == pytest.approx(6400 * 9 / 64 / 3600)
    assert found["efficiency"] == pytest.approx(1)


def test_a_driver_that_is_too_slow_sets_the_pace():
    found = simulate(Plan("x", 100_000, (1.0,), 0.0), 1000, 0.01, FREE)
    assert found["hours"] == pytest.approx(100_000 * 0.01 / 3600, rel=0.02)
    assert found["driver_busy"] > 0.97


@given(st.integers(1, 300), st.integers(1, 2000), st.floats(0, 0.01), st.floats(0, 1e8))
def test_no_run_is_faster_than_its_work_or_its_driver(cores, tasks, overhead, size):
    plan, hardware = Plan("x", tasks, (0.5, 1.0, 2.0), size), Hardware()
    found = simulate(plan, cores, overhead, hardware)
    seconds = 3600 * found["hours"]
    assert seconds >= 0.5 * tasks / cores * 0.999
    assert seconds >= 0.999 * tasks * hardware.taking_in(overhead, size, kept=True)
    assert np.isfinite(list(found.values())).all()


def test_merging_more_copies_takes_longer_and_larger_blocks_take_less_of_it():
    few, many = (simulate_blueprint(12_400, 1e9, 1.0, cores, 0.001, Hardware()) for cores in (64, 1000))
    rarely = simulate_blueprint(12_400, 1e9, 4.0, 1000, 0.001, Hardware())
    assert few["merge_minutes"] < many["merge_minutes"]
    assert few["efficiency"] > many["efficiency"] < rarely["efficiency"] <= 1
