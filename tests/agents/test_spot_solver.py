"""The player that solves the last streets: against solutions that are known, and where it cannot solve."""

from dataclasses import replace

import numpy as np
import pytest

from ludus import agents, games
from ludus.agents import CallAgent, RandomAgent, SpotSolverAgent, draw, spot_solver
from ludus.agents.spot_policy import after_policy, places, policy
from ludus.agents.spot_solver import subgame_of
from ludus.cards.card import parse_cards
from ludus.cards.ranges import COMBOS, combo_index, parse_range
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, holdem
from ludus.games.acpc import read_game
from ludus.games.menu import Menu
from ludus.games.record import replay
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import solve_spot
from ludus.trees.spot import Spot

DECK = [*parse_cards("AhQd9c8cKs7h4d2cJs")]
DECK += [card for card in range(52) if card not in DECK]


def at(betting, game=None, deck=DECK):
    return replay(game or holdem(), betting, deck)


@pytest.mark.parametrize(
    ("betting", "line"),
    [("r6c/cc/cc/", ""), ("r6c/cc/cc/c", "X"), ("r6c/cr15c/cc/r38", "B23"), ("cc/cc/cc/cr7r30", "X-B5-B28")],
)
def test_it_plays_the_solution_of_the_river(betting, line):
    """The same ranges, pot and bets, solved and read in another way; 23 and 28 chips are not among its sizes."""
    agent, state = SpotSolverAgent(iterations=40), at(betting)
    subgame, *_ = subgame_of(at(betting.rpartition("/")[0] + "/"), state.line[-1])
    ranges = agent.ranges(state.seen_by(-1))
    solution = Solution.of(solve_spot(Spot(subgame, np.stack(ranges)), iterations=40))
    view = solution.at(line)
    assert (view.player, view.pot, view.to_call) == (state.player, state.pot, state.to_call())
    played = agent.range_strategy(state.seen_by(-1))
    assert [action.number for action in view.actions] == list(played.actions)
    np.testing.assert_allclose(played.chances[view.combos[view.player]], view.strategy.T, atol=1e-4)
    mine = played.chances[combo_index(*state.hole(state.player))]
    assert list(agent.strategy(state.seen_by(state.player)).values()) == mine[mine > 0].tolist()
    assert not agent.fallbacks


class Fixed(SpotSolverAgent):
    """With ranges that are given."""

    def ranges(self, public):
        return FIXED


FIXED = parse_range("AhAd, AhAc, AdAc, JdTd, JcTc, JhTh, JdTc, JcTh, JhTd"), parse_range("KhQh, KdQd, KcQc, KhQd, KdQc")


def test_half_nuts_half_nothing_against_hands_in_between():
    """All-in for the pot: half as many bluffs as hands that win, and every second hand in between calls."""
    deck = [*parse_cards("AhAd"), *parse_cards("KhQh"), *parse_cards("As8s7d5c2h")]
    game, agent = holdem(stack=6), Fixed(iterations=1000)
    first = at("cc/cc/cc/", game, [*deck, *(card for card in range(52) if card not in deck)])
    assert (first.pot, first.stacks) == (4, (4, 4))
    opening = agent.range_strategy(first.seen_by(-1))
    bets = dict(zip(opening.actions, opening.chances.T, strict=True))[4]
    strong = [at for at in np.flatnonzero(FIXED[0]) if COMBOS[at].min() >= 48]
    bluffs = [at for at in np.flatnonzero(FIXED[0]) if COMBOS[at].max() < 48]
    assert bets[strong].mean() == pytest.approx(1, abs=0.02)
    assert bets[bluffs].sum() == pytest.approx(1.5, abs=0.1)
    reply = agent.range_strategy(first.apply(4).seen_by(-1))
    calls = dict(zip(reply.actions, reply.chances.T, strict=True))[CALL]
    assert calls[np.flatnonzero(FIXED[1])].mean() == pytest.approx(0.5, abs=0.05)


def test_one_decision_takes_one_number_and_the_same_one_gives_the_same_action():
    state = at("r6c/cc/cc/c").seen_by(1)
    mixed = SpotSolverAgent(iterations=10).strategy(state)
    for seed in range(5):
        action = SpotSolverAgent(iterations=10).act(state, np.random.default_rng(seed))
        assert action == draw(mixed, np.random.default_rng(seed).random())


def test_the_turn_is_solved_where_it_is_wanted_and_changes_the_ranges():
    agent, other = SpotSolverAgent(3, "turn,river"), SpotSolverAgent(3)
    turn, river = at("r6c/cc/r9"), at("r6c/cc/r9c/c")
    assert len(agent._solutions) == 0
    played = agent.range_strategy(turn.seen_by(-1))
    assert len(agent._solutions) == 1
    assert played.actions == (FOLD, CALL, 21)  # of the pot; all-in would be many of them
    seen, before = agent.ranges(river.seen_by(-1)), agent.ranges(turn.seen_by(-1))
    assert len(agent._solutions) == 1  # the same turn is not solved again
    called = before[1] * played.chances[:, 1]
    called = 0.95 * called + 0.05 * before[1] * called.sum() / before[1].sum()
    live = ~np.isin(COMBOS, river.board).any(axis=1)
    np.testing.assert_allclose(seen[1][live], (called / called[live].max())[live])
    assert not np.allclose(seen[0], other.ranges(river.seen_by(-1))[0])
    agent.range_strategy(river.seen_by(-1))
    assert len(agent._solutions) == 2
    assert not agent.fallbacks


def test_seconds_end_a_solve_early():
    slow, quick = SpotSolverAgent(iterations=10**6, seconds=0.05), SpotSolverAgent(iterations=10)
    state = at("r6c/cc/cc/c")
    assert slow.strategy(state.seen_by(1)).keys() <= quick.strategy(state.seen_by(1)).keys()


ACPC = read_game("holdem.nolimit.2p.reverse_blinds.game")
KINDS = {  # actions of each street
    "short": (holdem(stack=(30, 77)), (6, 0), (0, 0), (0, 0), (24,)),  # all-in of the smaller stack
    "covered": (holdem(stack=(77, 30)), (6, 0), (0, 0), (0, 0), (50,)),  # more than the other has
    "one chip": (holdem(stack=(77, 31)), (6, 0), (0, 0), (0, 0), (24,)),  # all but one
    "antes": (holdem(stack=100, ante=1, blinds=(3, 5)), (15, 0), (0, 9, 0), (37, 0), (0, 20, 38)),
    "raises": (holdem(stack=400), (0, 0), (0, 0), (0, 0), (2, 5, 9, 14, 20, 28)),  # more than it looks at by itself
    "acpc": (replace(ACPC, stacks=(900, 900)), (300, 0), (0, 0), (0, 0), (0, 500)),
    "limit": (read_game("holdem.limit.2p.reverse_blinds.game"), (20, 0), (0, 0), (20, 0), (0, 20, 40, 60)),
    "pot-limit": (holdem(betting="pot-limit"), (6, 0), (0, 0), (0, 0), (10,)),
    "bet set": (holdem(bets=Menu.pots(0.5, 2.0)), (4, 0), (0, 0), (0, 0), (4,)),
    "no stack": (holdem(stack=2**31 - 1), (6, 0), (0, 0), (0, 0), (2_000_000,)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_stacks_blinds_and_bets_of_every_kind_are_solved(kind):
    game, *line = KINDS[kind]
    agent, state = SpotSolverAgent(iterations=5), game.start()
    for action in [action for street in line for action in street]:
        while state.player == CHANCE:
            state = state.deal(DECK)
        state = state.apply(action)
    mixed = agent.strategy(state.seen_by(state.player))
    assert sum(mixed.values()) == pytest.approx(1)
    assert all(action in state.legal_actions() for action in mixed)
    assert agent._solutions
    assert not agent.fallbacks


def test_what_cannot_be_solved_is_played_by_the_policy(monkeypatch):
    agent, state = SpotSolverAgent(iterations=5), at("r6c/cc/cc/cr12")

    def refuse(*_):
        raise ValueError("no room")

    monkeypatch.setattr(spot_solver, "SpotSolver", refuse)
    played = agent.range_strategy(state.seen_by(-1))
    assert agent.fallbacks == {"no room": 1}
    own = agent.ranges(state.seen_by(-1))[0]
    own = after_policy(at("r6c/cc/cc/").seen_by(-1), own, CALL)
    np.testing.assert_array_equal(played.chances, policy(state, own).chances)
    monkeypatch.setattr(spot_solver, "MOST_BYTES", 10)
    assert agent.act(state.seen_by(0), np.random.default_rng(0)) in state.legal_actions()
    assert any("GiB" in reason for reason in agent.fallbacks)


SHORT_DECK = replace(holdem(), deck=tuple(range(16, 52)), name="short deck")


@pytest.mark.parametrize(
    "game", [games.kuhn(), games.leduc(), holdem(players=3), SHORT_DECK], ids=lambda game: game.name
)
def test_other_games_are_refused(game):
    state = game.start().deal(game.deck)
    with pytest.raises(ValueError, match="plays heads-up hold'em only"):
        SpotSolverAgent().act(state.seen_by(state.player), np.random.default_rng(0))


# The policy


def shares(public, own=None):
    """How much of a range folds, calls and raises."""
    own = np.ones(len(COMBOS)) if own is None else own
    played = policy(public, own)
    np.testing.assert_allclose(played.chances.sum(axis=1), 1)
    assert played.chances.min() >= 0
    return np.average(played.chances, axis=0, weights=own)


def test_places_are_shares_of_the_own_range():
    own = np.zeros(4)
    own[[0, 3]] = 1.0
    assert places(np.array([0.9, 0.8, 0.7, 0.1]), own).tolist() == [0.25, 0.5, 0.5, 0.75]


def test_ranges_are_played_in_the_shares_that_the_policy_names():
    button = holdem().start().deal(DECK)
    assert shares(button) == pytest.approx([0.15, 0.15, 0.7], abs=0.01)
    assert shares(button.apply(CALL)) == pytest.approx([0, 0.65, 0.35], abs=0.01)
    for to in (6, 20, 200):  # the share that goes on makes a bluff worthless
        facing = button.apply(to)
        folds = facing.to_call() / facing.pot
        assert shares(facing)[0] == pytest.approx(folds, abs=0.01)
    flop = at("r6c/")
    live = (~np.isin(COMBOS, flop.board).any(axis=1)).astype(float)
    assert shares(flop, live) == pytest.approx([0, 0.6, 0.4], abs=0.03)
    assert shares(at("r6c/r15"), live)[0] == pytest.approx(9 / 21, abs=0.02)


def test_good_hands_raise_and_bad_ones_fold():
    button, own = holdem().start().deal(DECK), np.ones(len(COMBOS))
    opening = policy(button, own)
    assert opening.actions == (FOLD, CALL, 6)
    for hand, action in (("AhAd", 2), ("7h2c", 0)):
        assert opening.chances[combo_index(*parse_cards(hand)), action] == 1
    raised = after_policy(button, own, 6)
    aces, worst = (raised[combo_index(*parse_cards(hand))] for hand in ("AhAd", "7h2c"))
    assert 0 < worst < 0.05 * aces  # no hand is ever quite ruled out


# Matches


def duplicate(agent, opponent, pairs, seed, stack=200):
    """Chips won a hand: every deal is played twice, with the seats changed."""
    rng, results, game = np.random.default_rng(seed), [], holdem(stack=stack)
    for _ in range(pairs):
        deck, won = rng.permutation(52).tolist(), 0.0
        for seat in (0, 1):
            state = game.start()
            while state.player != TERMINAL:
                if state.player == CHANCE:
                    state = state.deal(deck)
                    continue
                player = agent if state.player == seat else opponent
                action = player.act(state.seen_by(state.player), rng)
                assert action in state.legal_actions()
                state = state.apply(action)
            won += state.returns()[seat]
        results.append(won / 2)
    return np.array(results)


def test_it_gets_through_hands_against_anybody():
    for opponent in ("call", "loose"):
        agent = SpotSolverAgent(iterations=3)
        assert len(duplicate(agent, agents.make(opponent), 8, seed=3, stack=60)) == 8
        assert agent._solutions
        assert not agent.fallbacks


@pytest.mark.slow
@pytest.mark.parametrize(("opponent", "pairs"), [(CallAgent(), 150), (RandomAgent(), 400)])
def test_it_beats_who_does_not_look_at_his_cards(opponent, pairs):
    won = duplicate(SpotSolverAgent(iterations=20), opponent, pairs, seed=1)
    assert won.mean() > 1.96 * won.std() / np.sqrt(len(won))
