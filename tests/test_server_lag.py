"""The event loop stays free while tables are played and worker processes are busy."""

import asyncio
import time
from contextlib import suppress

from ludus.games import CALL
from ludus.server.app import running
from ludus.server.models import Person
from ludus.server.tables.config import TableConfig
from ludus.server.tables.state import Conflict
from server_helpers import test_settings as settings_of

TABLES, SECONDS = 30, 4.0
MOST = 0.1  # seconds that the loop may be late in 99 of 100 cases


async def lag(samples, seconds):
    """How late the loop is, again and again."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        await asyncio.sleep(0.005)
        samples.append(time.monotonic() - start - 0.005)


async def play(service, person, seconds):
    """Somebody who plays as fast as he can; the number of hands."""
    live = await service.tables.create(TableConfig.model_validate({"opponents": [{"agent": "random"}]}), person)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        view = live.view(person.id)
        hand = view["hand"]
        if hand is None or hand["over"]:
            with suppress(Conflict):  # it has been dealt meanwhile
                await live.do(lambda: live.ready(person.id))
        elif hand["legal"]:
            await live.do(lambda hand=hand: live.act(person.id, hand["id"], hand["turn"], CALL))
        await asyncio.sleep(0.02)
    return live.table.hands


async def burn(service, seconds):
    """A helper process that works all the time."""
    end = time.monotonic() + seconds
    payoffs = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    arguments = {"payoffs": payoffs, "iterations": 20_000, "opponent": None, "sampled": True, "seed": 1}
    while time.monotonic() < end:
        await service.helpers.run("regret_matching", arguments)


def test_the_loop_is_free_under_load(tmp_path):
    async def load():
        async with running(settings_of(tmp_path)) as service:
            people = [Person(id=f"person-{at:015}", name=f"P{at}") for at in range(TABLES)]
            await asyncio.to_thread(add, service, people)
            await play(service, people[0], 0.5)  # what is loaded once is loaded now
            samples = []
            hands = await asyncio.gather(
                lag(samples, SECONDS), burn(service, SECONDS), *(play(service, person, SECONDS) for person in people)
            )
            return samples, sum(hands[2:])

    samples, hands = asyncio.run(load())
    assert hands > TABLES, "hands were played"
    assert sorted(samples)[int(0.99 * len(samples))] < MOST


def add(service, people):
    with service.database.sessions.begin() as session:
        session.add_all(people)
