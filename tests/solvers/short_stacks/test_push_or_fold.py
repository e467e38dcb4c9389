"""Push or fold for several players: the game for two is known exactly, and prizes change what hands are worth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.cards.preflop import preflop_table
from ludus.cards.ranges import CLASS_SIZES, class_index
from ludus.games.icm import icm
from ludus.solvers.preflop import PreflopTree, solve_preflop
from ludus.solvers.short_stacks import solve_push_or_fold


def share(classes):
    """Of all hands."""
    return float(CLASS_SIZES @ classes) / 1326


@pytest.mark.parametrize("stack", [4, 10])
def test_two_players_play_the_known_equilibrium(stack):
    exact = solve_preflop(PreflopTree(stack), preflop_table(), target=1e-4)
    found = solve_push_or_fold((100 * stack, 100 * stack), (50, 100))
    assert (found.values[0] - 100 * stack) / 100 == pytest.approx(exact.value, abs=3e-3)
    for decision, own in zip(exact.decisions, (found.push[0], found.call[0, 1]), strict=True):
        assert share(own) == pytest.approx(decision.frequencies[-1], abs=0.02)


def test_ten_big_blinds_heads_up_are_as_published():
    """58.3 % of hands are pushed and 37.4 % called with ten big blinds (the usual Nash charts)."""
    found = solve_push_or_fold((2000, 2000), (100, 200))
    assert share(found.push[0]) == pytest.approx(0.583, abs=0.005)
    assert share(found.call[0, 1]) == pytest.approx(0.374, abs=0.005)


def test_later_positions_push_more_and_aces_always():
    found = solve_push_or_fold([2000] * 6, [0, 0, 0, 0, 100, 200])
    widths = [share(row) for row in found.push]
    assert widths == sorted(widths)
    assert 0.1 < widths[0] < 0.2
    assert (found.push[:, class_index("AA")] > 0.99).all()
    assert (found.call[:, -1, class_index("AA")] > 0.99).all()
    assert found.values.sum() == pytest.approx(6 * 2000)


def test_on_the_bubble_calls_are_tighter_than_for_chips():
    stacks, posted = [2000] * 4, [0, 0, 100, 200]
    chips, prizes = solve_push_or_fold(stacks, posted), solve_push_or_fold(stacks, posted, (50, 30, 20))
    assert share(prizes.call[2, 3]) < 0.5 * share(chips.call[2, 3])
    assert share(prizes.push[2]) > share(chips.push[2])
    assert prizes.values.sum() == pytest.approx(100)


def test_for_one_prize_only_chips_count():
    """With one prize for the winner, what a stack is worth is its share of the chips."""
    stacks, posted = [900, 1500, 600], [0, 50, 100]
    chips, prize = solve_push_or_fold(stacks, posted), solve_push_or_fold(stacks, posted, (3000,))
    np.testing.assert_allclose(chips.push, prize.push)
    np.testing.assert_allclose(chips.values, prize.values)


@settings(max_examples=10)
@given(st.lists(st.integers(100, 3000), min_size=2, max_size=6))
def test_chips_are_neither_made_nor_lost(stacks):
    posted = [0] * (len(stacks) - 2) + [50, 100]
    found = solve_push_or_fold(stacks, posted, iterations=20)
    assert found.values.sum() == pytest.approx(sum(stacks), abs=len(stacks))
    assert ((found.push >= 0) & (found.push <= 1) & np.isfinite(found.push)).all()
    assert ((found.call >= 0) & (found.call <= 1)).all()


def test_what_is_wrong_is_said():
    for stacks, posted in (((100,), (50,)), ((100, 0), (50, 0)), ((100, 20), (50, 100)), ((100, 100), (50,))):
        with pytest.raises(ValueError, match=r"push or fold is for|stacks are above"):
            solve_push_or_fold(stacks, posted)
    with pytest.raises(ValueError, match="iterations"):
        solve_push_or_fold((100, 100), (5, 10), iterations=0)


def test_a_call_for_prizes_needs_more_than_for_chips():
    """The equity at which a call breaks even, by hand: a quarter of the chips on the bubble is worth a quarter."""
    fold, win, lose = (icm(stacks, (50, 30, 20)) for stacks in ((10, 10, 11, 9), (10, 10, 0, 20), (10, 10, 20, 0)))
    needed = (fold[3] - lose[3]) / (win[3] - lose[3])
    assert needed > 0.55 > preflop_table().of("KTs", "99")
