"""Tables of buckets: every board finds its row, whatever its order and its suits, and files that can be trusted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.cards.isomorphism import canonical_board, count_classes, permute_suits
from ludus.cards.ranges import COMBOS, combo_index
from ludus.cards.runouts import ALL_SYMMETRIES, MOVED
from ludus.trees.bucket_tables import NO_BOARDS, SHIFT, RunoutTables, board_index, build_table, find_board, kept_table
from ludus.trees.buckets import load_buckets, some_boards

BOARDS = st.integers(3, 5).flatmap(lambda size: st.permutations(range(52)).map(lambda deck: deck[:size]))


@pytest.fixture(scope="module")
def buckets():
    return load_buckets("200")


@pytest.mark.parametrize(("size", "rows"), [(3, 1755), (4, 16432), (5, 134459)])
def test_an_index_has_a_row_for_each_class_of_boards(size, rows):
    index, boards = board_index(size)
    assert len(boards) == rows == count_classes(size)
    assert np.array_equal(np.unique(index >> SHIFT), np.arange(rows))
    assert (index & 31).max() < len(ALL_SYMMETRIES)
    assert not index.flags.writeable


@given(BOARDS, st.integers(0, 3))
def test_a_board_finds_its_canonical_form_in_any_order(board, start):
    index, boards = board_index(len(board))
    cards = np.array([51] * start + list(board) + [0], np.uint8)
    entry = int(find_board(index, cards, start, len(board)))
    assert tuple(boards[entry >> SHIFT].tolist()) == canonical_board(board)
    assert tuple(sorted(permute_suits(board, ALL_SYMMETRIES[entry & 31].tolist()))) == canonical_board(board)


@settings(max_examples=25)
@given(BOARDS, st.integers(0, 23), st.randoms(use_true_random=False))
def test_looking_up_a_bucket_is_the_same_as_finding_it_whatever_the_suits(buckets, board, symmetry, random):
    street = buckets.streets[len(board) - 3]
    index, boards = board_index(len(board))
    renamed = list(permute_suits(board, ALL_SYMMETRIES[symmetry].tolist()))
    random.shuffle(renamed)
    entry = int(find_board(index, np.array(renamed, np.uint8), 0, len(board)))
    row = (
        buckets.flop_table[entry >> SHIFT] if len(board) == 3 else build_table(street, boards[entry >> SHIFT][None])[0]
    )
    looked_up = row[MOVED[entry & 31]]
    assert np.array_equal(looked_up, buckets.of_board(renamed))
    assert np.array_equal(looked_up[MOVED[symmetry]], buckets.of_board(board))
    assert not looked_up[np.isin(COMBOS, renamed).any(axis=1)].any()


def test_the_flop_table_is_what_the_centres_say(buckets):
    boards = board_index(3)[1][[7, 900]]
    assert np.array_equal(build_table(buckets.flop, boards, threads=2), buckets.flop_table[[7, 900]])


class Street:
    """Puts a hand into the bucket of its lower card's rank, and counts the boards that it was asked for."""

    def __init__(self, stop_at=None):
        self.boards, self.stop_at = 0, stop_at

    def of_boards(self, boards):
        self.boards += len(boards)
        if self.stop_at is not None and self.boards > self.stop_at:
            raise KeyboardInterrupt
        return np.broadcast_to((COMBOS[:, 0] >> 2).astype(np.uint16), (len(boards), len(COMBOS)))


def test_a_table_is_built_once_and_then_mapped(tmp_path):
    path, calls = tmp_path / "tables" / "flop.safetensors", []
    with pytest.raises(KeyboardInterrupt):
        kept_table(path, Street(stop_at=100), 3, 13)
    assert not path.exists()
    built = kept_table(path, street := Street(), 3, 13, threads=2, progress=lambda *done: calls.append(done))
    assert street.boards == 1755
    assert calls[-1] == (1755, 1755)
    mapped = kept_table(path, again := Street(), 3, 13)
    assert again.boards == 0
    assert np.array_equal(built, mapped)
    assert mapped[1000, combo_index(4, 51)] == 1
    assert not mapped.flags.writeable


@pytest.mark.parametrize("damage", ["short", "text", "beyond", "other"])
def test_a_damaged_table_is_built_again(tmp_path, damage):
    path = tmp_path / "flop.safetensors"
    whole = np.array(kept_table(path, Street(), 3, 14 if damage == "other" else 13))
    if damage == "short":
        path.write_bytes(path.read_bytes()[:-2])
    elif damage == "text":
        path.write_text("no table at all")
    elif damage == "beyond":
        path.write_bytes(path.read_bytes()[:-2] + b"\xff\xff")
    again = kept_table(path, street := Street(), 3, 13)
    assert street.boards == 1755
    assert np.array_equal(again, whole)


@pytest.fixture
def no_files(buckets, monkeypatch, tmp_path):
    """Buckets whose tables are not built."""
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))
    return load_buckets("200")


def found(tables, board):
    index, table = tables[len(board) - 3], tables[len(board)]
    entry = int(find_board(index, np.array(board, np.uint8), 0, len(board)))
    return table[entry >> SHIFT][MOVED[entry & 31]]


def test_after_a_flop_the_rows_of_its_runouts_are_there(no_files):
    flop = [0, 17, 33]
    tables, boards = no_files.tables_after(flop, threads=2)
    assert boards is NO_BOARDS
    rng = np.random.default_rng(2)
    for _ in range(10):
        runout = rng.choice([card for card in range(52) if card not in flop], 2, replace=False).tolist()
        for board in (flop, [*flop, runout[0]], rng.permutation([*flop, *runout]).tolist()):
            assert np.array_equal(found(tables, board), no_files.of_board(board))


def test_before_the_flop_some_boards_stand_for_all(no_files):
    tables, boards = no_files.tables_after((), threads=2, build=False)
    assert boards is some_boards()
    assert boards.shape == (2000, 5)
    assert all(len(set(board)) == 5 for board in boards.tolist())
    assert len({tuple(board) for board in boards.tolist()}) == 2000
    for board in boards[::400].tolist():
        assert np.array_equal(found(tables, board), no_files.of_board(board))
        assert np.array_equal(found(tables, board[:4]), no_files.of_board(board[:4]))


def test_a_row_is_found_once(no_files):
    asked = []

    def rows(size, numbers, threads):
        asked.append((size, len(numbers)))
        return np.full((len(numbers), len(COMBOS)), 7, np.uint16)

    some = RunoutTables(no_files.flop_table, rows)
    some.fill_after([0, 5, 10, 15])
    some.fill_after([0, 5, 10, 15, 20])
    assert [size for size, _ in asked] == [4, 5]
    assert (found(some.tables, [0, 5, 10, 15, 20]) == 7).all()
    assert not found(some.tables, [1, 5, 10, 15, 20]).any()


def test_rows_of_a_damaged_table_are_found_anew(no_files, monkeypatch):
    board = [0, 17, 33, 40]
    wrong = np.full((len(board_index(4)[1]), len(COMBOS)), 200, np.uint16)
    right = no_files.of_board(board)
    monkeypatch.setitem(no_files._opened, 4, wrong)
    assert np.array_equal(no_files.of_board(board), right)


@pytest.mark.slow
def test_the_tables_of_shipped_buckets_are_their_buckets(buckets, monkeypatch, tmp_path):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))
    told = []
    tables = buckets.tables(threads=2, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    rng = np.random.default_rng(1)
    for size in (3, 4, 5):
        index, table = tables[size - 3], tables[size]
        for _ in range(20):
            board = rng.choice(52, size, replace=False)
            entry = int(find_board(index, board.astype(np.uint8), 0, size))
            assert np.array_equal(table[entry >> SHIFT][MOVED[entry & 31]], buckets.of_board(board.tolist()))
