"""``ludus bench server``: many people at tables of their own, all at once, over real sockets.

The server is a process of its own, and so is the crowd: ``python -m ludus.cli.bench_server ADDRESS ...``. Everybody
plays heads-up against the AI, thinking for a moment before each action; a move is timed from the message that is sent
to the one that shows that it is his turn again or that the hand is over, the AI's reply included.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SERVER = (
    "import sys; from pathlib import Path; from ludus.server.running import serve; from ludus.server.settings import "
    "Settings; serve(Settings(port=0, folder=Path(sys.argv[1]), limits=False, warm_up=False, helpers=1))"
)
CONNECTING = 20  # people who come at the same time
PATIENCE = 60.0  # seconds until a move counts as lost


def bench_server(tables: int, hands: int, think: float, level: int, seed: int) -> dict[str, Any]:
    """All figures of a crowd of so many people who each play so many hands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = subprocess.Popen([sys.executable, "-c", SERVER, name], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+", server.stdout.readline())
            if found is None:
                raise RuntimeError("the server did not start")
            address = found[0].rstrip("/")
            _crowd(address, folder, 1, 20, 0.0, level, seed)  # compiled or loaded before the clock starts
            memory, before = {"start": _memory(server.pid)}, _cpu(server.pid)
            result = _crowd(address, folder, tables, hands, think, level, seed + 1, server.pid, memory)
            memory["end"] = _memory(server.pid)
            cpu = {name: round(seconds - before[name], 1) for name, seconds in _cpu(server.pid).items()}
        finally:
            server.terminate()
            server.wait(30)
        kept = _kept(folder)
    played = set(result.pop("ids"))
    result["lost_hands"] = len(played - kept) + tables * hands - len(played)
    return {
        "tables": tables,
        "hands_each": hands,
        "think_seconds": think,
        "level": level,
        **result,
        "cpu_seconds": cpu,
        "memory": memory,
    }


def _crowd(
    address: str, folder: Path, tables: int, hands: int, think: float, level: int, seed: int,
    server: int = 0, memory: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Run the crowd in a process, and look at the server's memory when half of the hands are played."""
    out = folder / "crowd.json"
    words = [address, out, tables, hands, think, level, seed]
    crowd = subprocess.Popen([sys.executable, "-m", "ludus.cli.bench_server", *map(str, words)], stdout=subprocess.PIPE)
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
    """Seconds that they have worked."""
    return {name: _worked(process) for name, process in _processes(server).items()}


def _processes(server: int) -> dict[str, int]:
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return {"server": server, **dict(zip(("players", "helpers"), map(int, children), strict=False))}


def _private(process: int) -> float:
    text = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"RssAnon:\s+(\d+)", text)
    return round(int(found[1]) / 1024, 1) if found else 0.0


def _worked(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _kept(folder: Path) -> set[str]:
    """The hands in the database."""
    from sqlalchemy import select

    from ludus.server.database import Database
    from ludus.server.models import Hand

    database = Database(f"sqlite:///{folder / 'ludus.db'}")
    try:
        with database.session() as session:
            return set(session.scalars(select(Hand.id)))
    finally:
        database.close()


# The crowd


class Crowd:
    """Players of a kind that calls a lot, and what they notice."""

    def __init__(self, address: str, hands: int, think: float, level: int, seed: int) -> None:
        self.address, self.hands, self.think, self.level, self.seed = address, hands, think, level, seed
        self.ids: list[str] = []
        self.seconds: list[float] = []
        self.errors: list[str] = []
        self.half = asyncio.Event()
        self.most = 0

    async def play(self, tables: int) -> dict[str, Any]:
        """All tables at once."""
        import httpx

        gate, self.most = asyncio.Semaphore(CONNECTING), tables * self.hands
        async with httpx.AsyncClient(base_url=self.address, timeout=PATIENCE) as client:
            seats = await asyncio.gather(*(self._sit(client, gate) for _ in range(tables)))
        start = time.perf_counter()
        news = asyncio.create_task(self._tell_half())
        await asyncio.gather(*(self._table(number, *seat) for number, seat in enumerate(seats)))
        seconds = time.perf_counter() - start
        self.half.set()
        await news
        times = sorted(self.seconds)
        return {
            "hands": len(self.ids), "moves": len(times), "errors": len(self.errors),
            "first_errors": self.errors[:3], "seconds": round(seconds, 1),
            "hands_per_second": round(len(self.ids) / seconds, 1), "moves_per_second": round(len(times) / seconds, 1),
            "move_ms": {
                f"p{share}": round(1000 * times[min(int(len(times) * share / 100), len(times) - 1)], 1)
                for share in (50, 95, 99)
            } | {"longest": round(1000 * times[-1], 1)} if times else {},
            "ids": self.ids,
        }  # fmt: skip

    async def _tell_half(self) -> None:
        await self.half.wait()
        print("half", flush=True)

    async def _sit(self, client: Any, gate: asyncio.Semaphore) -> tuple[str, str]:
        async with gate:
            token = (await client.post("/api/guests", json={})).raise_for_status().json()["token"]
            config = {"opponents": [{"agent": "blueprint", "level": self.level}], "assistant": "off"}
            headers = {"Authorization": f"Bearer {token}"}
            table = (await client.post("/api/tables", json=config, headers=headers)).raise_for_status().json()
            return token, table["id"]

    async def _table(self, number: int, token: str, table: str) -> None:
        import websockets

        rng = random.Random(f"{self.seed}:{number}")
        await asyncio.sleep(rng.random() * self.think * 2)  # nobody comes at the same moment
        url = f"{self.address.replace('http', 'ws', 1)}/api/tables/{table}/socket"
        try:
            async with websockets.connect(
                url, additional_headers={"Authorization": f"Bearer {token}"}, compression=None
            ) as socket:
                await self._hands(socket, rng)
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {error}")

    async def _hands(self, socket: Any, rng: random.Random) -> None:
        played, sent, turn = 0, 0.0, ("", -1)
        over = ""
        await socket.send('{"type":"ready"}')
        while played < self.hands:
            async with asyncio.timeout(PATIENCE):
                view = json.loads(await socket.recv())
            if view["type"] == "error":
                self.errors.append(view["detail"])
                continue
            hand = view.get("hand")
            if hand is None or hand["id"] == over:
                continue
            if sent and (hand["over"] or (hand["legal"] and (hand["id"], hand["turn"]) != turn)):
                self.seconds.append(time.perf_counter() - sent)
                sent = 0.0
            if hand["over"]:
                over = hand["id"]
                played += 1
                self.ids.append(over)
                if 2 * len(self.ids) >= self.most:
                    self.half.set()
                await asyncio.sleep(rng.random() * self.think * 2)
                if played < self.hands:
                    await socket.send('{"type":"ready"}')
            elif hand["legal"] and (hand["id"], hand["turn"]) != turn:
                turn = hand["id"], hand["turn"]
                await asyncio.sleep(rng.random() * self.think * 2)
                sent = time.perf_counter()
                await socket.send(json.dumps(_choice(hand, rng)))


def _choice(hand: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """An action: mostly check or call, now and then fold or raise."""
    legal, draw = hand["legal"], rng.random()
    message = {"type": "act", "hand": hand["id"], "turn": hand["turn"], "action": "call"}
    if legal["fold"] and draw < 0.2:
        message["action"] = "fold"
    elif legal["raise"] and draw > 0.85:
        to = min(max(legal["raise"]["min"], legal["pot"] // 2), legal["raise"]["max"])
        message |= {"action": "raise", "to": to}
    return message


def main() -> None:
    """The crowd's process."""
    address, out, tables, hands, think, level, seed = sys.argv[1:]
    crowd = Crowd(address, int(hands), float(think), int(level), int(seed))
    result = asyncio.run(crowd.play(int(tables)))
    Path(out).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
