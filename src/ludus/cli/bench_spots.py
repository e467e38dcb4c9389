"""What ``ludus bench spots`` and ``ludus bench rivers`` measure: spots solved on the processor and on a GPU."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ludus.parallel import usable_cores
from ludus.solvers.spot.solve import solve_spot
from ludus.solvers.spot.solver import Layout, SpotSolver
from ludus.trees.spot import Spot

TARGETS = ("0.5", "0.1")  # percent of the pot
MARGIN = 0.95  # other batches than the first may be a little harder
SPOTS = Path(__file__).parent / "data"
POSTFLOP_SOLVER: dict[str, dict[str, float]] = {
    "river": {"seconds_to_0.5": 0.060, "seconds_to_0.1": 0.182, "memory_mb": 0.7},
    "turn": {"seconds_to_0.5": 5.2, "seconds_to_0.1": 14.2, "memory_mb": 58},
    "flop": {"seconds_to_0.5": 32.0, "seconds_to_0.1": 58.9, "memory_mb": 578},
}
"""What postflop-solver 9d1509f (Rust) took for the same spots: two threads, float32, a quiet machine of 2 cores."""


def bench_spots(files: list[Path], workers: int, repeats: int) -> dict[str, Any]:
    """Seconds to each target for the spots of the bench, or those of files; kernels are compiled beforehand."""
    result: dict[str, Any] = {}
    for file in files or sorted(SPOTS.glob("*.toml")):
        with Console(stderr=True).status(f"solving {file.stem}"):
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


def show_spots(result: dict[str, Any]) -> None:
    """A table of the above."""
    table = Table("spot", box=None)
    for column in ("to 0.5 %", "to 0.1 %", "iterations", "memory", "postflop-solver", "", "ratios"):
        table.add_column(column, justify="right", no_wrap=True)
    for name, row in result.items():
        cells = [f"{row[f'seconds_to_{target}']:.3g} s" for target in TARGETS]
        peer = row.get("postflop_solver_recorded")
        theirs = [f"{peer[f'seconds_to_{target}']:.3g} s" for target in TARGETS] if peer else ["-", "-"]
        ratios = " ".join(f"{row[f'ratio_{target}']:.2f}" for target in TARGETS) if peer else "-"
        table.add_row(name, *cells, str(row["iterations"]), f"{row['memory_mb']:.3g} MB", *theirs, ratios)
    console = Console()
    console.print(table)
    console.print(
        f"{usable_cores()} cores. postflop-solver: recorded on a quiet machine of 2 cores, not measured here.",
        style="dim",
    )


def bench_rivers(count: int, batch: int, target: float, seed: int, device: str | None) -> dict[str, Any]:
    """Random river spots solved together until the mean exploitability of a batch is ``target`` percent of the pot.

    The number of iterations is found with the first batch; then all batches are timed with it: tables, iterations,
    values and best responses, from arrays to arrays.
    """
    import torch

    from ludus.solvers.spot.batch import BatchSolver
    from ludus.solvers.spot.subgames import random_rivers, solve_subgames

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    solver = BatchSolver(random_rivers(batch, seed), device=device)
    while solver.iterations < 5 or solver.solved().exploitability.mean() * 100 > MARGIN * target:
        solver.run(1)
    iterations = solver.iterations
    del solver
    batches = [random_rivers(batch, seed + 1 + at) for at in range(max(1, count // batch))]
    for rivers in batches:  # not part of the solving
        rivers.playable.sum()
        assert rivers.shape
    solve_subgames(batches[0], iterations, "torch", device=device)
    left, start = [], time.perf_counter()
    for rivers in batches:
        left.append(float(solve_subgames(rivers, iterations, "torch", device=device).exploitability.mean()))
    seconds = time.perf_counter() - start
    return {
        "spots_per_second": len(batches) * batch / seconds,
        "seconds": seconds,
        "spots": len(batches) * batch,
        "batch": batch,
        "iterations": iterations,
        "exploitability_percent": 100 * sum(left) / len(left),
        "worst_batch_percent": 100 * max(left),
        "device": torch.cuda.get_device_name() if device.startswith("cuda") else device,
        "seed": seed,
    }
