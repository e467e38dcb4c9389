"""Continual re-solving of hold'em: look-aheads, what is carried from one to the next, and whole hands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ludus.agents import make
from ludus.cards.card import parse_cards
from ludus.cards.ranges import COMBOS, blocked, combo_index, parse_range
from ludus.games import CALL, FOLD, holdem, leduc_nl
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.menu import Menu
from ludus.search.holdem import Effort, HoldemSearch, equity_values
from ludus.search.resolver import Kept, Resolver
from ludus.solvers.leaf_values import Leaves
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.leaf_solvers import EquityLeaves, margin
from ludus.solvers.spot.solver import SpotSolver
from ludus.solvers.spot.traverser import Traverser
from ludus.trees.spot import Spot

EQUITY = equity_values(EquityLeaves())
BOARD = parse_cards("Ks Th 6h 4c 2d")
QUICK = Effort((4, 4, 3, 8))


def search(*iterations: int, **settings) -> HoldemSearch:
    return HoldemSearch(EQUITY, Effort(iterations or QUICK.iterations), **settings)


def at(*actions: int, stack=200, board=BOARD):
    """The public state after actions, streets running on by themselves."""
    game = holdem(stack=stack)
    deck = [*[card for card in game.deck if card not in board][:4], *board]
    state = game.start().deal(deck)
    for action in actions:
        state = state.apply(action)
        if state.player == CHANCE:
            state = state.deal(deck)
    return state.seen_by(-1)


def played_out(resolver: Resolver, game, rng, bold: bool = False):
    """A hand that the resolver plays against itself with random actions, all of which it takes with some hand."""
    deck = [*[card for card in rng.permutation(52).tolist() if card not in BOARD][:4], *BOARD]
    state, streets = game.start().deal(deck), set()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.deal(deck)
            continue
        found = resolver.range_strategy(state.seen_by(-1))
        assert found.chances.shape == (len(COMBOS), len(found.actions))
        assert (found.chances >= 0).all()
        np.testing.assert_allclose(found.chances.sum(axis=1), 1.0, atol=1e-6)
        assert set(found.actions) <= set(state.legal_actions())
        streets.add(state.street)
        action = max(found.actions) if bold else int(rng.choice([each for each in found.actions if each != FOLD][:3]))
        state = state.apply(action)
    return state, streets


@pytest.mark.parametrize("player", [0, 1])
def test_a_river_solved_again_concedes_no_more_than_before(player):
    """The opponent may hold anything; the values are those of an equilibrium that the player kept."""
    begins, opponent = at(6, CALL, CALL, CALL, CALL, CALL), 1 - player
    public, action = (begins.apply(CALL), CALL) if player == 1 else (begins, None)
    thinker = search(4, 4, 4, 800)
    ranges = np.ones((2, len(COMBOS)))
    ranges[player] = parse_range("AA, KQs, QJs, 98s, 66, A5s, 77, JTs")
    known = SpotSolver(Layout.of(Spot(thinker.subgame(begins, action), ranges)))
    known.run(800)
    hands = known.layout.boards[0].hands[opponent].combo
    conceded = np.zeros(len(COMBOS))
    conceded[hands] = known.best_response(opponent, known.sums)
    found = thinker.solve(public, player, Kept(ranges[player], conceded))
    best = Traverser(found.layout).best_response(opponent, found.average)
    gain = best - conceded[found.layout.boards[0].hands[opponent].combo]
    assert gain.max() < 0.01 * public.pot * ranges[player].sum()
    blind = thinker.solve(public, player, Kept(ranges[player], np.full(len(COMBOS), 1e6)))  # everybody leaves
    best = Traverser(blind.layout).best_response(opponent, blind.average)
    assert (best - conceded[hands]).max() > 0.05 * public.pot * ranges[player].sum()


@pytest.mark.parametrize("river", ["2d", "9c"])
def test_a_turn_hands_over_what_its_river_is_worth(river):
    """Ranges that treat suits alike, so that one river stands for others; solved again for its own ranges."""
    board = parse_cards(f"Ks Th 6s 4h {river}")
    public, thinker = at(6, CALL, CALL, CALL, stack=24, board=board), search(4, 4, 300, 300)
    turn = thinker.solve(public, 0, None)
    assert len(turn.layout.boards[1].cards) < 48
    after = public.apply(CALL).apply(CALL).deal([*public.cards, board[-1]])
    (kept,) = turn.kept_after(public.apply(CALL).apply(CALL), [tuple(board)], 0)
    assert not kept.own[np.isin(COMBOS, board).any(axis=1)].any()
    rest = replace(thinker.subgame(after), menu=turn.layout.spot.menu)
    direct = SpotSolver(Layout.of(Spot(rest, np.stack([kept.own, kept.estimate]))))
    direct.run(300)
    hands, worth = direct.layout.boards[0].hands[1].combo, direct.follow(1, direct.sums)
    near = np.abs(worth - kept.conceded[hands]) / (after.pot * kept.own.sum())
    assert near @ kept.estimate[hands] / kept.estimate[hands].sum() < 0.005
    own = turn.range_strategy()
    np.testing.assert_allclose(kept.own[hands], own.chances[hands, own.actions.index(CALL)], atol=1e-5)


def test_the_next_decision_of_a_street_is_reached_by_the_own_action():
    """The range by Bayes' rule, the values of the opponent's decision; a size that is not there is the nearest."""
    public = at(6, CALL, CALL, CALL, CALL, CALL)
    look = search().solve(public, 0, None)
    played = look.range_strategy()
    for action, known in ((12, 12), (13, 12), (CALL, CALL)):
        after = look.step(public, action)
        assert after.line[-1] == (known,)
        kept, column = look.kept(after, 0), played.chances[:, played.actions.index(known)]
        np.testing.assert_allclose(kept.own, blocked(column, BOARD), atol=1e-5)
        assert np.abs(kept.conceded).max() > 0


def test_an_own_action_that_is_never_taken_concedes_what_it_would():
    """All-in for sixteen pots: somebody else may have done it, and a set of kings wins a lot from any hand."""
    public = at(6, CALL, CALL, CALL, CALL, CALL)
    look = search(4, 4, 4, 300).solve(public, 0, None)
    played = look.range_strategy()
    assert played.chances[:, played.actions.index(194)].mean() < 1e-4
    kept = look.kept(look.step(public, 194), 0)
    kings = combo_index(*parse_cards("Kh Kd"))
    assert 20 < kept.conceded[kings] / kept.own.sum() < 200


def test_what_an_action_concedes_is_what_it_pays():
    """On the river, facing a bet: a fold pays the pot, a call the showdown; a raise what is conceded after it."""
    public = at(6, CALL, CALL, CALL, CALL, CALL, 12)
    look = Resolver(search(4, 4, 4, 60)).look(public)
    conceded, met = look.conceded_by_action()
    actions = look.range_strategy().actions
    own = np.zeros((len(actions), len(COMBOS)))
    combos = look.layout.boards[0].hands[look.player].combo
    own[:, combos] = look.reach[look.player] * look.chances
    shown, pot = own[actions.index(CALL)] @ margin(BOARD), 12
    live = blocked(np.ones(len(COMBOS)), BOARD) > 0
    fold, call = actions.index(FOLD), actions.index(CALL)
    np.testing.assert_allclose(conceded[fold][live], (pot / 2 * met[fold])[live], atol=1e-6)
    np.testing.assert_allclose(conceded[call][live], -((pot / 2 + 12) * shown)[live], atol=0.02 * met[call].max())
    held = combo_index(*parse_cards("As Ac"))
    sharing = np.isin(COMBOS, COMBOS[held]).any(axis=1)
    assert met[call][held] == pytest.approx(own[call][~sharing].sum(), rel=1e-6)


@pytest.mark.parametrize(
    ("line", "stack"),
    [
        ((5,), 200), ((CALL,), 200), ((199,), 200), ((200,), 200), ((6, 17), 200), ((6, CALL, 7), 200),
        ((6, CALL, CALL, 2), 200), ((6, CALL, CALL, 190), 200), ((6, CALL, 12, 45), 200), ((6, CALL, 40), 48),
    ],
)  # fmt: skip
def test_a_look_ahead_begins_at_the_opponents_action_and_has_it(line, stack):
    """Whatever its size, all-in or nearly so: who answers it has all sizes that the rest of the stacks allows."""
    thinker, public = search(), at(*line, stack=stack)
    kept = Kept(np.ones(len(COMBOS)), np.zeros(len(COMBOS)), np.ones(len(COMBOS)))
    look = thinker.solve(public, public.player, kept)
    tree = look.layout.tree
    assert tree.kind[0] == 1 - public.player
    assert tree.kind[look.node] == public.player
    assert tree.action(look.node).number == line[-1]
    offered = [action.number for action in tree.actions(look.node)]
    assert set(offered) <= set(public.legal_actions())
    assert max(offered) == max(public.legal_actions())
    np.testing.assert_allclose(look.range_strategy().chances.sum(axis=1), 1.0, atol=1e-6)


def test_the_opponents_range_is_what_they_are_thought_to_have():
    """A quarter of it is any hand, which may leave: the rest is the estimate, and so is what is carried on."""
    public, estimate = at(6, CALL, CALL), parse_range("AA, KQs, 66, 98s")
    thinker = search(estimate=0.75)
    begun = thinker.prepared(public, 1, Kept(np.ones(len(COMBOS)), np.zeros(len(COMBOS)), estimate))
    live = blocked(np.ones(len(COMBOS)), public.board)
    weights, bound = begun.spot.ranges[0], begun.gadget.bound
    assert (weights * bound).sum() / weights.sum() == pytest.approx(0.75)
    np.testing.assert_allclose((weights * bound) / (weights * bound).max(), estimate * live, atol=1e-9)
    look = thinker.solve(public, 1, Kept(np.ones(len(COMBOS)), np.zeros(len(COMBOS)), estimate))
    after = look.kept(look.step(public, 6), 1)
    assert not after.estimate[estimate * live == 0].any()


def test_bets_of_any_size_are_answered_by_their_size():
    folds = []
    for bet in (4, 13, 30):  # a third, all and two and a half of the pot
        found = Resolver(search(4, 4, 4, 60)).range_strategy(at(6, CALL, CALL, CALL, CALL, CALL, bet))
        folds.append(found.chances[~np.isin(COMBOS, BOARD).any(axis=1)][:, found.actions.index(FOLD)].mean())
    assert folds[0] < folds[1] - 0.05 < folds[2] - 0.1


@pytest.mark.parametrize("stack", [40, 200, 400, (30, 150)])
def test_whole_hands_are_played(stack):
    resolver, rng = Resolver(search()), np.random.default_rng(1)
    ends = [played_out(resolver, holdem(stack=stack), rng) for _ in range(3)]
    assert set().union(*(streets for _, streets in ends)) == {0, 1, 2, 3}
    state, streets = played_out(resolver, holdem(stack=stack), rng, bold=True)
    assert streets == {0}
    assert 0 in state.stacks


def test_the_same_history_is_played_by_the_same_bytes():
    late = at(6, CALL, 7, CALL, CALL, 20, CALL, CALL)
    one, two = Resolver(search()), Resolver(search())
    one.range_strategy(at(6))
    found = [each.range_strategy(late).chances.tobytes() for each in (one, two)]
    assert found[0] == found[1]


def test_a_turn_can_end_with_its_street():
    """What is conceded on the rivers is, on average, what was conceded before them; 44 of the 48 can come."""
    public = at(6, CALL, CALL, CALL, CALL)
    cut = search(turn="network").solve(public, 1, Kept(np.ones(len(COMBOS)), np.zeros(len(COMBOS))))
    assert len(cut.layout.boards) == 1
    rivers = [card for card in range(52) if card not in BOARD[:4]]
    kept = cut.kept_after(public.apply(CALL), [(*BOARD[:4], card) for card in rivers], 1)
    place = cut._place(public.apply(CALL))
    leaf = Leaves(np.array([BOARD[:4]], np.uint8), np.array([public.pot]), np.array([public.stacks[0]]))
    worth = EquityLeaves().bind(leaf)(np.stack(place.ranges)[None])[0, 0]
    np.testing.assert_allclose(np.mean([each.conceded for each in kept], axis=0) * 48 / 44, worth, atol=1e-2)


class Clock:
    """A solver that takes a hundredth of a second for each iteration, and the time that it tells."""

    iterations = 0

    def run(self, iterations):
        self.iterations += iterations

    def perf_counter(self):
        return 5 + self.iterations / 100


@pytest.mark.parametrize(("seconds", "iterations"), [(0.01, 10), (1, 103), (0, 8)])
def test_thinking_for_seconds_goes_on_until_then(seconds, iterations, monkeypatch):
    """At least a little, then by tenths of what was done before; without a limit by iterations."""
    solver = Clock()
    monkeypatch.setattr("ludus.search.holdem.time", solver)
    Effort(QUICK.iterations, seconds).run(solver, 3, solver.perf_counter())
    assert solver.iterations == iterations


@pytest.mark.parametrize(("seconds", "iterations"), [(0.01, 10), (1, 50), (0.25, 26)])
def test_iterations_may_end_it_before_the_seconds(seconds, iterations, monkeypatch):
    solver = Clock()
    monkeypatch.setattr("ludus.search.holdem.time", solver)
    Effort((8, 8, 8, 50), seconds, capped=True).run(solver, 3, solver.perf_counter())
    assert solver.iterations == iterations


def test_settings_are_checked():
    with pytest.raises(ValueError, match="1 to 100,000 iterations"):
        Effort((1, 2, 3, 0))
    with pytest.raises(ValueError, match="number of seconds"):
        Effort(seconds=float("nan"))
    with pytest.raises(ValueError, match="'exact' or by 'network'"):
        HoldemSearch(EQUITY, turn="no")
    with pytest.raises(ValueError, match="0 to 1, got 2"):
        HoldemSearch(EQUITY, estimate=2)
    with pytest.raises(ValueError, match="leaf values of the stage 'flop'"):
        HoldemSearch({"preflop-end": EquityLeaves()})
    assert HoldemSearch(EQUITY, bets=Menu.parse("50%")).subgame(at()).rules.add_all_in == 0


def test_the_agent_plays_hold_em_by_its_name():
    agent = make("resolver:equity,iterations=20", holdem())
    found = agent.range_strategy(at())
    np.testing.assert_allclose(found.chances.sum(axis=1), 1.0, atol=1e-6)
    forced = holdem(stack=(40, 1), dialect="acpc").start().deal(range(9)).seen_by(-1)
    assert agent.range_strategy(forced).actions == (CALL,)
    for game in (holdem(players=3), holdem(betting="limit"), holdem(blinds=(2, 2))):
        with pytest.raises(ValueError, match="heads-up no-limit"):
            make("resolver:equity", game)
    for name, reason in (
        ("resolver:nofile", "values=equity"),
        ("resolver:equity,bets=any", "needs sizes"),
        ("resolver:equity,turn=no", "'exact' or by 'network'"),
        ("resolver:equity,seconds=-1", "number of seconds"),
        ("resolver:equity,threads=0", "1 to 64 threads"),
        ("resolver:equity,iterations=1000000000", "iterations"),
    ):
        with pytest.raises(ValueError, match=reason):
            make(name, holdem())
    for name in ("resolver:seconds=1", "resolver:turn=network", "resolver:threads=1"):
        with pytest.raises(ValueError, match="for hold'em"):
            make(name, leduc_nl())
