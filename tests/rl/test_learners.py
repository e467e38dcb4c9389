"""Learners of small games: against opponents that never change they approach the exact best response."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.agents import make
from ludus.arena.whole_strategy import whole_strategy
from ludus.games import kuhn, leduc
from ludus.games.learning.blop import BlopConfig
from ludus.rl.a3c import A3cSettings, Shared, Worker
from ludus.rl.actor_critic import ActorCriticSettings
from ludus.rl.blop import BlopLanes
from ludus.rl.dqn import DqnSettings
from ludus.rl.fixed_opponents import FixedOpponentLanes
from ludus.rl.learner import outputs
from ludus.rl.nfsp import draw_rows
from ludus.rl.policy import Shape
from ludus.rl.q_learning import QLearningSettings
from ludus.rl.reinforce import Reinforce, ReinforceSettings, credit
from ludus.rl.small_games import SmallGameLanes
from ludus.rl.training import LearnerPlan, train_learner, usual_settings
from ludus.solvers import Strategy, measure
from ludus.solvers.running import Limits

QUICK = {"dqn": {"lanes": 128, "explored": 30_000, "first": 1_000}, "a3c": {"synchronous": True}}


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


@pytest.mark.parametrize(
    ("game", "theirs"), [(kuhn(), "kuhn_poker"), (leduc(), "leduc_poker")], ids=lambda each: str(each)
)
def test_the_best_response_to_calls_is_worth_what_open_spiel_finds(game, theirs):
    spiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy
    from open_spiel.python.algorithms.best_response import BestResponsePolicy

    class Call(policy.Policy):
        def action_probabilities(self, state, player_id=None):
            named = {state.action_to_string(action): action for action in state.legal_actions()}
            bet = state.history()[2:].count(1) > 0  # in Kuhn, where a bet is answered by Bet
            return {named["Call" if "Call" in named else "Bet" if bet else "Pass"]: 1.0}

    other = spiel.load_game(theirs)
    calls = Call(other, [0, 1])
    values = [BestResponsePolicy(other, seat, calls).value(other.new_initial_state()) for seat in range(2)]
    lanes = FixedOpponentLanes(game, frozen("call", game), 2, np.random.default_rng(0))
    ours = lanes.worth(lanes.open / lanes.open.sum(axis=1, keepdims=True))
    assert ours.best_seats == pytest.approx(values)


# Learning


@pytest.mark.parametrize(
    ("algorithm", "against", "steps", "share"),
    [
        ("q-learning", "call", 60_000, 0.99),
        ("q-learning", "random", 200_000, 0.9),
        ("dqn", "call", 60_000, 0.95),
        ("reinforce", "call", 150_000, 0.95),
        ("actor-critic", "call", 150_000, 0.95),
        ("a3c", "call", 150_000, 0.95),
    ],
)
def test_kuhn_is_learnt_against_a_fixed_opponent(algorithm, against, steps, share):
    result = trained(algorithm, kuhn(), steps, against)
    assert share * result["best_response_value"] <= result["value"] <= result["best_response_value"] + 1e-9


def test_leduc_is_learnt_by_a_table():
    result = trained("q-learning", leduc(), 400_000, "call")
    assert 0.9 * result["best_response_value"] <= result["value"] <= result["best_response_value"] + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "steps"), [("dqn", 600_000), ("a3c", 700_000)])
def test_leduc_is_learnt_by_networks(algorithm, steps):
    """As the commands do it, so A3C's workers wait for nobody."""
    result = trained(algorithm, leduc(), steps, "call", settings=usual_settings(algorithm))
    assert 0.9 * result["best_response_value"] <= result["value"] <= result["best_response_value"] + 1e-9


@pytest.mark.parametrize("algorithm", ["q-learning", "dqn", "reinforce", "actor-critic", "a3c"])
def test_a_stopped_training_goes_on_to_the_same_policy(algorithm, tmp_path):
    trained(algorithm, kuhn(), 6_400, "random", out=tmp_path / "a")
    result = trained(algorithm, kuhn(), 12_800, "random", out=tmp_path / "a")
    trained(algorithm, kuhn(), 12_800, "random", out=tmp_path / "b")
    assert result["resumed_from"] >= 6_400
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a.training").read_bytes() == (tmp_path / "b.training").read_bytes()


def test_self_play_by_a_table_is_exploitable_and_its_file_says_the_same(tmp_path):
    """A greedy policy is pure, and the best of the 4,096 pure profiles of Kuhn is exploitable by 1/6 of a chip."""
    result = trained("q-learning", kuhn(), 100_000, out=tmp_path / "policy")
    (found,) = measure(Strategy.load(tmp_path / "policy"))
    assert 1000 * found.exploitability == pytest.approx(result["exploitability_mbb"])
    assert result["exploitability_mbb"] >= 166.6


def test_asynchronous_workers_learn():
    result = trained("a3c", kuhn(), 150_000, "call", settings=usual_settings("a3c"))
    assert result["settings"]["synchronous"] is False
    assert result["value"] > 0.95 * result["best_response_value"]


def test_returns_of_workers_are_rewards_then_the_value_of_the_last_row():
    """Both seats of one game of Leduc after the other, beside the plain sum decision by decision."""
    lanes = SmallGameLanes(leduc(), 1, np.random.default_rng(4))
    shared = Shared(Shape(lanes.inputs, lanes.actions + 1), replace(usual_settings("a3c"), lanes=1), seed=1)
    worker = Worker(lanes, shared)
    moved = [rows for _ in range(30) for rows in worker._step() if len(rows["row"])]
    found = worker._returns(moved)["return"]
    parts = [(rows, at) for rows in moved for at in range(len(rows["row"]))]
    for number, (rows, at) in enumerate(parts):
        later = [each for each in parts[number + 1 :] if each[0]["seat"][each[1]] == rows["seat"][at]]
        chain = [(rows, at), *later]
        end = next((place for place, (each, which) in enumerate(chain) if each["over"][which]), None)
        total = sum(each["reward"][which] for each, which in (chain if end is None else chain[: end + 1]))
        if end is None:
            last, which = chain[-1]
            total += outputs(worker.network, lanes, last["next"])[which, -1].item()
        assert found[number] == pytest.approx(total, abs=1e-6)


@pytest.fixture
def blop():
    """A small board, where every move costs."""
    config = BlopConfig(size=4, start=(0, 0), exit=(3, 3), enemy=(0, 3), enemy_reward=-5.0, max_steps=20)
    lanes = BlopLanes(config, 64, np.random.default_rng(1))
    return Reinforce(lanes, ReinforceSettings(convolutions=(4,), dense=(16,), lanes=64), seed=1)


def test_credit_for_what_comes_later_has_a_gradient_of_less_variance(blop):
    variance = blop.gradient_variance(30)
    assert variance["baseline"] < variance["reward-to-go"] < variance["trajectory"]


def test_in_poker_all_is_paid_at_the_end_and_two_forms_are_one():
    variance = trained("reinforce", kuhn(), 1_000, "random")["gradient_variance"]
    assert variance["trajectory"] == pytest.approx(variance["reward-to-go"])


def test_games_to_learn_from_are_whole(blop):
    """Every one begins where games begin, and its rewards from there on are all of its rewards."""
    for _ in range(3):
        games = blop._games()
        _, first = np.unique(games["game"], return_index=True)
        assert len(first) == 64
        assert (games["row"][first] == games["row"][0]).all()
        np.testing.assert_allclose(games["later"][first], games["all"][first])
        cost = -1 / blop.lanes.unit
        later = games["later"][games["game"] == 5]
        np.testing.assert_allclose(np.diff(later), -cost)  # what comes later lacks the cost of a move made since


def test_the_baseline_is_the_mean_of_other_games():
    games = {"game": np.array([0, 1, 1]), "later": np.array([3.0, 1.0, 5.0]), "all": np.array([3.0, 6.0, 6.0])}
    assert credit(games, "trajectory").tolist() == [3, 6, 6]
    assert credit(games, "reward-to-go").tolist() == [3, 1, 5]
    assert credit(games, "baseline").tolist() == [0, -2, 2]


@pytest.mark.parametrize(
    ("settings", "odd"),
    [
        (QLearningSettings, {"power": 0.5}),
        (QLearningSettings, {"epsilon": 2}),
        (QLearningSettings, {"lanes": 0}),
        (DqnSettings, {"rate": 0}),
        (DqnSettings, {"prioritised": 2}),
        (ReinforceSettings, {"form": "gae"}),
        (ActorCriticSettings, {"critic_rate": -1}),
        (A3cSettings, {"workers": 0}),
    ],
)
def test_senseless_settings_are_refused(settings, odd):
    with pytest.raises(ValueError, match=rf"{next(iter(odd))} is .* got"):
        settings(**odd)


def test_unknown_learners_are_refused():
    with pytest.raises(ValueError, match="learners are q-learning"):
        usual_settings("sarsa")
