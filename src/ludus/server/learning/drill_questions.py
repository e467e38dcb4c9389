"""Questions of drills: drawn in worker processes, some ahead of time for each theme in use."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from typing import Any

from ludus.server.service import Service
from ludus.server.work.workers import Busy, Failed, Refused

log = logging.getLogger(__name__)
THEMES = (
    "river-facing-bet", "river-bet", "turn-facing-bet", "turn-barrel", "flop-facing-bet", "flop-bet",
    "preflop-heads-up", "preflop-six",
)  # fmt: skip
OWN, MISTAKES = "my-spots", "my-mistakes"
AHEAD = 2  # questions of a theme that wait for somebody to ask
TRIES = 3  # sometimes no suitable situation comes up
SECONDS = 60.0  # for one question; the first of a process loads blueprints
MOST_FILES = 100


class DrillQuestions:
    """Questions that are ready. What is drawn ahead belongs to nobody until it is asked for."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.ready: dict[str, deque[dict[str, Any]]] = {theme: deque() for theme in THEMES}
        self.filling: dict[str, asyncio.Task[None]] = {}

    async def question(self, theme: str) -> dict[str, Any]:
        """A question with its solution, at once if one is ready."""
        ready = self.ready[theme]
        drawn = ready.popleft() if ready else await self._draw(theme)
        if theme not in self.filling:
            self.filling[theme] = asyncio.create_task(self._fill(theme))
        return drawn

    async def own_question(self, files: list[str]) -> dict[str, Any]:
        """A question of somebody's own spots."""
        return await self._draw(OWN, files[:MOST_FILES])

    async def mistake(self, record: str, step: int, advice: dict[str, Any]) -> dict[str, Any]:
        """A question of somebody's own mistake."""
        job = {"record": record, "step": step, "advice": advice}
        drawn: dict[str, Any] = await self.service.helpers.run("drill_mistake", job, SECONDS)
        return drawn

    async def _draw(self, theme: str, files: list[str] | None = None, background: bool = False) -> dict[str, Any]:
        for left in reversed(range(TRIES)):
            job = {"theme": theme, "seed": secrets.randbits(62), "files": files or []}
            try:
                workers = self.service.background if background else self.service.helpers
                drawn: dict[str, Any] = await workers.run("drill", job, SECONDS)
            except Refused:
                if not left or files is not None:
                    raise
            else:
                return drawn
        raise AssertionError("it returns or raises")

    async def _fill(self, theme: str) -> None:
        try:
            while len(self.ready[theme]) < AHEAD:
                self.ready[theme].append(await self._draw(theme, background=True))
        except (Busy, Refused, Failed, TimeoutError) as error:
            log.warning("no question of %s was drawn ahead: %r", theme, error)
        finally:
            del self.filling[theme]

    async def close(self) -> None:
        """End what is being drawn."""
        tasks = list(self.filling.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
