"""The time that commands give to players who think, and how they are played against in the terminal."""

import json

import pytest

THINKER, TIME = "resolver:equity,turn=network", "0.01"


def test_a_match_and_its_measure_are_thought_about_as_long_as_asked_for(ludus, tmp_path):
    words = ("match", THINKER, "call", "--hands", 4, "--seed", 1, "--time", TIME, "--out", tmp_path, "--no-histories")
    code, out, err = ludus(*words, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["players"][0]["forfeits"] == 0
    assert f'"{THINKER},seconds={TIME}", "call"' in (tmp_path / "hands.log").read_text().splitlines()[0]
    code, out, err = ludus("lbr", THINKER, "--hands", 2, "--workers", 1, "--time", TIME, "--json")
    assert code == 0, err
    assert json.loads(out)["agent"] == f"{THINKER},seconds={TIME}"


@pytest.mark.parametrize("table", [("--stack", "40"), ("--blinds", "50/100", "--stack", "20000")])
def test_a_person_plays_against_a_thinker(ludus, table):
    words = ("play", "--opponent", THINKER, "--time", TIME, "--seed", "1", "--hands", "2", *table)
    code, out, err = ludus(*words, stdin="c\n" * 3 + "r pot\n" + "c\n" * 20)
    assert (code, err) == (0, "")
    assert "BB resolver: " in out
    assert "2 hands, " in out


@pytest.mark.parametrize(
    "words",
    [
        ("match", "call", "tight"),
        ("lbr", "call"),
        ("play", "--opponent", "resolver:seconds=1"),
        ("acpc", "play", "127.0.0.1", "1", "--agent", "call"),
        ("acpc", "table", "--agent", "call"),
        ("slumbot", "--agent", "call"),
    ],
)
def test_a_time_for_nobody_is_refused(ludus, words):
    code, out, err = ludus(*words, "--time", "1")
    assert (code, out) == (2, "")
    assert "for spot-solver and resolver" in err
    assert len(err.splitlines()) == 1
    code, _, err = ludus(*words, "--time", "0")
    assert (code, "seconds above 0" in err) == (2, True)
