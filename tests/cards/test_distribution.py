"""The equity of every hand of two ranges: brute force, the totals of `equity`, symmetry, and the command."""

import json
import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ludus.cards.card import parse_cards
from ludus.cards.distribution import class_equities, distribution, hand_equities, histogram, meetings
from ludus.cards.equity import as_range, equity
from ludus.cards.evaluator import evaluate
from ludus.cards.preflop import pair_counts
from ludus.cards.ranges import CLASSES, COMBOS, blocked, class_index, class_of_combo, combo_index, parse_range
from ludus.cards.runouts import ALL_SYMMETRIES, MOVED
from ludus.cli.studying.range_equity import range_equity

quick = settings(max_examples=30, deadline=None)
BUTTON = "22+, A2s+, KTs+, QTs+, JTs, T9s:0.5, ATo+, KQo"
BLIND = "TT-22, AJs-A2s, KTs+, Q9s+, J9s+, 97s+:0.25, AQo-ATo, KJo+"


def reference(one, two, board):
    """The obvious way: every hand against every other on every board, one look at both hands each."""
    result = np.full(1326, np.nan)
    for hand in np.flatnonzero(one):
        share = total = 0.0
        for other in np.flatnonzero(two):
            taken = [*board, *COMBOS[hand], *COMBOS[other]]
            if len(set(taken)) < len(taken):
                continue
            left = [card for card in range(52) if card not in taken]
            full = np.array([(*board, *rest) for rest in combinations(left, 5 - len(board))])
            own, theirs = (
                evaluate(np.column_stack([full, np.tile(COMBOS[each], (len(full), 1))])).astype(int)
                for each in (hand, other)
            )
            share += two[other] * ((own < theirs) + (own == theirs) / 2).sum()
            total += two[other] * len(full)
        if total:
            result[hand] = share / total
    return result


@st.composite
def spots(draw, smallest=3):
    deck = draw(st.permutations(range(52)))
    board = tuple(deck[: draw(st.sampled_from([size for size in (3, 4, 5) if size >= smallest]))])
    ranges = []
    for _ in range(2):
        hands = np.zeros(1326)
        for index in draw(st.lists(st.integers(0, 1325), min_size=1, max_size=5, unique=True)):
            hands[index] = draw(st.sampled_from([0.125, 0.3, 1.0]))
        assume(blocked(hands, board).any())
        ranges.append(hands)
    one, two = (np.flatnonzero(blocked(weights, board)) for weights in ranges)
    assume(any(set(COMBOS[a]).isdisjoint(COMBOS[b]) for a in one for b in two))
    return ranges, board


# Known values


def test_the_nuts_the_dead_and_the_shared():
    board = parse_cards("QhJhTh2c3d")
    own, other = hand_equities([as_range("AhKh, 2d2s"), as_range("random")], board)
    assert own[combo_index(*parse_cards("AhKh"))] == 1
    assert np.count_nonzero(~np.isnan(own)) == 2
    assert other[combo_index(*parse_cards("5c6c"))] == 0
    own, other = hand_equities([np.ones(1326), np.ones(1326)], parse_cards("AhKhQhJhTh"))
    live = blocked(np.ones(1326), parse_cards("AhKhQhJhTh")) > 0
    assert (own[live] == 0.5).all()
    assert np.isnan(own[~live]).all()
    np.testing.assert_array_equal(own, other)


def test_one_hand_against_one_hand():
    hands = [as_range("AhKh"), as_range("QsQd")]
    own, other = hand_equities(hands)
    assert np.nansum(own) == pytest.approx((787966 + 6732 / 2) / 1712304, abs=1e-12)
    assert np.nansum(own) + np.nansum(other) == pytest.approx(1, abs=1e-12)


def test_who_meets_nobody_has_no_equity():
    own, other = hand_equities([as_range("AhAs, KhKs"), as_range("AhAd, AsAc")], parse_cards("2c7d9h"))
    aces = combo_index(*parse_cards("AhAs"))
    assert np.isnan(own[aces])
    assert np.count_nonzero(~np.isnan(own)) == 1
    assert meetings([as_range("AhAs, KhKs"), as_range("AhAd, AsAc")])[0][aces] == 0
    assert np.count_nonzero(~np.isnan(other)) == 2


# A slow reference


@quick
@given(spots())
def test_hand_equities_match_the_reference(spot):
    (one, two), board = spot
    own, other = hand_equities([one, two], board)
    np.testing.assert_allclose(own, reference(blocked(one, board), blocked(two, board), board), atol=1e-12)
    np.testing.assert_allclose(other, reference(blocked(two, board), blocked(one, board), board), atol=1e-12)


@pytest.mark.parametrize("board", ["Ah7c2d", "Ah7h2h", "8c8dKs", "Ah7c2dTs", "9c9dTcJcQc"])
def test_symmetric_boards_are_counted_right(board):
    cards = parse_cards(board)
    ranges = [parse_range("TT, A7s, KQo:0.5"), parse_range("99, AKs, T9s:0.25")]
    own, other = hand_equities(ranges, cards)
    shown = np.flatnonzero(~np.isnan(own))[::5]
    picked = np.zeros(1326)
    picked[shown] = 1
    expected = reference(picked, blocked(ranges[1], cards), cards)
    np.testing.assert_allclose(own[shown], expected[shown], atol=1e-12)
    assert ((own >= 0) & (own <= 1))[~np.isnan(own)].all()
    assert np.count_nonzero(~np.isnan(other)) == np.count_nonzero(blocked(ranges[1], cards))


def test_tiny_weights_lose_no_digits():
    board = parse_cards("Ah7c2d5s")
    heavy, light = as_range("KcKd"), as_range("QQ, JTs")
    other = heavy + 1e-13 * light
    own, _ = hand_equities([as_range("KcQs, 8h8s"), other], board)
    alone, _ = hand_equities([as_range("KcQs"), light], board)
    hand = combo_index(*parse_cards("KcQs"))
    assert own[hand] == pytest.approx(alone[hand], abs=1e-12)
    small = hand_equities([1e-200 * heavy, 1e-200 * light], board)
    np.testing.assert_array_equal(small, hand_equities([heavy, light], board))


# Totals and symmetry


@pytest.mark.parametrize("board", ["Ah7c2d", "Kh9h4h", "JsTc9d2h", "AcKdTh7s2c"])
def test_the_mean_is_the_equity_of_the_range(board):
    ranges, cards = [parse_range(BUTTON), parse_range(BLIND)], parse_cards(board)
    expected = equity(ranges, cards, exact=True)
    for share, equities, counted in zip(
        expected.equity, hand_equities(ranges, cards), meetings(ranges, cards), strict=True
    ):
        assert np.nansum(equities * counted) / counted.sum() == pytest.approx(share, abs=1e-12)
        assert distribution(equities, counted, 17).mean() == pytest.approx(share, abs=1e-12)


def test_the_mean_before_the_flop():
    ranges = [parse_range("AKs, T9s"), parse_range("QQ")]
    own, other = hand_equities(ranges, threads=2)
    first, second = meetings(ranges)
    assert np.nansum(own * first) / first.sum() == pytest.approx(equity(ranges).equity[0], abs=1e-12)
    assert np.nansum(other * second) / second.sum() == pytest.approx(equity(ranges).equity[1], abs=1e-12)
    assert len(np.unique(other[~np.isnan(other)].round(12))) == 1  # all queens are alike
    total = pair_counts()[class_index("AKs"), class_index("QQ")] + pair_counts()[class_index("T9s"), class_index("QQ")]
    assert first.sum() == second.sum() == total


@quick
@given(spots())
def test_what_one_wins_the_other_loses(spot):
    ranges, board = spot
    own, other = hand_equities(ranges, board)
    first, second = meetings(ranges, board)
    assert first.sum() == pytest.approx(second.sum())
    assert (np.nansum(own * first) + np.nansum(other * second)) / first.sum() == pytest.approx(1)
    assert (np.isnan(own) == (first == 0)).all()
    swapped = hand_equities(ranges[::-1], board)
    np.testing.assert_allclose(swapped[1], own, atol=1e-12)
    np.testing.assert_allclose(swapped[0], other, atol=1e-12)


@quick
@given(spots(), st.integers(0, 23))
def test_suits_do_not_matter(spot, which):
    ranges, board = spot
    own, other = hand_equities(ranges, board)
    moved_board = [card & ~3 | int(ALL_SYMMETRIES[which, card & 3]) for card in board]
    moved = []
    for weights in ranges:
        other_suits = np.zeros(1326)
        other_suits[MOVED[which]] = weights
        moved.append(other_suits)
    own_moved, other_moved = hand_equities(moved, moved_board)
    np.testing.assert_allclose(own_moved[MOVED[which]], own, atol=1e-12)
    np.testing.assert_allclose(other_moved[MOVED[which]], other, atol=1e-12)


def test_threads_change_nothing_and_progress_is_told():
    ranges, board = [parse_range(BUTTON), parse_range(BLIND)], parse_cards("Ah7c2d")
    seen = []
    one = hand_equities(ranges, board, progress=lambda done, total: seen.append((done, total)))
    np.testing.assert_array_equal(one, hand_equities(ranges, board, threads=2))
    assert seen[-1][0] == seen[-1][1] == len(seen)


# Curves, buckets and classes


@quick
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 5)), min_size=1, max_size=30),
    st.integers(1, 40),
    st.integers(1, 12),
)
def test_a_curve_rises_and_keeps_the_mean(hands, bins, buckets):
    equities, weights = np.array(hands).T
    curve = distribution(equities, weights, bins)
    assert (np.diff(curve) >= -1e-9).all()
    assert curve.mean() == pytest.approx(np.average(equities, weights=weights), abs=1e-9)
    assert curve.min() >= equities.min() - 1e-9
    assert curve.max() <= equities.max() + 1e-9
    shares = histogram(equities, weights, buckets)
    assert shares.sum() == pytest.approx(1)
    below = weights[equities < 1 / buckets].sum() / weights.sum()
    assert shares[0] == pytest.approx(below if buckets > 1 else 1)
    none = np.append(equities, np.nan), np.append(weights, 1.0)
    np.testing.assert_allclose(distribution(*none, bins), curve, atol=1e-12)


def test_classes_have_the_mean_of_their_hands():
    ranges, board = [parse_range(BUTTON), parse_range(BLIND)], parse_cards("Ah7c2d")
    own, _ = hand_equities(ranges, board)
    counted, _ = meetings(ranges, board)
    means = class_equities(own, counted)
    for name in ("AA", "T9s", "KQo", "54s"):
        members = (class_of_combo == class_index(name)) & (counted > 0)
        if members.any():
            expected = np.average(own[members], weights=counted[members])
            assert means[class_index(name)] == pytest.approx(expected)
        else:
            assert np.isnan(means[class_index(name)])
    assert means[class_index("AA")] == np.nanmax(means)


# Bad input


@pytest.mark.parametrize(
    ("ranges", "board", "message"),
    [
        (["AA"], "Ah7c2d", "two ranges"),
        (["AA", "KK", "QQ"], "Ah7c2d", "two ranges"),
        (["AA", "KK"], "Ah7c", "0, 3, 4 or 5 cards, got 2"),
        (["AhAs", "KK"], "Ah7c2d", "range 1 is empty, for the board blocks all of it"),
        (["AhAs", "AhAd, AsAc"], "Kh7c2d", "shares a card with every hand"),
    ],
)
def test_impossible_spots_are_refused(ranges, board, message):
    for function in (hand_equities, meetings):
        with pytest.raises(ValueError, match=message):
            function([as_range(text) for text in ranges], parse_cards(board))


def test_bad_arrays_are_refused():
    for weights in (np.ones(169), np.full(1326, 2.0), np.full(1326, np.nan)):
        with pytest.raises(ValueError, match="weights"):
            hand_equities([weights, np.ones(1326)], (0, 1, 2))
    with pytest.raises(ValueError, match="twice in the board"):
        hand_equities([np.ones(1326), np.ones(1326)], (0, 0, 2))
    with pytest.raises(ValueError, match="as many weights"):
        distribution([0.5], [1, 2])
    with pytest.raises(ValueError, match="as many weights"):
        distribution([0.5], [-1])
    with pytest.raises(ValueError, match="1 or more bins"):
        distribution([0.5], [1], 0)
    with pytest.raises(ValueError, match="1 or more buckets"):
        histogram([0.5], [1], 0)
    with pytest.raises(ValueError, match="no hand"):
        distribution([np.nan, 0.5], [1, 0])


# The command


def test_the_command_prints_json(capsys):
    range_equity(BUTTON, BLIND, board="Ah7c2d", as_json=True)
    found = json.loads(capsys.readouterr().out)
    expected = equity([parse_range(BUTTON), parse_range(BLIND)], parse_cards("Ah7c2d"))
    assert found["board"] == "Ah7c2d"
    assert [side["equity"] for side in found["ranges"]] == pytest.approx(expected.equity)
    for side, name in zip(found["ranges"], (BUTTON, BLIND), strict=True):
        assert side["range"] == name
        assert side["combos"] == pytest.approx(blocked(parse_range(name), parse_cards("Ah7c2d")).sum())
        assert sum(side["quarters"]) / 4 == pytest.approx(side["equity"])
        assert sum(side["buckets"]) == pytest.approx(1)
        assert sum(side["curve"]) / len(side["curve"]) == pytest.approx(side["equity"])
        assert set(side["classes"]) <= set(CLASSES)
        assert list(side["classes"].values()) == sorted(side["classes"].values(), reverse=True)
    assert next(iter(found["ranges"][0]["classes"])) == "AA"


def test_the_command_prints_and_draws(capsys, tmp_path):
    range_equity("AA, KK", "QQ, T9s", board="Th9h2c", plot=tmp_path / "curves.png")
    out = capsys.readouterr().out
    assert "range 2: QQ, T9s" in out
    assert "90-100" in out
    assert re.search(r"best of range 2: T9s [0-9.]+, QQ [0-9.]+\n", out)
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="'Th' has 1"):
        range_equity("AA", "KK", board="Th")
    with pytest.raises(ValueError, match=r"\.png"):
        range_equity("AA", "KK", plot=tmp_path / "curves.txt")
