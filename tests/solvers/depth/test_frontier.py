"""Parts of small games: subgames with ranges, trees that end at a frontier, and leaf values by exact solves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from ludus.games import kuhn, leduc, leduc_nl
from ludus.solvers.best_response import Evaluator
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.depth.frontier import FlatLeaves
from ludus.solvers.depth.solved_leaves import SolvedLeaves
from ludus.solvers.fictitious import FictitiousPlay
from ludus.solvers.leaf_values import Evaluate, Leaves
from ludus.solvers.measure import action_values
from ludus.solvers.montecarlo.solver import MonteCarlo, Sampling
from ludus.solvers.passes import plan, uniform_strategy
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.flat import FRONTIER, FlatGame, flatten
from reference_cfr import as_table, random_profile
from small_games import GAMES, tiny_holdem
from subgames import public_states, regrets_of, resolve

STREETS = {name: game for name, game in GAMES.items() if len(game.board_cards) > 1} | {
    "tiny hold'em": tiny_holdem(7, max_raises=(1, 1, 0)),
    "unequal stacks, all-in": replace(leduc_nl("allin", stack=300), stacks=(300, 450)),
}


@dataclass(frozen=True)
class Continued:
    """Leaf values by the play of one strategy for the whole game: the reference for the units and the places."""

    whole: FlatGame
    strategy: np.ndarray

    def bind(self, leaves: Leaves) -> Evaluate:
        assert isinstance(leaves, FlatLeaves)
        parts = [flatten(self.whole.game, root=leaves.state(at)) for at in range(len(leaves))]

        def evaluate(reach):
            out = np.zeros_like(reach)
            for at, part in enumerate(parts):
                played = self.strategy[part.places_in(self.whole)]
                judge = Evaluator(part, plan(part, reach[at] + 1e-300))
                for player in range(2):
                    met = leaves.meet[at] @ reach[at, 1 - player]
                    out[at, player] = judge.values(played, player, 0) - met * leaves.offset[at, player]
            return out

        return evaluate


@pytest.mark.parametrize("name", STREETS)
def test_a_tree_cut_at_its_frontier_has_the_values_and_regrets_of_the_whole(name):
    """... where one strategy is played in front of the leaves and behind them."""
    game = STREETS[name]
    whole = flatten(game)
    strategy = as_table(whole, random_profile(whole, seed=5))
    judge = Evaluator(whole)
    for streets in range(1, len(game.board_cards)):
        part = flatten(game, streets=streets)
        assert (part.nodes["player"] == FRONTIER).sum() == len(part.frontier) > 0
        places = part.places_in(whole)
        cut = Evaluator(part, leaf_values=Continued(whole, strategy))
        np.testing.assert_allclose(cut.evaluate(strategy[places]).value, judge.evaluate(strategy).value, atol=1e-9)
        for player in range(2):
            np.testing.assert_allclose(
                cut.values(strategy[places], player, 0), judge.values(strategy, player, 0), atol=1e-9
            )
        solver = ExactSolver(
            part, replace(ALGORITHMS["cfr"], alternating=False), leaf_values=Continued(whole, strategy)
        )
        solver.strategy[:] = strategy[places]
        solver.run(1)
        np.testing.assert_allclose(solver.regrets, regrets_of(whole, strategy)[places], atol=1e-9)


@pytest.mark.parametrize("name", STREETS)
def test_leaves_tell_their_pots_and_stacks(name):
    game = STREETS[name]
    part = flatten(game, streets=1)
    leaves = FlatLeaves.of(part)
    for at in range(len(leaves)):
        state = leaves.state(at)
        paid = np.array(game.stacks) - state.stacks
        assert (leaves.pots[at], leaves.stacks[at]) == (paid.sum(), min(state.stacks))
        np.testing.assert_allclose(leaves.offset[at], paid.sum() / 2 - paid)
        assert state.board == tuple(leaves.boards[at])
        assert part.find(state)[0] in np.flatnonzero(part.nodes["player"] == FRONTIER)


@pytest.mark.parametrize("name", STREETS)
def test_a_subgame_with_its_ranges_has_the_values_that_it_has_in_the_whole(name):
    whole = flatten(STREETS[name])
    strategy = as_table(whole, random_profile(whole, seed=8, zeros=0.0))
    judge = Evaluator(whole)
    for state in public_states(whole, 6, seed=2):
        node, here = whole.find(state)
        part = flatten(whole.game, root=state)
        played = strategy[part.places_in(whole)]
        ranges = np.array([judge.reach(strategy, player, node)[here] for player in range(2)])
        cut = Evaluator(part, plan(part, ranges))
        for player in range(2):
            for best in (False, True):
                expected = judge.values(strategy, player, node, best=best)[here]
                np.testing.assert_allclose(cut.values(played, player, 0, best=best), expected, atol=1e-9)
        found = cut.evaluate(played)
        values = [ranges[player] @ judge.values(strategy, player, node)[here] for player in range(2)]
        np.testing.assert_allclose(found.value, values, atol=1e-9)


def test_a_hand_that_cannot_be_held_learns_to_play_and_changes_nothing():
    game = leduc()
    part = flatten(game, root=flatten(game, streets=1).frontier[0])
    ranges = np.ones((2, 3))
    ranges[0, 1] = 0.0
    solver = ExactSolver(part, ALGORITHMS["dcfr"], ranges=ranges)
    solver.run(2000)
    judge, average = Evaluator(part, solver.plan), solver.average()
    assert judge.evaluate(average).exploitability < 1e-4
    best, played = (judge.values(average, 0, 0, best=best) for best in (True, False))
    np.testing.assert_allclose(played, best, atol=2e-3)  # each for itself, that of the missing hand too


def test_solved_leaves_are_equilibria_of_the_rest():
    part = flatten(leduc(), streets=1)
    leaves = FlatLeaves.of(part)
    reach = np.random.default_rng(3).random((len(leaves), 2, 3))
    reach[2, 0] = 0.0  # nobody comes here
    values = np.asarray(SolvedLeaves(2000, "dcfr").bind(leaves)(reach))
    np.testing.assert_allclose((values * reach).sum(axis=(1, 2)), 0, atol=1e-9)  # zero-sum
    assert (values[2, 1] == 0).all()
    for at in (0, 1, 4):
        rest = flatten(leduc(), root=leaves.state(at))
        solver = ExactSolver(rest, ALGORITHMS["cfr+"], ranges=reach[at])
        solver.run(3000)
        found = Evaluator(rest, solver.plan).evaluate(solver.average())
        np.testing.assert_allclose((values[at] * reach[at]).sum(axis=1), found.value, atol=5e-3)


CUT = {
    "leduc": (leduc(), 1.0, 30, 800),
    "leduc-nl": (leduc_nl(), 100.0, 3, 800),
    "leduc-nl with half pots": (leduc_nl("0.5,pot,allin"), 100.0, 3, 800),
}


@pytest.mark.parametrize("name", [*list(CUT)[:2], pytest.param(list(CUT)[2], marks=pytest.mark.slow)])
def test_leduc_cut_after_its_first_round_reproduces_the_whole_solve(name):
    """With leaf values by exact solves of the second round, all of it measured in the whole game.

    The first round is put together with second rounds that are solved again from its ranges and from what its leaf
    values concede. The opponent then gains no more than the sum of two gaps: of the first round in front of its leaf
    values, and of the second rounds behind them.
    """
    game, unit, solving, iterations = CUT[name]
    whole, part = flatten(game), flatten(game, streets=1)
    solver = ExactSolver(part, ALGORITHMS["cfr+"], leaf_values=SolvedLeaves(solving))
    solver.run(iterations)
    first_round, leaves = solver.average(), solver.leaf_averages()
    cut, judge = Evaluator(part, leaf_values=leaves), Evaluator(whole)
    best = np.array([cut.values(first_round, player, 0, best=True) for player in range(2)])

    table, gaps = uniform_strategy(plan(whole)), [0.0, 0.0]
    table[part.places_in(whole)] = first_round
    states = [part.frontier[at] for at in part.nodes["leaf"][part.nodes["player"] == FRONTIER]]
    for state, conceded in zip(states, np.split(leaves, len(states), axis=1), strict=True):
        for player in range(2):
            own = cut.reach(first_round, player, part.find(state)[0])
            gaps[1 - player] += resolve(whole, table, state, player, own, conceded[1 - player])
    found = judge.evaluate(table)
    assert (found.best_response <= best.sum(axis=1) + gaps + 1e-9 * unit).all()
    assert found.exploitability < 3e-3 * unit

    reference = ExactSolver(whole, ALGORITHMS["dcfr"])
    reference.run(4000)
    known = reference.average()
    assert judge.evaluate(known).exploitability < 1e-4 * unit
    hands = np.array([judge.values(known, player, 0) for player in range(2)])
    np.testing.assert_allclose(best, hands, atol=found.nash_conv)  # the value of every hand of either player
    assert found.value[0] == pytest.approx(judge.evaluate(known).value[0], abs=found.nash_conv)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_solves_in_front_of_leaves(algorithm):
    part = flatten(leduc(), streets=1)
    gaps = []
    for iterations in (10, 150):
        solver = ExactSolver(part, ALGORITHMS[algorithm], planned=iterations, leaf_values=SolvedLeaves(3))
        solver.run(iterations)
        cut = Evaluator(part, leaf_values=solver.leaf_averages())
        gaps.append(sum(cut.values(solver.average(), player, 0, best=True).sum() for player in range(2)))
    assert gaps[1] < {"rm": 0.1, "cfr": 0.1, "rm+": 0.1, "lcfr": 0.05, "lcfr-3": 0.05}.get(algorithm, 0.03)
    assert gaps[1] < gaps[0] / 2


def test_what_cannot_be_cut_or_begun_is_refused():
    game = leduc()
    part, dealt = flatten(game, streets=1), game.start().apply(38).apply(43)
    for wrong, message in (
        (lambda: flatten(game, public=False, streets=1), "only a public form"),
        (lambda: flatten(kuhn(players=3), streets=1), "only a public form"),
        (lambda: flatten(game, streets=0), "at least one street, got 0"),
        (lambda: flatten(game, root=leduc_nl().start()), "cannot begin at a state of leduc-nl"),
        (lambda: flatten(game, root=game.start().apply(38)), "not among them"),
        (lambda: flatten(game, root=dealt.apply(3).apply(-1)), "the hand is over"),
        (lambda: ExactSolver(part, ALGORITHMS["cfr"]), "give leaf values"),
        (lambda: Evaluator(part), "give leaf values"),
        (lambda: ExactSolver(part, ALGORITHMS["cfr"], leaf_values=SolvedLeaves()).state(), "cannot be saved"),
        (lambda: FictitiousPlay(part), "fictitious play takes no leaf values"),
        (lambda: MonteCarlo(part, Sampling()), "sampling takes no leaf values: they are for small games"),
        (lambda: action_values(part, uniform_strategy(plan(part))), "played to their end"),
        (lambda: ExactSolver(flatten(game), ALGORITHMS["cfr"], leaf_values=SolvedLeaves()), "takes no leaf values"),
        (lambda: Evaluator(part, leaf_values=np.zeros((2, 3))), r"given leaf values are \[2, 15\]"),
        (lambda: ExactSolver(flatten(game), ALGORITHMS["cfr"], ranges=np.ones((2, 4))), r"\[2, 3\], got \[2, 4\]"),
        (lambda: ExactSolver(flatten(game), ALGORITHMS["cfr"], ranges=np.zeros((2, 3))), "some above it"),
        (lambda: SolvedLeaves(0), "at least 1 iteration"),
        (lambda: SolvedLeaves(1, "none"), "algorithms for small games are"),
        (lambda: SolvedLeaves().bind(Leaves(*(np.zeros((0, 1), t) for t in (np.uint8, int, int)))), "not of a hold'em"),
        (lambda: part.find(game.start().apply(38).apply(43).apply(0).apply(0).apply(42)), "is not in this part"),
        (lambda: flatten(game, public=False).find(dealt), "in its public form"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            wrong()
