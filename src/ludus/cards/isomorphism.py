"""Suit isomorphism: situations that differ only in the names of the suits are one situation.

No suit is worth more than another in poker, so the 24 permutations of the suits sort all situations into classes that
play alike. The canonical form picks one member of each class. It rests on the signature of a suit, which says for each
group of cards (the hand, the board) which ranks the suit has there: a permutation only moves signatures from suit to
suit, so their multiset names the class. The canonical form gives the greatest signature to spades, the next to hearts,
and so on; the hand counts before the board in that comparison, and high cards before low ones.

The board can be read in two ways, and every function says which it takes:

* as one set, where the order of dealing is forgotten, which is enough for strengths at showdown;
* ``ordered``, where the flop (the first three cards) is a set and the turn and the river keep their places, which the
  course of play needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement, permutations, product
from math import factorial, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.cards.card import require_distinct
from ludus.compiled import kernel

Suits = tuple[int, int, int, int]
"""A permutation of the suits: entry s is the suit that suit s becomes."""

_BITS_PER_CARD = 6


def permute_suits(cards: Sequence[int], suits: Sequence[int]) -> tuple[int, ...]:
    """The cards after suit s has become ``suits[s]``, in the same order.

    >>> permute_suits((0, 1, 50), (3, 1, 0, 2))
    (3, 1, 48)
    """
    return tuple(card & ~3 | suits[card & 3] for card in cards)


def canonical_suits(hand: Sequence[int], board: Sequence[int], ordered: bool = False) -> Suits:
    """The permutation of the suits that brings a hand, which may be empty, and a board to their canonical form.

    The board is one set, or with ``ordered`` a flop, a turn and a river. Suits with the same signature keep their
    order, so what is already canonical stays as it is.

    >>> canonical_suits((48, 44), ())  # AcKc: clubs become spades
    (3, 0, 1, 2)
    """
    signatures = [[0] * 4 for _ in range(4)]
    for group, cards in enumerate(_groups(hand, board, ordered)):
        for card in cards:
            signatures[card & 3][group] |= 1 << (card >> 2)
    upwards = sorted(range(4), key=signatures.__getitem__)
    return upwards.index(0), upwards.index(1), upwards.index(2), upwards.index(3)


def canonical_board(board: Sequence[int]) -> tuple[int, ...]:
    """The canonical form of a board as one set, in increasing order.

    >>> from ludus.cards.card import format_cards, parse_cards
    >>> format_cards(canonical_board(parse_cards("6d Td 9c")))
    '6s9hTs'
    """
    return tuple(sorted(permute_suits(board, canonical_suits((), board))))


def canonical_hand(
    hand: Sequence[int], board: Sequence[int], ordered: bool = False
) -> tuple[tuple[int, int], tuple[int, ...]]:
    """The canonical form of a two-card hand with a board: two cards in increasing order, and the board.

    The board is one set in increasing order, or with ``ordered`` the flop in increasing order, the turn, the river.

    >>> from ludus.cards.card import format_cards, parse_cards
    >>> hand, board = parse_cards("KcAd"), parse_cards("6d Td 9c 2c")
    >>> [format_cards(cards) for cards in canonical_hand(hand, board)]
    ['KhAs', '2h6s9hTs']
    >>> [format_cards(cards) for cards in canonical_hand(hand, board, ordered=True)]
    ['KhAs', '6s9hTs2h']
    """
    if len(hand) != 2:
        raise ValueError(f"a hand has two cards, got {len(hand)}")
    suits = canonical_suits(hand, board, ordered)
    groups = [sorted(permute_suits(cards, suits)) for cards in _groups(hand, board, ordered)]
    low, high = groups[0]
    return (low, high), tuple(card for group in groups[1:] for card in group)


def _groups(hand: Sequence[int], board: Sequence[int], ordered: bool) -> list[Sequence[int]]:
    """The sets of cards whose order matters: hand and board, or hand, flop, turn and river."""
    if len(board) > 5:
        raise ValueError(f"a board has at most five cards, got {len(board)}")
    for card in (*hand, *board):
        if not 0 <= card <= 51:
            raise ValueError(f"cards are numbered 0..51, got {card}")
    require_distinct([("hand", hand), ("board", board)])
    return [hand, board[:3], board[3:4], board[4:]] if ordered else [hand, board]


def count_classes(*group_sizes: int) -> int:
    """The number of classes of situations in which disjoint sets of cards of these sizes are dealt one after another.

    By Burnside's lemma it is the mean, over the 24 permutations, of the number of situations that a permutation leaves
    alone. A cycle of suits moves the cards of each rank in one cycle of the same length, and a situation stays when
    every cycle of cards lies in one of its sets or in none. So the product of ``1 + sum_j x_j ** length`` over the
    cycles of cards counts these situations as its coefficient of ``prod_j x_j ** group_sizes[j]``.

    >>> count_classes(2), count_classes(3), count_classes(2, 3)
    (169, 1755, 1286792)
    """
    if any(size < 0 for size in group_sizes):
        raise ValueError(f"sets of cards have no negative sizes, got {group_sizes}")
    kinds = Counter(_cycle_lengths(suits) for suits in permutations(range(4)))
    return sum(times * _count_fixed(lengths, group_sizes) for lengths, times in kinds.items()) // 24


def _cycle_lengths(permutation: Sequence[int]) -> tuple[int, ...]:
    lengths, seen = [], set[int]()
    for start in range(len(permutation)):
        before, at = len(seen), start
        while at not in seen:
            seen.add(at)
            at = permutation[at]
        lengths.append(len(seen) - before)
    return tuple(sorted(length for length in lengths if length))


def _count_fixed(cycle_lengths: Sequence[int], group_sizes: tuple[int, ...]) -> int:
    ways = Counter({group_sizes: 1})  # by the numbers of cards still to be dealt
    for length in 13 * tuple(cycle_lengths):
        for left, count in list(ways.items()):
            for group, size in enumerate(left):
                if size >= length:
                    ways[(*left[:group], size - length, *left[group + 1 :])] += count
    return ways[(0,) * len(group_sizes)]


def canonical_boards(size: int) -> dict[tuple[int, ...], int]:
    """The canonical boards of up to five cards, as sets, each with the number of boards that it stands for.

    >>> boards = canonical_boards(4)
    >>> len(boards), sum(boards.values())
    (16432, 270725)
    """
    if not 0 <= size <= 5:
        raise ValueError(f"boards have 0 to 5 cards, got {size}")
    signatures = [[sum(1 << rank for rank in ranks) for ranks in combinations(range(13), n)] for n in range(size + 1)]
    boards = {}
    for sizes in combinations_with_replacement(range(size + 1), 4):
        if sum(sizes) == size:
            suits_of_size = Counter(sizes)
            choices = [combinations_with_replacement(signatures[n], suits_of_size[n]) for n in suits_of_size]
            for choice in product(*choices):
                chosen = sorted(signature for part in choice for signature in part)
                board = [
                    4 * rank + suit
                    for suit, signature in enumerate(chosen)
                    for rank in range(13)
                    if signature >> rank & 1
                ]
                # any other order of the four signatures over the suits is another board of the class
                boards[tuple(sorted(board))] = factorial(4) // prod(map(factorial, Counter(chosen).values()))
    return dict(sorted(boards.items()))


def canonical_flops() -> dict[tuple[int, ...], int]:
    """The 1755 canonical flops, each with the number of flops that it stands for.

    >>> flops = canonical_flops()
    >>> len(flops), sum(flops.values())
    (1755, 22100)
    """
    return canonical_boards(3)


def canonical_keys(hands: ArrayLike, boards: ArrayLike, ordered: bool = False) -> NDArray[np.uint64]:
    """A number for the canonical form of each row of ``hands [n, 2]`` and ``boards [n, 0..5]``.

    Two rows have the same key exactly when `canonical_hand` gives them the same form, with the board as one set or
    ``ordered``. A key holds the cards of that form in their order, six bits each, the last card lowest; keys compare
    only between boards of the same size, read the same way.

    >>> [oct(int(key)) for key in canonical_keys([[44, 49]], [[17, 33, 28]])]
    ['0o5663233643']
    """
    hand_rows, board_rows = _card_rows(hands, "hands"), _card_rows(boards, "boards")
    if hand_rows.shape[1] != 2 or board_rows.shape[1] > 5 or len(hand_rows) != len(board_rows):
        raise ValueError(f"expected hands [n, 2] and boards [n, 0..5], got {hand_rows.shape} and {board_rows.shape}")
    keys = np.empty(len(hand_rows), dtype=np.uint64)
    bad = _fill_keys(hand_rows, board_rows, ordered, keys)
    if bad >= 0:
        raise ValueError(f"row {bad} repeats a card: {[*hand_rows[bad].tolist(), *board_rows[bad].tolist()]}")
    return keys


def _card_rows(cards: ArrayLike, name: str) -> NDArray[np.uint8]:
    rows = np.asarray(cards)
    if rows.ndim != 2 or (rows.size and not np.issubdtype(rows.dtype, np.integer)):
        raise ValueError(f"expected {name} as a table of card numbers, got shape {rows.shape} of {rows.dtype}")
    if rows.size and not 0 <= rows.min() <= rows.max() <= 51:
        raise ValueError(f"{name} hold cards numbered 0..51, got {rows.min()}..{rows.max()}")
    return np.ascontiguousarray(rows, dtype=np.uint8)


@kernel
def _fill_keys(hands: NDArray[np.uint8], boards: NDArray[np.uint8], ordered: bool, keys: NDArray[np.uint64]) -> int:
    """Write the keys ``[n]``; the first row with a repeated card, or -1.

    Each suit's signature is one number here: 13 bits for the hand, then 13 each for flop, turn and river or the board.
    """
    board_size = boards.shape[1]
    signature = np.empty(4, np.int64)
    renamed = np.empty(4, np.int64)
    cards = np.empty(7, np.int64)
    for row in range(len(hands)):
        signature[:] = 0
        seen = np.int64(0)
        for at in range(2 + board_size):
            card = np.int64(hands[row, at] if at < 2 else boards[row, at - 2])
            group = 0 if at < 2 else 1 if at < 5 or not ordered else at - 3
            cards[at] = card
            if seen >> card & 1:
                return row
            seen |= 1 << card
            signature[card & 3] |= 1 << (13 * (3 - group) + (card >> 2))
        for suit in range(4):
            place = 3
            for other in range(4):
                if signature[other] > signature[suit] or (signature[other] == signature[suit] and other > suit):
                    place -= 1
            renamed[suit] = place
        for at in range(2 + board_size):
            card = cards[at]
            card = card & ~3 | renamed[card & 3]
            start = 0 if at < 2 else 2 if at < 5 or not ordered else at
            slot = at
            while slot > start and cards[slot - 1] > card:
                cards[slot] = cards[slot - 1]
                slot -= 1
            cards[slot] = card
        key = np.int64(0)
        for at in range(2 + board_size):
            key = key << _BITS_PER_CARD | cards[at]
        keys[row] = key
    return -1
