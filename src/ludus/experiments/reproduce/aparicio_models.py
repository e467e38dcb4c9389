"""The models of Aparicio (2025) for 2 to 10 players: sizes, times of saving (table 2), style, strength.

The source names three of its bet sizes. How many there are follows from the number of information sets that it met:
fewer than ten beside all-in cannot have as many (`most_infosets`), and more would have more of them met. `READINGS` are
trained beside the models of `BETS` to show that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ludus.arena.match import play_match
from ludus.arena.plan import MatchPlan
from ludus.arena.statistics import KINDS, Statistics
from ludus.experiments.report import Report, Stopped, Table, folder, plus_minus
from ludus.experiments.sources import APARICIO, APARICIO_IN_FULL
from ludus.files import write_csv
from ludus.parallel import Stages, open_engine
from ludus.solvers.blueprint.presets import LAST_ACTION, make_abstraction
from ludus.solvers.blueprint.runs import open_training
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.blueprint.training import Method, Training
from ludus.solvers.running import interrupts, next_check

NAME = "aparicio-models"
BLOCK = 500_000  # hands between two looks at the keyboard and the clock
SOURCE_HANDS = 1_000_000_000
BETS = "25%,33%,50%,66%,75%,100%,125%,150%,200%,300%,allin"
READINGS = {
    3: "33%,75%,200%,allin", 9: "25%,33%,50%,66%,75%,100%,150%,200%,300%,allin", 10: BETS,
    11: "20%," + BETS, 12: "20%,25%,33%,40%" + BETS.removeprefix("25%,33%"),
}  # fmt: skip
"""Bets by the number of sizes beside all-in; the source names the three of the first."""
KINDS_OF_HANDS = (169, 1217, 1508, 1508)  # by street: a class and what it can make there
HEADS_UP_MODEL, HEADS_UP_OPPONENT = 6, "blueprint"  # the source's model for six players met Slumbot over 10,000 hands


class Source(NamedTuple):
    """A row of table 2 of Aparicio Llanquipacha (USFX 2025), after 10^9 hands."""

    infosets: int
    save_ms: int


TABLE = {
    2: Source(95_990, 466), 3: Source(164_790, 755), 4: Source(214_913, 1019), 5: Source(255_207, 1251),
    6: Source(286_811, 1477), 7: Source(312_343, 1623), 8: Source(325_919, 1655), 9: Source(340_856, 1685),
    10: Source(406_184, 2138),
}  # fmt: skip


def most_infosets(players: int, sizes: int) -> int:
    """How many information sets of the key can come up: hands that cards can make, and last actions that can be faced.

    Everybody may face any raise and, among three or more, a call; before the flop all but the big blind may be the
    first to act. After it all but the last may be first, and all but the first may face a check. Heads-up one player is
    always first, and the other faces a check, before the flop a call.
    """
    faced = players * (sizes + 2)  # raises, all-in, and a call or whatever heads-up players face instead
    before, after = (faced, faced) if players == 2 else (faced + players - 1, faced + 2 * (players - 1))
    return before * KINDS_OF_HANDS[0] + after * sum(KINDS_OF_HANDS[1:])


class Model(NamedTuple):
    """A training, where it is kept, and how many sizes its bets have beside all-in."""

    training: Training
    kept: Path
    sizes: int

    @property
    def players(self) -> int:
        """At its table."""
        return self.training.abstraction.game.players


def aparicio_models(
    hands: int, seconds: float | None, players: Sequence[int], match_hands: int, workers: int, seed: int,
    out: Path | None, progress: Stages,
) -> Report:  # fmt: skip
    """Train the source's key by outcome sampling for each number of players, 100 big blinds; all for equally long.

    Each model is trained by one thread at a time, so that the number of workers changes no figure; ``seconds``, which
    end the training early, do. Stopped with Ctrl-C it goes on from there when it is run again; more hands go on too.
    """
    place = folder(out, NAME)
    wanted = [(count, 10) for count in players] + [(2, sizes) for sizes in READINGS if 2 in players and sizes != 10]
    models = [_open(place, count, sizes, seed) for count, sizes in wanted]
    complete = train_side_by_side(models, hands, seconds, workers, partial(progress, "training", unit="hands"))
    rows = [_measured(model) for model in models]
    result: dict[str, Any] = {
        "models": rows[: len(players)], "readings": rows[len(players) :], "bets": BETS, "cores": workers, "seed": seed,
        "heads_up": None,
    }  # fmt: skip
    stopped = f"stopped after {min(row['hands'] for row in rows):,} hands a model; the same command goes on from there"
    if complete and match_hands:
        for row in result["models"]:
            row["style"] = _style(place, row, match_hands, workers, seed, progress)
            if row["players"] == HEADS_UP_MODEL:
                result["heads_up"] = _heads_up(place, row, match_hands, workers, seed, progress)
    return _report(result, place, "" if complete else stopped)


def _open(place: Path, players: int, sizes: int, seed: int) -> Model:
    name = f"aparicio-{players}p" + ("" if sizes == 10 else f"-{sizes}")
    abstraction = make_abstraction(players, form=LAST_ACTION, bets=READINGS[sizes])
    kept = place / f"{name}.training"
    return Model(open_training(kept, abstraction, Method("outcome", seed, BLOCK)), kept, sizes)


def train_side_by_side(
    models: Sequence[Model], hands: int, seconds: float | None, workers: int, progress: Callable[[int, int], object]
) -> bool:
    """Train all models for the same number of hands, the least trained first; False when Ctrl-C was heard.

    Every model is saved on the way, as often as the source's. When the time is up, those that lag behind catch up.
    """
    models[0].training.warm_up()
    begun, every, goal = time.perf_counter(), SOURCE_HANDS // 20, hands
    running: dict[Future[Any], Model] = {}

    def played(model: Model) -> int:
        return model.training.state.hands

    with interrupts() as interrupted, ThreadPoolExecutor(workers) as pool:
        while True:
            if seconds is not None and time.perf_counter() - begun > seconds:
                goal = min(goal, max(played(model) + BLOCK * (model in running.values()) for model in models))
            idle = [model for model in models if played(model) < goal and model not in running.values()]
            idle.sort(key=lambda model: (played(model), -model.players))
            for model in idle[: 0 if interrupted() else workers - len(running)]:
                running[pool.submit(model.training.run_block)] = model
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                model, state = running.pop(future), future.result()
                if state.hands >= next_check(max((point.hands for point in model.training.curve), default=0)):
                    model.training.measure()
                if state.hands // every > (state.hands - BLOCK) // every:
                    model.training.save(model.kept)
            progress(sum(map(played, models)), hands * len(models))
    return all(played(model) >= goal for model in models)


def _measured(model: Model) -> dict[str, Any]:
    """What there is to say about a model, which is saved now."""
    training, players = model.training, model.players
    training.measure()
    begun = time.perf_counter()
    training.save(model.kept)
    seconds = time.perf_counter() - begun
    finished = model.kept.with_suffix(".safetensors")
    made, loss = Blueprint.of(training)
    made.save(finished)
    return {
        "players": players, "sizes": model.sizes, "hands": training.state.hands, "infosets": training.seen(),
        "infosets_possible": most_infosets(players, model.sizes), "source_infosets": TABLE[players].infosets,
        "save_ms": 1000 * seconds, "source_save_ms": TABLE[players].save_ms,
        "hands_per_second": training.state.hands / max(training.state.seconds, 1e-9), "regret_mbb": training.regret(),
        "memory_bytes": training.memory, "training_bytes": model.kept.stat().st_size,
        "blueprint_bytes": finished.stat().st_size, "quantisation_loss": loss.mean,
        "curve": [(point.hands, point.infosets) for point in training.curve],
    }  # fmt: skip


def _played(plan: MatchPlan, out: Path, workers: int, progress: Callable[[int, int], object]) -> Statistics:
    result = play_match(plan, out, open_engine(workers), progress=progress)
    if not result.complete:
        raise Stopped(f"the same command goes on from {out}")
    return Statistics((result.log,))


def _style(
    place: Path, row: dict[str, Any], hands: int, workers: int, seed: int, progress: Stages
) -> dict[str, float | None]:
    """How a model plays among copies of itself: shares of hands, and bets and raises for each call."""
    players = row["players"]
    table = make_abstraction(players, form=LAST_ACTION).table
    plan = MatchPlan(table, (_agent(place, players),) * players, hands, seed=seed)
    told = partial(progress, f"style, {players} players", unit="hands")
    style = _played(plan, place / f"style-{players}p-{row['hands']}-{hands}", workers, told).style
    done = dict(zip(KINDS, style.actions.sum(axis=(0, 1)).tolist(), strict=True))
    return {
        "style_hands": hands, "vpip": float(style.paid.sum()) / (players * hands),
        "pfr": float(style.raised.sum()) / (players * hands),
        "aggression": (done["raise"] + done["all-in"]) / done["call"] if done["call"] else None,
    }  # fmt: skip


def _heads_up(
    place: Path, row: dict[str, Any], hands: int, workers: int, seed: int, progress: Stages
) -> dict[str, Any]:
    """The model for six players against our blueprint, every deal played twice."""
    names = (_agent(place, row["players"]), HEADS_UP_OPPONENT)
    plan = MatchPlan(make_abstraction(2, form=LAST_ACTION).table, names, hands, duplicate=True, seed=seed)
    told = partial(progress, "heads-up", unit="deals")
    found = _played(plan, place / f"heads-up-{row['hands']}-{hands}", workers, told)
    return {"model": HEADS_UP_MODEL, "opponent": HEADS_UP_OPPONENT, **found.figures(0)}


def _agent(place: Path, players: int) -> str:
    return f"blueprint:{place / f'aparicio-{players}p.safetensors'}"


def _report(result: dict[str, Any], place: Path, stopped: str) -> Report:
    path = place / f"{NAME}.csv"
    rows: list[dict[str, Any]] = result["models"]
    flat = [{k: v for k, v in row.items() if k not in ("curve", "style")} | row.get("style", {}) for row in rows]
    write_csv(path, list(flat[0]), [list(row.values()) for row in flat])
    result["files"] = {"csv": str(path)}
    header = ("players", "hands/s", "met", "at most", "theirs met", "save ms", "theirs ms", "saved MB", "final MB")
    texts = [
        (
            f"{row['players']}", f"{row['hands_per_second']:,.0f}", f"{row['infosets']:,}",
            f"{row['infosets_possible']:,}", f"{row['source_infosets']:,}", f"{row['save_ms']:.0f}",
            f"{row['source_save_ms']:,}", f"{row['training_bytes'] / 1e6:.1f}", f"{row['blueprint_bytes'] / 1e6:.2f}",
        )
        for row in rows
    ]  # fmt: skip
    hands, total = rows[0]["hands"], sum(row["infosets"] for row in rows)
    notes = [
        f"Outcome sampling, {hands:,} hands a model, 100 big blinds, seed {result['seed']}, {result['cores']} workers; "
        f"bets {BETS}. Met: information sets that came up, {total:,} in all (theirs 2,403,013); at most: that can come "
        "up. Saved: all that is needed to go on.",
        f"Theirs: {APARICIO_IN_FULL}, table 2, after 10^9 hands a model. It names three of its sizes; ten beside "
        "all-in are the fewest that hold its counts for two and for three players.",
    ]
    if found := result["heads_up"]:
        ratio = _ratio(found["aggression"]) or "-"
        notes.append(
            f"Heads-up its key's model for {found['model']} players wins {plus_minus(found['mbb_per_game'])} mbb/g "
            f"against our {found['opponent']} over {found['hands']:,} hands, every deal twice; with VPIP "
            f"{100 * found['vpip']:.1f} %, PFR {100 * found['pfr']:.1f} %, aggression {ratio}. The "
            'source reports a gain without an interval against Slumbot, by a style that it calls "aggressive".'
        )
    tables = [_readings(rows, result["readings"]), _styles(rows)]
    more = [table for table in tables if table.rows]
    return Report(f"{NAME}: models by the key of {APARICIO}", result, header, texts, notes, stopped, more)


def _readings(rows: list[dict[str, Any]], others: list[dict[str, Any]]) -> Table:
    heads_up = [row for row in rows if row["players"] == 2]
    texts = [
        (
            f"{row['sizes']}", f"{row['infosets']:,}", f"{row['infosets_possible']:,}", f"{TABLE[2].infosets:,}",
            f"{most_infosets(3, row['sizes']):,}", f"{TABLE[3].infosets:,}",
        )
        for row in sorted(heads_up + others, key=lambda row: int(row["sizes"]))
    ]  # fmt: skip
    return Table(
        "Two players, by the number of sizes beside all-in",
        ("sizes", "met", "at most", "theirs met", "at most of three", "theirs of three"),
        texts,
    )


def _ratio(found: float | None) -> str:
    """A number in words; of somebody who never calls it is not known."""
    return "" if found is None else f"{found:.2f}"


def _styles(rows: list[dict[str, Any]]) -> Table:
    texts = [
        (
            f"{row['players']}", f"{100 * row['style']['vpip']:.1f}", f"{100 * row['style']['pfr']:.1f}",
            _ratio(row["style"]["aggression"]),
        )
        for row in rows
        if "style" in row
    ]  # fmt: skip
    return Table("Style among copies of oneself", ("players", "VPIP %", "PFR %", "bets and raises a call"), texts)
