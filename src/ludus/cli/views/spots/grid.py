"""Numbers for the 169 classes of hands on the 13 x 13 chart, and the chart of a decision of a solved spot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import RANKS
from ludus.cards.ranges import CLASSES
from ludus.teach.chart import Chart

if TYPE_CHECKING:
    from ludus.solvers.spot.view import View

Floats = NDArray[np.float64]
SIDE = 13
_LOW, _MIDDLE, _HIGH = (0.84, 0.38, 0.33), (0.98, 0.90, 0.60), (0.33, 0.66, 0.41)
_ABSENT = (0.86, 0.86, 0.86)


@dataclass(frozen=True, eq=False)
class SpotChart(Chart):
    """The chart of a decision; its totals count each hand by how many of the opponent's it can meet."""

    often: Floats | None = None  # [actions]

    @property
    def totals(self) -> Floats:
        """``[actions]``: how often the whole range takes each action."""
        assert self.often is not None
        return self.often


def decision_chart(view: View, title: str) -> SpotChart:
    """What each class does at a decision."""
    table = view.by_class()
    weights = np.where(np.isnan(table.strategy).any(axis=0), 0.0, np.minimum(table.reach, 1.0))
    kinds = tuple(action.kind for action in view.actions)
    return SpotChart(title, view.names, kinds, table.strategy.T, weights, table.combos, view.frequencies)


@dataclass(frozen=True, eq=False)
class Grid:
    """A number for each class, nan for none; ``unit`` follows the numbers of the legend."""

    title: str
    values: Floats  # [169]
    unit: str

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest number."""
        known = self.values[~np.isnan(self.values)]
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)

    def shade(self, value: float) -> tuple[float, float, float]:
        """The colour of a number: red for the lowest, green for the highest."""
        low, high = self.bounds
        part = (value - low) / (high - low) if high > low else 0.5
        one, two, part = (_LOW, _MIDDLE, 2 * part) if part < 0.5 else (_MIDDLE, _HIGH, 2 * part - 1)
        red, green, blue = (a + (b - a) * part for a, b in zip(one, two, strict=True))
        return red, green, blue


def print_grid(grid: Grid) -> None:
    """Print a grid, in colours where the terminal shows them."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(grid.title, style="bold"))
    names = RANKS[::-1]
    console.print("   " + "".join(f"{name:^6}" for name in names).rstrip())
    for row in range(SIDE):
        line = Text(f"{names[row]}  ")
        for value in grid.values[SIDE * row : SIDE * (row + 1)].tolist():
            if np.isnan(value):
                line.append(f"{'.':^6}")
                continue
            red, green, blue = (round(255 * part) for part in grid.shade(value))
            line.append(f"{short_number(value):^6}", style=f"#000000 on #{red:02x}{green:02x}{blue:02x}")
        console.print(line, no_wrap=True, crop=False, soft_wrap=True)
    low, high = grid.bounds
    console.print(f"{grid.unit}, from {short_number(low)} to {short_number(high)}; . is not in the range")


def grid_figure(grid: Grid) -> Any:
    """A figure of a grid; save it with `plots.save_figure`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 6.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    known = ~np.isnan(grid.values)
    colours = np.array(
        [grid.shade(value) if there else _ABSENT for value, there in zip(grid.values, known, strict=True)]
    )
    axes.imshow(colours.reshape(SIDE, SIDE, 3), extent=(0, SIDE, SIDE, 0))
    for edge in range(SIDE + 1):
        axes.axhline(edge, color="white", linewidth=1.0)
        axes.axvline(edge, color="white", linewidth=1.0)
    for at, value in enumerate(grid.values.tolist()):
        y, x = divmod(at, SIDE)
        axes.text(
            x + 0.5, y + 0.32, CLASSES[at], ha="center", va="center", fontsize=7, color="black" if known[at] else "0.55"
        )
        if known[at]:
            axes.text(x + 0.5, y + 0.7, short_number(value), ha="center", va="center", fontsize=8, color="black")
    axes.set_xlim(0, SIDE)
    axes.set_ylim(SIDE, 0)
    axes.set_axis_off()
    axes.set_title(f"{grid.title}\n{grid.unit}", fontsize=11)
    return figure


def short_number(value: float) -> str:
    """A number of at most five characters or so.

    >>> [short_number(value) for value in (0.5, -12.34, 107.2, 9876.6, 43210.0)]
    ['0.50', '-12.3', '107', '9877', '43.2k']
    """
    size = abs(value)
    if size >= 9999.5:
        return f"{value / 1e3:.3g}k" if size < 1e6 else f"{value / 1e6:.3g}M"
    return f"{value:.0f}" if size >= 99.95 else f"{value:.1f}" if size >= 9.995 else f"{value:.2f}"
