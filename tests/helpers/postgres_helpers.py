"""A PostgreSQL server for tests: the one of $LUDUS_TEST_POSTGRES, or a private one with Debian's programs."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url


def programs() -> Path | None:
    """The folder of initdb and pg_ctl."""
    newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    found = shutil.which("initdb")
    return newest[-1].parent if newest else Path(found).parent if found else None


@contextmanager
def cluster() -> Iterator[str]:
    """The URL of a server that takes anybody, on a Unix socket in a folder of its own."""
    if told := os.environ.get("LUDUS_TEST_POSTGRES"):
        yield told
        return
    bin_folder = programs()
    if bin_folder is None:
        pytest.skip("there is no PostgreSQL: install it, or set LUDUS_TEST_POSTGRES to the URL of one")
    user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    if user is not None:
        os.chown(folder, user.pw_uid, user.pw_gid)

    def run(program: str, *words: object) -> None:
        subprocess.run(
            [bin_folder / program, *map(str, words)], check=True, capture_output=True, cwd=folder,
            user=user.pw_uid if user else None, group=user.pw_gid if user else None,
        )  # fmt: skip

    data = folder / "data"
    try:
        run("initdb", "-D", data, "-U", "ludus", "--auth=trust", "--encoding=UTF8", "--no-sync")
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=60"
        run("pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start")
        try:
            yield f"postgresql://ludus@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def databases() -> Iterator[Callable[[], str]]:
    """A function that makes an empty database and tells its URL; they go at the end."""
    with cluster() as url:
        made: list[str] = []

        def make() -> str:
            name = f"ludus_test_{uuid.uuid4().hex}"
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}")
            made.append(name)
            return make_url(url).set(database=name).render_as_string(hide_password=False)

        yield make
        if os.environ.get("LUDUS_TEST_POSTGRES"):
            with psycopg.connect(url, autocommit=True) as connection:
                for name in made:
                    connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
