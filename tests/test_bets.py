"""Bet schedules: which raises a game offers by street and by raise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ludus.games import holdem
from ludus.games.bets import BetSchedule, BetSet
from ludus.games.definition import define, rebuild

SCHEDULE = BetSchedule.parse("0.75,pot; pot,allin; - / 0.5; allin / -")


def test_raises_follow_the_street_and_the_number_of_raises():
    game = holdem(stack=200, bets=SCHEDULE)
    state = game.start().deal(range(52))
    assert state.legal_actions().raises == (5, 6)
    state = state.apply(6)
    assert state.legal_actions().raises == (18, 200)  # the pot after calling is 12
    state = state.apply(18)
    assert state.legal_actions().raises == ()
    state = state.apply(0).deal(range(52))
    assert state.legal_actions().raises == (18,)
    state = state.apply(18)
    assert state.legal_actions().raises == (182,)
    state = state.apply(0).deal(range(52))
    assert state.legal_actions().raises == ()


def test_a_game_with_a_schedule_is_saved_as_data():
    game = holdem(players=3, bets=SCHEDULE)
    assert rebuild(define(game)) == game
    assert rebuild(define(replace(game, bets=None))) != game


def test_what_is_no_schedule_is_said():
    with pytest.raises(ValueError, match="all"):
        BetSchedule.parse("all")
    with pytest.raises(ValueError, match="'x' is not a bet"):
        BetSchedule.parse("x / pot")
    with pytest.raises(ValueError, match="needs a street"):
        BetSchedule(())
    with pytest.raises(ValueError, match="alone"):
        BetSchedule(((BetSet((), 100),),))
    with pytest.raises(ValueError, match="true or false"):
        BetSet(all_in=None)


def test_the_text_is_read_back():
    assert BetSchedule.parse(str(SCHEDULE)) == SCHEDULE
