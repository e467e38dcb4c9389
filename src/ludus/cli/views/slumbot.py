"""The figures of ``ludus slumbot``: what was won, how sure that is, and how long the agent thought."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludus.protocols.slumbot.log import Hand

BIG_BLIND = 100
POSITIONS = ("big blind", "small blind")
TUHOLUKOVA: dict[str, Any] = {  # against Slumbot, as published
    "source": "DeepStack of Tuholukova (2020)",
    "raw": {"hands": 20_804, "bb_per_100": -0.79, "ci95": 22.36, "mbb_per_hand": -7.9, "ci95_mbb": 223.6},
    "baseline": {"hands": 20_804, "bb_per_100": -2.15, "ci95": 28.37, "mbb_per_hand": -21.5, "ci95_mbb": 283.7},
    "seconds": {"pre-flop": 1.348, "flop": 11.26, "turn": 4.63, "river": 1.622},
}
_COLUMNS = ("hands", "bb_per_100", "ci95", "mbb_per_hand", "ci95_mbb")


def summary(hands: Sequence[Hand], agent: str, url: str, seed: int) -> dict[str, Any]:
    """All figures of a log. The baseline is what was won beyond what Slumbot would have won with the same cards."""
    from ludus.games.poker import STREETS

    finished = [hand for hand in hands if hand.winnings is not None and hand.broken is None]
    faults = [fault for hand in hands for fault in hand.faults]
    seconds = [sum(hand.seconds[street] for hand in hands) for street in range(len(STREETS))]
    decisions = [sum(hand.decisions[street] for hand in hands) for street in range(len(STREETS))]
    return {
        "agent": agent, "url": url, "seed": seed, "stack": 200, "hands": len(finished),
        "broken": len(hands) - len(finished), "retries": sum(hand.retries for hand in hands),
        "raw": _gain([hand.winnings for hand in finished]),
        "baseline": _gain([hand.baseline for hand in finished]),
        "positions": {
            name: _gain([hand.winnings for hand in finished if hand.position == position])
            for position, name in enumerate(POSITIONS)
        },
        "rates": _rates([hand.winnings or 0 for hand in finished]),
        "thinking": {
            street: {"decisions": decisions[at], "seconds": seconds[at] / decisions[at] if decisions[at] else None}
            for at, street in enumerate(STREETS)
        },
        "faults": len(faults), "last_fault": faults[-1] if faults else None,
        "last_break": next((hand.broken for hand in reversed(hands) if hand.broken), None),
        "reference": TUHOLUKOVA,
    }  # fmt: skip


def _gain(chips: Sequence[int | None]) -> dict[str, Any]:
    """Mean winnings with half the width of the 95 % interval; hands without a figure are left out."""
    from ludus.arena.interval import finite, interval

    known = [value for value in chips if value is not None]
    found = interval(known)
    hundred, thousandth = found.scaled(100 / BIG_BLIND), found.scaled(1000 / BIG_BLIND)
    return {
        "hands": len(known), "chips": sum(known), "bb_per_100": finite(hundred.mean), "ci95": finite(hundred.ci95),
        "mbb_per_hand": finite(thousandth.mean), "ci95_mbb": finite(thousandth.ci95), "too_few": found.too_few,
    }  # fmt: skip


def _rates(winnings: Sequence[int]) -> dict[str, float | None]:
    count = len(winnings)
    kinds = {"win": (w > 0 for w in winnings), "tie": (w == 0 for w in winnings), "loss": (w < 0 for w in winnings)}
    return {name: sum(which) / count if count else None for name, which in kinds.items()}


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
