"""Constraints on a subgame: what is re-solved with them is as good as before, and without them it may be far worse."""

from __future__ import annotations

import numpy as np
import pytest

from ludus.games import leduc, leduc_nl
from ludus.solvers.best_response import Evaluator
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.depth.gadget import constrain
from ludus.solvers.depth.solved_leaves import SolvedLeaves
from ludus.solvers.montecarlo.solver import MonteCarlo, Sampling
from ludus.solvers.passes import plan
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.flat import flatten
from reference_cfr import as_table, random_profile
from subgames import public_states, put, resolve

GAMES = {"leduc": (leduc(), 1.0), "leduc-nl": (leduc_nl(), 100.0)}


def solved(game, iterations: int):
    """A game, an approximate equilibrium of it, and its judge."""
    solver = ExactSolver(flatten(game), ALGORITHMS["dcfr"])
    solver.run(iterations)
    return solver.flat, solver.average(), Evaluator(solver.flat, solver.plan)


@pytest.mark.parametrize("iterations", [60, 3000])
@pytest.mark.parametrize("name", GAMES)
def test_re_solved_with_constraints_a_strategy_is_not_more_exploitable(name, iterations):
    """In the whole game, after the first round (all cards), a card, and an action of the second round."""
    game, unit = GAMES[name]
    whole, strategy, judge = solved(game, iterations)
    before = judge.evaluate(strategy).best_response
    unsafe_losses, gains = [], []
    for state in public_states(whole, 12, seed=4):
        node, here = whole.find(state)
        part = flatten(game, root=state)
        for player in range(2):
            opponent = 1 - player
            own = judge.reach(strategy, player, node)[here]
            conceded = judge.values(strategy, opponent, node, best=True)[here]
            table = strategy.copy()
            gap = resolve(whole, table, state, player, own, conceded)
            after = judge.evaluate(table).best_response[opponent]
            assert gap < 1e-3 * unit  # the old strategy concedes as much as allowed, so there is a solution
            assert after <= before[opponent] + max(gap, 0) + 1e-9 * unit
            gains.append(before[opponent] - after)
            unsafe = strategy.copy()
            put(whole, unsafe, part, player, played_for_a_belief(part, player, own))
            unsafe_losses.append(judge.evaluate(unsafe).best_response[opponent] - before[opponent])
    assert max(unsafe_losses) > 0.3 * unit  # the same without constraints, for a wrong belief
    assert np.median(unsafe_losses) > 1e-2 * unit
    if iterations == 60:  # room to get better
        assert max(gains) > 1e-3 * unit


def played_for_a_belief(part, player: int, own: np.ndarray) -> np.ndarray:
    """An equilibrium of a subgame in which the opponent is believed to hold the lowest card nearly always."""
    ranges = np.full((2, len(own)), 1e-3)
    ranges[1 - player, 0] = 1.0
    ranges[player] = own
    solver = ExactSolver(part, ALGORITHMS["dcfr"], ranges=ranges)
    solver.run(2000)
    return solver.average()


def test_a_chain_of_re_solves_stays_as_good():
    """Continual re-solving, by one player: own range and the opponent's values are all that is carried along."""
    game, unit = GAMES["leduc"]
    whole, played, judge = solved(game, 1000)
    table, slack, last = played.copy(), 0.0, whole
    before = judge.evaluate(table).best_response[1]
    state = game.start().apply(38).apply(43).apply(0).apply(3).apply(0)  # check, bet, call: a card comes
    for move in (None, 42, 0):  # all of the second round; after a queen; after a check there
        state = state if move is None else state.apply(move)
        part, (node, here) = flatten(game, root=state), last.find(state)
        own, conceded = judge.reach(played, 0, node)[here], judge.values(played, 1, node, best=True)[here]
        gadget, ranges = constrain(part, 1, conceded, own)
        solver = ExactSolver(gadget, ALGORITHMS["dcfr"], ranges=ranges)
        solver.run(2000)
        last, played, judge = gadget, solver.average(), Evaluator(gadget, solver.plan)
        slack += max(judge.evaluate(played).best_response[1] - conceded.sum(), 0.0)
        put(whole, table, part, 0, played)
    after = Evaluator(whole).evaluate(table).best_response[1]
    assert after <= before + slack + 1e-9
    assert slack < 2e-3 * unit


def test_the_gadget_is_a_zero_sum_game_in_which_leaving_pays_what_was_said():
    game = leduc_nl()
    state = flatten(game, streets=1).frontier[1]
    part = flatten(game, root=state)
    rng = np.random.default_rng(1)
    values, own = rng.normal(size=3), rng.random(3)
    gadget, ranges = constrain(part, 0, values, own)
    judge = Evaluator(gadget, plan(gadget, ranges))
    profile = as_table(gadget, random_profile(gadget, seed=2))
    found = judge.evaluate(profile)
    assert sum(found.value) == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(judge.values(profile, 0, 1), values, atol=1e-12)  # node 1 is the leaf
    leave = profile.copy()
    leave[part.entries : part.entries + 3], leave[part.entries + 3 :] = 1.0, 0.0
    np.testing.assert_allclose(judge.evaluate(leave).value, [values.sum(), -values.sum()], atol=1e-9)
    np.testing.assert_allclose(ranges, [np.ones(3), own])
    follow = profile.copy()
    follow[part.entries : part.entries + 3], follow[part.entries + 3 :] = 0.0, 1.0
    plain = Evaluator(part, plan(part, ranges)).evaluate(follow[: part.entries])
    np.testing.assert_allclose(judge.evaluate(follow).value, plain.value, atol=1e-9)


def test_constraints_and_a_frontier_go_together():
    """Limit Leduc from its first decision, constrained by what the equilibrium concedes, with solved leaves."""
    _, strategy, judge = solved(leduc(), 3000)
    state = leduc().start().apply(38).apply(43)
    part = flatten(leduc(), root=state, streets=1)
    conceded = judge.values(strategy, 1, 0, best=True)
    gadget, ranges = constrain(part, 1, conceded, np.ones(3))
    solver = ExactSolver(gadget, ALGORITHMS["cfr+"], ranges=ranges, leaf_values=SolvedLeaves(5))
    solver.run(800)
    found = Evaluator(gadget, solver.plan, solver.leaf_averages()).evaluate(solver.average())
    assert -1e-9 < found.best_response[1] - conceded.sum() < 4e-3


def test_what_cannot_be_constrained_is_refused():
    part = flatten(leduc(), root=flatten(leduc(), streets=1).frontier[0])
    gadget, _ = constrain(part, 0, np.zeros(3), np.ones(3))
    for wrong, message in (
        (lambda: constrain(gadget, 0, np.zeros(3), np.ones(3)), "that has none yet"),
        (lambda: constrain(part, 2, np.zeros(3), np.ones(3)), "player 0 or 1"),
        (lambda: constrain(flatten(leduc(), public=False), 0, np.zeros(1), np.ones(1)), "public form"),
        (lambda: constrain(part, 0, np.zeros(4), np.ones(3)), "values of the root's 3 situations"),
        (lambda: constrain(part, 0, np.zeros(3), np.full(3, np.nan)), "an own range of the root's 3 situations"),
        (lambda: MonteCarlo(gadget, Sampling()), "sampling takes no constraints"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
