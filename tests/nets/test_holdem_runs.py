"""Situations from play, training by stages, and networks judged by exact solves."""

from __future__ import annotations

import time
from pathlib import Path

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
from ludus.parallel import HERE, Threads
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


def test_a_device_judges_as_the_processor_does():
    pytest.importorskip("torch")
    found = random_situations(1, 4, 1, np.random.default_rng(6))._replace(stacks=np.array([POT // 4]))
    here, there = (judge_exactly(NETWORKS["turn"], found, 3, device=device) for device in ("cpu", "cpu:0"))
    assert there.huber == pytest.approx(here.huber, rel=0.02)
    assert there.range_error_mean == pytest.approx(here.range_error_mean, abs=1e-3)


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


# While situations are made


@pytest.fixture
def streaming(tmp_path, monkeypatch):
    """Plans of five blocks of four situations that stream, each into a folder of its own; judged after every step."""
    pytest.importorskip("torch")
    from ludus.nets.holdem import training
    from ludus.nets.holdem.runs import StagePlan

    monkeypatch.setattr(training, "TOLD", 1)

    def make(folder, steps=6, seed=0, **settings):
        recipe = training.HandRecipe(steps=steps, batch=4, held=0.2, seed=seed)
        settings = {"stream": True, "together": 4, **settings}
        return StagePlan("river", tmp_path / folder, 20, 5, shape=SMALL, recipe=recipe, **settings)

    return make


class Late(Threads):
    """Blocks come whenever they like, and the first one last."""

    name = "late"

    def run(self, work, tasks, tell=None):
        found = dict(zip(tasks, super().run(work, tasks, tell), strict=True))
        for block in found.values():
            time.sleep(0.05)
            yield block


@pytest.mark.parametrize("window", [0, 8])
def test_a_stream_gives_the_same_network_on_every_engine(streaming, window):
    from ludus.nets.holdem.runs import train_stage

    files = []
    for folder, engine in (("here", HERE), ("threads", Threads(2)), ("late", Late(1))):
        plan = streaming(folder, window=window)
        result = train_stage(plan, nothing, engine)
        assert (result["finished"], result["situations"], result["steps"]) == (True, 20, 6)
        files.append(plan.file.read_bytes())
        assert not plan.file.with_suffix(".training").exists()
    assert files[0] == files[1] == files[2]


def test_a_stream_learns_from_what_is_there_and_goes_round_with_a_window():
    pytest.importorskip("torch")
    from ludus.nets.holdem.stream import Schedule

    whole, narrow = (Schedule.of(10, 0.2, 16, window) for window in (0, 3))
    assert (whole.learnt, [*whole.held], whole.order[:3]) == (8, [8, 9], [8, 9, 0])
    assert [whole.read_by(step) for step in range(1, 17)] == [*range(1, 9)] + 8 * [8]
    assert [narrow.read_by(step) for step in range(1, 17)] == [*range(1, 17)]


class Stop:
    """Progress that presses Ctrl-C when it is told something for the so-manieth time."""

    def __init__(self, left):
        self.left = left

    def __call__(self, *_):
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.mark.parametrize("engine", [HERE, Threads(2)], ids=lambda engine: engine.name)
@pytest.mark.parametrize("after", [2, 4, 6, 9])
@pytest.mark.parametrize("window", [0, 8])
def test_a_stream_that_was_stopped_goes_on_to_the_same_network(streaming, engine, after, window):
    from ludus.nets.holdem.runs import train_stage
    from ludus.nets.runs import Interrupted

    straight, halted = streaming("straight", window=window), streaming("halted", window=window)
    train_stage(straight, nothing)
    try:
        first = train_stage(halted, Stop(after), engine)
        assert not first["finished"]
        assert halted.file.with_suffix(".training").exists()
    except Interrupted:
        assert not halted.file.exists()
    assert train_stage(halted, nothing, engine)["finished"]
    assert halted.file.read_bytes() == straight.file.read_bytes()


def test_a_training_goes_on_with_its_own_settings_alone(streaming):
    from ludus.nets.holdem.runs import train_stage

    assert not train_stage(streaming("here"), Stop(9))["finished"]
    with pytest.raises(ValueError, match=r"has another training: recipe is .* delete it to begin again"):
        train_stage(streaming("here", steps=7), nothing)
    file = streaming("here").file.with_suffix(".training")
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(ValueError, match="training is not a file of Ludus"):
        train_stage(streaming("here"), nothing)


def test_a_stream_has_room_for_a_board_of_each_situation_from_play():
    pytest.importorskip("torch")
    from ludus.nets.holdem.runs import StagePlan

    settings = {"situations": 4096, "iterations": 5, "stream": True}
    random, played = (StagePlan("flop-end", Path("nowhere"), play=play, **settings) for play in (0.0, 0.5))
    assert (random.room.boards, played.room.boards) == (64, 1024)


def test_too_few_situations_do_not_stream(plan):
    with pytest.raises(ValueError, match="10 situations are too few to learn from them as they come"):
        plan(stream=True)
    with pytest.raises(ValueError, match="give --stream too"):
        plan(window=5)


def test_a_trainer_that_fails_ends_the_run_while_situations_are_made(streaming, monkeypatch):
    from ludus.nets.holdem import runs

    def broken(*_):
        raise ValueError("training has diverged")

    monkeypatch.setattr(runs, "train_network", broken)
    with pytest.raises(ValueError, match="diverged"):
        runs.train_stage(streaming("here"), nothing, Threads(2))


def test_devices_that_are_not_there_are_refused():
    pytest.importorskip("torch")
    from ludus.nets.holdem.devices import check_device

    assert check_device("cpu") == "cpu"
    with pytest.raises(ValueError, match="there is no device 'banana' here"):
        check_device("banana")
