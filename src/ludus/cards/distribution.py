"""How the equity of two ranges is spread over their hands.

Two ranges with the same equity can be of different kinds: one of middling hands only, the other of very strong and very
weak ones. So here every hand gets its own equity against the whole other range, exact over all boards that can come.
On each board the hands are sorted once; from the best hand down, running sums say how much of the other range is
stronger or equal, less the hands that hold one of the hand's own cards (as in `showdown.tally_ranges`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.cards.card import format_cards, require_distinct
from ludus.cards.ranges import CLASSES, COMBOS, Weights, blocked, class_of_combo
from ludus.cards.runouts import ALL_SYMMETRIES, MOVED, runouts, suit_symmetries
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
    tally_hand,
)
from ludus.compiled import kernel
from ludus.parallel import Progress, in_blocks

_BLOCK_BOARDS = 256
_LEAST_SHARE = 1e-6
"""A hand that meets a smaller part of a range is counted pair by pair: sums over all hands would cancel too much."""

_PLACE, _U0, _U1 = np.uint32(PLACE_BITS), np.uint64(0), np.uint64(1)


def hand_equities(
    ranges: Sequence[ArrayLike],
    board: Sequence[int] = (),
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> tuple[Weights, Weights]:
    """The equity ``[1326]`` of each hand of two ranges ``[1326]`` against the whole other range.

    Wins and half the ties, over every hand of the other range that shares no card with it, by weight, and every board
    of 5 cards that a board of 0, 3, 4 or 5 can become. nan where the hand is not in its range, holds a card of the
    board or meets no hand. Takes milliseconds from the flop on; before the flop, seconds for ranges that treat suits
    alike and up to a minute for others. The number of threads affects only the time.

    >>> from ludus.cards.card import parse_cards
    >>> from ludus.cards.ranges import combo_index, parse_range
    >>> kings, any_hand = parse_range("KK"), parse_range("random")
    >>> own, other = hand_equities([kings, any_hand], parse_cards("Kd7c2s2d2h"))
    >>> ace_and_deuce = combo_index(*parse_cards("Ac2c"))
    >>> float(other[ace_and_deuce]), round(float(np.nanmin(own)), 4)
    (1.0, 0.9556)
    """
    one, two = (weights / weights.max() for weights in _checked(ranges, board))  # sums must not vanish
    deck = [card for card in range(52) if card not in board]
    symmetries = suit_symmetries([one, two], [board])
    boards, times = runouts(board, deck, symmetries)
    combos = np.flatnonzero(one + two).astype(np.uint16)

    def work(start: int) -> NDArray[np.float64]:
        block = slice(start, start + _BLOCK_BOARDS)
        return _shares(boards[block], times[block], combos, one[combos], two[combos])

    parts = in_blocks(work, range(0, len(boards), _BLOCK_BOARDS), threads, progress)
    shares = np.zeros((2, len(COMBOS)))
    shares[:, combos] = np.sum(parts, axis=0)
    shares = _over_symmetries(shares, symmetries)
    boards_each = comb(len(deck) - 4, 5 - len(board))
    first = _equities(one, two, shares[0] / boards_each, board)
    return first, _equities(two, one, shares[1] / boards_each, board)


def meetings(ranges: Sequence[ArrayLike], board: Sequence[int] = ()) -> tuple[Weights, Weights]:
    """How much each hand of two ranges counts, ``[1326]``: its weight times that of all hands it can meet.

    By these weights the mean of a range's `hand_equities` is the range's equity.

    >>> from ludus.cards.ranges import parse_range
    >>> one, two = meetings([parse_range("AhKh, QsQd:0.5"), parse_range("QQ")])
    >>> one[one > 0].tolist(), float(two.sum())
    ([0.5, 6.0], 6.5)
    """
    one, two = _checked(ranges, board)
    return one * weight_met(two), two * weight_met(one)


def distribution(equities: ArrayLike, weights: ArrayLike, bins: int = 100) -> NDArray[np.float64]:
    """The equity of a range by its percentile, ``[bins]``: the mean of each equal part of it, the weakest part first.

    ``weights`` say how much each equity counts, such as `meetings`; hands of weight 0 or without an equity are left
    out. A hand may lie in several parts. The mean of the parts is the mean of the equities.

    >>> distribution([0.9, 0.1, float("nan")], [1, 3, 5], bins=4).round(6).tolist()
    [0.1, 0.1, 0.1, 0.9]
    """
    values, shares = _counted(equities, weights)
    if bins < 1:
        raise ValueError(f"a distribution has 1 or more bins, got {bins}")
    order = np.argsort(np.where(shares > 0, values, np.inf), kind="stable")[: np.count_nonzero(shares)]
    values, shares = values[order], shares[order]
    upto = np.concatenate([[0.0], np.cumsum(shares)])
    area = np.concatenate([[0.0], np.cumsum(values * shares)])
    parts: NDArray[np.float64] = np.diff(np.interp(np.linspace(0, upto[-1], bins + 1), upto, area)) * bins
    return parts


def histogram(equities: ArrayLike, weights: ArrayLike, buckets: int = 10) -> NDArray[np.float64]:
    """The share of a range whose equity is in each of ``[buckets]`` equal parts of 0..1; weights as in `distribution`.

    >>> histogram([0.95, 0.05, 0.0, float("nan")], [1, 1, 2, 5], buckets=4).tolist()
    [0.75, 0.0, 0.0, 0.25]
    """
    values, shares = _counted(equities, weights)
    if buckets < 1:
        raise ValueError(f"a histogram has 1 or more buckets, got {buckets}")
    counts, _ = np.histogram(values, buckets, (0.0, 1.0), weights=shares)
    return np.asarray(counts)


def class_equities(equities: ArrayLike, weights: ArrayLike) -> NDArray[np.float64]:
    """The mean equity ``[169]`` of the combinations ``[1326]`` of each class, nan where none is in the range."""
    values, shares = _counted(equities, weights)
    held = np.bincount(class_of_combo, shares, minlength=len(CLASSES))
    with np.errstate(invalid="ignore"):
        means: NDArray[np.float64] = np.bincount(class_of_combo, values * shares, minlength=len(CLASSES)) / held
    return means


def _counted(equities: ArrayLike, weights: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Equities and the shares of the whole that they count for: 0, and the equity too, where either is missing."""
    values, counts = np.asarray(equities, np.float64), np.asarray(weights, np.float64)
    if values.ndim != 1 or values.shape != counts.shape or not (np.isfinite(counts) & (counts >= 0)).all():
        raise ValueError(
            f"expected equities and as many weights that are not negative, got {values.shape} and {counts.shape}"
        )
    kept = (counts > 0) & ~np.isnan(values)
    if not kept.any():
        raise ValueError("no hand has both an equity and a weight")
    shares = np.where(kept, counts, 0.0) / counts[kept].max()  # sums must not vanish or overflow
    return np.where(kept, values, 0.0), shares / shares.sum()


def _checked(ranges: Sequence[ArrayLike], board: Sequence[int]) -> tuple[Weights, Weights]:
    if len(ranges) != 2:
        raise ValueError(f"expected two ranges, got {len(ranges)}")
    if len(board) not in (0, 3, 4, 5):
        raise ValueError(f"a board has 0, 3, 4 or 5 cards, got {len(board)}: {format_cards(board)!r}")
    require_distinct([("board", board)])
    one, two = (blocked(weights, board) for weights in ranges)
    for number, weights in enumerate((one, two), 1):
        if not weights.any():
            raise ValueError(f"range {number} is empty" + (", for the board blocks all of it" if board else ""))
    if not (one * _hands_met(two)).any():
        raise ValueError("every hand of one range shares a card with every hand of the other")
    return one, two


def weight_met(weights: Weights) -> Weights:
    """For each combination ``[1326]``, the weight of the combinations of a range that share no card with it."""
    with_card = np.bincount(COMBOS.ravel(), np.repeat(weights, 2), minlength=52)
    sums: Weights = weights.sum() - with_card[COMBOS].sum(axis=1) + weights
    return np.where(_hands_met(weights) > 0, np.maximum(sums, 0.0), 0.0)


def _hands_met(weights: Weights) -> NDArray[np.int64]:
    """For each combination ``[1326]``, how many combinations of a range share no card with it."""
    held = weights > 0
    with_card = np.bincount(COMBOS[held].ravel(), minlength=52)
    return np.asarray(held.sum() - with_card[COMBOS].sum(axis=1) + held)


def _over_symmetries(shares: NDArray[np.float64], symmetries: NDArray[np.uint8]) -> NDArray[np.float64]:
    """What was counted for one hand on boards that stand for others, spread over the hands it stands for."""
    kept = [at for at, suits in enumerate(ALL_SYMMETRIES) if (symmetries == suits).all(axis=1).any()]
    return np.asarray(np.mean([shares[:, MOVED[at]] for at in kept], axis=0))


def _equities(own: Weights, other: Weights, shares: Weights, board: Sequence[int]) -> Weights:
    """Equities from the weight that each hand beats, ties counted half, on an average board."""
    met = weight_met(other)
    can = (own > 0) & (_hands_met(other) > 0)
    rare = can & (met < _LEAST_SHARE * other.sum())
    equities = np.full(len(COMBOS), np.nan)
    usual = can & ~rare
    equities[usual] = np.clip(shares[usual] / met[usual], 0.0, 1.0)
    for hand in np.flatnonzero(rare).tolist():
        equities[hand] = _pair_by_pair(hand, other, board)
    return equities


def _pair_by_pair(hand: int, other: Weights, board: Sequence[int]) -> float:
    """The equity of one hand against a range, without sums over hands that it cannot meet."""
    apart = np.flatnonzero((other > 0) & (COMBO_BITS & COMBO_BITS[hand] == 0))
    deck = [card for card in range(52) if card not in (*board, *COMBOS[hand].tolist())]
    boards, times = runouts(board, deck)
    weights = other[apart] / other[apart].max()
    _, wins, losses, ties = tally_hand(boards, times, hand, apart.astype(np.uint16), weights).tolist()
    return float((wins + ties / 2) / (wins + losses + ties))


@kernel
def _shares(
    boards: NDArray[np.uint8],
    times: NDArray[np.int64],
    combos: NDArray[np.uint16],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
) -> NDArray[np.float64]:
    """``[2, m]``: the weight of the other range that each combination ``[m]`` beats as a hand of either player.

    Ties count half, summed over boards ``[n, 5]`` that stand for ``times [n]`` each; the weights of the first and of
    the second player are ``[m]``.
    """
    count = len(combos)
    keys, bits = COMBO_KEYS[combos], COMBO_BITS[combos]
    low, high = COMBO_LOW[combos], COMBO_HIGH[combos]
    packed, spare = np.empty(count + 1, np.uint32), np.empty(count, np.uint32)
    digits = np.empty((2, DIGITS), np.uint32)
    first_with, second_with = np.empty(52), np.empty(52)  # sums over the hands so far that hold a card
    beaten = np.zeros((2, count))
    for row in range(len(boards)):
        live = np.uint64(rank_live(boards[row], keys, bits, packed))
        sort_packed(packed, int(live), spare, digits)
        packed[live] = np.uint32(0)  # ends the last group of equals
        half = times[row] / 2
        first_with[:] = 0.0
        second_with[:] = 0.0
        first_all = second_all = 0.0
        start = _U0
        while start < live:  # less what is stronger, and once more less that and the equals: twice what is lost
            rank = packed[start] >> _PLACE
            end = start
            while packed[end] >> _PLACE == rank:
                at = packed[end] & PLACES
                a, b = low[at], high[at]
                beaten[0, at] -= half * (second_all - second_with[a] - second_with[b])
                beaten[1, at] -= half * (first_all - first_with[a] - first_with[b])
                end += _U1
            for place in range(start, end):
                at = packed[place] & PLACES
                a, b = low[at], high[at]
                first_all += first[at]
                second_all += second[at]
                first_with[a] += first[at]
                first_with[b] += first[at]
                second_with[a] += second[at]
                second_with[b] += second[at]
            for place in range(start, end):  # the hand itself was taken off twice
                at = packed[place] & PLACES
                a, b = low[at], high[at]
                beaten[0, at] -= half * (second_all - second_with[a] - second_with[b] + second[at])
                beaten[1, at] -= half * (first_all - first_with[a] - first_with[b] + first[at])
            start = end
        for place in range(live):
            at = packed[place] & PLACES
            a, b = low[at], high[at]
            beaten[0, at] += times[row] * (second_all - second_with[a] - second_with[b] + second[at])
            beaten[1, at] += times[row] * (first_all - first_with[a] - first_with[b] + first[at])
    return beaten
