import time
from dataclasses import replace

import numpy as np
import pytest
import torch

from ludus.games import kuhn, leduc, leduc_nl
from ludus.rl.deep_cfr import PRESETS, DeepCfr, DeepCfrSettings, Lesson, Sums, gathered, matched, solve_last_layer
from ludus.rl.memories import Reservoir
from ludus.rl.networks import Network
from ludus.rl.policy import PolicyNetwork, Shape
from ludus.rl.self_play import SelfPlayPlan, train_self_play
from ludus.rl.small_games import SmallGameWalks
from ludus.solvers.passes import plan, reach_pass
from ludus.solvers.running import Limits
from ludus.solvers.strategy import Strategy

SMALL = DeepCfrSettings(walks=300, average_steps=20, average_rate=0.005)


def learnt(game, iterations, settings=SMALL, seed=1):
    walks = SmallGameWalks(game, seed)
    learner = DeepCfr(walks, settings, seed)
    for _ in range(iterations):
        learner.advance(0)
    return learner, walks


def exploitability(learner, walks):
    """In mbb, of the average network."""
    chances = learner.policy(np.arange(len(walks.open)), walks.open)
    return 1000 * walks.evaluate(chances).exploitability / walks.game.big_blind


def test_the_first_walks_are_uniform():
    learner, walks = learnt(leduc(), 0)
    chances = walks.chances(learner.play)
    np.testing.assert_allclose(chances, walks.open / walks.open.sum(axis=1, keepdims=True), rtol=1e-6)
    met = walks.walk(0, 50, learner.play)
    assert (walks.flat.groups["player"][met.rows] == 0).all()
    assert (walks.flat.groups["player"][met.other_rows] == 1).all()
    np.testing.assert_allclose((met.advantages * chances[met.rows]).sum(axis=1), 0, atol=1e-6)
    assert not met.advantages[~met.open].any()


def test_a_gathered_memory_teaches_as_all_its_rows_do():
    """The gradients of the squared error and of the cross-entropy over all rows are those over the gathered ones."""
    rng = np.random.default_rng(0)
    memory = Reservoir(500, {"row": ((), np.int32), "open": ((3,), np.bool_), "wanted": ((3,), np.float32),
                             "weight": ((), np.float32)}, rng)  # fmt: skip
    rows, can = rng.integers(7, size=400), rng.random((9, 3)) < 0.7
    memory.add({"row": rows, "open": can[rows], "wanted": rng.random((400, 3)), "weight": rng.integers(1, 9, 400)})
    table = torch.from_numpy(rng.random((9, 3))).requires_grad_()

    def gradient(rows, loss):
        found = loss(table[torch.from_numpy(rows["row"]).long()], torch.from_numpy(rows["wanted"].astype(np.float64)))
        found = (found * torch.from_numpy(rows["open"])).sum(1)
        return torch.autograd.grad((torch.from_numpy(rows["weight"].astype(np.float64)) * found).sum(), table)[0]

    every, once = {name: column[:400] for name, column in memory.rows.items()}, gathered(memory)
    assert once["row"].tolist() == sorted(set(rows.tolist()))
    for loss in (lambda found, wanted: (found - wanted) ** 2, lambda found, wanted: -wanted * found.log()):
        torch.testing.assert_close(gradient(every, loss), gradient(once, loss), rtol=1e-5, atol=1e-4)


def test_a_solved_last_layer_has_the_least_error():
    """No other last layer is better: the gradient of the weighted error is 0 there, and closed actions do not count."""
    generator = torch.Generator().manual_seed(1)
    network = Network(Shape((5,), 3, dense=(8,)), generator)
    shown, wanted = torch.rand(60, 5, generator=generator), torch.rand(60, 3, generator=generator)
    can, weights = torch.rand(60, 3, generator=generator) < 0.8, torch.rand(60, generator=generator)
    solve_last_layer(network, Lesson(shown, can, wanted, weights), 1e-12)
    (weights * ((network(shown) - wanted).square() * can).sum(1)).mean().backward()
    for name in ("weight1", "bias1"):
        assert network.get_parameter(name).grad.abs().max() < 1e-4
    assert network.get_parameter("weight0").grad.abs().max() > 1e-4


def test_without_any_advantage_the_best_action_is_played():
    played = matched(np.array([[-1, -3, -2], [0, 0, 5]], np.float32), np.array([[False, True, True], [True] * 3]))
    assert played.tolist() == [[0, 0, 1], [0, 0, 1]]


@pytest.mark.parametrize(
    "odd",
    [{}, {"batch": 512, "ridge": 0.0, "steps": 60}, {"anew": False}, {"power": 0.0}, {"average": "single"}],
    ids=str,
)
def test_kuhn_is_learnt(odd):
    learner, walks = learnt(kuhn(), 0, replace(SMALL, **odd))
    before = exploitability(learner, walks)
    for _ in range(30):
        learner.advance(0)
    assert before > 250
    assert exploitability(learner, walks) < 60


def test_leduc_is_learnt():
    """Uniform play is exploitable by about 2,400 mbb."""
    learner, walks = learnt(leduc(), 15, replace(SMALL, walks=1000))
    assert exploitability(learner, walks) < 700


def test_no_limit_leduc_is_learnt():
    learner, walks = learnt(leduc_nl(), 12, replace(SMALL, walks=1000))
    uniform = (walks.open / walks.open.sum(axis=1, keepdims=True)).astype(np.float32)
    assert exploitability(learner, walks) < 300 * walks.evaluate(uniform).exploitability / walks.game.big_blind


@pytest.mark.parametrize("odd", [{}, {"average": "single"}, {"batch": 64, "ridge": 0.0}], ids=str)
def test_a_stopped_training_goes_on_to_the_same_policy(odd, tmp_path):
    def trained(name, iterations):
        settings = replace(SMALL, memory=900, **odd)
        return train_self_play(SelfPlayPlan(kuhn(), tmp_path / name, settings, Limits(iterations), seed=3))

    trained("a", 3)
    result = trained("a", 6)
    trained("b", 6)
    assert (result["resumed_from"], result["iterations"], result["walks"]) == (3, 6, 6 * 2 * 300)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    if result["weights"]:
        assert PolicyNetwork.load(tmp_path / "a").origin["exploitability_mbb"] == result["exploitability_mbb"]
    else:
        assert Strategy.load(tmp_path / "a").origin.algorithm == "deep-cfr"


def test_single_is_the_average_of_what_networks_played():
    """Weighted by the iteration and by how likely a player's own actions lead to an information set."""
    learner, walks = learnt(kuhn(), 0, replace(SMALL, walks=20_000, average="single"))
    groups, ready, sums = walks.flat.groups, plan(walks.flat), np.zeros(walks.open.shape)
    reach = np.zeros(ready.reaches)
    play = walks.walk

    def walk(seat, count, played):
        chances = walks.chances(played)
        reach_pass(ready, 1 - seat, walks.table(chances), reach)
        own = np.flatnonzero(groups["player"] == 1 - seat)
        at = ready.reach_at[1 - seat, groups["node"][own]].astype(np.int64)
        sums[own] += learner.iterations * reach[at, None] * chances[own]
        return play(seat, count, played)

    walks.walk = walk
    for _ in range(6):
        learner.advance(0)
    found = learner.policy(np.arange(walks.rows), walks.open)
    often = sums.sum(axis=1) > 0.5
    assert often.sum() >= 10
    np.testing.assert_allclose(found[often], (sums / sums.sum(axis=1, keepdims=True))[often], atol=0.03)


def test_what_was_never_played_is_uniform():
    can = np.array([[True, False, True]])
    assert Sums(4, 3).chances(np.array([2]), can).tolist() == [[0.5, 0, 0.5]]


def test_a_table_on_a_device_shows_what_rows_show():
    """On a GPU everything that networks may be shown lies there; on the CPU the two ways can be compared."""
    settings = replace(SMALL, batch=128, ridge=0.0)
    plain, walks = learnt(kuhn(), 3, settings)
    tabled, other = learnt(kuhn(), 0, settings)
    tabled._table = torch.from_numpy(other.see(np.arange(other.rows)))
    for _ in range(3):
        tabled.advance(0)
    rows = np.arange(walks.rows)
    np.testing.assert_array_equal(plain.policy(rows, walks.open), tabled.policy(rows, walks.open))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("average", ["network", "single"])
def test_kuhn_is_learnt_on_a_gpu(average):
    walks = SmallGameWalks(kuhn(), 1)
    learner = DeepCfr(walks, replace(SMALL, average=average), 1, "cuda")
    for _ in range(30):
        learner.advance(0)
    assert exploitability(learner, walks) < 60


@pytest.mark.parametrize(
    ("odd", "why"),
    [({"walks": 0}, "walks"), ({"rate": -1}, "rate"), ({"batch": -1}, "batch"), ({"steps": 0}, "steps"),
     ({"batch": 100}, "a batch of 0, or a ridge of 0"), ({"average": "none"}, "one of network, single, got 'none'")],
)  # fmt: skip
def test_senseless_settings_are_refused(odd, why):
    with pytest.raises(ValueError, match=why):
        DeepCfrSettings(**odd)


def test_three_players_are_refused():
    with pytest.raises(ValueError, match="two players, this game has 3"):
        learnt(kuhn(players=3), 0)


def test_the_source_is_a_preset():
    """Brown et al. 2019, section 5, as source 002 cites it."""
    source = PRESETS["source-002"]
    assert (source.walks, source.memory, source.steps, source.batch) == (10_000, 40_000_000, 4000, 10_000)
    assert (source.rate, source.power, source.anew, len(source.dense) + 1) == (1e-3, 1, True, 7)


@pytest.mark.slow
def test_leduc_comes_within_fifty_mbb():
    """In two minutes of one core."""
    learner, walks = learnt(leduc(), 0, PRESETS["tuned"])
    begun, best = time.process_time(), float("inf")
    while time.process_time() - begun < 120 and best > 50:
        learner.advance(0)
        best = exploitability(learner, walks) if learner.iterations % 25 == 0 else best
    assert best <= 50
