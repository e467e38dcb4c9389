"""REINFORCE (Williams 1992) in three forms: how much of a game's rewards is put down to each of its decisions.

The gradient of the expected return is the mean over games of sum_t grad log pi(a_t | s_t) * psi_t. In the form
``trajectory`` psi_t is the whole return of the game; as ``reward-to-go`` it is what came after the decision, since what
came before has no cause there; ``baseline`` takes from that the mean of other games, which changes nothing on average.
All three have the same mean and different variances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ludus.files import Arrays
from ludus.nets.training import one_thread
from ludus.rl.lanes import Bools, Floats, Lanes
from ludus.rl.learner import Learner, Trained, check_settings, chosen, log_chances
from ludus.rl.policy import Shape, draw_rows

FORMS = ("trajectory", "reward-to-go", "baseline")


@dataclass(frozen=True)
class ReinforceSettings:
    """How a policy network climbs."""

    form: str = "baseline"
    convolutions: tuple[int, ...] = ()
    dense: tuple[int, ...] = (64,)
    rate: float = 3e-3
    lanes: int = 256  # games of an update

    def __post_init__(self) -> None:
        check_settings(self, {"rate": 0, "lanes": 1})
        if self.form not in FORMS:
            raise ValueError(f"form is {', '.join(FORMS)}, got {self.form!r}")


class Reinforce(Learner):
    """A policy network, and whole games to learn from."""

    def __init__(self, lanes: Lanes, settings: ReinforceSettings, seed: int) -> None:
        super().__init__(lanes)
        self.settings = settings
        shape = Shape(lanes.inputs, lanes.actions, settings.convolutions, (), settings.dense)
        self.network = Trained(shape, settings.rate, torch.Generator().manual_seed(seed))
        self._beginning = Beginning(lanes.count)
        self.parts |= {"network": self.network, "beginning": self._beginning}

    def advance(self, goal: int) -> None:
        """Play a game in every lane, then one step up."""
        del goal
        with one_thread():
            self.network.descend(self._loss(self._games(), self.settings.form))

    def policy(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] The chances of the policy network."""
        with torch.no_grad():
            found: Floats = log_chances(self.network.network, self.lanes, rows, open_actions).exp().numpy()
        return found

    def _games(self) -> Arrays:
        """The decisions of one game in every lane: the first that begins from now on.

        Lanes go on until the last of these games is over; what else they play is not used.
        """
        lanes, every = self.lanes, np.arange(self.lanes.count)
        steps, rewards = list[Arrays](), list[NDArray[np.float64]]()
        running, done = self._beginning.lanes.copy(), np.zeros(lanes.count, np.bool_)
        while not done.all():
            look = lanes.look()
            actions = draw_rows(self.policy(look.rows, look.open), self.rng.random(lanes.count))
            gained, over = lanes.step(actions)
            steps.append(
                {"row": look.rows, "action": actions, "open": look.open, "seat": look.seats, "used": running.copy()}
            )
            rewards.append(gained * running[:, None])
            done |= running & over
            running = (running | over) & ~done
            self.count(over)
        self._beginning.lanes = over
        later = np.cumsum(rewards[::-1], axis=0)[::-1]  # [steps, lanes, seats]: from each step on
        for at, step in enumerate(steps):
            step |= {"game": every, "later": later[at, every, step["seat"]], "all": later[0, every, step["seat"]]}
        used = np.concatenate([step["used"] for step in steps])
        return {name: np.concatenate([step[name] for step in steps])[used] for name in steps[0]}

    def _loss(self, games: Arrays, form: str) -> torch.Tensor:
        """Its gradient is that of the expected return, turned around."""
        logs = chosen(log_chances(self.network.network, self.lanes, games["row"], games["open"]), games["action"])
        weights = torch.from_numpy(credit(games, form).astype(np.float32))
        return -(logs * weights).sum() / self.lanes.count

    def gradient_variance(self, updates: int = 50) -> dict[str, float]:
        """The variance of the gradient of one game under the policy of now, all weights added up, form by form.

        All forms are given the same games.
        """
        found: dict[str, list[torch.Tensor]] = {form: [] for form in FORMS}
        weights = list(self.network.network.parameters())
        with one_thread():
            for _ in range(updates):
                games = self._games()
                for form, gradients in found.items():
                    parts = torch.autograd.grad(self._loss(games, form), weights)
                    gradients.append(torch.cat([part.flatten() for part in parts]))
        return {form: float(torch.stack(each).var(dim=0).sum()) * self.lanes.count for form, each in found.items()}


class Beginning:
    """In which lanes a game is about to begin."""

    def __init__(self, count: int) -> None:
        self.lanes = np.ones(count, np.bool_)

    def state(self) -> Arrays:
        """As an array."""
        return {"lanes": self.lanes}

    def restore(self, arrays: Arrays) -> None:
        """Take it over."""
        self.lanes = arrays["lanes"].astype(np.bool_)


def credit(games: Arrays, form: str) -> NDArray[np.float64]:
    """[decisions] What is put down to each decision.

    The baseline is the mean of what came after decisions of other games: own rewards in it would shift the gradient.
    """
    if form == "trajectory":
        return games["all"]
    later = games["later"]
    if form == "reward-to-go":
        return later
    count = np.bincount(games["game"])
    total = np.bincount(games["game"], later)
    others = (total.sum() - total) / np.maximum(count.sum() - count, 1)
    found: NDArray[np.float64] = later - others[games["game"]]
    return found
