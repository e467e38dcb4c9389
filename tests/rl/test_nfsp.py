import itertools
import time
from dataclasses import replace

import numpy as np
import pytest

from ludus.games import kuhn, leduc
from ludus.rl.lanes import Experience
from ludus.rl.nfsp import PRESETS, TUNED, Nfsp, NfspSettings
from ludus.rl.policy import PolicyNetwork, draw_rows
from ludus.rl.self_play import SelfPlayPlan, train_self_play
from ludus.rl.small_games import SmallGameLanes, SmallGameView
from ludus.solvers import solve
from ludus.solvers.running import Limits
from open_spiel_nfsp import open_spiel_exploitability


def lanes_of(game, count=64, seed=0):
    return SmallGameLanes(game, count, np.random.default_rng(seed))


# The games


@pytest.mark.parametrize("game", [kuhn(), leduc(), kuhn(players=3)], ids=lambda game: game.name)
def test_what_a_network_is_shown_tells_information_sets_apart(game):
    lanes = lanes_of(game, 1)
    assert len(np.unique(lanes.shown, axis=0)) == len(lanes.flat.groups)


def test_suits_that_do_not_matter_are_not_shown():
    view, start = SmallGameView(leduc()), leduc().start()
    jack, second_jack, queen, *_, king = leduc().deck
    hands = [start.apply(card).apply(king) for card in (jack, second_jack, queen)]
    one, same, other = (view.of(state, 0) for state in hands)
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_random_play_earns_what_the_uniform_strategy_is_worth():
    lanes = lanes_of(leduc(), 2000)
    rng, won, games = np.random.default_rng(1), 0.0, 0
    for _ in range(60):
        look = lanes.look()
        rewards, over = lanes.step(draw_rows(look.open / look.open.sum(axis=1, keepdims=True), rng.random(2000)))
        np.testing.assert_allclose(rewards.sum(axis=1), 0, atol=1e-12)
        won, games = won + rewards[over, 0].sum() * lanes.unit, games + over.sum()
    uniform = (lanes.open / lanes.open.sum(axis=1, keepdims=True)).astype(np.float32)
    assert won / games == pytest.approx(lanes.evaluate(uniform).value[0], abs=0.12)


def test_an_equilibrium_is_not_exploitable_through_the_table_of_lanes():
    lanes = lanes_of(leduc(), 1)
    strategy, chances = solve(leduc(), iterations=300).strategy, np.zeros(lanes.open.shape, np.float32)
    for group, name in enumerate(lanes.flat.group_names):
        known = strategy.at(int(lanes.flat.groups["player"][group]), name)
        for number in np.flatnonzero(lanes.open[group]):
            action = lanes.flat.group_actions[group][lanes.child[group, number]]
            chances[group, number] = known[action]
    assert lanes.evaluate(chances).exploitability < 0.01


def test_transitions_join_the_decisions_of_each_seat():
    """Every game of some lanes, against the plain list of what was seen, done and won there."""
    lanes, rng = lanes_of(leduc(), 8), np.random.default_rng(2)
    experience, found = Experience(lanes), list[tuple]()
    told: list[tuple] = []
    open_games: list[dict[int, list]] = [{} for _ in range(8)]
    for _ in range(200):
        look = lanes.look()
        found += _listed(experience.before(look))
        actions = draw_rows(look.open / look.open.sum(axis=1, keepdims=True), rng.random(8))
        rewards, over = lanes.step(actions)
        found += _listed(experience.after(look, actions, rewards, over))
        for lane, seat in enumerate(look.seats.tolist()):
            open_games[lane].setdefault(seat, []).append((int(look.rows[lane]), int(actions[lane])))
            if over[lane]:
                for at, steps in open_games[lane].items():
                    told += [(*step, 0.0, later[0], False) for step, later in itertools.pairwise(steps)]
                    told.append((*steps[-1], float(np.float32(rewards[lane, at])), steps[-1][0], True))
                open_games[lane] = {}
    waiting = sum(max(0, len(steps) - 1) for game in open_games for steps in game.values())
    assert len(found) == len(told) + waiting
    assert not set(told) - set(found)


def _listed(rows):
    columns = (rows["row"], rows["action"], rows["reward"].astype(np.float32), rows["next"], rows["over"])
    return [(int(a), int(b), float(c), int(d), bool(e)) for a, b, c, d, e in zip(*columns, strict=True)]


# Learning


def test_draws_follow_the_chances():
    chances = np.tile(np.array([0.2, 0.0, 0.8], np.float32), (10_000, 1))
    drawn = draw_rows(chances, np.random.default_rng(0).random(10_000))
    assert np.bincount(drawn, minlength=3) / 10_000 == pytest.approx([0.2, 0, 0.8], abs=0.02)
    assert draw_rows(chances[:1], np.array([1 - 1e-12])).tolist() == [2]


def test_the_best_response_to_a_fixed_strategy_is_found():
    """The average policy does not learn, so it stays as it was made: Q learns a best response to it."""
    settings = replace(TUNED, policy_rate=1e-12, lanes=256)
    lanes = lanes_of(kuhn(), 256)
    learner = Nfsp(lanes, settings, seed=1)
    for _ in range(500):
        learner.advance(0)
    sets, players = np.arange(len(lanes.open)), lanes.flat.groups["player"][:, None]
    average, greedy = learner.policy(sets, lanes.open), learner.greedy(sets, lanes.open)
    exact = lanes.evaluate(average)
    for seat in (0, 1):
        found = lanes.evaluate(np.where(players == seat, greedy, average)).value[seat]
        assert found > exact.best_response[seat] - 0.1


@pytest.mark.parametrize(("mixed_by", "double"), [("episode", True), ("step", False)])
def test_kuhn_is_learnt(mixed_by, double, tmp_path):
    settings = replace(TUNED, lanes=256, batch=1024, mixed_by=mixed_by, double=double)
    result = train_self_play(SelfPlayPlan(kuhn(), tmp_path / "policy", settings, Limits(200_000), seed=2))
    assert result["curve"][0][2] > 250
    assert result["exploitability_mbb"] < 150


def test_a_stopped_training_goes_on_to_the_same_policy(tmp_path):
    def trained(name, steps):
        plan = SelfPlayPlan(kuhn(), tmp_path / name, replace(TUNED, lanes=64, first=100), Limits(steps), seed=3)
        return train_self_play(plan)

    trained("a", 8_000)
    result = trained("a", 16_000)
    trained("b", 16_000)
    assert result["resumed_from"] == 8_000
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert PolicyNetwork.load(tmp_path / "a").origin["exploitability_mbb"] == result["exploitability_mbb"]


def test_three_seats_are_learnt(tmp_path):
    settings = replace(TUNED, lanes=256)
    result = train_self_play(SelfPlayPlan(kuhn(players=3), tmp_path / "policy", settings, Limits(150_000)))
    assert result["exploitability_mbb"] < 0.6 * result["curve"][0][2]


@pytest.mark.parametrize(
    "odd",
    [{"eta": 0}, {"epsilon": 2}, {"mixed_by": "game"}, {"optimiser": "lbfgs"}, {"q_rate": 0}, {"batch": 0},
     {"updates_a_step": 0}],
)  # fmt: skip
def test_senseless_settings_are_refused(odd):
    with pytest.raises(ValueError, match=r"eta|rates|updated"):
        NfspSettings(**odd)


def test_the_source_is_a_preset():
    """Pricope 2020, section 4.4."""
    source = PRESETS["source-003"]
    assert (source.eta, source.epsilon, source.mixed_by, source.updates_a_game) == (0.1, 0.1, "step", 2)
    assert (source.transitions, source.behaviour) == (300_000, 1_200_000)
    assert (source.q_rate, source.policy_rate, source.batch, source.target_games) == (0.05, 0.005, 256, 128)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["tuned", "open-spiel"])
def test_leduc_is_learnt_faster_than_by_open_spiel(preset):
    """The same CPU time for both, OpenSpiel with the settings of its example."""
    seconds = 40
    settings = PRESETS[preset]
    lanes = lanes_of(leduc(), settings.lanes, seed=1)
    learner = Nfsp(lanes, settings, seed=1)
    start = time.process_time()
    while time.process_time() - start < seconds:
        learner.advance(0)
    found = lanes.evaluate(learner.policy(np.arange(len(lanes.open)), lanes.open)).exploitability
    assert found < open_spiel_exploitability(seconds, seed=1)
