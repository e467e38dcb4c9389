"""Large runs on many cores: task times measured on this machine, then a cluster simulated task by task.

The simulated cluster is as plain as ours: one driver hands out tasks and takes in results one after the other. A result
costs it the overhead of a task, its bytes over the driver's network, and its bytes onto the driver's disk. Workers take
the next task as soon as the driver has one for them; task times are drawn from those that were measured. A blueprint
goes in rounds: all copies play, then the driver takes in and adds up what each has learnt, then sends the sum to every
node, each node passing it on.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ludus.experiments.bench.cluster import bench_cluster
from ludus.experiments.bench.rates import Tell

CORES = (64, 256, 1000)
SIMULATED = 40  # tasks for each core; a longer run goes on as evenly
NODE_CORES = 64
PLURIBUS_HOURS = 12_400  # core-hours (Brown & Sandholm 2019, "Superhuman AI for multiplayer poker")


@dataclass(frozen=True)
class Hardware:
    """What a driver has, and what a core costs."""

    network: float = 1.25e9  # bytes a second: 10 Gbit/s
    disk: float = 5e8  # bytes a second
    adding: float = 2e9  # bytes a second of parts added up
    core_hour: float = 0.04  # dollars, about what clouds ask for a core of a large machine

    def taking_in(self, overhead: float, size: float, kept: bool) -> float:
        """Seconds of the driver for one result."""
        return overhead + size / self.network + (size / self.disk if kept else 0.0)


@dataclass(frozen=True)
class Plan:
    """A run: so many tasks that take as long as those that were measured, each with a result of so many bytes."""

    name: str
    tasks: int
    seconds: tuple[float, ...]
    size: float


def simulate(plan: Plan, cores: int, overhead: float, hardware: Hardware, seed: int = 0) -> dict[str, Any]:
    """Wall-clock time of a run, by playing its beginning and going on at the same pace."""
    rng = np.random.default_rng(seed)
    count = min(plan.tasks, SIMULATED * cores)
    lasts = rng.choice(plan.seconds, count)
    per_result = hardware.taking_in(overhead, plan.size, kept=True)
    free: list[float] = [0.0] * min(cores, count)  # when each core wants its next task
    driver = end = 0.0
    for task in range(count):
        wanted = heapq.heappop(free)
        driver = max(driver, wanted) + per_result
        heapq.heappush(free, driver + lasts[task])
        end = max(end, driver + lasts[task])
    total = float(end * plan.tasks / count)
    work = plan.tasks * float(np.mean(plan.seconds))
    return {
        "cores": cores, "hours": total / 3600, "efficiency": work / (total * cores),
        "dollars": total / 3600 * cores * hardware.core_hour, "driver_busy": min(1.0, plan.tasks * per_result / total),
    }  # fmt: skip


def simulate_blueprint(
    core_hours: float, size: float, block_hours: float, cores: int, overhead: float, hardware: Hardware
) -> dict[str, Any]:
    """A training by as many copies as cores: ``size`` bytes of regrets, merged every ``block_hours`` of play."""
    nodes = -(-cores // NODE_CORES)
    rounds = core_hours / cores / block_hours
    # what comes back of a copy: regrets and averages
    merge = cores * (overhead + 2 * size / hardware.network + 2 * size / hardware.adding)
    spread = float(np.ceil(np.log2(nodes + 1))) * size / hardware.network
    total = rounds * (3600 * block_hours + merge + spread)
    return {
        "cores": cores, "hours": total / 3600, "efficiency": core_hours * 3600 / (total * cores),
        "dollars": total / 3600 * cores * hardware.core_hour, "merge_minutes": merge / 60, "rounds": rounds,
    }  # fmt: skip


def bench_scale(quick: bool, tell: Tell) -> dict[str, Any]:
    """Measured task times, and each plan on some numbers of cores."""
    cluster = bench_cluster(20 if quick else 60, False, tell)
    overhead, hardware = cluster["overhead_ms_per_task"] / 1000, Hardware()
    plans = [measured(quick, tell) for measured in (situations_plan, match_plan, flops_plan)]
    found: dict[str, Any] = {
        plan.name: {
            "tasks": plan.tasks, "task_seconds": plan.seconds, "task_bytes": plan.size,
            "on": [simulate(plan, cores, overhead, hardware) for cores in CORES],
        }
        for plan in plans
    }  # fmt: skip
    for gigabytes in (0.1, 1.0):
        found[f"blueprint of 12,400 core-hours, {gigabytes:g} GB of regrets"] = {
            "on": [simulate_blueprint(PLURIBUS_HOURS, gigabytes * 1e9, 1.0, n, overhead, hardware) for n in CORES]
        }
    return {"cluster": cluster, "hardware": asdict(hardware), "plans": found, "quick": quick}


def _timed(calls: Sequence[Callable[[], float]]) -> tuple[tuple[float, ...], float]:
    """CPU seconds of each call, and the mean of the bytes that they return."""
    seconds, sizes = [], []
    for call in calls:
        begun = time.process_time()
        sizes.append(call())
        seconds.append(time.process_time() - begun)
    return tuple(seconds), float(np.mean(sizes))


def situations_plan(quick: bool, tell: Tell) -> Plan:
    """Ten million situations of the flop, labelled in blocks."""
    from ludus.nets.holdem.labels import BLOCKS, Block, draw_block, label
    from ludus.nets.holdem.shipped import shipped_values

    networks, usual = shipped_values(), BLOCKS["flop"]
    count = 2 if quick else 32
    block = Block(count, min(usual.boards, count))

    def make(number: int) -> float:
        drawn = draw_block("flop", block, networks, 0.0, np.random.SeedSequence(1, spawn_key=(number,)))
        return float(sum(array.nbytes for array in label("flop", drawn, networks, 40, "cpu")))

    tell("situations of the flop")
    make(0)  # compiles
    seconds, size = _timed([lambda number=number: make(number) for number in range(1, 2 if quick else 4)])  # type: ignore[misc]
    times = usual.situations / count
    lasts = tuple(times * each for each in seconds)
    return Plan("10,000,000 situations of the flop", -(-(10**7) // usual.situations), lasts, times * size)


def match_plan(quick: bool, tell: Tell) -> Plan:
    """A match of a million hands between two blueprints, in blocks of 256 hands; bytes are those of its log."""
    from ludus.arena.log import LogWriter
    from ludus.arena.match import Tables, play_units
    from ludus.arena.plan import MatchPlan
    from ludus.games import holdem

    hands = 64 if quick else 256
    plan = MatchPlan(holdem(), ("blueprint", "blueprint"), 10**6, seed=1)
    with TemporaryDirectory(prefix="ludus-") as folder, closing(Tables([plan])) as tables:
        log = LogWriter(Path(folder), plan)

        def play(number: int) -> float:
            (units, _), _ = play_units(tables, 0, number * hands, hands)
            before = log.path.stat().st_size
            log.append(units)
            return log.path.stat().st_size - before

        tell("hands of a match")
        play(1)
        seconds, size = _timed([lambda number=number: play(number) for number in range(2, 6)])  # type: ignore[misc]
        log.close()
    times = 256 / hands
    return Plan("a match of 1,000,000 hands", -(-(10**6) // 256), tuple(times * each for each in seconds), times * size)


def flops_plan(quick: bool, tell: Tell) -> Plan:
    """All 1,755 flops after each of 50 lines before the flop, for a pot raised three times, to 0.5 % of the pot."""
    from ludus.solvers.spot.flop_runs import FlopsPlan, solve_flop, wanted_flops
    from ludus.trees.spot import Spot

    spot = Spot.from_dict(SPOT)
    wanted = wanted_flops(spot, None, 2 if quick else 4)
    plan = FlopsPlan(spot, wanted, Path("unused"), target=5.0 if quick else 0.5)
    tell("a flop")
    solve_flop(FlopsPlan(spot, wanted, Path("unused"), iterations=1), next(iter(wanted)))
    seconds, size = _timed([lambda flop=flop: float(len(solve_flop(plan, flop))) for flop in wanted])  # type: ignore[misc]
    return Plan("1,755 flops x 50 lines", 1755 * 50, seconds, size)


SPOT: dict[str, Any] = {  # a pot raised three times: a quarter of the pot or all-in
    "board": "Qd 8s 3c", "pot": 455, "stack": 775, "oop": "QQ-TT, AKs, AQs, AJs, KQs, AKo",
    "ip": "AA-QQ, AKs, AKo, AQs, A5s-A4s", "sizes": {
        "flop": {"bet": "25%", "raise": "a"}, "turn": {"bet": "50%"}, "river": {"bet": "a"},
    },
}  # fmt: skip
