"""What learners have in common besides their games: counting, saving, networks with their optimisers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.files import Arrays
from ludus.rl.lanes import Bools, Floats, Lanes, Saved, Shown, distinct
from ludus.rl.memories import generator_state, restore_generator
from ludus.rl.networks import Network
from ludus.rl.policy import CLOSED, Shape

FLOAT_CLOSED = float(CLOSED)


class Resumable(ABC):
    """What all learners are: the same seed gives the same weights, on one thread of one machine, in one go or several.

    It is run by ``ludus.solvers.running`` and saved by ``ludus.solvers.checkpoints``.
    """

    def __init__(self, rng: np.random.Generator, parts: dict[str, Saved]) -> None:
        self.rng, self.iterations, self.games = rng, 0, 0
        self.parts = parts  # what is saved

    def warm_up(self) -> None:  # noqa: B027
        """Nothing to compile."""

    @abstractmethod
    def advance(self, goal: int) -> None:
        """Play and learn for a moment."""

    @abstractmethod
    def policy(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] What it would play now if it were not learning."""

    @property
    def figures(self) -> dict[str, int]:
        """How far it is."""
        return {"decisions": self.iterations, "games": self.games}

    def state(self) -> Arrays:
        """Everything needed to go on later."""
        arrays = {f"{part}.{name}": array for part, each in self.parts.items() for name, array in each.state().items()}
        return arrays | {"games": np.array([self.games]), "random": generator_state(self.rng)}

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""
        for part, each in self.parts.items():
            own = {
                name.removeprefix(f"{part}."): array for name, array in arrays.items() if name.startswith(f"{part}.")
            }
            each.restore(own)
        self.iterations, self.games = iterations, int(arrays["games"][0])
        restore_generator(self.rng, arrays["random"])


class Learner(Resumable):
    """A learner and the games that it plays side by side; its iterations are decisions."""

    def __init__(self, lanes: Lanes) -> None:
        super().__init__(lanes.rng, {"lanes": lanes})
        self.lanes = lanes

    def count(self, over: Bools) -> None:
        """A decision was made in every lane, some of the games are over."""
        self.iterations += len(over)
        self.games += int(over.sum())


class Trained:
    """A network with its optimiser: Adam, or plain steps ('sgd')."""

    def __init__(
        self, shape: Shape, rate: float, generator: torch.Generator, optimiser: str = "adam",
        device: torch.device | None = None,
    ) -> None:  # fmt: skip
        self.network = Network(shape, generator).to(device)
        self.optimiser: torch.optim.Optimizer = (
            torch.optim.Adam(self.network.parameters(), lr=rate, fused=True)
            if optimiser == "adam"
            else torch.optim.SGD(self.network.parameters(), lr=rate)
        )

    def descend(self, loss: Tensor) -> None:
        """One step that makes a loss smaller."""
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()

    def set_rate(self, rate: float) -> None:
        """Steps of another size from now on."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate

    def state(self) -> Arrays:
        """Weights and moments."""
        arrays = {f"weights.{name}": array for name, array in self.network.state().items()}
        for number, moments in self.optimiser.state_dict()["state"].items():
            arrays |= {f"moments.{number}.{name}": each.cpu().numpy().copy() for name, each in moments.items()}
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Go on from what ``state`` gave."""
        weights, moments = dict[str, NDArray[Any]](), dict[int, dict[str, Tensor]]()
        for name, array in arrays.items():
            kind, which, *rest = name.split(".")
            if kind == "weights":
                weights[which] = array
            else:
                moments.setdefault(int(which), {})[rest[0]] = torch.from_numpy(array.copy())
        self.network.restore(weights)
        self.optimiser.load_state_dict(self.optimiser.state_dict() | {"state": moments})


def outputs(network: Network, lanes: Shown, rows: NDArray[Any]) -> Tensor:
    """[n, outputs] What a network says of rows; equal rows are shown to it once."""
    different, places = distinct(rows)
    found: Tensor = network(torch.from_numpy(lanes.see(different)))
    return found if places is None else found.index_select(0, torch.from_numpy(places))


def log_chances(network: Network, lanes: Shown, rows: NDArray[Any], open_actions: Bools) -> Tensor:
    """[n, actions] Logarithms of a policy network's chances; those of closed actions are far below all others."""
    logits = outputs(network, lanes, rows).masked_fill(torch.from_numpy(~open_actions), FLOAT_CLOSED)
    return torch.log_softmax(logits, dim=1)


def chosen(table: Tensor, actions: NDArray[Any]) -> Tensor:
    """[n] The entries of actions in a table [n, actions]."""
    return table.gather(1, torch.from_numpy(actions.astype(np.int64))[:, None])[:, 0]


def worth_of(rows: Arrays, network: Network, target: Network, lanes: Lanes, double: bool) -> Tensor:
    """[n] What transitions are worth: r + Q'(s', a') by a target network, 0 where a game is over.

    The best action a' is the target network's, or, to estimate it without a bias (``double``), the network's.
    """
    with torch.no_grad():
        closed = torch.from_numpy(~rows["open"])
        values = outputs(target, lanes, rows["next"]).masked_fill(closed, FLOAT_CLOSED)
        choice = outputs(network, lanes, rows["next"]).masked_fill(closed, FLOAT_CLOSED) if double else values
        later = values.gather(1, choice.argmax(1, keepdim=True))[:, 0]
        return torch.from_numpy(rows["reward"]) + later.masked_fill(torch.from_numpy(rows["over"]), 0.0)


def greedy(values: Floats, open_actions: Bools) -> Floats:
    """[n, actions] 1 for the open action of the largest value."""
    found = np.zeros(open_actions.shape, np.float32)
    found[np.arange(len(found)), np.where(open_actions, values, CLOSED).argmax(axis=1)] = 1
    return found


def exploring(best: Floats, open_actions: Bools, epsilon: float) -> Floats:
    """[n, actions] The epsilon-greedy policy around a best one."""
    uniform = open_actions / open_actions.sum(axis=1, keepdims=True)
    found: Floats = ((1 - epsilon) * best + epsilon * uniform).astype(np.float32)
    return found


def falling(first: float, last: float, over: int, done: int) -> float:
    """A number that falls in a straight line from its first value to its last one, and stays there.

    >>> [falling(1.0, 0.5, 100, done) for done in (0, 50, 200)]
    [1.0, 0.75, 0.5]
    """
    return last + (first - last) * max(0.0, 1 - done / over)


def identity(settings: Any, seed: int) -> dict[str, Any]:
    """What decides a run besides its game, as JSON can hold it."""
    listed = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(settings).items()}
    return listed | {"seed": seed}


def check_settings(settings: Any, above: dict[str, float], shares: tuple[str, ...] = ()) -> None:
    """ValueError unless some numbers are above their bounds and others from 0 to 1."""
    for name, bound in above.items():
        if not getattr(settings, name) > bound:
            raise ValueError(f"{name} is above {bound:g}, got {getattr(settings, name)}")
    for name in shares:
        if not 0 <= getattr(settings, name) <= 1:
            raise ValueError(f"{name} is from 0 to 1, got {getattr(settings, name)}")
