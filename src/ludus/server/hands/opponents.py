"""Earlier hands with the opponents at a table: what the advice against them rests on."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session, aliased

from ludus.server.models import Hand, HandSeat

MOST = 100  # hands, the latest ones


def earlier_hands(session: Session, person_id: str, agents: Collection[str], players: int) -> list[dict[str, Any]]:
    """Hands of hold'em that a person has played here with these agents at such a table.

    Each is its record and the agents of its seats, empty texts for people.
    """
    other = aliased(HandSeat)
    met = exists().where(other.hand_id == HandSeat.hand_id, other.agent.in_(agents))
    mine = HandSeat.person_id == person_id, HandSeat.game == "holdem", HandSeat.table_id.is_not(None)
    query = select(Hand.id, Hand.phh).join(HandSeat, HandSeat.hand_id == Hand.id)
    query = query.where(*mine, Hand.players == players, met).order_by(HandSeat.finished.desc(), Hand.id).limit(MOST)
    records = {row.id: row.phh for row in session.execute(query)}
    seats = select(HandSeat.hand_id, HandSeat.agent).where(HandSeat.hand_id.in_(records))
    found: dict[str, list[str]] = {key: [] for key in records}
    for key, agent in session.execute(seats.order_by(HandSeat.hand_id, HandSeat.seat)):
        found[key].append(agent)
    return [{"record": record, "agents": found[key]} for key, record in records.items()]
