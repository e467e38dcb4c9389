"""All that lives while a server runs, and how a request gets at it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends
from fastapi.requests import HTTPConnection

from ludus.server.advising import Desk
from ludus.server.database import Database
from ludus.server.limits import Limits
from ludus.server.passwords import Passwords
from ludus.server.recognition import Recognised
from ludus.server.rps import Matches
from ludus.server.settings import Settings
from ludus.server.workers import Workers

if TYPE_CHECKING:
    from ludus.server.afterwards import Afterwards
    from ludus.server.drilling import Drilling
    from ludus.server.study import Study
    from ludus.server.tables.registry import Tables


@dataclass
class Service:
    """Database, worker processes and tables of one server."""

    settings: Settings
    database: Database
    players: Workers  # one process that plays for the AI: short jobs
    helpers: Workers  # advice, reviews, solving
    secret: bytes
    limits: Limits
    passwords: Passwords
    tables: Tables = field(init=False)
    afterwards: Afterwards = field(init=False)
    study: Study = field(init=False)
    drilling: Drilling = field(init=False)
    desk: Desk = field(default_factory=Desk)
    recognised: Recognised = field(default_factory=Recognised)
    matches: Matches = field(default_factory=Matches)  # of rock, paper, scissors
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)  # of ranges: long ones at once would slow down all else
    ready: dict[str, bool] = field(default_factory=dict)  # what is compiled: 'play', 'advice', 'study'


def service_of(connection: HTTPConnection) -> Service:
    """The service behind a request or a WebSocket."""
    return cast(Service, connection.app.state.service)


async def _here(connection: HTTPConnection) -> Service:
    return service_of(connection)  # async: a plain function would cost a thread at every request


Here = Annotated[Service, Depends(_here)]
