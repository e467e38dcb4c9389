"""Flops and play before them solved for one street by networks, and the figures that say how wrong that may be."""

from hashlib import sha256
from itertools import pairwise

import numpy as np
import pytest

from ludus.cards.ranges import CLASSES
from ludus.nets.holdem.shipped import FOLDER
from ludus.search.fast_spots import ITERATIONS, STAGES, accuracy_of, figures, first_street, solve_fast
from ludus.solvers.spot.solution import Solution
from ludus.teach.spots.study import check
from ludus.trees.spot import Spot

SIZES = {"flop": {"bet": "50%, a", "raise": "a"}, "turn": {"bet": "75%"}, "river": {"bet": "75%"}}
FLOP = {"board": "Qh 7h 2c", "pot": 100, "stack": 250, "oop": "TT+, AQs+, KQs, 76s", "ip": "22+, AJs+", "sizes": SIZES}


@pytest.fixture(scope="module")
def run():
    return solve_fast(Spot.of(**FLOP))


def test_a_flop_is_solved_for_its_first_street(run):
    assert (run.iterations, run.accuracy) == (ITERATIONS[3], accuracy_of(2.5))
    assert run.measured.percent < 2  # as far as the network goes
    assert sum(run.measured.ev) == pytest.approx(100, abs=0.01)
    solution = Solution.of(run)
    view = solution.at("B250")
    assert [*map(str, view.actions)] == ["F", "C"]
    assert sum(view.mean_ev) == pytest.approx(view.pot, abs=0.05)
    set_of_sevens = np.array([set(hand) <= {20, 21, 22, 23} for hand in _cards(view.combos[1])])
    assert set_of_sevens.any()
    assert (view.strategy[1, set_of_sevens] > 0.99).all()  # a set calls


def _cards(combos):
    from ludus.cards.ranges import COMBOS

    return COMBOS[combos].tolist()


def test_the_same_spot_has_the_same_answer(run):
    again = solve_fast(Spot.of(**FLOP))
    for one, two in zip(run.solver.average()[0], again.solver.average()[0], strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rake": "5%"}, "know no rake, and here it is 5%"),
        ({"board": "Qh 7h 2c 2d"}, "solve turns and rivers exactly"),
        ({"lock": [{"line": "X-X-D", "play": {"X": 1}}]}, "a lock is at 'X-X-D'"),
    ],
)
def test_what_networks_do_not_know_is_refused(change, told):
    with pytest.raises(ValueError, match=told):
        solve_fast(Spot.of(**{**FLOP, **change}))


def test_locks_of_the_flop_are_kept():
    spot = Spot.of(**FLOP, lock=[{"line": "X", "play": {"X": 0.25, "B50": 0.75, "B250": 0}}])
    assert first_street(spot).locks
    view = Solution.of(solve_fast(spot, iterations=2)).at("X")
    assert view.frequencies == pytest.approx([0.25, 0.75, 0], abs=1e-3)


def test_the_accuracy_is_that_of_the_stacks():
    rows = figures()["stacks"]
    assert all(one["to"] == two["from"] for one, two in pairwise(rows))
    for row in rows:
        found = accuracy_of((row["from"] + row["to"]) / 2)
        assert found.measured
        assert (found.value_mean, found.loss_p95) == (row["value_mean"], row["loss_p95"])
        assert found.value_mean <= found.value_p95
        assert found.loss_mean <= found.loss_p95
    assert not accuracy_of(rows[0]["from"] / 2).measured
    assert not accuracy_of(rows[-1]["to"] * 2).measured
    assert accuracy_of(1e9).loss_mean == rows[-1]["loss_mean"]


def test_the_figures_are_of_the_network_that_is_shipped():
    """Else run ``ludus bench fast --json`` again, and keep what it prints."""
    before = (FOLDER / f"{STAGES[0]}.safetensors").read_bytes()
    assert figures()["preflop_network"] == sha256(before).hexdigest()  # ludus bench values --stage preflop-end
    assert figures()["network"] == sha256((FOLDER / f"{STAGES[3]}.safetensors").read_bytes()).hexdigest()


BEFORE = {
    "board": "", "pot": 0, "stack": 1000, "oop": "random", "ip": "random", "blinds": "5/10",
    "sizes": {"preflop": {"bet": "2.5x", "raise": "3x; a"}},
}  # fmt: skip


@pytest.fixture(scope="module")
def opened():
    return solve_fast(Spot.of(**BEFORE), iterations=120)


def test_play_before_the_flop_is_solved_for_all_hands(opened, tmp_path):
    assert sum(opened.measured.ev) == pytest.approx(15, abs=0.05)  # the blinds
    assert opened.accuracy.loss_mean is None
    assert not opened.accuracy.measured  # 99 big blinds behind a limped pot of two: networks were judged with 3 pots
    assert solve_fast(Spot.of(**{**BEFORE, "stack": 70}), iterations=1).accuracy.measured
    Solution.of(opened).save(tmp_path / "before")
    solution = Solution.load(tmp_path / "before")
    assert solution.spot == Spot.of(**BEFORE)
    view = solution.at()
    assert (view.player, view.to_call, [*map(str, view.actions)]) == (1, 5, ["F", "C", "B25"])
    table = view.by_class()
    best, worst = CLASSES.index("AA"), CLASSES.index("32o")
    assert table.strategy[0, best] < 0.001
    assert table.strategy[0, worst] > 0.5
    assert table.ev[best] > 40 > 1 > table.ev[worst] >= -0.5  # the small blind is 5 chips
    called = solution.at("C")
    assert [*map(str, called.actions)] == ["X", "B25"]  # 2.5 times the big blind
    raised = solution.at("B25-B75")
    assert [*map(str, raised.actions)] == ["F", "C", "B1000"]
    assert raised.by_class().strategy[0, best] < 0.001


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"blinds": "5"}, "small and the big one in whole chips"),
        ({"blinds": "10/5"}, "small and the big one in whole chips"),
        ({"blinds": "0/5"}, "small and the big one in whole chips"),
        ({"blinds": 10}, "small and the big one in whole chips"),
        ({"board": "Qh 7h 2c"}, "a board or, before the flop, blinds"),
        ({"stack": 9}, "stack is a whole number from 10"),
        ({"sizes": {"flop": {"bet": "2x"}}}, "only a raise can be one"),
    ],
)
def test_a_wrong_spot_before_the_flop_is_one_sentence(change, told):
    with pytest.raises(ValueError, match=told):
        Spot.of(**{**BEFORE, **change})


def test_before_the_flop_nothing_is_solved_to_the_end():
    with pytest.raises(ValueError, match="solve spot --fast"):
        check(Spot.of(**BEFORE).to_dict())


def test_before_the_flop_a_file_needs_blinds_and_no_board(tmp_path):
    path = tmp_path / "spot.toml"
    path.write_text('blinds = "1/2"\nstack = 200\noop = "random"\nip = "QQ+"\n[sizes.preflop]\nbet = "3x"\n')
    spot = Spot.load(path)
    assert (spot.board, spot.pot, spot.stack, spot.subgame.bets, spot.rules.min_bet) == ((), 0, 200, (2, 1), 2)
    assert Spot.from_dict(spot.to_dict()) == spot
    path.write_text('stack = 200\noop = "random"\nip = "QQ+"\n')
    with pytest.raises(ValueError, match="spot needs board"):
        Spot.load(path)
