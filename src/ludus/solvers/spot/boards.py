"""The boards of a spot, the hands alive on each, and which of them stand for others by a symmetry of the suits.

Boards are kept by street. A board that a symmetry turns into another one is not kept: the values of the kept one are
added once for each board it stands for, with the hands renamed. The symmetries at a board are those permutations of the
suits that leave both ranges and every card where they are, so nothing is assumed that does not hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import Weights
from ludus.cards.runouts import ALL_SYMMETRIES, MOVED
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

Places = NDArray[np.int16]
"""Places in a list of hands."""

Offsets = NDArray[np.int64]


class Hands(NamedTuple):
    """One player's hands on the boards of a street, one list for all boards: those of board b from ``start[b]`` on.

    Before the river they are in the order of the combinations, on the river from the strongest to the weakest.
    """

    start: Offsets  # [boards + 1]
    combo: Places
    low: NDArray[np.uint8]  # its two cards
    high: NDArray[np.uint8]
    rank: Places  # the class of its strength on the river, 1 is best; 0 before
    above: Places  # its place on the board one street earlier
    same: Places  # the place of the same hand in the other player's list, -1 if they never hold it
    copy_start: Offsets  # [copies] where the list of a copy starts in ``copy``
    copy: Places  # for each board that a board stands for: the places above of its hands, renamed


class Boards(NamedTuple):
    """The boards of one street."""

    cards: NDArray[np.uint8]  # [boards, 3..5]
    parent: NDArray[np.int32]  # [boards] the board one street earlier
    children: NDArray[np.int32]  # [boards + 1] where its boards of the next street start
    copies: NDArray[np.int32]  # [boards + 1] where the boards that it stands for start, itself the first
    copy_card: NDArray[np.uint8]  # [copies] the last card of each
    copy_symmetry: NDArray[np.uint8]  # [copies] the permutation, of ALL_SYMMETRIES, that makes it
    hands: tuple[Hands, Hands]


def deal_boards(
    board: Sequence[int], ranges: Sequence[Weights], symmetries: NDArray[np.uint8], most: int = 4
) -> list[Boards]:
    """The boards of each street from the one with this board to the river, at most so many streets.

    Hands of weight 0 are left out.

    The symmetries are permutations that leave the board and both ranges unchanged, as `suit_symmetries` gives them.
    """
    which = [int(np.flatnonzero((row == ALL_SYMMETRIES).all(axis=1))[0]) for row in symmetries]
    live = [np.flatnonzero(weights).astype(np.int16) for weights in ranges]
    free = np.array([not {int(COMBO_LOW[c]), int(COMBO_HIGH[c])} & set(board) for c in range(len(COMBO_LOW))])
    live = [combos[free[combos]] for combos in live]
    cards, groups = [tuple(board)], [which]
    parent, copies, copy_card, copy_symmetry = [0], [0, 1], [*board[-1:]] or [0], [0]
    above = [_whole(combos) for combos in live]
    streets: list[Boards] = []
    while True:
        table = np.array(cards, np.uint8)
        lists = [
            _hands(table, np.array(parent, np.int32), np.array(copies, np.int32), np.array(copy_symmetry, np.uint8),
                   live[player], *above[player])
            for player in (0, 1)
        ]  # fmt: skip
        hands = tuple(_with_same(lists[player], lists[1 - player]) for player in (0, 1))
        children = [0]
        next_cards, next_groups = [], []
        next_parent, next_copies, next_card, next_symmetry = [], [0], [], []
        if len(cards[0]) < 5 and len(streets) + 1 < most:
            for at, (known, group) in enumerate(zip(cards, groups, strict=True)):
                for card, copied, fixing in _orbits(known, group):
                    next_cards.append((*known, card))
                    next_groups.append(fixing)
                    next_parent.append(at)
                    next_card += list(copied)
                    next_symmetry += list(copied.values())
                    next_copies.append(len(next_card))
                children.append(len(next_cards))
        streets.append(
            Boards(
                table, np.array(parent, np.int32), np.array(children, np.int32), np.array(copies, np.int32),
                np.array(copy_card, np.uint8), np.array(copy_symmetry, np.uint8), (hands[0], hands[1]),
            )
        )  # fmt: skip
        if not next_cards:
            return streets
        above = [(hands[player].start, hands[player].combo) for player in (0, 1)]
        cards, groups = next_cards, next_groups
        parent, copies, copy_card, copy_symmetry = next_parent, next_copies, next_card, next_symmetry


def _orbits(board: tuple[int, ...], group: list[int]) -> list[tuple[int, dict[int, int], list[int]]]:
    """The next cards, one a class: the card, those it stands for with a symmetry each, the symmetries that fix it."""
    seen: set[int] = set(board)
    found = []
    for card in range(52):
        if card in seen:
            continue
        copies: dict[int, int] = {}
        for symmetry in group:
            copies.setdefault(card & ~3 | int(ALL_SYMMETRIES[symmetry, card & 3]), symmetry)
        seen.update(copies)
        fixing = [symmetry for symmetry in group if ALL_SYMMETRIES[symmetry, card & 3] == card & 3]
        found.append((card, copies, fixing))
    return found


def _whole(combos: Places) -> tuple[Offsets, Places]:
    return np.array([0, len(combos)]), combos


def _hands(
    cards: NDArray[np.uint8], parent: NDArray[np.int32], copies: NDArray[np.int32], symmetry: NDArray[np.uint8],
    combos: Places, above_start: Offsets, above_combo: Places,
) -> Hands:  # fmt: skip
    held = np.zeros((len(combos), 52), bool)
    held[np.arange(len(combos)), COMBO_LOW[combos]] = held[np.arange(len(combos)), COMBO_HIGH[combos]] = True
    counts = np.array([len(combos) - int(held[:, row].any(axis=1).sum()) for row in cards])
    start = np.concatenate([[0], np.cumsum(counts)])
    copy_counts = np.repeat(counts, np.diff(copies))
    copy_start = np.concatenate([[0], np.cumsum(copy_counts)[:-1]])
    total, copied = int(start[-1]), int(copy_counts.sum())
    combo, rank, above, same = (np.zeros(total, np.int16) for _ in range(4))
    copy = np.zeros(copied, np.int16)
    _fill_hands(cards, parent, copies, symmetry, combos, above_start, above_combo, start, combo, rank, above, copy)
    return Hands(start, combo, COMBO_LOW[combo], COMBO_HIGH[combo], rank, above, same, copy_start, copy)


@kernel
def _fill_hands(
    cards: NDArray[np.uint8], parent: NDArray[np.int32], copies: NDArray[np.int32], symmetry: NDArray[np.uint8],
    combos: Places, above_start: Offsets, above_combo: Places, start: Offsets,
    combo: Places, rank: Places, above: Places, copy: Places,
) -> None:  # fmt: skip
    """Rank, sort and place the hands of every board; arrays as in `Hands`."""
    keys, bits = COMBO_KEYS[combos], COMBO_BITS[combos]
    packed, spare = np.empty(len(combos), np.uint32), np.empty(len(combos), np.uint32)
    digits = np.empty((2, DIGITS), np.uint32)
    place = np.full(len(COMBO_KEYS), -1, np.int16)
    copied = 0
    for board in range(len(cards)):
        count = rank_live(cards[board], keys, bits, packed)
        river = cards.shape[1] == 5
        if river:
            sort_packed(packed, count, spare, digits)
        first = start[board]
        for at in range(above_start[parent[board]], above_start[parent[board] + 1]):
            place[above_combo[at]] = at - above_start[parent[board]]
        for at in range(count):
            hand = combos[packed[at] & PLACES]
            combo[first + at] = hand
            rank[first + at] = packed[at] >> np.uint32(PLACE_BITS) if river else 0
            above[first + at] = place[hand]
        for of in range(copies[board], copies[board + 1]):
            for at in range(count):
                copy[copied] = place[MOVED[symmetry[of], combo[first + at]]]
                copied += 1


def _with_same(hands: Hands, other: Hands) -> Hands:
    _fill_same(hands.start, hands.combo, other.start, other.combo, hands.same)
    return hands


@kernel
def _fill_same(start: Offsets, combo: Places, other_start: Offsets, other_combo: Places, same: Places) -> None:
    place = np.empty(len(COMBO_KEYS), np.int16)
    for board in range(len(start) - 1):
        place[:] = -1
        for at in range(other_start[board], other_start[board + 1]):
            place[other_combo[at]] = at - other_start[board]
        for at in range(start[board], start[board + 1]):
            same[at] = place[combo[at]]
