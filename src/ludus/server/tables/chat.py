"""What people at a table say to each other. It is kept in memory only, and told to those who sit there."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from ludus.server.tables.state import Conflict, TableState

KEPT = 20  # lines that somebody sees who comes later
LONGEST = 200  # characters
BURST, PER_SECONDS = 5, 10.0  # lines of one person in so many seconds


class Chat:
    """The words of one table."""

    def __init__(self) -> None:
        self.lines: deque[dict[str, Any]] = deque(maxlen=KEPT)
        self._times: dict[str, deque[float]] = {}

    def say(self, table: TableState, person: str, text: Any) -> dict[str, Any]:
        """The message that a person's words become."""
        at = table.chair_of(person)
        if at is None or table.config.people < 2:
            raise Conflict("people talk at tables that they sit at with others")
        if not isinstance(text, str) or not (words := " ".join(text.split())) or len(words) > LONGEST:
            raise ValueError(f"say something of 1 to {LONGEST} characters as `text`")
        if not words.isprintable():
            raise ValueError("say something of letters, digits and signs")
        times, now = self._times.setdefault(person, deque(maxlen=BURST)), time.monotonic()
        if len(times) == BURST and now - times[0] < PER_SECONDS:
            raise Conflict(f"{BURST} lines in {PER_SECONDS:g} seconds are enough: wait a moment")
        times.append(now)
        chair = table.chairs[at]
        name = chair.name if chair.person == person else chair.coming[1] if chair.coming else chair.name
        line = {"type": "said", "chair": at, "name": name, "text": words}
        self.lines.append(line)
        return line
