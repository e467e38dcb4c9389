"""Many subgames at once, on a GPU if there is one (PyTorch): rivers, turns with their rivers, streets with a frontier.

All spots share one shape of the betting (`ludus.trees.shape`), so a row is a tensor over boards and hands
(`hands`). The next street has every board that can come, without symmetries of the suits: a turn is 48 rivers
below one street. Passes over a street are in `passes`, tables and matrices in `streets`. The algorithm is
that of `SpotSolver`, with the same results: the same schedule, averages gathered in the same iterations. Unlike there,
predictions and simultaneous updates are honoured too, so every algorithm of `schedules` runs.

Memory on a GPU: a river takes 2.4 MB for its showdowns, in half precision, and 8.7 kB for each action of each decision,
of which fold, call, pot and all-in make 32 at 5 pots. A turn has 48 rivers and with the same bets 88 actions on each:
114 MB for showdowns, 37 MB for tables, and about 30 MB that an iteration needs for a while. So 100 GiB hold 550 turns
with their rivers, or 30,000 rivers, or 25,000 turns with a frontier; `BatchSolver.memory` is what a batch takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np

from ludus.cards.ranges import COMBOS
from ludus.solvers.batch.subgames import Constraints, Solved, Subgames, default_algorithm
from ludus.solvers.capabilities import check_supports
from ludus.solvers.leaf_values import LeafValues
from ludus.solvers.schedules import ALGORITHMS, Algorithm
from ludus.solvers.spot.solver import AVERAGE_EVERY

try:
    import torch
    from torch import Tensor
except ImportError as error:  # an optional dependency
    raise ImportError("solving many spots at once needs PyTorch: pip install 'ludus[torch]'") from error

from numpy.typing import NDArray

from ludus.solvers.batch.gadget import Gadget
from ludus.solvers.batch.leaves import Frontier, TensorLeafValues
from ludus.solvers.batch.passes import (
    BEST,
    FOLLOW,
    LEARN,
    Pass,
    average,
    compiled,
    down,
    ends,
    matched,
    up,
)
from ludus.solvers.batch.streets import DecisionTable, build_streets

_Change = tuple[DecisionTable, Tensor, Tensor]
"""A table with its next regrets and what is played next."""


@dataclass(frozen=True)
class _Now:
    """What does not change while a player learns."""

    roots: list[Tensor]  # both players' reach at the start
    averaged: bool  # whether strategies are the average ones
    leaf: list[tuple[Tensor, Tensor] | None]  # both players' values of the ends of each group of the last street


class BatchSolver:
    """CFR on many subgames of one shape.

    ``leaf_values`` are needed where the hand goes on behind the last street, and are asked in every iteration, with
    simultaneous updates once for both players. ``backend`` is PyTorch's compiler of the passes, by default inductor
    on a GPU and none elsewhere.
    """

    def __init__(
        self,
        subgames: Subgames,
        algorithm: Algorithm | None = None,
        planned: int = 0,
        device: str = "cpu",
        *,
        leaf_values: LeafValues | TensorLeafValues | None = None,
        constraints: Constraints | None = None,
        backend: str | None = None,
    ) -> None:
        self.algorithm = algorithm or ALGORITHMS[default_algorithm(subgames)]
        check_supports("batch", self.algorithm)
        if self.algorithm.planned and planned < 1:
            raise ValueError("a scheduled algorithm must know its number of iterations beforehand")
        if constraints is not None and len(constraints.player) != len(subgames):
            raise ValueError(f"there are {len(subgames)} subgames, got constraints for {len(constraints.player)}")
        self.planned, self.iterations, self.spots = planned, 0, len(subgames)
        self.device = torch.device(device)
        fast = self.device.type == "cuda"
        self._half = torch.float16 if fast else torch.float32  # of reach and results in matrix products
        self._backend = backend or ("inductor" if fast else None)
        self.streets = build_streets(subgames, self.device, self._half, self.algorithm.predict, self._backend)
        self.every = AVERAGE_EVERY.get(len(self.streets), 1)  # iterations from one average to the next
        self.scale = self.streets[0].hands  # what each range adds up to, so that half precision serves it well
        self._held = torch.zeros(self.spots, 1, self.streets[0].width, device=self.device)
        self._held[:, :, : self.scale] = 1
        self.ranges = self._ranges(subgames)
        self._gadget = Gadget(constraints, self.streets[0], self.scale, self.algorithm) if constraints else None
        self._frontier = self._leaves(subgames, leaf_values)
        self._still = torch.ones(3, device=self.device)  # discounts where nothing is learned

    def _ranges(self, subgames: Subgames) -> list[Tensor]:
        """Both ranges over the hands of each board ``[spots, 1, hands]``."""
        street, found = self.streets[0], []
        for player in (0, 1):
            weights = torch.from_numpy(subgames.playable[:, player].astype(np.float32)).to(self.device)
            wide = torch.zeros(self.spots, 1, street.width, device=self.device)
            wide[:, 0, : street.hands] = weights.gather(1, street.combos)
            found.append(wide * (self.scale / wide.sum(2, keepdim=True)))
        return found

    def _leaves(self, subgames: Subgames, values: LeafValues | TensorLeafValues | None) -> list[Frontier | None]:
        """For each group of the last street its frontier, if it has one."""
        last = self.streets[-1]
        if values is None:
            if any(group.plan.ends for group in last.groups):
                raise ValueError("these subgames end before the hand does: give leaf_values for their frontier")
            return [None] * len(last.groups)
        return [
            Frontier(last, group, subgames.units, self.scale, values) if group.plan.ends else None
            for group in last.groups
        ]

    @property
    def memory(self) -> int:
        """Bytes of its tables and matrices."""
        tensors = [tensor for street in self.streets for tensor in (street.meet, street.beat) if tensor is not None]
        for street in self.streets:
            for table in (table for group in street.groups for table in group.tables):
                tensors += {id(each): each for each in (table.regrets, table.play, table.sums)}.values()
        return sum(tensor.nbytes for tensor in tensors)

    # --- Iterations --------------------------------------------------------------------------------------------------

    def run(self, iterations: int) -> None:
        """Continue for so many iterations."""
        steps = range(self.iterations + 1, self.iterations + 1 + iterations)
        table = [(*self.algorithm.discount(t, self.planned)[:2], self._average_factor(t)) for t in steps]
        discounts = torch.tensor(table, dtype=torch.float32).to(self.device)
        for t, discount, (_, _, factor) in zip(steps, discounts, table, strict=True):
            if self.algorithm.alternating:
                for player in (0, 1):
                    self._apply(self._step(player, self._now(), discount, factor > 0))
            else:
                now = self._now()
                changes = [self._step(player, now, discount, factor > 0) for player in (0, 1)]
                self._apply([*changes[0], *changes[1]])
            self.iterations = t

    def _average_factor(self, t: int) -> float:
        """What sums are multiplied by after iteration t, until a strategy is added again; 0 if none is added in t."""
        if (t - 1) % self.every:
            return 0.0
        return prod(self.algorithm.discount(step, self.planned).average for step in range(t, t + self.every))

    def _now(self, averaged: bool = False) -> _Now:
        """The state that strategies lead to: those played now, or those played on average."""
        roots = [
            self.ranges[player] * self._gadget.follow(player, averaged) if self._gadget else self.ranges[player]
            for player in (0, 1)
        ]
        return _Now(roots, averaged, self._leaf_values(roots, averaged))

    def _leaf_values(self, roots: list[Tensor], averaged: bool) -> list[tuple[Tensor, Tensor] | None]:
        if not any(self._frontier):
            return [None] * len(self._frontier)
        reach = []
        for player in (0, 1):
            entering = [roots[player]]
            for street in self.streets:
                going = [
                    self._pass(ends, group.plan, player)(*_played(group.tables[player], averaged), root)[0]
                    for group, root in zip(street.groups, entering, strict=True)
                ]
                entering = street.dealt(going) or going
            reach.append(entering)
        return [each and each.values((one, two)) for each, one, two in zip(self._frontier, *reach, strict=True)]

    def _step(self, player: int, now: _Now, discount: Tensor, averaging: bool) -> list[_Change]:
        """What a player learns in an iteration; only their sums of strategies, and leaving, change at once."""
        if averaging:
            self._average(player, discount[2])
        values, changes = self._traverse(player, LEARN, now, discount)
        if self._gadget:
            self._gadget.learn(player, values[0], discount)
        return changes

    @staticmethod
    def _apply(changes: list[_Change]) -> None:
        for table, regrets, play in changes:
            table.regrets, table.play = regrets, play

    def _average(self, player: int, factor: Tensor) -> None:
        """Add a player's strategy of now to its sums, weighted by how they play to get there.

        What a hand weighs in the range makes no difference to its average, so all weigh the same: the average of a
        hand that the range lacks is then as good as any.
        """
        entering = [self._held]
        if self._gadget:
            entering = [self._held * self._gadget.follow(player)]
            self._gadget.average(player, factor)
        for street in self.streets:
            going: list[Tensor] = []
            for group, here in zip(street.groups, entering, strict=True):
                table = group.tables[player]
                if street.below:
                    going += self._pass(ends, group.plan, player)(table.play, table.even, here)
                add = self._pass(average, group.plan, player)
                (table.sums,) = add(table.play, table.even, here, table.sums, factor)
            entering = street.dealt(going)

    # --- One traversal -----------------------------------------------------------------------------------------------

    def _traverse(
        self, learner: int, mode: str, now: _Now, discount: Tensor | None = None, nodes: tuple[int, ...] = (0,)
    ) -> tuple[Tensor, list[_Change]]:
        """A learner's values in pots at nodes of the first street ``[nodes, spots, 1, hands]``, and what is learned."""
        results, entering = [], [now.roots[1 - learner]]
        for street in self.streets:
            found = [
                self._pass(down, group.plan, learner, self._half)(
                    *_played(group.tables[1 - learner], now.averaged), root
                )
                for group, root in zip(street.groups, entering, strict=True)
            ]
            shown, folded, going = (list(each) for each in zip(*found, strict=True))
            results.append((_products(shown, street.beat), _products(folded, street.meet)))
            entering = street.dealt(going)
        changes: list[_Change] = []
        beyond: list[Tensor | None] = [each and each[learner] for each in now.leaf]
        values: list[Tensor] = []
        for at in range(len(self.streets) - 1, -1, -1):
            street = self.streets[at]
            if at + 1 < len(self.streets):
                beyond = street.collected([each[0] for each in values])
            values, kept = [], nodes if at == 0 else (0,)
            how = (mode, self.algorithm.clip, self.algorithm.predict) if mode == LEARN else (mode, False, False)
            for group, compared, counted, after in zip(street.groups, *results[at], beyond, strict=True):
                table = group.tables[learner]
                play, even = _played(table, now.averaged)
                *new, value = self._pass(up, group.plan, learner, *how, kept)(
                    table.regrets, play, even, self._still if discount is None else discount,
                    compared, counted, group.stakes, group.all_in if after is None else after, group.all_in,
                )  # fmt: skip
                values.append(value)
                if new:
                    changes.append((table, new[0], new[1]))
        return values[0], changes

    def _pass(self, make: Callable[..., Pass], *static: object) -> Pass:
        return compiled(self._backend, make, *static)

    # --- What was found ----------------------------------------------------------------------------------------------

    def solved(self) -> Solved:
        """What the average strategies are worth for each hand, and how far from equilibrium they are."""
        now, meet = self._now(averaged=True), self.streets[0].meet
        pairs = ((self.ranges[1].to(self._half) @ meet).float() * self.ranges[0]).sum((1, 2))
        values, gains = [], torch.zeros(self.spots, device=self.device)
        for player in (0, 1):
            followed = self._traverse(player, FOLLOW, now)[0][0]
            best = self._traverse(player, BEST, now)[0][0]
            values.append(self._canonical(followed) / self.scale)
            if self._gadget:
                followed = self._gadget.mean(player, followed, self._gadget.follow(player, averaged=True))
                best = self._gadget.best(player, best)
            gains += ((best - followed) * self.ranges[player]).sum((1, 2)) / pairs
        return Solved(torch.stack(values, 1).cpu().numpy(), (gains / 2).double().cpu().numpy())

    def strategy(self, node: int) -> NDArray[np.float32]:
        """The average strategy at a decision of the first street ``[spots, actions, 1326]``."""
        group = self.streets[0].groups[0]
        player = group.plan.kind(node)
        if player not in (0, 1):
            raise ValueError(f"nobody decides at node {node} of the shape: its kind is {player}")
        table = group.tables[player]
        chances = matched(group.plan.rows(player)[node], table.sums, table.even)
        return np.asarray(torch.stack([self._canonical(each) for each in chances], 1).cpu().numpy())

    def values_at(self, *nodes: int) -> NDArray[np.float32]:
        """The values of average strategies at nodes of the first street ``[nodes, spots, 2, 1326]``.

        They are as `Solved` has them, with the opponent's weights those with which they reach the node.
        """
        now = self._now(averaged=True)
        both = [self._traverse(player, FOLLOW, now, nodes=nodes)[0] / self.scale for player in (0, 1)]
        rows = [torch.stack([self._canonical(values[at]) for values in both], 1) for at in range(len(nodes))]
        return np.asarray(torch.stack(rows).cpu().numpy())

    def _canonical(self, rows: Tensor) -> Tensor:
        """Rows ``[spots, 1, hands]`` of the first street by combination ``[spots, 1326]``, 0 where one is blocked."""
        street = self.streets[0]
        found = torch.zeros(self.spots, len(COMBOS), device=self.device)
        return found.scatter_(1, street.combos, rows[:, 0, : street.hands])


def _played(table: DecisionTable, averaged: bool) -> tuple[Tensor, Tensor]:
    return table.sums if averaged else table.play, table.even


def _products(lanes: list[Tensor], matrix: Tensor | None) -> list[Tensor]:
    """What the hands of one player get from the reach of the other, in all groups' lanes at once."""
    flat = [each.flatten(1, 2) for each in lanes]
    joined = torch.cat(flat, 1) if len(flat) > 1 else flat[0]
    if matrix is None or not joined.shape[1]:
        return lanes
    results = torch.split(joined @ matrix.transpose(-1, -2), [each.shape[1] for each in flat], 1)
    return [each.view(lane.shape) for each, lane in zip(results, lanes, strict=True)]
