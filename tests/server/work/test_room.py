"""Room for solves: places, bytes, turns, and nothing left taken."""

import asyncio

import pytest

from ludus.parallel import memory_limit
from ludus.server.work.room import Room


def test_memory_is_reserved_before_it_is_taken():
    async def work():
        room, order, gates = Room(3, 100), [], {name: asyncio.Event() for name in "abcd"}

        async def solve(name, memory):
            async with room.place(memory):
                order.append(name)
                assert room.reserved <= 100
                await gates[name].wait()

        wanted = {"a": 60, "b": 50, "c": 10, "d": 40}
        tasks = {name: asyncio.create_task(solve(name, memory)) for name, memory in wanted.items()}
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert order == ["a"]  # b does not fit beside it, and c does not slip past b
        gates["a"].set()
        await tasks["a"]
        await asyncio.sleep(0)
        assert order == ["a", "b", "c", "d"]
        assert (room.taken, room.reserved) == (3, 100)
        for name in "bcd":
            gates[name].set()
        await asyncio.gather(*tasks.values())
        assert (room.taken, room.reserved) == (0, 0)

    asyncio.run(work())


def test_who_no_longer_waits_takes_nothing():
    async def work():
        room, gate = Room(1, 100), asyncio.Event()

        async def solve(memory):
            async with room.place(memory):
                await gate.wait()

        first, second, third = (asyncio.create_task(solve(memory)) for memory in (50, 80, 20))
        await asyncio.sleep(0)
        second.cancel()
        first.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        assert room.reserved == 20
        gate.set()
        await third
        assert (room.taken, room.reserved) == (0, 0)

    asyncio.run(work())


def test_what_never_fits_is_refused_at_once():
    async def work():
        with pytest.raises(ValueError, match=r"takes 3\.0 GB of memory, the server has 2\.0 GB"):
            async with Room(1, 2_000_000_000).place(3_000_000_000):
                pass

    asyncio.run(work())


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({"cgroup": "0::/\n", "memory.max": "1073741824\n"}, 1 << 30),
        ({"cgroup": "0::/a/b\n", "a/b/memory.max": "max\n", "a/memory.max": "2000000\n"}, 2_000_000),
        ({"cgroup": "4:memory:/\n", "memory/memory.limit_in_bytes": "3000000\n"}, 3_000_000),
        ({"cgroup": "0::/\n", "memory.max": "max\n"}, None),
        ({}, None),
    ],
)
def test_the_limit_of_a_container_is_known(tmp_path, files, limit):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    whole = memory_limit(tmp_path / "nowhere", tmp_path)
    assert memory_limit(tmp_path / "cgroup", tmp_path) == (limit or whole)
    assert whole > 10**7
