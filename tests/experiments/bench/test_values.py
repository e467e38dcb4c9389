"""The bench of value networks, and their training as a user types it."""

import json

import pytest

from ludus.experiments.bench import values
from ludus.nets.holdem import played

KEYS = {"huber", "range_error_mean", "range_error_p99", "spots"}


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(values, "ITERATIONS", {"turn": 8, "flop": 1})
    monkeypatch.setattr(played, "ITERATIONS", 3)
    monkeypatch.setattr(played, "DEPTHS", (13,))
    played.preflop_ends.cache_clear()
    yield
    played.preflop_ends.cache_clear()


def test_networks_are_judged_with_both_kinds_of_ranges(ludus, few):
    words = ("bench", "values", "--stage", "turn", "--seed", "3")
    for kind in ("random", "play"):
        code, out, _ = ludus(*words, "--spots", "2", "--ranges", kind, "--json")
        found = json.loads(out)
        assert (code, found["ranges"], found["turn"]["spots"]) == (0, kind, 2)
        assert set(found["turn"]) >= KEYS
        assert 0 < found["turn"]["huber"] < 0.05
    code, out, _ = ludus(*words, "--spots", "1", "--ranges", "play")
    assert code == 0
    assert "ranges from play" in " ".join(out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bench", "values", "--stage", "river"), "networks of turn, flop, preflop-end are judged"),
        (("bench", "values", "--ranges", "wide"), "ranges are random or play"),
        (("train", "values", "holdem"), "give --stage"),
        (("train", "values", "holdem", "--stage", "dinner", "--device", "cpu"), "stages are river"),
        (("train", "values", "holdem", "--stage", "flop", "--device", "cpu"), "train that first"),
        (("train", "values", "holdem", "--stage", "river", "--device", "banana"), "there is no device 'banana'"),
        (("train", "values", "holdem", "--stage", "river", "--epochs", "3"), "--epochs has no meaning"),
        (("train", "values", "leduc-nl", "--stage", "river"), "--stage has no meaning"),
    ],
)
def test_bad_input_is_one_sentence(ludus, tmp_path, monkeypatch, words, said):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    code, _, err = ludus(*words)
    assert (code, len(err.splitlines())) == (2, 1)
    assert said in err


def test_a_stage_is_trained_by_the_command(ludus, tmp_path):
    pytest.importorskip("torch")
    words = (
        "--situations",
        "10",
        "--steps",
        "2",
        "--batch",
        "4",
        "--iterations",
        "3",
        "--width",
        "8",
        "--device",
        "cpu",
    )
    code, out, _ = ludus("train", "values", "holdem", "--stage", "river", "--out", tmp_path, *words, "--json")
    found = json.loads(out)
    assert (code, found["stage"], found["situations"], found["finished"]) == (0, "river", 10, True)
    code, out, _ = ludus("train", "values", "holdem", "--stage", "river", "--out", tmp_path, *words)
    assert code == 0
    assert "Huber loss" in out
