"""Walking through charts before the flop: against the explorer's own charts, and what is refused."""

import pytest

from ludus.cards.ranges import CLASSES
from ludus.search.preflop_solution import shipped_solution
from ludus.teach.preflop_browser import chart, explorer
from ludus.teach.preflop_charts import PreflopExplorer


def test_the_first_decision_is_the_opening_chart():
    solution = shipped_solution(6, 100)
    opening = next(iter(PreflopExplorer(solution, solution.model.game).openings()))
    found = chart(6, 100)
    assert (found["source"], found["source_stack"], found["depths"]) == ("solved", 100, [20, 30, 50, 70, 100, 200])
    here = found["decision"]
    assert here["position"] == "UTG"
    for at, name in enumerate(CLASSES):
        assert here["strategy"][name] == pytest.approx(opening.frequencies[at].tolist(), abs=1e-4)
    assert sum(action["share"] for action in here["actions"]) == pytest.approx(1, abs=1e-4)
    assert here["worth"]["AA"][1] > here["worth"]["72o"][1]


def test_a_line_leads_through_everybody():
    first = chart(6, 100, "F-F-F")
    assert [step["position"] for step in first["path"]] == ["UTG", "HJ", "CO"]
    [raising] = [action["key"] for action in first["decision"]["actions"] if action["kind"] == "raise"]
    found = chart(6, 100, f"F-F-F-{raising}-F")
    assert found["path"][-1]["taken"] == "F"
    here = found["decision"]
    assert (here["position"], here["line"]) == ("BB", f"F-F-F-{raising}-F")
    assert here["reach"]["AA"] == 1, "the big blind has all hands"
    assert here["to_call"] > 0
    called = chart(6, 100, f"F-F-F-{raising}-F-C")
    assert called["decision"] is None
    assert [step["position"] for step in called["path"]] == ["UTG", "HJ", "CO", "BTN", "SB", "BB"]


@pytest.mark.parametrize(
    ("players", "stack", "source", "depth"),
    [(6, 90, "solved", 100), (6, 35, "solved", 30), (6, 300, "blueprint", 300), (2, 40, "blueprint", 40)],
)
def test_any_depth_has_charts(players, stack, source, depth):
    found = chart(players, stack)
    assert (found["source"], found["source_stack"]) == (source, depth)
    assert found["decision"]["strategy"]["AA"]
    assert (found["decision"]["worth"] is None) == (source == "blueprint")
    if source == "blueprint":
        game = explorer(players, stack).game
        assert min(game.stacks) / game.big_blind == stack


@pytest.mark.parametrize(("line", "words"), [("X", "possible are F"), ("F-F-F-F-F-F", "nobody decides")])
def test_what_leads_nowhere_is_refused(line, words):
    with pytest.raises(ValueError, match=words):
        chart(6, 100, line)
