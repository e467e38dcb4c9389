"""Batches of subgames with PyTorch: every algorithm, streets below one another, frontiers, constraints, memory."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from ludus.cards.evaluator import evaluate
from ludus.cards.ranges import COMBOS, class_of_combo, parse_range
from ludus.solvers.batch.subgames import Constraints, Subgames, random_rivers, random_subgames, solve_subgames
from ludus.solvers.capabilities import supports
from ludus.solvers.preflop import PreflopTree, solve_preflop
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.spot.leaf_solvers import SolvedLeaves
from ludus.trees.betting import FOLD, FRONTIER, IP, OOP, SHOWDOWN
from ludus.trees.shape import build_shape
from ludus.trees.spot import Spot
from preflop_tables import invented_table

torch = pytest.importorskip("torch", reason="PyTorch is optional")

from ludus.solvers.batch import hands as batch_hands  # noqa: E402
from ludus.solvers.batch.passes import BEST  # noqa: E402
from ludus.solvers.batch.solver import BatchSolver  # noqa: E402

TURN = np.array([[51, 34, 17, 2]], np.uint8)  # As Th 6d 2h


def turn(bet, raises, stack=1300, streets=None, weights=None) -> Subgames:
    """One turn spot, by default with all hands in both ranges."""
    ranges = np.random.default_rng(5).random((1, 2, len(COMBOS))) if weights is None else np.array([weights])
    return Subgames(TURN, ranges, np.array([1009]), np.array([stack]), bet, raises, streets)


@cache
def sharing() -> np.ndarray:
    """Which combinations share a card ``[1326, 1326]``."""
    return (COMBOS[:, None, :, None] == COMBOS[None, :, None, :]).any(axis=(2, 3))


@cache
def equities(board: tuple[int, ...]) -> np.ndarray:
    """Wins less losses of each combination against each, as a share of all rivers, 0 if they share a card."""
    net = np.zeros((len(COMBOS), len(COMBOS)))
    for card in sorted(set(range(52)) - set(board)):
        whole = [*board, card]
        live = np.flatnonzero(~np.isin(COMBOS, whole).any(axis=1))
        ranks = evaluate(np.concatenate([np.tile(whole, (len(live), 1)), COMBOS[live]], axis=1)).astype(np.int64)
        net[np.ix_(live, live)] += np.sign(ranks[None, :] - ranks[:, None])
    return np.where(sharing(), 0, net / 44)


# --- Hands and showdowns ---------------------------------------------------------------------------------------------


def test_hands_are_numbered_alike_on_all_boards():
    boards = np.array([[51, 34, 17, 2], [0, 1, 2, 3]], np.uint8)
    combos = batch_hands.combos_of(boards)
    below = batch_hands.next_boards(boards)
    before, after = batch_hands.dealings(4)
    river = batch_hands.combos_of(below).reshape(2, 48, 1081)
    for spot, board in enumerate(boards):
        assert not np.isin(COMBOS[combos[spot]], board).any()
        assert len(set(combos[spot].tolist())) == 1128
        for card in (0, 17, 47):
            assert below[spot * 48 + card, :4].tolist() == board.tolist()
            np.testing.assert_array_equal(river[spot, card], combos[spot][before[card, :1081]])
            kept = after[card, :1128] < 1081
            np.testing.assert_array_equal(river[spot, card][after[card, :1128][kept]], combos[spot][kept])
            assert kept.sum() == 1081
    assert (before[:, 1081:] == 1128).all()
    places = batch_hands.places_of(combos)
    assert (np.take_along_axis(places, combos, axis=1) == np.arange(1128)).all()
    assert (places == 1128).sum() == 2 * (1326 - 1128)
    meet = batch_hands.meetings(4)
    np.testing.assert_array_equal(meet[:1128, :1128] == 0, sharing()[np.ix_(combos[0], combos[0])])
    assert meet[1128:].sum() == meet[:, 1128:].sum() == 0


def test_all_in_on_the_turn_is_worth_the_mean_of_all_rivers():
    combos = batch_hands.combos_of(TURN)[0]
    beat, unit = batch_hands.showdowns(TURN, torch.device("cpu"), torch.float32, None)
    known = equities(tuple(TURN[0].tolist()))[np.ix_(combos, combos)]
    np.testing.assert_allclose(beat[0, :1128, :1128].numpy() * unit, known, atol=1e-6)
    half, _ = batch_hands.showdowns(TURN, torch.device("cpu"), torch.float16, None)
    np.testing.assert_array_equal(half.float().numpy(), beat.numpy())  # exact in half precision


@pytest.mark.slow
def test_all_in_on_the_flop_is_worth_the_mean_of_all_runouts():
    flop = TURN[:, :3]
    hands = [int(np.flatnonzero(parse_range(text))[0]) for text in ("AhKh", "6s6c", "Td9d", "5c4c")]
    ranks = batch_hands.rank_runouts(flop)[0]
    places = batch_hands.places_of(batch_hands.combos_of(flop))[0]
    live = batch_hands.live_cards(flop)[0].tolist()
    endings = [(one, two) for at, one in enumerate(live) for two in live[at + 1 :]]
    for hand in hands:
        for runout in (0, 500, 1175):
            whole = [*flop[0].tolist(), *endings[runout]]
            blocked = bool(set(COMBOS[hand].tolist()) & set(whole))
            known = 0 if blocked else int(evaluate([[*whole, *COMBOS[hand].tolist()]])[0])
            assert ranks[runout, places[hand]] == known
    beat, unit = batch_hands.showdowns(flop, torch.device("cpu"), torch.float16, None)
    for mine in hands:
        for other in hands:
            one, two = ranks[:, places[mine]].astype(int), ranks[:, places[other]].astype(int)
            both = (one > 0) & (two > 0)
            meet = not set(COMBOS[mine].tolist()) & set(COMBOS[other].tolist())
            known = np.sign(two - one)[both].sum() / 990 if meet else 0
            assert not meet or both.sum() == 990
            assert float(beat[0, places[mine], places[other]]) * unit == pytest.approx(known, abs=1e-6)


# --- The family of algorithms ----------------------------------------------------------------------------------------


class PlainCFR:
    """The recurrence of ``schedules.py`` on the shape of one river spot, in double precision, node by node."""

    def __init__(self, spots: Subgames, algorithm, planned: int) -> None:
        self.shape, self.algorithm, self.planned = spots.shape, algorithm, planned
        board = spots.boards[0].tolist()
        self.combos = np.flatnonzero(~np.isin(COMBOS, board).any(axis=1))
        rows = np.concatenate([np.tile(board, (len(self.combos), 1)), COMBOS[self.combos]], axis=1)
        ranks = evaluate(rows).astype(np.int64)
        self.meet = ~sharing()[np.ix_(self.combos, self.combos)]
        self.beat = np.sign(ranks[None, :] - ranks[:, None]) * self.meet
        self.ranges = spots.playable[0][:, self.combos]
        decisions = [at for at, node in enumerate(self.shape.nodes) if node.kind in (OOP, IP)]
        size = {at: (len(self.shape.nodes[at].children), len(self.combos)) for at in decisions}
        self.regrets, self.instant, self.sums = ({at: np.zeros(size[at]) for at in decisions} for _ in range(3))

    def now(self):
        def matched(at):
            positive = np.maximum(self.regrets[at] + self.instant[at] * self.algorithm.predict, 0)
            total = positive.sum(axis=0)
            return np.where(total > 0, positive / np.where(total > 0, total, 1), 1 / len(positive))

        return {at: matched(at) for at in self.regrets}

    def run(self, iterations: int) -> None:
        for t in range(1, iterations + 1):
            if self.algorithm.alternating:
                for player in (0, 1):
                    self.learn(player, self.now(), t)
            else:
                now = self.now()
                for player in (0, 1):
                    self.learn(player, now, t)

    def learn(self, player, now, t) -> None:
        discount = self.algorithm.discount(t, self.planned)

        def go(at, own, other):
            node = self.shape.nodes[at]
            if node.kind in (FOLD, SHOWDOWN):
                shown, folded = (float(each[0]) for each in self.shape.payoffs(at))
                return shown * (self.beat @ other) + (folded if player == 0 else -folded) * (self.meet @ other)
            chances = now[at]
            if node.kind != player:
                return sum(go(child, own, other * each) for child, each in zip(node.children, chances, strict=True))
            self.sums[at] = (self.sums[at] + own * chances) * discount.average
            below = np.array([go(child, own * each, other) for child, each in zip(node.children, chances, strict=True)])
            value = (below * chances).sum(axis=0)
            self.instant[at] = below - value
            new = self.regrets[at] + self.instant[at]
            new = np.maximum(new, 0) if self.algorithm.clip else new
            self.regrets[at] = np.where(new > 0, new * discount.positive, new * discount.negative)
            return value

        go(0, self.ranges[player], self.ranges[1 - player])


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_is_honoured(name):
    spots = Subgames(
        np.array([[47, 34, 18, 8, 3]], np.uint8), np.random.default_rng(4).random((1, 2, 1326)),
        np.array([97]), np.array([151]), "50%", "a",
    )  # fmt: skip
    known = PlainCFR(spots, ALGORITHMS[name], 4)
    known.run(4)
    solver = BatchSolver(spots, ALGORITHMS[name], 4)
    solver.run(1)
    solver.run(3)
    street = solver.streets[0]
    order = np.searchsorted(known.combos, street.combos[0].numpy())
    for player in (0, 1):
        table = street.groups[0].tables[player]
        for at, rows in street.groups[0].plan.rows(player).items():
            for found, right, scale in (
                (table.regrets, known.regrets, 1081 / 97), (table.sums, known.sums, 1 / known.ranges[player]),
            ):  # fmt: skip
                right = (right[at] * scale)[:, order]
                kept = found[rows.start : rows.stop, 0, 0, :1081].numpy()
                np.testing.assert_allclose(kept, right, rtol=2e-3, atol=1e-4 * max(1, np.abs(right).max()))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_other_back_end_runs_an_algorithm_or_refuses_it_by_name(name):
    spots = random_rivers(1, 1)
    if supports("spots", name) is None:
        found = solve_subgames(spots, 3, "numba", algorithm=name)
        other = solve_subgames(spots, 3, "torch", algorithm=name, device="cpu")
        np.testing.assert_allclose(found.values, other.values, atol=1e-4)
    else:
        with pytest.raises(ValueError, match="the torch back end runs it"):
            solve_subgames(spots, 3, "numba", algorithm=name)


def test_a_scheduled_algorithm_must_know_its_iterations():
    with pytest.raises(ValueError, match="must know its number of iterations"):
        BatchSolver(random_rivers(1, 1), ALGORITHMS["hs-dcfr"])


# --- Memory ----------------------------------------------------------------------------------------------------------


def test_a_solver_that_is_dropped_is_freed_at_once():
    """Without the garbage collector, which knows nothing of a GPU's memory: nothing compiled refers to a solver."""
    gc.collect()
    gc.disable()
    try:
        solver = BatchSolver(random_rivers(2, 1, raises="a"), backend="eager")
        solver.run(2)
        solver.solved()
        table = solver.streets[0].groups[0].tables[1]
        held = [solver, solver.streets[0].beat, solver.ranges[0], table.regrets, table.sums, table.even]
        kept = [weakref.ref(each) for each in held]
        del solver, table, held
        assert [each() for each in kept] == [None] * len(kept)
    finally:
        gc.enable()


def test_compiled_passes_find_the_same():
    spots = random_rivers(2, 1, raises="a")
    found = []
    for backend in (None, "eager"):
        solver = BatchSolver(spots, backend=backend)
        solver.run(3)
        found.append(solver.solved())
    np.testing.assert_allclose(found[0].values, found[1].values, atol=1e-6)


def test_batches_may_be_solved_in_parts():
    """Sums of another length are rounded otherwise, and a hand between two actions then takes the other one."""
    spots, seen = random_rivers(3, 8, bet="a", raises=""), []
    values = np.random.default_rng(1).random((3, len(COMBOS))).astype(np.float32) - 0.5
    constraints = Constraints(np.array([0, 1, 1]), values)

    def solved(iterations, **how):
        return solve_subgames(spots, iterations, "torch", constraints=constraints, device="cpu", **how)

    once, in_parts = solved(1), solved(1, at_once=2)
    np.testing.assert_allclose(once.values, in_parts.values, atol=1e-5)
    np.testing.assert_allclose(once.exploitability, in_parts.exploitability, atol=1e-6)
    assert max(solved(100, at_once=2).exploitability) < 5e-4
    solved(5, at_once=2, progress=lambda *each: seen.append(each))
    assert seen == [(done, 10) for done in range(1, 11)]
    with pytest.raises(ValueError, match="solved at once, got 0"):
        solve_subgames(spots, 5, "torch", at_once=0)


# --- Streets below one another ---------------------------------------------------------------------------------------


def test_turns_with_their_rivers_are_as_the_spot_solver_has_them():
    """After the same iterations, before rounding decides between equal actions.

    A called bet of the pot is all-in for the second spot and goes on for the first, where two lines have one shape.
    """
    boards = np.array([[51, 34, 17, 2], [40, 9, 22, 31]], np.uint8)
    ranges = np.random.default_rng(5).random((2, 2, len(COMBOS)))
    spots = Subgames(boards, ranges, np.array([1009, 997]), np.array([1703, 701]), "100%", "a")
    solver = BatchSolver(spots)
    assert solver.streets[0].groups[0].plan.mixed
    assert sorted(group.lines for group in solver.streets[1].groups) == [1, 2]
    solver.run(4)
    found, known = solver.solved(), solve_subgames(spots, 4, "numba")
    np.testing.assert_allclose(found.values, known.values, atol=1e-4)
    np.testing.assert_allclose(found.exploitability, known.exploitability, atol=1e-5)
    assert known.exploitability.min() > 1e-3


# --- Frontiers -------------------------------------------------------------------------------------------------------


class Checked:
    """Leaf values of turns after which both check: equities, slowly."""

    def __init__(self) -> None:
        self.seen = []

    def bind(self, leaves):
        self.seen.append(leaves)
        tables = {tuple(board): equities(tuple(board)) for board in leaves.boards.tolist()}

        def values(reach):
            found = np.zeros_like(reach)
            for at, board in enumerate(leaves.boards.tolist()):
                for player in (0, 1):
                    found[at, player] = tables[tuple(board)] @ reach[at, 1 - player] * leaves.pots[at] / 2
            return found

        return values


def test_a_turn_cut_before_the_river_is_the_whole_if_the_river_is_checked():
    """Iteration by iteration: bets, raises and all-ins on the turn, and a leaf that only one of two spots has."""
    whole = turn(("50%", ""), ("a", ""), stack=1300)
    leaf = Checked()
    solver = BatchSolver(turn("50%", "a", stack=1300, streets=1), ALGORITHMS["dcfr"], leaf_values=leaf)
    solver.every = 3  # as the solver of two streets averages
    solver.run(10)
    known, found = solve_subgames(whole, 10, "numba", algorithm="dcfr"), solver.solved()
    np.testing.assert_allclose(found.values, known.values, atol=1e-4)
    np.testing.assert_allclose(found.exploitability, known.exploitability, atol=1e-5)
    (leaves,) = leaf.seen
    assert leaves.pots.tolist() == [1009, 2019, 2019]  # X-X, X-B-C and B-C; what is called all-in is no leaf
    assert leaves.stacks.tolist() == [1300, 795, 795]


def test_a_turn_cut_before_the_river_is_the_whole_if_its_leaves_are_solved():
    oop, ip = "AhAd, KhKd, QcJc, 9h8h, 5c4c, 7d7s", "AcKc, TdTc, JhJd, 9c8c, 5d4d, Ad3d"
    held = np.array([parse_range(oop), parse_range(ip)])
    whole = turn("75%", "a", weights=held)
    known = solve_subgames(whole, 400, "numba", algorithm="dcfr")
    assert known.exploitability[0] < 1e-3
    sizes = {street: {"bet": "75%", "raise": "a"} for street in ("turn", "river")}
    leaf = SolvedLeaves(Spot.of(TURN[0].tolist(), 1009, 1300, oop, ip, sizes))
    cut = replace(whole, streets=1)
    found = solve_subgames(cut, 80, "torch", algorithm="cfr+", leaf_values=leaf, device="cpu")
    assert found.exploitability[0] < 5e-3
    mean = ((found.values - known.values) * whole.playable).sum(axis=2)
    np.testing.assert_allclose(mean, 0, atol=5e-3)
    np.testing.assert_allclose(found.values[0][held > 0], known.values[0][held > 0], atol=0.02)
    assert np.abs(known.values).max() > 0.3


class Tensors:
    """Leaf values that stay tensors, and that remember what they were asked."""

    def __init__(self) -> None:
        self.asked = 0

    def bind_tensors(self, leaves, device):
        self.tables = torch.stack(
            [torch.from_numpy(equities(tuple(board))).float() for board in leaves.boards.tolist()]
        )
        self.half = torch.from_numpy(leaves.pots).float()[:, None] / 2
        return self

    def settle(self, reach):
        self.asked += 1
        assert reach.shape == (len(self.half), 2, len(COMBOS))

    def values(self, reach, player):
        return torch.einsum("lhg,lg->lh", self.tables, reach[:, 1 - player]) * self.half


@pytest.mark.parametrize(("name", "calls"), [("dcfr+", 7), ("rm+", 4)])
def test_leaf_values_of_tensors_and_of_arrays_are_alike(name, calls):
    """With simultaneous updates one call serves both players."""
    spots = turn("50%, a", "a", streets=1)
    tensors = Tensors()
    one, two = (
        solve_subgames(spots, 3, "torch", algorithm=name, leaf_values=leaf, device="cpu")
        for leaf in (tensors, Checked())
    )
    assert tensors.asked == calls  # those of three iterations and one for the averages
    np.testing.assert_allclose(one.values, two.values, atol=1e-5)


class ByCard:
    """Leaf values that depend on the last card only: a share of half the pot from every hand of the opponent's."""

    def bind(self, leaves):
        def values(reach):
            met = reach[:, ::-1].astype(np.float64) @ ~sharing()
            return met * (leaves.boards[:, -1] / 52 * leaves.pots / 2)[:, None, None]

        return values


def test_two_streets_and_then_a_frontier():
    """A flop and its turns: a leaf's value is averaged over the cards that two hands leave."""
    hands = [np.flatnonzero(parse_range(text)) for text in ("AhKh, 6s6c, 5c4c", "Td9d, AcKc, 5c4d")]
    ranges = np.zeros((1, 2, len(COMBOS)))
    for player in (0, 1):
        ranges[0, player, hands[player]] = 1 / 3
    spots = Subgames(TURN[:, :3], ranges, np.array([100]), np.array([50]), "", "", streets=2)
    found = solve_subgames(spots, 1, "torch", leaf_values=ByCard(), device="cpu")
    for player in (0, 1):
        for mine in hands[player].tolist():
            met = [other for other in hands[1 - player].tolist() if not sharing()[mine, other]]
            left = [set(range(52)) - {*TURN[0, :3].tolist(), *COMBOS[mine], *COMBOS[other]} for other in met]
            known = sum(sum(cards) / 45 / 52 / 2 / 3 for cards in left)
            assert found.values[0, player, mine] == pytest.approx(known, abs=1e-5)


def test_a_frontier_needs_leaf_values():
    with pytest.raises(ValueError, match="end before the hand does: give leaf_values"):
        BatchSolver(turn("50%", "a", streets=1))
    with pytest.raises(ValueError, match="solves to the river: use torch"):
        solve_subgames(turn("50%", "a", streets=1), 5, "numba")
    with pytest.raises(ValueError, match="without leaf values and constraints: use torch"):
        solve_subgames(turn("50%", "a"), 5, "numba", leaf_values=Checked())
    for streets in (None, 1):  # without chips nothing lies behind
        all_in = solve_subgames(turn("50%", "a", stack=0, streets=streets), 1, "torch", device="cpu")
        assert all_in.exploitability == pytest.approx([0], abs=1e-6)
        known = equities(tuple(TURN[0].tolist())) @ turn("", "").playable[0, 1]
        np.testing.assert_allclose(all_in.values[0, 0], known / 2, atol=1e-5)


# --- Before the flop -------------------------------------------------------------------------------------------------


class Flopless:
    """Leaf values before the flop without play after it: what `solve_preflop` assumes."""

    def __init__(self, table) -> None:
        margin = (2 * table.equity[class_of_combo][:, class_of_combo] - 1) * ~sharing()
        self.margin = margin.astype(np.float32)

    def bind(self, leaves):
        assert leaves.boards.shape == (len(leaves), 0)
        return lambda reach: (reach[:, ::-1] @ self.margin.T) * (leaves.pots[:, None, None] / 2)


def test_before_the_flop_it_is_as_over_the_classes(monkeypatch):
    table = invented_table(3)
    monkeypatch.setattr(batch_hands, "preflop_table", lambda: table)
    spots = Subgames(
        np.zeros((1, 0), np.uint8), np.ones((1, 2, len(COMBOS))), np.array([0]), np.array([20]),
        "", "a", streets=1, blinds=(1, 2),
    )  # fmt: skip
    found = solve_subgames(spots, 40, "torch", leaf_values=Flopless(table), device="cpu")
    known = solve_preflop(PreflopTree(10, 0.5, limp=True), table, target=1e-4)
    assert found.exploitability[0] * 3 / 2 < 0.02  # the pot is 3 chips, a big blind 2
    pairs = 1225 / 1326
    for player, sign in ((OOP, -1), (IP, 1)):
        mean = (found.values[0, player] * spots.playable[0, player]).sum() / pairs * 3 / 2
        assert mean == pytest.approx(sign * known.value, abs=0.02)
    suits = found.values[0, IP] - found.values[0, IP][np.unique(class_of_combo, return_index=True)[1]][class_of_combo]
    assert np.abs(suits).max() < 1e-4


def test_the_street_before_the_flop_has_blinds():
    shape = build_shape(np.array([0, 0]), np.array([200, 5]), "", "100%, a", closed=FRONTIER, blinds=(1, 2))
    root = shape.nodes[0]
    assert (root.kind, root.paid.tolist()) == (IP, [[2, 1], [2, 1]])
    assert [shape.nodes[child].label for child in root.children] == ["F", "C", "100%", "a"]
    limped, raised, shoved = (shape.nodes[child] for child in root.children[1:])
    assert (limped.kind, limped.paid.tolist()) == (OOP, [[2, 2], [2, 2]])
    assert [shape.nodes[child].label for child in limped.children] == ["X", "100%", "a"]
    assert raised.paid.tolist() == [[2, 6], [2, 2]]  # to 2 + 4; the second has 3 left: that is its all-in
    assert raised.there.tolist() == [True, False]
    assert shoved.paid.tolist() == [[2, 200], [2, 5]]
    assert shape.payoffs(root.children[0])[1].tolist() == [1, 1]
    assert shape.nodes[limped.children[0]].kind == FRONTIER


# --- Constraints -----------------------------------------------------------------------------------------------------


def test_with_the_values_of_an_equilibrium_no_hand_gains_by_a_re_solved_strategy():
    """Without them, and with a wrong range for the opponent, hands do gain."""
    board, random = np.array([[47, 34, 18, 8, 3]], np.uint8), np.random.default_rng(6)
    ranges = random.random((1, 2, len(COMBOS))) ** 4
    spots = Subgames(board, ranges, np.array([97]), np.array([211]), "100%", "a")
    known = solve_subgames(spots, 80, "torch", device="cpu")
    assert known.exploitability[0] < 4e-3
    ranges = ranges.copy()
    ranges[0, 1] = 1.0
    again, gains = replace(spots, ranges=ranges), []
    constraints = Constraints(np.array([1]), known.values[:, 1])
    for each in (constraints, None):
        solver = BatchSolver(again, constraints=each)
        solver.run(80)
        now = solver._now(averaged=True)
        best = solver._canonical(solver._traverse(1, BEST, now)[0][0])[0].numpy() / solver.scale
        gains.append((best - known.values[0, 1])[spots.playable[0, 1] > 0])
        assert solver.solved().exploitability[0] < 5e-3
    assert gains[0].max() < 0.02 < gains[1].max()
    assert gains[0].mean() < 0.002


def test_strategies_and_values_inside_the_first_street():
    spots = random_rivers(2, 4, bet="100%", raises="a")
    solver = BatchSolver(spots)
    solver.run(20)
    root = spots.shape.nodes[0]
    strategy = solver.strategy(0)
    assert strategy.shape == (2, len(root.children), len(COMBOS))
    dealt = (COMBOS[None, :, :, None] == spots.boards[:, None, None, :]).any(axis=(2, 3))
    np.testing.assert_allclose(strategy.sum(axis=1), ~dealt, atol=1e-6)
    whole, *below = solver.values_at(0, *root.children)
    np.testing.assert_allclose(whole, solver.solved().values, atol=1e-6)
    mixed = sum(values[:, 0] * strategy[:, action] for action, values in enumerate(below))
    np.testing.assert_allclose(mixed, whole[:, 0], atol=1e-5)
    np.testing.assert_allclose(sum(values[:, 1] for values in below), whole[:, 1], atol=1e-5)
    with pytest.raises(ValueError, match="nobody decides at node"):
        solver.strategy(len(spots.shape.nodes) - 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"streets": 0}, "1 street or more, and None is to the river, got 0"),
        ({"blinds": (1, 2)}, "blinds before the flop, and only there"),
        ({"bet": ("50%", "a", "a")}, "one for each of 2 streets"),
        ({"boards": np.zeros((1, 0), np.uint8)}, "blinds before the flop, and only there"),
        ({"boards": np.zeros((1, 0), np.uint8), "blinds": (1, 2)}, "set streets to 1, got None"),
        ({"boards": np.zeros((1, 0), np.uint8), "blinds": (1, 2), "streets": 1}, "treat suits alike"),
    ],
)  # fmt: skip
def test_bad_subgames_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(turn("50%", "a"), **change)


def test_bad_constraints_are_refused():
    values = np.zeros((2, len(COMBOS)), np.float32)
    for player, given in (([0, 2], values), ([0, 1], values * np.nan), ([0], values)):
        with pytest.raises(ValueError, match="constraints"):
            Constraints(np.array(player), given)
    with pytest.raises(ValueError, match="there are 1 subgames, got constraints for 2"):
        BatchSolver(random_rivers(1, 1), constraints=Constraints(np.array([0, 1]), values))


def test_random_subgames_of_other_streets():
    spots = random_subgames(3, 7, 4, streets=1)
    assert spots.boards.shape == (3, 4)
    assert spots.played == (4,)
    assert random_subgames(3, 7, 4).played == (4, 5)
    np.testing.assert_array_equal(spots.boards, random_rivers(3, 7).boards[:, :4])
