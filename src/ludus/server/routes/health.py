"""Whether the server works, for whoever runs it: a health check, and figures for Prometheus."""

from __future__ import annotations

import asyncio
import ipaddress
from typing import Literal

from fastapi import APIRouter, HTTPException, Request, Response
from pydantic import BaseModel, Field
from sqlalchemy import text

from ludus.server.metrics import metrics
from ludus.server.service import Here, Service
from ludus.server.work.workers import Busy, Failed

router = APIRouter()
SECONDS = 5.0  # until a part counts as failing
Part = Literal["ok", "compiling", "failing"]


class Health(BaseModel):
    """Whether all parts work, and which do not."""

    status: Literal["ok", "failing"]
    database: Part
    workers: Part = Field(description="the process that plays for the AI: 'compiling' at the first start")
    log: Part = Field(description="the writer of what happens at the tables")


@router.get("/api/health", tags=["operations"], summary="Whether the server works", responses={503: {"model": Health}})
async def health(here: Here, response: Response) -> Health:
    """200 when the database answers, the AI plays and what happens at tables is written; 503 otherwise."""
    async with here.checking:  # one at a time, however many ask
        database, workers = await asyncio.gather(_database(here), _workers(here))
    log: Part = "ok" if here.tables.log.lag() < SECONDS else "failing"
    failing = "failing" in (database, workers, log)
    response.status_code = 503 if failing else 200
    return Health(status="failing" if failing else "ok", database=database, workers=workers, log=log)


async def _database(here: Service) -> Part:
    def ask() -> None:
        with here.database.session() as session:
            session.execute(text("SELECT 1"))

    try:
        async with asyncio.timeout(SECONDS):
            await asyncio.to_thread(ask)
    except Exception:
        return "failing"
    return "ok"


async def _workers(here: Service) -> Part:
    if here.settings.warm_up and "play" not in here.ready:
        return "compiling"
    try:
        await here.players.run("ping", {}, SECONDS)
    except (Busy, Failed, TimeoutError):
        return "failing"
    return "ok"


@router.get("/metrics", include_in_schema=False)
async def prometheus(request: Request, here: Here) -> Response:
    """Figures as Prometheus reads them, for the networks that the server was told of."""
    try:
        address = ipaddress.ip_address(request.client.host if request.client else "")
    except ValueError:
        address = None
    if address is None or not any(address in ipaddress.ip_network(each) for each in here.settings.metrics):
        raise HTTPException(404, "there is nothing here: ludus serve --metrics NETWORK shows figures")
    return Response(metrics(here), media_type="text/plain; version=0.0.4")
