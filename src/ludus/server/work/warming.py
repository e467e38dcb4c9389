"""What is compiled in the background while people already play: each part sets a light in `Service.ready`."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from ludus.server.service import Service
from ludus.server.work.workers import Busy, Failed, Refused, Workers

log = logging.getLogger(__name__)
SECONDS = 1800.0


async def warm_up(service: Service) -> None:
    """Compile what the usual table needs in the process that plays; then everything else where it is needed.

    What is compiled once is on the disk: the other processes only load it.
    """
    await _part(service, "play", service.players, "prepare", {"least": True})
    await _part(service, "agents", service.background, "prepare", {})
    await _part(service, "thinking", service.thinkers, "warm_up", {"part": "thinking"})
    for part in ("study", "advice"):
        await _part(service, part, service.background, "warm_up", {"part": part})


async def _part(service: Service, part: str, workers: Workers, job: str, arguments: dict[str, Any]) -> None:
    try:
        await workers.run(job, arguments, SECONDS)
        service.ready[part] = True
    except (Busy, Failed, Refused, TimeoutError) as error:
        log.warning("%s could not be prepared: %s", part, error)
        service.ready[part] = False


async def until_ready(service: Service, part: str = "play") -> None:
    """Wait for a part to be ready, or to have failed to be: then it compiles when it is first used."""
    while part not in service.ready:
        await asyncio.sleep(0.05)
