"""A training from its plan to its blueprint: sizes beforehand, saves on the way, going on from a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from ludus.files import Header, open_arrays
from ludus.games.definition import rebuild
from ludus.games.poker import PokerGame
from ludus.parallel import HERE, Engine
from ludus.solvers.blueprint import strategy as finished_files
from ludus.solvers.blueprint import training as training_files
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.blueprint.training import Method, Training
from ludus.solvers.running import Limits, Measuring, Saving, on_the_grid, run
from ludus.trees.blueprint import Abstraction

ENDING = ".training"
Progress = Callable[[Training], object]


@dataclass(frozen=True)
class TrainingPlan:
    """What to train, for how long, and where the blueprint goes; its training is kept beside it."""

    abstraction: Abstraction
    method: Method
    out: Path
    hands: int = 100_000_000  # in all, those of earlier runs included
    workers: int = 1
    save_every: int = 50_000_000  # hands
    delete_training: bool = False  # when it is done

    def __post_init__(self) -> None:
        if self.hands < 1 or self.save_every < 1:
            raise ValueError(f"hands and hands between saves are 1 or more, got {self.hands} and {self.save_every}")
        if self.training_file.resolve() == self.out.resolve():
            raise ValueError(f"the blueprint and its training ({self.training_file}) are different files")

    @property
    def training_file(self) -> Path:
        """Where the training is kept."""
        return self.out.with_suffix(ENDING)

    def sizes(self) -> dict[str, Any]:
        """How large the abstract game is, and what its training needs; ValueError where this machine has less."""
        found = sizes_of(self.abstraction, self.method)
        check_memory(found["memory_bytes"])
        return found

    def build_tables(self, progress: Callable[[int, int], object]) -> None:
        """Build the bucket tables where there are none yet, which would otherwise happen without a word."""
        if self.abstraction.buckets is not None:
            self.abstraction.buckets.tables(self.workers, progress)


def train_blueprint(plan: TrainingPlan, progress: Progress, engine: Engine = HERE) -> dict[str, Any]:
    """Train as planned, or go on with what is saved; the figures, and the blueprint in its file once it is finished.

    Ctrl-C ends it after a block, saved: then "finished" is False.
    """
    training = open_training(plan.training_file, plan.abstraction, plan.method)
    training.warm_up()
    train(training, plan.hands, plan.workers, plan.training_file, plan.save_every, progress, engine)
    state, settings = training.state, settings_for(plan.abstraction, plan.method)
    result: dict[str, Any] = {
        **settings, **sizes_of(plan.abstraction, plan.method), "workers": plan.workers, **state._asdict(),
        "hands_per_second": state.hands / state.seconds if state.seconds else 0.0, "engine": engine.figures(),
        "curve": [point._asdict() for point in training.curve], "finished": state.hands >= plan.hands, "files": {},
    }  # fmt: skip
    if result["finished"]:
        command = command_of(settings, state.hands, plan.workers)
        made, loss = Blueprint.of(training, workers=plan.workers, command=command, curve=training.curve)
        made.save(plan.out)
        result |= {"infosets_seen": made.training["infosets"], "regret_mbb": training.measure().regret}
        result |= {"quantisation": loss._asdict(), "bytes": plan.out.stat().st_size}
        result["files"]["blueprint"] = str(plan.out)
        if plan.delete_training:
            plan.training_file.unlink(missing_ok=True)
    if plan.training_file.exists():
        result["files"]["training"] = str(plan.training_file)
    return result


def open_training(path: Path, abstraction: Abstraction, method: Method) -> Training:
    """The training that is kept in a file, or a new one; ValueError where the file's is another."""
    if not path.exists():
        return Training(abstraction, method)
    header, _ = open_arrays(path, training_files.KIND, training_files.FORMAT)
    try:
        saved, wanted = settings_of(header), settings_for(abstraction, method)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is not a training of a blueprint ({error!r})") from None
    for name, value in wanted.items():
        if saved.get(name) != value:
            raise ValueError(
                f"cannot go on from {path}: {name} is {saved.get(name)} there and {value} here "
                "(another name keeps trainings apart)"
            )
    return Training.load(path)


class _Blocks:
    """A training as the run loop knows it: its iterations are hands, and a step is a block."""

    def __init__(self, training: Training, workers: int, engine: Engine) -> None:
        self.training, self.workers, self.engine = training, workers, engine

    @property
    def iterations(self) -> int:
        """Hands played."""
        return self.training.state.hands

    def warm_up(self) -> None:
        """Compile without playing."""
        self.training.warm_up()

    def advance(self, goal: int) -> None:
        """Play a block, whatever the goal."""
        del goal
        self.training.run_block(self.workers, self.engine)


def train(
    training: Training, hands: int, workers: int, kept: Path, every: int, progress: Progress, engine: Engine = HERE
) -> bool:
    """Train, and save on the way and at the end; whether Ctrl-C was heard, which ends it after a block."""
    measuring = Measuring(training.measure, attrgetter("regret"), on_the_grid)
    saving = Saving(partial(training.save, kept), every)
    ended = run(_Blocks(training, workers, engine), Limits(hands), measuring, saving, lambda _: progress(training))
    return ended.stopped_by == "interrupt"


# Sizes and settings


def sizes_of(abstraction: Abstraction, method: Method) -> dict[str, Any]:
    """How large an abstract game is, and what its training needs."""
    layout = abstraction.layout
    return {
        "nodes": layout.tree.nodes,
        "infosets": layout.infosets,
        "infosets_by_street": list(layout.by_street),
        "slots": layout.slots,
        "kinds_of_hands": list(abstraction.kinds),
        "memory_bytes": layout.training_bytes + (4 * layout.slots if method.baseline else 0),
        "blueprint_bytes": layout.slots,
    }


def check_memory(needed: int) -> None:
    """ValueError when the machine cannot hold this many bytes."""
    if hasattr(os, "sysconf"):
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if needed > there:
            raise ValueError(
                f"training takes {needed / 1e9:,.1f} GB and this machine has {there / 1e9:,.1f} GB: "
                "list fewer sizes, take fewer buckets or the bounded form"
            )


def settings_of(header: Header) -> dict[str, Any]:
    """The settings in the header of a training or a blueprint, each under a plain name."""
    abstraction = header["abstraction"]
    game = rebuild(abstraction["game"])
    if not isinstance(game, PokerGame):
        raise ValueError("this is no abstraction of poker")
    return {
        "players": game.players, "stack": max(game.stacks) / game.big_blind, "bets": str(game.bets),
        "form": abstraction["form"], "cards": abstraction["cards"], "buckets": abstraction["buckets"],
        **asdict(Method.from_header(header.get("method") or header["training"])),
    }  # fmt: skip


def settings_for(abstraction: Abstraction, method: Method) -> dict[str, Any]:
    """The settings of a training that is to be."""
    return settings_of({"abstraction": abstraction.to_json(), "method": asdict(method)})


def command_of(settings: dict[str, Any], hands: int, workers: int) -> str:
    """The command that trains with these settings, except for the name of the file."""
    words = ["ludus train blueprint OUT"]
    for name in ("players", "stack", "form", "cards", "sampling", "seed", "block"):
        value = settings[name]
        words.append(f"--{name} {value:g}" if isinstance(value, float) else f"--{name} {value}")
    words.append(f'--bets "{settings["bets"]}"')
    if settings["sampling"] == "outcome":
        words.append(f"--epsilon {settings['epsilon']:g} --baseline {settings['baseline']:g}")
    else:
        words.append(f"--prune {settings['pruned']:g} --threshold {settings['threshold']:g}")
    words.append(f"--algorithm {settings['algorithm']} --hands {hands} --workers {workers}")
    if settings["copies"]:
        words.append(f"--copies {settings['copies']}")
    return " ".join(words)


def header_of(path: Path) -> dict[str, Any]:
    """What a blueprint or a training says of itself; ValueError where a file is neither."""
    try:
        header, arrays = open_arrays(path, finished_files.KIND, finished_files.FORMAT)
    except ValueError as error:
        if training_files.KIND not in f"{error}":
            raise
        header, arrays = open_arrays(path, training_files.KIND, training_files.FORMAT)
    try:
        told = {"kind": header["kind"], **settings_of(header), **header.get("state", {}), **header.get("training", {})}
        told.pop("linear", None)  # what earlier versions wrote for their algorithm
        slots = max(len(array) for array in arrays.values())
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error!r}") from None
    return {**told, "slots": slots, "bytes": path.stat().st_size}
