"""The commands as a user types them."""

import json
import os
import re
import subprocess
import sys

import pytest

from ludus.agents import make as make_agent
from ludus.games import holdem


def test_help_is_a_table_of_contents(ludus):
    code, out, _ = ludus("--help")
    assert code == 0
    for command in ("play", "equity", "games", "solve", "strategy", "exploitability", "bench", "reproduce"):
        assert re.search(rf"\b{command}\b", out)


def test_games_lists_all_of_them(ludus):
    code, out, _ = ludus("games", "--json")
    assert code == 0
    rows = {row["name"]: row for row in json.loads(out)}
    assert {"rps", "kuhn", "kuhn3", "leduc", "leduc-nl", "holdem"} <= set(rows)
    assert rows["kuhn3"]["players"] == 3
    assert not rows["prisoners-dilemma"]["zero_sum"]
    assert ludus("games")[0] == 0


# Playing


def test_play_over_a_pipe(ludus):
    script = "c\n" * 200 + "q\n"
    code, out, err = ludus("play", "--seed", "3", "--opponent", "call", stdin=script)
    assert code == 0
    assert err == ""
    assert "Hand 2" in out
    assert "showdown" in out
    summary = out.strip().splitlines()[-2]
    within = r"\(95 % interval [+-]\d+ to [+-]\d+: too few hands\)"  # 50 of them
    assert re.fullmatch(rf"\d+ hands, [+-]\d+ chips, [+-]\d+ mbb/h {within}", summary)


def test_play_is_the_same_for_a_seed(ludus):
    first = ludus("play", "--seed", "8", "--hands", "3", "--seats", "4", stdin="c\n" * 40)
    assert first == ludus("play", "--seed", "8", "--hands", "3", "--seats", "4", stdin="c\n" * 40)
    assert first[1] != ludus("play", "--seed", "9", "--hands", "3", "--seats", "4", stdin="c\n" * 40)[1]


def test_play_explains_bad_input_and_goes_on(ludus):
    bad = ["x", "r", "r 3", "r 9999", "r x", "r -5", "r 0", "r 1.5", "r " + "9" * 5000, "", "?", "call 20", "fold me"]
    code, out, _ = ludus("play", "--seed", "3", "--opponent", "call", stdin="\n".join([*bad, "r 10", "q"]))
    assert code == 0
    for word in ("x", "call 20", "fold me"):
        assert f"'{word}' is not an action" in out
    assert out.count("say how much to raise to, in whole chips: r 4") == 6
    assert "a raise here is to between 4 and 200 chips, not to 3" in out
    assert "not to 9999" in out
    assert "BB call: call 8" in out
    assert "No hand was finished" in out


def test_all_in_means_what_it_can(ludus):
    _, out, _ = ludus("play", "leduc", "--opponent", "call", "--seed", "1", stdin="all in\nq\n")
    assert "one cannot go all-in here; a raise is to 3" in out
    words = ("play", "--opponent", "random", "--seed", "5", "--hands", "20")
    _, out, _ = ludus(*words, stdin="a\n" * 100)
    assert out.count("showdown") > 3


def test_a_game_file_can_be_played(ludus):
    code, out, _ = ludus("play", "leduc.nolimit.2p.game", "--opponent", "call", "--seed", "1", stdin="c\nc\nq\n")
    assert code == 0
    assert "showdown on" in out
    assert ludus("play", "absent.game")[0] == 2
    assert "has no --stack" in ludus("play", "leduc.nolimit.2p.game", "--stack", "5")[2]


def test_play_without_standard_input(ludus, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    from ludus.cli.playing import table

    table.TerminalTable(holdem(), make_agent("call"), "call", 1).run(1)


def test_play_ends_well_when_the_input_ends(ludus):
    code, out, _ = ludus("play", "--seed", "3")
    assert code == 0
    assert "No hand was finished" in out


@pytest.mark.parametrize("game", ["kuhn", "kuhn3", "leduc", "leduc-nl", "holdem6"])
@pytest.mark.parametrize("opponent", ["random", "call"])
def test_every_poker_game_can_be_played(ludus, game, opponent):
    code, out, _ = ludus("play", game, "--opponent", opponent, "--seed", "1", "--hands", "2", stdin="c\na\nr\nc\n" * 9)
    assert code == 0
    assert re.search(r"^2 hands, ", out, re.MULTILINE)


def test_all_in_and_stack_and_blinds(ludus):
    words = ("play", "--opponent", "call", "--seed", "1", "--stack", "100", "--blinds", "5/10", "--hands", "1")
    code, out, _ = ludus(*words, stdin="a\n")
    assert code == 0
    assert "r raise to 20..100, a all-in 100" in out
    assert re.search(r"1 hand, [+-]?(100|0) chips, [+-](10000|0) mbb/h", out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("play", "chess"), "no game 'chess'"),
        (("play", "rps"), "not a poker game"),
        (("play", "--opponent", "shark"), "no player 'shark'"),
        (("play", "--seats", "11"), "2 to 10 players"),
        (("play", "--blinds", "big"), "two whole numbers such as 1/2"),
        (("play", "--blinds", "2/1"), "a big one that is not smaller"),
        (("play", "--stack", "1"), "nothing to decide"),
        (("play", "--stack", "0"), "stacks must be"),
        (("play", "--hands", "0"), "at least 1"),
        (("play", "--seed", "-1"), "must not be negative"),
        (("play", "kuhn3", "--stack", "5"), "kuhn3 has no --stack"),
        (("play", "--seats", "many"), "seats"),
        (("reproduce", "hand-categories", "--hands", "0"), "hands"),
        (("bench", "speed"), "speed"),
        (("nonsense",), "nonsense"),
    ],
)
def test_bad_input_is_one_clear_sentence_and_exit_code_2(ludus, words, message):
    code, out, err = ludus(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_no_traceback_reaches_the_user():
    run = subprocess.run([sys.executable, "-m", "ludus", "play", "chess"], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_plain_terminals_and_odd_bytes_are_survived(encoding):
    run = subprocess.run(
        [sys.executable, "-m", "ludus", "play", "--seed", "1", "--opponent", "call"],
        input=b"\xff\xfe\x00 \xc3\nc\n\xd9\xa3\nq\n",
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding, "TERM": "dumb"},
        check=False,
    )
    assert run.returncode == 0
    assert b"is not an action" in run.stdout
    assert run.stderr == b""


# Equity


def test_equity_of_two_hands_is_exact(ludus):
    code, out, err = ludus("equity", "AhKh", "QsQd", "--json")
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert result["boards"] == 1_712_304
    assert result["exact"] is True
    assert result["win"] == [787966 / 1712304, 917606 / 1712304]
    assert result["tie"] == 6732 / 1712304
    assert sum(result["equity"]) == pytest.approx(1)
    _, out, _ = ludus("equity", "AhKh", "QcQd", "--json")
    assert json.loads(out)["equity"][0] == pytest.approx(0.46214, abs=5e-6)


def test_equity_of_ranges(ludus):
    code, out, _ = ludus("equity", "QQ+,AKs", "random", "--board", "Td9d6h")
    assert code == 0
    assert re.search(r"QQ\+,AKs +73\.784", out)
    code, out, _ = ludus("equity", "AA", "KK", "random", "--samples", "20000", "--seed", "3", "--json")
    result = json.loads(out)
    assert (result["exact"], result["samples"]) == (False, 20000)
    assert all(0 < half < 0.02 for half in result["ci95"])
    assert json.loads(ludus("equity", "AA", "KK", "random", "--samples", "20000", "--seed", "3", "--json")[1]) == result


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("AhKh",), "at least two hands"),
        (("AhKh", "AhQd"), "Ah is both in the hand of player 1 and in the hand of player 2"),
        (("AhKh", "QsQd", "--board", "Td"), "a board has 0, 3, 4 or 5 cards, 'Td' has 1"),
        (("AhKh", "QsQd", "--board", "Td9d6h5c4s2c"), "0, 3, 4 or 5 cards"),
        (("AhKh", "QsQd", "--board", "AhTd2c"), "Ah"),
        (("AhKh", "QsQd", "--dead", "Kh"), "Kh"),
        (("AhKh", "nonsense"), "nonsense"),
        (("AhKh", "QsQd", "--samples", "0"), "positive"),
        (("AhKh", *["random"] * 10), "2 and 10 players"),
    ],
)
def test_bad_equity_questions_are_explained(ludus, words, message):
    code, out, err = ludus("equity", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


# Measuring


def test_reproduce_hand_categories(ludus):
    code, out, _ = ludus("reproduce", "hand-categories", "--hands", "100000", "--json")
    result = json.loads(out)
    assert code == 0
    assert sum(row["count"] for row in result["categories"].values()) == 100_000
    assert result["categories"]["pair"]["theory"] == pytest.approx(0.438225, abs=1e-6)
    assert result["categories"]["pair"]["source"] == pytest.approx(0.43739, abs=1e-5)
    code, out, _ = ludus("reproduce", "hand-categories", "--hands", "1000")
    assert code == 0
    assert "four of a kind" in out


def test_bench_evaluator(ludus):
    code, out, _ = ludus("bench", "evaluator", "--hands", "100000", "--json")
    result = json.loads(out)
    assert code == 0
    assert result["random_hands_per_second"] > 0
    assert result["enumerated_hands_per_second"] > 0
    assert result["cores"] >= 1
    assert set(result["peers"]) == {"eval7", "phevaluator", "treys"}
    assert all(peer["ratio"] > 0 for peer in result["peers"].values())


def test_bench_engine(ludus):
    code, out, _ = ludus("bench", "engine", "--hands", "2000", "--json")
    result = json.loads(out)
    assert code == 0
    for key in ("compiled_hands_per_second_2p", "compiled_hands_per_second_6p", "readable_hands_per_second_2p"):
        assert result[key] > 0
    assert result["actions_per_hand_2p"] == pytest.approx(result["readable_actions_per_hand_2p"], rel=0.05)
    assert result["peers"]["pokerkit"]["actions_per_hand"] == pytest.approx(result["actions_per_hand_2p"], rel=0.4)
