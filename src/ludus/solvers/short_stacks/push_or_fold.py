"""Push or fold for two to ten players, by fictitious play over the 169 classes of hands (Brown 1951).

Whoever is first in moves all-in or folds, and the others call or fold. At most one of them calls: those who come
later fold then, as they nearly always would. Two players' cards exclude each other exactly; beyond that, folded hands
say nothing about the cards that are left. So for two players it is the game that `ludus.solvers.preflop` solves, and
for more an approximation. A result counts in chips, or by what stacks are worth in a tournament (`ludus.games.icm`):
then those who fold gain by others' all-ins, and hands that gain chips may lose prizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ludus.cards.preflop import pair_counts, preflop_table
from ludus.cards.ranges import CLASS_SIZES, CLASSES
from ludus.games.icm import icm

Floats = NDArray[np.float64]
ITERATIONS = 200
MOST_PLAYERS = 10
OPPOSING = 1225  # hands that an opponent may hold


@dataclass(frozen=True, eq=False)
class PushOrFold:
    """How often each class moves all-in or calls; players in the order in which they act, the big blind last."""

    push: Floats
    """``[players - 1, 169]``: first in."""
    call: Floats
    """``[players - 1, players, 169]``: the second player's calls of the first one's all-in; 0 where they act before."""
    values: Floats
    """``[players]``: what the hand is worth to everybody before the deal, in chips or prizes."""


@cache
def _chances() -> tuple[Floats, Floats, Floats]:
    """``[169, 169]``: how likely somebody who holds the row's class meets the column's, beats it, and ties with it."""
    table = preflop_table()
    meets = pair_counts() / (OPPOSING * CLASS_SIZES[:, None])
    return meets, meets * table.win.astype(np.float64), meets * table.tie.astype(np.float64)


def solve_push_or_fold(
    stacks: Sequence[int], posted: Sequence[int], prizes: Sequence[float] | None = None, iterations: int = ITERATIONS
) -> PushOrFold:
    """Play that is close to an equilibrium. ``stacks`` are before the blinds and antes, which are ``posted``.

    Both are by player in the order of acting, the big blind last. With ``prizes``, by place, results are their parts.
    """
    players = len(stacks)
    if not 2 <= players <= MOST_PLAYERS or len(posted) != players:
        raise ValueError(f"push or fold is for 2 to {MOST_PLAYERS} players, each with a stack and what they post")
    if min(stacks) <= 0 or any(not 0 <= blind <= stack for blind, stack in zip(posted, stacks, strict=True)):
        raise ValueError(f"stacks are above 0 and cover what is posted, got {tuple(stacks)} and {tuple(posted)}")
    if iterations < 1:
        raise ValueError(f"the number of iterations is at least 1, got {iterations}")
    game = _Game(np.asarray(stacks, np.int64), np.asarray(posted, np.int64), _worth(prizes))
    push, call = np.ones((players - 1, len(CLASSES))), np.ones((players - 1, players, len(CLASSES)))
    for step in range(iterations):
        rate = 2 / (step + 2)  # later answers count more
        _respond(game, push, call, rate)
    call *= np.arange(players)[None, :, None] > np.arange(players - 1)[:, None, None]
    return PushOrFold(push, call, _values(game, push, call)[0])


def _worth(prizes: Sequence[float] | None) -> Callable[[NDArray[np.int64]], Floats]:
    if prizes is None:
        return lambda stacks: stacks.astype(np.float64)
    return lambda stacks: np.array(icm([int(stack) for stack in stacks], prizes))


class _Game:
    """What every end of a hand is worth to everybody."""

    def __init__(
        self, stacks: NDArray[np.int64], posted: NDArray[np.int64], worth: Callable[[NDArray[np.int64]], Floats]
    ) -> None:
        count = len(stacks)
        pot, after = int(posted.sum()), stacks - posted
        self.players = count
        self.steals = np.array([worth(after + pot * (np.arange(count) == one)) for one in range(count)])
        self.showdowns = np.zeros((count, count, 3, count))  # pusher, caller: wins, ties, loses
        for one in range(count - 1):
            for other in range(one + 1, count):
                matched = int(min(stacks[one], stacks[other]))
                left = after.copy()
                left[[one, other]] = stacks[[one, other]] - matched
                all_in = 2 * matched + pot - int(posted[one] + posted[other])
                for at, share in enumerate((all_in, all_in // 2, 0)):
                    ended = left.copy()
                    ended[one] += share
                    ended[other] += all_in - share
                    self.showdowns[one, other, at] = worth(ended)


def _called(call: Floats) -> Floats:
    """``[3, 169]``: chances that a pusher with a hand of a class is called and wins, ties, loses."""
    meets, wins, ties = _chances()
    won, tied = wins @ call, ties @ call
    return np.array([won, tied, meets @ call - won - tied])


def _values(game: _Game, push: Floats, call: Floats) -> tuple[Floats, Floats]:
    """What it is worth to everybody when it is folded to a player, and when an all-in has been folded to one.

    ``[players]`` for the first player, and ``[players - 1, players + 1, players]``.
    """
    count = game.players
    after = np.zeros((count - 1, count + 1, count))
    folded = game.steals[-1]
    for one in range(count - 2, -1, -1):
        held = CLASS_SIZES * push[one]
        total = held.sum()
        after[one, count] = game.steals[one]
        for other in range(count - 1, one, -1):
            ends = _called(call[one, other]) @ held / total if total > 0 else np.zeros(3)
            after[one, other] = ends @ game.showdowns[one, other] + (1 - ends.sum()) * after[one, other + 1]
        often = total / CLASS_SIZES.sum()
        folded = often * after[one, one + 1] + (1 - often) * folded
    return folded, after


def _respond(game: _Game, push: Floats, call: Floats, rate: float) -> None:
    """Move everybody's play towards the best answer to the others'."""
    count = game.players
    meets, wins, ties = _chances()
    folded = game.steals[-1]
    for one in range(count - 2, -1, -1):
        held, worth = CLASS_SIZES * push[one], game.steals[one]
        total, meeting = held.sum(), meets @ push[one]
        won, tied = wins @ push[one], ties @ push[one]
        gained, alone = np.zeros(len(CLASSES)), np.ones(len(CLASSES))
        parts = []
        for other in range(count - 1, one, -1):
            ends = _called(call[one, other])
            parts.append((other, ends))
            if total > 0:  # the caller sees the all-in of the range as it is
                sides = game.showdowns[one, other, :, other]
                called = won * sides[2] + tied * sides[1] + (meeting - won - tied) * sides[0]
                better = called > meeting * worth[other]
                call[one, other] += rate * (better - call[one, other])
                shown = ends @ held / total
                worth = shown @ game.showdowns[one, other] + (1 - shown.sum()) * worth
        for other, ends in reversed(parts):  # who acts first after the all-in calls first
            gained += alone * (game.showdowns[one, other, :, one] @ ends)
            alone = alone * (1 - ends.sum(axis=0))
        better = gained + alone * game.steals[one, one] > folded[one]
        push[one] += rate * (better - push[one])
        often = CLASS_SIZES @ push[one] / CLASS_SIZES.sum()
        folded = often * worth + (1 - often) * folded
