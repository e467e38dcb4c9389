"""The page about spots: its files load, its commands are commands, and it shows what they print."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil

import pytest
import typer

from ludus.cli.main import app
from ludus.trees.spot import Spot
from paths import REPOSITORY

DOCS = REPOSITORY / "docs"
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


@pytest.fixture(scope="module")
def docs():
    spec = importlib.util.spec_from_file_location("spots", DOCS / "spots.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page(docs):
    return docs.PAGE.read_text()


@pytest.mark.parametrize("path", sorted(DOCS.glob("spots/*.toml")), ids=lambda path: path.stem)
def test_the_spot_files_load_and_are_on_the_page(page, path):
    spot = Spot.load(path)
    text = path.read_text()
    shown = text if not spot.locks else text[text.index("[[lock]]") :]
    assert f"```toml\n{shown}```" in page


def test_the_commands_of_the_page_parse(docs, page):
    found = [command for command, _ in docs.commands(page)] + re.findall(r"`(ludus [^`]*--line [^`]*)`", page)
    assert len(found) > 12
    for text in found:
        name, *arguments = shlex.split(text)
        assert name == "ludus"
        command, context = typer.main.get_command(app), None
        while hasattr(command, "resolve_command"):  # down to the command itself; unknown options raise
            context = command.make_context(name, list(arguments), parent=context)
            name, command, arguments = command.resolve_command(context, [*context._protected_args, *context.args])
        command.make_context(name, list(arguments), parent=context)


def test_the_pictures_are_there_and_small(page):
    shown = re.findall(r"!\[[^]]+\]\((images/[^)]+)\)", page)
    assert sorted(shown) == [f"images/{path.name}" for path in sorted(DOCS.glob("images/spots-*.png"))]
    assert all((DOCS / name).stat().st_size < 150_000 and f"--plot docs/{name}" in page for name in shown)


def test_figures_in_the_text_are_in_an_output(docs, page):
    outputs = "".join(shown for _, shown in docs.commands(page))
    text = re.sub(r"```.*?```|`[^`]*`", "", page, flags=re.DOTALL)
    figures = {figure for figure in re.findall(r"\d+\.\d{2,}", text) if figure != "0.03"}  # 0.3 % of 10
    assert len(figures) > 5
    assert {figure for figure in figures if figure not in outputs} == set()


def test_the_river_is_what_comes_out(docs, page, tmp_path, monkeypatch):
    shutil.copytree(DOCS / "spots", tmp_path / "docs" / "spots")
    monkeypatch.chdir(tmp_path)
    wanted = [
        (command, shown) for command, shown in docs.commands(page) if "river" in command and "--plot" not in command
    ]
    for command, shown in wanted[:3]:  # solve, a line that is not there, the hands of one that is
        made = docs.shortened(docs.printed(command), shown)
        assert NUMBER.sub("#", docs.SECONDS.sub("", made)) == NUMBER.sub("#", docs.SECONDS.sub("", shown))
        figures, expected = (
            [float(figure.replace(",", "")) for figure in NUMBER.findall(docs.SECONDS.sub("", text))]
            for text in (made, shown)
        )
        assert figures == pytest.approx(expected, rel=1e-2, abs=0.2)
