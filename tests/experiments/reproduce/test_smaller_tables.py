"""The smaller tables of the sources, and the page of all of them."""

import json

import numpy as np
import pytest

from ludus import games
from ludus.experiments.report import Report, Stopped, Table
from ludus.experiments.reproduce.kuhn_table import kuhn_table
from ludus.experiments.reproduce.regret import cleaning as cleaning_experiment
from ludus.experiments.reproduce.regret.cleaning import CleaningPlan, cleaning, wins
from ludus.experiments.reproduce.regret.discounting import MEMBERS, PAYOFFS, discounting, iterations_to_the_best
from ludus.experiments.reproduce.regret.prisoners_dilemma import YEARS, efficient, gain, prisoners_dilemma
from ludus.experiments.results import ENTRIES, MISSING, chosen
from ludus.experiments.results_page import Result, markdown, write_page
from ludus.games.matrix import MatrixGame
from ludus.solvers import Evaluator, Strategy, solve
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees import flatten


def quiet(*_words, **_more):
    """Nobody watches."""


# The prisoner's dilemma


def test_confessing_is_stable_and_silence_better_for_both():
    cells = prisoners_dilemma(1000, quiet).figures["cells"]
    assert [name for name, cell in cells.items() if cell["nash"]] == ["confess, confess"]
    assert cells["silent, silent"] == {
        "payoffs": (-2.0, -2.0), "gain": 2.0, "nash": False, "pareto": True, "played": pytest.approx(0, abs=1e-5),
    }  # fmt: skip
    assert not cells["confess, confess"]["pareto"]
    assert cells["confess, confess"]["played"] > 0.99


def test_in_a_game_of_one_s_own_loss_every_cell_is_efficient():
    game = games.rock_paper_scissors()
    assert all(efficient(game, (row, column)) for row in range(3) for column in range(3))
    assert min(gain(game, (row, column)) for row in range(3) for column in range(3)) == 1  # none is stable
    dilemma = games.prisoners_dilemma(YEARS)
    assert dilemma.row_payoffs[0][1] == dilemma.column_payoffs[1][0] == -10


# Kuhn poker


def test_the_table_called_exact_mixes_three_equilibria():
    figures = kuhn_table(500, quiet).figures
    assert figures["alphas"] == pytest.approx({"Q": 0.2, "Kpb": 0.6 - 1 / 3, "A": 0.25})
    assert figures["exploitability"] == pytest.approx(0.0064, abs=5e-5)
    assert figures["times"].keys() == {"chance sampling", "CFR"}


# Discounting


def test_how_long_a_first_iteration_is_remembered():
    found = {name: iterations_to_the_best(ALGORITHMS[name]) for name in ("cfr+", "lcfr", "dcfr")}
    assert found == {"cfr+": 471_406, "lcfr": 971, "dcfr": 52_126}
    assert iterations_to_the_best(ALGORITHMS["cfr+"], most=1000) is None


@pytest.mark.parametrize("name", MEMBERS)
def test_the_plain_recurrence_is_that_of_the_solver(name):
    payoffs = (0.0, 1.0, -100.0)
    column = tuple((payoff,) for payoff in payoffs)
    game = MatrixGame("one decision", column, column, ("a", "b", "c"), ("nothing",))
    solver = ExactSolver(flatten(game), ALGORITHMS[name])
    while not np.array_equal(solver.strategy[:3], (0, 1, 0)):
        assert solver.iterations < 200
        solver.run(1)
    assert iterations_to_the_best(ALGORITHMS[name], payoffs) == solver.iterations
    assert PAYOFFS[1] == max(PAYOFFS)


def test_linear_cfr_with_clipping_is_worse_than_cfr_plus(tmp_path):
    figures = discounting(100, tmp_path, quiet).figures
    assert figures["leduc"]["lcfr+"][100] > figures["leduc"]["cfr+"][100]
    assert figures["iterations_to_the_best"]["cfr"] == figures["iterations_to_the_best"]["cfr+"]


# Cleaning


def test_averaging_late_costs_and_a_high_threshold_too(tmp_path):
    figures = cleaning(CleaningPlan(algorithm="cfr", iterations=200), tmp_path, quiet).figures
    conceded = np.array(figures["exploitability"])
    assert conceded[-1, 0] > 2 * conceded[0, 0]
    assert conceded[0, -1] > 2 * conceded[0, 0]
    flat = flatten(games.leduc())
    solver = ExactSolver(flat, ALGORITHMS["cfr"], averaging_from=101)
    solver.run(200)
    late = Evaluator(flat).evaluate(solver.average()).exploitability
    assert conceded[-1, 0] == pytest.approx(late)
    assert np.array(figures["wins"])[:, 0] == pytest.approx(0, abs=1e-12)


def test_what_one_strategy_wins_of_another():
    game = games.kuhn()
    best, naive = (solve(game, iterations=count).strategy for count in (2000, 1))
    evaluator = Evaluator(flatten(game))
    assert wins(evaluator, best, naive) == pytest.approx(-wins(evaluator, naive, best))
    assert wins(evaluator, best, naive) > 0
    assert isinstance(best.purified(0.1), Strategy)


def test_sampled_runs_have_an_interval(tmp_path):
    report = cleaning(CleaningPlan("kuhn", "external", 200, seeds=2), tmp_path, quiet)
    assert all("+-" in cell for row in report.rows for cell in row[1:])
    assert (tmp_path / "cleaning.csv").read_text().count("\n") == 1 + 2 * 4 * len(cleaning_experiment.THRESHOLDS)


@pytest.mark.parametrize(
    ("words", "says"),
    [({"algorithm": "xfp"}, "no averaging"), ({"iterations": 10}, "100 or more"), ({"algorithm": "x"}, "no algorithm")],
)
def test_bad_plans_are_explained(words, says):
    with pytest.raises(ValueError, match=says):
        CleaningPlan(**words)


# The page


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.full)
def test_every_entry_names_a_command_with_options_that_it_has(ludus, entry):
    code, out, _ = ludus("reproduce", entry.name, "--help")
    assert code == 0
    for words in filter(None, (entry.quick, entry.full)):
        name, *options = words.split()
        assert name == entry.name
        assert all(option in out for option in options if option.startswith("--"))


def test_the_page_has_every_source_and_says_what_was_not_run(tmp_path):
    picture = tmp_path / "plot.png"
    picture.write_bytes(b"x")
    report = Report(
        "T", {"files": {"plot": str(picture)}}, ("a", "b"), [("1", "2|3")], ["Note."], more=[Table("M", "c", ["4"])]
    )
    words = ENTRIES[0].quick
    Result.of(words, 2.0, report).save(tmp_path)
    kept = Result.load(tmp_path, words)
    failed = Result(ENTRIES[1].quick, 1.0, failed="no such thing")
    page = tmp_path / "docs" / "results.md"
    write_page(page, {words: kept, ENTRIES[1].quick: failed}, quick=True)
    text = page.read_text()
    assert text.count("\n### ") == len(ENTRIES) + len(MISSING)
    assert f"`ludus reproduce {words}` (2 s)" in text
    assert "| 1 | 2\\|3 |" in text
    assert "**M**" in text
    assert "Not run: no such thing. `ludus reproduce rps-fixed` makes it." in text
    assert "it has no small form" in text
    assert (page.parent / "images" / "results-rps-selfplay-plot.png").read_bytes() == b"x"
    assert Result.load(tmp_path, "another") is None
    assert markdown(kept.tables[0]).splitlines()[1] == "| --- | --- |"


def test_all_runs_what_is_named_once_and_goes_on(ludus, monkeypatch, tmp_path):
    from ludus.experiments.reproduce.regret import prisoners_dilemma as experiment

    words = ("reproduce", "all", "--quick", "--page", tmp_path / "results.md", "--out", tmp_path / "kept")
    code, out, _ = ludus(*words, "--only", "prisoners-dilemma,kuhn-table", "--json")
    assert code == 0
    assert sorted(json.loads(out)["done"]) == ["kuhn-table", "prisoners-dilemma"]
    assert "confess, confess" in (tmp_path / "results.md").read_text()

    def fails(*_):
        raise AssertionError("computed again")

    monkeypatch.setattr(experiment, "prisoners_dilemma", fails)
    code, out, _ = ludus(*words, "--only", "prisoners-dilemma")
    assert (code, out) == (0, f"2 results are in {tmp_path / 'results.md'}.\n")


def test_all_names_what_failed_and_ends_when_stopped(ludus, monkeypatch, tmp_path):
    from ludus.experiments.reproduce import kuhn_table as table
    from ludus.experiments.reproduce.regret import prisoners_dilemma as dilemma

    def fails(*_):
        raise ValueError("no payoffs")

    def stops(*_):
        raise Stopped("nothing yet")

    monkeypatch.setattr(dilemma, "prisoners_dilemma", fails)
    monkeypatch.setattr(table, "kuhn_table", stops)
    words = ("reproduce", "all", "--page", tmp_path / "results.md", "--out", tmp_path / "kept")
    code, out, err = ludus(*words, "--only", "prisoners-dilemma,kuhn-table")
    assert code == 130
    assert "prisoners-dilemma failed: no payoffs" in out
    assert "during kuhn-table" in err
    assert "Not run: no payoffs." in (tmp_path / "results.md").read_text()


def test_unknown_experiments_are_named():
    assert chosen("blop, kuhn-cfr") == {"blop", "kuhn-cfr"}
    with pytest.raises(ValueError, match="no experiment 'blob'"):
        chosen("blob")
