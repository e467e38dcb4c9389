"""A file of hands on its way into the database and through the review."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, insert, select

from ludus.server.hands.follow_up import FILES
from ludus.server.leases import Elsewhere
from ludus.server.models import Hand, HandSeat, Upload
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
PAUSE = 0.01  # seconds between two transactions, for other writers


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


async def read(service: Service, person_id: str, key: str, text: str, hero: str, under_way: ExitStack) -> None:
    """Read a file in a worker process, keep its hands, and begin the review of the first of them.

    It is ``under_way`` until that is done.
    """
    with under_way:
        await asyncio.to_thread(service.leases.take, key)
        try:
            asked = {"text": text, "hero": hero, "most": MOST_HANDS, "person": person_id, "upload": key}
            await _read(service, key, asked)
        finally:
            await asyncio.to_thread(service.leases.give, key)


def is_lost(service: Service, person_id: str, key: str) -> bool:
    """Whether nobody reads a file any more, here or elsewhere. It may ask the database."""
    if person_id in service.follow_up.uploads:
        return False
    try:
        service.leases.look(key)
    except Elsewhere:
        return False
    return True


async def _read(service: Service, key: str, asked: dict[str, Any]) -> None:
    try:
        await _keep(service, key, asked)
    except Refused as error:
        await asyncio.to_thread(_fail, service, key, f"{error}")
    except (Busy, TimeoutError):
        await asyncio.to_thread(_fail, service, key, "the server had no time for it: upload it again later")
    except Failed:
        await asyncio.to_thread(_fail, service, key, "it could not be read, which is a defect of ours")
    except Exception as error:
        log.exception("a file could not be kept", exc_info=error)
        await asyncio.to_thread(_fail, service, key, "it could not be kept, which is a defect of ours")


async def _keep(service: Service, key: str, asked: dict[str, Any]) -> None:
    """Write the hands of a file as they come, in short transactions: the tables write to the same database."""
    parts: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    reading = asyncio.create_task(service.background.run("read_hands", asked, SECONDS, parts.put_nowait))
    reading.add_done_callback(lambda _: parts.put_nowait(None))
    first: list[str] = []
    try:
        while (part := await parts.get()) is not None:
            if not await asyncio.to_thread(_keep_part, service, key, part["hands"]):
                return  # it was deleted in the meantime
            first += [rows["hand"]["id"] for rows in part["hands"][: MOST_REVIEWED - len(first)]]
            await asyncio.sleep(PAUSE)
        await asyncio.to_thread(_keep_report, service, key, await reading)
        review_rest(service, first)
    finally:
        reading.cancel()


def review_rest(service: Service, hands: Sequence[str]) -> None:
    """Go on with the review of a file; call it in the event loop."""
    service.follow_up.review(hands, FILES)


def _fail(service: Service, key: str, why: str) -> None:
    """A file that could not be read has no hands."""
    with service.database.session() as session:
        row = session.get(Upload, key)
        if row is not None:
            row.status, row.report = "failed", {"error": why}
            session.execute(delete(Hand).where(Hand.upload_id == key))


def _keep_part(service: Service, key: str, rows: Sequence[dict[str, Any]]) -> bool:
    """Write some of the hands of a file; whether it is still there."""
    for row in (row for each in rows for row in (each["hand"], *each["seats"])):
        row["finished"] = datetime.fromisoformat(row["finished"])
    with service.database.session() as session:
        if session.scalar(select(Upload.id).where(Upload.id == key).with_for_update()) is None:
            return False
        session.execute(insert(Hand), [each["hand"] for each in rows])
        session.execute(insert(HandSeat), [seat for each in rows for seat in each["seats"]])
    return True


def _keep_report(service: Service, key: str, found: dict[str, Any]) -> None:
    """Write what was found in a file besides its hands."""
    problems = found["problems"]
    with service.database.session() as session:
        row = session.get(Upload, key, with_for_update=True)
        if row is not None:
            row.status, row.hero = "reviewing" if found["read"] else "done", found["hero"][:40]
            row.report = {
                "read": found["read"], "players": [name[:40] for name in found["players"][:MOST_PLAYERS]],
                "problems": problems[:MOST_PROBLEMS], "more_problems": len(problems[MOST_PROBLEMS:]),
            }  # fmt: skip
