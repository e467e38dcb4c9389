"""Decisions of reviews that are thought about again, for longer, once they have a quick grade.

One at a time, in a process of the lowest priority, so that nobody else is slowed down. People take turns: a long file
of one keeps nobody else waiting. What a restart loses is taken up again when somebody looks at the hand.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from ludus.server.database import AWAY
from ludus.server.hands.opponents import met_by_people
from ludus.server.models import Decision, Hand, HandSeat
from ludus.server.work.fair_queue import Asker, FairQueue
from ludus.server.work.warming import until_ready
from ludus.server.work.workers import Busy, Failed, Refused

if TYPE_CHECKING:
    from ludus.server.service import Service

log = logging.getLogger(__name__)
LONGEST = 30.0  # seconds of thinking about a decision when somebody asks for it
MOST_WAITING, MOST_OF_ALL = 1000, 100_000  # decisions of one person, and of all at a priority
MOST_FAILED = 10_000  # that are remembered
SECONDS = 300.0  # for one of them; the first compiles
AGAIN = 2.0  # seconds until another try when all processes are busy, or the database is away
SOURCES = ("solved", "chart", "searched", "blueprint")  # of advice, the best one first
CLEARLY = 1.25  # times the error of other advice: values change from one solve to the next, and errors with them
ASKED, SEEN, REST = range(3)  # somebody asks for it, looks at the hand, or has played it


class Look(NamedTuple):
    """A decision to be looked at: its hand, its number there, and whose it is."""

    hand: str
    step: int
    person: str


class CloserLooks:
    """A task that looks at one decision after the other."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.waiting: dict[Look, int] = {}  # with the one that is being looked at, and their priorities
        self.failed: OrderedDict[Look, None] = OrderedDict()  # tried again only when somebody asks
        self._of = Counter[str]()  # how many of them wait, by person
        self._turns = tuple(FairQueue[Look](MOST_OF_ALL) for _ in range(REST + 1))
        self._more = asyncio.Event()
        self._task = asyncio.create_task(self._working())

    async def close(self) -> None:
        """Stop; what is unfinished is done another time."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def seconds(self, look: Look) -> float | None:
        """How long a decision is going to be thought about; None when it does not wait for that."""
        priority = self.waiting.get(look)
        return None if priority is None else LONGEST if priority == ASKED else self.service.settings.review

    def may_ask(self, person: str) -> bool:
        """Whether somebody may ask for a long look: one at a time."""
        return not any(look.person == person and priority == ASKED for look, priority in self.waiting.items())

    def take(self, looks: Iterable[Look], priority: int) -> None:
        """Look at decisions; those that are asked for come first. It never blocks; call it in the event loop."""
        if not self.service.settings.review and priority != ASKED:
            return
        for look in looks:
            if priority == ASKED:
                self.failed.pop(look, None)
            if look in self.failed or self.waiting.get(look, REST + 1) <= priority:
                continue
            if priority != ASKED and self._of[look.person] >= MOST_WAITING:
                return
            self._of[look.person] += look not in self.waiting
            self.waiting[look] = priority
            lost = self._turns[priority].put(look, Asker(look.person))
            if lost is not None and self.waiting.get(lost) == priority:
                self._done_with(lost)
        self._more.set()

    def _done_with(self, look: Look) -> None:
        del self.waiting[look]
        self._of[look.person] -= 1

    async def _working(self) -> None:
        while True:
            while not any(map(len, self._turns)):
                self._more.clear()
                await self._more.wait()
            if self.service.settings.warm_up:
                await until_ready(self.service.pools, "advice")
            priority, turns = next((at, turns) for at, turns in enumerate(self._turns) if len(turns))
            look = turns.take()
            if self.waiting.get(look) != priority:  # it was asked for again, more urgently
                continue
            try:
                await self._look(look, self.seconds(look) or 0.0)
            except (Busy, *AWAY):
                self._turns[priority].put(look, Asker(look.person))
                await asyncio.sleep(AGAIN)
                continue
            except (Refused, Failed, TimeoutError) as error:
                log.error("decision %s of hand %s could not be looked at: %r", look.step, look.hand, error)
                self._remember(look)
            except Exception as error:  # one decision must not end this for all others
                log.exception("decision %s of hand %s could not be looked at", look.step, look.hand, exc_info=error)
                self._remember(look)
            if self.waiting[look] == priority:  # nobody has asked for more in the meantime
                self._done_with(look)

    def _remember(self, look: Look) -> None:
        self.failed[look] = None
        if len(self.failed) > MOST_FAILED:
            self.failed.popitem(last=False)

    async def _look(self, look: Look, seconds: float) -> None:
        asked = await asyncio.to_thread(self._question, look, seconds)
        if asked is not None:
            found = await self.service.reviewers.run("review", asked, SECONDS)
            await asyncio.to_thread(self._keep, look, found["decisions"])

    def _question(self, look: Look, seconds: float) -> dict[str, Any] | None:
        with self.service.database.session() as session:
            row, hand = session.get(Decision, (look.hand, look.step)), session.get(Hand, look.hand)
            if row is None or hand is None or thought(row) >= seconds:
                return None
            return question(session, hand, seconds, [look.step])

    def _keep(self, look: Look, rows: Sequence[dict[str, Any]]) -> None:
        """Enter what was found; on a busy machine it may be worse than what is known, which then stays."""
        with self.service.database.session() as session:
            known = session.get(Decision, (look.hand, look.step), with_for_update=True)
            if known is None or not rows:
                return
            [found] = rows
            if not is_better(found["advice"]["advice"], known.advice["advice"]):
                found = {"advice": {**known.advice, "thought": found["advice"]["thought"]}}
            for name, value in found.items():
                setattr(known, name, value)


def question(session: Session, hand: Hand, seconds: float, steps: Sequence[int] | None = None) -> dict[str, Any]:
    """What the job that reviews is asked: the people's decisions in a hand, all or those of some numbers."""
    people = HandSeat.hand_id == hand.id, HandSeat.person_id.is_not(None)
    seats = list(session.scalars(select(HandSeat.seat).where(*people)))
    met = met_by_people(session, hand)
    return {"record": hand.phh, "seats": seats, "seconds": seconds, "steps": steps, "met": met}


def is_better(new: dict[str, Any], old: dict[str, Any]) -> bool:
    """Whether advice on a decision is from a better source than other advice, or one as good and not clearly worse."""
    if old.get("accuracy") is None:  # of an earlier version
        return True
    rank = [SOURCES.index(each["source"]) if each["source"] in SOURCES else len(SOURCES) for each in (new, old)]
    return rank[0] < rank[1] or (rank[0] == rank[1] and new["accuracy"] <= CLEARLY * old["accuracy"])


def thought(row: Decision) -> float:
    """For how many seconds a decision has been thought about; 0 for those of earlier versions, which did not say."""
    return float(row.advice.get("thought", 0.0))
