"""The contract of every agent, and what is known of the simple ones."""

import numpy as np
import pytest

from ludus import agents, games
from ludus.agents import AGENTS, CallAgent, HeuristicAgent, RandomAgent
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, PokerGame, holdem

TABLES = {
    "holdem": holdem(),
    "holdem-5": holdem(players=5, stack=(10, 50, 200, 3, 90)),
    "limit": holdem(players=3, betting="limit"),
    "kuhn": games.kuhn(),
    "kuhn3": games.kuhn(players=3),
    "leduc": games.leduc(),
    "leduc-nl": games.leduc_nl(),
}


def play(game: PokerGame, players: list, hands: int, seed: int) -> np.ndarray:
    """Chips won by each player in hands whose seats rotate: [hands, players]."""
    rng, results = np.random.default_rng(seed), []
    for hand in range(hands):
        deck, state, n = rng.permutation(game.deck).tolist(), game.start(), game.players
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(deck)
                continue
            action = players[(state.player + hand) % n].act(state.seen_by(state.player), rng)
            assert action in state.legal_actions()
            state = state.apply(action)
        won = state.returns()
        results.append([won[(player - hand) % n] for player in range(n)])
    return np.array(results)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", AGENTS)
def test_agents_play_legally_and_the_same_for_a_seed(name, table):
    game = TABLES[table]
    players = [agents.make(name), *[RandomAgent()] * (game.players - 1)]
    first = play(game, players, 40, seed=5)
    np.testing.assert_array_equal(first, play(game, players, 40, seed=5))
    assert first.sum() == pytest.approx(0)


def test_random_calls_three_times_in_five():
    state = holdem().start().deal(range(52))
    rng = np.random.default_rng(0)
    actions = [RandomAgent().act(state, rng) for _ in range(20000)]
    shares = [actions.count(CALL) / 20000, actions.count(FOLD) / 20000]
    assert shares == pytest.approx([0.6, 0.2], abs=0.012)
    assert {action for action in actions if action > 0} == set(range(4, 201))
    checked = state.apply(CALL)  # nothing to fold to: raises take all of the rest
    actions = [RandomAgent().act(checked, rng) for _ in range(20000)]
    assert actions.count(CALL) / 20000 == pytest.approx(0.6, abs=0.012)
    assert FOLD not in actions


def test_call_always_calls():
    rng = np.random.default_rng(0)
    assert CallAgent().act(holdem().start().deal(range(52)), rng) == CALL


@pytest.mark.parametrize(("cards", "expected"), [("AhAd2c7s", "raise"), ("7s2cAhAd", "fold")])
def test_heuristic_raises_the_pot_when_ahead_and_folds_when_the_price_is_too_high(cards, expected):
    game = holdem()
    deck = games.poker.CARDS
    state = game.start()
    for at in range(0, 8, 2):
        state = state.apply(deck.index(cards[at : at + 2]))
    state = state.apply(200).seen_by(0) if expected == "fold" else state.apply(6).seen_by(0)
    action = HeuristicAgent().act(state, np.random.default_rng(1))
    assert action == (FOLD if expected == "fold" else 18)


@pytest.mark.parametrize(("share", "action"), [(0.24, FOLD), (0.26, CALL)])
def test_heuristic_calls_when_the_price_is_right(share, action, monkeypatch):
    """Facing a raise to 4, which costs 2 to win 6: a quarter of the pot is the price."""
    state = holdem(stack=4).start().deal(range(52)).apply(4).seen_by(0)
    monkeypatch.setattr(HeuristicAgent, "winning_share", lambda *_: share)
    assert HeuristicAgent().act(state, np.random.default_rng(0)) == action


def test_heuristic_knows_its_chances():
    game = holdem()
    state = game.start().deal([50, 46, 43, 41, *range(4)]).apply(CALL).seen_by(0)  # AhKh in the big blind
    share = HeuristicAgent(20000).winning_share(state, 1, np.random.default_rng(3))
    assert share == pytest.approx(0.6704, abs=0.012)


def test_heuristic_beats_random():
    won = play(holdem(), [HeuristicAgent(100), RandomAgent()], 400, seed=9)[:, 0]
    assert won.mean() > 3 * won.std() / np.sqrt(len(won))


def test_unknown_agents_are_named():
    with pytest.raises(ValueError, match="no player 'shark'; there are random, call, heuristic-mc"):
        agents.make("shark")
    with pytest.raises(ValueError, match="at least 1"):
        HeuristicAgent(0)
