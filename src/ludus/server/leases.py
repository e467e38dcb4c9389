"""Which tables, matches and files are in the hands of which server, where several share a PostgreSQL database.

Each is held by an advisory lock of one connection: it ends with its server, however that ends. The address at which
the holder is reached is written beside it. Should a connection be lost without its server noticing at once, nothing is
doubled: events of a table are numbered, and the second with a number is not kept.
"""

from __future__ import annotations

import logging
import threading
from hashlib import blake2b

from sqlalchemy import Connection, delete, select, text

from ludus.server.database import AWAY, Database
from ludus.server.models import Lease

log = logging.getLogger(__name__)


class Elsewhere(Exception):
    """Another server has it: at ``url``, empty where that is not known."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


class Leases:
    """What this server holds. On SQLite there is one server, and it holds everything. Call it in threads."""

    def __init__(self, database: Database, url: str = "") -> None:
        self.database, self.url = database, url
        self.shared = database.engine.dialect.name != "sqlite"
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._held: set[str] = set()

    def take(self, key: str) -> None:
        """Hold something from now on; Elsewhere when another server does."""
        if not self.shared:
            return
        with self._lock:
            if key in self._held:
                return
            try:
                connection = self._connected()
                if connection.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _number(key)}):
                    upsert = "INSERT INTO leases VALUES (:key, :url) ON CONFLICT (id) DO UPDATE SET url = :url"
                    connection.execute(text(upsert), {"key": key, "url": self.url})
                    self._held.add(key)
                    return
                raise Elsewhere(connection.scalar(select(Lease.url).where(Lease.id == key)) or "")
            except AWAY as error:
                if getattr(error, "connection_invalidated", True):
                    self._drop()
                raise

    def look(self, key: str) -> None:
        """Elsewhere when another server holds something."""
        if key not in self._held:
            self.take(key)
            self.give(key)

    def give(self, key: str) -> None:
        """Let go of something."""
        with self._lock:
            if key not in self._held or not self.shared:
                return
            self._held.discard(key)
            try:
                connection = self._connected()
                connection.execute(delete(Lease).where(Lease.id == key))
                connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _number(key)})
            except AWAY:
                self._drop()

    def still_held(self) -> bool:
        """Whether the connection still holds what it held; otherwise everything is up for others."""
        with self._lock:
            if self._connection is None:
                return True
            try:
                self._connection.execute(text("SELECT 1"))
            except AWAY as error:
                log.warning("what this server held is lost with its connection: %s", error)
                self._drop()
                return False
            return True

    def close(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._drop()

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        return self._connection

    def _drop(self) -> None:
        self._held.clear()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()  # the locks are the connection's: it must not go back to the others
            connection.close()


def _number(key: str) -> int:
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), signed=True)
