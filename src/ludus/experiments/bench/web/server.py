"""Many people at tables of their own at a web server, all at once, over real sockets.

The server is a process of its own, and so is the crowd (`ludus.experiments.bench.web.crowd`).
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ludus.experiments.bench.web.crowd import Wish

FIRST = 40  # tables for a moment at the start, so that each of several processes has some
CROWD = "ludus.experiments.bench.web.crowd"
NICE = {"0": "players", "5": "thinkers", "10": "helpers", "15": "background", "19": "reviewers"}  # what workers are for


def bench_server(command: Sequence[str], wish: Wish, db: str = "") -> dict[str, Any]:
    """All figures of a crowd: one person at each of the tables, who plays a number of hands.

    ``command``, with a folder for its database after it, starts a server at a free port and prints its address; ``db``
    is the URL of its database if that is not in the folder.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(command, folder) as (address, server):
            alone = Wish(1, 20, 0.0, wish.level, wish.seed)
            crowd(address, folder, alone)  # compiled or loaded before the clock starts
            if db:
                crowd(address, folder, replace(alone, tables=FIRST, hands=2))  # in each of its processes
            if wish.thinkers:
                crowd(address, folder, replace(alone, hands=5, thinkers=1))
            memory, before = {"start": _memory(server)}, _cpu(server)
            result = crowd(address, folder, replace(wish, seed=wish.seed + 1), server, memory)
            memory["end"] = _memory(server)
            cpu = {name: round(seconds - before.get(name, 0.0), 1) for name, seconds in _cpu(server).items()}
        kept = _kept(folder, db)
    played = set(result.pop("ids"))
    result["lost_hands"] = len(played - kept) + wish.tables * wish.hands - len(played)
    asked = asdict(wish)
    told = {"hands_each": asked.pop("hands"), "think_seconds": asked.pop("think"), **asked}
    return {**told, **result, "cpu_seconds": cpu, "memory": memory}


@contextmanager
def serving(command: Sequence[str], folder: Path) -> Iterator[tuple[str, int]]:
    """A server with its files in a folder, until the end of the block: its address and its process."""
    server = subprocess.Popen([*command, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        if found is None:
            raise RuntimeError("the server did not start")
        yield found[0].rstrip("/"), server.pid
    finally:
        server.terminate()
        server.wait(30)


def crowd(
    address: str, folder: Path, wish: Wish, server: int = 0, memory: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Run a crowd in a process, and look at the server's memory when half of the hands are played."""
    out = folder / "crowd.json"
    words = [address, str(out), json.dumps(asdict(wish))]
    process = subprocess.Popen([sys.executable, "-m", CROWD, *words], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()  # half of the hands
    if memory is not None:
        memory["middle"] = _memory(server)
    if process.wait():
        raise RuntimeError("the crowd has broken down")
    result: dict[str, Any] = json.loads(out.read_text())
    return result


def _memory(server: int) -> dict[str, float]:
    """Private megabytes of the server and of the processes that it has started."""
    return {name: _private(process) for name, process in _processes(server).items()}


def _cpu(server: int) -> dict[str, float]:
    """CPU seconds of the server and of the processes that it has started."""
    return {name: worked(process) for name, process in _processes(server).items()}


def _processes(server: int) -> dict[str, int]:
    found = {"server": server}
    for child in Path(f"/proc/{server}/task/{server}/children").read_text().split():
        words = Path(f"/proc/{child}/cmdline").read_text().strip("\0").split("\0")
        name = NICE.get(words[-1], "worker") if "ludus.server.work.worker" in words else "process"
        number = sum(other.partition(" ")[0] == name for other in found)
        found[f"{name} {number + 1}" if number else name] = int(child)
    return found


def _private(process: int) -> float:
    text = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"RssAnon:\s+(\d+)", text)
    return round(int(found[1]) / 1024, 1) if found else 0.0


def worked(process: int) -> float:
    """CPU seconds of a process, to the hundredth."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _kept(folder: Path, db: str = "") -> set[str]:
    """The hands in the database."""
    if db:
        import psycopg

        with psycopg.connect(db) as connection:
            return {name for (name,) in connection.execute("SELECT id FROM hands")}
    with closing(sqlite3.connect(folder / "ludus.db")) as database:
        return {name for (name,) in database.execute("SELECT id FROM hands")}
