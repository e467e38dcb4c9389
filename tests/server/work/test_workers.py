"""Worker processes: answers, refusals, defects, limits, and ends."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextvars import copy_context

import pytest

from ludus.server.app import running
from ludus.server.work.fair_queue import ASKER, Asker
from ludus.server.work.workers import Busy, Failed, Refused, Workers
from server_helpers import test_settings as settings_of


def alive(process_id):
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process_id}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def with_workers(work, processes=1, **options):
    """The result of ``work(workers)``, and no process left."""

    async def run():
        workers = Workers(processes, **options)
        await workers.start()
        ids = set()
        try:
            result = await asyncio.wait_for(work(workers), 60)
            ids |= {worker.process.pid for worker in workers._all if worker.process is not None}
            return result
        finally:
            await workers.close()
            assert not any(alive(one) for one in ids)

    return asyncio.run(run())


def process_id(workers):
    return workers._all[0].process.pid


def test_a_job_is_done_and_its_progress_told():
    steps = []

    async def work(workers):
        value = {"text": "é\n\u2028", "list": [1, 2.5, None]}
        assert await workers.run("ping", {"say": value, "steps": 3}, progress=steps.append) == value
        assert await workers.run_raw("ping", {"say": [1, 2]}) == b"[1,2]"
        assert await workers.run("ping", {"say": "x" * 3_000_000}) == "x" * 3_000_000

    with_workers(work)
    assert steps == [{"step": 0}, {"step": 1}, {"step": 2}]


def test_a_refusal_is_a_sentence_and_the_process_stays():
    async def work(workers):
        before = process_id(workers)
        with pytest.raises(Refused, match="no such card: 1x"):
            await workers.run("ping", {"error": "no such card: 1x"})
        assert await workers.run("ping", {"say": 1}) == 1
        assert process_id(workers) == before

    with_workers(work)


@pytest.mark.parametrize("arguments", [{"steps": "many"}, {"steps": [1]}, {"say": float("nan")}])
def test_what_is_no_answer(arguments, caplog):
    """A ValueError of int("many") is a refusal; a TypeError and an answer that is no JSON are defects."""

    async def work(workers):
        with pytest.raises(Refused if arguments.get("steps") == "many" else Failed):
            await workers.run("ping", arguments)
        assert await workers.run("ping", {"say": 1}) == 1

    with_workers(work)
    assert ("Traceback" in caplog.text) == (arguments.get("steps") != "many")


def test_a_job_that_does_not_exist():
    async def work(workers):
        with pytest.raises(Failed, match="KeyError"):
            await workers.run("../../etc/passwd", {})

    with_workers(work)


def test_time_runs_out_and_the_next_job_has_a_new_process():
    async def work(workers):
        before = process_id(workers)
        with pytest.raises(TimeoutError):
            await workers.run("ping", {"steps": 1, "seconds": 60}, seconds=0.3)
        assert await workers.run("ping", {"say": 1}) == 1
        assert process_id(workers) != before
        assert not alive(before)

    with_workers(work)


def test_nobody_waits_any_more():
    async def work(workers):
        before, begun = process_id(workers), asyncio.Event()
        task = asyncio.create_task(
            workers.run("ping", {"steps": 100, "seconds": 0.1}, progress=lambda _: begun.set())
        )  # fmt: skip
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await workers.run("ping", {"say": 1}) == 1
        assert not alive(before)

    with_workers(work)


def test_who_waits_in_the_queue_can_leave_it():
    async def work(workers):
        long = asyncio.create_task(workers.run("ping", {"steps": 1, "seconds": 0.5, "say": "long"}))
        await asyncio.sleep(0.05)
        before = process_id(workers)
        waiting = [asyncio.create_task(workers.run("ping", {"say": at})) for at in range(4)]
        await asyncio.sleep(0.05)
        waiting[1].cancel()
        waiting[2].cancel()
        told = await asyncio.gather(*waiting, return_exceptions=True)
        assert (told[0], told[3]) == (0, 3)
        assert await long == "long"
        assert process_id(workers) == before  # nobody's work was ended
        assert workers.queued == 0

    with_workers(work)


def test_the_queue_is_short():
    async def work(workers):
        tasks = [asyncio.create_task(workers.run("ping", {"steps": 1, "seconds": 0.1})) for _ in range(6)]
        told = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(one) for one in told] == [type(None)] * 4 + [Busy] * 2  # one at work, three wait
        assert await workers.run("ping", {"say": 1}) == 1

    with_workers(work, waiting=3)


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGTERM])
def test_a_process_that_dies_at_work_or_idle(kind):
    async def work(workers):
        begun = asyncio.Event()
        task = asyncio.create_task(workers.run("ping", {"steps": 99, "seconds": 0.1}, progress=lambda _: begun.set()))
        await begun.wait()
        os.kill(process_id(workers), kind)
        with pytest.raises(Failed, match="the process that worked on ping has ended"):
            await task
        assert await workers.run("ping", {"say": 1}) == 1
        idle = workers._all[0].process
        os.kill(idle.pid, kind)
        await idle.wait()
        assert await workers.run("ping", {"say": 2}) == 2

    with_workers(work)


def test_work_in_the_background_leaves_a_process_for_others(tmp_path):
    """Files that are read, reviews and compiling have processes and a queue of their own, even with one helper."""

    async def work():
        async with running(settings_of(tmp_path)) as service:
            long = {"steps": 1, "seconds": 30}
            behind = [asyncio.create_task(service.background.run("ping", long)) for _ in range(65)]
            await asyncio.sleep(0.1)
            assert service.background.queued == 64
            assert await asyncio.wait_for(service.helpers.run("ping", {"say": "quick"}), 30) == "quick"
            for task in behind:
                task.cancel()
            await asyncio.gather(*behind, return_exceptions=True)
            assert await service.background.run("ping", {"say": 1}) == 1

    asyncio.run(work())


def as_asker(person, address):
    """A context in which somebody asks."""
    context = copy_context()
    context.run(ASKER.set, Asker(person, address))
    return context


def test_a_crowd_keeps_nobody_else_waiting():
    async def work(workers):
        done = []

        async def ask(who):
            await workers.run("ping", {"steps": 1, "seconds": 0.02})
            done.append(who)

        crowd = [
            asyncio.create_task(ask("crowd"), context=as_asker(f"guest {number}", "1.2.3.4")) for number in range(20)
        ]
        await asyncio.sleep(0)
        await asyncio.create_task(ask("alone"), context=as_asker("ann", "5.6.7.8"))
        before = len(done)
        await asyncio.gather(*crowd)
        return before

    assert with_workers(work) <= 4  # the one at work, perhaps one whose turn it was, and the one who is alone


def test_a_full_queue_sends_away_whoever_fills_it():
    async def work(workers):
        long = asyncio.create_task(workers.run("ping", {"steps": 1, "seconds": 0.3}))
        await asyncio.sleep(0.05)
        crowd = [
            asyncio.create_task(workers.run("ping", {"say": at}), context=as_asker("bob", "1.2.3.4")) for at in range(3)
        ]
        await asyncio.sleep(0)
        alone = asyncio.create_task(workers.run("ping", {"say": "ann"}), context=as_asker("ann", "5.6.7.8"))
        told = await asyncio.gather(alone, *crowd, long, return_exceptions=True)
        assert told[:3] == ["ann", 0, 1]
        assert isinstance(told[3], Busy)
        assert workers.refused == 1

    with_workers(work, waiting=3)


def test_the_time_that_a_job_waits_counts():
    async def work(workers):
        long = asyncio.create_task(workers.run("ping", {"steps": 1, "seconds": 0.6, "say": "long"}))
        await asyncio.sleep(0.05)
        before = process_id(workers)
        with pytest.raises(Busy, match="has waited for"):
            await workers.run("ping", {"say": 1}, seconds=0.1)
        assert await long == "long"
        assert process_id(workers) == before  # nobody's work was ended for it
        assert workers.queued == 0

    with_workers(work)


def test_a_process_that_has_grown_is_replaced_after_its_job():
    async def work(workers):
        await workers.run("ping", {"say": 1})
        before = process_id(workers)
        workers.memory = 1
        assert await workers.run("ping", {"say": 2}) == 2
        workers.memory = 1 << 40
        assert await workers.run("ping", {"say": 3}) == 3
        assert process_id(workers) != before
        assert workers.ended == 1

    with_workers(work)


def test_the_server_is_the_last_to_be_ended_for_memory():
    async def work(workers):
        await workers.run("ping", {})
        with open(f"/proc/{process_id(workers)}/oom_score_adj") as file:
            return int(file.read())

    assert with_workers(work) == 1000


def test_closing_ends_jobs_at_work_and_starts_no_more():
    async def work(workers):
        task = asyncio.create_task(workers.run("ping", {"steps": 1, "seconds": 60}))
        await asyncio.sleep(0.1)
        before = process_id(workers)
        await workers.close()
        with pytest.raises(Failed):
            await task
        assert not alive(before)
        with pytest.raises(Failed, match="the server ends"):
            await workers.run("ping", {})

    with_workers(work)


def test_helpers_give_way_to_the_table():
    async def work(workers):
        await workers.run("ping", {})
        return os.getpriority(os.PRIO_PROCESS, process_id(workers))

    assert with_workers(work, nice=7) == os.getpriority(os.PRIO_PROCESS, 0) + 7


def test_a_worker_ends_with_whoever_started_it(tmp_path):
    code = (
        "import asyncio, sys\n"
        "from ludus.server.work.workers import Workers\n"
        "async def main():\n"
        "    workers = Workers(2)\n"
        "    await workers.start()\n"
        "    await workers.run('ping', {})\n"
        "    print(*[worker.process.pid for worker in workers._all], flush=True)\n"
        "    await workers.run('ping', {'steps': 1, 'seconds': 100}, 100)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        ids = [int(word) for word in parent.stdout.readline().split()]
        assert len(ids) == 2
        assert all(alive(one) for one in ids)
        parent.kill()
    for _ in range(100):
        if not any(alive(one) for one in ids):
            return
        time.sleep(0.1)
    raise AssertionError("workers outlive their server")
