"""Worker processes for what takes long: a few of them, a fair queue, a time limit, and an end when nobody waits."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludus.server.work.fair_queue import ASKER, FairQueue

log = logging.getLogger(__name__)
LARGEST_LINE = 1 << 20
MOST_MEMORY = 2 << 30  # bytes: a process that has grown beyond them is replaced after its job
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # processes share the cores, and threads of NumPy would wait in turn

Progress = Callable[[dict[str, Any]], None]


class Busy(Exception):
    """More jobs are already waiting than may, or the time was over before one's turn came."""


class Refused(ValueError):
    """A job says why it cannot be done."""


class Failed(Exception):
    """A job has broken down: a defect, or a process that died."""


class Workers:
    """Processes that do one job after another, each one job at a time; who asks for them takes turns with others."""

    def __init__(self, processes: int, waiting: int = 64, nice: int = 0, memory: int = MOST_MEMORY) -> None:
        self.processes, self.memory = processes, memory
        self.finished, self.refused, self.ended = 0, 0, 0  # jobs done, jobs without a place, processes replaced
        self._all = [_Worker(nice) for _ in range(processes)]
        self._idle = self._all[::-1]  # the last one used is the next: it has the most in its caches
        self._waiting = FairQueue[asyncio.Future[_Worker]](waiting)
        self._closed = False

    @property
    def queued(self) -> int:
        """Jobs that wait for a process."""
        return len(self._waiting)

    @property
    def busy(self) -> int:
        """Processes that are at work."""
        return self.processes - len(self._idle)

    async def start(self) -> None:
        """Start the processes now; otherwise each is started by its first job."""
        for worker in self._all:
            await worker.start()

    async def close(self) -> None:
        """End the processes, whatever they are doing."""
        self._closed = True
        while self._waiting:
            if not (turn := self._waiting.take()).done():
                turn.set_exception(Failed("the server ends"))
        await asyncio.gather(*(worker.stop() for worker in self._all))

    async def run(
        self, job: str, arguments: dict[str, Any], seconds: float = 60.0, progress: Progress | None = None
    ) -> Any:
        """The result of a job. Cancelling the caller, or running out of time, ends the process that works on it.

        The seconds count from now, with the time that it waits. Raises Busy when there is no place to wait or the time
        is over before it is its turn, otherwise Refused, Failed or TimeoutError.
        """
        return json.loads(await self.run_raw(job, arguments, seconds, progress))

    async def run_raw(
        self, job: str, arguments: dict[str, Any], seconds: float = 60.0, progress: Progress | None = None
    ) -> bytes:
        """The same as bytes of JSON, for answers that are only passed on."""
        begun = False
        try:
            async with asyncio.timeout(seconds):
                worker = await self._turn()
                begun = True
                try:
                    return await self._work(worker, job, arguments, progress)
                finally:
                    self._free(worker)
        except TimeoutError:
            if begun:
                raise
            self.refused += 1
            raise Busy(f"{job} has waited for {seconds:g} seconds") from None

    async def _work(self, worker: _Worker, job: str, arguments: dict[str, Any], progress: Progress | None) -> bytes:
        try:
            done = await worker.do(job, arguments, progress)
            self.finished += 1
            return done
        except Refused:
            raise
        except Failed as error:
            if not worker.closed:
                log.error("%s", error)
            raise
        except BaseException:
            worker.kill()
            raise

    async def _turn(self) -> _Worker:
        """A process for one job, when it is our turn."""
        if self._closed:
            raise Failed("the server ends")
        if self._idle:
            return self._idle.pop()
        turn: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        asker = ASKER.get()
        lost = self._waiting.put(turn, asker)
        if lost is not None:
            self.refused += 1
            if not lost.done():
                lost.set_exception(Busy("others wait for less than this"))
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:  # it came at the same moment
                self._free(turn.result())
            else:
                self._waiting.remove(turn, asker)
            raise

    def _free(self, worker: _Worker) -> None:
        """A process has done its job: the next one is whose turn it is."""
        if worker.memory() > self.memory:
            log.info("a process with %d MB is replaced", worker.memory() >> 20)
            worker.kill()
        self.ended = sum(each.ended for each in self._all)
        while self._waiting:
            if not (turn := self._waiting.take()).done():
                turn.set_result(worker)
                return
        self._idle.append(worker)


class _Worker:
    """One process, started again when it has ended."""

    def __init__(self, nice: int) -> None:
        self.nice = nice
        self.process: Process | None = None
        self.ending: list[Process] = []  # killed, but perhaps not gone yet
        self.ended = 0  # processes before this one
        self.closed = False

    def memory(self) -> int:
        """Bytes that the process holds by itself; 0 where that is not known."""
        if self.process is None:
            return 0
        try:
            _, resident, shared, *_ = Path(f"/proc/{self.process.pid}/statm").read_text().split()
        except OSError:
            return 0
        return (int(resident) - int(shared)) * PAGE

    async def start(self) -> Process:
        if self.closed:
            raise Failed("the server ends")
        if self.process is None or self.process.returncode is not None:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "ludus.server.work.worker", str(self.nice), stdin=PIPE, stdout=PIPE,
                limit=LARGEST_LINE, start_new_session=True, env=ONE_THREAD | os.environ,
            )  # fmt: skip
            if self.closed:  # in the meantime
                self.kill()
                raise Failed("the server ends")
        return self.process

    async def do(self, job: str, arguments: dict[str, Any], progress: Progress | None) -> bytes:
        line = json.dumps({"job": job, "arguments": arguments}).encode() + b"\n"
        process = await self.start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line)
            await process.stdin.drain()
            while True:
                head = json.loads(await process.stdout.readuntil())
                data = await process.stdout.readexactly(head["size"])
                match head["kind"]:
                    case "progress":
                        if progress is not None:
                            progress(json.loads(data))
                    case "done":
                        return data
                    case "refused":
                        raise Refused(json.loads(data))
                    case _:
                        raise Failed(f"{job} failed: {json.loads(data)}")
        except (OSError, asyncio.IncompleteReadError) as error:
            self.kill()
            raise Failed(f"the process that worked on {job} has ended") from error

    def kill(self) -> None:
        """End the process; the next job starts another."""
        process, self.process = self.process, None
        if process is not None:
            self.ended += 1
        if process is not None and process.returncode is None:
            process.kill()
            self.ending = [*(each for each in self.ending if each.returncode is None), process]

    async def stop(self) -> None:
        """End the process for good."""
        self.closed = True
        self.kill()
        await asyncio.gather(*(process.wait() for process in self.ending))
