"""The API of statistics: the figures of one's own hands."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy import func, select

from ludus.server.hands import statistics as figures
from ludus.server.hands.filters import HandFilter
from ludus.server.models import HandSeat
from ludus.server.people.identity import FEW, Me
from ludus.server.service import Here

router = APIRouter(prefix="/api", tags=["statistics"])
MOST_TABLES = 100


class PlayedTable(BaseModel):
    """A table one has played at."""

    id: str
    game: str
    hands: int
    last: datetime


class Choices(BaseModel):
    """What the filters can be set to: all that one has played here."""

    games: list[str]
    places: list[str]
    tables: list[PlayedTable]
    opponents: list[str] = Field(description="those of the hands that were asked for, the commonest first")


class Figures(figures.HandStatistics):
    """The figures, and what can be asked for."""

    choices: Choices


class HabitView(BaseModel):
    """What one did in a kind of decisions, beside what a balanced player does in them: shares of three that add up."""

    street: int
    bets: int = Field(description="and raises on that street before one's decision: 0, 1, or 2 for more")
    chances: int
    done: list[float] = Field(description="folds; checks and calls; bets and raises")
    balanced: list[float]


class Learnt(BaseModel):
    """What the exploiter has learnt about one from one's latest hands with it, actions only."""

    hands: int
    trust: float = Field(description="how often it plays against one's habits rather than balanced, at the most")
    habits: list[HabitView] = Field(description="where one differs most surely from a balanced player")


class Memory(BaseModel):
    """What it has learnt heads-up, and at larger tables."""

    heads_up: Learnt
    larger: Learnt


@router.get("/learnt", dependencies=[FEW], summary="What the exploiter has learnt about you")
async def learnt(me: Me, service: Here) -> Memory:
    """Nobody else sees it. It is worked out from the hands that are kept, as the exploiter does before each hand."""
    found = []
    for players in (2, 6):
        hands = await asyncio.to_thread(service.tables.memories.hands, [me.id], players)
        asked = {"hands": hands, "who": me.id, "players": players}
        answer = await service.helpers.run("learnt", asked) if hands else {"hands": 0, "trust": 0.0, "habits": []}
        found.append(Learnt(**answer))
    return Memory(heads_up=found[0], larger=found[1])


@router.get("/statistics", dependencies=[FEW], summary="The figures of one's own hands")
def statistics(asked: Annotated[HandFilter, Query()], me: Me, service: Here) -> Figures:
    """Hands played here, or those of one upload; results in big blinds per hundred hands with 95 % intervals."""
    with service.database.session() as session:
        found = figures.statistics(session, asked.played_here(), me.id, service.figures)
        last = func.max(HandSeat.finished)
        kinds = HandSeat.game, HandSeat.place, HandSeat.table_id
        here = HandSeat.person_id == me.id, HandSeat.upload_id.is_(None)
        rows = session.execute(select(*kinds, func.count(), last).where(*here).group_by(*kinds).order_by(last.desc()))
        played = rows.all()
    tables: dict[str, PlayedTable] = {}
    for game, _, table, hands, time in played:
        if table is not None:
            row = tables.setdefault(table, PlayedTable(id=table, game=game, hands=0, last=time))
            row.hands += hands
    choices = Choices(
        games=sorted({row.game for row in played}), places=sorted({row.place for row in played}),
        tables=list(tables.values())[:MOST_TABLES], opponents=list(dict.fromkeys(one.name for one in found.opponents)),
    )  # fmt: skip
    return Figures(**dict(found), choices=choices)
