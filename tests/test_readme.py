"""What the README and the first pages show is what happens."""

import re
import sys

import pytest

from ludus.cli.main import main
from paths import REPOSITORY

README = (REPOSITORY / "README.md").read_text()


def test_the_python_examples_run(capsys):
    page = (REPOSITORY / "docs" / "researcher.md").read_text()
    solving, spot, match, cards = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(cards, "researcher.md", "exec"), {})
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "full house, kings full of fives"
    assert len(out) == 3
    exec(compile(solving, "researcher.md", "exec"), {})
    assert float(capsys.readouterr().out.split()[0]) < 1e-3
    exec(compile(spot, "researcher.md", "exec"), {})
    ev, frequencies = capsys.readouterr().out.split(") {")
    assert sum(map(float, ev.strip("(").split(","))) == pytest.approx(20, abs=1e-3)
    assert frequencies.count(":") == 3  # check, half the pot, all-in
    exec(compile(match, "researcher.md", "exec"), {})
    assert re.fullmatch(r"[+-]\d+ \+- \d+\n", capsys.readouterr().out)


def test_the_agent_of_the_arena_s_page_plays(capsys):
    page = (REPOSITORY / "docs" / "arena.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(code, "arena.md", "exec"), {"__name__": "arena"})
    assert "Interval(units=1000" in capsys.readouterr().out


def test_the_equity_example_is_what_comes_out(capsys, monkeypatch):
    ((command, shown),) = re.findall(r"```\n\$ (ludus equity [^\n]*)\n(.*?)```", README, re.DOTALL)
    monkeypatch.setattr(sys, "argv", command.split())
    with pytest.raises(SystemExit):
        main()
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        line.split() for line in shown.splitlines()
    ]


def test_the_glossary_names_files_that_are_there():
    text = (REPOSITORY / "docs" / "glossary.md").read_text()
    named = re.findall(r"`([\w/]+(?:\.py|/))`", text)
    assert len(named) > 30
    assert [path for path in named if not (REPOSITORY / "src" / "ludus" / path).exists()] == []
