"""The models of Aparicio (2025) for 2 to 10 players: their sizes, and how long they take to save (table 2)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludus.experiments.report import Report, folder
from ludus.experiments.sources import APARICIO, APARICIO_IN_FULL
from ludus.files import write_csv
from ludus.parallel import Stages
from ludus.solvers.blueprint.presets import LAST_ACTION, make_abstraction
from ludus.solvers.blueprint.runs import open_training, train
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.blueprint.training import Method, Training

NAME = "aparicio-models"
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


def aparicio_models(
    hands: int, players: Sequence[int], workers: int, seed: int, out: Path | None, progress: Stages
) -> Report:
    """Train the source's key, its bets and all-in, 100 big blinds, by outcome sampling for each number of players.

    Stopped with Ctrl-C it goes on from there when it is run again; more hands go on too.
    """
    place = folder(out, NAME)
    rows: list[dict[str, Any]] = []
    stopped = False
    for count in players:
        kept = place / f"aparicio-{count}p.training"
        training = open_training(kept, make_abstraction(count, form=LAST_ACTION), Method("outcome", seed, BLOCK))
        training.warm_up()

        def told(training: Training) -> None:
            progress(f"{training.abstraction.game.players} players", training.state.hands, hands, "hands")

        stopped = train(training, hands, workers, kept, SOURCE_HANDS // 20, told)
        if training.state.hands >= hands:
            rows.append(_measured(training, place, kept))
        if stopped:
            break
    done = f"{len(rows)} of {len(players)} models are done; the same command goes on from there"
    return _report(rows, place, workers, seed, done if stopped else "")


def _measured(training: Training, place: Path, kept: Path) -> dict[str, Any]:
    """What there is to say about a finished model; it is saved once more for that."""
    begun = time.perf_counter()
    training.save(kept)
    seconds = time.perf_counter() - begun
    players = training.abstraction.game.players
    finished = place / f"aparicio-{players}p.safetensors"
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


def _report(rows: list[dict[str, Any]], place: Path, cores: int, seed: int, stopped: str) -> Report:
    path = place / f"{NAME}.csv"
    if rows:
        write_csv(path, list(rows[0]), [list(row.values()) for row in rows])
    header = ["players", "hands/s", "met", "of", "theirs met", "save ms", "theirs ms", "saved MB", "final MB"]
    texts = [
        (
            f"{row['players']}", f"{row['hands_per_second']:,.0f}", f"{row['infosets']:,}",
            f"{row['infosets_possible']:,}", f"{row['source_infosets']:,}", f"{row['save_ms']:.0f}",
            f"{row['source_save_ms']:,}", f"{row['training_bytes'] / 1e6:.1f}", f"{row['blueprint_bytes'] / 1e6:.2f}",
        )
        for row in rows
    ]  # fmt: skip
    notes = [
        f"Outcome sampling on {cores} cores, {rows[0]['hands'] if rows else 0:,} hands a model, 100 big blinds, seed "
        f"{seed}. Met: information sets that came up, of the entries that the key has. Saved: all that is needed to go "
        "on.",
        f"Theirs: {APARICIO_IN_FULL}, table 2, after 10^9 hands a model. It met more than the key "
        "that it describes has, so its program must tell something more apart.",
    ]
    result = {"models": rows, "cores": cores, "seed": seed, "files": {"csv": str(path)} if rows else {}}
    return Report(f"{NAME}: models by the key of {APARICIO}", result, header, texts, notes, stopped)
