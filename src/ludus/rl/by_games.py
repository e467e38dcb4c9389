"""Training a learner for a number of games that its lanes record as they end, kept in a file on the way."""

from __future__ import annotations

from collections.abc import Callable, Sized
from functools import partial
from typing import Protocol

import numpy as np

from ludus.files import Arrays
from ludus.rl.lanes import Lanes
from ludus.rl.nfsp import Nfsp
from ludus.solvers.checkpoints import Checkpoint
from ludus.solvers.running import Check, Limits, Saving, run

SAVED_AFTER = 60.0  # seconds


class RecordingLanes(Lanes, Protocol):
    """Lanes that say how games ended; they save that, too."""

    @property
    def ends(self) -> Sized:
        """One entry a game."""


class ByGames:
    """A learner whose iterations are games that ended."""

    def __init__(self, learner: Nfsp, lanes: RecordingLanes) -> None:
        self.learner, self.lanes, self.iterations = learner, lanes, len(lanes.ends)

    def warm_up(self) -> None:
        """Nothing to compile."""

    def advance(self, goal: int) -> None:
        """One decision in every lane."""
        self.learner.advance(goal)
        self.iterations = len(self.lanes.ends)

    def state(self) -> Arrays:
        """Everything needed to go on later."""
        return self.learner.state() | {"decisions": np.array([self.learner.iterations])}

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""
        self.learner.restore(int(arrays["decisions"][0]), arrays)
        self.iterations = iterations


def train_by_games(
    learner: Nfsp, lanes: RecordingLanes, games: int, kept: Checkpoint, progress: Callable[[int, int], object]
) -> bool:
    """Go on from what is kept until so many games have ended; False if Ctrl-C came first, which loses nothing."""
    training = ByGames(learner, lanes)
    kept.resume(training, None)

    def told(check: Check[None]) -> None:
        progress(min(check.iterations, games), games)

    saving = Saving(partial(kept.save, training), seconds=SAVED_AFTER)
    return run(training, Limits(games), None, saving, told).stopped_by != "interrupt" or training.iterations >= games
