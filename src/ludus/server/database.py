"""The database: SQLite with a write-ahead log unless a URL says PostgreSQL. Sessions are used in threads only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session, sessionmaker


class Database:
    """An engine and its sessions."""

    def __init__(self, url: str) -> None:
        try:
            address = make_url(url)
        except ArgumentError:
            raise ValueError(
                f"{url!r} is not the URL of a database: write sqlite:///FILE or postgresql://..."
            ) from None
        if address.get_backend_name() == "postgresql":
            address = address.set(drivername="postgresql+psycopg")
        elif address.get_backend_name() != "sqlite":
            raise ValueError(f"the database is SQLite or PostgreSQL, not {address.get_backend_name()}")
        self.engine = _engine(address)
        self.sessions = sessionmaker(self.engine, expire_on_commit=False)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session that is committed at its end, or rolled back by an error."""
        with self.sessions.begin() as session:
            yield session

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


def _engine(address: Any) -> Engine:
    if address.get_backend_name() != "sqlite":
        return create_engine(address, pool_pre_ping=True)
    engine = create_engine(address, connect_args={"timeout": 30})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=30000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return engine
