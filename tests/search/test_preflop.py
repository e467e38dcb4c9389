"""Play before the flop of whole tables, solved: against slow references, the heads-up solver, and what is published."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from ludus.cards.card import parse_cards
from ludus.cards.ranges import CLASSES, class_index, class_of_combo, combo_index
from ludus.files import load_arrays, save_arrays
from ludus.games import holdem
from ludus.games.menu import BetRules, Menu, PlayerSizes
from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names
from ludus.games.sizes import Size, Sizes
from ludus.nets.holdem.classes import SIZES
from ludus.nets.holdem.shipped import shipped_values
from ludus.search.preflop import PreflopSolver
from ludus.search.preflop_solution import (
    DEPTHS,
    FORMAT,
    KIND,
    WHOLE,
    PreflopSolution,
    SolvedOpening,
    shipped_solution,
    solve_table,
)
from ludus.solvers.schedules import dcfr
from ludus.solvers.spot.kernels.compact import normalised, rows_of
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solver import SpotSolver
from ludus.teach.preflop_charts import PreflopExplorer
from ludus.teach.situation import parse_situation
from ludus.trees.preflop import PreflopModel
from ludus.trees.spot import Spot
from ludus.trees.subgame import Subgame

CHANCES = SIZES / SIZES.sum()


@pytest.fixture(scope="module")
def network():
    return shipped_values()["preflop-end"]


def slow_values(solver, seat, strategy, best=False):
    """What a seat's hands win, node by node, from the definition: others' hands are independent given one's own."""
    tree, meet, margin = solver.betting, solver.leaves.meet, solver.leaves.margin

    def visit(node, reach):
        others = [each for each in range(tree.model.players) if each != seat]
        often = np.prod([meet @ reach[each] for each in others], axis=0)
        pot, lost = tree.paid[node].sum(), tree.paid[node, seat]
        left = [each for each in others if tree.live[node, each]]
        if not tree.live[node, seat]:
            return -lost * often
        if tree.player[node] < 0:
            if not left:
                return (pot - lost) * often
            if len(left) >= 2:
                return often * (pot * solver._leaf[node, seat] - lost)
            met = meet @ reach[left[0]]
            added = (SIZES @ reach[left[0]] / 1225) * solver._leaf[node, seat]
            share = np.maximum((met + margin @ reach[left[0]]) / 2 + added, 0) / met
            return often * (pot * share - lost)
        found, who = [], tree.player[node]
        for child in tree.children(node):
            after = [own * strategy[child] if each == who else own for each, own in enumerate(reach)]
            found.append(visit(child, after) * (strategy[child] if who == seat and not best else 1))
        return np.max(found, axis=0) if best and who == seat else np.sum(found, axis=0)

    return visit(0, [np.ones(169) for _ in range(tree.model.players)])


@pytest.mark.parametrize("players", [2, 3])
def test_a_pass_is_what_its_definition_says(network, players):
    solver = PreflopSolver(PreflopModel(players, 30), network)
    solver.run(3)
    average = solver.average()
    gain = solver.measure()  # of strategies that do not err, leaves valued by ranges that do
    for seat in range(players):
        won, most = (CHANCES @ slow_values(solver, seat, average, best) / 100 for best in (False, True))
        assert gain.values[seat] == pytest.approx(won, abs=1e-4)
        assert gain.gains[seat] == pytest.approx(most - won, abs=1e-4)
        assert most > won


def test_regrets_and_averages_are_those_of_discounted_cfr(network):
    solver = PreflopSolver(PreflopModel(2, 20), network)
    solver.run(1)
    tree, opener = solver.betting, 1
    children = tree.children(0)
    even = np.full((len(children), 169), 1 / len(children))
    fresh = PreflopSolver(PreflopModel(2, 20), network)
    fresh.run(0)
    fresh._refresh(fresh._reach(fresh.average()))
    fresh._pass(0, fresh._strategy, fresh._now, False)  # the big blind, seat 0, learns first
    discount = dcfr(1)
    solver_first = PreflopSolver(PreflopModel(2, 20), network)
    solver_first._leaf[:] = fresh._leaf
    solver_first.iterations = 1
    solver_first._iterate()
    np.testing.assert_allclose(solver._regret, solver_first._regret, atol=1e-4)
    np.testing.assert_allclose(solver._sums[children], even * discount.average, atol=1e-6)
    for node in np.flatnonzero(tree.player == 0):
        below = tree.children(node)
        regret = fresh._values[below] - fresh._values[node]
        expected = np.where(regret > 0, regret * discount.positive, regret * discount.negative)
        np.testing.assert_allclose(solver._regret[below], expected, rtol=1e-4, atol=1e-3)
    assert tree.player[0] == opener


def spot_strategies(network, iterations):
    """The heads-up solver's average strategy with 20 big blinds, by the node that an action leads to."""
    raise_to = [Sizes((Size("c", Fraction(more)),)) for more in (250, 200)]  # over a limp to 3.5, first in to 3
    menu = Menu(((PlayerSizes((raise_to[0], ALL_IN)), PlayerSizes((raise_to[1], ALL_IN))),), "drop")
    rules = BetRules(min_bet=100, limp=True)
    game = Subgame((), 0, (1900, 1950), menu, rules, bets=(100, 50), depth=1)
    layout = Layout.of(Spot(game, np.ones((2, 1326))))
    solver = SpotSolver(layout, leaf_values=network)
    solver.run(iterations)
    tree, average, found = layout.tree, solver.average(), {}
    for who in (0, 1):
        hands = layout.boards[0].hands[who]
        for node, first in zip(solver.plans[0][who].node.tolist(), solver.plans[0][who].row.tolist(), strict=True):
            if tree.kind[node] != who:
                continue
            count = len(tree.children(node))
            rows = normalised(rows_of(average[0][who], layout.rows[0][who], hands.start, 0, first, count))
            for child, row in zip(tree.children(node), rows, strict=True):
                found[child] = np.bincount(class_of_combo[hands.combo], row, 169) / SIZES
    return tree, found


ALL_IN = Sizes((Size("a"),))


def test_heads_up_it_is_the_look_ahead_of_the_resolver(network):
    tree, known = spot_strategies(network, 150)
    solver = PreflopSolver(PreflopModel(2, 20), network)
    assert solver.betting.parent.tolist() == tree.parent.tolist()
    assert solver.betting.paid.tolist()[1:] == [[*each] for each in tree.paid.tolist()][1:]
    solver.run(600)
    average = solver.average()
    for child, row in known.items():
        if len(tree.line(child).split("-")) <= 2:
            assert CHANCES @ average[child] == pytest.approx(CHANCES @ row, abs=0.04), tree.line(child)
    gain = solver.measure()
    assert gain.mean < 0.002
    assert sum(gain.values) == pytest.approx(0, abs=1e-4)  # leaves are valued by ranges that err now and then
    assert gain.values[1] > 0  # position is worth more than the blinds' difference


@pytest.fixture(scope="module")
def small(network):
    return solve_table(PreflopModel(3, 40), network, 30)


def test_strategies_are_probabilities_and_aces_stay(small):
    tree = small.betting
    for node in tree.decisions.tolist():
        chances = small.chances(node)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        assert (chances >= 0).all()
    first = small.chances(0)
    assert first[class_index("AA"), 0] < 0.02  # folds
    assert first[class_index("72o"), 0] > 0.8


def test_the_same_solve_gives_the_same_bytes(small, network, tmp_path):
    small.save(tmp_path / "one")
    solve_table(PreflopModel(3, 40), network, 30).save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    back = PreflopSolution.load(tmp_path / "one")
    assert (back.model, back.gain, back.iterations) == (small.model, small.gain, 30)
    assert back.describe() == small.describe()
    np.testing.assert_array_equal(back.strategy, small.strategy)


def test_what_actions_are_worth():
    """Folding nothing; aces a lot; play is about worth its best action; a shove of all chips is in no such model."""
    found, game = shipped_solution(6, 100), holdem(6, stack=200, blinds=(1, 2))
    public = game.start().deal(game.deck).seen_by(-1)
    aces, trash = (int(class_of_combo[combo_index(*parse_cards(hand))]) for hand in ("AsAh", "7s2h"))
    values = found.values(public, aces)
    assert set(values) == {FOLD, 5}
    assert values[FOLD] == 0
    assert 8 < values[5] < 30  # chips, two to a big blind
    assert found.values(public, trash)[5] < 0
    called = public.apply(5)
    facing = found.range_strategy(called)
    assert all(found.values(called, hand)[FOLD] == 0 for hand in range(169))
    best = np.array([max(found.values(called, hand).values()) for hand in range(169)])
    worth = np.array([[found.values(called, hand)[action] for action in facing.actions] for hand in range(169)])
    first = [int(np.flatnonzero(class_of_combo == hand)[0]) for hand in range(169)]
    assert (best - (worth * facing.chances[first]).sum(axis=1)).max() < 0.05 * 2
    assert not found.has(public.apply(200))


def test_damaged_files_are_refused(small, tmp_path):
    small.save(tmp_path / "good")
    header, arrays = load_arrays(tmp_path / "good", KIND, FORMAT)
    nothing = arrays["strategy"].copy()
    nothing[1:] = 0
    for changed, other, message in (
        ({}, arrays | {"strategy": arrays["strategy"][1:]}, "instead of uint16"),
        ({}, arrays | {"strategy": arrays["strategy"].astype(np.uint8)}, "instead of uint16"),
        ({}, arrays | {"strategy": nothing}, "has hands that do nothing"),
        ({}, arrays | {"worth": arrays["worth"] * np.float16(np.nan)}, "no numbers"),
        ({"model": {"players": 3, "stack": -1}}, arrays, "2 to 1000 big blinds"),
        ({"model": {"seats": 3}}, arrays, "unexpected keyword"),
        ({"gain": header["gain"] | {"gains": [0.1]}}, arrays, "gains of other seats"),
    ):
        save_arrays(tmp_path / "bad", header | changed, other)
        with pytest.raises(ValueError, match=message):
            PreflopSolution.load(tmp_path / "bad")
    save_arrays(tmp_path / "bad", header | {"kind": "blueprint"}, arrays)
    with pytest.raises(ValueError, match="holds blueprint"):
        PreflopSolution.load(tmp_path / "bad")
    with pytest.raises(ValueError, match="at least one iteration"):
        solve_table(PreflopModel(2, 10), shipped_values()["preflop-end"], 0)


def public(solution, *actions):
    state = solution.model.game.start()
    state = state.deal(state.game.deck).seen_by(-1)
    for action in actions:
        state = state.apply(action)
    return state


def test_it_answers_states_and_refuses_what_it_leaves_out(small):
    found = small.range_strategy(public(small, 250, FOLD))
    assert found.actions == (FOLD, CALL, 1000, 4000)
    np.testing.assert_allclose(found.chances.sum(axis=1), 1)
    near = small.range_strategy(public(small, 300, FOLD))  # taken for 2.5 big blinds
    np.testing.assert_array_equal(near.chances, found.chances)
    large = small.range_strategy(public(small, 390, FOLD))  # all sizes are legal ones
    assert set(large.actions) <= set(public(small, 390, FOLD).legal_actions())
    for left_out in ((CALL,), (900, FOLD)):
        with pytest.raises(ValueError, match="leaves that betting out"):
            small.range_strategy(public(small, *left_out))
    with pytest.raises(ValueError, match="solved for 3 players with 40 big blinds"):
        small.check(PreflopModel(3, 60).game)


# What is shipped


@pytest.fixture(scope="module")
def six():
    found = shipped_solution(6, 100)
    assert found is not None
    return found


def first_in(solution, place):
    """The chances of a seat before which all have folded, by action."""
    tree, seat, node = solution.betting, place_names(solution.model.game).index(place), 0
    while tree.player[node] != seat:
        node = tree.children(node)[0]
    return node, dict(zip(tree.action[tree.children(node)].tolist(), solution.chances(node).T, strict=True))


def test_the_shipped_charts_look_like_published_ones(six):
    bounds = {"UTG": (15, 20), "HJ": (18, 25), "CO": (25, 32), "BTN": (40, 52)}
    best = [class_index(hand) for hand in ("AA", "KK", "QQ", "AKs", "AKo")]
    for place, (low, high) in bounds.items():
        _, actions = first_in(six, place)
        assert low <= 100 * CHANCES @ actions[250] <= high, place
        assert actions[250][best].min() > 0.98, place
        assert actions[FOLD][class_index("72o")] > 0.99
    node, _ = first_in(six, "BTN")
    raised = six.betting.children(node)[-1]
    small_folds = six.betting.children(raised)[0]
    assert 0.45 <= 1 - CHANCES @ six.chances(small_folds)[:, 0] <= 0.65  # the big blind goes on
    assert shipped_solution(6, 33) is None


@pytest.mark.parametrize("stack", DEPTHS)
def test_the_shipped_charts_are_measured(stack):
    gain = shipped_solution(6, stack).gain
    assert gain.pot == 1.5
    assert max(gain.gains) / gain.pot < 0.001  # of each seat
    assert sum(gain.values) == pytest.approx(0, abs=0.06)  # blockers among three and more are approximate


@pytest.mark.parametrize("stack", DEPTHS)
def test_charts_of_all_depths_are_in_order(stack):
    """The later the seat the more it raises; the best hands always do; who has completed does not give up."""
    found, shares = shipped_solution(6, stack), []
    best = [class_index(hand) for hand in ("AA", "KK", "QQ", "AKs", "AKo")]
    for place in ("UTG", "HJ", "CO", "BTN"):
        _, actions = first_in(found, place)
        raises = sum(chances for action, chances in actions.items() if action > CALL)
        shares.append(CHANCES @ raises)
        assert raises[best].min() > 0.98, place
        assert CALL not in actions
    assert 0.14 < shares[0] < shares[1] < shares[2] < shares[3] < 0.55
    node, _ = first_in(found, "SB")
    completed = found.betting.children(node)[1]
    raised = found.betting.children(completed)[-1]
    reach = CHANCES * found.chances(node)[:, 1]
    assert found.betting.player[raised] == 0
    assert reach @ found.chances(raised)[:, 0] / reach.sum() < 0.6


def test_every_pair_of_positions_has_its_charts(six):
    """Against a raise, a 3-bet and a 4-bet; aces go on, the worst hands do not."""
    explorer = PreflopExplorer(six, six.model.game)
    order, aces, trash = ("UTG", "HJ", "CO", "BTN", "SB", "BB"), class_index("AA"), class_index("72o")
    for at, opener in enumerate(order[:-1]):
        for other in order[at + 1 :]:
            told, asked = [(explorer.seat(opener), "raise")], other
            for _ in range(3):
                chart = next(each for each in explorer.answers(told) if each.position == asked)
                np.testing.assert_allclose(chart.frequencies.sum(axis=1), 1)
                assert chart.frequencies[aces, chart.actions.index(FOLD)] < 0.01, chart.title
                assert chart.frequencies[trash, chart.actions.index(FOLD)] > 0.9 or "SB" in chart.title, chart.title
                told.append((explorer.seat(asked), "raise"))
                asked = opener if asked == other else other


# Tables that are taken for those that were solved


def opening(text):
    """The solution that stands for a situation, what that stack is, and how its hand plays."""
    state = parse_situation(text)
    found = SolvedOpening(None).solution(state.seen_by(-1))
    if found is None:
        return None
    played = found.range_strategy(state.seen_by(-1))
    row = played.chances[combo_index(*state.hole(state.player))].tolist()
    return found.model.stack, dict(zip(played.actions, row, strict=True))


def test_fewer_seats_are_those_behind_ones_that_fold():
    for hand in ("KhTh", "7h6h", "Ah5d", "9c8c"):
        six = opening(f"6 players, 100bb; hero CO {hand}; f, f")
        assert opening(f"4 players, 100bb; hero CO {hand}") == six
        assert opening(f"9 players, 100bb; hero CO {hand}; f, f, f, f, f") == six
        answers = [opening(f"{seats} players, 100bb; hero BB {hand}; {folds}BTN r2.5bb, f") for seats, folds in (
            (3, ""), (5, "f, f, "), (6, "f, f, f, ")
        )]  # fmt: skip
        assert answers[0] == answers[1] == answers[2] is not None
    assert opening("9 players, 100bb; hero UTG AhAs") is None  # nobody has folded before it
    assert opening("9 players, 100bb; hero CO AhAs; r2.5bb, f, f, f, f") is None
    assert opening("heads-up, 100bb; hero BTN AhAs") is None


def test_the_stack_that_can_be_lost_chooses_the_solution():
    first = "; hero CO AhKd; f, f"
    assert opening(f"6 players, 100bb, SB 21bb, UTG 500bb{first}")[0] == 100
    assert opening(f"6 players, 100bb, CO 21bb{first}")[0] == 20
    assert opening(f"6 players, 19bb, CO 400bb{first}")[0] == 20
    assert opening(f"6 players, 10bb{first}") is None
    facing = "; hero BTN AhKd; f, f, CO r2.5bb"
    assert opening(f"6 players, 100bb, CO 22bb{facing}")[0] == 20
    assert opening(f"6 players, 100bb, UTG 22bb{facing}")[0] == 100
    callers = "; hero BB AhKd; f, f, CO r2.5bb, c, f"
    assert opening(f"6 players, 100bb{callers}")[0] == 100
    assert opening(f"6 players, 100bb, CO 22bb{callers}") is None  # it is not one depth
    for blinds, known in (("2/5", True), ("5/10", True), ("1/10", False)):
        assert (opening(f"6 players, blinds {blinds}, 100bb{first}") is not None) == known
    assert opening(f"6 players, 100bb, ante 10{first}") is None
    for stack in range(15, 280, 5):
        assert opening(f"6 players, {stack}bb{first}") is not None, stack


def test_all_in_is_all_in_whatever_the_stack():
    told = "; hero CO AhAs; f, f, r2.5bb, f, SB r10bb, f, r22bb, SB a"
    with pytest.raises(ValueError, match="nothing"):
        opening(f"6 players, 100bb{told}, c")
    jam = opening("6 players, 120bb; hero SB AhAs; f, f, f, r2.5bb, r10bb, f, BTN r22bb")
    assert jam[0] == 100
    assert max(jam[1]) == 12_000
    assert max(opening("6 players, 85bb; hero SB AhAs; f, f, f, r2.5bb, r10bb, f, BTN r22bb")[1]) == 8_500


def test_aces_never_fold_where_they_get(six):
    """Wherever aces get by their own choice, and the others by theirs, at least now and then."""
    tree, own, often = six.betting, np.ones(len(six.betting)), np.ones(len(six.betting))
    for node in range(1, len(tree)):
        parent = tree.parent[node]
        before = tree.latest[parent, tree.player[parent]]
        own[node] = own[before] * six.strategy[node, 0] / WHOLE
        often[node] = often[parent] * (CHANCES @ six.strategy[node] / WHOLE)
    asked = 0
    for node in tree.decisions.tolist():
        fold = tree.children(node)[0]
        if tree.action[fold] == FOLD and own[tree.latest[node, tree.player[node]]] > 0.05 and often[node] > 1e-6:
            assert six.strategy[fold, 0] / WHOLE < 0.02, node
            asked += 1
    assert asked > 100


@pytest.mark.parametrize("stack", DEPTHS)
def test_no_hand_raises_while_a_better_one_folds(stack):
    """A better kicker, a higher pair and suits are no worse, except where raising and folding are worth the same, and
    for an ace with a five, which makes straights."""
    solution, five, ace = shipped_solution(6, stack), 9, 0
    for place in ("UTG", "HJ", "CO", "BTN"):
        node, actions = first_in(solution, place)
        raises, worth = actions[250], solution.worth[solution.betting.children(node)[-1]]
        grid = np.arange(169).reshape(13, 13)
        pairs = [(grid[at, at], grid[at + 1, at + 1]) for at in range(12)]
        for high in range(13):
            for low in range(high + 1, 13):
                pairs.append((grid[high, low], grid[low, high]))
                if low < 12 and (high, low + 1) != (ace, five):
                    pairs += [(grid[high, low], grid[high, low + 1]), (grid[low, high], grid[low + 1, high])]
        for better, worse in pairs:
            told = place, CLASSES[better], raises[better], worth[better], CLASSES[worse], raises[worse]
            assert raises[better] >= raises[worse] - 0.02 or abs(worth[better]) < 0.02, told


def test_solving_from_the_command_line(ludus, tmp_path):
    file = tmp_path / "three"
    words = ("train", "preflop", "--seats", "3", "--stack", "40", "--iterations", "20", "--out", file)
    code, out, err = ludus(*words)
    assert (code, err) == (0, "")
    assert out.startswith("solved for 3 players with 40 big blinds, 20 iterations; best responses in this model gain ")
    code, out, _ = ludus(*words, "--json")
    data = json.loads(out)
    assert set(data["gains_bb"]) == {"SB", "BB", "BTN"}
    assert data["model"]["stack"] == 40
    code, out, _ = ludus("charts", "--solution", file)
    assert code == 0
    assert "BTN: first in" in out
    code, out, _ = ludus("charts", "--solution", file, "--facing", "BTN, BB", "--json")
    data = json.loads(out)
    assert data["training"]["gain_of_pot"] > 0
    assert [chart["position"] for chart in data["charts"]] == ["BTN"]
    for words, message in (
        (("charts", "--solution", file, "--players", "6"), "is for 3 players with 40 big blinds"),
        (("charts", "--solution", file, "--blueprint", "six-player"), "give one of them"),
        (("charts", "--solution", file, "--facing", "BTN call"), "leaves that betting out"),
        (("train", "preflop", "--stack", "20.001"), "in hundredths of one"),
    ):
        code, out, err = ludus(*words)
        assert (code, out) == (2, "")
        assert message in err
    code, _, err = ludus("charts", "--solution", tmp_path / "none")
    assert code != 0
    assert "there is no file" in err


def test_charts_of_six_come_from_the_shipped_solution(ludus):
    code, out, err = ludus("charts")
    assert (code, err) == (0, "")
    assert out.startswith("solved for 6 players with 100 big blinds, ")
    assert "BB        BTN raises to 2.5 bb" in out
    code, out, _ = ludus("charts", "--players", "6", "--position", "CO", "--facing", "CO, BTN", "--json")
    (chart,) = json.loads(out)["charts"]
    assert chart["after"] == ["CO raises to 2.5 bb", "BTN raises to 7.5 bb"]
    assert chart["strategy"]["AA"][chart["actions"].index("fold")] < 0.01


def test_charts_of_other_tables_say_what_they_are_taken_for(ludus):
    code, out, err = ludus("charts", "--players", "5", "--stack", "80")
    assert (code, err) == (0, "")
    assert out.startswith("solved for 6 players with 70 big blinds, ")
    assert "this table is taken for that one, seats counted from the button" in out
    five, six = (json.loads(ludus("charts", "--players", seats, "--json")[1])["charts"] for seats in ("5", "6"))
    first = {chart["position"]: chart["frequencies"] for chart in six if not chart["after"]}
    for chart in five:
        if not chart["after"]:
            assert chart["frequencies"] == first["HJ" if chart["position"] == "UTG" else chart["position"]]
    for table in (("--players", "6", "--stack", "12"), ("--players", "9")):
        code, out, _ = ludus("charts", *table, "--position", "BB")
        assert code == 0
        assert not out.startswith("solved")
