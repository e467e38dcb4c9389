"""What is loaded and prepared when a server starts, and in which order."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ludus.server.work import warming
from ludus.server.work.pools import Pools
from ludus.server.work.warming import until_ready, warm_up, working
from ludus.server.work.workers import Failed
from ludus.teach.warm_up import PARTS
from server_helpers import test_settings as settings_of

LATER = {*PARTS, "agents"}


class Pool:
    """Workers that note what they are asked for; some parts fail, and some were prepared at an earlier start."""

    def __init__(self, name, asked, failing, known):
        self.name, self.asked, self.failing, self.known = name, asked, failing, known

    async def run(self, job, arguments, seconds):
        part = arguments.get("part", job)
        self.asked.append((self.name, part))
        await asyncio.sleep(0)
        if part in self.failing:
            raise Failed("on purpose")
        return sorted(self.known) if job == "load" else None


def pools(failing=(), known=()):
    asked = []
    names = ("players", "helpers", "background", "thinkers")
    return SimpleNamespace(ready={}, **{name: Pool(name, asked, failing, known) for name in names}), asked


def test_a_newcomer_s_needs_come_first():
    here, asked = pools()
    asyncio.run(warm_up(here))
    assert set(asked[:2]) == {("players", "prepare"), ("helpers", "load")}  # side by side
    first = [("helpers", "fast"), ("helpers", "spots")]  # whoever compiles them is asked first
    assert [each for each in asked if each in first] == first
    assert asked.index(("background", "advice")) < asked.index(("background", "study"))
    assert [part for _, part in asked[-4:]] == ["study", "tables", "thinking", "prepare"]
    assert here.ready == dict.fromkeys(["play", *LATER], True)


def test_a_part_that_fails_holds_up_nothing():
    here, asked = pools(failing={"fast", "study", "load"})
    asyncio.run(warm_up(here))
    asyncio.run(until_ready(here, "agents"))
    assert {part for part, ready in here.ready.items() if not ready} == {"fast", "study"}
    assert len(asked) == 9


def test_what_an_earlier_start_has_prepared_is_only_loaded():
    here, asked = pools(known=LATER)
    asyncio.run(warm_up(here))
    assert sorted(asked) == [("helpers", "load"), ("players", "prepare")]
    assert set(here.ready) == {"play", *LATER}


def test_what_is_missing_is_prepared_at_the_next_start():
    here, asked = pools(known=LATER - {"tables"})
    asyncio.run(warm_up(here))
    assert asked[2:] == [("background", "tables")]
    assert here.ready["tables"]


@pytest.mark.parametrize("warm", [True, False])
def test_processes_begin_at_once_and_end_with_the_block(tmp_path, monkeypatch, warm):
    begun = []

    async def note(pools):
        begun.append(pools)
        await asyncio.Event().wait()

    monkeypatch.setattr(warming, "warm_up", note)

    async def use():
        async with working(replace(settings_of(tmp_path), warm_up=warm)) as pools:
            assert await pools.helpers.run("ping", {"say": 5}) == 5
            assert begun == ([pools] if warm else [])
            return [pools.players._all[0].process, pools.helpers._all[0].process]

    assert all(process.returncode is not None for process in asyncio.run(use()))


def test_pools_by_name_are_all_of_them():
    pools = Pools.of(4)
    assert list(pools.by_name) == ["players", "helpers", "background", "thinkers", "reviewers"]
    assert [each.processes for each in pools.by_name.values()] == [1, 4, 2, 1, 1]
