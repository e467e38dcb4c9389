"""Single streets with betting trees of their own, solved together in PyTorch: what many tables ask for at once.

Unlike `ludus.solvers.batch.solver`, whose subgames share one shape of the betting, every subgame here has the tree that
`ludus.trees.betting` builds for it, from wherever its street stands. The nodes of all trees are numbered through, and a
row of a tensor belongs to a node: ``[nodes, 1326]``. A pass goes level by level, so that nothing needs to be compiled
for a new tree. The algorithm is that of `SpotSolver` on one street, with the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.cards.ranges import COMBOS, blocked
from ludus.solvers.batch.hands import distinct_boards, meetings
from ludus.solvers.batch.leaves import SettlingTensors, TensorLeafValues
from ludus.solvers.batch.showings import MatrixReader, Showings
from ludus.solvers.leaf_values import Leaves, settles
from ludus.solvers.schedules import Algorithm
from ludus.solvers.spot.gadget import Gadget
from ludus.trees.betting import FOLD, FRONTIER, IP, SHOWDOWN, BettingTree, build_betting_tree, leaf_payoffs
from ludus.trees.subgame import Subgame

HANDS = len(COMBOS)
EAGER = 2  # iterations that compile whatever there is to compile, before one is recorded


@dataclass(frozen=True, eq=False)
class Asked:
    """A street to be solved: a subgame of one street, both ranges ``[2, 1326]``, and perhaps constraints."""

    subgame: Subgame
    ranges: NDArray[np.float64]
    gadget: Gadget | None = None


class StreetTrees:
    """CFR on the streets of many subgames of one length of the board."""

    def __init__(
        self, asked: Sequence[Asked], algorithm: Algorithm, device: torch.device, values: TensorLeafValues | None,
        matrices: MatrixReader | None = None,
    ) -> None:  # fmt: skip
        self.asked, self.algorithm, self.device = list(asked), algorithm, device
        self._matrices = matrices or MatrixReader(device)
        self.trees = [build_betting_tree(each.subgame, streets=1) for each in asked]
        sizes = np.array([len(tree) for tree in self.trees])
        self.roots = torch.from_numpy(np.cumsum(sizes) - sizes).to(device)
        self._table = torch.from_numpy(np.append(np.repeat(np.arange(len(sizes)), sizes), 0)).to(device)
        self._number(sizes)
        self._free, self.ranges = self._cards()
        self._leaves(values)
        self.regrets, self.sums = (torch.zeros(len(self._table), HANDS, device=device) for _ in range(2))
        self._constrain()
        self._factors = torch.zeros(3, device=device)
        self.iterations = 0

    # --- What is laid out once ---------------------------------------------------------------------------------------

    def _number(self, sizes: NDArray[np.int64]) -> None:
        """Parents, deciders and levels of all nodes, and the children of decisions.

        A node that is none stands behind all: it is a child where a decision has fewer of them than others.
        """
        none = int(sizes.sum())
        shift = np.repeat(np.cumsum(sizes) - sizes, sizes)
        kinds = np.concatenate([*(tree.kind for tree in self.trees), [FOLD]]).astype(np.int64)
        parents = np.concatenate([tree.parent for tree in self.trees]).astype(np.int64)
        parents = np.append(np.where(parents < 0, none, parents + shift), none)
        level, deep = np.zeros(none + 1, np.int64), parents
        while (below := deep < none).any():
            level += below
            deep = parents[deep]
        count = np.bincount(parents[:none], minlength=none + 1)
        count[none] = 0
        order = np.argsort(parents[:none], kind="stable")  # children of one node lie side by side, in their order
        first = np.cumsum(count) - count
        width = np.arange(count.max())
        at = np.minimum(first[:, None] + width, max(none - 1, 0))
        children = np.where(width < count[:, None], order[at], none)
        self.kinds = kinds[:none]
        self._parent = torch.from_numpy(parents).to(self.device)
        self._chosen_by = torch.from_numpy(np.where(parents < none, kinds[parents], -1)).to(self.device)[:, None]
        self._even = torch.from_numpy(1 / np.maximum(count, 1)[parents]).float().to(self.device)[:, None]
        decides = kinds <= IP
        self._decisions = self._with_children(np.flatnonzero(decides), children)
        self._levels = [
            (torch.from_numpy(np.flatnonzero(level == deep)).to(self.device),
             self._with_children(np.flatnonzero((level == deep - 1) & decides), children))
            for deep in range(1, level.max() + 1)
        ]  # fmt: skip

    def _with_children(self, nodes: NDArray[np.int64], children: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """Decisions and their children ``[decisions, most]``."""
        rows = children[nodes]
        most = int((rows < len(children) - 1).sum(axis=1).max())
        return torch.from_numpy(nodes).to(self.device), torch.from_numpy(rows[:, :most].copy()).to(self.device)

    def _cards(self) -> tuple[Tensor, list[Tensor]]:
        """Hands that each board allows ``[tables, 1326]``, and both ranges without the others."""
        free = np.stack([blocked(np.ones(HANDS), each.subgame.board) for each in self.asked])
        ranges = np.stack([each.ranges for each in self.asked]) * free[:, None]
        both = [torch.from_numpy(ranges[:, player].astype(np.float32)).to(self.device) for player in (0, 1)]
        return torch.from_numpy(free.astype(np.float32)).to(self.device), both

    def _leaves(self, values: TensorLeafValues | None) -> None:
        """What the leaves pay: at folds, at showdowns, and behind the frontier."""
        payoffs = [leaf_payoffs(each.subgame, tree) for each, tree in zip(self.asked, self.trees, strict=True)]
        folded = np.concatenate([beta for _, beta in payoffs]).astype(np.float32)
        pots = np.concatenate([each.subgame.pot + 2 * tree.paid[:, 0] for each, tree in self._pairs()])
        stacks = np.concatenate([each.subgame.stack - tree.paid[:, 0] for each, tree in self._pairs()])
        ahead = self.kinds == FRONTIER
        shown = np.flatnonzero((self.kinds == SHOWDOWN) | (ahead & (stacks == 0)))
        beyond = np.flatnonzero(ahead & (stacks > 0))
        folds = np.flatnonzero(self.kinds == FOLD)
        self._folds = torch.from_numpy(folds).to(self.device)
        self._fold_pays = torch.from_numpy(folded[folds]).to(self.device)
        self._meet = torch.from_numpy(meetings(0)[:HANDS, :HANDS].copy()).to(self.device)
        table = self._table.cpu().numpy()
        boards = np.array([each.subgame.board for each in self.asked], np.uint8).reshape(len(self.asked), -1)
        self._shown = torch.from_numpy(shown).to(self.device)
        self._stakes = torch.from_numpy((pots[shown] / 2).astype(np.float32)).to(self.device)[:, None]
        self._showings: Showings | None = None
        if len(shown):
            different, rows = distinct_boards(boards[table[shown]])
            self._showings = self._matrices(different).at(torch.from_numpy(rows).to(self.device))
        self._beyond = torch.from_numpy(beyond).to(self.device)
        self._ahead: SettlingTensors | None = None
        if len(beyond):
            if values is None:
                raise ValueError("these streets end before the hand does: give values for their frontier")
            leaves = Leaves(boards[table[beyond]], pots[beyond], stacks[beyond])
            self._ahead = values.bind_tensors(leaves, self.device)

    def _pairs(self) -> list[tuple[Asked, BettingTree]]:
        return list(zip(self.asked, self.trees, strict=True))

    def _constrain(self) -> None:
        """The choice to leave, where a player has one: regrets and sums of leaving and following."""
        count = len(self.asked)
        gadgets = [each.gadget or Gadget(0, np.zeros(HANDS)) for each in self.asked]
        chooser = np.array([-1 if each.gadget is None else each.gadget.player for each in self.asked])
        self._chooser = torch.from_numpy(chooser).to(self.device)[:, None]
        self._worth, self._bound = (
            torch.from_numpy(np.stack(rows).astype(np.float32)).to(self.device)
            for rows in ([each.values for each in gadgets], [each.bound for each in gadgets])
        )
        self._choice, self._choices = (torch.zeros(2, count, HANDS, device=self.device) for _ in range(2))

    # --- Iterations --------------------------------------------------------------------------------------------------

    def run(self, iterations: int) -> None:
        """Continue for so many iterations."""
        steps = range(self.iterations + 1, self.iterations + 1 + iterations)
        factors = torch.tensor([self.algorithm.discount(step, 0) for step in steps], device=self.device)
        iterate = self._iterate
        for at, (step, factor) in enumerate(zip(steps, factors, strict=True)):
            if self._ahead is not None and settles(step):
                self._settled()
            if at == EAGER and iterations > 2 * EAGER and self.device.type == "cuda":
                iterate = self._recorded()
            self._factors.copy_(factor)
            iterate()
        self.iterations += iterations

    def _settled(self) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        """What is played on average, how likely hands play to all nodes and follow at the roots; and the leaf values
        settle on these ranges."""
        played, roots = self._matched(self.sums), self._roots(self._choices)
        plays = self._plays(played)
        if self._ahead is not None:
            self._ahead.settle(self._at_frontier(self._reach(plays, roots)))
        return played, plays, roots

    def _recorded(self) -> Callable[[], None]:
        """An iteration that a CUDA device repeats by itself: to launch its small steps takes longer than they do."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._iterate()
        return graph.replay

    def _iterate(self) -> None:
        """One iteration with the factors of the moment; all that changes, changes in place."""
        positive, negative, average = self._factors
        for player in (0, 1):
            mine = self._chosen_by == player
            played = self._matched(self.regrets)
            plays = self._plays(played)
            weighed = (self.sums + plays[player][self._parent] * played) * average
            self.sums.copy_(torch.where(mine, weighed, self.sums))
            values = self._values(player, played, plays, self._roots(self._choice))
            new = self._discounted(self.regrets + values - values[self._parent], positive, negative)
            self.regrets.copy_(torch.where(mine, new, self.regrets))
            self._choose(player, values[self.roots], positive, negative, average)

    def _discounted(self, new: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        new = new.clamp(min=0) if self.algorithm.clip else new
        return torch.where(new > 0, new * positive, new * negative)

    def _choose(self, player: int, follows: Tensor, positive: Tensor, negative: Tensor, average: Tensor) -> None:
        """One iteration of leaving or following, of the tables where it is this player's choice."""
        share, mine = _two(self._choice), self._chooser == player
        worth = torch.stack([self._worth, follows])
        new = self._discounted(self._choice + worth - (share * worth).sum(0), positive, negative)
        self._choice.copy_(torch.where(mine, new, self._choice))
        self._choices.copy_(torch.where(mine, (self._choices + share) * average, self._choices))

    def _roots(self, choices: Tensor) -> list[Tensor]:
        """Both players' reach at the roots ``[tables, 1326]``: their range, as far as they follow."""
        follow = self._bound + (1 - self._bound) * _two(choices)[1]
        return [self.ranges[who] * torch.where(self._chooser == who, follow, 1.0) for who in (0, 1)]

    def _matched(self, table: Tensor) -> Tensor:
        """Regret matching: how often the action that leads to a node is taken ``[nodes, 1326]``."""
        positive, (decisions, children) = table.clamp(min=0), self._decisions
        total = torch.zeros_like(positive)
        total[decisions] = positive[children].sum(1)
        whole = total[self._parent]
        return torch.where(whole > 0, positive / whole.clamp(min=1e-30), self._even)

    def _plays(self, played: Tensor) -> list[Tensor]:
        """How likely either player's hands play to all nodes."""
        found = []
        for player in (0, 1):
            reach, taken = torch.ones_like(played), torch.where(self._chosen_by == player, played, 1.0)
            for nodes, _ in self._levels:
                reach[nodes] = reach[self._parent[nodes]] * taken[nodes]
            found.append(reach)
        return found

    def _reach(self, plays: list[Tensor], roots: list[Tensor]) -> list[Tensor]:
        return [play * root[self._table] for play, root in zip(plays, roots, strict=True)]

    def _at_frontier(self, reach: list[Tensor]) -> Tensor:
        return torch.stack([each[self._beyond] for each in reach], 1)

    def _values(self, player: int, played: Tensor, plays: list[Tensor], roots: list[Tensor]) -> Tensor:
        """A player's counterfactual values at all nodes, in chips from half of the pot."""
        reach = self._reach(plays, roots)
        other = reach[1 - player]
        values = torch.zeros_like(other)
        values[self._folds] = (other[self._folds] @ self._meet) * self._fold_pays[:, player, None]
        if self._showings is not None:
            values[self._shown] = self._showings.won(other[self._shown]) * self._stakes
        if self._ahead is not None:
            values[self._beyond] = self._ahead.values(self._at_frontier(reach), player)
        taken = torch.where(self._chosen_by == player, played, 1.0)
        for _, (decisions, children) in reversed(self._levels):
            values[decisions] = (values[children] * taken[children]).sum(1)
        return values * self._free[self._table]

    # --- What was found ----------------------------------------------------------------------------------------------

    def found(self) -> list[Found]:
        """What average play is worth, table by table."""
        played, plays, roots = self._settled()
        values = torch.stack([self._values(player, played, plays, roots) for player in (0, 1)], 1)
        starts = [*self.roots.tolist(), len(self.kinds)]
        chances, worth = played.cpu().numpy(), values.cpu().numpy()
        reach = torch.stack(roots, 1).cpu().numpy()
        return [
            Found(tree, chances[first:last], worth[first:last], reach[at])
            for at, (tree, first, last) in enumerate(zip(self.trees, starts[:-1], starts[1:], strict=True))
        ]


@dataclass(frozen=True, eq=False)
class Found:
    """A solved street: average play, its values, and the ranges that it starts from."""

    tree: BettingTree
    chances: NDArray[np.float32]  # [nodes, 1326]: of the action that leads to a node
    values: NDArray[np.float32]  # [nodes, 2, 1326]: both players', in chips from half of the pot
    reach: NDArray[np.float32]  # [2, 1326] at the root, as far as hands follow


def _two(table: Tensor) -> Tensor:
    """Regret matching over two choices ``[2, tables, 1326]``."""
    positive = table.clamp(min=0)
    total = positive.sum(0)
    return torch.where(total > 0, positive / total.clamp(min=1e-30), 0.5)
