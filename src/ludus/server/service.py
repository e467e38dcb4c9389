"""All that lives while a server runs, and how a request gets at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends
from fastapi.requests import HTTPConnection

from ludus.server.database import Database
from ludus.server.settings import Settings
from ludus.server.workers import Workers

if TYPE_CHECKING:
    from ludus.server.tables.registry import Tables


@dataclass
class Service:
    """Database, worker processes and tables of one server."""

    settings: Settings
    database: Database
    players: Workers  # one process that plays for the AI: short jobs
    helpers: Workers  # advice, reviews, solving
    secret: bytes
    tables: Tables = field(init=False)
    ready: dict[str, bool] = field(default_factory=dict)  # what is compiled: 'play', 'advice', 'study'


def service_of(connection: HTTPConnection) -> Service:
    """The service behind a request or a WebSocket."""
    return cast(Service, connection.app.state.service)


Here = Annotated[Service, Depends(service_of)]
