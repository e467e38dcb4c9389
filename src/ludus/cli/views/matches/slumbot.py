"""What was won from Slumbot, as tables, files and a plot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.arena.slumbot_summary import BIG_BLIND, TUHOLUKOVA
from ludus.protocols.slumbot.log import Hand

_COLUMNS = ("hands", "bb_per_100", "ci95", "mbb_per_hand", "ci95_mbb")


def _rows(result: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        ("raw", result["raw"]),
        ("baseline", result["baseline"]),
        *((f"raw, {name}", gain) for name, gain in result["positions"].items()),
        *((f"{TUHOLUKOVA['source']}, {name}", TUHOLUKOVA[name]) for name in ("raw", "baseline")),
    ]


def write_report(result: dict[str, Any], hands: Sequence[Hand], out: Path, picture: Path) -> dict[str, str]:
    """The figures as JSON and CSV and the plot of the gain; returns where they are."""
    from ludus.experiments.plots import gain_plot
    from ludus.files import write_atomically, write_csv

    files = {"json": out / "slumbot.json", "csv": out / "slumbot.csv", "seconds": out / "slumbot_seconds.csv"}
    write_atomically(files["json"], (json.dumps(result, indent=2, allow_nan=False) + "\n").encode())
    rows = [(name, *map(gain.get, _COLUMNS)) for name, gain in _rows(result)]
    write_csv(files["csv"], ("figure", *_COLUMNS), rows)
    times = [(name, *street.values(), TUHOLUKOVA["seconds"][name]) for name, street in result["thinking"].items()]
    write_csv(files["seconds"], ("street", "decisions", "seconds", "tuholukova_2020_seconds"), times)
    finished = [hand for hand in hands if hand.broken is None]
    series = {
        "raw": [hand.winnings / BIG_BLIND for hand in finished if hand.winnings is not None],
        "baseline": [hand.baseline / BIG_BLIND for hand in finished if hand.baseline is not None],
    }
    if finished:
        gain_plot(picture, series, f"{result['agent']} against Slumbot", "won in all, big blinds", "hands")
        files["plot"] = picture
    return {name: str(path) for name, path in files.items()}


def print_report(result: dict[str, Any]) -> None:
    """The figures as tables."""
    from rich.console import Console
    from rich.markup import escape

    from ludus.arena.interval import caution
    from ludus.cli.views.tables import new_table

    console = Console(highlight=False)
    console.print(escape(f"{result['agent']} against Slumbot, {result['hands']:,} hands, 200 big blinds"), style="bold")
    table = new_table(("", "hands", "BB/100", "95 % ±", "mbb/h", "95 % ±"))
    for name, gain in _rows(result):
        hands, *figures = (gain[column] for column in _COLUMNS)
        name += " (too few)" * gain.get("too_few", False)
        table.add_row(name, f"{hands:,}", *map(_text, figures, ("+", "", "+", "")))
    console.print(table)
    if words := caution(result["hands"], "hands"):
        console.print(words, style="yellow")
    thinking = new_table(("seconds a decision", *result["thinking"]))
    thinking.add_row("agent", *(_text(times["seconds"], digits=3) for times in result["thinking"].values()))
    thinking.add_row("decisions", *(f"{times['decisions']:,}" for times in result["thinking"].values()))
    thinking.add_row(TUHOLUKOVA["source"], *(_text(seconds, digits=3) for seconds in TUHOLUKOVA["seconds"].values()))
    console.print(thinking)
    rates = result["rates"]
    if result["hands"]:
        console.print(", ".join(f"{name} {100 * rate:.1f} %" for name, rate in rates.items()))
    console.print(f"{result['broken']:,} broken hands, {result['retries']:,} requests sent again")
    if result["last_break"]:
        console.print(escape(f"last broken hand: {result['last_break']}"))
    if result["faults"]:
        console.print(escape(f"{result['faults']:,} faults of the agent, the last: {result['last_fault']}"))
    console.print("Files: " + escape(", ".join(result["files"].values())), soft_wrap=True)


def _text(value: float | None, sign: str = "", digits: int = 2) -> str:
    return "-" if value is None else f"{value:{sign},.{digits}f}"
