"""How wrong the value networks of hold'em are, by exact solves of turns and flops.

The network of the end of the betting before the flop is judged by flops, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludus.nets.holdem.devices import check_device
from ludus.nets.holdem.judging import judge_before_flop, judge_exactly
from ludus.nets.holdem.network import STAGES
from ludus.nets.holdem.played import played_situations
from ludus.nets.holdem.shipped import load_networks, shipped_values
from ludus.nets.holdem.situations import POT, Situations, random_situations
from ludus.parallel import Stages

DEEPEST = 3.0  # pots: a flop of deeper stacks takes minutes to solve
SHALLOWEST, MOST_POTS = 0.25, 100.0
OF_A_HAND = 4  # spots from play
ITERATIONS = {"turn": 60, "flop": 48, "preflop-end": 48}
KINDS = ("random", "play")


def bench_values(
    stages: Sequence[str],
    kind: str,
    spots: int,
    seed: int,
    folder: Path | None,
    progress: Stages,
    deepest: float = DEEPEST,
    device: str = "cpu",
) -> dict[str, Any]:
    """Networks of beginnings of streets judged on so many spots each, with random ranges or with ranges from play.

    Stacks are at most so many pots; a ``device`` other than the processor solves turns alone.
    """
    networks = load_networks(folder) if folder else shipped_values()
    if not SHALLOWEST < deepest <= MOST_POTS:
        raise ValueError(f"the deepest stacks are above {SHALLOWEST} and at most {MOST_POTS} pots, got {deepest}")
    if device != "cpu":
        device = check_device(device)
        if set(stages) != {"turn"}:
            raise ValueError("a device solves turns alone: write --stage turn, or leave out the device")
    if kind not in KINDS:
        raise ValueError(f"ranges are {' or '.join(KINDS)}, got {kind!r}")
    found: dict[str, Any] = {}
    for stage in stages:
        if stage not in ITERATIONS or stage not in networks:
            raise ValueError(f"networks of {', '.join(ITERATIONS)} are judged, where there are some, got {stage!r}")
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(STAGES[stage], KINDS.index(kind))))
        if stage == "preflop-end" and (kind != "random" or "flop" not in networks):
            raise ValueError("preflop-end is judged with random ranges, and beside the network of the flop")
        if kind == "random":
            situations = _random(spots, STAGES[stage], deepest, rng)
        else:
            situations = played_situations(spots, STAGES[stage], networks, rng, deepest, OF_A_HAND)
        told = partial(progress, stage, unit="spots")
        if stage == "preflop-end":
            judged = judge_before_flop(networks[stage], networks["flop"], situations, ITERATIONS[stage], rng, told)
        else:
            judged = judge_exactly(networks[stage], situations, ITERATIONS[stage], told, device)
        found[stage] = asdict(judged)
    return {**found, "ranges": kind, "deepest_stack_pots": deepest, "seed": seed}


def _random(count: int, cards: int, deepest: float, rng: np.random.Generator) -> Situations:
    stacks = np.exp(rng.uniform(np.log(SHALLOWEST), np.log(deepest), count))
    return random_situations(count, cards, count, rng)._replace(stacks=np.round(POT * stacks).astype(np.int64))
