"""What ``ludus reproduce all`` keeps of each experiment, and the page that it writes."""

from __future__ import annotations

import json
import platform
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from ludus.experiments.report import Report, Table
from ludus.experiments.results import ENTRIES, MISSING, Entry
from ludus.files import write_atomically
from ludus.parallel import usable_cores

CPU = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Result:
    """An experiment by the words of its command: its tables and notes, or why there are none."""

    words: str
    seconds: float
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    pictures: Sequence[str] = ()
    failed: str = ""

    @classmethod
    def of(cls, words: str, seconds: float, report: Report) -> Result:
        """What is kept of a report."""
        tables = (Table(report.title, report.header, report.rows), *report.more)
        pictures = [path for path in report.figures.get("files", {}).values() if path.endswith(".png")]
        return cls(words, seconds, tables, tuple(report.notes), pictures)

    @classmethod
    def load(cls, place: Path, words: str) -> Result | None:
        """The result of a command, if it is kept there."""
        file = _file(place, words)
        if not file.exists():
            return None
        try:
            known = json.loads(file.read_text())
            tables = [Table(**table) for table in known.pop("tables")]
            return cls(**known, tables=tables)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"{file} is not a result of `ludus reproduce all` ({error}); delete it") from None

    @staticmethod
    def folder(place: Path, words: str) -> Path:
        """Where the files of a command go."""
        return _file(place, words).with_suffix("")

    def save(self, place: Path) -> None:
        """Keep it for the next time."""
        write_atomically(_file(place, self.words), json.dumps(asdict(self), indent=1).encode())


def write_page(page: Path, results: Mapping[str, Result], quick: bool) -> None:
    """The page, with the pictures in a folder beside it."""
    page.parent.mkdir(parents=True, exist_ok=True)
    size = "quick" if quick else "full"
    parts = [
        "# Results",
        f"Every table and figure of the sources, ours beside theirs, written by `ludus reproduce all --{size}` on "
        f"{machine()}. Each part names the command that makes it alone. Titles, notes and options say how many hands "
        "or iterations; intervals are 95 % unless a table says otherwise, and the seed is 1 where none is named."
        + (" Sizes are small: `--full` has those of the sources, and takes days." if quick else ""),
    ]
    for source, entries in groupby(ENTRIES, lambda entry: entry.source):
        parts.append(f"## {source}")
        for entry in entries:
            parts += _part(entry, results.get(entry.words(quick)), page)
        parts += [f"### {each.shows}\n\nNot here: {each.why}" for each in MISSING if each.source == source]
    write_atomically(page, ("\n\n".join(parts) + "\n").encode())


def machine() -> str:
    """The cores and their kind."""
    lines = CPU.read_text().splitlines() if CPU.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{usable_cores()} cores ({models[0] if models else platform.machine()})"


def markdown(table: Table) -> str:
    """A table as Markdown.

    >>> print(markdown(Table("t", ("a", "b"), [("1", "x|y"), ("2",)])))
    | a | b |
    | --- | --- |
    | 1 | x\\|y |
    | 2 |  |
    """
    width = len(table.header)
    rows = [table.header, ["---"] * width, *(row for row in table.rows if any(row))]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in (*row, *[""] * (width - len(row)))) + " |"
        for row in rows
    )


def _part(entry: Entry, result: Result | None, page: Path) -> list[str]:
    parts = [f"### {entry.shows}"]
    if result is None or result.failed:
        alone = f"`ludus reproduce {entry.full}`"
        why = f": {result.failed}" if result else "" if entry.quick else ": it has no small form"
        return [*parts, f"Not run{why}. {alone} makes it."]
    parts.append(f"`ludus reproduce {result.words}` ({result.seconds:,.0f} s)")
    for table in result.tables:
        parts += [f"**{table.title}**", markdown(table)]
    parts += [
        f"![{entry.shows}]({_beside(page, entry, Path(each))})" for each in result.pictures if Path(each).exists()
    ]
    parts += [" ".join(result.notes), f"*Where they differ.* {entry.differs}"]
    return parts


def _beside(page: Path, entry: Entry, picture: Path) -> str:
    """A picture's copy beside the page, as the page names it."""
    folder = page.parent / "images"
    folder.mkdir(exist_ok=True)
    name = f"results-{picture.name}" if picture.name.startswith(entry.name) else f"results-{entry.name}-{picture.name}"
    shutil.copyfile(picture, folder / name)
    return f"images/{name}"


def _file(place: Path, words: str) -> Path:
    return place / f"{words.split()[0]}-{sha256(words.encode()).hexdigest()[:8]}.json"
