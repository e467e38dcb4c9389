"""The compiled engine against the readable one, move by move."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.cards.random import streams
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, holdem, leduc_nl
from ludus.games.compiled import engine
from random_games import random_game


def compare_one(rng: random.Random, betting: str, dialect: str) -> None:
    game = random_game(rng, betting, dialect)
    deck = rng.sample(range(52), 52)
    rules, hand = engine.rules_of(game), engine.empty_hand()
    players = game.players
    engine.new_hand(rules, hand)
    state = game.start()
    while True:
        while state.player == CHANCE:
            state = state.deal(deck)
        assert hand["player"] == state.player, state
        assert hand["street"] == state.street
        assert tuple(hand["stack"][:players]) == state.stacks
        assert tuple(hand["bet"][:players]) == state.bets
        assert hand["pot"] == state.pot
        assert hand["opener"] == state.opener
        if state.player == TERMINAL:
            break
        bounds = tuple(engine.raise_bounds(rules, hand))
        assert bounds == (state.raise_bounds() or (0, 0)), (game, state)
        moves = [CALL] + [FOLD] * (FOLD in state.legal_actions() and rng.random() < 0.4)
        if bounds != (0, 0):
            moves.append(rng.choice([bounds[0], bounds[1], rng.randint(*bounds)]))
        action = rng.choice(moves)
        engine.act(rules, hand, action)
        state = state.apply(action)
    won = np.zeros(10)
    engine.payoffs(rules, hand, np.array(deck, np.uint8), won)
    assert tuple(won[:players]) == pytest.approx(state.returns(), abs=1e-9), (game, state)


@pytest.mark.parametrize("dialect", ["casino", "acpc"])
@pytest.mark.parametrize("betting", ["no-limit", "pot-limit", "limit"])
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_compiled_engine_plays_as_the_readable_one(betting, dialect, seed):
    rng = random.Random(seed)
    for _ in range(3):
        compare_one(rng, betting, dialect)


@pytest.mark.parametrize("players", [2, 6, 10])
def test_random_play_is_zero_sum_and_the_same_for_a_seed(players):
    rules = engine.rules_of(holdem(players=players))
    start = streams(3, 1)[0]
    actions, won = engine.play_random(rules, 2000, *start)
    again = engine.play_random(rules, 2000, *start)
    assert won.sum() == 0
    assert not won[players:].any()
    assert actions > 2000
    assert again[0] == actions
    np.testing.assert_array_equal(again[1], won)


def test_shuffle_deals_every_card_equally_often():
    deck, (s0, s1) = np.arange(52).astype(np.uint8), streams(5, 1)[0]
    counts = np.zeros((9, 52))
    for _ in range(20000):
        s0, s1 = map(np.uint64, engine.shuffle(deck, 9, s0, s1))
        counts[np.arange(9), deck[:9]] += 1
    assert sorted(deck) == list(range(52))
    expected = 20000 / 52
    chi2 = ((counts - expected) ** 2 / expected).sum(axis=1)
    assert (chi2 < 100).all()  # 51 degrees of freedom: the 99.995th percentile


def test_only_holdem_is_compiled():
    with pytest.raises(ValueError, match="hold'em"):
        engine.rules_of(leduc_nl())
