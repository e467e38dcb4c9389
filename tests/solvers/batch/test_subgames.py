"""Many rivers at once: one shape for all betting trees, and two ways to solve that must agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.cards.card import parse_cards
from ludus.cards.ranges import COMBOS, parse_range
from ludus.solvers.batch.subgames import Subgames, random_rivers, solve_subgames
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solve import pair_masses, solve_spot
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.betting import FOLD, OOP, SHOWDOWN, build_betting_tree, leaf_payoffs
from ludus.trees.shape import build_shape
from ludus.trees.spot import Spot
from reference_spot import Reference, hand_of

BOARDS = np.array(
    [parse_cards(text) for text in ("KsTh6h4c2s", "AhAd7c7d2s", "9c8c7c6c2d", "QsJsTs3h3d", "5c4d2h9sKc")], np.uint8
)


def rivers(count: int = 5, **options) -> Subgames:
    """Spots of all kinds: wide ranges and narrow ones, stacks from nothing to many pots."""
    random = np.random.default_rng(3)
    kept = np.array([1.0, 0.3, 1.0, 0.3, 0.05])[:, None, None]
    ranges = random.random((5, 2, len(COMBOS))) * (random.random((5, 2, len(COMBOS))) < kept)
    pots, stacks = np.array([1000, 60, 7, 150, 1000]), np.array([2500, 200, 30, 40, 0])
    return Subgames(BOARDS[:count], ranges[:count], pots[:count], stacks[:count], **options)


def blocked_on_one_board() -> np.ndarray:
    ranges = np.ones((5, 2, len(COMBOS)))
    ranges[2, 1] = parse_range("9c8d, AhKh:0, 7c7d")
    return ranges


def line_names(shape, spot: int) -> list[str]:
    """The line of each node of a shape, with the amounts of a spot."""
    names = [""]
    for node in shape.nodes[1:]:
        amount = f"B{node.paid[spot, shape.nodes[node.parent].kind]}"
        names.append(f"{names[node.parent]}-{node.label if node.label in 'XCF' else amount}".strip("-"))
    return names


# --- The shape of trees ----------------------------------------------------------------------------------------------

SIZES = ["", "a", "50%", "33%, 75%, 150%", "100%, a", "0.5%, 40%, a"]


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(1, 1000), st.integers(0, 3000)), min_size=1, max_size=4),
    st.sampled_from(SIZES),
    st.sampled_from(SIZES[:-1]),
)
def test_with_its_mask_a_shape_is_the_tree_of_each_spot(amounts, bet, raises):
    pots, stacks = np.array(amounts).T
    shape = build_shape(pots, stacks, bet, raises)
    for index, (pot, stack) in enumerate(amounts):
        spot = Spot.of("KsTh6h4c2s", pot, stack, "AA", "QQ", {"river": {"bet": bet, "raise": raises}})
        tree = build_betting_tree(spot)
        alpha, beta = leaf_payoffs(spot, tree)
        known = {
            tree.line(node): (int(tree.kind[node]), tree.paid[node].tolist(), alpha[node], beta[node, OOP])
            for node in range(len(tree))
        }
        found, names = {}, line_names(shape, index)
        for at, node in enumerate(shape.nodes):
            if at:
                assert at in shape.nodes[node.parent].children
                assert node.there[index] <= shape.nodes[node.parent].there[index]
            if node.there[index]:
                assert names[at] not in found  # no action is there twice
                leaf = node.kind in (FOLD, SHOWDOWN)
                shown, folded = (float(each[index]) for each in shape.payoffs(at)) if leaf else (0.0, 0.0)
                found[names[at]] = (node.kind, node.paid[index].tolist(), shown, folded)
        if stack == 0 and stacks.any():  # others can bet: here both check
            assert found.keys() == {"", "X", "X-X"}
            assert found["X-X"] == known[""]
        else:
            assert found == known


def test_an_action_of_the_shape_is_some_spots_action():
    shape = build_shape(np.array([100, 100]), np.array([1000, 50]), "50%, 100%, a", "a")
    for node in shape.nodes:
        assert node.there.any()
    labels = {node.label: node.there.tolist() for node in shape.nodes if node.parent == 0}
    assert labels == {"X": [True, True], "50%": [True, False], "100%": [True, False], "a": [True, True]}


def test_bad_shapes_are_refused():
    one = np.array([100])
    for size in ("2x", "40c", "e"):
        with pytest.raises(ValueError, match=f"take percentages of the pot and 'a' as sizes, got '{size}'"):
            build_shape(one, one, "50%", size)
    for pots, stacks in ((one * 0, one), (one, -one), (one, np.array([1, 2])), (one[None], one[None])):
        with pytest.raises(ValueError, match="a pot of 1 chip or more and a stack of 0 or more"):
            build_shape(pots, stacks, "50%", "a")
    with pytest.raises(ValueError, match="more than 10000 nodes: list fewer sizes"):
        build_shape(np.array([2]), np.array([10**6]), "10%, 20%, 30%, 40%", "10%, 20%, 30%, 40%, 50%")


# --- Solving ---------------------------------------------------------------------------------------------------------


def test_both_back_ends_agree():
    """Over 30 iterations if all hands are held and stacks are short; else rounding decides between equal actions."""
    pytest.importorskip("torch", reason="PyTorch is optional")
    spots = random_rivers(3, 2)
    spots = replace(spots, pots=np.array([1009, 311, 79]), stacks=np.array([703, 401, 53]))
    one, two = solve_subgames(spots, 30, "numba"), solve_subgames(spots, 30, "torch", device="cpu")
    np.testing.assert_allclose(one.values, two.values, atol=1e-4)
    np.testing.assert_allclose(one.exploitability, two.exploitability, atol=1e-5)
    assert one.exploitability.min() > 1e-4  # what is compared is more than zeros


@pytest.mark.parametrize("algorithm", ["dcfr+", "dcfr"])
def test_an_iteration_is_the_same_for_both_back_ends(algorithm):
    """From random tables, with spots that have different actions."""
    pytest.importorskip("torch", reason="PyTorch is optional")
    import torch

    from ludus.solvers.batch.solver import BatchSolver

    spots = rivers(bet="50%, a", raises="100%")
    batch = BatchSolver(spots, ALGORITHMS[algorithm])
    (group,), hands = batch.streets[0].groups, batch.streets[0].hands
    for table in group.tables:
        random = np.random.default_rng(len(table.regrets))
        mask = table.even.numpy() > 0
        for rows, least in ((table.regrets, -0.5), (table.sums, 0.0)):
            rows.copy_(torch.from_numpy((random.random(rows.shape) + least).astype(np.float32) * mask))
    starts = [(table.regrets.numpy().copy(), table.sums.numpy().copy()) for table in group.tables]
    batch.run(1)
    combos, names = batch.streets[0].combos.numpy(), [line_names(spots.shape, spot) for spot in range(len(BOARDS))]
    for spot in range(len(BOARDS) - 1):  # nobody decides in the last
        pot, sizes = int(spots.pots[spot]), {"river": {"bet": "50%, a", "raise": "100%"}}
        alone = Spot.of(BOARDS[spot].tolist(), pot, int(spots.stacks[spot]), "random", "random", sizes)
        solver = SpotSolver(Layout.of(Spot(alone.subgame, spots.playable[spot])), ALGORITHMS[algorithm])
        places = []  # of each row of the solver's tables: the player, the row and the hands in those of the batch
        for player in (0, 1):
            order = np.argsort(combos[spot])
            held = order[np.searchsorted(combos[spot], solver.layout.boards[0].hands[player].combo, sorter=order)]
            for node, rows in group.plan.rows(player).items():
                if spots.shape.nodes[node].there[spot]:
                    children = spots.shape.nodes[node].children
                    here = [action for action, child in enumerate(children) if spots.shape.nodes[child].there[spot]]
                    known = solver.layout.tree.words(solver.layout.tree.find(names[spot][node]))
                    assert [names[spot][children[action]].split("-")[-1] for action in here] == list(known)
                    places += [(player, rows[action], held) for action in here]
        # regrets are in pots and for ranges that add up to the number of hands, sums are not weighted by the range
        for tables, which in ((solver.regrets, 0), (solver.sums, 1)):
            for player in (0, 1):
                scale = pot / hands if which == 0 else solver.reach[player]
                rows = [starts[player][which][row, spot, 0, held] * scale for who, row, held in places if who == player]
                tables[0][player].plain[:] = np.concatenate(rows)
        solver.run(1)
        for tables, which in ((solver.regrets, 0), (solver.sums, 1)):
            for player in (0, 1):
                scale = pot / hands if which == 0 else solver.reach[player]
                after = (group.tables[player].regrets, group.tables[player].sums)[which].numpy()
                rows = [after[row, spot, 0, held] * scale for who, row, held in places if who == player]
                known = tables[0][player].plain
                np.testing.assert_allclose(np.concatenate(rows), known, rtol=1e-4, atol=1e-5 * np.abs(known).max())


@pytest.mark.parametrize("back_end", ["numba", "torch"])
def test_values_add_up_and_more_iterations_leave_less_to_win(back_end):
    if back_end == "torch":
        pytest.importorskip("torch", reason="PyTorch is optional")
    spots = rivers(3, bet="75%", raises="a")
    few, many = (solve_subgames(spots, iterations, back_end, device="cpu") for iterations in (5, 40))
    for found in (few, many):
        assert found.values.shape == (3, 2, len(COMBOS))
        assert (found.exploitability > -1e-6).all()
        means = (found.values * spots.playable).sum(axis=2)
        np.testing.assert_allclose(means.sum(axis=1), 0, atol=1e-5)
        dealt = (COMBOS[None, :, :, None] == BOARDS[:3, None, None, :]).any(axis=(2, 3))
        assert (found.values.transpose(0, 2, 1)[dealt] == 0).all()
    assert (many.exploitability < few.exploitability / 5).all()
    assert many.exploitability.max() < 0.01


@pytest.mark.parametrize("back_end", ["numba", "torch"])
def test_without_stacks_values_are_showdowns(back_end):
    if back_end == "torch":
        pytest.importorskip("torch", reason="PyTorch is optional")
    oop, ip = "KdKc, QhJh:0.5, AsAd, 7c7d", "AsAd:0.25, KdQd, 9d8d, 7c7d"
    ranges = np.array([[parse_range(oop), parse_range(ip)]])
    found = solve_subgames(Subgames(BOARDS[:1], ranges, np.array([300]), np.array([0])), 2, back_end, device="cpu")
    reference = Reference(Spot.of(BOARDS[0].tolist(), 300, 0, oop, ip))
    for player in (0, 1):
        weight = sum(reference.ranges[1 - player].values())
        for hand, value in reference.values(player, lambda *_: np.ones(1)).items():
            combo = hand[1] * (hand[1] - 1) // 2 + hand[0]
            assert hand_of(combo) == hand
            assert found.values[0, player, combo] == pytest.approx(value / weight / 300, abs=1e-6)
    assert found.exploitability == pytest.approx([0], abs=1e-6)


def test_each_spot_is_solved_as_if_it_were_alone():
    spots = rivers(2, bet="50%, a", raises="100%")
    found = solve_subgames(spots, 40)
    for index in range(2):
        sizes = {"river": {"bet": "50%, a", "raise": "100%"}}
        amounts = int(spots.pots[index]), int(spots.stacks[index])
        alone = Spot.of(BOARDS[index].tolist(), *amounts, *spots.playable[index], sizes)
        run = solve_spot(alone, "dcfr+", iterations=40)
        assert found.exploitability[index] == pytest.approx(run.measured.percent / 100, abs=2e-4)
        masses = pair_masses(run.solver.layout)
        total = masses[0] @ run.solver.reach[0] / run.solver.reach[0].sum() / run.solver.reach[1].sum()
        mean = (found.values[index, 0] * spots.playable[index, 0]).sum() / total
        assert mean == pytest.approx(run.measured.value[0] / amounts[0], abs=2e-3)


def test_blocked_hands_and_the_scale_of_ranges_do_not_matter():
    spots = rivers(2)
    other = spots.ranges.copy() * 7
    for index, board in enumerate(BOARDS[:2]):
        other[index][:, np.isin(COMBOS, board).any(axis=1)] = 99
    one, two = solve_subgames(spots, 10), solve_subgames(replace(spots, ranges=other), 10)
    np.testing.assert_allclose(one.values, two.values, atol=1e-6)
    np.testing.assert_allclose(one.exploitability, two.exploitability, atol=1e-6)


def test_workers_and_progress():
    seen = []
    spots = rivers(3)
    one = solve_subgames(spots, 5, workers=1, progress=lambda *done: seen.append(done))
    two = solve_subgames(spots, 5, workers=3)
    assert seen == [(1, 3), (2, 3), (3, 3)]
    np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(one.exploitability, two.exploitability)


def test_the_same_seed_gives_the_same_rivers_and_another_others():
    one, two, other = random_rivers(6, 1), random_rivers(6, 1), random_rivers(6, 2)
    for name in ("boards", "ranges", "pots", "stacks"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert not np.array_equal(one.boards, other.boards)
    assert not np.array_equal(one.ranges, other.ranges)
    assert len({tuple(board) for board in one.boards.tolist()}) == 6
    assert (one.stacks >= 250).all()
    assert (one.stacks <= 5000).all()
    np.testing.assert_allclose(one.playable.sum(axis=2), 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"boards": BOARDS[:, :2]}, r"spots need boards \[n, 5\]"),
        ({"boards": BOARDS[:0], "ranges": np.ones((0, 2, 1326)), "pots": np.ones(0), "stacks": np.ones(0)}, "got"),
        ({"ranges": np.ones((5, 1326))}, "spots need boards"),
        ({"pots": np.array([100])}, "spots need boards"),
        ({"boards": BOARDS * 0}, "five different cards"),
        ({"boards": BOARDS + np.uint8(40)}, "five different cards"),
        ({"ranges": -np.ones((5, 2, 1326))}, "finite and not negative"),
        ({"ranges": np.full((5, 2, 1326), np.nan)}, "finite and not negative"),
        ({"ranges": np.zeros((5, 2, 1326))}, "no hand left"),
        ({"ranges": blocked_on_one_board()}, "no hand left"),
    ],
)  # fmt: skip
def test_bad_spots_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(rivers(), **change)


def test_bad_questions_are_refused():
    spots = rivers(1)
    with pytest.raises(ValueError, match="back ends are numba and torch, got 'cuda'"):
        solve_subgames(spots, 5, "cuda")
    with pytest.raises(ValueError, match="unknown algorithm 'best'"):
        solve_subgames(spots, 5, algorithm="best")
    with pytest.raises(ValueError, match="1 iteration or more, got 0"):
        solve_subgames(spots, 0)
    with pytest.raises(ValueError, match="sizes, got '2x'"):
        _ = replace(spots, raises="2x").shape
