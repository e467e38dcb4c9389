"""``ludus train deep-cfr``, as a user types it."""

import json
import os
import signal
from contextlib import contextmanager
from dataclasses import replace

import pytest

from ludus.rl import deep_cfr
from ludus.rl.policy import SHIPPED


@pytest.fixture
def train(ludus, tmp_path, monkeypatch):
    """Train on Kuhn in this process, with few walks: exit code, the result as data, standard error."""
    small = replace(deep_cfr.PRESETS["tuned"], walks=300, steps=10)
    monkeypatch.setitem(deep_cfr.PRESETS, "tuned", small)

    def run(*words, out="kuhn.deep-cfr"):
        code, text, err = ludus("train", "deep-cfr", "kuhn", "--out", tmp_path / out, "--json", *words)
        return code, json.loads(text), err

    return run


@pytest.mark.parametrize("average", ["network", "single"])
def test_it_learns_and_its_policy_plays(train, ludus, tmp_path, average):
    code, result, err = train("--target", 60, "--iterations", 60, "--seed", 1, "--average", average)
    assert (code, err, result["stopped_by"]) == (0, "", "target")
    assert result["exploitability_mbb"] <= 60 < result["curve"][0][2]
    assert result["seconds"] > 0
    assert result["nodes"] > result["walks"] == 600 * result["iterations"]
    code, text, _ = ludus("exploitability", f"agent:deep-cfr:{tmp_path / 'kuhn.deep-cfr'}", "--game", "kuhn", "--json")
    assert code == 0
    assert json.loads(text)["exploitability_mbb"] == pytest.approx(result["exploitability_mbb"], rel=1e-3)


def test_a_match_is_of_the_game_that_a_network_has_learnt(ludus):
    file = SHIPPED / "deep-cfr" / "kuhn.safetensors"
    code, text, err = ludus("match", f"deep-cfr:{file}", "random", "--hands", 10, "--json")
    assert (code, err) == (0, "")
    assert json.loads(text)["game"] == "kuhn"


def test_stopped_it_goes_on_as_if_it_had_not_been(train, tmp_path, monkeypatch):
    """Ctrl-C saves; the same command ends with the same weights as one that was never stopped."""

    @contextmanager
    def bar(*_):
        def progress(check):
            if check.iterations == 2:
                os.kill(os.getpid(), signal.SIGINT)

        yield progress

    train("--iterations", 5, out="whole")
    monkeypatch.setattr("ludus.cli.views.progress.solver_bar", bar)
    code, result, err = train("--iterations", 5)
    assert (code, result["stopped_by"]) == (130, "interrupt")
    assert "the same command goes on from there" in err
    code, result, _ = train("--iterations", 5)
    assert (code, result["resumed_from"], result["iterations"]) == (0, 2, 5)
    assert (tmp_path / "kuhn.deep-cfr").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("kuhn", "--preset", "best"), "presets are tuned, source-002, got 'best'"),
        (("holdem", "--preset", "best"), "presets are tuned, large, source-002, got 'best'"),
        (("kuhn", "--average", "none"), "the average is one of network, single, got 'none'"),
        (("kuhn", "--device", "abacus"), "there is no device 'abacus' here"),
        (("kuhn3",), "Deep CFR is for two players, this game has 3"),
        (("kuhn", "--target", "-5"), "a target must be above 0"),
        (("kuhn", "--iterations", "many"), "--iterations"),
        (("holdem", "--target", "5"), "nobody measures hold'em exactly"),
        (("holdem", "--bets", "1c"), "a menu of pot fractions and all-in"),
    ],
)
def test_bad_wishes_are_one_sentence(ludus, tmp_path, monkeypatch, words, why):
    monkeypatch.chdir(tmp_path)
    code, _, err = ludus("train", "deep-cfr", *words)
    assert code == 2
    assert why in err
    assert len(err.strip().splitlines()) == 1
