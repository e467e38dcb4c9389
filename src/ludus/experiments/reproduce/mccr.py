"""Monte-Carlo continual re-solving: exploitability against the time of a decision, beside continual re-solving."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludus import games
from ludus.arena.interval import finite, interval
from ludus.arena.whole_strategy import whole_strategy
from ludus.experiments.plots import new_figure, save_figure
from ludus.experiments.report import Report, folder
from ludus.files import write_csv
from ludus.games.poker import PokerGame
from ludus.parallel import Stages
from ludus.search.mccr import AVERAGINGS, MonteCarloResolver
from ludus.search.resolver import Resolver
from ludus.search.small_games import Effort, SmallGames
from ludus.solvers import measure
from ludus.solvers.beliefs import RangeStrategist

NAME = "mccr"
PREPARATION = 10  # times the samples of a decision, before play
EFFORTS = (Effort(100, 50), Effort(1000, 500))
METHODS = tuple(f"Monte Carlo, {averaging}" for averaging in AVERAGINGS)
GAMES: dict[str, Callable[[], PokerGame]] = {"kuhn": games.kuhn, "leduc": games.leduc, "leduc-nl": games.leduc_nl}


@dataclass(frozen=True)
class Run:
    """One method in one game with one seed."""

    game: str
    method: str
    effort: int  # samples, or iterations
    seed: int | None
    seconds: float  # a decision
    exploitability: float  # mbb a game


def mccr(
    samples: Sequence[int], names: Sequence[str], seeds: int, seed: int, out: Path | None, progress: Stages
) -> Report:
    """Both ways of averaging values with each number of samples a decision, in some games or (none named) in all."""
    chosen = _choose(names)
    place, runs, stopped = folder(out, NAME), list[Run](), ""
    work = [make for name in chosen for make in _work(name, samples, range(seed, seed + seeds))]
    for make in _work("kuhn", [1], range(1)):  # kernels are compiled before anything is timed
        make()
    try:
        for done, make in enumerate(work):
            progress("reading strategies off", done, len(work), "strategies")
            runs.append(make())
    except KeyboardInterrupt:
        if not runs:
            raise
        stopped = f"{len(runs)} of {len(work)} strategies"
    points = _points(runs)
    files = {"csv": place / f"{NAME}.csv"} | _plot(place, points)
    write_csv(files["csv"], list(Run.__dataclass_fields__), [list(asdict(run).values()) for run in runs])
    figures: dict[str, Any] = {
        "experiment": NAME, "samples": list(samples), "preparation": PREPARATION, "seeds": seeds, "seed": seed,
        "cores": 1, "points": points, "files": {kind: str(path) for kind, path in files.items()},
    }  # fmt: skip
    header = ("game", "method", "samples or iterations", "ms a decision", "mbb a game", "more than by reach")
    title = f"{NAME}: exact exploitability by the time of a decision, {seeds} seeds from {seed}, one core"
    return Report(title, figures, header, _rows(points), _notes(), stopped)


def _choose(names: Sequence[str]) -> list[str]:
    if unknown := [name for name in names if name not in GAMES]:
        raise ValueError(f"the games of this experiment are {', '.join(GAMES)}, got {unknown[0]!r}")
    return list(dict.fromkeys(names)) or list(GAMES)


def _work(name: str, samples: Sequence[int], seeds: range) -> Iterator[Callable[[], Run]]:
    for effort in EFFORTS:
        yield partial(_continual, name, effort)
    for averaging in AVERAGINGS:
        for count in samples:
            for seed in seeds:
                yield partial(_monte_carlo, name, averaging, count, seed)


def _continual(name: str, effort: Effort) -> Run:
    resolver = Resolver(SmallGames(lambda _: None, effort))
    return _measured(name, "continual re-solving", effort.iterations, None, resolver, 1)


def _monte_carlo(name: str, averaging: str, samples: int, seed: int) -> Run:
    resolver, game = MonteCarloResolver(samples, PREPARATION * samples, seed, averaging=averaging), GAMES[name]()
    hands = len(resolver.prepared(game).part.hands)  # that work is done before play, and each hand is a decision
    return _measured(name, METHODS[AVERAGINGS.index(averaging)], samples, seed, resolver, hands)


def _measured(name: str, method: str, effort: int, seed: int | None, player: RangeStrategist, thoughts: int) -> Run:
    """Read a strategy off and measure it; a public state takes so many thoughts."""
    game, asked = GAMES[name](), list[int]()
    begin = time.perf_counter()
    strategy = whole_strategy(player, game, progress=lambda count, _: asked.append(count))
    seconds = (time.perf_counter() - begin) / (asked[-1] * thoughts)
    return Run(name, method, effort, seed, seconds, measure(strategy)[0].exploitability * 1000 / game.big_blind)


def _points(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Means and intervals over the seeds; of the second averaging also what it is worse by, seed by seed."""
    points, by_reach = [], {(run.game, run.effort, run.seed): run for run in runs if run.method == METHODS[0]}
    for key in dict.fromkeys((run.game, run.method, run.effort) for run in runs):
        own = [run for run in runs if (run.game, run.method, run.effort) == key]
        found, worse = interval([run.exploitability for run in own]), None
        if key[1] == METHODS[1]:
            pairs = [(run, by_reach[run.game, run.effort, run.seed]) for run in own]
            worse = interval([one.exploitability - other.exploitability for one, other in pairs])
        points.append(
            dict(zip(("game", "method", "effort"), key, strict=True))
            | {"seeds": len(own), "seconds": float(np.mean([run.seconds for run in own]))}
            | {"exploitability": found.mean, "ci95": finite(found.ci95)}
            | {"worse": worse and worse.mean, "worse_ci95": worse and finite(worse.ci95)}
        )
    return points


def _rows(points: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (
            point["game"], point["method"], f"{point['effort']:,}", f"{1000 * point['seconds']:.3g}",
            _with_half(point["exploitability"], point["ci95"]),
            "" if point["worse"] is None else _with_half(point["worse"], point["worse_ci95"], "+"),
        )
        for point in points
    ]  # fmt: skip


def _with_half(mean: float, half: float | None, sign: str = "") -> str:
    return f"{mean:{sign}.1f}" + ("" if half is None else f" +- {half:.1f}")


def _notes() -> list[str]:
    return [
        "Exploitability is exact: the strategy of every information set is read off. 1000 mbb are a big blind, in Kuhn "
        "poker and limit Leduc an ante. The interval is that of the mean over the seeds, 95 %.",
        f"Monte Carlo (Sustr, Kovarik & Lisy 2019) has {PREPARATION} times the samples of a decision before play. A "
        "decision is one hand; one of continual re-solving, to the end of the hand here, is for all hands at once.",
        "reach, uniform: how the values are averaged at which the opponent may leave at the next decision. The last "
        "column compares them seed by seed.",
    ]


def _plot(place: Path, points: Sequence[dict[str, Any]]) -> dict[str, Path]:
    """Exploitability by seconds a decision, a picture for each game."""
    files = {}
    for game in dict.fromkeys(point["game"] for point in points):
        figure, axes = new_figure()
        own = [point for point in points if point["game"] == game]
        for method in dict.fromkeys(point["method"] for point in own):
            line = [point for point in own if point["method"] == method]
            axes.errorbar(
                [1000 * point["seconds"] for point in line], [point["exploitability"] for point in line],
                yerr=[point["ci95"] or 0.0 for point in line], label=method, marker="o", markersize=4, capsize=3,
            )  # fmt: skip
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("milliseconds a decision, one core")
        axes.set_ylabel("exploitability, mbb a game (bars: 95 %)")
        axes.set_title(f"Re-solving in {game}")
        axes.grid(True, which="major", alpha=0.35)
        axes.legend(fontsize="small")
        files[game] = place / f"{NAME}-{game}.png"
        save_figure(figure, files[game])
    return files
