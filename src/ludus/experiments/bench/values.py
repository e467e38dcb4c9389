"""How wrong the value networks of hold'em are, by exact solves of turns and flops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludus.nets.holdem.judging import judge_exactly
from ludus.nets.holdem.network import STAGES, HandNetwork
from ludus.nets.holdem.played import played_situations
from ludus.nets.holdem.shipped import load_networks, shipped_values
from ludus.nets.holdem.situations import POT, Situations, random_situations
from ludus.parallel import Stages

DEEPEST = 3.0  # pots: a flop of deeper stacks takes minutes to solve
SHALLOWEST = 0.25
OF_A_HAND = 4  # spots from play
ITERATIONS = {"turn": 60, "flop": 24}
KINDS: dict[str, str] = {"random": "random ranges", "play": "ranges from play"}


def bench_values(
    stages: tuple[str, ...], spots: int, seed: int, folder: Path | None, progress: Stages
) -> dict[str, Any]:
    """Networks of beginnings of streets judged on so many spots with random ranges, and as many with ranges from play.

    Keys of a stage are those of random ranges; those of ranges from play are below its key ``play``.
    """
    networks = load_networks(folder) if folder else shipped_values()
    found: dict[str, Any] = {}
    for at, stage in enumerate(stages):
        if stage not in ITERATIONS or stage not in networks:
            raise ValueError(f"networks of {' and '.join(ITERATIONS)} are judged, where there are some, got {stage!r}")
        judged = {}
        for kind, name in KINDS.items():
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(at, kind == "play")))
            draw = _random if kind == "random" else _played(networks)
            told = partial(progress, f"{stage}, {name}", unit="spots")
            situations = draw(spots, STAGES[stage], rng)
            judged[kind] = asdict(judge_exactly(networks[stage], situations, ITERATIONS[stage], told))
        found[stage] = {**judged["random"], "play": judged["play"]}
    return {**found, "deepest_stack_pots": DEEPEST, "seed": seed}


Draw = Callable[[int, int, np.random.Generator], Situations]


def _random(count: int, cards: int, rng: np.random.Generator) -> Situations:
    stacks = np.exp(rng.uniform(np.log(SHALLOWEST), np.log(DEEPEST), count))
    return random_situations(count, cards, count, rng)._replace(stacks=np.round(POT * stacks).astype(np.int64))


def _played(networks: Mapping[str, HandNetwork]) -> Draw:
    return lambda count, cards, rng: played_situations(count, cards, networks, rng, DEEPEST, OF_A_HAND)
