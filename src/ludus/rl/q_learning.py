"""Q-learning with a table (Watkins 1989; Watkins & Dayan 1992).

After every transition Q(s, a) goes a step towards r + max Q(s', a'). The step falls with the visits of (s, a), as
convergence to the best response against a fixed opponent demands. In self-play opponents change while they are
learnt from, and the greedy policy is pure: nothing there mixes as an equilibrium of poker must.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus.files import Arrays
from ludus.rl.lanes import Bools, Experience, Floats, Lanes
from ludus.rl.learner import Learner, check_settings, exploring, falling, greedy
from ludus.rl.policy import CLOSED, draw_rows


@dataclass(frozen=True)
class QLearningSettings:
    """How a table is learnt."""

    first_epsilon: float = 1.0  # how often it explores at first ...
    epsilon: float = 0.1  # ... and how often in the end
    explored: int = 100_000  # decisions until then
    power: float = 0.7  # the step is visits ** -power: above 0.5 and at most 1 to converge
    lanes: int = 64

    def __post_init__(self) -> None:
        check_settings(self, {"power": 0.5, "explored": 0, "lanes": 0}, ("first_epsilon", "epsilon", "power"))


class NumberedLanes(Lanes, Protocol):
    """Games whose rows are numbers: information sets, or situations that are put together."""

    @property
    def sets(self) -> int:
        """How many there are."""


class QLearning(Learner):
    """A table of values for numbered situations."""

    def __init__(self, lanes: NumberedLanes, settings: QLearningSettings, seed: int) -> None:
        super().__init__(lanes)
        del seed  # all that is random comes from the generator of the lanes
        self.settings, self.experience = settings, Experience(lanes)
        self.table = Table(lanes.sets, lanes.actions)
        self.parts |= {"experience": self.experience, "table": self.table}

    def advance(self, goal: int) -> None:
        """One decision in every lane; what follows from it is learnt at once."""
        del goal
        look, settings = self.lanes.look(), self.settings
        self._learn(self.experience.before(look))
        epsilon = falling(settings.first_epsilon, settings.epsilon, settings.explored, self.iterations)
        chances = exploring(self.policy(look.rows, look.open), look.open, epsilon)
        actions = draw_rows(chances, self.rng.random(self.lanes.count))
        rewards, over = self.lanes.step(actions)
        self._learn(self.experience.after(look, actions, rewards, over))
        self.count(over)

    def policy(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """The action of the largest value."""
        return greedy(self.table.values[rows].astype(np.float32), open_actions)

    def _learn(self, moved: Arrays) -> None:
        """Transitions of one moment; those from the same row by the same action count as one after the other."""
        table = self.table
        later = np.where(moved["open"], table.values[moved["next"]], CLOSED).max(axis=1)
        wanted = moved["reward"] + np.where(moved["over"], 0.0, later)
        places, pair, count = np.unique(
            moved["row"].astype(np.int64) * self.lanes.actions + moved["action"],
            return_inverse=True,
            return_counts=True,
        )
        mean = np.bincount(pair, wanted, len(places)) / count
        visits, values = table.visits.reshape(-1), table.values.reshape(-1)
        visits[places] += count
        step = 1 - (1 - visits[places] ** -self.settings.power) ** count
        values[places] += step * (mean - values[places])


class Table:
    """Q and how often it was learnt from."""

    def __init__(self, sets: int, actions: int) -> None:
        self.values, self.visits = np.zeros((sets, actions)), np.zeros((sets, actions))

    def state(self) -> Arrays:
        """Both arrays."""
        return {"values": self.values, "visits": self.visits}

    def restore(self, arrays: Arrays) -> None:
        """Take both over."""
        self.values, self.visits = arrays["values"].copy(), arrays["visits"].copy()
