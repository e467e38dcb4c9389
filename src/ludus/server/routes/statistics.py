"""The API of statistics: the figures of one's own hands."""

from __future__ import annotations

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


@router.get("/statistics", dependencies=[FEW], summary="The figures of one's own hands")
def statistics(asked: Annotated[HandFilter, Query()], me: Me, service: Here) -> Figures:
    """Hands played here, or those of one upload; results in big blinds per hundred hands with 95 % intervals."""
    with service.database.session() as session:
        found = figures.statistics(session, asked.played_here(), me.id)
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
