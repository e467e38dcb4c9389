"""The database: SQLite with a write-ahead log unless a URL says PostgreSQL. Sessions are used in threads only."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.orm import Session, sessionmaker

from ludus.server.private_files import private_file, private_folder

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent / "migrations"
NEWEST = max(file.name for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))[:4]
SECONDS = 30  # to wait for another writer, or for a connection
CONNECTIONS = 40  # at the most
AWAY = (OperationalError, InterfaceError, NoConnection)  # not there, full, or busy for too long: it may come back
LOCK = 0x4C554455  # our number among PostgreSQL's advisory locks


class Database:
    """An engine and its sessions."""

    def __init__(self, url: str, connections: int = CONNECTIONS) -> None:
        self.address = _address(url)
        self.engine = _engine(self.address, connections)
        self.sessions = sessionmaker(self.engine, expire_on_commit=False)

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A session that is committed at its end, or rolled back by an error."""
        with self.sessions.begin() as session:
            yield session

    def upgrade(self, secret: bytes | None = None, wait: float = 0.0) -> None:
        """Bring the database to this version's tables: all of it or nothing, one server at a time.

        The secret seals what an earlier version has left open. A database that is not there yet is tried again for
        ``wait`` seconds.
        """
        end = time.monotonic() + wait
        while True:
            try:
                self._upgrade(secret)
                return
            except OSError:
                if time.monotonic() >= end:
                    raise
            time.sleep(1)

    def _upgrade(self, secret: bytes | None) -> None:
        try:
            with self.engine.connect() as connection, _alone(connection):
                _migrate(connection, self.shown, secret)
        except OperationalError as error:
            raise OSError(f"cannot open the database {self.shown}: {_reason(error)}") from None
        except DatabaseError as error:
            raise ValueError(f"{self.shown} is not a database that Ludus can use: {_reason(error)}") from None

    @property
    def shown(self) -> str:
        """The address without its password."""
        return self.address.render_as_string(hide_password=True)

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


def migrations(connection: Connection, secret: bytes | None = None) -> Config:
    """Alembic's settings for the migrations of this package, on a connection."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes.update(connection=connection, secret=secret)
    return config


def _address(url: str) -> URL:
    try:
        address = make_url(url)
        kind = address.get_backend_name()
    except ArgumentError:
        raise ValueError(f"{url!r} is not the URL of a database: write sqlite:///FILE or postgresql://...") from None
    if kind == "postgresql":
        return address.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise ValueError(f"the database is SQLite or PostgreSQL, not {kind}")
    if not address.database or address.database == ":memory:":
        raise ValueError("a database in memory is lost when the server ends: write sqlite:///FILE")
    _private(Path(address.database))
    return address.set(drivername="sqlite")


def _private(file: Path) -> None:
    """The file, with its log and index where there are some, for its owner alone; SQLite makes those as it is."""
    if not file.parent.exists():
        private_folder(file.parent)
    for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
        if name == file.name or file.with_name(name).exists():
            private_file(file.with_name(name))


def _engine(address: URL, connections: int) -> Engine:
    pool: dict[str, Any] = {
        "pool_size": connections // 2, "max_overflow": connections // 2, "pool_timeout": SECONDS,
        "hide_parameters": True,  # otherwise error logs would show decks and password hashes
    }  # fmt: skip
    if address.get_backend_name() != "sqlite":
        try:
            return create_engine(address, pool_pre_ping=True, connect_args={"connect_timeout": 10}, **pool)
        except ImportError:
            raise ValueError("PostgreSQL needs its driver: pip install 'ludus[postgres]'") from None
    engine = create_engine(address, connect_args={"timeout": SECONDS}, **pool)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    return engine


@contextmanager
def _alone(connection: Connection) -> Iterator[None]:
    """One transaction that keeps other servers from migrating at the same time. Both databases can undo DDL."""
    if connection.dialect.name == "sqlite":
        driver: Any = connection.connection.driver_connection
        before, driver.isolation_level = driver.isolation_level, None  # Python's module would not begin before DDL
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield
            connection.commit()
        finally:
            connection.rollback()
            driver.isolation_level = before
    else:
        with connection.begin():
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
            yield


def _migrate(connection: Connection, shown: str, secret: bytes | None) -> None:
    there = None
    if inspect(connection).has_table("alembic_version"):
        there = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if there == NEWEST:
        return
    from alembic import command  # which takes a while to load
    from alembic.script import ScriptDirectory

    config = migrations(connection, secret)
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if there is not None and there not in known:
        raise ValueError(f"the database {shown} is of a newer Ludus (its version is {there}): update this one")
    command.upgrade(config, "head")


def _reason(error: DatabaseError) -> str:
    return " ".join(str(error.orig).split())
