"""``ludus reproduce blueprint-curve``: more training beats less, and buckets with memory beat S1's key."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.reproduce_common import AsJson, Out, Seed, folder, new_table, show, write_csv

if TYPE_CHECKING:
    from ludus.solvers.blueprint.strategy import Blueprint
    from ludus.solvers.blueprint.training import State, Training

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
    players: Annotated[int, typer.Option(help="Seats of the table.", min=2, max=10)] = 2,
    seconds: Annotated[float, typer.Option(help="Training time of each abstraction.", min=0.1, max=1e6)] = 60.0,
    points: Annotated[int, typer.Option(help="Points of the curve, each of twice the time.", min=2, max=20)] = 6,
    cards: Annotated[str, typer.Option(help="The name or file of buckets.")] = "200",
    bets: Annotated[str, typer.Option(help="As in `ludus train blueprint`.")] = "default",
    deals: Annotated[int, typer.Option(help="Deals of each duel, played from every seat.", min=2)] = 200_000,
    workers: Annotated[int | None, typer.Option(help="Cores.", min=1, max=256, show_default="all")] = None,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Train a blueprint by the clock and let its last state play its earlier ones, and S1's key of the same time.

    One of the last state sits among copies of the other; every deal is played from each seat. Time decides how many
    hands are trained, so figures differ from run to run.
    """
    from ludus.arena.interval import student_95
    from ludus.cli.progress import progress_bar
    from ludus.cli.train import make_abstraction
    from ludus.parallel import usable_cores
    from ludus.solvers.blueprint.duel import duel
    from ludus.solvers.blueprint.training import Method, Training
    from ludus.trees.blueprint import CATEGORY_CLASSES, Abstraction

    place, cores = folder(out, NAME), workers or usable_cores()
    abstraction = make_abstraction(players, 100.0, None, cards, bets)
    key = Abstraction(abstraction.game, "s1", CATEGORY_CLASSES)
    times = [seconds / 2 ** (points - 1 - at) for at in range(points)]
    with progress_bar("card tables") as progress:
        tables = abstraction.buckets.tables(cores, progress) if abstraction.buckets else None
    with progress_bar("training") as progress:
        training = Training(abstraction, Method("external", seed, BLOCKS["external"]), tables)
        snapshots = _snapshots(training, times, cores, lambda done: progress(int(done), int(2 * seconds)))
        other = Training(key, Method("outcome", seed, BLOCKS["outcome"]))
        rival = _snapshots(other, times[-1:], cores, lambda done: progress(int(seconds + done), int(2 * seconds)))[0]
    last = snapshots[-1][0]
    opponents = [(f"after {time:g} s", *snapshot) for time, snapshot in zip(times, snapshots, strict=True)][:-1]
    rows = []
    unit = 1000 / abstraction.game.big_blind
    with progress_bar("duels") as progress:
        for at, (name, blueprint, state) in enumerate([*opponents, ("S1's key, outcome sampling", *rival)]):
            found = duel(last, blueprint, deals, seed, cores)
            half = student_95(deals - 1) * unit * found.error
            seen = int(blueprint.training["infosets"])
            rows.append(Row(name, state.hands, state.seconds, seen, unit * found.mean, half, deals))
            progress(at + 1, len(opponents) + 1)
    _report(rows, snapshots[-1], {"players": players, "cores": cores, "seed": seed}, place, as_json)


def _snapshots(training: Training, times: list[float], workers: int, progress: Any) -> list[tuple[Blueprint, State]]:
    """Blueprints of a training after so many seconds."""
    from ludus.solvers.blueprint.strategy import Blueprint

    training.warm_up()
    found = []
    for until in times:
        while training.state.seconds < until:
            training.run_block(workers)
            progress(min(training.state.seconds, times[-1]))
        found.append((Blueprint.of(training, workers=workers)[0], training.state))
    return found


def _report(
    rows: list[Row], last: tuple[Blueprint, State], settings: dict[str, int], place: Path, as_json: bool
) -> None:
    from ludus.arena.interval import caution

    blueprint, state = last
    files = {"csv": place / f"{NAME}.csv", "plot": place / f"{NAME}.png"}
    write_csv(files["csv"], list(Row.__dataclass_fields__), [list(asdict(row).values()) for row in rows])
    _plot(files["plot"], rows[:-1], state.hands)
    table = new_table(("opponent", "hands trained", "seconds", "info sets", "mbb/g", "+-"))
    for row in rows:
        table.add_row(
            row.opponent, f"{row.hands:,}", f"{row.seconds:.1f}", f"{row.infosets:,}", f"{row.mbb_per_game:+.1f}",
            f"{row.ci95:.1f}",
        )  # fmt: skip
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
    show(result, title, table, notes, as_json)


def _plot(path: Path, rows: list[Row], hands: int) -> None:
    from ludus.cli.plots import new_figure, save_figure

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
