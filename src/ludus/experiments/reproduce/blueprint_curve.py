"""More training beats less, and buckets with memory beat the key of Aparicio (2025)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from ludus.arena.interval import caution, student_95
from ludus.experiments.plots import new_figure, save_figure
from ludus.experiments.report import Report, folder
from ludus.experiments.sources import APARICIO
from ludus.files import write_csv
from ludus.parallel import Stages
from ludus.solvers.blueprint.duel import duel
from ludus.solvers.blueprint.presets import LAST_ACTION
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.blueprint.training import Method, State, Training
from ludus.trees.blueprint import CATEGORY_CLASSES, Abstraction

NAME = "blueprint-curve"
BLOCKS = {"external": 20_000, "outcome": 200_000}  # small ones, because training is stopped by the clock


@dataclass(frozen=True)
class Row:
    """The most trained blueprint among copies of another."""

    opponent: str
    hands: int  # that the other was trained on
    seconds: float
    infosets: int
    mbb_per_game: float  # what the most trained one wins
    ci95: float  # half the width of the interval
    deals: int


def blueprint_curve(
    abstraction: Abstraction, seconds: float, points: int, deals: int, workers: int, seed: int, out: Path | None,
    progress: Stages,
) -> Report:  # fmt: skip
    """Train a blueprint by the clock; its last state plays its earlier ones, and Aparicio's key of the same time.

    Each of the points has twice the time of the one before. One of the last state sits among copies of the other; every
    deal is played from each seat. Time decides how many hands are trained, so figures differ from run to run.
    """
    place = folder(out, NAME)
    key = Abstraction(abstraction.game, LAST_ACTION, CATEGORY_CLASSES)
    times = [seconds / 2 ** (points - 1 - at) for at in range(points)]
    told = partial(progress, "card tables")
    tables = abstraction.buckets.tables(workers, told) if abstraction.buckets else None

    def trained(done: float) -> None:
        progress("training", int(done), int(2 * seconds))

    training = Training(abstraction, Method("external", seed, BLOCKS["external"]), tables)
    snapshots = _snapshots(training, times, workers, trained)
    other = Training(key, Method("outcome", seed, BLOCKS["outcome"]))
    rival = _snapshots(other, times[-1:], workers, lambda done: trained(seconds + done))[0]
    last = snapshots[-1][0]
    opponents = [(f"after {time:g} s", *snapshot) for time, snapshot in zip(times, snapshots, strict=True)][:-1]
    rows = []
    unit = 1000 / abstraction.game.big_blind
    for at, (name, blueprint, state) in enumerate([*opponents, (f"key of {APARICIO}, outcome sampling", *rival)]):
        found = duel(last, blueprint, deals, seed, workers)
        half = student_95(deals - 1) * unit * found.error
        seen = int(blueprint.training["infosets"])
        rows.append(Row(name, state.hands, state.seconds, seen, unit * found.mean, half, deals))
        progress("duels", at + 1, len(opponents) + 1)
    settings = {"players": abstraction.game.players, "cores": workers, "seed": seed}
    return _report(rows, snapshots[-1], settings, place)


def _snapshots(
    training: Training, times: list[float], workers: int, progress: Callable[[float], object]
) -> list[tuple[Blueprint, State]]:
    """Blueprints of a training after so many seconds."""
    training.warm_up()
    found = []
    for until in times:
        while training.state.seconds < until:
            training.run_block(workers)
            progress(min(training.state.seconds, times[-1]))
        found.append((Blueprint.of(training, workers=workers)[0], training.state))
    return found


def _report(rows: list[Row], last: tuple[Blueprint, State], settings: dict[str, int], place: Path) -> Report:
    blueprint, state = last
    files = {"csv": place / f"{NAME}.csv", "plot": place / f"{NAME}.png"}
    write_csv(files["csv"], list(Row.__dataclass_fields__), [list(asdict(row).values()) for row in rows])
    _plot(files["plot"], rows[:-1], state.hands)
    header = ("opponent", "hands trained", "seconds", "info sets", "mbb/g", "+-")
    texts = [
        (
            row.opponent, f"{row.hands:,}", f"{row.seconds:.1f}", f"{row.infosets:,}", f"{row.mbb_per_game:+.1f}",
            f"{row.ci95:.1f}",
        )
        for row in rows
    ]  # fmt: skip
    result = {
        "experiment": NAME, **settings, "hands": state.hands, "seconds": state.seconds,
        "abstraction": blueprint.abstraction.to_json(), "rows": [asdict(row) for row in rows],
        "files": {kind: str(path) for kind, path in files.items()},
    }  # fmt: skip
    title = f"{NAME}: {settings['players']} players, {state.hands:,} hands in {state.seconds:.1f} s"
    notes = [
        "mbb/g: what one blueprint of the last state wins among copies of the opponent, in thousandths of a big blind "
        "a hand, +- half of a 95 % interval over deals; every deal is played from each seat."
    ]
    notes += [words] if (words := caution(rows[0].deals, "deals")) else []
    return Report(title, result, header, texts, notes)


def _plot(path: Path, rows: list[Row], hands: int) -> None:
    figure, axes = new_figure()
    axes.errorbar(
        [row.hands for row in rows] + [hands], [-row.mbb_per_game for row in rows] + [0.0],
        yerr=[row.ci95 for row in rows] + [0.0], marker="o", capsize=3,
    )  # fmt: skip
    axes.set_xscale("log")
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.set_xlabel("hands trained")
    axes.set_ylabel("mbb/g against the most trained, 95 % interval")
    axes.set_title("More training beats less")
    save_figure(figure, path)
