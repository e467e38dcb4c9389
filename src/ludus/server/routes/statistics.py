"""The API of statistics: the figures of one's own hands."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from sqlalchemy import func, select

from ludus.server import figures
from ludus.server.filters import HandFilter
from ludus.server.models import Hand, HandSeat
from ludus.server.people import Me
from ludus.server.service import Here

router = APIRouter(prefix="/api", tags=["statistics"])
MOST_TABLES = 100


class PlayedTable(BaseModel):
    """A table one has played at."""

    id: str
    game: str
    players: int
    hands: int
    last: datetime


class Choices(BaseModel):
    """What the filters can be set to: all that one has played here."""

    games: list[str]
    places: list[str]
    tables: list[PlayedTable]
    opponents: list[str] = Field(description="those of the hands that were asked for, the commonest first")


class Figures(figures.Statistics):
    """The figures, and what can be asked for."""

    choices: Choices


@router.get("/statistics", summary="The figures of one's own hands")
def statistics(asked: Annotated[HandFilter, Query()], me: Me, service: Here) -> Figures:
    """Hands played here, or those of one upload; results in big blinds a hundred hands with 95 % intervals."""
    with service.database.session() as session:
        found = figures.statistics(session, asked.played_here(), me.id)
        last = func.max(Hand.finished)
        query = (
            select(Hand.game, HandSeat.place, Hand.table_id, func.max(Hand.players), func.count(), last)
            .join(HandSeat, HandSeat.hand_id == Hand.id)
            .where(HandSeat.person_id == me.id, Hand.upload_id.is_(None))
            .group_by(Hand.game, HandSeat.place, Hand.table_id)
        )
        rows = session.execute(query.order_by(last.desc())).all()
    tables: dict[str, PlayedTable] = {}
    for game, _, table, players, hands, time in rows:
        if table is not None:
            row = tables.setdefault(table, PlayedTable(id=table, game=game, players=players, hands=0, last=time))
            row.hands += hands
    choices = Choices(
        games=sorted({row[0] for row in rows}), places=sorted({row[1] for row in rows}),
        tables=list(tables.values())[:MOST_TABLES], opponents=list(dict.fromkeys(one.name for one in found.opponents)),
    )  # fmt: skip
    return Figures(**dict(found), choices=choices)
