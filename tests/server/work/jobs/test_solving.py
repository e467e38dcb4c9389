"""Spots that are solved elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.parallel import HERE
from ludus.server.learning.spot_presets import PRESETS
from ludus.server.work.jobs import solving
from ludus.solvers.spot.solution import Solution


def test_a_solve_on_a_cluster_reports_what_one_here_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine is another one here: `tests/parallel` has clusters that tell."""
    monkeypatch.setattr(solving, "_engine", lambda _: HERE)
    job = {"spot": PRESETS["river-polar"], "target": 0.05, "seconds": 60.0}
    told: dict[str, list[dict[str, object]]] = {"": [], "10.0.0.1:6379": []}
    for ray, steps in told.items():
        solving.solve(str(tmp_path / f"solution{len(ray)}"), steps.append, ray=ray, **job)
    here, there = ([step["percent"] for step in steps if step["percent"] is not None] for steps in told.values())
    assert here
    assert there == here
    one, two = (Solution.load(file) for file in sorted(tmp_path.iterdir()))
    assert one.strategies[0][0].tobytes() == two.strategies[0][0].tobytes()
