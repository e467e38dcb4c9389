"""Subgames that begin half-way through a street or before the flop, solved."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.cards.ranges import class_of_combo
from ludus.solvers import preflop
from ludus.solvers.spot import leaf_solvers
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.leaf_solvers import EquityLeaves
from ludus.solvers.spot.line import follow_line
from ludus.solvers.spot.reports import summarise
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import measure, solve_spot
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.spot import Spot
from preflop_tables import invented_table

BETS = {"bet": "50%, a", "raise": "a"}
RIVER = Spot.of(
    "Ks Th 6h 4c 2s", 100, 300, "22+, A2s+, KTs+, QJs, 98s, 87s", "22+, A8s+, KTs+, QJs, JTs, 54s", {"river": BETS}
)


@pytest.fixture(scope="module")
def whole():
    return Solution.of(solve_spot(RIVER, iterations=1500))


@pytest.mark.parametrize(
    ("line", "player", "bets", "raises"), [("X", 1, (0, 0), 0), ("X-B50", 0, (0, 50), 1), ("B50", 1, (50, 0), 1)]
)
def test_the_rest_of_a_street_is_worth_what_it_is_in_the_whole(whole, line, player, bets, raises):
    known, ranges = whole.at(line), np.stack(follow_line(whole.layout, line, whole.played).ranges)
    stacks = (300 - bets[0], 300 - bets[1])
    rest = replace(RIVER.subgame, bets=bets, stacks=stacks, player=player, raises=raises)
    run = solve_spot(Spot(rest, ranges), iterations=1500)
    found = Solution.of(run).at()
    assert (found.player, found.pot, found.to_call, found.names) == (
        known.player,
        known.pot,
        known.to_call,
        known.names,
    )
    assert found.mean_ev == pytest.approx(known.mean_ev, abs=0.05)
    assert run.measured.ev == pytest.approx(known.mean_ev, abs=0.05)
    assert sum(run.measured.ev) == pytest.approx(known.pot, abs=1e-3)
    told = summarise(run)
    assert told.frequencies == pytest.approx(found.frequencies, abs=1e-3)
    assert told.names == found.names


@pytest.mark.parametrize(
    "tree", [preflop.PreflopTree(8), preflop.PreflopTree(9, raises=(2.5,), reraises=(3,), limp=True)]
)
def test_before_the_flop_it_agrees_with_the_solver_of_classes(tree, monkeypatch):
    """The same betting over 1326 hands, with leaves that are worth the equity of classes."""
    table = invented_table()
    monkeypatch.setattr(leaf_solvers, "preflop_table", lambda: table)
    leaf_solvers.margin.cache_clear()
    known = preflop.solve_preflop(tree, table, target=1e-4)
    solver = SpotSolver(Layout.of(Spot(preflop.subgame_of(tree), np.ones((2, 1326)))), leaf_values=EquityLeaves())
    solver.run(150)
    found = measure(solver)
    leaf_solvers.margin.cache_clear()
    assert found.percent < 1
    assert found.value[1] / preflop.CHIPS == pytest.approx(known.value, abs=0.01)
    hands = solver.layout.boards[0].hands[1].combo
    values = solver.follow(1, solver.sums)
    for name in range(0, 169, 7):
        of_class = values[class_of_combo[hands] == name]
        np.testing.assert_allclose(of_class, of_class[0], rtol=1e-3, atol=1e-2 * preflop.CHIPS)
