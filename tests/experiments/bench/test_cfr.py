"""Speeds of the solvers beside the peers': what is printed, not how fast it is."""

import json
import os
from importlib import import_module

import pytest

from ludus.cli.views.bench import show_cfr
from ludus.experiments.bench import cfr as bench_cfr
from ludus.experiments.bench import cfr_peers
from ludus.experiments.bench.cfr_peers import race
from ludus.experiments.bench.rates import cpu_rate
from ludus.games import leduc, leduc_nl
from ludus.solvers.best_response import Evaluator
from ludus.solvers.passes import uniform_strategy
from ludus.trees.flat import flatten

NO_LIMIT_SPEEDS = {f"{kind}_iterations_per_second" for kind in ("exact", "external", "outcome")}


@pytest.fixture
def bench(ludus, monkeypatch):
    """Run the command in this process with limits that are soon reached: exit code, standard output and error."""
    monkeypatch.setattr(bench_cfr, "QUICK_RUN_SECONDS", 0.001)
    monkeypatch.setattr(bench_cfr, "SOLVES", 1)
    return lambda *words: ludus("bench", "cfr", "--quick", "--peer-seconds", "0.02", *words)


@pytest.fixture
def small_games(monkeypatch):
    """Leave out the game that takes seconds to build."""
    monkeypatch.setattr(bench_cfr, "leduc_nl", lambda _: leduc_nl("pot,allin"))


@pytest.fixture
def without(monkeypatch):
    """Take libraries away, or put others in their place."""

    def change(**libraries: object) -> None:
        def find(name: str) -> object:
            if name not in libraries:
                return import_module(name)
            if libraries[name] is None:
                raise ImportError(name)
            return libraries[name]

        monkeypatch.setattr(cfr_peers, "import_module", find)

    return change


def test_all_keys_and_sane_values(bench):
    code, out, _ = bench("--json", "--seed", "7")
    result = json.loads(out)
    assert code == 0
    assert (result["cores"], result["seed"]) == (1, 7)
    sets = {"leduc": 288, "leduc_cfr_plus": 288, "leduc_suits": 936, "leduc_nl_pot": 360, "leduc_nl_all": 84_144}
    assert {game: result[game]["information_sets"] for game in sets} == sets
    for game in ("leduc", "leduc_cfr_plus", "leduc_suits"):
        reached = result[game]["seconds_to"]
        assert result[game]["iterations_per_second"] > 0
        assert reached["1e-2"] > 0
        assert reached["1e-3"] > 0
        assert reached["1e-4"] is None  # not when quick
    for game in ("leduc_nl_pot", "leduc_nl_all"):
        assert all(result[game][key] > 0 for key in NO_LIMIT_SPEEDS)
    peer = result["peers"]["open_spiel"]
    assert peer["leduc"]["information_sets"] == 288
    assert peer["leduc"]["iterations_per_second"] > 0
    assert peer["leduc"]["seconds_to"] == {"1e-2": None, "1e-3": None}  # not within so little time
    assert result["ratio_to_open_spiel"] is None
    assert all(peer["leduc_nl_pot"][key] > 0 for key in NO_LIMIT_SPEEDS)
    assert peer["leduc_nl_all"]["external_iterations_per_second"] > 0


@pytest.mark.usefixtures("small_games")
def test_without_peers(bench, without):
    without(pyspiel=None, LiteEFG=None)
    code, out, err = bench("--json")
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert result["leduc"]["iterations_per_second"] > 0
    assert result["peers"] == {"open_spiel": None, "liteefg": None}
    assert {result[f"ratio_to_{name}{end}"] for name in result["peers"] for end in ("", "_ranks")} == {None}


@pytest.mark.usefixtures("small_games")
def test_a_peer_that_fails_is_told_and_left_out(bench, without):
    without(pyspiel=object(), LiteEFG=None)
    code, out, err = bench()
    assert code == 0
    assert "pyspiel could not be measured: AttributeError" in err
    assert "Ludus dcfr" in out
    assert "OpenSpiel's seconds to NashConv 1e-3 over ours: not measured" in out


def test_tables_show_what_was_not_reached(capsys):
    ours = {"information_sets": 288, "algorithm": "dcfr", "iterations_per_second": 5e4}
    seconds = {"1e-2": 0.005, "1e-3": 0.01, "1e-4": 0.03}
    speeds = dict.fromkeys(NO_LIMIT_SPEEDS, 1234.5) | {"information_sets": 360}
    theirs = {"information_sets": 288, "iterations_per_second": 12.34}
    peer = {"algorithm": "CFR+", "limit_seconds": 60.0, "leduc": theirs | {"seconds_to": seconds | {"1e-4": None}}}
    result = dict.fromkeys(("leduc", "leduc_cfr_plus", "leduc_suits"), ours | {"seconds_to": seconds})
    result |= {"leduc_nl_pot": speeds, "leduc_nl_all": speeds, "peers": {"open_spiel": peer, "liteefg": None}}
    result |= {"ratio_to_open_spiel": 240.4, "ratio_to_open_spiel_ranks": None}
    show_cfr(result | {"ratio_to_liteefg": None, "ratio_to_liteefg_ranks": None})
    out = capsys.readouterr().out
    assert "> 60" in out
    assert "1,234" in out
    assert "12.3" in out
    assert "over ours: suits 240\n" in out
    assert "LiteEFG's seconds to NashConv 1e-3 over ours: not measured" in out


def test_race_counts_iterations_and_stops_at_the_last_target():
    done = []
    result = race(lambda: done.append(sum(range(1000))), lambda: 1 / len(done), {"1e-1": 0.1, "1e-2": 0.01}, 60)
    assert len(done) == result["iterations"] == 108  # the first check with 100 iterations or more
    assert 0 < result["seconds_to"]["1e-1"] <= result["seconds_to"]["1e-2"]
    assert result["iterations_per_second"] == pytest.approx(108 / result["seconds_to"]["1e-2"])


def test_race_and_rate_end_when_their_time_is_over():
    def step() -> int:
        return sum(range(1000))

    assert race(step, lambda: 1.0, {"1e-1": 0.1}, 0.01)["seconds_to"] == {"1e-1": None}
    assert cpu_rate(step, 0.01) > 0


@pytest.mark.parametrize(
    ("name", "game"),
    [("leduc_nl_pot", leduc_nl("pot,allin")), ("leduc", leduc()), ("leduc_suits", leduc(show_suits=True))],
)
def test_open_spiel_plays_the_same_game(name, game):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game((cfr_peers.LEDUC | cfr_peers.LEDUC_NL)[name])
    evaluator = Evaluator(flatten(game))
    ours = evaluator.evaluate(uniform_strategy(evaluator.plan)).nash_conv
    assert pyspiel.nash_conv(theirs, pyspiel.UniformRandomPolicy(theirs)) == pytest.approx(ours)


def test_lite_efg_where_it_is_installed():
    library = pytest.importorskip("LiteEFG")
    home = os.environ.get("HOME")
    found = cfr_peers.lite_efg(library, {"1": 1.0}, 20.0)
    assert found["leduc"]["information_sets"] == 288
    assert found["leduc"]["seconds_to"]["1"] > 0
    assert os.environ.get("HOME") == home
