"""Random situations of heads-up hold'em to learn from: boards, stacks and both players' ranges."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import CLASS_SIZES, class_of_combo
from ludus.compiled import kernel
from ludus.nets.holdem.boards import HANDS, read_boards
from ludus.solvers.batch.subgames import Subgames

POT = 10_000  # chips, of every situation: stacks are what differs
BET, RAISES = "100%, a", "100%, a; a"  # the betting that networks learn: a pot or all-in, the second raise all-in
DEPTHS = ((0.05, 3.0, 0.4), (3.0, 25.0, 0.45), (25.0, 100.0, 0.15))
"""Stacks in pots, from and to, log-uniform, and the share of situations."""
KINDS = (0.3, 0.15, 0.1, 0.45)
"""Shares of ranges that are split by strength, by strength and class, by class, and as betting makes them."""
NARROWEST = 0.012  # of all hands, in a range that betting makes
NOISE, SOFT = (0.02, 0.25), (-5.3, -2.3)  # from and to: how players differ about hands; log: how sharply they choose
CALLERS = 0.4  # of ranges that betting makes
KNOTS = 6  # between which weights by standing on the board lie
LEAST = 1e-4  # the weight of a class that a range lacks
TRACE = 1e-5  # of the commonest hand, that every hand has: whoever has it is worth something


class Situations(NamedTuple):
    """Situations on boards of one length."""

    boards: NDArray[np.uint8]  # [n, cards]
    stacks: NDArray[np.int64]  # [n]: what each player has left, for a pot of POT
    ranges: NDArray[np.float64]  # [n, 2, 1326], each adding up to 1

    def part(self, first: int, count: int) -> Situations:
        """So many of them."""
        last = first + count
        return Situations(self.boards[first:last], self.stacks[first:last], self.ranges[first:last])

    def subgames(self, streets: int | None = None) -> Subgames:
        """As subgames to be solved."""
        pots = np.full(len(self.boards), POT)
        return Subgames(self.boards, self.ranges, pots, self.stacks, BET, RAISES, streets)


def random_situations(count: int, cards: int, boards: int, rng: np.random.Generator) -> Situations:
    """Situations on so many random boards of 0, 3, 4 or 5 cards."""
    if count < 1 or not 1 <= boards <= count:
        raise ValueError(f"situations are 1 or more, on as many boards at most, got {count} on {boards}")
    dealt = np.argsort(rng.random((boards, 52)), axis=1)[:, :cards].astype(np.uint8)
    rows = np.arange(count) % boards
    ranges = random_ranges(read_boards(dealt)[0][rows], rng)
    return Situations(dealt[rows], random_stacks(count, rng), ranges if cards else alike(ranges))


def alike(ranges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranges whose hands of one class have one weight."""
    size = np.bincount(class_of_combo)
    member = np.zeros((HANDS, len(size)))
    member[np.arange(HANDS), class_of_combo] = 1 / size[class_of_combo]
    return np.asarray((ranges @ member)[..., class_of_combo])


def random_stacks(count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Stacks for a pot of POT, from next to nothing to those of a limped pot 200 big blinds deep."""
    which = rng.choice(len(DEPTHS), count, p=[share for _, _, share in DEPTHS])
    low, high, _ = (np.array(each) for each in zip(*DEPTHS, strict=True))
    stacks = np.exp(rng.uniform(np.log(low[which]), np.log(high[which])))
    return np.asarray(np.maximum(1, np.round(POT * stacks)), np.int64)


def random_ranges(means: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
    """``[n, 2, 1326]`` Ranges over the hands that have a mean place ``[n, 1326]``, each adding up to 1.

    Some are split at random between weaker and stronger hands (`split_ranges`), some of these also lack some of the 169
    classes of hands, some are weights of classes alone; and nearly half are `betting_ranges`.
    """
    count = len(means)
    kind = rng.choice(len(KINDS), (count, 2, 1), p=KINDS)
    kept = rng.random((count, 2, 169)) < rng.uniform(0.15, 1.0, (count, 2, 1))
    classes = np.where(kept, rng.random((count, 2, 169)) ** rng.choice((0.1, 1.0, 3.0), (count, 2, 1)), LEAST)
    split, by_class = split_ranges(means, rng), classes[:, :, class_of_combo]
    mixed = np.choose(kind, [split, split * by_class, by_class, betting_ranges(means, rng)])
    mixed = np.maximum(mixed, TRACE * mixed.max(axis=2, keepdims=True)) * (means >= 0)[:, None]
    return np.asarray(mixed / mixed.sum(axis=2, keepdims=True))


def betting_ranges(means: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
    """``[n, 2, 1326]`` Weights as betting makes them.

    The best classes of hands, many or only the very best, as they seem to a player; often without the best of them, as
    callers have it; and half of them weighed once more by how hands stand on the board.
    """
    size, seems = (len(means), 2, 1), rng.standard_normal((len(means), 2, 169))
    score = _standing() + rng.uniform(*NOISE, size) * seems
    width = np.exp(rng.uniform(np.log(NARROWEST), 0, size))
    soft = np.exp(rng.uniform(*SOFT, size))
    lacked = np.where(rng.random(size) < CALLERS, rng.uniform(0.5, 1, size), 0)
    weights = _above(score, width, soft) * (1 - lacked * _above(score, width * rng.uniform(0.02, 0.7, size), soft))
    place = np.argsort(np.argsort(means, axis=1), axis=1)[:, None] * ((KNOTS - 1) / HANDS)
    knots, low = rng.random((len(means), 2, KNOTS)) ** 2, place.astype(np.int64)
    here, there = (np.take_along_axis(knots, np.broadcast_to(low + at, (len(means), 2, HANDS)), 2) for at in (0, 1))
    weighed = here + (there - here) * (place - low)
    return np.asarray(weights[:, :, class_of_combo] * np.where(rng.random(size) < 0.5, weighed, 1.0))


def _above(score: NDArray[np.float64], part: NDArray[np.float64], soft: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far scores of classes ``[n, 2, 169]`` are above those of so large a part of all hands, from 0 to 1."""
    order = np.argsort(-score, axis=2)
    last = (np.cumsum(CLASS_SIZES[order], axis=2) < part * HANDS).sum(axis=2, keepdims=True)
    edge = np.take_along_axis(score, np.take_along_axis(order, np.minimum(last, 168), 2), 2)
    return np.asarray(1 / (1 + np.exp(np.clip((edge - score) / soft, -50, 50))))


@cache
def _standing() -> NDArray[np.float64]:
    """``[169]`` The part of all hands that a class is better than before the flop."""
    places = read_boards(np.zeros((1, 0), np.uint8))[0][0]
    better = np.sort(places)
    found = 1 - (np.searchsorted(better, places) + np.searchsorted(better, places, side="right")) / (2 * HANDS)
    return np.asarray(np.bincount(class_of_combo, found) / CLASS_SIZES)


def split_ranges(means: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
    """``[n, 2, 1326]`` Weights split at random between weaker and stronger hands, again and again.

    Moravcik et al. (2017), supplement.
    """
    blocked = (means < 0).sum(axis=1)
    order = np.argsort(np.where(means < 0, np.iinfo(np.int64).min, -means), axis=1, kind="stable")
    weights = np.zeros((len(means), 2, HANDS))
    _split(order, blocked, rng.random((len(means), 2, 2 * HANDS)), weights)
    return weights


@kernel
def _split(
    order: NDArray[np.int64], blocked: NDArray[np.int64], draws: NDArray[np.float64], weights: NDArray[np.float64]
) -> None:
    """Fill in ranges ``[n, 2, hands]``: ``order`` has the hands, blocked ones first and then from weak to strong."""
    first, last, mass = np.empty(64, np.int64), np.empty(64, np.int64), np.empty(64)
    for spot in range(len(order)):
        for player in range(2):
            used = 0
            first[0], last[0], mass[0] = blocked[spot], order.shape[1], 1.0
            depth = 1
            while depth > 0:
                depth -= 1
                low, high, weight = first[depth], last[depth], mass[depth]
                if high - low == 1:
                    weights[spot, player, order[spot, low]] = weight
                    continue
                middle = low + (high - low) // 2
                if (high - low) % 2 == 1 and draws[spot, player, used] < 0.5:
                    middle += 1
                share = draws[spot, player, used + 1]
                used += 2
                first[depth], last[depth], mass[depth] = low, middle, weight * share
                first[depth + 1], last[depth + 1], mass[depth + 1] = middle, high, weight * (1 - share)
                depth += 2
