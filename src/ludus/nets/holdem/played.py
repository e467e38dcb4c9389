"""Situations as play reaches them: both players look ahead with networks, street by street, and end with these ranges.

Before the flop a few depths of stacks are solved once. Lines that are rarely played are drawn more often than they are
played, and ranges are disturbed a little, for a network is asked about both while a look-ahead is solved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import blocked
from ludus.games.menu import BetRules, Menu, PlayerSizes
from ludus.games.sizes import Sizes
from ludus.nets.holdem.boards import HANDS, read_boards
from ludus.nets.holdem.network import HandNetwork
from ludus.nets.holdem.situations import POT, TRACE, Situations, alike, split_ranges
from ludus.solvers.leaf_values import Evaluate, Floats, Leaves, Settling, SettlingLeafValues
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.spot import Spot
from ludus.trees.subgame import Subgame

ASKED = ("preflop-end", "flop-end")  # the stages whose networks play
BIG = 100  # chips of a big blind
DEPTHS = (8, 13, 20, 32, 50, 80, 125, 200)  # big blinds
OPENS = (*map(Sizes.parse, ("50%, 100%, 200%", "100%, a", "100%", "a")), Sizes())
BETS = (*map(Sizes.parse, ("50%, 100%", "100%", "a")), Sizes())
ITERATIONS = 30
LINES, CARDS = 6, 4  # of a street that was solved: how many of its ends are taken, and cards after each
TEMPER = 0.5  # the power of how often a line is played
NOISE = (0.0, 0.3, 1.0)  # standard deviations of the logarithms of weights


@dataclass(frozen=True, eq=False)
class Ends:
    """Where the betting of a street can end with chips left."""

    board: tuple[int, ...]
    pots: NDArray[np.int64]  # [ends]
    stacks: NDArray[np.int64]
    ranges: NDArray[np.float64]  # [ends, 2, 1326]

    def draw(self, count: int, deepest: float, rng: np.random.Generator) -> NDArray[np.int64]:
        """Some ends, with at most so many pots behind; none if there is no such end."""
        likely = self.ranges.sum(axis=2).prod(axis=1) ** TEMPER * (self.stacks <= deepest * self.pots)
        if not likely.any():
            return np.zeros(0, np.int64)
        return rng.choice(len(likely), count, p=likely / likely.sum())


@dataclass(eq=False)
class _Watched:
    """Leaf values that remember which leaves they are bound to, and what ranges they settled on last."""

    values: SettlingLeafValues
    bound: list[_WatchedLeaves] = field(default_factory=list)

    def bind(self, leaves: Leaves) -> Evaluate:
        return self.values.bind(leaves)

    def bind_settling(self, leaves: Leaves) -> _WatchedLeaves:
        self.bound.append(_WatchedLeaves(leaves, self.values.bind_settling(leaves)))
        return self.bound[-1]


@dataclass(eq=False)
class _WatchedLeaves:
    leaves: Leaves
    settling: Settling
    reach: Floats = field(default_factory=lambda: np.zeros(0))

    def settle(self, reach: Floats) -> None:
        self.reach = reach
        self.settling.settle(reach)

    def values(self, reach: Floats, player: int) -> Floats:
        return self.settling.values(reach, player)


def street_ends(subgame: Subgame, ranges: NDArray[np.float64], values: SettlingLeafValues) -> Ends:
    """The ends of a street that is solved for both ranges ``[2, 1326]``, with the ranges that average play leads to."""
    watched = _Watched(values)
    solver = SpotSolver(Layout.of(Spot(replace(subgame, depth=1), ranges)), leaf_values=watched)
    solver.run(ITERATIONS)
    solver.follow(0, solver.sums)
    pots, stacks = (
        np.concatenate([getattr(each.leaves, name) for each in watched.bound]) for name in ("pots", "stacks")
    )
    on = stacks > 0
    return Ends(
        subgame.board,
        pots[on],
        stacks[on],
        np.concatenate([each.reach for each in watched.bound])[on].astype(np.float64),
    )


@lru_cache(2 * len(DEPTHS))
def preflop_ends(depth: int, values: HandNetwork) -> Ends:
    """The ends of the betting before the flop, with stacks of so many big blinds."""
    menu = Menu(((PlayerSizes(OPENS),),))
    stacks = depth * BIG - BIG, depth * BIG - BIG // 2
    subgame = Subgame((), 0, stacks, menu, BetRules(min_bet=BIG), bets=(BIG, BIG // 2))
    return street_ends(subgame, np.ones((2, HANDS)), values)


def played_situations(
    count: int, cards: int, networks: Mapping[str, HandNetwork], rng: np.random.Generator, deepest: float = 100.0,
    of_a_hand: int = LINES * CARDS,
) -> Situations:  # fmt: skip
    """Situations on boards of 0, 3, 4 or 5 cards, with stacks of at most so many pots; at most so many of one hand."""
    if missing := next((stage for stage in ASKED if stage not in networks), None):
        raise ValueError(f"ranges from play need the network of the stage {missing}: train it first, without play")
    parts: list[Situations] = []
    while (have := sum(len(part.boards) for part in parts)) < count:
        part = _played(cards, networks, rng, deepest)
        if part is not None:
            chosen = rng.permutation(len(part.boards))[: min(count - have, of_a_hand)]
            parts.append(Situations(part.boards[chosen], part.stacks[chosen], part.ranges[chosen]))
    boards, stacks, ranges = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Situations(boards, stacks, ranges)


def _played(
    cards: int, networks: Mapping[str, HandNetwork], rng: np.random.Generator, deepest: float
) -> Situations | None:
    """Some situations from one hand that went as far; None if it ended before."""
    before = preflop_ends(int(rng.choice(DEPTHS)), networks["preflop-end"])
    if cards == 0:
        return _dealt(before, before.draw(LINES, deepest, rng), 0, rng)
    at = before.draw(1, deepest if cards == 3 else np.inf, rng)
    if cards == 3 or not len(at):
        return _dealt(before, at, 3, rng)
    flop = _flop(before, int(at[0]), networks["flop-end"], rng)
    return _dealt(flop, np.repeat(flop.draw(LINES, deepest, rng), CARDS), cards - 3, rng)


def _flop(before: Ends, at: int, values: SettlingLeafValues, rng: np.random.Generator) -> Ends:
    """The ends of a random flop after an end of the betting before it."""
    flop = tuple(rng.choice(52, 3, replace=False).tolist())
    menu = Menu(((PlayerSizes(BETS),),) * 2)
    stack = int(before.stacks[at])
    subgame = Subgame(flop, int(before.pots[at]), (stack, stack), menu, BetRules(min_bet=BIG))
    ranges = before.ranges[at] * blocked(np.ones(HANDS), flop)
    return street_ends(subgame, ranges / ranges.max(axis=1, keepdims=True), values)


def _dealt(ends: Ends, at: NDArray[np.int64], more: int, rng: np.random.Generator) -> Situations | None:
    """Ends with the next cards; of two cards, the betting between them is drawn at random."""
    if not len(at):
        return None
    boards = np.zeros((len(at), len(ends.board) + more), np.uint8)
    ranges = ends.ranges[at] * np.exp(rng.choice(NOISE, (len(at), 2, 1)) * rng.standard_normal((len(at), 2, HANDS)))
    for board in boards:
        left = np.setdiff1d(np.arange(52), ends.board)
        board[:] = [*ends.board, *rng.choice(left, more, replace=False)]
    if more == 2:
        ranges *= split_ranges(read_boards(boards[:, :4])[0], rng) ** TEMPER
    free = np.stack([blocked(np.ones(HANDS), board.tolist()) for board in boards])[:, None]
    ranges = ranges * free if boards.shape[1] else alike(ranges)
    ranges = np.maximum(ranges, TRACE * ranges.max(axis=2, keepdims=True)) * free
    stacks = np.maximum(1, np.round(POT * ends.stacks[at] / ends.pots[at])).astype(np.int64)
    return Situations(boards, stacks, ranges / ranges.sum(axis=2, keepdims=True))
