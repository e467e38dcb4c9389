"""What is prepared at the first start, and in which order."""

import asyncio
from types import SimpleNamespace

import pytest

from ludus.server.work import warming
from ludus.server.work.warming import until_ready, warm_up
from ludus.server.work.workers import Failed


@pytest.fixture(autouse=True)
def noted(monkeypatch):
    """What is remembered of earlier starts, here and not on the disk."""
    noted = set()
    monkeypatch.setattr(warming, "is_prepared", noted.__contains__)
    monkeypatch.setattr(warming, "note_prepared", noted.add)
    return noted


class Pool:
    """Workers that note what they are asked for; some parts fail."""

    def __init__(self, name, asked, failing=()):
        self.name, self.asked, self.failing = name, asked, failing

    async def run(self, job, arguments, seconds):
        part = arguments.get("part", job)
        self.asked.append((self.name, part))
        await asyncio.sleep(0)
        if part in self.failing:
            raise Failed("on purpose")


def service(failing=()):
    asked = []
    pools = {name: Pool(name, asked, failing) for name in ("players", "background", "thinkers")}
    return SimpleNamespace(ready={}, **pools), asked


def test_a_newcomer_s_needs_come_first():
    here, asked = service()
    asyncio.run(warm_up(here))
    assert set(asked[:2]) == {("players", "prepare"), ("background", "fast")}  # side by side
    assert [part for _, part in asked[2:]] == ["spots", "study", "advice", "thinking", "prepare"]
    assert list(here.ready.values()) == [True] * 7


def test_a_part_that_fails_holds_up_nothing():
    here, asked = service(failing={"fast", "study"})
    asyncio.run(warm_up(here))
    asyncio.run(until_ready(here, "agents"))
    assert [part for part, ready in here.ready.items() if not ready] == ["fast", "study"]
    assert len(asked) == 7


def test_the_next_start_waits_for_nothing(noted):
    asyncio.run(warm_up(service()[0]))
    assert noted == {"play", *warming.LATER}
    here, asked = service()
    asyncio.run(warm_up(here))
    assert asked == [("players", "prepare")]  # loaded before it is needed
    assert set(here.ready) == {"play", *warming.LATER}


def test_what_failed_is_tried_again_at_the_next_start(noted):
    asyncio.run(warm_up(service(failing={"advice"})[0]))
    here, asked = service()
    asyncio.run(warm_up(here))
    assert ("background", "advice") in asked
    assert here.ready["advice"]
