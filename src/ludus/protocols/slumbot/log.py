"""The hands of a run, one JSON line each, on disk before the next one is dealt."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

from ludus.games.poker import STREETS

try:
    import fcntl
except ImportError:  # not on Windows; two runs must not share a log there
    fcntl = None  # type: ignore[assignment]

NAME = "slumbot.jsonl"
KIND, FORMAT = "ludus slumbot hands", 1
MOST_CHIPS = 40_000  # 20,000 won where the baseline lost as much


@dataclass(frozen=True)
class Hand:
    """A hand as it went, finished or broken. ``seconds`` and ``decisions`` are the agent's, by street."""

    number: int
    broken: str | None  # why it could not be finished
    position: int | None  # ours: 0 is the big blind, 1 the small blind; None when no cards were seen
    action: str
    hole: str
    board: str
    bot: str
    winnings: int | None
    baseline: int | None
    seconds: tuple[float, ...]
    decisions: tuple[int, ...]
    retries: int = 0  # requests for the hand that were sent again
    faults: tuple[str, ...] = ()  # errors and illegal actions of the agent

    def __post_init__(self) -> None:
        texts = [self.action, self.hole, self.board, self.bot, *self.faults, self.broken or ""]
        counts = [self.number, self.retries, *self.decisions]
        chips = [chips for chips in (self.winnings, self.baseline) if chips is not None]
        if (
            not all(isinstance(text, str) for text in texts)
            or not all(type(count) is int and count >= 0 for count in counts)
            or not all(type(value) is int and abs(value) <= MOST_CHIPS for value in chips)
            or not all(isinstance(value, int | float) and 0 <= value < 1e9 for value in self.seconds)
            or not len(self.seconds) == len(self.decisions) == len(STREETS)
            or not (self.position is None or (type(self.position) is int and self.position in (0, 1)))
        ):
            raise ValueError("a hand has texts, counts, chips and seconds of the right kinds")
        if (self.broken is None) != (self.winnings is not None and self.position is not None):
            raise ValueError("a hand has winnings and a position, or says why it is broken")

    @classmethod
    def from_json(cls, line: bytes) -> Hand:
        """The hand of a line; ValueError when it is not one."""
        try:
            data = json.loads(line)
            if not isinstance(data, dict) or not set(data) <= {field.name for field in fields(cls)}:
                raise ValueError("not a hand")
            lists = {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
            return cls(**data | lists)
        except (TypeError, RecursionError) as error:
            raise ValueError(str(error)) from None

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), allow_nan=False)


class Log:
    """A file of hands that only grows. Reopened with the same header, it continues after its last whole line."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.path, self.hands = path, list[Hand]()
        self.finished = 0  # finished hands
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b")
        try:
            self._lock()
            self._read(header)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Log:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._file.close()

    def append(self, hand: Hand) -> None:
        """Add a hand; when this returns, it is on disk."""
        assert hand.number == len(self.hands) + 1
        self._write(hand.to_json())
        self._count(hand)

    def _count(self, hand: Hand) -> None:
        self.hands.append(hand)
        self.finished += hand.broken is None

    def _write(self, line: str) -> None:
        self._file.write(f"{line}\n".encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def _lock(self) -> None:
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError(f"another run is writing {self.path}; choose another --out") from None

    def _read(self, header: dict[str, Any]) -> None:
        first = json.dumps({"kind": KIND, "format": FORMAT, **header}, allow_nan=False)
        self._file.seek(0)
        data = self._file.read()
        *lines, torn = data.split(b"\n")
        if not lines:
            if not first.encode().startswith(torn):
                raise ValueError(f"{self.path} is not a log of Slumbot hands; choose another --out")
            self._file.truncate(0)
            self._write(first)
            return
        found = _header(lines[0])
        if found is None:
            raise ValueError(f"{self.path} is not a log of Slumbot hands; choose another --out")
        for name, value in header.items():
            if found.get(name) != value:
                raise ValueError(
                    f"{self.path} has hands with {name} {found.get(name)!r}, not {value!r}; choose another --out"
                )
        whole = len(lines[0]) + 1
        for hand, length in _hands(lines, self.path):
            self._count(hand)
            whole += length
        if whole < len(data):
            self._file.truncate(whole)


def read_hands(path: Path) -> tuple[dict[str, Any], list[Hand]]:
    """The header of a log, or of the one in a folder, and its hands; the file stays as it is."""
    path = path / NAME if path.is_dir() else path
    *lines, _ = path.read_bytes().split(b"\n") if path.is_file() else [b""]
    header = _header(lines[0]) if lines else None
    if header is None:
        raise ValueError(f"{path} is not a log of Slumbot hands: `ludus slumbot` writes them, as {NAME}")
    return header, [hand for hand, _ in _hands(lines, path)]


def _header(line: bytes) -> dict[str, Any] | None:
    """What the first line of a log says; None when it is not one."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    known = isinstance(found, dict) and (found.get("kind"), found.get("format")) == (KIND, FORMAT)
    return found if known else None


def _hands(lines: Sequence[bytes], path: Path) -> Iterator[tuple[Hand, int]]:
    """The hands after the first line, each with its bytes; a last line that was torn is left out."""
    for at, line in enumerate(lines[1:], 2):
        try:
            hand = Hand.from_json(line)
            if hand.number != at - 1:
                raise ValueError(f"it is hand {hand.number} where hand {at - 1} is due")
        except ValueError as error:
            if at == len(lines):  # torn when the machine stopped
                return
            raise ValueError(f"line {at} of {path} cannot be read: {error}") from None
        yield hand, len(line) + 1
