"""Solved spots: known values, what must hold at every decision, symmetric boards, files and what damages them."""

import csv
import io
import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ludus.cards.card import CARDS, format_cards, parse_card, parse_cards
from ludus.cards.equity import equity
from ludus.cards.isomorphism import canonical_board
from ludus.cards.ranges import CLASSES, class_index, class_of_combo, combo_index, combo_name, parse_range
from ludus.cards.runouts import ALL_SYMMETRIES
from ludus.files import open_arrays
from ludus.solvers.spot.boards import deal_boards
from ludus.solvers.spot.fit import available_memory, check_fits, needed_memory
from ludus.solvers.spot.flops import FlopReport, FlopRow, check_suits_alike, flop_subset, on_flop, solved_before
from ludus.solvers.spot.kernels.compact import WHOLE, fill_shares, from_shares
from ludus.solvers.spot.kernels.matchups import river_values
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.line import follow_line, start_of
from ludus.solvers.spot.reports import Comparison, runout_report, street_views, summarise
from ludus.solvers.spot.solution import KIND, Solution
from ludus.solvers.spot.solve import measure, solve_spot
from ludus.trees.betting import CHANCE, IP
from ludus.trees.spot import Spot
from paths import TESTS

REFUSED = (ValueError, OSError)
RIVER = Spot.of(
    "Ks Th 6h 4c 2s",
    100,
    250,
    "KK, TT:0.5, QJs, AhQh",
    "AA, KQs, 98s, ThTd",
    {"river": {"bet": "50%, a", "raise": "a"}},
)
TURN = Spot.of(
    "Ks Th 6h 4c", 100, 200, "AA, QJs, 76s", "QQ, KJs, AhKh:0.5",
    {"turn": {"bet": "50%, a", "raise": "100%"}, "river": {"bet": "75%"}},
)  # fmt: skip
FLOP = Spot.of(  # no suit is like another on these boards, so that a strategy may be anything
    "Ks Th 6d", 60, 90, "AA, QJs", "QQ, JTs", {"flop": {"bet": "50%"}, "turn": {"bet": "a"}, "river": {"bet": "a"}}
)
SPOTS = {"river": RIVER, "turn": TURN, "flop": FLOP}


def random_run(spot, seed=0):
    """A run whose average strategies are random, so that every hand comes everywhere: what must hold holds for any."""
    run = solve_spot(spot, iterations=1)
    rng = np.random.default_rng(seed)
    for street in run.solver.average():
        for table in street:
            table[:] = rng.random(len(table)) ** 2
    return replace(run, measured=measure(run.solver))


@pytest.fixture(scope="module", params=SPOTS)
def run(request):
    return random_run(SPOTS[request.param])


@pytest.fixture(scope="module")
def solution(run):
    return Solution.of(run)


@pytest.fixture(scope="module")
def flop():
    return Solution.of(random_run(FLOP))


def all_lines(solution, cards=("2d", "9h", "Qs"), rivers=True):
    """The lines to all decisions, with these cards where any can come."""
    tree = solution.layout.tree

    def below(node, words):
        if tree.kind[node] <= IP:
            yield "-".join(words)
        for child in tree.children(node):
            if tree.kind[node] != CHANCE:
                yield from below(child, [*words, tree.word(child)])
                continue
            for card in cards:
                if card not in words and (rivers or tree.street[child] < 5):
                    yield from below(child, [*words, card])

    return list(below(0, []))


def words(view):
    """The actions of a view, as in lines."""
    return tuple(map(str, view.actions))


def same_views(one, two, exactly=True):
    """Whether two views say the same of every hand."""
    equal = np.testing.assert_array_equal if exactly else lambda a, b: np.testing.assert_allclose(a, b, atol=2e-2)
    assert (one.line, one.actions, one.pot, one.player) == (two.line, two.actions, two.pot, two.player)
    for player in (0, 1):
        np.testing.assert_array_equal(one.combos[player], two.combos[player])
        equal(one.reach[player], two.reach[player])
        equal(one.ev[player], two.ev[player])
    equal(one.strategy, two.strategy)
    equal(one.action_ev, two.action_ev)


# Known values


def test_a_polarised_range_against_bluff_catchers():
    # Sets and air in equal numbers bet the pot: air bluffs half as often as there is value, so in half the cases; the
    # pair of aces calls half of the time. A set wins 100 or 200, so 150; air wins 100 or loses 100, so nothing.
    spot = Spot.of("Ks Th 6h 4c 2s", 100, 100, "KK, QdJd, QcJc, 9c8c", "AA", {"river": {"oop": {"bet": "a"}}})
    run = solve_spot(spot, iterations=3000)
    found = Solution.of(run)
    start, called = found.at(), found.at("B100")
    assert (words(start), start.names, called.names) == (("X", "B100"), ("check", "all-in 100"), ("fold", "call 100"))
    assert start.frequencies == pytest.approx([0.25, 0.75], abs=0.01)
    assert called.frequencies == pytest.approx([0.5, 0.5], abs=0.02)
    assert start.mean_ev == pytest.approx((75, 25), abs=0.1)
    assert start.mean_equity == (0.5, 0.5)
    by_class = start.by_class(0)
    assert by_class.ev[class_index("KK")] == pytest.approx(150, abs=2)
    assert by_class.ev[class_index("QJs")] == pytest.approx(0, abs=2)
    assert by_class.combos[class_index("KK")] == 3
    assert by_class.reach[class_index("QJs")] == 0.5  # two of the four
    assert np.isnan(by_class.ev[class_index("AA")])
    assert (called.pot, called.to_call, called.stack) == (200, 100, 100)
    assert called.action_ev[0] == pytest.approx(0)
    assert found.at("X").mean_equity[0] == pytest.approx(0, abs=0.02)  # only air checks
    summary = summarise(run)
    assert summary.ev == pytest.approx((75, 25), abs=0.1)
    assert summary.frequencies == pytest.approx([0.25, 0.75], abs=0.01)
    assert summary.hand_ev[0]["KdKc"] == pytest.approx(150, abs=2)
    assert summary.equity == (0.5, 0.5)


def test_without_bets_everybody_gets_his_equity():
    spot = Spot.of("Ks Th 6h", 100, 500, "AA, QJs, 98s", "KQs, 77, AhJh")
    found = Solution.of(solve_spot(spot, iterations=1))
    view = found.at()
    share = equity([spot.weights[0], spot.weights[1]], spot.board, exact=True).equity
    assert view.mean_equity == pytest.approx(share)
    assert view.mean_ev == pytest.approx([100 * each for each in share], abs=1e-3)
    for player in (0, 1):
        np.testing.assert_allclose(view.ev[player], 100 * view.equity[player], atol=1e-3)
        np.testing.assert_allclose(found.at("X-X-2c-X-X-3d").ev[player], 100 * found.at("X-X-2c-X-X-3d").equity[player])


def test_a_rake_is_taken_from_the_pot():
    spot = Spot.of("Ks Th 6h 4c 2s", 100, 100, "KK, QJs", "AA, QdJh", {"river": {"bet": "a"}}, rake="5% cap 4")
    found = Solution.of(solve_spot(spot, iterations=200))
    assert sum(found.at().mean_ev) == pytest.approx(96, abs=1e-3)
    assert sum(found.at("B100").mean_ev) == pytest.approx(196, abs=1e-3)
    checked = spot.changed(menu=replace(spot.menu, streets=spot.menu.streets[1:2]))
    assert sum(Solution.of(solve_spot(checked, iterations=1)).at().mean_ev) == pytest.approx(96)


# What holds at every decision


def test_the_start_is_worth_what_the_solver_measured(run, solution):
    view, summary = solution.at(), summarise(run)
    assert view.mean_ev == pytest.approx(run.measured.ev, abs=2e-3)
    assert summary.ev == run.measured.ev
    assert summary.exploitability_percent == run.measured.percent == solution.measured.percent
    assert summary.frequencies == pytest.approx(view.frequencies, abs=1e-4)
    assert summary.equity == pytest.approx(view.mean_equity)
    for player in (0, 1):
        assert list(summary.hand_ev[player]) == [combo_name(combo) for combo in view.combos[player]]
        assert list(summary.hand_ev[player].values()) == pytest.approx(view.ev[player].tolist(), abs=2e-2)


def test_evs_and_reach_add_up_at_every_decision(solution):
    lines = all_lines(solution)
    assert len(lines) >= 8
    for line in lines:
        view = solution.at(line)
        player, weights = view.player, view.weights
        assert view.line == line
        np.testing.assert_allclose(view.strategy.sum(axis=0), 1)
        mixed = (view.strategy * view.action_ev).sum(axis=0)
        np.testing.assert_allclose(mixed, view.ev[player], atol=0.02)
        assert view.frequencies.sum() == pytest.approx(1)
        assert sum(view.mean_ev) == pytest.approx(view.pot, abs=0.01)
        assert sum(view.mean_equity) == pytest.approx(1)
        assert weights[0].sum() == pytest.approx(weights[1].sum())  # pairs of hands, counted from either side
        if words(view)[0] == "F":
            np.testing.assert_allclose(view.action_ev[0], np.where(view.met[player] > 0, 0, np.nan), atol=1e-9)
        after = [follow_line(solution.layout, f"{line}-{a}" if line else a, solution.played) for a in words(view)]
        order = np.argsort(after[0].combos[player])
        np.testing.assert_allclose(sum(each.reach[player] for each in after)[order], view.reach[player], atol=1e-12)
        np.testing.assert_array_equal(
            after[0].reach[1 - player][np.argsort(after[0].combos[1 - player])], view.reach[1 - player]
        )


def test_the_other_player_is_worth_the_mean_of_what_follows(solution):
    for line in all_lines(solution):
        view = solution.at(line)
        following = [f"{line}-{action}" if line else action for action in words(view)]
        decisions = [at for at, each in enumerate(following) if each in all_lines(solution)]
        for at in decisions:
            after, taken = solution.at(following[at]), view.weights[view.player] * view.strategy[at]
            assert after.weights[0].sum() == pytest.approx(taken.sum())
            if taken.sum() > 1e-6 * view.weights[0].sum():  # what has been put in since counts as his own money
                put_in = after.pot - view.pot
                assert after.mean_ev[view.player] - put_in == pytest.approx(view.mean_action_ev[at], abs=0.05)


def test_classes_are_means_of_hands(solution):
    for line in all_lines(solution)[:12]:
        view = solution.at(line)
        for player in (0, 1):
            table = view.by_class(player)
            classes = class_of_combo[view.combos[player]]
            held = np.bincount(classes, view.reach[player], 169)
            np.testing.assert_allclose(table.reach * table.combos, held)
            weights = np.bincount(classes, view.weights[player], 169)
            for values, mean in ((table.ev, view.mean_ev[player]), (table.equity, view.mean_equity[player])):
                assert np.nansum(values * weights) / weights.sum() == pytest.approx(mean)
            if player == view.player:
                here = weights > 0
                np.testing.assert_allclose(table.strategy[:, here].sum(axis=0), 1)
                np.testing.assert_allclose(table.strategy[:, here] @ weights[here] / weights.sum(), view.frequencies)
            else:
                assert table.strategy.shape == (0, 169)


def test_values_of_the_river_are_those_of_the_solver():
    run = random_run(RIVER)
    found = Solution.of(run)
    place = start_of(found.layout)
    values = river_values(place, found.played)
    tables = [[shares.astype(np.float32) for shares in street] for street in found.strategies]
    for player in (0, 1):
        nodes, wanted = run.solver.node_values(player, tables, 0, 0)
        assert len(nodes) == found.layout.tree.decisions
        for node, row in zip(nodes.tolist(), wanted, strict=True):
            np.testing.assert_allclose(values[node][player], row, atol=1e-2, rtol=1e-4)


def test_later_streets_are_those_of_the_solver(solution):
    """The values of rivers, worked out pair by pair, agree with what was kept of the solver's passes before them."""
    tree = solution.layout.tree
    for node in np.flatnonzero((tree.kind == CHANCE) & (tree.street == 4)).tolist()[:3]:
        line = tree.line(node).replace("-D-", "-9c-")
        report, parent = runout_report(solution, line), solution.at(line.rpartition("-")[0])
        action = words(parent).index(tree.word(node))
        called = parent.to_call if tree.word(node) == "C" else 0
        found = report.mean().ev[parent.player] - called
        assert found == pytest.approx(parent.mean_action_ev[action], abs=0.02)


# Ranges that are no text


def weighted(seed=0):
    """A river with any weights, as beliefs are."""
    ranges = np.random.default_rng(seed).random((2, 1326)) * (RIVER.ranges > 0)
    return replace(RIVER, ranges=ranges)


def test_a_solution_keeps_the_very_ranges_that_it_was_solved_with(tmp_path):
    spot, path = weighted(), tmp_path / "solution"
    solution = Solution.of(solve_spot(spot, iterations=30))
    solution.save(path)
    loaded = Solution.load(path)
    np.testing.assert_array_equal(loaded.spot.ranges, spot.ranges)
    assert loaded.spot == spot != RIVER
    same_views(loaded.at("X"), solution.at("X"))


def test_a_run_goes_on_with_the_very_ranges_that_it_began_with(tmp_path):
    path = tmp_path / "run"
    solve_spot(weighted(), iterations=10, checkpoint=path)
    on = solve_spot(weighted(), iterations=20, checkpoint=path)
    straight = solve_spot(weighted(), iterations=20)
    assert (on.resumed_from, on.measured) == (10, straight.measured)
    with pytest.raises(ValueError, match="oop is"):
        solve_spot(weighted(1), iterations=30, checkpoint=path)


def test_a_solution_of_the_version_before_is_read():
    old = Solution.load(TESTS / "data" / "solution-river-1.safetensors")
    assert (old.spot.oop, old.spot.ip) == ("KK, A5s, QJs:0.5", "AA, KQs, 99:0.333")
    view = old.at("X")
    assert view.names == ("check", "bet 40")
    assert view.frequencies == pytest.approx([0.7093651113007886, 0.2906348886992113])
    assert view.mean_ev == pytest.approx((0.001441496270469788, 96.99855850372956))
    again = solve_spot(old.spot, iterations=60)
    assert again.measured.value == pytest.approx(old.measured.value, abs=1e-4)


# Shares


def reference_shares(sums):
    """Rounded shares of one hand; the largest takes what is left."""
    kept = np.maximum(sums, 0).astype(np.float64)
    exact = kept / kept.sum() if kept.sum() else np.full(len(kept), 1 / len(kept))
    shares = np.floor(exact * WHOLE + 0.5).astype(np.int64)
    shares[shares.argmax()] += WHOLE - shares.sum()
    return shares


@given(arrays(np.float32, (5, 7), elements=st.floats(-1, 1e6, width=32)))
def test_shares_match_the_reference(sums):
    shares = np.zeros(35, np.uint16)
    fill_shares(sums.ravel(), np.array([0, 2, 5]), np.array([0, 7]), shares)
    shares = shares.reshape(5, 7)
    for first, last in ((0, 2), (2, 5)):
        for hand in range(7):
            wanted = reference_shares(sums[first:last, hand])
            assert np.abs(shares[first:last, hand] - wanted).max() <= 1  # a half may be rounded either way
        assert from_shares(shares[first:last], "it").sum(axis=0) == pytest.approx(1)
    shares[0, 0] ^= 1
    with pytest.raises(ValueError, match="it is damaged"):
        from_shares(shares[:2], "it")


# Symmetric boards


def without_symmetry(spot):
    """The layout of a spot in which no board stands for another."""
    layout = Layout.of(spot)
    boards = deal_boards(spot.board, layout.ranges, ALL_SYMMETRIES[:1])
    return replace(layout, boards=tuple(boards))


@pytest.mark.parametrize(
    ("spot", "lines"),
    [
        (
            Spot.of("Kh Th 6h 4h", 100, 100, "AA, QJs", "QQ, 98s", {"turn": {"bet": "a"}, "river": {"bet": "a"}}),
            ["", "X", "X-B100", *(f"X-X-{card}" for card in ("2c", "2d", "2s", "Qs", "9h", "Ad")), "X-X-9s-X-B100"],
        ),
        (
            Spot.of("Kh Th 6d", 60, 60, "AA, QJs", "QQ, 98s", {"turn": {"bet": "a"}}),
            ["", *(f"X-X-{card}" for card in ("2c", "2s", "Qs", "9h")), "X-X-2s-X-X-9c", "X-X-2c-X-X-9s", "X-X-9s-X"],
        ),
    ],
    ids=["turn", "flop"],
)
@pytest.mark.slow
def test_boards_that_stand_for_others_say_the_same_as_those(spot, lines):
    whole = without_symmetry(spot)
    short, full = (Solution.of(solve_spot(layout, iterations=30)) for layout in (Layout.of(spot), whole))
    assert len(short.layout.boards[-1].cards) < len(whole.boards[-1].cards)
    for line in lines:
        one, two = short.at(line), full.at(line)
        assert one.board == two.board
        for player in (0, 1):
            np.testing.assert_array_equal(one.combos[player], two.combos[player])
            np.testing.assert_allclose(one.reach[player], two.reach[player], atol=1e-3)
            np.testing.assert_allclose(one.ev[player], two.ev[player], atol=0.1)
            np.testing.assert_allclose(one.equity[player], two.equity[player], atol=1e-3)
        np.testing.assert_allclose(one.strategy, two.strategy, atol=2e-3)
    one, two = runout_report(short, "X-X"), runout_report(full, "X-X")
    assert [row.card for row in one.rows] == [row.card for row in two.rows]
    for mine, his in zip(one.rows, two.rows, strict=True):
        assert (mine.share, *mine.ev, *mine.frequencies) == pytest.approx(
            (his.share, *his.ev, *his.frequencies), abs=0.05
        )


# Lines


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Q", "'Q' is not possible at the start: write one of X, B30"),
        ("X-B31", "'B31' is not possible after X"),
        ("X-X", "a card comes after X-X: name it, as in 'X-X-2c'"),
        ("X-X-D", "write one instead of D, as in 'X-X-2c'"),
        ("X-X-zz", "a card comes next"),
        ("X-X-Ks", "Ks is on the board already"),
        ("X-X-2c-X-X-2c", "2c is on the board already"),
        ("X-X-2c-B90-C", "both players are all-in after X-X-2c-B90-C"),
        ("X-B30-F", "the hand is over after X-B30-F"),
        ("X-B30-F-X", "the hand is over there"),
        ("X--X", "not possible"),
        ("x" * 200_000, "at most"),
    ],
)
def test_wrong_lines_are_explained(flop, line, message):
    with pytest.raises(ValueError, match=message):
        flop.at(line)


def test_lines_may_be_written_in_several_ways(flop):
    same_views(flop.at("X-B30-C-2c-X"), replace(flop.at(" x/r30/c/2C/x "), line="X-B30-C-2c-X"))
    assert flop.at("X-X-10c").board[-1] == parse_card("Tc")


def test_nobody_decides_without_chips():
    found = Solution.of(solve_spot(Spot.of("Ks Th 6h 4c", 100, 0, "AA", "QJs"), iterations=1))
    with pytest.raises(ValueError, match="both players are all-in at the start"):
        found.at()
    report = runout_report(found, "")
    assert (report.player, report.actions) == ("", ())
    share = equity([found.spot.weights[0], found.spot.weights[1]], found.spot.board, exact=True).equity
    assert report.mean().ev == pytest.approx([100 * each for each in share])
    assert summarise(solve_spot(found.spot, iterations=1)).actions == ()


def test_cards_that_leave_a_player_nothing():
    spot = Spot.of("Ks Th 6h 4c", 100, 100, "AhAd", "QQ, AsAc", {"turn": {"bet": "a"}, "river": {"bet": "a"}})
    found = Solution.of(solve_spot(spot, iterations=5))
    view = found.at("X-X-Ah")
    assert [len(combos) for combos in view.combos] == [0, 7]
    assert np.isnan(view.ev[1]).all()
    assert np.isnan(view.mean_ev).all()
    assert np.isnan(view.frequencies).all()
    report = runout_report(found, "X-X")
    rows = {CARDS[row.card]: row for row in report.rows}
    assert rows["Ah"].share == 0
    assert np.isnan(rows["Ah"].ev).all()
    assert report.mean().share == pytest.approx(1)
    assert sum(report.mean().ev) == pytest.approx(100, abs=1e-3)
    json.dumps(report.to_dict(), allow_nan=False)
    json.dumps(view.to_dict(hands=True), allow_nan=False)


# Reports


@pytest.mark.parametrize("line", ["X-X", "B30-C", "X-X-9c-X-X", "X-X-9c-B90-C", "B30-C-9c-X-B60-C"])
def test_the_mean_over_all_cards_is_the_value_before_them(flop, line):
    report, before = runout_report(flop, line), flop.at(line.rpartition("-")[0])
    action = words(before).index(line.rpartition("-")[2])
    dealt = 3 + line.count("9c")
    assert len(report.rows) == 52 - dealt
    mean, player = report.mean(), before.player
    assert mean.share == pytest.approx(1)
    assert mean.ev[player] - before.to_call == pytest.approx(before.mean_action_ev[action], abs=0.02)
    assert sum(mean.ev) == pytest.approx(report.pot, abs=0.01)
    assert sum(mean.equity) == pytest.approx(1)
    for row in report.rows:
        assert sum(row.ev) == pytest.approx(report.pot, abs=0.05)
        assert bool(row.frequencies) == bool(report.player)
        assert not report.player or sum(row.frequencies) == pytest.approx(1)
    if not report.player:
        assert mean.ev == pytest.approx([report.pot * share for share in mean.equity])


def test_a_report_says_what_a_view_says(flop):
    report = runout_report(flop, "B30-C")
    for row in report.rows[::7]:
        view = flop.at(f"B30-C-{CARDS[row.card]}")
        assert row.ev == pytest.approx(view.mean_ev)
        assert row.equity == pytest.approx(view.mean_equity)
        assert row.frequencies == pytest.approx(view.frequencies)
        assert (report.actions, report.player) == (view.actions, "oop")
    header, rows = report.table()
    assert [len(row) for row in rows] == [len(header)] * 49
    assert header[-2:] == ["X", "B60"]
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))["cards"][0]["card"] == "2c"


@pytest.mark.parametrize(
    ("line", "message"),
    [("", "one is 'X-X'"), ("X-X-9c-X", "one is 'X-X-9c-X-X'"), ("B30-F", "no card comes any more")],
)
def test_a_report_is_for_a_line_before_a_card(flop, line, message):
    with pytest.raises(ValueError, match=message):
        runout_report(flop, line)


def test_all_decisions_of_a_street(solution):
    views = street_views(solution)
    first = len(solution.spot.board)
    tree = solution.layout.tree
    wanted = [tree.line(node) for node in np.flatnonzero((tree.kind <= IP) & (tree.street == first)).tolist()]
    assert [view.line for view in views] == wanted
    assert [view.line for view in street_views(solution, "X")] == [line for line in wanted if line.startswith("X")]


def test_tables_and_json_hold_every_hand(solution):
    view = solution.at("X")
    header, rows = view.table()
    assert header == ["hand", "class", "reach", *words(view), *(f"ev {a}" for a in view.actions), "ev", "equity"]
    content = json.loads(json.dumps(view.to_dict(hands=True), allow_nan=False))
    assert [row[0] for row in rows] == list(content["hands"]["ip"])
    for at, row in enumerate(rows):
        assert row[1] == CLASSES[class_of_combo[combo_index(*parse_cards(row[0]))]]
        assert content["hands"]["ip"][row[0]]["ev"] == pytest.approx(view.ev[1][at])
        assert content["hands"]["ip"][row[0]]["strategy"] == view.strategy[:, at].tolist()
    assert "strategy" not in next(iter(content["hands"]["oop"].values()))
    assert content["ev"]["oop"] == pytest.approx(view.mean_ev[0])
    assert len(view.table(0)[0]) == 5


def test_two_trees_side_by_side(solution):
    spot = solution.spot
    fewer = spot.changed(menu=replace(spot.menu, streets=((spot.menu.of(1, 1),) * 2,)))
    other = Solution.of(solve_spot(fewer, iterations=8))
    compared = Comparison(solution, other)
    content = json.loads(json.dumps(compared.to_dict(), allow_nan=False))
    one, two = solution.at().mean_ev, other.at().mean_ev
    assert content["ev_difference"]["oop"] == pytest.approx(two[0] - one[0])
    gains = list(content["class_gains"]["ip"].values())
    assert gains == sorted(gains, reverse=True)
    same = Comparison(solution, solution).to_dict()
    assert same["ev_difference"] == {"oop": 0, "ip": 0}
    with pytest.raises(ValueError, match="but pot is 61 in one and"):
        Comparison(Solution.of(solve_spot(spot.changed(pot=61), iterations=1)), solution)


# Files


def test_what_is_read_is_what_was_written(solution, tmp_path):
    path = tmp_path / "new" / "file"
    solution.save(path)
    again = Solution.load(path)
    assert again.spot == solution.spot
    assert again.measured == solution.measured
    for name in ("algorithm", "iterations", "seconds", "rivers"):
        assert getattr(again, name) == getattr(solution, name)
    for line in all_lines(solution, ("2d", "9h")):
        same_views(solution.at(line), again.at(line))
    data = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == data
    assert not any(table.flags.writeable for street in again.strategies for table in street)
    _, arrays = open_arrays(path, KIND, 1)
    assert all(isinstance(array.base, np.ndarray) or array.size == 0 for array in arrays.values())  # nothing is copied


def test_rivers_may_be_left_out(flop, tmp_path):
    flop.save(tmp_path / "whole")
    flop.save(tmp_path / "small", rivers=False)
    small = Solution.load(tmp_path / "small")
    assert (flop.rivers, small.rivers) == (True, False)
    assert (tmp_path / "small").stat().st_size < (tmp_path / "whole").stat().st_size / 5
    for line in all_lines(flop, rivers=False):
        same_views(flop.at(line), small.at(line))
    assert runout_report(small, "X-X").mean() == runout_report(flop, "X-X").mean()
    for look in (lambda: small.at("X-X-2d-X-X-9h"), lambda: runout_report(small, "X-X-2d-X-X")):
        with pytest.raises(ValueError, match="saved without its rivers"):
            look()
    assert runout_report(small, "X-X-9c-B90-C").mean() == runout_report(flop, "X-X-9c-B90-C").mean()  # all-in: no play
    small.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "small").read_bytes()
    Solution.of(random_run(FLOP), rivers=False).save(tmp_path / "at once")
    kept = [Solution.load(tmp_path / name).at("X-X-2d") for name in ("at once", "small")]
    same_views(*kept)
    river = Solution.of(solve_spot(RIVER, iterations=1))
    with pytest.raises(ValueError, match="no other street"):
        river.save(tmp_path / "river", rivers=False)


# Damage


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """The bytes of a sound file, and where to put damaged ones."""
    path = tmp_path_factory.mktemp("damage") / "file"
    spot = Spot.of("Ks Th 6h 4c", 100, 100, "AA", "QQ, KhQh", {"turn": {"bet": "a"}, "river": {"bet": "a"}})
    Solution.of(solve_spot(spot, iterations=5)).save(path)
    return path.read_bytes(), path


def refused_or_sound(path, data):
    """Load damaged bytes: what is not refused must be a solution in every respect."""
    path.write_bytes(data)
    try:
        found = Solution.load(path)
        for line in ("", "B100", "X-X-2d-X"):
            json.dumps(found.at(line).to_dict(hands=True), allow_nan=False)
    except REFUSED:
        return None
    return found


@settings(max_examples=150)
@given(
    changes=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=4),
    end=st.integers(0, 10**6),
    more=st.binary(max_size=9),
)
@example(changes=[], end=0, more=b"")
@example(changes=[(7, 255)], end=10**6, more=b"")
def test_flipped_and_missing_bytes_never_crash(valid, changes, end, more):
    data = bytearray(valid[0])
    for at, byte in changes:
        data[at % len(data)] = byte
    cut = len(data) if end % 2 else end % len(data)
    refused_or_sound(valid[1], bytes(data[:cut]) + more)


@settings(max_examples=100)
@given(at=st.integers(0, 1500), byte=st.integers(32, 126))
def test_a_changed_header_never_crashes(valid, at, byte):
    data = bytearray(valid[0])
    data[8 + at] = byte
    refused_or_sound(valid[1], bytes(data))


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(valid, data):
    valid[1].write_bytes(data)
    with pytest.raises(ValueError, match="not a file of Ludus"):
        Solution.load(valid[1])


def unpacked(data):
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    return header, json.loads(header["__metadata__"]["ludus"]), data[8 + length :]


def packed(header, facts, body):
    head = json.dumps({**header, "__metadata__": {"ludus": json.dumps(facts)}}).encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + body


JUNK = [None, 1, -1, 1.5, 10**30, float("nan"), float("inf"), "x", [], {}, [1], [1, 2, 3], [[1, 2]], {"a": 1}, True]


def test_every_field_of_the_header_may_be_junk(valid):
    header, facts, body = unpacked(valid[0])
    assert refused_or_sound(valid[1], packed(header, facts, body)) is not None
    for name in facts:
        for junk in JUNK:
            refused_or_sound(valid[1], packed(header, {**facts, name: junk}, body))
    for name in facts["spot"]:
        for junk in JUNK:
            refused_or_sound(valid[1], packed(header, {**facts, "spot": {**facts["spot"], name: junk}}, body))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "strategy"}, "holds strategy, not spot solution"),
        ({"format": 99}, "has format 99, this version of Ludus reads 1"),
        ({"iterations": -1}, "damaged solution"),
        ({"rivers": 1}, "damaged solution"),
        ({"rivers": False}, "damaged solution"),
        ({"value": [1]}, "two numbers each"),
        ({"best_response": [1, float("inf")]}, "two numbers each"),
        ({"spot": {}}, "needs board"),
    ],
)
def test_a_wrong_header_is_named(valid, change, message):
    header, facts, body = unpacked(valid[0])
    valid[1].write_bytes(packed(header, {**facts, **change}, body))
    with pytest.raises(ValueError, match=message):
        Solution.load(valid[1])


@pytest.mark.parametrize("kind", ["F64", "F32", "BF16", "I64", "I8", "U8", "U16", "BOOL", "C64"])
def test_arrays_of_another_kind_or_size_are_refused(valid, kind):
    header, facts, body = unpacked(valid[0])
    width = {"F32": 4, "BF16": 2, "U16": 2, "F64": 8, "I64": 8, "C64": 8}.get(kind, 1)
    for name in header.keys() - {"__metadata__"}:
        first, last = header[name]["data_offsets"]
        count = (last - first) // width
        for shape in ([count], [1, count], [10**15], []):
            changed = {**header[name], "dtype": kind, "shape": shape}
            if changed != header[name]:
                valid[1].write_bytes(packed({**header, name: changed}, facts, body))
                with pytest.raises(ValueError, match=r"damaged solution|not a file of Ludus"):
                    Solution.load(valid[1])


def test_numbers_that_make_no_sense_are_refused_where_they_are_looked_at(valid):
    header, facts, body = unpacked(valid[0])
    for name, junk, line in (
        ("value.turn.oop", b"\xff" * 4, ""),
        ("strategy.turn.oop", b"\x01\x00", ""),
        ("strategy.river.ip", b"\x01\x00", None),
    ):
        first, last = header[name]["data_offsets"]
        changed = body[:first] + junk * ((last - first) // len(junk)) + body[last:]
        valid[1].write_bytes(packed(header, facts, changed))
        found = Solution.load(valid[1])
        with pytest.raises(ValueError, match="the solution is damaged"):
            found.at("X-X-2d-X" if line is None else line)


def test_what_is_not_there_or_not_a_file(tmp_path):
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(FileNotFoundError, match="there is no file"):
            Solution.load(path)


# Memory


def test_a_spot_that_does_not_fit_is_told_what_would():
    sizes = {street: {"bet": "33%, 75%, a", "raise": "60%, a"} for street in ("flop", "turn", "river")}
    layout = Layout.of(Spot.of("Ks Th 6h", 100, 900, "22+, A2s+", "22+, KTs+", sizes))
    needed = needed_memory(layout)
    assert needed > layout.memory
    check_fits(layout, needed)
    with pytest.raises(ValueError, match="this spot takes") as refused:
        check_fits(layout, needed / 4)
    text = str(refused.value)
    for way in (
        "it fits with one bet and one raise size each (",
        "or starting on the turn (",
        "with 25 % of the hands",
    ):
        assert way in text
    with pytest.raises(ValueError, match="this spot takes"):
        check_fits(layout, needed, saving=True)
    small = Layout.of(RIVER)
    with pytest.raises(ValueError, match="0 MB are there") as refused:
        check_fits(small, 0)
    assert "starting on" not in str(refused.value)
    assert available_memory() > 10**6


# Many flops


@pytest.mark.parametrize("count", [1, 7, 100, 1000, 1754, 1755])
def test_a_subset_of_flops_stands_for_all(count):
    subset = flop_subset(count)
    assert sum(subset.values()) == pytest.approx(22100)
    assert len(subset) <= count
    assert count > 900 or len(subset) == count
    assert all(canonical_board(flop) == flop for flop in subset)


def test_a_subset_of_flops_has_the_textures_of_all():
    subset = flop_subset(200)
    suits = {flop: len({card & 3 for card in flop}) for flop in subset}
    shares = [sum(weight for flop, weight in subset.items() if suits[flop] == n) / 22100 for n in (1, 2, 3)]
    assert shares == pytest.approx([1144 / 22100, 12168 / 22100, 8788 / 22100], abs=0.01)  # 5.2, 55.1 and 39.8 %
    paired = sum(weight for flop, weight in subset.items() if len({card >> 2 for card in flop}) == 2) / 22100
    assert paired == pytest.approx(3744 / 22100, abs=0.02)
    with pytest.raises(ValueError, match="1 to 1755"):
        flop_subset(0)


def test_many_flops_are_averaged_by_what_they_stand_for(tmp_path):
    spot = Spot.of("Ks Th 6h", 60, 60, "AA, QJs", "QQ, 98s", {"flop": {"bet": "a"}})
    check_suits_alike(spot)
    with pytest.raises(ValueError, match="treat suits differently"):
        check_suits_alike(replace(spot, ranges=np.stack([parse_range("AhAd"), spot.ranges[1]])))
    rows = []
    for flop, times in ((parse_cards("Ah7c2d"), 1.0), (parse_cards("QcQd2d"), 3.0)):
        solved = Solution.of(solve_spot(on_flop(spot, flop), iterations=10), rivers=False)
        rows.append(FlopRow.of(solved, times))
        solved.save(tmp_path / format_cards(flop))
    report = FlopReport(tuple(rows))
    mean = report.mean()
    weights = [row.weight for row in rows]
    # aces and QJs are 3 + 4 hands on Ah7c2d, 4 of them without the queen of a given suit; QQ and 98s are 6 + 4
    assert weights[0] == pytest.approx(3 * 10 + 4 * 10 - 4 * 3)
    assert mean["ev"]["oop"] == pytest.approx(np.average([row.ev[0] for row in rows], weights=weights))
    assert mean["ev"]["oop"] + mean["ev"]["ip"] == pytest.approx(60, abs=1e-3)
    assert sum(mean["frequencies"].values()) == pytest.approx(1)
    header, table = report.table()
    text = io.StringIO()
    csv.writer(text).writerows([header, *table])
    assert len(list(csv.DictReader(io.StringIO(text.getvalue())))) == 2
    json.dumps(report.to_dict(), allow_nan=False)
    path = tmp_path / "Ah7c2d"
    here = on_flop(spot, parse_cards("Ah7c2d"))
    assert solved_before(path, here, target=1000, iterations=None, seconds=None) is not None
    assert solved_before(path, here, target=1e-9, iterations=None, seconds=None) is None
    assert solved_before(path, here, target=None, iterations=10, seconds=None) is not None
    assert solved_before(path, here, target=None, iterations=11, seconds=1e9) is None
    assert solved_before(tmp_path / "absent", here, 1, None, None) is None
    with pytest.raises(ValueError, match="is of another spot"):
        solved_before(path, spot, 1, None, None)
