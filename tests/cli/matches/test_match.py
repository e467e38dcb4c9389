"""The commands of the arena as their users type them."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ludus import games, solvers
from ludus.arena.log import read_log
from ludus.cli.main import main
from ludus.solvers.measure import expected_values


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name, iterations in (("good", 200), ("poor", 2)):
        solvers.solve(games.leduc_nl(), "dcfr", iterations=iterations).strategy.save(folder / f"{name}.safetensors")
    return f"strategy:{folder / 'good.safetensors'}", f"strategy:{folder / 'poor.safetensors'}"


def test_match_prints_what_machines_want(ludus, tables):
    code, out, _ = ludus("match", *tables, "--hands", "2000", "--duplicate", "--aivat", "--one-sided", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["game"] == "leduc-nl"  # that of the strategies
    assert (found["hands"], found["pairs"]) == (2000, 1000)
    assert found["mbb_per_game"]["mean"] > 0
    assert found["mbb_per_game"]["ci95"] > 0
    assert found["aivat"]["variance_ratio"] > 5
    assert found["aivat"]["ci95"] < found["mbb_per_game"]["ci95"]
    assert (found["mbb_per_game"]["too_few"], found["aivat"]["too_few"]) == (False, False)
    assert found["win_rate"] + found["tie_rate"] + found["loss_rate"] == pytest.approx(1)
    assert found["seconds"] > 0
    assert [player["name"] for player in found["players"]] == ["good", "poor"]


def test_aivat_agrees_with_the_exact_value(ludus, tables):
    found = json.loads(ludus("match", *tables, "--hands", "8000", "--duplicate", "--aivat", "--json")[1])
    files = [spec.partition(":")[2] for spec in tables]
    good, poor = (solvers.Strategy.load(file) for file in files)
    value = 10 * (expected_values(good, poor)[0] - expected_values(poor, good)[0]) / 2
    assert abs(found["aivat"]["mean"] - value) < 1.5 * found["aivat"]["ci95"]


def test_match_writes_its_folder_and_report_reads_it(ludus, tmp_path):
    out = tmp_path / "m"
    code, text, err = ludus("match", "tight", "loose", "--hands", "60", "--seed", "4", "--baseline", "--out", str(out))
    assert code == 0, err
    assert "against" in text
    assert "(too few)" in text
    assert "only 60 hands: too few to trust a 95 % interval" in " ".join(text.split())
    names = {path.name for path in out.iterdir()}
    assert names >= {
        "hands.log", "results.json", "statistics.csv", "gain.png", "gain.svg", "style.png", "hands.txt", "hands.phhs",
        "times.json", "baseline",
    }  # fmt: skip
    results = json.loads((out / "results.json").read_text())
    again = json.loads(ludus("report", str(out), "--json")[1])
    assert again["players"][0]["mbb_per_game"] == results["players"][0]["mbb_per_game"]
    ludus("match", "tight", "loose", "--hands", "60", "--seed", "5", "--out", str(tmp_path / "n"))
    both = json.loads(ludus("report", str(out), str(tmp_path / "n"), "--json")[1])
    assert both["hands"] == 120
    assert both["seed"] == [4, 5]
    code, text, _ = ludus("hands", str(out / "hands.log"), "--to", "json")
    assert code == 0
    assert len(text.splitlines()) == 60


def test_six_players_and_the_last_one_takes_the_free_seats(ludus):
    found = json.loads(
        ludus("match", "tight", "call", "--game", "holdem6", "--hands", "11", "--duplicate", "--json")[1]
    )
    assert found["hands"] == 12
    assert [player["name"] for player in found["players"]] == ["tight", *["call"], *(f"call#{n}" for n in range(2, 6))]
    total = sum(player["mbb_per_game"]["mean"] for player in found["players"])
    assert total == pytest.approx(0, abs=1e-6)


def test_freezeouts_and_their_figures(ludus):
    args = ("match", "random", "call", "--freezeout", "--hands", "20", "--stack", "100", "--blinds", "5/10", "--json")
    found = json.loads(ludus(*args)[1])
    assert found["units"] == 20
    assert found["hands"] > 20
    assert found["players"][0]["average_stack"] == pytest.approx(200 * found["win_rate"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("call", "nobody"), "there is no player 'nobody'"),
        (("call", "call", "call"), "has 2 seats, got 3"),
        (("call", "call", "--game", "nothing"), "there is no game"),
        (("call", "call", "--game", "rps"), "not a poker game"),
        (("call", "call", "--heuristic", "equity"), "are for --aivat"),
        (("call", "call", "--one-sided"), "are for --aivat"),
        (("human", "call", "--duplicate"), "a person must not know"),
        (("human", "human"), "one person at a table"),
        (("call", "human", "--baseline"), "that is you"),
        (("lose", "call"), "did you mean loose?"),
        (("spot-solver", "call", "--game", "leduc"), "plays heads-up hold'em only"),
        (("exec:/no/such/bot", "call", "--game", "leduc.nolimit.2p.game"), "there is no program"),
        (("call", "call", "--aivat", "--heuristic", "magic"), "no value heuristic"),
        (("heuristic-mc", "heuristic-mc", "--aivat"), "none of these can"),
        (("call", "call", "--aivat", "--game", "holdem6"), "AIVAT is for two players"),
        (("strategy:absent.safetensors", "call"), "there is no file"),
        (("exec:./bot", "call"), "give a .game file"),
        (("call", "call", "--freezeout", "--duplicate"), "no duplicate"),
        (("call", "call", "--bets", "all"), "holdem has no --bets"),
        (("call", "call", "--decks", "/"), "is not a file of decks"),
    ],
)
def test_bad_requests_are_one_sentence(ludus, args, message):
    code, out, err = ludus("match", *args, "--hands", "2")
    assert code in (1, 2)
    assert not out
    assert message in err
    assert len(err.splitlines()) == 1


def test_an_interrupted_match_says_where_it_goes_on(tmp_path):
    command = [sys.executable, "-m", "ludus", "match", "random", "call", "--hands", "1000000", "--out", str(tmp_path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    log, deadline = tmp_path / "hands.log", time.monotonic() + 90
    try:
        while time.monotonic() < deadline and not (log.exists() and log.read_bytes().count(b"\n") > 200):
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=90)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "the same command goes on from" in err
    assert "mbb/g" in out
    assert len(read_log(tmp_path).hands) > 100


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_workers_and_programs_end_with_the_match(tmp_path, number):
    bot = tmp_path / "silent.py"
    bot.write_text("import sys, socket, time\nc = socket.create_connection((sys.argv[1], int(sys.argv[2])))\n"
                   "c.sendall(b'VERSION:2.0.0\\n')\ntime.sleep(600)\n")  # fmt: skip
    command = ["match", f"exec:{sys.executable} {bot}", "call", "--game", "leduc.nolimit.2p.game", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "ludus", *command], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 90
    try:
        while time.monotonic() < deadline and not _running(str(bot)):
            time.sleep(0.2)
        assert _running(str(bot))
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline and _running(str(bot)):
        time.sleep(0.2)
    assert not _running(str(bot))


def _running(word: str) -> list[int]:
    """Programs, not their parents, with a word on their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().decode("utf-8", "replace").split("\0")
            if word in words:
                found.append(int(path.parent.name))
    return found


def test_results_without_variance_are_shown(ludus):
    assert ludus("match", "call", "call", "--game", "leduc", "--hands", "1", "--aivat")[0] == 0
    assert ludus("match", "call", "call", "--game", "kuhn", "--hands", "10", "--aivat", "--heuristic", "zero")[0] == 0
    args = ("tournament", "call", "random", "--game", "kuhn", "--hands", "2", "--json")
    assert json.loads(ludus(*args)[1], parse_constant=pytest.fail)["ranking"]


def test_a_person_in_a_match_sees_what_he_may_type(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("c\nc\nc\nc\nq\n"))
    monkeypatch.setattr(sys, "argv", ["ludus", "match", "human", "call", "--hands", "3", "--seed", "2"])
    with pytest.raises(SystemExit) as end:
        main()
    out, err = capsys.readouterr()
    assert end.value.code == 130
    assert "c check" in out
    assert "showdown" in out
    assert "1 hand, seed 2" in out
    assert "stopped early" in err


def test_tournament(ludus, tmp_path):
    args = ("tournament", "call", "random", "always-raise", "--game", "leduc", "--hands", "40", "--out", str(tmp_path))
    code, out, err = ludus(*args)
    assert code == 0, err
    assert "place" in out
    found = json.loads(ludus(*args, "--json")[1])
    assert "only 20 units of each match: too few" in out
    assert (found["units"], found["ranking"][0]["too_few"]) == (20, True)
    assert len(found["ranking"]) == 3
    assert found["cross_table"]["call"]["random"]["mean"] == -found["cross_table"]["random"]["call"]["mean"]
    assert (tmp_path / "tournament.csv").exists()


def test_agents_are_listed(ludus):
    known = json.loads(ludus("agents", "--json")[1])
    assert {
        "random",
        "call",
        "heuristic-mc",
        "always-raise",
        "tight",
        "loose",
        "strategy",
        "spot-solver",
        "exec",
    } <= set(known)


@pytest.mark.slow
def test_pricope_baselines_in_small(ludus, tmp_path):
    found = json.loads(
        ludus("reproduce", "pricope-baselines", "--games", "4", "--hands", "20", "--out", str(tmp_path), "--json")[1]
    )
    assert len(found["rows"]) == 6
    for row in found["rows"]:
        if row["reading"] == "freeze-out":
            assert row["average_stack"] == pytest.approx(200 * row["win_rate"])
    assert found["fits"]["source_gap"] == pytest.approx(4.2)
