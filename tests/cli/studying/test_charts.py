"""Charts before the flop from blueprints."""

import json

import numpy as np
import pytest

from ludus.agents import BlueprintAgent
from ludus.agents import blueprint as module
from ludus.cards.ranges import CLASSES, class_of_combo
from ludus.games import CALL, FOLD, holdem
from ludus.search import preflop_solution
from ludus.solvers.blueprint.strategy import Blueprint
from ludus.teach.preflop_charts import PreflopExplorer
from small_blueprints import blueprint


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    blueprint("tree", known=1.0).save(tmp_path / "heads-up.safetensors")
    blueprint("bounded", 6, known=1.0).save(tmp_path / "six-player.safetensors")
    monkeypatch.setattr(module, "SHIPPED", tmp_path)
    monkeypatch.setattr(preflop_solution, "SHIPPED", tmp_path)
    return tmp_path


@pytest.fixture
def six():
    return PreflopExplorer(BlueprintAgent(blueprint("bounded", 6, known=1.0)), holdem(6, 50))


def test_every_position_opens_and_answers_every_raise(six):
    spots = six.usual()
    assert [spot.position for spot in spots if not spot.played] == ["UTG", "HJ", "CO", "BTN", "SB"]
    assert len(spots) == 5 + 5 + 4 + 3 + 2 + 1
    for spot in spots:
        assert sum(spot.shares().values()) == pytest.approx(1)
        np.testing.assert_allclose(spot.frequencies.sum(axis=1), 1)
        assert (spot.reach == 1).all()  # nobody has acted before


def test_a_chart_is_what_the_blueprint_does_with_each_class(six):
    spot = next(spot for spot in six.usual() if spot.title == "BB: CO raises to 3 bb")
    played = six.agent.range_strategy(spot.state)
    for at in (0, 17, 168):
        rows = played.chances[class_of_combo == at]
        np.testing.assert_allclose(rows.mean(axis=0), spot.frequencies[at])
    combos = np.bincount(class_of_combo)
    folds = combos @ spot.frequencies[:, spot.names.index("fold")] / 1326
    assert spot.shares()["fold"] == pytest.approx(folds)


def test_who_has_acted_before_has_a_range(six):
    """UTG after his raise and a re-raise: as far as he raised at first."""
    opened = next(six.openings())
    again = six.answers(six.read("UTG, BTN 10.5bb"))[-1]
    assert again.title == "UTG: UTG raises to 3 bb, BTN raises to 10.5 bb"
    np.testing.assert_allclose(again.reach, opened.frequencies[:, opened.names.index("raise 3 bb")])
    assert again.data()["reach"]["AA"] == pytest.approx(again.reach[CLASSES.index("AA")])


def test_a_range_that_is_empty_has_no_frequencies():
    """Who never raises does not come to answer a re-raise of his own raise."""
    made = blueprint("aparicio")
    rows = np.zeros_like(made.strategy).reshape(-1, int(made.abstraction.layout.spec["width"]))
    rows[:, 1:3] = 255, 1  # calls whatever happens, or nearly so
    caller = PreflopExplorer(BlueprintAgent(Blueprint(made.abstraction, {}, rows.reshape(-1))), holdem(stack=50))
    spot = caller.answers(caller.read("BTN 3bb, BB 9bb"))[0]
    assert spot.reach.max() < 0.005
    assert spot.shares() == {}
    assert spot.data()["frequencies"] is None


def test_what_was_done_can_be_told(six):
    [sb, bb, btn] = six.answers(six.read("btn 4bb"))[:2] + six.answers(six.read("BTN call, SB 3"))[-1:]
    assert [sb.position, bb.position, btn.position] == ["SB", "BB", "BTN"]
    assert sb.state.betting() == "fffr8"
    assert bb.state.betting() == "fffr8f"
    assert btn.title == "BTN: BTN calls, SB raises to 3 bb"
    assert six.answers(six.read("SB limp"))[0].names[0] == "check"
    assert six.answers(six.read("UTG all-in"))[0].state.betting() == "r50"
    folded = six.answers(six.read("UTG fold, CO"))
    assert folded[0].state.line[0][:2] == (FOLD, FOLD)
    assert folded[0].state.line[0][2] > CALL


def test_heads_up_has_the_answer_to_a_reraise():
    explorer = PreflopExplorer(BlueprintAgent(blueprint("tree", known=1.0)), holdem(stack=50))
    titles = [spot.title for spot in explorer.usual()]
    assert titles[0] == "BTN/SB: first in"
    assert [title.split(":")[0] for title in titles] == ["BTN/SB", "BB", "BTN/SB"]
    assert explorer.seat("sb") == explorer.seat("BTN") == explorer.seat("BTN/SB") == 1


def test_charts_in_the_terminal(ludus, shipped):
    code, out, err = ludus("charts")
    assert (code, err) == (0, "")
    assert out.startswith("blueprint for 6 players with 25 big blinds, 1,000,000 hands of training\n")
    for title in ("UTG: first in", "SB: first in"):
        assert f"\n{title}\n" in out
    assert "BB        CO raises to 3 bb" in out
    assert max(map(len, out.splitlines())) <= 80
    code, out, _ = ludus("charts", "--players", "2", "--stack", "50")
    assert code == 0
    assert "played here by translation with 50 big blinds" in out
    code, out, _ = ludus("charts", "--players", "9", "--position", "bb")
    assert code == 0
    assert out.count("\nBB: ") == 8


def test_charts_as_json(ludus, shipped):
    file = shipped / "heads-up.safetensors"
    code, out, _ = ludus("charts", "--blueprint", file, "--facing", "BTN", "--position", "BB", "--json")
    assert code == 0
    data = json.loads(out)
    assert (data["players"], data["stack"], data["trained_stack"]) == (2, 25, 25)
    [chart] = data["charts"]
    assert chart["position"] == "BB"
    assert sum(chart["frequencies"].values()) == pytest.approx(1)
    assert set(chart["strategy"]) == set(CLASSES)
    assert len(chart["strategy"]["AKs"]) == len(chart["actions"])


def test_charts_as_a_drawing(ludus, shipped, tmp_path):
    code, out, _ = ludus("charts", "--players", "2", "--facing", "BTN", "--svg", tmp_path / "bb.svg")
    assert code == 0
    assert f"wrote {tmp_path / 'bb.svg'}" in out
    assert (tmp_path / "bb.svg").read_text().lstrip().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--players", "1"), "2 to 10 players"),
        (("--players", "11"), "2 to 10 players"),
        (("--position", "MP"), "there is no position 'MP'"),
        (("--facing", "MP"), "there is no position 'MP'"),
        (("--facing", ","), "say what was done"),
        (("--facing", "CO jumps"), "say what was done"),
        (("--facing", "CO 3bb now"), "say what was done"),
        (("--facing", "CO, UTG, UTG"), "UTG is not to act"),
        (("--facing", "CO fold, CO"), "CO is not to act"),
        (("--facing", "CO all-in, BTN all-in"), "BTN cannot raise"),
        (("--facing", "CO", "--position", "UTG"), "UTG is not to act after 'CO'"),
        (("--stack", "0.2"), "1 to 10,000 big blinds"),
        (("--stack", "nan"), "1 to 10,000 big blinds"),
        (("--stack", "inf"), "1 to 10,000 big blinds"),
        (("--blueprint", "deep"), "there is no blueprint 'deep'"),
        (("--svg", "a.txt"), "a plot is a file ending in"),
    ],
)
def test_bad_questions_are_explained(ludus, shipped, words, message):
    code, out, err = ludus("charts", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
