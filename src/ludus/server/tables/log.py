"""The log of all tables: what happens is committed before anybody is told, many tables' events in one transaction."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, or_, select, update
from sqlalchemy.engine import Connection

from ludus.server.database import AWAY, Database
from ludus.server.models import Hand, HandSeat, Sitter, TableEvent, TableRow, now
from ludus.server.people.vault import Vault
from ludus.server.tables.config import TableConfig
from ludus.server.tables.finished import table_rows
from ludus.server.tables.state import TableState, rebuild

log = logging.getLogger(__name__)
AT_ONCE = 100  # tables that are pruned in one transaction
GATHER = 0.003  # seconds between two transactions in which entries are gathered for the next


class Unreadable(Exception):
    """A deck in the log was sealed with another secret."""


class NotKept(Exception):
    """The database did not take an event, so it has not happened."""


@dataclass
class Entry:
    """Events of one table that belong together: all of them are kept, or none."""

    table_id: str
    first: int  # the number of the first event
    events: list[tuple[str, dict[str, Any]]]
    finished: TableState | None = None  # the table after them, when they ended a hand
    row: dict[str, Any] | None = None  # of a new table
    kept: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class TableLog:
    """One writer for all tables."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database, self._vault = database, vault
        self._waiting: list[Entry] = []
        self._since: float | None = None  # when the oldest entry came that is not written yet
        self.commits, self.lost, self.seconds = 0, 0, 0.0
        self._some = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "table log")  # its own: no other work makes the tables wait

    @property
    def waiting(self) -> int:
        """Entries that wait."""
        return len(self._waiting)

    def lag(self) -> float:
        """For how many seconds the oldest entry has not been written; endless when nobody writes."""
        if self._task is None or self._task.done():
            return math.inf
        return time.monotonic() - self._since if self._since is not None else 0.0

    def start(self) -> None:
        """Begin to write."""
        self._task = asyncio.create_task(self._write(), name="table log")

    async def close(self) -> None:
        """Write what waits, and end."""
        if self._task is not None:
            task, self._task = self._task, None
            self._some.set()
            await task
        self._thread.shutdown()

    async def keep(self, entry: Entry) -> None:
        """Wait until an entry is committed; NotKept when it is not."""
        if self._task is None:
            raise NotKept
        self._waiting.append(entry)
        self._since = self._since or time.monotonic()
        self._some.set()
        await asyncio.shield(entry.kept)

    async def _write(self) -> None:
        loop, last = asyncio.get_running_loop(), 0.0
        while self._task is not None or self._waiting:
            await self._some.wait()
            if (early := last + GATHER - loop.time()) > 0 and self._task is not None:
                await asyncio.sleep(early)
            self._some.clear()
            if not (batch := self._waiting):
                continue
            self._waiting = []
            begun = loop.time()
            problems = await loop.run_in_executor(self._thread, self._commit, batch)
            last = loop.time()
            self._since = time.monotonic() if self._waiting else None
            self.commits, self.seconds = self.commits + 1, self.seconds + last - begun
            self.lost += len(batch) - problems.count(None)
            for entry, problem in zip(batch, problems, strict=True):
                if problem is None:
                    entry.kept.set_result(None)
                else:
                    entry.kept.set_exception(NotKept(f"{problem}"))

    def _commit(self, batch: list[Entry]) -> list[Exception | None]:
        """Commit a batch, or, if that fails, each entry by itself: one that cannot be kept harms no other.

        Where the database itself is away, none of them is tried again: that would take as long as all of them wait.
        """
        try:
            self._insert(batch)
        except Exception as error:
            log.warning("a batch of %d entries was not kept: %s", len(batch), error)
            if len(batch) == 1 or isinstance(error, AWAY):
                return [error] * len(batch)
            return [problem for entry in batch for problem in self._commit([entry])]
        return [None] * len(batch)

    def _insert(self, batch: list[Entry]) -> None:
        moment = now()
        events = [
            {"table_id": entry.table_id, "number": entry.first + at, "kind": kind, "time": moment,
             "data": sealed(self._vault, entry.table_id, data) if kind == "promised" else data}
            for entry in batch
            for at, (kind, data) in enumerate(entry.events)
        ]  # fmt: skip
        hands, seats = [], []
        for entry in batch:
            if entry.finished is not None:
                hand, rows = table_rows(entry.table_id, entry.finished, moment)
                hands.append(hand)
                seats += rows
        with self._database.engine.begin() as connection:
            if rows := [entry.row for entry in batch if entry.row is not None]:
                connection.execute(insert(TableRow), rows)
            connection.execute(insert(TableEvent), events)
            for key, person in _seated(batch):
                sit(connection, key, person)
            if hands:
                connection.execute(insert(Hand), hands)
                connection.execute(insert(HandSeat), seats)
            if closed := [entry.table_id for entry in batch if any(kind == "closed" for kind, _ in entry.events)]:
                connection.execute(update(TableRow).where(TableRow.id.in_(closed)).values(closed=moment))


def _seated(batch: list[Entry]) -> list[tuple[str, str]]:
    """Tables and who has just sat down there."""
    kinds = ("created", "sat")
    return [(entry.table_id, data["person"]) for entry in batch for kind, data in entry.events if kind in kinds]


def sit(connection: Connection, table_id: str, person_id: str) -> None:
    """Note that somebody sits at a table; they may have sat there before."""
    known = select(Sitter.person_id).where(Sitter.table_id == table_id, Sitter.person_id == person_id)
    if connection.scalar(known) is None:
        connection.execute(insert(Sitter).values(table_id=table_id, person_id=person_id))


def sealed(vault: Vault, table_id: str, data: dict[str, Any]) -> dict[str, Any]:
    """A promised deck as it is kept: nobody who reads the database knows what is going to be dealt."""
    text = json.dumps({"deck": data["deck"], "key": data["key"]}, separators=(",", ":"))
    return {"hand": data["hand"], "sealed": vault.seal(text, f"{table_id} {data['hand']}")}


def unsealed(vault: Vault, table_id: str, data: dict[str, Any]) -> dict[str, Any]:
    """The deck of what is kept; Unreadable with another secret."""
    try:
        return {"hand": data["hand"], **json.loads(vault.unseal(data["sealed"], f"{table_id} {data['hand']}"))}
    except ValueError as error:
        raise Unreadable(f"table {table_id}: {error}") from None


def prune(database: Database, before: datetime) -> int:
    """Forget what happened at tables before a time, except for the hand that was dealt last; the hands are kept.

    How many events that were. Few tables at a time, since others want to write.
    """
    last = select(TableEvent.table_id, func.max(TableEvent.number)).where(TableEvent.kind == "dealt")
    with database.session() as session:
        tables = [(key, number) for key, number in session.execute(last.group_by(TableEvent.table_id))]
    gone = 0
    for start in range(0, len(tables), AT_ONCE):
        with database.session() as session:
            for key, number in tables[start : start + AT_ONCE]:
                connection = session.connection()
                promise = _last(connection, key, "promised", number)  # of the hand that was dealt last
                old = TableEvent.number < number, TableEvent.number != promise, TableEvent.time < before
                gone += connection.execute(delete(TableEvent).where(TableEvent.table_id == key, *old)).rowcount
    return gone


def _last(connection: Connection, table_id: str, kind: str, before: int | None = None) -> int | None:
    """The number of a table's last event of a kind, or of the last before another one."""
    query = select(TableEvent.number).where(TableEvent.table_id == table_id, TableEvent.kind == kind)
    if before is not None:
        query = query.where(TableEvent.number < before)
    return connection.scalar(query.order_by(TableEvent.number.desc()).limit(1))


def load(connection: Connection, vault: Vault, table_id: str, config: TableConfig) -> TableState:
    """A table from its log: from the last hand that was dealt, or from its beginning."""
    of_table, number = TableEvent.table_id == table_id, TableEvent.number
    since = _last(connection, table_id, "dealt")
    promise = _last(connection, table_id, "promised", since)
    columns = select(number, TableEvent.kind, TableEvent.data).where(
        of_table, or_(number >= (since or 1), number == promise)
    )
    rows = connection.execute(columns.order_by(number)).all()  # nothing stays open when one cannot be read
    return rebuild(
        config,
        (
            (row.number, row.kind, unsealed(vault, table_id, row.data) if row.kind == "promised" else row.data)
            for row in rows
        ),
    )
