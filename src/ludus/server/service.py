"""Everything that lives while a server runs, and how a request gets at it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends
from fastapi.requests import HTTPConnection

from ludus.server.database import Database
from ludus.server.hands.kept_figures import KeptFigures
from ludus.server.learning.advice_desk import AdviceDesk
from ludus.server.learning.rps_matches import RpsMatches
from ludus.server.leases import Leases
from ludus.server.limits import RateLimits
from ludus.server.people.open_sockets import OpenSockets
from ludus.server.people.passwords import Passwords
from ludus.server.people.recognition import Recognised
from ludus.server.settings import Settings
from ludus.server.watch import Traffic
from ludus.server.work.workers import Workers

if TYPE_CHECKING:
    from ludus.server.hands.closer_looks import CloserLooks
    from ludus.server.hands.follow_up import FollowUp
    from ludus.server.learning.drill_questions import DrillQuestions
    from ludus.server.learning.spot_solves import SpotSolves
    from ludus.server.news import News
    from ludus.server.tables.registry import Tables


@dataclass
class Service:
    """Database, worker processes and tables of one server."""

    settings: Settings
    database: Database
    secret: bytes
    limits: RateLimits
    passwords: Passwords
    leases: Leases = field(init=False)
    players: Workers = field(init=False)  # one process that plays for the AI: short jobs
    helpers: Workers = field(init=False)  # what somebody waits for: advice, looking at solutions, drills
    background: Workers = field(init=False)  # what nobody waits for: reviews, files of hands, compiling
    thinkers: Workers = field(init=False)  # one process for opponents who think: nobody else waits for them
    reviewers: Workers = field(init=False)  # one process of the lowest priority for closer looks at decisions
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
    figures: KeptFigures = field(default_factory=KeptFigures)  # of people with many hands
    traffic: Traffic = field(default_factory=Traffic)
    checking: asyncio.Lock = field(default_factory=asyncio.Lock)  # of the server's health
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)  # of ranges: long ones at once would slow down all else
    ready: dict[str, bool] = field(default_factory=dict)  # what is compiled: 'play', 'advice', 'study'

    def __post_init__(self) -> None:
        helpers = self.settings.helpers
        self.leases = Leases(self.database, self.settings.peer)
        self.players, self.thinkers = Workers(1, 10_000), Workers(1, 10_000, nice=5)
        self.helpers, self.background = Workers(helpers, nice=10), Workers(max(1, helpers // 2), nice=15)
        self.reviewers = Workers(1, nice=19)

    @property
    def pools(self) -> dict[str, Workers]:
        """All worker processes by what they are for; most are started by their first job."""
        names = ("players", "helpers", "background", "thinkers", "reviewers")
        return {name: getattr(self, name) for name in names}


def service_of(connection: HTTPConnection) -> Service:
    """The service behind a request or a WebSocket."""
    return cast(Service, connection.app.state.service)


async def _here(connection: HTTPConnection) -> Service:
    return service_of(connection)  # async: a plain function would cost a thread on every request


Here = Annotated[Service, Depends(_here)]
