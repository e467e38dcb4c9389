"""The run loop: limits, when it measures and saves, why it ends; with a solver that does nothing but count."""

from __future__ import annotations

import os
import signal
import time
from itertools import pairwise

import pytest

from ludus.solvers.running import (
    FIRST_CHECK,
    GROWTH,
    LEAST_STEP,
    MOST_ITERATIONS,
    Check,
    Limits,
    Measuring,
    Saving,
    aimed_at,
    follow,
    measuring_points,
    next_check,
    on_the_grid,
    run,
)


class Counter:
    """A solver whose exploitability is a hundredth part of its pot after 100 iterations, a tenth of it after 10."""

    def __init__(self, most: int = 1000, iterations: int = 0) -> None:
        self.iterations, self.most, self.goals = iterations, most, []
        self.warm = 0

    def warm_up(self) -> None:
        self.warm += 1

    def advance(self, goal: int) -> None:
        assert goal > self.iterations
        self.goals.append(goal)
        self.iterations = min(goal, self.iterations + self.most)

    def measure(self) -> str:
        return f"{1 / self.iterations}"


def measuring(counter: Counter, next_due=on_the_grid, sparing: bool = False) -> Measuring[str]:
    return Measuring(counter.measure, float, next_due, sparing)


def test_a_run_ends_at_its_iterations_and_is_measured_on_the_grid_and_at_the_end():
    counter, seen = Counter(), []
    ended = run(counter, Limits(iterations=20), measuring(counter), progress=seen.append)
    assert (ended.stopped_by, ended.resumed_from, ended.last.iterations, counter.warm) == ("iterations", 0, 20, 1)
    assert [check.iterations for check in ended.checks] == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20]
    assert ended.checks == tuple(seen)
    assert ended.last.measured == "0.05"


def test_a_run_ends_at_its_target():
    counter = Counter()
    ended = run(counter, Limits(target=0.01), measuring(counter))
    assert (ended.stopped_by, ended.last.iterations) == ("target", 108)
    aimed = Counter()
    ended = run(aimed, Limits(target=0.01), measuring(aimed, aimed_at(0.01)))
    assert ended.stopped_by == "target"
    steps = [check.iterations for check in ended.checks]
    assert steps[:2] == [FIRST_CHECK, int(GROWTH * FIRST_CHECK)]
    assert 100 <= steps[-1] < 125
    assert all(later - sooner >= LEAST_STEP for sooner, later in pairwise(steps))


def test_a_target_is_no_target_where_nothing_is_measured():
    ended = run(Counter(), Limits(iterations=5, target=10.0))
    assert (ended.stopped_by, ended.last, ended.checks) == ("iterations", ended.last, ())
    assert ended.last.measured is None


def test_a_run_ends_by_time(monkeypatch):
    now = iter(range(10**6))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(now)))
    counter = Counter(most=1)
    ended = run(counter, Limits(seconds=30), measuring(counter))
    assert ended.stopped_by == "seconds"
    assert 30 <= ended.last.seconds < 40
    assert ended.last.iterations_per_second == 1.0  # a second each, the measuring left out


def test_measuring_is_left_out_where_it_takes_too_long(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    counter = Counter()

    def slow() -> str:
        now[0] += 100.0
        return "1"

    ended = run(counter, Limits(iterations=50), Measuring(slow, float, on_the_grid, sparing=True))
    assert [check.iterations for check in ended.checks] == [1, 50]  # once, and at the end all the same


def test_saves_on_the_way_and_at_the_end():
    counter, saves = Counter(most=7), []
    run(counter, Limits(iterations=45), None, Saving(lambda: saves.append(counter.iterations), every=10))
    assert saves == [10, 20, 30, 40, 45]
    run(counter, Limits(iterations=45), None, Saving(lambda: saves.append(counter.iterations), every=10))
    assert saves == [10, 20, 30, 40, 45]  # there is nothing new
    counter = Counter(most=1)
    run(counter, Limits(iterations=3), None, Saving(lambda: saves.append(-counter.iterations), seconds=0))
    assert saves[5:] == [-1, -2, -3]


def test_ctrl_c_ends_a_run_after_a_step_and_saves_it():
    counter, saves = Counter(most=10), []

    def interrupt(check: Check[str]) -> None:
        if check.iterations == 30:
            os.kill(os.getpid(), signal.SIGINT)

    ended = run(counter, Limits(seconds=60), None, Saving(lambda: saves.append(counter.iterations)), interrupt)
    assert (ended.stopped_by, ended.last.iterations, saves) == ("interrupt", 30, [30])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler  # as before


def test_a_second_ctrl_c_is_not_waited_for():
    def interrupt(check: Check[str]) -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run(Counter(), Limits(seconds=60), progress=interrupt)


def test_a_run_goes_on():
    counter = Counter(iterations=100)
    ended = run(counter, Limits(iterations=150), measuring(counter))
    assert ended.resumed_from == 100
    assert [check.iterations for check in ended.checks] == [108, 128, 150]
    assert run(counter, Limits(iterations=150), measuring(counter)).last == Check(150, 0.0)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "say when to stop"),
        ({"iterations": 0}, "iterations must be above 0 and at most 1e"),
        ({"iterations": MOST_ITERATIONS + 1}, "iterations must be above 0 and at most 1e"),
        ({"iterations": 2.5}, "iterations are a whole number, got 2.5"),
        ({"target": float("nan")}, "a target must be above 0"),
        ({"seconds": -1}, "seconds must be above 0"),
    ],
)
def test_limits_are_checked_when_they_are_made(limits, message):
    with pytest.raises(ValueError, match=message):
        Limits(**limits)


def test_points_at_which_a_run_is_looked_at():
    assert measuring_points(1) == [1]
    assert measuring_points(0) == [0]
    assert measuring_points(30, all_of=25) == [*range(1, 26), 27, 30]
    counter = Counter(most=4)
    assert [done for done, _ in follow(counter, [3, 10, 10, 12])] == [3, 10, 12]
    assert counter.goals == [3, 10, 10, 12]
    assert next_check(7) == 8
