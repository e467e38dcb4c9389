"""Solutions that end after their first street: the values at their decisions, files, and what they cannot answer."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.files import load_arrays, save_arrays
from ludus.solvers.spot.accuracy import Accuracy
from ludus.solvers.spot.flops import solved_before
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.leaf_solvers import EquityLeaves
from ludus.solvers.spot.reports import Comparison, runout_report, street_views
from ludus.solvers.spot.solution import FORMAT, KIND, Solution
from ludus.solvers.spot.solve import measure, solve_spot
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.spot import Spot

SPOT = Spot.of(  # nobody bets on the river, so equities are what the turn's end is worth
    "Ks Th 6h 4c", 100, 200, "AA, QJs, 76s", "QQ, KJs, AhKh:0.5", {"turn": {"bet": "50%, a", "raise": "100%"}}
)
ACCURACY = Accuracy(1.0, 2.5, 0.5, 1.5)


@pytest.fixture(scope="module")
def pair():
    """A solution of the whole spot and one of its first street, with the same random strategies there."""
    whole = solve_spot(SPOT, iterations=1)
    cut = solve_spot(Layout.of(SPOT.changed(depth=1)), iterations=1, leaf_values=EquityLeaves())
    rng = np.random.default_rng(0)
    for player in (0, 1):
        table = whole.solver.sums[0][player].plain
        table[:] = rng.random(len(table)) ** 2
        cut.solver.sums[0][player].plain[:] = table
    runs = replace(whole, measured=measure(whole.solver)), replace(cut, measured=measure(cut.solver), accuracy=ACCURACY)
    return tuple(map(Solution.of, runs))


def same_views(one: Solution, two: Solution) -> None:
    for mine, theirs in zip(street_views(one), street_views(two), strict=True):
        assert (mine.line, mine.actions, mine.pot) == (theirs.line, theirs.actions, theirs.pot)
        np.testing.assert_array_equal(mine.strategy, theirs.strategy)
        np.testing.assert_allclose(mine.action_ev, theirs.action_ev, atol=0.02)
        for player in (0, 1):
            np.testing.assert_allclose(mine.ev[player], theirs.ev[player], atol=0.02)


def test_every_decision_of_the_first_street_is_worth_the_same(pair):
    assert len(street_views(pair[1])) > 5
    same_views(*pair)
    assert pair[1].measured.ev == pytest.approx(pair[0].measured.ev, abs=1e-3)
    rows = Comparison(*pair).to_dict("X")["trees"]
    assert rows[0]["ev"] == pytest.approx(rows[1]["ev"], abs=0.01)
    assert [row["exploitability_percent"] for row in rows] == [pair[0].measured.percent, None]


def test_a_file_keeps_that_it_is_an_estimate_and_how_accurate(pair, tmp_path):
    path = tmp_path / "cut"
    pair[1].save(path)
    known = Solution.load(path)
    assert (known.accuracy, known.spot, known.layout.spot.subgame.depth) == (ACCURACY, SPOT, 1)
    same_views(pair[0], known)
    assert solved_before(path, SPOT, 100.0, 1, 0.0) is None  # for many flops it is no solution
    header, arrays = load_arrays(path, KIND, FORMAT)
    for damage in ({"value_mean": -1.0}, {"value_mean": "1"}, {"measured": 1}, {"more": 1}):
        save_arrays(path, {**header, "accuracy": {**header["accuracy"], **damage}}, arrays)
        with pytest.raises(ValueError, match="damaged"):
            Solution.load(path)


def test_what_lies_behind_its_end_is_said_to_be_missing(pair):
    cut = pair[1]
    with pytest.raises(ValueError, match="this solution ends after X-X, with its first street"):
        cut.at("X-X")
    with pytest.raises(ValueError, match="this solution ends there"):
        cut.at("X-X-2c")
    with pytest.raises(ValueError, match="ends with its first street: solve the spot exactly"):
        runout_report(cut, "X-X")


def test_the_accuracy_in_words():
    assert "off by 1.0 % of the pot on average, in 19 of 20 cases by less than 2.5 %" in str(ACCURACY)
    assert "nearest" in str(replace(ACCURACY, measured=False))
    with pytest.raises(ValueError, match="0 or more"):
        Accuracy(-1, 0, 0, 0)
    with pytest.raises(ValueError, match="table of figures"):
        Accuracy.of(None)


@pytest.mark.parametrize("player", [0, 1])
def test_a_locked_first_street_is_played_as_it_is_and_can_only_lose(player):
    spot = Spot.of("Ks Th 6h 4c", 100, 200, "AA, QJs, 76s", "QQ, KJs", {"turn": {"bet": "a"}, "river": {"bet": "a"}})
    best, locked = SpotSolver(Layout.of(spot)), SpotSolver(Layout.of(spot))
    strategy = np.random.default_rng(0).random(len(locked.sums[0][player].plain)).astype(np.float32)
    locked.lock_first_street(player, strategy)
    for solver in (best, locked):
        solver.run(300)
    np.testing.assert_array_equal(locked.average()[0][player], strategy)
    assert measure(locked).percent < 0.5
    assert measure(locked).value[player] < measure(best).value[player] - 1
