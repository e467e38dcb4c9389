import numpy as np
import pytest
import torch

from ludus.rl.networks import Network
from ludus.rl.policy import PolicyNetwork, Shape, forward, softmax

SHAPES = [
    Shape((7,), 3, dense=(5, 4)),
    Shape((3, 10, 10), 9, (4, 6), dense=(8,)),
    Shape((9, 17, 17), 6, (4, 4, 5, 5), pooled=(1, 3), dense=(8,)),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_numpy_and_pytorch_evaluate_alike(shape):
    network = Network(shape, torch.Generator().manual_seed(1))
    inputs = np.random.default_rng(0).random((3, *shape.inputs), np.float32)
    with torch.no_grad():
        wanted = network(torch.from_numpy(inputs)).numpy()
    np.testing.assert_allclose(forward(shape, network.state(), inputs), wanted, atol=2e-5)


def test_closed_actions_are_never_played():
    chances = softmax(np.array([[9.0, 1.0, 1.0]], np.float32), np.array([[False, True, True]]))
    np.testing.assert_allclose(chances, [[0, 0.5, 0.5]])


def made():
    network = Network(SHAPES[1], torch.Generator().manual_seed(1))
    return PolicyNetwork(SHAPES[1], network.state(), {"name": "x"}, "picture", {"seed": 1})


def test_policies_are_saved_whole(tmp_path):
    made().save(tmp_path / "a")
    found = PolicyNetwork.load(tmp_path / "a")
    assert (found.shape, found.rules, found.inputs, found.origin) == (SHAPES[1], {"name": "x"}, "picture", {"seed": 1})
    found.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_damaged_policies_are_refused(tmp_path):
    odd = made()
    odd.arrays["bias0"][0] = np.nan
    odd.save(tmp_path / "a")
    with pytest.raises(ValueError, match="damaged policy network"):
        PolicyNetwork.load(tmp_path / "a")


@pytest.mark.parametrize("odd", [{"inputs": (0,)}, {"inputs": (3, 4, 4)}, {"inputs": (5,), "pooled": (0,)}])
def test_senseless_shapes_are_refused(odd):
    with pytest.raises(ValueError, match=r"network has|poolings follow"):
        Shape(outputs=3, **odd)
