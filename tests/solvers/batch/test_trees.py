"""Streets with trees of their own, solved together: the same as one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from ludus.cards.card import parse_cards
from ludus.cards.ranges import COMBOS
from ludus.games.menu import BetRules, Menu, PlayerSizes
from ludus.games.sizes import Sizes
from ludus.solvers.leaf_values import Evaluate
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.spot.gadget import Gadget
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.leaf_solvers import EquityLeaves
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.spot import Spot
from ludus.trees.subgame import Subgame

torch = pytest.importorskip("torch")

from ludus.solvers.batch.trees import Asked, StreetTrees  # noqa: E402

MENU = Menu(((PlayerSizes((Sizes.parse("50%, 100%, a"), Sizes.parse("a"), Sizes())),),))


def subgame(board, pot, stacks, **settings):
    return Subgame(tuple(parse_cards(board)), pot, stacks, MENU, BetRules(min_bet=2), **settings)


RIVERS = [
    subgame("Ks Th 6h 4c 2d", 100, (300, 300)),
    subgame("Ks Th 6h 4c 2d", 80, (250, 200), bets=(0, 50), player=0, raises=1),
    subgame("As Ad 6h 6c 2d", 60, (30, 30)),
]
FLOPS = [
    subgame("Ks Th 6h", 100, (300, 300), depth=1),
    subgame("8s 8h 3d", 40, (90, 70), bets=(20, 40), player=0, raises=1, depth=1),
]


class Equities:
    """Leaf values without a network, for both kinds of solvers."""

    def bind_tensors(self, leaves, device):
        return BoundEquities(EquityLeaves().bind(leaves))


@dataclass
class BoundEquities:
    evaluate: Evaluate

    def settle(self, reach):
        pass

    def values(self, reach, player):
        return torch.from_numpy(self.evaluate(reach.numpy())[:, player])


@pytest.mark.parametrize("algorithm", ["dcfr+", "dcfr", "cfr+"])
@pytest.mark.parametrize("subgames", [RIVERS, FLOPS])
def test_together_as_one_by_one(subgames, algorithm):
    rng = np.random.default_rng(1)

    def gadget(at):
        return Gadget(at % 2, 9 * rng.normal(size=len(COMBOS)) * 300, at / 3 * rng.random(len(COMBOS)))

    asked = [Asked(each, rng.random((2, len(COMBOS))), gadget(at) if at else None) for at, each in enumerate(subgames)]
    values = Equities() if subgames is FLOPS else None
    together = StreetTrees(asked, ALGORITHMS[algorithm], torch.device("cpu"), values)
    together.run(12)
    for each, found in zip(asked, together.found(), strict=True):
        spot = Spot(each.subgame, each.ranges)
        alone = SpotSolver(
            Layout.of(spot), ALGORITHMS[algorithm], leaf_values=EquityLeaves() if values else None, gadget=each.gadget
        )
        alone.run(12)
        if alone.choice is not None:
            alone.reach[alone.choice.player] = alone.choice.average()[1]
        assert len(found.tree) == len(alone.layout.tree)
        for player in (0, 1):
            combos = alone.layout.boards[0].hands[player].combo
            expected = alone.follow(player, alone.sums)
            np.testing.assert_allclose(found.values[0, player, combos], expected, atol=2e-4 * np.abs(expected).max())
            np.testing.assert_allclose(found.reach[player, combos], alone.reach[player], atol=2e-3)


def test_a_frontier_needs_values():
    with pytest.raises(ValueError, match="give values for their frontier"):
        StreetTrees([Asked(FLOPS[0], np.ones((2, len(COMBOS))))], ALGORITHMS["dcfr+"], torch.device("cpu"), None)
