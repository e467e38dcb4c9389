"""Guests: what they leave behind goes with them into an account, and those who never come back are forgotten."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import delete, exists, or_, select, update
from sqlalchemy.orm import Session, aliased

from ludus.server.database import Database
from ludus.server.hands.columns import unfold
from ludus.server.models import (
    Decision,
    Drill,
    FoldedHands,
    Hand,
    HandSeat,
    Note,
    Person,
    Share,
    Sitter,
    SpotRow,
    TableEvent,
    TableRow,
    Upload,
    now,
)
from ludus.server.people.identity import COOKIE_SECONDS

log = logging.getLogger(__name__)
EMPTY_HANDED = timedelta(days=7)  # without a visit, of guests who have left nothing
UNREACHABLE = timedelta(seconds=COOKIE_SECONDS)  # of all guests: their cookie is too old by then
AT_ONCE = 200  # guests that are forgotten in one go
PAUSE = 3600.0  # seconds until the next
_OWNED: tuple[Any, ...] = (Upload, SpotRow, Drill, Share)
_PLAYED: tuple[Any, ...] = (Decision, Note, HandSeat)


def bring(database: Database, guest: str, account: str) -> None:
    """Give an account the hands, files, spots and drills of a guest. A hand in which both sat stays the guest's."""
    with database.session() as session:
        unfold(session, guest)
        both = select(HandSeat.hand_id).where(HandSeat.person_id == account)
        for kind in _PLAYED:  # seats last: they say in which hands both sat
            session.execute(
                update(kind)
                .where(kind.person_id == guest, kind.hand_id.not_in(both))
                .values(person_id=account)
                .execution_options(synchronize_session=False)
            )
        for kind in _OWNED:
            session.execute(update(kind).where(kind.person_id == guest).values(person_id=account))


def forget(database: Database, solutions: Path, moment: datetime) -> int:
    """Forget guests who do not come back; how many. It reads and writes the database: call it in a thread."""
    left = or_(
        *(exists().where(kind.person_id == Person.id) for kind in (*_OWNED, HandSeat)),
        exists().where(TableRow.host_id == Person.id),
    )
    gone = (
        Person.username.is_(None),
        Person.seen < moment - EMPTY_HANDED,
        or_(Person.seen < moment - UNREACHABLE, ~left),
    )
    with database.session() as session:
        guests = session.scalars(select(Person.id).where(*gone).limit(AT_ONCE)).all()
    for guest in guests:
        with database.session() as session:
            files = _forget(session, guest, moment)
        for name in files:
            (solutions / name).unlink(missing_ok=True)
    return len(guests)


def _forget(session: Session, guest: str, moment: datetime) -> list[str]:
    """Forget one: what was theirs alone goes, hands with other people stay without them. Files that are to go."""
    person = session.get(Person, guest, with_for_update=True)
    tables = select(TableRow.id).where(TableRow.host_id == guest)
    lately = select(TableEvent.number).where(TableEvent.table_id.in_(tables), TableEvent.time > moment - UNREACHABLE)
    if person is None or person.seen is None or person.seen > moment - EMPTY_HANDED or session.scalar(lately.limit(1)):
        return []  # they have just come, or others play at a table of theirs
    files = [f"{key}.solution" for key in session.scalars(select(SpotRow.id).where(SpotRow.person_id == guest))]
    own, other = aliased(HandSeat), aliased(HandSeat)
    with_others = exists().where(other.hand_id == Hand.id, other.person_id.is_not(None), other.person_id != guest)
    theirs = exists().where(own.hand_id == Hand.id, own.person_id == guest)
    session.execute(delete(Hand).where(theirs, ~with_others).execution_options(synchronize_session=False))
    for kind in (Decision, Note, FoldedHands, Sitter, *_OWNED):
        session.execute(delete(kind).where(kind.person_id == guest))
    session.execute(update(HandSeat).where(HandSeat.person_id == guest).values(person_id=None, block=None))
    session.execute(delete(TableRow).where(TableRow.host_id == guest))
    session.delete(person)
    return files


async def forgetting(database: Database, solutions: Path) -> None:
    """Forget guests again and again, until it is cancelled."""
    while True:
        try:
            if count := await asyncio.to_thread(forget, database, solutions, now()):
                log.info("%d guests who did not come back were forgotten", count)
        except Exception:
            log.exception("guests could not be forgotten")
        await asyncio.sleep(PAUSE)
