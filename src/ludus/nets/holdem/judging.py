"""Networks judged by solves that no network had a hand in: the turn or the flop with all that follows, exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludus.nets.holdem.network import HandNetwork
from ludus.nets.holdem.situations import POT, Situations
from ludus.parallel import Progress
from ludus.solvers.batch.subgames import solve_subgames
from ludus.solvers.leaf_values import Floats, Leaves

CHUNK = 16  # situations that a network is prepared for at a time: each board takes megabytes


@dataclass(frozen=True)
class Judgement:
    """How wrong a network is, in parts of the pot."""

    huber: float  # the mean Huber loss over all hands that can be held
    mean_error: float  # over the same
    range_error_mean: float  # of the value of a whole range
    range_error_p99: float
    exploitability: float  # of the solves that it was judged by
    spots: int


def judge_exactly(
    network: HandNetwork, situations: Situations, iterations: int, progress: Progress | None = None
) -> Judgement:
    """A network of the beginning of a street judged by solving situations there to the end of the hand."""
    solved = solve_subgames(situations.subgames(), iterations, "numba", progress=progress)
    found = np.concatenate([_values(network, situations, first) for first in range(0, len(situations.boards), CHUNK)])
    held = situations.ranges > 0
    missed = np.abs(found - solved.values) * held
    huber = np.where(missed < 1, missed**2 / 2, missed - 0.5)
    hands = held.sum(axis=(1, 2))
    of_range = np.abs(((found - solved.values) * situations.ranges).sum(axis=2)).ravel()
    return Judgement(
        float((huber.sum(axis=(1, 2)) / hands).mean()), float((missed.sum(axis=(1, 2)) / hands).mean()),
        float(of_range.mean()), float(np.quantile(of_range, 0.99)), float(solved.exploitability.mean()), len(hands),
    )  # fmt: skip


def _values(network: HandNetwork, situations: Situations, first: int) -> Floats:
    """A network's values of some situations, in pots."""
    boards, stacks, ranges = (each[first : first + CHUNK] for each in situations)
    leaves = Leaves(boards.astype(np.uint8), np.full(len(boards), POT), stacks.astype(np.int64))
    return network.bind(leaves)(ranges.astype(np.float32)) / POT
