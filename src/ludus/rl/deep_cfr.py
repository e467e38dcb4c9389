"""Deep CFR (Brown, Lerer, Gross & Sandholm 2019, arXiv:1811.00164).

CFR without a table. In every iteration a number of hands are walked through for each player in turn: all of the
player's actions, one of the opponent's, while both play what their *advantage networks* say. What an action gained over
that strategy goes to the player's memory, and the player's network learns from the whole memory anew what actions have
gained on average, later iterations weighing more (linear CFR). Play follows from it by regret matching; where no action
has gained anything, the best one is played. What opponents played goes to another memory, and a network learns its
average over all iterations, which is what approaches an equilibrium.

Single Deep CFR (Steinberger 2019, arXiv:1901.07621) has no network for the average: what all advantage networks played
is the average itself. Where information sets can be numbered it is summed up where walks met it; else one would keep
every network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ludus.compiled import kernel
from ludus.files import Arrays
from ludus.nets.training import one_thread
from ludus.rl.lanes import Bools, Floats, Walks, distinct
from ludus.rl.learner import FLOAT_CLOSED, Resumable, Trained, check_settings, greedy
from ludus.rl.memories import Reservoir
from ludus.rl.networks import Network
from ludus.rl.policy import Shape, softmax

AVERAGES = ("network", "single")


@dataclass(frozen=True)
class DeepCfrSettings:
    """How it walks and learns."""

    walks: int = 3000  # for each player in an iteration
    memory: int = 1_000_000  # rows of each of the three reservoirs
    dense: tuple[int, ...] = (256,)  # layers of advantage networks
    steps: int = 10  # in which one is trained, at a rate that falls to 0 ...
    rate: float = 0.01
    ridge: float = 1e-6  # ... before its last layer is solved for, with this part of its scale on the diagonal; 0: not
    average_dense: tuple[int, ...] = (64, 64)
    average_steps: int = 15  # in which the average network is trained on, in every iteration
    average_rate: float = 0.002
    batch: int = 0  # rows of a step; 0: the whole memory, in which equal rows count as one of more weight
    power: float = 1.0  # iteration t weighs t ** power: 1 is linear CFR
    anew: bool = True  # whether advantage networks begin from random weights in every iteration
    average: str = "network"  # that learns the average; "single": the average of what advantage networks played

    def __post_init__(self) -> None:
        if self.average not in AVERAGES:
            raise ValueError(f"the average is one of {', '.join(AVERAGES)}, got {self.average!r}")
        check_settings(self, {"walks": 0, "memory": 0, "steps": 0, "rate": 0, "average_steps": 0, "average_rate": 0})
        if min(self.batch, self.power, self.ridge) < 0:
            raise ValueError(f"batch, power and ridge are not negative, got {self.batch}, {self.power}, {self.ridge}")
        if self.batch and self.ridge:
            raise ValueError("a last layer is solved for over the whole memory: give a batch of 0, or a ridge of 0")


SOURCE_002 = DeepCfrSettings(
    walks=10_000, memory=40_000_000, dense=(64,) * 6, steps=4000, rate=1e-3, ridge=0.0, average_dense=(64,) * 6,
    average_steps=4000, average_rate=1e-3, batch=10_000,
)  # fmt: skip
PRESETS = {"tuned": DeepCfrSettings(), "source-002": SOURCE_002}
HOLDEM = DeepCfrSettings(
    walks=5000, memory=2_000_000, dense=(64, 64), steps=200, rate=0.003, ridge=0.0, average_dense=(64, 64),
    average_steps=100, average_rate=0.001, batch=1024,
)  # fmt: skip
HOLDEM_LARGE = DeepCfrSettings(
    walks=10_000, memory=8_000_000, dense=(256, 256, 256), steps=400, rate=0.002, ridge=0.0,
    average_dense=(256, 256, 256), average_steps=200, average_rate=0.001, batch=16_384,
)  # fmt: skip
HOLDEM_PRESETS = {"tuned": HOLDEM, "large": HOLDEM_LARGE, "source-002": SOURCE_002}


class Lesson(NamedTuple):
    """What a network learns from in one step."""

    shown: Tensor  # [n, *inputs]
    open: Tensor  # [n, actions]
    wanted: Tensor  # [n, actions]
    weights: Tensor  # [n], 1 on average


class Sums:
    """What was played, summed up by rows."""

    def __init__(self, rows: int, actions: int) -> None:
        self.sums = np.zeros((rows, actions))

    def chances(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] In proportion to the sums; uniform where nothing was ever played."""
        sums = np.where(open_actions, self.sums[rows], 0)
        total = sums.sum(axis=1, keepdims=True)
        uniform = open_actions / open_actions.sum(axis=1, keepdims=True)
        return np.where(total > 0, sums / np.where(total > 0, total, 1), uniform).astype(np.float32)

    def state(self) -> Arrays:
        """All that is needed to go on later."""
        return {"sums": self.sums}

    def restore(self, arrays: Arrays) -> None:
        """Go on from what ``state`` gave."""
        self.sums = arrays["sums"].copy()


class DeepCfr(Resumable):
    """Advantage networks of both players, the average, and their memories. An iteration is one of CFR.

    Networks learn on a device of PyTorch's, walks are the CPU's. Only on the CPU the same seed gives the same weights.
    """

    def __init__(self, walks: Walks, settings: DeepCfrSettings, seed: int, device: str = "cpu") -> None:
        if walks.seats != 2:
            raise ValueError(f"Deep CFR is for two players, this game has {walks.seats}")
        super().__init__(walks.rng, {"walks": walks})
        self.walks, self.settings, self.seed, self.touched = walks, settings, seed, 0
        self.device = torch.device(device)
        self._table = None  # what a network is shown of every row, where copying that to it would take long
        if self.device.type != "cpu":
            self._table = torch.from_numpy(walks.see(np.arange(walks.rows, dtype=np.int32))).to(self.device)
        self.memories = [self._memory() for _ in range(2)]
        self.advantages = [self._network(seat) for seat in range(2)]
        self.parts |= {"memory0": self.memories[0], "memory1": self.memories[1]}
        self.parts |= {"advantages0": self.advantages[0], "advantages1": self.advantages[1]}
        self.played: Reservoir | Sums
        self.averaging: Trained | None = None
        if settings.average == "single":
            self.played = Sums(walks.rows, walks.actions)
        else:
            self.played = self._memory()
            self.averaging = self.parts["averaging"] = self._trained(settings.average_dense, settings.average_rate, 2)
        self.parts["played"] = self.played

    def _memory(self) -> Reservoir:
        actions = self.walks.actions
        columns = {
            "row": self.walks.row, "open": ((actions,), np.bool_), "wanted": ((actions,), np.float32),
            "weight": ((), np.float32),
        }  # fmt: skip
        return Reservoir(self.settings.memory, columns, self.rng)

    def _generator(self, which: int) -> torch.Generator:
        """Of the first weights of a network, and of what is drawn for it: of either player, or the average's."""
        mixed = np.random.SeedSequence((self.seed, self.iterations, which)).generate_state(1, np.uint32)
        return torch.Generator().manual_seed(int(mixed[0]))

    def _trained(self, dense: tuple[int, ...], rate: float, which: int) -> Trained:
        shape = Shape(self.walks.inputs, self.walks.actions, dense=dense)
        return Trained(shape, rate, self._generator(which), device=self.device)

    def _network(self, seat: int) -> Trained:
        return self._trained(self.settings.dense, self.settings.rate, seat)

    @property
    def figures(self) -> dict[str, int]:
        """How far it is."""
        return {"iterations": self.iterations, "walks": self.games, "nodes": self.touched}

    # Playing

    def play(self, seat: int, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] How a seat plays in this iteration."""
        if not len(self.memories[seat]):
            uniform: Floats = (open_actions / open_actions.sum(axis=1, keepdims=True)).astype(np.float32)
            return uniform
        return matched(self._ask(self.advantages[seat].network, rows), open_actions)

    def policy(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] The average strategy."""
        if isinstance(self.played, Sums):
            return self.played.chances(rows, open_actions)
        assert self.averaging is not None
        return softmax(self._ask(self.averaging.network, rows), open_actions)

    def _ask(self, network: Network, rows: NDArray[Any]) -> Floats:
        """[n, actions] What a network says of rows; equal rows are shown to it once."""
        different, places = distinct(rows)
        with torch.no_grad():
            found: Floats = network(self._show(torch.from_numpy(different))).cpu().numpy()
        return found if places is None else found[places]

    def _show(self, rows: Tensor) -> Tensor:
        """[n, *inputs] What a network is shown of rows."""
        if self._table is None:
            return torch.from_numpy(self.walks.see(rows.numpy()))
        return self._table.index_select(0, rows.to(self.device))

    # Learning

    def advance(self, goal: int) -> None:
        """One iteration: walks and a lesson for each player, then one for the average."""
        del goal
        self.iterations += 1
        weight = float(self.iterations) ** self.settings.power
        with one_thread():
            for seat in range(2):
                met = self.walks.walk(seat, self.settings.walks, self.play)
                self.games += self.settings.walks
                self.touched += met.touched
                self._remember(self.memories[seat], met.rows, met.open, met.advantages, weight)
                if isinstance(self.played, Sums):
                    np.add.at(self.played.sums, met.other_rows, weight * met.other_chances)
                else:
                    self._remember(self.played, met.other_rows, met.other_open, met.other_chances, weight)
                self._learn_advantages(seat)
            if isinstance(self.played, Reservoir):
                self._learn_average(self.played)

    @staticmethod
    def _remember(memory: Reservoir, rows: NDArray[Any], is_open: Bools, wanted: Floats, weight: float) -> None:
        memory.add({"row": rows, "open": is_open, "wanted": wanted, "weight": np.full(len(rows), weight)})

    def _learn_advantages(self, seat: int) -> None:
        """An advantage network from the first weights on, at a rate that falls to 0."""
        steps, rate = self.settings.steps, self.settings.rate
        if self.settings.anew:
            self.advantages[seat] = self.parts[f"advantages{seat}"] = self._network(seat)
        trained = self.advantages[seat]
        for step, lesson in enumerate(self._lessons(self.memories[seat], steps, seat)):
            trained.set_rate(rate * (1 - step / steps))
            scale = lesson.wanted.square().mean().sqrt().clamp(min=1e-12)  # only the proportions of advantages matter
            lesson = lesson._replace(wanted=lesson.wanted / scale)
            error = (trained.network(lesson.shown) - lesson.wanted).square() * lesson.open
            trained.descend((lesson.weights * error.sum(1)).mean())
            if self.settings.ridge and step == steps - 1:
                solve_last_layer(trained.network, lesson, self.settings.ridge)

    def _learn_average(self, played: Reservoir) -> None:
        """The average network, from where it was: the cross-entropy of what was played is its divergence from it."""
        assert self.averaging is not None
        for lesson in self._lessons(played, self.settings.average_steps, 2):
            logits = self.averaging.network(lesson.shown).masked_fill(~lesson.open, FLOAT_CLOSED)
            cross_entropy = -(lesson.wanted * torch.log_softmax(logits, dim=1)).sum(1)
            self.averaging.descend((lesson.weights * cross_entropy).mean())

    def _lessons(self, memory: Reservoir, steps: int, which: int) -> Iterator[Lesson]:
        """What is learnt from in each step: the whole memory, or rows drawn from it."""
        batch = self.settings.batch
        kept = {name: column[: len(memory)] for name, column in memory.rows.items()} if batch else gathered(memory)
        there = {name: torch.from_numpy(column).to(self.device) for name, column in kept.items()}
        if not batch:
            yield from repeat(self._lesson(there), steps)
            return
        generator = torch.Generator(self.device).manual_seed(self._generator(which).initial_seed())
        for _ in range(steps):
            drawn = torch.randint(len(memory), (batch,), generator=generator, device=self.device)
            yield self._lesson({name: column.index_select(0, drawn) for name, column in there.items()})

    def _lesson(self, rows: dict[str, Tensor]) -> Lesson:
        weights = (rows["weight"] / rows["weight"].mean()).float()
        return Lesson(self._show(rows["row"]), rows["open"], rows["wanted"], weights)

    # Saving

    def state(self) -> Arrays:
        """Everything needed to go on later."""
        return super().state() | {"touched": np.array([self.touched])}

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""
        super().restore(iterations, arrays)
        self.touched = int(arrays["touched"][0])


def matched(advantages: Floats, open_actions: Bools) -> Floats:
    """[n, actions] Regret matching; where nothing is above 0 the action of the largest advantage.

    >>> matched(np.array([[3, 1, 9], [-2, -1, 5]], np.float32), np.array([[True, True, False]] * 2)).tolist()
    [[0.75, 0.25, 0.0], [0.0, 1.0, 0.0]]
    """
    positive = np.where(open_actions, np.maximum(advantages, 0), 0)
    total = positive.sum(axis=1, keepdims=True)
    found: Floats = np.where(total > 0, positive / np.where(total > 0, total, 1), greedy(advantages, open_actions))
    return found


def solve_last_layer(network: Network, lesson: Lesson, ridge: float) -> None:
    """The last layer of the least squared error, all others as they are (Golub & Pereyra 1973)."""
    last = len(network.shape.dense)
    weight, bias = network.get_parameter(f"weight{last}"), network.get_parameter(f"bias{last}")
    with torch.no_grad():
        hidden = network.hidden(lesson.shown).double()
        hidden = torch.cat([hidden, hidden.new_ones(len(hidden), 1)], dim=1)
        for action in range(weight.shape[1]):
            weighed = (lesson.weights * lesson.open[:, action]).double()[:, None] * hidden
            square = hidden.T @ weighed
            square.diagonal().add_(ridge * max(float(square.diagonal().mean()), 1e-12))
            found = torch.linalg.solve(square, weighed.T @ lesson.wanted[:, action].double())
            weight[:, action], bias[action] = found[:-1], found[-1]


def gathered(memory: Reservoir) -> Arrays:
    """The rows of a memory, which are whole numbers: each once, with the mean of what it teaches and all its weight.

    A squared error or a cross-entropy over all rows is that over these, up to a constant.
    """
    kept = {name: column[: len(memory)] for name, column in memory.rows.items()}
    numbers, actions = int(kept["row"].max(initial=-1)) + 1, kept["open"].shape[1]
    weights, sums, is_open = np.zeros(numbers), np.zeros((numbers, actions)), np.zeros((numbers, actions), np.bool_)
    _gather(kept["row"], kept["open"], kept["wanted"], kept["weight"], weights, sums, is_open)
    rows = np.flatnonzero(weights)
    wanted = (sums[rows] / weights[rows, None]).astype(np.float32)
    return {"row": rows, "open": is_open[rows], "wanted": wanted, "weight": weights[rows]}


@kernel
def _gather(
    rows: NDArray[np.int32], can: Bools, wanted: Floats, weight: Floats, weights: NDArray[np.float64],
    sums: NDArray[np.float64], is_open: Bools,
) -> None:  # fmt: skip
    """Add up [rows] and [rows, actions] what rows [n] weigh and teach; no row is negative or too large."""
    for at in range(len(rows)):
        row = rows[at]
        weights[row] += weight[at]
        for action in range(can.shape[1]):
            sums[row, action] += weight[at] * wanted[at, action]
            is_open[row, action] = can[at, action]
