"""``ludus hands``: hand histories from one form into another."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ludus.protocols.histories import PlayedHand, Problem

FORMS = ("text", "phh", "json")
_SHOWN = 20  # problems that are told one by one


def hands(
    files: Annotated[list[Path], typer.Argument(help="Files of hands, or folders with such files.", metavar="FILE...")],
    to: Annotated[str, typer.Option(help="text for people, phh for other programs, json: one hand a line.")] = "text",
    out: Annotated[Path | None, typer.Option(help="Write here.", show_default="standard output")] = None,
) -> None:
    """Read hand histories and write them in another form.

    It reads PHH files (.phh, .phhs), what PokerStars saves as text and logs of `ludus match`, told apart by their
    content, and checks every hand by the rules. A hand that cannot be read is reported and left out; then the exit code
    is 1, or 2 if none could.
    """
    from ludus.cli.views.progress import progress_bar
    from ludus.files import write_atomically

    if to not in FORMS:
        raise ValueError(f"--to is one of {', '.join(FORMS)}, got {to!r}")
    if out is not None and out.is_dir():
        raise ValueError(f"--out {out} is a folder: name a file in it")
    reading = _Reading(files)
    if out is None:
        for part in _converted(reading, to):
            sys.stdout.write(part)
    else:
        written = bytearray()
        with progress_bar("reading", unit="MB", scale=1e-6) as progress:
            reading.progress = progress
            for part in _converted(reading, to):
                written += part.encode()
        if reading.count:
            _check_name(out, to, reading.count)
            write_atomically(out, bytes(written))
    _report(reading)


class _Reading:
    """The hands of all files one after the other; keeps count, and what could not be read."""

    def __init__(self, files: Iterable[Path]) -> None:
        from ludus.protocols.histories import files_in

        self.files: list[tuple[Path, bool]] = []  # and whether it was named, or found in a folder
        for path in files:
            if not path.exists():
                raise FileNotFoundError(f"there is no file {path}")
            self.files += [(file, file == path) for file in files_in(path)]
        self.count = 0
        self.problems: list[Problem] = []
        self.passed_over = 0
        self.progress: Callable[[int, int], None] | None = None
        self._total = sum(file.stat().st_size for file, _ in self.files)
        self._bytes = 0
        self._lines = 0

    def __iter__(self) -> Iterator[PlayedHand]:
        from ludus.protocols.histories import Problem

        for file, named in self.files:
            for found in self._read(file, named):
                if isinstance(found, Problem):
                    self.problems.append(found)
                else:
                    yield found

    def _read(self, file: Path, named: bool) -> Iterator[PlayedHand | Problem]:
        from ludus.arena.log import LOGS
        from ludus.protocols.histories import FORMATS, Problem, read_file

        begun = False
        try:
            for found in read_file(file, (*FORMATS, LOGS), self._heard):
                begun = True
                yield found
        except (ValueError, OSError) as error:
            if named or begun or isinstance(error, OSError):
                yield Problem(f"{file}", f"{error}".removeprefix(f"{file}: "))
            else:  # whatever else lies in a folder
                self.passed_over += 1

    def _heard(self, size: int) -> None:
        self._bytes += size
        self._lines += 1
        if self.progress is not None and self._lines % 512 == 0:
            self.progress(self._bytes, self._total)


def _converted(reading: _Reading, to: str) -> Iterator[str]:
    """The hands in another form; those that cannot be written are problems, too."""
    from ludus.protocols.histories import Problem, as_text, facts, write_phh

    first = ""
    for hand in reading:
        try:
            text = write_phh(hand) if to == "phh" else as_text(hand) if to == "text" else json.dumps(facts(hand))
        except ValueError as error:
            reading.problems.append(Problem(f"hand {hand.number}", f"{error}"))
            continue
        reading.count += 1
        if to != "phh":
            yield text + "\n"
        elif reading.count == 1:
            first = text  # it gets a section only when there is a second one
        else:
            yield f"[1]\n{first}\n" * (reading.count == 2) + f"[{reading.count}]\n{text}\n"
    if to == "phh" and reading.count == 1:
        yield first


def _check_name(out: Path, to: str, count: int) -> None:
    if to == "phh" and out.suffix == ".phh" and count > 1:
        raise ValueError(f"a .phh file holds one hand, here are {count}: name it {out.with_suffix('.phhs')}")


def _report(reading: _Reading) -> None:
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
