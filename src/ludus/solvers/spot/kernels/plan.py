"""The betting of one street as a list of steps, seen by the player whose values are asked for.

The betting of a spot is the same whatever cards come, so a street is planned once and the plan is run on every board.
A *line* is a way to enter the street. A plan cuts its lines into chunks, so that the rows of a chunk (one float for
each hand) fit the core's own cache:

* reach rows: the probability of each hand at a node, the learner's and the opponent's apart; a row is shared by all
  nodes between two decisions of that player;
* lanes: the opponent's reach where the hand ends, times what is at stake; *showdown* lanes are compared, *fold* lanes
  only counted;
* value rows: what each of the learner's hands wins, first the results of the lanes, then the other nodes.

Leaves below one node of the opponent are added up anyway, so they share a result. Where the learner can fold or call,
the opponent's reach is the same: the fold is a multiple of what the call's showdown lane counts. So lanes come in four
kinds, numbered in this order:

========  ============================================  ===============================================
facing    a showdown lane, two results                  the learner calls or folds
shown     a showdown lane                               checked down, or all-in
mixed     a showdown lane and a fold lane, one result   the opponent folds or calls
counted   a fold lane                                   folds where a call leads to the next street
========  ============================================  ===============================================

Showdown lanes are those of facing, shown, mixed; fold lanes those of mixed, counted; results those of facing, shown,
mixed, then the folds of facing, then counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.solvers.spot.kernels.vectors import WIDTH
from ludus.trees.betting import CHANCE, FOLD, FRONTIER, SHOWDOWN, BettingTree

Index = NDArray[np.int32]
Floats = NDArray[np.float32]
Payoffs = tuple[NDArray[np.float64], NDArray[np.float64]]

LANES = 96
"""About how many lanes a chunk has, so that its rows stay in a core's own cache."""

OTHER, OWN, PASS = 0, 1, 2
"""Who decides at a node of a plan; PASS: nobody, the line ends or goes on at once."""

NONE = -1


class Street(NamedTuple):
    """One street as one player sees it. Slots, lanes and value rows are counted within a chunk."""

    who: NDArray[np.uint8]  # [nodes] OTHER, OWN or PASS
    node: Index  # [nodes] the node of the betting tree
    first: Index  # [nodes + 1] its edges
    row: Index  # [nodes] where its actions start in the table of who decides, counted on the board
    other_slot: Index  # [nodes] the row of the opponent's reach
    own_slot: Index  # [nodes] the row of the learner's reach
    value: Index  # [nodes] its value row
    slot: Index  # [edges] the row of the reach that the action makes, -1 at a leaf
    lane: Index  # [edges] the lane that a leaf fills, -1 if none
    stake: Floats  # [edges] what the reach is multiplied by in the lane, 1 where there is none
    result: Index  # [edges] the value row of the action; at the opponent's nodes -1 where a leaf has shared a result
    chunk: Index  # [chunks + 1] the first node of each
    line: Index  # [chunks + 1] the first line of each
    own_row: Index  # [chunks] the first row of the learner's table
    own_rows: Index  # [chunks]
    facing: Index  # [chunks] lanes of each kind
    shown: Index
    mixed: Index
    counted: Index
    values: Index  # [chunks] value rows
    slots: Index  # [chunks] reach rows of either player, the larger
    rake_at: Index  # [chunks] where its showdown lanes start in ``rake``
    rake: Floats  # [showdown lanes, a vector more] what is lost in any case, in units of the stake
    fold_at: Index  # [chunks] where its facing lanes start in ``fold``
    fold: Floats  # [facing lanes, a vector more] what a fold loses, in units of the call's stake
    root_own: Index  # [lines] the rows of each line where it enters this street
    root_other: Index
    root_value: Index
    out_own: Index  # [lines of the next street, or leaves of the frontier] the rows where each leaves this street
    out_other: Index
    out_value: Index


@dataclass
class _Result:
    """A result to be numbered: the edges that fill its lanes, and the edge of a fold that it gives as well."""

    showdown: int = NONE
    folds: int = NONE
    folded: int = NONE

    @property
    def kind(self) -> int:
        if self.showdown == NONE:
            return 3
        return 2 if self.folds != NONE else 0 if self.folded != NONE else 1


def plan_street(tree: BettingTree, payoffs: Payoffs, street: int, player: int) -> Street:
    """Plan a street for a player; one chunk before the river, for its lines meet again in the next street."""
    return _Planner(tree, payoffs, street, player).plan()


def entries(tree: BettingTree, street: int) -> list[int]:
    """The nodes where lines enter a street, in order."""
    return [
        node
        for node in np.flatnonzero(tree.street == street).tolist()
        if tree.parent[node] < 0 or tree.street[tree.parent[node]] < street
    ]


@dataclass
class _Planner:
    tree: BettingTree
    payoffs: Payoffs
    street: int
    player: int
    columns: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in Street._fields})
    rows: list[int] = field(default_factory=lambda: [0, 0])
    lines: int = 0

    def plan(self) -> Street:
        columns, tree = self.columns, self.tree
        columns["first"].append(0)
        self.open_chunk()
        roots = entries(tree, self.street)
        sizes = np.cumsum([self.count_lanes(root) for root in roots])
        chunks = max(1, round(sizes[-1] / LANES)) if self.street == 5 and len(roots) else 1
        for at, root in enumerate(roots):
            if at and int(sizes[at - 1] * chunks / sizes[-1]) >= len(columns["own_row"]):
                self.close_chunk()
                self.open_chunk()
            slots = self.new_slot(own=True), self.new_slot(own=False)
            columns["root_own"].append(slots[0])
            columns["root_other"].append(slots[1])
            columns["root_value"].append(self.visit(root, *slots))
            self.lines += 1
        self.close_chunk()
        columns["chunk"].append(len(columns["who"]))
        columns["line"].append(self.lines)
        for name in ("rake", "fold"):  # they are read in whole vectors
            columns[name] += [0.0] * WIDTH
        kinds = {"who": np.uint8, "stake": np.float32, "rake": np.float32, "fold": np.float32}
        return Street(**{name: np.array(column, kinds.get(name, np.int32)) for name, column in columns.items()})

    def count_lanes(self, root: int) -> int:
        """About how many lanes the line through a root needs."""
        after = np.flatnonzero(self.tree.street[root:] < self.street)
        line = self.tree.kind[root : root + after[0] if len(after) else None]
        return 1 + int(np.isin(line, (FOLD, SHOWDOWN)).sum())

    def open_chunk(self) -> None:
        columns = self.columns
        columns["chunk"].append(len(columns["who"]))
        columns["line"].append(self.lines)
        columns["own_row"].append(self.rows[self.player])
        columns["rake_at"].append(len(columns["rake"]))
        columns["fold_at"].append(len(columns["fold"]))
        self.first = {
            "value": len(columns["who"]), "result": len(columns["slot"]), "root_value": self.lines,
            "out_value": len(columns["out_value"]),
        }  # fmt: skip
        self.slots, self.others = [0, 0], 0
        self.results: list[_Result] = []

    def close_chunk(self) -> None:
        """Number lanes and value rows, now that all are known; until here result g is written as -2 - g."""
        columns, results = self.columns, self.results
        kinds = [[g for g, result in enumerate(results) if result.kind == kind] for kind in range(4)]
        facing, shown, mixed, counted = map(len, kinds)
        showdowns = mixed + facing + shown
        place = {}
        for lane, g in enumerate(kinds[0] + kinds[1] + kinds[2]):
            place[-2 - g] = lane
            self.fill(results[g].showdown, lane)
            alpha, beta = self.stakes(results[g].showdown)
            columns["rake"].append(beta / alpha)
        for lane, g in enumerate(kinds[2], showdowns):
            self.fill(results[g].folds, lane)
        folded = {}
        for row, g in enumerate(kinds[0], showdowns):
            folded[results[g].folded] = row
            columns["fold"].append(self.stakes(results[g].folded)[1] / self.stakes(results[g].showdown)[0])
        for at, g in enumerate(kinds[3]):
            place[-2 - g] = showdowns + facing + at
            self.fill(results[g].folds, showdowns + mixed + at)
        shift = len(results) + facing
        for name, start in self.first.items():
            columns[name][start:] = [
                place[int(value)] if value <= -2 else NONE if value == NONE else value + shift
                for value in columns[name][start:]
            ]
        for edge, row in folded.items():
            columns["result"][edge] = row
        numbers = {"mixed": mixed, "facing": facing, "shown": shown, "counted": counted}
        numbers |= {"values": shift + self.others, "slots": max(self.slots)}
        numbers["own_rows"] = self.rows[self.player] - int(columns["own_row"][-1])
        for name, number in numbers.items():
            columns[name].append(number)

    def stakes(self, edge: int) -> tuple[float, float]:
        child = self.child_of[edge]
        return float(self.payoffs[0][child]), float(self.payoffs[1][child, self.player])

    def fill(self, edge: int, lane: int) -> None:
        """Let an edge fill a lane."""
        alpha, beta = self.stakes(edge)
        self.columns["lane"][edge] = lane
        self.columns["stake"][edge] = alpha if alpha else beta

    child_of: dict[int, int] = field(default_factory=dict)

    def new_slot(self, own: bool) -> int:
        self.slots[own] += 1
        return self.slots[own] - 1

    def new_value(self) -> int:
        self.others += 1
        return self.others - 1

    def new_result(self, result: _Result) -> int:
        self.results.append(result)
        return -1 - len(self.results)

    def visit(self, node: int, own_slot: int, other_slot: int) -> int:
        """Plan a node that is entered or decided at; its value row."""
        tree, columns = self.tree, self.columns
        kind = tree.kind[node]
        who = PASS if kind in (CHANCE, SHOWDOWN, FOLD, FRONTIER) else OWN if kind == self.player else OTHER
        at, first = len(columns["who"]), len(columns["slot"])
        children = (node,) if who == PASS else tree.children(node)
        edges = dict(enumerate(children, first))
        columns["who"].append(who)
        columns["node"].append(node)
        columns["row"].append(self.rows[kind] if who != PASS else 0)
        columns["own_slot"].append(own_slot)
        columns["other_slot"].append(other_slot)
        columns["value"].append(NONE)
        columns["first"].append(first + len(children))
        if who != PASS:
            self.rows[kind] += len(children)
        for name in ("slot", "lane", "result"):
            columns[name] += [NONE] * len(children)
        columns["stake"] += [0.0] * len(children)
        shared = self.leaves(who, edges)
        for edge, child in edges.items():
            if tree.kind[child] in (FOLD, SHOWDOWN):
                continue
            reaches = own_slot, other_slot
            if who != PASS:
                new = self.new_slot(own=who == OWN)
                columns["slot"][edge], columns["stake"][edge] = new, 1.0
                reaches = (new, other_slot) if who == OWN else (own_slot, new)
            if tree.kind[child] in (CHANCE, FRONTIER):  # its value comes from what is behind it
                columns["out_own"].append(reaches[0])
                columns["out_other"].append(reaches[1])
                columns["result"][edge] = self.new_value()
                columns["out_value"].append(columns["result"][edge])
            else:
                columns["result"][edge] = self.visit(child, *reaches)
        value = columns["result"][first] if who == PASS else self.new_value() if shared == NONE else shared
        columns["value"][at] = value
        return int(value)

    def leaves(self, who: int, edges: dict[int, int]) -> int:
        """Give the leaves among the edges of a node their results; the result that they share, or NONE."""
        leaf = {edge: child for edge, child in edges.items() if self.tree.kind[child] in (FOLD, SHOWDOWN)}
        self.child_of.update(leaf)
        compared = [edge for edge in leaf if self.stakes(edge)[0]]
        counted = [edge for edge in leaf if edge not in compared]
        pairs = list(zip(compared, counted, strict=False))  # at most one of each: a call and a fold
        if who == OTHER:
            assert max(len(compared), len(counted)) <= 1
            return self.new_result(_Result(*(compared or [NONE]), *(counted or [NONE]))) if leaf else NONE
        for showdown, folded in pairs:
            self.columns["result"][showdown] = self.new_result(_Result(showdown, folded=folded))
        for edge in compared[len(pairs) :]:
            self.columns["result"][edge] = self.new_result(_Result(showdown=edge))
        for edge in counted[len(pairs) :]:
            self.columns["result"][edge] = self.new_result(_Result(folds=edge))
        return NONE
