"""What every hand wins at every decision before the river, from the solver's own passes."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from ludus.cards.ranges import Weights
from ludus.solvers.spot.kernels.compact import Places, normalised, rows_of
from ludus.solvers.spot.kernels.plan import Floats
from ludus.solvers.spot.layout import Layout, Tables
from ludus.solvers.spot.line import Pair, mass_met, start_of, street_reach
from ludus.solvers.spot.traverser import Traverser
from ludus.trees.betting import CHANCE, FRONTIER

CARDS_LEFT = {4: 45, 5: 44}  # that can come as the fourth and as the fifth card, once both players hold two


def value_entries(layout: Layout, at: int, player: int) -> int:
    """The size of a player's table of values on a street."""
    rows = int(Places.of(layout.tree).values[len(layout.spot.board) + at, player])
    return rows * int(layout.boards[at].hands[player].start[-1])


def street_values(solver: Traverser, average: Tables) -> tuple[tuple[Floats, Floats], ...]:
    """Tables by street before the river and by player; rows as in `Places`, 0 for a hand that meets nothing."""
    layout, found = solver.layout, []
    above: list[dict[int, Pair]] = []
    for at in layout.before_river:
        street = _Street(solver, average, Places.of(layout.tree), at)
        reached = []
        for board in range(len(layout.boards[at].cards)):
            reach = street_reach(layout, at, board, street.entries(board, above), street.played)
            for player in (0, 1):
                street.fill(board, player, reach)
            reached.append(reach if at + 2 < len(layout.boards) else {})
        found.append((street.tables[0], street.tables[1]))
        above = reached
    return tuple(found)


@dataclass
class _Street:
    solver: Traverser
    average: Tables
    places: Places
    at: int

    def __post_init__(self) -> None:
        self.layout, self.tree = self.solver.layout, self.solver.layout.tree
        self.street = len(self.layout.spot.board) + self.at
        self.scale = prod(1 / CARDS_LEFT[cards] for cards in range(len(self.layout.spot.board) + 1, self.street + 1))
        self.tables = [np.zeros(value_entries(self.layout, self.at, player), np.float32) for player in (0, 1)]
        self.cards = [self.cards_after(player) for player in (0, 1)]
        self.letting = [] if self.solver.frontier else [self.always_letting_come(player) for player in (0, 1)]

    def played(self, at: int, board: int, node: int) -> Weights:
        """The average strategy at a decision."""
        player = int(self.tree.kind[node])
        table, start = self.average[at][player], self.layout.boards[at].hands[player].start
        first, actions = int(self.places.strategy[node]), len(self.tree.children(node))
        return normalised(rows_of(table, self.layout.rows[at][player], start, board, first, actions))

    def entries(self, board: int, above: list[dict[int, Pair]]) -> list[tuple[int, Pair]]:
        """Where lines enter the street on a board, with the reach that they have there."""
        if self.at == 0:
            return [(0, start_of(self.layout).reach)]
        boards = self.layout.boards[self.at]
        one, two = (hands.above[hands.start[board] : hands.start[board + 1]] for hands in boards.hands)
        return [
            (self.tree.children(node)[0], (reach[0][one], reach[1][two]))
            for node, reach in above[boards.parent[board]].items()
            if self.tree.kind[node] == CHANCE
        ]

    def cards_after(self, player: int) -> dict[int, int]:
        """The player's decisions on this street at which they can let a card come, with the node where it does."""
        tree = self.tree
        cards = np.isin(tree.kind, (CHANCE, FRONTIER)) & (tree.street == self.street)
        nodes = np.flatnonzero((self.places.value[player] >= 0) & cards)
        return {int(tree.parent[node]): int(node) for node in nodes}

    def always_letting_come(self, player: int) -> Tables:
        """Strategies with which a player always lets a card come where they can.

        At such a decision their value is then that of the check or the call, whatever they do elsewhere on this street.
        """
        table = self.average[self.at][player].copy()
        rows, start = self.layout.rows[self.at][player], self.layout.boards[self.at].hands[player].start
        for node, card in self.cards[player].items():
            actions = self.tree.children(node)
            for board in range(len(start) - 1):
                mixed = rows_of(table, rows, start, board, int(self.places.strategy[node]), len(actions))
                mixed[:] = 0
                mixed[actions.index(card)] = 1
        tables = [list(street) for street in self.average]
        tables[self.at][player] = table
        return tables

    def fill(self, board: int, player: int, reach: dict[int, Pair]) -> None:
        """Write a player's rows of values on a board: of the decisions, then of the cards that they let come.

        Where those are behind a frontier its leaves are looked at, for their values depend on what comes there.
        """
        nodes, values = self.solver.node_values(player, self.average, self.at, board)
        self.write(board, player, nodes.tolist(), nodes.tolist(), values, reach)
        if not (cards := self.cards[player]):
            return
        decisions, after = list(cards), list(cards.values())
        if self.letting:
            nodes, values = self.solver.node_values(player, self.letting[player], self.at, board)
        else:
            nodes, values = self.solver.frontier_values(player, self.average)
        rows = {node: row for row, node in enumerate(nodes.tolist())}
        chosen = [rows[node] for node in (decisions if self.letting else after)]
        self.write(board, player, after, decisions, values[chosen], reach)

    def write(
        self, board: int, player: int, nodes: list[int], reached: list[int], values: Floats, reach: dict[int, Pair]
    ) -> None:
        """Write the values ``[nodes, hands]`` of nodes that the opponent reaches as they reach others."""
        if not nodes:
            return
        theirs = np.array([reach[node][1 - player] for node in reached])
        met = mass_met(self.layout, self.at, board, player, theirs) * self.scale
        net = np.divide(values, met, out=np.zeros_like(met), where=met > 0)
        start, rows = self.layout.boards[self.at].hands[player].start, int(self.places.values[self.street, player])
        for node, row in zip(nodes, net, strict=True):
            rows_of(self.tables[player], rows, start, board, int(self.places.value[player, node]))[0] = row
