"""The application: routes, page, and what starts and ends with the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

import ludus
from ludus.server import page_files
from ludus.server.database import Database
from ludus.server.errors import add_handlers
from ludus.server.forwarding import Forwarding, Peers
from ludus.server.hands.closer_looks import CloserLooks
from ludus.server.hands.follow_up import FollowUp
from ludus.server.learning.drill_questions import DrillQuestions
from ludus.server.learning.spot_solves import SpotSolves
from ludus.server.limits import RateLimits
from ludus.server.news import News
from ludus.server.people.guests import forgetting
from ludus.server.people.identity import looking_again
from ludus.server.people.passwords import Passwords
from ludus.server.people.secret import load_secret
from ludus.server.private_files import private_folder
from ludus.server.routes import (
    accounts,
    assistant,
    charts,
    drills,
    hands,
    health,
    learn,
    ranges,
    shared,
    spots,
    statistics,
    tables,
)
from ludus.server.security import Guard
from ludus.server.service import Service
from ludus.server.settings import Settings
from ludus.server.tables.registry import Tables
from ludus.server.watch import Traffic, Watch
from ludus.server.work.pools import Pools
from ludus.server.work.warming import working

PARTS = (accounts, tables, assistant, hands, statistics, ranges, shared, spots, charts, drills, learn, health)


def open_service(settings: Settings, pools: Pools | None = None) -> Service:
    """The folder, secret and database of a server, created where they do not exist yet. It blocks."""
    private_folder(settings.folder)
    secret = load_secret(settings.folder)
    database = Database(settings.database_url, settings.connections)
    database.upgrade(secret, settings.wait)
    pools = pools or Pools.of(settings.helpers)
    return Service(settings, database, secret, RateLimits(settings.limits), Passwords(), pools)


@asynccontextmanager
async def running(
    settings: Settings, traffic: Traffic | None = None, pools: Pools | None = None
) -> AsyncIterator[Service]:
    """A service with its tables until the end of the block, and with its processes unless there are some already."""
    if pools is None:
        async with working(settings) as pools, running(settings, traffic, pools) as service:
            yield service
        return
    service = await asyncio.to_thread(open_service, settings, pools)
    service.traffic = traffic or service.traffic
    behind: list[asyncio.Task[None]] = []
    try:
        service.follow_up, service.closer_looks = FollowUp(service), CloserLooks(service)
        service.spot_solves, service.drill_questions = SpotSolves(service), DrillQuestions(service)
        await service.spot_solves.start()
        service.tables, service.news = Tables(service), News(service)
        await service.tables.start()
        await service.news.start()
        behind.append(asyncio.create_task(looking_again(service)))
        behind.append(asyncio.create_task(forgetting(service.database, service.spot_solves.folder)))
        yield service
    finally:
        for task in behind:
            task.cancel()
        await asyncio.gather(*behind, return_exceptions=True)
        if hasattr(service, "tables"):
            await service.news.close()
            await service.tables.close()
        if hasattr(service, "spot_solves"):
            await service.drill_questions.close()
            await service.spot_solves.close()
        if hasattr(service, "follow_up"):
            await service.follow_up.close()
            await service.closer_looks.close()
        await asyncio.to_thread(service.leases.close)
        await asyncio.to_thread(service.database.close)


def create_app(settings: Settings, pools: Pools | None = None) -> FastAPI:
    """A server's application; nothing is opened before it starts, unless its processes have been."""
    traffic = Traffic()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            async with running(settings, traffic, pools) as service:
                app.state.service = service
                yield
        except Exception as error:
            app.state.error = error  # for the caller: the web server only logs it
            raise

    app = FastAPI(
        title="Ludus", version=ludus.__version__, lifespan=lifespan, docs_url=None, redoc_url=None,
        description="The table, its history and its teachers. Programs use POST /api/guests and a bearer token.",
    )  # fmt: skip
    app.add_middleware(Forwarding)
    app.add_middleware(Guard, names=(settings.host, *settings.hosts))
    app.add_middleware(Peers)
    app.add_middleware(Watch, traffic=traffic)
    add_handlers(app)
    for part in PARTS:
        app.include_router(part.router)
    app.include_router(page_files.router)
    app.router.default = page_files.page_files()  # not mounted: a wrong method of a known path is 405, not 404
    return app
