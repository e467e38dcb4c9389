"""Deep Q-learning (Mnih et al. 2015), with Double DQN (van Hasselt et al. 2016) and prioritised replay (Schaul 2016).

A network says what actions are worth. Transitions go to a memory; batches of them are learnt from, towards
r + Q'(s', a') by a target network, a copy that is renewed now and then. What is played is epsilon-greedy.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray

from ludus.nets.training import one_thread
from ludus.rl.lanes import Bools, Experience, Floats, Lanes
from ludus.rl.learner import (
    Learner,
    Trained,
    check_settings,
    chosen,
    exploring,
    falling,
    greedy,
    outputs,
    worth_of,
)
from ludus.rl.memories import Circular, Prioritised
from ludus.rl.policy import Shape, draw_rows


@dataclass(frozen=True)
class DqnSettings:
    """How a network learns what actions are worth."""

    first_epsilon: float = 1.0  # how often it explores at first ...
    epsilon: float = 0.05  # ... and how often in the end
    explored: int = 100_000  # decisions until then
    double: bool = True  # the network chooses the action that the target network values
    prioritised: float = 0.0  # transitions are drawn by their error to this power; 0: all alike
    correction: float = 0.5  # weights undo so much of that: 1 all of it
    convolutions: tuple[int, ...] = ()
    dense: tuple[int, ...] = (64, 64)
    rate: float = 1e-3
    batch: int = 512
    transitions: int = 100_000  # size of the memory
    first: int = 2_000  # transitions before the first update
    every: int = 256  # decisions between updates
    target: int = 200  # updates between copies to the target network
    lanes: int = 64

    def __post_init__(self) -> None:
        above = dict.fromkeys(("explored", "rate", "batch", "transitions", "first", "every", "target", "lanes"), 0.0)
        check_settings(self, above, ("first_epsilon", "epsilon", "prioritised", "correction"))


class Dqn(Learner):
    """A network of values, its target network and its memory."""

    def __init__(self, lanes: Lanes, settings: DqnSettings, seed: int) -> None:
        super().__init__(lanes)
        self.settings, self.experience = settings, Experience(lanes)
        shape = Shape(lanes.inputs, lanes.actions, settings.convolutions, (), settings.dense)
        self.q = Trained(shape, settings.rate, torch.Generator().manual_seed(seed))
        self.target = copy.deepcopy(self.q.network)
        columns = Experience.columns(lanes)
        self.memory = (
            Prioritised(settings.transitions, columns, settings.prioritised)
            if settings.prioritised
            else Circular(settings.transitions, columns)
        )
        self.parts |= {"experience": self.experience, "memory": self.memory, "q": self.q, "target": self.target}

    # Playing

    def advance(self, goal: int) -> None:
        """One decision in every lane, then the updates that are due."""
        del goal
        settings, before = self.settings, self.iterations
        with one_thread():
            look = self.lanes.look()
            self.memory.add(self.experience.before(look))
            epsilon = falling(settings.first_epsilon, settings.epsilon, settings.explored, self.iterations)
            chances = exploring(self.policy(look.rows, look.open), look.open, epsilon)
            actions = draw_rows(chances, self.rng.random(self.lanes.count))
            rewards, over = self.lanes.step(actions)
            self.memory.add(self.experience.after(look, actions, rewards, over))
            self.count(over)
            if len(self.memory) >= settings.first:
                for number in range(before // settings.every, self.iterations // settings.every):
                    if number % settings.target == 0:
                        self.target.load_state_dict(self.q.network.state_dict())
                    self._learn()

    def policy(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """The action of the largest value."""
        with torch.no_grad():
            return greedy(outputs(self.q.network, self.lanes, rows).numpy(), open_actions)

    # Learning

    def _learn(self) -> None:
        """One step on the mean squared error of r + Q'(s', a') - Q(s, a)."""
        rows = self.memory.sample(self.settings.batch, self.rng)
        wanted = worth_of(rows, self.q.network, self.target, self.lanes, self.settings.double)
        errors = chosen(outputs(self.q.network, self.lanes, rows["row"]), rows["action"]) - wanted
        weights = torch.ones(len(errors))
        if isinstance(self.memory, Prioritised):
            weights = torch.from_numpy(self.memory.weights(rows["place"], self.settings.correction))
            self.memory.note(rows["place"], errors.detach().numpy())
        self.q.descend((weights * errors**2).mean())
