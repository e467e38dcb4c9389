"""Rank any 5, 6 or 7 cards: 1 is a royal flush, 7462 is 7-5-4-3-2 of mixed suits; lower is better.

A card is a 64-bit key; the sum of the keys of a hand says everything: its low half names the multiset of ranks (see
``tables``), and four 4-bit counters above it, started at three, reach eight when a suit makes a flush. So a hand costs
one addition per card, one test, and two look-ups.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.cards.card import RANK_NAMES
from ludus.cards.tables import DATA, RANK_KEYS, ROW_SHIFT, SIZE_SHIFT
from ludus.compiled import kernel

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
# How many of the 133,784,560 seven-card hands fall into each category.
SEVEN_CARD_COUNTS = (23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584)
WORST = 7462

with np.load(DATA) as _tables:
    _OFFSETS: NDArray[np.int32] = _tables["offsets"]
    _VALUES: NDArray[np.uint16] = _tables["values"]
    _FLUSH: NDArray[np.uint16] = _tables["flush"]
    _SCORES: NDArray[np.int32] = _tables["scores"]
CATEGORY = np.concatenate([[0], _SCORES >> 20]).astype(np.uint8)  # of each class 1..7462; entry 0 is unused

# Keys of the 52 cards: rank key below bit 32, suit counter above it, the card's own number from bit 48 up.
CARD_KEYS = np.array([RANK_KEYS[c >> 2] | (1 << (32 + 4 * (c & 3))) | (c << 48) for c in range(52)], np.uint64)
# The same cards as bits, 16 to a suit, to find the ranks of a flush.
CARD_BITS = np.array([1 << (16 * (c & 3) + (c >> 2)) for c in range(52)], np.uint64)

START_5, START_6, START_7 = (np.uint64((n << SIZE_SHIFT) | (0x3333 << 32)) for n in range(3))
FLUSHED = np.uint64(0x8888 << 32)
_LOW = np.uint64(0xFFFFFFFF)
_ROW = np.uint64(ROW_SHIFT)
_SUITS = np.uint64(0x1FFF)
_U16 = np.uint64(16)


@kernel
def rank_of_key(key: np.uint64) -> np.uint16:
    """Class of a hand without a flush, from the sum of its keys and its start."""
    low = key & _LOW
    return np.uint16(_VALUES[np.uint64(low + np.uint64(np.int64(_OFFSETS[low >> _ROW])))])


@kernel
def rank_of_flush(bits: np.uint64) -> np.uint16:
    """Class of a hand with a flush, from the sum of its card bits."""
    best = np.uint16(WORST)
    for _ in range(4):
        rank = _FLUSH[bits & _SUITS]
        if rank != 0 and rank < best:
            best = rank
        bits >>= _U16
    return best


@kernel
def rank_of_sums(key: np.uint64, bits: np.uint64) -> np.uint16:
    """Class of a hand from the sums of its keys (with its start) and of its bits."""
    if key & FLUSHED:
        return rank_of_flush(bits)
    return rank_of_key(key)


@kernel
def rank_5(a: int, b: int, c: int, d: int, e: int) -> np.int64:
    """Class of five cards."""
    key = START_5 + CARD_KEYS[a] + CARD_KEYS[b] + CARD_KEYS[c] + CARD_KEYS[d] + CARD_KEYS[e]
    bits = CARD_BITS[a] + CARD_BITS[b] + CARD_BITS[c] + CARD_BITS[d] + CARD_BITS[e]
    return np.int64(rank_of_sums(key, bits))


@kernel
def rank_7(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> np.int64:
    """Class of seven cards."""
    key = (
        START_7 + CARD_KEYS[a] + CARD_KEYS[b] + CARD_KEYS[c] + CARD_KEYS[d] + CARD_KEYS[e] + CARD_KEYS[f] + CARD_KEYS[g]
    )
    bits = CARD_BITS[a] + CARD_BITS[b] + CARD_BITS[c] + CARD_BITS[d] + CARD_BITS[e] + CARD_BITS[f] + CARD_BITS[g]
    return np.int64(rank_of_sums(key, bits))


@kernel
def _rank_rows(hands: NDArray[np.uint8], out: NDArray[np.uint16]) -> None:
    """Classes of hands [n, 5..7] into out [n]."""
    cards = hands.shape[1]
    start = START_5 if cards == 5 else START_6 if cards == 6 else START_7
    for i in range(hands.shape[0]):
        key, bits = start, np.uint64(0)
        for j in range(cards):
            key += CARD_KEYS[hands[i, j]]
            bits += CARD_BITS[hands[i, j]]
        out[i] = rank_of_sums(key, bits)


def evaluate(hands: ArrayLike) -> NDArray[np.uint16]:
    """Classes 1..7462 of hands given as card numbers in an array whose last axis holds 5, 6 or 7 different cards.

    >>> from ludus.cards.card import parse_cards
    >>> evaluate([parse_cards("AsKsQsJsTs2c3d"), parse_cards("7h5d4c3s2sKdKc")]).tolist()
    [1, 3750]
    """
    rows = np.asarray(hands)
    if rows.ndim == 0 or rows.shape[-1] not in (5, 6, 7):
        raise ValueError(f"a hand has 5, 6 or 7 cards, got an array of shape {rows.shape}")
    if rows.dtype.kind not in "iu" or (rows.size and (rows.min() < 0 or rows.max() > 51)):
        raise ValueError("cards are whole numbers 0..51")
    flat = np.ascontiguousarray(rows.reshape(-1, rows.shape[-1]), np.uint8)
    if len(flat) and (np.diff(np.sort(flat, axis=1).astype(np.int8), axis=1) == 0).any():
        raise ValueError("a hand repeats a card")
    out = np.empty(len(flat), np.uint16)
    _rank_rows(flat, out)
    return out.reshape(rows.shape[:-1])


def category(rank: int) -> str:
    """The name of a class's category.

    >>> category(1), category(7462)
    ('straight flush', 'high card')
    """
    return CATEGORIES[CATEGORY[_checked(rank)]]


def describe(rank: int) -> str:
    """The name of a class in words.

    >>> describe(1), describe(7462)
    ('royal flush', 'high card, seven-five-four-three-two')
    >>> describe(evaluate([[44, 45, 46, 12, 13, 0, 5]])[0])
    'full house, kings full of fives'
    """
    score = int(_SCORES[_checked(rank) - 1])
    kind = CATEGORIES[score >> 20]
    ranks = [score >> shift & 15 for shift in (16, 12, 8, 4, 0)]
    one = [RANK_NAMES[r] for r in ranks]
    many = [name + ("es" if name == "six" else "s") for name in one]
    match kind:
        case "straight flush" | "straight":
            return "royal flush" if rank == 1 else f"{kind}, {one[0]} high"
        case "four of a kind":
            return f"four of a kind, {many[0]} with {_article(one[1])}"
        case "full house":
            return f"full house, {many[0]} full of {many[1]}"
        case "three of a kind":
            return f"three of a kind, {many[0]} with {one[1]}-{one[2]}"
        case "two pair":
            return f"two pair, {many[0]} and {many[1]} with {_article(one[2])}"
        case "pair":
            return f"pair of {many[0]} with {one[1]}-{one[2]}-{one[3]}"
        case _:
            return f"{kind}, " + "-".join(one)


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "ae" else f"a {name}"


def _checked(rank: int) -> int:
    if not 1 <= rank <= WORST:
        raise ValueError(f"hand classes are 1..{WORST}, got {rank}")
    return int(rank)
