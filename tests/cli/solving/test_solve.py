"""``ludus solve``, ``ludus strategy`` and ``ludus exploitability`` as a user types them."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from ludus.games import kuhn, leduc, make
from ludus.solvers import Evaluator, Strategy
from ludus.solvers.passes import uniform_strategy
from ludus.trees.flat import flatten


@pytest.fixture
def solved(ludus):
    """Run `ludus solve ... --json`: what it prints."""

    def run(*words: object):
        code, out, err = ludus("solve", *words, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return run


def save_uniform(game, path: Path) -> Strategy:
    """Everybody plays anything."""
    flat = flatten(game)
    strategy = Strategy.of(flat, uniform_strategy(Evaluator(flat).plan))
    strategy.save(path)
    return strategy


# Solving


def test_solve_prints_and_saves_the_same(solved, ludus, tmp_path):
    out = tmp_path / "new" / "kuhn.strategy"
    found = solved("kuhn", "--algorithm", "cfr+", "--iterations", 500, "--out", out, "--seed", 3)
    assert found["value"] == pytest.approx([-1 / 18, 1 / 18], abs=2e-3)
    assert found["exploitability"] < 2e-3
    assert found["nash_conv"] == pytest.approx(2 * found["exploitability"])
    assert found["exploitability_mbb"] == pytest.approx(1000 * found["exploitability"])
    assert {name: found[name] for name in ("game", "algorithm", "iterations", "information_sets", "seed")} == {
        "game": "kuhn", "algorithm": "cfr+", "iterations": 500, "information_sets": 12, "seed": 3,
    }  # fmt: skip
    assert (found["stopped_by"], found["out"], found["parameters"]) == ("iterations", str(out), {})
    assert found["seconds"] > 0
    assert found["iterations_per_second"] >= 500 / found["seconds"]  # measuring takes no part in it
    code, text, err = ludus("exploitability", out, "--json")
    again = json.loads(text)
    assert (code, err) == (0, "")
    for name in ("game", "value", "nash_conv", "exploitability", "best_response", "algorithm", "iterations", "seed"):
        assert again[name] == pytest.approx(found[name])


def test_big_blinds_are_the_unit_of_mbb(solved):
    found = solved("leduc-nl", "--iterations", 50)
    assert found["exploitability_mbb"] == pytest.approx(10 * found["exploitability"])
    assert solved("rps", "--iterations", 50)["exploitability_mbb"] is None


def test_stopping_at_a_target_or_a_time(solved):
    found = solved("leduc", "--target", 0.01)
    assert found["stopped_by"] == "target"
    assert 0 < found["exploitability"] <= 0.01
    found = solved("kuhn", "--time", 0.2, "--algorithm", "outcome")
    assert found["stopped_by"] == "seconds"
    assert found["iterations"] > 1


def test_without_a_limit_there_is_one(solved):
    assert solved("kuhn")["iterations"] == 1000
    assert solved("rps", "--algorithm", "external")["iterations"] == 1_000_000


def test_every_option_of_the_algorithms_is_recorded(solved):
    found = solved(
        "kuhn", "--iterations", 60, "--averaging", "quadratic", "--averaging-from", 5, "--updates", "simultaneous",
        "--discount", "1.5,0,2",
    )  # fmt: skip
    assert found["parameters"] == {
        "averaging": "quadratic", "averaging_from": 5, "updates": "simultaneous", "discount": [1.5, 0, 2],
    }  # fmt: skip
    words = ("--epsilon", 0.5, "--baseline", 0.1, "--streams", 2, "--workers", 1)
    found = solved("kuhn", "--algorithm", "outcome-sampling", "--iterations", 60, *words)
    assert (found["algorithm"], found["parameters"]) == ("outcome", {"epsilon": 0.5, "baseline": 0.1, "streams": 2})


def test_the_game_can_be_changed(solved, tmp_path):
    out = tmp_path / "file"
    words = ("--bets", "all", "--deck", "JJQQ", "--stack", 300, "--suits", "--iterations", 5, "--out", out)
    found = solved("leduc-nl", *words)
    game = make("leduc-nl", bets="all", deck="JJQQ", stack=300, show_suits=True)
    assert Strategy.load(out, game).game() == game
    assert found["information_sets"] == len(flatten(game).sets)


def test_several_algorithms_in_one_list_and_one_plot(ludus, tmp_path):
    plot = tmp_path / "plots" / "leduc.png"
    words = ("solve", "leduc", "--algorithm", "cfr", "-a", "dcfr", "-a", "xfp", "--iterations", 40, "--plot", plot)
    code, out, _ = ludus(*words, "--json")
    found = json.loads(out)
    assert code == 0
    assert [row["algorithm"] for row in found] == ["cfr", "dcfr", "xfp"]
    assert found[1]["exploitability"] < found[0]["exploitability"]
    assert [check[0] for check in found[0]["checks"]][-1] == 40
    assert plot.read_bytes().startswith(b"\x89PNG\r\n")
    assert plot.stat().st_size > 10_000
    code, out, _ = ludus(*words)
    assert code == 0
    assert [re.search(rf"^{name} +-0", out, re.MULTILINE) is not None for name in ("cfr", "dcfr", "xfp")] == [True] * 3
    assert f"wrote {plot}" in out


def test_what_cannot_run_is_refused_before_anything_runs(ludus):
    code, out, err = ludus("solve", "kuhn", "-a", "cfr", "-a", "hs-dcfr", "--target", 0.1, "--json")
    assert (code, out) == (2, "")
    assert "must know its number of iterations" in err


def test_a_game_is_named_in_full_and_a_missed_target_is_told(ludus):
    code, out, _ = ludus("solve", "leduc-nl", "--iterations", 5, "--target", 1e-9)
    assert code == 0
    assert "leduc-nl (100 % pot, all-in; stacks 1200): 2 players" in out
    assert "dcfr: the target of 1e-09 was not reached." in out


def test_a_plot_of_nothing_above_zero_is_drawn_all_the_same(ludus, tmp_path):
    code, _, err = ludus("solve", "rps", "--iterations", 50, "--plot", tmp_path / "rps.png")
    assert (code, err) == (0, "")
    assert (tmp_path / "rps.png").read_bytes().startswith(b"\x89PNG")


def test_files_must_differ(ludus, tmp_path):
    code, _, err = ludus("solve", "kuhn", "--out", tmp_path / "x", "--checkpoint", tmp_path / "x")
    assert (code, "are different files" in err) == (2, True)


def test_writing_goes_through_links(ludus, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert ludus("solve", "kuhn", "--iterations", 5, "--out", tmp_path / "link")[0] == 0
    assert (tmp_path / "link").is_symlink()
    assert len(Strategy.load(tmp_path / "file")) == 12


def test_a_small_game_shows_its_strategy(ludus):
    code, out, err = ludus("solve", "kuhn", "--iterations", 200)
    assert (code, err) == (0, "")
    for words in ("kuhn: 2 players, 12 information sets", "NashConv", "exploitability", "mbb/g", "seconds", "call 1 %"):
        assert words in out
    assert re.search(r"^ +1 +Q:r +100\.00 +0\.00", out, re.MULTILINE)
    code, out, _ = ludus("solve", "leduc", "--iterations", 20)
    assert "information set " not in out


@pytest.mark.parametrize(("game", "told"), [("kuhn3", True), ("prisoners-dilemma", True), ("kuhn", False)])
def test_where_nothing_is_guaranteed_one_is_told(ludus, solved, game, told):
    assert ("No guarantee of an equilibrium" in ludus("solve", game, "--iterations", 5)[1]) is told
    assert solved(game, "--iterations", 5)["equilibrium_guarantee"] is not told


def test_algorithms_are_listed(ludus):
    code, out, _ = ludus("solve", "--list")
    assert code == 0
    names = json.loads(ludus("solve", "--list", "--json")[1])
    assert {"cfr", "cfr+", "dcfr", "pcfr+", "external", "outcome", "xfp"} <= set(names)
    assert all(re.search(rf"^{re.escape(name)} ", out, re.MULTILINE) for name in names)


def test_a_strategy_of_another_deck_is_refused_with_the_deck_to_solve_for(ludus, tmp_path):
    ours, theirs = tmp_path / "jqk", tmp_path / "qka"
    match = ("--game", "leduc.limit.2p.game", "--hands", 2, "--json")
    assert ludus("solve", "leduc", "--iterations", 5, "--out", ours)[0] == 0
    code, out, err = ludus("match", f"strategy:{ours}", "call", *match)
    assert (code, out) == (2, "")
    assert "deck is JJQQKK there and QQKKAA here; solve it again with --deck QQKKAA" in err
    words = re.search(r"--deck \w+", err)[0].split()
    assert ludus("solve", "leduc", *words, "--iterations", 5, "--out", theirs)[0] == 0
    code, out, _ = ludus("match", f"strategy:{theirs}", "call", *match)
    assert (code, json.loads(out)["hands"]) == (0, 2)


def test_help_starts_without_heavy_libraries():
    code = (
        "import sys; sys.argv = ['ludus', 'solve', '--help']\nfrom ludus.cli.main import main\n"
        "try: main()\nexcept SystemExit as stop: assert not stop.code\n"
        "print(sorted({'numba', 'numpy', 'matplotlib'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip().endswith("[]")
    for option in ("--algorithm", "--target", "--checkpoint", "--fixed", "--purify"):
        assert option in run.stdout


def test_what_is_too_large_to_measure_is_null(solved, ludus):
    words = ("leduc-nl", "--bets", "all", "--grow", "--algorithm", "external", "--iterations", 20)
    found = solved(*words)
    assert [found[name] for name in ("value", "exploitability", "nash_conv", "exploitability_mbb")] == [None] * 4
    assert found["information_sets"] > 10
    code, out, _ = ludus("solve", *words, "--purify", 0.1)
    assert code == 0
    assert "not measured" in out


def test_a_purified_strategy_is_measured_as_it_is_saved(solved, ludus, tmp_path):
    out = tmp_path / "file"
    found = solved("leduc", "--iterations", 100, "--purify", 0.2, "--out", out)
    mixed = solved("leduc", "--iterations", 100)
    assert found["exploitability"] != mixed["exploitability"]
    saved = Strategy.load(out)
    assert saved.origin.parameters == {"purify": 0.2}
    assert not ((saved.probabilities > 0) & (saved.probabilities < 0.2)).any()
    again = json.loads(ludus("exploitability", out, "--json")[1])
    assert again["exploitability"] == pytest.approx(found["exploitability"], rel=1e-12)
    assert again["value"] == pytest.approx(found["value"], rel=1e-12)


# Against a frozen strategy


@pytest.mark.parametrize("algorithm", ["cfr+", "external"])
def test_a_frozen_strategy_is_exploited(solved, ludus, tmp_path, algorithm):
    uniform = save_uniform(kuhn(), tmp_path / "uniform")
    flat = flatten(kuhn())
    best = Evaluator(flat).evaluate(uniform.table(flat)).best_response
    for seat in (0, 1):
        out = tmp_path / f"learner{seat}"
        words = ("kuhn", "--algorithm", algorithm, "--fixed", f"{1 - seat}={tmp_path / 'uniform'}", "--out", out)
        found = solved(*words, "--iterations", 20_000)
        assert found["best_response"][seat] == pytest.approx(best[seat])
        assert found["value"][seat] == pytest.approx(best[seat], abs=2e-3)
        assert found["parameters"]["fixed"] == [1 - seat]
        frozen = np.repeat(uniform.players, np.diff(uniform.offsets)) == 1 - seat
        for more in ((), ("--purify", "0.6")):  # what is frozen is not purified either
            solved(*words, "--iterations", 500, *more)
            assert (Strategy.load(out).probabilities[frozen] == 0.5).all()
    code, out, _ = ludus("solve", "kuhn", "--fixed", f"0={tmp_path / 'uniform'}", "--plot", tmp_path / "plot.svg")
    assert code == 0
    assert re.search(r"player 1 wins \+0\.416\d+ a game .*; a best response would win \+0\.41666", out)
    assert "exploitability" not in out
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")


# Bad input


@pytest.fixture(scope="module")
def odd_files(tmp_path_factory):
    """A folder with strategies of several games and with what is none."""
    folder = tmp_path_factory.mktemp("odd")
    for name in ("kuhn", "kuhn3", "leduc"):
        save_uniform(make(name), folder / name)
    save_uniform(kuhn(deck="TJQKA"), folder / "kuhn5")
    (folder / "junk").write_bytes(bytes(range(256)))
    (folder / "list").write_text("[]")
    (folder / "empty").write_text("{}")
    return folder


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name a game"),
        (("chess",), "no game 'chess'"),
        (("holdem",), "too many to solve whole"),
        (("kuhn", "--algorithm", "magic"), "no algorithm 'magic'"),
        (("kuhn", "--bets", "all"), "kuhn has no --bets"),
        (("kuhn", "--suits"), "kuhn has no --suits"),
        (("rps", "--deck", "AK"), "rps has no --deck"),
        (("leduc", "--stack", "5"), "leduc has no --stack"),
        (("leduc", "--deck", "JX"), "not a rank"),
        (("leduc-nl", "--bets", "huge"), "'huge' is not a bet"),
        (("kuhn", "--iterations", "0"), "iterations must be above 0"),
        (("kuhn", "--iterations", "many"), "iterations"),
        (("kuhn", "--target", "-1"), "target must be above 0"),
        (("kuhn", "--target", "nan"), "target must be above 0"),
        (("kuhn", "--time", "0"), "seconds must be above 0"),
        (("kuhn", "--seed", "-1"), "seed"),
        (("kuhn", "--discount", "1,2"), "such as 1.5,0,2"),
        (("kuhn", "--discount", "1,2,3", "--algorithm", "cfr"), "discount is for dcfr, not for cfr"),
        (("kuhn", "--averaging", "cubic"), "uniform, linear, quadratic"),
        (("kuhn", "--averaging-from", "2000"), "needs more iterations"),
        (("kuhn", "--updates", "sometimes"), "alternating or simultaneous"),
        (("kuhn", "--grow"), "growing is for external"),
        (("kuhn", "--algorithm", "outcome", "--epsilon", "7"), "epsilon"),
        (("kuhn", "--algorithm", "outcome", "--streams", "0"), "streams"),
        (("kuhn", "--algorithm", "hs-dcfr", "--target", "0.1"), "must know its number of iterations"),
        (("kuhn", "--purify", "2"), "purify"),
        (("kuhn", "--workers", "0"), "workers"),
        (("kuhn", "--fixed", "uniform"), "as 0=FILE"),
        (("kuhn", "--fixed", "2=uniform"), "from 0 to 1"),
        (("kuhn", "--fixed", "leduc"), "as 0=FILE"),
        (("kuhn", "--fixed", "0=leduc"), "for another game"),
        (("kuhn", "--fixed", "0=kuhn", "--fixed", "1=kuhn"), "nothing to learn"),
        (("kuhn", "--fixed", "0=kuhn", "--target", "0.1"), "may never reach"),
        (("kuhn", "--fixed", "0=kuhn", "--algorithm", "xfp"), "fictitious play takes no fixed"),
        (("kuhn", "--plot", "plot.txt"), "ending in .png"),
        (("kuhn", "--algorithm", "cfr", "--algorithm", "dcfr", "--out", "x"), "one algorithm at a time"),
        (("kuhn", "--checkpoint-every", "5"), "needs a --checkpoint"),
        (("kuhn", "--out", "kuhn/below"), "cannot write"),
        (("kuhn", "--out", "."), "cannot write"),
        (("kuhn", "--plot", "kuhn/below.png"), "cannot write"),
        (("kuhn", "--checkpoint", "kuhn"), "holds strategy, not checkpoint"),
    ],
)
def test_bad_input_is_one_clear_sentence_and_exit_code_2(ludus, odd_files, monkeypatch, words, message):
    monkeypatch.chdir(odd_files)
    code, out, err = ludus("solve", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("strategy", "show", "absent"), 1, "there is no file absent"),
        (("strategy", "show", "junk"), 2, "not a file of Ludus"),
        (("strategy", "show", "kuhn", "--player", "2"), 2, "players are 0..1"),
        (("strategy", "show", "kuhn", "--limit", "-1"), 2, "limit"),
        (("strategy", "diff", "kuhn", "leduc"), 2, "different games"),
        (("strategy", "export", "kuhn", "--format", "xml"), 2, "one of json, csv, open_spiel"),
        (("strategy", "export", "kuhn5", "--format", "open_spiel"), 2, "OpenSpiel"),
        (("strategy", "import", "junk", "--open-spiel", "kuhn", "--out", "x"), 2, "is not JSON"),
        (("strategy", "import", "list", "--open-spiel", "kuhn", "--out", "x"), 2, "is not a policy"),
        (("strategy", "import", "empty", "--open-spiel", "kuhn", "--out", "x"), 2, "does not say what to do"),
        (("strategy", "import", "empty", "--open-spiel", "chess", "--out", "x"), 2, "no game 'chess'"),
        (("strategy", "import", "absent", "--open-spiel", "kuhn", "--out", "x"), 1, "there is no file"),
        (("strategy", "import", "empty", "--out", "x"), 2, "open-spiel"),
        (("exploitability", "absent"), 1, "there is no file"),
        (("exploitability", "junk"), 2, "not a file of Ludus"),
        (("exploitability", "kuhn", "--against", "leduc"), 2, "for another game"),
        (("exploitability", "kuhn3", "--against", "kuhn3"), 2, "for two-player games"),
        (("solve", "kuhn", "--fixed", "0=absent"), 1, "there is no file"),
    ],
)
def test_bad_files_are_one_clear_sentence(ludus, odd_files, monkeypatch, words, code, message):
    pytest.importorskip("pyspiel")
    monkeypatch.chdir(odd_files)
    found, out, err = ludus(*words)
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1
    assert not Path("x").exists()


# Looking at strategies


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two strategies of Kuhn poker, one of Leduc."""
    from ludus.solvers import solve

    folder = tmp_path_factory.mktemp("strategies")
    solve(kuhn(), "cfr", iterations=50).strategy.save(folder / "kuhn")
    solve(leduc(), "dcfr", iterations=100).strategy.save(folder / "leduc")
    save_uniform(kuhn(), folder / "uniform")
    return folder


def test_strategy_show(ludus, files):
    code, out, _ = ludus("strategy", "show", files / "kuhn")
    assert code == 0
    assert re.search(r"^game: +kuhn$", out, re.MULTILINE)
    assert re.search(r"^iterations: +50$", out, re.MULTILINE)
    assert re.search(r"^ +0 +K:cr +\d+\.\d\d +\d+\.\d\d *$", out, re.MULTILINE)
    code, out, _ = ludus("strategy", "show", files / "kuhn", "--player", 1, "--set", ":r", "--json")
    found = json.loads(out)
    assert [row["information_set"] for row in found["strategy"]] == ["A:r", "K:r", "Q:r"]
    assert found["strategy"][0]["actions"] == pytest.approx({"fold": 0, "call 1": 1}, abs=0.1)
    assert (found["game"], found["algorithm"], found["iterations"], found["seed"]) == ("kuhn", "cfr", 50, 0)
    out = ludus("strategy", "show", files / "leduc", "--limit", 3)[1]
    assert "... and 285 more information sets" in out
    assert "more information" not in ludus("strategy", "show", files / "leduc", "--limit", 0)[1]
    assert "no information set is like that" in ludus("strategy", "show", files / "kuhn", "--set", "zzz")[1]


def test_strategy_diff(ludus, files):
    code, out, _ = ludus("strategy", "diff", files / "kuhn", files / "uniform", "--json")
    found = json.loads(out)
    assert code == 0
    distances = [row["total_variation"] for row in found["differences"]]
    assert distances == sorted(distances, reverse=True)
    assert (found["max"], found["mean"]) == (distances[0], pytest.approx(sum(distances) / 12))
    assert found["differences"][0]["second"] == dict.fromkeys(found["differences"][0]["first"], 0.5)
    one, two = (json.loads(ludus("exploitability", files / name, "--json")[1]) for name in ("kuhn", "uniform"))
    assert found["exploitability"] == pytest.approx([one["exploitability"], two["exploitability"]])
    code, out, _ = ludus("strategy", "diff", files / "kuhn", files / "uniform", "--limit", 2)
    assert code == 0
    assert re.search(r"over 12 information sets: mean 0\.\d+, max 0\.49", out)
    assert "... and 10 more" in out
    same = json.loads(ludus("strategy", "diff", files / "kuhn", files / "kuhn", "--json")[1])
    assert (same["max"], same["different"], same["exploitability_difference"]) == (0, 0, 0)


def test_strategy_export_and_import(ludus, files, tmp_path):
    strategy = Strategy.load(files / "leduc")
    code, out, _ = ludus("strategy", "export", files / "leduc", "--format", "csv")
    assert (code, out) == (0, strategy.to_csv())
    assert ludus("strategy", "export", files / "leduc")[1] == strategy.to_json() + "\n"
    code, out, _ = ludus("strategy", "export", files / "leduc", "--out", tmp_path / "leduc.json")
    assert (code, out) == (0, f"wrote {tmp_path / 'leduc.json'}\n")
    assert ludus("strategy", "export", files / "leduc", "--out", files / "leduc")[0] == 2
    assert (tmp_path / "leduc.json").read_text() == strategy.to_json() + "\n"


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_strategy_to_openspiel_and_back(ludus, files, tmp_path, game):
    pytest.importorskip("pyspiel")
    policy, back = tmp_path / "policy.json", tmp_path / "back"
    assert ludus("strategy", "export", files / game, "--format", "open_spiel", "--out", policy)[0] == 0
    table = json.loads(policy.read_text())
    assert all(sum(chance for _, chance in rows) == pytest.approx(1) for rows in table.values())
    code, out, _ = ludus("strategy", "import", policy, "--open-spiel", game, "--out", back)
    assert code == 0
    assert f"wrote {back}" in out
    old, new = Strategy.load(files / game), Strategy.load(back, make(game))
    np.testing.assert_array_equal(old.probabilities, new.probabilities)


def test_exploitability_of_a_known_strategy(ludus, files):
    code, out, _ = ludus("exploitability", files / "uniform", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["value"] == pytest.approx([1 / 8, -1 / 8])
    assert found["best_response"] == pytest.approx([0.5, 5 / 12])
    assert found["nash_conv"] == pytest.approx(11 / 12)
    assert found["exploitability"] == pytest.approx(11 / 24)
    assert found["information_sets"] == 12
    code, out, _ = ludus("exploitability", files / "uniform")
    assert code == 0
    assert "exploitability 0.458333 chips (458.3 mbb/g)" in out


def test_one_strategy_against_another(ludus, files):
    def against(one, two):
        return json.loads(ludus("exploitability", files / one, "--against", files / two, "--json")[1])["against"]

    found, turned = against("kuhn", "uniform"), against("uniform", "kuhn")
    assert found["first_seat"] == pytest.approx(-turned["second_seat"])
    assert found["second_seat"] == pytest.approx(-turned["first_seat"])
    assert found["mean"] == pytest.approx((found["first_seat"] + found["second_seat"]) / 2)
    assert found["mean"] > 0.1
    same = against("uniform", "uniform")
    assert (same["first_seat"], same["second_seat"]) == (pytest.approx(1 / 8), pytest.approx(-1 / 8))
    out = ludus("exploitability", files / "kuhn", "--against", files / "uniform")[1]
    assert re.search(r"against .*: [+-]0\.\d+ in the first seat, [+-]0\.\d+ in the second", out)


# Stopping and going on


def start(*words: object, **streams) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-m", "ludus", *map(str, words)], **streams)


def wait_for(path: Path, process: subprocess.Popen, seconds: float = 120) -> None:
    """Until a file is there."""
    end = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None, "the command ended too early"
        assert time.monotonic() < end, f"{path.name} was not written"
        time.sleep(0.005)


@pytest.mark.skipif(os.name != "posix", reason="signals and terminals of Unix")
def test_ctrl_c_loses_nothing_and_the_bar_shows_what_matters(tmp_path):
    import pty

    out, checkpoint = tmp_path / "strategy", tmp_path / "checkpoint"
    ours, theirs = pty.openpty()
    shown = io.BytesIO()

    def read() -> None:
        try:
            while data := os.read(ours, 4096):
                shown.write(data)
        except OSError:  # the other end was closed
            pass

    words = ("--target", "1e-12", "--checkpoint", checkpoint, "--checkpoint-every", 500, "--out", out, "--json")
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    process = start("solve", "leduc", "-a", "cfr", *words, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    reader = threading.Thread(target=read)
    reader.start()
    wait_for(checkpoint, process)
    time.sleep(0.3)  # for the bar to be drawn
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    reader.join(timeout=60)
    os.close(ours)
    assert process.returncode == 130
    found = json.loads(printed)
    assert found["stopped_by"] == "interrupt"
    assert found["iterations"] >= 500
    assert Strategy.load(out, leduc()).origin.iterations == found["iterations"]
    text = shown.getvalue().decode()
    assert "leduc cfr: preparing" in text
    assert re.search(r"[\dkM]/s  exploitability [\d.e-]+ \(target 1e-12\)", text)
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("words", "workers"),
    [
        (("leduc", "-a", "external", "--iterations", 1_000_000, "--checkpoint-every", 50_000), (1, 2)),
        (("leduc", "-a", "external", "--grow", "--iterations", 60_000, "--checkpoint-every", 3_000), (1,)),
        (("leduc", "-a", "dcfr", "--iterations", 60_000, "--checkpoint-every", 2_000), (1,)),
    ],
    ids=["sampling", "growing", "exact"],
)
def test_a_killed_run_goes_on_to_the_same_bytes(ludus, tmp_path, words, workers):
    whole = tmp_path / "whole"
    assert ludus("solve", *words[:-2], "--workers", 1, "--seed", 5, "--out", whole)[0] == 0
    for count in workers:
        out, checkpoint = tmp_path / f"out{count}", tmp_path / f"checkpoint{count}"
        command = ("solve", *words, "--workers", count, "--seed", 5, "--out", out, "--checkpoint", checkpoint)
        process = start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for(checkpoint, process)
        process.kill()
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        assert not out.exists()
        code, text, _ = ludus(*command, "--json")
        assert code == 0
        assert out.read_bytes() == whole.read_bytes()
        found = json.loads(text)
        assert found["iterations"] == words[4 if "--grow" not in words else 5]
        assert json.loads(ludus(*command, "--json")[1])["iterations_per_second"] == 0  # nothing was left to do


def test_a_checkpoint_of_another_run_is_refused(ludus, tmp_path):
    words = ("solve", "kuhn", "-a", "external", "--iterations", 500, "--checkpoint", tmp_path / "file")
    assert ludus(*words)[0] == 0
    for other in (("--seed", 1), ("--streams", 2), ("--baseline", 0.1)):
        code, out, err = ludus(*words, *other)
        assert (code, out) == (2, "")
        assert "it is of another run" in err
