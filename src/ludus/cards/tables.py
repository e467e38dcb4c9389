"""How the evaluator's tables are made: ``python -m ludus.cards.tables`` rewrites ``data/evaluator.npz``.

Hands without a flush depend on their ranks alone. Each rank has a number such that the sums over any two different
multisets of seven ranks (at most four of each) differ, so the sum names the multiset; the sums are then squeezed into a
small array by row displacement (Tarjan & Yao 1979). The numbers are the smallest that work, found one after another.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

DATA = Path(__file__).parent / "data" / "evaluator.npz"
RANK_KEYS = (0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181)
SIZE_SHIFT = 23  # sums are below 2**23; hands of 5, 6 and 7 cards occupy three consecutive blocks of that size
ROW_SHIFT = 10  # a row of the displacement table covers 2**10 consecutive sums

HIGH_CARD, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)


def rank_multisets(cards: int) -> Ints:
    """All ways to hold ``cards`` ranks with at most four of each: counts of shape [multisets, 13]."""
    partial = [np.zeros((1, 0), np.int64)] + [np.zeros((0, 0), np.int64)] * cards  # by cards used so far
    for rank in range(13):
        grown = []
        for used in range(cards + 1):
            blocks = []
            for count in range(min(4, used) + 1):
                rows = partial[used - count]
                if len(rows):
                    blocks.append(np.hstack([rows, np.full((len(rows), 1), count)]))
            grown.append(np.vstack(blocks) if blocks else np.zeros((0, rank + 1), np.int64))
        partial = grown
    return partial[cards]


def _top(mask: Ints) -> Ints:
    """Number of the highest bit of each mask, 0 for an empty one."""
    return np.where(mask > 0, np.frexp(mask.astype(np.float64))[1] - 1, 0).astype(np.int64)


def _without(mask: Ints, rank: Ints) -> Ints:
    return mask & ~(np.int64(1) << rank)


def _descending(mask: Ints, count: int) -> list[Ints]:
    """The ``count`` highest ranks of each mask, highest first."""
    ranks = []
    for _ in range(count):
        ranks.append(_top(mask))
        mask = _without(mask, ranks[-1])
    return ranks


def _straight_top(mask: Ints) -> Ints:
    """The highest rank of the best straight in each mask, -1 without one; the ace also counts below the deuce."""
    with_low_ace = (mask << 1) | (mask >> 12)
    best = np.full(mask.shape, -1)
    for top in range(3, 13):
        run = np.int64(0b11111) << (top - 3)
        best[(with_low_ace & run) == run] = top
    return best


def _score(category: int | Ints, ranks: list[Ints]) -> Ints:
    """One number that orders hands: the category, then up to five ranks of falling importance, four bits each."""
    score = np.asarray(category, np.int64) << 20
    for place, rank in enumerate(ranks):
        score = score | (rank << (16 - 4 * place))
    return score


def rank_scores(counts: Ints) -> Ints:
    """Score of the best five cards of each rank multiset [multisets, 13], suits ignored."""
    bits = np.int64(1) << np.arange(13)
    at_least = [(counts >= n) @ bits for n in range(1, 5)]
    singles, pairs, triples, quads = at_least
    first_pair = _top(pairs)
    second_pair = _top(_without(pairs, first_pair))
    triple, quad, straight = _top(triples), _top(quads), _straight_top(singles)
    pair_below = _top(_without(pairs, triple))
    rest_of_pair = _without(singles, first_pair)
    candidates = [  # from the weakest category to the strongest: a later one that applies replaces an earlier
        (np.ones_like(singles, bool), _score(HIGH_CARD, _descending(singles, 5))),
        (pairs > 0, _score(PAIR, [first_pair, *_descending(rest_of_pair, 3)])),
        (
            _without(pairs, first_pair) > 0,
            _score(TWO_PAIR, [first_pair, second_pair, _top(_without(rest_of_pair, second_pair))]),
        ),
        (triples > 0, _score(TRIPS, [triple, *_descending(_without(singles, triple), 2)])),
        (straight >= 0, _score(STRAIGHT, [np.maximum(straight, 0)])),
        ((triples > 0) & (_without(pairs, triple) > 0), _score(FULL_HOUSE, [triple, pair_below])),
        (quads > 0, _score(QUADS, [quad, _top(_without(singles, quad))])),
    ]
    best = candidates[0][1]
    for applies, score in candidates[1:]:
        best = np.where(applies, score, best)
    return best


def flush_scores(masks: Ints) -> Ints:
    """Score of the best five cards of one suit, given as 13-bit masks of at least five ranks."""
    straight = _straight_top(masks)
    plain = _score(FLUSH, _descending(masks, 5))
    return np.where(straight >= 0, _score(STRAIGHT_FLUSH, [np.maximum(straight, 0)]), plain)


def displace(sums: Ints, order: Ints) -> tuple[Ints, int]:
    """Row displacement: an offset for each row so that ``sum + offset[sum >> ROW_SHIFT]`` differs for all sums.

    Rows are placed one after another at the first place where they fit, by ``order`` and then by falling size.
    Returns the offsets and the length of the array they address.
    """
    rows, starts, sizes = np.unique(sums >> ROW_SHIFT, return_index=True, return_counts=True)
    used = np.zeros(1 << 20, bool)
    offsets = np.zeros(int(rows.max()) + 1, np.int64)
    length = first_free = 0
    for at in np.lexsort((rows, -sizes, order[starts])):
        columns = sums[starts[at] : starts[at] + sizes[at]] - (rows[at] << ROW_SHIFT)
        place = max(first_free - int(columns[0]), 0)
        while True:
            places = np.arange(place, place + 1024)
            fits = ~used[places[:, None] + columns].any(axis=1)
            if fits.any():
                break
            place += 1024
        place = int(places[fits.argmax()])
        used[place + columns] = True
        offsets[rows[at]] = place - (rows[at] << ROW_SHIFT)
        length = max(length, place + int(columns[-1]) + 1)
        first_free += int(np.argmin(used[first_free:]))
    return offsets, length


def build() -> dict[str, NDArray[np.generic]]:
    """All tables: offsets and values of the rank look-up, the flush look-up, and the score of each of 7462 classes."""
    sums_of, scores_of, order_of = [], [], []
    for cards in (5, 6, 7):
        counts = rank_multisets(cards)
        sums_of.append(((cards - 5) << SIZE_SHIFT) + counts @ np.array(RANK_KEYS))
        scores_of.append(rank_scores(counts))
        order_of.append(np.full(len(counts), 7 - cards))  # seven-card hands first, so that they lie close together
    masks = np.array([mask for mask in range(1 << 13) if mask.bit_count() >= 5])
    flushes = flush_scores(masks)
    classes = np.unique(np.concatenate([scores_of[0], flushes]))[::-1]
    assert len(classes) == 7462

    def class_of(scores: Ints) -> NDArray[np.uint16]:
        return (7462 - np.searchsorted(classes[::-1], scores)).astype(np.uint16)

    sums, scores, order = np.concatenate(sums_of), np.concatenate(scores_of), np.concatenate(order_of)
    by_sum = np.argsort(sums)
    sums, scores, order = sums[by_sum], scores[by_sum], order[by_sum]
    offsets, length = displace(sums, order)
    values = np.zeros(length, np.uint16)
    values[sums + offsets[sums >> ROW_SHIFT]] = class_of(scores)
    flush = np.zeros(1 << 13, np.uint16)
    flush[masks] = class_of(flushes)
    return {"offsets": offsets.astype(np.int32), "values": values, "flush": flush, "scores": classes.astype(np.int32)}


if __name__ == "__main__":
    np.savez_compressed(DATA, **build())  # type: ignore[arg-type]
