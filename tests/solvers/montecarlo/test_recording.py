"""Walks that write down what they find, against a recursive reference with the same random numbers."""

import numpy as np
import pytest

from ludus.cards.random import next_state, streams, uniform
from ludus.games import kuhn, leduc, leduc_nl
from ludus.solvers.montecarlo.recording import Recorder
from ludus.trees.flat import flatten

GAMES = [kuhn(), leduc(), leduc_nl(), kuhn(players=3)]


def a_strategy(flat, seed, zeros=0.0):
    """Any strategy, some of whose probabilities are 0."""
    rng, table = np.random.default_rng(seed), np.zeros(flat.entries)
    for start, actions in zip(flat.groups["start"], flat.groups["actions"], strict=True):
        weights = rng.random(actions) * (rng.random(actions) >= zeros) + 1e-9 * (zeros == 0)
        weights[rng.integers(actions)] += 1
        table[start : start + actions] = weights / weights.sum()
    return table


def reference(flat, walker, walks, strategy, random):
    """What ``Recorder.walk`` finds, by recursion."""
    own, others, touched, state = [], [], 0, [np.uint64(random[0]), np.uint64(random[1])]

    def draw():
        drawn = uniform(*state)
        state[:] = map(np.uint64, next_state(*state))
        return drawn

    def value(node):
        nonlocal touched
        touched += 1
        at = flat.nodes[node]
        player, children = int(at["player"]), range(int(at["first"]), int(at["first"]) + int(at["count"]))
        if not children:
            return flat.payoffs[at["leaf"], 0, walker]
        if player < 0:
            chances = flat.nodes["probability"][children]
            return value(children[int((np.cumsum(chances)[:-1] <= draw()).sum())])
        chances = strategy[int(at["start"]) : int(at["start"]) + len(children)]
        if player != walker:
            others.append(int(at["group"]))
            return value(children[int((np.cumsum(chances)[:-1] <= draw()).sum())])
        found = np.array([value(child) for child in children])
        own.append((int(at["group"]), found - chances @ found))
        return chances @ found

    for _ in range(walks):
        value(0)
    return own, others, touched


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_kernel_matches_the_reference(game):
    flat = flatten(game, public=False)
    recorder, strategy = Recorder(flat), a_strategy(flat, 3)
    for walker in range(game.players):
        random = streams(5 + walker, 1)[0].copy()
        own, others, touched = reference(flat, walker, 60, strategy, random)
        found = recorder.walk(walker, 60, strategy, random)
        assert found.groups.tolist() == [group for group, _ in own]
        for gained, (_, wanted) in zip(found.advantages, own, strict=True):
            np.testing.assert_allclose(gained[: len(wanted)], wanted, rtol=1e-5, atol=1e-5)
            assert not gained[len(wanted) :].any()
        assert (found.others.tolist(), found.touched) == (others, touched)


def test_the_mean_over_walks_is_the_counterfactual_regret():
    """Of Kuhn's first player who bets each card half of the time, against one who calls half of the time."""
    flat = flatten(kuhn(), public=False)
    half, walks = np.full(flat.entries, 0.5), 200_000
    found = Recorder(flat).walk(0, walks, half, streams(1, 1)[0].copy())
    for card, wins in zip("QKA", (0.0, 0.5, 1.0), strict=True):
        (group,) = (at for at, name in enumerate(flat.group_names) if name.startswith(card) and name.endswith(":"))
        bet = 0.5 * 1 + 0.5 * (4 * wins - 2)  # the opponent folds, or calls
        check = 0.5 * (2 * wins - 1) + 0.5 * (0.5 * -1 + 0.5 * (4 * wins - 2))  # the opponent checks, or bets
        gained = found.advantages[found.groups == group].sum(axis=0) / walks
        np.testing.assert_allclose(gained[:2], np.array([check - bet, bet - check]) / 2 / 3, atol=0.01)


def test_walks_never_take_an_action_of_no_probability():
    flat = flatten(leduc(), public=False)
    strategy = a_strategy(flat, 7, zeros=0.5)
    players = flat.groups["player"]
    reached = np.zeros(len(players), bool)
    reached[Recorder(flat).walk(0, 5000, strategy, streams(2, 1)[0].copy()).others] = True
    for node in np.flatnonzero(flat.nodes["player"] == 1):
        at = flat.nodes[node]
        for action in range(at["count"]):
            below = flat.nodes[at["first"] + action]
            if strategy[at["start"] + action] == 0 and below["player"] == 0:
                later = flat.nodes[below["first"] : below["first"] + below["count"]]
                assert not any(reached[each["group"]] for each in later if each["player"] == 1)


def test_bad_calls_are_refused():
    flat = flatten(kuhn(), public=False)
    recorder, random = Recorder(flat), streams(1, 1)[0].copy()
    with pytest.raises(ValueError, match="history form"):
        Recorder(flatten(kuhn()))
    with pytest.raises(ValueError, match="24 numbers"):
        recorder.walk(0, 1, np.zeros(3), random)
    with pytest.raises(ValueError, match="player 2"):
        recorder.walk(2, 1, np.full(flat.entries, 0.5), random)
    assert recorder.walk(0, 0, np.full(flat.entries, 0.5), random).touched == 0
