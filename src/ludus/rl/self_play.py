"""Training a learner by self-play on a small game: limits, checkpoints, and how exploitable it is, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludus.games.definition import define
from ludus.games.poker import PokerGame
from ludus.rl.learner import identity
from ludus.rl.nfsp import Nfsp, NfspSettings
from ludus.rl.policy import PolicyNetwork
from ludus.rl.small_games import INPUTS, SmallGameLanes
from ludus.solvers.best_response import Evaluation
from ludus.solvers.checkpoints import Checkpoint
from ludus.solvers.running import Check, Ended, Limits, Measuring, Saving, on_the_grid, run

SAVED_AFTER = 60.0  # seconds


@dataclass(frozen=True)
class SelfPlayPlan:
    """A learner to train: which game, how, until when, into which file."""

    game: PokerGame
    out: Path
    settings: NfspSettings
    limits: Limits
    seed: int = 1

    @property
    def training_file(self) -> Path:
        """Where the training is kept, so that it can go on."""
        return self.out.with_name(self.out.name + ".training")


def train_self_play(
    plan: SelfPlayPlan, progress: Callable[[Check[Evaluation]], object] | None = None
) -> dict[str, Any]:
    """Train, save the average policy; what was done as plain data. Stopped, the same plan goes on from there.

    The policy is evaluated exactly at four points for each doubling of the decisions, in big blinds / 1000.
    """
    lanes = SmallGameLanes(plan.game, plan.settings.lanes, np.random.default_rng(plan.seed))
    learner = Nfsp(lanes, plan.settings, plan.seed)
    sets = np.arange(len(lanes.open))

    def measure() -> Evaluation:
        return lanes.evaluate(learner.policy(sets, lanes.open))

    kept = Checkpoint(plan.training_file, {"game": define(plan.game), "run": identity(plan.settings, plan.seed)})
    kept.resume(learner, plan.limits.iterations)
    measure()  # compiled before the clock starts
    measuring = Measuring(measure, lambda found: found.exploitability, on_the_grid, sparing=True)
    saving = Saving(partial(kept.save, learner), seconds=SAVED_AFTER)
    ended = run(learner, plan.limits, measuring, saving, progress)
    return _result(plan, lanes, learner, ended, measure())


def _result(
    plan: SelfPlayPlan, lanes: SmallGameLanes, learner: Nfsp, ended: Ended[Evaluation], found: Evaluation
) -> dict[str, Any]:
    def in_mbb(each: Evaluation) -> float:
        return 1000 * each.exploitability / plan.game.big_blind

    curve = [(check.iterations, check.seconds, in_mbb(check.measured)) for check in ended.checks if check.measured]
    figures = {"decisions": learner.iterations, "games": learner.games, "exploitability_mbb": in_mbb(found)}
    origin = {"algorithm": "nfsp", "settings": identity(plan.settings, plan.seed), **figures}
    network = PolicyNetwork(
        learner.averaging.network.shape, learner.averaging.network.state(), define(plan.game), INPUTS, origin
    )
    network.save(plan.out)
    return {
        "game": plan.game.name, "seed": plan.seed, **figures, "seconds": ended.last.seconds,
        "values": list(found.value), "curve": curve, "stopped_by": ended.stopped_by,
        "resumed_from": ended.resumed_from, "weights": int(sum(each.size for each in network.arrays.values())),
        "settings": identity(plan.settings, plan.seed),
        "files": {"policy": str(plan.out), "training": str(plan.training_file)},
    }  # fmt: skip
