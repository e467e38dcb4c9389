"""Neural fictitious self-play (Heinrich & Silver 2016, arXiv:1603.01121; Pricope 2020, section 3.2, algorithm 2).

A learner plays a mixture of two strategies: with probability eta an epsilon-greedy best response by a Q-network, else
its own average strategy by a policy network. All transitions go to a circular memory, from which Q is learnt with a
target network; what was played as a best response goes to a reservoir, of which the policy network learns the
frequencies. In self-play one learner plays all seats: what it is shown says which one. Against a fixed opponent the
opponent is part of the environment. With eta = 1 this is (Double) DQN.
"""

from __future__ import annotations

import copy
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ludus.files import Arrays
from ludus.rl.lanes import Bools, Experience, Floats, Ints, Lanes, Look, Saved, distinct
from ludus.rl.memories import Circular, Reservoir, generator_state, restore_generator
from ludus.rl.networks import Network, one_thread
from ludus.rl.policy import CLOSED, Shape, softmax


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


def identity(settings: NfspSettings, seed: int) -> dict[str, Any]:
    """What decides a run besides its game, as JSON can hold it."""
    listed = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(settings).items()}
    return listed | {"seed": seed}


class Nfsp:
    """A learner and the games that it plays. The same seed gives the same weights, on one thread of one machine.

    Its iterations are decisions. It is run by ``ludus.solvers.running`` and saved by ``ludus.solvers.checkpoints``.
    """

    def __init__(self, lanes: Lanes, settings: NfspSettings, seed: int) -> None:
        self.lanes, self.settings, self.iterations, self.games = lanes, settings, 0, 0
        self.rng = lanes.rng
        generator = torch.Generator().manual_seed(seed)
        shape = Shape(lanes.inputs, lanes.actions, settings.convolutions, settings.pooled, settings.dense)
        self.q, self.policy = Network(shape, generator), Network(shape, generator)
        self.target = copy.deepcopy(self.q)
        self.experience = Experience(lanes)
        self.transitions = Circular(settings.transitions, Experience.columns(lanes))
        behaviour = {"row": lanes.row, "action": ((), np.int16), "open": ((lanes.actions,), np.bool_)}
        self.behaviour = Reservoir(settings.behaviour, behaviour, self.rng, settings.recency)
        self.optimisers = [
            _optimiser(settings.optimiser, network, rate)
            for network, rate in ((self.q, settings.q_rate), (self.policy, settings.policy_rate))
        ]
        self._parts: dict[str, Saved] = {
            "experience": self.experience, "transitions": self.transitions, "behaviour": self.behaviour, "lanes": lanes,
            "q": self.q, "target": self.target, "policy": self.policy,
        }  # fmt: skip
        self._best = self.rng.random((lanes.count, lanes.seats)) < settings.eta  # whose episode is a best response
        self._due = 0.0  # updates

    # Playing

    @property
    def epsilon(self) -> float:
        """How often a best response explores now."""
        return float(self.settings.epsilon / np.sqrt(1 + self.settings.epsilon_decay * self.games))

    def warm_up(self) -> None:
        """Nothing to compile."""

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
            self.target.load_state_dict(self.q.state_dict())
        self.games += ended
        self.iterations += self.lanes.count
        if len(self.transitions) >= settings.first:
            self._due += settings.updates_a_step * self.lanes.count + settings.updates_a_game * ended

    def _act(self, look: Look, best: Bools, explores: Bools, numbers: NDArray[np.float64]) -> Ints:
        """An action for every lane: by the best response, at random or by the average strategy."""
        chances = np.empty(look.open.shape, np.float32)
        chances[best] = self.greedy(look.rows[best], look.open[best])
        chances[explores] = look.open[explores] / look.open[explores].sum(axis=1, keepdims=True)
        chances[~best] = self.average(look.rows[~best], look.open[~best])
        return draw_rows(chances, numbers)

    def greedy(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] 1 for the action of the largest value, by Q."""
        with torch.no_grad():
            values = self._outputs(self.q, rows).numpy()
        found = np.zeros(open_actions.shape, np.float32)
        found[np.arange(len(found)), np.where(open_actions, values, CLOSED).argmax(axis=1)] = 1
        return found

    def average(self, rows: NDArray[Any], open_actions: Bools) -> Floats:
        """[n, actions] The average strategy, by the policy network."""
        with torch.no_grad():
            return softmax(self._outputs(self.policy, rows).numpy(), open_actions)

    def _outputs(self, network: Network, rows: NDArray[Any]) -> Tensor:
        """[n, actions] What a network says of rows."""
        different, places = distinct(rows)
        found: Tensor = network(torch.from_numpy(self.lanes.see(different)))
        return found if places is None else found.index_select(0, torch.from_numpy(places))

    # Learning

    def _learn_values(self) -> None:
        """One step on the mean squared error of r + Q'(s', a') - Q(s, a)."""
        latest = max(self.settings.first, int(self.settings.window * self.transitions.seen))
        rows = self.transitions.sample(self.settings.batch, self.rng, latest)
        with torch.no_grad():
            closed = torch.from_numpy(~rows["open"])
            values = self._outputs(self.target, rows["next"]).masked_fill_(closed, float(CLOSED))
            choice = values
            if self.settings.double:
                choice = self._outputs(self.q, rows["next"]).masked_fill_(closed, float(CLOSED))
            later = values.gather(1, choice.argmax(1, keepdim=True))[:, 0]
            wanted = torch.from_numpy(rows["reward"]) + later.masked_fill_(torch.from_numpy(rows["over"]), 0.0)
        found = self._outputs(self.q, rows["row"]).gather(
            1, torch.from_numpy(rows["action"].astype(np.int64))[:, None]
        )[:, 0]
        self._descend(0, nn.functional.mse_loss(found, wanted))

    def _learn_policy(self) -> None:
        """One step on the cross-entropy of what best responses did: its divergence, up to a constant."""
        if len(self.behaviour) < self.settings.first:
            return
        rows = self.behaviour.sample(self.settings.batch, self.rng)
        logits = self._outputs(self.policy, rows["row"]).masked_fill(torch.from_numpy(~rows["open"]), float(CLOSED))
        self._descend(1, nn.functional.cross_entropy(logits, torch.from_numpy(rows["action"].astype(np.int64))))

    def _descend(self, which: int, loss: Tensor) -> None:
        self.optimisers[which].zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimisers[which].step()

    # Saving

    def state(self) -> Arrays:
        """Everything needed to go on later."""
        arrays = {f"{part}.{name}": array for part, each in self._parts.items() for name, array in each.state().items()}
        for at, optimiser in enumerate(self.optimisers):
            for number, moments in optimiser.state_dict()["state"].items():
                arrays |= {f"optimiser{at}.{number}.{name}": each.numpy() for name, each in moments.items()}
        return arrays | {
            "best": self._best, "due": np.array([self._due]), "games": np.array([self.games]),
            "random": generator_state(self.rng),
        }  # fmt: skip

    def restore(self, iterations: int, arrays: Arrays) -> None:
        """Go on from a saved state."""
        for part, each in self._parts.items():
            each.restore(
                {name.removeprefix(f"{part}."): array for name, array in arrays.items() if name.startswith(f"{part}.")}
            )
        for at, optimiser in enumerate(self.optimisers):
            moments: dict[int, dict[str, Tensor]] = {}
            for name, array in arrays.items():
                if name.startswith(f"optimiser{at}."):
                    _, number, which = name.split(".")
                    moments.setdefault(int(number), {})[which] = torch.from_numpy(array.copy())
            optimiser.load_state_dict(optimiser.state_dict() | {"state": moments})
        self._best = arrays["best"]
        self._due, self.iterations = float(arrays["due"][0]), iterations
        self.games = int(arrays["games"][0])
        restore_generator(self.rng, arrays["random"])


def _optimiser(name: str, network: Network, rate: float) -> torch.optim.Optimizer:
    if name == "sgd":
        return torch.optim.SGD(network.parameters(), lr=rate)
    return torch.optim.Adam(network.parameters(), lr=rate, fused=True)


def draw_rows(chances: Floats, numbers: NDArray[np.float64]) -> Ints:
    """[n] The action that each number from 0 to 1 picks of chances [n, actions]."""
    sums = chances.cumsum(axis=1, dtype=np.float64)
    drawn: Ints = (sums <= (numbers * sums[:, -1])[:, None]).sum(axis=1)
    return drawn
