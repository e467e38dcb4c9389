"""Learning what an opponent does next, while playing (Pricope 2020, the model of Agent 1).

All of the opponent's actions are remembered with what was seen when they were taken. Naive Bayes learns from them
whenever there are as many more as it needs to begin, a convolutional network likewise after at least twice as many,
and guesses from then on in its place. A guess counts only for actions that the classifier has not learnt from yet, so
accuracy is out of sample. The network is trained with PyTorch; without it naive Bayes goes on guessing.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents.expert.guesses import (
    ACTIONS,
    BAYES,
    EXAMPLE,
    MODEL,
    NETWORK,
    NOTHING,
    accuracy,
    note_action,
)
from ludus.files import check_array, load_arrays, save_arrays

KIND, FORMAT = "opponent-actions", 1
LEAST_VARIANCE = 1e-3  # of a number, as a part of its variance over all actions


@dataclass(frozen=True)
class Learning:
    """How a model learns. ``network`` is 0 for one that stays with naive Bayes."""

    bayes: int = 100  # actions before naive Bayes guesses, and between its trainings
    network: int = 1000  # ... the network
    steps: int = 100  # batches of a training of the network
    batch: int = 64
    rate: float = 2e-3
    seed: int = 0

    def __post_init__(self) -> None:
        if self.bayes < 10:
            raise ValueError(f"naive Bayes needs at least 10 actions, got {self.bayes}")
        if self.network and self.network < 2 * self.bayes:
            raise ValueError(
                f"the network comes after at least twice as many actions as naive Bayes, got {self.network} and "
                f"{self.bayes}"
            )
        if min(self.steps, self.batch) < 1 or not self.rate > 0 or not 0 <= self.seed < 2**63:
            raise ValueError(f"steps, batch and rate are above 0, a seed not below it, got {asdict(self)}")


class ActionModel:
    """What is remembered of an opponent, and what was learnt from it."""

    def __init__(self, learning: Learning | None = None) -> None:
        self.learning = learning or Learning()
        self.record = np.zeros(1, MODEL)
        self.examples = np.zeros(1024, EXAMPLE)
        self.count = 0
        self.trained = 0  # actions at the last training
        self._spare = np.empty(ACTIONS)

    @property
    def accuracy(self) -> float:
        """How often its guesses come true, of actions that it had not learnt from, drawn towards 0 for a few."""
        return float(accuracy(self.record[0]))

    def share_right(self, what: str = "right") -> float | None:
        """The share of guesses that came true, or ``right_folds`` of them as to a fold; None before the first."""
        model = self.record[0]
        return float(model[what] / model["guesses"]) if model["guesses"] else None

    @property
    def ready(self) -> bool:
        """Whether it guesses."""
        return bool(self.record[0]["stage"] != NOTHING)

    def room(self, more: int) -> NDArray[Any]:
        """The examples, with room for some more behind those that are there."""
        if self.count + more > len(self.examples):
            grown = np.zeros(2 * (self.count + more), EXAMPLE)
            grown[: self.count] = self.examples[: self.count]
            self.examples = grown
        return self.examples

    def remember(self, example: Any, action: int) -> None:
        """Add what an opponent did, guessing it first."""
        example["action"] = action
        note_action(self.record[0], example, self._spare)
        self.room(1)[self.count] = example
        self.count += 1

    @property
    def due(self) -> int:
        """The number of actions at which it learns next."""
        bayes, network = self.learning.bayes, self.learning.network
        after = [(self.trained // step + 1) * step for step in (bayes, network) if step]
        return after[-1] if self.record[0]["stage"] == NETWORK else min(after)

    def learn(self) -> None:
        """Train what is due, if anything is: between hands, because it takes a moment."""
        if self.count < self.due:
            return
        model, network = self.record[0], self.learning.network
        seen = self.examples[: self.count]
        if network and has_torch() and self.count // network > self.trained // network:
            from ludus.agents.expert.training import train_network

            train_network(model, seen, self.learning)
            self._now(NETWORK)
        elif model["stage"] != NETWORK:
            fit_bayes(model, seen)
            self._now(BAYES)
        self.trained = self.count

    def _now(self, stage: int) -> None:
        """Another classifier guesses from now on: its accuracy is its own."""
        model = self.record[0]
        if model["stage"] != stage:
            model["stage"] = stage
            model["right"] = model["right_folds"] = model["guesses"] = 0

    def save(self, path: Path) -> None:
        """Keep everything in a file."""
        header = {"kind": KIND, "format": FORMAT, "learning": asdict(self.learning), "trained": self.trained}
        parts = {name: self.record[name] for name in MODEL.names or ()}
        seen = self.examples[: self.count]
        parts |= {f"seen.{name}": seen[name].astype(_SAVED[name]) for name in EXAMPLE.names or ()}
        save_arrays(path, header, parts)

    @classmethod
    def load(cls, path: Path, learning: Learning | None = None) -> ActionModel:
        """What `save` has kept; it goes on learning as it did, or as it is told now."""
        header, arrays = load_arrays(path, KIND, FORMAT)
        try:
            model = cls(learning or Learning(**header["learning"]))
            model.trained = int(header["trained"])
            for name in MODEL.names or ():
                check_array(name, arrays[name], str(model.record[name].dtype), model.record[name].shape)
                model.record[name] = arrays[name]
            model.count = len(arrays["seen.action"])
            examples = model.room(0)
            for name in EXAMPLE.names or ():
                shape = (model.count, *EXAMPLE[name].shape)
                check_array(name, arrays[f"seen.{name}"], _SAVED[name], shape)
                examples[name][: model.count] = arrays[f"seen.{name}"]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is not a whole memory of an opponent ({error})") from None
        return model


_SAVED = {
    "numbers": "float64", "board": "uint8", "cards": "int64", "can_fold": "uint8", "can_raise": "uint8",
    "action": "int64",
}  # fmt: skip


def has_torch() -> bool:
    """Whether the network can be trained."""
    return find_spec("torch") is not None


def fit_bayes(model: Any, seen: NDArray[Any]) -> None:
    """Gaussian naive Bayes: shares of the actions, and mean and variance of every number for each of them.

    An action that was never seen has the numbers of all and the smallest chance.
    """
    numbers, actions = seen["numbers"], seen["action"]
    least = LEAST_VARIANCE * numbers.var(axis=0) + 1e-6
    counts = np.bincount(actions, minlength=ACTIONS)
    model["prior"] = np.log((counts + 0.5) / (len(actions) + 0.5 * ACTIONS))
    for action in range(ACTIONS):
        own = numbers[actions == action] if counts[action] else numbers
        model["means"][action] = own.mean(axis=0)
        model["variances"][action] = own.var(axis=0) + least
