"""``ludus train nfsp``, as a user types it."""

import json
import os
import signal
from contextlib import contextmanager

import pytest

STEPS = 8192


@pytest.fixture
def train(ludus, tmp_path):
    """Train on Kuhn in this process: exit code, the result as data, standard error."""

    def run(*words, out="kuhn.policy"):
        code, text, err = ludus("train", "nfsp", "kuhn", "--out", tmp_path / out, "--json", *words)
        return code, json.loads(text), err

    return run


def test_it_learns_and_its_policy_plays(train, ludus, tmp_path):
    code, result, err = train("--steps", "60k", "--seed", 1)
    assert (code, err) == (0, "")
    assert result["stopped_by"] == "iterations"
    assert result["decisions"] >= 60_000
    assert result["exploitability_mbb"] < 0.6 * result["curve"][0][2]
    code, text, _ = ludus("exploitability", f"agent:nfsp:{tmp_path / 'kuhn.policy'}", "--game", "kuhn", "--json")
    assert code == 0
    assert json.loads(text)["exploitability_mbb"] == pytest.approx(result["exploitability_mbb"], rel=1e-3)


def test_stopped_it_goes_on_as_if_it_had_not_been(train, tmp_path, monkeypatch):
    """Ctrl-C saves; the same command ends with the same weights as one that was never stopped."""

    @contextmanager
    def bar(*_):
        def progress(check):
            if STEPS // 2 <= check.iterations < STEPS // 2 + 1024:
                os.kill(os.getpid(), signal.SIGINT)

        yield progress

    train("--steps", STEPS, out="whole")
    monkeypatch.setattr("ludus.cli.views.progress.solver_bar", bar)
    code, result, err = train("--steps", STEPS)
    assert code == 130
    assert result["stopped_by"] == "interrupt"
    assert "the same command goes on from there" in err
    code, result, _ = train("--steps", STEPS)
    assert (code, result["resumed_from"], result["decisions"]) == (0, STEPS // 2, STEPS)
    assert (tmp_path / "kuhn.policy").read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_unknown_preset_is_one_sentence(ludus):
    code, _, err = ludus("train", "nfsp", "kuhn", "--preset", "best")
    assert code == 2
    assert "presets are tuned, source-003, open-spiel, got 'best'" in err
