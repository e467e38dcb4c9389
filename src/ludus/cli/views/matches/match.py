"""The figures of a match in the terminal, and its plots."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ludus.arena.interval import caution
from ludus.arena.match_report import (
    MOST_FORFEITS,
    Figures,
    MatchReport,
    results,
    unit_of,
    write_histories,
    write_tables,
)
from ludus.arena.statistics import Statistics
from ludus.cli.views.progress import stages
from ludus.cli.views.tables import new_table
from ludus.experiments.plots import gain_plot, style_plot
from ludus.experiments.report import plus_minus, times_smaller

MOST_HISTORIES = 20_000  # hands that are written out without being asked for


def report(rows: Sequence[MatchReport], as_json: bool, engine: dict[str, Any] | None = None) -> None:
    """Print matches of the same kind: the first one asked for, the others next to it; and where they were played."""
    if as_json:
        print(json.dumps(results(rows) | ({"engine": engine} if engine else {}), indent=2))
        return
    console = Console(highlight=False)
    console.print(_title(rows[0]), style="bold")
    found = rows[0].statistics
    columns = [(figures, "") for figures in rows[0].players] + [(row.players[0], " against itself") for row in rows[1:]]
    lines = [(label, [show(figures) for figures, _ in columns]) for label, show in _lines(found)]
    if len(columns) > 4:
        console.print(_wide_table(columns, dict(lines)))
    else:
        table = new_table(["", *(figures["name"] + suffix for figures, suffix in columns)])
        for label, cells in lines:
            if any(cells):
                table.add_row(label, *cells)
        console.print(table)
    console.print(
        "mbb/g: thousandths of a big blind a hand, +- half of a 95 % interval over independent units; "
        "f/x/c/r/a: fold, check, call, bet or raise, all-in.",
        style="dim",
    )
    if words := caution(len(found.units), unit_of(found)):
        console.print(words, style="yellow")
    forfeits = Counter(entry for hand in found.hands for entry in hand.forfeits)
    for (name, reason), times in forfeits.most_common(MOST_FORFEITS):
        console.print(f"{name} gave up {times:,} hand{'s' * (times > 1)}: {reason}", style="yellow", markup=False)
    if len(forfeits) > MOST_FORFEITS:
        console.print(f"... and for {len(forfeits) - MOST_FORFEITS} more reasons", style="yellow")


def _title(row: MatchReport) -> str:
    """Game, size, seeds and speed of a match."""
    found, header = row.statistics, row.statistics.logs[0].header
    hands, units = len(found.hands), len(found.units)
    kind = (
        f" ({units:,} deals from every seat)" if header["duplicate"] else f" in {units:,} games" * header["freezeout"]
    )
    seeds = ", ".join(str(log.header["seed"]) for log in found.logs)
    timed = row.seconds and row.hands_per_second
    speed = f", {row.seconds:.1f} s, {row.hands_per_second:,.0f} hands/s" if timed else ""
    return f"{found.game.name}: {hands:,} hand{'s' * (hands != 1)}{kind}, seed {seeds}{speed}"


def _wide_table(columns: Sequence[tuple[Figures, str]], lines: dict[str, list[str]]) -> Table:
    """Many players, one per row, and what matters most; the files have the rest."""
    shown = ("mbb/g", "wins %", "losses %", "VPIP %", "PFR %", "aggression", "showdowns %", "hands given up")
    labels = [label for label in shown if any(lines[label])]
    table = new_table(["player", *labels])
    for at, (figures, suffix) in enumerate(columns):
        table.add_row(figures["name"] + suffix, *(lines[label][at] for label in labels))
    return table


Show = Callable[[Figures], str]


def _lines(found: Statistics) -> Iterator[tuple[str, Show]]:
    """Label and text of every line of the table."""

    def number(key: str, digits: int = 2) -> Show:
        return lambda figures: "" if figures.get(key) is None else f"{figures[key]:,.{digits}f}"

    def percent(key: str) -> Show:
        return lambda figures: "" if figures.get(key) is None else f"{100 * figures[key]:.2f}"

    yield "mbb/g", lambda figures: plus_minus(figures["mbb_per_game"])
    yield "AIVAT, mbb/g", lambda figures: plus_minus(figures.get("aivat"))
    yield "AIVAT: variance smaller by", lambda figures: times_smaller(figures.get("aivat"))
    yield "wins %", percent("win_rate")
    yield "ties %", percent("tie_rate")
    yield "losses %", percent("loss_rate")
    yield "mean win, chips", number("mean_win")
    yield "mean loss, chips", number("mean_loss")
    yield "standard deviation", number("standard_deviation")
    yield "expected value, chips", number("expected_value", 3)
    yield "standard error", number("standard_error", 3)
    yield "losses by fold %", percent("losses_by_fold")
    yield "  mean, chips", number("mean_loss_by_fold")
    yield "losses by check/call %", percent("losses_by_call")
    yield "  mean, chips", number("mean_loss_by_call")
    if found.logs[0].header["freezeout"]:
        yield "games", number("games", 0)
        yield "average stack", number("average_stack")
        yield "games won %", percent("match_win_rate")
        yield "hands a game", number("hands_per_game")
    yield "VPIP %", percent("vpip")
    yield "PFR %", percent("pfr")
    yield "aggression", number("aggression")
    yield "showdowns %", percent("showdowns")
    streets = [found.street_name(street) for street in range(len(found.game.board_cards))]
    for name in streets:
        yield f"{name}, f/x/c/r/a %", partial(_shares, name)
    for name in streets:
        yield f"thinking, {name}, ms", partial(_thinking, name)
    yield "hands given up", lambda figures: f"{figures['forfeits']:,}" if figures["forfeits"] else ""


def _shares(street: str, figures: Figures) -> str:
    return "/".join(f"{100 * share:.0f}" for share in figures["actions"].get(street, {}).values())


def _thinking(street: str, figures: Figures) -> str:
    found = figures.get("thinking_seconds", {}).get(street)
    return f"{_brief(1000 * found['mean'])} (longest {_brief(1000 * found['longest'])})" if found else ""


def _brief(number: float) -> str:
    """Three digits or so, without powers of ten."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


# Files


def write_files(out: Path, reports: Sequence[MatchReport], histories: bool | None) -> None:
    """Tables and plots of a match into its folder, and its hands in forms that others read, unless they are many."""
    found = reports[0].statistics
    write_tables(out, reports)
    if found.hands:
        _plots(out, reports)
    if histories or (histories is None and len(found.hands) <= MOST_HISTORIES):
        with stages() as progress:
            write_histories(out, found, progress)


def _plots(out: Path, rows: Sequence[MatchReport]) -> None:
    found = rows[0].statistics
    per_blind = 1 / found.game.big_blind
    shown = range(1 if found.game.players == 2 else found.game.players)
    series = {found.names[player]: found.per_unit(found.won[player]) * per_blind for player in shown}
    if found.corrected is not None:
        series[f"{found.names[0]}, AIVAT"] = found.per_unit(found.corrected[0]) * per_blind
    for row in rows[1:]:
        other = row.statistics
        series[f"{other.names[0]} against itself"] = other.per_unit(other.won[0]) * per_blind
    title = f"{' v '.join(dict.fromkeys(found.names))}: {found.game.name}, {len(found.hands):,} hands"
    for ending in (".png", ".svg"):
        gain_plot(out / f"gain{ending}", series, title, "big blinds won in all", f"{unit_of(found)} played")
    style_plot(out / "style.png", {figures["name"]: figures["actions"] for figures in rows[0].players}, "Style of play")
