"""The players of a match, made from their names: our agents, and other people's programs."""

from __future__ import annotations

import multiprocessing
import shlex
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np

from ludus import agents
from ludus.agents.base import Agent
from ludus.agents.strategy import StrategyAgent
from ludus.arena.plan import MatchPlan
from ludus.games.acpc import format_game
from ludus.protocols import programs


def make_player(spec: str, plan: MatchPlan) -> Agent:
    """A player of a match; ValueError when there is none with this name or it cannot play this game."""
    if spec.startswith("exec:") and plan.freezeout:
        raise ValueError("programs know the stacks from the game's definition: no freeze-outs with them")
    if spec == "human":
        raise ValueError("a person plays in `ludus match`, `ludus play` and `ludus acpc play`, and nowhere else")
    if spec.startswith("exec:"):
        return programs.Program(spec.removeprefix("exec:"), plan.game, plan.move_seconds)
    agent = agents.make(spec, plan.game)
    if plan.freezeout and isinstance(agent, StrategyAgent):
        raise ValueError("a strategy is for the stacks it was solved with: no freeze-outs with them")
    return _Spoken(spec, plan) if plan.acpc else agent


class _Spoken(programs.Program):
    """One of our agents in its own process. Its random numbers depend on its worker and on where it starts."""

    def __init__(self, spec: str, plan: MatchPlan) -> None:
        self.spec, self.plan = spec, plan
        self.definition = format_game(plan.game)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        super().__init__(shlex.join([sys.executable, "-m", "ludus"]), plan.game, plan.move_seconds)

    def start(self) -> None:
        """Start it with a file that says which game it plays."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="ludus-")
        file = Path(self._folder.name) / f"{self.plan.game.name}.game"
        file.write_text(self.definition)
        worker = multiprocessing.current_process()._identity
        entropy = (self.plan.seed, zlib.crc32(self.spec.encode()), *worker, self.hand)
        seed = int(np.random.SeedSequence(entropy).generate_state(1)[0])
        words = ["acpc", "play", "--agent", self.spec, "--game", str(file), "--seed", str(seed)]
        self.words = [sys.executable, "-m", "ludus", *words]
        super().start()

    def close(self) -> None:
        """End it and forget its file."""
        super().close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
