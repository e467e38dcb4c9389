"""Networks before the flop over classes of hands."""

import numpy as np
import pytest

from ludus.cards.ranges import class_of_combo
from ludus.nets.holdem.classes import ClassNetwork
from ludus.nets.holdem.shipped import shipped_values
from ludus.nets.holdem.situations import random_situations
from ludus.solvers.leaf_values import Leaves


def test_classes_are_valued_as_their_hands_are():
    network = shipped_values()["preflop-end"]
    situations = random_situations(6, 0, 1, np.random.default_rng(3))
    pots, stacks = np.full(6, 10_000), situations.stacks.copy()
    stacks[0] = 0  # all-in
    slow = network.bind(Leaves(situations.boards, pots, stacks))(situations.ranges)
    ranges = np.stack([[np.bincount(class_of_combo, own, 169) for own in both] for both in situations.ranges])
    ranges = ranges.astype(np.float32)
    fast = ClassNetwork(network)
    found = fast.added(pots, stacks, ranges) + ranges[:, ::-1] @ fast.wins.T / 2
    np.testing.assert_allclose(found[..., class_of_combo], slow / 10_000, atol=1e-4)
    assert (fast.added(pots, stacks, ranges)[0] == 0).all()


def test_other_stages_are_refused():
    with pytest.raises(ValueError, match="at the stage preflop-end, not flop"):
        ClassNetwork(shipped_values()["flop"])
