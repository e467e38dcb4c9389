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
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

CROWD = "ludus.experiments.bench.web.crowd"
NICE = {"0": "players", "5": "thinkers", "10": "helpers", "15": "background", "19": "reviewers"}  # what workers are for


def bench_server(
    command: Sequence[str],
    tables: int,
    hands: int,
    think: float,
    level: int,
    seed: int,
    thinkers: int = 0,
    db: str = "",
) -> dict[str, Any]:
    """All figures of a crowd: one person at each of the tables, who plays a number of hands.

    ``thinkers`` of the tables are of level 6. ``command``, with a folder for its database after it, starts a server at
    a free port and prints its address; ``db`` is the URL of its database if that is not in the folder.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            if found is None:
                raise RuntimeError("the server did not start")
            address = found[0].rstrip("/")
            _crowd(address, folder, 1, 20, 0.0, level, seed, 0)  # compiled or loaded before the clock starts
            if thinkers:
                _crowd(address, folder, 1, 5, 0.0, level, seed, 1)
            memory, before = {"start": _memory(server.pid)}, _cpu(server.pid)
            result = _crowd(address, folder, tables, hands, think, level, seed + 1, thinkers, server.pid, memory)
            memory["end"] = _memory(server.pid)
            cpu = {name: round(seconds - before.get(name, 0.0), 1) for name, seconds in _cpu(server.pid).items()}
        finally:
            server.terminate()
            server.wait(30)
        kept = _kept(folder, db)
    played = set(result.pop("ids"))
    result["lost_hands"] = len(played - kept) + tables * hands - len(played)
    return {
        "tables": tables,
        "hands_each": hands,
        "think_seconds": think,
        "level": level,
        "thinkers": thinkers,
        **result,
        "cpu_seconds": cpu,
        "memory": memory,
    }


def _crowd(
    address: str, folder: Path, tables: int, hands: int, think: float, level: int, seed: int, thinkers: int,
    server: int = 0, memory: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Run the crowd in a process, and look at the server's memory when half of the hands are played."""
    out = folder / "crowd.json"
    words = [address, out, tables, hands, think, level, seed, thinkers]
    crowd = subprocess.Popen([sys.executable, "-m", CROWD, *map(str, words)], stdout=subprocess.PIPE)
    assert crowd.stdout is not None
    crowd.stdout.readline()  # half of the hands
    if memory is not None:
        memory["middle"] = _memory(server)
    if crowd.wait():
        raise RuntimeError("the crowd has broken down")
    result: dict[str, Any] = json.loads(out.read_text())
    return result


def _memory(server: int) -> dict[str, float]:
    """Private megabytes of the server and of the processes that it has started."""
    return {name: _private(process) for name, process in _processes(server).items()}


def _cpu(server: int) -> dict[str, float]:
    """CPU seconds of the server and of the processes that it has started."""
    return {name: _worked(process) for name, process in _processes(server).items()}


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


def _worked(process: int) -> float:
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
