"""A crowd that plays at the tables of a web server: ``python -m ludus.experiments.bench.web.crowd ADDRESS OUT ...``.

Everybody plays heads-up against the AI, thinking for a moment before each action; a move is timed from the message that
is sent to the one that shows that it is their turn again or that the hand is over, the AI's reply included.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

CONNECTING = 20  # people who come at the same time
PATIENCE = 60.0  # seconds until a move counts as lost


class Crowd:
    """Players who call a lot, and what they notice."""

    def __init__(self, address: str, hands: int, think: float, level: int, seed: int, thinkers: int) -> None:
        self.address, self.hands, self.think, self.level, self.seed = address, hands, think, level, seed
        self.thinkers = thinkers  # how many of the tables, the first ones, are of level 6
        self.ids: list[str] = []
        self.seconds: list[float] = []
        self.thinking: list[float] = []  # the same at tables of level 6
        self.errors: list[str] = []
        self.half = asyncio.Event()
        self.most = 0

    async def play(self, tables: int) -> dict[str, Any]:
        """All tables at once."""
        import httpx

        gate, self.most = asyncio.Semaphore(CONNECTING), tables * self.hands
        async with httpx.AsyncClient(base_url=self.address, timeout=PATIENCE) as client:
            seats = await asyncio.gather(*(self._sit(client, gate, number) for number in range(tables)))
        start = time.perf_counter()
        news = asyncio.create_task(self._tell_half())
        await asyncio.gather(*(self._table(number, *seat) for number, seat in enumerate(seats)))
        seconds = time.perf_counter() - start
        self.half.set()
        await news
        moves = len(self.seconds) + len(self.thinking)
        return {
            "hands": len(self.ids), "moves": moves, "errors": len(self.errors),
            "first_errors": self.errors[:3], "seconds": round(seconds, 1),
            "hands_per_second": round(len(self.ids) / seconds, 1), "moves_per_second": round(moves / seconds, 1),
            "move_ms": _shares(self.seconds), "thinking_move_ms": _shares(self.thinking), "ids": self.ids,
        }  # fmt: skip

    async def _tell_half(self) -> None:
        await self.half.wait()
        print("half", flush=True)

    async def _sit(self, client: Any, gate: asyncio.Semaphore, number: int) -> tuple[str, str]:
        blueprint = {"agent": "blueprint", "level": self.level}
        async with gate:
            token = (await client.post("/api/guests", json={})).raise_for_status().json()["token"]
            opponent = {"agent": "resolver"} if number < self.thinkers else blueprint
            config = {"opponents": [opponent], "assistant": "off"}
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
                await self._hands(socket, rng, self.thinking if number < self.thinkers else self.seconds)
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {error}")

    async def _hands(self, socket: Any, rng: random.Random, seconds: list[float]) -> None:
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
                seconds.append(time.perf_counter() - sent)
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


def _shares(seconds: list[float]) -> dict[str, float]:
    """Percentiles in milliseconds, and the longest time."""
    times = sorted(seconds)
    if not times:
        return {}
    shares = {f"p{share}": times[min(int(len(times) * share / 100), len(times) - 1)] for share in (50, 95, 99)}
    return {name: round(1000 * time, 1) for name, time in (shares | {"longest": times[-1]}).items()}


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
    address, out, tables, hands, think, level, seed, thinkers = sys.argv[1:]
    crowd = Crowd(address, int(hands), float(think), int(level), int(seed), int(thinkers))
    result = asyncio.run(crowd.play(int(tables)))
    Path(out).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
