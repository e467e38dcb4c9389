import io
import sys

import pytest
from hypothesis import settings

from ludus.cli.main import main

# Kernels compile or load on their first call, so no deadlines; the same examples on every run.
settings.register_profile("ludus", deadline=None, derandomize=True)
settings.load_profile("ludus")


@pytest.fixture
def ludus(monkeypatch, capsys):
    """Run a command in this process: exit code, standard output, standard error."""

    def run(*words: object, stdin: str = "") -> tuple[int, str, str]:
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
