"""The figures of a match as data, and the files that keep them: JSON, CSV, hand histories."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.arena.log import MatchLog
from ludus.arena.match import TIMES, MatchResult
from ludus.arena.match_table import Times
from ludus.arena.statistics import Statistics
from ludus.files import write_atomically, write_csv
from ludus.parallel import Stages
from ludus.protocols.histories import PlayedHand, as_text, phhs_sections, variant_of

Figures = dict[str, Any]
MOST_FORFEITS = 20  # that are told


@dataclass(frozen=True, eq=False)
class MatchReport:
    """A match with its figures."""

    statistics: Statistics
    players: list[Figures]
    seconds: float | None = None
    hands_per_second: float | None = None

    @classmethod
    def of(cls, result: MatchResult) -> MatchReport:
        """Of a match just played."""
        found = Statistics((result.log,), result.times)
        speed = result.hands / result.seconds if result.seconds else None
        return cls(found, _figures(found), result.seconds, speed)

    @classmethod
    def read(cls, logs: Sequence[MatchLog], folders: Sequence[Path] = ()) -> MatchReport:
        """Of logs, with the thinking times beside them."""
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


def unit_of(found: Statistics) -> str:
    """What the independent units of a match are."""
    header = found.logs[0].header
    return "deals" if header["duplicate"] else "games" if header["freezeout"] else "hands"


def results(reports: Sequence[MatchReport]) -> Figures:
    """A match, with its baseline where there is one beside it."""
    return reports[0].as_dict() | ({"baseline": reports[1].as_dict()} if len(reports) > 1 else {})


def write_tables(out: Path, reports: Sequence[MatchReport]) -> None:
    """The results as JSON, the figures of all players as CSV."""
    write_atomically(out / "results.json", (json.dumps(results(reports), indent=2) + "\n").encode())
    flat = [_flattened(figures) for figures in reports[0].players]
    header = list(dict.fromkeys(key for figures in flat for key in figures))
    write_csv(out / "statistics.csv", header, [[figures.get(key, "") for key in header] for figures in flat])


def _flattened(figures: Figures, prefix: str = "") -> Figures:
    flat: Figures = {}
    for key, value in figures.items():
        flat |= _flattened(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat


def write_histories(out: Path, found: Statistics, progress: Stages) -> None:
    """Every hand as text, and as PHH where that format has the game."""

    def played(file: str) -> Iterator[PlayedHand]:
        for at, hand in enumerate(found.hands):
            yield PlayedHand(hand.state(found.game), hand.names, hand.number)
            progress(file, at, len(found.hands))

    write_atomically(out / "hands.txt", "\n".join(as_text(hand) for hand in played("hands.txt")).encode())
    try:
        variant_of(found.game)
    except ValueError:  # the text has it all
        return
    write_atomically(out / "hands.phhs", "".join(phhs_sections(played("hands.phhs"))).encode())
