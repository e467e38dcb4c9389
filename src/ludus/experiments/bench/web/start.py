"""A newcomer's first minutes: from starting the web server to a table, and to the assistant's first words there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

PATIENCE = 1800.0  # seconds for everything
HANDS = 20  # until one goes on to the flop
LIMPED = "6 players, 100bb; hero BTN AhKh; UTG c, HJ c, CO f"
SIX = {
    "advice in a chart, 6 seats": "6 players, 100bb; hero CO AhKh; folds to CO",
    "advice by search before the flop, 6 seats": LIMPED,
    "advice by search on the flop, 6 seats": f"{LIMPED}, c, c, x; Ks Th 6c; x, x, x, x",
}
Tell = Callable[[str], None]


def bench_start(tell: Tell) -> dict[str, Any]:
    """Seconds, of the clock and of all processes, from the start to each milestone: with an empty cache, then with it.

    The milestones: the server says that it can be played at; live advice heads-up, before the flop and on it; advice at
    six seats in a chart, and by search where none has the hand. The cache is filled when all has been prepared. It also
    has Python's own, of compiled modules. Nothing of the user's is read or written.
    """
    with tempfile.TemporaryDirectory() as name:
        cache, found = Path(name) / "cache", {}
        for which in ("empty cache", "filled cache"):
            tell(f"the start with the {which}")
            found[which] = _start(cache, Path(name) / which.replace(" ", "-"), tell)
        sizes = {part.name: _megabytes(part) for part in sorted(cache.iterdir())}
        return {"starts": found, "cache_mb": sizes}


def _megabytes(folder: Path) -> float:
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else [folder]
    return round(sum(path.stat().st_size for path in files) / 1e6, 1)


def _start(cache: Path, folder: Path, tell: Tell) -> dict[str, dict[str, float]]:
    environment = {**os.environ, "LUDUS_CACHE": str(cache), "PYTHONPYCACHEPREFIX": str(cache / "python")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    words = [sys.executable, "-m", "ludus", "serve", "--port", "0", "--folder", str(folder)]
    begun, marks = time.perf_counter(), dict[str, dict[str, float]]()
    server = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def mark(name: str) -> None:
        marks[name] = {"seconds": round(time.perf_counter() - begun, 1), "cpu_seconds": round(_cpu(server.pid), 1)}
        tell(f"the start: {name} after {marks[name]['seconds']} s ({marks[name]['cpu_seconds']} s of work)")

    try:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        if address is None:
            raise RuntimeError("the server did not start")
        mark("table")
        _sit_down(address[0].rstrip("/"), mark)
        _wait_for_all(address[0].rstrip("/"))
        mark("everything")
    finally:
        server.terminate()
        server.wait(60)
    return marks


def _sit_down(address: str, mark: Callable[[str], None]) -> None:
    """Ask for advice heads-up, at the first decision before a flop and the first on one, checking and calling on the
    way, and then about situations at six seats."""
    from websockets.sync.client import connect

    key = {"Authorization": "Bearer " + _asked(f"{address}/api/guests", {}, {})["token"]}
    config = {"opponents": [{"agent": "blueprint", "level": 1}], "seats": 2, "assistant": "live"}
    table = _asked(f"{address}/api/tables", config, key)["id"]
    missing = ["before the flop", "on the flop"]
    with connect(f"ws{address[4:]}/api/tables/{table}/socket", additional_headers=key) as socket:
        socket.send('{"type": "ready"}')
        hands, seen = 0, None
        while missing and hands < HANDS:
            hand = json.loads(socket.recv())["hand"] or {"legal": None, "over": False}
            if hand["legal"] and seen != (seen := (hand["id"], hand["turn"])):
                street = missing[0] if bool(hand["board"]) == (missing[0] == "on the flop") else ""
                if street:
                    _advice(f"{address}/api/tables/{table}/advice", None, key)
                    mark(f"advice {street}, 2 seats")
                    missing.remove(street)
                turn = {"type": "act", "hand": hand["id"], "turn": hand["turn"], "action": "call"}
                socket.send(json.dumps(turn))
            elif hand["over"] and hand["number"] > hands:
                hands = hand["number"]
                socket.send('{"type": "ready"}')
    for name, text in SIX.items():
        _advice(f"{address}/api/advice", {"text": text}, key)
        mark(name)


def _wait_for_all(address: str) -> None:
    """Wait for the last part that is prepared."""
    end = time.monotonic() + PATIENCE
    while "agents" not in _asked(f"{address}/api/status", None, {})["ready"] and time.monotonic() < end:
        time.sleep(1)


def _advice(url: str, body: dict[str, Any] | None, key: dict[str, str]) -> dict[str, Any]:
    """Advice, asked for again while it is being prepared, as the page does."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return _asked(url, body, key)
        except HTTPError as error:
            if error.code != 409 or time.monotonic() > end:
                raise
        time.sleep(0.2)


def _asked(url: str, body: dict[str, Any] | None, key: dict[str, str]) -> dict[str, Any]:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, key | {"Content-Type": "application/json"}), timeout=PATIENCE) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def _cpu(server: int) -> float:
    """CPU seconds of a process, of those that it has started and of theirs, where the system tells them."""
    try:
        fields = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    except OSError:
        return 0.0
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # with those that have ended
    return own + sum(_cpu(int(child)) for child in children)
