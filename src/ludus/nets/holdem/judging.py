"""Networks judged by solves that no network had a hand in: the turn or the flop with all that follows, exactly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludus.nets.holdem.network import HandNetwork
from ludus.nets.holdem.situations import POT, Situations
from ludus.parallel import Progress
from ludus.solvers.batch.subgames import solve_subgames
from ludus.solvers.leaf_values import Leaves


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
    leaves = Leaves(situations.boards, np.full(len(situations.boards), POT), situations.stacks)
    found = network.bind(leaves)(situations.ranges.astype(np.float32)) / POT
    held = situations.ranges > 0
    missed = np.abs(found - solved.values) * held
    huber = np.where(missed < 1, missed**2 / 2, missed - 0.5)
    hands = held.sum(axis=(1, 2))
    of_range = np.abs(((found - solved.values) * situations.ranges).sum(axis=2)).ravel()
    return Judgement(
        float((huber.sum(axis=(1, 2)) / hands).mean()), float((missed.sum(axis=(1, 2)) / hands).mean()),
        float(of_range.mean()), float(np.quantile(of_range, 0.99)), float(solved.exploitability.mean()), len(hands),
    )  # fmt: skip
