"""Beliefs: Bayes' rule against counting, and what is remembered."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ludus.agents.styles import TightAgent
from ludus.cards.ranges import combo_index
from ludus.games import holdem, leduc
from ludus.games.base import CHANCE
from ludus.games.record import free_hands, hole_hands
from ludus.solvers.beliefs import Beliefs, RangeStrategy, bayes, possible, reach_of

SHARES = arrays(np.float64, 6, elements=st.just(0.0) | st.floats(1e-9, 1))


class Mixed:
    """Plays each hand of a small game in its own way, whatever the board: the higher the card, the less it folds."""

    def range_strategy(self, public):
        actions = tuple(public.legal_actions())
        hands = np.arange(1.0, len(hole_hands(public.game)) + 1)[:, None]
        chances = hands ** np.arange(len(actions))
        return RangeStrategy(actions, chances / chances.sum(axis=1, keepdims=True))


def after(*actions):
    state = leduc().start()
    for action in actions:
        while state.player == CHANCE:
            state = state.deal(leduc().deck)
        state = state.apply(action)
    while state.player == CHANCE:
        state = state.deal(leduc().deck)
    return state.seen_by(-1)


@given(SHARES, SHARES)
def test_bayes_is_a_product_and_never_rules_out_while_unaware(own, chances):
    np.testing.assert_array_equal(bayes(own, chances), own * chances)
    if (own * chances).sum() > 0:
        held = bayes(own, chances, unaware=0.05)
        assert ((held > 0) == (own > 0)).all()
        assert held.sum() == pytest.approx((own * chances).sum())
    else:
        assert bayes(own, chances, unaware=0.05) is own


def test_the_reach_of_a_known_strategy_is_the_product_of_its_chances():
    state, strategist = after(0, 3, 0, 0), Mixed()
    first, last = after(), after(0, 3)
    calls, closes = (strategist.range_strategy(each) for each in (first, last))
    expected = calls.chances[:, calls.actions.index(0)] * closes.chances[:, closes.actions.index(0)]
    second = after(0, 3, 0)
    assert (state.player, second.player) == (1, 0)
    np.testing.assert_allclose(reach_of(strategist, second), expected * free_hands(leduc(), second.board))


def test_tight_players_who_raise_hold_aces_rather_than_three_two():
    state = holdem(players=3).start().deal(range(52)).apply(-1).apply(6).seen_by(-1)
    raiser = Beliefs(TightAgent()).ranges(state)[0]
    assert raiser[combo_index(50, 51)] == 1
    assert 0 < raiser[combo_index(0, 5)] < 0.01
    np.testing.assert_array_equal(Beliefs(TightAgent()).range_of(state, 0), raiser)


def test_a_range_that_the_board_blocks_whole_is_every_hand_that_is_left():
    state = after(0, 0)
    (card,) = state.board
    only = (np.array(hole_hands(leduc()))[:, 0] == card).astype(float)
    np.testing.assert_array_equal(possible(state, only), 1 - only)
