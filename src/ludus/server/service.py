"""Everything that lives while a server runs, and how a request gets at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, TypeVar, cast

from fastapi import Depends
from fastapi.requests import HTTPConnection

from ludus.server.database import Database
from ludus.server.learning.advice_desk import AdviceDesk
from ludus.server.learning.rps_matches import RpsMatches
from ludus.server.leases import Leases
from ludus.server.limits import RateLimits
from ludus.server.people.open_sockets import OpenSockets
from ludus.server.people.passwords import Passwords
from ludus.server.people.recognition import Recognised
from ludus.server.settings import Settings
from ludus.server.watch import Traffic
from ludus.server.work.pools import Pools
from ludus.server.work.room import Room
from ludus.server.work.workers import Busy, Workers

if TYPE_CHECKING:
    from ludus.server.hands.closer_looks import CloserLooks
    from ludus.server.hands.follow_up import FollowUp
    from ludus.server.learning.drill_questions import DrillQuestions
    from ludus.server.learning.spot_solves import SpotSolves
    from ludus.server.news import News
    from ludus.server.tables.registry import Tables

READINGS, READING_SECONDS = 2, 30.0  # at the same time, and until somebody is told to come again
T = TypeVar("T")


@dataclass
class Service:
    """Database, worker processes and tables of one server."""

    settings: Settings
    database: Database
    secret: bytes
    limits: RateLimits
    passwords: Passwords
    pools: Pools
    leases: Leases = field(init=False)
    players: Workers = field(init=False)
    helpers: Workers = field(init=False)
    background: Workers = field(init=False)
    thinkers: Workers = field(init=False)
    reviewers: Workers = field(init=False)
    tables: Tables = field(init=False)
    news: News = field(init=False)
    follow_up: FollowUp = field(init=False)
    closer_looks: CloserLooks = field(init=False)
    spot_solves: SpotSolves = field(init=False)
    drill_questions: DrillQuestions = field(init=False)
    advice_desk: AdviceDesk = field(default_factory=AdviceDesk)
    recognised: Recognised = field(default_factory=Recognised)
    sockets: OpenSockets = field(default_factory=OpenSockets)
    rps_matches: RpsMatches = field(default_factory=RpsMatches)  # of rock, paper, scissors
    traffic: Traffic = field(default_factory=Traffic)
    checking: asyncio.Lock = field(default_factory=asyncio.Lock)  # of the server's health
    long_reads: Room = field(default_factory=lambda: Room(READINGS, 0))  # of somebody's hands: see `in_turn`
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)  # of ranges: long ones at once would slow down all else

    def __post_init__(self) -> None:
        self.leases = Leases(self.database, self.settings.peer)
        pools = self.pools
        self.players, self.helpers, self.background = pools.players, pools.helpers, pools.background
        self.thinkers, self.reviewers = pools.thinkers, pools.reviewers

    @property
    def ready(self) -> dict[str, bool]:
        """What is compiled: 'play', 'advice', 'study' and other parts."""
        return self.pools.ready

    async def in_turn(self, work: Callable[[], T], seconds: float | None = READING_SECONDS) -> T:
        """Do what reads many rows in a thread: a few at a time, since they take the tables' time, and people in turn.

        Busy when it is not one's turn within so many seconds.
        """
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(seconds):
                    await stack.enter_async_context(self.long_reads.place(0))
            except TimeoutError:
                raise Busy("others read, too") from None
            return await asyncio.to_thread(work)


def service_of(connection: HTTPConnection) -> Service:
    """The service behind a request or a WebSocket."""
    return cast(Service, connection.app.state.service)


async def _here(connection: HTTPConnection) -> Service:
    return service_of(connection)  # async: a plain function would cost a thread on every request


Here = Annotated[Service, Depends(_here)]
