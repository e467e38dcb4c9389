"""Make the outputs and pictures of spots.md again: ``python docs/spots.py``.

Every ``$ ludus ...`` of the page is run as a reader would type it, in an empty folder that has docs/spots, in a window
of 100 columns. What it prints replaces what stands below it; where the page says ``...`` as many lines as before are
kept above and below that. ``--plot`` makes the pictures. ``--check`` changes nothing and fails when the page differs;
seconds may. All of it takes about two minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE / "spots.md"
BLOCK = re.compile(r"```text\n(?P<body>\$ ludus .*?)```", re.DOTALL)
FILE = re.compile(r"```toml\n# docs/(?P<path>spots/[\w-]+\.toml).*?```", re.DOTALL)
SECONDS = re.compile(r" in [\d.]+ s$", re.MULTILINE)
COLOURS = 64
COLUMNS = "100"


def printed(command: str) -> str:
    """What a command prints, in the current folder; errors too."""
    from ludus.cli.main import main

    out = io.StringIO()
    before = sys.argv, os.environ.get("COLUMNS")
    sys.argv, os.environ["COLUMNS"] = shlex.split(command), COLUMNS
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), contextlib.suppress(SystemExit):
            main()
    finally:
        sys.argv = before[0]
        del os.environ["COLUMNS"]
        if before[1] is not None:
            os.environ["COLUMNS"] = before[1]
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def shortened(new: str, old: str) -> str:
    """The new output, cut where the old one was; seconds that alone have changed stay."""
    above, dots, below = old.partition("...\n")
    if dots:
        lines = new.splitlines(keepends=True)
        first, last = above.count("\n"), below.count("\n")
        new = "".join([*lines[:first], dots, *lines[len(lines) - last :]])
    return old if SECONDS.sub("", new) == SECONDS.sub("", old) else new


def commands(page: str) -> Iterator[tuple[str, str]]:
    """Each command of the page, without the ``$``, and the output shown below it."""
    for block in BLOCK.finditer(page):
        for part in re.split(r"^\$ ", block["body"], flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield command, shown


def refreshed(page: str) -> str:
    """The page with its spot files copied in and its commands run anew, one after another, in the current folder."""

    def renew(block: re.Match[str]) -> str:
        parts = (f"$ {command}\n{shortened(printed(command), shown)}" for command, shown in commands(block[0]))
        return f"```text\n{''.join(parts)}```"

    page = FILE.sub(lambda block: f"```toml\n{(HERE / block['path']).read_text()}```", page)
    return BLOCK.sub(renew, page)


def keep_pictures(folder: Path) -> None:
    """Put the pictures beside the page, with few colours: they are a quarter as large and look the same."""
    from PIL import Image

    for path in sorted(folder.glob("*.png")):
        with Image.open(path) as picture:
            small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        small.save(HERE / "images" / path.name, optimize=True)


def main() -> None:
    """Bring the page up to date, or say that it is not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing, fail when the page is out of date")
    check = parser.parse_args().check
    before = PAGE.read_text()
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        shutil.copytree(HERE / "spots", "docs/spots")
        os.makedirs("docs/images")
        after = refreshed(before)
        if not check:
            keep_pictures(Path("docs/images"))
    if check and after != before:
        sys.exit(f"{PAGE.name} is out of date: run python docs/{Path(__file__).name}")
    if not check:
        PAGE.write_text(after)


if __name__ == "__main__":
    main()
