"""Exact solvers: known values, equality of both forms, kernels against plain recursion, the recurrences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games import CHANCE, TERMINAL, doubled_scissors, kuhn, leduc, leduc_nl, make
from ludus.solvers import solve
from ludus.solvers.best_response import Evaluator
from ludus.solvers.cfr import ExactSolver, with_averaging
from ludus.solvers.fictitious import FictitiousPlay
from ludus.solvers.passes import by_action, by_situation, plan, reach_pass, uniform_strategy
from ludus.solvers.schedules import ALGORITHMS, TRACE, dcfr, discounted, restarted_dcfr, scheduled_dcfr
from ludus.trees.flat import flatten
from reference_cfr import as_table, expected_value, from_table, immediate_regrets, random_profile
from small_games import GAMES, tiny_holdem
from subgames import regrets_of

KNOWN = [
    (kuhn(), -1 / 18, 1, 2000),
    (leduc(), -0.0856064240780, 1, 3000),
    (leduc(show_suits=True), -0.0856064240780, 1, 2000),
    (leduc_nl(), -6.556422, 100, 4000),
    pytest.param(leduc_nl("all"), -6.916477, 100, 1500, marks=pytest.mark.slow),
    (leduc_nl("0.5,pot,allin"), -7.113485, 100, 2000),
    (leduc_nl("1,2,allin"), -6.374084, 100, 2000),
]


@pytest.mark.parametrize(("game", "value", "unit", "iterations"), KNOWN, ids=lambda v: getattr(v, "name", str(v)))
def test_game_values(game, value, unit, iterations):
    solver = ExactSolver(flatten(game), ALGORITHMS["dcfr"])
    solver.run(iterations)
    found = Evaluator(solver.flat).evaluate(solver.average())
    assert found.exploitability < 2e-3 * unit
    assert found.value[0] == pytest.approx(value, abs=1e-4 * unit)
    assert found.value[0] == pytest.approx(-found.value[1], abs=1e-9 * unit)
    assert -found.best_response[1] <= value + 1e-6 * unit  # the value lies between what both can guarantee
    assert found.best_response[0] >= value - 1e-6 * unit


@pytest.mark.parametrize(
    ("game", "exploitability"),
    [(leduc_nl(), 222.7315), (leduc_nl("all"), 393.0507), (make("rps"), 0.0), (kuhn(), 11 / 24)],
    ids=lambda v: getattr(v, "name", str(v)),
)
def test_exploitability_of_the_uniform_strategy(game, exploitability):
    evaluator = Evaluator(flatten(game))
    assert evaluator.evaluate(uniform_strategy(evaluator.plan)).exploitability == pytest.approx(
        exploitability, abs=5e-5
    )


SMALL = {
    "kuhn": kuhn(), "kuhn3": kuhn(players=3), "leduc": leduc(), "rps-doubled": doubled_scissors(),
    "prisoners-dilemma": make("prisoners-dilemma"),
}  # fmt: skip


@pytest.mark.parametrize("public", [None, False])
@pytest.mark.parametrize("name", SMALL)
def test_the_passes_match_plain_recursion(name, public):
    game = SMALL[name]
    flat = flatten(game, public)
    profile = random_profile(flat, seed=3)
    expected, _ = immediate_regrets(game, profile)
    found = from_table(flat, regrets_of(flat, as_table(flat, profile)))
    for key, value in expected.items():
        np.testing.assert_allclose(found[key], value, atol=1e-12)
    value = Evaluator(flat).evaluate(as_table(flat, profile)).value
    np.testing.assert_allclose(value, expected_value(game, profile), atol=1e-12)


@settings(max_examples=12)
@given(seed=st.integers(0, 10**6))
def test_a_best_response_is_the_best_of_all_pure_strategies(seed):
    flat = flatten(kuhn(), public=bool(seed % 2))
    profile = random_profile(flat, seed)
    found = Evaluator(flat).evaluate(as_table(flat, profile))
    for player in range(2):
        own = [key for key in profile if key[0] == player]
        values = []
        for choice in product((0, 1), repeat=len(own)):
            pure = dict(zip(own, (np.eye(2)[action] for action in choice), strict=True))
            values.append(expected_value(kuhn(), profile | pure)[player])
        assert found.best_response[player] == pytest.approx(max(values), abs=1e-12)


@pytest.mark.parametrize("name", [*GAMES, "tiny hold'em"])
def test_both_forms_see_the_same_regrets_and_values(name):
    game = tiny_holdem(7, max_raises=(1, 0, 0)) if name == "tiny hold'em" else GAMES[name]
    forms = flatten(game, True), flatten(game, False)
    for seed in range(3):
        profile = random_profile(forms[0], seed)
        tables = [as_table(flat, profile) for flat in forms]
        regrets = [regrets_of(flat, table)[flat.sets.by_action] for flat, table in zip(forms, tables, strict=True)]
        np.testing.assert_allclose(*regrets, atol=1e-9)
        one, two = (Evaluator(flat).evaluate(table) for flat, table in zip(forms, tables, strict=True))
        np.testing.assert_allclose(one.value, two.value, atol=1e-9)
        np.testing.assert_allclose(one.best_response, two.best_response, atol=1e-9)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_both_forms_solve_alike(algorithm):
    """For 20 iterations; later, rounding decides between actions that are worth the same, and the ways part."""
    averages = []
    for public in (True, False):
        flat = flatten(leduc(), public)
        solver = ExactSolver(flat, ALGORITHMS[algorithm], planned=20)
        solver.run(20)
        averages.append(solver.average()[flat.sets.by_action])
    np.testing.assert_allclose(*averages, atol=1e-9)


def test_both_forms_reach_the_same_value_where_ties_abound():
    for public in (True, False):
        flat = flatten(leduc_nl(), public)
        solver = ExactSolver(flat, ALGORITHMS["dcfr"])
        solver.run(1500)
        found = Evaluator(flat).evaluate(solver.average())
        assert found.exploitability < 0.03
        assert found.value[0] == pytest.approx(-6.556422, abs=0.01)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_solves_leduc(algorithm):
    solver = ExactSolver(flatten(leduc()), ALGORITHMS[algorithm], planned=2000)
    solver.run(2000)
    bound = {"rm": 0.06, "rm+": 0.03, "cfr": 0.02, "lcfr": 0.01, "lcfr-3": 0.06, "lcfr+": 0.01}.get(algorithm, 2e-3)
    assert Evaluator(solver.flat).evaluate(solver.average()).nash_conv < bound


def recurrence(name: str, iterations: int) -> np.ndarray:
    """Both players of doubled rock-paper-scissors by the papers' own formulas, in plain NumPy; the average strategies.

    Weights and discounts are written with the index of the iteration that is added, not of the one before.
    """
    payoff = np.array(doubled_scissors().row_payoffs)
    regret, last, average = (np.zeros((2, 3)) for _ in range(3))
    for t in range(1, iterations + 1):
        strategies = []
        for player in range(2):
            strategies.append(match(regret[player] + (last[player] if name.startswith("p") else 0)))
        for player in range(2):
            value = payoff @ strategies[1] if player == 0 else -payoff.T @ strategies[0]
            now = value - strategies[player] @ value
            old = regret[player]
            linear = dict.fromkeys(("lcfr", "lcfr-3", "lcfr+"), (1, 1))
            discounts = linear | {"dcfr": (1.5, 0), "dcfr+": (1.5, 0), "pdcfr+": (2.3, 0)}
            if name in discounts:
                alpha, beta = discounts[name]
                up, down = (((t - 1) ** p / ((t - 1) ** p + 1)) if t > 1 else 0 for p in (alpha, beta))
                old = np.where(old > 0, old * up, old * down)
            regret[player] = old + now
            if name in ("rm+", "cfr+", "lcfr+", "pcfr+", "dcfr+", "pdcfr+"):
                regret[player] = np.maximum(regret[player], 0)
            last[player] = now
            if name == "pdcfr+":  # the prediction is made from the discounted regrets
                last[player] = now + regret[player] * (t**2.3 / (t**2.3 + 1) - 1)
            powers = {"cfr+": 1, "lcfr": 1, "lcfr-3": 3, "lcfr+": 1, "dcfr": 2, "pcfr+": 2, "dcfr+": 4, "pdcfr+": 5}
            power = powers.get(name, 0)
            average[player] += t**power * strategies[player]
    return average / average.sum(axis=1, keepdims=True)


def match(regret: np.ndarray) -> np.ndarray:
    """Regret matching."""
    positive = np.maximum(regret, 0)
    return positive / positive.sum() if positive.any() else np.full(len(regret), 1 / len(regret))


@pytest.mark.parametrize(
    "name", ["rm", "rm+", "cfr", "cfr+", "lcfr", "lcfr-3", "lcfr+", "dcfr", "pcfr+", "dcfr+", "pdcfr+"]
)
@pytest.mark.parametrize("iterations", [1, 2, 3, 10, 40])
def test_the_recurrences_are_the_papers(name, iterations):
    flat = flatten(doubled_scissors())
    algorithm = ALGORITHMS[name]
    solver = ExactSolver(flat, type(algorithm)(**{**vars(algorithm), "alternating": False}))
    solver.run(iterations)
    np.testing.assert_allclose(
        solver.average()[flat.sets.by_action].reshape(2, 3), recurrence(name, iterations), atol=1e-9
    )


def test_restarts_drop_what_came_before_powers_of_four():
    anew = [t for t in range(1, 300) if restarted_dcfr(t).average == TRACE]
    assert anew == [1, 4, 16, 64, 256]
    assert restarted_dcfr(20) == pytest.approx(dcfr(20)._replace(average=(4 / 5) ** 3))
    assert restarted_dcfr(300) == pytest.approx(dcfr(300)._replace(average=(44 / 45) ** 3))


def test_scheduled_parameters_move_as_stated():
    assert scheduled_dcfr(50, 100) == pytest.approx(dcfr(50, 2.5, -2, 27.5))
    assert scheduled_dcfr(100, 100, top=15) == pytest.approx(dcfr(100, 4, -3, 10))
    assert dcfr(4, 1.5, 0, 2) == pytest.approx((8 / 9, 0.5, 16 / 25))
    with pytest.raises(ValueError, match="beforehand"):
        ExactSolver(flatten(kuhn()), ALGORITHMS["hs-dcfr"])
    with pytest.raises(ValueError, match="alpha must be a number between"):
        discounted(alpha=float("nan"))


def test_alternating_updates_answer_the_new_strategy():
    """In matching pennies from a skewed start: the second player sees the first one's new strategy at once."""
    flat = flatten(doubled_scissors())
    both = {}
    for name, alternating in (("alternating", True), ("simultaneous", False)):
        algorithm = ALGORITHMS["cfr"]
        solver = ExactSolver(flat, type(algorithm)(**{**vars(algorithm), "alternating": alternating}))
        solver.run(1)
        both[name] = solver.regrets.copy()
    first = flat.groups["start"][flat.groups["player"] == 0][0]
    second = flat.groups["start"][flat.groups["player"] == 1][0]
    payoff = np.array(doubled_scissors().row_payoffs)
    regret = payoff @ np.full(3, 1 / 3) - 0  # the uniform strategy wins nothing against itself
    np.testing.assert_allclose(both["alternating"][first : first + 3], regret, atol=1e-15)
    for name, against in (("simultaneous", np.full(3, 1 / 3)), ("alternating", match(regret))):
        value = -payoff.T @ against
        np.testing.assert_allclose(both[name][second : second + 3], value - value.mean(), atol=1e-15)


def test_averaging_uniform_linear_quadratic_and_from_an_iteration_on():
    flat = flatten(leduc())
    seen = []
    solver = ExactSolver(flat, ALGORITHMS["cfr"])
    for _ in range(12):
        seen.append((solver.strategy.copy(), own_reach(flat, solver.strategy)))
        solver.run(1)
    for power, name in enumerate(("uniform", "linear", "quadratic")):
        for first in (1, 6):
            other = ExactSolver(flat, with_averaging(ALGORITHMS["cfr"], name), averaging_from=first)
            other.run(12)
            weights = [float(t) ** power if t >= first else 0.0 for t in range(1, 13)]
            total = sum(w * reach * strategy for w, (strategy, reach) in zip(weights, seen, strict=True))
            expected = from_table(flat, total)
            for key, chances in from_table(flat, other.average()).items():
                if expected[key].sum() > 0:
                    np.testing.assert_allclose(chances, expected[key] / expected[key].sum(), atol=1e-9)
    with pytest.raises(ValueError, match="averaging is one of"):
        with_averaging(ALGORITHMS["cfr"], "cubic")


def own_reach(flat, strategy: np.ndarray) -> np.ndarray:
    """Own reach of every entry's information set, spread over a table by_action."""
    ready = plan(flat)
    reach, out = np.zeros(ready.reaches), np.zeros(flat.entries)
    for player in range(flat.players):
        reach_pass(ready, player, strategy, reach)
    for group in flat.groups:
        at = int(ready.reach_at[group["player"], group["node"]])
        size = group["actions"] * group["situations"]
        out[group["start"] : group["start"] + size] = np.tile(reach[at : at + group["situations"]], group["actions"])
    return out


def test_training_against_a_fixed_strategy_finds_the_best_response():
    flat = flatten(leduc())
    fixed = as_table(flat, random_profile(flat, seed=11))
    best = Evaluator(flat).evaluate(fixed).best_response
    for player in range(2):
        solver = ExactSolver(flat, ALGORITHMS["cfr+"], fixed={1 - player: fixed})
        solver.run(3000)
        found = Evaluator(flat).evaluate(solver.average())
        assert found.value[player] == pytest.approx(best[player], abs=2e-3)
        other = flat.groups["player"] == 1 - player
        for group in flat.groups[other]:
            here = slice(group["start"], group["start"] + group["actions"] * group["situations"])
            np.testing.assert_array_equal(solver.strategy[here], fixed[here])


def test_fictitious_play_converges_and_is_what_it_says():
    flat = flatten(leduc())
    solver = FictitiousPlay(flat)
    solver.run(1)
    evaluator = Evaluator(flat)
    uniform = uniform_strategy(evaluator.plan)
    reply = evaluator.best_responses(uniform).copy()
    total = own_reach(flat, uniform) * uniform + own_reach(flat, reply) * reply
    np.testing.assert_allclose(solver.sums, total, atol=1e-12)
    solver.run(1999)
    assert evaluator.evaluate(solver.average()).nash_conv < 0.2


def test_orders_of_tables_turn_into_each_other():
    flat = flatten(leduc())
    ready = plan(flat)
    table = np.random.default_rng(0).random(flat.entries)
    rows = by_situation(ready, table)
    np.testing.assert_array_equal(by_action(ready, rows), table)
    np.testing.assert_array_equal(rows[flat.sets.by_situation], table[flat.sets.by_action])


def test_three_player_kuhn_gets_near_an_equilibrium():
    solver = ExactSolver(flatten(kuhn(players=3)), ALGORITHMS["cfr+"])
    solver.run(3000)
    found = Evaluator(solver.flat).evaluate(solver.average())
    assert sum(found.value) == pytest.approx(0, abs=1e-9)
    assert 0 <= found.nash_conv < 5e-3
    assert found.exploitability == pytest.approx(found.nash_conv / 3)


@dataclass(frozen=True)
class Walk:
    """A walk of one player through hidden coin tosses: he acts in 'A' after none or one of them, then in 'B'."""

    path: tuple[int, ...] = ()
    forgets: bool = False
    name: str = "walk"
    players: int = 1
    zero_sum: bool = False

    def start(self) -> Walk:
        return self

    @property
    def player(self) -> int:
        tossed = 1 + (self.path[:1] == (1,))  # the second outcome of the first toss brings a second toss
        moves = len(self.path) - tossed
        return CHANCE if moves < 0 else 0 if moves < 2 else TERMINAL

    def legal_actions(self):
        return () if self.player == TERMINAL else (0, 1)

    def chance_outcomes(self):
        return ((0, 0.5), (1, 0.5))

    def apply(self, action):
        return replace(self, path=(*self.path, action))

    def returns(self):
        first, second = self.path[-2:]
        return (float(first == second),)

    def information_state(self, player):
        moved = len(self.path) - (1 + (self.path[:1] == (1,)))
        return "A" if moved == 0 else "B" if self.forgets else f"B{self.path[-1]}"

    def public_state(self):
        return ""

    def action_name(self, action):
        return str(action)


def test_a_lone_player_who_acts_at_different_depths():
    flat = flatten(Walk())
    found = Evaluator(flat).evaluate(uniform_strategy(plan(flat)))
    assert (found.value, found.best_response) == ((0.5,), (1.0,))
    for algorithm in ("dcfr", "xfp", "external", "outcome", "chance", "average"):
        assert solve(Walk(), algorithm, iterations=2000).value[0] > 0.9, algorithm


def test_a_player_who_forgets_is_refused():
    with pytest.raises(ValueError, match="imperfect recall"):
        Evaluator(flatten(Walk(forgets=True)))
