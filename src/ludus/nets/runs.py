"""Training the value network of a small game from nothing: situations, which are kept in a file, then the network."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ludus.files import load_arrays, save_arrays
from ludus.games.definition import first_difference, rules_besides_bets
from ludus.games.poker import PokerGame
from ludus.nets.examples import Examples
from ludus.nets.network import Shape
from ludus.nets.small_games import BLOCK, Stage, make_examples
from ludus.nets.training import Losses, Recipe, train
from ludus.parallel import HERE, Engine, Progress, Stages

KIND, FORMAT = "situations", 1
SAVED_AFTER = 20_000  # situations


class Interrupted(Exception):
    """Ctrl-C before there was a network; the text says what is kept."""


@dataclass(frozen=True)
class ValuesPlan:
    """A network to train: for which game, on how much, into which file."""

    game: PokerGame
    out: Path
    situations: int = 150_000
    width: int = 128
    layers: int = 5
    recipe: Recipe = field(default_factory=Recipe)

    def __post_init__(self) -> None:
        if self.situations < 10:
            raise ValueError(f"a network learns from at least 10 situations, got {self.situations}")

    @property
    def situations_file(self) -> Path:
        """Where the situations are kept, so that a network can be trained again or on more."""
        return self.out.with_name(self.out.name + ".situations")


def train_values(plan: ValuesPlan, progress: Stages, engine: Engine = HERE) -> dict[str, Any]:
    """Make what situations are missing, by an engine, train, save the network; what was done as plain data.

    Ctrl-C while situations are made keeps those that are ready, and the same plan goes on from there; while the network
    trains, it is saved as it was after the last whole epoch.
    """
    start = time.perf_counter()
    stage = Stage(plan.game)
    examples = _situations(plan, stage, progress, engine)
    made = time.perf_counter()
    shape = Shape(examples.values.shape[2], examples.public.shape[1], plan.width, plan.layers)

    def tell(losses: Losses) -> None:
        progress("training", losses.epoch, plan.recipe.epochs, "epochs")

    try:
        network, history = train(shape, examples, plan.recipe, rules_besides_bets(plan.game), stage.name, tell)
    except KeyboardInterrupt:
        raise Interrupted(f"{len(examples.values):,} situations are kept in {plan.situations_file}") from None
    network.save(plan.out)
    return {
        "game": plan.game.name, "situations": len(examples.values), "epochs": history[-1].epoch,
        "finished": history[-1].epoch == plan.recipe.epochs, "training_loss": history[-1].training,
        "validation_loss": history[-1].validation, "losses": [tuple(each) for each in history],
        "parameters": int(sum(array.size for array in network.arrays.values())),
        "seconds": {"situations": made - start, "training": time.perf_counter() - made},
        "files": {"network": str(plan.out), "situations": str(plan.situations_file)},
    }  # fmt: skip


def _situations(plan: ValuesPlan, stage: Stage, progress: Stages, engine: Engine) -> Examples:
    """The situations of the file, made where they are missing."""
    known = _load(plan, stage)
    while (have := 0 if known is None else len(known.values)) < plan.situations:
        more = min(SAVED_AFTER, -(-(plan.situations - have) // BLOCK) * BLOCK)
        try:
            made = make_examples(stage, more, plan.recipe.seed, have, _from(have, plan.situations, progress), engine)
        except KeyboardInterrupt:
            raise Interrupted(f"{have:,} situations are kept in {plan.situations_file}") from None
        known = made if known is None else Examples.joined([known, made])
        header = {
            "kind": KIND, "format": FORMAT, "game": rules_besides_bets(plan.game), "bets": str(plan.game.bets),
            "stage": stage.name, "seed": plan.recipe.seed,
        }  # fmt: skip
        save_arrays(plan.situations_file, header, known._asdict())
    assert known is not None
    return known.part(slice(0, plan.situations))


def _from(have: int, wanted: int, progress: Stages) -> Progress:
    """Blocks of situations as progress from those that there were."""
    return lambda done, _: progress("situations", have + done * BLOCK, wanted, "situations")


def _load(plan: ValuesPlan, stage: Stage) -> Examples | None:
    """What the file has; ValueError when it is of something else."""
    if not plan.situations_file.exists():
        return None
    header, arrays = load_arrays(plan.situations_file, KIND, FORMAT)
    wanted = {"bets": str(plan.game.bets), "stage": stage.name, "seed": plan.recipe.seed}
    other = next((name for name, value in wanted.items() if header.get(name) != value), None)
    if not isinstance(header.get("game"), dict):
        raise ValueError(f"{plan.situations_file} is damaged (it names no game): delete it")
    found = first_difference(header["game"], rules_besides_bets(plan.game))
    if other or found:
        why = found or f"the {other} is {header.get(other or '')} there and {wanted[other or '']} here"
        raise ValueError(f"{plan.situations_file} has situations of another run: {why}; delete it or write elsewhere")
    try:
        known = Examples(**{name: np.asarray(arrays[name], np.float64) for name in Examples._fields})
        count, hands = len(known.values), len(stage.deals.hands)
        shapes = [(count, stage.numbers), *((count, 2, hands),) * 3, (count, hands)]
        finite = all(np.isfinite(each).all() for each in known)
        if [each.shape for each in known] != shapes or count % BLOCK or not finite:
            raise ValueError("its arrays do not fit together")
    except (KeyError, ValueError) as error:
        raise ValueError(f"{plan.situations_file} is damaged ({error}): delete it") from None
    return known
