"""Continual re-solving: what it plays over a whole game is measured exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludus.agents import make
from ludus.agents.searching import SearchAgent
from ludus.arena.whole_strategy import whole_strategy
from ludus.games import CALL, FOLD, kuhn, leduc, leduc_nl
from ludus.games.acpc import read_game
from ludus.games.menu import Menu
from ludus.search.mccr import MonteCarloResolver
from ludus.search.resolver import Resolver
from ludus.search.small_games import Effort, SmallGames
from ludus.solvers import measure
from ludus.solvers.depth.solved_leaves import SolvedLeaves

TREE = Menu.parse("pot,allin")


def resolver(leaf_values=None, iterations=200) -> Resolver:
    return Resolver(SmallGames(lambda game: leaf_values, Effort(iterations, iterations // 2), TREE))


def exploitability(game, played: Resolver) -> float:
    """In mbb a game."""
    agent = SearchAgent(played, lambda game: None)
    return 1000 / max(game.blinds) * measure(whole_strategy(agent, game))[0].exploitability


@pytest.mark.parametrize(("game", "most"), [(kuhn(), 2.0), (leduc(), 10.0), (leduc_nl(), 10.0)])
def test_without_a_depth_it_is_close_to_an_equilibrium(game, most):
    assert exploitability(game, resolver()) < most


def test_with_exact_leaf_values_it_is_close_to_an_equilibrium():
    assert exploitability(leduc_nl(), resolver(SolvedLeaves())) < 10.0


def test_more_iterations_make_it_better():
    found = [exploitability(leduc(), resolver(iterations=n)) for n in (20, 200, 2000)]
    assert found[0] > 3 * found[1] > 9 * found[2]


class Nothing:
    """Leaf values that say that nobody wins anything any more."""

    def bind(self, leaves):
        return lambda reach: np.zeros_like(reach)


def test_with_wrong_leaf_values_it_is_not():
    assert exploitability(leduc_nl(), resolver(Nothing())) > 100.0


def test_bets_that_the_tree_lacks_are_answered_with_the_bet_in_it():
    """A bet of half the pot: whoever took it for a pot-sized bet would fold far more than it asks for."""
    table, played = leduc_nl("all"), resolver()
    start = table.start().deal(table.deck).seen_by(-1)
    folds = {}
    for bet in (200, 300, 1200):  # half a pot, a pot, all-in
        found = played.range_strategy(start.apply(bet))
        assert set(found.actions) >= {FOLD, CALL}
        folds[bet] = found.chances[:, found.actions.index(FOLD)].mean()
    assert folds[200] < folds[300] - 0.05 < folds[1200] - 0.1
    assert exploitability(replace(table, stacks=(400, 400)), played) < 60.0


def test_suits_make_no_difference():
    """The game file of the ACPC names suits; the look-ahead does not, for no flush can come."""
    plain, suited = leduc_nl(), leduc_nl(show_suits=True)
    for played in (resolver(), MonteCarloResolver(200, 1000)):
        rows = [played.range_strategy(game.start().deal(game.deck).seen_by(-1)).chances for game in (plain, suited)]
        np.testing.assert_array_equal(*rows)
    assert make("resolver", read_game("leduc.nolimit.2p.game"))


def test_it_plays_the_same_whatever_was_asked_before():
    game = leduc_nl()
    start = game.start().deal(game.deck).seen_by(-1)
    late = start.apply(CALL).apply(300).apply(CALL).deal([-1, -1, game.deck[4]])
    first, second = resolver(), resolver()
    asked = second.range_strategy(late)
    for state in (start, start.apply(CALL), start.apply(300), late):
        first.range_strategy(state)
    np.testing.assert_array_equal(first.range_strategy(late).chances, asked.chances)


class Light:
    """A look-ahead of one number that knows nothing."""

    numbers = 1

    def kept(self, state, player):
        return None

    def kept_after(self, state, boards, player):
        return [None for _ in boards]

    def step(self, state, action):
        return state.apply(action)


class Listing:
    """A searcher that lists what it is asked for."""

    def __init__(self):
        self.asked = []

    def solve(self, public, player, kept):
        self.asked.append(public.public_state())
        return Light()


def test_room_is_made_by_forgetting_what_was_not_asked_for_longest():
    """Except that what is thought before any board goes last."""
    game, listing = leduc_nl(show_suits=True), Listing()
    start = game.start().deal(game.deck).seen_by(-1)
    one, two, three = (start.apply(CALL).apply(CALL).deal([-1, -1, card]) for card in game.deck[:3])
    played = Resolver(listing, most=3)
    for state in (one, two, one, three, one, two):
        played.look(state)
    assert listing.asked == [state.public_state() for state in (start, one, two, three, two)]


def test_an_own_action_that_it_never_takes_has_an_answer_too():
    """Somebody else played its seat so far: all-in is never played by some, and a half-pot bet is not in its tree."""
    game = leduc_nl("all")
    state = game.start().deal(game.deck).seen_by(-1).apply(200).apply(400)
    found = resolver().range_strategy(state)
    np.testing.assert_allclose(found.chances.sum(axis=1), 1.0)


@pytest.mark.parametrize("played", [resolver(), MonteCarloResolver(50, 500, bets=TREE)])
def test_a_table_that_lacks_the_sizes_of_the_tree_is_played_on(played):
    """A bet of 900 with chips behind is called; the tree has all-in instead, after which nobody acts."""
    game = leduc_nl("4")
    for card in range(4):
        deck = [*game.deck[card:], *game.deck[:card]]
        state = game.start().deal(deck).apply(900).apply(CALL).deal(deck).seen_by(-1)
        for now in (state, state.apply(CALL)):
            assert np.isfinite(played.range_strategy(now).chances).all()


@pytest.mark.parametrize("name", ["resolver:nofile", "resolver:network", "resolver:iterations=1000000000"])
def test_settings_are_not_ignored(name):
    with pytest.raises((ValueError, FileNotFoundError)):
        make(name, kuhn())


def test_a_game_too_large_is_refused_before_play():
    with pytest.raises(ValueError, match="too many to solve whole"):
        make("resolver:bets=any", leduc_nl("any"))


def test_an_effort_must_make_sense():
    with pytest.raises(ValueError, match="leaves out fewer iterations than it has, got 100 of 100"):
        Effort(100, 100)
