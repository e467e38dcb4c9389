"""Freeze-outs of a learner side by side: the compiled view against the readable rules, and what is known of results."""

import numpy as np
import pytest

from ludus.agents import make
from ludus.agents.learned.holdem_view import HoldemView
from ludus.agents.opponents import CALLS
from ludus.arena.freeze_out_lanes import CLOSED, FreezeOutLanes, offers, play_tests, show
from ludus.arena.freeze_outs import FoldingRandom
from ludus.cards.random import streams
from ludus.games import holdem
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.compiled.engine import HAND, act, new_hand, rules_of
from ludus.games.learning.encoding import DiscreteActions
from ludus.games.record import retrace
from ludus.rl.pictures import BOARD, EARLIER, LAST, NUMBERS, OWN, POT, PRICE, SHARE, STREET, THEIRS, pictures

GAME = holdem(stack=100, blinds=(5, 10))


@pytest.mark.parametrize("seed", range(3))
def test_a_learner_sees_and_is_offered_what_the_rules_say(seed):
    """Random hands, move by move, beside the readable engine."""
    rng, rules, numbered = np.random.default_rng(seed), rules_of(GAME), DiscreteActions(GAME)
    row, offered, random = np.zeros(NUMBERS, np.float32), np.zeros(6, np.int64), streams(seed, 1)[0].copy()
    for _ in range(40):
        deck = rng.permutation(52).astype(np.uint8)
        hands = np.zeros(1, HAND)
        hand, state = hands[0], GAME.start().deal([int(card) for card in deck])
        new_hand(rules, hand)
        while state.player != TERMINAL:
            assert hand["player"] == state.player
            offers(rules, hand, offered)
            assert [None if each == CLOSED else each for each in offered.tolist()] == list(numbered.at(state))
            show(rules, hand, deck, 3, 2, random, row)
            seat, owed = state.player, min(state.to_call(), state.stacks[state.player])
            assert row[:2].tolist() == list(deck[2 * seat : 2 * seat + 2])
            assert [card for card in row[BOARD : BOARD + 5].tolist() if card >= 0] == list(state.board)
            wanted = [
                state.stacks[seat] / 200,
                state.stacks[1 - seat] / 200,
                state.pot / 200,
                owed / (state.pot + owed),
            ]
            np.testing.assert_allclose(row[[OWN, THEIRS, POT, PRICE]], wanted, rtol=1e-6)
            assert (row[EARLIER], row[LAST]) == (3, 1)
            assert row[STREET] == pytest.approx(state.street / 3)
            assert 0 <= row[SHARE] <= 1
            at_table = HoldemView(GAME).row(state.seen_by(seat))
            row[EARLIER], row[LAST] = told_of(state)
            assert at_table[SHARE] == pytest.approx(row[SHARE], abs=0.25)  # of 1,000 hands and of 100
            np.testing.assert_allclose(np.delete(at_table, SHARE), np.delete(row, SHARE), rtol=1e-6)
            action = int(rng.choice([each for each in offered.tolist() if each != CLOSED]))
            act(rules, hand, action)
            state = state.apply(action)
            while state.player == CHANCE:
                state = state.deal([int(card) for card in deck])


def told_of(state):
    """Cards of the board at the own last decision, and what the opponent did last, from the list of decisions."""
    own, their = 0, 0.0
    for before, action in retrace(state):
        own, their = (len(before.board), their) if before.player == state.player else (own, 1.0 if action > 0 else 0.5)
    return own, their


def played(opponent, policy, games, seed=0):
    """The ends of the first games of every lane, when a learner plays by a function of what is open."""
    lanes = FreezeOutLanes(GAME, make(opponent, GAME), 50, np.random.default_rng(seed))
    won = np.zeros(50)  # since the last game of each lane
    while len({lane for lane, *_ in lanes.ends}) < 50 or len(lanes.ends) < games:
        look = lanes.look()
        rewards, over = lanes.step(policy(look))
        won += rewards[:, 0]
        np.testing.assert_array_equal(np.abs(won[over].round(6)), 1)  # a game is won or lost whole
        won[over] = 0
    return np.array(lanes.ends)


def test_two_callers_are_equals():
    ends = played("call", lambda look: np.ones(len(look.rows), np.int64), 2000)
    assert ends[:, 1].mean() == pytest.approx(100, abs=8)
    assert set(ends[:, 1]) == {0, 200}


def test_who_always_folds_loses_every_game():
    ends = played("call", lambda look: np.where(look.open[:, 0], 0, 1), 60)
    assert ends[:, 1].mean() < 60


def test_an_episode_can_be_a_hand():
    """The same games; the rewards of a hand in which nothing was decided belong to nobody's decision."""
    by_game, by_hand = (
        FreezeOutLanes(GAME, make("random", GAME), 60, np.random.default_rng(3), by_hand) for by_hand in (False, True)
    )
    more = 0
    for _ in range(80):
        looks = by_game.look(), by_hand.look()
        np.testing.assert_array_equal(looks[0].rows, looks[1].rows)
        actions = np.where(looks[0].open[:, 5], 5, 1)  # all-in wherever that is possible
        (_, over), (own, ended) = by_game.step(actions), by_hand.step(actions)
        assert ended[over].all()
        more += int((ended & ~over).sum())
        assert not own[~ended].any()
        new = (by_hand.look().rows[:, :2] != looks[1].rows[:, :2]).any(axis=1)
        assert ended[new].all()
        assert (np.abs(own) <= 1).all()
    assert more > 0
    assert by_game.ends == by_hand.ends


def test_tests_have_as_many_games_in_every_lane():
    lanes = FreezeOutLanes(GAME, make("call", GAME), 10, np.random.default_rng(1))
    ends, played = play_tests(lanes, 25, lambda look: np.ones(10, np.int64), lambda *_: None)
    assert np.bincount(ends[:, 0]).tolist() == [3] * 10
    assert np.flatnonzero(played).tolist() == [1]


def test_a_random_player_who_folds_where_a_check_is_free_loses_to_a_caller():
    """It gives up a fifth of its decisions: over three quarters of games, where the other Random loses half."""
    shares = []
    for opponent in (FoldingRandom(), make("random", GAME)):
        lanes = FreezeOutLanes(GAME, opponent, 100, np.random.default_rng(1))
        ends, _ = play_tests(lanes, 1500, lambda look: np.ones(100, np.int64), lambda *_: None)
        shares.append((ends[:, 1] > 100).mean())
    assert shares[0] == pytest.approx(0.785, abs=0.04)
    assert shares[1] < 0.6


def test_lanes_go_on_where_they_were():
    one, other = (FreezeOutLanes(GAME, make("expert", GAME), 8, np.random.default_rng(seed)) for seed in (1, 2))
    other.restore({name: array.copy() for name, array in one.state().items()})
    for _ in range(20):
        looks = one.look(), other.look()
        np.testing.assert_array_equal(looks[0].rows, looks[1].rows)
        actions = looks[0].open.argmax(axis=1)
        np.testing.assert_array_equal(one.step(actions)[0], other.step(actions)[0])


def test_pictures_show_cards_and_numbers():
    row = np.full((1, NUMBERS), -1, np.float32)
    row[0, :2], row[0, BOARD : BOARD + 4], row[0, EARLIER:] = (0, 51), (4, 8, 12, 16), 0
    row[0, EARLIER], row[0, SHARE], row[0, THEIRS] = 3, 0.7, 0.4
    (shown,) = pictures(row)
    assert [int(picture.sum()) for picture in shown[:4]] == [2, 4, 3, 6]
    assert shown[0, 6, 2] == shown[0, 9, 14] == 1  # the two of clubs and the ace of spades
    assert (shown[4] == np.float32(0.7)).all()
    assert (shown[6, 8:] == np.float32(0.4)).all()
    assert not shown[6, :8].any()


def test_an_opponent_with_a_model_learns_what_the_learner_does():
    """It sees every decision of all lanes and guesses those of a caller; saved lanes go on with what it knows."""
    opponents = [make("expert:model,bayes=20,network=0", GAME) for _ in range(2)]
    one, other = (FreezeOutLanes(GAME, opponent, 30, np.random.default_rng(2)) for opponent in opponents)
    calls = np.ones(30, np.int64)
    for _ in range(10):
        one.step(calls)
    model = opponents[0].model
    assert (model.count, model.trained) == (300, 300)
    assert (model.examples[:300]["action"] == CALLS).all()
    assert model.accuracy > 0.9
    other.restore({name: array.copy() for name, array in one.state().items()})
    for _ in range(10):
        np.testing.assert_array_equal(one.step(calls)[0], other.step(calls)[0])
        np.testing.assert_array_equal(one.look().rows, other.look().rows)
    assert opponents[1].model.record.tobytes() == model.record.tobytes()
    assert opponents[1].model.count == 600
