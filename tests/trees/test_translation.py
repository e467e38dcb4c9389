"""Action translation: the mapping of sizes, and hands that are followed in a tree with other bets."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus import games
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, holdem, leduc_nl
from ludus.games.menu import Menu
from ludus.trees.translation import (
    Follower,
    depth,
    nearest_raise,
    neighbours,
    poker_moves,
    pot_fraction,
    pseudo_harmonic,
    raise_by,
)


@st.composite
def between(draw):
    low = draw(st.floats(0, 10))
    high = low + draw(st.floats(0.01, 10))
    first, second = sorted(draw(st.tuples(st.floats(0, 1), st.floats(0, 1))))
    return low, high, low + first * (high - low), low + second * (high - low)


@given(between())
def test_pseudo_harmonic_is_a_probability_that_falls_with_the_size(sizes):
    low, high, first, second = sizes
    second = min(second, high)
    first = min(first, second)
    at_first, at_second = pseudo_harmonic(low, high, first), pseudo_harmonic(low, high, second)
    assert 0 <= at_second <= at_first <= 1
    assert pseudo_harmonic(low, high, low) == pytest.approx(1)
    assert pseudo_harmonic(low, high, high) == 0


def test_pseudo_harmonic_has_the_published_median():
    """P = 1/2 at x = (A + B + 2AB) / (A + B + 2), the median that Ganzfried & Sandholm (2013) give."""
    for low, high in ((0.0, 1.0), (0.5, 1.0), (0.75, 4.0), (1.0, 20.0)):
        median = (low + high + 2 * low * high) / (low + high + 2)
        assert pseudo_harmonic(low, high, median) == pytest.approx(0.5)


def test_pseudo_harmonic_keeps_the_calls_that_make_a_bluff_worthless():
    """Who calls 1/(1+A) of the time against A and 1/(1+B) against B calls 1/(1+x) against x."""
    for low, high, size in ((0.0, 1.0, 0.5), (0.5, 2.0, 0.8), (1.0, 5.0, 3.0)):
        lower = pseudo_harmonic(low, high, size)
        assert lower / (1 + low) + (1 - lower) / (1 + high) == pytest.approx(1 / (1 + size))


@pytest.mark.parametrize(
    ("size", "expected"), [(0.1, (0, 0, 1)), (0.5, (0, 0, 1)), (1.0, (1, 1, 1)), (9.0, (2, 2, 1)), (3.0, (2, 2, 1))]
)
def test_sizes_in_the_list_and_outside_of_it_are_certain(size, expected):
    assert neighbours([0.5, 1.0, 3.0], size) == expected


def test_between_two_sizes_the_nearer_ones_are_mixed():
    low, high, chance = neighbours([0.5, 1.0, 3.0], 0.75)
    assert (low, high, chance) == (0, 1, pseudo_harmonic(0.5, 1.0, 0.75))


@given(st.integers(1, 50), st.integers(1, 400))
def test_fractions_of_the_pot_are_scale_free(scale, chips):
    small = holdem(stack=1000, blinds=(1, 2)).start().deal(range(52))
    large = holdem(stack=1000 * scale, blinds=(scale, 2 * scale)).start().deal(range(52))
    assert pot_fraction(small, 2 + chips) == pytest.approx(pot_fraction(large, (2 + chips) * scale))
    assert raise_by(large, pot_fraction(small, 2 + chips)) == max(4, 2 + chips) * scale


def test_the_nearest_raise_is_legal():
    moves = poker_moves(leduc_nl(bets="0.5,pot,allin").start().deal(leduc_nl().deck))
    assert [nearest_raise(moves, size) for size in (0, 210, 260, 700, 9999)] == [200, 200, 300, 300, 1200]
    free = poker_moves(leduc_nl(bets="any").start().deal(leduc_nl().deck))
    assert [nearest_raise(free, size) for size in (0, 210, 9999)] == [200, 210, 1200]


def lower(played):
    return 0.0


def upper(played):
    return 0.999999


def follow(tree, table, line, uniform=lower):
    return Follower(tree, table).follow(line, uniform)


def random_lines(game, hands, seed):
    """Every state in which somebody acts in random hands."""
    rng = np.random.default_rng(seed)
    for _ in range(hands):
        deck, state = rng.permutation(game.deck).tolist(), game.start()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.deal(deck)
                continue
            yield state
            moves = state.legal_actions()
            kinds = [[CALL], [FOLD] * moves.fold, list(moves.raises)]
            kind = [kind for kind in kinds if kind][rng.integers(sum(bool(kind) for kind in kinds))]
            state = state.apply(kind[rng.integers(len(kind))])


@pytest.mark.parametrize(
    "game",
    [
        games.kuhn(),
        games.kuhn(players=3),
        games.leduc(),
        leduc_nl(),
        holdem(bets=Menu.pots(0.5, 1.0)),
        holdem(players=3),
    ],
    ids=lambda game: game.name,
)
def test_in_its_own_game_a_hand_is_always_at_the_same_point(game):
    follower = Follower(game, replace(game, name="table"))
    for state in random_lines(game, 30, seed=3):
        point = follower.follow(state.line, upper)
        assert point.ready
        assert point.tree.betting() == point.table.betting() == state.betting()
        assert point.images == {action: action for action in state.legal_actions()}


def test_a_bet_between_two_sizes_becomes_one_of_them_with_the_right_probability():
    """Pot 200, bet 150 (0.75 of it) between half the pot and the pot: 3/7 of the time the smaller one."""
    tree, table = leduc_nl(bets="0.5,pot,allin"), leduc_nl(bets="any")
    line = ((250,),)
    share = pseudo_harmonic(0.5, 1.0, 0.75)
    assert follow(tree, table, line, lambda _: share - 1e-9).tree.betting() == "r200"
    assert follow(tree, table, line, lambda _: share + 1e-9).tree.betting() == "r300"
    asked = []
    follow(tree, table, ((250, 0), (300,)), lambda played: asked.append(played) or 0.0)
    assert asked == [(250,), (250, 0, 300)]  # 300 into 500 lies between them again, with a history of its own
    asked.clear()
    follow(tree, table, ((200, 0), (400,)), lambda played: asked.append(played) or 0.0)
    assert not asked


def test_small_bets_are_nothing_heads_up_and_the_street_is_awaited():
    """A bet of a tenth of the pot in a tree of pot-sized bets: taken for a check, or for the pot."""
    tree, table = holdem(bets=Menu.pots(1.0)), holdem()
    flop = ((6, CALL), (CALL, 2))  # the button bets 2 into 12 after a check
    checked, bet = (follow(tree, table, flop, uniform) for uniform in (lower, upper))
    assert bet.ready
    assert bet.tree.betting() == "r6c/cr12"
    assert not checked.ready
    assert checked.images == {CALL: CALL}  # in the tree the flop is over: nothing to do but call
    called = follow(tree, table, ((6, CALL), (CALL, 2, CALL), ()), lower)
    assert called.ready
    assert called.tree.betting() == "r6c/cc/"
    raised = follow(tree, table, ((6, CALL), (CALL, 2, 20)), lower)
    assert raised.tree is None  # somebody else played for us: the tree knows nothing of it
    assert raised.images == {CALL: CALL}


def test_small_bets_of_more_players_are_the_smallest_of_the_tree():
    tree, table = holdem(players=3, bets=Menu.pots(1.0)), holdem(players=3)
    point = follow(tree, table, ((CALL, CALL, CALL), (2,)), lower)
    assert point.tree.betting() == "ccc/r6"


def test_all_in_is_all_in_both_ways_and_large_bets_are_the_largest():
    tree, table = leduc_nl(bets="pot,allin"), leduc_nl(bets="any")
    assert follow(tree, table, ((1200,),)).tree.betting() == "r1200"
    assert follow(tree, table, ((1199,),), upper).tree.betting() == "r1200"
    assert follow(leduc_nl(bets="pot"), table, ((1200,),), upper).tree.betting() == "r300"
    point = follow(tree, table, ((260,),), upper)  # taken for 300: the tree's raise is 3 pots of 600 there, all-in here
    assert point.tree.betting() == "r300"
    assert point.images == {FOLD: FOLD, CALL: CALL, 900: 260 + 520, 1200: 1200}


def test_where_no_raise_is_legal_the_raise_of_the_tree_is_a_call():
    point = follow(leduc_nl(bets="pot"), leduc_nl(bets="any"), ((1200,),), upper)
    assert point.images == {FOLD: FOLD, CALL: CALL, 900: CALL}


def test_a_hand_that_is_all_in_in_the_tree_alone_is_checked_and_called_down():
    tree, table = leduc_nl(bets="pot,allin"), leduc_nl(bets="any")
    point = follow(tree, table, ((1100, CALL), ()), upper)  # in the tree both are all-in
    assert point.tree is None
    assert point.images == {CALL: CALL}


@pytest.mark.parametrize("players", [2, 3])
def test_any_hand_is_followed_and_every_image_is_legal(players):
    stack = 60 if players == 2 else (60, 25, 140)
    table, tree = holdem(players, stack), holdem(players, stack, bets=Menu.pots(0.5, 1.0))
    follower, rng = Follower(tree, table), np.random.default_rng(8)
    ready = total = 0
    for state in random_lines(table, 150, seed=4):
        point = follower.follow(state.line, lambda _: rng.random())
        assert point.table.betting() == state.betting()
        assert set(point.images.values()) <= set(state.legal_actions())
        ready, total = ready + point.ready, total + 1
    assert ready > 0.6 * total


def test_many_hands_are_followed_as_each_of_them_is():
    table, tree = holdem(stack=60), holdem(stack=60, bets=Menu.pots(0.5, 1.0))
    follower, draws = Follower(tree, table), {}

    def uniforms(played):
        return draws.setdefault(played, np.random.default_rng(len(draws)).random(50))

    several = 0
    for state in random_lines(table, 40, seed=6):
        parts = follower.spread(state.line, 50, uniforms)
        assert sorted(hand for _, hands in parts for hand in hands) == list(range(50))
        for point, hands in parts:
            for hand in hands[:5]:
                assert follower.follow(state.line, lambda played, hand=hand: uniforms(played)[hand]) is point
        several += len(parts) > 1
    assert several > 5


def test_depth_is_what_can_be_played_for():
    assert depth(holdem(stack=(400, 90), blinds=(1, 3))) == 30
    assert depth(holdem(3, stack=(400, 300, 50))) == 150


def test_tables_of_other_depths_and_chips_are_followed():
    """Raises are fractions of the pot; all-in of a shallow tree is a raise at a deep table, unless most is in."""
    tree = holdem(stack=200, bets=Menu.pots(1.0))
    for scale in (1, 50):
        table = holdem(stack=200 * scale, blinds=(scale, 2 * scale))
        assert follow(tree, table, ((),)).images == {FOLD: FOLD, CALL: CALL, 6: 6 * scale, 200: 200 * scale}
    deep = holdem(stack=20_000, blinds=(50, 100))  # 200 big blinds
    assert follow(tree, deep, ((),)).images[200] == 100 * 100
    assert follow(tree, deep, ((10_000,),), upper).tree.betting() == "r200"
    assert follow(tree, deep, ((20_000,),), upper).tree.betting() == "r200"
    assert follow(tree, deep, ((300,),), upper).tree.betting() == "r6"
    called = follow(tree, deep, ((10_000, CALL), ()), upper)
    assert called.tree is None  # all-in in the tree
    assert called.images == {CALL: CALL}
    nearly = holdem(stack=26_000, blinds=(100, 200))  # all-in of the tree is 77 % of 130 big blinds
    assert follow(tree, nearly, ((),)).images[200] == 26_000
    short = holdem(stack=20, blinds=(1, 2))
    assert follow(tree, short, ((),)).images == {FOLD: FOLD, CALL: CALL, 6: 6, 200: 20}
    assert follow(tree, short, ((20,),), upper).tree.betting() == "r200"
