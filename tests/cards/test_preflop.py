from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.cards.card import parse_cards
from ludus.cards.equity import as_range, equity
from ludus.cards.evaluator import evaluate
from ludus.cards.preflop import (
    PreflopTable,
    build_preflop_table,
    count_classes_on,
    load_table,
    pair_counts,
    preflop_table,
    save_table,
)
from ludus.cards.ranges import CLASSES, COMBOS, class_index, class_of_combo, class_weights, parse_range


def invented_table(seed=0):
    """Something that has a table's form: a skew part around one half, and symmetric ties."""
    random = np.random.default_rng(seed)
    skew, tie = random.uniform(-0.2, 0.2, (169, 169)), random.uniform(0, 0.1, (169, 169))
    equities = 0.5 + (skew - skew.T) / 2
    return PreflopTable(equities.astype(np.float32), ((tie + tie.T) / 2).astype(np.float32))


def shares_no_card():
    cards = [frozenset(pair) for pair in COMBOS.tolist()]
    return np.array([[a.isdisjoint(b) for b in cards] for a in cards])


def test_pairs_of_hands():
    counts = pair_counts()
    expected = np.zeros((169, 169), int)
    np.add.at(expected, (class_of_combo[:, None], class_of_combo), shares_no_card())
    np.testing.assert_array_equal(counts, expected)
    assert counts[class_index("AA"), class_index("AA")] == 6
    assert counts[class_index("AKs"), class_index("QQ")] == 24
    assert counts.min() > 0


@pytest.mark.parametrize("board", ["AhKhQhJhTh", "2c7d9hJsKd", "AsAdAc2h3h", "8c9cTcJcAd", "5d5h5s9d9h"])
def test_counts_on_a_board_match_all_pairs(board):
    cards = parse_cards(board)
    live = np.flatnonzero(~np.isin(COMBOS, cards).any(axis=1))
    ranks = evaluate(np.column_stack([COMBOS[live], np.tile(cards, (len(live), 1))])).astype(int)
    apart = shares_no_card()[np.ix_(live, live)]
    where = class_of_combo[live, None], class_of_combo[live]
    wins, ties = np.zeros((169, 169), int), np.zeros((169, 169), int)
    np.add.at(wins, where, apart & (ranks[:, None] < ranks))
    np.add.at(ties, where, apart & (ranks[:, None] == ranks))
    counted = count_classes_on(np.array([cards, cards], np.uint8), np.array([3, 4]))
    np.testing.assert_array_equal(counted[0], 7 * wins)
    np.testing.assert_array_equal(counted[1], 7 * ties)


def test_a_table_comes_back_as_saved(tmp_path):
    table = invented_table()
    save_table(table, tmp_path / "table.safetensors")
    back = load_table(tmp_path / "table.safetensors")
    np.testing.assert_array_equal(back.equity, table.equity)
    np.testing.assert_array_equal(back.tie, table.tie)
    assert (tmp_path / "table.safetensors").stat().st_size < 300_000
    with pytest.raises(ValueError, match="read-only"):
        back.equity[0, 0] = 1


def test_the_shipped_table_is_that_of_the_poker_books():
    table = preflop_table()
    for first, second, share in [
        ("AA", "KK", 0.8195),
        ("AKs", "QQ", 0.4605),
        ("AKo", "22", 0.4735),
        ("72o", "AA", 0.1183),
    ]:
        assert table.of(first, second) == pytest.approx(share, abs=1e-3)
    assert table.ranges(np.eye(169)[class_index("AA")], np.ones(169)) == pytest.approx(0.8520371, abs=1e-6)


def test_broken_tables_are_refused(tmp_path):
    table = invented_table()
    path = tmp_path / "table.safetensors"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="not a file of Ludus"):
        load_table(path)
    save_table(table, path)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match="not a file of Ludus"):
        load_table(path)
    bad = table.equity.copy()
    bad[3, 5] += np.float32(0.01)
    for equities, ties, message in [
        (bad, table.tie, "sum to 1"),
        (table.equity[:5], table.tie, r"float32\[5, 169\] instead"),
        (table.equity.astype(np.float64), table.tie, "float64"),
        (table.equity * np.float32(np.nan), table.tie, "outside"),
        (table.equity, np.triu(table.tie), "symmetric"),
    ]:
        save_table(PreflopTable(equities, ties), path)
        with pytest.raises(ValueError, match=message):
            load_table(path)


@given(st.one_of(st.integers(0, 200), st.integers(0, 230_000)), st.integers(1, 255))
def test_tables_with_a_wrong_byte_are_refused_or_harmless(tmp_path_factory, place, change):
    table, path = invented_table(), tmp_path_factory.mktemp("table") / "table.safetensors"
    save_table(table, path)
    data = bytearray(path.read_bytes())
    data[place % len(data)] ^= change
    path.write_bytes(data)
    with suppress(ValueError):  # anything else is a failure
        np.testing.assert_allclose(load_table(path).equity, table.equity, atol=2e-6)  # what the check lets through


def test_ranges_by_the_table_weigh_pairs_that_can_be_dealt():
    table = invented_table()
    first, second = (class_weights(parse_range(text)) for text in ("AA, AKs:0.5", "AKo, 22:0.25"))
    total = share = 0.0
    for i, j in product(np.flatnonzero(first), np.flatnonzero(second)):
        weight = first[i] * second[j] * pair_counts()[i, j]
        total += weight
        share += weight * table.equity[i, j]
    assert table.ranges(first, second) == pytest.approx(share / total)
    assert table.ranges(second, first) == pytest.approx(1 - share / total, abs=1e-6)
    assert table.of("AA", "AKo") == table.equity[0, 13]
    with pytest.raises(ValueError, match="169 weights"):
        table.ranges(np.ones(1326), first)
    with pytest.raises(ValueError, match="need a hand"):
        table.ranges(np.zeros(169), first)


def test_building_can_be_interrupted():
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_preflop_table(progress=interrupt)


def hands_against_hands(first, second):
    """The average over every two hands of the classes that share no card, each enumerated by itself."""
    shares = []
    for i, j in product(np.flatnonzero(as_range(first)), np.flatnonzero(as_range(second))):
        if set(COMBOS[i]).isdisjoint(COMBOS[j]):
            shares.append(equity([np.eye(1, 1326, i)[0], np.eye(1, 1326, j)[0]]))
    return np.mean([result.equity[0] for result in shares]), np.mean([result.tie for result in shares])


@pytest.mark.slow
def test_the_table_is_exact():
    seen = []
    table = build_preflop_table(progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] == len(seen)
    np.testing.assert_array_equal(preflop_table().equity, table.equity)  # the one that is shipped
    np.testing.assert_array_equal(preflop_table().tie, table.tie)
    pairs = [("AA", "KK"), ("AKs", "QQ"), ("72o", "AA"), ("AKs", "AKo"), ("JTs", "22"), ("T9s", "T9s"), ("54s", "K4o")]
    for first, second in pairs:
        share, tie = hands_against_hands(first, second)
        assert table.of(first, second) == pytest.approx(share, abs=1e-7)
        assert table.tie[class_index(first), class_index(second)] == pytest.approx(tie, abs=1e-7)
    against_any = [table.ranges(np.eye(169)[index], np.ones(169)) for index in range(169)]
    assert CLASSES[int(np.argmax(against_any))] == "AA"
    assert CLASSES[int(np.argmin(against_any))] == "32o"
    assert max(against_any) == pytest.approx(0.8520371, abs=1e-6)
    assert min(against_any) == pytest.approx(0.3230323, abs=1e-6)
    assert np.diag(table.equity).tolist() == [0.5] * 169
    wide, tight = (class_weights(parse_range(text)) for text in ("22+, A2+, KT+", "QQ+, AK"))
    exact = equity([parse_range("22+, A2+, KT+"), parse_range("QQ+, AK")]).equity[0]
    assert table.ranges(wide, tight) == pytest.approx(exact, abs=1e-7)
