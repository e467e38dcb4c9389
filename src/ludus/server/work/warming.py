"""What is compiled in the background while people already play: each part sets a light in `Service.ready`."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from ludus.server.service import Service
from ludus.server.work.workers import Busy, Failed, Refused, Workers
from ludus.teach.warm_up import is_prepared, note_prepared

log = logging.getLogger(__name__)
SECONDS = 1800.0
LATER = ("fast", "spots", "study", "advice", "thinking", "agents")  # after the table itself


async def warm_up(service: Service) -> None:
    """Compile and build in the order in which a newcomer comes to need it.

    First the usual table, in the process that plays, and beside it the solver of spots, which has other kernels; then
    advice that is solved or in a chart, exact solutions, advice by search with its card tables, those who think, and
    every other agent. What is compiled once is on the disk: the other processes only load it, and what was compiled at
    an earlier start nobody waits for, except in the process that plays, which loads it before it is asked.
    """
    table = asyncio.create_task(_part(service, "play", service.players, "prepare", {"least": True}))
    for part, known in zip(LATER, await asyncio.to_thread(lambda: list(map(is_prepared, LATER))), strict=True):
        if known:
            service.ready[part] = True
    await asyncio.gather(table, _part(service, "fast", service.background, "warm_up", {"part": "fast"}))
    for part in ("spots", "study", "advice"):
        await _part(service, part, service.background, "warm_up", {"part": part})
    await _part(service, "thinking", service.thinkers, "warm_up", {"part": "thinking"})
    await _part(service, "agents", service.background, "prepare", {})


async def _part(service: Service, part: str, workers: Workers, job: str, arguments: dict[str, Any]) -> None:
    if part in service.ready:
        return
    try:
        await workers.run(job, arguments, SECONDS)
        service.ready[part] = True
        await asyncio.to_thread(note_prepared, part)
    except (Busy, Failed, Refused, TimeoutError) as error:
        log.warning("%s could not be prepared: %s", part, error)
        service.ready[part] = False


async def until_ready(service: Service, part: str = "play") -> None:
    """Wait for a part to be ready, or to have failed to be: then it compiles when it is first used."""
    while part not in service.ready:
        await asyncio.sleep(0.05)
