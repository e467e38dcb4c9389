"""The re-solver of hold'em beside the source's figures, with few hands and little thought."""

import csv
import json
from contextlib import contextmanager
from pathlib import Path

import pytest

import ludus.cli.views.progress
from ludus.arena.log import read_log
from ludus.arena.slumbot_summary import TUHOLUKOVA as SESSION
from ludus.experiments.report import plus_minus
from ludus.experiments.reproduce.deepstack_tables import LEADERBOARD, PEOPLE, SOURCE
from ludus.experiments.sources import TUHOLUKOVA
from ludus.protocols.slumbot.log import NAME, Hand, Log

FAST = ("--agent", "resolver:equity,iterations=20", "--workers", "1")
FEW = ("--opponents", "call,tight", "--hands", "4", "--lbr", "fc", "--lbr-hands", "2")
NOTHING = ("--opponents", "", "--lbr", "")


@pytest.fixture
def reproduce(ludus, monkeypatch, tmp_path):
    """Run the experiment, its files in a folder of the test: exit code, output, errors."""
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *words: ludus("reproduce", "deepstack", "--out", tmp_path / "files", *FAST, *words)


def as_json(answer: tuple[int, str, str]) -> dict:
    code, text, err = answer
    assert (code, err) == (0, "")
    return json.loads(text)


def last_points(found: dict) -> dict[tuple[str, str], tuple[float, ...]]:
    """Where the running curves end: hands, mean, half of the interval."""
    with Path(found["files"]["curves"]).open(newline="") as file:
        rows = [list(row.values()) for row in csv.DictReader(file)]
    return {(against, which): tuple(map(float, numbers)) for against, which, *numbers in rows}


def test_the_sources_figures_agree_with_each_other():
    assert list(LEADERBOARD.values()) == sorted(LEADERBOARD.values(), reverse=True)
    assert list(LEADERBOARD).index(TUHOLUKOVA) == 6  # "seventh"
    assert LEADERBOARD[TUHOLUKOVA] == SESSION["baseline"]["bb_per_100"]
    assert list(SESSION["seconds"]) == list(PEOPLE)
    faster = [street for street, seconds in SESSION["seconds"].items() if seconds < PEOPLE[street]]
    assert faster == ["pre-flop", "turn", "river"]  # "faster than people on all streets but the flop"


def test_a_mean_that_rounds_to_nothing_has_no_minus():
    assert plus_minus({"mean": -0.04, "ci95": 0.25, "too_few": False}) == "+0.0 +- 0.2"
    assert plus_minus({"mean": -0.04, "ci95": 0.25, "too_few": False}, 2) == "-0.04 +- 0.25"


def test_matches_curves_and_lbr_in_small(reproduce, tmp_path):
    found = as_json(reproduce(*FEW, "--json"))
    assert [match["opponent"] for match in found["matches"]] == ["call", "tight"]
    ends = last_points(found)
    for match in found["matches"]:
        log = read_log(Path(match["log"]))
        assert set(log.game.stacks) == {20_000}
        assert sorted(log.game.blinds) == [50, 100]
        assert (match["hands"], match["deals"], len(log.hands)) == (4, 2, 4)
        assert match["forfeits"] == {"resolver": 0, match["opponent"]: 0}
        for which, mbb, hundred in (
            ("raw", match["mbb_per_game"], match["bb_per_100"]), ("AIVAT", match["aivat"], match["aivat_bb_per_100"]),
        ):  # fmt: skip
            assert hundred["mean"] == pytest.approx(mbb["mean"] / 10)
            assert ends[match["opponent"], which] == pytest.approx((4, hundred["mean"], hundred["ci95"]))
        assert match["aivat"]["variance_ratio"] > 0
        assert match["mbb_per_game"]["too_few"]
    assert found["thinking"]["pre-flop"]["decisions"] >= 4
    assert found["thinking"]["pre-flop"]["seconds"] > 0
    (response,) = found["local_best_response"]
    assert (response["bets"], response["hands"]) == ("fc", 2)
    assert found["source"] == json.loads(json.dumps(SOURCE))
    for kind, path in found["files"].items():
        assert (Path(path).read_bytes()[:4] == b"\x89PNG") == kind.startswith("plot")
    kept = {path: path.read_bytes() for path in (tmp_path / "files").rglob("*-1/hands.log")}
    assert len(kept) == 2
    assert as_json(reproduce(*FEW, "--json")) == found
    assert {path: path.read_bytes() for path in kept} == kept
    text = " ".join(reproduce(*FEW)[1].split())
    for words in ("-0.79 +- 22.36 -2.15 +- 28.37", "MM_GV_RP_ackr_128 +142.20", "not exploited", "We are not on it"):
        assert words in text


def test_lbr_goes_on_from_what_is_kept(reproduce, tmp_path):
    words = ("--opponents", "", "--lbr", "fc", "--json")
    first = as_json(reproduce(*words, "--lbr-hands", "2"))["local_best_response"]
    (kept,) = (tmp_path / "files").glob("*lbr-fc*.json")
    chips = json.loads(kept.read_text())["chips"]
    longer = as_json(reproduce(*words, "--lbr-hands", "4"))["local_best_response"]
    assert longer[0]["hands"] == 4
    assert json.loads(kept.read_text())["chips"][:1] == chips
    assert as_json(reproduce(*words, "--lbr-hands", "2"))["local_best_response"] == first
    kept.write_text('{"chips": [[1, 2, 3]]}')
    code, _, err = reproduce(*words, "--lbr-hands", "2")
    assert (code, "is not of this experiment" in err) == (2, True)


@contextmanager
def interrupted(monkeypatch, after: int):
    """Ctrl-C as soon as so much progress has been told."""
    told = []

    @contextmanager
    def impatient():
        def progress(stage, done, total, unit=""):
            told.append(stage)
            if len(told) == after:
                raise KeyboardInterrupt

        yield progress

    with monkeypatch.context() as patch:
        patch.setattr(ludus.cli.views.progress, "stages", impatient)
        yield


def test_an_interrupt_loses_nothing(reproduce, monkeypatch, tmp_path):
    words = ("--opponents", "call,tight,loose", "--hands", "4", "--lbr", "")
    monkeypatch.setattr("ludus.arena.match.QUICK", 0.0)
    with interrupted(monkeypatch, after=3):  # within the second match
        code, text, err = reproduce(*words, "--json")
    assert code == 130
    assert "the match against tight is not finished; the same command goes on" in err
    assert [(match["opponent"], match["hands"]) for match in json.loads(text)["matches"]] == [("call", 4), ("tight", 2)]
    stopped = {path: path.read_bytes() for path in (tmp_path / "files").rglob("hands.log")}
    found = as_json(reproduce(*words, "--json"))
    assert [match["hands"] for match in found["matches"]] == [4, 4, 4]
    assert all(path.read_bytes().startswith(before) for path, before in stopped.items())


def test_an_interrupt_of_lbr_keeps_its_hands(reproduce, monkeypatch, tmp_path):
    monkeypatch.setattr("ludus.arena.lbr.sampled.BLOCK_PAIRS", 1)
    with interrupted(monkeypatch, after=1):
        code, text, err = reproduce("--opponents", "", "--lbr", "fc,fcpa", "--lbr-hands", "4", "--json")
    assert code == 130
    assert "LBR with fc is not finished; the same command goes on" in err
    assert [(found["bets"], found["hands"]) for found in json.loads(text)["local_best_response"]] == [("fc", 2)]
    (kept,) = (tmp_path / "files").glob("*lbr*.json")
    assert len(json.loads(kept.read_text())["chips"]) == 1


def test_a_session_with_slumbot_stands_beside_the_sources(reproduce, tmp_path):
    path = tmp_path / NAME
    with Log(path, {"agent": "resolver:seconds=1", "url": "http://test", "seed": 1}) as log:
        for number, (won, baseline) in enumerate(((200, 100), (-100, 0), (500, 300)), 1):
            log.append(Hand(number, None, number % 2, "f", "AhKd", "", "", won, baseline, (0.5, 0, 0, 0), (1, 0, 0, 0)))
        log.append(Hand(4, "lost", 0, "", "AhKd", "", "", None, None, (0, 0, 0, 0), (0, 0, 0, 0)))
    before = path.read_bytes()
    for where in (path, tmp_path):
        found = as_json(reproduce(*NOTHING, "--slumbot", where, "--json"))
        assert found["slumbot"]["raw"]["bb_per_100"] == pytest.approx(200)
        ends = last_points(found)
        assert ends["Slumbot", "raw"][:2] == pytest.approx((3, 200))
        assert ends["Slumbot", "baseline"][:2] == pytest.approx((3, 400 / 3))
        assert "plot Slumbot" in found["files"]
    text = " ".join(reproduce(*NOTHING, "--slumbot", path)[1].split())
    assert "MM_GV_RP_ackr_128 +142.20 ours: resolver, 3 hands, too few to be listed +133.33 justIN" in text
    assert "We are not on it" not in text
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--opponents", "call,nobody"), "there is no player 'nobody' here"),
        (("--opponents", "call,call"), "each is played once, got call, call"),
        (("--opponents", "human"), "a person plays in"),
        (("--lbr", "fc,odd"), "'odd'"),
        (("--lbr", "fc/fc"), "one for each of the 4 streets"),
        (("--agent", "heuristic-mc"), "AIVAT and LBR need an agent that says how it plays every hand"),
        (("--agent", "resolver:equity,seconds=1", "--time", "2"), "unless they say their own seconds"),
        (("--time", "-1"), "a number of seconds above 0, got -1"),
        (("--time", "nan"), "a number of seconds above 0, got nan"),
        (("--slumbot", "nowhere.jsonl"), "nowhere.jsonl is not a log of Slumbot hands"),
        (("--slumbot", __file__), "is not a log of Slumbot hands"),
        (("--hands", "1"), "--hands"),
    ],
)
def test_bad_input_is_one_sentence(reproduce, tmp_path, words, message):
    code, out, err = reproduce(*(() if words[0] == "--opponents" else ("--opponents", "call")), *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "files").exists()
