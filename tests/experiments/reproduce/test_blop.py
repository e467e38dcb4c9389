import json
import os
import signal

import numpy as np
import pytest

from ludus.experiments.report import Stopped
from ludus.experiments.reproduce import blop as module
from ludus.experiments.reproduce.blop import BlopPlan, blop, points


def test_points_are_means_of_fifty_episodes():
    returns = np.arange(240.0).reshape(2, 120)
    np.testing.assert_allclose(points(returns), [[24.5, 74.5], [144.5, 194.5]])


def test_too_few_episodes_are_refused():
    with pytest.raises(ValueError, match="at least 500"):
        BlopPlan(episodes=10)


def test_a_run_is_kept_and_told(tmp_path, monkeypatch):
    """Runs that are in the folder are not played again: all of them here."""
    plan, told = BlopPlan(500, 2, 4), list[str]()
    for learner in ("nfsp", "ddqn"):
        for enemy in module.ENEMIES:
            for seed in (4, 5):
                lines = ["return", *["-30.0"] * 400, *["10.0" if learner == "nfsp" else "-5.0"] * 100]
                (tmp_path / f"{learner}-{enemy}-{seed}-500.csv").write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(module, "LAST", 100)
    report = blop(plan, tmp_path, lambda *words: told.append(str(words)))
    assert not told
    assert report.figures["nfsp"] == [10.0, 10.0]
    assert report.figures["moving"]["ddqn"] == [-5.0, -5.0]
    assert report.figures["optimum"] == 13
    assert (tmp_path / "blop.png").stat().st_size > 1000
    json.dumps(report.figures)


def test_learners_play(tmp_path):
    """A few episodes of each, the same again from the same seed."""
    told = list[tuple]()

    def once(folder):
        folder.mkdir()
        return module._returns("nfsp", "still", 1, 6, folder, lambda *words: told.append(words))

    one, other = once(tmp_path / "a"), once(tmp_path / "b")
    np.testing.assert_array_equal(one, other)
    assert len(one) == 6
    assert told[-1][1:3] == (6, 6)


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path):
    """Ctrl-C in the middle of a run, which has learnt by then."""

    def play(folder, stop_at=None):
        def told(stage, done, total, unit, figure):
            if done == stop_at:
                os.kill(os.getpid(), signal.SIGINT)

        folder.mkdir(exist_ok=True)
        return module._returns("nfsp", "moving", 1, 14, folder, told)

    whole = play(tmp_path / "whole")
    with pytest.raises(Stopped, match="the same command goes on"):
        play(tmp_path / "parts", stop_at=3)
    np.testing.assert_array_equal(play(tmp_path / "parts"), whole)
