"""Training a learner by self-play: limits, checkpoints, and on a small game how exploitable it is, exactly."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludus.games.definition import define
from ludus.games.poker import PokerGame
from ludus.rl.deep_cfr import DeepCfr, DeepCfrSettings
from ludus.rl.holdem_walks import HoldemWalks
from ludus.rl.learner import identity
from ludus.rl.nfsp import Nfsp, NfspSettings
from ludus.rl.policy import PolicyNetwork
from ludus.rl.small_games import INPUTS, SmallGameLanes, SmallGameWalks
from ludus.solvers.best_response import Evaluation
from ludus.solvers.checkpoints import Checkpoint
from ludus.solvers.running import Check, Ended, Limits, Measuring, Saving, on_the_grid, run
from ludus.solvers.strategy import Origin, Strategy
from ludus.trees.blueprint import Abstraction

SAVED_AFTER = 60.0  # seconds


@dataclass(frozen=True)
class SelfPlayPlan:
    """A learner to train: which game, how, until when, into which file. The settings say which learner it is."""

    game: PokerGame
    out: Path
    settings: NfspSettings | DeepCfrSettings
    limits: Limits
    seed: int = 1
    device: str = "cpu"  # of Deep CFR's networks

    @property
    def algorithm(self) -> str:
        """The name of the learner."""
        return "nfsp" if isinstance(self.settings, NfspSettings) else "deep-cfr"

    @property
    def training_file(self) -> Path:
        """Where the training is kept, so that it can go on."""
        return self.out.with_name(self.out.name + ".training")


def self_player(plan: SelfPlayPlan) -> tuple[Nfsp | DeepCfr, SmallGameLanes]:
    """A learner that knows nothing, and its games."""
    if isinstance(plan.settings, NfspSettings):
        lanes = SmallGameLanes(plan.game, plan.settings.lanes, np.random.default_rng(plan.seed))
        return Nfsp(lanes, plan.settings, plan.seed), lanes
    walks = SmallGameWalks(plan.game, plan.seed)
    return DeepCfr(walks, plan.settings, plan.seed, plan.device), walks


def train_self_play(
    plan: SelfPlayPlan, progress: Callable[[Check[Evaluation]], object] | None = None
) -> dict[str, Any]:
    """Train, save the average policy; what was done as plain data. Stopped, the same plan goes on from there.

    The average policy is evaluated exactly at four points for each doubling of the iterations, in big blinds / 1000.
    """
    learner, lanes = self_player(plan)
    sets = np.arange(len(lanes.open))

    def measure() -> Evaluation:
        return lanes.evaluate(learner.policy(sets, lanes.open))

    kept = Checkpoint(plan.training_file, {"game": define(plan.game), "run": identity(plan.settings, plan.seed)})
    kept.resume(learner, plan.limits.iterations)
    measure()  # compiled before the clock starts
    begun = time.process_time()
    measuring = Measuring(measure, lambda found: found.exploitability, on_the_grid, sparing=True)
    saving = Saving(partial(kept.save, learner), seconds=SAVED_AFTER)
    ended = run(learner, plan.limits, measuring, saving, progress)
    cpu = time.process_time() - begun
    return _result(plan, learner, lanes, ended, measure()) | {"cpu_seconds": cpu}


def _result(
    plan: SelfPlayPlan, learner: Nfsp | DeepCfr, lanes: SmallGameLanes, ended: Ended[Evaluation], found: Evaluation
) -> dict[str, Any]:
    def in_mbb(each: Evaluation) -> float:
        return 1000 * each.exploitability / plan.game.big_blind

    curve = [(check.iterations, check.seconds, in_mbb(check.measured)) for check in ended.checks if check.measured]
    figures = learner.figures | {"exploitability_mbb": in_mbb(found)}
    weights = _save(plan, learner, lanes, figures)
    return {
        "algorithm": plan.algorithm, "game": plan.game.name, "seed": plan.seed, **figures,
        "seconds": ended.last.seconds, "values": list(found.value), "curve": curve, "stopped_by": ended.stopped_by,
        "resumed_from": ended.resumed_from, "weights": weights,
        "settings": identity(plan.settings, plan.seed),
        "files": {"policy": str(plan.out), "training": str(plan.training_file)},
    }  # fmt: skip


def _save(plan: SelfPlayPlan, learner: Nfsp | DeepCfr, lanes: SmallGameLanes, figures: dict[str, float]) -> int | None:
    """Write the average policy: a network, or where none has learnt it a strategy. How many weights a network has."""
    settings = identity(plan.settings, plan.seed)
    if learner.averaging is None:
        table = lanes.table(learner.policy(np.arange(len(lanes.open)), lanes.open))
        Strategy.of(lanes.flat, table, Origin(plan.algorithm, settings, plan.seed, learner.iterations)).save(plan.out)
        return None
    shape, arrays = learner.averaging.network.shape, learner.averaging.network.state()
    origin = {"algorithm": plan.algorithm, "settings": settings, **figures}
    PolicyNetwork(shape, arrays, define(plan.game), INPUTS, origin).save(plan.out)
    return learner.averaging.network.size


# Hold'em, which nobody measures exactly


@dataclass(frozen=True)
class HoldemPlan:
    """Deep CFR to train on an abstract game of heads-up hold'em; its average strategy becomes a blueprint."""

    abstraction: Abstraction
    out: Path
    settings: DeepCfrSettings
    limits: Limits
    seed: int = 1
    device: str = "cpu"

    @property
    def training_file(self) -> Path:
        """Where the training is kept, so that it can go on."""
        return self.out.with_name(self.out.name + ".training")


def train_holdem(plan: HoldemPlan, progress: Callable[[Check[Any]], object] | None = None) -> dict[str, Any]:
    """Train, write the strategy down as a blueprint; what was done as plain data. The same plan goes on from there."""
    if not plan.settings.batch:
        raise ValueError("a memory of hold'em is learnt from in batches: give a batch above 0")
    learner = DeepCfr(HoldemWalks(plan.abstraction, plan.seed), plan.settings, plan.seed, plan.device)
    rules = {"abstraction": plan.abstraction.to_json(), "run": identity(plan.settings, plan.seed)}
    kept = Checkpoint(plan.training_file, rules)
    kept.resume(learner, plan.limits.iterations)
    begun, saving = time.process_time(), Saving(partial(kept.save, learner), seconds=SAVED_AFTER)
    ended: Ended[Any] = run(learner, plan.limits, None, saving, progress)
    made = {"algorithm": "deep-cfr", "settings": identity(plan.settings, plan.seed), **learner.figures}
    assert isinstance(learner.walks, HoldemWalks)
    learner.walks.blueprint(learner.policy, made).save(plan.out)
    return {
        "algorithm": "deep-cfr", "game": plan.abstraction.game.name, "bets": str(plan.abstraction.game.bets),
        "cards": plan.abstraction.cards, "seed": plan.seed, **learner.figures, "seconds": ended.last.seconds,
        "cpu_seconds": time.process_time() - begun, "information_sets": plan.abstraction.layout.infosets,
        "device": plan.device, "weights": learner.averaging and learner.averaging.network.size,
        "stopped_by": ended.stopped_by, "resumed_from": ended.resumed_from,
        "settings": identity(plan.settings, plan.seed),
        "files": {"policy": str(plan.out), "training": str(plan.training_file)},
    }  # fmt: skip
