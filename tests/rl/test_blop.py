from dataclasses import replace

import numpy as np
import pytest

from ludus.games.learning.blop import COLOURS, POISONED, Blop, BlopConfig
from ludus.rl.blop import BlopLanes, optimum
from ludus.rl.lanes import distinct
from ludus.rl.nfsp import Nfsp, NfspSettings

SMALL = BlopConfig(size=4, start=(0, 0), exit=(3, 3), enemy=(0, 3), enemy_reward=-5.0, max_steps=30)


class Told:
    """A generator that says what it is told, for the environment and for a lane alike."""

    def __init__(self, numbers):
        self.numbers = numbers

    def integers(self, count, size=None):
        if size is None:
            return self.numbers.pop(0)
        return np.array([[self.numbers.pop(0)], [self.numbers.pop(0)]])


@pytest.mark.parametrize("moving", [False, True])
def test_lanes_are_the_environment(moving):
    """Move by move: the same pictures, rewards and ends."""
    config, rng = BlopConfig(moving_enemy=moving, max_steps=40), np.random.default_rng(3)
    lanes, env = BlopLanes(config, 1, np.random.default_rng(0)), Blop(config)
    env.reset(seed=1)
    for _ in range(600):
        look = lanes.look()
        colours = np.array([COLOURS["enemy"], COLOURS["exit"], COLOURS["player"]]) // 255
        picture = np.einsum("khw,kc->hwc", lanes.see(look.rows)[0], colours) * 255
        np.testing.assert_array_equal(picture, env.image())
        action, own, theirs = (int(each) for each in rng.integers(9, size=3))
        lanes.rng = Told([own, theirs])
        rewards, over = lanes.step(np.array([action]))
        env._np_random = Told([own, theirs] if action in POISONED else [theirs])
        _, reward, ended, cut_off, _ = env.step(action)
        assert rewards[0, 0] * lanes.unit == pytest.approx(reward)
        assert bool(over[0]) == (ended or cut_off)
        if over[0]:
            env.reset()


def test_the_best_play():
    assert optimum(BlopConfig()) == 13  # seven diagonal moves around the enemy
    assert optimum(BlopConfig(move_reward=0)) == pytest.approx(20)
    assert optimum(BlopConfig(poison=False, enemy=(9, 9))) == 15  # five moves straight
    assert 12 < optimum(BlopConfig(moving_enemy=True)) < 15


def test_nobody_does_better_than_the_best_play():
    """A small board, a learner that does well there."""
    settings = NfspSettings(
        eta=1.0, mixed_by="step", epsilon=0.1, convolutions=(4,), dense=(32,), optimiser="adam", q_rate=3e-3,
        batch=64, transitions=5000, behaviour=10, updates_a_step=1 / 8, target_games=10, first=200, lanes=32,
    )  # fmt: skip
    best = optimum(SMALL)
    learner = Nfsp(BlopLanes(SMALL, 32, np.random.default_rng(0)), settings, seed=1)
    for _ in range(250):
        learner.advance(0)
    returns = np.array(learner.lanes.ends)
    assert returns[-200:].mean() > returns[:50].mean() + 5
    assert best - 6 < returns[-200:].mean() < best + 0.5


def test_equal_rows_are_seen_once():
    rows = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [1, 2, 3, 4]], np.uint8)
    different, places = distinct(rows)
    np.testing.assert_array_equal(different[places], rows)
    assert len(different) == 2
    assert distinct(rows[:0])[0].shape == (0, 4)
    assert distinct(np.zeros((3, 5), np.int32))[1] is None


def test_boards_without_poison_have_no_poison():
    config = replace(SMALL, poison=False)
    lanes = BlopLanes(config, 1, np.random.default_rng(0))
    lanes.step(np.array([5]))  # right
    assert lanes.look().rows[0].tolist() == [0, 1, 0, 3]
