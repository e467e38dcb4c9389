"""The passes of the batched solver over one street's betting: pure functions from tensors to tensors.

A row is a tensor ``[boards, lines, hands]``: a line is one way in which the betting came to this street, so that all
lines of one shape are solved as one. A player's table has a row for each action of each of their decisions, in
depth-first order. The tree is unrolled, so that a compiler sees a list of operations on rows and can fuse them.

A pass is compiled once for each plan, whatever solver asks for it: neither the pass nor the plan refers to a solver or
to its tensors, and a solver that is dropped is freed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import torch
from torch import Tensor

from ludus.trees.betting import FOLD, FRONTIER, IP, OOP, SHOWDOWN
from ludus.trees.shape import TreeShape

Pass = Callable[..., tuple[Tensor, ...]]
TINY = 1e-30
LEARN, BEST, FOLLOW = "learn", "best", "follow"
MOST_COMPILED = 256  # passes that are kept; a plan has about ten


@dataclass(frozen=True)
class Plan:
    """What is static in a shape: all that the passes are unrolled from."""

    structure: tuple[tuple[int, int], ...]  # kind and parent of each node
    mixed: frozenset[int]  # leaves of the kind FRONTIER at which some spots are all-in

    @classmethod
    def of(cls, shape: TreeShape) -> Plan:
        """The plan of a shape; a leaf at which all spots are all-in is a showdown."""
        structure, mixed = [], set()
        for at, node in enumerate(shape.nodes):
            kind = node.kind
            if kind == FRONTIER:
                all_in = shape.all_in(at)[node.there]
                if all_in.all():
                    kind = SHOWDOWN
                elif all_in.any():
                    mixed.add(at)
            structure.append((kind, node.parent))
        return cls(tuple(structure), frozenset(mixed))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each node."""
        found: list[list[int]] = [[] for _ in self.structure]
        for at, (_, parent) in enumerate(self.structure):
            if parent >= 0:
                found[parent].append(at)
        return tuple(tuple(each) for each in found)

    def kind(self, at: int) -> int:
        """What a node is."""
        return self.structure[at][0]

    def rows(self, player: int) -> dict[int, range]:
        """The rows of a player's table that belong to each of their decisions."""
        found, count = {}, 0
        for at, (kind, _) in enumerate(self.structure):
            if kind == player:
                found[at] = range(count, count + len(self.children[at]))
                count += len(self.children[at])
        return found

    def height(self, player: int) -> int:
        """The number of rows of a player's table."""
        return sum(len(rows) for rows in self.rows(player).values())

    @cached_property
    def paying(self) -> dict[int, int]:
        """The leaves at which someone folds or hands may be shown, each with its place among the stakes."""
        paying = [at for at, (kind, _) in enumerate(self.structure) if kind in (FOLD, SHOWDOWN) or at in self.mixed]
        return {at: place for place, at in enumerate(paying)}

    @cached_property
    def ends(self) -> dict[int, int]:
        """The leaves after which the hand goes on, numbered."""
        return {at: n for n, at in enumerate(at for at, (kind, _) in enumerate(self.structure) if kind == FRONTIER)}

    def source(self, at: int, player: int) -> int:
        """The last node on the way to a node that a player's action led to, or the root: their reach is the same."""
        while at and self.kind(self.structure[at][1]) != player:
            at = self.structure[at][1]
        return at

    def lanes(self, learner: int) -> tuple[dict[int, int], dict[int, int]]:
        """Where the opponent's reach is needed for showdowns and for folds: nodes as `source` gives them, numbered."""
        shown: dict[int, int] = {}
        folded: dict[int, int] = {}
        for at in self.paying:
            lanes = folded if self.kind(at) == FOLD else shown
            lanes.setdefault(self.source(at, 1 - learner), len(lanes))
        return shown, folded


def matched(rows: range, play: Tensor, even: Tensor) -> list[Tensor]:
    """Regret matching: the probabilities of a decision's actions, from what is played and from equal ones."""
    positive = [play[row].clamp(min=0) for row in rows]
    total = sum(positive[1:], positive[0])
    whole, safe = total > TINY, total.clamp(min=TINY)
    return [torch.where(whole, each / safe, even[row]) for each, row in zip(positive, rows, strict=True)]


def learned(regrets: Tensor, now: Tensor, discount: Tensor, clip: bool) -> Tensor:
    """The next regrets (`schedules`): immediate ones are added first, then all are discounted."""
    new = regrets + now
    return new.clamp(min=0) * discount[0] if clip else new * torch.where(new > 0, discount[0], discount[1])


def _reach(plan: Plan, player: int, play: Tensor, even: Tensor, root: Tensor) -> tuple[dict[int, Tensor], list[Tensor]]:
    """A player's reach where it changes (as `Plan.source` names it), and of each row of their table."""
    reach, taken = {0: root}, []
    for at, rows in plan.rows(player).items():
        here = reach[plan.source(at, player)]
        for child, chance in zip(plan.children[at], matched(rows, play, even), strict=True):
            reach[child] = here * chance
            taken.append(reach[child])
    return reach, taken


def _stacked(rows: list[Tensor], like: Tensor, dim: int = 0) -> Tensor:
    return torch.stack(rows, dim) if rows else like.unsqueeze(dim).narrow(dim, 0, 0)


def down(plan: Plan, learner: int, half: torch.dtype) -> Pass:
    """Pass from the opponent's table to their reach at showdowns and at folds, both ``[boards, lines, lanes, hands]``
    in half precision, and where the hand goes on ``[ends, boards, lines, hands]``."""

    def run(play: Tensor, even: Tensor, root: Tensor) -> tuple[Tensor, ...]:
        reach, _ = _reach(plan, 1 - learner, play, even, root)
        shown, folded = (
            _stacked([reach[at].to(half) for at in lanes], root.to(half), 2) for lanes in plan.lanes(learner)
        )
        return shown, folded, _stacked([reach[plan.source(at, 1 - learner)] for at in plan.ends], root)

    return run


def ends(plan: Plan, player: int) -> Pass:
    """Pass from a player's table to their reach where the hand goes on ``[ends, boards, lines, hands]``."""

    def run(play: Tensor, even: Tensor, root: Tensor) -> tuple[Tensor, ...]:
        reach, _ = _reach(plan, player, play, even, root)
        return (_stacked([reach[plan.source(at, player)] for at in plan.ends], root),)

    return run


def average(plan: Plan, player: int) -> Pass:
    """Pass that adds a player's strategy, weighted by their reach, to its sums, and discounts them."""

    def run(play: Tensor, even: Tensor, root: Tensor, sums: Tensor, factor: Tensor) -> tuple[Tensor, ...]:
        _, taken = _reach(plan, player, play, even, root)
        return (_stacked([(sums[row] + each) * factor for row, each in enumerate(taken)], root),)

    return run


def up(
    plan: Plan, learner: int, mode: str, clip: bool = False, predict: bool = False, nodes: tuple[int, ...] = (0,)
) -> Pass:
    """Pass from what the leaves are worth to the values of nodes ``[nodes, boards, lines, hands]``.

    With LEARN the learner's next regrets come first, and what is played next where that differs (`schedules`). Leaves:
    the results of lanes ``compared`` and ``counted``, which ``stakes`` turn into pots, and the values ``beyond`` of
    what goes on; where ``all_in`` is 1 hands are shown instead.
    """
    shown, folded = plan.lanes(learner)
    sign = 1.0 if learner == OOP else -1.0
    mine = plan.rows(learner)

    def leaf(at: int, compared: Tensor, counted: Tensor, stakes: Tensor, beyond: Tensor, all_in: Tensor) -> Tensor:
        kind, source = plan.kind(at), plan.source(at, 1 - learner)
        if kind == FOLD:
            return counted[:, :, folded[source]].float() * (stakes[plan.paying[at]] * sign)
        if kind == FRONTIER and at not in plan.mixed:
            return beyond[plan.ends[at]]
        value = compared[:, :, shown[source]].float() * stakes[plan.paying[at]]
        return torch.where(all_in[plan.ends[at]] > 0, value, beyond[plan.ends[at]]) if at in plan.mixed else value

    def run(
        regrets: Tensor, play: Tensor, even: Tensor, discount: Tensor,
        compared: Tensor, counted: Tensor, stakes: Tensor, beyond: Tensor, all_in: Tensor,
    ) -> tuple[Tensor, ...]:  # fmt: skip
        value: dict[int, Tensor] = {}
        after: dict[int, Tensor] = {}
        predicted: dict[int, Tensor] = {}
        for at in range(len(plan.structure) - 1, -1, -1):
            below = [value[child] for child in plan.children[at]]
            if plan.kind(at) not in (OOP, IP):
                value[at] = leaf(at, compared, counted, stakes, beyond, all_in)
            elif plan.kind(at) != learner:
                value[at] = sum(below[1:], below[0])
            elif mode == BEST:
                offered = [
                    torch.where(even[row] > 0, each, -torch.inf) for row, each in zip(mine[at], below, strict=True)
                ]
                best = torch.stack(offered).amax(0)
                value[at] = torch.where(torch.isfinite(best), best, 0.0)
            else:
                parts = [each * chance for each, chance in zip(below, matched(mine[at], play, even), strict=True)]
                value[at] = sum(parts[1:], parts[0])
                if mode == LEARN:
                    for row, each in zip(mine[at], below, strict=True):
                        now = torch.where(even[row] > 0, each - value[at], 0.0)
                        after[row] = learned(regrets[row], now, discount, clip)
                        predicted[row] = after[row] + now
        kept = torch.stack([value[at] for at in nodes])
        if mode != LEARN:
            return (kept,)
        tables = [_stacked([table[row] for row in range(len(table))], value[0]) for table in (after, predicted)]
        return (tables[0], tables[1] if predict else tables[0], kept)

    return run


@lru_cache(maxsize=MOST_COMPILED)
def compiled(backend: str | None, make: Callable[..., Pass], *static: Any) -> Pass:
    """A pass that ``make`` gives for a plan and other static arguments, compiled once; as it is without a back end.

    It is traced before it is compiled. What is compiled is then a list of operations, with nothing of Python's to
    guard and with a place of its own in the compiler's cache, however many plans there are.
    """
    run = make(*static)
    if backend is None:
        return run
    compiled: Pass = torch.compile(torch.fx.symbolic_trace(run), backend=backend)
    return compiled
