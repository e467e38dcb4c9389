"""Make the numbers and figures of tutorial.md again: ``python docs/tutorial.py``.

The page's own Python snippets are run one after another, as a reader would type them, and what they print is put into
the block that follows each (``<!-- begin output -->``). Blocks with another name come from the functions below. All
seeds are fixed; no block holds a time. The blocks of SLOW take minutes and are made with ``--all`` alone. ``--check``
changes nothing and fails when a block that was made differs from the page.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE / "tutorial.md"
SNIPPET = r"```python\n(?P<code>.*?)```\n"
BLOCK = r"<!-- begin (?P<name>[\w-]+) -->\n(?P<body>.*?)<!-- end (?P=name) -->"


def reproduce(name: str, *options: str) -> dict[str, Any]:
    """What ``ludus reproduce NAME --json`` prints."""
    from ludus.cli.main import main

    before, sys.argv = sys.argv, ["ludus", "reproduce", name, *options, "--json"]
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            main()
    except SystemExit as stop:
        if stop.code:
            raise
    finally:
        sys.argv = before
    return json.loads(printed.getvalue())


def table(header: list[str], rows: list[list[str]]) -> str:
    """A table of the page, numbers to the right."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def figure(files: dict[str, str], kind: str, name: str) -> None:
    """Keep a plot of an experiment beside the page."""
    if "--check" not in sys.argv:
        shutil.copyfile(files[kind], HERE / name)


def rock_paper_scissors() -> str:
    """Tables 1 to 3 of Joppi & Wensing next to ours."""
    rows = []
    for name in ("rps-selfplay", "rps-doubled"):
        with tempfile.TemporaryDirectory() as place:
            result = reproduce(name, "--out", place, "--repeats", "1")
            if name == "rps-doubled":
                figure(result["files"], "plot", "rock-paper-scissors.png")
        for which, shares in result["strategies"].items():
            cells = [f"{100 * shares[action]:.2f}" for action in ("rock", "paper", "scissors")]
            rows.append([f"{name}: {which}", *cells, f"{shares['exploitability']:.4f}"])
    return table(["", "rock %", "paper %", "scissors %", "exploitability"], rows)


def kuhn() -> str:
    """The strategies of Kuhn poker, ours and the sources', and how exploitable they are."""
    columns: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as place:
        for name in ("kuhn-cfr", "kuhn-mccfr"):
            result = reproduce(name, "--out", place)
            columns |= {which: column for which, column in result["strategies"].items() if which != "theory"}
            if name == "kuhn-cfr":
                figure(result["files"], "plot", "kuhn.png")
    sets = list(columns["CFR"]["bet"])
    rows = [[name, *(f"{100 * column['bet'][name]:.2f}" for column in columns.values())] for name in sets]
    rows.append(["alpha", *(f"{column['alpha']:.4f}" for column in columns.values())])
    rows.append(["value", *(f"{column['value']:.5f}" for column in columns.values())])
    rows.append(["exploitability", *(f"{column['exploitability']:.5f}" for column in columns.values())])
    return table(["bets or calls, %", *columns], rows)


def leduc() -> str:
    """Iterations that each exact algorithm needs on limit Leduc."""
    from ludus.solvers.schedules import ALGORITHMS

    with tempfile.TemporaryDirectory() as place:
        result = reproduce("leduc-convergence", "--out", place, "--algorithms", ",".join(ALGORITHMS))
        figure(result["files"], "iterations", "leduc.png")
    targets = ("0.1", "0.01", "0.001", "0.0001")
    rows = [
        [name, *(f"{row[target]['iterations']:,}" if row[target] else "-" for target in targets)]
        for name, row in result["reached"].items()
    ]
    return table(["iterations to a NashConv of", *targets], rows)


def leduc_no_limit(place: Path) -> str:
    """The long run on no-limit Leduc; resumes from what is in its folder."""
    from ludus.experiments.sources import JOPPI_WENSING

    result = reproduce("leduc-nl", "--out", str(place))
    figure(result["files"], "plot", "leduc-nl.png")
    rows = [
        [
            f"{row['iterations']:,}", f"{row['exploitability']:.3f}", f"{row['exploitability_mbb_per_game']:.1f}",
            f"{row['value']:.3f}", f"{row['source_match_mbb_per_game']:+.2f} ± {row['source_standard_error']:.2f}",
        ]
        for row in result["stops"]
    ]  # fmt: skip
    theirs = f"{JOPPI_WENSING} against DeepStack, mbb/g"
    return table(["iterations", "exploitability, chips", "mbb/g", "first seat wins, chips", theirs], rows)


QUICK: dict[str, Callable[[], str]] = {"rock-paper-scissors": rock_paper_scissors, "kuhn": kuhn, "leduc": leduc}
SLOW: dict[str, Callable[[Path], str]] = {"leduc-nl": leduc_no_limit}


def refreshed(page: str, made: dict[str, str]) -> str:
    """The page with its snippets run anew and the blocks that were made put in."""
    world: dict[str, Any] = {"__name__": "tutorial"}
    printed = io.StringIO()

    def renew(match: re.Match[str]) -> str:
        nonlocal printed
        if code := match["code"]:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, PAGE.name, "exec"), world)
            return match[0]
        name = match["name"]
        body = f"```text\n{printed.getvalue()}```\n" if name == "output" else made.get(name, match["body"])
        return f"<!-- begin {name} -->\n{body}<!-- end {name} -->"

    return re.sub(f"{SNIPPET}|{BLOCK}", renew, page, flags=re.DOTALL)


def main() -> None:
    """Bring the page up to date, or say that it is not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", action="store_true", help="the slow blocks too")
    parser.add_argument("--check", action="store_true", help="change nothing, fail when the page is out of date")
    parser.add_argument("--leduc-nl", type=Path, default=Path("out/leduc-nl"), help="folder of the long run")
    chosen = parser.parse_args()
    made = {name: make() for name, make in QUICK.items()}
    if chosen.all:
        made |= {name: make(chosen.leduc_nl) for name, make in SLOW.items()}
    before = PAGE.read_text()
    after = refreshed(before, made)
    if chosen.check and after != before:
        sys.exit(f"{PAGE.name} is out of date: run python docs/{Path(__file__).name}")
    if not chosen.check:
        PAGE.write_text(after)


if __name__ == "__main__":
    main()
