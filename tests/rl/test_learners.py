"""Learners of small games: against opponents that never change they approach the exact best response."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.agents import make
from ludus.arena.whole_strategy import whole_strategy
from ludus.games import kuhn, leduc
from ludus.rl.fixed_opponents import FixedOpponentLanes
from ludus.rl.nfsp import draw_rows
from ludus.rl.q_learning import QLearningSettings
from ludus.rl.training import LearnerPlan, train_learner, usual_settings
from ludus.solvers import Strategy, measure
from ludus.solvers.running import Limits

QUICK = {"dqn": {"lanes": 128, "explored": 30_000, "first": 1_000}}


def frozen(name, game):
    return whole_strategy(make(name, game), game, name)


def trained(algorithm, game, steps, against=None, seed=1, out=None, settings=None):
    opponent = frozen(against, game) if against else None
    settings = settings or replace(usual_settings(algorithm), **QUICK.get(algorithm, {}))
    return train_learner(LearnerPlan(algorithm, game, Limits(steps), opponent, settings, seed, out))


# Games against fixed opponents


@pytest.mark.parametrize("game", [kuhn(), leduc()], ids=lambda game: game.name)
def test_random_play_against_calls_earns_what_it_is_worth(game):
    """The mean of many games, seats taken in turn, beside the exact value of both strategies."""
    lanes = FixedOpponentLanes(game, frozen("call", game), 2000, np.random.default_rng(0))
    won, games = [], 0
    for _ in range(40):
        look = lanes.look()
        assert look.open.any(axis=1).all()
        rewards, over = lanes.step(draw_rows(look.open / look.open.sum(axis=1, keepdims=True), lanes.rng.random(2000)))
        assert not rewards[~over].any()
        won += (rewards[over, 0] * lanes.unit).tolist()
        games += over.sum()
    uniform = lanes.open / lanes.open.sum(axis=1, keepdims=True)
    wide = 4 * np.std(won) / len(won) ** 0.5
    assert np.mean(won) == pytest.approx(lanes.worth(uniform).value, abs=wide)


def test_the_best_response_to_calls_in_kuhn_bets_the_best_card_alone():
    """Betting wins 2 chips with one card of three, the middle one breaks even, the worst one loses 1 by checking."""
    lanes = FixedOpponentLanes(kuhn(), frozen("call", kuhn()), 2, np.random.default_rng(0))
    assert lanes.worth(lanes.open / lanes.open.sum(axis=1, keepdims=True)).best_response_value == pytest.approx(1 / 3)


# Learning


@pytest.mark.parametrize(
    ("algorithm", "against", "steps", "share"),
    [("q-learning", "call", 60_000, 0.99), ("q-learning", "random", 200_000, 0.9), ("dqn", "call", 60_000, 0.95)],
)
def test_kuhn_is_learnt_against_a_fixed_opponent(algorithm, against, steps, share):
    result = trained(algorithm, kuhn(), steps, against)
    assert share * result["best_response_value"] <= result["value"] <= result["best_response_value"] + 1e-9


def test_leduc_is_learnt_by_a_table():
    result = trained("q-learning", leduc(), 400_000, "call")
    assert 0.9 * result["best_response_value"] <= result["value"] <= result["best_response_value"] + 1e-9


@pytest.mark.parametrize("algorithm", ["q-learning", "dqn"])
def test_a_stopped_training_goes_on_to_the_same_policy(algorithm, tmp_path):
    trained(algorithm, kuhn(), 6_400, "random", out=tmp_path / "a")
    result = trained(algorithm, kuhn(), 12_800, "random", out=tmp_path / "a")
    trained(algorithm, kuhn(), 12_800, "random", out=tmp_path / "b")
    assert result["resumed_from"] == 6_400
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a.training").read_bytes() == (tmp_path / "b.training").read_bytes()


def test_self_play_by_a_table_is_exploitable_and_its_file_says_the_same(tmp_path):
    """A greedy policy is pure, and the best of the 4,096 pure profiles of Kuhn is exploitable by 1/6 of a chip."""
    result = trained("q-learning", kuhn(), 100_000, out=tmp_path / "policy")
    (found,) = measure(Strategy.load(tmp_path / "policy"))
    assert 1000 * found.exploitability == pytest.approx(result["exploitability_mbb"])
    assert result["exploitability_mbb"] >= 166.6


@pytest.mark.parametrize(
    ("settings", "odd"),
    [(QLearningSettings, {"power": 0.5}), (QLearningSettings, {"epsilon": 2}), (QLearningSettings, {"lanes": 0})],
)
def test_senseless_settings_are_refused(settings, odd):
    with pytest.raises(ValueError, match=rf"{next(iter(odd))} is .* got"):
        settings(**odd)


def test_unknown_learners_are_refused():
    with pytest.raises(ValueError, match="learners are q-learning"):
        usual_settings("sarsa")
