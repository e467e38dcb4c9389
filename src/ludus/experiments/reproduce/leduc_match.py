"""Strategies of more and more iterations play no-limit Leduc (Joppi Filho and Wensing 2023, table 12)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from ludus import games
from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.arena.statistics import Statistics
from ludus.experiments.plots import gain_plot
from ludus.experiments.report import Report, Stopped, folder, plus_minus, times_smaller
from ludus.experiments.reproduce.leduc_no_limit import BIG_BLIND, LeducTraining
from ludus.experiments.reproduce.leduc_no_limit import NAME as TRAINING
from ludus.experiments.sources import JOPPI_WENSING, JOPPI_WENSING_IN_FULL
from ludus.files import write_csv
from ludus.parallel import Stages
from ludus.solvers import Strategy, solve
from ludus.solvers.measure import expected_values, measure
from ludus.trees import flatten

NAME = "leduc-match"
EQUILIBRIUM = "equilibrium"
MBB = 1000 / BIG_BLIND
# Table 12 of the source: 100,000 games against DeepStack-Leduc each; the first column is DeepStack against itself.
SOURCE: dict[str, dict[str, float]] = {
    EQUILIBRIUM: {
        "hands": 100_000, "win_rate": 0.42634, "tie_rate": 0.14845, "loss_rate": 0.42521, "mean_win": 159.710,
        "mean_loss": 159.248, "standard_deviation": 216.672, "expected_value": 0.37699, "standard_error": 0.685,
    },
    "4M": {
        "hands": 100_000, "win_rate": 0.41444, "tie_rate": 0.14641, "loss_rate": 0.43915, "mean_win": 174.621,
        "mean_loss": 167.892, "standard_deviation": 234.427, "expected_value": -1.3599, "standard_error": 0.741,
    },
    "20M": {
        "hands": 100_000, "win_rate": 0.4123, "tie_rate": 0.14733, "loss_rate": 0.44029, "mean_win": 165.027,
        "mean_loss": 154.327, "standard_deviation": 214.598, "expected_value": 0.105, "standard_error": 0.679,
    },
    "100M": {
        "hands": 100_000, "win_rate": 0.40907, "tie_rate": 0.14788, "loss_rate": 0.44305, "mean_win": 168.665,
        "mean_loss": 153.969, "standard_deviation": 220.165, "expected_value": 0.77999, "standard_error": 0.696,
    },
}  # fmt: skip
LINES = (
    ("games", "hands", 0), ("wins %", "win_rate", 2), ("ties %", "tie_rate", 2), ("losses %", "loss_rate", 2),
    ("mean win, chips", "mean_win", 2), ("mean loss, chips", "mean_loss", 2),
    ("standard deviation", "standard_deviation", 1), ("expected value, chips", "expected_value", 3),
    ("standard error", "standard_error", 3),
)  # fmt: skip


def leduc_match(
    stops: Sequence[int], pairs: int, target: float, seed: int, out: Path | None, progress: Stages
) -> Report:
    """Strategies trained to each of the stops against an equilibrium and each other.

    The source played DeepStack-Leduc, which is not available here; the equilibrium, of an exploitability of ``target``
    mbb a game, stands in for it. Strategies are trained as `leduc_no_limit` trains them, by default in its folder, so
    that both go on from each other. Stopped, it goes on from there when it is run again.
    """
    place = folder(out, NAME)
    trained = _train(stops, seed, (place.parent if out is None else place) / TRAINING, progress)
    players = {EQUILIBRIUM: _equilibrium(target, place, progress)} | trained
    return _report(_play_all(players, pairs, seed, place, progress))


def _train(stops: Sequence[int], seed: int, place: Path, progress: Stages) -> dict[str, Path]:
    """The files of the strategies by their names, trained where they are missing."""
    place.mkdir(parents=True, exist_ok=True)
    run = LeducTraining(games.leduc_nl("all"), seed, place)
    for stop in stops:
        if run.to(stop, lambda done: progress("training", done, stops[-1], "iterations")) is None:
            raise Stopped(f"{run.done:,} iterations are saved in {place}; the same command goes on from there")
    return {_label(stop): run.strategy_path(stop) for stop in stops}


def _label(stop: int) -> str:
    """A short number of iterations.

    >>> _label(4_000_000), _label(2500)
    ('4M', '2500')
    """
    return f"{stop // 10**6}M" if stop % 10**6 == 0 else f"{stop}"


def _equilibrium(target: float, place: Path, progress: Stages) -> Path:
    path = place / f"{EQUILIBRIUM}-{target:g}.safetensors"
    if not path.exists():
        result = solve(
            games.leduc_nl("all"), "dcfr", target=target / MBB,
            progress=lambda check: progress(EQUILIBRIUM, check.iterations, None, "iterations"),
        )  # fmt: skip
        if not result.exploitability <= target / MBB:
            raise Stopped("the equilibrium is not solved; the same command begins it again")
        result.strategy.save(path)
    return path


def _play_all(players: dict[str, Path], pairs: int, seed: int, place: Path, progress: Stages) -> dict[str, Any]:
    """Everybody against the equilibrium, which plays itself too, and against each other: in play, and exactly."""
    tables = {name: Strategy.load(path) for name, path in players.items()}
    flat = flatten(tables[EQUILIBRIUM].game())
    quality = measure(*tables.values(), flat=flat)
    others = [name for name in players if name != EQUILIBRIUM]
    meetings = [(EQUILIBRIUM, EQUILIBRIUM), *((name, EQUILIBRIUM) for name in others), *combinations(others, 2)]
    matches = []
    for done, (first, second) in enumerate(meetings):
        progress("matches", done, len(meetings))
        found = _play(first, second, players, pairs, seed, place)
        matches.append(found | {"exact_mbb": _exact(tables[first], tables[second], flat)})
    exploitability = dict(zip(players, (MBB * found.exploitability for found in quality), strict=True))
    return {
        "experiment": NAME, "pairs": pairs, "seed": seed, "exploitability_mbb": exploitability, "matches": matches,
        "source": SOURCE, "files": {"csv": str(place / f"{NAME}.csv"), "plot": str(place / f"{NAME}.png")},
    }  # fmt: skip


def _play(first: str, second: str, players: dict[str, Path], pairs: int, seed: int, place: Path) -> dict[str, Any]:
    specs = (f"strategy:{players[first]}", f"strategy:{players[second]}")
    plan = MatchPlan(games.leduc_nl("all"), specs, 2 * pairs, duplicate=True, seed=seed, aivat="solved")
    where = place / f"{first}-{second}"
    result = play_match(plan, where)
    if not result.complete:
        raise Stopped(f"the match of {first} and {second} goes on when the same command is given again")
    found = Statistics((result.log,))
    gains = (found.per_unit(found.won[0]) * MBB / 1000).tolist()
    return {"players": [first, second], "log": str(where), "seconds": result.seconds, "gains": gains} | found.figures(0)


def _exact(first: Strategy, second: Strategy, flat: Any) -> float:
    """What the first wins a game over both seats, in mbb."""
    return MBB * (expected_values(first, second, flat=flat)[0] - expected_values(second, first, flat=flat)[0]) / 2


def _report(result: dict[str, Any]) -> Report:
    gains = {
        f"{match['players'][0]} v {EQUILIBRIUM}": match.pop("gains")
        for match in result["matches"]
        if match["players"][1] == EQUILIBRIUM
    }
    for match in result["matches"]:
        match.pop("gains", None)
    gain_plot(
        Path(result["files"]["plot"]), gains, f"No-limit Leduc, all multiples of 100, seed {result['seed']}",
        "big blinds won in all", "deals, each played from both seats",
    )  # fmt: skip
    columns = [match for match in result["matches"] if match["players"][1] == EQUILIBRIUM]
    rows = []
    for label, key, digits in LINES:
        scale = 100 if label.endswith("%") else 1
        cells = []
        for match in columns:
            source = SOURCE.get(match["players"][0], {}).get(key)
            there = "" if source is None else f" ({scale * source:,.{digits}f})"
            cells.append(f"{scale * match[key]:,.{digits}f}{there}")
        rows.append((label, *cells))
    rows.append(("mbb/g, +- 95 %", *(plus_minus(match["mbb_per_game"]) for match in columns)))
    rows.append((f"  {JOPPI_WENSING}, +- s.e.", *(_source_mbb(match["players"][0]) for match in columns)))
    rows.append(("AIVAT, +- 95 %", *(plus_minus(match.get("aivat")) for match in columns)))
    rows.append(("  variance smaller by", *(times_smaller(match.get("aivat")) for match in columns)))
    rows.append(("exact mbb/g", *(f"{match['exact_mbb']:+.2f}" for match in columns)))
    rows.append(
        ("exploitability, mbb/g", *(f"{result['exploitability_mbb'][match['players'][0]]:.2f}" for match in columns))
    )
    names = [f"{match['players'][0]} v {EQUILIBRIUM}" for match in columns]
    write_csv(Path(result["files"]["csv"]), ("", *names), rows)
    title = f"{NAME}: no-limit Leduc, {result['pairs']:,} deals from both seats, seed {result['seed']}"
    return Report(title, result, ["ours (theirs)", *names], rows, _notes(result))


def _source_mbb(name: str) -> str:
    source = SOURCE.get(name)
    return f"{MBB * source['expected_value']:+.2f} +- {MBB * source['standard_error']:.2f}" if source else ""


def _notes(result: dict[str, Any]) -> list[str]:
    notes = [
        f"{match['players'][0]} v {match['players'][1]}: {plus_minus(match['mbb_per_game'])} mbb/g in play, "
        f"{plus_minus(match['aivat'])} by AIVAT, {match['exact_mbb']:+.2f} exactly"
        for match in result["matches"]
        if match["players"][1] != EQUILIBRIUM
    ]
    return [
        *notes,
        "In brackets: the source against DeepStack-Leduc, 100,000 games from one side of each deal; its first column "
        "is DeepStack against itself. Our opponent is a near-exact equilibrium of the same game: nobody wins from it.",
        "Exact: the value of one table against the other over both seats, without any luck. The unit of the intervals "
        "is the deal, played from both seats.",
        f"Theirs: {JOPPI_WENSING_IN_FULL}, table 12.",
    ]
