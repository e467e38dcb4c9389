import json
import os
import signal
from dataclasses import replace

import pytest

from ludus.agents import make
from ludus.experiments.report import Stopped
from ludus.experiments.reproduce import nfsp_holdem as module
from ludus.experiments.reproduce.nfsp_holdem import KINDS, HoldemPlan, nfsp_holdem, settings
from ludus.games import holdem


def test_senseless_plans_are_refused():
    with pytest.raises(ValueError, match="at least 50 games"):
        HoldemPlan(games=3)
    with pytest.raises(ValueError, match="presets are"):
        HoldemPlan(preset="best")
    with pytest.raises(ValueError, match="a game or a hand"):
        HoldemPlan(episode="day")


def test_the_network_is_the_sources():
    """Four convolutions, two poolings, one dense layer on 17 x 17 x 9; its memories and rates."""
    source = settings("source-003")
    assert (len(source.convolutions), len(source.pooled), len(source.dense)) == (4, 2, 1)
    assert (source.transitions, source.behaviour, source.batch, source.updates_a_game) == (300_000, 1_200_000, 256, 2)


@pytest.fixture
def small(monkeypatch):
    """Small networks."""
    chosen = replace(settings("tuned"), convolutions=(2,), pooled=(0,), dense=(8,), first=50, lanes=16)
    monkeypatch.setattr(module, "settings", lambda *_: chosen)


def test_a_curriculum_is_learnt_and_measured(small, tmp_path):
    """Few games; a second call measures again what the first one has kept."""
    plan, told, shown = HoldemPlan(("random", "call"), 60, 64, seed=3), list[str](), set[str]()

    def tell(stage, done, total, unit="", figure=""):
        told.append(stage)
        shown.add(figure)

    figures = [nfsp_holdem(plan, tmp_path, tell).figures for _ in range(2)]
    assert any(figure.endswith(" chips lately") for figure in shown)
    assert figures[0] == figures[1]
    assert {stage for stage in told if stage.startswith("training")} == {
        "training against random", "training against call",
    }  # fmt: skip
    rows = figures[0]["rows"]
    assert [(row["opponent"], row["strategy"]) for row in rows[:3]] == [
        ("random", "average"), ("random", "mixed"), ("random", "greedy"),
    ]  # fmt: skip
    assert all(row["games"] == 64 and 0 <= row["stack"] <= 200 for row in rows)
    assert sum(rows[0]["actions"].values()) == pytest.approx(1)
    assert set(rows[0]["actions"]) == set(KINDS)
    json.dumps(figures[0])
    assert all(
        (tmp_path / f"nfsp-holdem{which}.png").stat().st_size > 1000 for which in ("", "-mbb", "-actions", "-players")
    )
    assert [row["players"] for row in figures[0]["against_the_expert"]] == [
        "Random-Base", "Call-Base", "HeuristicMC-Base", "Agent1-Base", "Agent2-Base",
    ]  # fmt: skip
    assert figures[0]["against_the_expert"][0]["stack"] < 100
    game = holdem(players=3, stack=(90, 100, 130), blinds=(5, 10))
    agent = make(f"nfsp:{tmp_path / 'policy.safetensors'}", game)
    assert sum(agent.strategy(game.start().deal(range(52)).seen_by(2)).values()) == pytest.approx(1)


def test_a_training_that_was_stopped_goes_on_as_if_it_had_not_been(small, tmp_path):
    """Ctrl-C in the middle; then the same games end in the same way."""
    plan, seen = HoldemPlan(("random",), 50, 50, seed=3), list[int]()

    def play(place, stop_at=None):
        def told(stage, done, *_):
            if stage.startswith("training"):
                seen.append(done)
                if done == stop_at:
                    os.kill(os.getpid(), signal.SIGINT)

        return nfsp_holdem(plan, tmp_path / place, told).figures["rows"]

    whole = play("whole")
    with pytest.raises(Stopped, match="the same command goes on"):
        play("parts", stop_at=seen[len(seen) // 2])
    assert play("parts") == whole
