"""The files of a match: the log of finished hands, and the transactions, from which a match can be resumed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from ludus.protocols.acpc.messages import number_text

_LONGEST = 4096  # bytes of a line that is read
_HAND = re.compile(rb"STATE:([0-9]{1,10}):")
_TRANSACTION = re.compile(r"\s*([0-9]{1,10}) ([0-9]{1,15})\.([0-9]{1,6}) ([0-9]{1,15})\.([0-9]{1,6})\s*", re.ASCII)
_ACTION = re.compile(r"[fFcCkK]|[rRbB](?:-?[0-9]{1,10})?", re.ASCII)
_LETTERS = str.maketrans("FCkKRbB", "fcccrrr")


def joined(values: Iterable[float]) -> str:
    """Numbers of the seats or positions.

    >>> joined([0.5, -0.5])
    '0.5|-0.5'
    """
    return "|".join(map(number_text, values))


def state_line(record: str, values: Sequence[float], names: Sequence[str]) -> str:
    """The line of a finished hand; values and names by position."""
    return f"{record}:{joined(values)}:{'|'.join(names)}"


def score_line(totals: Sequence[float], names: Sequence[str]) -> str:
    """The last line of a match; totals and names by seat.

    >>> score_line([50.0, -50.0], ["Alice", "Bob"])
    'SCORE:50|-50:Alice|Bob'
    """
    return f"SCORE:{joined(totals)}:{'|'.join(names)}"


@dataclass(frozen=True, slots=True)
class Transaction:
    """An action that was taken."""

    move: str
    hand: int
    sent: float
    received: float

    def __str__(self) -> str:
        return f"{self.move} {self.hand} {self.sent:.6f} {self.received:.6f}"

    @classmethod
    def parse(cls, line: str) -> Transaction:
        """From its line; ValueError, worded as the competition's dealer does, when it is not one.

        >>> Transaction.parse("r1734 0 1794703583.438740 1794703583.438959").move
        'r1734'
        """
        action = _ACTION.match(line)
        if action is None:
            raise ValueError(f"could not parse transaction action {line}")
        stamp = _TRANSACTION.fullmatch(line, action.end())
        if stamp is None:
            raise ValueError(f"could not parse transaction stamp {line}")
        sent, received = float(f"{stamp[2]}.{stamp[3]:0>6}"), float(f"{stamp[4]}.{stamp[5]:0>6}")
        return cls(action[0].translate(_LETTERS), int(stamp[1]), sent, received)


class Records:
    """The log and the transactions of one match, either of which may be off. Every line is written at once."""

    def __init__(self, log: Path | None = None, transactions: Path | None = None, append: bool = False) -> None:
        self.last_logged = _last_hand(log) if log is not None and append else -1  # last hand that an earlier run logged
        self._earlier = transactions if append else None
        self._log: FileIO | None = None
        self._transactions: FileIO | None = None
        try:
            self._log = _open(log, append)
            self._transactions = _open(transactions, append)
        except BaseException:
            self.close()
            raise

    @property
    def transacting(self) -> bool:
        """Whether actions are kept."""
        return self._transactions is not None

    def earlier(self) -> Iterator[str]:
        """The lines of the transactions of an earlier run; a torn last one is cut off."""
        for line in _whole_lines(self._earlier) if self._earlier is not None else ():
            yield line.decode("utf-8", "replace").rstrip("\r\n")

    def note(self, line: str) -> None:
        """Add a line to the log."""
        _add(self._log, line)

    def transact(self, transaction: Transaction) -> None:
        """Add an action to the transactions, before it is played."""
        _add(self._transactions, str(transaction))

    def close(self) -> None:
        """No more lines."""
        for file in (self._log, self._transactions):
            if file is not None:
                file.close()


def _open(path: Path | None, append: bool) -> FileIO | None:
    """Open a file for lines that are written one by one."""
    return None if path is None else FileIO(path, "ab" if append else "wb")


def _add(file: FileIO | None, line: str) -> None:
    data = b"" if file is None else line.encode("utf-8", "surrogateescape") + b"\n"
    while data and file is not None:
        data = data[file.write(data) :]


def _last_hand(path: Path) -> int:
    """The number of the last hand of a log that is being continued."""
    return max((int(found[1]) for line in _whole_lines(path) if (found := _HAND.match(line))), default=-1)


def _whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, if there is one; a last one without an end was torn by a crash and is cut off."""
    if not path.exists():
        return
    end = 0
    with path.open("rb") as file:
        while line := file.readline(_LONGEST):
            if not line.endswith(b"\n") and len(line) < _LONGEST:
                os.truncate(path, end)
                return
            end += len(line)
            yield line
