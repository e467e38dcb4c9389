"""A look-ahead of hold'em that has been solved: how its first decision is played, and what is carried on from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ludus.cards.distribution import weight_met
from ludus.cards.ranges import COMBOS, Weights, blocked
from ludus.games.moves import CALL
from ludus.games.poker import PokerState
from ludus.search.resolver import Kept
from ludus.solvers.beliefs import RangeStrategy
from ludus.solvers.leaf_values import LeafValues, Leaves
from ludus.solvers.spot.gadget import Gadget
from ludus.solvers.spot.kernels.compact import Places, normalised, rows_of
from ludus.solvers.spot.layout import Layout, Tables
from ludus.solvers.spot.leaf_solvers import EquityLeaves
from ludus.solvers.spot.line import Pair, Place, start_of
from ludus.solvers.spot.solver import SpotSolver
from ludus.solvers.spot.traverser import Traverser
from ludus.trees.betting import FOLD, IP, BettingTree
from ludus.trees.spot import Spot
from ludus.trees.translation import pot_fraction

if TYPE_CHECKING:
    from ludus.solvers.batch.trees import Found

TREMBLE = 1e-6  # how often an action is taken that is never played, so that there is a range after it
RIVERS = 44  # that can come for two given hands


@dataclass(frozen=True, eq=False)
class Begun:
    """Where a look-ahead begins: at a decision of the player, or at the opponent's right before it."""

    public: PokerState
    action: int | None  # what the opponent did there; None where the player acts first
    spot: Spot
    gadget: Gadget | None

    def node(self, tree: BettingTree) -> int:
        """The player's decision."""
        if self.action is None:
            return 0
        numbers = [known.number for known in tree.actions(0)]
        return tree.children(0)[numbers.index(min(self.action, self.spot.stack))]


@dataclass(frozen=True, eq=False)
class HoldemLookAhead:
    """Average strategies, the ranges that they start from, and what they concede on the first street."""

    public: PokerState  # at the root
    player: int
    node: int  # the decision that it was made for: the root, or behind the opponent's action there
    layout: Layout
    average: Tables  # on the first street with every action taken now and then
    rows: dict[int, int]  # by decision of the first street: the first of its rows in the table of who decides
    chances: Weights  # [actions, hands]: the average strategy at that decision
    reach: Pair  # at the root: the player's range and the one that the opponent is thought to have
    conceded: dict[int, Weights]  # by decision of the first street: the opponent's values
    after_card: LeafValues | None  # values at the beginning of the next street; None where that is solved, too

    @classmethod
    def of(cls, solver: SpotSolver, begun: Begun, player: int, after_card: LeafValues | None) -> HoldemLookAhead:
        """What is worth keeping of a solver; its regrets are not."""
        layout, plan, at = solver.layout, solver.plans[0][player], begun.node(solver.layout.tree)
        reach = [*solver.reach]
        if (choice := solver.choice) is not None:
            solver.reach[choice.player] = follows = choice.average()[1]
            reach[choice.player] = choice.bound if choice.bound.any() else follows
        rows = dict(zip(plan.node.tolist(), plan.row.tolist(), strict=True))
        average, chances = solver.average(), np.zeros(0)  # the solver's own tables, which nobody needs any more
        for node, first in rows.items():
            played = _rows(layout, average, node, first)
            chances = normalised(played) if node == at else chances
            played += TREMBLE * (played.sum(axis=0) / len(played) - played)
        nodes, values = solver.node_values(1 - player, average, 0, 0)
        conceded = dict(zip(nodes.tolist(), np.zeros((len(nodes), len(COMBOS))), strict=True))
        for node, row in zip(nodes.tolist(), values, strict=True):
            conceded[node][layout.boards[0].hands[1 - player].combo] = row
        ranges = reach[0].astype(np.float64), reach[1].astype(np.float64)
        return cls(begun.public, player, at, layout, average, rows, chances, ranges, conceded, after_card)

    @classmethod
    def of_found(
        cls, found: Found, layout: Layout, begun: Begun, player: int, after_card: LeafValues | None
    ) -> HoldemLookAhead:
        """The same of a street that was solved together with others."""
        tree, hands, at = layout.tree, layout.boards[0].hands, begun.node(layout.tree)
        first_row = Places.of(tree).strategy
        rows = {node: int(first_row[node]) for node in range(len(tree)) if tree.kind[node] <= IP}
        average = [[np.zeros(layout.rows[0][who] * len(hands[who].combo), np.float32) for who in (0, 1)]]
        for node, first in rows.items():
            played = found.chances[list(tree.children(node))][:, hands[tree.kind[node]].combo]
            _rows(layout, average, node, first)[:] = (1 - TREMBLE) * played + TREMBLE / len(played)
        chances = found.chances[list(tree.children(at))][:, hands[tree.kind[at]].combo].astype(np.float64)
        ranges = found.reach.astype(np.float64)
        if (gadget := begun.gadget) is not None and gadget.bound.any():
            ranges[gadget.player] = layout.ranges[gadget.player] * gadget.bound
        reach = ranges[0, hands[0].combo], ranges[1, hands[1].combo]
        conceded = {node: found.values[node, 1 - player].astype(np.float64) for node in rows}
        return cls(begun.public, player, at, layout, average, rows, chances, reach, conceded, after_card)

    @cached_property
    def numbers(self) -> int:
        """How many numbers it holds."""
        hands = sum(each.combo.size for boards in self.layout.boards for each in boards.hands)
        return (
            sum(table.size for tables in self.average for table in tables)
            + 8 * hands
            + 2 * len(COMBOS) * len(self.conceded)
        )

    def range_strategy(self) -> RangeStrategy:
        """How each hand plays at the decision that it was made for; hands that the board blocks check or call."""
        tree = self.layout.tree
        actions = tuple(action.number for action in tree.actions(self.node))
        chances = np.zeros((len(COMBOS), len(actions)))
        chances[:, actions.index(CALL)] = 1.0
        chances[self.layout.boards[0].hands[tree.kind[self.node]].combo] = self.chances.T
        return RangeStrategy(actions, chances)

    def conceded_by_action(self) -> tuple[Weights, Weights]:
        """What the opponent's hands get by each action of that decision, and the weight of the range that takes it
        against them, both ``[actions, 1326]``; values are counterfactual, in chips from half of the pot."""
        tree, player = self.layout.tree, self.player
        children = tree.children(self.node)
        own = np.zeros((len(children), len(COMBOS)))
        own[:, self.layout.boards[0].hands[player].combo] = self.reach[player] * self.chances
        met = np.stack([weight_met(each) for each in own])
        lost = self.layout.spot.pot / 2 + tree.paid[:, player]
        found = {at: self.conceded[node] for at, node in enumerate(children) if node in self.conceded}
        found |= {at: lost[node] * met[at] for at, node in enumerate(children) if tree.kind[node] == FOLD}
        rest = [at for at in range(len(children)) if at not in found]  # the street ends: what is left of the decision
        known = sum(found.values())
        for at in rest:
            found[at] = (self.conceded[self.node] - known) / len(rest)
        return np.stack([found[at] for at in range(len(children))]), met

    def step(self, state: PokerState, action: int) -> PokerState:
        """The state after an action as this look-ahead has it."""
        tree, stack = self.layout.tree, self.layout.spot.stack
        raises = [known.number for known in tree.actions(self._place(state).node) if known.number > CALL]
        if action > CALL and min(action, stack) not in raises:
            near = raises[:-1] or raises  # all-in stands for nothing less: it would end the hand
            size = pot_fraction(state, action)
            action = min(near, key=lambda known: abs(pot_fraction(state, known) - size))
        return state.after(action)

    def kept(self, state: PokerState, player: int) -> Kept:
        """A player's range at a state of the look-ahead, what they concede there, and the opponent's likely range."""
        assert player == self.player
        place = self._place(state)
        return self._kept(place, self.conceded[place.node])

    def kept_after(self, state: PokerState, boards: Sequence[tuple[int, ...]], player: int) -> list[Kept]:
        """The same on each board that a street is followed by."""
        assert player == self.player
        place = self._place(state)
        if self.after_card is None:
            dealt = [place.deal(board[-1]) for board in boards]
            if self.layout.tree.kind[dealt[0].node] <= IP:
                return [self._kept(each, self._river_values(each)) for each in dealt]
        return self._after_card(place, boards)

    def _kept(self, place: Place, conceded: Weights) -> Kept:
        ranges = place.ranges
        return Kept(ranges[self.player], conceded, ranges[1 - self.player])

    def _river_values(self, place: Place) -> Weights:
        """What the opponent's hands get on a river of a turn that was solved to the end, given its card."""
        opponent, conceded = 1 - self.player, np.zeros(len(COMBOS))
        nodes, values = Traverser(self.layout).node_values(opponent, self.average, place.at, place.index)
        conceded[place.combos[opponent]] = values[nodes.tolist().index(place.node)] * RIVERS
        return conceded

    def _after_card(self, place: Place, boards: Sequence[tuple[int, ...]]) -> list[Kept]:
        """The same by leaf values of the next street; by equities after an all-in, which stood for another bet."""
        spot, paid, many = self.layout.spot, int(self.layout.tree.paid[place.node, 0]), len(boards)
        ranges = np.stack([[blocked(weights, board) for weights in place.ranges] for board in boards])
        leaves = Leaves(
            np.array(boards, np.uint8), np.full(many, spot.pot + 2 * paid), np.full(many, spot.stack - paid)
        )
        values = (self.after_card or EquityLeaves()).bind(leaves)(ranges.astype(np.float32)).astype(np.float64)
        return [
            Kept(own[self.player], worth[1 - self.player], own[1 - self.player])
            for own, worth in zip(ranges, values, strict=True)
        ]

    def _place(self, state: PokerState) -> Place:
        """Where a state is on the first street, or where that street ends, with both ranges there."""
        tree, stack, street = self.layout.tree, self.layout.spot.stack, self.public.street
        place = replace(start_of(self.layout), reach=self.reach)
        for action in state.line[street][len(self.public.line[street]) :]:
            numbers = [known.number for known in tree.actions(place.node)]
            place = place.act(numbers.index(min(action, stack)), self._played)
        return place

    def _played(self, at: int, board: int, node: int) -> Weights:
        """The average strategy ``[actions, hands]`` at a decision of the first street."""
        return normalised(_rows(self.layout, self.average, node, self.rows[node]))


def _rows(layout: Layout, average: Tables, node: int, first: int) -> NDArray[np.float32]:
    """A view of a decision's sums of strategies on the first street."""
    player, actions = int(layout.tree.kind[node]), len(layout.tree.children(node))
    return rows_of(average[0][player], layout.rows[0][player], layout.boards[0].hands[player].start, 0, first, actions)
