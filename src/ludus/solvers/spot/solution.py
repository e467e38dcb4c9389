"""A solved spot: the strategies of both players, what every hand is worth, and how good it all is.

Strategies are kept as shares of 65535 (`kernels.compact`). Values are kept for the streets before the river, for there
they would take a walk over all cards to come; on the river they are worked out where one looks. A value is in chips,
net from half the starting pot on, when the hand has come there and both players play on as they do; 0 for a hand that
meets no other.

A solution may end after its first street, where estimates stood for the rest; then it says how accurate it is.

A file is a header and these arrays, mapped when it is opened: a large solution opens at once and takes no more memory
than what is looked at. The rivers, nearly all of a flop's solution, may be left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.cards.ranges import Weights
from ludus.files import Arrays, check_array, open_arrays, save_arrays
from ludus.solvers.running import MOST_ITERATIONS
from ludus.solvers.spot.accuracy import Accuracy
from ludus.solvers.spot.kernels.compact import Places, Shares, from_shares, rows_of, to_shares
from ludus.solvers.spot.kernels.plan import Floats
from ludus.solvers.spot.layout import PLAYERS, STREETS, Layout
from ludus.solvers.spot.line import follow_line
from ludus.solvers.spot.solve import Measured, SpotRun
from ludus.solvers.spot.values import street_values, value_entries
from ludus.trees.spot import Spot

if TYPE_CHECKING:
    from ludus.solvers.spot.view import View

KIND, FORMAT = "spot solution", 1


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved spot; `at` looks at one of its decisions."""

    layout: Layout
    algorithm: str
    iterations: int
    seconds: float
    measured: Measured
    strategies: tuple[tuple[Shares, Shares], ...]  # by street, player; without the river where it was left out
    values: tuple[tuple[Floats, Floats], ...]  # by street before the river, player; the rows are those of `Places`
    accuracy: Accuracy | None = None  # where it ends after its first street

    @classmethod
    def of(cls, run: SpotRun, rivers: bool = True) -> Solution:
        """The average strategies of a run; the rivers may be left out, to save memory."""
        solver, layout = run.solver, run.solver.layout
        average = solver.average()
        kept = _streets(layout, rivers)
        strategies = [tuple(to_shares(layout, at, player, average[at][player]) for player in (0, 1)) for at in kept]
        for at in layout.before_river:  # values and reach are then of one strategy, even where hands hardly ever come
            average[at] = [shares.astype(np.float32) for shares in strategies[at]]
        return cls(
            layout, run.algorithm, run.iterations, run.seconds, run.measured,
            tuple((one, two) for one, two in strategies), street_values(solver, average), run.accuracy,
        )  # fmt: skip

    @cached_property
    def spot(self) -> Spot:
        """What was asked for, to the end of the hand."""
        return self.layout.spot.changed(depth=None)

    @property
    def exploitability_percent(self) -> float | None:
        """What best responses gain, in percent of the pot; unknown where it ends after its first street."""
        return self.measured.percent if self.accuracy is None else None

    @property
    def rivers(self) -> bool:
        """Whether it knows the rivers."""
        return len(self.strategies) == len(self.layout.boards)

    @cached_property
    def places(self) -> Places:
        """Where the rows of a node lie."""
        return Places.of(self.layout.tree)

    def played(self, at: int, board: int, node: int) -> Weights:
        """The strategy ``[actions, hands]`` at a decision on a kept board of a street."""
        layout, tree = self.layout, self.layout.tree
        player, actions = int(tree.kind[node]), len(tree.children(node))
        if at >= len(self.strategies):
            raise ValueError("this solution was saved without its rivers: solve the spot again and keep them")
        rows = rows_of(
            self.strategies[at][player], layout.rows[at][player], layout.boards[at].hands[player].start, board,
            int(self.places.strategy[node]), actions,
        )  # fmt: skip
        return from_shares(rows, "the solution")

    def value(self, at: int, board: int, node: int, player: int) -> Weights:
        """What each of a player's hands wins at a node before the river that has a row of values (`Places`)."""
        row = int(self.places.value[player, node])
        assert row >= 0
        rows = int(self.places.values[len(self.spot.board) + at, player])
        found = rows_of(self.values[at][player], rows, self.layout.boards[at].hands[player].start, board, row)[0]
        if not np.isfinite(found).all():
            raise ValueError("the solution is damaged: it has values that are not numbers")
        return np.asarray(found, np.float64)

    def at(self, line: str = "") -> View:
        """The decision that a line such as 'X-B50' or, with cards, 'X-X-2c-B50' leads to."""
        from ludus.solvers.spot.view import View

        return View.of(self, follow_line(self.layout, line, self.played))

    # Files

    def save(self, path: Path | str, rivers: bool = True) -> None:
        """Write it, with or without its rivers; the same solution always gives the same bytes."""
        kept = _streets(self.layout, rivers and self.rivers)
        header = {
            "kind": KIND, "format": FORMAT, "spot": self.spot.to_dict(), "algorithm": self.algorithm,
            "iterations": self.iterations, "seconds": self.seconds, "rivers": rivers and self.rivers,
            "best_response": list(self.measured.best_response), "value": list(self.measured.value),
        }  # fmt: skip
        if self.accuracy is not None:
            header["accuracy"] = self.accuracy.to_dict()
        arrays: Arrays = {}
        for player in (0, 1):
            for at in kept:
                arrays[_name(self.layout, "strategy", at, player)] = self.strategies[at][player]
            for at, tables in enumerate(self.values):
                arrays[_name(self.layout, "value", at, player)] = tables[player]
        save_arrays(Path(path), header, arrays)

    @classmethod
    def load(cls, path: Path | str) -> Solution:
        """Open one; ValueError when it is damaged or something else."""
        header, arrays = open_arrays(Path(path), KIND, FORMAT)
        try:
            return cls._checked(header, arrays)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"{path} is a damaged solution ({error})") from None

    @classmethod
    def _checked(cls, header: dict[str, Any], arrays: Arrays) -> Solution:
        iterations, rivers = header["iterations"], header["rivers"]
        if type(iterations) is not int or not 0 <= iterations <= MOST_ITERATIONS or type(rivers) is not bool:
            raise ValueError("iterations are a number, rivers true or false")
        figures = [float(figure) for name in ("best_response", "value") for figure in header[name]]
        seconds = float(header["seconds"])
        if len(figures) != 4 or not np.isfinite([*figures, seconds]).all():
            raise ValueError("best_response and value are two numbers each, seconds is one")
        accuracy = Accuracy.of(header["accuracy"]) if "accuracy" in header else None
        layout = Layout.of(Spot.from_dict(header["spot"]).changed(depth=None if accuracy is None else 1))
        kept, before = _streets(layout, rivers), layout.before_river
        shapes = {
            _name(layout, "strategy", at, player): ("uint16", layout.entries(at, player))
            for at in kept
            for player in (0, 1)
        } | {
            _name(layout, "value", at, player): ("float32", value_entries(layout, at, player))
            for at in before
            for player in (0, 1)
        }
        if shapes.keys() != arrays.keys():
            raise ValueError(f"it has {', '.join(arrays) or 'nothing'} instead of {', '.join(shapes)}")
        for name, (kind, size) in shapes.items():
            check_array(name, arrays[name], kind, (size,))

        def pairs(name: str, streets: range) -> tuple[tuple[Any, Any], ...]:
            return tuple((arrays[_name(layout, name, at, 0)], arrays[_name(layout, name, at, 1)]) for at in streets)

        measured = Measured((figures[0], figures[1]), (figures[2], figures[3]), layout.spot.pot)
        return cls(
            layout, str(header["algorithm"]), iterations, seconds, measured, pairs("strategy", kept),
            pairs("value", before), accuracy,
        )  # fmt: skip


def _streets(layout: Layout, rivers: bool) -> range:
    """The streets whose strategies are kept."""
    if not rivers and len(layout.boards) == 1:
        raise ValueError("this spot has no other street: keep the rivers")
    return range(len(layout.boards) - (0 if rivers else 1))


def _name(layout: Layout, what: str, at: int, player: int) -> str:
    return f"{what}.{STREETS[len(layout.spot.board) + at]}.{PLAYERS[player]}"
