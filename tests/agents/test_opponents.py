"""What is known about opponents: counted hands, shrinkage, evidence and files."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    Rate,
    balanced_profile,
    evidence,
    expected_mean,
    load_profile,
    profile_text,
    read_hand,
    read_profile,
    save_profile,
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


def habits(profile):
    return [tuple(row) for row in profile.habits.astype(int).tolist()]


# Shrinkage


def test_shrinkage_on_known_numbers():
    assert Rate(0, 0).shrunk(0.3, 10) == pytest.approx(0.3)
    assert Rate(10, 10).shrunk(0.3, 10) == pytest.approx(0.65)
    assert Rate(90, 90).shrunk(0.3, 10) == pytest.approx(0.93)
    assert Rate(3, 4).share == 0.75
    assert Rate(0, 0).share is None


@given(st.integers(0, 50), st.integers(0, 50), st.floats(0, 1), st.floats(0.1, 100))
def test_the_estimate_lies_between_what_was_seen_and_the_prior(times, others, mean, strength):
    rate = Rate(times, times + others)
    seen = mean if rate.share is None else rate.share
    assert min(mean, seen) - 1e-9 <= rate.shrunk(mean, strength) <= max(mean, seen) + 1e-9


def test_all_frequencies_of_an_unknown_player_are_the_balanced_ones():
    prior = Prior()
    known = {name: rate.share for name, rate in balanced_profile().rates().items()}
    assert prior.shrunk(Profile()) == pytest.approx(known)
    np.testing.assert_allclose(prior.means.sum(axis=-1), 1)


def test_a_calling_station_converges():
    prior, folds = Prior(strength=12), []
    for hands in (1, 10, 100, 1000):
        actions = np.zeros((4, 3, 3))
        actions[1, 1, CALLS] = hands
        folds.append(prior.shrunk(Profile(actions))["fold to bet flop"])
    assert folds == sorted(folds, reverse=True)
    mean = prior.means[1, 1, FOLDS]
    assert folds[2] == pytest.approx(12 * mean / 112)
    assert folds[3] < 0.01


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
    assert habits(first) == [(1, 1), (1, 1), (1, 1), (0, 0), (0, 1)]
    assert habits(button) == [(1, 1), (1, 1), (0, 0), (0, 1), (0, 1)]


def test_frequencies_have_names():
    first, button = (profile.rates() for profile in read_hand(played("r6r18c/cr38c/cc/r68f")))
    assert button["bet flop"] == (1, 1)
    assert first["bet flop"] == (0, 1)
    assert first["fold to bet flop"] == (0, 1)
    assert button["fold to bet river"] == (1, 1)
    assert button["fold to raise pre-flop"] == (0, 1)
    assert first["raise bet pre-flop"] == (1, 1)
    assert first["aggression flop"] == (0, 1)
    assert first["aggression turn"] == (0, 0)
    assert button["aggression pre-flop"] == (1, 2)
    assert button["fold_to_three_bet"] == (0, 1)


@pytest.mark.parametrize(
    ("betting", "seat", "expected"),
    [
        ("fff", 3, [(0, 1), (0, 1), (0, 0), (0, 0), (0, 0)]),
        ("r6r18fff", 2, [(1, 1), (1, 1), (0, 0), (1, 1), (0, 0)]),  # raises first and folds to a 3-bet
        ("r6r18fff", 3, [(1, 1), (1, 1), (1, 1), (0, 0), (0, 0)]),  # makes it
        ("r6cr30fff", 3, [(1, 1), (0, 1), (0, 1), (0, 0), (0, 0)]),  # only calls the first raise, then folds
        ("cccc/", 1, [(0, 1), (0, 1), (0, 0), (0, 0), (0, 0)]),  # a check in the big blind is no payment
        ("r200ffc///", 1, [(1, 1), (0, 1), (0, 1), (0, 0), (1, 1)]),  # all-in before the flop comes to a showdown
        ("r6ccc/cccc/cccc/cccr16fff", 2, [(1, 1), (1, 1), (0, 0), (0, 0), (0, 1)]),
    ],
)
def test_habits_at_a_table_of_four(betting, seat, expected):
    assert habits(read_hand(played(betting, players=4))[seat]) == expected


def test_hidden_cards_and_hands_in_progress_are_read_too():
    state = played("r6c/r8")
    assert counts(read_hand(state.seen_by(-1))[0]) == {(0, 1): (0, 1, 0), (1, 0): (0, 0, 1)}
    assert habits(read_hand(state)[0])[4] == (0, 0)  # a showdown may still come


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
        assert total.habits[:2, 0].tolist() == [style.paid[player], style.raised[player]]
        assert total.habits[4, 0] == style.shown[player]
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
        np.testing.assert_array_equal(known[away].habits, total.habits)
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


# Bad input and files


def test_profiles_are_checked():
    with pytest.raises(ValueError, match="shape"):
        Profile(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="counts from 0"):
        Profile(np.full((4, 3, 3), np.nan))
    with pytest.raises(ValueError, match="more often"):
        Profile(habits=np.tile([2.0, 1.0], (5, 1)))
    with pytest.raises(ValueError, match="every kind"):
        Prior(Profile())
    with pytest.raises(ValueError, match="more than 0"):
        Prior(strength=0)


@given(st.integers(0, 2**32 - 1))
def test_profiles_survive_files(seed):
    rng = np.random.default_rng(seed)
    one = Profile(
        rng.integers(0, 99, (4, 3, 3)) * 1.0, rng.random((4, 3, SORTS, 3)), np.sort(rng.integers(0, 9, (5, 2)) * 1.0)
    )
    back = read_profile(profile_text(one))
    for name in ("actions", "expected", "habits"):
        np.testing.assert_allclose(getattr(back, name), getattr(one, name), atol=1e-6)


def test_files_are_written_and_read(tmp_path):
    path = tmp_path / "villain.json"
    save_profile(path, balanced_profile())
    np.testing.assert_array_equal(load_profile(path).actions, balanced_profile().actions)
    path.write_text("{")
    with pytest.raises(ValueError, match=r"villain.json: this is not the profile"):
        load_profile(path)


GOOD = json.loads(profile_text(balanced_profile()))


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", "{}", '{"format": 2}', "[" * 50_000, " " * 200_000,
        json.dumps({**GOOD, "actions": [[1, 2], [3]]}),
        json.dumps({**GOOD, "actions": "many"}),
        json.dumps({**GOOD, "expected": None}),
        json.dumps({**GOOD, "habits": [[-1, 2]] * 5}),
        json.dumps({**GOOD, "habits": [[1e300, 1e300]] * 5}),
        json.dumps({**GOOD, "habits": [[float("nan"), 1]] * 5}),
        json.dumps({**GOOD, "habits": [[10**400, 1]] * 5}),
        json.dumps({name: value for name, value in GOOD.items() if name != "habits"}),
    ],
)  # fmt: skip
def test_damaged_profiles_are_refused(text):
    with pytest.raises(ValueError, match="profile"):
        read_profile(text)
