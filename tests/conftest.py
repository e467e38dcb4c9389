import io
import sys
from functools import cache, partial

import pytest
import typer.main
from hypothesis import settings

from ludus.cli.main import main

# Kernels compile or load on their first call, so no deadlines; the same examples on every run.
settings.register_profile("ludus", deadline=None, derandomize=True)
settings.load_profile("ludus")

commands = cache(typer.main.get_command)  # Typer makes all our commands anew at every call, in 0.1 s


@pytest.fixture
def ludus(monkeypatch, capsys):
    """Run a command in this process: exit code, standard output, standard error."""

    def run(*words: object, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(typer.main, "get_command", commands)
        monkeypatch.setattr(sys, "argv", ["ludus", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A real web server, shared by the tests of a module: see `server_helpers`."""
    from server_helpers import serving

    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """A client of an application in this process, shared by the tests of a module."""
    from server_helpers import local_client

    with local_client(tmp_path_factory.mktemp("web")) as client:
        yield client


@pytest.fixture
def me(web):
    """A new person at the application that a module shares."""
    from server_helpers import person

    return person(web)


@pytest.fixture(scope="session")
def javascript(tmp_path_factory):
    """A function that runs code with the page's modules beside it: `page_modules.run`; skips where there is no node."""
    from page_modules import NODE, copy_modules, run

    if NODE is None:
        pytest.skip("node runs the page's modules here")
    folder = tmp_path_factory.mktemp("page")
    copy_modules(folder)
    return partial(run, folder)


@pytest.fixture(scope="session")
def new_postgres():
    """A function that makes an empty PostgreSQL database and tells its URL; skips where there is no server."""
    from postgres_helpers import databases

    with databases() as make:
        yield make


@pytest.fixture
def postgres_url(new_postgres):
    """The URL of an empty PostgreSQL database."""
    return new_postgres()


@pytest.fixture(scope="module")
def chromium():
    """A browser without a window. It ends with the module: while it runs, this thread has an event loop."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    from browser_helpers import ARGUMENTS, browser_program

    if (program := browser_program()) is None:
        pytest.skip("there is no Chromium on this machine")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium, server, request):
    """A function that lets a person come with a browser; a picture is kept, and nothing may go wrong in the page."""
    from browser_helpers import DESKTOP, Visitor

    visitors = []

    def come(path="/", size=DESKTOP, speed="off", **options):
        visitor = Visitor(chromium, server, size, speed, **options)
        visitors.append(visitor)
        if path:
            visitor.go(path)
        return visitor

    yield come
    for number, visitor in enumerate(visitors):
        visitor.shot(f"{request.node.name}{number or ''}")
        visitor.leave()
    assert [visitor.wrong() for visitor in visitors] == [[]] * len(visitors)
