"""Hands from files of any form that there is: hand histories, and logs of matches."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ludus.arena.log import LOGS
from ludus.parallel import Progress
from ludus.protocols.histories import (
    FORMATS,
    PlayedHand,
    Problem,
    as_text,
    facts,
    files_in,
    read_file,
    write_phh,
    write_pokerstars,
)

ALL_FORMATS = (LOGS, *FORMATS)


_WRITERS: dict[str, Callable[[PlayedHand], str]] = {
    "text": as_text,
    "phh": write_phh,
    "json": lambda hand: json.dumps(facts(hand)),
    "pokerstars": lambda hand: write_pokerstars(hand) + "\n",
}
FORMS = tuple(_WRITERS)  # that hands are written in


class HandFiles:
    """The hands of all files one after the other; keeps count, and what could not be read or written."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.files: list[tuple[Path, bool]] = []  # and whether it was named, or found in a folder
        for path in files:
            self.files += [(file, file == path) for file in existing_files(path)]
        self.count = 0  # hands written
        self.problems: list[Problem] = []
        self.passed_over = 0  # files without hands in a folder
        self.progress: Progress | None = None  # told about bytes
        self._total = sum(file.stat().st_size for file, _ in self.files)
        self._bytes = 0
        self._lines = 0

    def __iter__(self) -> Iterator[PlayedHand]:
        for file, named in self.files:
            for found in self._read(file, named):
                if isinstance(found, Problem):
                    self.problems.append(found)
                else:
                    yield found

    def _read(self, file: Path, named: bool) -> Iterator[PlayedHand | Problem]:
        begun = False
        try:
            for found in read_file(file, ALL_FORMATS, self._heard):
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

    def converted(self, to: str) -> Iterator[str]:
        """The hands in another of `FORMS`, as parts of a text; those that cannot be written are problems, too."""
        first = ""
        for hand in self:
            try:
                text = _WRITERS[to](hand)
            except ValueError as error:
                self.problems.append(Problem(f"hand {hand.number}", f"{error}"))
                continue
            self.count += 1
            if to != "phh":
                yield text + "\n"
            elif self.count == 1:
                first = text  # it gets a section only when there is a second one
            else:
                yield f"[1]\n{first}\n" * (self.count == 2) + f"[{self.count}]\n{text}\n"
        if to == "phh" and self.count == 1:
            yield first


def existing_files(path: Path) -> list[Path]:
    """The file itself, or the files of a folder; FileNotFoundError where there is nothing."""
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    return files_in(path)


def read_places(
    path: Path, first: int = 1, last: int | None = None, progress: Callable[[int, int], object] | None = None
) -> Iterator[PlayedHand | Problem]:
    """The hands of one file from one place to another, counted from 1; ValueError for a folder of several files."""
    files = existing_files(path)
    if len(files) != 1:
        raise ValueError(f"{path} is a folder without the log of a match: name one file of hands")
    total, done = files[0].stat().st_size, 0

    def heard(size: int) -> None:
        nonlocal done
        done += size
        if progress is not None:
            progress(done, total)

    for place, found in enumerate(read_file(files[0], ALL_FORMATS, heard), 1):
        if last is not None and place > last:
            break
        if place >= first:
            yield found


def hand_at(path: Path, place: int) -> PlayedHand:
    """The hand at a place of a file, counted from 1; ValueError where there is none, or it cannot be read."""
    for found in read_places(path, place, place):
        if isinstance(found, Problem):
            raise ValueError(f"{found}")
        return found
    count = sum(1 for _ in read_places(path))
    raise ValueError(f"{path} has {count} hand{'s' * (count != 1)}, there is no number {place}")
