"""Situations from play, training by stages, and networks judged by exact solves."""

from __future__ import annotations

import numpy as np
import pytest

from ludus.cards.ranges import blocked, parse_range
from ludus.nets.holdem import judging
from ludus.nets.holdem import played as played_module
from ludus.nets.holdem.judging import judge_before_flop, judge_exactly
from ludus.nets.holdem.network import HandShape
from ludus.nets.holdem.played import played_situations, preflop_ends
from ludus.nets.holdem.shipped import shipped_values
from ludus.nets.holdem.situations import POT, random_situations
from ludus.solvers.spot.leaf_solvers import EquityLeaves

NETWORKS = shipped_values()
SMALL = HandShape(pooled=6, context=8, width=8, layers=2)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(played_module, "ITERATIONS", 4)
    monkeypatch.setattr(played_module, "DEPTHS", (20,))
    preflop_ends.cache_clear()
    yield
    preflop_ends.cache_clear()


@pytest.mark.parametrize("cards", [0, 3, 4, 5])
def test_situations_from_play_have_ranges_that_their_boards_allow(quick, cards):
    found = played_situations(6, cards, NETWORKS, np.random.default_rng(1), deepest=4.0, of_a_hand=3)
    again = played_situations(6, cards, NETWORKS, np.random.default_rng(1), deepest=4.0, of_a_hand=3)
    assert all(np.array_equal(one, two) for one, two in zip(found, again, strict=True))
    assert found.boards.shape == (6, cards)
    assert (found.stacks <= 4 * POT).all()
    np.testing.assert_allclose(found.ranges.sum(axis=2), 1)
    for board, ranges in zip(found.boards, found.ranges, strict=True):
        free = blocked(np.ones(1326), board.tolist()) > 0
        assert ((ranges > 0) == free).all()


def test_ranges_from_play_are_those_of_players_who_choose(quick, monkeypatch):
    monkeypatch.setattr(played_module, "ITERATIONS", 20)
    button = preflop_ends(20, NETWORKS["preflop-end"]).ranges[:, 1].sum(axis=0)
    assert button[parse_range("72o") > 0].mean() < 0.5 * button[parse_range("QJs") > 0].mean()


def test_play_needs_networks():
    with pytest.raises(ValueError, match="need the network of the stage preflop-end"):
        played_situations(1, 3, {}, np.random.default_rng(0))


def test_the_shipped_network_of_the_turn_is_close_to_exact_solves():
    rng = np.random.default_rng(5)
    found = random_situations(3, 4, 3, rng)._replace(stacks=np.array([POT // 2, POT, 2 * POT]))
    judged = judge_exactly(NETWORKS["turn"], found, 30)
    assert judged.spots == 3
    assert judged.huber < 0.01
    assert judged.range_error_mean < 0.05
    assert judged.exploitability < 0.02
    without = NETWORKS["turn"]
    nothing = judge_exactly(type(without)(without.shape, _no_betting(without), "turn", {}), found, 30)
    assert nothing.huber > 2 * judged.huber


def test_before_the_flop_ranges_are_judged_by_flops(monkeypatch):
    """Leaf values that are right by construction: without chips to bet, play is worth its equity."""
    monkeypatch.setattr(judging, "ASKED", 6)
    monkeypatch.setattr(judging, "SOLVED", 2)
    rng = np.random.default_rng(7)
    found = random_situations(2, 0, 2, rng)._replace(stacks=np.array([0, 0]))
    judged = judge_before_flop(NETWORKS["preflop-end"], EquityLeaves(), found, 1, rng)
    assert (judged.spots, judged.huber) == (2, None)
    assert judged.range_error_mean < 0.002
    wrong = judge_before_flop(_Shifted(), EquityLeaves(), found, 1, rng)
    assert wrong.range_error_mean == pytest.approx(0.03, abs=0.002)


class _Shifted:
    """Equities, and three in a hundred of the pot more for whoever is out of position."""

    def bind(self, leaves):
        equities = EquityLeaves().bind(leaves)
        return lambda ranges: equities(ranges) + np.array([[[0.03 * POT], [-0.03 * POT]]], np.float32)


def _no_betting(network):
    """Weights with which betting adds nothing."""
    return {name: array * 0 if name.startswith("out") else array for name, array in network.arrays.items()}


# Training


@pytest.fixture
def plan(tmp_path):
    pytest.importorskip("torch")
    from ludus.nets.holdem.runs import StagePlan
    from ludus.nets.holdem.training import HandRecipe

    def make(stage="river", seed=0, **settings):
        recipe = HandRecipe(steps=3, batch=4, held=0.2, seed=seed)
        return StagePlan(stage, tmp_path, 10, 5, shape=SMALL, recipe=recipe, **settings)

    return make


def nothing(*_: object) -> None:
    pass


def test_a_stage_goes_on_from_the_situations_that_are_kept(plan):
    from ludus.nets.holdem.runs import train_stage

    first = train_stage(plan(), nothing)
    assert first["finished"]
    assert first["situations"] == 10
    (block,) = plan().situations_folder.iterdir()
    written = block.stat().st_mtime_ns
    network = plan().file.read_bytes()
    train_stage(plan(), nothing)
    assert block.stat().st_mtime_ns == written
    assert plan().file.read_bytes() == network
    with pytest.raises(ValueError, match="seed is 0 there and 1 here"):
        train_stage(plan(seed=1), nothing)
    block.write_bytes(block.read_bytes()[:-50])
    with pytest.raises(ValueError, match="00000"):
        train_stage(plan(), nothing)


def test_stages_learn_from_each_other_and_refuse_what_is_missing(plan):
    from ludus.nets.holdem.runs import train_stage

    with pytest.raises(ValueError, match="the stage flop-end learns from the network of the stage turn"):
        train_stage(plan("flop-end"), nothing)
    with pytest.raises(ValueError, match="to go on from"):
        train_stage(plan(go_on=True), nothing)
    with pytest.raises(ValueError, match="stages are river"):
        plan("dinner")
    with pytest.raises(ValueError, match="the share of situations from play"):
        plan(play=1.5)


def test_an_interrupt_says_what_is_kept(plan):
    from ludus.nets.holdem.runs import train_stage
    from ludus.nets.runs import Interrupted

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="situations are kept"):
        train_stage(plan(), stop)


def test_devices_that_are_not_there_are_refused():
    pytest.importorskip("torch")
    from ludus.nets.holdem.devices import check_device

    assert check_device("cpu") == "cpu"
    with pytest.raises(ValueError, match="there is no device 'banana' here"):
        check_device("banana")
