"""Files of hands: which format they have, recognised by their content, and their hands one by one.

A format is a test for the beginning of a file and a reader for its lines; a new one is a line in ``FORMATS``. Files are
read line by line and hand by hand, so they may be of any size.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ludus.protocols.histories.dealer_log import is_dealer_log, read_dealer_lines
from ludus.protocols.histories.hand import PlayedHand, Problem
from ludus.protocols.histories.partypoker import PartyPokerHand
from ludus.protocols.histories.phh_reader import is_phh, read_phh_lines
from ludus.protocols.histories.pokerstars import GGPokerHand, PokerStarsHand, WinamaxHand
from ludus.protocols.histories.site_text import SiteHand, read_lines

_HEAD = 2**16  # characters within which a format must be recognised
_LONGEST_LINE = 2**18  # bytes


class Format(NamedTuple):
    """A format of hand histories: whether the beginning of a file has it, and how its lines are read."""

    name: str
    detect: Callable[[str], bool]
    read: Callable[[Iterable[str]], Iterator[PlayedHand | Problem]]


def _site(kind: type[SiteHand]) -> Format:
    """The text of a poker site: whole hands with a first line of their own."""
    return Format(
        kind.site, lambda head: any(map(kind.header.match, head.splitlines())), lambda lines: read_lines(kind, lines)
    )


FORMATS = (
    *map(_site, (PokerStarsHand, GGPokerHand, WinamaxHand, PartyPokerHand)), Format("PHH", is_phh, read_phh_lines),
    Format("logs of ACPC dealers", is_dealer_log, read_dealer_lines),
)  # fmt: skip


def read_hands(lines: Iterable[str], formats: Sequence[Format] = FORMATS) -> Iterator[PlayedHand | Problem]:
    """The hands of a file in any known format, line by line; ValueError when it has none of them."""
    lines = iter(lines)
    head: list[str] = []
    size = 0
    for line in lines:
        head.append(line)
        size += len(line)
        if size >= _HEAD:
            break
    start = "".join(head)[:_HEAD]
    found = next((form for form in formats if form.detect(start)), None)
    if found is None:
        raise ValueError(f"this is no file of hands: none of {', '.join(form.name for form in formats)}")
    return found.read(chain(head, lines))


def read_all(text: str, formats: Sequence[Format] = FORMATS) -> tuple[list[PlayedHand], list[Problem]]:
    """The hands of a text in any known format, and what is wrong with those that could not be read.

    >>> hands, problems = read_all("variant = 'PO'")
    >>> print(problems[0])
    hand 1: only hold'em can be read, the variants NT and FT, not 'PO'
    """
    hands: list[PlayedHand] = []
    problems: list[Problem] = []
    for found in read_hands(io.StringIO(text), formats):
        if isinstance(found, Problem):
            problems.append(found)
        else:
            hands.append(found)
    return hands, problems


def lines_of(path: Path, progress: Callable[[int], None] | None = None) -> Iterator[str]:
    """The lines of a file as text, whatever its bytes: UTF-8, or else the Western letters of older files."""
    with path.open("rb") as file:
        while line := file.readline(_LONGEST_LINE):
            if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
                raise ValueError(f"a line has more than {_LONGEST_LINE} bytes: this is no file of hands")
            if progress is not None:
                progress(len(line))
            try:
                yield line.decode("utf-8")
            except UnicodeDecodeError:
                yield line.decode("cp1252", "replace")


def read_file(
    path: Path, formats: Sequence[Format] = FORMATS, progress: Callable[[int], None] | None = None
) -> Iterator[PlayedHand | Problem]:
    """The hands of a file, with the file named in problems; ValueError when it is not a file of hands.

    ``progress`` is told the bytes of every line.
    """
    try:
        for found in read_hands(lines_of(path, progress), formats):
            yield Problem(f"{path}, {found.where}", found.why) if isinstance(found, Problem) else found
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def files_in(path: Path) -> list[Path]:
    """The file itself, or all files of a folder and those below it; of a match's folder, its log alone."""
    if not path.is_dir():
        return [path]
    if (log := path / "hands.log").is_file():  # the other files there hold the same hands again
        return [log]
    return sorted(file for file in path.rglob("*") if file.is_file())
