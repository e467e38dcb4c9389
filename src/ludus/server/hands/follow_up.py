"""What is worked out about hands when they are over, in the background: the luck of all-ins, and reviews.

The queues are short and in memory. What they lose, by a restart or because too much was asked for, is recovered: a hand
without its luck is found again at the next start, and a review is done when it is asked for again.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from ludus.server.database import AWAY
from ludus.server.hands.closer_looks import REST, Look, question
from ludus.server.hands.columns import fold, people_to_fold
from ludus.server.hands.histories import read_record
from ludus.server.limits import AtOnce
from ludus.server.models import Decision, Hand, HandSeat
from ludus.server.tables.fair_play import is_current
from ludus.server.work.fair_queue import ASKER, FairQueue
from ludus.server.work.warming import until_ready
from ludus.server.work.workers import Busy, Failed, Refused
from ludus.teach.endings.luck import ran_out
from ludus.teach.tracker import tracked

if TYPE_CHECKING:
    from ludus.server.service import Service

log = logging.getLogger(__name__)
MOST_WAITING = 1000  # hands for a review
MOST_FAILED = 10_000  # that are remembered
AT_ONCE = 50  # hands whose luck is worked out in one job
PAUSE = 0.5  # seconds in which hands are gathered
AGAIN = 2.0  # seconds until another try when all processes are busy, or the database is away
FOLDED = 60.0  # seconds until hands are folded again
QUICK = 0.5  # seconds of thinking about a decision until it has a grade
SECONDS = 300.0  # for a review, or the luck of some hands; the first compiles
MOST_UPLOADS, MOST_UPLOADS_OF_ADDRESS = 2, 8  # files that are read at the same time
URGENT, PATIENT, FILES = range(3)


def hand_finished(service: Service, hand_id: str, review: bool) -> None:
    """Say that a hand is over and in the database. It never blocks; call it in the event loop."""
    service.follow_up.adjust(hand_id)
    if review:
        service.follow_up.review([hand_id], PATIENT)


class FollowUp:
    """Two tasks, one for all-ins and one for reviews, each with one job at a time."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._lucky: deque[str] = deque(maxlen=10_000)
        self._more = asyncio.Event()
        self._asked = asyncio.Event()
        self._turns = tuple(FairQueue[str](MOST_WAITING) for _ in range(FILES + 1))
        self.waiting: dict[str, int] = {}  # hands to review, and the one being reviewed, with their priorities
        self.failed: dict[str, None] = {}  # hands whose review broke down: tried again only when somebody asks
        self.uploads = AtOnce(MOST_UPLOADS)  # files that are being read, by person
        self.uploads_of_addresses = AtOnce(MOST_UPLOADS_OF_ADDRESS)
        self._tasks: set[asyncio.Task[None]] = {
            asyncio.create_task(self._adjusting()),
            asyncio.create_task(self._counting()),
            asyncio.create_task(self._folding()),
            asyncio.create_task(self._reviewing()),
        }

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something else in the background."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop; what is unfinished is done another time."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # The luck of all-ins

    def adjust(self, hand_id: str) -> None:
        """Work out what a hand was worth without the luck of an all-in, if there was one."""
        self._lucky.append(hand_id)
        self._more.set()

    async def _adjusting(self) -> None:
        try:
            self._lucky.extendleft(await asyncio.to_thread(self._left_over))
        except Exception as error:
            log.exception("hands without their luck could not be looked up", exc_info=error)
        while True:
            while not self._lucky:
                self._more.clear()
                await self._more.wait()
            if len(self._lucky) < AT_ONCE:
                await asyncio.sleep(PAUSE)
            ids = [self._lucky.popleft() for _ in range(min(AT_ONCE, len(self._lucky)))]
            try:
                await self._adjust(ids)
            except (Busy, *AWAY):
                self._lucky.extendleft(ids)
                await asyncio.sleep(AGAIN)
            except Exception as error:  # one hand must not end this for all others
                log.exception("all-ins could not be worked out", exc_info=error)

    async def _adjust(self, ids: Sequence[str]) -> None:
        """Work out the luck of some hands; where that fails, of each by itself, so that an odd one harms no other."""
        records = await asyncio.to_thread(self._records, ids)
        if not records:
            return
        try:
            asked = {"records": list(records.values())}
            found = await self.service.background.run("adjust", asked, SECONDS)
        except (Refused, Failed, TimeoutError) as error:
            if len(records) == 1:
                log.error("hand %s: its all-in could not be worked out: %s", *records, error)
                return
            for key in records:
                await self._adjust([key])
            return
        await asyncio.to_thread(self._keep_adjusted, dict(zip(records, found, strict=True)))

    def _left_over(self) -> Sequence[str]:
        with self.service.database.session() as session:
            return session.scalars(select(Hand.id).where(~Hand.adjusted).limit(self._lucky.maxlen)).all()

    def _records(self, ids: Sequence[str]) -> dict[str, str]:
        """The records of those hands that need it; for the others what they won is entered at once."""
        with self.service.database.session() as session:
            found = session.execute(select(Hand.id, Hand.phh).where(Hand.id.in_(ids), ~Hand.adjusted))
            records = {row.id: row.phh for row in found}
            for key in [key for key, text in records.items() if not ran_out(read_record(text).state)]:
                del records[key]
                session.execute(update(HandSeat).where(HandSeat.hand_id == key).values(adjusted=HandSeat.net))
                session.execute(update(Hand).where(Hand.id == key).values(adjusted=True))
            return records

    def _keep_adjusted(self, found: dict[str, list[float]]) -> None:
        with self.service.database.session() as session:
            for key, values in found.items():
                keep_adjusted(session, key, values)

    # What trackers count

    async def _counting(self) -> None:
        """Count the hands of an older version, some at a time, until none is left."""
        more = True
        while more:
            try:
                more = await asyncio.to_thread(self._count)
                await asyncio.sleep(PAUSE)
            except AWAY:
                await asyncio.sleep(AGAIN)
            except Exception as error:
                log.exception("hands could not be counted", exc_info=error)
                return

    def _count(self) -> bool:
        with self.service.database.session() as session:
            ids = session.scalars(select(HandSeat.hand_id).where(HandSeat.chances.is_(None)).distinct().limit(AT_ONCE))
            keys = ids.all()
            for key, text in session.execute(select(Hand.id, Hand.phh).where(Hand.id.in_(keys))):
                played = read_record(text)
                own = session.execute(select(HandSeat.seat, HandSeat.net).where(HandSeat.hand_id == key))
                nets = {row.seat: row.net for row in own}
                for seat, counts in enumerate(tracked(played.state, [nets.get(at, 0.0) for at in range(len(nets))])):
                    here = HandSeat.hand_id == key, HandSeat.seat == seat
                    session.execute(update(HandSeat).where(*here).values(**asdict(counts)))
            return len(keys) == AT_ONCE

    # Hands as columns

    async def _folding(self) -> None:
        """Fold the hands of people who have many, again and again, a block at a time."""
        while True:
            with suppress(*AWAY):  # another time
                for person in await asyncio.to_thread(self._people_to_fold):
                    await self._fold_all(person)
            await asyncio.sleep(FOLDED)

    async def _fold_all(self, person: str) -> None:
        try:
            while await asyncio.to_thread(self._fold, person):
                await asyncio.sleep(PAUSE / 10)
        except AWAY:
            raise
        except Exception as error:  # of this person alone
            log.exception("hands could not be folded", exc_info=error)

    def _people_to_fold(self) -> Sequence[str]:
        with self.service.database.session() as session:
            return people_to_fold(session)

    def _fold(self, person: str) -> bool:
        with self.service.database.session() as session:
            return fold(session, person)

    # Reviews

    def review(self, ids: Sequence[str], priority: int) -> None:
        """Review hands; the most urgent come first, and of those everybody's in turn.

        Busy when too many wait and somebody is waiting for the answer.
        """
        for key in ids:
            if priority == URGENT:
                self.failed.pop(key, None)
            if key in self.failed or self.waiting.get(key, FILES + 1) <= priority:
                continue
            self.waiting[key] = priority
            lost = self._push(priority, key)
            if lost == key:
                if priority == URGENT:
                    raise Busy
                return
        self._asked.set()

    def _push(self, priority: int, key: str) -> str | None:
        """Files are reviewed in their order; of table hands the latest comes first: somebody is looking at it.

        Which hand has lost its place, if any.
        """
        lost = self._turns[priority].put(key, ASKER.get(), first=priority != FILES)
        if lost is not None and self.waiting.get(lost) == priority:
            del self.waiting[lost]
        return lost

    async def _reviewing(self) -> None:
        while True:
            while not any(map(len, self._turns)):
                self._asked.clear()
                await self._asked.wait()
            if self.service.settings.warm_up:
                await until_ready(self.service.pools, "advice")
            priority, turns = next((at, turns) for at, turns in enumerate(self._turns) if len(turns))
            key = turns.take()
            if self.waiting.get(key) != priority:  # it was asked for again, more urgently
                continue
            try:
                await self._review(key)
            except (Busy, *AWAY):
                self._push(priority, key)
                await asyncio.sleep(AGAIN)
                continue
            except (Refused, Failed, TimeoutError) as error:
                log.error("hand %s could not be reviewed: %r", key, error)
                self.failed[key] = None
                if len(self.failed) > MOST_FAILED:
                    del self.failed[next(iter(self.failed))]
            except Exception as error:
                log.exception("hand %s could not be reviewed", key, exc_info=error)
            del self.waiting[key]

    async def _review(self, key: str) -> None:
        asked = await asyncio.to_thread(self._to_review, key)
        if asked is not None:
            found = await self.service.background.run("review", asked, SECONDS)
            people = await asyncio.to_thread(self._keep_review, key, found["decisions"])
            for person, steps in people.items():
                self.service.closer_looks.take([Look(key, step, person) for step in steps], REST)

    def _to_review(self, key: str) -> dict[str, Any] | None:
        with self.service.database.session() as session:
            hand = session.get(Hand, key)
            if hand is None or hand.reviewed or self._is_current(session, hand):
                return None
            return question(session, hand, QUICK)

    def _is_current(self, session: Session, hand: Hand) -> bool:
        """Whether a hand of a file is one that is being played, written down: its review waits until that is over."""
        if hand.upload_id is None:
            return False
        own = select(HandSeat).where(HandSeat.hand_id == hand.id, HandSeat.person_id.is_not(None))
        seats = session.scalars(own).all()
        return any(is_current(self.service, seat.person_id, [seat.cards], [hand.board], session) for seat in seats)

    def _keep_review(self, key: str, decisions: Sequence[dict[str, Any]]) -> dict[str, list[int]]:
        """Enter the decisions of a hand; their numbers by person."""
        steps: dict[str, list[int]] = {}
        with self.service.database.session() as session:
            if session.scalar(select(Hand.id).where(Hand.id == key).with_for_update()) is None:
                return {}  # it has been deleted in the meantime
            found = select(HandSeat).where(HandSeat.hand_id == key)
            seats = {seat.seat: seat for seat in session.scalars(found)}
            people = {at: seat.person_id for at, seat in seats.items()}
            session.execute(delete(Decision).where(Decision.hand_id == key))
            for row in decisions:
                seat = seats[row["seat"]]
                told = {"person_id": seat.person_id, "place": seat.place, "uploaded": seat.upload_id is not None}
                session.add(Decision(hand_id=key, **told, **row))
            session.execute(update(Hand).where(Hand.id == key).values(reviewed=True))
        for row in decisions:
            if (person := people[row["seat"]]) is not None:
                steps.setdefault(person, []).append(row["step"])
        return steps


def keep_adjusted(session: Session, key: str, values: Sequence[float]) -> None:
    """Enter what a hand was worth to its seats without the luck of all-ins."""
    for seat, value in enumerate(values):
        session.execute(update(HandSeat).where(HandSeat.hand_id == key, HandSeat.seat == seat).values(adjusted=value))
    session.execute(update(Hand).where(Hand.id == key).values(adjusted=True))
