"""How the figures of a match are shown and kept: a table, JSON, CSV, plots, hand histories."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.experiments.report import plus_minus, times_smaller

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.arena.log import MatchLog
    from ludus.arena.match import MatchResult
    from ludus.arena.statistics import Statistics

Figures = dict[str, Any]
MOST_FORFEITS = 20  # that are shown
MOST_HISTORIES = 20_000  # hands that are written out without being asked for


@dataclass(frozen=True, eq=False)
class Row:
    """A match with its figures."""

    statistics: Statistics
    players: list[Figures]
    seconds: float | None = None
    hands_per_second: float | None = None

    @classmethod
    def of(cls, result: MatchResult) -> Row:
        """Of a match just played."""
        from ludus.arena.statistics import Statistics

        found = Statistics((result.log,), result.times)
        speed = result.hands / result.seconds if result.seconds else None
        return cls(found, _figures(found), result.seconds, speed)

    @classmethod
    def read(cls, logs: Sequence[MatchLog], folders: Sequence[Path] = ()) -> Row:
        """Of logs, with the thinking times beside them."""
        from ludus.arena.match import TIMES
        from ludus.arena.match_table import Times
        from ludus.arena.statistics import Statistics

        times = Times(len(logs[0].names))
        for folder in folders:
            times.load(folder / TIMES)
        found = Statistics(tuple(logs), times)
        return cls(found, _figures(found))

    def as_dict(self) -> Figures:
        """As JSON shows it: the first player's result on top, everybody's figures below."""
        found, first = self.statistics, self.players[0]
        header = found.logs[0].header
        games = header["freezeout"]
        return {
            "game": found.game.name,
            "seed": [log.header["seed"] for log in found.logs] if len(found.logs) > 1 else header["seed"],
            "hands": len(found.hands),
            "pairs": len(found.units) if header["duplicate"] else 0,
            "units": len(found.units),
            "duplicate": header["duplicate"],
            "mbb_per_game": first["mbb_per_game"],
            "aivat": first.get("aivat"),
            **(found.games(0) if games else {rate: first[rate] for rate in ("win_rate", "tie_rate", "loss_rate")}),
            "seconds": self.seconds,
            "hands_per_second": self.hands_per_second,
            "players": self.players,
            "forfeits": [
                {"hand": hand.number, "player": name, "reason": reason}
                for hand in found.hands
                for name, reason in hand.forfeits
            ][:MOST_FORFEITS],
        }


def _figures(found: Statistics) -> list[Figures]:
    return [found.figures(player) for player in range(len(found.names))]


def report(rows: Sequence[Row], as_json: bool) -> None:
    """Print matches of the same kind: the first one asked for, the others beside it."""
    if as_json:
        result = rows[0].as_dict()
        if len(rows) > 1:
            result["baseline"] = rows[1].as_dict()
        print(json.dumps(result, indent=2))
        return
    from rich.console import Console

    from ludus.arena.interval import caution
    from ludus.cli.views.tables import new_table

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


def _title(row: Row) -> str:
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
    """Many players, one a row, and what matters most; the files have the rest."""
    from ludus.cli.views.tables import new_table

    shown = ("mbb/g", "wins %", "losses %", "VPIP %", "PFR %", "aggression", "showdowns %", "hands given up")
    labels = [label for label in shown if any(lines[label])]
    table = new_table(["player", *labels])
    for at, (figures, suffix) in enumerate(columns):
        table.add_row(figures["name"] + suffix, *(lines[label][at] for label in labels))
    return table


def unit_of(found: Statistics) -> str:
    """What the independent units of a match are."""
    header = found.logs[0].header
    return "deals" if header["duplicate"] else "games" if header["freezeout"] else "hands"


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


def write_files(out: Path, rows: Sequence[Row], histories: bool | None) -> None:
    """Tables and plots of a match into its folder, and its hands in forms that others read, unless they are many."""
    from ludus.files import write_atomically, write_csv

    row = rows[0]
    results = row.as_dict() | ({"baseline": rows[1].as_dict()} if len(rows) > 1 else {})
    write_atomically(out / "results.json", (json.dumps(results, indent=2) + "\n").encode())
    flat = [_flattened(figures) for figures in row.players]
    header = list(dict.fromkeys(key for figures in flat for key in figures))
    write_csv(out / "statistics.csv", header, [[figures.get(key, "") for key in header] for figures in flat])
    if row.statistics.hands:
        _plots(out, rows)
    if histories or (histories is None and len(row.statistics.hands) <= MOST_HISTORIES):
        _histories(out, row.statistics)


def _flattened(figures: Figures, prefix: str = "") -> Figures:
    flat: Figures = {}
    for key, value in figures.items():
        flat |= _flattened(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def _plots(out: Path, rows: Sequence[Row]) -> None:
    from ludus.experiments.plots import gain_plot, style_plot

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


def _histories(out: Path, found: Statistics) -> None:
    """Every hand as text, and as PHH where that format has the game."""
    from ludus.cli.views.progress import progress_bar
    from ludus.files import write_atomically
    from ludus.protocols.histories import PlayedHand, as_text, phhs_sections, variant_of

    def played(title: str) -> Iterator[PlayedHand]:
        with progress_bar(title) as progress:
            for at, hand in enumerate(found.hands):
                yield PlayedHand(hand.state(found.game), hand.names, hand.number)
                progress(at, len(found.hands))

    write_atomically(out / "hands.txt", "\n".join(as_text(hand) for hand in played("hands.txt")).encode())
    try:
        variant_of(found.game)
    except ValueError:  # the text has it all
        return
    write_atomically(out / "hands.phhs", "".join(phhs_sections(played("hands.phhs"))).encode())
