"""``ludus hands``: hand histories from one format into another."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ludus.arena.hand_files import HandFiles

_SHOWN = 20  # problems that are listed one by one


def hands(
    files: Annotated[list[Path], typer.Argument(help="Files of hands, or folders with such files.", metavar="FILE...")],
    to: Annotated[
        str, typer.Option(help="text for people, phh or pokerstars for other programs, json for one hand per line.")
    ] = "text",
    out: Annotated[Path | None, typer.Option(help="Write here.", show_default="standard output")] = None,
) -> None:
    """Read hand histories and write them in another format.

    It reads PHH files (.phh, .phhs), the text that PokerStars, GGPoker, Winamax and partypoker save, logs of ACPC
    dealers and logs of `ludus match`, told apart by their content, and checks every hand by the rules. A hand that
    cannot be read is reported and left out; then the exit code is 1, or 2 if none could.
    """
    from ludus.arena.hand_files import FORMS, HandFiles
    from ludus.cli.views.progress import progress_bar
    from ludus.files import write_atomically

    if to not in FORMS:
        raise ValueError(f"--to is one of {', '.join(FORMS)}, got {to!r}")
    if out is not None and out.is_dir():
        raise ValueError(f"--out {out} is a folder: name a file in it")
    reading = HandFiles(files)
    if out is None:
        for part in reading.converted(to):
            sys.stdout.write(part)
    else:
        written = bytearray()
        with progress_bar("reading", unit="MB", scale=1e-6) as progress:
            reading.progress = progress
            for part in reading.converted(to):
                written += part.encode()
        if reading.count:
            _check_name(out, to, reading.count)
            write_atomically(out, bytes(written))
    _report(reading)


def _check_name(out: Path, to: str, count: int) -> None:
    if to == "phh" and out.suffix == ".phh" and count > 1:
        raise ValueError(f"a .phh file holds one hand, here are {count}: name it {out.with_suffix('.phhs')}")


def _report(reading: HandFiles) -> None:
    from ludus.protocols.histories.text import printable

    sys.stdout.flush()
    problems = reading.problems
    for problem in problems[:_SHOWN]:
        print(f"ludus: {printable(f'{problem}')}", file=sys.stderr)
    if len(problems) > _SHOWN:
        print(f"ludus: and {len(problems) - _SHOWN:,} more", file=sys.stderr)
    files = len(reading.files) - reading.passed_over
    summary = f"{reading.count:,} hand{'s' * (reading.count != 1)} of {files:,} file{'s' * (files != 1)}"
    if reading.passed_over:
        summary += f", {reading.passed_over:,} other file{'s' * (reading.passed_over != 1)} passed over"
    print(f"{summary}, {len(problems):,} problem{'s' * (len(problems) != 1)}", file=sys.stderr)
    if not reading.count:
        raise typer.Exit(2)
    if problems:
        raise typer.Exit(1)
