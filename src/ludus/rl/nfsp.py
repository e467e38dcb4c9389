"""Neural fictitious self-play (Heinrich & Silver 2016, arXiv:1603.01121; Pricope 2020, section 3.2, algorithm 2).

A learner plays a mixture of two strategies: with probability eta an epsilon-greedy best response by a Q-network, else
its own average strategy by a policy network. All transitions go to a circular memory, from which Q is learnt with a
target network; what was played as a best response goes to a reservoir, of which the policy network learns the
frequencies. In self-play one learner plays all seats: what it is shown says which one. Against a fixed opponent the
opponent is part of the environment. With eta = 1 this is (Double) DQN.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ludus.files import Arrays
from ludus.nets.training import one_thread
from ludus.rl.lanes import Bools, Experience, Floats, Ints, Lanes, Look
from ludus.rl.learner import Learner, Trained, chosen, greedy, log_chances, outputs, worth_of
from ludus.rl.memories import Circular, Reservoir
from ludus.rl.policy import Shape, draw_rows, softmax


@dataclass(frozen=True)
class NfspSettings:
    """How a learner learns. Defaults are those of OpenSpiel's example for Leduc."""

    eta: float = 0.1  # how often a best response is played
    mixed_by: str = "episode"  # what of eta is drawn for: every 'episode' or every 'step'
    epsilon: float = 0.06  # how often a best response explores
    epsilon_decay: float = 0.0  # it is divided by the square root of 1 + decay x games
    averages_explored: bool = True  # whether what was explored counts as played by a best response
    double: bool = True  # Double DQN (van Hasselt et al. 2016), else the largest value of the target network
    convolutions: tuple[int, ...] = ()
    pooled: tuple[int, ...] = ()
    dense: tuple[int, ...] = (128,)
    optimiser: str = "sgd"
    q_rate: float = 0.01
    policy_rate: float = 0.01
    batch: int = 128
    transitions: int = 200_000  # size of the circular memory
    window: float = 1.0  # the latest share of all transitions that Q learns from: opponents change ever more slowly
    behaviour: int = 2_000_000  # size of the reservoir
    recency: float = 1.0  # 1: the policy is the average of all best responses; 2: later ones weigh more, linearly
    updates_a_step: float = 1 / 64  # of each network, by decisions ...
    updates_a_game: float = 0.0  # ... and by games
    target_games: int = 4000  # games between copies of Q to the target network
    first: int = 1000  # rows of a memory before it is learnt from
    lanes: int = 128  # games side by side

    def __post_init__(self) -> None:
        if not 0 < self.eta <= 1 or not 0 <= self.epsilon <= 1 or self.epsilon_decay < 0:
            raise ValueError(f"eta is above 0 and at most 1, epsilon from 0 to 1, got {self.eta} and {self.epsilon}")
        if self.mixed_by not in ("episode", "step") or self.optimiser not in ("sgd", "adam"):
            raise ValueError(
                f"eta is drawn by episode or by step, and optimisers are sgd and adam, got {self.mixed_by!r} "
                f"and {self.optimiser!r}"
            )
        if min(self.q_rate, self.policy_rate) <= 0 or min(self.batch, self.first, self.lanes, self.target_games) < 1:
            raise ValueError(f"rates are above 0, batches, first rows, lanes and target games at least 1, got {self}")
        if min(self.updates_a_step, self.updates_a_game) < 0 or self.updates_a_step + self.updates_a_game <= 0:
            raise ValueError("a network is updated at times: give updates by step or by game above 0")


SOURCE_003 = NfspSettings(
    eta=0.1, mixed_by="step", epsilon=0.1, epsilon_decay=1.0, q_rate=0.05, policy_rate=0.005, batch=256,
    transitions=300_000, behaviour=1_200_000, updates_a_step=0.0, updates_a_game=2.0, target_games=128,
)  # fmt: skip
TUNED = NfspSettings(
    epsilon=0.1, averages_explored=False, optimiser="adam", q_rate=5e-3, policy_rate=3e-3, batch=4096,
    transitions=2_000_000, window=0.1, behaviour=500_000, recency=2.0, updates_a_step=1 / 512, target_games=300,
    lanes=1024,
)  # fmt: skip
PRESETS = {"tuned": TUNED, "source-003": SOURCE_003, "open-spiel": NfspSettings()}


class Nfsp(Learner):
    """Networks of a best response and of the average of all best responses so far, and their memories."""

    def __init__(self, lanes: Lanes, settings: NfspSettings, seed: int) -> None:
        super().__init__(lanes)
        self.settings, self.experience = settings, Experience(lanes)
        generator = torch.Generator().manual_seed(seed)
        shape = Shape(lanes.inputs, lanes.actions, settings.convolutions, settings.pooled, settings.dense)
        self.q = Trained(shape, settings.q_rate, generator, settings.optimiser)
        self.averaging = Trained(shape, settings.policy_rate, generator, settings.optimiser)
        self.target = copy.deepcopy(self.q.network)
        self.transitions = Circular(settings.transitions, Experience.columns(lanes))
        behaviour = {"row": lanes.row, "action": ((), np.int16), "open": ((lanes.actions,), np.bool_)}
        self.behaviour = Reservoir(settings.behaviour, behaviour, self.rng, settings.recency)
        self.parts |= {
            "experience": self.experience, "transitions": self.transitions, "behaviour": self.behaviour, "q": self.q,
            "target": self.target, "averaging": self.averaging,
        }  # fmt: skip
        self._best = self.rng.random((lanes.count, lanes.seats)) < settings.eta  # whose episode is a best response
        self._due = 0.0  # updates

    # Playing

    @property
    def epsilon(self) -> float:
        """How often a best response explores now."""
        return float(self.settings.epsilon / np.sqrt(1 + self.settings.epsilon_decay * self.games))

    def advance(self, goal: int) -> None:
        """One decision in every lane, then the updates that are due."""
        del goal
        with one_thread():
            self._play()
            while self._due >= 1:
                self._due -= 1
                self._learn_values()
                if self.settings.eta < 1:
                    self._learn_policy()

    def _play(self) -> None:
        settings, look = self.settings, self.lanes.look()
        best = self._best[np.arange(self.lanes.count), look.seats]
        if settings.mixed_by == "step":
            best = self.rng.random(self.lanes.count) < settings.eta
        self.transitions.add(self.experience.before(look))
        drawn = self.rng.random((2, self.lanes.count))
        explores = best & (drawn[0] < self.epsilon)
        actions = self._act(look, best, explores, drawn[1])
        kept = best if settings.averages_explored else best & ~explores
        self.behaviour.add({"row": look.rows[kept], "action": actions[kept], "open": look.open[kept]})
        rewards, over = self.lanes.step(actions)
        self.transitions.add(self.experience.after(look, actions, rewards, over))
        ended = int(over.sum())
        self._best[over] = self.rng.random((ended, self.lanes.seats)) < settings.eta
        if self.games // settings.target_games < (self.games + ended) // settings.target_games:
            self.target.load_state_dict(self.q.network.state_dict())
        self.count(over)
        if len(self.transitions) >= settings.first:
            self._due += settings.updates_a_step * self.lanes.count + settings.updates_a_game * ended

    def forget(self) -> None:
        """Keep the networks, but not what was seen: from now on the opponent is another one."""
        self.experience.forget()
        self.transitions.forget()
        self.behaviour.forget()

    def _act(self, look: Look, best: Bools, explores: Bools, numbers: NDArray[np.float64]) -> Ints:
        """An action for every lane: by the best response, at random or by the average strategy."""
        chances = np.empty(look.open.shape, np.float32)
        chances[best] = self.greedy(look.rows[best], look.open[best])
        chances[explores] = look.open[explores] / look.open[explores].sum(axis=1, keepdims=True)
        chances[~best] = self.policy(look.rows[~best], look.open[~best])
        return draw_rows(chances, numbers)

    def greedy(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] 1 for the action of the largest value, by Q."""
        with torch.no_grad():
            return greedy(outputs(self.q.network, self.lanes, rows).numpy(), open_actions)

    def policy(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] The average strategy."""
        with torch.no_grad():
            return softmax(outputs(self.averaging.network, self.lanes, rows).numpy(), open_actions)

    # Learning

    def _learn_values(self) -> None:
        """One step on the mean squared error of r + Q'(s', a') - Q(s, a)."""
        latest = max(self.settings.first, int(self.settings.window * self.transitions.seen))
        rows = self.transitions.sample(self.settings.batch, self.rng, latest)
        wanted = worth_of(rows, self.q.network, self.target, self.lanes, self.settings.double)
        found = chosen(outputs(self.q.network, self.lanes, rows["row"]), rows["action"])
        self.q.descend(nn.functional.mse_loss(found, wanted))

    def _learn_policy(self) -> None:
        """One step on the cross-entropy of what best responses did: its divergence, up to a constant."""
        if len(self.behaviour) < self.settings.first:
            return
        rows = self.behaviour.sample(self.settings.batch, self.rng)
        chances = log_chances(self.averaging.network, self.lanes, rows["row"], rows["open"])
        self.averaging.descend(-chosen(chances, rows["action"]).mean())

    # Saving

    def state(self) -> Arrays:
        """Everything needed to go on later."""
        return super().state() | {"best": self._best, "due": np.array([self._due])}

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""
        super().restore(iterations, arrays)
        self._best, self._due = arrays["best"], float(arrays["due"][0])
