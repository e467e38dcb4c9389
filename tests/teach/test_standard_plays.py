"""The standard plays: the shipped file, what is accepted, what makes advice pass, and what a file may not say."""

import json

import pytest

from ludus.agents.evaluation import Estimate
from ludus.experiments.bench import plays as bench
from ludus.games.moves import CALL, FOLD
from ludus.teach.advice import Advice, Choice
from ludus.teach.standard_plays import KINDS, judge, kind_of, load_standard_plays


class FixedAdviser:
    """Plays and values as told, in every decision; what else is asked about is worth a value of its own."""

    def __init__(self, mix, values, other=0.0):
        self.mix, self.values, self.other, self.asked = mix, values, other, []

    def advise(self, observation, also=()):
        self.asked.append(tuple(also))
        choices = tuple(
            Choice(action, observation.action_name(action), self.mix.get(action, 0.0), Estimate(value))
            for action, value in sorted({**dict.fromkeys(also, self.other), **self.values}.items())
        )
        return Advice(observation, "fixed", choices, 0.5, 0.0, None, (), (), "", 0.0)


@pytest.fixture(scope="module")
def shipped():
    return {play.name: play for play in load_standard_plays()}


def test_the_shipped_file_is_broad(shipped):
    plays = shipped.values()
    assert len(plays) >= 60
    assert {play.state.game.players for play in plays} >= {2, 6}
    for players in (2, 6):
        streets = [play.state.street for play in plays if play.state.game.players == players]
        assert set(streets) == {0, 1, 2, 3}
    assert {kind for play in plays for kind in play.accept} == set(KINDS)
    heads_up = {
        play.state.game.stacks[0] // play.state.game.big_blind for play in plays if play.state.game.players == 2
    }
    assert heads_up == {40, 100, 200}
    assert len({play.situation for play in plays}) == len(plays)


def test_kinds_and_sizes_of_actions(shipped):
    aces = shipped["UTG AA first in"]
    assert [aces.accepts(action) for action in (FOLD, CALL, 250, 500, 501, 10_000)] == [0, 0, 1, 1, 0, 0]
    free = shipped["Heads-up BB 72o after a limp"]
    assert kind_of(free.state, CALL) == "check"
    assert free.accepts(CALL)


ACES = "UTG AA first in"


def test_advice_is_to_take_nine_times_of_ten_what_is_accepted(shipped):
    values = {FOLD: 0.0, CALL: 900.0, 250: 900.0}
    for mix, advised in (
        ({250: 1.0}, True),
        ({250: 0.9, CALL: 0.1}, True),
        ({250: 0.89, CALL: 0.11}, False),
        ({250: 0.45, CALL: 0.55}, False),
        ({FOLD: 1.0}, False),
    ):
        found = judge(shipped[ACES], FixedAdviser(mix, values))
        assert (found.advised, found.graded) == (advised, True), mix


def test_a_student_is_not_to_be_blamed(shipped):
    worse = {FOLD: 0.0, CALL: 900.0, 250: 500.0}
    adviser = FixedAdviser({CALL: 1.0}, worse)
    found = judge(shipped[ACES], adviser)
    assert (found.grades, found.graded, adviser.asked) == (("blunder",), False, [()])


def test_what_the_advice_does_not_value_is_asked_for(shipped):
    adviser = FixedAdviser({288: 1.0}, {FOLD: 0.0, CALL: 800.0, 288: 900.0}, other=899.0)
    found = judge(shipped[ACES], adviser)
    assert (found.grades, adviser.asked) == (("fine",), [(), (250,)])


PLAY = {
    "name": '"a"', "situation": '"heads-up; hero BTN AhKh"', "accept": '["raise"]', "student": '["r3bb"]',
    "why": '"so"',
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"situation": '"heads-up; hero BTN AhAh"'}, "a: "),
        ({"name": "3"}, "3: name is a text, got 3"),
        ({"why": None}, "a: why is a text, got None"),
        ({"accept": '["raise", "bet"]'}, r"a: accept is some of fold, call, raise, all-in, got \['raise', 'bet'\]"),
        ({"accept": '["check"]'}, "a: accept is some of fold, call"),
        ({"accept": "[3]"}, "a: accept is written in texts"),
        ({"student": '["c"]'}, r"a: student is one or more of the actions accepted, got \['call 50'\]"),
        ({"student": '["r1bb"]'}, "a: .*100"),
        ({"student": '["r3bb, c"]'}, "a: .* is no single action"),
        ({"most": '"2.5bb"'}, r"a: student is one or more of the actions accepted, got \['raise to 300'\]"),
        ({"least": '"4bb"', "most": '"3bb"'}, "a: least is no more than most"),
        ({"accept": '["call"]', "student": '["c"]', "most": '"3bb"'}, "a: least and most are of a raise"),
        ({"size": '"3bb"'}, "a: size is no part of a play"),
    ],
)
def test_a_play_that_makes_no_sense_is_named(tmp_path, change, says):
    path = tmp_path / "plays.toml"
    rows = {key: value for key, value in {**PLAY, **change}.items() if value is not None}
    path.write_text("[[play]]\n" + "\n".join(f"{key} = {value}" for key, value in rows.items()))
    with pytest.raises(ValueError, match=f"^{says}"):
        load_standard_plays(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[play", "is no TOML"),
        ("other = 1", r"has tables \[\[play\]\] and nothing else"),
        ("play = 1", r"has tables \[\[play\]\] and nothing else"),
        (2 * ("[[play]]\n" + "\n".join(f"{key} = {value}" for key, value in PLAY.items()) + "\n"), "a: 2 plays have"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, text, says):
    path = tmp_path / "plays.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=says):
        load_standard_plays(path)


def test_the_command(ludus, monkeypatch, shipped):
    two = shipped["UTG AA first in"], shipped["UTG 72o first in"]
    monkeypatch.setattr(bench, "load_standard_plays", lambda: two)
    monkeypatch.setattr(
        bench, "AnyTableAdvisor", lambda seconds: FixedAdviser({FOLD: 1.0}, {FOLD: 0.0, CALL: -9.0, 250: -9.0})
    )
    code, out, _ = ludus("bench", "plays", "--json", "--time", 0.1)
    found = json.loads(out)
    assert (code, found["plays"], found["advised"], found["graded"]) == (0, 2, 1, 1)
    assert found["failed"] == ["UTG AA first in"]
    code, out, _ = ludus("bench", "plays")
    assert code == 0
    assert "UTG AA" in out
    assert "72o" not in out
    monkeypatch.undo()
    assert ludus("bench", "plays", "--time", 0)[0] == 2
