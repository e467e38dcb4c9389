"""Copies that are merged give the same training on any engine, and learn what one training learns."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ludus.games import holdem
from ludus.games.menu import Menu
from ludus.parallel import HERE, Threads
from ludus.solvers.blueprint.copies import Part
from ludus.solvers.blueprint.training import Method, Training
from ludus.trees.blueprint import Abstraction

SHORT = Abstraction(holdem(stack=20, bets=Menu.parse("allin / -")), "tree", "aparicio")
METHOD = Method(block=2000, seed=5, copies=3)


def trained(engine, method=METHOD, blocks=3):
    training = Training(SHORT, method)
    for _ in range(blocks):
        training.run_block(engine=engine)
    return training


@given(arrays(np.float32, 40, elements=st.sampled_from([0.0, 0.0, 0.0, 1.5, -2.0])))
def test_a_part_adds_what_it_was_made_of_and_is_no_larger(added):
    array = np.arange(40, dtype=np.float32)
    part = Part.of(added)
    part.add_to(array)
    np.testing.assert_array_equal(array, np.arange(40, dtype=np.float32) + added)
    assert part.values.size <= added.size


def test_the_engine_changes_nothing():
    here, threads = trained(HERE), trained(Threads(3))
    assert here.state.hands == threads.state.hands
    assert here.walk.regret.tobytes() == threads.walk.regret.tobytes()
    assert here.walk.average.tobytes() == threads.walk.average.tobytes()


def test_a_merged_block_is_the_sum_of_what_each_copy_adds():
    """By the definition: from zero every copy plays its share alone."""
    training = trained(HERE, blocks=1)
    total = np.zeros_like(training.walk.regret)
    for copy, walks in enumerate((667, 667, 666)):
        alone = Training(SHORT, METHOD)
        alone.play(0, copy, walks)
        total += alone.walk.regret
    np.testing.assert_allclose(training.walk.regret, total * np.float32(0.5), rtol=1e-6)  # linear, after block 1


def test_one_copy_is_one_worker_but_for_rounding():
    one, alone = trained(HERE, replace(METHOD, copies=1)), trained(HERE, replace(METHOD, copies=0))
    assert one.state.hands == alone.state.hands
    np.testing.assert_allclose(one.walk.regret, alone.walk.regret, rtol=1e-3, atol=0.05)


def test_a_training_is_saved_with_its_copies_and_goes_on(tmp_path):
    training = trained(HERE, blocks=2)
    training.save(tmp_path / "t")
    again = Training.load(tmp_path / "t")
    assert again.method == METHOD
    again.run_block(engine=Threads(2))
    assert again.walk.regret.tobytes() == trained(HERE).walk.regret.tobytes()


def test_headers_of_earlier_versions_have_no_copies():
    header = {"sampling": "external", "seed": 1, "block": 0, "epsilon": 0.6, "baseline": 0.0, "pruned": 0.0}
    header |= {"threshold": -300.0, "algorithm": "lcfr"}
    assert Method.from_header(header) == Method()


@pytest.mark.parametrize(
    "wrong", [{"copies": -1}, {"copies": 2.5}, {"copies": 2, "sampling": "outcome", "baseline": 0.1}]
)
def test_copies_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match="copies"):
        Method(**wrong)
