"""A value network of heads-up hold'em that values hand by hand.

One small network is asked for every hand of both players, with the same weights. It is told what is known of the hand
on the board, how it stands to both ranges, and a summary of the situation. The summary adds up, over either range, what
another small network says of each hand, so that it can learn which kinds of hands count. Nothing names a suit, so hands
that differ in suits alone are valued alike.

Inputs include what every hand wins if nobody bets any more; the network learns what betting adds. Outputs are both
players' counterfactual values in pots, counted from half the pot; those of both ranges are made to add up to zero.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.files import Arrays, check_array, load_arrays, save_arrays
from ludus.nets.holdem.boards import KNOWN, PARTS, BoardHands, board_hands
from ludus.solvers.leaf_values import Evaluate, Leaves
from ludus.solvers.leaf_values import Floats as Reach
from ludus.solvers.spot.leaf_solvers import margin

Floats = NDArray[np.float32]
KIND, FORMAT = "hand-network", 1
STAGES = {"river": 5, "turn-end": 4, "turn": 4, "flop-end": 3, "flop": 3, "preflop-end": 0}
"""Where networks stand, and the cards on the board there: the beginning of a street, or the end of its betting."""
SEEN = 6 + PARTS  # numbers about a hand and both ranges
NUMBERS = 2  # about pot and stack
BLOCKED_UNIT = 0.1  # of the mass that a hand blocks


@dataclass(frozen=True)
class HandShape:
    """How large a network is."""

    pooled: int = 48  # numbers by which a range is summarised
    context: int = 128  # width of the summary of a situation
    width: int = 64  # of the layers that a hand goes through
    layers: int = 2

    def __post_init__(self) -> None:
        if min(asdict(self).values()) < 1 or max(asdict(self).values()) > 4096:
            raise ValueError(f"the widths and the layers of a network are 1 to 4096, got {asdict(self)}")

    @property
    def arrays(self) -> dict[str, tuple[int, ...]]:
        """The weights by name, with their sizes."""
        sizes = {
            "kind0": (KNOWN, self.pooled), "kind1": (self.pooled, self.pooled),
            "context0": (3 * self.pooled + 1 + NUMBERS, self.context), "context1": (self.context, self.context),
            **{f"hand{at}": (self.width if at else KNOWN + SEEN, self.width) for at in range(self.layers)},
            "out": (self.width, 1),
        }  # fmt: skip
        biases = {f"{name}.bias": (size[1],) for name, size in sizes.items()}
        told = {f"told{at}": (self.context, self.width) for at in range(self.layers)}
        return {**sizes, **biases, **told}


def stack_numbers(pots: NDArray[Any], stacks: NDArray[Any]) -> Floats:
    """``[n, 2]`` The pot as a part of all chips, and the stack in pots as a logarithm."""
    return np.stack([pots / (pots + 2 * stacks), np.log(stacks / pots + 0.05) / 3], 1).astype(np.float32)


def betting_scale(pots: NDArray[Any], stacks: NDArray[Any]) -> Floats:
    """``[n]`` What the network's output is multiplied by: more can be won by betting in deep stacks, nothing all-in."""
    return np.where(stacks > 0, np.sqrt(1 + stacks / pots), 0).astype(np.float32)


def hand_features(board: BoardHands, ranges: Floats, unbet: Floats, player: int) -> Floats:
    """``[n, hands, SEEN]`` How the hands of a player stand to both ranges ``[n, 2, hands]``.

    The mass of either range that is worse and better by the mean place; what of the opponent's range can be met; what
    the hand wins without betting ``[n, hands]``; and, part by part, what it blocks of the opponent's range.
    """
    seen = np.empty((len(ranges), ranges.shape[2], SEEN), np.float32)
    unbet = np.ascontiguousarray(unbet)
    _fill(ranges, unbet, player, board.known, board.order, board.better, board.not_worse, board.cards, seen)
    return seen


@kernel
def _fill(
    ranges: Floats, unbet: Floats, who: int, known: Floats, order: NDArray[np.int64], better: NDArray[np.int64],
    not_worse: NDArray[np.int64], cards: NDArray[np.int64], seen: Floats,
) -> None:  # fmt: skip
    """The above, into ``seen``."""
    hands = len(order)
    sums, by_card = np.zeros((2, hands + 1)), np.empty((52, PARTS))
    for spot in range(len(ranges)):
        for each in range(2):
            for at in range(hands):
                sums[each, at + 1] = sums[each, at] + ranges[spot, each, order[at]]
        other = ranges[spot, 1 - who]
        by_card[:] = 0
        for hand in range(hands):
            for part in range(PARTS):
                mass = other[hand] * known[hand, 1 + part]
                by_card[cards[hand, 0], part] += mass
                by_card[cards[hand, 1], part] += mass
        for hand in range(hands):
            row, met = seen[spot, hand], 1.0
            for part in range(PARTS):
                blocked = by_card[cards[hand, 0], part] + by_card[cards[hand, 1], part]
                blocked -= other[hand] * known[hand, 1 + part]
                met -= blocked
                row[SEEN - PARTS + part] = np.float32(blocked / BLOCKED_UNIT)
            row[0] = np.float32(sums[1 - who, hands] - sums[1 - who, not_worse[hand]])
            row[1] = np.float32(sums[1 - who, better[hand]])
            row[2] = np.float32(sums[who, hands] - sums[who, not_worse[hand]])
            row[3] = np.float32(sums[who, better[hand]])
            row[4], row[5] = np.float32(met), unbet[spot, hand]


@dataclass(frozen=True, eq=False)
class HandNetwork:
    """Weights and what they are for."""

    shape: HandShape
    arrays: Arrays
    stage: str
    origin: dict[str, Any]  # how it was trained

    def __post_init__(self) -> None:
        if self.stage not in STAGES:
            raise ValueError(f"networks stand at {', '.join(STAGES)}, got {self.stage!r}")

    def bind(self, leaves: Leaves) -> Evaluate:
        """Prepare for leaves, as `ludus.solvers.leaf_values.LeafValues` asks."""
        bound = self.bind_settling(leaves)

        def evaluate(reach: Reach) -> Reach:
            bound.settle(reach)
            values = np.zeros_like(reach)
            for player in (0, 1):
                values[:, player] = bound.values(reach, player)
            return values

        return evaluate

    def bind_settling(self, leaves: Leaves) -> BoundNetwork:
        """The same, where what betting adds is worked out now and then (`SettlingLeafValues`)."""
        cards = STAGES[self.stage]
        if leaves.boards.shape[1] != cards:
            raise ValueError(f"the network of the {self.stage} values boards of {cards} cards")
        return BoundNetwork(self, leaves)

    @property
    def digest(self) -> str:
        """A short name for its weights."""
        parts = (self.arrays[name].astype(np.float16).tobytes() for name in sorted(self.arrays))
        return hashlib.sha256(b"".join(parts)).hexdigest()[:16]

    def save(self, path: Path) -> None:
        """Write it, in 16 bits; the same network always gives the same bytes."""
        header = {
            "kind": KIND, "format": FORMAT, "shape": asdict(self.shape), "stage": self.stage, "origin": self.origin,
        }  # fmt: skip
        save_arrays(path, header, {name: array.astype(np.float16) for name, array in self.arrays.items()})

    @classmethod
    def load(cls, path: Path) -> HandNetwork:
        """Read one; ValueError when it is damaged."""
        header, arrays = load_arrays(path, KIND, FORMAT)
        try:
            shape = HandShape(**header["shape"])
            wanted = shape.arrays
            if set(arrays) != set(wanted):
                raise ValueError("it has other arrays than its shape says")
            for name, size in wanted.items():
                check_array(name, arrays[name], "float16", size)
                if not np.isfinite(arrays[name]).all():
                    raise ValueError(f"{name} has numbers that are not finite")
            return cls(
                shape,
                {name: array.astype(np.float32) for name, array in arrays.items()},
                str(header["stage"]),
                dict(header["origin"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is no value network of hold'em: {error}") from None


class BoundNetwork:
    """A network for some leaves."""

    def __init__(self, network: HandNetwork, leaves: Leaves) -> None:
        boards: dict[tuple[int, ...], list[int]] = {}
        for at, board in enumerate(leaves.boards.tolist()):
            boards.setdefault(tuple(board), []).append(at)
        self._parts = [
            (np.array(rows), _OnBoard(network, board_hands(board), leaves.pots[rows], leaves.stacks[rows]))
            for board, rows in boards.items()
        ]

    def settle(self, reach: Reach) -> None:
        """Work out what betting adds to the hands, given both players' reach."""
        for rows, bound in self._parts:
            bound.settle(bound.ranges(reach[rows])[0])

    def values(self, reach: Reach, player: int) -> Reach:
        """A player's values ``[leaves, 1326]``: what hands win without betting, and what that adds."""
        values = np.zeros((len(reach), reach.shape[2]), reach.dtype)
        for rows, bound in self._parts:
            ranges, mass = bound.ranges(reach[rows])
            whole = np.zeros((len(rows), reach.shape[2]), reach.dtype)
            whole[:, bound.board.combos] = bound.values(ranges, player) * (mass[:, 1 - player] * bound.pots[:, None])
            values[rows] = whole
        return values


class _OnBoard:
    """A network for some pots and stacks on one board: what does not depend on ranges is worked out once."""

    def __init__(
        self, network: HandNetwork, board: BoardHands, pots: NDArray[Any], stacks: NDArray[Any]
    ) -> None:  # fmt: skip
        self.board, self.pots = board, pots.astype(np.float32)
        w = self._weights = network.arrays
        self._kinds = hand_kinds(w, board.known)
        self._even = self._kinds.mean(axis=0)
        self._asked, self._spread = board.representatives
        self._known = board.known[self._asked] @ w["hand0"][:KNOWN] + w["hand0.bias"]
        self._numbers, self._scale = stack_numbers(pots, stacks), betting_scale(pots, stacks)
        self._margin = np.ascontiguousarray(_margins(board.board)[:, self._asked])
        self._added = np.zeros((len(pots), 2, len(board.combos)), np.float32)  # what betting adds

    def ranges(self, reach: Reach) -> tuple[Floats, Floats]:
        """Both players' ranges ``[n, 2, hands]``, which add up to 1, and what they added up to ``[n, 2, 1]``."""
        own = np.ascontiguousarray(reach[:, :, self.board.combos], np.float32)
        mass = own.sum(axis=2, keepdims=True)
        return np.where(mass > 0, own / np.where(mass > 0, mass, 1), np.float32(1 / own.shape[2])), mass

    def settle(self, ranges: Floats) -> None:
        """Work out what betting adds."""
        told = told_hands(self._weights, ranges, self._kinds, self._even, self._numbers)
        for who in (0, 1):
            seen = hand_features(self.board, ranges, self._unbet(ranges, who), who)[:, self._asked]
            for at in np.flatnonzero(self._scale).tolist():
                added = betting_adds(self._weights, seen[at], self._known, [each[at, who] for each in told])
                self._added[at, who] = (self._scale[at] * added)[self._spread]

    def values(self, ranges: Floats, player: int) -> Floats:
        """``[n, hands]`` A player's values in pots."""
        missed = (self._added * ranges).sum(axis=(1, 2))
        return np.asarray(self._unbet(ranges, player) + self._added[:, player] - missed[:, None] / 2)

    def _unbet(self, ranges: Floats, player: int) -> Floats:
        """``[n, hands]`` What hands win if nobody bets, in pots."""
        return np.asarray((ranges[:, 1 - player] @ self._margin * np.float32(0.5))[:, self._spread])


def hand_kinds(weights: Arrays, known: Floats) -> Floats:
    """``[hands, pooled]`` What of each hand is added up over a range, from what is known of it ``[hands, KNOWN]``."""
    x = _rectified(known @ weights["kind0"] + weights["kind0.bias"])
    return _rectified(x @ weights["kind1"] + weights["kind1.bias"])


def told_hands(weights: Arrays, ranges: Floats, kinds: Floats, even: Floats, numbers: Floats) -> list[Floats]:
    """By layer, what hands are told of situations ``[n, 2, width]``: ranges ``[n, 2, hands]``, pots and stacks."""
    count, pooled = len(ranges), ranges @ kinds
    parts = [
        pooled, pooled[:, ::-1], np.broadcast_to(even, pooled.shape),
        np.broadcast_to(np.array([[0], [1]], np.float32), (count, 2, 1)),
        np.broadcast_to(numbers[:, None], (count, 2, NUMBERS)),
    ]  # fmt: skip
    x = np.concatenate(parts, axis=2)
    for name in ("context0", "context1"):
        x = _rectified(x @ weights[name] + weights[f"{name}.bias"])
    return [x @ weights[f"told{layer}"] for layer in range(sum(name.startswith("told") for name in weights))]


def betting_adds(weights: Arrays, seen: Floats, known: Floats, told: Sequence[Floats]) -> Floats:
    """``[..., hands]`` What betting adds to hands by the network's own measure.

    ``seen [..., hands, SEEN]``; ``known`` is what the first layer makes of what the hands are; ``told`` by layer.
    """
    x = seen @ weights["hand0"][KNOWN:]
    x += known
    x += told[0]
    _rectified(x)
    for layer in range(1, len(told)):
        y = x @ weights[f"hand{layer}"]
        y += weights[f"hand{layer}.bias"] + told[layer]
        x += _rectified(y)
    return np.asarray(x @ weights["out"][:, 0] + weights["out.bias"])


def _rectified(x: Floats) -> Floats:
    return np.maximum(x, 0, out=x)


@lru_cache(8)
def _margins(board: tuple[int, ...]) -> Floats:
    """What the hands of the columns win from those of the rows: in this order products are faster."""
    combos = board_hands(board).combos
    return np.ascontiguousarray(margin(board)[np.ix_(combos, combos)].T)
