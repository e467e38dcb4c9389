"""What the players of Pricope (2020) go by, compiled: how good a hand is, and what a hand of that value does.

An agent asks these kernels about one decision; `ludus.arena.freeze_outs` asks them in games that are compiled whole.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents.opponents import CALLS, FOLDS, RAISES
from ludus.agents.strength import preflop_shares
from ludus.cards.evaluator import CARD_BITS, CARD_KEYS, START_5, START_6, START_7, rank_of_sums
from ludus.cards.random import below, next_state
from ludus.compiled import kernel

Cards = NDArray[np.uint8]
PREFLOP = preflop_shares()
RAISES_LITTLE = RAISES + 1
_STARTS = np.array([START_5, START_6, START_7], np.uint64)
_U0 = np.uint64(0)


@kernel
def stake(value: float, price: float, strong: float, good: float, least: float, can_raise: Any) -> int:
    """What a hand of some value does: raise if it is strong, raise the least if it is good, else call or fold.

    It calls from the price and ``least`` up. The price is what a call adds, as a share of the pot after it; where there
    is none, a fold is a check.
    """
    if can_raise and value > good:
        return RAISES if value > strong else RAISES_LITTLE
    return CALLS if price == 0 or value >= max(price, least) else FOLDS


@kernel
def raise_to(size: float, top: Any, pot: Any, low: Any, high: Any) -> np.int64:
    """The raise nearest to a fraction of the pot after calling, between the bounds (as ``translation.raise_by``)."""
    return np.int64(min(max(top + np.rint(size * pot), low), high))


@kernel
def board_sums(board: Cards) -> tuple[np.uint64, np.uint64]:
    """The sums of keys, with the start of a hand of two more cards, and of bits of a board of 3 to 5 cards."""
    key, bits = _STARTS[len(board) - 3], _U0
    for card in board:
        key += CARD_KEYS[card]
        bits += CARD_BITS[card]
    return key, bits


@kernel
def strength(first: Any, second: Any, board: Cards) -> tuple[float, float]:
    """Win rate over all hands of one opponent as the cards lie, and positive potential over the next card.

    Before the flop the win rate is the place in the table of all hands. The potential is that of
    `ludus.cards.strength.potential` with one card ahead: the chance of getting ahead where the hand is behind.
    """
    if len(board) == 0:
        low, high = min(first, second), max(first, second)
        return PREFLOP[high * (high - 1) // 2 + low], 0.0
    taken = np.zeros(52, np.bool_)
    taken[first] = taken[second] = True
    for card in board:
        taken[card] = True
    key, bits = board_sums(board)
    own_key, own_bits = CARD_KEYS[first] + CARD_KEYS[second], CARD_BITS[first] + CARD_BITS[second]
    own = rank_of_sums(key + own_key, bits + own_bits)
    now = np.empty((52, 52), np.int8)  # 2 where the hand is ahead, 1 where it is tied
    behind = wins = total = 0  # doubled
    for a in range(52):
        if taken[a]:
            continue
        for b in range(a):
            if not taken[b]:
                other = rank_of_sums(key + CARD_KEYS[a] + CARD_KEYS[b], bits + CARD_BITS[a] + CARD_BITS[b])
                now[a, b] = np.int8(other > own) + np.int8(other >= own)
                wins += now[a, b]
                behind += 2 - now[a, b]
                total += 2
    if len(board) == 5 or behind == 0:
        return wins / total, 0.0
    better = 0
    size_key = _STARTS[len(board) - 2] - _STARTS[len(board) - 3]
    for card in range(52):
        if taken[card]:
            continue
        next_key, next_bits = key + size_key + CARD_KEYS[card], bits + CARD_BITS[card]
        own = rank_of_sums(next_key + own_key, next_bits + own_bits)
        for a in range(52):
            if taken[a] or a == card:
                continue
            a_key, a_bits = next_key + CARD_KEYS[a], next_bits + CARD_BITS[a]
            for b in range(a):
                if not taken[b] and b != card and now[a, b] < 2:
                    other = rank_of_sums(a_key + CARD_KEYS[b], a_bits + CARD_BITS[b])
                    better += max(np.int8(other > own) + np.int8(other >= own) - now[a, b], 0)
    return wins / total, better / (behind * (48 - len(board)))


@kernel
def effective(first: Any, second: Any, board: Cards) -> float:
    """Effective hand strength: the win rate, and the potential where the hand is behind."""
    rate, potential = strength(first, second, board)
    return rate + (1 - rate) * potential


@kernel
def every_effective(combos: NDArray[np.int64], board: Cards) -> NDArray[np.float64]:
    """The same for hands ``[n, 2]``; 0 for those that the board makes impossible."""
    values = np.zeros(len(combos))
    for at in range(len(combos)):
        first, second = combos[at]
        free = True
        for card in board:
            free = free and card != first and card != second
        if free:
            values[at] = effective(first, second, board)
    return values


@kernel
def winning_share(
    first: Any, second: Any, board: Cards, opponents: int, simulations: int, s0: np.uint64, s1: np.uint64
) -> tuple[float, np.uint64, np.uint64]:
    """The share of pots that a hand takes from random hands on random boards, and the generator's state after."""
    deck, left = np.empty(52, np.uint8), 0
    for card in range(52):
        free = card != first and card != second
        for shown in board:
            free = free and card != shown
        if free:
            deck[left] = card
            left += 1
    key, bits = START_7, _U0
    for card in board:
        key += CARD_KEYS[card]
        bits += CARD_BITS[card]
    hands = 2 * opponents
    won = 0.0
    for _ in range(simulations):
        for at in range(hands + 5 - len(board)):
            other = at + below(s0, s1, left - at)
            s0, s1 = next_state(s0, s1)
            deck[at], deck[other] = deck[other], deck[at]
        full_key, full_bits = key, bits
        for at in range(hands, hands + 5 - len(board)):
            full_key += CARD_KEYS[deck[at]]
            full_bits += CARD_BITS[deck[at]]
        own = rank_of_sums(
            full_key + CARD_KEYS[first] + CARD_KEYS[second], full_bits + CARD_BITS[first] + CARD_BITS[second]
        )
        best, equal = True, 1
        for at in range(0, hands, 2):
            a, b = deck[at], deck[at + 1]
            their = rank_of_sums(full_key + CARD_KEYS[a] + CARD_KEYS[b], full_bits + CARD_BITS[a] + CARD_BITS[b])
            if their < own:
                best = False
            equal += their == own
        if best:
            won += 1 / equal
    return won / simulations, s0, s1
