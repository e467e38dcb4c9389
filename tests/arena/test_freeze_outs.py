"""Compiled freeze-outs: the compiled players do what the agents do, and games end as they do."""

import numpy as np
import pytest

from ludus.agents import make
from ludus.agents.base import Event
from ludus.agents.expert.guesses import EXAMPLE, MODEL
from ludus.agents.simple import RandomAgent
from ludus.arena.freeze_outs import compiled_player, decide, play_session, random_action
from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.arena.statistics import Statistics
from ludus.cards.random import next_state, streams, uniform
from ludus.games import CHANCE, TERMINAL, holdem
from ludus.games.compiled.engine import RULES, act, empty_hand, new_hand, rules_of

GAME = holdem(stack=100, blinds=(5, 10))
FITTED = "heuristic-mc:size=1,ahead=0.6,least=0.6"


def both_engines(hands: int, seed: int, told=None):
    """States of random hands with uneven stacks, in the readable and in the compiled engine."""
    rng = np.random.default_rng(seed)
    for _ in range(hands):
        stacks = int(rng.integers(1, 200))
        game = holdem(stack=(stacks, 200 - stacks), blinds=(5, 10))
        table, hand = np.zeros(1, RULES), empty_hand()
        table[0] = rules_of(game)
        new_hand(table[0], hand)
        deck = rng.permutation(52).astype(np.uint8)
        state = game.start().deal(deck.tolist())
        if told:
            told(Event(0, state.seen_by(0)))
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(deck.tolist())
                continue
            yield state, table[0], hand, deck
            player, action = state.player, RandomAgent().act(state, rng)
            act(table[0], hand, action)
            state = state.apply(action)
            while state.player == CHANCE:
                state = state.deal(deck.tolist())
            if told:
                told(Event(0, state.seen_by(0), player, action))


@pytest.mark.parametrize("spec", ["expert", "expert:size=0.5,strong=0.7,good=0.5", "call"])
def test_a_compiled_player_does_what_the_agent_does(spec):
    agent, rng = make(spec), np.random.default_rng(0)
    record, model, spare = compiled_player(agent)[0], np.zeros(1, MODEL)[0], np.zeros(1, EXAMPLE)[0]
    ((s0, s1),) = streams(1, 1)
    for state, rules, hand, deck in both_engines(60, seed=4):
        action, _, _ = decide(record, rules, hand, deck, model, spare, s0, s1)
        assert agent.act(state.seen_by(state.player), rng) == action


def test_the_expert_with_a_model_does_what_the_agent_does():
    """The agent learns from hands with a random player; both decide by what it knows then."""
    agent = make("expert:model,bayes=20,network=0,bluffs=0.3")
    spare, exploited = np.zeros(1, EXAMPLE)[0], 0
    ((s0, s1),) = streams(3, 1)
    for state, rules, hand, deck in both_engines(80, seed=5, told=agent.observe):
        action, _, _ = decide(compiled_player(agent)[0], rules, hand, deck, agent.model.record[0], spare, s0, s1)
        assert agent.choice(state.seen_by(state.player), uniform(s0, s1)) == action
        exploited += action != agent.expert.choice(state.seen_by(state.player))
        s0, s1 = next_state(s0, s1)
    assert agent.model.count > 60
    assert exploited > 5


def test_the_random_player_draws_as_the_agent():
    for at, (state, *_) in enumerate(both_engines(30, seed=6)):
        u = np.random.default_rng(at).random()
        low, high = state.raise_bounds() or (0, 0)
        found = random_action(u, state.to_call() > 0, low, high)
        assert RandomAgent().act(state, np.random.default_rng(at)) == found


@pytest.mark.parametrize(("one", "two"), [("expert", "call"), ("heuristic-mc", "random")])
def test_games_end_as_often_as_in_matches(one, two):
    games = 300
    found = play_session(GAME, [make(one), make(two)], 3000, seed=2)
    assert set(found.chips.tolist()) == {0, 200}
    plan = MatchPlan(GAME, (one, two), games, seed=3, freezeout=True)
    played = Statistics((play_match(plan).log,))
    wins = (played.per_unit(played.won[0]) > 0).mean()
    assert wins == pytest.approx((found.chips > 0).mean(), abs=3.5 * 0.5 / games**0.5)
    assert found.hands.mean() == pytest.approx(len(played.hands) / games, rel=0.2)


def test_a_session_is_the_same_for_a_seed_and_other_for_another_stream():
    def played(stream):
        return play_session(GAME, [make("expert:model,bayes=20,network=0"), make(FITTED)], 60, 1, stream)

    one, again, other = played(0), played(0), played(1)
    assert one.chips.tolist() == again.chips.tolist()
    assert one.model.record.tobytes() == again.model.record.tobytes()
    assert one.chips.tolist() != other.chips.tolist()
    assert one.model.share_right() > 0.5


def test_a_model_pays_against_one_who_folds():
    """Bluffing from an even chance on, it wins much more from HeuristicMC than the expert does."""
    plain = play_session(GAME, [make("expert"), make(FITTED)], 600, 1)
    model = play_session(GAME, [make("expert:model,network=0,bluffs=0.5"), make(FITTED)], 600, 1)
    assert (model.chips > 0).mean() > (plain.chips > 0).mean() + 0.08


def test_what_is_not_compiled_is_named():
    with pytest.raises(ValueError, match="for random, call, heuristic-mc and expert"):
        play_session(GAME, [make("tight"), make("call")], 2, 1)
    with pytest.raises(ValueError, match="only the first player"):
        play_session(GAME, [make("call"), make("expert:model")], 2, 1)
    with pytest.raises(ValueError, match="two players with equal stacks"):
        play_session(holdem(stack=(50, 150)), [make("call"), make("call")], 2, 1)
