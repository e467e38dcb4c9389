"""Push or fold and simple raise trees: published ranges, a linear programme, brute force, and the command."""

import csv
import io
import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import bmat, csr_matrix

from ludus.cards import preflop
from ludus.cards.preflop import (
    PreflopTable,
    count_classes_on,
    pair_counts,
    preflop_table,
)
from ludus.cards.ranges import CLASSES, class_index, expand_classes, parse_range
from ludus.cli.solving.solve_pushfold import pushfold
from ludus.solvers.best_response import Evaluator
from ludus.solvers.preflop import CHIPS, PreflopTree, action_name, flatten_tree, grow, path_to, seat_at, solve_preflop
from ludus.trees.betting import FOLD
from preflop_tables import invented_table

MEET = pair_counts() / pair_counts().sum()
HANDS = MEET.sum(axis=1)


@pytest.fixture(scope="module")
def table():
    """Nearly the true table, from every class against every other on 10,000 boards instead of all of them."""
    random = np.random.default_rng(1)
    boards = np.argsort(random.random((10_000, 52)), axis=1)[:, :5].astype(np.uint8)
    wins, ties = count_classes_on(boards, np.ones(len(boards), np.int64), threads=2)
    deals = wins + wins.T + ties
    return PreflopTable(((wins + ties / 2) / deals).astype(np.float32), (ties / deals).astype(np.float32))


@pytest.fixture
def true_table():
    """The table that is shipped."""
    return preflop_table()


def margin(table):
    """What the row's class wins of a stake of 1 against the column's, as the solver rounds it."""
    equity = table.equity.astype(np.float64)
    return equity - equity.T


# Known values


def chances(decision, action):
    """How probably each combination takes an action."""
    return expand_classes(decision.strategy[:, decision.names.index(action)].clip(0, 1))


def test_ten_big_blinds_about_as_published(table):
    found = solve_preflop(PreflopTree(10), table)
    assert found.at().frequencies[1] == pytest.approx(0.583, abs=0.01)
    assert found.at("all-in").frequencies[1] == pytest.approx(0.374, abs=0.01)
    assert found.value == pytest.approx(-0.0454, abs=0.005)
    push, call = chances(found.at(), "all-in"), chances(found.at("all-in"), "call")
    assert (
        push[parse_range("22+, A2+, K2+, Q3s+, J5s+, T6s+, 96s+, 86s+, 75s+, 65s, Q8o+, J9o+, T8o+, 98o") > 0].min()
        > 0.9
    )
    assert push[parse_range("Q4o-Q2o, J6o-J2o, T5o-T2o, 94o-92o, 72, 62, 52, 42, 32, 43o, 54o, 64o") > 0].max() < 0.1
    assert call[parse_range("22+, A2+, K7o+, K4s+, Q9o+, Q8s+, J9s+, JTo") > 0].min() > 0.9
    assert call[parse_range("K2o, Q6o-Q2o, J8o-J2o, T7s-T2s, T8o, 87, 98o, 76, 65, 54") > 0].max() < 0.1


@pytest.mark.slow
def test_ten_big_blinds_exactly_as_published(true_table):
    found = solve_preflop(PreflopTree(10), true_table, target=1e-8)
    push, call = chances(found.at(), "all-in"), chances(found.at("all-in"), "call")
    assert found.at().frequencies[1] == pytest.approx(0.583, abs=0.0005)
    assert found.at("all-in").frequencies[1] == pytest.approx(0.374, abs=0.0005)
    assert found.value == pytest.approx(-0.045371, abs=1e-6)
    always = "22+, A2+, K2+, Q2s+, J3s+, T4s+, 95s+, 84s+, 74s+, 64s+, 53s+, Q7o+, J8o+, T8o+, 97o+, 87o, 76o"
    np.testing.assert_allclose(push[parse_range(f"43s, {always}") == 0], 0, atol=1e-3)
    np.testing.assert_allclose(push[parse_range(always) > 0], 1, atol=1e-3)
    assert 0.6 < push[parse_range("43s") > 0].mean() < 0.8
    always = "22+, A2+, K5o+, K2s+, Q9o+, Q7s+, JTo, J8s+, T9s"
    np.testing.assert_allclose(call[parse_range(f"Q6s, {always}") == 0], 0, atol=1e-3)
    np.testing.assert_allclose(call[parse_range(always) > 0], 1, atol=1e-3)
    assert 0.3 < call[parse_range("Q6s") > 0].mean() < 0.5


def test_the_smallest_stacks_push_everything(table):
    against_any = (MEET * table.equity).sum(axis=1) / HANDS
    worst, next_worst = np.sort(against_any)[:2]
    assert CLASSES[int(np.argmin(against_any))] == "32o"
    # against a big blind who calls with everything, a push of s loses (1 - 2 equity) s, and a fold 0.5
    even, next_even = 0.5 / (1 - 2 * worst), 0.5 / (1 - 2 * next_worst)
    assert 1.35 < even < next_even < 1.55
    for stack in (0.51, 0.8, 1.0, even - 0.01):
        found = solve_preflop(PreflopTree(stack), table, target=1e-8)
        assert found.at().frequencies[1] == pytest.approx(1, abs=1e-4)
        assert found.value == pytest.approx(0, abs=1e-6)
    found = solve_preflop(PreflopTree((even + next_even) / 2), table, target=1e-8)
    assert found.at().strategy[class_index("32o"), 1] < 0.01
    assert found.at().frequencies[1] == pytest.approx(1 - 12 / 1326, abs=1e-3)


def test_deeper_stacks_play_fewer_hands(table):
    found = [solve_preflop(PreflopTree(stack), table) for stack in (1.2, 2, 3, 5, 8, 12, 20, 40)]
    for path in ((), ("all-in",)):
        played = [each.at(*path).frequencies[1] for each in found if path == () or each.tree.stack > 2]
        assert all(np.diff(played) < 0)


def test_suited_hands_are_played_wherever_offsuit_ones_are(table):
    found = solve_preflop(PreflopTree(10), table)
    for decision in found.decisions:
        cells = decision.strategy[:, 1].reshape(13, 13)
        assert (np.triu(cells, 1) >= np.tril(cells, -1).T - 1e-3).all()


def test_antes_and_a_smaller_blind_change_the_price(table):
    plain = solve_preflop(PreflopTree(10), table).at().frequencies[1]
    assert solve_preflop(PreflopTree(10, ante=0.2), table).at().frequencies[1] > plain + 0.03
    assert solve_preflop(PreflopTree(10, small_blind=0.25), table).at().frequencies[1] < plain - 0.03


# A linear programme as oracle


def push_fold_value(tree, table):
    """What the small blind gets, by a linear programme in his pushes x and the big blind's best values v by class."""
    pot, blind = tree.ante + 1.0, tree.ante + tree.small_blind
    shown = tree.stack * MEET * margin(table)
    limits = np.block([[-pot * MEET.T, np.eye(169)], [-shown.T, np.eye(169)]])  # v_j <= x . gain of either answer
    cost = -np.concatenate([blind * HANDS, np.ones(169)])
    bounds = [(0, 1)] * 169 + [(None, None)] * 169
    answer = linprog(cost, limits, np.zeros(338), bounds=bounds, method="highs")
    assert answer.status == 0
    return -answer.fun - blind


@pytest.mark.parametrize(("stack", "ante"), [(2, 0), (5, 0), (10, 0), (10, 0.1), (20, 0)])
def test_push_or_fold_is_worth_what_a_linear_programme_says(table, stack, ante):
    tree = PreflopTree(stack, ante=ante)
    found = solve_preflop(tree, table)
    assert found.exploitability <= 1e-6
    assert found.value == pytest.approx(push_fold_value(tree, table), abs=1e-5)


RAISE_TREE = {  # written by hand: what the small blind wins, outright or as a stake that is shown down
    "fold": ("wins", -0.5),
    "limp": {"check": ("shows", 1), "all-in": {"fold": ("wins", -1), "call": ("shows", 8)}},
    "raise 2": {
        "fold": ("wins", 1),
        "call": ("shows", 2),
        "all-in": {"fold": ("wins", -2), "call": ("shows", 8)},
    },
    "all-in": {"fold": ("wins", 1), "call": ("shows", 8)},
}


def sequence_form_value(root, table):
    """The value of a tree by the sequence form's linear programme (Koller, Megiddo & von Stengel 1994).

    The first player's realisation plan x, 169 numbers a sequence, and the second one's best values, 169 a decision:
    maximise the second's value at the start, subject to each of his sequences being worth no less than that.
    """
    sequences = [[()], [()]]  # by player: (decision's path, action), the empty one first
    decisions = [[], []]  # by player: (path, the own sequence that leads there)
    leaves = []

    def visit(node, path, own):
        player = len(path) % 2
        decisions[player].append((path, own[player]))
        for action, child in node.items():
            mine = (path, action)
            sequences[player].append(mine)
            after = [mine if each == player else own[each] for each in (0, 1)]
            if isinstance(child, dict):
                visit(child, (*path, action), after)
            else:
                leaves.append((after, child))

    visit(root, (), [(), ()])
    gains = {}
    for (first, second), (kind, amount) in leaves:
        block = amount * (MEET if kind == "wins" else MEET * margin(table))
        gains[first, second] = gains.get((first, second), 0) + block
    one, none = csr_matrix(np.eye(169)), csr_matrix((169, 169))
    payoff = [[csr_matrix(gains[x, y].T) if (x, y) in gains else none for x in sequences[0]] for y in sequences[1]]
    known, values = len(sequences[0]), [((), None), *decisions[1]]

    def enters(sequence, value):  # the constraint of one of his sequences: the value there less those that follow
        path, before = value
        if before is None:
            return one if sequence == () else none
        return one if sequence and sequence[0] == path else -one if sequence == before else none

    worth = [[enters(sequence, value) for value in values] for sequence in sequences[1]]
    limits = bmat([[bmat([[-cell for cell in row] for row in payoff]), bmat(worth)]])
    plan = [[one if sequence == () else none for sequence in sequences[0]]]
    for path, before in decisions[0]:
        plan.append([
            one if sequence and sequence[0] == path else -one if sequence == before else none
            for sequence in sequences[0]
        ])  # fmt: skip
    equal = bmat([[bmat(plan), csr_matrix((169 * len(plan), 169 * len(values)))]])
    right = np.concatenate([np.ones(169), np.zeros(169 * (len(plan) - 1))])
    cost = np.zeros(169 * (known + len(values)))
    cost[169 * known : 169 * (known + 1)] = -1
    bounds = [(0, None)] * (169 * known) + [(None, None)] * (169 * len(values))
    answer = linprog(cost, limits, np.zeros(limits.shape[0]), equal, right, bounds, method="highs-ipm")
    assert answer.status == 0
    return -answer.fun


def test_a_raise_tree_is_worth_what_a_linear_programme_says(table):
    tree = PreflopTree(8, raises=(2,), limp=True)
    found = solve_preflop(tree, table, target=1e-5)
    assert found.exploitability <= 1e-5
    assert found.value == pytest.approx(sequence_form_value(RAISE_TREE, table), abs=1e-4)


def test_the_sequence_form_agrees_with_the_simple_programme(table):
    push_fold = {"fold": ("wins", -0.5), "all-in": {"fold": ("wins", 1), "call": ("shows", 10)}}
    assert sequence_form_value(push_fold, table) == pytest.approx(push_fold_value(PreflopTree(10), table), abs=1e-7)


# Brute force


def decided(betting):
    return np.flatnonzero(betting.player >= 0).tolist()


def by_decision(flat, betting, numbers):
    """A table (by_action) as arrays [actions, 169] by node."""
    arrays = {}
    for at in decided(betting):
        start, count = flat.nodes["start"][at], len(betting.children(at))
        arrays[at] = numbers[start : start + 169 * count].reshape(count, 169)
    return arrays


def class_values(tree, table, betting, chances, player):
    """What each class [169] of a player wins when both play given chances by node."""

    def walk(at, first, second):
        if betting.player[at] < 0:
            stake = tree.ante + betting.paid[at].min() / CHIPS
            folded = seat_at(betting, betting.parent[at]) if betting.kind[at] == FOLD else -1
            won = {0: -stake, 1: stake}.get(folded, stake * margin(table))
            return first[:, None] * second * MEET * won
        total = 0
        for action, child in enumerate(betting.children(at)):
            chance = chances[at][action]
            total = total + (
                walk(child, first * chance, second)
                if seat_at(betting, at) == 0
                else walk(child, first, second * chance)
            )
        return total

    joint = walk(0, np.ones(169), np.ones(169))
    return joint.sum(axis=1) if player == 0 else -joint.sum(axis=0)


def best_by_brute_force(tree, table, betting, chances, player):
    """The value of the best of all pure plans, chosen for each class by itself."""
    own = [at for at in chances if seat_at(betting, at) == player]
    best = np.full(169, -np.inf)
    for plan in product(*(range(len(chances[at])) for at in own)):
        pure = dict(chances)
        for at, action in zip(own, plan, strict=True):
            pure[at] = np.eye(len(chances[at]))[action][:, None] * np.ones(169)
        best = np.maximum(best, class_values(tree, table, betting, pure, player))
    return best.sum()


TREES = [
    PreflopTree(7),
    PreflopTree(0.7),
    PreflopTree(7, small_blind=0.25, ante=0.125, raises=(2.5,), limp=True),
    PreflopTree(9, raises=(2,), reraises=(3,)),
    PreflopTree(9, raises=(2,), limp=True, all_in=False),
]


@pytest.mark.parametrize("tree", TREES, ids=range(len(TREES)))
@pytest.mark.parametrize("seed", range(2))
def test_values_and_best_responses_match_brute_force(tree, seed):
    table, betting = invented_table(seed), grow(tree)
    flat = flatten_tree(tree, table, betting)
    random = np.random.default_rng(seed)
    numbers = random.gamma(0.5, size=flat.entries)
    for array in by_decision(flat, betting, numbers).values():
        array /= array.sum(axis=0)
    found = Evaluator(flat).evaluate(numbers)
    chances = by_decision(flat, betting, numbers)
    for player in (0, 1):
        assert found.value[player] == pytest.approx(
            class_values(tree, table, betting, chances, player).sum(), abs=1e-12
        )
        best = best_by_brute_force(tree, table, betting, chances, player)
        assert found.best_response[player] == pytest.approx(best, abs=1e-12)


def test_what_a_solution_says_of_itself_is_true(table):
    tree = PreflopTree(12, raises=(2, 3), limp=True)
    found = solve_preflop(tree, table, target=1e-4)
    betting = grow(tree)
    chances = {}
    for at in decided(betting):
        decision = found.at(*path_to(tree, betting, at))
        assert decision.actions == betting.actions(at)
        assert decision.names == names(tree, betting, at)
        np.testing.assert_allclose(decision.strategy.sum(axis=1), 1)
        chances[at] = decision.strategy.T
    value = class_values(tree, table, betting, chances, 0).sum()
    best = [best_by_brute_force(tree, table, betting, chances, player) for player in (0, 1)]
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.exploitability == pytest.approx(sum(best) / 2, abs=1e-12)
    assert found.exploitability <= 1e-4
    root, answer = found.at(), found.at("raise 3")
    assert root.probability == pytest.approx(1)
    assert answer.probability == pytest.approx(HANDS @ root.strategy[:, root.names.index("raise 3")])
    again = found.at("raise 3", "all-in")
    np.testing.assert_array_equal(again.reach, root.strategy[:, root.names.index("raise 3")])
    held = again.reach * HANDS
    np.testing.assert_allclose(again.frequencies, held @ again.strategy / held.sum())
    with pytest.raises(ValueError, match="nobody decides after check"):
        found.at("check")


# Invariants


@st.composite
def trees(draw):
    stack = draw(st.floats(0.6, 30))
    ante = draw(st.sampled_from([0, 0.05, 0.25]))
    blind = draw(st.sampled_from([0.25, 0.5, 1.0]))
    sizes = draw(st.sets(st.sampled_from([2, 2.5, 4]), max_size=2))
    assume(blind + ante < stack)
    raises = tuple(sorted(size for size in sizes if size < stack - ante))
    limp = draw(st.booleans()) and stack - ante > 1
    reraises = draw(st.sampled_from([(), (3,)])) if raises or limp else ()
    return PreflopTree(stack, blind, ante, raises, reraises, limp)


@settings(max_examples=25, deadline=None)
@given(trees(), st.integers(0, 3))
def test_any_tree_is_a_zero_sum_game_in_which_both_can_fold(tree, seed):
    found = solve_preflop(tree, invented_table(seed), iterations=60)
    assert sum(found.evaluation.value) == pytest.approx(0, abs=1e-12)
    assert found.exploitability >= -1e-12
    slack = 2 * found.exploitability + 1e-9
    assert found.value >= -(tree.small_blind + tree.ante) - slack
    assert found.value <= min(1, tree.most) + tree.ante + slack
    assert found.decisions[0].player == 0
    for decision in found.decisions:
        assert 0 <= decision.probability <= 1 + 1e-9
        np.testing.assert_allclose(decision.strategy.sum(axis=1), 1)


def test_what_the_small_blind_may_do_more_never_costs_him(table):
    values = [
        solve_preflop(tree, table, target=1e-5).value
        for tree in (
            PreflopTree(9),
            PreflopTree(9, raises=(3,)),
            PreflopTree(9, raises=(2, 3)),
            PreflopTree(9, raises=(2, 3), limp=True),
        )
    ]
    assert all(np.diff(values) > -2e-5)


def test_the_same_run_gives_the_same_numbers():
    one, two = (solve_preflop(PreflopTree(6), invented_table(), iterations=20) for _ in range(2))
    np.testing.assert_array_equal(one.at().strategy, two.at().strategy)
    assert one.evaluation == two.evaluation


def test_a_hand_that_always_wins_and_one_that_always_ties():
    half = np.full((169, 169), 0.5, np.float32)
    tied = PreflopTable(half, np.ones_like(half))
    found = solve_preflop(PreflopTree(10), tied)
    assert found.value == pytest.approx(0, abs=1e-6)  # a push never costs anything, so nobody folds first
    assert found.at().frequencies[1] == pytest.approx(1, abs=1e-3)
    strong = half.copy()
    strong[0], strong[:, 0] = 1, 0
    strong[0, 0] = 0.5
    found = solve_preflop(PreflopTree(200), PreflopTable(strong, np.zeros_like(strong)))
    assert found.at().strategy[0, 1] == pytest.approx(1, abs=1e-6)
    assert found.at("all-in").strategy[0, 1] == pytest.approx(1, abs=1e-6)


def test_progress_is_told_and_iterations_end_a_run():
    seen = []
    found = solve_preflop(PreflopTree(6), invented_table(), target=1e-12, iterations=50, progress=seen.append)
    assert found.iterations == 50
    assert [check.iterations for check in seen][-2:] == [46, 50]
    assert seen[-1].measured == found.evaluation


# The tree of bets


def paths(tree):
    betting = grow(tree)
    return ["/".join(path_to(tree, betting, at)) for at in decided(betting)]


def names(tree, betting, at):
    return tuple(action_name(tree, betting, child) for child in betting.children(at))


def test_the_bets_that_are_offered():
    assert paths(PreflopTree(10)) == ["", "all-in"]
    assert paths(PreflopTree(1)) == [""]  # the big blind is all-in already
    assert paths(PreflopTree(10, limp=True)) == ["", "limp", "all-in", "limp/all-in"]
    assert paths(PreflopTree(10, raises=(2,), reraises=(3,))) == [
        "", "raise 2", "all-in", "raise 2/raise 6", "raise 2/all-in", "raise 2/raise 6/all-in",
    ]  # fmt: skip
    assert paths(PreflopTree(10, raises=(2.5,), all_in=False)) == ["", "raise 2.5"]
    assert paths(PreflopTree(6, ante=0.5, raises=(2,), reraises=(2.75,))) == [  # 5.5 is all-in
        "", "raise 2", "all-in", "raise 2/all-in",
    ]  # fmt: skip
    tree = PreflopTree(10, limp=True, raises=(2,))
    betting = grow(tree)
    assert names(tree, betting, 0) == ("fold", "limp", "raise 2", "all-in")
    assert names(tree, betting, 2) == ("check", "all-in")
    assert names(tree, betting, 3) == ("fold", "call", "all-in")
    assert names(tree, betting, 4) == ("fold", "call")
    for at in range(len(betting)):
        children = list(betting.children(at))
        assert all(child > at for child in children)
        assert children == list(range(min(children, default=0), min(children, default=0) + len(children)))


def test_what_is_paid_at_the_end():
    tree = PreflopTree(10, ante=0.125, raises=(2.5,))
    flat = flatten_tree(tree, invented_table(), betting := grow(tree))
    paid = {
        "/".join(path_to(tree, betting, at)): flat.payoffs[flat.nodes["leaf"][at], :, 0].tolist()
        for at in range(len(betting))
        if betting.player[at] < 0
    }
    assert paid["fold"] == [-0.625] * 3
    assert paid["raise 2.5/fold"] == [1.125] * 3
    assert paid["raise 2.5/call"] == [2.625, -2.625, 0]
    assert paid["raise 2.5/all-in/fold"] == [-2.625] * 3
    assert paid["all-in/call"] == [10, -10, 0]
    assert (flat.payoffs.sum(axis=2) == 0).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stack": 0.5}, "more than the small blind"),
        ({"stack": -3}, "more than the small blind"),
        ({"stack": 5000}, "at most 1000"),
        ({"stack": float("nan")}, "finite"),
        ({"stack": float("inf")}, "finite"),
        ({"small_blind": 1.5}, "from 0 to 1 big blind"),
        ({"ante": -1}, "not negative"),
        ({"ante": 9.5}, "more than the small blind and the ante"),
        ({"raises": (3, 2)}, "from the smallest up"),
        ({"raises": (1.5,)}, "at least 2 big blinds"),
        ({"raises": (10,)}, "less than the all-in"),
        ({"reraises": (3,)}, "need a raise or a limp"),
        ({"raises": (2,), "reraises": (1.5,)}, "at least 2"),
        ({"stack": 1, "limp": True}, "more than a big blind"),
        ({"all_in": False}, "can only fold"),
    ],
)
def test_impossible_bets_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(PreflopTree(), **changes)


def test_impossible_runs_are_refused():
    with pytest.raises(ValueError, match="above 0"):
        solve_preflop(PreflopTree(), invented_table(), target=0)
    with pytest.raises(ValueError, match="above 0"):
        solve_preflop(PreflopTree(), invented_table(), iterations=0)
    for name in ("magic", "hs-dcfr", "external"):
        with pytest.raises(ValueError, match="flop are rm, rm"):
            solve_preflop(PreflopTree(), invented_table(), algorithm=name)
    wide = PreflopTree(1000, raises=(2, 3), reraises=(2, 2.5, 3, 4))
    with pytest.raises(ValueError, match="offer fewer"):
        solve_preflop(wide, invented_table())


# The command


@pytest.fixture
def own_table(monkeypatch):
    """An invented table instead of the shipped one."""
    monkeypatch.setattr(preflop, "preflop_table", invented_table)


@pytest.mark.usefixtures("own_table")
def test_the_command_prints_json(capsys):
    pushfold(stack=6, raises="2,2.5", reraises="3", limp=True, target=1e-3, as_json=True)
    found = json.loads(capsys.readouterr().out)
    expected = solve_preflop(PreflopTree(6, raises=(2, 2.5), reraises=(3,), limp=True), invented_table(), target=1e-3)
    assert (found["stack"], found["raises"], found["reraises"], found["limp"]) == (6, [2, 2.5], [3], True)
    assert found["value"] == expected.value
    assert found["exploitability_mbb"] == 1000 * expected.exploitability
    assert len(found["decisions"]) == len(expected.decisions)
    for row, decision in zip(found["decisions"], expected.decisions, strict=True):
        assert row["player"] == ("SB", "BB")[decision.player]
        assert tuple(row["after"]) == decision.path
        assert list(row["strategy"]) == list(CLASSES)
        np.testing.assert_array_equal(list(row["strategy"].values()), decision.strategy)
        for at, action in enumerate(decision.names):
            weights = parse_range(row["ranges"][action]) if row["ranges"][action] else np.zeros(1326)
            exact = expand_classes(decision.reach * decision.strategy[:, at].clip(0, 1))
            np.testing.assert_allclose(weights, exact, atol=0.00501)


@pytest.mark.usefixtures("own_table")
@pytest.mark.slow
def test_the_command_prints_writes_and_draws(capsys, tmp_path):
    pushfold(stack=6, plot=tmp_path / "chart.png", out=tmp_path / "strategy.csv")
    out = capsys.readouterr().out
    assert "Push or fold, 6 big blinds: the small blind wins" in out
    assert "not all-in" not in out
    assert out.count("combinations in the range") == 2
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "strategy.csv").read_text())))
    assert len(rows) == 2 * 2 * 169
    assert {row["after"] for row in rows} == {"", "all-in"}
    shares = {}
    for row in rows:
        key = row["player"], row["hand"]
        shares[key] = shares.get(key, 0) + float(row["frequency"])
    assert all(share == pytest.approx(1) for share in shares.values())
    pushfold(stack=6, raises="2", out=tmp_path / "strategy.json", iterations=3)
    out = capsys.readouterr().out
    assert "shared by all-in equity" in out
    assert "was not reached" in out
    assert "combinations" not in out
    assert json.loads((tmp_path / "strategy.json").read_text())["iterations"] == 3


@pytest.mark.usefixtures("own_table")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"raises": "big"}, "list of numbers"),
        ({"raises": "2,,3"}, "list of numbers"),
        ({"stack": 0.1}, "more than the small blind"),
        ({"out": "strategy.txt"}, r"\.json or \.csv"),
        ({"plot": "chart.txt"}, r"\.png"),
    ],
)
def test_the_command_refuses_bad_input(options, message, tmp_path):
    files = {name: tmp_path / value for name, value in options.items() if name in ("out", "plot")}
    with pytest.raises(ValueError, match=message):
        pushfold(**{**options, **files})
    assert list(tmp_path.iterdir()) == []
