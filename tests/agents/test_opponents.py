"""What is known about opponents: counted hands and evidence."""

import numpy as np
import pytest

from ludus.agents import CallAgent, RaiseAgent, RandomAgent, TightAgent
from ludus.agents.base import learns
from ludus.agents.opponents import (
    CALLS,
    FOLDS,
    RAISES,
    SORTS,
    Opponents,
    Prior,
    Profile,
    evidence,
    expected_mean,
    read_hand,
    sorted_hands,
)
from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.arena.statistics import Statistics
from ludus.games import holdem
from ludus.games.record import replay


def played(betting, players=2, forfeits=False):
    game = holdem(players, stack=200)
    return replay(game, betting, game.deck, forfeits)


def counts(profile):
    """The kinds of decisions that there were."""
    return {
        (street, faces): tuple(profile.actions[street, faces].astype(int).tolist())
        for street in range(4)
        for faces in range(3)
        if profile.actions[street, faces].any()
    }


def test_the_frequencies_of_the_balanced_player_add_up():
    np.testing.assert_allclose(Prior().means.sum(axis=-1), 1)


# Counting


def test_a_hand_of_two_is_counted():
    first, button = read_hand(played("r6r18c/cr38c/cc/r68f"))
    assert counts(first) == {
        (0, 1): (0, 0, 1),
        (1, 0): (0, 1, 0),
        (1, 1): (0, 1, 0),
        (2, 0): (0, 1, 0),
        (3, 0): (0, 0, 1),
    }
    assert counts(button) == {
        (0, 0): (0, 0, 1), (0, 2): (0, 1, 0), (1, 0): (0, 0, 1), (2, 0): (0, 1, 0), (3, 1): (1, 0, 0)
    }  # fmt: skip


def test_hidden_cards_and_hands_in_progress_are_read_too():
    state = played("r6c/r8")
    assert counts(read_hand(state.seen_by(-1))[0]) == {(0, 1): (0, 1, 0), (1, 0): (0, 0, 1)}


def test_a_forfeit_is_no_decision():
    assert counts(read_hand(played("cc/f", forfeits=True))[0]) == {(0, 0): (0, 1, 0)}


def test_counts_are_those_of_match_statistics():
    """The arena counts the same hands in its own way."""
    names = "random", "loose", "tight"
    log = play_match(MatchPlan(holdem(3, stack=60), names, hands=300, seed=5)).log
    style = Statistics((log,)).style
    for player, name in enumerate(names):
        seen = [read_hand(hand.state(log.game))[hand.names.index(name)] for hand in log.hands]
        total = sum(seen[1:], seen[0])
        assert total.hands == 300
        kinds = style.actions[player]  # fold, check, call, raise, all-in
        ours = total.actions.sum(axis=1)
        assert ours[:, FOLDS].tolist() == kinds[:, 0].tolist()
        assert ours[:, CALLS].tolist() == kinds[:, 1:3].sum(axis=1).tolist()
        assert ours[:, RAISES].tolist() == kinds[:, 3:].sum(axis=1).tolist()
        if calls := kinds[1:, 2].sum():
            assert style.aggression(player) is not None
            assert total.actions[1:, 1:, CALLS].sum() == calls  # after the flop to call is to face a bet


class Watcher(CallAgent):
    """Sees everything and calls."""

    def __init__(self):
        self.opponents = Opponents()

    def observe(self, event):
        self.opponents.observe(event)


def test_opponents_are_told_apart_though_all_change_seats():
    watcher = Watcher()
    assert learns(watcher)
    agents = [watcher, TightAgent(), RandomAgent(), RaiseAgent()]
    plan = MatchPlan(holdem(4, stack=40), ("call", "tight", "random", "always-raise"), hands=41, seed=2)
    log = play_match(plan, agents=agents).log
    known = watcher.opponents.profiles
    assert sorted(known) == [1, 2, 3]
    for away, name in ((1, "tight"), (2, "random"), (3, "always-raise")):
        total = Profile()
        for hand in log.hands:
            total = total + read_hand(hand.state(log.game))[hand.names.index(name)]
        np.testing.assert_array_equal(known[away].actions, total.actions)
        assert known[away].hands == total.hands
    assert known[3].actions[:, :, FOLDS].sum() == 0


def test_what_was_expected_is_kept_with_what_was_done():
    asked = []

    def expects(away, before):
        asked.append((away, before.player))
        return np.full((SORTS, 3), 1 / SORTS / 3)

    watcher = Watcher()
    watcher.opponents = Opponents(expects)
    play_match(MatchPlan(holdem(2, stack=40), ("call", "random"), hands=20, seed=3), agents=[watcher, RandomAgent()])
    profile = watcher.opponents.profiles[1]
    assert len(asked) == profile.actions.sum() > 20
    np.testing.assert_allclose(profile.expected.sum(axis=(-1, -2)), profile.actions.sum(axis=-1))


def test_hands_are_sorted_by_what_is_done_with_them():
    chances = np.array([[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0], [0, 0, 1]], np.float64)
    found = sorted_hands(np.array([2.0, 1.0, 1.0, 0.0]), chances)
    assert found.sum() == pytest.approx(1)
    assert [row.tolist() for row in found if row.any()] == [[0, 0.25, 0], [0.125, 0.125, 0], [0.5, 0, 0]]


# Evidence


def drawn(means, decisions, seed):
    """A player who plays with given frequencies."""
    rng = np.random.default_rng(seed)
    return Profile(np.array([[rng.multinomial(decisions, row) for row in street] for street in means], np.float64))


def test_there_is_no_evidence_against_a_balanced_player():
    prior = Prior()
    found = [evidence(drawn(prior.means, 100, seed), prior) for seed in range(40)]
    assert np.mean(found) < 0.2
    assert max(found) < 5
    assert evidence(Profile(), prior) == 0


def test_evidence_grows_with_what_is_seen():
    prior = Prior()
    station = np.tile(np.array([0.0, 1.0, 0.0]), (4, 3, 1))
    found = [evidence(Profile(station * count), prior) for count in (1, 5, 20, 100)]
    assert found == sorted(found)
    assert found[2] > 30
    # n * KL(call always, balanced) in each kind, less the frequencies that are free
    assert found[3] == pytest.approx(-100 * np.log(prior.means[..., CALLS]).sum() - 9 * 2 - 3, rel=1e-3)


def test_whoever_faces_larger_bets_may_fold_more():
    prior, actions, spots = Prior(), np.zeros((4, 3, 3)), np.zeros((4, 3, SORTS, 3))
    actions[3, 1] = 80, 20, 0
    spots[3, 1, 6, FOLDS], spots[3, 1, 0, CALLS] = 80, 20
    assert evidence(Profile(actions), prior) > 10
    assert evidence(Profile(actions, spots), prior) == 0
    np.testing.assert_allclose(expected_mean(Profile(actions, spots), prior, (3, 1)), [0.8, 0.2, 0])


# Bad input


def test_profiles_are_checked():
    with pytest.raises(ValueError, match="shape"):
        Profile(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="counts from 0"):
        Profile(np.full((4, 3, 3), np.nan))
    with pytest.raises(ValueError, match="0 hands or more"):
        Profile(hands=-1)
    with pytest.raises(ValueError, match="every kind"):
        Prior(Profile())
    with pytest.raises(ValueError, match="more than 0"):
        Prior(strength=0)
