"""The streets of a batch: boards, matrices, and the players' tables.

A street has the boards that can come for every spot. The lines that lead to it are put together where their betting has
the same shape: a `Group` has a plan, and tables with a row for each action, ``[rows, boards, lines, hands]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.solvers.batch.hands import (
    RIVER,
    Boards,
    combos_of,
    dealings,
    hand_count,
    meetings,
    next_boards,
    showdowns,
    width,
)
from ludus.solvers.batch.passes import Plan
from ludus.solvers.batch.subgames import Subgames
from ludus.trees.betting import FOLD, FRONTIER, SHOWDOWN
from ludus.trees.shape import Chips, Mask, TreeShape, build_shape


@dataclass
class DecisionTable:
    """What one player has learned in one group."""

    even: Tensor  # [rows, boards, lines, 1]: equal probabilities of the actions that a spot has, 0 for the others
    regrets: Tensor  # [rows, boards, lines, hands]
    play: Tensor  # what strategies are matched to: the regrets, or with what is predicted on top
    sums: Tensor


@dataclass
class Group:
    """Lines of a street whose betting has one shape."""

    shape: TreeShape  # of spots times lines
    plan: Plan
    lines: int
    parts: list[tuple[int, int]]  # where its lines come from: the group and the end on the street before, in order
    tables: list[DecisionTable] = field(default_factory=list)
    stakes: Tensor = field(init=False)  # [paying leaves, boards, lines, 1] in pots
    all_in: Tensor = field(init=False)  # [ends, boards, lines, 1]: 1 where nobody has chips left

    def spread(self, rows: Sequence[NDArray[Any]], boards: int) -> NDArray[Any]:
        """Rows ``[spots * lines]``, the same for all boards of a spot ``[rows, boards, lines]``."""
        spots = len(self.shape.pots) // self.lines
        by_spot = np.array(rows).reshape(len(rows), spots, self.lines)
        return np.repeat(by_spot, boards // spots, axis=1)

    def after(self, node: int) -> tuple[Chips, Chips, Mask]:
        """Pots, stacks and whether there is more to play, for each spot and line, after the street has ended there."""
        paid = self.shape.nodes[node].paid[:, 0]
        there = self.shape.nodes[node].there & ~self.shape.all_in(node)
        return self.shape.pots + 2 * paid, self.shape.stacks - paid, there


@dataclass
class Street:
    """All boards of a street with the betting on them."""

    boards: Boards
    groups: list[Group]
    meet: Tensor  # [hands, hands]
    beat: Tensor | None  # [boards, hands, hands], None if no hands are ever shown on this street
    before: Tensor  # of the card that comes next: as `dealings` has them
    after: Tensor
    below: Street | None = None  # the next street that is played

    @cached_property
    def combos(self) -> Tensor:
        """The combination of each hand ``[boards, hands]``, without the width that rows have beyond them."""
        return torch.from_numpy(combos_of(self.boards)).to(self.meet.device)

    @property
    def hands(self) -> int:
        """Hands on each board."""
        return hand_count(self.boards.shape[1])

    @property
    def width(self) -> int:
        """The width of rows."""
        return width(self.boards.shape[1])

    def dealt(self, going: list[Tensor]) -> list[Tensor]:
        """Reach at the roots of the groups of the next street, from that at the ends of each group of this one."""
        found = []
        for group in self.below.groups if self.below else ():
            parts = [going[number][end] for number, end in group.parts]
            reach = torch.cat(parts, 1) if len(parts) > 1 else parts[0]
            size = (len(reach), len(self.before), reach.shape[1])
            where = self.before[None, :, None].expand(*size, -1)
            found.append(reach[:, None].expand(*size, -1).gather(3, where).flatten(0, 1))
        return found

    def collected(self, values: list[Tensor]) -> list[Tensor | None]:
        """Values at the ends of each group, from those at the roots of the groups of the next street.

        They are averaged over the cards that come for a pair of hands: four of the cards that may come are theirs.
        """
        assert self.below is not None
        cards = len(self.after)
        found: list[dict[int, Tensor]] = [{} for _ in self.groups]
        for group, value in zip(self.below.groups, values, strict=True):
            each = value.view(-1, cards, *value.shape[1:])
            where = self.after[None, :, None].expand(*each.shape[:3], -1)
            mean = each.gather(3, where).sum(1) / (cards - 4)
            lines = [self.groups[number].lines for number, _ in group.parts]
            for (number, end), part in zip(group.parts, torch.split(mean, lines, 1), strict=True):
                found[number][end] = part
        return [torch.stack([each[end] for end in range(len(each))]) if each else None for each in found]


def lay_out(subgames: Subgames) -> list[list[Group]]:
    """The groups of every street, without tables."""
    streets: list[list[Group]] = []
    for at, cards in enumerate(subgames.played):
        if not at:
            streets.append([Group(subgames.shape, Plan.of(subgames.shape), 1, [])])
            continue
        bet, raises = subgames.menu(at)
        closed = SHOWDOWN if cards == RIVER else FRONTIER
        found: dict[object, list[tuple[tuple[int, int], Sequence[NDArray[Any]]]]] = {}
        for number, group in enumerate(streets[-1]):
            for node, end in group.plan.ends.items():
                lines = group.after(node)
                shape = build_shape(*lines[:2], bet, raises, closed=closed, there=lines[2])
                by_spot = [each.reshape(len(subgames), -1) for each in lines]
                found.setdefault(Plan.of(shape), []).append(((number, end), by_spot))
        groups = []
        for parts in found.values():
            pots, stacks, there = (np.concatenate(each, axis=1) for each in zip(*(by for _, by in parts), strict=True))
            shape = build_shape(pots.ravel(), stacks.ravel(), bet, raises, closed=closed, there=there.ravel())
            groups.append(Group(shape, Plan.of(shape), pots.shape[1], [source for source, _ in parts]))
        if not groups:  # everybody is all-in before
            break
        streets.append(groups)
    return streets


def build_streets(
    subgames: Subgames, device: torch.device, half: torch.dtype, predict: bool, backend: str | None
) -> list[Street]:
    """The streets of a batch with their matrices, and with tables of zeros."""
    streets: list[Street] = []
    boards = subgames.boards
    for at, groups in enumerate(lay_out(subgames)):
        if at:
            boards = next_boards(boards)
        cards = boards.shape[1]
        shown = any(kind == SHOWDOWN or group.plan.mixed for group in groups for kind, _ in group.plan.structure)
        beat, unit = showdowns(boards, device, half, backend) if shown else (None, 1.0)
        meet = torch.from_numpy(meetings(cards)).to(device, half)
        before, after = (torch.from_numpy(each).to(device) for each in dealings(cards))
        street = Street(boards, groups, meet, beat, before, after)
        for group in groups:
            _fill(group, street, subgames.units, unit, device, predict)
        if streets:
            streets[-1].below = street
        streets.append(street)
    return streets


def _fill(group: Group, street: Street, units: Chips, unit: float, device: torch.device, predict: bool) -> None:
    """Give a group its tables and what its leaves pay."""
    boards, nodes = len(street.boards), group.shape.nodes

    def spread(rows: Sequence[NDArray[Any]]) -> Tensor:
        return torch.from_numpy(group.spread(rows, boards).astype(np.float32)[..., None]).to(device)

    per_line = np.repeat(units, group.lines)
    stakes = []
    for at in group.plan.paying:
        shown, folded = group.shape.payoffs(at)
        stakes.append((folded if nodes[at].kind == FOLD else shown * unit) / per_line)
    group.stakes, group.all_in = spread(stakes), spread([group.shape.all_in(at) for at in group.plan.ends])
    for player in (0, 1):
        shares = []
        for at in group.plan.rows(player):
            offered = np.stack([nodes[child].there for child in nodes[at].children])
            shares += list(offered / np.maximum(offered.sum(axis=0), 1))
        even = spread(shares)
        size = (len(shares), boards, group.lines, street.width)
        regrets, sums = torch.zeros(size, device=device), torch.zeros(size, device=device)
        group.tables.append(DecisionTable(even, regrets, torch.zeros_like(regrets) if predict else regrets, sums))
