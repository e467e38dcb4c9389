"""Action translation: following a hand whose bets are not in a tree, and playing the tree's bets at the table.

A tree offers a few bet sizes, a table more. Every action at the table is given a counterpart in the tree, so that at
each decision the hand is also at a point of the tree. Sizes are compared as fractions of the pot: what a raise adds,
by the pot after calling.

* A raise that is the image of one in the tree (below) is that one.
* A raise between two neighbouring sizes of the tree becomes one of them at random, by the pseudo-harmonic mapping
  (Ganzfried & Sandholm 2013, "Action Translation in Extensive-Form Games with Large Action Spaces").
* Below the smallest size of the tree the neighbour is the check or call, as a size of 0, while two players are left:
  a bet of next to nothing is treated as nothing. With more players the others could still raise, so there it is the
  smallest size. Above the largest it is the largest; all-in is all-in.
* Back at the table a raise of the tree is the same fraction of the pot there, the nearest that is legal, and all-in is
  all-in; where no raise is possible it is a call.
* Chips and stacks may differ too. At a table with deeper stacks all-in in the tree is a raise like any other, and
  all-in only where that leaves less than a quarter of the stack.

The two hands can part: a small bet that became a check ends the street in the tree, a large one that became all-in ends
its betting. Where the tree then has no decision, there is nothing to do but check or call; once the table has caught
up, the tree is followed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.games.action import Action, Kind
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.moves import CALL, FOLD, Moves
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import apply_or_forfeit

MOST_POINTS = 50_000  # kept; a hand takes few, a long match against any bet sizes takes many
DEEPER = 1.02  # times the depth of the tree: stacks that differ by less are the same
COMMITTED = 0.75  # of a stack: who puts in more puts in all
Line = tuple[tuple[int, ...], ...]
Uniform = Callable[[tuple[int, ...]], float]
"""A number from 0 to 1 for the actions so far: the same whenever it is asked for within a hand."""
Uniforms = Callable[[tuple[int, ...]], NDArray[np.float64]]
"""The same for each of several hands."""


def pseudo_harmonic(low: float, high: float, size: float) -> float:
    """The probability that a bet between two sizes, all fractions of the pot, is taken for the lower one.

    P(A) = (B - x)(1 + A) / ((B - A)(1 + x)) (Ganzfried & Sandholm 2013).

    >>> pseudo_harmonic(0.5, 1.0, 0.5), pseudo_harmonic(0.5, 1.0, 0.75), pseudo_harmonic(0.5, 1.0, 1.0)
    (1.0, 0.42857142857142855, 0.0)
    """
    assert 0 <= low < high, (low, high)
    assert low <= size <= high, size
    return (high - size) * (1 + low) / ((high - low) * (1 + size))


def neighbours(sizes: Sequence[float], size: float) -> tuple[int, int, float]:
    """The places of the sizes, ascending, that a size is taken for, and the probability of the first of them.

    >>> neighbours([0.5, 1.0, 3.0], 2.0), neighbours([0.5, 1.0, 3.0], 9.0)
    ((1, 2, 0.3333333333333333), (2, 2, 1.0))
    """
    above = next((at for at, known in enumerate(sizes) if known >= size), len(sizes))
    if above == len(sizes):
        return above - 1, above - 1, 1.0
    if above == 0 or sizes[above] == size:
        return above, above, 1.0
    return above - 1, above, pseudo_harmonic(sizes[above - 1], sizes[above], size)


def nearest_raise(moves: Moves, size: int) -> int:
    """The legal raise closest to a wished size."""
    if isinstance(moves.raises, range):
        return min(max(size, moves.raises[0]), moves.raises[-1])
    return min(moves.raises, key=lambda raise_to: abs(raise_to - size))


def at_table(action: Action, moves: Moves) -> int:
    """The legal move nearest to an action; one that is not possible at all is a check or call."""
    if action.kind == Kind.RAISE and moves.raises:
        return nearest_raise(moves, action.amount)
    return FOLD if action.kind == Kind.FOLD and moves.fold else CALL


def poker_moves(state: PokerState) -> Moves:
    """The legal actions of the player to act."""
    moves = state.legal_actions()
    assert isinstance(moves, Moves), "no player is to act"
    return moves


def pot_after_call(state: PokerState) -> int:
    """The pot once the player to act has called, were their stack no limit."""
    return state.pot + max(state.bets) - state.bets[state.player]


def pot_fraction(state: PokerState, action: int) -> float:
    """The size of a raise: what it adds to a call, by the pot after calling; 0 for a call."""
    return (action - max(state.bets)) / pot_after_call(state) if action > CALL else 0.0


def raise_by(state: PokerState, fraction: float) -> int:
    """The legal raise nearest to a fraction of the pot; a call where none is possible."""
    moves = poker_moves(state)
    if not moves.raises:
        return CALL
    return nearest_raise(moves, max(state.bets) + round(fraction * pot_after_call(state)))


def depth(game: PokerGame) -> float:
    """The stacks that can be played for, in big blinds: the second largest.

    >>> from ludus.games import holdem
    >>> depth(holdem(stack=200, blinds=(1, 2)))
    100.0
    """
    return sorted(game.stacks)[-2] / game.big_blind


@dataclass(frozen=True, eq=False)
class Point:
    """A decision at the table and where the hand is in the tree: None when the tree can follow it no more."""

    table: PokerState  # both with cards that mean nothing
    tree: PokerState | None
    forks: dict[int, Fork] = field(default_factory=dict, repr=False)  # what actions at the table lead to, as known

    @property
    def ready(self) -> bool:
        """Whether the tree has this decision."""
        return self.tree is not None and (self.tree.player, self.tree.street) == (self.table.player, self.table.street)

    @cached_property
    def images(self) -> dict[int, int]:
        """What the actions of the tree are at the table; a check or call alone where the tree has no decision."""
        tree = self.tree
        if tree is None or not self.ready:
            return {CALL: CALL}
        return {action: self._image(tree, action) for action in poker_moves(tree)}

    def _image(self, tree: PokerState, action: int) -> int:
        table, moves = self.table, poker_moves(self.table)
        if action == FOLD:
            return FOLD if moves.fold else CALL
        if action == CALL or not moves.raises:
            return CALL
        if action == _all_in(tree):
            whole = _all_in(table)
            if depth(table.game) > DEEPER * depth(tree.game):
                part = raise_by(table, pot_fraction(tree, action))
                whole = part if part < COMMITTED * whole else whole
            return nearest_raise(moves, whole)
        if (tree.stacks, tree.bets) == (table.stacks, table.bets):
            return nearest_raise(moves, action)
        return raise_by(table, pot_fraction(tree, action))


class Fork(NamedTuple):
    """Where an action leads: to ``low`` with a probability, else to ``high``."""

    low: Point
    high: Point
    chance: float


class Follower:
    """Follows hands of one game in the tree of another that differs from it in its bets, chips and stacks alone."""

    def __init__(self, tree: PokerGame, table: PokerGame) -> None:
        self._root = Point(_settled(table.start()), _settled(tree.start()))
        self._points = 0

    def follow(self, line: Line, uniform: Uniform) -> Point:
        """The point that the actions of each street lead to, legal ones; ``uniform`` decides between two sizes."""
        point, played = self._start(line)
        for at in range(len(played)):
            fork = self._next(point, played[at])
            first = fork.chance == 1 or uniform(played[: at + 1]) < fork.chance
            point = fork.low if first else fork.high
        return point

    def spread(self, line: Line, hands: int, uniforms: Uniforms) -> list[tuple[Point, NDArray[np.intp]]]:
        """As `follow` for so many hands at once: the points they are at, and which hands are at each."""
        root, played = self._start(line)
        parts = [(root, np.arange(hands))]
        for at in range(len(played)):
            after = []
            for point, here in parts:
                fork = self._next(point, played[at])
                if fork.chance == 1:
                    after.append((fork.low, here))
                    continue
                first = uniforms(played[: at + 1])[here] < fork.chance
                after += [(fork.low, here[first]), (fork.high, here[~first])]
            parts = [(point, here) for point, here in after if len(here)]
        return parts

    def _start(self, line: Line) -> tuple[Point, tuple[int, ...]]:
        """The first point, and the actions of all streets."""
        if self._points > MOST_POINTS:
            self._root.forks.clear()
            self._points = 0
        return self._root, tuple(action for street in line for action in street)

    def _next(self, point: Point, action: int) -> Fork:
        fork = point.forks.get(action)
        if fork is None:
            fork = point.forks[action] = self._fork(point, action)
        return fork

    def _fork(self, point: Point, action: int) -> Fork:
        table = _settled(apply_or_forfeit(point.table, action))
        self._points += 1
        if not point.ready:  # the tree is past this street: only a raise is more than it knows of
            point = Point(table, _caught_up(point.tree, table) if action <= CALL else None)
            return Fork(point, point, 1.0)
        assert point.tree is not None
        low, high, chance = _translated(point, point.tree, action)
        points = {
            known: Point(table, _caught_up(_settled(apply_or_forfeit(point.tree, known)), table))
            for known in {low, high}
        }
        return Fork(points[low], points[high], chance)


def _translated(point: Point, tree: PokerState, action: int) -> tuple[int, int, float]:
    """The actions of the tree that one at the table may be taken for, and the probability of the first."""
    if action <= CALL:
        return action, action, 1.0
    size = pot_fraction(point.table, action)
    raises = poker_moves(tree).raises
    same = [known for known in raises if point.images[known] == action]
    if same:
        one = min(same, key=lambda known: abs(pot_fraction(tree, known) - size))
        return one, one, 1.0
    options = [CALL, *raises] if len(tree.live_seats()) == 2 or not raises else [*raises]
    low, high, chance = neighbours([pot_fraction(tree, known) for known in options], size)
    return options[low], options[high], chance


def _caught_up(tree: PokerState | None, table: PokerState) -> PokerState | None:
    """The tree where the table is: who cannot act at the table any more checks and calls in the tree."""
    if tree is None or table.player == TERMINAL:
        return tree
    while tree.player >= 0 and (
        tree.street < table.street or (tree.street == table.street and tree.player != table.player)
    ):
        tree = _settled(tree.apply(CALL))
    return tree if tree.player >= 0 else None


def _settled(state: PokerState) -> PokerState:
    """The state after the cards due, whatever they are: betting does not depend on them."""
    while state.player == CHANCE:
        state = state.deal(state.game.deck)
    return state


def _all_in(state: PokerState) -> int:
    return state.stacks[state.player] + state.bets[state.player]
