"""Whom a cookie or a token belonged to a moment ago: it saves a look in the database on nearly every request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ludus.server.models import Person

SECONDS = 1.0  # another server on the same database may have changed a person
MOST = 10_000


class Recognised:
    """People by what they showed. A person who changes is forgotten at once. Thread-safe."""

    def __init__(self) -> None:
        self._people: dict[str, tuple[float, Person]] = {}
        self._lock = threading.Lock()
        self.changes = 0
        self.on_change: Callable[[str], None] | None = None  # tells other servers

    def get(self, shown: str) -> Person | None:
        """The person, if they were seen just now."""
        found = self._people.get(shown)
        return found[1] if found is not None and time.monotonic() < found[0] else None

    def put(self, shown: str, person: Person, changes: int) -> None:
        """Remember a person as read when there had been this many ``changes``; not if there was one since."""
        with self._lock:
            if changes != self.changes:
                return
            if len(self._people) >= MOST:
                self._people.clear()
            self._people[shown] = (time.monotonic() + SECONDS, person)

    def forget_all(self) -> None:
        """Anybody may have changed."""
        with self._lock:
            self.changes += 1
            self._people.clear()

    def forget(self, person_id: str, tell: bool = True) -> None:
        """A person has changed: call it after the commit. Other servers are told, unless one of them has told us."""
        if tell and self.on_change is not None:
            self.on_change(person_id)
        with self._lock:
            self.changes += 1
            for shown in [shown for shown, (_, person) in self._people.items() if person.id == person_id]:
                del self._people[shown]
