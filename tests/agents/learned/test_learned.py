"""Networks that learnt by playing themselves, as players."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.agents import make
from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.arena.whole_strategy import whole_strategy
from ludus.games import holdem, kuhn, leduc, leduc_nl
from ludus.rl.policy import SHIPPED, shipped_policies
from ludus.solvers import measure

LIMITS = {
    ("nfsp", "kuhn"): 40, ("nfsp", "leduc"): 300, ("deep-cfr", "kuhn"): 20, ("deep-cfr", "leduc"): 50,
    ("deep-cfr", "leduc-nl"): 60,
}  # fmt: skip


@pytest.mark.parametrize(("name", "game"), LIMITS, ids=" ".join)
def test_it_is_as_hard_to_exploit_as_its_file_says(name, game):
    """Without PyTorch, from the table's own observations."""
    played = {"kuhn": kuhn, "leduc": leduc, "leduc-nl": leduc_nl}[game]()
    (found,) = measure(whole_strategy(make(name, played), played))
    said = next(each.origin["exploitability_mbb"] for each in shipped_policies(name) if each.rules["name"] == game)
    assert 1000 * found.exploitability / played.big_blind == pytest.approx(said, rel=1e-3)
    assert said < LIMITS[name, game]


def test_stacks_do_not_matter_in_a_limit_game():
    whole, short = leduc(), replace(leduc(), stacks=(50, 50))
    agent = make("nfsp", short)
    one, other = (game.start().deal(game.deck) for game in (whole, short))
    assert agent.strategy(other.seen_by(0)) == make("nfsp", whole).strategy(one.seen_by(0))


def test_a_file_can_be_named():
    agent = make(f"nfsp:{SHIPPED / 'nfsp' / 'leduc.safetensors'}", leduc())
    state = leduc().start().deal(leduc().deck)
    mix = agent.strategy(state.seen_by(0))
    assert mix == make("nfsp", leduc()).strategy(state.seen_by(0))
    drawn = [agent.act(state.seen_by(0), np.random.default_rng(seed)) for seed in range(300)]
    assert np.mean([action == 0 for action in drawn]) == pytest.approx(mix[0], abs=0.1)


@pytest.mark.parametrize("game", [holdem(betting="limit"), leduc_nl(), replace(kuhn(), deck=leduc().deck)])
def test_it_plays_no_other_games(game):
    with pytest.raises(ValueError, match="has learnt holdem and kuhn and leduc"):
        make("nfsp", game)


@pytest.mark.parametrize("players", [2, 3])
def test_it_wins_from_random_players_of_holdem(players):
    """Ten big blinds, as it has learnt, heads-up and against two at once."""
    game = holdem(players, stack=100, blinds=(5, 10))
    names = ("nfsp", *["random"] * (players - 1))
    log = play_match(MatchPlan(game, names, 400, seed=2)).log
    won = [hand.values[hand.names.index("nfsp")] for hand in log.hands]
    assert not any(hand.forfeits for hand in log.hands)
    assert np.mean(won) > np.std(won) / len(won) ** 0.5


def test_it_says_the_same_of_the_same_situation_of_holdem():
    game = holdem(4, stack=(60, 100, 250, 90), blinds=(5, 10))
    agent, state = make("nfsp", game), game.start().deal(game.deck)
    mix = agent.strategy(state.seen_by(state.player))
    assert sum(mix.values()) == pytest.approx(1)
    assert set(mix) <= set(state.legal_actions())
    assert agent.strategy(state.seen_by(state.player)) == mix


@pytest.mark.parametrize("name", ["nfsp", "deep-cfr"])
def test_it_meets_others_in_the_arena(name):
    log = play_match(MatchPlan(leduc(), (name, "random"), 40, seed=1)).log
    assert len(log.hands) == 40
    assert not any(hand.forfeits for hand in log.hands)
