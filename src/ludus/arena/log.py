"""The log of a match: one line per hand as ACPC dealers write them, after the comments that belong to it.

::

    #LUDUS:{"format": 1, "game": ..., "players": ..., "seed": ...}
    #AIVAT:0:12.5|-12.5
    STATE:0:r300c/cc:Ah|Ks/Kh:-300|300:alice|bob

The STATE line has the number of the hand, the betting, all cards dealt until the end, and by seat what was won and who
sat there. ``#STACKS`` has the stacks of a hand of a freeze-out, ``#FORFEIT`` who gave up the hand and why. The log
alone says how far a match has come: a torn end is cut off, and the match continues from there.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ludus.arena.plan import FORMAT, MOST_GAME_HANDS, MatchPlan
from ludus.games.definition import rebuild
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import read_deck, replay
from ludus.protocols.acpc.messages import number_text
from ludus.protocols.histories import Format, PlayedHand, Problem

NAME = "hands.log"
_HEADER = "#LUDUS:"
_SYNC_SECONDS = 1.0
_MOST_CHIPS = 1e12
_NAME = re.compile(r"[\w.+#-]{1,50}", re.ASCII)
MOST_KNOWN = 1 << 17
_DECIMALS = 6  # of chips, as dealers print them


class LoggedHand(NamedTuple):
    """A line of the log. What belongs to a seat is in the order of the seats."""

    number: int
    betting: str
    cards: str
    values: tuple[float, ...]
    names: tuple[str, ...]
    stacks: tuple[int, ...] | None = None
    aivat: tuple[float, ...] | None = None
    forfeits: tuple[tuple[str, str], ...] = ()  # name, reason

    def state(self, game: PokerGame) -> PokerState:
        """The hand itself; ValueError when the line is not a hand of this game."""
        if self.stacks is not None:
            game = replace(game, stacks=self.stacks)
        return replay(game, self.betting, read_deck(game, self.cards), forfeits=bool(self.forfeits))


HandRecord = tuple[
    str, str, tuple[float, ...], tuple[str, ...], tuple[int, ...] | None, tuple[float, ...] | None,
    tuple[tuple[str, str], ...],
]  # fmt: skip
"""A hand as a worker gives it: a `LoggedHand` without its number. It is a plain tuple because there are many of them,
and the garbage collector does not follow those."""


def record(
    betting: str,
    cards: str,
    values: tuple[float, ...],
    names: tuple[str, ...],
    stacks: tuple[int, ...] | None = None,
    aivat: tuple[float, ...] | None = None,
    forfeits: tuple[tuple[str, str], ...] = (),
) -> HandRecord:
    """A hand that is to be logged."""
    return betting, cards, values, names, stacks, aivat, forfeits


def chips(values: Iterable[float]) -> tuple[float, ...]:
    """Numbers of the seats with as many decimals as a log has: a match in memory is the one that a file would hold.

    >>> chips([100 / 3, -0.0])
    (33.333333, 0.0)
    """
    return tuple([(value if value.is_integer() else round(value, _DECIMALS)) + 0.0 for value in map(float, values)])


def _texts(hand: HandRecord) -> tuple[str, tuple[str, ...]]:
    """Its STATE line and what stands before it, all without the number of the hand: 'AIVAT:12|-12'."""
    betting, cards, values, names, stacks, aivat, forfeits = hand
    comments = (
        *(() if stacks is None else (f"STACKS:{_joined(stacks)}",)),
        *(f"FORFEIT:{name}:{reason}" for name, reason in forfeits),
        *(() if aivat is None else (f"AIVAT:{_joined(aivat)}",)),
    )
    return f"{betting}:{cards}:{_joined(values)}:{'|'.join(names)}", comments


def _joined(values: Iterable[float]) -> str:
    return "|".join(map(number_text, values))


def parse_hands(lines: Iterable[str]) -> Iterator[LoggedHand]:
    """The hands of a log's lines; ValueError at a line that does not belong in a log."""
    stacks: tuple[int, ...] | None = None
    aivat: tuple[float, ...] | None = None
    forfeits: list[tuple[str, str]] = []
    results: dict[str, tuple[float, ...]] = {}  # equal results are kept once: most hands of a small game are alike
    tables: dict[str, tuple[str, ...]] = {}
    texts: dict[str, str] = {}
    for line in lines:
        try:
            if line.startswith("STATE:"):
                _, number, betting, cards, values, names = line.rstrip("\n").split(":")
                won = results.get(values) or results.setdefault(values, _finite(values))
                seats = tables.get(names) or tables.setdefault(names, tuple(names.split("|")))
                if any(len(part) != len(seats) for part in (won, stacks, aivat) if part is not None):
                    raise ValueError
                line_played, dealt = texts.setdefault(betting, betting), texts.setdefault(cards, cards)
                yield LoggedHand(int(number), line_played, dealt, won, seats, stacks, aivat, tuple(forfeits))
                stacks, aivat, forfeits = None, None, []
            elif line.startswith("#STACKS:"):
                stacks = tuple(map(int, line.split(":")[2].split("|")))
            elif line.startswith("#AIVAT:"):
                aivat = _finite(line.split(":")[2])
            elif line.startswith("#FORFEIT:"):
                _, _, name, reason = line.rstrip("\n").split(":", 3)
                forfeits.append((name, reason))
            elif not line.startswith("#") and not line.startswith("SCORE:") and line.strip():
                raise ValueError
        except (ValueError, IndexError):
            raise ValueError(f"this is not a line of a match: {line[:80]!r}") from None


def _finite(text: str) -> tuple[float, ...]:
    values = tuple(map(float, text.split("|")))
    if not all(abs(value) < _MOST_CHIPS for value in values):
        raise ValueError
    return values


@dataclass(frozen=True, eq=False)
class MatchLog:
    """A match that was played, or as much of it as there is."""

    header: dict[str, Any]
    game: PokerGame
    hands: tuple[LoggedHand, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The players in their order."""
        return tuple(self.header["names"])

    @property
    def units(self) -> list[tuple[LoggedHand, ...]]:
        """The hands by units, the last one only if it is complete."""
        found, open_unit = [], []
        ends = _Ends(self.header, self.game)
        for hand in self.hands:
            open_unit.append(hand)
            if ends.after(hand):
                found.append(tuple(open_unit))
                open_unit = []
        return found

    @classmethod
    def of(cls, header: dict[str, Any], played: Iterable[LoggedHand]) -> MatchLog:
        """From a header and the hands after it; ValueError when they are not of one match."""
        hands = tuple(played)
        known, freezeout = set(header["names"]), header["freezeout"]
        for seats in {hand.names for hand in hands}:
            if set(seats) != known or len(seats) != len(known):
                raise ValueError(f"a hand of {', '.join(seats)[:80]} is not one of this match")
        if freezeout and any(hand.stacks is None for hand in hands):
            raise ValueError("a hand of a freeze-out has no stacks")
        return cls(header, _game_of(header), hands)


def read_log(path: Path) -> MatchLog:
    """A log file, or the one in a folder; a torn last line is left out."""
    path = path / NAME if path.is_dir() else path
    with path.open(encoding="utf-8", errors="replace") as file:
        header = _read_header(path, file.readline())
        lines = (line for line in file if line.endswith("\n"))
        try:
            return MatchLog.of(header, parse_hands(lines))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def is_log(start: str) -> bool:
    """Whether a file with this beginning is one of our logs."""
    return start.startswith(_HEADER)


def read_played(lines: Iterable[str]) -> Iterator[PlayedHand | Problem]:
    """The hands of a log as other hand histories are read; one that its rules do not allow is a problem."""
    lines = iter(lines)
    game = _game_of(_read_header(Path("this"), next(lines)))
    for hand in parse_hands(line for line in lines if line.endswith("\n")):
        try:
            yield PlayedHand(hand.state(game), hand.names, hand.number)
        except ValueError as error:
            yield Problem(f"hand {hand.number}", f"{error}")


LOGS = Format("logs of matches", is_log, read_played)


def _game_of(header: dict[str, Any]) -> PokerGame:
    game = rebuild(header["game"])
    if not isinstance(game, PokerGame):
        raise ValueError(f"{game.name} is not poker")
    if len(header["names"]) != game.players:
        raise ValueError(f"{game.name} has {game.players} players, the log names {len(header['names'])}")
    return game


def _read_header(path: Path, line: str) -> dict[str, Any]:
    try:
        header = json.loads(line.removeprefix(_HEADER)) if line.startswith(_HEADER) else None
    except (ValueError, RecursionError):
        header = None
    wanted = {"game": dict, "players": list, "names": list, "duplicate": bool, "seed": int, "freezeout": bool}
    if not isinstance(header, dict) or not all(isinstance(header.get(key), kind) for key, kind in wanted.items()):
        raise ValueError(f"{path} is not the log of a match of Ludus")
    names = header["names"]
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names) or len(set(names)) != len(names):
        raise ValueError(f"{path} does not name its players")
    if not isinstance(header.get("max_hands"), int | None):
        raise ValueError(f"{path} is not the log of a match of Ludus")
    if header.get("format") != FORMAT:
        raise ValueError(f"{path} has format {header.get('format')}, this version of Ludus reads {FORMAT}")
    return header


class _Ends:
    """Where units end."""

    def __init__(self, header: dict[str, Any], game: PokerGame) -> None:
        self.freezeout = header["freezeout"]
        self.most = min(header.get("max_hands") or MOST_GAME_HANDS, MOST_GAME_HANDS)
        self.per_unit = game.players if header["duplicate"] else 1
        self.hands = 0

    def after(self, hand: LoggedHand) -> bool:
        """Whether a unit ends with this hand, the next in the log."""
        self.hands += 1
        over = self.hands == self.per_unit
        if self.freezeout:
            assert hand.stacks is not None, "hands of a freeze-out have stacks"
            broke = min(stack + won for stack, won in zip(hand.stacks, hand.values, strict=True)) <= 0
            over = broke or self.hands == self.most
        if over:
            self.hands = 0
        return over


class LogWriter:
    """Appends whole units to a log; continues where the last complete unit of an earlier run ends."""

    def __init__(self, folder: Path, plan: MatchPlan) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / NAME
        header = plan.header()
        self._file: BinaryIO = self.path.open("ab+")
        self._known: dict[HandRecord, tuple[str, tuple[str, ...]]] = {}  # records that come again, as texts
        try:
            _lock(self._file, folder)
            self.units, self.hands = 0, 0
            if self._go_on(header, plan):
                self._file.write(f"{_HEADER}{json.dumps(header, sort_keys=True)}\n".encode())
                self.sync()
        except BaseException:
            self._file.close()
            raise
        self._synced = time.monotonic()

    def _go_on(self, header: dict[str, Any], plan: MatchPlan) -> bool:
        """Count what is there and cut off a torn end; True when not even the header was written."""
        self._file.seek(0)
        first = self._file.readline()
        if not first.endswith(b"\n"):
            self._file.truncate(0)
            return True
        found = _read_header(self.path, first.decode("utf-8", "replace"))
        for key, value in header.items():
            if found.get(key) != value:
                raise ValueError(
                    f"{self.path} is of another match: {key.replace('_', ' ')} is {_short(found.get(key))} there "
                    f"and {_short(value)} here; choose another folder"
                )
        ends, end, hands = _Ends(found, plan.game), self._file.tell(), 0
        lines: list[str] = []
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            lines.append(line.decode("utf-8", "replace"))
            if line.startswith(b"STATE:"):
                hands += 1
                (hand,) = parse_hands(lines)
                lines = []
                if hand.number != hands - 1:
                    raise ValueError(f"{self.path} is damaged: hand {hand.number} stands where {hands - 1} should")
                if ends.after(hand):
                    self.units, self.hands = self.units + 1, hands
                    end = self._file.tell()
        self._file.truncate(end)
        self._file.seek(0, os.SEEK_END)
        return False

    def append(self, units: Iterable[Iterable[HandRecord]]) -> bool:
        """Write units that follow the ones written; whether it was time to make sure of them."""
        lines, known, number = [], self._known, self.hands
        for unit in units:
            for hand in unit:
                if (texts := known.get(hand)) is None:
                    texts = known[hand] = _texts(hand)
                body, comments = texts
                if comments:
                    parts = (comment.partition(":") for comment in comments)
                    lines.extend([f"#{kind}:{number}:{rest}\n" for kind, _, rest in parts])
                lines.append(f"STATE:{number}:{body}\n")
                number += 1
            self.units += 1
        self.hands = number
        if len(known) > MOST_KNOWN:
            known.clear()
        self._file.write("".join(lines).encode())
        self._file.flush()
        if time.monotonic() - self._synced > _SYNC_SECONDS:
            self.sync()
            return True
        return False

    def sync(self) -> None:
        """Make sure that what was written survives a power cut."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """No more hands."""
        self.sync()
        self._file.close()


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) < 80 else text[:77] + "..."


def _lock(file: BinaryIO, folder: Path) -> None:
    """Make sure that only one match at a time writes to a folder, if the system can."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ValueError(f"another match is writing to {folder}") from None
