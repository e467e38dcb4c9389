"""The experiments of the sources, small, as a user types them; and the tutorial, which is made of them."""

import csv
import importlib.util
import json
import os
import re
import signal
from contextlib import contextmanager
from pathlib import Path

import pytest

import ludus.cli.views.progress
from ludus.experiments.reproduce import kuhn as kuhn_experiment
from ludus.experiments.reproduce import leduc_convergence, rock_paper_scissors
from paths import REPOSITORY

DOCS = REPOSITORY / "docs"
PNG = b"\x89PNG"


@pytest.fixture
def reproduce(ludus, monkeypatch, tmp_path):
    """Run an experiment in this process, its files in a folder of the test: exit code, output, errors."""
    monkeypatch.setenv("COLUMNS", "100")
    return lambda name, *words: ludus("reproduce", name, "--out", tmp_path / "files", *words)


def as_json(answer: tuple[int, str, str]) -> dict:
    code, out, err = answer
    assert (code, err) == (0, "")
    result = json.loads(out)
    for kind, path in result["files"].items():
        head = Path(path).read_bytes()[:4]
        assert (head == PNG) == path.endswith(".png"), kind
    return result


def rows_of(path: str) -> list[dict[str, str]]:
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


# Rock-paper-scissors


@pytest.mark.parametrize(
    ("name", "theory", "within"),
    [
        ("rps-selfplay", (1 / 3, 1 / 3, 1 / 3), 0.02),
        ("rps-fixed", (1, 0, 0), 0.05),
        ("rps-doubled", (0.4, 0.4, 0.2), 0.02),
    ],
)
def test_regret_matching_finds_the_equilibrium(reproduce, name, theory, within):
    result = as_json(reproduce(name, "--iterations", "20000", "--repeats", "3", "--json"))
    actions = ("rock", "paper", "scissors")
    found = {which: [shares[action] for action in actions] for which, shares in result["strategies"].items()}
    assert found["theory"] == pytest.approx(theory)
    for form in ("ours, sampled regrets", "ours, expected regrets"):
        assert found[form] == pytest.approx(theory, abs=within)
    last = [
        row for row in rows_of(result["files"]["csv"]) if row["form"] == "sampled regrets" and row["player"] == "0"
    ][-1]
    assert int(last["iterations"]) == 20000
    assert [float(last[action]) for action in actions] == found["ours, sampled regrets"]


def test_a_fixed_opponent_is_exploited(reproduce):
    strategies = as_json(reproduce("rps-fixed", "--iterations", "5000", "--repeats", "1", "--json"))["strategies"]
    assert strategies["theory"]["wins_per_game"] == pytest.approx(0.1)
    for form in ("ours, sampled regrets", "ours, expected regrets"):
        assert 0.09 < strategies[form]["wins_per_game"] < 0.1 + 1e-9


def test_expected_regrets_stay_at_the_uniform_start_and_the_table_says_so(reproduce):
    code, out, _ = reproduce("rps-selfplay", "--iterations", "100", "--repeats", "2")
    assert code == 0
    assert re.search(r"ours, expected regrets +33\.33 +33\.33 +33\.33 +0\.00000", out)
    assert re.search(r"Joppi & Wensing 2023, table 1 +33\.54 +33\.21 +33\.25", out)
    assert "every regret is exactly 0" in " ".join(out.split())
    assert "rps-selfplay.csv" in out


def test_a_seed_gives_the_same_figures(reproduce):
    words = ("rps-doubled", "--iterations", "500", "--repeats", "2", "--json")
    assert reproduce(*words, "--seed", "4") == reproduce(*words, "--seed", "4")
    assert reproduce(*words, "--seed", "4") != reproduce(*words, "--seed", "5")


# Kuhn poker


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_the_alpha_family_is_in_equilibrium(alpha):
    from ludus import games
    from ludus.solvers import Evaluator, kuhn
    from ludus.trees import flatten

    bets = kuhn.equilibrium(alpha)
    found = kuhn_experiment.evaluate(Evaluator(flatten(games.kuhn())), bets)
    assert found.value[0] == pytest.approx(-1 / 18)
    assert found.nash_conv == pytest.approx(0, abs=1e-12)
    assert kuhn.fitted_alpha(bets) == pytest.approx(alpha)
    assert kuhn.off_the_family(bets) == pytest.approx(0)


def test_kuhn_by_cfr(reproduce):
    result = as_json(reproduce("kuhn-cfr", "--iterations", "20000", "--json"))
    strategies = result["strategies"]
    assert list(strategies) == [
        "theory",
        "CFR",
        "chance sampling",
        "Joppi & Wensing 2023, CFR",
        "Jenselme & Kujundzic, CFR",
    ]
    assert strategies["CFR"]["value"] == pytest.approx(-1 / 18, abs=1e-4)
    assert strategies["CFR"]["exploitability"] < 2e-4
    assert strategies["chance sampling"]["value"] == pytest.approx(-1 / 18, abs=3e-3)
    assert strategies["chance sampling"]["exploitability"] < 0.02
    assert strategies["theory"]["alpha"] == pytest.approx(strategies["CFR"]["alpha"])
    assert strategies["Joppi & Wensing 2023, CFR"]["alpha"] == pytest.approx(0.2658, abs=1e-4)
    assert strategies["Joppi & Wensing 2023, CFR"]["exploitability"] == pytest.approx(0.001747, abs=1e-6)
    assert strategies["Jenselme & Kujundzic, CFR"]["exploitability"] == pytest.approx(0.006167, abs=1e-6)
    table = {row["information_set"]: row for row in rows_of(result["files"]["strategies"])}
    assert len(table) == 12
    for row in table.values():
        for name in strategies:
            assert float(row[f"{name} pass"]) + float(row[f"{name} bet"]) == pytest.approx(1)
    assert rows_of(result["files"]["convergence"])[-1]["iterations"] == "20000"


def test_kuhn_by_monte_carlo(reproduce):
    strategies = as_json(reproduce("kuhn-mccfr", "--iterations", "50000", "--json"))["strategies"]
    assert list(strategies) == ["theory", "external sampling", "Joppi & Wensing 2023, MCCFR"]
    assert strategies["external sampling"]["value"] == pytest.approx(-1 / 18, abs=3e-3)
    assert strategies["external sampling"]["exploitability"] < 0.02
    assert strategies["Joppi & Wensing 2023, MCCFR"]["exploitability"] == pytest.approx(0.004389, abs=1e-6)
    code, out, _ = reproduce("kuhn-mccfr", "--iterations", "100")
    assert code == 0
    assert re.search(r"value as reported +-0\.0560", out)


# Leduc


def test_leduc_convergence(reproduce):
    words = ("leduc-convergence", "--iterations", "200", "--samples", "3000")
    result = as_json(reproduce(*words, "--json"))
    points = rows_of(result["files"]["csv"])
    assert list(points[0]) == ["algorithm", "iterations", "seconds", "nash_conv", "exploitability"]
    names = {row["algorithm"] for row in points}
    assert {"rm", "cfr", "cfr+", "dcfr", "pdcfr+", "hs-dcfr", "xfp", "external", "outcome+baseline"} <= names
    for row in points:
        assert float(row["exploitability"]) == pytest.approx(float(row["nash_conv"]) / 2)
    assert [row["iterations"] for row in points if row["algorithm"] == "hs-dcfr"] == ["12", "25", "50", "100", "200"]
    reached = result["reached"]
    assert reached["dcfr"]["0.01"]["iterations"] <= 200 < reached["cfr"]["final_iterations"] + 1
    assert reached["cfr"]["0.01"] is None
    assert reached["dcfr"]["final_nash_conv"] < reached["cfr"]["final_nash_conv"] < reached["xfp"]["final_nash_conv"]
    assert reached["external"]["final_nash_conv"] < reached["outcome"]["final_nash_conv"]


def test_some_algorithms_on_leduc(reproduce):
    code, out, _ = reproduce("leduc-convergence", "--iterations", "50", "--algorithms", "dcfr, cfr+")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:4]] == ["dcfr", "cfr+"]
    code, out, err = reproduce("leduc-convergence", "--algorithms", "magic")
    assert (code, out) == (2, "")
    assert "no algorithm 'magic'; there are rm, " in err


def test_no_limit_leduc_in_stages(reproduce, tmp_path):
    small = ("--bets", "pot,allin")
    stages = as_json(reproduce("leduc-nl", "--iterations", "1000", *small, "--json"))
    assert [row["iterations"] for row in stages["stops"]] == [1000]
    stages = as_json(reproduce("leduc-nl", "--iterations", "1000,4e3", *small, "--json"))
    first, second = stages["stops"]
    assert (first["iterations"], second["iterations"]) == (1000, 4000)
    assert second["exploitability"] < first["exploitability"] < 222.73  # that of the uniform strategy
    assert second["exploitability_mbb_per_game"] == pytest.approx(10 * second["exploitability"])
    assert second["seconds"] > first["seconds"]
    curve = [int(row["iterations"]) for row in rows_of(stages["files"]["csv"])]
    assert curve == sorted(set(curve))
    assert {1000, 4000} <= set(curve)

    again = as_json(reproduce("leduc-nl", "--iterations", "1000,4000", *small, "--json"))  # all of it is known
    assert again == stages
    for words, message in (
        (("--iterations", "2000", *small), "4000 iterations already"),
        (("--iterations", "5000", *small, "--seed", "9"), "seed is 1 there and 9 here"),
        (("--iterations", "5000", "--bets", "0.5,pot,allin"), "cannot go on"),
    ):
        code, _, err = reproduce("leduc-nl", *words)
        assert code == 2
        assert message in err
    kept = {path.name for path in (tmp_path / "files").iterdir()}
    assert {"leduc-nl-1000.safetensors", "leduc-nl-4000.safetensors", "leduc-nl-checkpoint.safetensors"} <= kept


def test_an_interrupted_run_goes_on_and_ends_the_same(reproduce, monkeypatch, tmp_path):
    words = ("leduc-nl", "--iterations", "2000,4000", "--bets", "pot,allin", "--json")
    straight = as_json(reproduce(*words))
    (tmp_path / "files").rename(tmp_path / "straight")

    @contextmanager
    def impatient():
        def progress(stage, done, total, unit=""):
            if done > 2500:
                os.kill(os.getpid(), signal.SIGINT)

        yield progress

    with monkeypatch.context() as patch:
        patch.setattr(ludus.cli.views.progress, "stages", impatient)
        code, out, err = reproduce(*words)
    assert code == 130
    assert 2500 < json.loads(out)["iterations"] < 4000
    assert [row["iterations"] for row in json.loads(out)["stops"]] == [2000]
    assert "the same command goes on from there" in err
    resumed = as_json(reproduce(*words))
    for mine, theirs in zip(resumed["stops"], straight["stops"], strict=True):
        assert mine["exploitability"] == theirs["exploitability"]
    name = "leduc-nl-4000.safetensors"
    assert (tmp_path / "files" / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()


def test_no_limit_leduc_as_the_source_has_it(reproduce):
    result = as_json(reproduce("leduc-nl", "--iterations", "2000", "--json"))
    assert result["value"] == -6.916477
    assert 100 < result["stops"][0]["exploitability"] < 393.05  # that of the uniform strategy
    assert result["stops"][0]["source_match_mbb_per_game"] is None


def test_monte_carlo_re_solving_beside_continual_re_solving(reproduce):
    words = ("mccr", "--samples", "100,10000", "--games", "kuhn", "--seeds", "2", "--json")
    result = as_json(reproduce(*words))
    assert set(result["files"]) == {"csv", "kuhn"}
    for method in ("Monte Carlo, reach", "Monte Carlo, uniform"):
        few, many = (point for point in result["points"] if point["method"] == method)
        assert many["exploitability"] < few["exploitability"] / 3
        assert many["seeds"] == 2
        assert many["ci95"] > 0
    exact = [point for point in result["points"] if point["method"] == "continual re-solving"]
    assert exact[1]["exploitability"] < exact[0]["exploitability"] < few["exploitability"]
    assert len(rows_of(result["files"]["csv"])) == 2 + 2 * 2 * 2


@pytest.mark.parametrize(
    ("words", "says"), [(("--games", "chess"), "kuhn, leduc, leduc-nl"), (("--samples", "x"), "samples are numbers")]
)
def test_bad_words_for_monte_carlo_re_solving(reproduce, words, says):
    code, out, err = reproduce("mccr", *words)
    assert (code, out) == (2, "")
    assert says in err


@pytest.mark.parametrize("words", ["many", "4e6,2e6", "0", "1.5", "1e99", "1000,1000", "nan", "inf"])
def test_bad_stops_are_explained(reproduce, words):
    code, out, err = reproduce("leduc-nl", "--iterations", words)
    assert (code, out) == (2, "")
    assert err.startswith("ludus: iterations are")


@pytest.mark.parametrize("name", ["rps-doubled", "kuhn-cfr", "leduc-convergence"])
def test_an_interrupt_keeps_what_there_is(reproduce, monkeypatch, tmp_path, name):
    calls = 0

    def tired(solver, stops, progress=None):
        nonlocal calls
        calls += 1
        if calls > 2:
            raise KeyboardInterrupt
        for stop in stops:
            solver.run(stop - solver.iterations)
            yield solver.iterations, 1.0

    for module in (rock_paper_scissors, kuhn_experiment, leduc_convergence):
        monkeypatch.setattr(module, "follow", tired)
    if name == "kuhn-cfr":
        calls = 1  # within the second of two algorithms
    code, out, err = reproduce(name, "--iterations", "20", "--json")
    assert code == 130
    assert "stopped early" in err
    assert all(Path(path).exists() for path in json.loads(out)["files"].values())


@pytest.mark.parametrize(
    ("old", "new"),
    [("s1-models", "aparicio-models"), ("s3-baselines", "pricope-baselines"), ("leduc-match", "leduc-deepstack")],
)
def test_an_old_name_is_refused_with_the_new_one(ludus, old, new):
    assert ludus("reproduce", old) == (2, "", f"ludus: the experiment {old} is called {new} now\n")


# The tutorial


@pytest.fixture(scope="module")
def tutorial():
    spec = importlib.util.spec_from_file_location("tutorial", DOCS / "tutorial.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tutorial_shows_what_its_snippets_print(tutorial):
    page = tutorial.PAGE.read_text()
    assert tutorial.refreshed(page, {}) == page


@pytest.mark.slow
def test_the_tables_of_the_tutorial_are_up_to_date(tutorial, monkeypatch, tmp_path):
    monkeypatch.setattr(tutorial, "HERE", tmp_path)  # its figures
    blocks = dict(re.findall(r"<!-- begin ([\w-]+) -->\n(.*?)<!-- end \1 -->", tutorial.PAGE.read_text(), re.DOTALL))
    for name, make in tutorial.QUICK.items():
        assert blocks[name] == make(), f"run python docs/tutorial.py: {name}"
    assert set(blocks) == {"output", *tutorial.QUICK, *tutorial.SLOW}


def test_the_figures_of_the_tutorial_are_there(tutorial):
    for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", tutorial.PAGE.read_text()):
        assert (DOCS / name).read_bytes()[:4] == PNG


def test_a_stale_block_would_be_found(tutorial):
    page = "```python\nprint(1 + 1)\n```\n\n<!-- begin output -->\n3\n<!-- end output -->\n"
    assert tutorial.refreshed(page, {}) == page.replace("\n3\n", "\n```text\n2\n```\n")
