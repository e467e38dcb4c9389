"""One client's socket at a table.

Every message shows the whole table, so a slow client needs no queue: it is shown the table as it is when it can take
the next message, with the steps that it has missed.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from ludus.server.limits import RateLimits
from ludus.server.tables.commands import read_action, read_seeding
from ludus.server.tables.live import LiveTable, TableGone
from ludus.server.tables.log import NotKept
from ludus.server.tables.state import Conflict
from ludus.server.work.fair_queue import ASKER

PATIENCE = 30.0  # seconds a client may take to accept a message
ANSWERS = 32  # that wait for a client: more than that are dropped
TOO_MANY, RESTART = 4429, 1012


class Viewer:
    """A socket of a person, or of somebody who only watches."""

    def __init__(self, socket: WebSocket, live: LiveTable, person: str | None) -> None:
        self.socket, self.live, self.person = socket, live, person
        self._answers: deque[dict[str, Any]] = deque(maxlen=ANSWERS)
        self._some = asyncio.Event()
        self._changed = False
        self._ended = False
        self._seen = live.last_step()

    def wake(self) -> None:
        """The table has changed."""
        self._changed = True
        self._some.set()

    def end(self) -> None:
        """The table has left the memory: the client is to come again."""
        self._ended = True
        self._some.set()

    def say(self, answer: dict[str, Any]) -> None:
        """Answer this client alone."""
        self._answers.append(answer)
        self._some.set()

    async def run(self, limits: RateLimits) -> None:
        """Show the table and carry out what the client asks for, until it goes."""
        self.live.join(self)
        writer = asyncio.create_task(self._write())
        reader = asyncio.create_task(self._read(limits))
        try:
            await asyncio.wait({writer, reader}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.live.part(self)
            for task in (writer, reader):
                task.cancel()
            for result in await asyncio.gather(writer, reader, return_exceptions=True):
                if isinstance(result, Exception) and not isinstance(
                    result, WebSocketDisconnect | RuntimeError | TimeoutError | OSError
                ):
                    raise result

    async def _write(self) -> None:
        while not self._ended:
            await self._some.wait()
            self._some.clear()
            while self._answers:
                await self._send(self._answers.popleft())
            if self._changed:
                self._changed = False
                seen, self._seen = self._seen, self.live.last_step()
                await self._send(self.live.view(self.person, seen))
        await self.socket.close(RESTART)

    async def _send(self, message: dict[str, Any]) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.socket.send_text(json.dumps(message, separators=(",", ":")))

    async def _read(self, limits: RateLimits) -> None:
        limit, asker = limits.messages(), ASKER.get()
        while (message := await self.socket.receive())["type"] == "websocket.receive":
            text = message.get("text") or message.get("bytes") or ""
            if not limit.allows(text):
                await self.socket.close(TOO_MANY)
                return
            await limits.pace(asker)
            try:
                await self._carry_out(text)
            except (Conflict, ValueError, PermissionError) as error:
                self.say({"type": "error", "detail": f"{error}"})
            except (TableGone, NotKept):
                self.say({"type": "error", "detail": "the table could not keep that: try again"})

    async def _carry_out(self, text: str | bytes) -> None:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError("a message is one JSON object") from None
        kind = message.get("type") if isinstance(message, dict) else None
        if kind == "ping":
            self.say({"type": "pong"})
            return
        if kind not in ("act", "seed", "ready", "rebuy", "leave", "away", "back", "say"):
            raise ValueError("a message has the type act, seed, ready, rebuy, leave, away, back, say or ping")
        if (person := self.person) is None:
            raise PermissionError("you only watch: say who you are to play")
        live = self.live
        if kind == "act":
            hand, turn, action = read_action(message)
            await live.do(lambda: live.act(person, hand, turn, action))
        elif kind == "seed":
            hand, seed = read_seeding(message)
            await live.do(lambda: live.seed(person, hand, seed))
        elif kind == "say":
            await live.do(lambda: live.say(person, message.get("text")))
        else:
            command = getattr(live, kind)
            await live.do(lambda: command(person))
