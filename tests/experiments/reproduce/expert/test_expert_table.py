"""The table of the expert, the search for its reading, and the figure of hand strengths."""

import json
from itertools import combinations

import numpy as np
import pytest

from ludus.cards.card import parse_cards
from ludus.cards.evaluator import evaluate
from ludus.experiments.report import Stopped
from ludus.experiments.reproduce.expert import readings, sessions
from ludus.experiments.reproduce.expert.hand_strength import class_strengths
from ludus.experiments.reproduce.expert.sessions import FILE, Played, Row, play_rows
from ludus.experiments.reproduce.expert.table import SOURCE, Reading


def quiet(*_):
    return None


def test_the_table_in_small(ludus, tmp_path):
    args = ("reproduce", "expert-table", "--games", "30", "--seed", "2", "--workers", "2", "--out", str(tmp_path))
    code, out, err = ludus(*args, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert [row["players"] for row in found["rows"]] == [row.players for row in SOURCE]
    for row, source in zip(found["rows"], SOURCE, strict=True):
        assert {"players", "stack", "win_percent", "ci95", "source_stack", "source_win_percent"} <= row.keys()
        assert (row["source_stack"], row["source_win_percent"]) == (source.stack, source.win_percent)
        assert row["stack"] == pytest.approx(2 * row["win_percent"])
        assert row["games"] == 30
        assert row["ci95"] > 0
    assert found["accuracy"]["source"] == 85.71
    assert found["people"][0] == {"players": "Base", "won": 13, "lost": 9, "source": True}
    again = json.loads(ludus(*args, "--json")[1])  # from what is kept
    assert again == found
    assert "Agent1-HeuristicMC" in (tmp_path / "expert-table.csv").read_text()
    code, out, _ = ludus(*args)
    assert "Catalin" in out
    assert "only 30 games" in out


def test_the_number_of_workers_changes_nothing(tmp_path):
    pairs = [("expert:model,bayes=20,network=0", "call"), ("expert", "random")]
    one, two = (play_rows(pairs, 20, 1, tmp_path / str(workers), workers, quiet) for workers in (1, 2))
    assert one == two


def test_sessions_are_independent_and_more_games_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "SESSION", 10)
    pair = ("expert", "call")
    (short,) = play_rows([pair], 10, 1, tmp_path, 1, quiet)
    (long,) = play_rows([pair], 25, 1, tmp_path, 1, quiet)  # whole sessions
    assert long.games == 30
    assert long.sessions[0] == short.sessions[0]
    assert len({each.hands for each in long.sessions}) > 1


def test_what_was_played_is_kept_when_it_is_stopped(tmp_path, monkeypatch):
    calls, real = [], sessions._session

    def stops(*args):
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(sessions, "_session", stops)
    pairs = [("expert", "call"), ("expert", "random")]
    with pytest.raises(Stopped, match="goes on from"):
        play_rows(pairs, 10, 1, tmp_path, 1, quiet)
    assert len(json.loads((tmp_path / FILE).read_text())) == 1
    rows = play_rows(pairs, 10, 1, tmp_path, 1, quiet)
    assert len(calls) == 3
    assert rows == play_rows(pairs, 10, 1, tmp_path / "other", 1, quiet)


@pytest.mark.parametrize("text", ["no json", "[]", '{"a": {"games": 1}}'])
def test_a_damaged_file_is_played_again(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    assert play_rows([("expert", "call")], 5, 1, tmp_path, 1, quiet)[0].games == 5


def test_an_interval_is_over_sessions_where_somebody_learns():
    plain = Row(("expert", "call"), (Played(250, 200, 40000, 900), Played(250, 210, 42000, 900)))
    assert plain.wins.units == 500
    assert plain.wins.mean == pytest.approx(0.82)
    assert plain.stack == pytest.approx(164)
    learns = Row(("expert:model", "call"), tuple(Played(250, wins, 200 * wins, 900, 0.8) for wins in (200, 210)))
    assert learns.wins.units == 2
    assert learns.wins.mean == pytest.approx(0.82)


def test_the_search_prefers_what_is_near_the_source(ludus, tmp_path, monkeypatch):
    monkeypatch.setattr(
        readings, "CANDIDATES",
        {
            "heuristic": ["heuristic-mc:ahead=0.6,least=0.6", "heuristic-mc:ahead=0.9,least=0.9"],
            "expert": ["expert:strong=1,good=1", "expert:good=0.65"],
            "model": ["network=0,bluffs=0.9"],
        },
    )  # fmt: skip
    report = readings.expert_readings(100, 1, 1, tmp_path, quiet)
    assert report.figures["best"] == {
        "heuristic": "heuristic-mc:ahead=0.6,least=0.6", "expert": "expert:good=0.65",
        "model": "expert:model,good=0.65,network=0,bluffs=0.9",
    }  # fmt: skip
    assert [each["misfit"] for each in report.figures["readings"][:2]] == sorted(
        each["misfit"] for each in report.figures["readings"][:2]
    )
    assert len(report.more) == 2


def test_the_reading_is_among_those_that_were_searched():
    assert Reading().heuristic in readings.CANDIDATES["heuristic"]


def test_hand_strength_draws_its_figure(ludus, tmp_path):
    plot = tmp_path / "figure.svg"
    code, out, err = ludus(
        "reproduce", "hand-strength", "--games", "400", "--plot", str(plot), "--out", str(tmp_path), "--json"
    )
    assert code == 0, err
    found = json.loads(out)
    classes, rates = found["measures"].values()
    assert rates["mean"] == pytest.approx(0.5, abs=0.05)
    assert rates["strong"] == pytest.approx(0.2, abs=0.06)
    assert classes["strong"] < 0.08
    assert plot.stat().st_size > 1000
    assert all(sum(counts) == 400 for name, counts in found["histogram"].items() if name != "edges")


def test_the_best_five_have_both_hole_cards():
    deal = np.array([parse_cards("2c7dAhAsAdKhKs")])
    best = min(int(evaluate(np.array([[*deal[0, :2], *three]], np.uint8))[0]) for three in combinations(deal[0, 2:], 3))
    assert class_strengths(deal)[0] == pytest.approx((7462 - best) / 7461)
    assert class_strengths(deal)[0] < 0.8  # three aces, not a full house
