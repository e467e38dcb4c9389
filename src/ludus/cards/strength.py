"""How good a hand is on a board: features for abstraction, rules of thumb and explanations.

The opponent holds any two other cards, all equally likely; ties count half.

* Hand strength HS and the potentials Ppot and Npot: Billings, Papp, Schaeffer & Szafron, "Opponent Modeling in Poker"
  (AAAI 1998); Billings, Davidson, Schaeffer & Szafron, "The challenge of poker" (Artificial Intelligence 134, 2002).
* E[HS] and E[HS^2], moments of the hand strength on the river over the cards to come: Zinkevich, Johanson, Bowling &
  Piccione, "Regret Minimization in Games with Incomplete Information" (NIPS 2007); Johanson, Burch, Valenzano &
  Bowling, "Evaluating State-Space Abstractions in Extensive-Form Games" (AAMAS 2013). E[HS] is the equity against a
  random hand; the square favours hands that will be strong or weak over hands that stay in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import format_cards, require_distinct
from ludus.cards.evaluator import CATEGORY, evaluate
from ludus.cards.ranges import COMBOS, class_of_combo, combo_index
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
from ludus.parallel import in_blocks

BEHIND, TIED, AHEAD = 0, 1, 2
PREFLOP_ORDER = """
AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s A9o KJo 55 QJs K9s A5s A6s A8o
KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s QTo 44 A4o K6s K8o Q8s A3o K5s J9s Q9o JTo K7o A2o K4s Q7s K6o
K3s T9s J8s 33 Q6s Q8o K5o J9o K2s Q5s T8s K4o J7s Q4s Q7o T9o J8o K3o Q6o Q3s 98s T7s J6s K2o 22 Q2s Q5o J5s T8o J7o
Q4o 97s J4s T6s J3s Q3o 98o 87s T7o J6o 96s J2s Q2o T5s J5o T4s 97o 86s J4o T6o 95s T3s 76s J3o 87o T2s 85s 96o J2o T5o
94s 75s T4o 93s 86o 65s 84s 95o T3o 92s 76o 74s T2o 54s 85o 64s 83s 94o 75o 82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s
54o 64o 52s 62s 83o 42s 82o 73o 53o 63o 32s 43o 72o 52o 62o 42o 32o
"""
"""The 169 classes by their equity against a random hand, the best first."""

_BLOCK_BOARDS = 4096
_PLACE, _U0, _U1 = np.uint32(PLACE_BITS), np.uint64(0), np.uint64(1)


class Potential(NamedTuple):
    """How often the cards to come turn a hand around, each in 0..1."""

    positive: float
    """Ppot: the probability of ending ahead, given that the hand is behind now."""
    negative: float
    """Npot: the probability of ending behind, given that the hand is ahead now."""


def hand_strength(hand: Sequence[int], board: Sequence[int]) -> float:
    """HS: the share of the opponent's hands that a hand beats on a board of 3 to 5 cards as it lies.

    >>> from ludus.cards.card import parse_cards
    >>> round(hand_strength(parse_cards("AdQc"), parse_cards("3h4cJh")), 3)
    0.585
    """
    courses, _ = _courses(hand, board, 0)
    return _share_ahead(courses)


def expected_strength(hand: Sequence[int], board: Sequence[int]) -> tuple[float, float]:
    """E[HS] and E[HS^2] of a hand on the river over all cards to come; before the flop from `all_hands_strength`.

    >>> from ludus.cards.card import parse_cards
    >>> [round(value, 4) for value in expected_strength(parse_cards("AdQc"), parse_cards("3h4cJh"))]
    [0.5114, 0.3073]
    """
    if len(board) == 0:
        combo, _ = _checked(hand, board, (0,))
        _, mean, square = all_hands_strength(())[combo].tolist()
        return mean, square
    courses, squares = _courses(hand, board, 5 - len(board))
    return _share_ahead(courses), squares


def potential(hand: Sequence[int], board: Sequence[int], ahead: int | None = None) -> Potential:
    """Ppot and Npot over the next ``ahead`` cards, by default all up to the river.

    With HP[now][then] as the number of courses from behind, tied or ahead now to behind, tied or ahead then::

        Ppot = (HP[behind][ahead] + HP[behind][tied] / 2 + HP[tied][ahead] / 2) / (HP[behind] + HP[tied] / 2)
        Npot = (HP[ahead][behind] + HP[ahead][tied] / 2 + HP[tied][behind] / 2) / (HP[ahead] + HP[tied] / 2)

    and 0 where nothing is behind or ahead (Billings et al. 2002).

    >>> from ludus.cards.card import parse_cards
    >>> [round(chance, 3) for chance in potential(parse_cards("AdQc"), parse_cards("3h4cJh"))]
    [0.208, 0.274]
    """
    return _potential(_courses(hand, board, 5 - len(board) if ahead is None else ahead)[0])


def effective_strength(hand: Sequence[int], board: Sequence[int], ahead: int | None = None) -> float:
    """EHS = HS * (1 - Npot) + (1 - HS) * Ppot, the strength after the next ``ahead`` cards.

    With ties counted as halves throughout, this is E[HS] when all cards up to the river are considered.
    """
    courses, _ = _courses(hand, board, 5 - len(board) if ahead is None else ahead)
    now = _share_ahead(courses.T)
    positive, negative = _potential(courses)
    return now * (1 - negative) + (1 - now) * positive


def _share_ahead(courses: NDArray[np.int64]) -> float:
    """The share of courses that end ahead, ties by halves."""
    _, tied, ahead = courses.sum(axis=0).tolist()
    return float((ahead + tied / 2) / courses.sum())


def _potential(courses: NDArray[np.int64]) -> Potential:
    now = courses.sum(axis=1) + 0.0
    behind, ahead = now[BEHIND] + now[TIED] / 2, now[AHEAD] + now[TIED] / 2
    better = courses[BEHIND, AHEAD] + courses[BEHIND, TIED] / 2 + courses[TIED, AHEAD] / 2
    worse = courses[AHEAD, BEHIND] + courses[AHEAD, TIED] / 2 + courses[TIED, BEHIND] / 2
    return Potential(float(better / behind) if behind else 0.0, float(worse / ahead) if ahead else 0.0)


def _courses(hand: Sequence[int], board: Sequence[int], ahead: int) -> tuple[NDArray[np.int64], float]:
    """The courses ``[now, then]`` over the next cards, and the mean square of the strength that they end with."""
    combo, cards = _checked(hand, board, (3, 4, 5))
    if not 0 <= ahead <= 5 - len(cards):
        raise ValueError(f"a board of {len(cards)} cards has 0 to {5 - len(cards)} cards ahead, got {ahead}")
    deck = [card for card in range(52) if card not in {*cards, *hand}]
    boards = np.array([(*cards, *coming) for coming in combinations(deck, ahead)], np.uint8)
    against = np.flatnonzero(COMBO_BITS & COMBO_BITS[combo] == 0)
    courses, squares = _follow_hand(combo, against, boards, len(cards))
    return courses, squares / len(boards) / (2 * comb(50 - boards.shape[1], 2)) ** 2


def all_hands_strength(board: Sequence[int]) -> NDArray[np.float64]:
    """HS, E[HS] and E[HS^2] of all hands on a board of 0 or 3 to 5 cards: ``[1326, 3]`` in the order of `COMBOS`.

    Hands that share a card with the board are NaN throughout, and HS is NaN before the flop, where no hand is made
    yet. Before the flop it takes a few seconds the first time.

    >>> from ludus.cards.card import parse_cards
    >>> features = all_hands_strength(parse_cards("3h4cJh"))
    >>> features[combo_index(*parse_cards("AdQc"))].round(4).tolist()
    [0.5851, 0.5114, 0.3073]
    """
    cards = _checked_board(board, (0, 3, 4, 5))
    if not cards:
        return _before_the_flop().copy()
    deck = [card for card in range(52) if card not in cards]
    final, times = runouts(cards, deck)
    features = np.full((len(COMBOS), 3), np.nan)
    live = ~np.isin(COMBOS, cards).any(axis=1)
    now = _sum_strengths(np.array([cards], np.uint8), np.ones(1, np.int64))[live, 0]
    features[live, 0] = now / (2 * comb(50 - len(cards), 2))
    boards = comb(50 - len(cards), 5 - len(cards))
    features[live, 1:] = _sum_strengths(final, times)[live] / boards / _FINAL
    return features


_FINAL = np.array([1980.0, 1980.0**2])  # twice the opponent's hands on a full board, and its square


@cache
def _before_the_flop() -> NDArray[np.float64]:
    """`all_hands_strength` of the empty board: the boards up to suits, and means over the hands of each class."""
    boards, times = runouts((), range(52), ALL_SYMMETRIES)

    def work(start: int) -> NDArray[np.int64]:
        block = slice(start, start + _BLOCK_BOARDS)
        return _sum_strengths(boards[block], times[block])

    sums = np.sum(in_blocks(work, range(0, len(boards), _BLOCK_BOARDS), threads=2, progress=None), axis=0)
    features = np.full((len(COMBOS), 3), np.nan)
    for column in range(2):
        of_class = np.bincount(class_of_combo, sums[:, column]) / np.bincount(class_of_combo)
        features[:, 1 + column] = of_class[class_of_combo] / comb(50, 5) / _FINAL[column]
    return features


def made_hand(hand: Sequence[int], board: Sequence[int]) -> int:
    """The category, as an index into `CATEGORIES`, that a hand makes with a board of 0 or 3 to 5 cards.

    >>> from ludus.cards.card import parse_cards
    >>> from ludus.cards.evaluator import CATEGORIES
    >>> sevens = parse_cards("7h7d")
    >>> CATEGORIES[made_hand(sevens, ())], CATEGORIES[made_hand(sevens, parse_cards("7c2d2s"))]
    ('pair', 'full house')
    """
    combo, cards = _checked(hand, board, (0, 3, 4, 5))
    return int(all_made_hands(cards)[combo])


def all_made_hands(board: Sequence[int]) -> NDArray[np.int8]:
    """The categories ``[1326]`` of all hands on a board of 0 or 3 to 5 cards, -1 for hands that it blocks."""
    cards = _checked_board(board, (0, 3, 4, 5))
    if not cards:
        return np.asarray(COMBOS[:, 0] >> 2 == COMBOS[:, 1] >> 2, np.int8)
    classes = _classes(cards)
    return np.where(classes > 0, CATEGORY[classes].astype(np.int8), np.int8(-1))


def percentile(hand: Sequence[int], board: Sequence[int]) -> float:
    """The share of all other hands that a hand beats on a board of 3 to 5 cards, ties by halves: 1 for the nuts.

    Unlike for HS, these are all hands that the board allows, even those that share a card with this hand: the
    percentile places a hand among the hands that a player may be dealt, not among those of an opponent.

    >>> from ludus.cards.card import parse_cards
    >>> percentile(parse_cards("AhKh"), parse_cards("QhJhTh2c2d"))
    1.0
    """
    combo, cards = _checked(hand, board, (3, 4, 5))
    return float(all_percentiles(cards)[combo])


def all_percentiles(board: Sequence[int]) -> NDArray[np.float64]:
    """The percentiles ``[1326]`` of all hands on a board of 3 to 5 cards, NaN for hands that it blocks."""
    cards = _checked_board(board, (3, 4, 5))
    classes = _classes(cards)
    live = np.sort(classes[classes > 0])
    stronger, not_weaker = (np.searchsorted(live, classes, side) for side in ("left", "right"))
    beaten = (len(live) - not_weaker) + (not_weaker - stronger - 1) / 2
    return np.where(classes > 0, beaten / (len(live) - 1), np.nan)


def _classes(board: tuple[int, ...]) -> NDArray[np.uint16]:
    """The classes ``[1326]`` of all hands with a board, 0 for hands that it blocks."""
    classes = np.zeros(len(COMBOS), np.uint16)
    live = ~np.isin(COMBOS, board).any(axis=1)
    hands = COMBOS[live]
    classes[live] = evaluate(np.column_stack([hands, np.tile(board, (len(hands), 1))]))
    return classes


def _checked(hand: Sequence[int], board: Sequence[int], sizes: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """The index of a hand and the cards of a board; ValueError when they do not fit."""
    cards = _checked_board(board, sizes)
    if len(hand) != 2:
        raise ValueError(f"a hand has two cards, got {len(hand)}")
    require_distinct([("hand", hand), ("board", cards)])
    return combo_index(*hand), cards


def _checked_board(board: Sequence[int], sizes: tuple[int, ...]) -> tuple[int, ...]:
    if not all(0 <= card <= 51 for card in board):
        raise ValueError(f"cards are numbered 0..51, got {list(board)}")
    if len(board) not in sizes:
        raise ValueError(f"expected a board of {', '.join(map(str, sizes))} cards, got {format_cards(board)!r}")
    require_distinct([("board", board)])
    return tuple(board)


@kernel
def _follow_hand(
    hand: int, against: NDArray[np.int64], boards: NDArray[np.uint8], known: int
) -> tuple[NDArray[np.int64], int]:
    """Courses ``[now, then]`` of a hand against others, from the first ``known`` cards of boards ``[n, 3..5]`` to all.

    Also the sum of the squares of the strength on each board, as the hands beaten twice plus those tied.
    """
    keys, bits = COMBO_KEYS[against], COMBO_BITS[against]
    own_key, own_bits = COMBO_KEYS[hand : hand + 1], COMBO_BITS[hand : hand + 1]
    own, packed = np.empty(1, np.uint32), np.empty(len(against), np.uint32)
    now = np.zeros(len(against), np.uint8)
    courses = np.zeros((3, 3), np.int64)
    ends = np.empty((3, 3), np.int64)
    squares = 0
    for row in range(-1, len(boards)):  # first the board as it lies, which sets where every course starts
        board = boards[0, :known] if row < 0 else boards[row]
        rank_live(board, own_key, own_bits, own)
        live = rank_live(board, keys, bits, packed)
        rank = own[0] >> _PLACE
        ends[:] = 0
        for at in range(live):
            place, other = packed[at] & PLACES, packed[at] >> _PLACE
            then = np.uint8(other > rank) + np.uint8(other >= rank)
            if row < 0:
                now[place] = then
            else:
                ends[now[place], then] += 1
        if row >= 0:
            strength = 2 * ends[:, AHEAD].sum() + ends[:, TIED].sum()
            squares += strength * strength
            courses += ends
    return courses, squares


@kernel
def _sum_strengths(boards: NDArray[np.uint8], times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sums ``[1326, 2]`` of each hand's strength and of its square over boards ``[n, 3..5]`` that count ``times [n]``.

    A strength is the opponent's hands beaten twice plus those tied, out of all that share no card with hand or board.
    """
    sums = np.zeros((len(COMBO_KEYS), 2), np.int64)
    packed, spare = np.empty(len(COMBO_KEYS) + 1, np.uint32), np.empty(len(COMBO_KEYS), np.uint32)
    digits = np.empty((2, DIGITS), np.uint32)
    with_card = np.empty(52, np.int64)  # how many of the hands so far hold a card
    strength = np.empty(len(COMBO_KEYS), np.int64)
    left = 50 - boards.shape[1]
    opponents = left * (left - 1) // 2
    for row in range(len(boards)):
        live = np.uint64(rank_live(boards[row], COMBO_KEYS, COMBO_BITS, packed))
        sort_packed(packed, int(live), spare, digits)
        packed[live] = np.uint32(0)  # ends the last group of equals
        with_card[:] = 0
        start = _U0
        while start < live:
            rank = packed[start] >> _PLACE
            end = start
            while packed[end] >> _PLACE == rank:
                hand = packed[end] & PLACES
                stronger = np.int64(start) - with_card[COMBO_LOW[hand]] - with_card[COMBO_HIGH[hand]]
                strength[hand] = 2 * opponents - stronger
                end += _U1
            for place in range(start, end):
                hand = packed[place] & PLACES
                with_card[COMBO_LOW[hand]] += 1
                with_card[COMBO_HIGH[hand]] += 1
            for place in range(start, end):  # the equals are not beaten either; the hand itself was taken off twice
                hand = packed[place] & PLACES
                not_beaten = np.int64(end) - with_card[COMBO_LOW[hand]] - with_card[COMBO_HIGH[hand]] + 1
                value = strength[hand] - not_beaten
                sums[hand, 0] += times[row] * value
                sums[hand, 1] += times[row] * value * value
            start = end
    return sums
