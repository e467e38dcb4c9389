"""Which rules the source's players may have had: a search over what it does not say (Pricope 2020, table 1).

One player after the other: HeuristicMC by its row against Random, then the expert by its three rows, then the expert
with a model by its two. A reading is judged by the squares of how far its percentages are off the source's, in standard
errors of the source's 250 games.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ludus.experiments.report import Report, Table, folder
from ludus.experiments.reproduce.expert.sessions import play_rows
from ludus.experiments.reproduce.expert.table import SOURCE, Reading, SourceRow
from ludus.experiments.sources import PRICOPE_IN_FULL
from ludus.files import write_csv
from ludus.parallel import Stages

NAME = "expert-readings"
SHOWN = 5  # of each player
CANDIDATES = {
    "heuristic": [
        f"heuristic-mc:size={size:g},ahead={ahead:g},least={least:g}"
        for size in (0, 0.5, 1, 2)
        for ahead in (0.5, 0.55, 0.6, 0.65)
        for least in (0, ahead)
    ],
    "expert": [f"expert:size={size:g},good={good:g}" for size in (0.5, 1, 2) for good in (0.55, 0.6, 0.65, 0.7, 0.8)],
    "model": [f"bluffs={bluffs:g}" for bluffs in (0.5, 0.8, 0.9, 0.95)],
}


def expert_readings(games: int, seed: int, workers: int, out: Path | None, progress: Stages) -> Report:
    """The best readings of each player, one after the other; stopped, it goes on when it is run again."""
    place = folder(out, NAME)
    best, tables, everything = Reading(), [], []
    for player, candidates in CANDIDATES.items():
        if player == "model":
            candidates = [f"{best.expert.replace('expert:', 'expert:model,')},{each}" for each in candidates]
        readings = [replace(best, **{player: candidate}) for candidate in candidates]
        found = _judge(player, readings, games, seed, place, workers, progress)
        best = replace(best, **{player: found[0]["reading"]})
        everything += found
        tables.append(_table(player, found))
    path = place / f"{NAME}.csv"
    columns = ("player", "reading", "misfit")
    write_csv(path, columns, [[row[key] for key in columns] for row in everything])
    figures = {
        "experiment": NAME, "games": games, "seed": seed, "readings": everything, "files": {"csv": str(path)},
        "best": {player: getattr(best, player) for player in CANDIDATES},
    }  # fmt: skip
    notes = [
        "Misfit: the sum of squares of how far the percentages are off the source's, in standard errors of its 250 "
        "games; about as many as there are rows is chance.",
        f"Source: {PRICOPE_IN_FULL}, table 1. {games:,} games for each.",
    ]
    first = tables[0]
    return Report(first.title, figures, first.header, first.rows, notes, more=tables[1:])


def _rows_of(player: str) -> list[SourceRow]:
    """The rows of the source that a player is judged by: those that it opens."""
    return [row for row in SOURCE if row.first == player]


def _judge(
    player: str, readings: list[Reading], games: int, seed: int, place: Path, workers: int, progress: Stages
) -> list[dict[str, Any]]:
    rows = _rows_of(player)
    pairs = [row.pair(reading) for reading in readings for row in rows]
    played = iter(play_rows(pairs, games, seed, place, workers, progress))
    found = []
    for reading in readings:
        wins = {row.players: 100 * next(played).wins.mean for row in rows}
        misfit = sum(((wins[row.players] - row.win_percent) / row.error) ** 2 for row in rows)
        found.append({"player": player, "reading": getattr(reading, player), "misfit": misfit, "win_percent": wins})
    return sorted(found, key=lambda each: each["misfit"])


def _table(player: str, found: list[dict[str, Any]]) -> Table:
    rows = _rows_of(player)
    header = ("reading", *(f"{row.players} ({row.win_percent:g} %)" for row in rows), "misfit")
    texts = [
        (each["reading"], *(f"{each['win_percent'][row.players]:.1f}" for row in rows), f"{each['misfit']:.1f}")
        for each in found[:SHOWN]
    ]
    return Table(f"{NAME}: {player}, the best of {len(found)}", header, texts)
