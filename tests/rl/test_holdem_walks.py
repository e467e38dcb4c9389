"""Deep CFR's walks through hold'em, against hands replayed by the compiled engine."""

from dataclasses import replace

import numpy as np
import pytest

from ludus.agents import make
from ludus.agents.blueprint import BlueprintAgent
from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.cards.random import streams
from ludus.games import holdem
from ludus.rl.deep_cfr import HOLDEM, DeepCfr
from ludus.rl.holdem_walks import HoldemWalks, deal_many
from ludus.rl.self_play import HoldemPlan, train_holdem
from ludus.solvers.blueprint.presets import make_abstraction
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.running import Limits
from ludus.trees.growing import FOLD, SHOWDOWN

SMALL = replace(HOLDEM, walks=100, steps=5, average_steps=5, batch=64, memory=20_000)


@pytest.fixture(scope="module")
def walks():
    return HoldemWalks(make_abstraction(2, 10, "tree", "aparicio", "100%, a"), 1)


def uniform(seat, rows, can):
    return (can / can.sum(axis=1, keepdims=True)).astype(np.float32)


def test_ends_of_the_tree_pay_what_the_rules_pay(walks):
    """Every end is replayed with the readable rules, by the actions that lead there."""
    tree, game = walks.tree, walks.abstraction.game
    ends = np.flatnonzero((tree.kind == FOLD) | (tree.kind == SHOWDOWN))
    for node in ends[:: max(1, len(ends) // 150)].tolist():
        moves, above = [], node
        while above > 0:
            if tree.player[tree.parent[above]] >= 0:
                fold, raised = tree.done[above] == 1, tree.amount[above]
                moves.append(-1 if fold else int(raised))
            above = int(tree.parent[above])
        state = game.start().deal(game.deck)
        for move in reversed(moves):
            while state.player == -1:
                state = state.deal(game.deck)
            state = state.apply(move)
        while state.player == -1:
            state = state.deal(game.deck)
        for better, strengths in ((1, (1, 0)), (-1, (0, 1)), (0, (1, 1))):
            paid = state.payoffs(strengths)
            for seat in range(2):
                assert walks._won(seat, np.array([node]), np.array([better], np.int8))[0] == paid[seat]


def test_what_an_action_gains_is_zero_on_average(walks):
    met = walks.walk(0, 200, uniform)
    chances = uniform(0, met.rows, met.open)
    np.testing.assert_allclose((met.advantages * chances).sum(axis=1), 0, atol=1e-6)
    assert not met.advantages[~met.open].any()
    players = walks.tree.player[walks.decisions]
    assert (players[met.rows // walks.kinds] == 0).all()
    assert (players[met.other_rows // walks.kinds] == 1).all()
    assert len(met.rows) > 200
    assert np.isfinite(walks.see(met.rows)).all()


def test_a_better_hand_wins_more(walks):
    """Aces gain by going all-in against whoever plays at random; the worst hand does not."""
    met = walks.walk(1, 4000, uniform)
    first = (met.rows // walks.kinds) == int(np.flatnonzero(walks.tree.player[walks.decisions] == 1)[0])
    kinds, all_in = met.rows[first] % walks.kinds, met.advantages[first, -1]
    strong = np.isin(kinds, [0, 1]) if all_in[kinds < 2].mean() > all_in[kinds > 160].mean() else kinds > 160
    assert all_in[strong].mean() > all_in.mean() + 0.05


def test_deals_are_fair(walks):
    kinds, better = np.zeros((4000, 2, 4), np.int32), np.zeros(4000, np.int8)
    deal_many(walks._tables, streams(3, 1)[0].copy(), kinds, better)
    assert abs(better.mean()) < 0.05
    assert kinds[:, :, 0].max() < 169
    makes = kinds[:, 0, 3] % 9 - kinds[:, 1, 3] % 9  # categories
    assert abs(np.corrcoef(makes, better)[0, 1]) > 0.5


def test_a_training_goes_on_and_its_blueprint_plays(tmp_path):
    def trained(name, iterations):
        abstraction = make_abstraction(2, 10, "tree", "aparicio", "100%, a")
        return train_holdem(HoldemPlan(abstraction, tmp_path / name, SMALL, Limits(iterations), seed=2))

    trained("a", 1)
    result = trained("a", 2)
    trained("b", 2)
    assert (result["resumed_from"], result["iterations"], result["walks"]) == (1, 2, 400)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    made = Blueprint.load(tmp_path / "a")
    assert made.training["algorithm"] == "deep-cfr"
    agent = make(f"deep-cfr:{tmp_path / 'a'}", holdem(stack=20))
    assert isinstance(agent, BlueprintAgent)
    log = play_match(MatchPlan(holdem(stack=20), (f"deep-cfr:{tmp_path / 'a'}", "call"), 20, seed=1)).log
    assert len(log.hands) == 20


def test_what_is_written_down_is_what_the_network_says(walks):
    learner = DeepCfr(walks, SMALL, 1)
    made = walks.blueprint(learner.policy, {})
    found = made.find(walks.abstraction.layout.rules, [])
    rows = np.arange(169, dtype=np.int32)
    can = np.tile(walks.open[0], (169, 1))
    np.testing.assert_allclose(made.rows(found, np.arange(169)), learner.policy(rows, can)[:, walks.open[0]], atol=0.01)


def test_other_forms_are_refused():
    with pytest.raises(ValueError, match="in the form of a tree, not bounded"):
        HoldemWalks(make_abstraction(2, 10, "bounded", "aparicio", "100%, a"), 1)


@pytest.mark.slow
def test_buckets_are_shown_by_their_centres():
    """On the river they are in the order of strength, and so are what networks see of them."""
    walks = HoldemWalks(make_abstraction(2, 10, "tree", "200", "100%, a"), 1)
    kinds, better = np.zeros((4000, 2, 4), np.int32), np.zeros(4000, np.int8)
    deal_many(walks._tables, streams(3, 1)[0].copy(), kinds, better)
    river = kinds[:, 0, 3] - kinds[:, 1, 3]
    assert np.corrcoef(river, better)[0, 1] > 0.7
    axis = walks._cards[3, :200, 3 * 9]
    assert abs(np.corrcoef(axis, np.arange(200))[0, 1]) > 0.9
