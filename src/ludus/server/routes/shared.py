"""Hands that are shared by a link: a replay that anybody who knows it may open."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from ludus.server.hands.histories import read_record, seen_by, steps, visible_seats
from ludus.server.models import KEY, Hand, HandSeat, Person, Share
from ludus.server.people.identity import FEW, Me
from ludus.server.routes.bodies import Body
from ludus.server.routes.hands import (
    HandAward,
    HandId,
    HandStep,
    SeatInfo,
    award_infos,
    own_hand,
    refuse_current,
    seat_infos,
)
from ludus.server.service import Here, Service
from ludus.server.work.wire import to_wire
from ludus.teach.endings.luck import ran_out

router = APIRouter(prefix="/api", tags=["shared hands"])
ShareId = Annotated[str, Path(max_length=KEY)]
MOST_SHARES = 1000  # of a person
SECONDS = 300.0  # the first may have to compile


class ShareWish(Body):
    """What others see: the players' names, and all hole cards that you may see or only those that were shown."""

    names: bool = True
    cards: bool = True


class Shared(BaseModel):
    """A link: the page shows it at ``/shared/ID``."""

    id: str
    names: bool
    cards: bool


class SharedHand(BaseModel):
    """A hand as it is shared. Without names, players are called by their places."""

    id: str
    number: int
    finished: datetime
    game: str
    big_blind: int
    board: list[str]
    button: int
    seats: list[SeatInfo] = Field(description="'you' is who shares it, with their cards")
    steps: list[HandStep]
    awards: list[HandAward]
    ran_out: bool


class SeatEquities(BaseModel):
    """What the hands of an all-in win on average with this many cards on the board, by seat."""

    cards: int
    shares: dict[str, float]


@router.post("/hands/{key}/shares", status_code=201, summary="Share a hand by a link")
def share(key: HandId, wish: ShareWish, me: Me, service: Here) -> Shared:
    """The same wish gives the same link."""
    with service.database.session() as session:
        row, _ = own_hand(session, key, me)
        same = Share.hand_id == row.id, Share.person_id == me.id, Share.names == wish.names, Share.cards == wish.cards
        found = session.scalar(select(Share).where(*same))
        if found is None:
            if len(session.scalars(select(Share.id).where(Share.person_id == me.id)).all()) >= MOST_SHARES:
                raise HTTPException(409, f"you share {MOST_SHARES} hands: take one of the links back first")
            found = Share(hand_id=row.id, person_id=me.id, names=wish.names, cards=wish.cards)
            session.add(found)
            session.flush()
        return Shared(id=found.id, names=found.names, cards=found.cards)


@router.get("/hands/{key}/shares", summary="The links to a hand of one's own")
def shares(key: HandId, me: Me, service: Here) -> list[Shared]:
    """Those that you made."""
    with service.database.session() as session:
        own_hand(session, key, me)
        rows = session.scalars(select(Share).where(Share.hand_id == key, Share.person_id == me.id)).all()
        return [Shared(id=row.id, names=row.names, cards=row.cards) for row in rows]


@router.delete("/shared/{key}", status_code=204, summary="Take a link back")
def unshare(key: ShareId, me: Me, service: Here) -> None:
    """Whoever opens it from now on is told that there is no such hand."""
    with service.database.session() as session:
        row = session.get(Share, key)
        if row is None or row.person_id != me.id:
            raise HTTPException(404, "there is no such link of yours")
        session.delete(row)


@router.get("/shared/{key}", summary="A shared hand")
def shared(key: ShareId, service: Here) -> SharedHand:
    """For everybody who knows the link, logged in or not."""
    with service.database.session() as session:
        return _shown(session, key)


@router.get("/hands/{key}/equities", dependencies=[FEW], summary="The equities of an all-in, street by street")
async def equities(key: HandId, me: Me, service: Here) -> list[SeatEquities]:
    """Those of a hand of your own; none where nobody was all-in before the last card, or hands were never seen."""
    return await _equities(service, await asyncio.to_thread(_own_record, service, key, me))


@router.get("/shared/{key}/equities", dependencies=[FEW], summary="The same of a shared hand")
async def shared_equities(key: ShareId, service: Here) -> list[SeatEquities]:
    """For everybody who knows the link."""
    return await _equities(service, await asyncio.to_thread(_shared_record, service, key))


def _own_record(service: Service, key: str, me: Person) -> str:
    with service.database.session() as session:
        found = own_hand(session, key, me)
        refuse_current(found, me, service, session)
        return found[0].phh


def _shared_record(service: Service, key: str) -> str:
    with service.database.session() as session:
        return _found(session, key)[1].phh


async def _equities(service: Service, record: str) -> list[SeatEquities]:
    state = read_record(record).state
    if not ran_out(state):
        return []
    found: list[Any] = await service.helpers.run("run_out", {"state": to_wire(state)}, SECONDS)
    return [
        SeatEquities(cards=cards, shares={str(seat): part for seat, part in enumerate(shares) if part is not None})
        for cards, shares in found
    ]


def _found(session: Session, key: str) -> tuple[Share, Hand]:
    row = session.get(Share, key)
    hand = session.get(Hand, row.hand_id) if row is not None else None
    if row is None or hand is None:
        raise HTTPException(404, "there is no such hand, or its link was taken back")
    return row, hand


def _shown(session: Session, key: str) -> SharedHand:
    row, hand = _found(session, key)
    seats = session.scalars(select(HandSeat).where(HandSeat.hand_id == hand.id).order_by(HandSeat.seat)).all()
    known = visible_seats(seats, row.person_id, hand.upload_id is not None)
    visible = known if row.cards else {seat.seat for seat in seats if seat.shown}
    own = next((seat.seat for seat in seats if seat.person_id == row.person_id and row.cards), None)
    played = read_record(hand.phh)
    told = seat_infos(seats, visible, own, played.seats)
    for each in told if not row.names else ():
        each.name, each.agent = each.place, ""
    return SharedHand(
        id=row.id,
        number=hand.number,
        finished=hand.finished,
        game=hand.game,
        big_blind=hand.big_blind,
        board=[hand.board[at : at + 2] for at in range(0, len(hand.board), 2)],
        button=hand.players - 1,
        seats=told,
        steps=[HandStep(**step) for step in steps(seen_by(played, visible).state)],
        awards=award_infos(played.state),
        ran_out=ran_out(played.state),
    )
