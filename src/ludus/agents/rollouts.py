"""What actions are worth when everybody plays on by a blueprint: rollouts from the table as it is.

With a blueprint of the bounded form or of Aparicio's key (2025) the hand goes on at the table itself, with its stacks
and any raise that is looked at. A blueprint of the form of a tree knows its own game only: the hand is followed there
by action translation (`ludus.trees.translation`), where a size between two becomes the likelier of them; an action to
be valued is a mixture of the two; and what is won there counts in proportion to the pots. Where the tree cannot follow,
everybody checks and calls to the end, and the result says that it is approximate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite, sqrt
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.agents.evaluation import Estimate
from ludus.cards.ranges import Weights
from ludus.games.compiled.engine import HAND, rules_of
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.parallel import in_blocks
from ludus.solvers.blueprint.rollouts import PASSIVE, Floats, moments, reach, roll_out, table_of
from ludus.solvers.blueprint.strategy import Blueprint, Book
from ludus.trees.translation import Follower, Point

BLOCK = 256  # deals of one random stream
_ROUND = 4  # blocks of a thread between two looks at the clock


@dataclass(frozen=True, eq=False)
class ActionComparison:
    """Values of actions that were found with the same deals, so that differences are known better than values."""

    actions: tuple[int, ...]
    means: Floats  # [actions]: chips won from now on
    covariance: Floats  # [actions, actions]: of the means
    deals: int
    approximate: bool  # whether the blueprint does not have the hand, and all check and call after the action

    def value(self, action: int) -> Estimate:
        """What an action is worth."""
        at = self.actions.index(action)
        return Estimate(float(self.means[at]), sqrt(self.covariance[at, at]))

    def difference(self, one: int, other: int) -> Estimate:
        """By how much one action is better than another."""
        a, b = self.actions.index(one), self.actions.index(other)
        cov = self.covariance
        variance = cov[a, a] + cov[b, b] - 2 * cov[a, b]
        return Estimate(float(self.means[a] - self.means[b]), sqrt(max(variance, 0.0)))

    def gain(self, mix: Mapping[int, float], over: Mapping[int, float]) -> Estimate:
        """By how much one mix of the actions is worth more than another."""
        moved = np.array([mix.get(action, 0.0) - over.get(action, 0.0) for action in self.actions])
        return Estimate(float(moved @ self.means), sqrt(max(float(moved @ self.covariance @ moved), 0.0)))

    @property
    def best(self) -> int:
        """The action of the highest mean."""
        return self.actions[int(self.means.argmax())]

    def losses(self) -> dict[int, Estimate]:
        """What each action loses against the best."""
        return {action: self.difference(self.best, action) for action in self.actions}


@dataclass(frozen=True, eq=False)
class Rollouts:
    """An evaluator (`evaluation.ActionEvaluator`) that deals and plays on.

    The same seed gives the same values, whatever the number of threads. Where ``seconds`` are over first there are
    fewer deals, at least a few hundred, so that values then differ from run to run.
    """

    blueprint: Blueprint
    hands: int = 2000  # deals, each played after every action
    seed: int = 1
    seconds: float | None = None  # after which no more are dealt
    threads: int = 1

    def __post_init__(self) -> None:
        if self.hands < 2:
            raise ValueError(f"rollouts need at least 2 hands, got {self.hands}")
        if self.seed < 0:
            raise ValueError(f"a seed is not negative, got {self.seed}")
        if self.threads < 1:
            raise ValueError(f"rollouts need at least 1 thread, got {self.threads}")
        if self.seconds is not None and not (isfinite(self.seconds) and self.seconds > 0):
            raise ValueError(f"a time limit is a number of seconds above 0, got {self.seconds}")

    def values(
        self,
        public: PokerState,
        hand: tuple[int, int],
        ranges: Sequence[Weights | None],
        actions: Sequence[int],
        biases: Floats | None = None,
    ) -> dict[int, Estimate]:
        """Chips won from now on, on average, after each action of the player to act; folding now is worth 0.

        See `compare`.
        """
        found = self.compare(public, hand, ranges, actions, biases)
        return {action: found.value(action) for action in found.actions}

    def compare(
        self,
        public: PokerState,
        hand: tuple[int, int],
        ranges: Sequence[Weights | None],
        actions: Sequence[int],
        biases: Floats | None = None,
    ) -> ActionComparison:
        """The same values, with what is known about their differences.

        Raises may be of any legal size. ``ranges`` are those of the seats, ``[1326]``, None for one's own seat and for
        those that have folded. ``biases [seats, streets, raised, fold/call/raise]`` multiply the blueprint's
        probabilities of what a seat does when nobody, or somebody, has bet or raised on the street; 1 for one's own.
        """
        actions = tuple(dict.fromkeys(actions))
        _check_actions(public, actions)
        factors = _checked_biases(biases, public.game.players)
        table = table_of(public, hand, ranges)
        branches = self._branches(public, actions)
        spec, book, seat = self.blueprint.abstraction.layout.spec, self._book, public.player

        def work(block: tuple[int, int]) -> _Part:
            number, deals = block
            s0, s1 = np.random.SeedSequence((self.seed, number)).generate_state(2, np.uint64)
            results = np.empty((len(branches.starts), deals))
            done = roll_out(
                spec, branches.rules, book, table, branches.starts, branches.memories, factors, seat, s0, s1, results
            )
            if done < deals:
                raise ValueError("hands of these ranges hardly ever go together, they share so many cards: widen them")
            return _Part(deals, *moments(results + branches.spent, branches.weights))

        means, covariance, deals = _joined(self._run(work))
        scale = branches.scale
        return ActionComparison(actions, scale * means, scale**2 * covariance, deals, branches.approximate)

    def _run(self, work: Any) -> list[_Part]:
        """The parts of the result, in an order that threads do not change."""
        if self.seconds is None:
            count = -(-self.hands // BLOCK)
            sizes = [self.hands // count + (number < self.hands % count) for number in range(count)]
            return in_blocks(work, list(enumerate(sizes)), self.threads, None)
        most = -(-self.hands // BLOCK)
        parts: list[_Part] = in_blocks(work, [(0, BLOCK)], 1, None)  # compiles the first time, before the clock starts
        end = monotonic() + self.seconds
        while len(parts) < most and monotonic() < end:
            numbers = range(len(parts), min(len(parts) + _ROUND * self.threads, most))
            parts += in_blocks(work, [(number, BLOCK) for number in numbers], self.threads, None)
        return parts

    @cached_property
    def _book(self) -> Book:
        return self.blueprint.book(self.threads)

    def _branches(self, public: PokerState, actions: Sequence[int]) -> _Branches:
        """Where the actions lead, which is nowhere for a fold."""
        table = replace(public.game, bets=None)
        line = [action for street in public.line for action in street]
        going_on = [action for action in actions if action != FOLD]
        alone = {action: {action: 1.0} for action in going_on}
        if self.blueprint.abstraction.form != "tree":
            return self._reached(rules_of(table), line, actions, alone, public.player)
        if table.players != 2:
            raise ValueError(f"roll-outs of a tree are for two players, there are {table.players} at the table")
        follower = Follower(self.blueprint.abstraction.game, table)
        point = follower.follow(public.line, _likelier)
        if point.tree is None or not point.ready:
            found = self._reached(rules_of(table), line, actions, alone, public.player, passive=True)
            return found._replace(approximate=True)
        known = [action for street in point.tree.line for action in street]
        mixtures: dict[int, dict[int, float]] = {}
        for action in going_on:
            follower.follow((*public.line[:-1], (*public.line[-1], action)), _likelier)
            fork = point.forks[action]
            low, high = (_taken_for(after, len(known)) for after in (fork.low, fork.high))
            mixtures[action] = {low: 1.0} if low == high else {low: fork.chance, high: 1 - fork.chance}
        rules = self.blueprint.abstraction.layout.rules
        found = self._reached(rules, known, actions, mixtures, public.player)
        return found._replace(scale=public.pot / point.tree.pot)

    def _reached(
        self,
        rules: Any,
        line: list[int],
        actions: Sequence[int],
        mixtures: dict[int, dict[int, float]],
        seat: int,
        passive: bool = False,
    ) -> _Branches:
        """The hands after a line and every action of the mixtures that the actions stand for."""
        book, spec = self._book, self.blueprint.abstraction.layout.spec
        taken = sorted({action for mixture in mixtures.values() for action in mixture})
        start, now = np.int64(PASSIVE if passive else 0), np.zeros(1, HAND)[0]
        reach(spec, rules, book.first, book.child, np.array(line, np.int64), start, now)
        starts, memories = np.zeros(len(taken), HAND), np.zeros(len(taken), np.int64)
        weights = np.zeros((len(taken), len(actions)))
        for row, action in enumerate(taken):
            played = np.array([*line, action], np.int64)
            memories[row] = reach(spec, rules, book.first, book.child, played, start, starts[row])
            for column, wanted in enumerate(actions):
                weights[row, column] = mixtures.get(wanted, {}).get(action, 0.0)
        return _Branches(rules, starts, memories, weights, int(rules["start"][seat] - now["stack"][seat]))


class _Branches(NamedTuple):
    """Hands to play on, and how the actions are made up of them."""

    rules: Any
    starts: NDArray[Any]  # [n] of engine.HAND
    memories: NDArray[np.int64]  # [n]
    weights: Floats  # [n, actions]
    spent: int  # by the player to act, before the action
    scale: float = 1.0  # from these hands to the table
    approximate: bool = False


class _Part(NamedTuple):
    """Results of a block of deals."""

    deals: int
    means: Floats  # [actions]
    scatter: Floats  # [actions, actions]: sums of products of deviations


def _joined(parts: Sequence[_Part]) -> tuple[Floats, Floats, int]:
    """Means, the covariance of the means and the number of deals, of all blocks (Chan, Golub & LeVeque 1983)."""
    deals = sum(part.deals for part in parts)
    total, scatter = np.zeros_like(parts[0].means), np.zeros_like(parts[0].scatter)
    for part in parts:
        total += part.deals * part.means
    for part in parts:
        apart = part.means - total / deals
        scatter += part.scatter + part.deals * np.outer(apart, apart)
    return total / deals, scatter / (deals - 1) / deals, deals


def _likelier(_: tuple[int, ...]) -> float:
    """Of two sizes of a tree, takes the likelier one (`translation.Uniform`)."""
    return 0.5


def _taken_for(after: Point, depth: int) -> int:
    """The action of the tree after the first ``depth`` ones that led to a point; only a call ends the tree."""
    if after.tree is None:
        return CALL
    return [action for street in after.tree.line for action in street][depth]


def _check_actions(public: PokerState, actions: Sequence[int]) -> None:
    if public.player < 0:
        raise ValueError("nobody is to act, so there is nothing to value")
    low, high = public.raise_bounds() or (1, 0)
    for action in actions:
        if action > CALL and not low <= action <= high:
            reason = f"between {low} and {high} chips" if high else "not possible here"
            raise ValueError(f"a raise to {action} cannot be valued: raises are {reason}")
        if action < FOLD:
            raise ValueError(f"{action} is not an action: fold is {FOLD}, call is {CALL}, a raise its total")


def _checked_biases(biases: Floats | None, players: int) -> Floats:
    shape = (players, 4, 2, 3)
    if biases is None:
        return np.ones(shape)
    factors = np.ascontiguousarray(biases, np.float64)
    if factors.shape != shape or not np.isfinite(factors).all() or (factors < 0).any():
        raise ValueError(f"biases are {list(shape)} numbers that are not negative, got {list(factors.shape)}")
    return factors
