"""Earlier hands with somebody: what the advice against opponents rests on, and the memory of those who remember."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import Session, aliased

from ludus.server.hands.histories import is_phh
from ludus.server.models import Hand, HandSeat

MOST = 100  # hands, the latest ones
LOOKED_THROUGH = 5_000  # of a person's hands, the latest ones, for those
_CARDS = re.compile(r'"(d dh p\d+|p\d+ sm) [^"]*"')


def earlier_hands(
    session: Session,
    person_id: str,
    opponents: Collection[str],
    players: int,
    most: int = MOST,
    uploaded: bool = False,
    but_for: str = "",
) -> list[dict[str, Any]]:
    """Hands of hold'em that a person has played here with any of these opponents, heads-up or with more as ``players``.

    Opponents are AIs by their specs and people by their ids; in uploaded hands, which are then looked at instead, they
    are names. Each hand is its record with all hole cards left out, and who sat in its seats, empty for the person.
    """
    place = HandSeat.upload_id if uploaded else HandSeat.table_id
    mine = HandSeat.person_id == person_id, HandSeat.game == "holdem", place.is_not(None), HandSeat.hand_id != but_for
    own = select(HandSeat.hand_id, HandSeat.seat, HandSeat.finished).where(*mine)
    latest = own.order_by(HandSeat.finished.desc(), HandSeat.hand_id).limit(LOOKED_THROUGH).subquery()
    other = aliased(HandSeat)
    named = other.name.in_(opponents) if uploaded else or_(other.agent.in_(opponents), other.person_id.in_(opponents))
    met = exists().where(other.hand_id == latest.c.hand_id, other.seat != latest.c.seat, named)
    alike = Hand.players == 2 if players == 2 else Hand.players > 2
    query = select(Hand.id, Hand.phh, latest.c.seat).join(latest, latest.c.hand_id == Hand.id).where(alike, met)
    rows = session.execute(query.order_by(latest.c.finished.desc(), Hand.id).limit(most))
    hands = {row.id: row for row in rows if is_phh(row.phh)}
    seats = select(HandSeat.hand_id, HandSeat.seat, HandSeat.agent, HandSeat.person_id, HandSeat.name)
    sitting: dict[str, list[str]] = {key: [] for key in hands}
    for row in session.execute(seats.where(HandSeat.hand_id.in_(hands)).order_by(HandSeat.hand_id, HandSeat.seat)):
        who = row.name if uploaded else row.person_id or row.agent
        sitting[row.hand_id].append("" if row.seat == hands[row.hand_id].seat else who)
    return [{"record": without_cards(row.phh), "agents": sitting[key]} for key, row in hands.items()]


def met_by_people(session: Session, hand: Hand) -> dict[str, Any]:
    """For the seats of people in a hand of hold'em, whom they have met there before: what a review is told."""
    if hand.game != "holdem":
        return {}
    seats = session.scalars(select(HandSeat).where(HandSeat.hand_id == hand.id).order_by(HandSeat.seat)).all()
    return {str(own.seat): met_before(session, own, seats) for own in seats if own.person_id is not None}


def met_before(session: Session, own: HandSeat, seats: Sequence[HandSeat]) -> dict[str, Any]:
    """Who the others in a hand are to one of its players, and the player's other hands with them."""
    uploaded = own.upload_id is not None
    sitting = [
        "" if seat.seat == own.seat else seat.name if uploaded else seat.person_id or seat.agent for seat in seats
    ]
    assert own.person_id is not None
    met = {who for who in sitting if who}
    hands = earlier_hands(session, own.person_id, met, len(seats), uploaded=uploaded, but_for=own.hand_id)
    return {"sitting": sitting, "earlier": hands}


def without_cards(record: str) -> str:
    """A record in PHH with all hole cards unknown, shown or not; the board and what was done stay."""
    start = record.index("actions = [")
    end = record.index("\n]", start)
    return record[:start] + _CARDS.sub(r'"\1 ????"', record[start:end]) + record[end:]
