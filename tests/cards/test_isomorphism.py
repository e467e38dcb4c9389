from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.cards.card import DECK, format_cards, parse_cards
from ludus.cards.isomorphism import (
    canonical_board,
    canonical_boards,
    canonical_flops,
    canonical_hand,
    canonical_keys,
    canonical_suits,
    count_classes,
    permute_suits,
)
from ludus.cards.ranges import class_of_combo, combo_index

SUIT_PERMUTATIONS = list(permutations(range(4)))

quick = settings(max_examples=200, deadline=None)
dealt = st.lists(st.sampled_from(DECK), min_size=2, max_size=7, unique=True).map(lambda cards: (cards[:2], cards[2:]))
suit_permutations = st.sampled_from(SUIT_PERMUTATIONS)


def plain_form(hand, board, ordered):
    """The situation itself, with nothing renamed: sets in increasing order, turn and river in their places."""
    board = [*sorted(board[:3]), *board[3:]] if ordered else sorted(board)
    return tuple(sorted(hand)), tuple(board)


def least_form(hand, board, ordered):
    """Another canonical form, by brute force: the least of the 24."""
    return min(
        plain_form(permute_suits(hand, suits), permute_suits(board, suits), ordered) for suits in SUIT_PERMUTATIONS
    )


def same_classes(forms, others):
    """Whether two ways to name situations put the same ones together."""
    return len(set(forms)) == len(set(others)) == len(set(zip(forms, others, strict=True)))


# known counts


@pytest.mark.parametrize(
    ("sizes", "count"),
    [
        ((), 1),
        ((0,), 1),
        ((1,), 13),
        ((2,), 169),
        ((3,), 1_755),
        ((4,), 16_432),
        ((5,), 134_459),
        ((52,), 1),
        ((53,), 0),
        ((2, 3), 1_286_792),
        ((3, 2), 1_286_792),
        ((2, 3, 1), 55_190_538),
        ((2, 4), 13_960_050),
        ((2, 5), 123_156_254),
        ((2, 3, 1, 1), 2_428_287_420),
    ],
)
def test_known_counts(sizes, count):
    assert count_classes(*sizes) == count


def test_sizes_cannot_be_negative():
    with pytest.raises(ValueError, match="negative"):
        count_classes(2, -1)


def test_the_canonical_hands_are_the_169_classes():
    hands = list(combinations(DECK, 2))
    forms = [canonical_hand(hand, ()) for hand in hands]
    assert len(set(forms)) == 169
    assert same_classes(forms, [int(class_of_combo[combo_index(*hand)]) for hand in hands])


def test_there_are_1755_flops():
    counted = {}
    for flop in combinations(DECK, 3):
        form = canonical_board(flop)
        counted[form] = counted.get(form, 0) + 1
    assert counted == canonical_flops()
    assert len(counted) == 1755
    assert set(counted.values()) == {4, 12, 24}


@pytest.mark.parametrize("size", range(6))
def test_canonical_boards_stand_for_all_boards(size):
    boards = canonical_boards(size)
    assert len(boards) == count_classes(size)
    assert sum(boards.values()) == comb(52, size)
    assert list(boards) == sorted(boards)
    for board in list(boards)[:: 1 + len(boards) // 500]:
        assert canonical_board(board) == board
        renamed = {tuple(sorted(permute_suits(board, suits))) for suits in SUIT_PERMUTATIONS}
        assert boards[board] == len(renamed)


@pytest.mark.parametrize("size", [-1, 6])
def test_boards_of_other_sizes_are_refused(size):
    with pytest.raises(ValueError, match="0 to 5"):
        canonical_boards(size)


# the canonical form


@pytest.mark.parametrize(
    ("hand", "board", "ordered", "expected"),
    [
        ("AcKc", "", False, ("KsAs", "")),
        ("KhAc", "", False, ("KhAs", "")),
        ("2c2d", "", False, ("2h2s", "")),
        ("AcKd", "Qc Jd 2h 3h", False, ("KhAs", "2d3dJhQs")),
        ("AcKd", "Qc Jd 2h 3h", True, ("KhAs", "2dJhQs3d")),
        ("2c2d", "AdKdQd Ac", True, ("2h2s", "QsKsAsAh")),
        ("2c2d", "AdKdQd Ac", False, ("2h2s", "QsKsAhAs")),
    ],
)
def test_known_forms(hand, board, ordered, expected):
    form = canonical_hand(parse_cards(hand), parse_cards(board), ordered)
    assert tuple(map(format_cards, form)) == expected


@quick
@given(dealt, suit_permutations, st.booleans(), st.randoms(use_true_random=False))
def test_the_form_does_not_depend_on_suits_or_the_order_in_a_set(situation, suits, ordered, random):
    hand, board = situation
    other_hand, other_board = list(permute_suits(hand, suits)), list(permute_suits(board, suits))
    random.shuffle(other_hand)
    flop = other_board[:3] if ordered else other_board
    random.shuffle(flop)
    other_board[: len(flop)] = flop
    assert canonical_hand(other_hand, other_board, ordered) == canonical_hand(hand, board, ordered)
    assert canonical_board(other_board) == canonical_board(board)


@quick
@given(dealt, st.booleans())
def test_the_form_is_its_own_form_and_is_reached_by_the_permutation(situation, ordered):
    hand, board = situation
    form = canonical_hand(hand, board, ordered)
    suits = canonical_suits(hand, board, ordered)
    assert sorted(suits) == [0, 1, 2, 3]
    assert plain_form(permute_suits(hand, suits), permute_suits(board, suits), ordered) == form
    assert canonical_hand(*form, ordered) == form
    assert canonical_suits(*form, ordered) == (0, 1, 2, 3)
    assert canonical_board(canonical_board(board)) == canonical_board(board)


@quick
@given(dealt, dealt, suit_permutations, st.booleans())
def test_forms_are_equal_exactly_when_a_permutation_exists(one, two, suits, ordered):
    renamed = [permute_suits(cards, suits) for cards in one]
    for other in (two, renamed, (renamed[0], renamed[1][::-1])):
        alike = least_form(*one, ordered) == least_form(*other, ordered)
        assert (canonical_hand(*one, ordered) == canonical_hand(*other, ordered)) == alike


def test_all_situations_of_a_small_deck_fall_into_the_same_classes_as_by_brute_force():
    deck = (0, 1, 2, 3, 48, 49, 50, 51)  # the deuces and the aces
    situations = [
        (hand, (*flop, turn))
        for hand in combinations(deck, 2)
        for flop in combinations(sorted({*deck} - {*hand}), 3)
        for turn in sorted({*deck} - {*hand} - {*flop})
    ]
    for ordered in (False, True):
        forms = [canonical_hand(*situation, ordered) for situation in situations]
        assert same_classes(forms, [least_form(*situation, ordered) for situation in situations])
    boards = [board for _, board in situations]
    assert same_classes(
        [canonical_board(board) for board in boards], [least_form((), board, False) for board in boards]
    )


def test_the_turn_matters_only_when_ordered():
    hand = parse_cards("AhKh")
    one, two = parse_cards("2c3c4d5s"), parse_cards("2c3c5s4d")
    assert canonical_hand(hand, one) == canonical_hand(hand, two)
    assert canonical_hand(hand, one, ordered=True) != canonical_hand(hand, two, ordered=True)


@pytest.mark.parametrize(
    ("hand", "board", "message"),
    [
        ((1,), (), "two cards"),
        ((1, 1), (), "2d is twice in the hand"),
        ((1, 2), (1, 4, 5), "2d is both in the hand and in the board"),
        ((1, 52), (), "0..51, got 52"),
        ((1, 2), (-1, 4, 5), "0..51, got -1"),
        ((1, 2), (3, 4, 5, 6, 7, 8), "at most five cards, got 6"),
    ],
)
def test_bad_cards_are_refused(hand, board, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the message is compared below, as plain text
        canonical_hand(hand, board)
    assert message in str(error.value)


# keys of many rows


def key_of(form):
    key = 0
    for card in (*form[0], *form[1]):
        key = 64 * key + card
    return key


def random_deals(count, cards, seed=7):
    rng = np.random.default_rng(seed)
    return np.argsort(rng.random((count, 52)), axis=1)[:, :cards]


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("size", range(6))
def test_keys_match_the_reference(size, ordered):
    deals = random_deals(1000, 2 + size)
    hands, boards = deals[:, :2], deals[:, 2:]
    rows = zip(hands.tolist(), boards.tolist(), strict=True)
    expected = [key_of(canonical_hand(hand, board, ordered)) for hand, board in rows]
    keys = canonical_keys(hands, boards, ordered)
    assert keys.dtype == np.uint64
    assert keys.tolist() == expected


def count_distinct_keys(board_size):
    """The distinct keys of every hand on every canonical board; some situation of each class is among them."""
    pairs = np.array(list(combinations(range(52 - board_size), 2)))
    keys = []
    for board in canonical_boards(board_size):
        hands = np.delete(np.arange(52, dtype=np.uint8), board)[pairs]
        boards = np.broadcast_to(np.array(board, dtype=np.uint8), (len(hands), board_size))
        keys.append(canonical_keys(hands, boards))
    return len(np.unique(np.concatenate(keys)))


def test_every_hand_on_every_flop():
    assert count_distinct_keys(3) == count_classes(2, 3) == 1_286_792


@pytest.mark.slow
def test_every_hand_on_every_board_of_four():
    assert count_distinct_keys(4) == count_classes(2, 4) == 13_960_050


def test_keys_of_no_rows():
    assert canonical_keys(np.empty((0, 2), dtype=int), np.empty((0, 3), dtype=int)).shape == (0,)


@pytest.mark.parametrize(
    ("hands", "boards", "message"),
    [
        ([[1, 2]], [[3, 4, 5], [6, 7, 8]], "got (1, 2) and (2, 3)"),
        ([[1, 2, 3]], [[4, 5, 6]], "expected hands [n, 2]"),
        ([[1, 2]], [[3, 4, 5, 6, 7, 8]], "boards [n, 0..5]"),
        ([1, 2], [3, 4, 5], "table of card numbers"),
        ([[1.0, 2.0]], [[3, 4, 5]], "table of card numbers"),
        ([[1, 52]], [[3, 4, 5]], "hands hold cards numbered 0..51, got 1..52"),
        ([[1, 2]], [[-1, 4, 5]], "boards hold cards numbered 0..51, got -1..5"),
        ([[1, 2], [3, 4]], [[3, 4, 5], [6, 4, 8]], "row 1 repeats a card: [3, 4, 6, 4, 8]"),
    ],
)
def test_bad_rows_are_refused(hands, boards, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the message is compared below, as plain text
        canonical_keys(hands, boards)
    assert message in str(error.value)
