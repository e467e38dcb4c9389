"""Asynchronous advantage actor-critic, A3C (Mnih et al. 2016, arXiv:1602.01783), and its synchronous form, A2C.

Workers are threads. Each has games and a copy of the network of its own: it copies the shared weights, plays some
steps, finds the gradient of policy and values on its copy, and applies it to the shared weights, which others may
have changed meanwhile, without locks. V(s) is the expected return. A decision's return is what its seat gains within
those steps and V of its last one. In the synchronous form all workers play with the same weights and their mean
gradient is applied, so that the same seed gives the same weights.
"""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.files import Arrays
from ludus.nets.training import one_thread
from ludus.rl.lanes import Bools, Experience, Floats
from ludus.rl.learner import FLOAT_CLOSED, Learner, check_settings, chosen, outputs
from ludus.rl.memories import generator_state, restore_generator
from ludus.rl.networks import Network
from ludus.rl.policy import Shape, draw_rows, softmax
from ludus.rl.small_games import SmallGameLanes


@dataclass(frozen=True)
class A3cSettings:
    """How workers learn."""

    workers: int = 4
    synchronous: bool = False
    steps: int = 5  # of a worker's games between updates
    rounds: int = 8  # updates of a worker until all are waited for
    dense: tuple[int, ...] = (64,)
    rate: float = 2e-3
    decay: float = 0.99  # of the mean of squared gradients, which all workers share
    value: float = 0.5  # what the error of values counts beside the policy
    entropy: float = 0.02  # what a mixed policy is worth more than a pure one, in units of rewards
    lanes: int = 64  # games of a worker

    def __post_init__(self) -> None:
        above = dict.fromkeys(("workers", "steps", "rounds", "rate", "value", "lanes"), 0.0)
        check_settings(self, above, ("decay", "entropy"))


class Shared:
    """The weights of all workers and the mean of their squared gradients (RMSProp)."""

    def __init__(self, shape: Shape, settings: A3cSettings, seed: int) -> None:
        self.settings = settings
        self.network = Network(shape, torch.Generator().manual_seed(seed))
        self.squares = {name: torch.zeros_like(weight) for name, weight in self.network.named_parameters()}

    def apply(self, gradients: tuple[Tensor, ...]) -> None:
        """One step of RMSProp, in place: others may do the same at the same time."""
        decay = self.settings.decay
        with torch.no_grad():
            for (name, weight), gradient in zip(self.network.named_parameters(), gradients, strict=True):
                square = self.squares[name].mul_(decay).addcmul_(gradient, gradient, value=1 - decay)
                weight.addcdiv_(gradient, (square + 1e-8).sqrt(), value=-self.settings.rate)

    def state(self) -> Arrays:
        """Weights and squares."""
        squares = {f"squares.{name}": each.numpy().copy() for name, each in self.squares.items()}
        return {f"weights.{name}": each for name, each in self.network.state().items()} | squares

    def restore(self, arrays: Arrays) -> None:
        """Go on from what ``state`` gave."""
        self.network.restore({name: arrays[f"weights.{name}"] for name in self.squares})
        for name, square in self.squares.items():
            square.copy_(torch.from_numpy(arrays[f"squares.{name}"].copy()))


class Worker:
    """Games and a copy of the network."""

    def __init__(self, lanes: SmallGameLanes, shared: Shared) -> None:
        self.lanes, self.shared, self.settings = lanes, shared, shared.settings
        self.network, self.experience = copy.deepcopy(shared.network), Experience(lanes)
        self.decisions, self.games = 0, 0

    def gradients(self) -> tuple[Tensor, ...]:
        """Take the shared weights over, play some steps, and say how the weights should change."""
        self.network.load_state_dict(self.shared.network.state_dict())
        moved = list[Arrays]()
        while not moved:  # first steps may complete no transition
            moved = [rows for _ in range(self.settings.steps) for rows in self._step() if len(rows["row"])]
        rows = self._returns(moved)
        found = outputs(self.network, self.lanes, rows["row"])
        closed = torch.from_numpy(~self.lanes.open[rows["row"]])
        logs, values = torch.log_softmax(found[:, :-1].masked_fill(closed, FLOAT_CLOSED), dim=1), found[:, -1]
        better = torch.from_numpy(rows["return"].astype(np.float32)) - values
        entropy = -(logs.exp() * logs).sum(dim=1)
        gain = chosen(logs, rows["action"]) * better.detach() + self.settings.entropy * entropy
        return torch.autograd.grad((self.settings.value * better**2 - gain).mean(), list(self.network.parameters()))

    def _step(self) -> tuple[Arrays, Arrays]:
        """A decision in every lane, and the transitions before and after it."""
        look = self.lanes.look()
        moved = self.experience.before(look)
        with torch.no_grad():
            logits = outputs(self.network, self.lanes, look.rows)[:, :-1].numpy()
        actions = draw_rows(softmax(logits, look.open), self.lanes.rng.random(self.lanes.count))
        rewards, over = self.lanes.step(actions)
        self.decisions += len(over)
        self.games += int(over.sum())
        return moved, self.experience.after(look, actions, rewards, over)

    def _returns(self, moved: list[Arrays]) -> Arrays:
        """Transitions with their returns: rewards as far as they are known, then the value of a seat's last row."""
        found = np.zeros((self.lanes.count, self.lanes.seats))
        known = np.zeros(found.shape, np.bool_)
        for rows in reversed(moved):
            at = rows["lane"], rows["seat"]
            with torch.no_grad():
                values = outputs(self.network, self.lanes, rows["next"])[:, -1].numpy()
            later = np.where(known[at], found[at], values)
            rows["return"] = found[at] = rows["reward"] + np.where(rows["over"], 0.0, later)
            known[at] = True
        return {name: np.concatenate([rows[name] for rows in moved]) for name in ("row", "action", "return")}

    def state(self) -> Arrays:
        """All that is needed to go on later; workers begin with the shared weights."""
        parts = {f"experience.{name}": each for name, each in self.experience.state().items()}
        parts |= {f"lanes.{name}": each for name, each in self.lanes.state().items()}
        return parts | {"random": generator_state(self.lanes.rng)}

    def restore(self, arrays: Arrays) -> None:
        """Go on from what ``state`` gave."""
        for name, part in (("experience.", self.experience), ("lanes.", self.lanes)):
            part.restore({key.removeprefix(name): each for key, each in arrays.items() if key.startswith(name)})
        restore_generator(self.lanes.rng, arrays["random"])


class A3c(Learner):
    """Workers on shared weights. Only the synchronous form has the same result for the same seed."""

    def __init__(self, lanes: SmallGameLanes, settings: A3cSettings, seed: int) -> None:
        super().__init__(lanes)
        self.settings = settings
        self.shared = Shared(Shape(lanes.inputs, lanes.actions + 1, (), (), settings.dense), settings, seed)
        others = (lanes.beside(np.random.default_rng([seed, number])) for number in range(1, settings.workers))
        self.workers = [Worker(each, self.shared) for each in (lanes, *others)]
        self.parts |= {"shared": self.shared} | {f"worker{at}": each for at, each in enumerate(self.workers)}

    def advance(self, goal: int) -> None:
        """Some updates of every worker, at the same time or together."""
        del goal
        settings = self.settings
        decisions, games = sum(each.decisions for each in self.workers), sum(each.games for each in self.workers)
        with one_thread():
            if settings.synchronous:
                for _ in range(settings.rounds):
                    gradients = zip(*(worker.gradients() for worker in self.workers), strict=True)
                    self.shared.apply(tuple(torch.stack(each).mean(dim=0) for each in gradients))
            else:
                with ThreadPoolExecutor(settings.workers) as pool:
                    list(pool.map(self._work, self.workers))
        self.iterations += sum(each.decisions for each in self.workers) - decisions
        self.games += sum(each.games for each in self.workers) - games

    def _work(self, worker: Worker) -> None:
        for _ in range(self.settings.rounds):
            self.shared.apply(worker.gradients())

    def policy(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] The chances of the shared weights."""
        with torch.no_grad():
            return softmax(outputs(self.shared.network, self.lanes, rows)[:, :-1].numpy(), open_actions)
