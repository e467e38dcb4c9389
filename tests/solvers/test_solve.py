"""``solve``: its limits, its settings, what it reports, and that it can be stopped."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

from ludus import games, solvers
from ludus.solvers.running import next_check
from ludus.solvers.settings import ABOUT, Settings
from ludus.trees import flatten


def test_three_lines_solve_leduc():
    result = solvers.solve(games.leduc(), algorithm="dcfr", target=1e-3)
    assert result.exploitability <= 1e-3
    assert result.nash_conv == pytest.approx(2 * result.exploitability)
    assert result.value[0] == pytest.approx(-0.0856, abs=1e-3)
    assert (result.stopped_by, result.information_sets) == ("target", 288)


@pytest.mark.parametrize("algorithm", ABOUT)
def test_every_algorithm_runs_and_says_what_it_did(algorithm):
    result = solvers.solve(games.kuhn(), algorithm, iterations=300, seed=4)
    assert result.iterations == 300
    assert result.checks[-1].iterations == 300
    assert result.nash_conv < 0.6
    origin = result.strategy.origin
    assert (origin.algorithm, origin.seed, origin.iterations) == (algorithm, 4, 300)


def test_any_game_of_the_registry_that_fits_is_solved():
    for name in ("rps", "rps-doubled", "matching-pennies", "prisoners-dilemma", "kuhn", "kuhn3"):
        result = solvers.solve(games.make(name), "cfr+", iterations=2000)
        assert result.nash_conv < 0.01, name
    confess = solvers.solve(games.prisoners_dilemma(), iterations=100).strategy
    assert confess.at(0, "player 0")[1] > 0.99


def test_checks_come_four_a_doubling():
    grid = [next_check(0)]
    while grid[-1] < 1000:
        grid.append(next_check(grid[-1]))
    assert grid[:8] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len([n for n in grid if 128 < n <= 256]) == 4


def test_stops_by_time_and_by_iterations():
    assert solvers.solve(games.leduc(), seconds=0.1).stopped_by == "seconds"
    assert solvers.solve(games.leduc(), iterations=7, seconds=100).stopped_by == "iterations"


def test_an_interrupt_ends_a_run_without_loss():
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    before = signal.getsignal(signal.SIGINT)
    result = solvers.solve(games.leduc(), seconds=60)
    assert result.stopped_by == "interrupt"
    assert result.seconds < 30
    assert result.nash_conv < 0.1
    assert signal.getsignal(signal.SIGINT) is before


def test_it_runs_outside_of_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(solvers.solve(games.kuhn(), iterations=10)))
    thread.start()
    thread.join()
    assert found[0].iterations == 10


def test_progress_is_reported():
    seen = []
    result = solvers.solve(games.leduc(), iterations=500, progress=seen.append)
    assert [check.iterations for check in seen] == sorted(check.iterations for check in seen)
    assert seen[-1].iterations == 500
    measured = [check for check in seen if check.measured]
    assert measured == list(result.checks)[: len(measured)]
    assert measured[0].measured.nash_conv > 10 * measured[-1].measured.nash_conv


def test_the_same_seed_gives_the_same_strategy_and_another_another():
    one, two, three = (
        solvers.solve(games.leduc(), "outcome", iterations=2000, seed=seed).strategy.probabilities for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, two)
    assert (one != three).any()


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({}, "say when to stop"),
        ({"iterations": 0}, "iterations must be above 0"),
        ({"target": float("nan")}, "target must be above 0"),
        ({"seconds": -1}, "seconds must be above 0"),
        ({"iterations": 5, "algorithm": "magic"}, "there is no algorithm 'magic'; there are rm, rm"),
        ({"iterations": 5, "averaging": "cubic"}, "averaging is one of uniform, linear, quadratic"),
        ({"iterations": 5, "updates": "random"}, "updates are alternating or simultaneous"),
        ({"iterations": 5, "averaging_from": 6}, "averaging from iteration 6 on needs more iterations than 5"),
        ({"iterations": 5, "seed": -1}, "a seed is a whole number and at least 0"),
        ({"iterations": 5, "algorithm": "cfr", "discount": (1, 1, 1)}, "discount is for dcfr, not for cfr"),
        ({"iterations": 5, "discount": (1e9, 1, 1)}, "alpha must be a number between"),
        ({"iterations": 5, "discount": (1, 1, -1)}, "gamma must be a number between 0 and 20"),
        ({"seconds": float("inf")}, "seconds must be above 0 and at most 1e"),
        ({"iterations": 10**400}, "iterations must be above 0 and at most 1e"),
        ({"iterations": 1.5}, "iterations are a whole number"),
        ({"iterations": 5, "seed": 1.5}, "a seed is a whole number"),
        ({"iterations": 5, "checkpoint_every": -1}, "a checkpoint is every 0 or more"),
        ({"iterations": 5, "algorithm": "outcome", "averaging_from": 10**20}, "averaging starts at iteration 1"),
        ({"iterations": 5, "algorithm": "outcome", "growing": True, "streams": 2}, "played by a single stream"),
        ({"iterations": 5, "algorithm": "chance", "baseline": 0.1}, "baseline is for external"),
        ({"iterations": 5, "growing": True}, "growing is for external"),
        ({"iterations": 5, "epsilon": 0.1}, "epsilon is for outcome, average, not for dcfr"),
        ({"iterations": 5, "algorithm": "xfp", "averaging_from": 2}, "averaging from is for rm"),
        ({"iterations": 5, "algorithm": "outcome", "updates": "simultaneous"}, "updates is for rm"),
        ({"iterations": 5, "algorithm": "external", "beta": 2.0}, "beta is for average, not"),
        ({"iterations": 5, "baseline": 0.1}, "baseline is for external, outcome, average, not for dcfr"),
        ({"target": 0.1, "algorithm": "hs-dcfr"}, "must know its number of iterations beforehand"),
        ({"iterations": 5, "algorithm": "external", "streams": 100}, "1 to 64 streams"),
    ],
)
def test_bad_settings_are_refused_with_a_reason(how, why):
    with pytest.raises(ValueError, match=why):
        solvers.solve(games.kuhn(), **how)


def test_fixed_strategies_are_checked():
    uniform = solvers.solve(games.kuhn(), iterations=1).strategy
    with pytest.raises(ValueError, match=r"players are 0\.\.1, got a fixed strategy for 2"):
        solvers.solve(games.kuhn(), iterations=5, fixed={2: uniform})
    with pytest.raises(ValueError, match="for another game: players is 2 there and 3 here"):
        solvers.solve(games.kuhn(players=3), iterations=5, fixed={1: uniform})
    for algorithm, how in (("xfp", {}), ("external", {"growing": True})):
        with pytest.raises(ValueError, match="takes no fixed strategies"):
            solvers.solve(games.kuhn(), algorithm, iterations=5, fixed={1: uniform}, **how)


def test_names_have_aliases():
    assert Settings("MCCFR").algorithm == "external"
    assert Settings("outcome-sampling").algorithm == "outcome"
    assert Settings("DCFR").algorithm == "dcfr"


def test_a_checkpoint_goes_on_only_with_the_same_run(tmp_path):
    file = tmp_path / "deep" / "checkpoint"
    solvers.solve(games.kuhn(), "hs-dcfr", iterations=50, checkpoint=file)
    with pytest.raises(ValueError, match="planned iterations is 50 there and 60 here"):
        solvers.solve(games.kuhn(), "hs-dcfr", iterations=60, checkpoint=file)
    file.unlink()
    one, two = (solvers.solve(games.kuhn(), iterations=n).strategy for n in (1, 100))
    solvers.solve(games.kuhn(), iterations=50, fixed={0: one}, checkpoint=file)
    with pytest.raises(ValueError, match="fixed strategies is"):
        solvers.solve(games.kuhn(), iterations=60, fixed={0: two}, checkpoint=file)
    with pytest.raises(ValueError, match="it has 50 iterations already, more than the 20 wanted"):
        solvers.solve(games.kuhn(), iterations=20, fixed={0: one}, checkpoint=file)


def test_simultaneous_updates_and_averaging_are_settings():
    plain = solvers.solve(games.leduc(), "cfr", iterations=100)
    changed = solvers.solve(games.leduc(), "cfr", iterations=100, updates="simultaneous", averaging="linear")
    assert changed.strategy.origin.parameters == {"averaging": "linear", "updates": "simultaneous"}
    assert plain.strategy.origin.parameters == {}
    assert (plain.strategy.probabilities != changed.strategy.probabilities).any()


def test_a_strategy_of_a_part_of_a_game_is_uniform_elsewhere():
    part = solvers.solve(games.leduc(), "outcome", iterations=3, growing=True).strategy
    flat = flatten(games.leduc())
    table = part.table(flat)
    known = set(part.names)
    assert 0 < len(known) < 288
    sets = flat.sets
    for at, name in enumerate(sets.names):
        if name not in known:
            here = sets.by_action[sets.offsets[at] : sets.offsets[at + 1]]
            np.testing.assert_array_equal(table[here], 1 / len(here))


def test_a_target_against_fixed_players_is_what_the_learner_could_still_win():
    uniform = solvers.solve(games.leduc(), iterations=1).strategy
    result = solvers.solve(games.leduc(), "cfr+", target=0.01, fixed={0: uniform})
    found = result.evaluation
    assert found.best_response[1] - found.value[1] <= 0.01
    assert found.exploitability > 0.5  # the frozen player would have much to gain


def test_a_game_without_decisions_is_refused():
    with pytest.raises(ValueError, match="nobody has anything to decide in leduc-nl"):
        solvers.solve(games.leduc_nl(stack=100), iterations=5)
