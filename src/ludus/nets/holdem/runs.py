"""Training the network of one stage of hold'em: situations, which are kept in files, then the network."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludus.files import load_arrays, save_arrays
from ludus.nets.holdem.labels import BLOCKS, NEEDED, Block, Drawn, Labelled, check_needed, draw_block, label
from ludus.nets.holdem.network import STAGES, HandNetwork, HandShape
from ludus.nets.holdem.played import ASKED
from ludus.nets.holdem.shipped import load_networks
from ludus.nets.holdem.training import HandRecipe, Judged, train_network
from ludus.nets.runs import Interrupted
from ludus.parallel import HERE, Engine, Stages, Work, ahead

KIND, FORMAT = "hold'em situations", 1
AHEAD = 8  # blocks that are drawn while others are solved


@dataclass(frozen=True)
class StagePlan:
    """A network to train: of which stage, on how much, into which folder, where the networks it learns from are."""

    stage: str
    folder: Path
    situations: int = 40_000
    iterations: int = 40
    play: float = 0.0  # the share of situations that have ranges from play
    shape: HandShape = field(default_factory=HandShape)
    recipe: HandRecipe = field(default_factory=HandRecipe)
    device: str = "cpu"
    go_on: bool = False  # from the network that is there

    def __post_init__(self) -> None:
        if self.stage not in STAGES:
            raise ValueError(f"stages are {', '.join(STAGES)}, got {self.stage!r}")
        if self.situations < 10 or self.iterations < 1:
            raise ValueError(
                f"a network learns from 10 situations or more, solved for 1 iteration or more, "
                f"got {self.situations} and {self.iterations}"
            )
        if not 0 <= self.play <= 1:
            raise ValueError(f"the share of situations from play is 0 to 1, got {self.play}")

    @property
    def file(self) -> Path:
        """The network's."""
        return self.folder / f"{self.stage}.safetensors"

    @property
    def situations_folder(self) -> Path:
        """Where situations are kept, a block a file."""
        return self.folder / f"{self.stage}.situations"

    @property
    def block(self) -> Block:
        """How many situations are solved together."""
        usual = BLOCKS[self.stage]
        count = min(usual.situations, self.situations)
        return Block(count, min(usual.boards, count))

    def header(self, networks: Mapping[str, HandNetwork]) -> dict[str, Any]:
        """What the situations of a run have in common, with the networks that had a hand in them."""
        asked = {NEEDED.get(self.stage), *(ASKED if self.play else ())} & set(networks)
        return {
            "kind": KIND, "format": FORMAT, "stage": self.stage, "seed": self.recipe.seed, "play": self.play,
            "iterations": self.iterations, "block": list(self.block),
            "networks": {stage: networks[stage].digest for stage in sorted(map(str, asked))},
        }  # fmt: skip


def train_stage(plan: StagePlan, progress: Stages, engine: Engine = HERE) -> dict[str, Any]:
    """Make what situations are missing, by an engine, train, save the network; what was done as plain data.

    Ctrl-C while situations are made keeps those that are ready, and the same plan goes on from there; while the network
    trains, it is saved as it was last judged.
    """
    start, networks = time.perf_counter(), load_networks(plan.folder)
    check_needed(plan.stage, networks)
    if plan.go_on and plan.stage not in networks:
        raise ValueError(f"there is no {plan.file} to go on from")
    if plan.go_on and plan.shape not in (networks[plan.stage].shape, HandShape()):
        raise ValueError("a network that goes on keeps its width and layers: leave them out")
    try:
        blocks = situations_of(plan, networks, progress, engine)
    except KeyboardInterrupt:
        raise Interrupted(f"situations are kept in {plan.situations_folder}") from None
    made = time.perf_counter()

    def tell(judged: Judged) -> None:
        progress("training", judged.step, plan.recipe.steps, "steps")

    first = networks.get(plan.stage) if plan.go_on else None
    try:
        network, history = train_network(plan.stage, plan.shape, blocks, plan.recipe, plan.device, first, tell)
    except KeyboardInterrupt:
        raise Interrupted(f"situations are kept in {plan.situations_folder}") from None
    network.origin.update(plan.header(networks))
    network.save(plan.file)
    last = history[-1]
    return {
        "stage": plan.stage, "situations": sum(len(each.stacks) for each in blocks), "play": plan.play,
        "steps": last.step, "finished": last.step == plan.recipe.steps, "training_loss": last.training,
        "validation_loss": last.huber, "validation_error": last.mean_error,
        "losses": [each._asdict() for each in history], "device": plan.device,
        "parameters": int(sum(array.size for array in network.arrays.values())),
        "seconds": {"situations": made - start, "training": time.perf_counter() - made},
        "files": {"network": str(plan.file), "situations": str(plan.situations_folder)},
    }  # fmt: skip


def situations_of(
    plan: StagePlan, networks: Mapping[str, HandNetwork], progress: Stages, engine: Engine = HERE
) -> list[Labelled]:
    """The situations of a plan in blocks, read or made; each is kept in a file as soon as it is there."""
    size = plan.block.situations
    wanted, blocks = -(-plan.situations // size), list[Labelled]()
    while len(blocks) < wanted and (file := _file(plan, len(blocks))).exists():
        blocks.append(_load(plan, networks, file))
    made = _made_here(plan, networks, len(blocks), wanted)
    if engine is not HERE:
        work = Work(
            "ludus.nets.holdem.runs:make_block", (plan, dict(networks)), seed=plan.recipe.seed,
            gpus=float(plan.device.startswith("cuda")),
        )  # fmt: skip
        made = engine.run(work, ((number,) for number in range(len(blocks), wanted)))
    progress("situations", len(blocks) * size, wanted * size, "situations")
    with closing(made):
        for block in made:
            save_arrays(_file(plan, len(blocks)), plan.header(networks), block._asdict())
            blocks.append(block)
            progress("situations", len(blocks) * size, wanted * size, "situations")
    return blocks


def make_block(plan: StagePlan, networks: Mapping[str, HandNetwork], number: int) -> Labelled:
    """A block of situations and what they are worth, with random numbers of its own."""
    return label(plan.stage, _draw(plan, networks, number), networks, plan.iterations, plan.device)


def _file(plan: StagePlan, number: int) -> Path:
    return plan.situations_folder / f"{number:05d}.safetensors"


def _draw(plan: StagePlan, networks: Mapping[str, HandNetwork], number: int) -> Drawn:
    seed = np.random.SeedSequence(plan.recipe.seed, spawn_key=(number,))
    return draw_block(plan.stage, plan.block, networks, plan.play, seed)


def _made_here(
    plan: StagePlan, networks: Mapping[str, HandNetwork], first: int, wanted: int
) -> Generator[Labelled, None, None]:
    """Blocks from the first on, as `make_block` makes them; a few are drawn ahead by threads."""
    pool = ThreadPoolExecutor(AHEAD)
    try:
        for drawn in ahead(pool, partial(_draw, plan, networks), range(first, wanted), AHEAD):
            yield label(plan.stage, drawn, networks, plan.iterations, plan.device)
    finally:
        pool.shutdown(cancel_futures=True)


def _load(plan: StagePlan, networks: Mapping[str, HandNetwork], file: Path) -> Labelled:
    """A block of situations; ValueError when it is damaged or of another run."""
    header, arrays = load_arrays(file, KIND, FORMAT)
    for name, value in plan.header(networks).items():
        if header.get(name) != value:
            raise ValueError(
                f"{file} has situations of another run: {name} is {header.get(name)} there and {value} here; "
                f"delete {plan.situations_folder} or write elsewhere"
            )
    try:
        found = Labelled(**arrays)
        count, wide = plan.block.situations, (plan.block.situations, 2, 1326)
        shapes = [(count, STAGES[plan.stage]), (count,), wide, wide, wide]
        if [each.shape for each in found] != shapes or not all(np.isfinite(each).all() for each in found):
            raise ValueError("its arrays do not fit together")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{file} is damaged ({error}): delete it") from None
    return found
