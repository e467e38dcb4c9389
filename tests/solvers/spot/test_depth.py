"""Spots that end at a frontier, leaf values of hold'em, and constraints on a spot that is solved again."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from ludus.cards.card import DECK, parse_cards
from ludus.cards.evaluator import evaluate
from ludus.cards.ranges import COMBOS, combo_index, parse_range
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.spot.gadget import Gadget
from ludus.solvers.spot.kernels.compact import Places, normalised, rows_of
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.leaf_solvers import EquityLeaves, SolvedLeaves, margin
from ludus.solvers.spot.line import follow_line
from ludus.solvers.spot.solve import measure, pair_masses
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.spot import Spot

BETS = {"bet": "50%, a", "raise": "a"}
TURN = Spot.of(
    "Ks Th 6h 4c", 20, 40, "AA, KQs, QJs, 98s, 66, A5s", "KJs, TT, JTs, 87s, AQs, 55", {"turn": BETS, "river": BETS}
)
FLOP = Spot.of(
    "Ks Th 6h", 20, 30, "AhAd, KcQc, 9h8h, QdJd", "KhJh, TsTd, AcQd, 5c5d",
    {"flop": {"bet": "75%"}, "turn": {"bet": "75%"}, "river": {"bet": "75%"}},
)  # fmt: skip


def root_values(solver):
    """What each hand of both players wins a hand that it meets, when both play their averages."""
    return [
        solver.follow(player, solver.sums) / mass
        for player, mass in zip((0, 1), pair_masses(solver.layout), strict=True)
    ]


@pytest.mark.parametrize(("board", "pairs"), [("Ks Th 6h 4c", 12), ("Ks Th 6h", 2)])
def test_margins_are_those_of_all_boards(board, pairs):
    cards = parse_cards(board)
    won = margin(tuple(cards))
    rng = np.random.default_rng(1)
    left = [card for card in DECK if card not in cards]
    for _ in range(pairs):
        one, two = np.sort(rng.permutation(left)[:4].reshape(2, 2)).tolist()
        rest = [card for card in left if card not in (*one, *two)]
        boards = [(*cards, *more) for more in combinations(rest, 5 - len(cards))]
        mine, theirs = (evaluate([(*each, *hand) for each in boards]).astype(int) for hand in (one, two))
        assert won[combo_index(*one), combo_index(*two)] == pytest.approx(np.sign(theirs - mine).mean(), abs=1e-6)
    np.testing.assert_array_equal(won, -won.T)
    shared = (COMBOS[:, None, :, None] == COMBOS[None, :, None, :]).any(axis=(2, 3))
    assert not won[shared].any()


def test_all_in_at_the_frontier_is_worth_its_equity():
    """Nothing behind: the whole solve has nothing to decide after the turn's bets, nor has the cut one."""
    spot = Spot.of(TURN.board, 20, 10, TURN.oop, TURN.ip, {"turn": {"bet": "a"}})
    whole = SpotSolver(Layout.of(spot))
    cut = SpotSolver(Layout.of(spot.changed(depth=1)), ALGORITHMS["dcfr-4"], leaf_values=EquityLeaves())
    for solver in (whole, cut):
        solver.run(100)
    for one, two in zip(root_values(whole), root_values(cut), strict=True):
        np.testing.assert_allclose(one, two, atol=0.02)


@pytest.mark.parametrize(("spot", "iterations"), [(TURN, 100), pytest.param(FLOP, 100, marks=pytest.mark.slow)])
def test_with_exact_leaf_values_a_cut_spot_reproduces_the_whole(spot, iterations):
    whole = SpotSolver(Layout.of(spot))
    whole.run(400)
    assert measure(whole).percent < 0.1
    leaves = SolvedLeaves(spot, iterations=12)
    cut = SpotSolver(Layout.of(spot.changed(depth=1)), ALGORITHMS["cfr+"], leaf_values=leaves)
    cut.run(iterations)
    found = measure(cut)
    assert found.percent < 0.3
    assert found.ev == pytest.approx(measure(whole).ev, abs=0.003 * spot.pot)
    for one, two in zip(root_values(whole), root_values(cut), strict=True):
        np.testing.assert_allclose(one, two, atol=0.02 * spot.pot)


def test_leaf_values_go_with_a_frontier():
    with pytest.raises(ValueError, match="only with one"):
        SpotSolver(Layout.of(TURN), leaf_values=EquityLeaves())
    with pytest.raises(ValueError, match="only with one"):
        SpotSolver(Layout.of(TURN.changed(depth=1)))
    with pytest.raises(ValueError, match="has one street"):
        SpotSolver(Layout.of(FLOP.changed(depth=2)), leaf_values=EquityLeaves())
    with pytest.raises(ValueError, match="at least 1 iteration"):
        SolvedLeaves(TURN, iterations=0)
    donk = Spot.of("Ks Th 6h 4c", 20, 40, "AA", "KK", {"river": {**BETS, "donk": "50%"}})
    with pytest.raises(ValueError, match="donk"):
        SolvedLeaves(donk)


# Constraints


RIVER = Spot.of("Ks Th 6h 4c 2d", 20, 40, "AA, KQs, QJs, 98s, 66, A5s", "KJs, TT, JTs, 87s, AQs, 55", {"river": BETS})


@pytest.fixture(scope="module")
def equilibrium():
    solver = SpotSolver(Layout.of(RIVER))
    solver.run(2000)
    return solver


@pytest.mark.parametrize("opponent", [0, 1])
def test_a_spot_solved_again_under_constraints_concedes_no_hand_more(equilibrium, opponent):
    """With a gadget nothing is gained by any hand, whatever is believed; without one, a wrong belief costs."""
    hands = equilibrium.layout.boards[0].hands[opponent]
    conceded = np.zeros(len(COMBOS))
    conceded[hands.combo] = equilibrium.best_response(opponent, equilibrium.sums)
    known = [*RIVER.weights]
    tolerance = 0.02 * RIVER.pot * known[1 - opponent].sum()
    wrong = [*known]
    wrong[opponent] = np.where(parse_range("QJs, 98s, 87s, 55") > 0, known[opponent], 1e-4 * known[opponent])
    anything = [*known]
    anything[opponent] = (known[opponent] > 0).astype(float)
    safe = SpotSolver(Layout.of(replace(RIVER, ranges=np.stack(anything))), gadget=Gadget(opponent, conceded))
    unsafe = SpotSolver(Layout.of(replace(RIVER, ranges=np.stack(wrong))))
    gains = []
    for solver in (safe, unsafe):
        solver.run(2000)
        gains.append((solver.best_response(opponent, solver.sums) - conceded[hands.combo]).max())
    assert gains[0] < tolerance < gains[1]
    assert abs(measure(safe).exploitability) < 0.003 * RIVER.pot


@pytest.mark.parametrize(
    ("spot", "iterations", "line", "opponent", "believed"),
    [
        (TURN, 600, "X-X-2d", 1, "55, 87s"),
        (TURN, 600, "X-B10-C-Qd", 0, "98s, A5s"),
        (FLOP, 200, "X-X-2d", 1, "AcQd, 5c5d"),
    ],
)
def test_the_rest_of_a_line_solved_again_concedes_no_hand_more(spot, iterations, line, opponent, believed):
    """A river after a turn, a turn after a flop: the constraints are what the equilibrium gives each hand there."""
    whole = SpotSolver(Layout.of(spot))
    whole.run(iterations)
    layout, average, places = whole.layout, whole.average(), Places.of(whole.layout.tree)

    def played(at, board, node):
        player, first, actions = layout.tree.kind[node], places.strategy[node], len(layout.tree.children(node))
        start = layout.boards[at].hands[player].start
        return normalised(rows_of(average[at][player], layout.rows[at][player], start, board, first, actions))

    place = follow_line(layout, line, played)
    nodes, values = whole.node_values(opponent, average, place.at, place.index)
    hands = place.combos[opponent]
    conceded = np.zeros(len(COMBOS))
    conceded[hands] = values[nodes.tolist().index(place.node)] * (49 - len(place.board))  # without the card's chance
    paid = int(layout.tree.paid[place.node, 0])
    rest = replace(spot.subgame, board=place.board, pot=spot.pot + 2 * paid, stacks=(spot.stack - paid,) * 2)
    ranges = np.stack(place.ranges)
    ranges[opponent] = (ranges[opponent] > 0).astype(float)
    wrong = ranges.copy()
    wrong[opponent] *= np.where(parse_range(believed) > 0, 1, 1e-3)
    safe = SpotSolver(Layout.of(Spot(rest, ranges)), gadget=Gadget(opponent, conceded))
    unsafe = SpotSolver(Layout.of(Spot(rest, wrong)))
    gains = []
    for solver in (safe, unsafe):
        solver.run(iterations)
        assert (solver.layout.boards[0].hands[opponent].combo == hands).all()
        gains.append((solver.best_response(opponent, solver.sums) - conceded[hands]).max())
    tolerance = 0.03 * rest.pot * ranges[1 - opponent].sum()
    assert gains[0] < tolerance < gains[1]


def test_a_player_who_is_offered_a_lot_leaves(equilibrium):
    rich = SpotSolver(Layout.of(RIVER), gadget=Gadget(1, np.full(len(COMBOS), 1e4)))
    rich.run(50)
    leaves, follows = rich.choice.average()
    assert leaves.sum() > 50 * follows.sum()
    poor = SpotSolver(Layout.of(RIVER), gadget=Gadget(1, np.full(len(COMBOS), -1e4)))
    poor.run(500)
    plain = measure(poor)
    assert plain.ev == pytest.approx(measure(equilibrium).ev, abs=0.1)
    assert plain.exploitability < 0.01 * RIVER.pot


def test_hands_that_are_bound_follow_whatever_they_are_offered(equilibrium):
    """All of them: as if there were no choice. Half of them: the other half leaves."""
    offer = np.full(len(COMBOS), 1e4)
    bound = SpotSolver(Layout.of(RIVER), gadget=Gadget(1, offer, np.ones(len(COMBOS))))
    plain = SpotSolver(Layout.of(RIVER))
    for solver in (bound, plain):
        solver.run(40)
    np.testing.assert_allclose(bound.sums[0][0].plain, plain.sums[0][0].plain, rtol=1e-4, atol=1e-5)
    half = SpotSolver(Layout.of(RIVER), gadget=Gadget(1, offer, np.full(len(COMBOS), 0.5)))
    half.run(50)
    leaves, follows = half.choice.average()
    np.testing.assert_allclose(follows, half.own[1] / 2, rtol=0.1)
    np.testing.assert_allclose(leaves + follows, half.own[1], rtol=1e-5)


def test_a_run_with_constraints_goes_on_from_its_state(equilibrium):
    gadget = Gadget(0, np.zeros(len(COMBOS)))
    one, two = (SpotSolver(Layout.of(RIVER), gadget=gadget) for _ in range(2))
    one.run(20)
    two.run(8)
    three = SpotSolver(Layout.of(RIVER), gadget=gadget)
    three.restore(8, {name: array.copy() for name, array in two.state().items()})
    three.run(12)
    for name, array in one.state().items():
        np.testing.assert_array_equal(array, three.state()[name])


def test_constraints_are_checked():
    with pytest.raises(ValueError, match="player 0 or 1"):
        Gadget(2, np.zeros(len(COMBOS)))
    with pytest.raises(ValueError, match="1326 numbers"):
        Gadget(0, np.full(len(COMBOS), np.nan))
    with pytest.raises(ValueError, match="from 0 to 1"):
        Gadget(0, np.zeros(len(COMBOS)), np.full(len(COMBOS), 1.5))
    with pytest.raises(ValueError, match="16-bit"):
        SpotSolver(Layout.of(RIVER), packed=True, gadget=Gadget(0, np.zeros(len(COMBOS))))
