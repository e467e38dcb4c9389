"""Worker processes for what takes long: a few of them, a short queue, a time limit, and an end when nobody waits."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

log = logging.getLogger(__name__)
LARGEST_LINE = 1 << 20
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}  # processes share the cores, and threads of NumPy would wait in turn

Progress = Callable[[dict[str, Any]], None]


class Busy(Exception):
    """More jobs are already waiting than may."""


class Refused(ValueError):
    """A job says why it cannot be done."""


class Failed(Exception):
    """A job has broken down: a defect, or a process that died."""


class Workers:
    """Processes that do one job after another, each one job at a time."""

    def __init__(self, processes: int, waiting: int = 64, nice: int = 0) -> None:
        self.processes, self.waiting = processes, waiting
        self._all = [_Worker(nice) for _ in range(processes)]
        self._idle: asyncio.LifoQueue[_Worker] = asyncio.LifoQueue()  # the last one used has the most in its caches
        for worker in self._all:
            self._idle.put_nowait(worker)
        self._background = asyncio.Semaphore(max(1, processes - 1))
        self._queued = 0

    async def start(self) -> None:
        """Start the processes now; otherwise each is started by its first job."""
        for worker in self._all:
            await worker.start()

    async def close(self) -> None:
        """End the processes, whatever they are doing."""
        await asyncio.gather(*(worker.stop() for worker in self._all))

    async def run(
        self,
        job: str,
        arguments: dict[str, Any],
        seconds: float = 60.0,
        progress: Progress | None = None,
        background: bool = False,
    ) -> Any:
        """The result of a job. Cancelling the caller, or running out of time, ends the process that works on it.

        Jobs in the background, which nobody is waiting for, leave one process for the others if there are several.
        Raises Busy, Refused, Failed or TimeoutError.
        """
        return json.loads(await self.run_raw(job, arguments, seconds, progress, background))

    async def run_raw(
        self,
        job: str,
        arguments: dict[str, Any],
        seconds: float = 60.0,
        progress: Progress | None = None,
        background: bool = False,
    ) -> bytes:
        """The same as bytes of JSON, for answers that are only passed on."""
        async with self._worker(background) as worker:
            try:
                async with asyncio.timeout(seconds):
                    return await worker.do(job, arguments, progress)
            except Refused:
                raise
            except Failed as error:
                if not worker.closed:
                    log.error("%s", error)
                raise
            except BaseException:
                worker.kill()
                raise

    @asynccontextmanager
    async def _worker(self, background: bool) -> AsyncIterator[_Worker]:
        """A process for one job, when it is our turn."""
        if self._queued >= self.waiting:
            raise Busy
        self._queued += 1
        waits, turn = True, self._background if background else None
        try:
            if turn is not None:
                await turn.acquire()
            try:
                worker = await self._idle.get()
                self._queued, waits = self._queued - 1, False
                try:
                    yield worker
                finally:
                    self._idle.put_nowait(worker)
            finally:
                if turn is not None:
                    turn.release()
        finally:
            self._queued -= waits


class _Worker:
    """One process, started again when it has ended."""

    def __init__(self, nice: int) -> None:
        self.nice = nice
        self.process: Process | None = None
        self.ending: list[Process] = []  # killed, but perhaps not gone yet
        self.closed = False

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
        if process is not None and process.returncode is None:
            process.kill()
            self.ending = [*(each for each in self.ending if each.returncode is None), process]

    async def stop(self) -> None:
        """End the process for good."""
        self.closed = True
        self.kill()
        await asyncio.gather(*(process.wait() for process in self.ending))
