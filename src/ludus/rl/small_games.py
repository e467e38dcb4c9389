"""Small poker games side by side, on their flat tree: rows are information sets, so a table shows them to a network."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import rank_of
from ludus.cards.random import streams
from ludus.files import Arrays
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.learning.encoding import DiscreteActions, Features, largest_loss
from ludus.games.moves import FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.rl.lanes import Bools, Floats, Ints, Look, Play, Walked
from ludus.rl.memories import Column
from ludus.solvers.best_response import Evaluation, Evaluator
from ludus.solvers.montecarlo.recording import Recorder
from ludus.trees.flat import FlatGame, flatten

INPUTS = "small-game"  # the name of this way to show a state to a network


@dataclass(frozen=True)
class SmallGameView:
    """What a network of a small game is shown of a state, and what its actions are.

    Cards of one rank are one number where suits never matter. The first actions of each street are spelt out: one
    number each for a check or call and one for a raise. So a network need not read them out of small differences.
    """

    game: PokerGame

    @cached_property
    def features(self) -> Features:
        """The vector that learners of any poker game get."""
        return Features(self.game)

    @cached_property
    def actions(self) -> DiscreteActions:
        """Fold, check or call, raises."""
        return DiscreteActions(self.game)

    @cached_property
    def _merge(self) -> Floats:
        """[features, numbers]: which features are added up to which number."""
        names = list[str]()
        for name, block in self.features.layout.items():
            cards = name in ("hole", "board") and not self.game.show_suits
            told = map(rank_of, self.game.deck) if cards else range(block.stop - block.start)
            names += [f"{name} {each}" for each in told]
        kept = list(dict.fromkeys(names))
        merge = np.zeros((len(names), len(kept)), np.float32)
        merge[np.arange(len(names)), [kept.index(name) for name in names]] = 1
        return merge

    def of(self, state: PokerState, seat: int) -> Floats:
        """[size] What is shown of a state."""
        streets, spelt = len(self.game.board_cards), self.game.players + 2
        acted = np.zeros((streets, spelt, 2), np.float32)
        for street, line in enumerate(state.line):
            for at, action in enumerate(line[:spelt]):
                if action != FOLD:
                    acted[street, at, int(action > 0)] = 1
        return np.concatenate([self.features.of(state, seat) @ self._merge, acted.ravel()])


class SmallGameLanes:
    """Small poker games side by side."""

    def __init__(self, game: PokerGame, count: int, rng: np.random.Generator) -> None:
        self.game, self.count, self.seats, self.rng = game, count, game.players, rng
        self.flat: FlatGame = flatten(game, public=False)
        self.unit = float(largest_loss(game))
        view = SmallGameView(game)
        self.actions = view.actions.count
        self._look_at_all(view)
        self.row: Column = (), np.int32
        self.inputs: tuple[int, ...] = (self.shown.shape[1],)
        nodes = self.flat.nodes
        self._player, self._first = nodes["player"].astype(np.int64), nodes["first"].astype(np.int64)
        self._group, self._leaf = nodes["group"].astype(np.int64), nodes["leaf"].astype(np.int64)
        self._count = nodes["count"].astype(np.int64)
        self._begin()

    def _begin(self) -> None:
        """A new game in every lane."""
        self._nodes = self._dealt(np.zeros(self.count, np.int64))

    def beside(self, rng: np.random.Generator) -> Self:
        """As many games again, with randomness of their own."""
        other = copy.copy(self)
        other.rng = rng
        other._begin()
        return other

    def _look_at_all(self, view: SmallGameView) -> None:
        """Fill the tables: what is shown of every information set, its open actions, their order in the tree."""
        groups = len(self.flat.groups)
        self.shown: Floats = np.zeros((groups, 0), np.float32)
        self.open = np.zeros((groups, self.actions), np.bool_)
        self.child = np.zeros((groups, self.actions), np.int64)  # the child that an action leads to
        waiting: list[tuple[int, Any]] = [(0, self.game.start())]
        nodes, seen = self.flat.nodes, dict[int, Floats]()
        while waiting:
            node, state = waiting.pop()
            player, first, group = (int(nodes[name][node]) for name in ("player", "first", "group"))
            if player == TERMINAL:
                continue
            if player == CHANCE:
                outcomes = [outcome for outcome, _ in state.chance_outcomes()]
            else:
                outcomes = list(self.flat.group_actions[group])
                if group not in seen:
                    seen[group] = view.of(state, player)
                    for number, action in enumerate(view.actions.at(state)):
                        if action is not None:
                            self.open[group, number] = True
                            self.child[group, number] = outcomes.index(action)
            waiting += [(first + at, state.apply(outcome)) for at, outcome in enumerate(outcomes)]
        self.shown = np.array([seen[group] for group in range(groups)])

    def _dealt(self, nodes: Ints) -> Ints:
        """The nodes after all cards that are due; all outcomes of a deal are equally likely."""
        while len(at := np.flatnonzero(self._player[nodes] == CHANCE)):
            here = nodes[at]
            nodes[at] = self._first[here] + (self.rng.random(len(at)) * self._count[here]).astype(np.int64)
        return nodes

    @property
    def sets(self) -> int:
        """How many information sets there are."""
        return len(self.open)

    def look(self) -> Look:
        """The decisions that wait."""
        rows = self._group[self._nodes]
        return Look(rows, self.open[rows], self._player[self._nodes])

    def step(self, actions: Ints) -> tuple[NDArray[np.float64], Bools]:
        """Act in every lane; rewards are in units of the largest loss."""
        nodes = self._first[self._nodes] + self.child[self._group[self._nodes], actions]
        nodes = self._dealt(nodes)
        over = self._player[nodes] == TERMINAL
        rewards = np.zeros((self.count, self.seats))
        rewards[over] = self.flat.payoffs[self._leaf[nodes[over]], 0] / self.unit
        nodes[over] = 0
        self._nodes = self._dealt(nodes)
        return rewards, over

    def see(self, rows: NDArray[Any]) -> Floats:
        """[n, *inputs] What a network is shown."""
        shown: Floats = self.shown[rows]
        return shown

    def state(self) -> Arrays:
        """Where the lanes are."""
        return {"nodes": self._nodes}

    def restore(self, arrays: Arrays) -> None:
        """Go on from there."""
        self._nodes = arrays["nodes"]

    # What a policy is worth

    def table(self, chances: Floats) -> NDArray[np.float64]:
        """A strategy of the flat game from chances [information sets, actions]."""
        table = np.zeros(self.flat.entries)
        group, number = np.nonzero(self.open)
        table[self.flat.groups["start"][group] + self.child[group, number]] = chances[group, number]
        return table

    @cached_property
    def _judge(self) -> Evaluator:
        return Evaluator(self.flat)

    def evaluate(self, chances: Floats) -> Evaluation:
        """Exact values and best responses, from chances [information sets, actions]."""
        return self._judge.evaluate(self.table(chances))


class SmallGameWalks(SmallGameLanes):
    """A small poker game that is walked through by a compiled sampler: all play fits into one table beforehand."""

    def __init__(self, game: PokerGame, seed: int) -> None:
        super().__init__(game, 1, np.random.default_rng(seed))
        self._recorder, self._random = Recorder(self.flat), streams(seed, 1)[0].copy()
        self.rows = len(self.open)

    def walk(self, seat: int, count: int, play: Play) -> Walked:
        """So many walks for a seat, while everybody plays so."""
        chances = self.chances(play)
        found = self._recorder.walk(seat, count, self.table(chances), self._random)
        is_open = self.open[found.groups]
        gained = np.take_along_axis(found.advantages, self.child[found.groups], axis=1)
        gained = np.where(is_open, gained / self.unit, 0).astype(np.float32)
        others = found.others
        return Walked(found.groups, is_open, gained, others, self.open[others], chances[others], found.touched)

    def chances(self, play: Play) -> Floats:
        """[information sets, actions] How everybody plays."""
        chances, seats = np.zeros(self.open.shape, np.float32), self.flat.groups["player"]
        for seat in range(self.seats):
            own = np.flatnonzero(seats == seat).astype(np.int32)
            chances[own] = play(seat, own, self.open[own])
        return chances

    def state(self) -> Arrays:
        """Where its random numbers are."""
        return {"random": self._random}

    def restore(self, arrays: Arrays) -> None:
        """Go on from there."""
        self._random = arrays["random"].copy()
