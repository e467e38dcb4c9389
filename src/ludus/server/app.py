"""The application: routes, page, and what starts and ends with the server."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

import ludus
from ludus.server.database import Database
from ludus.server.models import Base
from ludus.server.routes import accounts, assistant, drills, hands, learn, spots, statistics, tables
from ludus.server.service import Service
from ludus.server.settings import Settings
from ludus.server.workers import Workers

PAGE = Path(__file__).parent / "page"


def create_app(settings: Settings) -> FastAPI:
    """A server's application; nothing is opened before it starts."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        settings.folder.mkdir(parents=True, exist_ok=True)
        database = Database(settings.database_url)
        Base.metadata.create_all(database.engine)
        service = Service(settings, database, Workers(1, 10_000), Workers(settings.helpers), secrets.token_bytes(32))
        await service.players.start()
        await service.helpers.start()
        app.state.service = service
        try:
            yield
        finally:
            await service.players.close()
            await service.helpers.close()
            database.close()

    app = FastAPI(title="Ludus", version=ludus.__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    for part in (accounts, tables, assistant, hands, statistics, spots, drills, learn):
        app.include_router(part.router)
    app.mount("/", StaticFiles(directory=PAGE, html=True), name="page")
    return app
