"""The API of finished hands: lists, replays, reviews, notes, exports and uploads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from ludus.games.poker import PokerState
from ludus.server.hands import closer_looks, exports, listing
from ludus.server.hands.closer_looks import ASKED, SEEN, Look, thought
from ludus.server.hands.filters import HandSearch, clean
from ludus.server.hands.follow_up import URGENT
from ludus.server.hands.histories import card_list, is_phh, read_record, seen_by, steps, visible_seats, write_record
from ludus.server.hands.listing import HandRow
from ludus.server.models import KEY, Decision, Hand, HandSeat, Note, Person, now
from ludus.server.people.identity import FEW, Me
from ludus.server.routes import uploads
from ludus.server.routes.assistant import AdviceView
from ludus.server.routes.bodies import Body
from ludus.server.service import Here, Service
from ludus.server.tables.deck import PromisedDeck, closed_places
from ludus.server.tables.fair_play import refuse_current_hand
from ludus.teach.endings.luck import ran_out
from ludus.teach.endings.showdowns import awards

router = APIRouter(prefix="/api", tags=["hands"])
router.include_router(uploads.router)
HandId = Annotated[str, Path(max_length=KEY)]
MOST_NOTE = 5000


class HandQuery(HandSearch):
    """Which hands, and how many of them."""

    limit: int = Field(50, ge=1, le=200)
    before: str | None = Field(None, max_length=80, description="what the last page gave as next")


class HandsPage(BaseModel):
    """A page of hands, the latest first."""

    hands: list[HandRow]
    next: str | None = Field(description="where the next page begins: 'before' of the next request")


class SeatInfo(BaseModel):
    """A player's part in a hand; cards only where the asker may see them."""

    seat: int
    chair: int | None = Field(description="at the table; null where that is not known")
    name: str
    agent: str
    place: str
    stack: int
    cards: list[str]
    shown: bool
    net: float
    adjusted: float | None
    you: bool


class HandStep(BaseModel):
    """A picture of the film: after an action with the bets still in front, or after a deal."""

    street: int
    board: list[str]
    pot: int
    stacks: list[int]
    bets: list[int]
    folded: list[int]
    number: int | None = Field(description="of the action in the hand, counted from 0")
    seat: int | None
    action: int | None = Field(description="-1 fold, 0 check or call, else the chips of this street raised to")
    kind: str | None = Field(description="fold, check, call, bet, raise or all-in")
    name: str | None
    amount: int | None = Field(description="chips: of a call what it costs, else the total of this street")


class HandAward(BaseModel):
    """A pot, without what nobody called, and the seats that share it."""

    chips: int
    seats: list[int]


class DecisionInfo(BaseModel):
    """A decision with its grade; amounts in big blinds."""

    step: int = Field(description="number of the action in the hand")
    seat: int
    street: int
    action: int
    name: str
    grade: str
    loss: float
    difference: float
    error: float
    situation: str
    tendency: str
    thought: float = Field(description="seconds of thinking that it was given at most")
    thinking: float | None = Field(description="seconds that it is going to be given; null when nothing better comes")
    longer: float | None = Field(description="seconds that it may be given on demand; null when it had them")
    advice: AdviceView


class Review(BaseModel):
    """How far the review of one's own decisions is, and what it says."""

    status: Literal["none", "working", "done"]
    decisions: list[DecisionInfo]


class HandInfo(HandRow):
    """A hand with all that the asker may know of it."""

    seats: list[SeatInfo]
    button: int
    steps: list[HandStep]
    awards: list[HandAward]
    ran_out: bool = Field(description="whether the betting was over before the last card came")
    commitment: str | None
    reveal: dict[str, Any] | None
    phh: str | None
    review: Review


class NoteText(Body):
    """What to remember about a hand; empty removes the note."""

    text: str = Field(max_length=MOST_NOTE)


class Noted(BaseModel):
    """A note."""

    text: str
    changed: datetime


@router.get("/hands", dependencies=[FEW], summary="One's own hands, the latest first")
async def hands(asked: Annotated[HandQuery, Query()], me: Me, service: Here) -> HandsPage:
    """A page of those that match; ``next`` of the answer is ``before`` of the next request."""
    return await service.in_turn(lambda: _page(service, asked, me))


def _page(service: Service, asked: HandQuery, me: Person) -> HandsPage:
    with service.database.session() as session:
        try:
            found, after = listing.page(session, asked, me.id, asked.limit, asked.before)
        except ValueError as error:
            raise HTTPException(422, f"{error}") from None
        return HandsPage(hands=listing.rows(session, found, me.id), next=after)


@router.get(
    "/hands.phhs", dependencies=[FEW], summary="One's own hold'em hands as PHH", response_class=StreamingResponse
)
async def hands_phhs(asked: Annotated[HandSearch, Query()], me: Me, service: Here) -> StreamingResponse:
    """The matching hands, the latest first, with the cards that you may see; the format has hold'em only."""
    return _file(service, exports.phhs(service.database, asked, me.id), "text/plain; charset=utf-8", "hands.phhs")


@router.get("/hands.txt", dependencies=[FEW], summary="One's own hands for trackers", response_class=StreamingResponse)
async def hands_text(asked: Annotated[HandSearch, Query()], me: Me, service: Here) -> StreamingResponse:
    """The matching hands as PokerStars' text, the latest first, with your cards and those that were shown."""
    return _file(service, exports.pokerstars(service.database, asked, me.id), "text/plain; charset=utf-8", "hands.txt")


@router.get("/hands.csv", dependencies=[FEW], summary="One's own hands as a table", response_class=StreamingResponse)
async def hands_csv(asked: Annotated[HandSearch, Query()], me: Me, service: Here) -> StreamingResponse:
    """The matching hands, one per line, the latest first."""
    return _file(service, exports.csv_lines(service.database, asked, me.id), "text/csv; charset=utf-8", "hands.csv")


def _file(service: Service, parts: Iterator[str], kind: str, name: str) -> StreamingResponse:
    """A file that is made part by part, each in its turn."""

    async def sent() -> AsyncIterator[str]:
        while (part := await service.in_turn(lambda: next(parts, None), None)) is not None:
            yield part

    return StreamingResponse(sent(), media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/hands/{key}", summary="A hand with its film and its review")
def hand(key: HandId, me: Me, service: Here) -> HandInfo:
    """Everything that you may know of a hand that you took part in, or uploaded."""
    with service.database.session() as session:
        found = own_hand(session, key, me)
        refuse_current(found, me, service, session)
        return _info(session, found, me, service)


@router.post("/hands/{key}/review", summary="Review one's own decisions in a hand")
async def review(key: HandId, me: Me, service: Here) -> Review:
    """Starts the review, or says how far it is; ask again, or get the hand, until its status is 'done'.

    Quick grades come first. Then each decision is thought about for longer: ask again while one has 'thinking'.
    """
    found = await asyncio.to_thread(_review_now, service, key, me)
    if found.status == "none":
        service.follow_up.review([key], URGENT)
        found.status = "working"
    brief = [each for each in found.decisions if each.thought < service.settings.review]
    service.closer_looks.take([Look(key, each.step, me.id) for each in brief], SEEN)
    return _thinking(found, key, me, service)


@router.post("/hands/{key}/decisions/{step}/think", summary="Think longer about one's own decision")
async def think(key: HandId, step: int, me: Me, service: Here) -> Review:
    """One decision of a person at a time, for up to 30 seconds; ask for the review until it is no longer 'thinking'."""
    found = await asyncio.to_thread(_review_now, service, key, me)
    decision = next((each for each in found.decisions if each.step == step), None)
    if decision is None:
        raise HTTPException(404, "there is no such decision among the reviewed ones of yours")
    if decision.longer is not None:
        if not service.closer_looks.may_ask(me.id):
            raise HTTPException(429, "one of your decisions is being thought about already: wait for it")
        service.closer_looks.take([Look(key, step, me.id)], ASKED)
    return _thinking(found, key, me, service)


@router.put("/hands/{key}/note", summary="Write a note about a hand")
def note(key: HandId, written: NoteText, me: Me, service: Here) -> Noted:
    """Nobody else sees it."""
    text, time = clean(written.text).strip(), now()
    with service.database.session() as session:
        own_hand(session, key, me)
        row = session.get(Note, (key, me.id))
        if row is not None and not text:
            session.delete(row)
        elif text:
            session.merge(Note(hand_id=key, person_id=me.id, text=text, changed=time))
    return Noted(text=text, changed=time)


def own_hand(session: Session, key: str, me: Person) -> listing.Found:
    """A hand of a person with their seat; 404 for all others, including those that do not exist."""
    query = select(Hand, HandSeat).join(HandSeat, HandSeat.hand_id == Hand.id)
    found = session.execute(query.where(Hand.id == clean(key), HandSeat.person_id == me.id)).first()
    if found is None:
        raise HTTPException(404, "there is no such hand among yours")
    return found[0], found[1]


def refuse_current(found: listing.Found, me: Person, service: Service, session: Session) -> None:
    """409 for a hand of a file that is being played, written down."""
    row, seat = found
    if row.upload_id is not None:
        refuse_current_hand(service, me.id, [seat.cards], [row.board], session)


def _working(service: Service, key: str) -> bool:
    return key in service.follow_up.waiting


def _review_now(service: Service, key: str, me: Person) -> Review:
    with service.database.session() as session:
        found = own_hand(session, key, me)
        refuse_current(found, me, service, session)
        return _review(session, found[0], me, service)


def _review(session: Session, found: Hand, me: Person, service: Service) -> Review:
    if not found.reviewed:
        return Review(status="working" if _working(service, found.id) else "none", decisions=[])
    rows = session.scalars(
        select(Decision).where(Decision.hand_id == found.id, Decision.person_id == me.id).order_by(Decision.step)
    )
    same = ("step", "seat", "street", "action", "grade", "loss", "situation", "tendency")
    decisions = [
        DecisionInfo(
            **{name: getattr(row, name) for name in same},
            **{**row.advice, "thought": thought(row), "advice": _said_now(row)},
            thinking=None,
            longer=closer_looks.LONGEST if thought(row) < closer_looks.LONGEST else None,
        )
        for row in rows
    ]
    return _thinking(Review(status="done", decisions=decisions), found.id, me, service)


def _said_now(row: Decision) -> dict[str, Any]:
    """The advice of a decision; sentences of earlier versions, whose texts are gone, are left out."""
    advice: dict[str, Any] = row.advice["advice"]
    return advice if "thought" in row.advice else {**advice, "reasons": []}


def _thinking(review: Review, key: str, me: Person, service: Service) -> Review:
    """A review that says which decisions are going to be thought about for longer."""
    for each in review.decisions:
        each.thinking = service.closer_looks.seconds(Look(key, each.step, me.id))
    return review


def _info(session: Session, found: listing.Found, me: Person, service: Service) -> HandInfo:
    row, own = found
    [listed] = listing.rows(session, [found], me.id)
    seats = session.scalars(select(HandSeat).where(HandSeat.hand_id == row.id).order_by(HandSeat.seat)).all()
    visible = visible_seats(seats, me.id, row.upload_id is not None)
    whole = read_record(row.phh)
    played = seen_by(whole, visible)
    return HandInfo(
        **listed.model_dump(),
        seats=seat_infos(seats, visible, own.seat, whole.seats),
        button=row.players - 1,
        steps=[HandStep(**step) for step in steps(played.state)],
        awards=award_infos(whole.state),
        ran_out=ran_out(whole.state),
        commitment=row.commitment,
        reveal=_reveal(row, visible),
        phh=write_record(played) if is_phh(row.phh) else None,
        review=_review(session, row, me, service),
    )  # fmt: skip


def seat_infos(seats: Sequence[HandSeat], visible: set[int], own: int | None, chairs: Sequence[int]) -> list[SeatInfo]:
    """The seats of a hand with the cards of those that may be seen; ``chairs`` are counted from 1, as in its record."""
    return [
        SeatInfo(
            seat=each.seat, chair=chairs[each.seat] - 1 if chairs else None, name=each.name,
            agent=each.agent, place=each.place, stack=each.stack, shown=each.shown,
            cards=card_list(each.cards) if each.seat in visible else [], net=each.net,
            adjusted=each.adjusted, you=each.seat == own,
        )
        for each in seats
    ]  # fmt: skip


def award_infos(state: PokerState) -> list[HandAward]:
    """Who won which pot; none where hands were never seen."""
    return [HandAward(chips=award.amount, seats=list(award.seats)) for award in awards(state)]


def _reveal(row: Hand, visible: set[int]) -> dict[str, Any] | None:
    """The deck that was promised, except for what the asker may not see."""
    if row.deal is None:
        return None
    promised, hole_cards = PromisedDeck.from_dict(row.deal), 2 if row.game == "holdem" else 1
    dealt = row.players * hole_cards + len(card_list(row.board))
    closed = closed_places(visible, row.players, hole_cards, dealt, len(promised.cards))
    return promised.opened(dict(row.deal["seeds"]), closed)
