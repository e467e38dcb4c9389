from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ludus.cards.card import CARDS, RANKS, parse_card, parse_cards
from ludus.cards.ranges import (
    CLASSES,
    COMBOS,
    MAX_TEXT,
    blocked,
    class_index,
    class_of_combo,
    class_weights,
    combo_index,
    combo_name,
    combos_count,
    expand_classes,
    format_range,
    parse_range,
)

quick = settings(max_examples=40, deadline=None)
fractions = st.floats(0, 1)
few_fractions = st.sampled_from([0.0, 0.25, 0.5, 1.0])


def names(text):
    """The classes of a text that are in the range in full, as a set."""
    mean = class_weights(parse_range(text))
    assert set(mean) <= {0.0, 1.0}
    return {CLASSES[index] for index in np.flatnonzero(mean)}


def class_range(classes):
    weights = np.zeros(169)
    weights[[class_index(name) for name in classes]] = 1
    return expand_classes(weights)


# the order of combinations and classes


def test_the_order_of_combinations_is_colexicographic():
    order = sorted(combinations(range(52), 2), key=lambda cards: cards[::-1])
    assert [tuple(row) for row in COMBOS.tolist()] == order
    assert [combo_index(low, high) for low, high in order] == list(range(1326))
    assert [combo_index(high, low) for low, high in order] == list(range(1326))


def test_a_combination_is_named_by_its_higher_card_first():
    assert combo_name(0) == "2d2c"
    assert combo_name(1325) == "AsAh"
    for index in range(1326):
        assert combo_index(*parse_cards(combo_name(index))) == index


def test_the_classes_are_the_chart_row_by_row():
    assert CLASSES[:3] == ("AA", "AKs", "AQs")
    assert CLASSES[13:16] == ("AKo", "KK", "KQs")
    assert CLASSES[-2:] == ("32o", "22")
    assert len(set(CLASSES)) == 169
    assert [class_index(name) for name in CLASSES] == list(range(169))
    sizes = {"": 6, "s": 4, "o": 12}
    assert np.bincount(class_of_combo).tolist() == [sizes[name[2:]] for name in CLASSES]
    for index, name in enumerate(map(combo_name, range(1326))):
        suffix = "" if name[0] == name[2] else "s" if name[1] == name[3] else "o"
        assert CLASSES[class_of_combo[index]] == name[0] + name[2] + suffix


def test_the_tables_cannot_be_changed():
    for table in (COMBOS, class_of_combo):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0


@pytest.mark.parametrize("cards", [(3, 3), (-1, 4), (5, 52)])
def test_combo_index_refuses_what_is_no_hand(cards):
    with pytest.raises(ValueError, match="two different cards"):
        combo_index(*cards)


@pytest.mark.parametrize("index", [-1, 1326])
def test_combo_name_refuses_other_numbers(index):
    with pytest.raises(ValueError, match=r"0\.\.1325"):
        combo_name(index)


@pytest.mark.parametrize("name", ["AK", "QQ+", "", "AKx", "AhKh"])
def test_class_index_refuses_what_is_not_one_class(name):
    with pytest.raises(ValueError, match="write"):
        class_index(name)


# from text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("QQ+", "QQ KK AA"),
        ("AA+", "AA"),
        ("99-66", "99 88 77 66"),
        ("66-99", "99 88 77 66"),
        ("55", "55"),
        ("AKs", "AKs"),
        ("AK", "AKs AKo"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("A2s-A5s", "A5s A4s A3s A2s"),
        ("A5-A4", "A5s A4s A5o A4o"),
        ("KTs+", "KTs KJs KQs"),
        ("KTo+", "KTo KJo KQo"),
        ("KJ+", "KJs KQs KJo KQo"),
        ("AK+", "AKs AKo"),
        ("76s+", "76s"),
        ("54s-T9s", "54s 65s 76s 87s 98s T9s"),
        ("T8o-86o", "T8o 97o 86o"),
        ("AJs-AJs", "AJs"),
        ("aks, AKO; qq", "AKs AKo QQ"),
        ("1010, 109s", "TT T9s"),
        ("KAs", "AKs"),
        (" QQ + ,\n\tAKs - AJs ", "QQ KK AA AKs AQs AJs"),
        ("QQ AKs\nJTs", "QQ AKs JTs"),
        ("random", " ".join(CLASSES)),
        ("ANY", " ".join(CLASSES)),
        ("QQ+, KK:0", "QQ AA"),
    ],
)
def test_known_notation(text, expected):
    assert names(text) == set(expected.split())


@pytest.mark.parametrize("text", ["AhKh", "KhAh", "ahkh", "AHKH"])
def test_single_combinations(text):
    weights = parse_range(text)
    assert combos_count(weights) == 1
    assert weights[combo_index(parse_card("Ah"), parse_card("Kh"))] == 1


@pytest.mark.parametrize(
    ("text", "weight"),
    [("T9o:0.5", 0.5), ("T9o:.5", 0.5), ("T9o : 25 %", 0.25), ("T9o:1e-3", 0.001), ("T9o:1.", 1), ("T9o:100%", 1)],
)
def test_weights(text, weight):
    assert set(parse_range(text)[class_of_combo == class_index("T9o")]) == {weight}
    assert combos_count(parse_range(text)) == pytest.approx(12 * weight)


def test_a_later_item_overrides():
    weights = parse_range("random:0.1, AK:0.5, AKs, AhKh:0")
    assert weights[combo_index(*parse_cards("AhKh"))] == 0
    assert weights[combo_index(*parse_cards("AsKs"))] == 1
    assert weights[combo_index(*parse_cards("AsKh"))] == 0.5
    assert weights[combo_index(*parse_cards("7s2h"))] == 0.1
    assert (parse_range("AhKh:0, AKs") == parse_range("AKs")).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one hand"),
        (" \n", "at least one hand"),
        ("AA,,KK", "'AA,,KK' has an empty item"),
        ("AA,", "empty item"),
        (";", "empty item"),
        ("QQ, AKx", "'AKx' is not a hand: write"),
        ("A", "'A' is not a hand"),
        ("AhK", "'AhK' is not a hand"),
        ("Ah Kh", "'Ah' is not a hand"),
        ("1s2s", "not a hand"),
        ("AhKh+", "not a hand"),
        ("AhKh-AhQh", "not a hand"),
        ("random+", "not a hand"),
        ("QQ++", "not a hand"),
        (":0.5", "':0.5' is not a hand"),
        ("AKſ", "not a hand"),  # upper() makes an S of this letter
        ("AAs", "'AAs' is not a hand: a pair is neither"),
        ("AhAh", "'AhAh' repeats a card"),
        ("98s-76o", "'98s-76o' is not a run"),
        ("AKs-AT", "not a run"),
        ("AA-AK", "not a run"),
        ("A5s-K3s", "not a run"),
        ("AKs-QQ", "not a run"),
        ("AA:1.01", "'AA:1.01' has no valid weight: write 0 to 1"),
        ("AA:101%", "no valid weight"),
        ("AA:-0.5", "no valid weight"),
        ("AA:nan", "no valid weight"),
        ("AA:inf", "no valid weight"),
        ("AA:1e999", "no valid weight"),
        ("AA:", "no valid weight"),
        ("AA:%", "no valid weight"),
        ("AA:0.5:0.5", "no valid weight"),
        ("AA:1_0%", "no valid weight"),
    ],
)
def test_bad_text_is_named(text, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the message is compared below, as plain text
        parse_range(text)
    assert message in str(error.value)


def read(text):
    """The weights, or the reason why there are none."""
    try:
        return parse_range(text)
    except ValueError as error:
        return str(error)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.text("AKQT1092so+-:%.,; hcdeRANDOMrandom5\n")))
def test_any_text_is_read_or_refused(text):
    result = read(text)
    if isinstance(result, str):
        assert "\n" not in result
    else:
        assert result.shape == (1326,)
        assert ((result >= 0) & (result <= 1)).all()


@pytest.mark.parametrize("part", [" ", "1", "10", "AA:", "AA ", "- ", "9+", "AA:0.", ",", "K"])
@pytest.mark.parametrize("end", ["", "x"])
def test_long_garbage_gets_a_short_answer(part, end):
    text = part * ((MAX_TEXT - 1) // len(part)) + end
    result = read(text)
    assert len(result) < 250 if isinstance(result, str) else result.any()


def test_too_long_a_text_is_refused():
    assert parse_range("AA" + " " * (MAX_TEXT - 2)).any()
    with pytest.raises(ValueError, match="at most 100000 characters, got 100001"):
        parse_range("AA" + " " * (MAX_TEXT - 1))


# to text


@pytest.mark.parametrize(
    "text",
    [
        "QQ+, AKs",
        "random",
        "random:0.5",
        "random, 72o:0",
        "22+",
        "99-66",
        "AK",
        "A2+",
        "A5s-A2s",
        "KTs+",
        "K9o-K7o",
        "T9s-54s",
        "AhKh",
        "AK, T9s:0.5, AhKh:0",
        "AKs, AhKh:25%",
        "22+, AT+, KJ+, A2s+, K9s+, QTs+, JTs",
        "88+, 66-22",
        "TT+, AK, AQs, JTs:75%, AJo-ATo:25%, 7d6d:1e-05",
        "A2s+, A7s:0.5",
        "22+, A2s+, 99-77:0.5, A5s:33%, 88:0.2",
    ],
)
def test_canonical_text_stays(text):
    assert format_range(parse_range(text)) == text


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("AKs, AKo", "AK"),
        ("AQs+, AKo", "AK, AQs"),
        ("KQs, KJs, KTs", "KTs+"),
        ("44, 33, 22, AA", "AA, 44-22"),
        ("54s-T9s", "T9s-54s"),
        ("76s+", "76s"),
        ("T9s, 98s", "T9s, 98s"),  # two hands alone are not called a run that keeps the gap
        ("AcKc, AhKh, AdKd", "AKs, AsKs:0"),
        ("AA:50%", "AA:0.5"),
        ("AA, KK:0", "AA"),
        ("any, AA:0.5", "random, AA:0.5"),
        ("AA:0", ""),
        (", ".join(CLASSES), "random"),
        (", ".join(name for name in CLASSES if name != "72o"), "random, 72o:0"),
    ],
)
def test_known_shortest_text(text, short):
    assert format_range(parse_range(text)) == short


def check_text(weights):
    """The text reads back exactly and is no longer than a list of classes and combinations."""
    text = format_range(weights)
    np.testing.assert_array_equal(parse_range(text), weights)
    single = []
    for index in range(169):
        own = weights[class_of_combo == index]
        if own[0] == own.max() == own.min():
            single += [CLASSES[index] + (f":{own[0]}" if own[0] != 1 else "")] if own[0] else []
        else:
            combos = np.flatnonzero((class_of_combo == index) & (weights > 0))
            single += [combo_name(at) + (f":{weights[at]}" if weights[at] != 1 else "") for at in combos]
    assert len(text) <= len(", ".join(single))


@quick
@given(arrays(np.float64, 1326, elements=fractions, fill=st.one_of(fractions, st.sampled_from([0.0, 1.0]))))
@example(np.random.default_rng(1).random(1326))
@example(np.random.default_rng(1).integers(0, 2, 1326).astype(np.float64))
def test_any_weights_survive_the_round_trip(weights):
    assume(weights.any())
    check_text(weights)


@quick
@given(st.dictionaries(st.integers(0, 1325), fractions, max_size=20), few_fractions)
def test_sparse_weights_survive_the_round_trip(changes, background):
    weights = np.full(1326, background)
    weights[list(changes)] = list(changes.values())
    assume(weights.any())
    check_text(weights)


@quick
@given(
    arrays(np.float64, 169, elements=few_fractions), st.dictionaries(st.integers(0, 1325), few_fractions, max_size=9)
)
def test_classes_with_exceptions_survive_the_round_trip(classes, changes):
    weights = expand_classes(classes)
    weights[list(changes)] = list(changes.values())
    assume(weights.any())
    check_text(weights)


def different(sequence, size):
    return st.lists(st.sampled_from(sequence), min_size=size, max_size=size, unique=True)


def kicker_run(high_first):
    """A hand with its suits and a second kicker, all below its high card."""
    high, *kickers = sorted(high_first, key=RANKS.index, reverse=True)
    return suits.map(lambda s: f"{high}{kickers[0]}{s}-{high}{kickers[1]}{s}")


def gap_run(gap):
    bottoms = st.integers(0, 12 - gap)
    run = "{0[0]}{0[1]}{2}-{1[0]}{1[1]}{2}".format
    return st.builds(run, *2 * [bottoms.map(lambda low: RANKS[low + gap] + RANKS[low])], suits)


suits = st.sampled_from(["s", "o", ""])
pairs = st.sampled_from(RANKS).map(lambda rank: 2 * rank)
hands = st.one_of(pairs, st.builds("{0[0]}{0[1]}{1}".format, different(RANKS, 2), suits))
items = st.one_of(
    hands,
    hands.map(lambda hand: hand + "+"),
    st.builds("{}-{}".format, pairs, pairs),
    different(RANKS, 3).flatmap(kicker_run),
    st.integers(1, 12).flatmap(gap_run),
    different(CARDS, 2).map("".join),
)
weighted = st.one_of(items, st.builds("{}:{}".format, items, fractions), st.builds("{}:{}%".format, items, fractions))


@quick
@given(st.lists(weighted, min_size=1, max_size=12).map(",".join))
def test_valid_text_is_read_and_survives_the_round_trip(text):
    weights = parse_range(text)
    if weights.any():
        check_text(weights)


def shortest_lengths(classes):
    """The length of the shortest list of runs, separators included, that names just each subset of some classes."""
    bit = {name: 1 << at for at, name in enumerate(classes)}
    hands = list(bit) + sorted({name[:2] for name in bit if len(name) == 3})
    cost = {}
    for text in hands + [hand + "+" for hand in hands] + [f"{a}-{b}" for a in hands for b in hands]:
        try:
            named = names(text)
        except ValueError:
            continue
        if named <= bit.keys():
            mask = sum(bit[name] for name in named)
            cost[mask] = min(cost.get(mask, 99), len(text + ", "))

    def cover(whole, left, runs, known):
        """The cheapest runs within the whole that name what is left of it; they may name a hand twice."""
        if left not in known:
            fitting = [(run, c) for run, c in runs if run & left & -left]
            known[left] = min(c + cover(whole, left & ~run, runs, known) for run, c in fitting)
        return known[left]

    wholes = range(2 ** len(bit))
    return [cover(whole, whole, [(r, c) for r, c in cost.items() if r & ~whole == 0], {0: 0}) for whole in wholes]


@pytest.mark.parametrize(
    ("classes", "slack"),
    [
        ([2 * rank for rank in "8765432"], 0),
        ([2 * rank for rank in "AKQJT98"], 0),
        (["8" + rank + "s" for rank in "765432"], 0),
        (["A" + rank + "o" for rank in "KQJT98"], 0),
        (["5" + rank + suits for rank in "432" for suits in "so"], 0),
        (["6" + rank + suits for rank in "5432" for suits in "so"], 2),
    ],
    ids=["low pairs", "high pairs", "suited", "offsuit", "both", "both, longer"],
)
def test_text_is_as_short_as_an_exhaustive_search_finds(classes, slack):
    for mask, best in enumerate(shortest_lengths(classes)):
        chosen = [name for at, name in enumerate(classes) if mask >> at & 1]
        if chosen:
            assert best <= len(format_range(class_range(chosen)) + ", ") <= best + slack


def test_nothing_formats_to_nothing():
    assert format_range(np.zeros(1326)) == ""
    assert format_range(np.full(1326, -0.0)) == ""
    assert format_range([-0.0] * 1325 + [1]) == "AsAh"


@pytest.mark.parametrize("function", [format_range, class_weights, combos_count, lambda w: blocked(w, [])])
def test_bad_weights_are_refused(function):
    for bad in (np.nan, np.inf, -0.1, 1.1):
        with pytest.raises(ValueError, match="from 0 to 1"):
            function(np.where(np.arange(1326) == 7, bad, 0.5))
    for shape in ((169,), (1327,), (1326, 1), ()):
        with pytest.raises(ValueError, match="shape"):
            function(np.zeros(shape))


# by class, blocked, counted


@quick
@given(arrays(np.float64, 169, elements=fractions))
def test_classes_expand_and_average_back(classes):
    weights = expand_classes(classes)
    np.testing.assert_allclose(class_weights(weights), classes, rtol=1e-12)
    assert all(len(set(weights[class_of_combo == index])) == 1 for index in range(169))


def test_class_weights_are_means():
    mean = class_weights(parse_range("AKs, AhKh:0.5, 7s2h, QQ:0.3"))
    assert mean[class_index("AKs")] == 0.875
    assert mean[class_index("72o")] == pytest.approx(1 / 12)
    assert mean[class_index("QQ")] == pytest.approx(0.3)
    assert np.count_nonzero(mean) == 3
    with pytest.raises(ValueError, match=r"\(169,\)"):
        expand_classes(np.zeros(1326))


@quick
@given(st.lists(st.integers(0, 51), max_size=5), st.integers(0, 2**32))
def test_blocked_takes_out_exactly_the_hands_with_a_card(cards, seed):
    weights = np.random.default_rng(seed).random(1326)
    before = weights.copy()
    left = blocked(weights, cards)
    for index, (low, high) in enumerate(COMBOS):
        assert left[index] == (0 if low in cards or high in cards else weights[index])
    np.testing.assert_array_equal(weights, before)


def test_blocked_counts():
    board = parse_cards("Td9d6h")
    assert combos_count(blocked(parse_range("random"), board)) == 49 * 48 / 2
    with pytest.raises(ValueError, match=r"0\.\.51"):
        blocked(parse_range("random"), [52])
