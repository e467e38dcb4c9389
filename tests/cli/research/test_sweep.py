"""``ludus sweep`` as a user types it: all combinations, kept, averaged; and what it refuses."""

import csv
import json
import re

import pytest

from ludus.cli.research.sweep import run_command
from ludus.experiments.sweeps import Sweep, averaged, names_shown


def test_a_sweep_runs_what_is_missing_and_averages_seeds(ludus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = (
        "sweep",
        "match call {other} --game kuhn --hands 20",
        "--over",
        "other=random always-raise",
        "--seeds",
        "2",
    )
    code, out, err = ludus(*words, "--json")
    assert code == 0, err
    content = json.loads(out)
    assert [row["other"] for row in content["table"]] == ["random", "always-raise"]
    with open(content["files"]["csv"]) as file:
        rows = list(csv.DictReader(file))
    assert [(row["other"], row["seed"]) for row in rows] == [
        ("random", "1"), ("random", "2"), ("always-raise", "1"), ("always-raise", "2")
    ]  # fmt: skip
    name = next(name for name, value in content["table"][0].items() if name != "other" and value["seeds"] == 2)
    found = [float(row[name]) for row in rows[:2]]
    assert content["table"][0][name]["mean"] == pytest.approx(sum(found) / 2)
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "out/sweep").glob("*.json")}
    assert len(files) == 4
    code, out, err = ludus(*words, "--show", name)
    assert code == 0, err
    assert re.search(rf"other\s+{re.escape(name)}", out)
    assert "+-" in out
    assert {path: path.stat().st_mtime_ns for path in files} == files
    next(iter(files)).write_text("[]")
    code, _, err = ludus(*words)
    assert (code, "is not a result of a sweep" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("solve {game}",), "gives {game} its values"),
        (("solve kuhn", "--over", "game=kuhn"), "the command has no {game}"),
        (("solve {game}", "--over", "game="), "--over is 'NAME=VALUE VALUE'"),
        (("solve kuhn --json",), "adds --json and --seed itself"),
    ],
)
def test_what_makes_no_sweep_is_refused(ludus, tmp_path, monkeypatch, words, why):
    monkeypatch.chdir(tmp_path)
    code, _, err = ludus("sweep", *words)
    assert (code, why in err) == (2, True), err


def test_a_run_says_what_is_wrong_with_its_command():
    assert run_command(("solve", "kuhn", "--iterations", "3", "--json"))["iterations"] == 3
    for words, why in (
        (("solve", "kuhn", "--nonsense", "3"), "--nonsense"),
        (("solve", "chess", "--json"), "chess"),
        (("games",), "does not print JSON"),
    ):
        with pytest.raises(ValueError, match=why):
            run_command(words)


def test_tables_show_what_differs():
    plan = Sweep("solve {game}", {"game": ("kuhn", "leduc")}, 2)
    found = [
        (run, {"seed": 1.0, "value": float(at), **({"odd": 1.0} if at else {})}) for at, run in enumerate(plan.runs())
    ]
    figures = [each for _, each in found]
    assert names_shown(figures, []) == ["value", "odd"]
    assert names_shown(figures, ["seed"]) == ["seed"]
    with pytest.raises(ValueError, match="no run has the figure 'x': they have seed, value, odd"):
        names_shown(figures, ["x"])
    rows = averaged(plan, found, ["value", "odd"])
    assert [(setting, *(each.mean for each in means), means[1].units) for setting, means in rows] == [
        (("kuhn",), 0.5, 1.0, 1), (("leduc",), 2.5, 1.0, 2)
    ]  # fmt: skip
