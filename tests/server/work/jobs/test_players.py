"""The AI's turns as the players' process plays them."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.games import CALL, FOLD, holdem
from ludus.games.record import dealt
from ludus.protocols.histories import PlayedHand
from ludus.server.hands.histories import write_record
from ludus.server.hands.opponents import without_cards
from ludus.server.tables.config import SMALL, TableConfig, agents_at
from ludus.server.work.jobs.memory import learnt, remember
from ludus.server.work.jobs.players import _play_some, act, play
from ludus.server.work.wire import from_wire, to_wire
from server_hands import dealt_out


def observation(game, cards, *actions):
    """What the player to act sees of a small game at a table, with a deck that begins with some cards."""
    config = TableConfig(game=game)
    rules = config.game_of([config.stack] * 2)
    deck = [*cards, *(card for card in rules.deck if card not in cards)]
    state = dealt(rules.start(), deck)
    for action in actions:
        state = dealt(state.apply(action), deck)
    return state.seen_by(state.player)


QUEEN, KING, ACE = 43, 47, 51  # the deck of Kuhn poker


@pytest.mark.parametrize(
    ("cards", "actions", "wanted"),
    [
        ((QUEEN, ACE), (2,), CALL),  # the best card calls a bet
        ((ACE, QUEEN), (2,), FOLD),  # the worst folds
        ((KING, QUEEN), (), CALL),  # the middle one never bets first
        ((QUEEN, ACE), (CALL,), 2),  # the best card bets when it was checked to
    ],
)
def test_the_equilibrium_of_kuhn_poker_does_what_it_must(cards, actions, wanted):
    seen = observation("kuhn", cards, *actions)
    rng = np.random.default_rng(1)
    assert {play("equilibrium", seen, rng) for _ in range(50)} == {wanted}


def test_the_equilibrium_of_kuhn_poker_bluffs_and_calls_as_often_as_it_must():
    rng = np.random.default_rng(1)
    checked = observation("kuhn", (ACE, QUEEN), CALL)
    bluffs = np.mean([play("equilibrium", checked, rng) == 2 for _ in range(3000)])
    assert bluffs == pytest.approx(1 / 3, abs=0.05)
    facing = observation("kuhn", (ACE, KING), 2)
    calls = np.mean([play("equilibrium", facing, rng) == CALL for _ in range(3000)])
    assert calls == pytest.approx(1 / 3, abs=0.05)


@pytest.mark.parametrize("game", SMALL)
def test_whoever_is_offered_at_a_small_game_plays_there(game):
    for name in agents_at(game):
        _play_some(name, TableConfig(game=game))


def test_the_equilibrium_plays_leduc_at_finite_stacks():
    rng = np.random.default_rng(1)
    seen = observation("leduc", (39, 46), CALL, 3)  # a jack that is raised by a king
    for _ in range(20):
        assert play("equilibrium", seen, rng) in seen.legal_actions()


def test_a_state_comes_back_from_the_wire_and_equal_games_are_one():
    game = holdem(3, stack=(50, 60, 70))
    deck = list(reversed(game.deck))
    state = dealt(game.start(), deck)
    for action in (6, CALL, FOLD):
        state = dealt(state.apply(action), deck)
    seen = state.seen_by(state.player)
    back = from_wire(to_wire(seen))
    assert (back.cards, back.line, back.stacks, back.bets, back.player) == (
        seen.cards, seen.line, seen.stacks, seen.bets, seen.player,
    )  # fmt: skip
    assert tuple(back.legal_actions()) == tuple(seen.legal_actions())
    assert back.game is from_wire(to_wire(seen)).game
    assert back.game is not from_wire(to_wire(dealt(replace(game, stacks=(50, 60, 71)).start(), deck))).game


def test_one_agent_that_fails_does_not_harm_the_others():
    state = dealt(holdem().start(), holdem().deck)
    wire = to_wire(state.seen_by(state.player))
    turns = [{"agent": agent, "seed": 1, "state": wire} for agent in ("call", "nobody", "call")]
    assert act(turns) == [CALL, None, CALL]


def test_the_same_seed_is_the_same_action():
    state = dealt(holdem().start(), holdem().deck)
    turn = {"agent": "random", "seed": 7, "state": to_wire(state.seen_by(state.player))}
    actions = act([turn] * 5)
    assert len(set(actions)) == 1
    others = act([{**turn, "seed": seed} for seed in range(40)])
    assert len(set(others)) > 1


def station(hands=12):
    """What is known of one who calls everything, at the river too."""
    state = dealt_out(holdem(), "AhAd 7s2d Kc8c3d4h9s", 0, 6, 0, 4, 0, 8, 0, 20, 0)
    record = without_cards(write_record(PlayedHand(state, ("a", "b"), 1)))
    return remember([{"record": record, "agents": ["exploiter", "somebody"]}] * hands, ["somebody", "a stranger"])


def test_the_exploiter_goes_by_what_it_is_told_and_keeps_nothing():
    """A pair on the river that the blueprint seldom bets: against one who calls everything it does."""
    known = station()
    assert list(known) == ["somebody"]
    assert known["somebody"]["hands"] == 12
    state = dealt_out(holdem(), "KhJd 7s2d Ks8c3d4h9s", 0, 0, 0, 0, 0, 0).seen_by(0)
    turn = {"agent": "exploiter", "state": to_wire(state)}
    bets = []
    for told in ({}, {"1": known["somebody"]}, {}):
        turns = [{**turn, "seed": seed, "known": told} for seed in range(40)]
        actions = act(turns)
        assert all(action in state.legal_actions() for action in actions)
        bets.append(sum(action > CALL for action in actions))
    assert bets[1] >= bets[0] + 5
    assert bets[2] == bets[0]


@pytest.mark.slow
def test_the_exploiter_plays_at_a_table_of_six():  # it builds the tables of the shipped buckets
    game, profile = holdem(6), station()["somebody"]
    state = dealt(game.start(), game.deck)
    turn = {"agent": "exploiter", "seed": 1, "state": to_wire(state.seen_by(state.player))}
    [action] = act([{**turn, "known": {str(seat): profile for seat in range(6)}}])
    assert action in state.legal_actions()


def test_what_is_learnt_of_a_player_is_where_they_differ():
    record = without_cards(write_record(PlayedHand(dealt_out(holdem(), "AhAd 7s2d", 6, -1), ("a", "b"), 1)))
    hands = [{"record": record, "agents": ["folder", "raiser"]}] * 30
    found = learnt(hands, "folder", 2)
    assert (found["hands"], [(habit["street"], habit["bets"]) for habit in found["habits"]]) == (30, [(0, 1)])
    [habit] = found["habits"]
    assert (habit["chances"], habit["done"]) == (30, (1.0, 0.0, 0.0))
    assert sum(habit["balanced"]) == pytest.approx(1)
    assert habit["balanced"][0] < 0.7
    assert 0.5 < found["trust"] <= 0.8
    assert learnt(hands[:2], "folder", 2)["habits"] == []  # too few
    assert learnt([], "nobody", 6) == {"hands": 0, "trust": 0, "habits": []}
