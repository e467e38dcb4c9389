"""Actor-critic with one-step errors (Sutton & Barto 2018, section 13.5; Konda & Tsitsiklis 2000), many games at a time.

A critic learns V(s), the expected return of a decision's seat under the policy of now. The actor learns from the
critic's error: r + V(s') - V(s) says how much better an action turned out than was expected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ludus.files import Arrays
from ludus.nets.training import one_thread
from ludus.rl.lanes import Bools, Experience, Floats
from ludus.rl.learner import Learner, Trained, check_settings, chosen, log_chances, outputs
from ludus.rl.policy import Shape, draw_rows
from ludus.rl.small_games import SmallGameLanes


@dataclass(frozen=True)
class ActorCriticSettings:
    """How actor and critic learn."""

    convolutions: tuple[int, ...] = ()
    dense: tuple[int, ...] = (64,)
    rate: float = 1e-3  # of the actor
    critic_rate: float = 3e-3
    entropy: float = 0.02  # what a mixed policy is worth more than a pure one, in units of rewards
    lanes: int = 256

    def __post_init__(self) -> None:
        check_settings(self, {"rate": 0, "critic_rate": 0, "lanes": 0}, ("entropy",))


class ActorCritic(Learner):
    """A policy network and a network of values."""

    def __init__(self, lanes: SmallGameLanes, settings: ActorCriticSettings, seed: int) -> None:
        super().__init__(lanes)
        self.settings, self.experience, self._open = settings, Experience(lanes), lanes.open
        generator = torch.Generator().manual_seed(seed)
        self.actor, self.critic = (
            Trained(Shape(lanes.inputs, size, settings.convolutions, (), settings.dense), rate, generator)
            for size, rate in ((lanes.actions, settings.rate), (1, settings.critic_rate))
        )
        self.parts |= {"experience": self.experience, "actor": self.actor, "critic": self.critic}

    def advance(self, goal: int) -> None:
        """One decision in every lane; one step on the transitions that it completes."""
        del goal
        with one_thread():
            look = self.lanes.look()
            moved = self.experience.before(look)
            actions = draw_rows(self.policy(look.rows, look.open), self.rng.random(self.lanes.count))
            rewards, over = self.lanes.step(actions)
            ended = self.experience.after(look, actions, rewards, over)
            self.count(over)
            self._learn({name: np.concatenate([moved[name], ended[name]]) for name in moved})

    def policy(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] The chances of the actor."""
        with torch.no_grad():
            found: Floats = log_chances(self.actor.network, self.lanes, rows, open_actions).exp().numpy()
        return found

    def _learn(self, rows: Arrays) -> None:
        if not len(rows["row"]):
            return
        with torch.no_grad():
            later = outputs(self.critic.network, self.lanes, rows["next"])[:, 0]
            wanted = torch.from_numpy(rows["reward"].astype(np.float32))
            wanted += later.masked_fill(torch.from_numpy(rows["over"]), 0.0)
        values = outputs(self.critic.network, self.lanes, rows["row"])[:, 0]
        logs = log_chances(self.actor.network, self.lanes, rows["row"], self._open[rows["row"]])
        better = wanted - values.detach()
        entropy = -(logs.exp() * logs).sum(dim=1)
        self.actor.descend(-(chosen(logs, rows["action"]) * better + self.settings.entropy * entropy).mean())
        self.critic.descend(((values - wanted) ** 2).mean())
