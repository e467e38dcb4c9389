"""The generic players against each other, read in two ways (Pricope 2020, table 1)."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from ludus.arena.interval import NORMAL_95, interval
from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.arena.statistics import Statistics
from ludus.experiments.report import Report, Stopped, folder
from ludus.experiments.sources import PRICOPE, PRICOPE_IN_FULL
from ludus.files import write_csv
from ludus.games import holdem
from ludus.parallel import Stages, open_engine, usable_cores

NAME = "pricope-baselines"
PLAYERS = ("heuristic-mc", "random", "call")
STACK, BLINDS = 100, (5, 10)
SOURCE = {("heuristic-mc", "random"): (107.0, 0.52)}  # table 1: average stack and win rate after 250 games
ALL_ROWS = ((107.0, 0.52), (141.0, 0.72), (163.0, 0.816), (167.0, 0.848), (111.0, 0.576), (119.0, 0.592))
SOURCE_GAMES = 250
READINGS = {
    "freeze-out": "a game goes on until somebody is broke",
    "hand": "a game is one hand",
}


def pricope_baselines(games: int, hands: int, seed: int, out: Path | None, progress: Stages) -> Report:
    """Random, Call and HeuristicMC against each other, each pair in freeze-outs and in single hands.

    Stacks of 100, blinds 5/10, as in the source. Stopped, it goes on from there when it is run again.
    """
    from ludus.arena.interval import caution

    place = folder(out, NAME)
    rows = _play_all(games, hands, seed, place, progress)
    files = {"csv": str(place / f"{NAME}.csv")}
    result: dict[str, Any] = {
        "experiment": NAME, "seed": seed, "games": games, "hands": hands, "rows": rows, "fits": _verdict(rows),
        "source": {" v ".join(pair): {"average_stack": a, "win_rate": w} for pair, (a, w) in SOURCE.items()},
        "files": files,
    }  # fmt: skip
    write_csv(Path(files["csv"]), list(rows[0]), [list(row.values()) for row in rows])
    header = ("players, a game is a", "games", "average stack", "wins %", "mbb/h", PRICOPE, "off, s.e.")
    texts = []
    for row in rows:
        there = row["source_stack"] is not None
        texts.append((
            f"{row['players']}, {row['reading']}", f"{row['games']:,}",
            f"{row['average_stack']:.1f} +- {row['average_stack_ci95']:.1f}",
            f"{100 * row['win_rate']:.1f} +- {100 * row['win_rate_ci95']:.1f}",
            f"{row['mbb_per_hand']:+,.0f}",
            f"{row['source_stack']:.0f}, {100 * row['source_win_rate']:.0f} %" if there else "",
            f"{row['off_stack']:+.1f}, {row['off_win_rate']:+.1f}" if there else "",
        ))  # fmt: skip
    notes = [
        result["fits"]["text"],
        "Off: by how many standard errors the source's average stack and win rate over 250 games differ from ours, "
        "its own luck and ours together. `ludus reproduce expert-table` plays all its rows with the reading that fits.",
        f"Source: {PRICOPE_IN_FULL}, table 1. A win is a game that ends with more than {STACK} chips.",
    ]
    notes += [words] if (words := caution(min(row["games"] for row in rows), "games")) else []
    title = f"{NAME}: stacks {STACK}, blinds {BLINDS[0]}/{BLINDS[1]}, seed {seed}"
    return Report(title, result, header, texts, notes)


def _play_all(games: int, hands: int, seed: int, place: Path, progress: Stages) -> list[dict[str, Any]]:
    game = holdem(stack=STACK, blinds=BLINDS)
    rows = []
    for pair in combinations(PLAYERS, 2):
        for reading in READINGS:
            carried = reading == "freeze-out"
            plan = MatchPlan(game, pair, games if carried else hands, seed=seed, freezeout=carried)
            told = partial(progress, f"{' v '.join(pair)}, {reading}s")
            result = play_match(plan, place / f"{'-'.join(pair)}-{reading}", open_engine(usable_cores()), progress=told)
            if not result.complete:
                raise Stopped(f"the same command goes on from {place}")
            rows.append(_row(pair, reading, Statistics((result.log,))))
    return rows


def _row(pair: tuple[str, str], reading: str, found: Statistics) -> dict[str, Any]:
    totals = found.per_unit(found.won[0])
    stack, wins = interval(STACK + totals), interval(totals > 0)
    source = SOURCE.get(pair)
    row: dict[str, Any] = {
        "players": " v ".join(pair), "reading": reading, "games": stack.units, "hands": len(found.hands),
        "average_stack": stack.mean, "average_stack_ci95": stack.ci95, "win_rate": wins.mean,
        "win_rate_ci95": wins.ci95, "mbb_per_hand": found.result(0).mean,
        "source_stack": source and source[0], "source_win_rate": source and source[1],
        "off_stack": None, "off_win_rate": None,
    }  # fmt: skip
    if source:
        for key, ours, theirs in (("off_stack", stack, source[0]), ("off_win_rate", wins, source[1])):
            both = (ours.error**2 + ours.deviation**2 / SOURCE_GAMES) ** 0.5
            row[key] = (theirs - ours.mean) / both
    return row


def _verdict(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Which reading fits: by the row that we can play, and by what all rows of the source's table have in common.

    In a freeze-out the average stack is all the chips times the share of games won, whoever plays; in single hands it
    is not. A figure fits when it is within a 95 % interval.
    """
    off, gap = dict.fromkeys(READINGS, 0.0), dict.fromkeys(READINGS, 0.0)
    for row in rows:
        reading = row["reading"]
        gap[reading] = max(gap[reading], abs(row["average_stack"] - 2 * STACK * row["win_rate"]))
        if row["off_stack"] is not None:
            off[reading] = max(off[reading], abs(row["off_stack"]), abs(row["off_win_rate"]))
    there = max(abs(stack - 2 * STACK * wins) for stack, wins in ALL_ROWS)
    by_row = [reading for reading, value in off.items() if value < NORMAL_95]
    by_table = min(gap, key=lambda reading: abs(gap[reading] - there))
    figures = "neither reading gives its row HeuristicMC-Random: our HeuristicMC wins more from Random in both"
    if by_row:
        figures = f"its row HeuristicMC-Random fits the reading {' and the reading '.join(by_row)}"
    text = (
        f"The table of {PRICOPE} as a whole fits: {READINGS[by_table]}. Its average stacks are within {there:.1f} "
        f"chips of {2 * STACK} x win rate in all six rows; ours are within {gap['freeze-out']:.1f} in freeze-outs "
        f"and up to {gap['hand']:.1f} off in single hands. As to figures, {figures}."
    )
    return {"reading": by_table, "off": off, "gap": gap, "source_gap": there, "rows_that_fit": by_row, "text": text}
