"""Statistics of somebody with many hands at a web server: what a request costs, the first time and later.

A crowd plays some hands; the rows of these are then written again and again, as those of one person, with made-up
grades for some of them.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from ludus.experiments.bench.web.crowd import Wish
from ludus.experiments.bench.web.server import crowd, serving, worked

PLAYED = Wish(4, 50, 0.0, 3, 1)
BLOCK = 1000  # hands that the server folds together
ASKED = 5  # times
PATIENCE = 600.0
START, APART = datetime(2026, 1, 1), timedelta(seconds=20)
GRADES = ("best", "fine", "inaccuracy", "mistake", "blunder")
ADVICE = json.dumps({"name": "call", "difference": 0, "error": 0, "advice": {"cards": "AhAd", "board": ""}})
Row = dict[str, Any]


def bench_statistics(command: Sequence[str], hands: int, reviewed: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """CPU and other seconds of asking for the statistics of so many hands, of which some are reviewed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tell("playing some hands")
        with serving(command, folder) as (address, _):
            guest = _asked(f"{address}/api/guests", {}, b"{}")
            crowd(address, folder, PLAYED)
        tell(f"writing {hands:,} hands")
        with closing(sqlite3.connect(folder / "ludus.db")) as database:
            write(database, guest["person"]["id"], hands, reviewed)
        key = {"Authorization": f"Bearer {guest['token']}"}
        with serving(command, folder) as (address, server):
            tell("waiting until the server has folded them")
            _asked(f"{address}/api/me", key)
            folding = _until_folded(folder, guest["person"]["id"])
            tell("asking")
            times = [_measured(f"{address}/api/statistics", key, server) for _ in range(ASKED)]
    found = [each.pop("hands") for each in times]
    if set(found) != {hands}:
        raise RuntimeError(f"the server counts {found} hands instead of {hands}")
    return {"hands": hands, "reviewed": reviewed, "folding_seconds": folding, "first": times[0], "later": times[1:]}


def write(database: sqlite3.Connection, person: str, hands: int, reviewed: int) -> None:
    """Write the hands that are there again, as those of a person; of some of them three decisions with grades."""
    database.row_factory = sqlite3.Row
    samples = [dict(row) for row in database.execute("SELECT * FROM hands ORDER BY id")]
    seats: dict[str, list[Row]] = {sample["id"]: [] for sample in samples}
    for row in database.execute("SELECT * FROM hand_seats ORDER BY hand_id, seat"):
        seats[row["hand_id"]].append(dict(row))
    for number in range(hands):
        sample = samples[number % len(samples)]
        new = {"finished": f"{START + number * APART:%Y-%m-%d %H:%M:%S.%f}"}
        key = f"{number:022}"
        _insert(database, "hands", {**sample, **new, "id": key, "adjusted": 1, "reviewed": number < reviewed})
        for seat in seats[sample["id"]]:
            mine = seat["person_id"] is not None
            settled = seat["net"] if seat["adjusted"] is None else seat["adjusted"]
            own = {"person_id": person if mine else None, "hand_id": key, "block": None, "adjusted": settled}
            _insert(database, "hand_seats", {**seat, **new, **own})
            for step in range(3 if mine and number < reviewed else 0):
                _insert(database, "decisions", _decision(seat, key, person, step, number))
    database.commit()


def _decision(seat: Row, key: str, person: str, step: int, number: int) -> Row:
    grade = GRADES[(number + step) % len(GRADES)]
    return {
        "hand_id": key, "step": step, "seat": seat["seat"], "person_id": person, "street": step, "action": 0,
        "grade": grade, "loss": 0.0 if grade == "best" else number % 97 / 50, "situation": f"facing a bet {number % 9}",
        "tendency": ("", "calls too much", "folds too much")[number % 3], "place": seat["place"], "uploaded": 0,
        "advice": ADVICE,
    }  # fmt: skip


def _insert(database: sqlite3.Connection, table: str, row: Row) -> None:
    names = ", ".join(f'"{name}"' for name in row)
    database.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


def _until_folded(folder: Path, person: str) -> float:
    """Wait until less than a block of somebody's hands is left; the seconds that took."""
    begun = time.perf_counter()
    query = "SELECT COUNT(*) FROM hand_seats WHERE person_id = ? AND block IS NULL AND upload_id IS NULL"
    with closing(sqlite3.connect(folder / "ludus.db", timeout=PATIENCE)) as database:
        while database.execute(query, [person]).fetchone()[0] >= BLOCK:
            if time.perf_counter() - begun > PATIENCE:
                raise RuntimeError("the server does not fold the hands")
            time.sleep(0.2)
    return round(time.perf_counter() - begun, 1)


def _measured(url: str, key: dict[str, str], server: int) -> dict[str, Any]:
    begun, before = time.perf_counter(), worked(server)
    found = _asked(url, key)
    seconds = time.perf_counter() - begun
    return {"hands": found["hands"], "seconds": round(seconds, 3), "cpu_seconds": round(worked(server) - before, 2)}


def _asked(url: str, key: dict[str, str], body: bytes | None = None) -> dict[str, Any]:
    with urlopen(Request(url, body, {**key, "Content-Type": "application/json"}), timeout=PATIENCE) as answer:
        found: dict[str, Any] = json.load(answer)
        return found
