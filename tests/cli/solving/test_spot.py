"""``ludus solve spot`` and ``ludus spot`` as a user types them."""

from __future__ import annotations

import csv
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

from ludus.solvers.spot.solution import Solution
from ludus.trees.spot import Spot

RIVER = """
board = "Ks Th 6h 4c 2s"
pot = 100
stack = 100
oop = "KK, QdJd, QcJc, 9c8c"
ip = "AA"

[sizes.river.oop]
bet = "a"
"""
TURN = """
board = "Ks Th 6h 4c"
pot = 100
stack = 200
oop = "AA, QJs, 76s"
ip = "QQ, KJs"

[sizes.turn]
bet = "50%"
raise = "a"

[sizes.river]
bet = "75%"
"""
FLOP = """
board = "Ks Th 6h"
pot = 60
stack = 60
oop = "AA, QJs"
ip = "QQ, 98s"

[sizes.flop]
bet = "50%, a"

[sizes.turn]
bet = "a"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Spot files, and solutions of them."""
    from ludus.solvers.spot.solve import solve_spot

    folder = tmp_path_factory.mktemp("spots")
    for name, text in (("river", RIVER), ("turn", TURN), ("flop", FLOP)):
        (folder / f"{name}.toml").write_text(text)
        spot = Spot.load(folder / f"{name}.toml")
        Solution.of(solve_spot(spot, iterations=40)).save(folder / name)
    other = Spot.from_dict({**spot.to_dict(), "sizes": {"flop": {"bet": "a"}}})
    Solution.of(solve_spot(other, iterations=40)).save(folder / "other", rivers=False)
    (folder / "junk").write_bytes(bytes(range(256)))
    (folder / "junk.toml").write_text("board = ")
    (folder / "suits.toml").write_text(FLOP.replace("AA, QJs", "AhAd"))
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


# Solving


def test_solve_prints_what_was_asked_for(ludus, here):
    code, out, err = ludus("solve", "spot", "river.toml", "--target", 0.05, "--json", "--hands")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert {
        "exploitability_percent", "ev", "equity", "root", "iterations", "seconds", "memory_mb", "nodes", "hand_ev",
    } <= found.keys()  # fmt: skip
    assert 0 <= found["exploitability_percent"] <= 0.05
    assert found["ev"] == pytest.approx({"oop": 75, "ip": 25}, abs=0.2)
    assert found["equity"] == {"oop": 0.5, "ip": 0.5}
    assert found["root"]["actions"] == ["X", "B100"]
    assert found["root"]["frequencies"] == pytest.approx([0.25, 0.75], abs=0.01)
    assert found["hand_ev"]["oop"].keys() == {"KdKc", "KhKc", "KhKd", "QdJd", "QcJc", "9c8c"}
    assert found["hand_ev"]["oop"]["KhKd"] == pytest.approx(150, abs=3)
    assert len(found["hand_ev"]["ip"]) == 6
    assert found["memory_mb"] == pytest.approx(8 * (2 * 6 + 3 * 6) / 1e6)  # two actions of OOP's hands, three of IP's
    assert found["nodes"] == 6  # the start, X, X-X, B100, B100-F, B100-C
    assert (found["target"], found["stopped_by"], found["zero_sum"]) == (0.05, "target", True)
    assert found["best_response"]["oop"] + found["best_response"]["ip"] >= 100
    assert found["checks"][-1][0] == found["iterations"]
    assert Spot.from_dict(found["spot"]) == Spot.load("river.toml")


def test_a_flop_is_estimated_fast_and_says_how_wrong_it_may_be(ludus, here):
    code, out, _ = ludus("solve", "spot", "flop.toml", "--fast", "--out", "fast")
    assert code == 0
    assert "an estimate, by a value network behind the flop, after 100 iterations" in out
    assert re.search(r"off by [\d.]+ % of the pot on average, in 19 of 20 cases by less than [\d.]+ %", out)
    assert "exploitability" not in out
    assert "best response" not in out
    code, out, _ = ludus("spot", "show", "fast", "--line", "X")
    assert (code, "An estimate: EVs of a range are off by" in out) == (0, True)
    found = json.loads(ludus("solve", "spot", "flop.toml", "--fast", "--json")[1])
    assert found["estimate"].keys() == {"value_mean", "value_p95", "loss_mean", "loss_p95", "measured"}
    assert found["exploitability_percent"] is found["exploitability"] is found["best_response"] is None
    assert found["ev"]["oop"] + found["ev"]["ip"] == pytest.approx(60, abs=0.01)
    shown = json.loads(ludus("spot", "show", "fast", "--json")[1])
    assert (shown["estimate"], shown["exploitability_percent"]) == (found["estimate"], None)
    assert shown["frequencies"] == pytest.approx(found["root"]["frequencies"], abs=1e-3)
    assert "trees" in json.loads(ludus("spot", "compare", "fast", "flop", "--json")[1])


def test_a_river_is_solved_exactly_however_fast_it_should_be(ludus, here):
    code, out, err = ludus("solve", "spot", "river.toml", "--fast")
    assert (code, "this is solved exactly" in err, "exploitability" in out) == (0, True, True)
    assert json.loads(ludus("solve", "spot", "river.toml", "--fast", "--json")[1])["estimate"] is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--rake", "5%"), "value networks know no rake"),
        (("--compress",), "are for exact solutions, not for --fast"),
        (("--plot", "x.png"), "are for exact solutions, not for --fast"),
    ],
)
def test_what_fast_solutions_cannot_do_is_refused(ludus, here, words, told):
    code, _, err = ludus("solve", "spot", "flop.toml", "--fast", *words)
    assert (code, told in err) == (2, True)


def test_options_go_before_the_file(ludus, here):
    words = (
        "--pot",
        50,
        "--ip",
        "AhAd",
        "--river-bet",
        "50%",
        "--river-raise",
        "a",
        "--raise-cap",
        0,
        "--rake",
        "5% cap 1",
    )
    code, out, _ = ludus("solve", "spot", "river.toml", *words, "--iterations", 3, "--json")
    found = json.loads(out)
    assert code == 0
    spot = Spot.from_dict(found["spot"])
    assert (spot.pot, spot.stack, spot.ip, spot.rules.raise_cap, str(spot.rake)) == (50, 100, "AhAd", 0, "5% cap 1")
    assert [str(sizes.bet) for sizes in spot.menu.streets[3]] == ["50%", "50%"]
    assert (found["iterations"], found["stopped_by"], found["target"]) == (3, "iterations", None)
    assert "hand_ev" not in found
    assert sum(found["ev"].values()) == pytest.approx(49)


def test_a_spot_without_a_file(ludus):
    words = ("--board", "KsTh6h4c2s", "--pot", 100, "--stack", 100, "--oop", "KK,QJs", "--ip", "AA", "--bet", "a")
    code, out, _ = ludus("solve", "spot", *words, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["target"] == 0.5
    assert found["exploitability_percent"] <= 0.5
    assert found["root"]["actions"] == ["X", "B100"]
    code, out, _ = ludus("solve", "spot", *words, "--river-bet", "", "--iterations", 1, "--json")
    assert json.loads(out)["root"]["actions"] == ["X"]


def test_what_a_person_reads(ludus, here, tmp_path):
    out_file, plot = tmp_path / "new" / "solution", tmp_path / "plot.png"
    code, out, err = ludus("solve", "spot", "turn.toml", "--target", 5, "--out", out_file, "--plot", plot, "--hands")
    assert code == 0
    assert re.search(r"^Ks Th 6h 4c, pot 100, stacks 200: .* nodes with the cards, .* MB of memory$", err.strip())
    for words in ("exploitability", "EV in chips", "OOP at the start: check", "OOP: EV of each hand", "AsAh"):
        assert words in out
    assert f"wrote {out_file}" in out
    assert f"ludus spot show {out_file} --line X" in out
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert Solution.load(out_file).measured.percent <= 5
    _, out, _ = ludus("solve", "spot", "turn.toml", "--iterations", 2, "--target", 1e-9, "--rake", "5%")
    assert "The target of 1e-09 % was not reached." in out
    assert "no longer zero-sum" in out
    assert "--out FILE keeps the solution" in out


def test_rivers_can_be_left_out_of_the_file(ludus, here, tmp_path):
    for more in ((), ("--no-rivers",)):
        code, _, _ = ludus("solve", "spot", "turn.toml", "--iterations", 3, "--out", tmp_path / f"s{len(more)}", *more)
        assert code == 0
    assert (tmp_path / "s1").stat().st_size < (tmp_path / "s0").stat().st_size / 3
    assert not Solution.load(tmp_path / "s1").rivers
    code, out, err = ludus("spot", "show", tmp_path / "s1", "--line", "X-X-2c")
    assert (code, out) == (2, "")
    assert "saved without its rivers" in err


def test_a_run_goes_on_from_its_checkpoint(ludus, here, tmp_path):
    words = ("solve", "spot", "turn.toml", "--checkpoint", tmp_path / "run", "--json")
    first = json.loads(ludus(*words, "--iterations", 4)[1])
    second = json.loads(ludus(*words, "--iterations", 9)[1])
    whole = json.loads(ludus("solve", "spot", "turn.toml", "--iterations", 9, "--json")[1])
    assert (first["iterations"], second["resumed_from"], second["iterations"]) == (4, 4, 9)
    assert second["ev"] == whole["ev"]
    assert "resumed after 9 iterations" in ludus(*words[:-1], "--iterations", 10)[1]
    code, _, err = ludus(*words, "--iterations", 12, "--pot", 90)
    assert code == 2
    assert "another run: pot" in err


def test_what_does_not_fit_is_refused_with_a_remedy(ludus, here):
    words = ("solve", "spot", "flop.toml", "--bet", "25%, 50%, 75%, a", "--max-memory")
    code, out, err = ludus(*words, 0.009)
    assert (code, out) == (2, "")
    assert re.search(
        r"this spot takes \S+ MB of memory and 9 MB are there; it fits with one bet and one raise size", err
    )
    assert re.search(r" or starting on the turn \(\S+ MB\) or ranges with \S+ % of the hands", err)
    assert "or one bet and one raise size each" in ludus(*words, 0.00001)[2]
    assert err.count("\n") == 1


def test_an_interrupt_ends_a_run_without_loss(here, tmp_path):
    command = [sys.executable, "-m", "ludus", "solve", "spot", "turn.toml", "--target", "1e-12", "--json"]
    run = subprocess.Popen(
        [*command, "--out", tmp_path / "solution", "--checkpoint", tmp_path / "run"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip

    def interrupt():
        time.sleep(8)
        while run.poll() is None:
            run.send_signal(signal.SIGINT)
            time.sleep(30)

    threading.Thread(target=interrupt, daemon=True).start()
    out, _ = run.communicate(timeout=200)
    if not out:
        pytest.skip("the interrupt came before the solver was ready")
    found = json.loads(out)
    assert run.returncode == 130
    assert found["stopped_by"] == "interrupt"
    assert Solution.load(tmp_path / "solution").iterations == found["iterations"] > 0
    assert (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "needs board"),
        (("absent.toml",), "there is no file absent.toml"),
        (("junk.toml",), "not a TOML file"),
        (("river.toml", "--board", "Ks"), "3, 4 or 5 different cards"),
        (("river.toml", "--pot", "0"), "pot is a whole number"),
        (("river.toml", "--oop", "nonsense"), "the oop range is not valid"),
        (("river.toml", "--river-bet", "half"), "is not a bet size"),
        (("river.toml", "--rake", "all"), "rake"),
        (("river.toml", "--target", "0"), "--target must be above 0"),
        (("river.toml", "--time", "-1"), "--time must be above 0"),
        (("river.toml", "--iterations", "0"), "--iterations must be above 0"),
        (("river.toml", "--algorithm", "magic"), "algorithms for spots are"),
        (("river.toml", "--algorithm", "hs-dcfr"), "must know its number of iterations"),
        (("river.toml", "--workers", "0"), "workers"),
        (("river.toml", "--plot", "plot.txt"), "ending in .png"),
        (("river.toml", "--out", "river.toml"), "are different files"),
        (("river.toml", "--out", "x", "--checkpoint", "x"), "are different files"),
        (("river.toml", "--no-rivers"), "needs --out"),
        (("river.toml", "--no-rivers", "--out", "x"), "no other street"),
        (("river.toml", "--out", "."), "cannot write"),
        (("river.toml", "--max-memory", "0"), "this spot takes"),
        (("river.toml", "--nonsense",), "--nonsense"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_sentence(ludus, here, words, message):
    code, out, err = ludus("solve", "spot", *words)
    assert (code, out) == (1 if "absent" in str(words) else 2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not Path("x").exists()


# The forms of solving


def test_games_are_solved_as_before(ludus):
    assert json.loads(ludus("solve", "kuhn", "--iterations", 5, "--json")[1])["game"] == "kuhn"
    assert json.loads(ludus("solve", "--iterations", 5, "--json", "kuhn")[1])["game"] == "kuhn"
    assert "dcfr" in ludus("solve", "--list")[1]
    code, out, _ = ludus("solve", "--help")
    assert code == 0
    assert "ludus solve  [OPTIONS]" in out
    for word in ("--algorithm", "ludus solve spot", "ludus solve pushfold"):
        assert word in " ".join(out.replace("│", " ").split())
    code, _, err = ludus("solve")
    assert (code, "name a game" in err) == (2, True)
    assert ludus("solve", "chess")[0] == 2


@pytest.mark.parametrize(
    "words", [("solve", "spot"), ("solve", "pushfold"), ("spot",), ("spot", "show"), ("range-equity",)]
)
def test_help_starts_without_heavy_libraries(words):
    code = (
        f"import sys; sys.argv = ['ludus', *{words!r}, '--help']\nfrom ludus.cli.main import main\n"
        "try: main()\nexcept SystemExit as stop: assert not stop.code\n"
        "print(sorted({'numba', 'numpy', 'matplotlib'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip().endswith("[]")
    assert "Usage: ludus " + " ".join(words) in run.stdout


# Looking


def test_show_prints_a_decision_and_its_chart(ludus, here):
    code, out, err = ludus("spot", "show", "turn", "--line", "X-B50")
    assert (code, err) == (0, "")
    assert "OOP on Ks Th 6h 4c after X-B50: pot 150, 50 to call, 200 behind" in out
    view = Solution.load("turn").at("X-B50")
    for name, action, often, ev in zip(view.names, view.actions, view.frequencies, view.mean_action_ev, strict=True):
        assert re.search(
            rf"^{name} +{100 * often:.2f} +{ev:.3f} +X-B50-{action}\s*$".replace("nan", "-"), out, re.MULTILINE
        )
    assert re.search(r"^A  \S", out, re.MULTILINE)  # the chart, in letters where there are no colours
    assert f"C call 50: {100 * view.frequencies[1]:.1f} %" in out
    _, out, _ = ludus("spot", "show", "turn", "--ev")
    assert "EV in chips, from" in out
    _, out, _ = ludus("spot", "show", "turn", "--equity", "--player", "ip")
    assert "equity in %, from" in out
    _, out, _ = ludus("spot", "show", "turn", "--player", "ip")
    assert "% of the hands that come here, from 100 to 100" in out
    _, out, _ = ludus("spot", "show", "turn", "--hands", "--line", "X")
    assert re.search(r"^KsJs", out, re.MULTILINE) is None  # on the board
    assert re.search(r"^KhJh +KJs +100.0 +\d", out, re.MULTILINE)


def test_show_in_colour(here):
    env = {**os.environ, "FORCE_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}
    for more in ((), ("--ev",)):
        run = subprocess.run(
            [sys.executable, "-m", "ludus", "spot", "show", "turn", *more],
            capture_output=True,
            text=True,
            env=env,
            check=True,
        )
        assert run.stdout.count("\x1b[38;2;") >= 3


def test_show_as_json_csv_and_plot(ludus, here, tmp_path):
    files = ("--csv", tmp_path / "new" / "hands.csv", "--plot", tmp_path / "chart.svg")
    code, out, _ = ludus("spot", "show", "turn", "--line", "X", "--json", "--hands", *files)
    found = json.loads(out)
    assert code == 0
    view = Solution.load("turn").at("X")
    assert found["ev"] == pytest.approx(dict(zip(("oop", "ip"), view.mean_ev, strict=True)))
    assert found["frequencies"] == pytest.approx(view.frequencies.tolist())
    assert (found["player"], found["actions"], found["pot"]) == ("ip", ["X", "B50"], 100)
    assert found["exploitability_percent"] > 0
    rows = list(csv.DictReader((tmp_path / "new" / "hands.csv").open()))
    assert [row["hand"] for row in rows] == list(found["hands"]["ip"])
    assert float(rows[0]["B50"]) == found["hands"]["ip"][rows[0]["hand"]]["strategy"][1]
    assert (tmp_path / "chart.svg").read_text().startswith("<?xml")
    assert "hands" not in json.loads(ludus("spot", "show", "turn", "--json")[1])
    for more in (("--ev",), ("--player", "oop")):
        assert ludus("spot", "show", "turn", "--line", "X", *more, "--plot", tmp_path / "chart.png")[0] == 0
        assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")


def test_a_line_that_is_never_taken(ludus, here, tmp_path):
    words = ("--board", "KsTh6h4c2s", "--pot", 100, "--stack", 100, "--oop", "KK", "--ip", "AA", "--bet", "a")
    ludus("solve", "spot", *words, "--iterations", 500, "--out", tmp_path / "nuts")
    code, out, _ = ludus("spot", "show", tmp_path / "nuts", "--line", "X-B100")
    assert code == 0
    assert "This line is never taken" in out
    code, out, _ = ludus("spot", "show", tmp_path / "nuts", "--line", "X-B100", "--json", "--hands")
    assert json.loads(out)["frequencies"] == [None, None]


def test_report_card_by_card(ludus, here, tmp_path):
    code, out, err = ludus(
        "spot", "report", "flop", "--line", "X-X", "--csv", tmp_path / "r.csv", "--plot", tmp_path / "r.png"
    )
    assert (code, err) == (0, "")
    assert "A card comes on Ks Th 6h after X-X, pot 60; OOP decides after the card: check, all-in 60" in out
    assert len(re.findall(r"^[2-9TJQKA][cdhs] ", out, re.MULTILINE)) == 49
    assert re.search(r"^mean +100.00", out, re.MULTILINE)
    rows = list(csv.DictReader((tmp_path / "r.csv").open()))
    assert len(rows) == 49
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1)
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(ludus("spot", "report", "flop", "--line", "X-X", "--json")[1])
    assert [card["card"] for card in found["cards"]] == [row["card"] for row in rows]
    assert sum(found["mean"]["ev"].values()) == pytest.approx(60, abs=1e-2)
    code, out, _ = ludus("spot", "report", "flop", "--line", "B60-C")
    assert (code, "both players are all-in" in out) == (0, True)


def test_compare_two_trees(ludus, here):
    code, out, err = ludus("spot", "compare", "flop", "other")
    assert (code, err) == (0, "")
    assert re.search(r"^OOP bet 30 % +\d+\.\d +- *$", out, re.MULTILINE)
    assert re.search(r"^EV of OOP +\S+ +\S+ +[+-]\d", out, re.MULTILINE)
    assert "most gained" in out
    found = json.loads(ludus("spot", "compare", "flop", "other", "--json")[1])
    one, two = (Solution.load(name).at() for name in ("flop", "other"))
    assert found["ev_difference"]["oop"] == pytest.approx(two.mean_ev[0] - one.mean_ev[0])
    assert [side["actions"] for side in found["trees"]] == [["X", "B30", "B60"], ["X", "B60"]]


def test_export(ludus, here, tmp_path):
    found = json.loads(ludus("spot", "export", "turn")[1])
    known = Solution.load("turn")
    assert [each["line"] for each in found["decisions"]] == ["", "X", "X-B50", "X-B50-B200", "B50", "B50-B200"]
    assert Spot.from_dict(found["spot"]) == known.spot
    assert found["decisions"][0]["hands"]["oop"]["AsAh"]["strategy"] == pytest.approx(
        known.at().strategy[:, -1].tolist()
    )
    code, out, _ = ludus("spot", "export", "turn", "--format", "csv", "--line", "X-X-2c", "--out", tmp_path / "out.csv")
    assert (code, f"wrote {tmp_path / 'out.csv'}" in out) == (0, True)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    view = known.at("X-X-2c")
    here_rows = [row for row in rows if row["line"] == "X-X-2c"]
    assert len(here_rows) == view.strategy.size
    assert np.array([float(row["frequency"]) for row in here_rows]) == pytest.approx(view.strategy.T.ravel())


# Many flops


def test_flops_are_solved_once_and_averaged(ludus, here, tmp_path):
    words = ("spot", "flops", "flop.toml", "--flops", "Ah7c2d, QcQd2d", "--out", tmp_path / "flops", "--iterations", 5)
    code, out, err = ludus(*words)
    assert (code, err) == (0, "")
    assert re.search(r"^2 of 2 flops$", out, re.MULTILINE)
    assert re.search(r"^mean +100 ", out, re.MULTILINE)
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "flops").glob("*.solution")}
    assert sorted(path.stem for path in files) == ["Ah7c2d", "QcQd2d"]
    found = json.loads(ludus(*words, "--json", "--csv", tmp_path / "more.csv")[1])
    assert {path: path.stat().st_mtime_ns for path in files} == files  # not solved again
    rows = list(csv.DictReader((tmp_path / "flops" / "report.csv").open()))
    assert (tmp_path / "more.csv").read_bytes() == (tmp_path / "flops" / "report.csv").read_bytes()
    assert [row["flop"] for row in rows] == [row["flop"] for row in found["flops"]] == ["Ah7c2d", "QcQd2d"]
    weights = [row["weight"] for row in found["flops"]]
    mean = np.average([row["ev oop"] for row in found["flops"]], weights=weights)
    assert found["mean"]["ev"]["oop"] == pytest.approx(mean)
    assert sum(found["mean"]["frequencies"].values()) == pytest.approx(1)
    code, out, _ = ludus(*words[:3], "--count", 1, "--out", tmp_path / "one", "--iterations", 1)
    assert (code, "1 of 1 flops" in out) == (0, True)


def test_flops_that_cannot_come_are_left_out(ludus, here, tmp_path):
    words = ("--flops", "AhAd2c, AhAdAc", "--out", tmp_path / "flops", "--iterations", 1)
    (tmp_path / "aces.toml").write_text(FLOP.replace("AA, QJs", "AA"))
    code, out, err = ludus("spot", "flops", tmp_path / "aces.toml", *words)
    assert code == 0
    assert "AhAdAc is left out: the oop range has no hand left" in err
    assert "1 of 2 flops" in out


# Bad input


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("show", "absent"), 1, "there is no file absent"),
        (("show", "junk"), 2, "not a file of Ludus"),
        (("show", "turn", "--line", "B7"), 2, "'B7' is not possible at the start"),
        (("show", "turn", "--line", "X-X"), 2, "a card comes after X-X"),
        (("show", "turn", "--player", "hero"), 2, "oop or ip"),
        (("show", "turn", "--ev", "--equity"), 2, "one at a time"),
        (("show", "turn", "--plot", "plot.txt"), 2, "ending in .png"),
        (("report", "turn"), 2, "one is 'X-X'"),
        (("report", "other", "--line", "X-X-2c-X-X"), 2, "saved without its rivers"),
        (("compare", "turn", "flop"), 2, "but board is"),
        (("compare", "turn", "junk"), 2, "not a file of Ludus"),
        (("export", "turn", "--format", "xml"), 2, "one of json, csv"),
        (("export", "turn", "--out", "turn"), 2, "give another file"),
        (("flops", "turn.toml", "--flops", "Ah7c", "--out", "x"), 2, "three cards"),
        (("flops", "turn.toml", "--flops", "Ah7c2d", "--count", "3", "--out", "x"), 2, "give one of them"),
        (("flops", "suits.toml", "--count", "3", "--out", "x"), 2, "name the flops"),
        (("flops", "flop.toml", "--count", "5000", "--out", "x"), 2, "1 to 1755"),
        (("flops", "flop.toml", "--count", "3"), 2, "out"),
    ],
)
def test_bad_questions_are_one_clear_sentence(ludus, here, words, code, message):
    found, out, err = ludus("spot", *words)
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1
    assert not Path("x").exists()
