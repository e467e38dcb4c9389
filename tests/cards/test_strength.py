from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ludus.cards.card import parse_cards
from ludus.cards.equity import as_range, equity
from ludus.cards.evaluator import CATEGORIES, evaluate
from ludus.cards.isomorphism import permute_suits
from ludus.cards.ranges import COMBOS, combo_index, combo_name
from ludus.cards.strength import (
    _courses,
    all_hands_strength,
    all_made_hands,
    all_percentiles,
    effective_strength,
    expected_strength,
    hand_strength,
    made_hand,
    percentile,
    potential,
)

quick = settings(max_examples=25, deadline=None)


@st.composite
def situations(draw, sizes=(3, 4, 5)):
    """A hand and a board."""
    cards = draw(st.permutations(range(52)))
    return cards[:2], cards[2 : 2 + draw(st.sampled_from(sizes))]


def outcomes(hand, others, board):
    """0 for behind, 1 for tied, 2 for ahead, of a hand against other hands on a board."""
    own = int(evaluate([*hand, *board]))
    theirs = evaluate(np.column_stack([others, np.tile(board, (len(others), 1))])).astype(int)
    return 1 + np.sign(theirs - own)


def reference(hand, board, ahead):
    """HP[now][then] and the strengths on each board to come, opponent by opponent and board by board."""
    left = [card for card in range(52) if card not in (*hand, *board)]
    others = np.array(list(combinations(left, 2)))
    now = outcomes(hand, others, board)
    courses, strengths = np.zeros((3, 3), int), []
    for coming in combinations(left, ahead):
        free = ~np.isin(others, coming).any(axis=1)
        then = outcomes(hand, others[free], [*board, *coming])
        np.add.at(courses, (now[free], then), 1)
        strengths.append(np.mean(then / 2))
    return courses, np.array(strengths)


# known values


def test_the_example_of_billings_and_others():
    """Ad Qc on 3h 4c Jh, the worked example of the 2002 paper."""
    hand, board = parse_cards("AdQc"), parse_cards("3h4cJh")
    courses, _ = _courses(hand, board, 2)
    assert courses[::-1, ::-1].tolist() == [[449005, 3211, 169504], [0, 8370, 540], [91981, 1036, 346543]]
    assert hand_strength(hand, board) == pytest.approx((628 + 9 / 2) / 1081)
    assert potential(hand, board) == pytest.approx((0.208, 0.274), abs=5e-4)
    assert potential(hand, board, 1) == pytest.approx((0.108, 0.145), abs=5e-4)
    assert effective_strength(hand, board) == pytest.approx(547294.5 / 1070190)


def test_certain_hands():
    nuts, board = parse_cards("AhKh"), parse_cards("QhJhTh2c2d")
    assert hand_strength(nuts, board) == percentile(nuts, board) == 1
    assert expected_strength(nuts, board[:3]) == (1, 1)
    assert potential(nuts, board[:3]) == (0, 0)
    royal = parse_cards("AhKhQhJhTh")
    assert hand_strength(parse_cards("2c3d"), royal) == 0.5
    assert potential(parse_cards("2c3d"), royal) == (0, 0)
    assert set(all_percentiles(royal)[~np.isnan(all_percentiles(royal))]) == {0.5}


def test_before_the_flop():
    features = all_hands_strength(())
    assert np.isnan(features[:, 0]).all()
    assert expected_strength(parse_cards("AhAs"), ())[0] == pytest.approx(0.8520371, abs=1e-7)
    assert expected_strength(parse_cards("3c2d"), ())[0] == pytest.approx(0.3230323, abs=1e-7)
    assert features[:, 1].mean() == pytest.approx(0.5)
    assert (features[:, 2] >= features[:, 1] ** 2).all()
    suited, offsuit = (expected_strength(parse_cards(text), ()) for text in ("6h5h", "6h5d"))
    assert suited > offsuit
    assert expected_strength(parse_cards("6c5c"), ()) == suited


def test_the_square_before_the_flop_is_an_average_over_flops():
    """E[HS^2] of a hand is the mean of its E[HS^2] after each flop; a sample of flops comes close."""
    hand = parse_cards("7h7d")
    random = np.random.default_rng(3)
    left = [card for card in range(52) if card not in hand]
    flops = [random.choice(left, 3, replace=False).tolist() for _ in range(400)]
    values = [expected_strength(hand, flop) for flop in flops]
    error = np.std(values, axis=0) / np.sqrt(len(flops))
    assert (np.abs(np.mean(values, axis=0) - expected_strength(hand, ())) < 2.5 * error).all()


@pytest.mark.parametrize(
    ("hand", "board", "name"),
    [
        ("7h7d", "", "pair"),
        ("7h6d", "", "high card"),
        ("7h6d", "AcKd2s", "high card"),
        ("7h6d", "7c7d2s", "three of a kind"),
        ("7h6d", "7c6s2s", "two pair"),
        ("7h6d", "5c4s3sKd", "straight"),
        ("Ah6h", "5h4hTh9d", "flush"),
        ("7h6d", "7c6s6hKdKc", "full house"),
        ("7h7d", "7c7s6h", "four of a kind"),
        ("7h6h", "5h4h3hKdKc", "straight flush"),
        ("2c3d", "AhAdAsKcKs", "full house"),
    ],
)
def test_made_hands(hand, board, name):
    assert CATEGORIES[made_hand(parse_cards(hand), parse_cards(board))] == name
    assert all_made_hands(parse_cards(board))[combo_index(*parse_cards(hand))] == CATEGORIES.index(name)


# equality with the references


@quick
@given(situations(sizes=(4, 5)), st.integers(0, 1))
@example((parse_cards("AdQc"), parse_cards("3h4cJh")), 1)
@example((parse_cards("9h8h"), parse_cards("Th7h2c")), 2)
def test_one_hand_matches_the_reference(situation, ahead):
    hand, board = situation
    ahead = min(ahead, 5 - len(board))
    courses, strengths = reference(hand, board, ahead)
    found, square = _courses(hand, board, ahead)
    np.testing.assert_array_equal(found, courses)
    assert square == pytest.approx((strengths**2).mean())


@quick
@given(situations())
def test_all_hands_match_single_hands(situation):
    hand, board = situation
    features = all_hands_strength(board)
    assert np.isnan(features).any(axis=1).tolist() == np.isin(COMBOS, board).any(axis=1).tolist()
    live = np.flatnonzero(~np.isnan(features[:, 0]))
    for index in [combo_index(*hand), *live[:: len(live) // 4]]:
        cards = COMBOS[index].tolist()
        expected = hand_strength(cards, board), *expected_strength(cards, board)
        np.testing.assert_allclose(features[index], expected, atol=1e-12, err_msg=combo_name(index))


@quick
@given(situations())
def test_percentiles_and_categories_match_the_reference(situation):
    hand, board = situation
    left = [card for card in range(52) if card not in board]
    others = [pair for pair in combinations(left, 2) if set(pair) != set(hand)]
    share = np.mean(outcomes(hand, np.array(others), board) / 2)
    assert percentile(hand, board) == pytest.approx(share)
    places, made = all_percentiles(board), all_made_hands(board)
    assert np.isnan(places).tolist() == (made < 0).tolist() == np.isin(COMBOS, board).any(axis=1).tolist()
    assert np.nanmean(places) == pytest.approx(0.5)


# invariants


@quick
@given(situations(sizes=(3, 4)))
def test_effective_strength_is_the_expected_one(situation):
    hand, board = situation
    assert effective_strength(hand, board) == pytest.approx(expected_strength(hand, board)[0])


@quick
@given(situations())
def test_strengths_are_shares_and_even_out(situation):
    _, board = situation
    features = all_hands_strength(board)
    live = features[~np.isnan(features[:, 0])]
    assert live.mean(axis=0)[:2] == pytest.approx([0.5, 0.5])
    assert ((live >= 0) & (live <= 1)).all()
    assert (live[:, 2] >= live[:, 1] ** 2 - 1e-12).all()
    if len(board) == 5:
        np.testing.assert_allclose(live[:, 0], live[:, 1])
        np.testing.assert_allclose(live[:, 0] ** 2, live[:, 2])


@quick
@given(situations(), st.sampled_from(list(permutations(range(4)))))
def test_the_names_of_the_suits_do_not_matter(situation, suits):
    hand, board = situation
    other_hand, other_board = permute_suits(hand, suits), permute_suits(board, suits)
    assert expected_strength(other_hand, other_board) == expected_strength(hand, board)
    assert potential(other_hand, other_board) == potential(hand, board)
    assert percentile(other_hand, other_board) == percentile(hand, board)


@quick
@given(situations())
def test_expected_strength_is_the_equity_against_any_hand(situation):
    hand, board = situation
    own = np.eye(1, 1326, combo_index(*hand))[0]
    assert expected_strength(hand, board)[0] == pytest.approx(equity([own, as_range("random")], board).equity[0])


# bad input


@pytest.mark.parametrize("feature", [hand_strength, expected_strength, potential, percentile, made_hand])
def test_bad_cards_are_refused(feature):
    flop = parse_cards("2c3c4c")
    with pytest.raises(ValueError, match="2c is both in the hand and in the board"):
        feature(parse_cards("2c9d"), flop)
    with pytest.raises(ValueError, match="expected a board of"):
        feature(parse_cards("8c9d"), flop[:2])
    with pytest.raises(ValueError, match="two cards"):
        feature(parse_cards("8c"), flop)
    with pytest.raises(ValueError, match="two cards"):
        feature((), flop)
    with pytest.raises(ValueError, match=r"0\.\.51"):
        feature((52, 51), flop)


def test_bad_boards_and_looks_ahead_are_refused():
    with pytest.raises(ValueError, match="expected a board of 3, 4, 5 cards, got ''"):
        all_percentiles(())
    with pytest.raises(ValueError, match="expected a board"):
        all_hands_strength(parse_cards("2c3c"))
    with pytest.raises(ValueError, match="0 to 1 cards ahead, got 2"):
        potential(parse_cards("8c9d"), parse_cards("2c3c4c5d"), 2)
