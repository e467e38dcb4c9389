"""What servers on one PostgreSQL database tell each other, by LISTEN and NOTIFY: who has changed, who asks how much."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from ludus.server.database import AWAY
from ludus.server.models import new_key

if TYPE_CHECKING:
    from ludus.server.service import Service

log = logging.getLogger(__name__)
CHANNEL = "ludus"
LARGEST = 7500  # bytes of a message; PostgreSQL takes 8000
EVERY = 1.0  # seconds between two messages about what was asked for
PATIENCE = 10.0  # seconds until a server starts without hearing of others
AGAIN = 1.0  # seconds until another try when the connection is lost


class News:
    """What this server hears and tells. On SQLite there is nobody else."""

    def __init__(self, service: Service) -> None:
        self.service, self.own = service, new_key()
        self._loop = asyncio.get_running_loop()
        self._untold: list[str] = []  # people who have changed
        self._some = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Listen from now on."""
        if self.service.leases.shared:
            heard = asyncio.Event()
            self._tasks = [asyncio.create_task(self._listen(heard)), asyncio.create_task(self._tell())]
            self.service.recognised.on_change = self._changed
            self.service.limits.count()
            try:
                async with asyncio.timeout(PATIENCE):
                    await heard.wait()
            except TimeoutError:
                log.warning("nothing is heard of other servers yet")

    async def close(self) -> None:
        """No more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _changed(self, person_id: str) -> None:
        """A person has changed; from any thread."""
        self._loop.call_soon_threadsafe(self._note, person_id)

    def _note(self, person_id: str) -> None:
        self._untold.append(person_id)
        self._some.set()

    async def _listen(self, heard: asyncio.Event) -> None:
        import psycopg

        address = self.service.database.address.set(drivername="postgresql").render_as_string(hide_password=False)
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    self.service.recognised.forget_all()  # something may have been told in the meantime
                    heard.set()
                    async for told in connection.notifies():
                        self._hear(told.payload)
            except psycopg.Error as error:
                log.warning("news of other servers are not heard: %s", error)
            await asyncio.sleep(AGAIN)

    def _hear(self, payload: str) -> None:
        told = json.loads(payload)
        if told["from"] == self.own:
            return
        for person_id in told.get("people", ()):
            self.service.recognised.forget(person_id, tell=False)
        self.service.limits.asked_elsewhere(told.get("asked", {}))

    async def _tell(self) -> None:
        while True:
            try:
                async with asyncio.timeout(EVERY):
                    await self._some.wait()
            except TimeoutError:
                pass
            self._some.clear()
            people, self._untold = self._untold, []
            messages: list[dict[str, Any]] = [{"people": people[at : at + 100]} for at in range(0, len(people), 100)]
            messages += [{"asked": part} for part in self.service.limits.counted(LARGEST // 40)]
            if messages:
                try:
                    await asyncio.to_thread(self._send, messages)
                except AWAY as error:
                    log.warning("other servers are not told: %s", error)
                    self._untold += people

    def _send(self, messages: list[dict[str, Any]]) -> None:
        with self.service.database.session() as session:
            for message in messages:
                payload = json.dumps({"from": self.own, **message}, separators=(",", ":"))
                session.execute(text("SELECT pg_notify(:channel, :payload)"), {"channel": CHANNEL, "payload": payload})
