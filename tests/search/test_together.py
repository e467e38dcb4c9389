"""Look-aheads of many tables solved together: the same play as alone, at tables of a match and of LBR."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ludus.agents import make
from ludus.games import CALL, holdem
from ludus.games.base import CHANCE
from ludus.nets.holdem.network import STAGES, HandNetwork, HandShape
from ludus.search.holdem import Effort, HoldemSearch
from ludus.search.resolver import Resolver

pytest.importorskip("torch")

from ludus.search.together import TogetherSearch, batches_of

SMALL = HandShape(pooled=4, context=4, width=4, layers=2)
EFFORT = Effort((6, 6, 6, 20))


@pytest.fixture(scope="module")
def networks():
    """A network of every stage, whose numbers mean little."""
    rng = np.random.default_rng(0)

    def weights():
        return {name: (0.2 * rng.standard_normal(size)).astype(np.float32) for name, size in SMALL.arrays.items()}

    return {stage: HandNetwork(SMALL, weights(), stage, {}) for stage in STAGES}


@pytest.fixture(scope="module")
def folder(networks, tmp_path_factory):
    place = tmp_path_factory.mktemp("networks")
    for stage, network in networks.items():
        network.save(place / f"{stage}.safetensors")
    return place


def states():
    """Public states of a hand, one on every street and one that faces a bet."""
    game = holdem(stack=60)
    state, found = game.start().deal(game.deck), []
    for action in (6, CALL, CALL, 9, CALL, CALL, CALL, 20):
        found.append(state.seen_by(-1))
        state = state.apply(action)
        if state.player == CHANCE:
            state = state.deal(game.deck)
    return [*found, state.seen_by(-1)]


def test_together_as_alone(networks):
    search = HoldemSearch(networks, EFFORT, "network")
    alone, together = Resolver(search), Resolver(TogetherSearch(search, batches_of(networks, "cpu")))
    for public in states():
        one, two = alone.range_strategy(public), together.range_strategy(public)
        assert one.actions == two.actions
        assert np.abs(one.chances - two.chances).mean() < 0.01  # rounding decides where two actions are worth the same
        np.testing.assert_allclose(two.chances.sum(axis=1), 1, atol=1e-5)


def test_the_same_networks_share_their_batches(networks):
    assert batches_of(networks, "cpu") is batches_of(networks, "cpu")
    assert batches_of(dict(networks), "cpu") is not batches_of(networks, "cpu")


def test_matches_and_lbr_at_several_tables(ludus, folder):
    player = f"resolver:{folder},iterations=60,device=cpu"
    code, out, _ = ludus("match", player, "call", "--stack", 20, "--hands", 6, "--tables", 3, "--seed", 1, "--json")
    found = json.loads(out)
    assert (code, found["hands"]) == (0, 6)
    code, out, _ = ludus("lbr", player, "--stack", 20, "--bets", "fc", "--hands", 4, "--tables", 2, "--json")
    assert (code, json.loads(out)["hands"]) == (0, 4)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("device=banana", "there is no device 'banana' here"),
        ("equity,device=cpu", "leave out seconds and equity"),
        ("device=cpu,seconds=1", "leave out seconds and equity"),
    ],
)
def test_what_cannot_be_played_on_a_device_is_refused(folder, settings, said):
    spec = f"resolver:{settings}" if settings.startswith("equity") else f"resolver:{folder},{settings}"
    with pytest.raises(ValueError, match=said):
        make(spec, holdem())
