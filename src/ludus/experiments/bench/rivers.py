"""Random river spots solved per second, in batches with PyTorch."""

from __future__ import annotations

import time
from typing import Any

MARGIN = 0.95  # other batches than the first may be a little harder


def bench_rivers(count: int, batch: int, target: float, seed: int, device: str | None) -> dict[str, Any]:
    """Random river spots solved together until the mean exploitability of a batch is ``target`` percent of the pot.

    The number of iterations is found with the first batch; then all batches are timed with it: tables, iterations,
    values and best responses, from arrays to arrays.
    """
    import torch

    from ludus.solvers.batch.solver import BatchSolver
    from ludus.solvers.batch.subgames import random_rivers, solve_subgames

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
