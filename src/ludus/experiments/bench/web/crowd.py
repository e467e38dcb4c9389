"""A crowd that plays at the tables of a web server: ``python -m ludus.experiments.bench.web.crowd ADDRESS OUT WISH``.

Everybody plays heads-up against the AI, thinking for a moment before each action; a move is timed from the message that
is sent to the one that shows that it is their turn again or that the hand is over, the AI's reply included. Beside
them, pairs of people may raise each other by the minimum, as fast as they can, and others sit at tables and do nothing.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CONNECTING = 20  # people who come at the same time
OF_ADDRESS = 500  # people who do nothing that have one address; a server lets no more than so many in from one
PATIENCE = 60.0  # seconds until a move counts as lost
DEEP = {"stack": 1_000_000, "small_blind": 1, "big_blind": 2}  # chips that many raises by the minimum take


@dataclass(frozen=True)
class Wish:
    """What a crowd does: so many people play so many hands each, and what others do meanwhile."""

    tables: int
    hands: int
    think: float  # seconds before each action, on average
    level: int
    seed: int
    thinkers: int = 0  # how many of the tables, the first ones, are of level 6
    raisers: int = 0  # tables at which two people raise by the minimum
    idle: int = 0  # tables at which somebody sits and does nothing


class Crowd:
    """Players who call a lot, and what they notice."""

    def __init__(self, address: str, wish: Wish) -> None:
        self.address, self.wish = address, wish
        self.ids: list[str] = []
        self.seconds: list[float] = []
        self.thinking: list[float] = []  # the same at tables of level 6
        self.errors: list[str] = []
        self.raises = 0  # by the minimum
        self.half = asyncio.Event()

    async def play(self) -> dict[str, Any]:
        """All tables at once."""
        import httpx

        gate, wish = asyncio.Semaphore(CONNECTING), self.wish
        async with AsyncExitStack() as beside:
            own = httpx.Limits(max_keepalive_connections=0)  # a connection for each request, as of people who come
            async with httpx.AsyncClient(base_url=self.address, timeout=PATIENCE, limits=own) as client:
                seats = await asyncio.gather(*(self._sit(client, gate, number) for number in range(wish.tables)))
                idle = await asyncio.gather(*(self._sit(client, gate, wish.thinkers) for _ in range(wish.idle)))
                pairs = await self._pairs(client) if wish.raisers else []
            for number, seat in enumerate(idle):
                await beside.enter_async_context(self._socket(*seat, address=number // OF_ADDRESS + 2))
            quarrels = [asyncio.create_task(self._quarrel(table, tokens)) for table, tokens in pairs]
            start = time.perf_counter()
            news = asyncio.create_task(self._tell_half())
            await asyncio.gather(*(self._table(number, *seat) for number, seat in enumerate(seats)))
            seconds = time.perf_counter() - start
            for quarrel in quarrels:
                quarrel.cancel()
            await asyncio.gather(*quarrels, return_exceptions=True)
        self.half.set()
        await news
        moves = len(self.seconds) + len(self.thinking)
        return {
            "hands": len(self.ids), "moves": moves, "errors": len(self.errors),
            "first_errors": self.errors[:3], "seconds": round(seconds, 1),
            "hands_per_second": round(len(self.ids) / seconds, 1), "moves_per_second": round(moves / seconds, 1),
            "move_ms": _shares(self.seconds), "thinking_move_ms": _shares(self.thinking), "min_raises": self.raises,
            "ids": self.ids,
        }  # fmt: skip

    async def _tell_half(self) -> None:
        await self.half.wait()
        print("half", flush=True)

    async def _sit(self, client: Any, gate: asyncio.Semaphore, number: int) -> tuple[str, str]:
        """A new guest at a table of their own: their token, and the table."""
        opponent = {"agent": "resolver"} if number < self.wish.thinkers else self._blueprint()
        async with gate:
            token = await _guest(client)
            return token, (await _made(client, token, opponents=[opponent]))["id"]

    def _blueprint(self) -> dict[str, Any]:
        return {"agent": "blueprint", "level": self.wish.level}

    async def _pairs(self, client: Any) -> list[tuple[str, list[str]]]:
        """Tables at which the same two people sit."""
        tokens, found = [await _guest(client) for _ in range(2)], []
        for _ in range(self.wish.raisers):
            table = await _made(client, tokens[0], people=2, open=True, **DEEP)
            sat = await client.post(f"/api/tables/{table['id']}/seats", json={}, headers=_key(tokens[1]))
            sat.raise_for_status()
            found.append((table["id"], tokens))
        return found

    def _socket(self, token: str, table: str, address: int = 1) -> Any:
        """Somebody's connection to a table, from one of the addresses of this machine."""
        import websockets

        url, own = f"{self.address.replace('http', 'ws', 1)}/api/tables/{table}/socket", (f"127.0.0.{address}", 0)
        return websockets.connect(url, additional_headers=_key(token), compression=None, local_addr=own)

    async def _quarrel(self, table: str, tokens: list[str]) -> None:
        """Two people at a table raise as little and as fast as they can, until they are stopped."""
        await asyncio.gather(*(self._raise(token, table) for token in tokens))

    async def _raise(self, token: str, table: str) -> None:
        async with self._socket(token, table) as socket:
            turn = ("", -1)
            async for text in socket:
                hand = json.loads(text).get("hand")
                if hand is None or hand["over"]:
                    await socket.send('{"type":"ready"}')
                elif hand["legal"] and (hand["id"], hand["turn"]) != turn:
                    turn, bounds = (hand["id"], hand["turn"]), hand["legal"]["raise"]
                    act = {"action": "raise", "to": bounds["min"]} if bounds else {"action": "call"}
                    self.raises += bounds is not None
                    await socket.send(json.dumps({"type": "act", "hand": hand["id"], "turn": hand["turn"], **act}))

    async def _table(self, number: int, token: str, table: str) -> None:
        rng, think = random.Random(f"{self.wish.seed}:{number}"), self.wish.think
        await asyncio.sleep(rng.random() * think * 2)  # nobody comes at the same moment
        try:
            async with self._socket(token, table) as socket:
                await self._hands(socket, rng, self.thinking if number < self.wish.thinkers else self.seconds)
        except Exception as error:
            self.errors.append(f"{type(error).__name__}: {error}")

    async def _hands(self, socket: Any, rng: random.Random, seconds: list[float]) -> None:
        played, sent, turn, over = 0, 0.0, ("", -1), ""
        hands, think = self.wish.hands, self.wish.think
        await socket.send('{"type":"ready"}')
        while played < hands:
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
                if 2 * len(self.ids) >= self.wish.tables * hands:
                    self.half.set()
                await asyncio.sleep(rng.random() * think * 2)
                if played < hands:
                    await socket.send('{"type":"ready"}')
            elif hand["legal"] and (hand["id"], hand["turn"]) != turn:
                turn = hand["id"], hand["turn"]
                await asyncio.sleep(rng.random() * think * 2)
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


def _key(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def _guest(client: Any) -> str:
    return str((await client.post("/api/guests", json={})).raise_for_status().json()["token"])


async def _made(client: Any, token: str, **config: Any) -> dict[str, Any]:
    """A new table of somebody."""
    answer = await client.post("/api/tables", json={"assistant": "off", **config}, headers=_key(token))
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def main() -> None:
    """The crowd's process."""
    address, out, wish = sys.argv[1:]
    result = asyncio.run(Crowd(address, Wish(**json.loads(wish))).play())
    Path(out).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
