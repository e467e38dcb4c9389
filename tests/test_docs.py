"""The pages: the site builds without a warning, links lead somewhere, commands are commands, and code runs.

All commands are run, those that take long by a slow test (`SLOW`). Those that need a person, a network or a file of the
reader's, or take hours, are only parsed: `NOT_RUN` names them. Pages about spots, the tutorial and the results have
programs of their own that write them, and tests of their own.
"""

import re
import shlex

import pytest
import typer

from ludus.agents import AGENTS
from ludus.cli.main import app
from paths import REPOSITORY

DOCS = REPOSITORY / "docs"
ROOT_PAGES = sorted(REPOSITORY.glob("*.md"))
PAGES = sorted([*DOCS.glob("*.md"), *ROOT_PAGES])
BLOCK = re.compile(r"^```([a-z]*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")
NOT_RUN = {
    "ludus serve": "runs until it is stopped; tests/test_package.py starts one",
    "ludus play": "asks a person",
    "ludus review": "needs a file of the reader's; tests/cli/studying has some",
    "ludus advise --hand": "the same",
    "ludus train": "takes minutes; tests/cli/solving trains a little",
    "ludus buckets build": "takes minutes; tests/trees builds a few",
    "ludus sweep": "needs a cluster; tests/cli/research sweeps here",
    "ludus acpc": "waits for a partner; tests/protocols/acpc has some",
    "ludus match exec:": "needs the reader's bot; tests/protocols has some",
    "ludus exploitability agent:resolver:my.values": "needs the reader's network",
    "ludus match resolver:my-networks": "the same",
    "ludus bench values --networks": "the same",
    "ludus match resolver blueprint": "takes hours; tests/search and tests/arena have a few hands",
    "ludus lbr resolver": "the same",
    "ludus bench thinking": "takes minutes; tests/experiments thinks less",
    "ludus reproduce deepstack": "takes hours; tests/experiments reproduces a little",
    "ludus reproduce deep-cfr": "takes minutes; the same",
}
SLOW = ("ludus match tight loose", "ludus match strategy:", "ludus tournament")  # seconds each
PYTHON_NOT_RUN = {
    "tutorial.md": "takes minutes; tutorial.py runs it and writes what comes out",
    "resolving.md": "takes minutes",
    "researcher.md": "tests/test_readme.py runs it and looks at what comes out",
    "arena.md": "the same",
}


def blocks(page):
    return BLOCK.findall(page.read_text())


def commands(page):
    """The commands of a page, without what they print and without comments."""
    found = []
    for language, text in blocks(page):
        if language in ("", "console", "sh", "bash"):
            for line in text.splitlines():
                line = line.removeprefix("$ ")
                if line.startswith("ludus "):
                    found.append(line.partition(" #")[0].strip())
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_parse(page):
    for text in commands(page):
        name, *arguments = shlex.split(text)
        if any(word in text for word in ("...", "|", ">", "$", "&&", "\\")):
            continue  # a pattern or a line of a shell
        command, context = typer.main.get_command(app), None
        while hasattr(command, "resolve_command"):  # down to the command itself; unknown options raise
            context = command.make_context(name, list(arguments), parent=context)
            if not (rest := [*context._protected_args, *context.args]):
                break
            name, command, arguments = command.resolve_command(context, rest)
        else:
            command.make_context(name, list(arguments), parent=context)


def run_commands(page, ludus, without):
    for text in commands(page):
        words = shlex.split(text)
        if not " ".join(words).startswith(without):
            code, out, err = ludus(*words[1:])
            assert code == 0, f"{text}: {err}"
            assert out, text


WITH_COMMANDS = pytest.mark.parametrize("page", list(filter(commands, PAGES)), ids=lambda page: page.name)


@WITH_COMMANDS
def test_commands_run(page, ludus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_commands(page, ludus, (*NOT_RUN, *SLOW))


@pytest.mark.slow
@WITH_COMMANDS
def test_slow_commands_run(page, ludus, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if any(" ".join(shlex.split(text)).startswith(SLOW) for text in commands(page)):
        run_commands(page, ludus, tuple(NOT_RUN))  # with the quick ones before them, whose files they read


def test_what_is_not_run_is_still_on_a_page():
    shown = [" ".join(shlex.split(text)) for page in PAGES for text in commands(page)]
    assert [prefix for prefix in (*NOT_RUN, *SLOW) if not any(text.startswith(prefix) for text in shown)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_runs(page, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    known = dict(AGENTS)
    try:
        for language, text in blocks(page):
            if language == "python":
                code = compile(text, page.name, "exec")
                if page.name not in PYTHON_NOT_RUN:
                    exec(code, {"__name__": page.stem})
                    assert capsys.readouterr().out
    finally:
        AGENTS.clear()
        AGENTS.update(known)


def test_links_of_the_root_s_pages_lead_somewhere():
    links = [(page.name, link) for page in ROOT_PAGES for link in LINK.findall(page.read_text()) if "://" not in link]
    assert len(links) > 20
    assert [link for link in links if not (REPOSITORY / link[1].partition("#")[0]).exists()] == []


def test_a_readme_fits_two_screens():
    text = (REPOSITORY / "README.md").read_text()
    assert len(text.splitlines()) <= 90
    assert len(text) <= 5000


def test_the_site_builds_without_a_warning(tmp_path, monkeypatch):
    build = pytest.importorskip("mkdocs.commands.build", reason="mkdocs builds the site: install ludus[docs]")
    from mkdocs.config import load_config

    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    config = load_config(str(REPOSITORY / "mkdocs.yml"), site_dir=str(tmp_path / "site"), strict=True)
    build.build(config)  # Abort if anything is warned of: broken links and anchors among it
    made = {str(path.relative_to(tmp_path / "site")) for path in (tmp_path / "site").rglob("*.html")}
    assert {page.with_suffix(".html").name for page in DOCS.glob("*.md")} <= made
    for name, told in {
        "reference/commands.html": ("ludus doctor", "--processes"),
        "reference/http.html": ("/api/tables/{table}/advice", "AdviceView"),
        "reference/python/solvers.html": ("ludus.solvers.schedules", "dcfr"),
    }.items():
        text = (tmp_path / "site" / name).read_text()
        assert all(word in text for word in told), name
    fetched = [
        link
        for path in (tmp_path / "site").rglob("*.html")
        for link in re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?://[^"]+)"', path.read_text())
    ]
    assert fetched == []
