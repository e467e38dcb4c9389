"""A file of hands on its way into the database and through the review."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select

from ludus.server.hands.follow_up import FILES
from ludus.server.hands.histories import hand_rows, read_record
from ludus.server.models import Hand, HandSeat, Upload, now
from ludus.server.work.workers import Busy, Failed, Refused

if TYPE_CHECKING:
    from ludus.server.service import Service

log = logging.getLogger(__name__)
MOST_FILES = 100  # of a person
MOST_HANDS = 5000  # of a file
MOST_REVIEWED = 200  # the first of them
MOST_PROBLEMS = 100  # that are listed one by one
MOST_PLAYERS = 200
SECONDS = 300.0


def create(service: Service, person_id: str, name: str) -> str | None:
    """A row for a file that is about to be read; None when a person keeps too many."""
    with service.database.session() as session:
        kept = select(func.count()).select_from(Upload).where(Upload.person_id == person_id)
        if (session.scalar(kept) or 0) >= MOST_FILES:
            return None
        row = Upload(person_id=person_id, name=name, status="reading")
        session.add(row)
        session.flush()
        return row.id


async def read(service: Service, person_id: str, key: str, text: str, hero: str) -> None:
    """Read a file in a worker process, keep its hands, and begin the review of the first of them."""
    try:
        try:
            asked = {"text": text, "hero": hero, "most": MOST_HANDS}
            found = await service.helpers.run("read_hands", asked, SECONDS, background=True)
            review_rest(service, await asyncio.to_thread(_keep, service, person_id, key, found))
        except Refused as error:
            await asyncio.to_thread(_fail, service, key, f"{error}")
        except (Busy, TimeoutError):
            await asyncio.to_thread(_fail, service, key, "the server had no time for it: upload it again later")
        except Failed:
            await asyncio.to_thread(_fail, service, key, "it could not be read, which is a defect of ours")
        except Exception as error:
            log.exception("a file could not be kept", exc_info=error)
            await asyncio.to_thread(_fail, service, key, "it could not be kept, which is a defect of ours")
    finally:
        service.follow_up.uploads.end(person_id)


def review_rest(service: Service, hands: Sequence[str]) -> None:
    """Go on with the review of a file; call it in the event loop."""
    service.follow_up.review(hands, FILES)


def _fail(service: Service, key: str, why: str) -> None:
    with service.database.session() as session:
        row = session.get(Upload, key)
        if row is not None:
            row.status, row.report = "failed", {"error": why}


def _keep(service: Service, person_id: str, key: str, found: dict[str, Any]) -> list[str]:
    """Write the hands of a file; the ids of those to review."""
    hands, seats = [], []
    for number, told in enumerate(found["hands"], 1):
        hand, its_seats = _rows(key, person_id, number, told, found["hero"])
        hands.append(hand)
        seats += its_seats
    with service.database.session() as session:
        row = session.get(Upload, key, with_for_update=True)
        if row is None:  # it was deleted in the meantime
            return []
        problems = found["problems"]
        row.status, row.hero = "reviewing" if hands else "done", found["hero"][:40]
        row.report = {
            "read": len(hands), "players": [name[:40] for name in found["players"][:MOST_PLAYERS]],
            "problems": problems[:MOST_PROBLEMS], "more_problems": len(problems[MOST_PROBLEMS:]),
        }  # fmt: skip
        if hands:
            session.execute(insert(Hand), hands)
            session.execute(insert(HandSeat), seats)
    return [hand["id"] for hand in hands[:MOST_REVIEWED]]


def _rows(
    key: str, person_id: str, number: int, told: dict[str, Any], hero: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    played = read_record(told["record"])
    people: list[str | None] = [None] * len(played.players)
    if hero in played.players:
        people[played.players.index(hero)] = person_id
    hand, seats = hand_rows(
        played, game="holdem", people=people, number=number, upload_id=key, finished=_finished(played.played, number),
        table_id=None, commitment=None, deal=None,
    )  # fmt: skip
    hand["adjusted"] = True
    for seat, value in zip(seats, told["adjusted"], strict=True):
        seat["adjusted"] = value
        seat["shown"] = seat["showdown"] and bool(seat["cards"])
    return hand, seats


def _finished(played: date | None, number: int) -> datetime:
    """When a hand was played, as far as that is known; those of one moment stay in the order of the file."""
    if played is None:
        at = now()
    elif isinstance(played, datetime):
        at = played.replace(tzinfo=UTC)
    else:
        at = datetime.combine(played, time(), UTC)
    return at + timedelta(microseconds=number) if at.year < 9999 else at
