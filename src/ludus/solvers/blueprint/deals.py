"""The cards of one hand of an abstract game as kernels see them: kinds of hands, ranks at showdown, and who wins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.cards.evaluator import CARD_BITS, CARD_KEYS, CATEGORY, START_5, START_6, START_7, rank_of_sums
from ludus.cards.ranges import class_of_combo
from ludus.cards.runouts import MOVED
from ludus.compiled import kernel
from ludus.trees.bucket_tables import BucketTables, find_board

DEAL = np.dtype(
    [
        ("ready", np.int64),  # bit s: the kinds of street s are known; bit 4: the ranks are
        ("kind", np.int64, (40,)),  # [seat * 4 + street]
        ("rank", np.int64, (10,)),  # at showdown, 1 the best
    ]
)
CATEGORIES = 9
_RANKED = 4
_CLASS = class_of_combo.astype(np.int64)
_MOVED = MOVED.astype(np.uint16)


def no_tables() -> BucketTables:
    """Tables for abstractions without buckets."""
    index, table = np.zeros(0, np.uint32), np.zeros((0, 0), np.uint16)
    index.flags.writeable = table.flags.writeable = False  # as mapped ones are, so that kernels take both
    return BucketTables(index, index, index, table, table, table)


@kernel
def held_combo(deck: NDArray[np.uint8], seat: int) -> np.int64:
    """The combination that a seat is dealt."""
    a, b = np.int64(deck[2 * seat]), np.int64(deck[2 * seat + 1])
    low, high = min(a, b), max(a, b)
    return np.int64(high * (high - 1) // 2 + low)


@kernel
def sort_hands(tables: BucketTables, deck: NDArray[np.uint8], players: int, street: int, deal: Any) -> None:
    """Find the kind of every seat's hand on a street: its class, with a category or a bucket in its place later on."""
    deal.ready |= 1 << street
    board = 2 * players
    bucketed = len(tables.flop) > 0
    entry = np.uint32(0)
    key, bits = START_7 if street == 3 else START_6 if street == 2 else START_5, np.uint64(0)
    if street > 0 and bucketed:
        if street == 1:
            entry = find_board(tables.flop_index, deck, board, 3)
        elif street == 2:
            entry = find_board(tables.turn_index, deck, board, 4)
        else:
            entry = find_board(tables.river_index, deck, board, 5)
    elif street > 0:
        for at in range(board, board + street + 2):
            key += CARD_KEYS[deck[at]]
            bits += CARD_BITS[deck[at]]
    row, symmetry = entry >> np.uint32(5), entry & np.uint32(31)
    for seat in range(players):
        combo = held_combo(deck, seat)
        kind = _CLASS[combo]
        if street > 0 and bucketed:
            moved = _MOVED[symmetry, combo]
            kind = np.int64(tables.flop[row, moved] if street == 1 else tables.turn[row, moved] if street == 2 else
                            tables.river[row, moved])  # fmt: skip
        elif street > 0:
            a, b = deck[2 * seat], deck[2 * seat + 1]
            rank = rank_of_sums(key + CARD_KEYS[a] + CARD_KEYS[b], bits + CARD_BITS[a] + CARD_BITS[b])
            kind = kind * CATEGORIES + CATEGORY[rank]
        deal.kind[seat * 4 + street] = kind


@kernel
def rank_hands(deck: NDArray[np.uint8], players: int, deal: Any) -> None:
    """Rank every seat's seven cards."""
    deal.ready |= 1 << _RANKED
    key, bits = START_7, np.uint64(0)
    for at in range(2 * players, 2 * players + 5):
        key += CARD_KEYS[deck[at]]
        bits += CARD_BITS[deck[at]]
    for seat in range(players):
        a, b = deck[2 * seat], deck[2 * seat + 1]
        deal.rank[seat] = rank_of_sums(key + CARD_KEYS[a] + CARD_KEYS[b], bits + CARD_BITS[a] + CARD_BITS[b])


@kernel
def won(rules: Any, hand: Any, deal: Any, seat: int) -> float:
    """Chips that a seat has won or lost in a finished hand whose ranks are known; a split pot is split exactly.

    Pots are paid in layers: all that have paid at least so much compete for what everybody has paid up to there.
    """
    players = rules.players
    lost = np.float64(rules.start[seat] - hand.stack[seat])
    if hand.folded >> seat & 1:
        return -lost
    live = 0
    for other in range(players):
        live += not hand.folded >> other & 1
    if live == 1:
        return np.float64(hand.pot - lost)
    total, below = 0.0, np.int64(0)
    own = rules.start[seat] - hand.stack[seat]
    while below < own:
        level = own
        for other in range(players):
            paid = rules.start[other] - hand.stack[other]
            if below < paid < level:
                level = paid
        layer, best, winners = np.int64(0), np.int64(1 << 20), 0
        for other in range(players):
            paid = rules.start[other] - hand.stack[other]
            layer += min(paid, level) - min(paid, below)
            if paid >= level and not hand.folded >> other & 1:
                if deal.rank[other] < best:
                    best, winners = deal.rank[other], 1
                elif deal.rank[other] == best:
                    winners += 1
        if deal.rank[seat] == best:
            total += layer / winners
        below = level
    return total - lost
