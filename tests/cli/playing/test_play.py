"""The terminal table against blueprints: levels, hints, and what a person sees."""

import re

import pytest

from ludus.agents import blueprint as module
from ludus.agents.evaluation import Estimate
from ludus.cli.playing import table as table_module
from ludus.cli.views.hints import hint_lines
from ludus.cli.views.screen import parse_action
from ludus.games import holdem
from ludus.teach.advice import Advice, Choice
from small_blueprints import blueprint


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    blueprint("tree").save(tmp_path / "heads-up.safetensors")
    blueprint("bounded", 6).save(tmp_path / "six-player.safetensors")
    monkeypatch.setattr(module, "SHIPPED", tmp_path)
    return tmp_path


def advice(state):
    choices = (
        Choice(-1, "fold", 0.001, Estimate(0.0)),
        Choice(0, "call 1", 0.25, Estimate(1.5, 0.2)),
        Choice(5, "raise to 5", 0.749, Estimate(2.25, 0.1)),
    )
    words = "You need 25 % to call and have 60 % against any hand; raising to 2.5 bb is best, calling costs 0.4 bb."
    return Advice(state, "blueprint", choices, 0.6, 0.25, 0.5, (3, 7), (), words, 0.2)


def test_the_blueprint_is_the_usual_opponent(ludus, shipped):
    code, out, err = ludus("play", "--seed", "1", "--hands", "3", stdin="c\n" * 40)
    assert (code, err) == (0, "")
    assert "Against blueprint: blueprint for 2 players with 25 big blinds" in out
    assert "by translation with 100 big blinds" in out
    assert re.search(r"^3 hands, ", out, re.MULTILINE)
    assert "heuristic-mc" in ludus("play", "leduc", "--seed", "1", stdin="c\nq\n")[1]


def test_without_a_blueprint_somebody_else_sits_down(ludus, shipped):
    for file in shipped.iterdir():
        file.unlink()
    code, out, _ = ludus("play", "--seed", "1", "--hands", "1", stdin="c\n" * 9)
    assert code == 0
    assert "heuristic-mc" in out


def test_a_table_of_six_is_told_in_few_lines(ludus, shipped):
    code, out, _ = ludus("play", "--seats", "6", "--seed", "4", "--hands", "6", "--level", "3", stdin="c\n" * 90)
    assert code == 0
    assert "Against blueprint:level=3" in out
    assert "level 3 of 5" in out
    hands = out[out.index("Hand 1") :].splitlines()[:-2]
    assert max(map(len, hands)) <= 80
    assert re.search(r"you [+-]\d+ \([+-]\d+ in 6 hands\)", out)
    assert out == ludus("play", "--seats", "6", "--seed", "4", "--hands", "6", "--level", "3", stdin="c\n" * 90)[1]


def test_folds_in_a_row_are_one_line(ludus):
    out = ludus("play", "--opponent", "tight", "--seats", "6", "--seed", "4", "--hands", "4", stdin="f\n" * 9)[1]
    assert re.search(r"^  UTG(, [A-Z+0-9]+)+: fold$", out, re.MULTILINE)
    assert not re.search(r": fold\n  \S+( tight#\d)?: fold\n", out)


def test_who_has_folded_watches(ludus, shipped):
    out = ludus("play", "--seats", "3", "--seed", "2", "--hands", "12", stdin="f\n" * 60)[1]
    assert ": you are out" in out


def test_levels_are_for_blueprints(ludus, shipped):
    for words, message in (
        (("--opponent", "call", "--level", "2"), "--level is for the player blueprint"),
        (("--opponent", "blueprint:level=3", "--level", "2"), "--level is for the player blueprint"),
        (("--level", "6"), "--level"),
        (("--opponent", "blueprint:deep"), "there is no blueprint 'deep'"),
        (("leduc", "--advise"), "advice for no-limit hold'em only"),
        (("leduc", "--opponent", "blueprint"), "no-limit hold'em"),
        (("--seats", "3", "--opponent", "blueprint:heads-up"), "for 2 players"),
    ):
        code, out, err = ludus("play", *words)
        assert (code, out) == (2, "")
        assert message in err
    code, out, _ = ludus("play", "--opponent", "blueprint:six-player,seed=3", "--level", "1", stdin="q\n")
    assert code == 0
    assert "Against blueprint:six-player,seed=3,level=1" in out


def test_hints_come_when_asked_for_or_always(ludus, shipped, monkeypatch):
    asked = []

    def about(self, observation):
        asked.append(observation)
        return hint_lines(advice(observation))

    monkeypatch.setattr(table_module.Hints, "about", about)
    _, out, _ = ludus("play", "--seed", "1", "--hands", "1", stdin="h\nhint\nf\n")
    assert len(asked) == 2
    assert asked[0].hole(0) == (-1, -1)  # the opponent's cards are hidden
    assert "hint (blueprint, 0.2 s): equity 60 %, a call needs 25 %, 2 outs" in out
    asked.clear()
    _, out, _ = ludus("play", "--seed", "1", "--hands", "1", "--advise", stdin="f\n")
    assert len(asked) == 1
    assert out.index("hint (blueprint") < out.index("f fold, c call 1")


def test_a_hint_that_cannot_be_given_is_explained(ludus, shipped, monkeypatch):
    def about(self, observation):
        raise ValueError("nobody knows")

    monkeypatch.setattr(table_module.Hints, "about", about)
    code, out, _ = ludus("play", "--seed", "1", "--hands", "1", stdin="h\nf\n")
    assert code == 0
    assert "there is no hint: nobody knows" in out


def test_a_hint_shows_the_mix_the_values_and_the_reason():
    lines = [line.plain for line in hint_lines(advice(holdem().start().deal(range(4))))]
    assert lines[1] == "    call 1      25 % #####                EV +0.75 bb +- 0.20"
    assert lines[2] == "    raise to 5  75 % ###############      EV +1.12 bb +- 0.10"
    assert lines[3].startswith("    You need 25 %")
    assert max(map(len, lines)) <= 80
    assert not any("fold" in line for line in lines[:3])  # hardly ever advised


@pytest.mark.parametrize(
    ("text", "action"), [("r pot", 6), ("r half", 4), ("r 50%", 4), ("r 300%", 14), ("r 9999%", 200), ("r min", 4)]
)
def test_raises_by_the_pot(text, action):
    assert parse_action(text, holdem().start().deal(range(52))) == action


@pytest.mark.parametrize("text", ["r %", "r 5.5%", "r -5%", "r 99999%", "r pot pot", "r ٣%"])
def test_other_shares_are_no_raises(text):
    with pytest.raises(ValueError, match="say how much to raise to"):
        parse_action(text, holdem().start().deal(range(52)))


def test_hints_use_the_assistant(ludus, shipped):
    """The real one, once."""
    code, out, _ = ludus("play", "--seed", "1", "--hands", "1", stdin="h\nf\n")
    assert code == 0
    assert re.search(r"hint \(\w+, \d+\.\d s\): equity \d+ %", out)
