"""Flat games: both forms hold the same game, and what cannot be flattened is refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from ludus.games import CHANCE, TERMINAL, holdem, kuhn, leduc, leduc_nl, make
from ludus.trees.deals import count_deals, deal_all
from ludus.trees.flat import DEAL, UNKNOWN, Growth, estimate_nodes, flatten
from small_games import GAMES, tiny_holdem


@pytest.mark.parametrize("name", GAMES)
def test_both_forms_have_the_same_information_sets(name):
    public, history = flatten(GAMES[name], public=True), flatten(GAMES[name], public=False)
    assert len(public.nodes) < len(history.nodes)
    for field in ("players", "names", "offsets", "actions", "labels"):
        assert np.array_equal(getattr(public.sets, field), getattr(history.sets, field)), field


@pytest.mark.slow
def test_two_hole_cards_and_two_board_streets():
    game = tiny_holdem(7, max_raises=(1, 0, 0))
    public, history = flatten(game, public=True), flatten(game, public=False)
    assert public.sets.names == history.sets.names
    assert np.array_equal(public.sets.actions, history.sets.actions)


@pytest.mark.parametrize(
    ("game", "sets", "nodes"),
    [
        (kuhn(), 12, 9),
        (kuhn(players=3), 48, 617),
        (leduc(), 288, 90),
        (leduc(show_suits=True), 936, 90),
        (leduc_nl(), 360, 132),
        (leduc_nl("all"), 84_144, 28_604),
        (make("rps"), 2, 13),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_sizes(game, sets, nodes):
    flat = flatten(game)
    assert (len(flat.sets), len(flat.nodes)) == (sets, nodes)


def test_no_limit_leduc_with_suits_has_as_many_sets_as_counted_by_hand():
    flat = flatten(leduc_nl("all", show_suits=True))
    possible = [int((table.sum(axis=2) > 0).sum()) for table in flat.deals.meet]
    assert sum(possible[flat.nodes["level"][node]] for node in flat.groups["node"]) == 278_256


@pytest.mark.parametrize("public", [True, False])
def test_the_tree_is_in_order(public):
    flat = flatten(leduc(), public)
    nodes = flat.nodes
    inner = np.flatnonzero(nodes["count"])
    assert (nodes["first"][inner] > inner).all()  # children after their parent
    covered = np.concatenate([np.arange(f, f + c) for f, c in nodes[["first", "count"]][inner].tolist()])
    assert sorted(covered.tolist()) == list(range(1, len(nodes)))  # every node but the root has one parent
    kinds = set(nodes["player"].tolist())
    assert kinds == {0, 1, TERMINAL, DEAL} if public else kinds == {0, 1, TERMINAL, CHANCE}
    assert (nodes["leaf"][nodes["player"] == TERMINAL] >= 0).all()


def test_deals_are_probabilities():
    deals = deal_all(tiny_holdem())
    assert len(deals.outcome) == count_deals(tiny_holdem()) == 28 * 15 * 4 * 3
    for table in deals.meet:
        assert table.sum() == pytest.approx(1)
        assert np.allclose(table, table.transpose(0, 2, 1))
    assert np.allclose(deals.wins, -deals.wins.transpose(0, 2, 1))
    assert (np.abs(deals.wins) + deals.ties <= deals.meet[-1] + 1e-15).all()


def test_too_large_a_game_is_refused_at_once():
    with pytest.raises(ValueError, match="deals, too many to solve whole"):
        flatten(holdem())
    with pytest.raises(ValueError, match="nodes, too many to solve whole"):
        flatten(leduc_nl("any"))
    with pytest.raises(ValueError, match="nodes, too many to solve whole"):
        flatten(holdem(players=3))
    with pytest.raises(ValueError, match="only two-player poker has a public form"):
        flatten(kuhn(players=3), public=True)


def test_estimated_sizes_are_near():
    for game in (leduc(), kuhn(players=4)):
        assert estimate_nodes(game.start(), dives=2000) == pytest.approx(len(flatten(game, False).nodes), rel=0.1)


def test_a_tree_can_grow_step_by_step():
    growth, whole = Growth(leduc(), public=False), flatten(leduc(), public=False)
    rng = np.random.default_rng(0)
    while growth.waiting:
        waiting = list(growth.waiting)
        growth.expand(waiting[rng.integers(len(waiting))])
    grown = growth.finish()
    assert len(grown.nodes) == len(whole.nodes)
    assert UNKNOWN not in grown.nodes["player"]
    assert grown.sets.names == whole.sets.names
    assert np.array_equal(grown.sets.actions, whole.sets.actions)


@dataclass(frozen=True)
class Odd:
    """A game that offers different actions in states that its player cannot tell apart."""

    name: str = "odd"
    players: int = 2
    zero_sum: bool = True

    def start(self) -> OddState:
        return OddState()


@dataclass(frozen=True)
class OddState:
    path: tuple[int, ...] = ()

    @property
    def player(self) -> int:
        return (0, 1, TERMINAL)[len(self.path)]

    def legal_actions(self):
        return () if self.player == TERMINAL else (0, 1) if not self.path or self.path[0] else (0, 1, 2)

    def apply(self, action):
        return OddState((*self.path, action))

    def chance_outcomes(self):
        return ()

    def returns(self):
        return (1.0, -1.0)

    def information_state(self, player):
        return f"{player}"

    def public_state(self):
        return ""

    def action_name(self, action):
        return str(action)


def test_a_game_that_contradicts_itself_is_refused():
    with pytest.raises(ValueError, match="in the same information state '1' of player 1"):
        flatten(Odd())
