"""How often each category of hand comes up: by drawing hands at random, and by enumerating them all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludus.cards.evaluator import (
    CARD_BITS,
    CARD_KEYS,
    CATEGORY,
    FLUSHED,
    START_7,
    rank_of_flush,
    rank_of_key,
    rank_of_sums,
)
from ludus.cards.random import next_state, stream_blocks
from ludus.compiled import kernel
from ludus.parallel import Progress, in_blocks

STREAM_HANDS = 1 << 20
"""The most hands that one random stream draws."""

_CARD_AT, _LOW57, _LOW7 = np.uint64(48), np.uint64((1 << 57) - 1), np.uint64(127)
_U0, _U1, _U7, _U57 = np.uint64(0), np.uint64(1), np.uint64(7), np.uint64(57)
_COUNTER_AT = 7 * CATEGORY


@kernel
def draw_categories(s0: np.uint64, s1: np.uint64, hands: int) -> NDArray[np.int64]:
    """Draw seven-card hands one by one and count them by category: [9].

    One random number deals a hand: its upper 57 bits are a fraction, and multiplying it by the cards left gives a card
    as the whole part and leaves a fraction for the next. Seven cards use 39 bits, so no deal is likelier than
    another by more than one part in 2**17. The deck holds keys instead of numbers, and is never put back in order.
    The counters are seven bits each in one register, emptied every 127 hands: counting in memory is a third slower.
    """
    deck = CARD_KEYS.copy()
    counts = np.zeros(9, np.int64)
    while hands > 0:
        block = min(hands, 127)
        hands -= block
        counters = _U0
        for _ in range(block):
            fraction = (s0 + s1) >> _U7
            s0, s1 = next_state(s0, s1)
            key = START_7
            left = np.uint64(52)
            for _ in range(7):
                scaled = fraction * left
                fraction = scaled & _LOW57
                left -= _U1
                at = scaled >> _U57
                card = deck[at]
                deck[at] = deck[left]
                deck[left] = card
                key += card
            if key & FLUSHED:
                bits = _U0
                for place in range(45, 52):
                    bits += CARD_BITS[deck[place] >> _CARD_AT]
                rank = np.uint64(rank_of_flush(bits))
            else:
                rank = np.uint64(rank_of_key(key))
            counters += _U1 << np.uint64(_COUNTER_AT[rank])
        for category in range(9):
            counts[category] += np.int64((counters >> np.uint64(7 * category)) & _LOW7)
    return counts


def draw_hands(hands: int, seed: int, threads: int = 1, progress: Progress | None = None) -> NDArray[np.int64]:
    """Category counts [9] of ``hands`` random seven-card hands; the same for any number of threads."""
    if hands < 1:
        raise ValueError(f"the number of hands must be at least 1, got {hands}")
    blocks = stream_blocks(seed, hands, STREAM_HANDS)
    parts = in_blocks(lambda block: draw_categories(*block), blocks, threads, progress)
    return np.sum(parts, axis=0)  # type: ignore[no-any-return]


@kernel
def enumerate_checksum() -> tuple[np.int64, np.int64]:
    """Rank all 133,784,560 seven-card hands: how many there are, and the sum of their classes."""
    hands = total = np.int64(0)
    for a in range(46):
        for b in range(a + 1, 47):
            for c in range(b + 1, 48):
                key3 = START_7 + CARD_KEYS[a] + CARD_KEYS[b] + CARD_KEYS[c]
                bits3 = CARD_BITS[a] + CARD_BITS[b] + CARD_BITS[c]
                for d in range(c + 1, 49):
                    key4, bits4 = key3 + CARD_KEYS[d], bits3 + CARD_BITS[d]
                    for e in range(d + 1, 50):
                        key5, bits5 = key4 + CARD_KEYS[e], bits4 + CARD_BITS[e]
                        for f in range(e + 1, 51):
                            key6, bits6 = key5 + CARD_KEYS[f], bits5 + CARD_BITS[f]
                            hands += 51 - f
                            for g in range(np.uint64(f + 1), np.uint64(52)):
                                total += np.int64(rank_of_sums(key6 + CARD_KEYS[g], bits6 + CARD_BITS[g]))
    return hands, total


@kernel
def enumerate_categories() -> NDArray[np.int64]:
    """Count all 133,784,560 seven-card hands by category: [9]. Slower than the checksum, which needs no look-up."""
    counts = np.zeros(9, np.int64)
    for a in range(46):
        for b in range(a + 1, 47):
            for c in range(b + 1, 48):
                for d in range(c + 1, 49):
                    for e in range(d + 1, 50):
                        key = START_7 + CARD_KEYS[a] + CARD_KEYS[b] + CARD_KEYS[c] + CARD_KEYS[d] + CARD_KEYS[e]
                        bits = CARD_BITS[a] + CARD_BITS[b] + CARD_BITS[c] + CARD_BITS[d] + CARD_BITS[e]
                        for f in range(e + 1, 51):
                            for g in range(f + 1, 52):
                                rank = rank_of_sums(
                                    key + CARD_KEYS[f] + CARD_KEYS[g], bits + CARD_BITS[f] + CARD_BITS[g]
                                )
                                counts[CATEGORY[rank]] += 1
    return counts
