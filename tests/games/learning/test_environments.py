"""The adapters: PettingZoo's and Gymnasium's own checks, no hidden card seen, masks and rewards as in the game."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, seed_test

from ludus.agents import make
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, PokerGame, PokerState, holdem, kuhn, leduc, leduc_nl
from ludus.games.learning.encoding import DiscreteActions, Features, largest_loss
from ludus.games.learning.environments import AgainstFixed, PokerEnv
from ludus.games.rules import NO_STACK

GAMES = {
    "kuhn": kuhn(),
    "kuhn3": kuhn(players=3),
    "leduc": leduc(),
    "leduc-nl": leduc_nl(),
    "leduc-nl-all": leduc_nl("all"),
    "holdem": holdem(),
    "holdem6": holdem(players=6),
    "limit": holdem(betting="limit"),
    "pot-limit": holdem(players=3, betting="pot-limit", ante=1),
    "short": holdem(players=4, stack=(3, 50, 120, 9), straddle=4),
}
each_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
seeded = settings(max_examples=12, deadline=None, derandomize=True)


def some_hand(game: PokerGame, seed: int) -> list[PokerState]:
    """The states of a hand of random play over the discrete actions."""
    rng, actions = random.Random(seed), DiscreteActions(game)
    states = [game.start()]
    while (state := states[-1]).player != TERMINAL:
        legal = state.legal_actions() if state.player == CHANCE else [a for a in actions.at(state) if a is not None]
        if state.player != CHANCE and rng.random() < 0.4:
            legal = [CALL]  # longer hands
        states.append(state.apply(rng.choice(legal)))
    return states


# What the libraries demand


@each_game
@pytest.mark.filterwarnings("ignore:Observation")  # a mask needs a dictionary, as in PettingZoo's own card games
@pytest.mark.filterwarnings("ignore:.*all zeros")  # the last look of an agent whose hand is over
def test_pettingzoo_accepts_it(game):
    api_test(PokerEnv(game, render_mode="ansi"), num_cycles=1000)
    seed_test(lambda: PokerEnv(game), num_cycles=100)


@each_game
@pytest.mark.parametrize("seat", [0, 1, None])
@pytest.mark.filterwarnings("ignore:.*not having a spec.*")
def test_gymnasium_accepts_it(game, seat):
    check_env(AgainstFixed(game, seat, in_big_blinds=True, render_mode="ansi"))


# What a seat sees


@each_game
@given(seed=st.integers(0, 2**32 - 1))
@seeded
def test_features_do_not_depend_on_hidden_cards(game, seed):
    """The same hand with other cards for the other seats looks the same, move by move."""
    rng, features = random.Random(seed), Features(game)
    states = some_hand(game, seed)
    seat = rng.randrange(game.players)
    count = game.hole_cards
    own = range(seat * count, (seat + 1) * count)
    last = states[-1].cards
    fixed = [last[at] if at in own or at >= game.players * count else None for at in range(len(last))]
    free = [card for card in game.deck if card not in fixed]
    rng.shuffle(free)
    cards = [free.pop() if card is None else card for card in fixed]
    other = game.start()
    for before, after in itertools.pairwise(states):
        other = other.apply(cards[len(other.cards)] if before.player == CHANCE else after.line[before.street][-1])
        if len(after.cards) >= game.card_targets[0]:
            np.testing.assert_array_equal(features.of(after, seat), features.of(other, seat))


@each_game
@given(seed=st.integers(0, 2**32 - 1))
@seeded
def test_features_show_the_table(game, seed):
    features = Features(game)
    for state in some_hand(game, seed):
        for seat in range(game.players):
            vector = features.of(state, seat)
            assert vector.shape == (features.size,)
            assert vector.dtype == np.float32
            assert ((vector >= 0) & (vector <= 1)).all()
            part = {name: vector[block] for name, block in features.layout.items()}
            deck = np.array(game.deck)
            assert set(deck[part["hole"] == 1]) == set(state.hole(seat))
            assert set(deck[part["board"] == 1]) == set(state.board)
            assert part["street"].argmax() == state.street
            assert part["seat"].argmax() == seat
            assert part["to_act"].sum() == (state.player >= 0)
            order = [(seat + step) % game.players for step in range(game.players)]
            assert [order[at] for at in np.flatnonzero(part["folded"])] == [
                other for other in order if other not in state.live_seats()
            ]
            assert part["bets"] * features.unit == pytest.approx([state.bets[other] for other in order], rel=1e-5)
            assert part["spent"] * features.unit == pytest.approx([state.spent()[other] for other in order], rel=1e-5)
            assert part["pot"][0] * features.unit * game.players == pytest.approx(state.pot, rel=1e-5)


@pytest.mark.parametrize("game", [kuhn(), kuhn(players=3), leduc(show_suits=True)], ids=["kuhn", "kuhn3", "leduc"])
def test_features_tell_all_information_states_of_the_small_games_apart(game):
    features = Features(game)
    seen: dict[bytes, str] = {}
    known: dict[str, bytes] = {}
    stack = [game.start()]
    while stack:
        state = stack.pop()
        if state.player >= 0:
            vector, name = features.of(state, state.player).tobytes(), state.information_state(state.player)
            name = f"{state.player} {name}"
            assert seen.setdefault(vector, name) == name
            assert known.setdefault(name, vector) == vector
        stack.extend(state.apply(action) for action in state.legal_actions())
    assert len(seen) == {"kuhn": 12, "kuhn3": 48, "leduc": 936}[game.name]


@pytest.mark.parametrize(
    ("game", "chips"),
    [(kuhn(), 2), (leduc(), 13), (leduc_nl(), 1200), (holdem(betting="limit", stack=10**6), 48), (holdem(ante=3), 200)],
)
def test_largest_loss(game, chips):
    assert largest_loss(game) == chips


def test_a_game_without_bounds_is_refused():
    with pytest.raises(ValueError, match="bounds no bet"):
        PokerEnv(holdem(stack=NO_STACK))
    with pytest.raises(ValueError, match="nothing to decide"):
        PokerEnv(holdem(stack=1, blinds=(1, 1)))


# Actions


@each_game
@given(seed=st.integers(0, 2**32 - 1))
@seeded
def test_masks_are_the_legal_actions(game, seed):
    actions = DiscreteActions(game)
    for state in some_hand(game, seed):
        offered = actions.at(state)
        assert len(offered) == actions.count
        np.testing.assert_array_equal(actions.mask(state), [action is not None for action in offered])
        if state.player < 0:
            assert set(offered) == {None}
            continue
        legal = state.legal_actions()
        is_open = [action for action in offered if action is not None]
        assert len(set(is_open)) == len(is_open)
        assert all(action in legal for action in is_open)
        assert (offered[0] == FOLD) == (FOLD in legal)
        assert offered[1] == CALL
        if game.betting == "limit" or game.bets is not None:
            assert is_open == list(legal)
        elif bounds := state.raise_bounds():
            assert min(a for a in offered[2:] if a) == bounds[0]
            assert max(a for a in offered[2:] if a) == bounds[1]
        for number, action in enumerate(offered):
            if action is None:
                with pytest.raises(ValueError, match="closed"):
                    actions.action(state, number)
            else:
                assert actions.action(state, number) == action


def test_raise_sizes_of_no_limit_hold_em():
    game = holdem(players=3, stack=100)
    state = game.start()
    for card in range(6):
        state = state.apply(card)
    actions = DiscreteActions(game)
    assert actions.at(state) == (FOLD, CALL, 4, None, 7, 100)  # pot after the call 5: half of it is 2 on top of 2
    state = state.apply(7)  # 10 in the pot, 16 after a call of the small blind
    assert actions.at(state) == (FOLD, CALL, 12, 15, 23, 100)
    state = state.apply(60)
    assert actions.at(state) == (
        FOLD,
        CALL,
        100,
        None,
        None,
        None,
    )  # only all-in is left, and it is the first of equals
    assert DiscreteActions(game, (0.25, 2.0)).at(state) == (FOLD, CALL, None, None)


@pytest.mark.parametrize("raises", [(), (-0.5,), (float("nan"),)])
def test_bad_raises_are_refused(raises):
    with pytest.raises(ValueError, match="pot fractions"):
        DiscreteActions(holdem(), raises)


# PettingZoo


@each_game
@given(seed=st.integers(0, 2**32 - 1))
@seeded
def test_hand_in_pettingzoo_is_the_hand_of_the_game(game, seed):
    """Masks, turns, observations and rewards agree with the state; the same seed gives the same hand."""
    hands = []
    for _ in range(2):
        rng, env = np.random.default_rng(seed), PokerEnv(game)
        env.reset(seed=seed)
        trace, rewards = [], {}
        for agent in env.agent_iter():
            observation, reward, over, cut, _ = env.last()
            assert not cut
            number = None
            if over:
                rewards[agent] = reward
            else:
                assert agent == f"player_{env.poker.player}"
                assert reward == 0
                np.testing.assert_array_equal(observation["action_mask"], DiscreteActions(game).mask(env.poker))
                others = [env.observe(other)["action_mask"] for other in env.agents if other != agent]
                assert not np.any(others)
                number = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            trace.append((agent, number, observation["observation"].tobytes()))
            env.step(number)
        assert env.poker.player == TERMINAL
        assert tuple(rewards[f"player_{seat}"] for seat in range(game.players)) == env.poker.returns()
        hands.append((trace, rewards, env.poker.cards))
    assert hands[0] == hands[1]


def test_pettingzoo_goes_on_without_a_seed_and_refuses_closed_actions():
    env = PokerEnv(holdem())
    env.reset(seed=5)
    first = env.poker.cards
    env.reset()
    second = env.poker.cards
    env.reset(seed=5)
    assert env.poker.cards == first != second
    env.step(1)
    with pytest.raises(ValueError, match="closed"):
        env.step(0)  # nothing to fold to
    with pytest.raises(ValueError, match="0 to 5"):
        env.step(6)
    with pytest.raises(ValueError, match="to act"):
        env.step(None)
    with pytest.raises(ValueError, match="ansi"):
        PokerEnv(holdem(), render_mode="human")


def test_rendering_shows_no_hole_cards():
    env = PokerEnv(holdem(), render_mode="ansi")
    env.reset(seed=5)
    assert env.render() == "<holdem : stacks (198, 199) bets (2, 1)>"


# Gymnasium


@each_game
@given(seed=st.integers(0, 2**32 - 1))
@seeded
def test_hand_in_gymnasium_is_a_hand_of_the_game(game, seed):
    hands = []
    for _ in range(2):
        env, big_blinds = (AgainstFixed(game, seat=None, in_big_blinds=unit) for unit in (False, True))
        trace = []
        for hand in range(3):
            first = {"seed": seed} if hand == 0 else {}
            observation, info = env.reset(**first)
            big_blinds.reset(**first)
            rng, over = np.random.default_rng(seed + hand), False
            while not over:
                state = env.poker
                assert state.player == env.seat == info["seat"]
                np.testing.assert_array_equal(observation["action_mask"], DiscreteActions(game).mask(state))
                number = int(rng.choice(np.flatnonzero(observation["action_mask"])))
                observation, reward, over, cut, step_info = env.step(number)
                assert not cut
                assert not step_info["closed"]
                assert env.poker.hole(env.seat) == state.hole(env.seat)
                assert reward == (env.poker.returns()[env.seat] if over else 0)
                assert big_blinds.step(number)[1] == pytest.approx(reward / game.big_blind)
                trace.append((number, reward, observation["observation"].tobytes()))
            with pytest.raises(ValueError, match="over"):
                env.step(1)
        hands.append(trace)
    assert hands[0] == hands[1]


def test_seats_rotate_from_seat_0_of_a_seeded_start():
    env = AgainstFixed(kuhn(players=3), seat=None)
    assert [env.reset(seed=7 if at == 0 else None)[1]["seat"] for at in range(7)] == [0, 1, 2, 0, 1, 2, 0]
    assert env.reset(seed=7)[1]["seat"] == 0
    assert {AgainstFixed(kuhn(players=3), seat=2).reset(seed=s)[1]["seat"] for s in range(3)} == {2}


def test_the_opponent_is_asked_for_every_other_seat_and_sees_that_one_alone():
    asked = []

    def caller(state, rng):
        asked.append(state.player)
        assert state.player != 1
        assert [-1 in state.hole(seat) for seat in range(3)] == [seat != state.player for seat in range(3)]
        return CALL

    env = AgainstFixed(leduc(players=3), seat=1, opponent=caller)
    env.reset(seed=0)
    over = False
    while not over:
        over = env.step(1)[2]
    assert asked == [0, 2, 0, 2]


def test_an_opponent_may_use_every_legal_action_and_no_other():
    env = AgainstFixed(holdem(), seat=0, opponent=lambda state, rng: 17)
    env.reset(seed=0)
    assert env.poker.bets == (2, 17)
    with pytest.raises(ValueError, match="a raise here is"):
        AgainstFixed(holdem(), seat=0, opponent=lambda state, rng: 1).reset(seed=0)


def test_hands_that_end_without_the_learner_are_counted():
    env = AgainstFixed(holdem(), seat=0)  # the big blind
    hands, idle, reward = 3000, 0, 0.0
    for hand in range(hands):
        info = env.reset(seed=0 if hand == 0 else None)[1]
        idle += info["idle_hands"]
        reward += info["idle_reward"]
    share = idle / (hands + idle)
    assert share == pytest.approx(
        1 / 5, abs=0.02
    )  # the button has fold, call and three raises (half the pot is the smallest)
    assert reward == idle  # the small blind each time
    with pytest.raises(ValueError, match="never let seat 0 act"):
        AgainstFixed(holdem(), seat=0, opponent=lambda state, rng: FOLD).reset(seed=0)


def test_a_closed_action_is_played_as_a_check_or_call():
    env = AgainstFixed(leduc(), seat=0)
    env.reset(seed=0)
    *_, info = env.step(0)  # there is nothing to fold to
    assert info == {"closed": True}
    assert env.poker.line[0][0] == CALL
    with pytest.raises(ValueError, match="0 to 2"):
        env.step(3)
    with pytest.raises(ValueError, match="seats are 0 to 1"):
        AgainstFixed(leduc(), seat=2)


def test_without_an_opponent_the_others_take_every_action_alike():
    env = AgainstFixed(leduc(), seat=1)
    first = []
    for hand in range(2000):
        env.reset(seed=0 if hand == 0 else None)
        first.append(env.poker.line[0][0])
    assert first.count(CALL) / len(first) == pytest.approx(1 / 2, abs=0.04)


def test_an_agent_is_an_opponent():
    env = AgainstFixed(holdem(), seat=0, opponent=make("call").act)
    env.reset(seed=0)
    assert env.poker.line == ((CALL,),)
