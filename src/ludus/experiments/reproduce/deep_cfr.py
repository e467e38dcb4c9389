"""Deep CFR beside CFR with tables and beside OpenSpiel's: exploitability by nodes touched and by CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.experiments.plots import convergence_plot
from ludus.experiments.report import Report, folder
from ludus.files import write_csv
from ludus.games import kuhn, leduc, leduc_nl
from ludus.games.poker import PokerGame
from ludus.parallel import Stages
from ludus.rl.deep_cfr import PRESETS, DeepCfr, Sums, matched
from ludus.rl.lanes import Bools, Floats
from ludus.rl.small_games import SmallGameWalks
from ludus.solvers import Evaluator, Settings
from ludus.solvers.running import next_check
from ludus.solvers.solve import make_solver
from ludus.trees import flatten

NAME = "deep-cfr"
GAMES: dict[str, Callable[[], PokerGame]] = {"kuhn": kuhn, "leduc": leduc, "leduc-nl": leduc_nl}
THEIRS = {"kuhn": "kuhn_poker", "leduc": "leduc_poker(suit_isomorphism=True)"}
TARGETS = (250.0, 100.0, 50.0)
DEEP, SINGLE, TABLES, EXACT, PEER = (
    "Deep CFR", "Single Deep CFR", "the same walks, tables", "linear CFR, all nodes", "OpenSpiel's Deep CFR",
)  # fmt: skip
PEER_WALKS = 375  # of each player in an iteration
Run = Iterator[tuple[int, int]]  # iterations and nodes touched, after each iteration
Measures = Mapping[str, Callable[[], float]]  # by contender: how exploitable it is by now, in chips


@dataclass(frozen=True)
class Point:
    """How far a contender has come, in seconds of CPU time without measuring."""

    contender: str
    iterations: int
    nodes: int
    seconds: float
    exploitability_mbb: float


def deep_cfr(game: str, seconds: float, seed: int, out: Path | None, progress: Stages) -> Report:
    """Every contender for this many seconds of one core."""
    if game not in GAMES:
        raise ValueError(f"Deep CFR is compared on {', '.join(GAMES)}, got {game!r}")
    place, rules, notes = folder(out, NAME), GAMES[game](), list[str]()
    points, stopped = list[Point](), ""
    try:
        for run, measures in _contenders(game, rules, seed, notes):
            told = partial(progress, f"{game}, {next(iter(measures))}", unit="s")
            points += _race(run, measures, seconds, rules.big_blind, told)
    except KeyboardInterrupt:
        if not points:
            raise
        stopped = f"{len({point.contender for point in points})} contenders are done"
    csv = place / f"{NAME}-{game}.csv"
    write_csv(csv, list(Point.__dataclass_fields__), [list(asdict(point).values()) for point in points])
    files = {"csv": str(csv)} | _plot(place, game, points)
    figures = {
        "experiment": NAME, "game": game, "seed": seed, "limit_seconds": seconds,
        "points": [asdict(point) for point in points], "files": files,
    }  # fmt: skip
    title = f"{NAME}: exploitability on {game}, {seconds:g} s of one core each, seed {seed}"
    header = ("", *(f"to {target:g} mbb/g" for target in TARGETS), "at the end: nodes", "CPU s", "mbb/g")
    return Report(title, figures, header, _rows(points), [*_notes(), *notes], stopped)


def _race(run: Run, measures: Measures, limit: float, unit: int, told: Callable[[int, int], object]) -> list[Point]:
    """Iterations until the time is up, measured at the end and before it at most four times for each doubling, as long
    as measuring takes less time than the iterations themselves."""
    points, seconds, measuring, due = list[Point](), 0.0, 0.0, 1
    while seconds < limit:
        begun = time.process_time()
        done, nodes = next(run)
        seconds += time.process_time() - begun
        told(int(seconds), int(limit))
        if seconds >= limit or (done >= due and measuring <= seconds):
            begun, due = time.process_time(), next_check(done)
            points += [Point(name, done, nodes, seconds, 1000 * of() / unit) for name, of in measures.items()]
            measuring += time.process_time() - begun
    return points


# Who takes part


def _contenders(game: str, rules: PokerGame, seed: int, notes: list[str]) -> Iterator[tuple[Run, Measures]]:
    yield _networks(rules, seed, DEEP, "network")
    yield _networks(rules, seed, SINGLE, "single")
    yield _tables(rules, seed)
    yield _exact(rules)
    if game in THEIRS:
        try:
            yield _open_spiel(THEIRS[game], seed)
        except ImportError as error:
            notes.append(f"OpenSpiel's Deep CFR is left out: {error}.")
    else:
        notes.append(f"OpenSpiel's Deep CFR does not play {game}.")


def _networks(rules: PokerGame, seed: int, name: str, average: str) -> tuple[Run, Measures]:
    """Deep CFR with a network that learns the average, or with what all networks played (Steinberger 2019)."""
    walks = SmallGameWalks(rules, seed)
    learner, sets = DeepCfr(walks, replace(PRESETS["tuned"], average=average), seed), np.arange(walks.rows)

    def run() -> Run:
        while True:
            learner.advance(0)
            yield learner.iterations, learner.touched

    return run(), {name: lambda: walks.evaluate(learner.policy(sets, walks.open)).exploitability}


def _tables(rules: PokerGame, seed: int) -> tuple[Run, Measures]:
    """The same number of the same walks, linear weights, but advantages and averages in tables."""
    walks, each = SmallGameWalks(rules, seed), PRESETS["tuned"].walks
    advantages, sets = np.zeros(walks.open.shape), np.arange(walks.rows)
    played = Sums(*walks.open.shape)

    def play(seat: int, rows: NDArray[Any], is_open: Bools) -> Floats:
        if not advantages[rows].any():
            return Sums(*walks.open.shape).chances(rows, is_open)
        return matched(advantages[rows].astype(np.float32), is_open)

    def run() -> Run:
        iterations = nodes = 0
        while True:
            iterations += 1
            for seat in range(2):
                met = walks.walk(seat, each, play)
                np.add.at(advantages, met.rows, iterations * met.advantages)
                np.add.at(played.sums, met.other_rows, iterations * met.other_chances)
                nodes += met.touched
            yield iterations, nodes

    return run(), {TABLES: lambda: walks.evaluate(played.chances(sets, walks.open)).exploitability}


def _exact(rules: PokerGame) -> tuple[Run, Measures]:
    """Linear CFR over all deals: in an iteration each player's pass touches every node."""
    flat = flatten(rules)
    solver, judge, nodes = make_solver(flat, Settings("lcfr")), Evaluator(flat), len(flatten(rules, public=False).nodes)
    solver.warm_up()

    def run() -> Run:
        while True:
            solver.advance(solver.iterations + 1)
            yield solver.iterations, 2 * nodes * solver.iterations

    return run(), {EXACT: lambda: judge.evaluate(solver.average()).exploitability}


def _open_spiel(name: str, seed: int) -> tuple[Run, Measures]:
    """OpenSpiel's Deep CFR in PyTorch, with the settings of its own example.

    Its policy network is trained when it is measured, which its clock does not count.
    """
    spiel, module = import_module("pyspiel"), import_module("open_spiel.python.pytorch.deep_cfr")
    policies, judges = (import_module(f"open_spiel.python.{name}") for name in ("policy", "algorithms.exploitability"))
    game, touched = spiel.load_game(name), [0]

    class Counting(module.DeepCFRSolver):  # type: ignore[name-defined, misc]
        def _traverse_game_tree(self, state: Any, player: int) -> Any:
            touched[0] += 1
            return super()._traverse_game_tree(state, player)

    np.random.seed(seed)  # noqa: NPY002 (it draws its deals from there)
    solver = Counting(
        game, policy_network_layers=(64,), advantage_network_layers=(64,), num_iterations=1,
        num_traversals=PEER_WALKS, learning_rate=1e-3, batch_size_advantage=256, batch_size_strategy=256,
        memory_capacity=100_000, policy_network_train_steps=2500, advantage_network_train_steps=375, seed=seed,
    )  # fmt: skip

    def run() -> Run:
        while True:
            for player in range(2):
                for _ in range(PEER_WALKS):
                    solver._traverse_game_tree(solver._root_node, player)
                solver._reinitialize_advantage_network(player)
                solver._learn_advantage_network(player)
            solver._iteration += 1
            yield solver._iteration - 1, touched[0]

    def measure() -> float:
        solver._reinitialize_policy_network()
        solver._learn_strategy_network()
        table = policies.tabular_policy_from_callable(game, solver.action_probabilities)
        return float(judges.nash_conv(game, table)) / 2

    return run(), {PEER: measure}


# What is shown


def _rows(points: list[Point]) -> list[tuple[str, ...]]:
    rows = []
    for name in dict.fromkeys(point.contender for point in points):
        own = [point for point in points if point.contender == name]
        first = [next((point for point in own if point.exploitability_mbb <= target), None) for target in TARGETS]
        cells = [f"{at.nodes:,} ({at.seconds:.3g})" if at else "-" for at in first]
        last = own[-1]
        rows.append((name, *cells, f"{last.nodes:,}", f"{last.seconds:.0f}", f"{last.exploitability_mbb:.1f}"))
    return rows


def _notes() -> list[str]:
    return [
        "Each cell: nodes touched (and seconds of CPU time) at the first measured point at or below the "
        "exploitability; points lie four to a doubling of the iterations; a dash: not reached.",
        "Measuring is not counted, nor the training of the policy network of OpenSpiel's, which is done only then.",
    ]


def _plot(place: Path, game: str, points: list[Point]) -> dict[str, str]:
    files = {}
    for axis, label in (("nodes", "nodes touched"), ("seconds", "seconds of CPU time")):
        series = {
            name: [(getattr(point, axis), point.exploitability_mbb) for point in points if point.contender == name]
            for name in dict.fromkeys(point.contender for point in points)
        }
        path = place / f"{NAME}-{game}-{axis}.png"
        convergence_plot(path, series, f"Deep CFR on {game}", "exploitability, mbb/g", label)
        files[axis] = str(path)
    return files
