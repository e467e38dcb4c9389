"""The figures of a match, against ones worked out by hand, and the ranking of tournaments."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ludus import games
from ludus.arena.interval import FEW, NORMAL_95, Interval, caution, interval, running, student_95
from ludus.arena.log import MatchLog, number_text, parse_hands, read_log
from ludus.arena.match import play_match
from ludus.arena.match_table import Times
from ludus.arena.plan import MatchPlan
from ludus.arena.statistics import Statistics, clustered
from ludus.arena.tournament import Tournament, play_tournament
from ludus.parallel import Processes
from paths import TESTS

PAIRS = TESTS / "data" / "tight_loose_deals.csv"
GAME = games.holdem(stack=100, blinds=(5, 10))
LINES = """\
STATE:0:f:AhAd|KsQd:5|-5:a|b
STATE:1:cc/cr30c/cc/cc:AhAd|KsQd/Ac2c3c/4d/9h:30|-30:b|a
STATE:2:r100c///:7h7d|AsKs/Qs2s3s/4d/9h:-100|100:a|b
STATE:3:cr30c/cc/cc/cc:AhAd|AsAc/Ks2c3c/4d/9h:0|0:b|a
"""


def log_of(lines: str, game=GAME, **settings) -> MatchLog:
    plan = MatchPlan(game, ("a", "b"), 4, **settings)
    return MatchLog.of(plan.header(), parse_hands(lines.splitlines(keepends=True)))


def test_figures_worked_out_by_hand():
    found = Statistics((log_of(LINES),))
    a, b = found.figures(0), found.figures(1)
    assert found.won.tolist() == [[5, -30, -100, 0], [-5, 30, 100, 0]]
    assert (a["win_rate"], a["tie_rate"], a["loss_rate"]) == (0.25, 0.25, 0.5)
    assert (a["mean_win"], a["mean_loss"]) == (5, 65)
    assert a["expected_value"] == -31.25
    assert a["standard_deviation"] == pytest.approx(np.std([5, -30, -100, 0], ddof=1))
    assert a["standard_error"] == pytest.approx(a["standard_deviation"] / 2)
    assert a["mbb_per_game"]["mean"] == pytest.approx(-31.25 * 100)
    assert a["mbb_per_game"]["ci95"] == pytest.approx(student(3) * 100 * a["standard_error"], rel=2e-3)
    assert a["mbb_per_game"]["too_few"]
    assert (a["losses_by_fold"], a["mean_loss_by_fold"]) == (0, None)
    assert (a["losses_by_call"], a["mean_loss_by_call"]) == (1, 65)
    assert (b["losses_by_fold"], b["mean_loss_by_fold"]) == (1, 5)
    # Before the flop: a calls (hand 1), calls all-in (2), calls and calls (3); b folds, checks, goes all-in, raises.
    assert (a["vpip"], b["vpip"]) == (0.75, 0.5)
    assert (a["pfr"], b["pfr"]) == (0, 0.5)
    assert a["actions"]["pre-flop"] == {"fold": 0, "check": 0, "call": 1, "raise": 0, "all-in": 0}
    assert b["actions"]["pre-flop"] == {"fold": 0.25, "check": 0.25, "call": 0, "raise": 0.25, "all-in": 0.25}
    assert a["actions"]["flop"]["raise"] == pytest.approx(1 / 2)  # hand 1: bets after a check; hand 3: checks
    assert a["aggression"] == pytest.approx(1 / 4)
    assert a["showdowns"] == 0.75
    assert a["average_stack"] == 100 - 31.25


def test_pairs_are_the_unit_of_a_duplicate_match():
    lines = "".join(
        f"STATE:{n}:cc/cc/cc/cc:AhAd|KsQd/Ac2c3c/4d/9h:{won}|{-won}:{names}\n"
        for n, (won, names) in enumerate([(10, "a|b"), (10, "b|a"), (10, "a|b"), (10, "b|a")])
    )
    found = Statistics((log_of(lines, duplicate=True),))
    assert found.result(0) == Interval(2, 0.0, 0.0)
    assert found.figures(0)["standard_deviation"] > 0
    assert found.figures(0)["units"] == 2


@given(st.lists(st.tuples(st.floats(-100, 100), st.integers(1, 9)), min_size=2, max_size=30))
def test_the_mean_of_units_is_that_of_their_hands(units):
    totals, sizes = np.array([total for total, _ in units]), np.array([size for _, size in units], float)
    found = clustered(totals, sizes)
    assert found.mean == pytest.approx(totals.sum() / sizes.sum())
    if len(set(sizes)) == 1:
        plain = interval(totals / sizes)
        assert found.deviation == pytest.approx(plain.deviation, abs=1e-9)


def test_intervals_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(3)
    inside = [abs(interval(sample).mean) < interval(sample).ci95 for sample in rng.standard_normal((4000, 50))]
    assert 0.93 < np.mean(inside) < 0.96


def student(freedom):
    return float(stats.t.ppf(0.975, freedom))


def test_students_quantile_is_that_of_scipy():
    freedom = [*range(1, 200), 1000, 10**6, 10**12]
    found, exact = np.array([student_95(v) for v in freedom]), np.array([student(v) for v in freedom])
    np.testing.assert_allclose(found, exact, rtol=1.3e-3)
    np.testing.assert_allclose(found[:2], exact[:2], rtol=1e-9)
    np.testing.assert_allclose(found[5:], exact[5:], rtol=5e-5)
    with pytest.raises(ValueError, match="got 0"):
        student_95(0)


def test_results_of_poker_need_a_hundred_units():
    """Coverage of the truth by samples of deals that tight and loose have played: few of them say too few."""
    chips, deals = np.loadtxt(PAIRS, delimiter=",", skiprows=3, dtype=np.int64).T
    truth, rng = np.average(chips, weights=deals), np.random.default_rng(1)
    covered, before = {}, {}
    for units in (3, 10, 30, 100, 300):
        samples = rng.choice(chips, (4000, units), p=deals / deals.sum())
        found = [interval(sample) for sample in samples]
        off = np.abs(samples.mean(axis=1) - truth)
        covered[units] = np.mean(off <= [sample.ci95 for sample in found])
        before[units] = np.mean(off <= [NORMAL_95 * sample.error for sample in found])
        assert all(sample.too_few == (units < FEW) for sample in found)
        assert covered[units] >= before[units]
    assert covered[3] > before[3] + 0.2
    assert covered[10] > before[10] + 0.03
    assert covered[30] < 0.9  # no formula knows of the pots that a sample has not met: they are too few
    assert covered[100] > 0.92
    assert covered[300] > 0.935
    assert caution(99, "deals").startswith("only 99 deals: too few")
    assert caution(FEW) == ""


def test_running_intervals_are_those_of_the_values_so_far():
    values = 1e6 + np.random.default_rng(1).standard_normal(5000)
    for most in (1, 7, 1000, 10**6):
        found = running(values, most)
        assert len(found) == min(most, len(values) - 1)
        for each in found[:: max(1, len(found) // 50)]:
            exact = interval(values[: each.units])
            assert (each.mean, each.deviation) == pytest.approx((exact.mean, exact.deviation), rel=1e-6)
    assert [each.units for each in running(values, 3)] == [2, 2501, 5000]
    assert running([1]) == running([]) == []


def test_an_empty_and_a_single_unit_have_no_interval():
    assert np.isnan(interval([]).mean)
    assert interval([3]).mean == 3
    assert np.isnan(interval([3]).ci95)
    one = Statistics((log_of(LINES.splitlines(keepends=True)[2].replace("STATE:2", "STATE:0")),)).figures(0)
    assert one["mbb_per_game"] == {"mean": -10000.0, "ci95": None, "too_few": True}
    json.dumps(one, allow_nan=False)


def test_a_match_is_not_counted_twice():
    with pytest.raises(ValueError, match="they count once"):
        Statistics((log_of(LINES), log_of(LINES)))
    assert len(Statistics((log_of(LINES), log_of(LINES, seed=1))).hands) == 8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": ["a"]}, "is not one of this match"),
        ({"names": ["a", "a"]}, "does not name its players"),
        ({"names": ["a", "[/red]"]}, "does not name its players"),
        ({"names": ["a", "c"]}, "is not one of this match"),
        ({"freezeout": True}, "has no stacks"),
        ({"max_hands": "x"}, "not the log of a match"),
        ({"game": {"kind": "matrix"}}, "these are not the rules of a matrix game"),
        ({"format": 9}, "has format 9"),
        ({"seed": None}, "not the log of a match"),
    ],
)
def test_headers_that_do_not_fit_are_refused(tmp_path, change, message):
    header = MatchPlan(GAME, ("a", "b"), 4).header() | change
    (tmp_path / "hands.log").write_text(f"#LUDUS:{json.dumps(header)}\n{LINES}")
    with pytest.raises(ValueError, match=message):
        Statistics((read_log(tmp_path),)).figures(0)


def test_damaged_times_are_left_out(tmp_path):
    for text in ("[" * 100_000, '{"seconds": [[1e999]]}', "{", '{"seconds": 5}', f'{{"seconds": [[{"9" * 400}]]}}'):
        (tmp_path / "times.json").write_text(text)
        times = Times(2)
        times.load(tmp_path / "times.json")
        assert times.seconds.sum() == 0


def test_logs_of_other_players_are_not_counted_together():
    other = MatchLog.of(MatchPlan(GAME, ("a", "c"), 4).header(), [])
    with pytest.raises(ValueError, match="their names differ"):
        Statistics((log_of(LINES), other))


@pytest.mark.parametrize(
    "line",
    [
        "STATE:0:c:x:1|2:a", "STATE:0:c:x:nan|2:a|b", "STATE:0:c:x:1e308|2:a|b", "STATE:0", "hello",
        "STATE:x:c:y:1|2:a|b", "#AIVAT:0:z", "#STACKS:1",
    ],
)  # fmt: skip
def test_lines_that_are_none_of_a_log_are_refused(line):
    with pytest.raises(ValueError, match="not a line of a match"):
        list(parse_hands([f"{line}\n"]))


@given(st.floats(-1e9, 1e9, allow_nan=False))
def test_numbers_are_written_with_six_decimals(value):
    text = number_text(value)
    assert float(text) == pytest.approx(value, abs=6e-7)
    assert text == "0" or not text.endswith(".")
    assert text != "-0"


# Tournaments


def test_everybody_meets_everybody_and_the_ranking_is_that_of_the_means():
    plan = MatchPlan(games.leduc_nl(), ("call", "call"), 300, duplicate=True, seed=2)
    result = play_tournament(["always-raise", "call", "tight"], plan)
    assert result.complete
    np.testing.assert_array_equal(result.mean, -result.mean.T)
    again = play_match(MatchPlan(plan.game, ("call", "tight"), 300, duplicate=True, seed=_seed(2, 1, 2)), agents=None)
    assert result.mean[1, 2] == Statistics((again.log,)).result(0).mean
    ranking = result.ranking()
    means = [standing.result.mean for standing in ranking]
    assert means == sorted(means, reverse=True)
    assert sum(standing.first for standing in ranking) == pytest.approx(1)
    for standing in ranking:
        row = np.delete(result.mean[standing.player], standing.player)
        assert standing.result.mean == pytest.approx(row.mean())


def _seed(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1, np.uint64)[0])


def test_sure_results_give_sure_places_and_luck_unsure_ones():
    mean = np.array([[0, 100.0, 100], [-100, 0, 100], [-100, -100, 0]])
    sure = Tournament(("x", "y", "z"), mean, np.full((3, 3), 1.0), 100, 0, True, 100).ranking()
    assert [standing.places for standing in sure] == [(1, 1), (2, 2), (3, 3)]
    assert sure[0].first == 1
    unsure = Tournament(("x", "y", "z"), mean, np.full((3, 3), 1e4), 100, 0, True, 100).ranking()
    assert {standing.places for standing in unsure} == {(1, 3)}
    assert 0.25 < unsure[0].first < 0.45


def test_equal_players_share_the_places():
    equal = Tournament(("x", "y"), np.zeros((2, 2)), np.full((2, 2), np.nan), 100, 0, True, 100).ranking()
    assert {standing.places for standing in equal} == {(1, 2)}
    assert 0.4 < equal[0].first < 0.6


def test_a_tournament_is_the_same_side_by_side_and_goes_on_from_its_logs(tmp_path):
    plan = MatchPlan(games.kuhn(), ("call", "call"), 60, duplicate=True, seed=2)
    players = ["call", "random", "always-raise"]
    one = play_tournament(players, plan, out=tmp_path)
    two = play_tournament(players, plan, Processes(2))
    np.testing.assert_array_equal(one.mean, two.mean)
    logs = {path: path.read_bytes() for path in tmp_path.rglob("*.log")}
    assert len(logs) == 3
    np.testing.assert_array_equal(play_tournament(players, plan, out=tmp_path).mean, one.mean)
    assert all(path.read_bytes() == data for path, data in logs.items())


def test_at_larger_tables_one_sits_against_all_others():
    plan = MatchPlan(games.holdem(players=3), ("call",) * 3, 30, seed=2)
    result = play_tournament(["random", "tight"], plan)
    assert result.mean[0, 1] != -result.mean[1, 0]


def test_a_bad_player_is_refused_before_the_first_hand():
    plan = MatchPlan(games.kuhn(), ("call", "call"), 10)
    with pytest.raises(ValueError, match="there is no player 'nobody'"):
        play_tournament(["call", "nobody"], plan)
    with pytest.raises(ValueError, match="at least two"):
        play_tournament(["call"], plan)
