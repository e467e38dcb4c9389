"""Cards, the generator and the evaluator: known values, oracles, properties."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phevaluator import evaluate_cards

from ludus.cards import random as xoroshiro
from ludus.cards import tables
from ludus.cards.card import CARDS, DECK, deck_of, format_cards, parse_board, parse_card, parse_cards, require_distinct
from ludus.cards.census import draw_hands, enumerate_categories, enumerate_checksum
from ludus.cards.evaluator import CATEGORIES, CATEGORY, SEVEN_CARD_COUNTS, category, describe, evaluate, rank_5, rank_7

hands = st.lists(st.sampled_from(DECK), min_size=5, max_size=7, unique=True)


# Cards


@given(st.lists(st.sampled_from(DECK), unique=True), st.sampled_from(["", " ", ", ", "  "]))
def test_cards_survive_printing_and_parsing(cards, separator):
    assert parse_cards(format_cards(cards, separator)) == tuple(cards)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AhAh", "'AhAh' repeats Ah"),
        ("Ax", "'Ax' is not a card"),
        ("1h", "'1h' is not a card"),
        ("Ah K", "'K' is not a card"),
        ("♠A", "is not a card"),
    ],
)
def test_bad_cards_are_named(text, message):
    with pytest.raises(ValueError, match=message):
        parse_cards(text)


@given(st.text(max_size=20))
def test_any_text_is_cards_or_a_value_error(text):
    try:
        cards = parse_cards(text)
    except ValueError:
        return
    assert set(cards) <= set(DECK)


def test_ten_may_be_written_either_way():
    assert parse_cards("10h10d") == parse_cards("ThTd")


@pytest.mark.parametrize("count", range(7))
def test_only_real_boards_are_boards(count):
    text = format_cards(DECK[:count])
    if count in (0, 3, 4, 5):
        assert len(parse_board(text)) == count
    else:
        with pytest.raises(ValueError, match="0, 3, 4 or 5 cards"):
            parse_board(text)


def test_shared_cards_are_reported_with_their_places():
    with pytest.raises(ValueError, match="Ah is both in the hand and in the board"):
        require_distinct([("hand", parse_cards("AhKh")), ("board", parse_cards("2c3cAh"))])


def test_small_decks_are_the_top_ranks_and_last_suits():
    assert format_cards(deck_of(3, 1)) == "QsKsAs"
    with pytest.raises(ValueError, match="13 ranks"):
        deck_of(14, 4)


# xoroshiro128+


def test_generator_gives_the_published_sequence():
    """First numbers from the state (1, 2), computed by the recurrence as its authors print it."""
    s0, s1, mask, expected = 1, 2, 2**64 - 1, []
    for _ in range(1000):
        expected.append((s0 + s1) & mask)
        t = s1 ^ s0
        s0 = (((s0 << 24) | (s0 >> 40)) ^ t ^ (t << 16)) & mask
        s1 = ((t << 37) | (t >> 27)) & mask
    out = np.empty(1000, np.uint64)
    xoroshiro.fill(np.uint64(1), np.uint64(2), out)
    assert out.tolist() == expected
    assert out[:4].tolist() == [3, 412333834243, 2360170716294286339, 9295852285959843169]


def test_jump_is_the_power_of_the_step():
    """The step is linear over bits; 64 squarings of its matrix are a jump of 2**64 steps, 96 a long jump."""

    def apply(matrix, vector):
        result = 0
        for bit in range(128):
            if vector >> bit & 1:
                result ^= matrix[bit]
        return result

    mask = 2**64 - 1

    def step(vector):
        s0, s1 = vector & mask, (vector >> 64) ^ vector & mask
        s0 = ((s0 << 24 | s0 >> 40) ^ s1 ^ (s1 << 16)) & mask
        return s0 | ((s1 << 37 | s1 >> 27) & mask) << 64

    def jump(state, polynomial):
        return tuple(map(int, xoroshiro.jump(*map(np.uint64, state), polynomial)))

    matrix = [step(1 << bit) for bit in range(128)]  # columns
    for _ in range(64):
        matrix = [apply(matrix, column) for column in matrix]
    start = (0x0123456789ABCDEF, 0xFEDCBA9876543210)
    packed = start[0] | start[1] << 64
    jumped = apply(matrix, packed)
    assert jump(start, xoroshiro.JUMP) == (jumped & mask, jumped >> 64)
    for _ in range(32):
        matrix = [apply(matrix, column) for column in matrix]
    jumped = apply(matrix, packed)
    assert jump(start, xoroshiro.LONG_JUMP) == (jumped & mask, jumped >> 64)


def test_numbers_fill_their_intervals_evenly():
    s0, s1 = xoroshiro.streams(11, 1)[0]
    counts, total = np.zeros(52), 0.0
    for _ in range(20000):
        counts[xoroshiro.below(s0, s1, 52)] += 1
        total += xoroshiro.uniform(s0, s1)
        s0, s1 = map(np.uint64, xoroshiro.next_state(s0, s1))
    assert ((counts - 20000 / 52) ** 2 / (20000 / 52)).sum() < 100
    assert total / 20000 == pytest.approx(0.5, abs=0.01)


def test_a_seed_is_spread_by_split_mix():
    """The first two numbers of SplitMix64 from 0, as published with it."""
    assert xoroshiro.streams(0, 1)[0].tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]


def test_streams_differ_and_do_not_depend_on_their_number():
    many = xoroshiro.streams(1, 64)
    assert len({tuple(state) for state in many.tolist()}) == 64
    np.testing.assert_array_equal(xoroshiro.streams(1, 3), many[:3])
    assert (xoroshiro.streams(2, 1) != many[:1]).any()


# The evaluator


def test_classes_of_five_cards_have_the_known_counts():
    """All 2,598,960 five-card hands: every class occurs, and the categories are as often as they must be."""
    combos = np.array(list(itertools.combinations(range(52), 5)), np.uint8)
    ranks = evaluate(combos)
    counts = np.bincount(ranks, minlength=7463)
    assert (counts[1:] > 0).all()
    assert counts[0] == 0
    by_category = np.bincount(CATEGORY[ranks], minlength=9)
    assert by_category.tolist() == [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]


@pytest.mark.parametrize("cards", [5, 6, 7])
def test_agrees_with_phevaluator(cards):
    rng = np.random.default_rng(cards)
    rows = np.argsort(rng.random((30000, 52)), axis=1)[:, :cards]
    assert evaluate(rows).tolist() == [evaluate_cards(*row) for row in rows.tolist()]


@pytest.mark.slow
def test_agrees_with_phevaluator_on_a_million_hands():
    rng = np.random.default_rng(7)
    for _ in range(10):
        rows = np.argsort(rng.random((100_000, 52)), axis=1)[:, :7]
        assert evaluate(rows).tolist() == [evaluate_cards(*row) for row in rows.tolist()]


@given(hands, st.randoms(use_true_random=False))
def test_order_and_suit_names_do_not_matter(cards, rng):
    shuffled = rng.sample(cards, len(cards))
    suits = rng.sample(range(4), 4)
    moved = [4 * (card >> 2) + suits[card & 3] for card in cards]
    assert evaluate(cards) == evaluate(shuffled) == evaluate(moved)


@given(st.lists(st.sampled_from(DECK), min_size=7, max_size=7, unique=True))
def test_seven_cards_are_worth_their_best_five(cards):
    best = min(rank_5(*five) for five in itertools.combinations(cards, 5))
    assert rank_7(*cards) == best == evaluate(cards)


@pytest.mark.parametrize(
    ("text", "rank", "name"),
    [
        ("AsKsQsJsTs", 1, "royal flush"),
        ("5h4h3h2hAh", 10, "straight flush, five high"),
        ("AsAhAdAcKs", 11, "four of a kind, aces with a king"),
        ("KsKhKd5c5s", None, "full house, kings full of fives"),
        ("6s6h6d2c2s", None, "full house, sixes full of twos"),
        ("7h5h4h3h2h", 1599, "flush, seven-five-four-three-two"),
        ("5h4d3h2hAh", 1609, "straight, five high"),
        ("KsKh6d6c2s", None, "two pair, kings and sixes with a two"),
        ("8s8h8d6c2s", None, "three of a kind, eights with six-two"),
        ("KsKhAd6c2s", None, "pair of kings with ace-six-two"),
        ("7h5d4h3h2h", 7462, "high card, seven-five-four-three-two"),
    ],
)
def test_names(text, rank, name):
    ours = int(evaluate([parse_cards(text)])[0])
    assert describe(ours) == name
    assert rank in (None, ours)


def test_names_of_all_classes_are_different():
    names = [describe(rank) for rank in range(1, 7463)]
    assert len(set(names)) == 7462
    assert {category(rank) for rank in range(1, 7463)} == set(CATEGORIES)
    with pytest.raises(ValueError, match=r"1\.\.7462"):
        describe(0)


@pytest.mark.parametrize("bad", [[[0, 1, 2, 3]], [[0, 1, 2, 3, 52]], [[0, 1, 2, 3, 3]], [[0.5, 1, 2, 3, 4]], 7])
def test_bad_hands_are_refused(bad):
    with pytest.raises(ValueError, match=r"card"):
        evaluate(bad)


def test_drawn_hands_have_the_right_frequencies_whatever_the_threads():
    drawn = draw_hands(2_000_000, seed=1, threads=1)
    assert drawn.sum() == 2_000_000
    expected = np.array(SEVEN_CARD_COUNTS) / sum(SEVEN_CARD_COUNTS) * 2_000_000
    assert ((drawn - expected) ** 2 / expected).sum() < 30  # 8 degrees of freedom: the 99.98th percentile
    np.testing.assert_array_equal(drawn, draw_hands(2_000_000, seed=1, threads=2))
    assert (drawn != draw_hands(2_000_000, seed=2, threads=2)).any()


def test_all_seven_card_hands_are_counted():
    hands_seen, total = enumerate_checksum()
    assert hands_seen == 133_784_560
    assert total == 547_965_983_972


def test_every_category_over_all_seven_card_hands():
    assert enumerate_categories().tolist() == list(SEVEN_CARD_COUNTS)


@pytest.mark.slow
def test_tables_on_disk_are_what_the_code_builds():
    with np.load(tables.DATA) as stored:
        for name, array in tables.build().items():
            np.testing.assert_array_equal(stored[name], array)


def test_every_card_has_its_own_name():
    assert len(set(CARDS)) == 52
    assert [parse_card(CARDS[card]) for card in DECK] == list(DECK)
