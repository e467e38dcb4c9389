"""Who wins at showdown: given hands or whole ranges, over every board that can come.

Results are tallies by the set of winners: entry ``m`` of a tally ``[2 ** players]`` is the weight of the deals won by
exactly the players whose bits are set in ``m``, so entry 3 of two players' tally is the weight of their ties.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ludus.cards.evaluator import (
    CARD_BITS,
    CARD_KEYS,
    START_5,
    START_6,
    START_7,
    WORST,
    rank_of_sums,
)
from ludus.cards.ranges import COMBOS
from ludus.compiled import kernel

COMBO_LOW, COMBO_HIGH = COMBOS.astype(np.uint8).T.copy()
COMBO_KEYS = CARD_KEYS[COMBOS[:, 0]] + CARD_KEYS[COMBOS[:, 1]]
COMBO_BITS = CARD_BITS[COMBOS[:, 0]] | CARD_BITS[COMBOS[:, 1]]

PLACE_BITS = 11  # a packed hand is its class above its place in the list of hands
PLACES = np.uint32((1 << PLACE_BITS) - 1)
DIGIT_BITS = 7  # two digits of a class, 1..7462, sort it
_PLACE, _UPPER = np.uint32(PLACE_BITS), np.uint32(PLACE_BITS + DIGIT_BITS)
DIGITS = 1 << DIGIT_BITS
_DIGIT = np.uint32(DIGITS - 1)
_STARTS = np.array([0, 0, 0, START_5, START_6, START_7], np.uint64)
_U0, _U1, _ONE = np.uint64(0), np.uint64(1), np.uint32(1)


@kernel
def rank_live(
    board: NDArray[np.uint8], keys: NDArray[np.uint64], bits: NDArray[np.uint64], packed: NDArray[np.uint32]
) -> int:
    """Rank the hands that a board ``[3..5]`` leaves possible, packed in the order of the list; their number.

    Hands are a list of keys ``[n]`` and bits ``[n]``; a packed hand is ``class << PLACE_BITS | place in the list``.
    """
    board_key, board_bits = _STARTS[len(board)], _U0
    for place in range(len(board)):
        board_key += CARD_KEYS[board[place]]
        board_bits |= CARD_BITS[board[place]]
    live = _U0
    for at in range(np.uint64(len(keys))):
        if bits[at] & board_bits == _U0:
            rank = np.uint32(rank_of_sums(board_key + keys[at], board_bits | bits[at]))
            packed[live] = (rank << _PLACE) | np.uint32(at)
            live += _U1
    return int(live)


@kernel
def sort_packed(packed: NDArray[np.uint32], live: int, spare: NDArray[np.uint32], digits: NDArray[np.uint32]) -> None:
    """Sort the first ``live`` packed hands by class, the best first: a radix sort in two passes.

    The caller provides work space: ``spare [>= live]`` and ``digits [2, 2 ** DIGIT_BITS]``.
    """
    digits[:] = 0
    count = np.uint64(live)
    for at in range(count):
        hand = packed[at]
        digits[0, (hand >> _PLACE) & _DIGIT] += _ONE
        digits[1, hand >> _UPPER] += _ONE
    before_low = before_high = np.uint32(0)
    for digit in range(DIGITS):
        low, high = digits[0, digit], digits[1, digit]
        digits[0, digit], digits[1, digit] = before_low, before_high
        before_low += low
        before_high += high
    for at in range(count):
        hand = packed[at]
        digit = (hand >> _PLACE) & _DIGIT
        to = digits[0, digit]
        digits[0, digit] = to + _ONE
        spare[to] = hand
    for at in range(count):
        hand = spare[at]
        to = digits[1, hand >> _UPPER]
        digits[1, hand >> _UPPER] = to + _ONE
        packed[to] = hand


@kernel
def tally_ranges(
    boards: NDArray[np.uint8],
    times: NDArray[np.int64],
    combos: NDArray[np.uint16],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Tally ``[4]`` of two ranges over boards ``[n, 5]`` that stand for ``times [n]`` boards each.

    The combinations ``[m]`` of both ranges come with the weights of the first and of the second player ``[m]``. From
    the best hand down, each one meets the sum of the stronger hands, less the sums of those that hold one of its cards;
    so the work grows with the number of hands, not with the number of pairs.
    """
    count = len(combos)
    keys, bits = COMBO_KEYS[combos], COMBO_BITS[combos]
    low, high = COMBO_LOW[combos], COMBO_HIGH[combos]
    packed, spare = np.empty(count + 1, np.uint32), np.empty(count, np.uint32)
    digits = np.empty((2, DIGITS), np.uint32)
    first_with, second_with = np.empty(52), np.empty(52)  # sums over the hands so far that hold a card
    tally = np.zeros(4)
    for row in range(len(boards)):
        live = np.uint64(rank_live(boards[row], keys, bits, packed))
        sort_packed(packed, int(live), spare, digits)
        packed[live] = np.uint32(0)  # ends the last group of equals
        first_with[:] = 0.0
        second_with[:] = 0.0
        first_all = second_all = wins = losses = not_won = 0.0
        start = _U0
        while start < live:
            rank = packed[start] >> _PLACE
            end = start
            while packed[end] >> _PLACE == rank:
                at = packed[end] & PLACES
                a, b = low[at], high[at]
                losses += first[at] * (second_all - second_with[a] - second_with[b])
                wins += second[at] * (first_all - first_with[a] - first_with[b])
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
            for place in range(start, end):  # now with the equals; the hand itself was taken off twice
                at = packed[place] & PLACES
                against = second_all - second_with[low[at]] - second_with[high[at]] + second[at]
                not_won += first[at] * against
            start = end
        tally[1] += times[row] * wins
        tally[2] += times[row] * losses
        tally[3] += times[row] * (not_won - losses)
    return tally


@kernel
def tally_hand(
    boards: NDArray[np.uint8],
    times: NDArray[np.int64],
    hand: int,
    combos: NDArray[np.uint16],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Tally ``[4]`` of one combination against those of a range ``[m]`` with ``weights [m]``, none sharing its cards.

    The same as `tally_ranges`, but nothing needs to be sorted here. No board may hold a card of the hand.
    """
    keys, bits = COMBO_KEYS[combos], COMBO_BITS[combos]
    packed = np.empty(len(combos), np.uint32)
    own_key, own_bits = COMBO_KEYS[hand : hand + 1], COMBO_BITS[hand : hand + 1]
    own = np.empty(1, np.uint32)
    tally = np.zeros(4)
    for row in range(len(boards)):
        rank_live(boards[row], own_key, own_bits, own)
        live = np.uint64(rank_live(boards[row], keys, bits, packed))
        rank = own[0] >> _PLACE
        wins = ties = total = 0.0
        for place in range(live):
            weight = weights[packed[place] & PLACES]
            theirs = packed[place] >> _PLACE
            total += weight
            wins += weight if theirs > rank else 0.0
            ties += weight if theirs == rank else 0.0
        tally[1] += times[row] * wins
        tally[2] += times[row] * (total - wins - ties)
        tally[3] += times[row] * ties
    return tally


@kernel
def tally_deals(
    deals: NDArray[np.int16], weights: NDArray[np.float64], board: NDArray[np.uint8], deck: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """Tally ``[2 ** players]`` of the deals ``[n, players]`` of combinations over every board that can still come."""
    players = deals.shape[1]
    hand_keys, hand_bits = np.empty(players, np.uint64), np.empty(players, np.uint64)
    deck_keys, deck_bits = np.zeros(len(deck) + 1, np.uint64), np.zeros(len(deck) + 1, np.uint64)
    counts = np.empty(1 << players, np.int64)
    tally = np.zeros(1 << players)
    key, bits = START_7, _U0
    for card in board:
        key += CARD_KEYS[card]
        bits |= CARD_BITS[card]
    for row in range(len(deals)):
        taken = _U0
        for player in range(players):
            hand = deals[row, player]
            hand_keys[player], hand_bits[player] = COMBO_KEYS[hand], COMBO_BITS[hand]
            taken |= hand_bits[player]
        left = 0
        for card in deck:
            if CARD_BITS[card] & taken == _U0:
                deck_keys[left], deck_bits[left] = CARD_KEYS[card], CARD_BITS[card]
                left += 1
        if len(board) == 5:  # one board, as if a card that changes nothing were still to come
            _count_winners(key, bits, hand_keys, hand_bits, deck_keys[-1:], deck_bits[-1:], 1, counts)
        else:
            _count_winners(key, bits, hand_keys, hand_bits, deck_keys[:left], deck_bits[:left], 5 - len(board), counts)
        for winners in range(1 << players):
            tally[winners] += weights[row] * counts[winners]
    return tally


@kernel
def _count_winners(
    key: np.uint64,
    bits: np.uint64,
    hand_keys: NDArray[np.uint64],
    hand_bits: NDArray[np.uint64],
    deck_keys: NDArray[np.uint64],
    deck_bits: NDArray[np.uint64],
    missing: int,
    counts: NDArray[np.int64],
) -> None:
    """Count the boards by their winners ``[2 ** players]``, with ``missing`` >= 1 cards of the deck still to come."""
    players, left = len(hand_keys), len(deck_keys)
    counts[:] = 0
    boards = wins = ties = 0  # of two players, who are worth a loop without memory
    sum_keys, sum_bits = np.full(missing, key), np.full(missing, bits)
    place = np.zeros(missing, np.int64)
    level = 0
    while level >= 0:
        at = place[level]
        if level < missing - 1:  # choose all cards except the last, one per level
            if at > left - missing + level:
                level -= 1
                continue
            place[level] = place[level + 1] = at + 1
            sum_keys[level + 1] = sum_keys[level] + deck_keys[at]
            sum_bits[level + 1] = sum_bits[level] | deck_bits[at]
            level += 1
            continue
        if players == 2:
            key_1, bits_1 = sum_keys[level] + hand_keys[0], sum_bits[level] | hand_bits[0]
            key_2, bits_2 = sum_keys[level] + hand_keys[1], sum_bits[level] | hand_bits[1]
            for last in range(np.uint64(at), np.uint64(left)):
                rank_1 = np.int64(rank_of_sums(key_1 + deck_keys[last], bits_1 | deck_bits[last]))
                rank_2 = np.int64(rank_of_sums(key_2 + deck_keys[last], bits_2 | deck_bits[last]))
                wins += int(rank_1 < rank_2)
                ties += int(rank_1 == rank_2)
            boards += left - int(at)
        else:
            for last in range(np.uint64(at), np.uint64(left)):
                full_key, full_bits = sum_keys[level] + deck_keys[last], sum_bits[level] | deck_bits[last]
                best, winners = np.int64(WORST + 1), 0
                for player in range(players):
                    rank = np.int64(rank_of_sums(full_key + hand_keys[player], full_bits | hand_bits[player]))
                    winners = (winners if rank >= best else 0) | (int(rank <= best) << player)
                    best = min(rank, best)
                counts[winners] += 1
        level -= 1
    if players == 2:
        counts[1], counts[2], counts[3] = wins, boards - wins - ties, ties
