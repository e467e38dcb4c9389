"""Small poker games against opponents that never change: to the learner they are part of the environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.games.base import TERMINAL
from ludus.games.poker import PokerGame
from ludus.rl.lanes import Bools, Floats, Ints, Look
from ludus.rl.policy import draw_rows
from ludus.rl.small_games import SmallGameLanes
from ludus.solvers.strategy import Strategy


@dataclass(frozen=True)
class Worth:
    """What a policy earns against fixed opponents and what the best response earns, seat by seat, in chips, exactly."""

    seats: tuple[float, ...]
    best_seats: tuple[float, ...]

    @property
    def value(self) -> float:
        """The mean over the seats."""
        return sum(self.seats) / len(self.seats)

    @property
    def best_response_value(self) -> float:
        """The mean over the seats."""
        return sum(self.best_seats) / len(self.best_seats)


class FixedOpponentLanes(SmallGameLanes):
    """Small games in which the learner has one seat, another one in the next lane, and a strategy has the others."""

    def __init__(self, game: PokerGame, opponent: Strategy, count: int, rng: np.random.Generator) -> None:
        self._opponent: NDArray[Any] | None = None  # nobody plays before the tables are there
        super().__init__(game, count, rng)
        self._own = np.arange(count) % game.players
        self._opponent = self._chances(opponent)
        self.seats = 1
        self._begin()

    def _begin(self) -> None:
        self._nodes = self._to_the_learner(np.zeros(self.count, np.int64))

    def _chances(self, strategy: Strategy) -> NDArray[Any]:
        """[information sets, actions] A strategy of the game."""
        table, start = strategy.table(self.flat), self.flat.groups["start"].astype(np.int64)
        return np.where(self.open, table[start[:, None] + self.child], 0.0)

    def _dealt(self, nodes: Ints) -> Ints:
        """The nodes after all cards that are due and all decisions of opponents."""
        nodes = super()._dealt(nodes)
        if self._opponent is None:
            return nodes
        while len(at := np.flatnonzero((self._player[nodes] >= 0) & (self._player[nodes] != self._own))):
            sets = self._group[nodes[at]]
            actions = draw_rows(self._opponent[sets], self.rng.random(len(at)))
            nodes[at] = self._first[nodes[at]] + self.child[sets, actions]
            nodes = super()._dealt(nodes)
        return nodes

    def _to_the_learner(self, nodes: Ints) -> Ints:
        """Games in which the learner is to act; those that end before that are dealt again."""
        nodes = self._dealt(nodes)
        while (ended := self._player[nodes] == TERMINAL).any():
            nodes[ended] = 0
            nodes = self._dealt(nodes)
        return nodes

    def look(self) -> Look:
        """The decisions that wait: to the learner all seats are one, and what it is shown tells them apart."""
        look = super().look()
        return look._replace(seats=np.zeros(self.count, np.int64))

    def step(self, actions: Ints) -> tuple[NDArray[np.float64], Bools]:
        """Act in every lane; rewards [lanes, 1] are the learner's, in units of the largest loss."""
        nodes = self._dealt(self._first[self._nodes] + self.child[self._group[self._nodes], actions])
        over = self._player[nodes] == TERMINAL
        rewards = np.zeros((self.count, 1))
        rewards[over, 0] = self.flat.payoffs[self._leaf[nodes[over]], 0, self._own[over]] / self.unit
        nodes[over] = 0
        self._nodes = self._to_the_learner(nodes)
        return rewards, over

    def worth(self, chances: Floats) -> Worth:
        """What a policy, as chances [information sets, actions], is worth in every seat."""
        assert self._opponent is not None
        players = self.flat.groups["player"][:, None]
        seats = [
            self.evaluate(np.where(players == seat, chances, self._opponent)).value[seat]
            for seat in range(self.game.players)
        ]
        return Worth(tuple(seats), self.evaluate(self._opponent).best_response)
