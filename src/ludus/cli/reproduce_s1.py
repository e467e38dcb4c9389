"""``ludus reproduce s1-models``: the models of source S1 for 2 to 10 players, their sizes and how long they save."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ludus.cli.reproduce_common import AsJson, Out, Seed, folder, new_table, show, stop_early, write_csv

if TYPE_CHECKING:
    from ludus.solvers.blueprint.training import Training

NAME = "s1-models"
BLOCK = 100_000  # hands between two looks at the keyboard
SOURCE_HANDS = 1_000_000_000


class Source(NamedTuple):
    """A row of table 2 of Aparicio Llanquipacha (USFX 2025), after 10^9 hands."""

    infosets: int
    save_ms: int


TABLE = {
    2: Source(95_990, 466), 3: Source(164_790, 755), 4: Source(214_913, 1019), 5: Source(255_207, 1251),
    6: Source(286_811, 1477), 7: Source(312_343, 1623), 8: Source(325_919, 1655), 9: Source(340_856, 1685),
    10: Source(406_184, 2138),
}  # fmt: skip


def s1_models(
    hands: Annotated[str, typer.Option(help="Hands of each model, such as 5M; the source has 1e9.")] = "5M",
    players: Annotated[str, typer.Option(help="Players of the models, such as 6 or 2-10.")] = "2-10",
    workers: Annotated[int | None, typer.Option(help="Cores.", min=1, max=256, show_default="all")] = None,
    seed: Seed = 1,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Train source S1's key by outcome sampling for 2 to 10 players (Aparicio 2025, table 2).

    Stopped with Ctrl-C it goes on from there when the same command is given again; more --hands go on too.
    """
    from ludus.cli.solving.train import open_training, train, whole_number
    from ludus.cli.views.train import training_bar
    from ludus.parallel import usable_cores
    from ludus.solvers.blueprint.training import Method

    wanted, tables = whole_number("--hands", hands), table_sizes(players)
    place, cores = folder(out, NAME), workers or usable_cores()
    rows: list[dict[str, Any]] = []
    stopped = False
    for count in tables:
        kept = place / f"s1-{count}p.training"
        training = open_training(kept, model(count), Method("outcome", seed, BLOCK))
        training.warm_up()
        with training_bar(training, wanted, f"{count} players") as progress:
            stopped = train(training, wanted, cores, kept, SOURCE_HANDS // 20, progress)
        if training.state.hands >= wanted:
            rows.append(_measured(training, place, kept))
        if stopped:
            break
    _report(rows, place, cores, seed, as_json)
    if stopped:
        stop_early(f"{len(rows)} of {len(tables)} models are done; the same command goes on from there")


def table_sizes(text: str) -> list[int]:
    """Numbers of players.

    >>> table_sizes("2-4"), table_sizes("6")
    ([2, 3, 4], [6])
    """
    first, dash, last = text.partition("-")
    try:
        low, high = int(first), int(last if dash else first)
    except ValueError:
        low, high = 0, 0
    if not 2 <= low <= high <= 10:
        raise ValueError(f"--players is a number from 2 to 10 or a range of them such as 2-10, got {text!r}")
    return list(range(low, high + 1))


def model(players: int) -> Any:
    """The abstract game of the source: its key, its bets and all-in, 100 big blinds."""
    from ludus.cli.solving.train import make_abstraction

    return make_abstraction(players, 100, "s1", None, None)


def _measured(training: Training, place: Path, kept: Path) -> dict[str, Any]:
    """What there is to say of a finished model; it is saved once more for that."""
    from ludus.solvers.blueprint.strategy import Blueprint

    begun = time.perf_counter()
    training.save(kept)
    seconds = time.perf_counter() - begun
    players = training.abstraction.game.players
    finished = place / f"s1-{players}p.safetensors"
    made, loss = Blueprint.of(training)
    made.save(finished)
    return {
        "players": players, "hands": training.state.hands, "infosets": training.seen(),
        "infosets_possible": training.layout.infosets, "source_infosets": TABLE[players].infosets,
        "save_ms": 1000 * seconds, "source_save_ms": TABLE[players].save_ms,
        "hands_per_second": training.state.hands / training.state.seconds, "regret_mbb": training.regret(),
        "memory_bytes": training.memory, "training_bytes": kept.stat().st_size,
        "blueprint_bytes": finished.stat().st_size, "quantisation_loss": loss.mean,
    }  # fmt: skip


def _report(rows: list[dict[str, Any]], place: Path, cores: int, seed: int, as_json: bool) -> None:
    path = place / f"{NAME}.csv"
    if rows:
        write_csv(path, list(rows[0]), [list(row.values()) for row in rows])
    table = new_table(["players", "hands/s", "met", "of", "S1 met", "save ms", "S1 ms", "saved MB", "final MB"])
    for row in rows:
        table.add_row(
            f"{row['players']}", f"{row['hands_per_second']:,.0f}", f"{row['infosets']:,}",
            f"{row['infosets_possible']:,}", f"{row['source_infosets']:,}", f"{row['save_ms']:.0f}",
            f"{row['source_save_ms']:,}", f"{row['training_bytes'] / 1e6:.1f}", f"{row['blueprint_bytes'] / 1e6:.2f}",
        )  # fmt: skip
    notes = [
        f"Outcome sampling on {cores} cores, {rows[0]['hands'] if rows else 0:,} hands a model, 100 big blinds, seed "
        f"{seed}. Met: information sets that came up, of the entries that the key has. Saved: all that is needed to go "
        "on.",
        "Source: G. Aparicio Llanquipacha, USFX 2025 (S1), table 2, after 10^9 hands a model. It met more than the key "
        "that it describes has, so its program must tell something more apart.",
    ]
    result = {"models": rows, "cores": cores, "seed": seed, "files": {"csv": str(path)} if rows else {}}
    show(result, "Models for 2 to 10 players, by source S1's key", table, notes, as_json)
