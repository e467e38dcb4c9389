"""Many flops of one spot: which to solve, and what they amount to together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludus.cards.card import format_cards
from ludus.cards.isomorphism import canonical_flops
from ludus.cards.runouts import ALL_SYMMETRIES, suit_symmetries
from ludus.games.action import Action
from ludus.solvers.spot.layout import PLAYERS
from ludus.solvers.spot.reports import Two
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.view import numbers
from ludus.trees.spot import Spot

Flop = tuple[int, ...]
MOST_FLOPS = 1755


def flop_subset(count: int) -> dict[Flop, float]:
    """So many of the 1755 flops that differ by more than suits, spread evenly over all, each with its weight.

    All 22,100 flops are laid out in order, first by the pattern of suits, then by pairs and ranks; from equal parts of
    that list the one in the middle is taken. A flop that stands for many is so taken more likely, and each that is
    taken stands for as many flops as another: an average over the subset is one over all flops.

    >>> subset = flop_subset(10)
    >>> len(subset), set(subset.values())
    (10, {2210.0})
    """
    if not 1 <= count <= MOST_FLOPS:
        raise ValueError(f"there are 1 to {MOST_FLOPS} different flops, got {count}")
    flops = canonical_flops()
    if count == MOST_FLOPS:
        return {flop: float(times) for flop, times in flops.items()}
    ordered = sorted(flops, key=_texture)
    upto = np.cumsum([flops[flop] for flop in ordered])
    step = upto[-1] / count
    chosen = np.searchsorted(upto, (np.arange(count) + 0.5) * step, side="right")
    subset: dict[Flop, float] = {}
    for at in chosen.tolist():
        subset[ordered[at]] = subset.get(ordered[at], 0.0) + float(step)
    return subset


def _texture(flop: Flop) -> tuple[int, ...]:
    ranks = sorted((card >> 2 for card in flop), reverse=True)
    return len({card & 3 for card in flop}), len(set(ranks)), *ranks, *flop


def on_flop(spot: Spot, flop: Sequence[int]) -> Spot:
    """The spot with another flop."""
    return spot.changed(board=tuple(flop))


def check_suits_alike(spot: Spot) -> None:
    """ValueError unless a flop can stand for all that differ from it in suits alone."""
    if len(suit_symmetries([*spot.ranges])) < len(ALL_SYMMETRIES):
        raise ValueError("these ranges treat suits differently, so one flop cannot stand for others: name the flops")


@dataclass(frozen=True)
class FlopRow:
    """One flop of many."""

    flop: Flop
    weight: float  # how much it counts: for how many flops it stands, and how likely both players hold hands on it
    exploitability_percent: float
    ev: Two
    equity: Two
    actions: tuple[Action, ...]
    frequencies: tuple[float, ...]

    @classmethod
    def of(cls, solution: Solution, times: float) -> FlopRow:
        """The row of a solution that stands for so many flops."""
        view = solution.at()
        pairs = float(view.weights[0].sum())
        return cls(
            tuple(solution.spot.board), times * pairs, solution.measured.percent, view.mean_ev, view.mean_equity,
            view.actions, tuple(view.frequencies.tolist()),
        )  # fmt: skip


@dataclass(frozen=True)
class FlopReport:
    """Flops of one spot; weights of the mean are those of the rows."""

    rows: tuple[FlopRow, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of all rows; they may differ, for a board may leave other bets."""
        return tuple(dict.fromkeys(action for row in self.rows for action in row.actions))

    def mean(self) -> dict[str, Any]:
        """EVs, equities, frequencies and exploitability of an average flop."""
        weights = np.array([row.weight for row in self.rows])
        columns = np.array([(*row.ev, *row.equity, row.exploitability_percent, *self._often(row)) for row in self.rows])
        means = (weights @ columns / weights.sum()).tolist()
        return {
            "ev": dict(zip(PLAYERS, means[:2], strict=True)),
            "equity": dict(zip(PLAYERS, means[2:4], strict=True)),
            "exploitability_percent": means[4],
            "frequencies": dict(zip(map(str, self.actions), means[5:], strict=True)),
        }

    def _often(self, row: FlopRow) -> list[float]:
        taken = dict(zip(row.actions, row.frequencies, strict=True))
        return [taken.get(action, 0.0) for action in self.actions]

    def table(self) -> tuple[list[str], list[list[Any]]]:
        """A header and one row for each flop."""
        header = ["flop", "weight", "exploitability %", "ev oop", "ev ip", "equity oop", "equity ip"]
        header += map(str, self.actions)
        rows = [
            [
                format_cards(row.flop), row.weight, row.exploitability_percent, *row.ev, *row.equity,
                *numbers(self._often(row)),
            ]
            for row in self.rows
        ]  # fmt: skip
        return header, rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        header, rows = self.table()
        return {"flops": [dict(zip(header, row, strict=True)) for row in rows], "mean": self.mean()}


def solved_before(
    path: Path, spot: Spot, target: float | None, iterations: int | None, seconds: float | None
) -> Solution | None:
    """The exact solution of a spot in a file, if it is there and within a limit; ValueError if of another spot."""
    if not path.exists():
        return None
    solution = Solution.load(path)
    if solution.accuracy is not None:
        return None
    if solution.spot != spot:
        raise ValueError(f"{path} is of another spot: choose another folder")
    reached = (
        target is not None and solution.measured.percent <= target,
        iterations is not None and solution.iterations >= iterations,
        seconds is not None and solution.seconds >= seconds,
    )
    return solution if any(reached) else None
