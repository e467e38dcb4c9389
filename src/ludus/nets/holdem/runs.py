"""Training the network of one stage of hold'em: situations, which are kept in files, and the network."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from ludus.nets.holdem.checkpoints import Checkpoint, Judged
from ludus.nets.holdem.labels import BLOCKS, NEEDED, Block, Labelled, check_needed
from ludus.nets.holdem.network import STAGES, HandNetwork, HandShape
from ludus.nets.holdem.played import ASKED
from ludus.nets.holdem.shards import FORMAT, KIND, Shards
from ludus.nets.holdem.shipped import load_networks
from ludus.nets.holdem.stream import Schedule, Stream
from ludus.nets.holdem.training import HandRecipe, Memory, train_network
from ludus.nets.runs import Interrupted
from ludus.parallel import HERE, Engine, Stages


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
    solve_on: str = ""  # the device for situations where it is another one
    stream: bool = False  # learn from situations while they are made
    window: int = 0  # situations in memory while they stream, 0 for all
    together: int = 0  # situations that are solved together and kept in a file, 0 for the usual number

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
        if self.window and not self.stream:
            raise ValueError("a window is for situations that are learnt from as they come: give --stream too")
        if self.stream and not self.schedule.learnt:
            raise ValueError(
                f"{self.situations} situations are too few to learn from them as they come: they are made in blocks of "
                f"{self.block.situations}, and one at least is held to judge by"
            )

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
        count = min(self.together or usual.situations, self.situations)
        return Block(count, min(usual.boards, count))

    @property
    def room(self) -> Block:
        """What a block may take of a memory: situations from play may each have a board of their own."""
        return self.block._replace(boards=self.block.situations) if self.play else self.block

    @property
    def blocks(self) -> int:
        """How many of them there are."""
        return -(-self.situations // self.block.situations)

    @property
    def schedule(self) -> Schedule:
        """When a training that streams reads what."""
        return Schedule.of(self.blocks, self.recipe.held, self.recipe.steps, -(-self.window // self.block.situations))

    @property
    def solver(self) -> str:
        """The device for situations."""
        return self.solve_on or self.device

    def header(self, networks: Mapping[str, HandNetwork]) -> dict[str, Any]:
        """What the situations of a run have in common, with the networks that had a hand in them."""
        asked = {NEEDED.get(self.stage), *(ASKED if self.play else ())} & set(networks)
        return {
            "kind": KIND, "format": FORMAT, "stage": self.stage, "seed": self.recipe.seed, "play": self.play,
            "iterations": self.iterations, "block": list(self.block),
            "networks": {stage: networks[stage].digest for stage in sorted(map(str, asked))},
        }  # fmt: skip

    def training_header(self, networks: Mapping[str, HandNetwork]) -> dict[str, Any]:
        """What a training that goes on has in common with the one that was stopped."""
        return self.header(networks) | {
            "situations": self.situations, "shape": asdict(self.shape), "recipe": asdict(self.recipe),
            "go_on": self.go_on, "stream": self.stream, "window": self.window,
        }  # fmt: skip


def train_stage(plan: StagePlan, progress: Stages, engine: Engine = HERE) -> dict[str, Any]:
    """Make what situations are missing, by an engine, train, save the network; what was done as plain data.

    With ``stream`` the network learns while situations are made. Ctrl-C keeps the situations that are ready and the
    training as it was last judged, and the same plan goes on from there with the same result.
    """
    networks = load_networks(plan.folder)
    check_needed(plan.stage, networks)
    if plan.go_on and plan.stage not in networks:
        raise ValueError(f"there is no {plan.file} to go on from")
    if plan.go_on and plan.shape not in (networks[plan.stage].shape, HandShape()):
        raise ValueError("a network that goes on keeps its width and layers: leave them out")
    run = _Run(plan, networks, progress, engine)
    try:
        network, history = run.streamed() if plan.stream else run.one_after_the_other()
    except KeyboardInterrupt:
        raise Interrupted(f"situations are kept in {plan.situations_folder}") from None
    last, count = history[-1], plan.blocks * plan.block.situations
    finished = last.step == plan.recipe.steps
    network.origin.update(plan.header(networks) | {"situations": count, "stream": plan.stream})
    if finished or plan.stage not in plan.header(networks)["networks"]:  # which situations may still be made with
        network.save(plan.file)
    if finished:
        run.checkpoint.delete()
    return {
        "stage": plan.stage, "situations": count, "play": plan.play, "steps": last.step, "finished": finished,
        "training_loss": last.training, "validation_loss": last.huber, "validation_error": last.mean_error,
        "losses": [each._asdict() for each in history], "device": plan.device, "stream": plan.stream,
        "parameters": int(sum(array.size for array in network.arrays.values())), "seconds": run.seconds,
        "files": {"network": str(plan.file), "situations": str(plan.situations_folder)},
    }  # fmt: skip


def situations_of(
    plan: StagePlan, networks: Mapping[str, HandNetwork], progress: Stages, engine: Engine = HERE
) -> list[Labelled]:
    """The situations of a plan in blocks, made where they are missing; each is in a file as soon as it is there."""
    shards, size = Shards(plan, networks, range(plan.blocks), engine), plan.block.situations
    progress("situations", shards.made * size, plan.blocks * size, "situations")
    with closing(shards.make()) as making:
        for _ in making:
            progress("situations", shards.made * size, plan.blocks * size, "situations")
    return [shards.load(number) for number in range(plan.blocks)]


class _Run:
    """Situations and training of a plan, and how long they took."""

    def __init__(self, plan: StagePlan, networks: Mapping[str, HandNetwork], progress: Stages, engine: Engine) -> None:
        self.plan, self.networks, self.progress, self.engine = plan, networks, progress, engine
        self.checkpoint = Checkpoint(plan.file.with_suffix(".training"), plan.training_header(networks))
        self.device, self.begun = torch.device(plan.device), time.perf_counter()
        self.seconds = {"situations": 0.0, "training": 0.0}
        self.step, self.figure = 0, ""

    def one_after_the_other(self) -> tuple[HandNetwork, list[Judged]]:
        """All situations, then the network."""
        blocks = situations_of(self.plan, self.networks, self.progress, self.engine)
        self.seconds["situations"] = time.perf_counter() - self.begun
        return self._train(Memory(blocks, self.device))

    def streamed(self) -> tuple[HandNetwork, list[Judged]]:
        """Both at once: this thread takes in situations that an engine makes, and another one learns from them.

        Without an engine this thread makes situations when they are asked for.
        """
        plan = self.plan
        shards = Shards(plan, self.networks, plan.schedule.order, self.engine, self._came)
        self._came(shards)
        if self.engine is HERE:
            with closing(shards):
                return self._train(Stream(shards, plan.schedule, plan.room, self.device))
        with ThreadPoolExecutor(1) as pool, closing(shards.make()) as making:
            training = pool.submit(lambda: self._train(Stream(shards, plan.schedule, plan.room, self.device)))
            try:
                for _ in making:
                    if training.done():
                        break
                return training.result()
            except KeyboardInterrupt:
                shards.stop()
                return training.result()
            finally:
                shards.stop()

    def _came(self, shards: Shards) -> None:
        """Tell how many situations there are."""
        size = self.plan.block.situations
        self.seconds["situations"] = time.perf_counter() - self.begun
        self.figure = f"{shards.made * size:,} of {self.plan.blocks * size:,} situations"
        self._tell()

    def _train(self, memory: Memory) -> tuple[HandNetwork, list[Judged]]:
        first, begun = self.networks.get(self.plan.stage) if self.plan.go_on else None, time.perf_counter()
        try:
            return train_network(
                self.plan.stage, self.plan.shape, memory, self.plan.recipe, first, self._judged, self.checkpoint
            )
        finally:
            self.seconds["training"] = time.perf_counter() - begun

    def _judged(self, judged: Judged) -> None:
        self.step = judged.step
        self._tell()

    def _tell(self) -> None:
        self.progress("training", self.step, self.plan.recipe.steps, "steps", self.figure)
