"""The players of a match, made from their names: agents of ours, and programs of other people."""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path

from ludus import agents
from ludus.agents.base import Agent
from ludus.arena.plan import MatchPlan
from ludus.games.acpc import format_game
from ludus.protocols import programs


def make_player(spec: str, plan: MatchPlan) -> Agent:
    """A player of a match; ValueError when there is none of this name or it cannot play this game."""
    if spec.startswith("exec:") and plan.freezeout:
        raise ValueError("programs know the stacks from the game's definition: no freeze-outs with them")
    if plan.acpc and not spec.startswith("exec:"):
        agents.make(spec)  # a bad name is refused here and not in another process
        return _Spoken(spec, plan)
    return programs.make_player(spec, plan.game, plan.move_seconds)


class _Spoken(programs.Program):
    """An agent of ours in a process of its own."""

    def __init__(self, spec: str, plan: MatchPlan) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ludus-")
        definition = Path(self._folder.name) / f"{plan.game.name}.game"
        definition.write_text(format_game(plan.game))
        words = [sys.executable, "-m", "ludus", "acpc", "play", "--agent", spec, "--game", str(definition)]
        super().__init__(shlex.join([*words, "--seed", str(plan.seed)]), plan.game, plan.move_seconds)
