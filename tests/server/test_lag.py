"""The event loop stays free while tables are played and worker processes are busy: shown by the order of events."""

import asyncio
import threading
import time
from contextlib import suppress

import pytest
from sqlalchemy import event

from ludus.games import CALL
from ludus.server.app import running
from ludus.server.models import Person
from ludus.server.service import READINGS
from ludus.server.tables.config import TableConfig
from ludus.server.tables.state import Conflict
from ludus.server.work.fair_queue import ASKER, Asker
from ludus.server.work.workers import Busy
from server_helpers import test_settings as settings_of

TABLES, HANDS = 30, 2
ENDLESS = {"steps": 10**9, "seconds": 0.01}  # of a job that nobody waits for to end


async def play(service, person, hands):
    """Somebody who plays so many hands, calling everything."""
    live = await service.tables.create(TableConfig.model_validate({"opponents": [{"agent": "random"}]}), person)
    while live.table.hands < hands:
        hand = live.view(person.id)["hand"]
        if hand is None or hand["over"]:
            with suppress(Conflict):  # it has been dealt meanwhile
                await live.do(lambda: live.ready(person.id))
        elif hand["legal"]:
            await live.do(lambda hand=hand: live.act(person.id, hand["id"], hand["turn"], CALL))
        await asyncio.sleep(0.005)


def add(service, people):
    with service.database.sessions.begin() as session:
        session.add_all(people)


@pytest.fixture
def under_load(tmp_path):
    """Run something while a helper process is at work all the time and people wait to play."""

    def run(work):
        async def load():
            async with running(settings_of(tmp_path)) as service:
                people = [Person(id=f"person-{at:015}", name=f"P{at}") for at in range(TABLES)]
                await asyncio.to_thread(add, service, people)
                begun, steps = asyncio.Event(), []

                def told(step):
                    steps.append(step["step"])
                    begun.set()

                job = asyncio.create_task(service.helpers.run("ping", ENDLESS, progress=told))
                await begun.wait()
                found = await work(service, people, steps)
                assert not job.done()
                job.cancel()
                return found

        return asyncio.run(load())

    return run


def test_tables_are_played_while_a_job_is_under_way(under_load):
    """All hands are over before the job is; what it reports meanwhile comes in between them, not after them."""

    async def work(service, people, steps):
        told = []
        for person in people[:3]:  # one after the other, so that there is an order
            await play(service, person, HANDS)
            told.append(steps[-1])
        await asyncio.gather(*(play(service, person, HANDS) for person in people[3:]))
        return [*told, steps[-1]], [live.table.hands for live in service.tables.live.values()]

    told, hands = under_load(work)
    assert told == sorted(set(told)), "the job was heard while hands were played"
    assert hands == [HANDS] * TABLES


def test_the_loop_never_waits_for_the_database(under_load):
    """Every statement is carried out in another thread than the loop's."""
    threads = []

    async def work(service, people, steps):
        event.listen(service.database.engine, "before_cursor_execute", lambda *_: threads.append(threading.get_ident()))
        await asyncio.gather(*(play(service, person, HANDS) for person in people))
        return threading.get_ident()

    loop = under_load(work)
    assert len(threads) > TABLES
    assert loop not in threads


def test_long_readings_come_a_few_at_a_time_and_everybody_in_turn(under_load):
    """Somebody who asks for many of them keeps nobody else waiting for more than those that are under way."""

    async def work(service, people, steps):
        now, most, order, lock = 0, 0, [], threading.Lock()

        def read(name):
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)
                order.append(name)
            time.sleep(0.01)
            with lock:
                now -= 1

        asked = []
        for name, count in (("greedy", 20), ("modest", 1)):
            ASKER.set(Asker(name, name))
            asked += [asyncio.create_task(service.in_turn(lambda name=name: read(name))) for _ in range(count)]
            await asyncio.sleep(0)
        with pytest.raises(Busy):
            await service.in_turn(lambda: None, 0.0)
        await asyncio.gather(*asked)
        return most, order

    most, order = under_load(work)
    assert most == READINGS
    assert len(order) == 21
    assert order.index("modest") <= 2 * READINGS
