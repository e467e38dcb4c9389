"""Plots as files: PNG, SVG or PDF by the name's ending, with axes and units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ENDINGS = (".png", ".svg", ".pdf")
Series = Mapping[str, Sequence[tuple[float, float]]]
"""A name for the legend -> points (x, y)."""


def check_plot_path(path: Path) -> None:
    """ValueError unless a plot can be written under this name."""
    if path.suffix.lower() not in ENDINGS:
        raise ValueError(f"a plot is a file ending in {', '.join(ENDINGS)}, got {path.name!r}")


def convergence_plot(path: Path, series: Series, title: str, y_label: str, x_label: str = "iterations") -> None:
    """Lines on log-log axes, one for each name; points at or below 0 cannot be shown there and are left out."""
    figure, axes = new_figure()
    for name, points in series.items():
        shown = [(x, y) for x, y in points if x > 0 and y > 0]
        axes.plot([x for x, _ in shown], [y for _, y in shown], label=name, marker=".", markersize=4, linewidth=1.3)
    if any(x > 0 and y > 0 for points in series.values() for x, y in points):
        axes.set_xscale("log")
        axes.set_yscale("log")
    else:
        axes.text(0.5, 0.5, "nothing above 0 was measured", ha="center", transform=axes.transAxes)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    axes.grid(True, which="major", alpha=0.35)
    if len(series) > 1:
        axes.legend(fontsize="small")
    save_figure(figure, path)


def gain_plot(path: Path, series: Mapping[str, Any], title: str, y_label: str, x_label: str) -> None:
    """What has been won in all after each unit of play, with the band in which 95 % of such lines would end by luck.

    A series has the gain of each unit. Long series are thinned to what a picture can show.
    """
    import numpy as np

    from ludus.arena.interval import FEW, interval

    figure, axes = new_figure()
    for name, gains in series.items():
        values = np.asarray(gains, np.float64)
        if not len(values):
            continue
        total, units = np.cumsum(values), np.arange(1, len(values) + 1)
        band = np.sqrt(units * len(values)) * (interval(values).ci95 if len(values) > 1 else 0.0)
        shown = np.unique(np.linspace(0, len(values) - 1, 2000).astype(np.int64))
        (line,) = axes.plot(units[shown], total[shown], label=name, linewidth=1.3)
        low, high = (total - band)[shown], (total + band)[shown]
        axes.fill_between(units[shown], low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.axhline(0, color="0.4", linewidth=0.8)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    axes.grid(True, which="major", alpha=0.35)
    few = min(map(len, series.values()), default=0) < FEW
    shaded = f"shaded: 95 % interval{' (too few)' * few}"
    axes.legend(fontsize="small", title=shaded, title_fontsize="small")
    save_figure(figure, path)


Curve = Sequence[tuple[float, float, float]]
"""Points of a mean that changes as play goes on: (x, mean, half of its 95 % interval)."""


def running_plot(
    path: Path, series: Mapping[str, Curve], title: str, y_label: str, x_label: str, marks: Mapping[str, float]
) -> None:
    """Means as they changed while more and more was played, with their 95 % intervals, and marks to compare with.

    The first tenth, where intervals are wider than anything later, does not decide what the picture shows.
    """
    figure, axes = new_figure()
    lows, highs = [0.0, *marks.values()], [0.0, *marks.values()]
    for name, points in series.items():
        places, means, _ = zip(*points, strict=True)
        low, high = ([mean + sign * half for _, mean, half in points] for sign in (-1, 1))
        (line,) = axes.plot(places, means, label=name, linewidth=1.3)
        axes.fill_between(places, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
        lows, highs = [*lows, *low[len(points) // 10 :]], [*highs, *high[len(points) // 10 :]]
    for (name, height), dashes in zip(marks.items(), (":", "--", "-."), strict=False):
        axes.axhline(height, color="0.4", linewidth=1.0, linestyle=dashes, label=name)
    axes.axhline(0, color="0.4", linewidth=0.8)
    margin = 0.05 * (max(highs) - min(lows)) or 1.0
    axes.set_ylim(min(lows) - margin, max(highs) + margin)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    axes.grid(True, which="major", alpha=0.35)
    axes.legend(fontsize="small", title="shaded: 95 % interval", title_fontsize="small")
    save_figure(figure, path)


def style_plot(path: Path, players: Mapping[str, Mapping[str, Mapping[str, float]]], title: str) -> None:
    """The share of each action on every street, as stacked bars: player -> street -> action -> share."""
    figure, axes = new_figure()
    bars = [(name, street, shares) for name, streets in players.items() for street, shares in streets.items()]
    kinds = list(dict.fromkeys(kind for *_, shares in bars for kind in shares))
    labels = [f"{name}\n{street}" for name, street, _ in bars]
    below = [0.0] * len(bars)
    for kind, colour in zip(kinds, ("#9aa0a6", "#7fb3d5", "#2e86c1", "#f0a04b", "#c0392b"), strict=False):
        heights = [100 * shares.get(kind, 0.0) for *_, shares in bars]
        axes.bar(range(len(bars)), heights, bottom=below, label=kind, color=colour, width=0.75)
        below = [low + height for low, height in zip(below, heights, strict=True)]
    axes.set_xticks(range(len(bars)), labels, fontsize="x-small", rotation=0 if len(bars) <= 8 else 90)
    axes.set_ylabel("share of actions, %")
    axes.set_title(title)
    if bars:
        axes.legend(fontsize="small", ncols=len(kinds), loc="upper center", bbox_to_anchor=(0.5, -0.12))
    save_figure(figure, path)


def histogram_plot(
    path: Path,
    series: Mapping[str, tuple[Any, Any]],
    title: str,
    y_label: str,
    x_label: str,
    marks: Mapping[str, float],
) -> None:
    """How often values fall between edges: name -> (edges, heights between them), with marks on the horizontal axis."""
    figure, axes = new_figure()
    for name, (edges, heights) in series.items():
        axes.stairs(heights, edges, label=name, fill=True, alpha=0.35, linewidth=1.3)
    for name, place in marks.items():
        axes.axvline(place, color="0.4", linewidth=1.0, linestyle="--", label=name)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title)
    axes.grid(True, which="major", alpha=0.35)
    axes.legend(fontsize="small")
    save_figure(figure, path)


def new_figure() -> tuple[Any, Any]:
    """A figure with one set of axes, drawn without any window system."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots()


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure whole or not at all; the same figure gives the same bytes."""
    import io

    from matplotlib import rc_context

    from ludus.files import write_atomically

    check_plot_path(path)
    data = io.BytesIO()
    with rc_context({"svg.hashsalt": "ludus"}):
        dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower(), {})
        figure.savefig(data, format=path.suffix[1:].lower(), dpi=140, metadata=dated)
    write_atomically(path, data.getvalue())


def training_plot(path: Path, curve: Sequence[Mapping[str, float]], title: str) -> None:
    """A training by hands: the mean regret on the left axis, the information sets met on the right one.

    A point of the curve has hands, infosets, and regret in mbb.
    """
    figure, axes = new_figure()
    sets = axes.twinx()
    hands = [point["hands"] for point in curve]
    axes.plot(hands, [point["regret"] for point in curve], marker=".", markersize=4, linewidth=1.3, color="#c0392b")
    sets.plot(hands, [point["infosets"] for point in curve], marker=".", markersize=4, linewidth=1.3, color="#2e86c1")
    if curve and min(hands) > 0:
        axes.set_xscale("log")
    if curve and all(point["regret"] > 0 for point in curve):
        axes.set_yscale("log")
    axes.set_xlabel("hands")
    axes.set_ylabel("mean regret, mbb a hand", color="#c0392b")
    sets.set_ylabel("information sets met", color="#2e86c1")
    axes.set_title(title)
    axes.grid(True, which="major", alpha=0.35)
    save_figure(figure, path)
