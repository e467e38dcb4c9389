"""The line of spots that wait to be solved, in the database: several servers work it off, and none is lost with one.

A server that takes a spot says so, and says again every few seconds that it is still at it; a spot that nobody has
spoken of for a while waits again. Only whoever holds a spot writes how it ended.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import aliased

from ludus.server.database import Database
from ludus.server.models import Solution, SpotRow, new_key, now

UNFINISHED = ("waiting", "solving")
STALE = timedelta(seconds=20)  # without a word, after which a spot waits again
MOST_TRIES = 3  # then it is the spot that brings servers down
BROKE = "solving broke down; it may have taken too much memory: try fewer sizes"


class SolveQueue:
    """What one server does with the line. Everything reads the database: call it in a thread."""

    def __init__(self, database: Database) -> None:
        self.database, self.holder = database, new_key()
        self.shared = database.engine.dialect.name != "sqlite"  # whether other servers may be at work, too

    def take(self) -> SpotRow | None:
        """The next spot, held from now on: the oldest of whoever has the fewest that are being solved."""
        other = aliased(SpotRow)
        being_solved = select(func.count()).where(other.person_id == SpotRow.person_id, other.status == "solving")
        query = select(SpotRow).where(SpotRow.status == "waiting")
        query = query.order_by(being_solved.scalar_subquery(), SpotRow.created).limit(1)
        with self.database.session() as session:
            row = session.scalar(query.with_for_update(skip_locked=True, of=SpotRow))
            if row is not None:
                row.status, row.holder, row.seen, row.tries = "solving", self.holder, now(), row.tries + 1
            return row

    def say(self, key: str, progress: list[dict[str, Any]]) -> bool:
        """Say that a spot is still being solved, and how far it is; whether it is still ours."""
        return self._change(self._held(key), seen=now(), progress=progress)

    def end(self, key: str, **values: Any) -> bool:
        """Write down how it ended, if it is still ours."""
        return self._change(self._held(key), holder=None, **values)

    def cancel(self, key: str) -> bool:
        """Nobody wants a spot any more; whether it had not ended by itself."""
        wanted = SpotRow.id == key, SpotRow.status.in_(UNFINISHED)
        return self._change(wanted, status="cancelled", holder=None)

    def give_back(self) -> None:
        """What is not finished here waits for the next server."""
        held = SpotRow.holder == self.holder, SpotRow.status == "solving"
        self._change(held, status="waiting", holder=None, tries=SpotRow.tries - 1)

    def recover(self) -> None:
        """Spots whose server is gone wait again, but not for ever."""
        gone: list[ColumnElement[bool]] = [SpotRow.status == "solving", SpotRow.holder.is_distinct_from(self.holder)]
        if self.shared:
            gone.append((SpotRow.seen < now() - STALE) | SpotRow.seen.is_(None))
        self._change((*gone, SpotRow.tries >= MOST_TRIES), status="failed", holder=None, error=BROKE)
        self._change(gone, status="waiting", holder=None)

    def _held(self, key: str) -> tuple[ColumnElement[bool], ...]:
        return SpotRow.id == key, SpotRow.holder == self.holder, SpotRow.status == "solving"

    def _change(self, which: Any, **values: Any) -> bool:
        with self.database.session() as session:
            return bool(session.connection().execute(update(SpotRow).where(*which).values(**values)).rowcount)

    # Solutions for other machines

    def keep(self, key: str, file: Path) -> None:
        """Where other servers may be on other machines, a solution is in the database, too."""
        if self.shared:
            with self.database.session() as session:
                session.merge(Solution(spot_id=key, data=file.read_bytes()))

    def fetch(self, key: str, file: Path) -> None:
        """The solution of another machine, as a file here; nothing happens where it is here already."""
        if self.shared and not file.exists():
            with self.database.session() as session:
                found = session.get(Solution, key)
            if found is not None:
                draft = file.with_name(f".ludus-{new_key()}.tmp")
                draft.write_bytes(found.data)
                draft.replace(file)
