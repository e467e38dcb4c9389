"""The API of statistics: the figures of one's own hands."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from ludus.server.hands import columns
from ludus.server.hands import statistics as figures
from ludus.server.hands.filters import HandFilter
from ludus.server.models import Person
from ludus.server.people.identity import FEW, Me
from ludus.server.service import Here, Service

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
async def statistics(asked: Annotated[HandFilter, Query()], me: Me, service: Here) -> Figures:
    """Hands played here, or those of one upload; results in big blinds per hundred hands with 95 % intervals."""
    return await service.in_turn(lambda: _figures(service, asked, me))


def _figures(service: Service, asked: HandFilter, me: Person) -> Figures:
    with service.database.session() as session:
        played = columns.played_here(session, me.id)
        asked = asked.played_here()
        chosen = columns.matching(played, asked) if asked.upload is None else None
        found = figures.statistics(session, asked, me.id, chosen)
    return Figures(**dict(found), choices=_choices(played, found))


def _choices(played: columns.Columns, found: figures.HandStatistics) -> Choices:
    """All that one has played here, tables by when one last did."""
    hands, words = played.hands, played.words
    game, last = np.zeros((2, len(words["table_id"])), np.int64)
    game[hands["table_id"]] = hands["game"]
    np.maximum.at(last, hands["table_id"], hands["finished"])
    count = np.bincount(hands["table_id"], minlength=len(last))
    tables = [
        PlayedTable(
            id=words["table_id"][at], game=words["game"][game[at]], hands=count[at], last=columns.moment(last[at])
        )
        for at in np.argsort(-last, kind="stable")
        if words["table_id"][at] is not None
    ]
    return Choices(
        games=sorted(words["game"]), places=sorted(words["place"]), tables=tables[:MOST_TABLES],
        opponents=list(dict.fromkeys(one.name for one in found.opponents)),
    )  # fmt: skip
