"""Strategies against the re-solver in small, and networks from poor to good behind it."""

import json
from pathlib import Path

import pytest

from ludus import games
from ludus.arena.log import LoggedHand, MatchLog
from ludus.arena.plan import MatchPlan
from ludus.arena.statistics import Statistics
from ludus.experiments.reproduce import leduc_values
from ludus.experiments.reproduce.leduc_deepstack import Halves
from ludus.experiments.reproduce.leduc_deepstack_tables import RESOLVER, SOURCE

FAST = "resolver:end,iterations=20"


@pytest.fixture
def reproduce(ludus, tmp_path):
    """Run an experiment whose files go to a folder of the test: exit code, output, errors."""
    return lambda name, *words: ludus("reproduce", name, "--out", tmp_path / "files", *words)


def test_the_halves_of_a_match_have_the_same_cards_in_the_same_seat():
    plan = MatchPlan(games.leduc_nl("all"), ("call", "random"), 4, duplicate=True, seed=1)
    one, other = plan.names
    results = ((one, other, -300.0), (other, one, 500.0), (one, other, 0.0), (other, one, 100.0))
    hands = [
        LoggedHand(at, "r300c/cc", "Ah|Ks/Kh", (won, -won), (first, second))
        for at, (first, second, won) in enumerate(results)
    ]
    halves = Halves.of(Statistics((MatchLog.of(plan.header(), hands),)))
    assert halves.first.won[0].tolist() == [-300, -100]  # in the first seat, then in the second
    assert halves.mirror.won[1].tolist() == [500, 0]
    assert len(halves.first.units) == len(halves.first.hands) == 2


def test_the_sources_figures_agree_with_each_other():
    for name, found in SOURCE.items():
        for half in found.values():
            assert half["win_rate"] + half["tie_rate"] + half["loss_rate"] == pytest.approx(1, abs=5e-4), name
            value = half["win_rate"] * half["mean_win"] - half["loss_rate"] * half["mean_loss"]
            assert value == pytest.approx(half["expected_value"], abs=0.05), name
    assert SOURCE["4M"]["mirror"]["mean_loss_by_call"] == 245.38


@pytest.mark.slow
def test_leduc_deepstack_in_small(reproduce, tmp_path):
    words = ("leduc-deepstack", "--iterations", "2e4,4e4", "--pairs", "500", "--agent", FAST)
    code, text, err = reproduce(*words, "--json")
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert [match["players"][0] for match in found["matches"]] == ["20000", "40000", RESOLVER]
    assert found["matches"][-1]["exact_mbb"] == pytest.approx(0, abs=1e-9)
    for match in found["matches"]:
        assert abs(match["aivat"]["mean"] - match["exact_mbb"]) < 2 * match["aivat"]["ci95"]
        first, mirror = match["first_half"], match["mirror"]
        assert first["hands"] == mirror["hands"] == 500
        both = (first["expected_value"] - mirror["expected_value"]) / 2
        assert 10 * both == pytest.approx(match["mbb_per_game"]["mean"])
        for half in (first, mirror):
            assert half["win_rate"] + half["tie_rate"] + half["loss_rate"] == pytest.approx(1)
            by_kind = [half[f"losses_by_{kind}"] * half[f"mean_loss_by_{kind}"] for kind in ("fold", "call")]
            assert sum(by_kind) == pytest.approx(half["mean_loss"])
    assert found["matches"][0]["exact_mbb"] >= -found["exploitability_mbb"]["20000"]
    own, wide = found["resolver_exploitability_mbb"].values()
    assert 0 < own < wide == found["exploitability_mbb"][RESOLVER]
    for kind, path in found["files"].items():
        assert (Path(path).read_bytes()[:4] == b"\x89PNG") == kind.startswith("plot")
    assert {Path(path).name for path in found["files"].values()} >= {
        "leduc-deepstack-20000.png", "leduc-deepstack-40000.png", "leduc-deepstack-all.png",
    }  # fmt: skip
    logs = {log: log.read_bytes() for log in (tmp_path / "files").rglob("hands.log")}
    code, table, _ = reproduce(*words)
    assert code == 0
    assert "tables 8 to 12" in " ".join(table.split())
    assert {log: log.read_bytes() for log in (tmp_path / "files").rglob("hands.log")} == logs
    assert len(logs) == 3


def test_an_unknown_resolver_is_refused(reproduce):
    code, _, err = reproduce("leduc-deepstack", "--agent", "nobody")
    assert code == 2
    assert "nobody" in err


def test_without_pytorch_what_needs_no_network_is_measured(reproduce, monkeypatch):
    monkeypatch.setattr(leduc_values, "find_spec", lambda name: None)
    monkeypatch.setattr(leduc_values, "_exploitability", lambda agent, place, progress: len(agent) / 10)
    code, text, err = reproduce("leduc-values", "--json")
    assert (code, err) == (0, "")
    assert [(each["leaves"], each["loss"]) for each in json.loads(text)["points"]] == [
        (leduc_values.EXACT, None), (leduc_values.END, None),
    ]  # fmt: skip
    assert "needs PyTorch" in " ".join(reproduce("leduc-values")[1].split())


@pytest.mark.slow
def test_a_better_network_is_less_exploitable(reproduce, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(leduc_values, "HELD_OUT", 500)
    words = ("leduc-values", "--situations", "20,500", "--steps", "300")
    code, text, err = reproduce(*words, "--json")
    assert (code, err) == (0, "")
    found = json.loads(text)
    poor, better, exact, end = found["points"]
    assert poor["loss"] > better["loss"] > 0
    assert max(exact["exploitability_mbb"], end["exploitability_mbb"]) < 16
    assert min(poor["exploitability_mbb"], better["exploitability_mbb"]) > exact["exploitability_mbb"]
    assert all(Path(path).exists() for path in found["files"].values())
    assert reproduce(*words, "--json")[1] == text
