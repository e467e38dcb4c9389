"""Errors of fast solutions: what is measured, on spots that are soon solved."""

import json

import numpy as np
import pytest

from ludus.experiments.bench import fast
from ludus.solvers.spot.solve import solve_spot
from ludus.trees.spot import Spot


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(fast, "STACKS", ((1.0, 2.0),))
    monkeypatch.setattr(fast, "KINDS", (("four-bet",),))
    monkeypatch.setitem(fast.RANGES, "four-bet", ("TT, AKs, AQs", "AA, KK, AKo"))
    monkeypatch.setattr(fast, "TARGET", 2.0)


def test_the_command_prints_what_fast_solutions_state(ludus, small):
    code, out, _ = ludus("bench", "fast", "--spots", 1, "--json")
    found = json.loads(out)
    (row,), (spot,) = found["stacks"], found["spots"]
    assert code == 0
    assert (row["from"], row["to"], row["spots"], found["seed"], found["target"]) == (1, 2, 1, 0, 2)
    assert row["value_mean"] == pytest.approx(spot["value"], abs=0.01)
    assert row["value_p95"] == pytest.approx(12.706 * spot["value"], rel=0.01)  # one error says little
    assert row["loss_mean"] == pytest.approx(np.mean(spot["losses"]), abs=0.01)
    assert 0 <= row["loss_mean"] <= row["loss_p95"] < 30
    assert len(found["network"]) == 64
    code, out, _ = ludus("bench", "fast", "--spots", 1)
    assert "1 to 2" in out


def test_playing_an_exact_solution_loses_nothing(small, monkeypatch):
    """As a fast solution stands the first street of an exact one."""
    spot = Spot.of("Qh 7h 2c", fast.POT, 200, "AA, 76s", "KK, QJs", {"flop": {"bet": "a"}})
    monkeypatch.setattr(fast, "TARGET", 0.1)
    monkeypatch.setattr(fast, "solve_fast", lambda asked: solve_spot(asked, target=0.05))
    found = fast.compare(spot, "test", 1)
    assert found.value < 0.2
    assert max(found.losses) < 0.3


def test_spots_are_as_they_are_said_to_be():
    rng = np.random.default_rng(1)
    for kind in sorted({kind for kinds in fast.KINDS for kind in kinds}):
        spot = fast.random_spot(kind, 4.0, rng)
        assert (len(spot.board), spot.stack / spot.pot) == (3, 4)
        assert all(20 < np.count_nonzero(weights) < 400 for weights in spot.weights)
        assert not spot.rake.percent
