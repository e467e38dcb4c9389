"""The betting before the flop of tables that are solved."""

import numpy as np
import pytest

from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names
from ludus.trees.preflop import PreflopModel, preflop_betting


@pytest.mark.parametrize(("players", "stack"), [(2, 100), (3, 20), (4, 8), (6, 100), (6, 200)])
def test_trees_are_what_the_rules_allow(players, stack):
    tree = preflop_betting(PreflopModel(players, stack))
    assert (tree.paid.max(axis=1) <= 100 * stack).all()
    ends = tree.player < 0
    live = tree.live.sum(axis=1)
    behind = 100 * stack - tree.paid.max(axis=1)
    assert live[ends & (behind > 0)].max(initial=0) <= 3
    assert live.min() == 1
    for leaf in np.flatnonzero(ends & (live > 1)):  # whoever is left has paid the same
        assert len({*tree.paid[leaf][tree.live[leaf]].tolist()}) == 1
    for node in range(1, len(tree)):
        parent = tree.parent[node]
        assert parent < node
        assert node in tree.children(parent)
        actor = tree.player[parent]
        assert tree.latest[node, actor] == node
        others = [seat for seat in range(players) if seat != actor]
        assert (tree.latest[node, others] == tree.latest[parent, others]).all()


def line(tree, *words):
    """The node after actions, given as numbers."""
    node = tree.find(words)
    assert node is not None, words
    return node, [int(tree.action[child]) for child in tree.children(node)]


def test_six_players_raise_or_fold_and_one_may_call():
    tree = preflop_betting(PreflopModel())
    assert line(tree)[1] == [FOLD, 250]
    assert line(tree, FOLD, FOLD, FOLD, FOLD)[1] == [FOLD, CALL, 300]  # the small blind may limp
    assert line(tree, FOLD, FOLD, FOLD, FOLD, CALL)[1] == [CALL, 350]
    assert line(tree, 250)[1] == [FOLD, CALL, 750]  # in position three times
    assert line(tree, 250, FOLD, FOLD, FOLD)[1] == [FOLD, CALL, 1000]  # out of it four times
    assert line(tree, 250, CALL)[1] == [FOLD, 1000]  # a second caller only in the big blind, a bet more to squeeze
    assert line(tree, 250, CALL, FOLD, FOLD, FOLD)[1] == [FOLD, CALL, 1250]
    assert line(tree, 250, 750)[1] == [FOLD, 1650]  # a re-raise is not called cold
    assert line(tree, 250, 750, FOLD, FOLD, FOLD, FOLD)[1] == [FOLD, CALL, 1875]
    assert line(tree, 250, 750, FOLD, FOLD, FOLD, FOLD, 1875)[1] == [FOLD, CALL, 10000]
    assert tree.find((CALL,)) is None
    assert line(preflop_betting(PreflopModel(3, limps=True)))[1] == [FOLD, CALL, 250]


def test_short_stacks_are_put_in():
    tree = preflop_betting(PreflopModel(6, 10))
    assert line(tree)[1] == [FOLD, 250, 1000]
    assert line(tree, 250)[1] == [FOLD, CALL, 1000]
    assert line(tree, 1000)[1] == [FOLD, CALL]


def test_heads_up_the_big_blind_is_out_of_position():
    tree = preflop_betting(PreflopModel(2))
    assert place_names(tree.model.game) == ["BB", "BTN/SB"]
    assert (tree.player[0], line(tree, 300)[1]) == (1, [FOLD, CALL, 1200])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"players": 1}, "2 to 10 seats, got 1"),
        ({"players": 11}, "2 to 10 seats, got 11"),
        ({"stack": 1.5}, "2 to 1000 big blinds"),
        ({"stack": 20.001}, "in hundredths"),
        ({"stack": float("nan")}, "2 to 1000 big blinds"),
        ({"opening": 1.0}, "a first raise is to 2 to 10"),
        ({"three_bet": (1.0, 4.0)}, "re-raises are to 2 to 10 times"),
    ],
)
def test_models_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        PreflopModel(**settings)


def test_a_tree_can_be_too_large(monkeypatch):
    monkeypatch.setattr("ludus.trees.preflop.MOST_NODES", 100)
    with pytest.raises(ValueError, match="more than 100 nodes"):
        preflop_betting(PreflopModel())
