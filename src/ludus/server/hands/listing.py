"""Lists of a person's hands, a page at a time, the latest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from ludus.server.hands.filters import GRADES, HandFilter, clean, in_utc
from ludus.server.hands.histories import card_list
from ludus.server.models import Decision, Hand, HandSeat, Note


class HandRow(BaseModel):
    """A hand in a list, as its owner sees it; amounts in chips, loss in big blinds."""

    id: str
    finished: datetime
    game: str
    players: int
    big_blind: int
    table: str | None
    upload: str | None
    number: int
    place: str
    cards: list[str]
    board: list[str]
    pot: int
    net: float
    adjusted: float | None
    showdown: bool
    street: int
    opponents: list[str]
    grade: str | None
    loss: float | None
    note: str | None


Found = tuple[Hand, HandSeat]


def page(
    session: Session, asked: HandFilter, person_id: str, limit: int, before: str | None
) -> tuple[list[Found], str | None]:
    """At most ``limit`` hands before a point in time, and where the next page begins; ValueError for a bad point."""
    keys = select(HandSeat.hand_id, HandSeat.finished).where(*asked.conditions(person_id))
    keys = keys.order_by(HandSeat.finished.desc(), HandSeat.hand_id.desc()).limit(limit + 1)
    if before is not None:
        time, key = _point(before)
        earlier = or_(HandSeat.finished < time, HandSeat.hand_id < key)
        keys = keys.where(HandSeat.finished <= time, earlier)  # so that an index is used
    chosen = session.execute(keys).all()
    query = select(Hand, HandSeat).join(HandSeat, HandSeat.hand_id == Hand.id)
    query = query.where(Hand.id.in_([row.hand_id for row in chosen[:limit]]), HandSeat.person_id == person_id)
    rows = {hand.id: (hand, seat) for hand, seat in session.execute(query)}
    found = [rows[row.hand_id] for row in chosen[:limit] if row.hand_id in rows]  # else it has just been deleted
    last = chosen[limit - 1] if len(chosen) > limit else None
    return found, None if last is None else f"{last.finished.isoformat()}~{last.hand_id}"


def _point(text: str) -> tuple[datetime, str]:
    time, _, key = text.partition("~")
    try:
        return in_utc(datetime.fromisoformat(time)), clean(key)
    except ValueError:
        raise ValueError(f"before is what the last page gave as next, got {text!r:.60}") from None


def rows(session: Session, found: Sequence[Found], person_id: str) -> list[HandRow]:
    """Hands as their owner sees them in a list."""
    ids = [hand.id for hand, _ in found]
    own = {hand.id: seat.seat for hand, seat in found}
    names: dict[str, list[str]] = {key: [] for key in ids}
    seats = select(HandSeat.hand_id, HandSeat.seat, HandSeat.name).where(HandSeat.hand_id.in_(ids))
    for key, seat, name in session.execute(seats.order_by(HandSeat.hand_id, HandSeat.seat)):
        if seat != own[key]:
            names[key].append(name)
    grades: dict[str, list[tuple[str, float]]] = {}
    graded = select(Decision.hand_id, Decision.grade, Decision.loss).where(
        Decision.hand_id.in_(ids), Decision.person_id == person_id
    )
    for key, grade, loss in session.execute(graded):
        grades.setdefault(key, []).append((grade, loss))
    noted = select(Note.hand_id, Note.text).where(Note.hand_id.in_(ids), Note.person_id == person_id)
    notes = {row.hand_id: row.text for row in session.execute(noted)}
    return [_row(hand, seat, names[hand.id], grades.get(hand.id), notes.get(hand.id)) for hand, seat in found]


def _row(
    hand: Hand, seat: HandSeat, opponents: list[str], grades: list[tuple[str, float]] | None, note: str | None
) -> HandRow:
    return HandRow(
        id=hand.id, finished=hand.finished, game=hand.game, players=hand.players, big_blind=hand.big_blind,
        table=hand.table_id, upload=hand.upload_id, number=hand.number, place=seat.place, cards=card_list(seat.cards),
        board=card_list(hand.board), pot=hand.pot, net=seat.net, adjusted=seat.adjusted, showdown=seat.showdown,
        street=seat.street, opponents=opponents, note=note,
        grade=max((grade for grade, _ in grades), key=GRADES.index) if grades else None,
        loss=sum(loss for _, loss in grades) if grades else None,
    )  # fmt: skip
