"""The 13 x 13 chart of what a player does with each class of hands, as a figure and in the terminal.

Folds are blue, checks and calls green, bets and raises red, the larger the darker, and what is not in the range grey.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import RANKS
from ludus.cards.ranges import CLASSES
from ludus.games.action import Kind
from ludus.teach.chart import Chart

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Floats = NDArray[np.float64]
Colour = tuple[float, float, float]  # red, green, blue, each 0..1

_SIDE = 13
_GREY: Colour = (0.86, 0.86, 0.86)
_DARK_GREY: Colour = (0.25, 0.25, 0.25)  # the same in a terminal, which is mostly dark
_SHADES: dict[Kind, tuple[Colour, Colour]] = {  # the lightest and the darkest of a kind of action
    Kind.FOLD: ((0.31, 0.50, 0.75), (0.31, 0.50, 0.75)),
    Kind.CALL: ((0.42, 0.73, 0.45), (0.20, 0.50, 0.26)),
    Kind.RAISE: ((0.96, 0.62, 0.56), (0.55, 0.07, 0.10)),
}
_ONLY_RAISE: Colour = (0.86, 0.30, 0.28)
_ALWAYS = 0.995  # shown as 100 %


def action_colours(kinds: Sequence[Kind]) -> list[Colour]:
    """A colour for each action by its kind, the shades of a kind by their order; a check is like a call.

    >>> fold, call, raise_ = action_colours([Kind.FOLD, Kind.CALL, Kind.RAISE])
    >>> max(fold) == fold[2], max(call) == call[1], max(raise_) == raise_[0]
    (True, True, True)
    """
    alike = [Kind.CALL if kind == Kind.CHECK else kind for kind in kinds]
    colours = []
    for at, kind in enumerate(alike):
        if kind == Kind.RAISE and alike.count(kind) == 1:
            colours.append(_ONLY_RAISE)
            continue
        light, dark = _SHADES[kind]
        part = alike[:at].count(kind) / max(1, alike.count(kind) - 1)
        colours.append(_blend([light, dark], [1 - part, part]))
    return colours


def _blend(colours: Sequence[Colour], parts: Sequence[float]) -> Colour:
    red, green, blue = np.clip(np.asarray(parts) @ np.asarray(colours), 0, 1).tolist()
    return red, green, blue


# As a figure


def chart_figure(charts: Chart | Sequence[Chart], title: str = "") -> Any:
    """A figure with one chart or several; save it with `plots.save_figure`.

    A cell is filled from the bottom as far as its class is in the range; across, it is divided by the frequencies of
    the actions, the most aggressive one at the left.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    drawn = [charts] if isinstance(charts, Chart) else list(charts)
    if not drawn:
        raise ValueError("there is no chart to draw")
    columns = len(drawn) if len(drawn) < 4 else 2 if len(drawn) == 4 else 3
    rows = -(-len(drawn) // columns)
    room = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12)
    figure = Figure(figsize=(5.6 * columns, 6.2 * rows + (0.5 if title else 0.0)), layout=room)
    FigureCanvasAgg(figure)
    if title:
        figure.suptitle(title, fontsize=14)
    cells = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, chart in zip(cells, drawn, strict=False):
        draw_chart(axes, chart)
    for axes in cells[len(drawn) :]:
        axes.set_axis_off()
    return figure


def draw_chart(axes: Any, chart: Chart) -> None:
    """Draw one chart with its title and its legend into axes of Matplotlib."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.patheffects import withStroke

    row, column = np.divmod(np.arange(len(CLASSES)), _SIDE)
    background = [Rectangle((x, y), 1, 1) for x, y in zip(column, row, strict=True)]
    axes.add_collection(PatchCollection(background, facecolor=_GREY, edgecolor="none"))
    colours = action_colours(chart.kinds)
    left = column.astype(np.float64)
    for action in reversed(range(len(chart.actions))):
        width = chart.frequencies[:, action] * (chart.weights > 0)
        shown = np.flatnonzero(width > 0)
        bars = [
            Rectangle((left[at], row[at] + 1 - chart.weights[at]), width[at], chart.weights[at])
            for at in shown.tolist()
        ]
        axes.add_collection(PatchCollection(bars, facecolor=colours[action], edgecolor="none"))
        left += width
    for edge in range(_SIDE + 1):
        axes.plot([0, _SIDE], [edge, edge], color="white", linewidth=1.0)
        axes.plot([edge, edge], [0, _SIDE], color="white", linewidth=1.0)
    for at, (x, y) in enumerate(zip(column, row, strict=True)):
        light = _is_light(_mixed(chart, at, colours, _GREY))
        ink, halo = ("black", (1, 1, 1, 0.65)) if light else ("white", (0, 0, 0, 0.65))
        axes.text(
            x + 0.5, y + 0.52, CLASSES[at], ha="center", va="center", fontsize=8.5,
            color=ink if chart.weights[at] > 0 else "0.55", path_effects=[withStroke(linewidth=1.8, foreground=halo)],
        )  # fmt: skip
    axes.set_xlim(0, _SIDE)
    axes.set_ylim(_SIDE, 0)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(chart.title, fontsize=12)
    handles = [
        Patch(color=colour, label=f"{action}: {_percent(total)}")
        for action, colour, total in zip(chart.actions, colours, chart.totals, strict=True)
    ]
    if (chart.weights < 1).any():
        handles.append(Patch(color=_GREY, label="not in the range"))
    axes.legend(
        handles=handles[::-1] if len(handles) == len(chart.actions) else [*handles[-2::-1], handles[-1]],
        loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=min(3, len(handles)), frameon=False, fontsize=10,
        handlelength=1.2, columnspacing=1.4,
    )  # fmt: skip


def _mixed(chart: Chart, at: int, colours: Sequence[Colour], absent: Colour) -> Colour:
    """The colours of a class' actions mixed as they are played, with the colour of what is not in the range."""
    weight = float(chart.weights[at])
    return _blend([*colours, absent], [*(weight * chart.frequencies[at]), 1 - weight])


def _is_light(colour: Colour) -> bool:
    """Whether black can be read on a colour better than white."""
    red, green, blue = colour
    return 0.299 * red + 0.587 * green + 0.114 * blue > 0.43


def _percent(share: float) -> str:
    return "-" if np.isnan(share) else f"{100 * share:.1f} %"


# In the terminal


def print_chart(chart: Chart, console: Console | None = None) -> None:
    """Print a chart: colours mixed as the actions are, or letters where the terminal shows no colours."""
    from rich.console import Console
    from rich.text import Text

    console = console or Console(highlight=False)
    console.print(Text(chart.title, style="bold"))
    plain = console.no_color or console.color_system is None or console.legacy_windows
    for line in _letters(chart) if plain else _coloured(chart):
        console.print(line, no_wrap=True, crop=False, soft_wrap=True)


def _coloured(chart: Chart) -> list[Text]:
    from rich.text import Text

    colours = action_colours(chart.kinds)
    lines = []
    for row in range(_SIDE):
        line = Text()
        for at in range(_SIDE * row, _SIDE * (row + 1)):
            mixed = _mixed(chart, at, colours, _DARK_GREY)
            line.append(f"{CLASSES[at]:^5}", style=_style(mixed, faint=chart.weights[at] == 0))
        lines.append(line)
    legend = [
        Text.assemble(("  ", _style(colour)), f" {action}: {_percent(total)}   ")
        for action, colour, total in zip(chart.actions, colours, chart.totals, strict=True)
    ]
    return [*lines, *_in_lines(legend[::-1], Text()), Text(_held(chart))]


def _style(colour: Colour, faint: bool = False) -> str:
    """A background with letters that can be read on it."""
    red, green, blue = (round(255 * part) for part in colour)
    ink = "#808080" if faint else "#000000" if _is_light(colour) else "#ffffff"
    return f"{ink} on #{red:02x}{green:02x}{blue:02x}"


def _in_lines(parts: Sequence[Text], empty: Text) -> list[Text]:
    """Parts side by side, in lines no wider than the chart where that is possible."""
    lines = [empty]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > 5 * _SIDE + 2:
            lines.append(empty)
        lines[-1] = lines[-1] + part
    for line in lines:
        line.rstrip()
    return lines


def _letters(chart: Chart) -> list[Text]:
    """Rows of cells such as 'F' (always), 'f63' (most often, in 63 %), 'f63*' (of a part of the class), '.' (none)."""
    from rich.text import Text

    letters = _action_letters(chart.actions)
    ranks = RANKS[::-1]
    lines = ["   " + "".join(f"{rank:<5}" for rank in ranks).rstrip()]
    for row in range(_SIDE):
        cells = [_cell(chart, at, letters) for at in range(_SIDE * row, _SIDE * (row + 1))]
        lines.append(f"{ranks[row]}  " + "".join(f"{cell:<5}" for cell in cells).rstrip())
    named = [
        Text(f"{letter} {action}: {_percent(total)}   ")
        for letter, action, total in zip(letters, chart.actions, chart.totals, strict=True)
    ]
    one = letters[-1]
    key = f"{one} always, {one.lower()}63 most often: in 63 %, * only a part in the range, . none"
    return [*map(Text, lines), *_in_lines(named[::-1], Text()), Text(key), Text(_held(chart))]


def _held(chart: Chart) -> str:
    """How much is in the range.

    >>> _held(Chart("", ("fold",), (Kind.FOLD,), np.ones((169, 1)), np.ones(169)))
    '1326 of 1326 combinations in the range'
    """
    return f"{chart.held:.6g} of {chart.sizes.sum():g} combinations in the range"


def _cell(chart: Chart, at: int, letters: Sequence[str]) -> str:
    weight = float(chart.weights[at])
    if weight == 0:
        return "."
    most = int(np.argmax(chart.frequencies[at]))
    often = float(chart.frequencies[at, most])
    text = letters[most] if often >= _ALWAYS else f"{letters[most].lower()}{100 * often:.0f}"
    return text + ("*" if weight < _ALWAYS else "")


def _action_letters(actions: Sequence[str]) -> list[str]:
    """A capital letter for each action: the first of its name, or the next one in the alphabet that is free.

    >>> _action_letters(["fold", "call", "raise 2.5", "raise 3", "all-in"])
    ['F', 'C', 'R', 'S', 'A']
    """
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if len(actions) > len(alphabet):
        raise ValueError(f"a chart has at most {len(alphabet)} actions, got {len(actions)}")
    letters: list[str] = []
    for action in actions:
        first = alphabet.find(action[:1].upper()) if action else 0
        order = alphabet[max(first, 0) :] + alphabet[: max(first, 0)]
        letters.append(next(letter for letter in order if letter not in letters))
    return letters
