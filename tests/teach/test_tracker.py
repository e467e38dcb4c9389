"""What trackers count: hands worked out by hand, and laws that hold for every hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games import holdem, leduc_nl
from ludus.teach.tracker import BITS, tracked
from server_hands import HEADS_UP, at_random, dealt_out

SIX = holdem(players=6)
CARDS = "AhAd KsQd 7h2d 9c9d 5h5s Jc8d Ac2c3c4d9h"


def told(state):
    """By seat: the figures that had a chance, and whether it was taken."""
    seats = tracked(state, state.returns())
    return [{name: bool(seat.taken & bit) for name, bit in BITS.items() if seat.chances & bit} for seat in seats]


def test_a_steal_is_re_raised_and_given_up():
    """Folded to the button, which raises; the small blind raises again, the big blind folds, so does the button."""
    small, big, utg, hijack, cutoff, button = told(dealt_out(SIX, CARDS, -1, -1, -1, 6, 20, -1, -1))
    assert button == {"steal": True, "fold_to_three_bet": True}
    assert small == {"three_bet": True}
    assert big == {}, "two raises are no chance for a 3-bet"
    assert cutoff == {"steal": False}
    assert utg == hijack == {}


def test_a_limp_ends_the_chance_to_steal_and_the_blind_checks():
    small, big, _, _, cutoff, button = told(dealt_out(SIX, CARDS, 0, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0))
    assert cutoff == button == small == {}
    assert big == {"showdowns": True, "won_at_showdown": False}


def test_a_continuation_bet_is_met():
    """Heads-up: the button raises, is called, bets the flop after a check, and the big blind folds."""
    big, button = told(dealt_out(HEADS_UP, "AhAd KsQd Ac2c3c4d9h", 6, 0, 0, 8, -1))
    assert button == {"steal": True, "c_bet": True, "showdowns": False}
    assert big == {"three_bet": False, "fold_to_c_bet": True, "showdowns": False}


def test_a_bet_before_the_raiser_leaves_no_continuation_bet():
    big, button = told(dealt_out(HEADS_UP, "AhAd KsQd Ac2c3c4d9h", 6, 0, 8, -1))
    assert "c_bet" not in button
    assert "fold_to_c_bet" not in big


def test_a_split_pot_is_won_and_an_uncalled_bet_is_not():
    played = dealt_out(HEADS_UP, "AhKd AdKh 2c3d7s8h9s", 0, 0, 0, 0, 0, 0, 0, 0)
    assert [seat["won_at_showdown"] for seat in told(played)] == [True, True]
    short = holdem(stack=(40, 100))
    lost = dealt_out(short, "AhAd KsQd 2c3d7s8h9s", 100, 0)
    assert [seat["won_at_showdown"] for seat in told(lost)] == [True, False]


def test_aggression_counts_what_comes_after_the_first_street():
    state = dealt_out(HEADS_UP, "AhAd KsQd Ac2c3c4d9h", 6, 20, 0, 30, 0, 0, 40, 0, 0, 0)
    big, button = tracked(state, state.returns())
    assert (big.later_raises, big.later_calls) == (1, 1)
    assert (button.later_raises, button.later_calls) == (1, 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10_000))
def test_what_is_done_could_be_done(players, seed):
    state = at_random(holdem(players=players, stack=60), seed)
    seats, live = tracked(state, state.returns()), state.live_seats()
    for at, seat in enumerate(seats):
        assert seat.taken & ~seat.chances == 0
        shown = bool(seat.taken & BITS["showdowns"])
        assert shown == (len(live) > 1 and at in live)
        assert bool(seat.chances & BITS["won_at_showdown"]) == shown
    if len(live) > 1:
        assert any(seat.taken & BITS["won_at_showdown"] for seat in seats)
    assert sum(bool(seat.taken & BITS["c_bet"]) for seat in seats) <= 1


def test_small_games_have_showdowns_only():
    names = {name for seed in range(30) for seat in told(at_random(leduc_nl("any"), seed)) for name in seat}
    assert names == {"showdowns", "won_at_showdown"}


def test_hidden_cards_change_nothing():
    state = dealt_out(SIX, CARDS, -1, -1, -1, 6, 20, -1, -1)
    assert tracked(state.seen_by(-1), [0.0] * 6) == tracked(state, [0.0] * 6)


@pytest.mark.parametrize("name", BITS)
def test_bits_differ(name):
    assert bin(BITS[name]).count("1") == 1
