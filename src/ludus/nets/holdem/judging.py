"""Networks judged by solves that no network had a hand in: the turn or the flop with all that follows, exactly.

Nobody can solve all flops, so the end of the betting before the flop is judged by its ranges alone: what a range is
worth without betting is known exactly, what betting adds is averaged by the network of the flop over many of them, and
what that network misses is measured on a few that are solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from ludus.cards.ranges import blocked
from ludus.nets.holdem.network import HandNetwork
from ludus.nets.holdem.situations import POT, Situations
from ludus.parallel import Progress
from ludus.solvers.batch.subgames import solve_subgames
from ludus.solvers.leaf_values import Floats, LeafValues, Leaves
from ludus.solvers.spot.leaf_solvers import EquityLeaves

AT_ONCE = 256  # turns that a GPU solves together
CHUNK = 16  # situations that a network is prepared for at a time: each board takes megabytes
ASKED, SOLVED = 96, 4  # flops of a situation before the flop that a network is asked about, and that are solved
FLOPS_PER_DEAL = comb(52, 3) / comb(48, 3)  # all flops, to those that two hands leave


@dataclass(frozen=True)
class Judgement:
    """How wrong a network is, in parts of the pot."""

    huber: float | None  # the mean Huber loss over all hands that can be held; None where only ranges are judged
    mean_error: float | None  # over the same
    range_error_mean: float  # of the value of a whole range
    range_error_p99: float
    exploitability: float  # of the solves that it was judged by
    spots: int


def judge_exactly(
    network: HandNetwork, situations: Situations, iterations: int, progress: Progress | None = None, device: str = "cpu"
) -> Judgement:
    """A network of the beginning of a street judged by solving situations there to the end of the hand.

    Turns may be solved together on a GPU.
    """
    if device == "cpu":
        solved = solve_subgames(situations.subgames(), iterations, "numba", progress=progress)
    else:
        solved = solve_subgames(
            situations.subgames(), iterations, "torch", device=device, at_once=AT_ONCE, progress=progress
        )
    found = _asked(network, situations)
    held = situations.ranges > 0
    missed = np.abs(found - solved.values) * held
    huber = np.where(missed < 1, missed**2 / 2, missed - 0.5)
    hands = held.sum(axis=(1, 2))
    of_range = np.abs(((found - solved.values) * situations.ranges).sum(axis=2)).ravel()
    return Judgement(
        float((huber.sum(axis=(1, 2)) / hands).mean()), float((missed.sum(axis=(1, 2)) / hands).mean()),
        float(of_range.mean()), float(np.quantile(of_range, 0.99)), float(solved.exploitability.mean()), len(hands),
    )  # fmt: skip


def judge_before_flop(
    network: HandNetwork,
    flop: LeafValues,
    situations: Situations,
    iterations: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Judgement:
    """The network of the end of the betting before the flop judged by flops; ``flop`` values their beginnings.

    Errors hold what the flops that were drawn leave open, so they are rather too large.
    """
    missed, exploitability = np.zeros(len(situations.boards)), np.zeros(len(situations.boards))
    for at in range(len(missed)):
        before = situations.part(at, 1)
        flops, often = _on_flops(before, ASKED, rng)
        few = flops.part(0, SOLVED)
        solved = solve_subgames(few.subgames(), iterations, "numba")
        by_flop = _first_range(_asked(flop, flops), flops)
        unbet = _first_range(_asked(EquityLeaves(), flops), flops)
        beyond = _first_range(solved.values, few) - by_flop[:SOLVED]
        worth = _first_range(_asked(EquityLeaves(), before), before)[0]
        worth += FLOPS_PER_DEAL * ((often * (by_flop - unbet)).mean() + (often[:SOLVED] * beyond).mean())
        missed[at] = abs(_first_range(_asked(network, before), before)[0] - worth)
        exploitability[at] = solved.exploitability.mean()
        if progress is not None:
            progress(at + 1, len(missed))
    return Judgement(
        None, None, float(missed.mean()), float(np.quantile(missed, 0.99)), float(exploitability.mean()), len(missed),
    )  # fmt: skip


def _on_flops(before: Situations, count: int, rng: np.random.Generator) -> tuple[Situations, Floats]:
    """One situation before the flop on random flops, and how much of both ranges each leaves."""
    boards = np.argsort(rng.random((count, 52)), axis=1)[:, :3].astype(np.uint8)
    left = np.stack([[blocked(weights, board.tolist()) for weights in before.ranges[0]] for board in boards])
    mass = left.sum(axis=2)
    return Situations(boards, before.stacks.repeat(count), left / mass[:, :, None]), mass.prod(axis=1)


def _first_range(values: Floats, situations: Situations) -> Floats:
    """What the first player's range is worth by the values of hands."""
    return np.asarray((values[:, 0] * situations.ranges[:, 0]).sum(axis=1))


def _asked(values: LeafValues, situations: Situations) -> Floats:
    """Values of all hands, in pots, a few situations at a time."""
    return np.concatenate([_values(values, situations, at) for at in range(0, len(situations.boards), CHUNK)])


def _values(network: LeafValues, situations: Situations, first: int) -> Floats:
    """Values of some situations, in pots."""
    boards, stacks, ranges = situations.part(first, CHUNK)
    leaves = Leaves(boards.astype(np.uint8), np.full(len(boards), POT), stacks.astype(np.int64))
    return network.bind(leaves)(ranges.astype(np.float32)) / POT
