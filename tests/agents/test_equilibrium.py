"""The equilibria of small games as players: at the terminal, in the arena and at web tables."""

from dataclasses import replace

import numpy as np
import pytest

from ludus import games
from ludus.agents import make
from ludus.agents.equilibrium import equilibrium, exploitabilities, solved_game
from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.games.record import hole_hands


@pytest.mark.parametrize("game", [games.kuhn(), games.leduc(), replace(games.kuhn(), stacks=(10, 10))])
def test_it_plays_as_it_was_solved(game):
    agent = make("equilibrium", game)
    state = game.start().deal(game.deck)
    seen = state.seen_by(state.player)
    mix = agent.strategy(seen)
    assert mix == equilibrium(game.name).strategy.at(0, seen.information_state(0))
    whole = agent.range_strategy(state.seen_by(-1))
    row = dict(zip(whole.actions, whole.chances[hole_hands(game).index(state.hole(0))].tolist(), strict=True))
    assert {action: chance for action, chance in row.items() if chance} == pytest.approx(mix)


def test_its_actions_come_as_often_as_it_says():
    game = games.kuhn()
    agent, rng = make("equilibrium", game), np.random.default_rng(1)
    seen = game.start().deal(game.deck).apply(0).seen_by(1)
    drawn = [agent.act(seen, rng) for _ in range(2000)]
    assert np.mean([action == 0 for action in drawn]) == pytest.approx(agent.strategy(seen)[0], abs=0.04)


@pytest.mark.parametrize(
    ("game", "why"),
    [
        (games.holdem(), "equilibria are kept of kuhn, leduc, leduc-nl"),
        (replace(games.leduc_nl("any"), stacks=(500, 500)), "another game"),
        (replace(games.kuhn(), deck=games.leduc().deck), "another game"),
    ],
)
def test_it_plays_no_other_games(game, why):
    with pytest.raises(ValueError, match=why):
        make("equilibrium", game)


def test_it_meets_others_in_the_arena():
    log = play_match(MatchPlan(games.leduc(), ("equilibrium", "random"), 40, seed=1)).log
    assert len(log.hands) == 40
    assert not any(hand.forfeits for hand in log.hands)


def test_how_good_the_small_ones_are():
    assert equilibrium("kuhn").exploitability < 2e-5
    assert solved_game("leduc") == games.leduc()
    assert set(exploitabilities()) == {"kuhn", "leduc", "leduc-nl"}
