"""Many river spots at once, on a GPU if there is one (PyTorch).

All spots share one tree shape (`ludus.trees.shape`), so a node's row is a matrix over spots and hands. Every board
leaves 47 cards, whose 1081 pairs are numbered alike on all boards; then one matrix of who can meet whom serves all
folds, and a matrix of -1, 0 and 1 for each board its showdowns. The algorithm is that of `SpotSolver`: the same
schedule, alternating updates, averages gathered in the same iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ludus.cards.ranges import COMBOS
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, PLACE_BITS, rank_live
from ludus.compiled import kernel
from ludus.solvers.schedules import ALGORITHMS, Algorithm
from ludus.solvers.spot.rivers import Rivers, Solved
from ludus.solvers.spot.solver import RIVER_DEFAULT
from ludus.trees.betting import FOLD, SHOWDOWN
from ludus.trees.shape import TreeShape

try:
    import torch
except ImportError as error:  # an optional dependency
    raise ImportError("solving many spots at once needs PyTorch: pip install 'ludus[torch]'") from error

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor

_Function = TypeVar("_Function", bound=Callable[..., object])
HANDS = 1081
TINY = 1e-30
WIDTH = 1088  # a multiple of 64 makes matrix products three times as fast as 1081
LEARN, BEST, FOLLOW = 0, 1, 2


@dataclass
class _Player:
    """One player's decisions: rows by place in the list of his nodes, action, spot and hand."""

    nodes: list[int]
    mask: Tensor  # [nodes, actions, spots, 1]: 1 where a spot has the action
    even: Tensor  # the same, divided by how many it has
    regrets: Tensor  # [nodes, actions, spots, hands]
    sums: Tensor


class BatchSolver:
    """CFR on many river spots of one shape."""

    def __init__(
        self, rivers: Rivers, algorithm: Algorithm = ALGORITHMS[RIVER_DEFAULT], planned: int = 0, device: str = "cpu"
    ) -> None:
        self.shape: TreeShape = rivers.shape
        self.algorithm, self.planned, self.iterations = algorithm, planned, 0
        self.device = torch.device(device)
        fast = self.device.type == "cuda"
        self._half = torch.float16 if fast else torch.float32  # of reach and results in matrix products
        if fast:  # a batch of another size or shape is compiled anew
            torch._dynamo.config.recompile_limit = max(64, torch._dynamo.config.recompile_limit)
        compiled = torch.compile if fast else _as_it_is
        self._match, self._learn, self._average = compiled(_match), compiled(_learn), compiled(_average)
        self._down, self._up = compiled(self._reach_lanes), compiled(self._back_up)
        self.spots = len(rivers.boards)
        combos, ranks = _live_hands(rivers.boards)
        self.combos = self._tensor(combos)
        self.meet = torch.zeros(WIDTH, WIDTH, dtype=self._half, device=self.device)
        self.meet[:HANDS, :HANDS] = self._tensor(_disjoint()).to(self._half)
        self.beat = self._showdowns(self._tensor(ranks.astype(np.int16)))
        self.pots = self._tensor(self.shape.pots.astype(np.float32))
        self.ranges = self._ranges(rivers)
        self.players = [self._player(player) for player in (0, 1)]
        self._plan()

    def _tensor(self, array: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def _ranges(self, rivers: Rivers) -> list[Tensor]:
        """Both ranges over the hands of each board ``[spots, hands]``, adding up to the number of hands."""
        found = []
        for player in (0, 1):
            weights = self._tensor(rivers.ranges[:, player].astype(np.float32))
            wide = torch.zeros(self.spots, WIDTH, device=self.device)
            wide[:, :HANDS] = weights.gather(1, self.combos)
            found.append(wide * (HANDS / wide.sum(1, keepdim=True)))
        return found

    def _showdowns(self, ranks: Tensor) -> Tensor:
        """Who beats whom on each board ``[spots, hands, hands]``: 1, 0 or -1, and 0 where two hands share a card."""
        beat = torch.zeros(self.spots, WIDTH, WIDTH, dtype=self._half, device=self.device)
        for spot in range(0, self.spots, 64):
            part = ranks[spot : spot + 64]
            sign = (part[:, :, None] < part[:, None, :]).to(self._half) - (part[:, :, None] > part[:, None, :]).to(
                self._half
            )
            beat[spot : spot + 64, :HANDS, :HANDS] = sign * self.meet[:HANDS, :HANDS]
        return beat

    def _player(self, player: int) -> _Player:
        nodes = [at for at, node in enumerate(self.shape.nodes) if node.kind == player]
        most = max((len(self.shape.nodes[at].children) for at in nodes), default=1)
        mask = np.zeros((len(nodes), most, self.spots, 1), np.float32)
        for place, at in enumerate(nodes):
            for action, child in enumerate(self.shape.nodes[at].children):
                mask[place, action, :, 0] = self.shape.nodes[child].there
        counts = np.maximum(mask.sum(axis=1, keepdims=True), 1)
        rows = (len(nodes), most, self.spots, WIDTH)
        zeros = [torch.zeros(rows, device=self.device) for _ in range(2)]
        return _Player(nodes, self._tensor(mask), self._tensor(mask / counts), *zeros)

    def _plan(self) -> None:
        """Where reach changes and where lanes lie, for each player as the learner."""
        nodes = self.shape.nodes
        self._slots: list[list[int]] = []  # [learner][node]: the row of the opponent's reach
        self._lanes: list[tuple[dict[int, int], dict[int, int]]] = []  # rows that need showdowns, folds; with a lane
        self._stakes = {}
        for at, node in enumerate(nodes):
            if node.kind in (FOLD, SHOWDOWN):
                shown, folded = self.shape.payoffs(at)
                stake = shown if node.kind == SHOWDOWN else folded
                self._stakes[at] = self._tensor((stake / self.shape.pots).astype(np.float32)[:, None])
        for learner in (0, 1):
            slots, count = [0] * len(nodes), 1
            lanes: tuple[dict[int, int], dict[int, int]] = ({}, {})
            for at, node in enumerate(nodes):
                if node.parent >= 0:
                    slots[at] = slots[node.parent]
                    if nodes[node.parent].kind == 1 - learner:
                        slots[at], count = count, count + 1
                if node.kind in (FOLD, SHOWDOWN):
                    wanted = lanes[node.kind == FOLD]
                    wanted.setdefault(slots[at], len(wanted))
            self._slots.append(slots)
            self._lanes.append(lanes)

    def run(self, iterations: int) -> None:
        """Continue for so many iterations."""
        for t in range(self.iterations + 1, self.iterations + 1 + iterations):
            discount = self.algorithm.discount(t, self.planned)
            average = self.algorithm.discount(t, self.planned).average
            for player in (0, 1):
                me, he = self.players[player], self.players[1 - player]
                mine = self._match(me.regrets, me.mask, me.even)
                his = self._match(he.regrets, he.mask, he.even)
                if average:
                    self._average(me.sums, mine, self._own_reach(player, mine), average)
                results, values = self._traverse(player, mine, his, LEARN)
                floor = 0.0 if self.algorithm.clip else -float("inf")
                self._learn(me.regrets, results, values, me.mask, discount.positive, discount.negative, floor)
            self.iterations = t

    def _own_reach(self, player: int, mine: Tensor) -> Tensor:
        """The learner's reach ``[nodes, spots, hands]`` at his nodes."""
        nodes, me = self.shape.nodes, self.players[player]
        reach = torch.empty(len(me.nodes), self.spots, WIDTH, device=self.device)
        place = {at: row for row, at in enumerate(me.nodes)}
        for at in me.nodes:
            child, above = at, nodes[at].parent
            while above >= 0 and nodes[above].kind != player:
                child, above = above, nodes[above].parent
            if above < 0:
                reach[place[at]] = self.ranges[player]
            else:
                action = nodes[above].children.index(child)
                torch.mul(reach[place[above]], mine[place[above], action], out=reach[place[at]])
        return reach

    def _traverse(self, player: int, mine: Tensor, his: Tensor, mode: int) -> tuple[Tensor, Tensor]:
        """Values in units of the pot: of each action at the learner's nodes, and of the nodes; the root's is last."""
        shown, folded = self._down(player, his, self.ranges[1 - player])
        compared = torch.bmm(shown, self.beat.transpose(1, 2)) if shown.shape[1] else shown
        counted = folded @ self.meet if folded.shape[1] else folded
        results, values = self._up(player, mode, mine, self.players[player].mask, compared, counted)
        return results, values

    def _reach_lanes(self, player: int, his: Tensor, reach_of_root: Tensor) -> tuple[Tensor, Tensor]:
        """The opponent's reach where hands are shown and where someone folds ``[spots, lanes, hands]``."""
        nodes, slots = self.shape.nodes, self._slots[player]
        place = {at: row for row, at in enumerate(self.players[1 - player].nodes)}
        reach: dict[int, Tensor] = {0: reach_of_root}
        for at, node in enumerate(nodes[1:], 1):
            if nodes[node.parent].kind == 1 - player:
                action = nodes[node.parent].children.index(at)
                reach[slots[at]] = reach[slots[node.parent]] * his[place[node.parent], action]
        none = reach_of_root[:, None][:, :0].to(self._half)
        shown, folded = (
            torch.stack([reach[slot].to(self._half) for slot in lanes], 1) if lanes else none
            for lanes in self._lanes[player]
        )
        return shown, folded

    def _back_up(
        self, player: int, mode: int, mine: Tensor, mask: Tensor, compared: Tensor, counted: Tensor
    ) -> tuple[Tensor, Tensor]:
        """From the results of the lanes to the values of all nodes."""
        nodes, me, slots = self.shape.nodes, self.players[player], self._slots[player]
        shown, folded = self._lanes[player]
        sign = 1.0 if player == 0 else -1.0
        place = {at: row for row, at in enumerate(me.nodes)}
        most = mine.shape[1] if len(me.nodes) else 0
        value: dict[int, Tensor] = {}
        results, values = [], []
        for at in range(len(nodes) - 1, -1, -1):
            node = nodes[at]
            if node.kind == SHOWDOWN:
                value[at] = compared[:, shown[slots[at]]].float() * self._stakes[at]
            elif node.kind == FOLD:
                value[at] = counted[:, folded[slots[at]]].float() * (self._stakes[at] * sign)
            elif node.kind == player:
                rows = [value[child] for child in node.children]
                row = place[at]
                if mode == BEST:
                    open_rows = [
                        torch.where(mask[row, action] > 0, each, -torch.inf) for action, each in enumerate(rows)
                    ]
                    best = torch.stack(open_rows).amax(0)
                    value[at] = torch.where(torch.isfinite(best), best, 0.0)
                else:
                    value[at] = sum(each * mine[row, action] for action, each in enumerate(rows))  # type: ignore[assignment]
                results.append(torch.stack(rows + [torch.zeros_like(rows[0])] * (most - len(rows))))
                values.append(value[at])
            else:
                value[at] = sum(value[child] for child in node.children)  # type: ignore[assignment]
        values = [*reversed(values), value[0]]
        stacked = torch.stack(results[::-1]) if results else mine
        return stacked, torch.stack(values)

    def _averages(self) -> tuple[Tensor, Tensor]:
        one, other = (self._match(each.sums, each.mask, each.even) for each in self.players)
        return one, other

    def solved(self) -> Solved:
        """What the average strategies are worth for each hand, and how far from equilibrium they are."""
        averages = self._averages()
        pairs = ((self.ranges[1].to(self._half) @ self.meet).float() * self.ranges[0]).sum(1)
        values = torch.zeros(self.spots, 2, len(COMBOS), device=self.device)
        gains = torch.zeros(self.spots, device=self.device)
        for player in (0, 1):
            mine, his = averages[player], averages[1 - player]
            followed = self._traverse(player, mine, his, FOLLOW)[1][-1]
            best = self._traverse(player, mine, his, BEST)[1][-1]
            gains += ((best - followed) * self.ranges[player]).sum(1) / pairs
            values[:, player].scatter_(1, self.combos, followed[:, :HANDS] / HANDS)
        return Solved(values.cpu().numpy(), (gains / 2).double().cpu().numpy())


def _as_it_is(function: _Function) -> _Function:
    return function


def _match(table: Tensor, mask: Tensor, even: Tensor) -> Tensor:
    """Regret matching over the actions that each spot has."""
    positive = table.clamp(min=0) * mask
    total = positive.sum(1, keepdim=True)
    return torch.where(total > TINY, positive / total.clamp(min=TINY), even)


def _average(sums: Tensor, mine: Tensor, reach: Tensor, average: float) -> None:
    sums.copy_((sums + mine * reach[:, None]) * average)


def _learn(
    regrets: Tensor, results: Tensor, values: Tensor, mask: Tensor, positive: float, negative: float, floor: float
) -> None:
    """Add immediate regrets, then discount."""
    new = (regrets + (results - values[:-1, None]) * mask).clamp(min=floor)
    regrets.copy_(torch.where(new > 0, new * positive, new * negative))


def _disjoint() -> NDArray[np.float32]:
    """Which of the 1081 pairs of 47 cards share no card ``[1081, 1081]``."""
    pairs = np.array([(low, high) for high in range(47) for low in range(high)])
    holds = np.zeros((len(pairs), 47), np.float32)
    holds[np.arange(len(pairs))[:, None], pairs] = 1
    return np.asarray(holds @ holds.T == 0, np.float32)


def _live_hands(boards: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    """The combinations that boards leave, in the order of pairs of live cards, and their classes ``[spots, 1081]``."""
    dead = np.zeros((len(boards), 52), np.bool_)
    np.put_along_axis(dead, boards.astype(np.int64), values=True, axis=1)
    cards = np.flatnonzero(~dead.ravel()).reshape(len(boards), 47) % 52
    high, low = np.array([(high, low) for high in range(47) for low in range(high)]).T
    combos = cards[:, high] * (cards[:, high] - 1) // 2 + cards[:, low]
    ranks = np.empty(combos.shape, np.uint16)
    _rank_all(boards, ranks)
    return combos, ranks


@kernel
def _rank_all(boards: NDArray[np.uint8], ranks: NDArray[np.uint16]) -> None:
    """Classes of the hands that boards leave, in the order of the combinations."""
    packed = np.empty(len(COMBO_KEYS), np.uint32)
    for spot in range(len(boards)):
        count = rank_live(boards[spot], COMBO_KEYS, COMBO_BITS, packed)
        for at in range(count):
            ranks[spot, at] = packed[at] >> np.uint32(PLACE_BITS)
