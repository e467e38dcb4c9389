"""How hands end: who won which pot, and equities from street to street."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.games import holdem, leduc_nl
from ludus.protocols.histories.hand import contested_pot, uncalled
from ludus.teach.endings.luck import ran_out
from ludus.teach.endings.showdowns import Award, awards, run_out
from server_hands import at_random, dealt_out


def test_side_pots_and_what_nobody_called():
    """Seat 0 is all-in for 20 and wins the main pot, seat 1 the side pot; 40 come back to seat 2."""
    state = dealt_out(holdem(3, (20, 60, 100)), "AhAd KsKd QcQd 2c3c4d9hTs", 100, 0, 0)
    assert awards(state) == [Award(60, (0,)), Award(80, (1,))]
    assert sum(award.amount for award in awards(state)) == contested_pot(state) == 140


def test_a_split_has_no_loser():
    state = dealt_out(holdem(), "AhKd AsKc 2c3c4d9hTs", 200, 0)
    assert awards(state) == [Award(400, (0, 1))]


@given(st.integers(2, 6), st.integers(0, 2**32))
def test_awards_are_what_was_won(players, seed):
    state = at_random(holdem(players, [20 + 13 * seat for seat in range(players)]), seed)
    taken, back = [0.0] * players, uncalled(state)
    for award in awards(state):
        for seat in award.seats:
            taken[seat] += award.amount / len(award.seats)
    for seat, (won, spent) in enumerate(zip(state.returns(), state.spent(), strict=True)):
        assert won + spent - back[seat] == pytest.approx(taken[seat], abs=len(awards(state)) * players)
    assert sum(award.amount for award in awards(state)) == contested_pot(state)


def test_equities_of_a_known_all_in():
    """Ace-king against a pair of sevens before the flop, and what each street makes of it."""
    state = dealt_out(holdem(), "AhKd 7c7d Ac2s3d4h7s", 200, 0)
    found = run_out(state)
    assert [street.cards for street in found] == [0, 3, 4, 5]
    assert found[0].shares == pytest.approx((0.4502, 0.5498), abs=1e-4)
    assert found[1].shares[0] > 0.88
    assert found[2].shares == pytest.approx((40 / 44, 4 / 44))  # two sevens win, four fives split
    assert found[3].shares == (0.0, 1.0)


@given(st.integers(2, 4), st.integers(0, 2**32))
def test_equities_add_up_and_end_with_the_winners(players, seed):
    state = at_random(holdem(players, 40), seed)
    found = run_out(state)
    assert bool(found) is ran_out(state)
    for street in found:
        live = [share for share in street.shares if share is not None]
        assert sum(live) == pytest.approx(1)
        assert len(live) == len(state.live_seats())
    if found and len(awards(state)) == 1:
        winners = awards(state)[0].seats
        assert [found[-1].shares[seat] for seat in winners] == pytest.approx([1 / len(winners)] * len(winners))


def test_small_games_have_them_too():
    game = leduc_nl("any")
    state = dealt_out(game, "QhKs", 1200, 0)
    assert [round(sum(street.shares), 9) for street in run_out(state)] == [1, 1]


def test_hands_that_nobody_saw_have_none():
    state = dealt_out(holdem(), "AhKd 7c7d Ac2s3d4h7s", 200, 0).seen_by(0)
    assert awards(state) == []
    assert run_out(state) == []
