"""The log of all tables: what happens is committed before anybody is told, many tables' events in one transaction."""

from __future__ import annotations

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import insert, or_, select, update
from sqlalchemy.engine import Connection

from ludus.server.database import Database
from ludus.server.models import Hand, HandSeat, TableEvent, TableRow, now
from ludus.server.people.vault import Vault
from ludus.server.tables.config import TableConfig
from ludus.server.tables.finished import table_rows
from ludus.server.tables.state import TableState, rebuild

log = logging.getLogger(__name__)
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
        self._some = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "table log")  # its own: no other work makes the tables wait

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
            problems = await loop.run_in_executor(self._thread, self._commit, batch)
            last = loop.time()
            for entry, problem in zip(batch, problems, strict=True):
                if problem is None:
                    entry.kept.set_result(None)
                else:
                    entry.kept.set_exception(NotKept(f"{problem}"))

    def _commit(self, batch: list[Entry]) -> list[Exception | None]:
        """Commit a batch, or, if that fails, each entry by itself: one that cannot be kept harms no other."""
        try:
            self._insert(batch)
        except Exception as error:
            log.warning("a batch of %d entries was not kept: %s", len(batch), error)
            if len(batch) == 1:
                return [error]
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
            if hands:
                connection.execute(insert(Hand), hands)
                connection.execute(insert(HandSeat), seats)
            if closed := [entry.table_id for entry in batch if any(kind == "closed" for kind, _ in entry.events)]:
                connection.execute(update(TableRow).where(TableRow.id.in_(closed)).values(closed=moment))


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


def load(connection: Connection, vault: Vault, table_id: str, config: TableConfig) -> TableState:
    """A table from its log: from the last hand that was dealt, or from its beginning."""
    of_table, number = TableEvent.table_id == table_id, TableEvent.number

    def last(kind: str, before: int | None = None) -> int | None:
        query = select(number).where(of_table, TableEvent.kind == kind).order_by(number.desc()).limit(1)
        return connection.scalar(query if before is None else query.where(number < before))

    since = last("dealt")
    promise = last("promised", since)
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
