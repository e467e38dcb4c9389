"""Blueprints trained by several workers: copies that are merged, and shards of regrets that are asked for.

Copies are trained and play duels. Shards are reckoned from what is measured: a walk meets information sets, those of
other workers have to be asked for, and a message costs CPU time on both ends. Nothing else is counted against them, and
training is as good as that of one worker; so a duel tells what shards would be at best for the CPU time of the copies.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.experiments.bench.rates import Tell, optional
from ludus.parallel.cluster import LOCAL, RayCluster
from ludus.solvers.blueprint.duel import duel
from ludus.solvers.blueprint.presets import make_abstraction
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.solvers.blueprint.training import Method, Training
from ludus.trees.blueprint import CATEGORY_CLASSES, Abstraction

WALKS, BLOCK = 20_000, 2000
MERGED = ((0, BLOCK), (1, BLOCK), (2, BLOCK), (4, BLOCK), (8, BLOCK), (8, 500), (8, WALKS))
"""Copies (0 for none) and walks of a block: how often they are merged."""
PROBED = 200  # walks whose information sets are counted
MESSAGES = 2000


def bench_copies(deals: int, seed: int, tell: Tell) -> dict[str, Any]:
    """What copies that are merged cost in strength, and what shards would: all play a blueprint of ten times the walks.

    Copies have had 20,000 walks of external sampling in a tree of small bets, ten big blinds deep; CPU seconds are
    those of the training. Without Ray there are no shards.
    """
    abstraction = make_abstraction(2, 10.0, "tree", CATEGORY_CLASSES, "small")
    unit = 1000 / abstraction.game.big_blind
    tell("the opponent")
    opponent = _made(_trained(abstraction, Method("external", seed + 1, 4 * BLOCK), 25)[0])

    def strength(training: Training) -> dict[str, float]:
        found = duel(_made(training), opponent, deals, seed)
        return {"mbb": unit * found.mean, "mbb_ci95": 1.96 * unit * found.error}

    rows, alone = list[dict[str, Any]](), None
    for copies, block in MERGED:
        tell(f"{copies} copies, merged every {block} walks")
        training, seconds = _trained(abstraction, Method("external", seed, block, copies=copies), WALKS // block)
        alone = alone or training
        rows.append({
            "copies": copies, "block": block, "merges": WALKS // block, "hands": training.state.hands,
            "cpu_seconds": seconds, **strength(training),
        })  # fmt: skip
    assert alone is not None
    result = {"copies": rows, "deals": deals, "slots": abstraction.layout.slots, "seed": seed}
    if not optional("ray"):
        return result
    tell("information sets of a walk, and messages between processes")
    costs = {"sets_a_walk": sets_a_walk(alone), "walk_cpu_ms": 1000 * rows[0]["cpu_seconds"] / WALKS} | message_costs()
    shards = []
    for row in rows:
        if row["copies"] > 1 and row["block"] == BLOCK:
            tell(f"{row['copies']} shards")
            spent = shard_cpu_ms(costs, row["copies"])
            block = -(-int(1000 * row["cpu_seconds"] / spent) // 10)  # rather too many than too few
            training, _ = _trained(abstraction, Method("external", seed, max(1, block)), 10)
            shards.append({
                "shards": row["copies"], "walk_cpu_ms": spent, "cpu_seconds": row["cpu_seconds"], "walks": 10 * block,
                **strength(training),
            })  # fmt: skip
    return result | {"costs": costs, "shards": shards}


def _trained(abstraction: Abstraction, method: Method, blocks: int) -> tuple[Training, float]:
    training = Training(abstraction, method)
    training.warm_up()
    begun = time.process_time()
    for _ in range(blocks):
        training.run_block()
    return training, time.process_time() - begun


def _made(training: Training) -> Blueprint:
    return Blueprint.of(training, workers=1, command="", curve=[])[0]


def sets_a_walk(training: Training, walks: int = PROBED) -> float:
    """Information sets that a walk adds something to, on average: it has to know the regrets of all of them."""
    probe, regret, met = Training(training.abstraction, training.method), training.walk.regret, 0
    for number in range(walks):
        probe.walk.regret[:], probe.walk.average[:] = regret, 0
        probe.play(training.state.blocks, number, 1)
        np.subtract(probe.walk.regret, regret, out=probe.walk.regret)
        met += probe.seen()
    return met / walks


def shard_cpu_ms(costs: dict[str, float], workers: int) -> float:
    """CPU milliseconds of a walk whose information sets are spread evenly over workers, all but its own asked for."""
    return costs["walk_cpu_ms"] + costs["sets_a_walk"] * (workers - 1) / workers * costs["message_cpu_ms"]


def message_costs(messages: int = MESSAGES) -> dict[str, float]:
    """What a question to another process costs with Ray: CPU milliseconds of both, and the time until the answer."""
    with RayCluster(LOCAL, cores=1) as engine:
        ray: Any = engine._ray
        owner = ray.remote(num_cpus=0)(Owner).remote()
        ray.get([owner.ask.remote(place) for place in range(10)])  # it is there

        def spent() -> float:
            there: float = ray.get(owner.spent.remote())
            return there + time.process_time()

        begun, cpu = time.perf_counter(), spent()
        for place in range(messages):
            ray.get(owner.ask.remote(place))
        latency, singly = time.perf_counter() - begun, spent() - cpu
        cpu = spent()
        ray.get([owner.ask.remote(place) for place in range(messages)])
        together = spent() - cpu
    return {
        "message_cpu_ms": 1000 * min(singly, together) / messages, "message_latency_ms": 1000 * latency / messages,
    }  # fmt: skip


class Owner:
    """A worker that owns regrets and answers questions about them."""

    def __init__(self) -> None:
        self.regret = np.zeros(10**6, np.float32)

    def ask(self, place: int) -> NDArray[np.float32]:
        """Regrets of an information set."""
        return self.regret[place : place + 4]

    def spent(self) -> float:
        """CPU seconds of this process."""
        return time.process_time()
