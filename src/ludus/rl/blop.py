"""Blop games side by side: the rules of ``ludus.games.learning.blop`` over arrays, and what the best play earns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.files import Arrays
from ludus.games.learning.blop import MOVES, POISONED, BlopConfig
from ludus.rl.lanes import Bools, Floats, Ints, Look
from ludus.rl.memories import Column

Cells = NDArray[np.int64]  # [..., 2]: row, column


class BlopLanes:
    """Blop games side by side. A row is where the player and the enemy are; a network sees the picture.

    An episode that is cut off counts as over: what would still have come is not part of its return.
    """

    seats, actions = 1, len(MOVES)
    row: Column = (4,), np.uint8

    def __init__(self, config: BlopConfig, count: int, rng: np.random.Generator) -> None:
        self.config, self.count, self.rng = config, count, rng
        self.inputs: tuple[int, ...] = (3, config.size, config.size)
        self.unit = max(abs(config.exit_reward), 1.0)
        self._start = np.array(config.cells())
        self._player = np.tile(self._start[0], (count, 1))
        self._enemy = np.tile(self._start[2], (count, 1))
        self._steps, self._return = np.zeros(count, np.int64), np.zeros(count)
        self.ends: list[float] = []  # returns of episodes
        self._moves, self._poisoned = np.array(MOVES), np.isin(np.arange(len(MOVES)), list(POISONED))

    def look(self) -> Look:
        """All moves are always open."""
        rows = np.concatenate([self._player, self._enemy], axis=1).astype(np.uint8)
        return Look(rows, np.ones((self.count, self.actions), np.bool_), np.zeros(self.count, np.int64))

    def step(self, actions: Ints) -> tuple[NDArray[np.float64], Bools]:
        """Move in every lane; rewards are in units of the reward for the exit."""
        config, numbers = self.config, self.rng.integers(len(MOVES), size=(2, self.count))
        moves = np.where(self._poisoned[actions] & config.poison, numbers[0], actions)
        self._player = self._moved(self._player, moves)
        self._steps += 1
        goal = self._start[1]
        won, lost = (self._player == goal).all(axis=1), (self._player == self._enemy).all(axis=1)
        if config.moving_enemy:
            there = self._moved(self._enemy, numbers[1])
            stays = won | lost | (there == goal).all(axis=1)
            self._enemy = np.where(stays[:, None], self._enemy, there)
            lost = (self._player == self._enemy).all(axis=1)
        rewards = config.move_reward + won * config.exit_reward + lost * config.enemy_reward
        over = won | lost | (self._steps >= config.max_steps)
        self._return += rewards
        self.ends += self._return[over].tolist()
        self._return[over] = 0.0
        self._player[over], self._enemy[over], self._steps[over] = self._start[0], self._start[2], 0
        return rewards[:, None] / self.unit, over

    def _moved(self, cells: Cells, moves: Ints) -> Cells:
        moved: Cells = np.clip(cells + self._moves[moves], 0, self.config.size - 1)
        return moved

    def see(self, rows: NDArray[Any]) -> Floats:
        """[n, colours, size, size] The pictures: red enemy, green exit, blue player, as in ``Blop.image``."""
        at, (player, enemy), goal = np.arange(len(rows)), (rows[:, :2], rows[:, 2:]), self._start[1]
        pictures = np.zeros((len(rows), *self.inputs), np.float32)
        pictures[:, 1, goal[0], goal[1]] = 1
        for colour, cells in ((2, player), (0, enemy)):  # the later over the earlier
            pictures[at, :, cells[:, 0], cells[:, 1]] = 0
            pictures[at, colour, cells[:, 0], cells[:, 1]] = 1
        return pictures

    def state(self) -> Arrays:
        """Where the lanes are, and how episodes ended."""
        return {
            "player": self._player, "enemy": self._enemy, "steps": self._steps, "return": self._return,
            "ends": np.array(self.ends),
        }  # fmt: skip

    def restore(self, arrays: Arrays) -> None:
        """Go on from there."""
        self._player, self._enemy, self._steps = arrays["player"], arrays["enemy"], arrays["steps"]
        self._return, self.ends = arrays["return"], arrays["ends"].tolist()


def optimum(config: BlopConfig) -> float:
    """The largest expected return of an episode from its start, by dynamic programming over steps that are left."""
    size = config.size
    cells = np.array([(row, column) for row in range(size) for column in range(size)])
    numbers = np.clip(cells[:, None] + np.array(MOVES), 0, size - 1) @ np.array([size, 1])  # [cells, moves]: next cell
    start, goal, enemy = (row * size + column for row, column in config.cells())
    every = np.arange(size * size)
    player, foe = np.meshgrid(every, every, indexing="ij")
    values = np.zeros((size * size, size * size))  # [player, enemy], the player to move
    for _ in range(config.max_steps):
        after = values  # [player after the move, enemy before its move]
        if config.moving_enemy:
            met = np.where(player == foe, config.enemy_reward, values)
            theirs = np.where(numbers == goal, every[:, None], numbers)  # never onto the exit
            after = met[:, theirs].mean(axis=2)
        after = np.where(player == goal, config.exit_reward, np.where(player == foe, config.enemy_reward, after))
        moved = after[numbers]  # [player, move, enemy]
        if config.poison:
            moved[:, sorted(POISONED)] = moved.mean(axis=1, keepdims=True)
        values = config.move_reward + moved.max(axis=1)
    return float(values[start, enemy])
