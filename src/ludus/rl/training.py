"""Training a learner on a small game, against a fixed opponent or by self-play, exactly measured on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludus.games.definition import define
from ludus.games.poker import PokerGame
from ludus.rl.a3c import A3c, A3cSettings
from ludus.rl.actor_critic import ActorCritic, ActorCriticSettings
from ludus.rl.dqn import Dqn, DqnSettings
from ludus.rl.fixed_opponents import FixedOpponentLanes, Worth
from ludus.rl.learner import Learner, identity
from ludus.rl.q_learning import QLearning, QLearningSettings
from ludus.rl.reinforce import Reinforce, ReinforceSettings
from ludus.rl.small_games import SmallGameLanes
from ludus.solvers.best_response import Evaluation
from ludus.solvers.checkpoints import Checkpoint
from ludus.solvers.running import Check, Ended, Limits, Measuring, Saving, on_the_grid, run
from ludus.solvers.strategy import Origin, Strategy

LEARNERS: dict[str, tuple[Callable[..., Learner], Callable[..., Any]]] = {  # by name: the learner and its settings
    "q-learning": (QLearning, QLearningSettings),
    "dqn": (Dqn, DqnSettings),
    "reinforce": (Reinforce, ReinforceSettings),
    "actor-critic": (ActorCritic, ActorCriticSettings),
    "a3c": (A3c, A3cSettings),
}
SAVED_AFTER = 60.0  # seconds


def usual_settings(algorithm: str) -> Any:
    """The settings of a learner, as they come."""
    if algorithm not in LEARNERS:
        raise ValueError(f"learners are {', '.join(LEARNERS)}, got {algorithm!r}")
    return LEARNERS[algorithm][1]()


@dataclass(frozen=True)
class Measured:
    """How good a policy is: what it earns against the opponent, or in self-play how exploitable it is."""

    exact: Worth | Evaluation

    @property
    def exploitability(self) -> float:
        """What is still to win, in chips: against a fixed opponent by a best response, else by a perfect opponent."""
        if isinstance(self.exact, Worth):
            return self.exact.best_response_value - self.exact.value
        return self.exact.exploitability

    def figure(self, game: PokerGame) -> float:
        """A point of the curve: the value in chips against a fixed opponent, else the exploitability in mbb/g."""
        return self.exact.value if isinstance(self.exact, Worth) else 1000 * self.exact.exploitability / game.big_blind


@dataclass(frozen=True)
class LearnerPlan:
    """A learner to train: which one, on which game, against whom, until when, into which file."""

    algorithm: str
    game: PokerGame
    limits: Limits
    opponent: Strategy | None  # None: self-play
    settings: Any
    seed: int = 1
    out: Path | None = None  # the policy, as a strategy's file

    @property
    def training_file(self) -> Path | None:
        """Where the training is kept, so that it can go on."""
        return self.out and self.out.with_name(self.out.name + ".training")

    def learner(self) -> Learner:
        """A learner that knows nothing, with its games."""
        return LEARNERS[self.algorithm][0](self.lanes(), self.settings, self.seed)

    def lanes(self) -> SmallGameLanes:
        """The games that it plays."""
        rng = np.random.default_rng(self.seed)
        if self.opponent is None:
            return SmallGameLanes(self.game, self.settings.lanes, rng)
        return FixedOpponentLanes(self.game, self.opponent, self.settings.lanes, rng)


def train_learner(plan: LearnerPlan, progress: Callable[[Check[Measured]], object] | None = None) -> dict[str, Any]:
    """Train, save the policy if there is a file for it; what was done as plain data.

    The policy is evaluated exactly at four points for each doubling of the decisions.
    """
    learner = plan.learner()
    lanes = learner.lanes
    assert isinstance(lanes, SmallGameLanes)

    def chances() -> Any:
        return learner.policy(np.arange(len(lanes.open)), lanes.open)

    def measure() -> Measured:
        return Measured(lanes.worth(chances()) if isinstance(lanes, FixedOpponentLanes) else lanes.evaluate(chances()))

    saving = None
    if plan.training_file is not None:
        rules = {"algorithm": plan.algorithm, **identity(plan.settings, plan.seed)}
        rules |= {"against": None if plan.opponent is None else plan.opponent.origin.algorithm}
        kept = Checkpoint(plan.training_file, {"game": define(plan.game), "run": rules})
        kept.resume(learner, plan.limits.iterations)
        saving = Saving(partial(kept.save, learner), seconds=SAVED_AFTER)
    measure()  # compiled before the clock starts
    measuring = Measuring(measure, lambda found: found.exploitability, on_the_grid, sparing=True)
    ended = run(learner, plan.limits, measuring, saving, progress)
    if plan.out is not None:
        origin = Origin(plan.algorithm, identity(plan.settings, plan.seed), plan.seed, learner.iterations)
        Strategy.of(lanes.flat, lanes.table(chances()), origin).save(plan.out)
    return _result(plan, learner, ended, measure())


def _result(plan: LearnerPlan, learner: Learner, ended: Ended[Measured], found: Measured) -> dict[str, Any]:
    exact = found.exact
    if isinstance(exact, Worth):
        assert plan.opponent is not None
        figures: dict[str, Any] = {
            "against": plan.opponent.origin.algorithm, "value": exact.value,
            "best_response_value": exact.best_response_value, "values": exact.seats,
            "best_response_values": exact.best_seats,
        }  # fmt: skip
    else:
        figures = {"exploitability_mbb": found.figure(plan.game), "values": exact.value}
    if isinstance(learner, Reinforce):
        beginner = plan.learner()
        assert isinstance(beginner, Reinforce)
        figures["gradient_variance"] = beginner.gradient_variance()
    curve = [(each.iterations, each.seconds, each.measured.figure(plan.game)) for each in ended.checks if each.measured]
    return {
        "algorithm": plan.algorithm, "game": plan.game.name, "seed": plan.seed, **figures,
        "decisions": learner.iterations, "games": learner.games, "seconds": ended.last.seconds, "curve": curve,
        "stopped_by": ended.stopped_by, "resumed_from": ended.resumed_from,
        "settings": identity(plan.settings, plan.seed),
        "files": {} if plan.out is None else {"policy": str(plan.out), "training": str(plan.training_file)},
    }  # fmt: skip
