"""Room for what takes much memory: so many at once, each with the bytes that it needs, from one budget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ludus.server.work.fair_queue import ASKER, FairQueue

Turn = tuple[int, asyncio.Future[None]]


class Room:
    """A number of places and of bytes. Who waits takes turns; nobody small slips past somebody large."""

    def __init__(self, places: int, memory: int) -> None:
        self.places, self.memory = places, memory
        self.taken, self.reserved = 0, 0
        self._waiting = FairQueue[Turn](1 << 30)
        self._next: Turn | None = None

    @asynccontextmanager
    async def place(self, memory: int) -> AsyncIterator[None]:
        """A place with this much memory, when it is our turn; ValueError when there is never that much."""
        if memory > self.memory:
            raise ValueError(f"this takes {memory / 1e9:.1f} GB of memory, the server has {self.memory / 1e9:.1f} GB")
        turn: Turn = memory, asyncio.get_running_loop().create_future()
        self._waiting.put(turn, ASKER.get())
        self._give()
        try:
            await turn[1]
            yield
        finally:
            if turn[1].cancelled() or not turn[1].done():
                turn[1].cancel()
            else:
                self.taken, self.reserved = self.taken - 1, self.reserved - memory
            self._give()

    def _give(self) -> None:
        """Let those in whose turn it is, as long as there is room."""
        while self._next is not None or len(self._waiting):
            memory, turn = self._next = self._next or self._waiting.take()
            if not turn.done():
                if self.taken >= self.places or self.reserved + memory > self.memory:
                    return
                self.taken, self.reserved = self.taken + 1, self.reserved + memory
                turn.set_result(None)
            self._next = None
