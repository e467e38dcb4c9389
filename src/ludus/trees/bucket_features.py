"""What a hand on a board looks like to an abstraction: numbers over all cards to come, exact and whole.

The strength of a hand on a full board is the share of an opponent's hands that it beats, ties by halves. Over the
boards that can still come, it makes a distribution, and the methods look at it in different ways:

* ``ehs2``: the mean of its square, one number (Zinkevich, Johanson, Bowling & Piccione, NIPS 2007);
* ``emd``: its whole histogram. As the chance to end with at least each of 48 strengths, two histograms differ by their
  earth mover's distance when the absolute differences are added up (Gilpin, Sandholm & Sorensen, AAAI 2007; Johanson,
  Burch, Valenzano & Bowling, AAMAS 2013). On the river the distribution is one strength, and the distance of two hands
  is the difference of theirs;
* ``potential``: on the flop also the histogram of the equity after the next card, so that a hand which learns its fate
  on the turn is told from one which learns it on the river. That is the idea of Ganzfried & Sandholm, "Potential-aware
  imperfect-recall abstraction with earth mover's distance" (AAAI 2014), who move the mass between whole histograms of
  the turn. Here their means stand for them, which makes the distance a sum of absolute differences again; neither of
  its two parts ever exceeds theirs. On the turn and the river it is the same as ``emd``;
* ``ochs``: "opponent cluster hand strength", the equity against each of 8 clusters of the hands that an opponent may
  have been dealt (Johanson et al. 2013), compared by squares. It tells hands apart that beat the same number of hands,
  but not the same hands.

A feature is a row of numbers 0..8192, shares of one rounded to 1/8192: whole numbers make hands that differ only in the
names of the suits exactly equal, on every machine. Larger is stronger throughout.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import CLASSES, COMBOS, class_of_combo
from ludus.cards.runouts import ALL_SYMMETRIES, runouts
from ludus.cards.showdown import (
    COMBO_BITS,
    COMBO_HIGH,
    COMBO_KEYS,
    COMBO_LOW,
    DIGITS,
    PLACE_BITS,
    PLACES,
    rank_live,
    sort_packed,
)
from ludus.compiled import kernel
from ludus.parallel import Progress, in_blocks
from ludus.trees.clusters import L1, L2, Points, assign_all, cluster

METHODS = ("ehs2", "emd", "potential", "ochs")
DISTANCE = {"ehs2": L1, "emd": L1, "potential": L1, "ochs": L2}

SCALE = 8192
BINS = 49
OPPONENTS = 8
"""Clusters of an opponent's hands."""

Opponents = NDArray[np.uint8]
"""``[169]``: the cluster 0..7 of each class of hands, the weakest first."""

_HANDS = len(COMBOS)
_FULL = 1980  # twice the opponent's 990 hands on a full board
_TURNS, _RIVERS = 47, 46  # cards that can come after a hand and a flop, and after that
_BLOCK_BOARDS = 2048
_PLACE, _U0, _U1 = np.uint32(PLACE_BITS), np.uint64(0), np.uint64(1)
_MEAN, _SQUARE, _HISTOGRAM, _POTENTIAL = 0, 1, 2, 3  # the first two are single numbers
_KINDS = {"ehs": _MEAN, "ehs2": _SQUARE, "emd": _HISTOGRAM, "potential": _POTENTIAL}
_WIDE = np.uint64(OPPONENTS)


def dimensions(method: str, cards: int) -> int:
    """How many numbers a feature has on a board of 3 to 5 cards."""
    if method == "ochs":
        return OPPONENTS
    return {_HISTOGRAM: BINS - 1, _POTENTIAL: 2 * (BINS - 1)}.get(_kind(method, cards), 1)


def _kind(method: str, cards: int) -> int:
    """What is kept of the strengths: one is as good as its histogram, and the turn's next street is the last."""
    kind = _KINDS[method]
    if cards == 5 and kind != _SQUARE:
        return _MEAN
    return _HISTOGRAM if cards == 4 and kind == _POTENTIAL else kind


def features(method: str, boards: NDArray[np.uint8], opponents: Opponents) -> Points:
    """The features ``[n, 1326, dimensions]`` of all hands on boards ``[n, 3..5]``, zeros for impossible hands.

    ``ehs`` is a method too: the equity against a random hand, which measures how good an abstraction is.
    """
    boards = np.array(boards, np.uint8)  # one type for kernels, whether it could be written to or not
    count, cards = boards.shape
    coming = _coming(5 - cards)
    out = np.zeros((count, _HANDS, dimensions(method, cards)), np.int16)
    if method == "ochs":
        _cluster_features(boards, coming, opponents[class_of_combo], out)
    else:
        _strength_features(boards, coming, _kind(method, cards), out)
    return out


@cache
def _coming(count: int) -> NDArray[np.uint8]:
    """``[n, count]``: all sets of cards that may still come, those of the board among them."""
    return np.array(list(combinations(range(52), count)), np.uint8).reshape(comb(52, count), count)


def opponent_clusters(seed: int, threads: int = 1, progress: Progress | None = None) -> Opponents:
    """The classes of hands before the flop in 8 clusters, by the earth mover's distance of their strengths' histograms.

    Every full board counts; that takes some seconds.
    """
    boards, times = runouts((), range(52), ALL_SYMMETRIES)
    classes = class_of_combo.astype(np.uint64)

    def work(start: int) -> NDArray[np.int64]:
        block = slice(start, start + _BLOCK_BOARDS)
        return _class_histograms(boards[block], times[block], classes)

    counts = np.sum(in_blocks(work, range(0, len(boards), _BLOCK_BOARDS), threads, progress), axis=0)
    least = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]  # as strong as a bin or stronger
    points = ((2 * SCALE * least[:, 1:] + least[:, :1]) // (2 * least[:, :1])).astype(np.int16)
    weights = np.bincount(class_of_combo)
    centres = cluster(points, weights, OPPONENTS, L1, np.random.default_rng([seed, 0]))
    return assign_all(points, weights, centres, L1)[0].astype(np.uint8)


@kernel
def _class_histograms(
    boards: NDArray[np.uint8], times: NDArray[np.int64], classes: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """Histograms ``[169, BINS]`` of the strengths on boards ``[n, 5]`` that count ``times [n]``."""
    counts = np.zeros((len(CLASSES), BINS), np.int64)
    packed, spare = np.empty(_HANDS + 1, np.uint32), np.empty(_HANDS, np.uint32)
    digits, with_card = np.empty((2, DIGITS), np.uint32), np.empty(52, np.int64)
    strength = np.empty(_HANDS, np.int64)
    for row in range(len(boards)):
        live = np.uint64(_find_strengths(boards[row], packed, spare, digits, with_card, strength))
        for place in range(live):
            hand = packed[place] & PLACES
            counts[classes[hand], np.uint64(strength[hand] * BINS // (_FULL + 1))] += times[row]
    return counts


@kernel
def _strength_features(boards: NDArray[np.uint8], coming: NDArray[np.uint8], kind: int, out: Points) -> None:
    """Write the mean strength, its mean square or its histogram for boards ``[n, 3..5]`` and cards to come."""
    known, missing = boards.shape[1], coming.shape[1]
    packed, spare = np.empty(_HANDS + 1, np.uint32), np.empty(_HANDS, np.uint32)
    digits, with_card = np.empty((2, DIGITS), np.uint32), np.empty(52, np.int64)
    strength, sums = np.empty(_HANDS, np.int64), np.empty(_HANDS, np.int64)
    counts = np.empty((_HANDS, BINS), np.uint16)
    by_card = np.empty((52 if kind == _POTENTIAL else 0, _HANDS), np.int32)  # sums of strength with one card to come
    times = np.empty(_HANDS, np.int64)
    full = np.empty(5, np.uint8)
    unit = np.int64(_FULL if kind == _MEAN else _FULL * _FULL)
    for row in range(len(boards)):
        sums[:] = 0
        times[:] = 0
        counts[:] = 0
        by_card[:] = 0
        for at in range(known):
            full[at] = boards[row, at]
        for run in range(len(coming)):
            if not _join(full, known, coming, run, missing):
                continue
            live = np.uint64(_find_strengths(full, packed, spare, digits, with_card, strength))
            for place in range(live):
                hand = packed[place] & PLACES
                value = strength[hand]
                times[hand] += 1
                if kind <= _SQUARE:
                    sums[hand] += value if kind == _MEAN else value * value
                    continue
                counts[hand, np.uint64(value * BINS // (_FULL + 1))] += np.uint16(1)
                if kind == _POTENTIAL:
                    by_card[full[3], hand] += np.int32(value)
                    by_card[full[4], hand] += np.int32(value)
        for hand in range(np.uint64(_HANDS)):
            if times[hand] > 0:
                if kind <= _SQUARE:
                    out[row, hand, 0] = _rounded(sums[hand], times[hand] * unit)
                else:
                    _write_least(counts[hand], times[hand], out[row, hand, : BINS - 1])
                if kind == _POTENTIAL:
                    _write_least(_after_a_card(full, hand, by_card), _TURNS, out[row, hand, BINS - 1 :])


@kernel
def _after_a_card(board: NDArray[np.uint8], hand: int, by_card: NDArray[np.int32]) -> NDArray[np.uint16]:
    """The histogram ``[BINS]`` of a hand's equity after each card that a flop and the hand leave for the turn."""
    counts = np.zeros(BINS, np.uint16)
    for card in range(np.uint64(52)):
        taken = card == COMBO_LOW[hand] or card == COMBO_HIGH[hand]
        if not (taken or card == board[0] or card == board[1] or card == board[2]):
            counts[np.uint64(by_card[card, hand]) * np.uint64(BINS) // np.uint64(_FULL * _RIVERS + 1)] += np.uint16(1)
    return counts


@kernel
def _write_least(counts: NDArray[np.uint16], times: int, out: NDArray[np.int16]) -> None:
    """Write the share ``[BINS - 1]`` of a histogram ``[BINS]`` that lies in each bin but the first or beyond it."""
    least = 0
    for at in range(BINS - 1, 0, -1):
        least += int(counts[at])
        out[at - 1] = _rounded(least, times)


@kernel
def _rounded(part: int, whole: int) -> np.int16:
    """A share of one in units of 1/SCALE."""
    double = np.int64(2) * np.int64(whole)
    return np.int16((np.int64(2 * SCALE) * np.int64(part) + np.int64(whole)) // double)


@kernel
def _join(full: NDArray[np.uint8], known: int, coming: NDArray[np.uint8], run: int, missing: int) -> bool:
    """Put cards to come behind a board; False when the board has one of them already."""
    for at in range(missing):
        card = coming[run, at]
        for place in range(known):
            if full[place] == card:
                return False
        full[known + at] = card
    return True


@kernel
def _find_strengths(
    board: NDArray[np.uint8],
    packed: NDArray[np.uint32],
    spare: NDArray[np.uint32],
    digits: NDArray[np.uint32],
    with_card: NDArray[np.int64],
    strength: NDArray[np.int64],
) -> int:
    """Write the strength ``[1326]`` of every live hand on a full board: the hands it beats twice plus those it ties.

    The number of live hands, which ``packed`` holds from the best one down; the other arrays are room to work in.
    """
    live = np.uint64(rank_live(board, COMBO_KEYS, COMBO_BITS, packed))
    sort_packed(packed, int(live), spare, digits)
    packed[live] = np.uint32(0)  # ends the last group of equals
    with_card[:] = 0  # how many of the hands so far hold a card
    start = _U0
    while start < live:
        rank = packed[start] >> _PLACE
        end = start
        while packed[end] >> _PLACE == rank:
            hand = packed[end] & PLACES
            strength[hand] = _FULL - (np.int64(start) - with_card[COMBO_LOW[hand]] - with_card[COMBO_HIGH[hand]])
            end += _U1
        for place in range(start, end):
            hand = packed[place] & PLACES
            with_card[COMBO_LOW[hand]] += 1
            with_card[COMBO_HIGH[hand]] += 1
        for place in range(start, end):  # the equals are not beaten either; the hand itself was taken off twice
            hand = packed[place] & PLACES
            strength[hand] -= np.int64(end) - with_card[COMBO_LOW[hand]] - with_card[COMBO_HIGH[hand]] + 1
        start = end
    return int(live)


@kernel
def _cluster_features(
    boards: NDArray[np.uint8], coming: NDArray[np.uint8], opponents: NDArray[np.uint8], out: Points
) -> None:
    """Write the equity against each cluster of opponents ``[1326]`` for boards ``[n, 3..5]`` and cards to come."""
    known, missing = boards.shape[1], coming.shape[1]
    packed, spare = np.empty(_HANDS + 1, np.uint32), np.empty(_HANDS, np.uint32)
    digits = np.empty((2, DIGITS), np.uint32)
    with_card = np.empty((52, OPPONENTS), np.int32)
    so_far = np.empty(OPPONENTS, np.int32)
    won, met = np.empty((_HANDS, OPPONENTS), np.int32), np.empty((_HANDS, OPPONENTS), np.int32)
    full = np.empty(5, np.uint8)
    for row in range(len(boards)):
        won[:] = 0
        met[:] = 0
        for at in range(known):
            full[at] = boards[row, at]
        for run in range(len(coming)):
            if _join(full, known, coming, run, missing):
                live = rank_live(full, COMBO_KEYS, COMBO_BITS, packed)
                sort_packed(packed, live, spare, digits)
                _meet_clusters(packed, np.uint64(live), opponents, with_card, so_far, won, met)
        for hand in range(np.uint64(_HANDS)):
            if met[hand].any():
                for at in range(_WIDE):  # against a cluster that it cannot meet, a hand wins and loses
                    none = np.int32(met[hand, at] == 0)
                    out[row, hand, at] = _rounded(won[hand, at] + none, 2 * (met[hand, at] + none))


@kernel
def _meet_clusters(
    packed: NDArray[np.uint32],
    live: np.uint64,
    opponents: NDArray[np.uint8],
    with_card: NDArray[np.int32],
    so_far: NDArray[np.int32],
    won: NDArray[np.int32],
    met: NDArray[np.int32],
) -> None:
    """Add what sorted hands win of each cluster, twice the hands beaten plus those tied, and how many hands they meet.

    From the best hand down, the hands so far are counted by cluster, in all and with each card.
    """
    packed[live] = np.uint32(0)
    with_card[:] = 0
    so_far[:] = 0
    one = np.int32(1)
    start = _U0
    while start < live:
        rank = packed[start] >> _PLACE
        end = start
        while packed[end] >> _PLACE == rank:
            hand = packed[end] & PLACES
            a, b = COMBO_LOW[hand], COMBO_HIGH[hand]
            for at in range(_WIDE):
                won[hand, at] -= so_far[at] - with_card[a, at] - with_card[b, at]
            end += _U1
        for place in range(start, end):
            hand = packed[place] & PLACES
            own = opponents[hand]
            so_far[own] += one
            with_card[COMBO_LOW[hand], own] += one
            with_card[COMBO_HIGH[hand], own] += one
        for place in range(start, end):
            hand = packed[place] & PLACES
            a, b = COMBO_LOW[hand], COMBO_HIGH[hand]
            for at in range(_WIDE):
                won[hand, at] -= so_far[at] - with_card[a, at] - with_card[b, at]
            won[hand, opponents[hand]] -= one  # the hand itself was taken off twice
        start = end
    for place in range(live):
        hand = packed[place] & PLACES
        a, b = COMBO_LOW[hand], COMBO_HIGH[hand]
        for at in range(_WIDE):
            others = so_far[at] - with_card[a, at] - with_card[b, at]
            won[hand, at] += 2 * others
            met[hand, at] += others
        won[hand, opponents[hand]] += 2 * one
        met[hand, opponents[hand]] += one
