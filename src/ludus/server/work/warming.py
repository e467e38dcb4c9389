"""What is loaded and compiled while people already play: each part sets a light in `Pools.ready`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from ludus.server.settings import Settings
from ludus.server.work.pools import Pools
from ludus.server.work.workers import Busy, Failed, Refused, Workers

log = logging.getLogger(__name__)
SECONDS = 1800.0
TROUBLE = (Busy, Failed, Refused, TimeoutError)


@asynccontextmanager
async def working(settings: Settings) -> AsyncIterator[Pools]:
    """The worker processes of a server, which begin to load and compile at once, until the end of the block."""
    pools, warming = Pools.of(settings.helpers), None
    try:
        await pools.players.start()
        await pools.helpers.start()
        if settings.warm_up:
            warming = asyncio.create_task(warm_up(pools))
        yield pools
    finally:
        if warming is not None:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)
        await pools.close()


async def warm_up(pools: Pools) -> None:
    """Load and compile in the order in which a newcomer comes to need it.

    First the usual table, in the process that plays, and beside it advice that is solved or in a chart, in the process
    that will be asked for it first. When the table is there, advice by search; then exact solutions, the card tables,
    those who think, and every other agent. What is compiled once is on the disk: other processes only load it, and what
    an earlier start has compiled nobody waits for.
    """
    async with asyncio.TaskGroup() as group:
        table = group.create_task(_part(pools, "play", pools.players, "prepare", {"least": True}))
        try:
            pools.ready.update(dict.fromkeys(await pools.helpers.run("load", {}, SECONDS), True))
        except TROUBLE as error:
            log.warning("the assistant could not be loaded: %s", error)
        group.create_task(_parts(pools, ("fast", "spots"), pools.helpers))
        await table
        await _parts(pools, ("advice",), pools.background)
    await _parts(pools, ("study", "tables"), pools.background)
    await _parts(pools, ("thinking",), pools.thinkers)
    await _part(pools, "agents", pools.background, "prepare", {})


async def _parts(pools: Pools, parts: tuple[str, ...], workers: Workers) -> None:
    for part in parts:
        await _part(pools, part, workers, "warm_up", {"part": part})


async def _part(pools: Pools, part: str, workers: Workers, job: str, arguments: dict[str, Any]) -> None:
    if part in pools.ready:
        return
    try:
        await workers.run(job, arguments, SECONDS)
        pools.ready[part] = True
    except TROUBLE as error:
        log.warning("%s could not be prepared: %s", part, error)
        pools.ready[part] = False


async def until_ready(pools: Pools, part: str = "play") -> None:
    """Wait for a part to be ready, or to have failed to be: then it compiles when it is first used."""
    while part not in pools.ready:
        await asyncio.sleep(0.05)
