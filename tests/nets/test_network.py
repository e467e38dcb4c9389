"""Value networks: what they compute, what they learn, and files that are not theirs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from ludus.files import save_arrays
from ludus.games import kuhn, leduc, leduc_nl
from ludus.games.definition import rules_besides_bets
from ludus.nets.examples import Examples, huber
from ludus.nets.network import Shape, ValueNetwork
from ludus.nets.ranges import random_range
from ludus.nets.small_games import BLOCK, NetworkLeaves, Stage, make_examples
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.depth.frontier import FlatLeaves
from ludus.solvers.depth.solved_leaves import Rest, SolvedLeaves
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.flat import flatten

torch = pytest.importorskip("torch")

from ludus.nets.training import Module, Recipe, _tensors, train  # noqa: E402

RULES = rules_besides_bets(leduc_nl())
STAGE = Stage(leduc_nl())


@pytest.fixture(scope="module")
def examples():
    return make_examples(STAGE, BLOCK, seed=3)


def trained(examples, epochs=5, seed=0, residual=True, width=16, layers=2):
    shape = Shape(3, 4, width, layers, residual)
    return train(shape, examples, Recipe(epochs, batch=50, rate=5e-3, warm_up=5, seed=seed), RULES, STAGE.name)


@pytest.mark.parametrize("residual", [True, False])
def test_numpy_computes_what_pytorch_trains(examples, residual):
    network, _ = trained(examples, residual=residual, layers=3)
    public, ranges, unbet, *_ = _tensors(examples)
    model = Module(network.shape, torch.Generator())
    for at, layer in enumerate(model.layers):
        layer.weight.data = torch.from_numpy(network.arrays[f"weight{at}"].T.copy())
        layer.bias.data = torch.from_numpy(network.arrays[f"bias{at}"])
    there = model(public, ranges, unbet).detach().numpy()
    here = network.values(examples.public, examples.ranges, examples.unbet)
    np.testing.assert_allclose(here, there, atol=1e-5)


def test_both_ranges_values_add_up_to_nothing(examples):
    network, _ = trained(examples, epochs=1)
    values = network.values(examples.public, examples.ranges, examples.unbet)
    np.testing.assert_allclose((values * examples.ranges).sum(axis=(1, 2)), 0, atol=1e-12)


def test_it_learns_and_the_same_seed_learns_the_same(examples):
    network, history = trained(examples, epochs=25)
    assert history[-1].training < history[0].training / 2
    held = examples.part(slice(450, 500))
    assert huber(network, held) == pytest.approx(history[-1].validation, rel=1e-3)
    nothing = float((np.minimum(np.abs(held.values), 1) ** 2 / 2).mean())
    assert huber(network, held) < nothing / 2
    again, _ = trained(examples, epochs=25)
    assert all(np.array_equal(network.arrays[name], again.arrays[name]) for name in network.arrays)
    other, _ = trained(examples, epochs=25, seed=1)
    assert not np.array_equal(network.arrays["weight0"], other.arrays["weight0"])


def test_situations_are_sound_and_repeatable(examples):
    assert examples.values.shape == (BLOCK, 2, 3)
    np.testing.assert_allclose(examples.ranges.sum(axis=2), 1)
    np.testing.assert_allclose((examples.values * examples.ranges).sum(axis=(1, 2)), 0, atol=1e-9)
    next_ones = make_examples(STAGE, BLOCK, 3, BLOCK)
    for first, second, both in zip(examples, next_ones, make_examples(STAGE, 2 * BLOCK, seed=3), strict=True):
        np.testing.assert_array_equal(np.concatenate([first, second]), both)
    pots = set((examples.public[:, -1] * 2400).round().astype(int).tolist())
    assert {200, 600, 1800} < pots
    assert len(pots) > 20


def test_a_random_range_is_a_range_over_its_hands():
    weights = random_range(np.array([4, 1, 2]), 6, np.random.default_rng(0))
    assert weights[[0, 3, 5]].tolist() == [0, 0, 0]
    assert weights.sum() == pytest.approx(1)


def test_leaf_values_are_the_network_s_in_chips(examples):
    """A network that has learnt its situations by heart values leaves as exact solves do."""

    class ByHeart(ValueNetwork):
        def values(self, public, ranges, unbet):
            return np.array([self.solved(*each) for each in zip(public, ranges, strict=True)])

        def solved(self, public, ranges):
            at = int(public[:3].argmax())
            end = next(state for state in STAGE.ends if state.pot == round(2400 * public[3]))
            state = end.deal([*end.cards, *STAGE.deals.cards[-1][at].tolist()])
            meet = STAGE.deals.meet[-1][at]
            return Rest(state, meet, SolvedLeaves(200)).values(ranges, forget=True) / (state.pot * meet.max())

    network, _ = trained(examples, epochs=1)
    heart = ByHeart(network.shape, network.arrays, RULES, STAGE.name, {})
    flat = flatten(leduc_nl(), streets=1, dealt=True)
    leaves = FlatLeaves.of(flat)
    reach = np.random.default_rng(2).random((len(leaves), 2, 3))
    found = NetworkLeaves(heart, STAGE).bind(leaves)(reach)
    wanted = SolvedLeaves(200).bind(leaves)(reach)
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-3)


def test_nobody_comes(examples):
    network, _ = trained(examples, epochs=1)
    leaves = FlatLeaves.of(flatten(leduc_nl(), streets=1, dealt=True))
    values = NetworkLeaves(network, STAGE).bind(leaves)(np.zeros((len(leaves), 2, 3)))
    assert not values.any()


def test_files(examples, tmp_path):
    network, _ = trained(examples, epochs=1)
    file = tmp_path / "network"
    network.save(file)
    first = file.read_bytes()
    again = ValueNetwork.load(file)
    again.save(file)
    assert file.read_bytes() == first
    assert again.origin["situations"] == BLOCK
    file.write_bytes(first[:-10])
    with pytest.raises(ValueError, match="is not a file of Ludus"):
        ValueNetwork.load(file)
    spoilt = replace(network, arrays=network.arrays | {"bias0": np.full(16, np.nan, np.float32)})
    spoilt.save(file)
    with pytest.raises(ValueError, match="some weights are not numbers"):
        ValueNetwork.load(file)
    for odd in ({"width": 8}, {"layers": 10**13}):
        replace(network, shape=replace(network.shape, **odd)).save(file)
        with pytest.raises(ValueError, match="damaged value network"):
            ValueNetwork.load(file)
    huge = replace(network, arrays={name: array * np.float32(1e20) for name, array in network.arrays.items()})
    with pytest.raises(ValueError, match="is the value network sound"), np.errstate(all="ignore"):
        ExactSolver(
            flatten(leduc_nl(), streets=1, dealt=True), ALGORITHMS["cfr+"], leaf_values=NetworkLeaves(huge, STAGE)
        ).run(3)


def test_networks_of_other_games_are_refused(examples, ludus, tmp_path):
    network, _ = trained(examples, epochs=1)
    with pytest.raises(ValueError, match="for another game: stacks"):
        NetworkLeaves(network, Stage(leduc_nl(stack=600)))
    network.save(tmp_path / "network")
    code, out, err = ludus("exploitability", f"agent:resolver:{tmp_path / 'network'}", "--game", "leduc")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "this value network is for another game" in err
    with pytest.raises(ValueError, match="two players and two streets, not for kuhn"):
        Stage(kuhn())
    assert Stage(leduc()).ends


def test_the_command_trains_goes_on_and_measures(ludus, tmp_path):
    file = tmp_path / "net"
    words = ("train", "values", "leduc-nl", "--out", file, "--epochs", "3", "--width", "8", "--layers", "1", "--json")
    code, out, _ = ludus(*words, "--situations", "500")
    assert code == 0
    first = json.loads(out)
    assert first["exploitability_mbb"] > 16
    assert first["finished"]
    code, out, _ = ludus(*words, "--situations", "1000")
    assert json.loads(out)["situations"] == 1000
    kept = file.with_name("net.situations").read_bytes()
    code, _, err = ludus(*words, "--seed", "5")
    assert code == 2
    assert "situations of another run: the seed is 0 there and 5 here" in err
    odd = {"kind": "situations", "format": 1, "game": [1], "seed": 0}
    save_arrays(file.with_name("net.situations"), odd, {"values": np.zeros(1)})
    code, _, err = ludus(*words)
    assert (code, len(err.splitlines())) == (2, 1)
    file.with_name("net.situations").write_bytes(kept[:-100])
    code, _, err = ludus(*words)
    assert (code, len(err.splitlines())) == (2, 1)
    code, _, err = ludus("train", "values", "kuhn")
    assert (code, len(err.splitlines())) == (2, 1)


def test_examples_join(examples):
    joined = Examples.joined([examples.part(slice(0, 10)), examples.part(slice(10, 30))])
    np.testing.assert_array_equal(joined.values, examples.values[:30])
