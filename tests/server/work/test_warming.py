"""What is prepared at the first start, and in which order."""

import asyncio
from types import SimpleNamespace

from ludus.server.work.warming import until_ready, warm_up
from ludus.server.work.workers import Failed


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
