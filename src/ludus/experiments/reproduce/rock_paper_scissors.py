"""Regret matching on rock-paper-scissors (Joppi Filho and Wensing 2023, tables 1 to 3; Tuholukova 2020, 2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludus import games
from ludus.experiments.plots import new_figure, save_figure
from ludus.experiments.report import Report, folder
from ludus.experiments.sources import JOPPI_WENSING, JOPPI_WENSING_IN_FULL, TUHOLUKOVA_IN_FULL
from ludus.files import write_csv
from ludus.parallel import Stages
from ludus.solvers import Evaluator, Settings, Strategy
from ludus.solvers.passes import Floats
from ludus.solvers.running import follow, measuring_points
from ludus.solvers.solve import make_solver
from ludus.trees import FlatGame, flatten

ACTIONS = ("rock", "paper", "scissors")
SAMPLED, EXPECTED = "sampled regrets", "expected regrets"
Shares = tuple[float, float, float]
Point = tuple[int, Floats]  # iterations, shares [2 players, 3 actions]
Curve = list[Point]


@dataclass(frozen=True)
class Experiment:
    """One table: the game, what the theory says and what the source printed."""

    name: str
    game: str
    theory: Shares
    printed: dict[str, Shares]  # where -> per cent
    note: str
    opponent: Shares | None = None  # a strategy that the second player keeps
    source: str = f"{JOPPI_WENSING}: {JOPPI_WENSING_IN_FULL}, the printed digits normalised."


SELFPLAY = Experiment(
    "rps-selfplay", "rps", (1 / 3, 1 / 3, 1 / 3), {f"{JOPPI_WENSING}, table 1": (33.54, 33.21, 33.25)},
    "With expected regrets nothing moves: from the uniform start every regret is exactly 0, so the strategy is 1/3 at "
    "once and for ever. The sampled form is the like-for-like one.",
)  # fmt: skip
FIXED = Experiment(
    "rps-fixed", "rps", (1.0, 0.0, 0.0), {f"{JOPPI_WENSING}, table 2": (99.82, 0.01, 0.17)},
    "The source's opponent prefers scissors a little, by how much it does not say; here they play rock, paper and "
    "scissors with 30, 30 and 40 %.",
    opponent=(0.3, 0.3, 0.4),
)  # fmt: skip
DOUBLED = Experiment(
    "rps-doubled", "rps-doubled", (0.4, 0.4, 0.2), {f"{JOPPI_WENSING}, table 3": (39.89, 39.35, 20.75)},
    "Everything counts double as soon as anyone plays scissors.",
)  # fmt: skip
ROCK = Experiment(
    "rps-rock", "rps", (0.0, 1.0, 0.0), {},
    "The opponent plays rock, paper and scissors with 40, 30 and 30 %.",
    opponent=(0.4, 0.3, 0.3),
    source=f"Source: {TUHOLUKOVA_IN_FULL}, section 2.1, which has the program for 1,000,000 iterations and no figures.",
)  # fmt: skip


def rock_paper_scissors(
    what: Experiment, iterations: int, seed: int, repeats: int, out: Path | None, progress: Stages
) -> Report:
    """Learn with expected and with sampled regrets; ``repeats`` sampled runs, one for each seed, show the spread."""
    place = folder(out, what.name)
    flat = flatten(games.make(what.game))
    points = measuring_points(iterations)
    curves: dict[str, Curve] = {EXPECTED: [], SAMPLED: []}
    ends: list[Floats] = []
    stopped = False
    try:
        for at, (form, curve) in enumerate(curves.items(), 1):
            for each in _learn(flat, what, form, seed, points):
                curve.append(each)
            progress("regret matching", at, repeats + 1, "run")
        ends.append(curves[SAMPLED][-1][1])
        for at in range(1, repeats):
            ends.append(list(_learn(flat, what, SAMPLED, seed + at, [iterations]))[-1][1])
            progress("regret matching", at + 2, repeats + 1, "run")
    except KeyboardInterrupt:
        stopped = True
        if not curves[SAMPLED]:
            raise
    done = f"{curves[SAMPLED][-1][0]:,} sampled iterations, {len(ends)} of {repeats} repeats" if stopped else ""
    return _report(what, flat, iterations, seed, curves, ends or [curves[SAMPLED][-1][1]], place, done)


def _learn(flat: FlatGame, what: Experiment, form: str, seed: int, points: list[int]) -> Iterator[Point]:
    """The average strategies of both players at each point of a run."""
    fixed = {}
    if what.opponent:
        fixed[1] = Strategy.of(flat, flat.table((1 / 3, 1 / 3, 1 / 3, *what.opponent))).table(flat)
    settings = Settings("rm") if form == EXPECTED else Settings("external", seed, streams=1)
    solver = make_solver(flat, settings, fixed=fixed)
    for done, _ in follow(solver, points):
        yield done, solver.average()[flat.sets.by_action].reshape(2, 3)


def _report(
    what: Experiment, flat: FlatGame, iterations: int, seed: int, curves: dict[str, Curve], ends: list[Floats],
    place: Path, stopped: str,
) -> Report:  # fmt: skip
    evaluator = Evaluator(flat)

    def judge(shares: Any) -> float:
        """Exploitability of a profile, or against a fixed opponent what it wins."""
        found = evaluator.evaluate(flat.table(np.ravel(shares)))
        return found.value[0] if what.opponent else found.exploitability

    def profile(shares: Shares) -> Floats:
        """Both players' shares: the same, or the second player's fixed ones; printed digits need not sum to 1."""
        both: Floats = np.array([shares, what.opponent or shares])
        both /= both.sum(axis=1, keepdims=True)
        return both

    deviation = np.std([end[0] for end in ends], axis=0, ddof=1) if len(ends) > 1 else np.zeros(3)
    profiles = {
        "theory": profile(what.theory),
        **{where: profile(shares) for where, shares in what.printed.items()},
        f"ours, {SAMPLED}": curves[SAMPLED][-1][1],
        f"ours, {EXPECTED}": curves[EXPECTED][-1][1],
    }
    files = {"csv": place / f"{what.name}.csv", "plot": place / f"{what.name}.png"}
    write_csv(
        files["csv"],
        ("form", "iterations", "player", *ACTIONS),
        [
            (form, done, player, *map(float, shares[player]))
            for form, curve in curves.items()
            for done, shares in curve
            for player in range(1 if what.opponent else 2)
        ],
    )
    _plot(what, curves, files["plot"])
    measure = "wins_per_game" if what.opponent else "exploitability"
    result = {
        "experiment": what.name, "iterations": iterations, "seed": seed, "repeats": len(ends),
        "strategies": {
            name: dict(zip(ACTIONS, map(float, shares[0]), strict=True)) | {measure: judge(shares)}
            for name, shares in profiles.items()
        },
        "spread_over_seeds": dict(zip(ACTIONS, map(float, deviation), strict=True)),
        "note": what.note, "files": {name: str(path) for name, path in files.items()},
    }  # fmt: skip
    rows = []
    for name, shares in profiles.items():
        rows.append((name, *(f"{100 * share:.2f}" for share in shares[0]), f"{judge(shares):.5f}"))
        if SAMPLED in name and len(ends) > 1:
            rows.append((f"  s.d. over {len(ends)} seeds", *(f"{100 * each:.2f}" for each in deviation)))
    measured = (
        "Wins per game: what the strategy wins on average from that opponent; the best reply wins 0.1."
        if what.opponent
        else "Exploitability: NashConv / 2 when both play it."
    )
    notes = [
        what.note,
        "Sampled regrets: the opponent's action is drawn (external sampling, one stream); the sources draw both. "
        f"Expected regrets: regret matching with both players' strategies in full. {measured}",
        what.source,
    ]
    title = f"{what.name}: the first player's average strategy after {iterations:,} iterations, seed {seed}"
    header = ("", *(f"{action} %" for action in ACTIONS), measure.replace("_", " "))
    return Report(title, result, header, rows, notes, stopped)


def _plot(what: Experiment, curves: dict[str, Curve], path: Path) -> None:
    """The share of each action against iterations; the theory's shares as thin lines."""
    figure, axes = new_figure()
    for at, action in enumerate(ACTIONS):
        for form, curve in curves.items():
            style = {"linestyle": "-" if form == SAMPLED else "--", "linewidth": 1.6 if form == SAMPLED else 1.1}
            shares = [100 * shares[0][at] for _, shares in curve]
            axes.plot([done for done, _ in curve], shares, color=f"C{at}", label=f"{action}, {form}", **style)
        axes.axhline(100 * what.theory[at], color=f"C{at}", linewidth=0.6, alpha=0.6)
    axes.set_xscale("log")
    axes.set_xlabel("iterations")
    axes.set_ylabel("share in the average strategy, %")
    axes.set_title(f"{what.name}: regret matching (thin lines: theory)")
    axes.grid(True, which="major", alpha=0.35)
    axes.legend(fontsize="small")
    save_figure(figure, path)
