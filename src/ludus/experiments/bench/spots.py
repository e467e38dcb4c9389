"""Seconds that spots of hold'em take on the processor, next to those recorded for postflop-solver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludus.experiments.bench.rates import Tell
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solve import solve_spot
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.spot import Spot

TARGETS = ("0.5", "0.1")  # percent of the pot
SPOTS = Path(__file__).parent / "data"
POSTFLOP_SOLVER: dict[str, dict[str, float]] = {
    "river": {"seconds_to_0.5": 0.060, "seconds_to_0.1": 0.182, "memory_mb": 0.7},
    "turn": {"seconds_to_0.5": 5.2, "seconds_to_0.1": 14.2, "memory_mb": 58},
    "flop": {"seconds_to_0.5": 32.0, "seconds_to_0.1": 58.9, "memory_mb": 578},
}
"""What postflop-solver 9d1509f (Rust) took for the same spots: two threads, float32, a quiet machine of 2 cores."""


def bench_spots(files: list[Path], workers: int, repeats: int, tell: Tell) -> dict[str, Any]:
    """Seconds to each target for the spots of the bench, or those of files; kernels are compiled beforehand."""
    result: dict[str, Any] = {}
    for file in files or sorted(SPOTS.glob("*.toml")):
        tell(file.stem)
        result[file.stem] = _bench_spot(Spot.load(file), workers, repeats)
        peer = POSTFLOP_SOLVER.get(file.stem) if not files else None
        if peer:
            ours = result[file.stem]
            result[file.stem]["postflop_solver_recorded"] = peer
            ours |= {
                f"ratio_{target}": peer[f"seconds_to_{target}"] / ours[f"seconds_to_{target}"] for target in TARGETS
            }
    return result


def _bench_spot(spot: Spot, workers: int, repeats: int) -> dict[str, Any]:
    layout = Layout.of(spot)
    solver = SpotSolver(layout, workers=workers)
    solver.warm_up()
    solver.run(1)
    del solver
    found: dict[str, Any] = {}
    for target in TARGETS:
        runs = [solve_spot(layout, target=float(target), workers=workers) for _ in range(repeats)]
        best = min(runs, key=lambda run: run.seconds)
        found[f"seconds_to_{target}"] = best.seconds
        found[f"iterations_to_{target}"] = best.iterations
        found |= {"iterations": best.iterations, "iterations_per_second": best.checks[-1].iterations_per_second}
        found["exploitability_percent"] = best.measured.percent
    return found | {"memory_mb": layout.memory / 1e6, "nodes": layout.nodes, "threads": workers}
