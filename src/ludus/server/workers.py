"""Worker processes for what takes long: a few of them, a short queue, a time limit, and an end when nobody waits."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from typing import Any

log = logging.getLogger(__name__)
LARGEST_LINE = 1 << 20


class Busy(Exception):
    """There is more to do already than can wait."""


class Refused(ValueError):
    """A job says why it cannot be done."""


class Failed(Exception):
    """A job has broken down: a defect, or a process that died."""


class Workers:
    """Processes that do one job after another, each one job at a time."""

    def __init__(self, processes: int, waiting: int = 64) -> None:
        self.processes, self.waiting = processes, waiting
        self._idle: asyncio.LifoQueue[_Worker] = asyncio.LifoQueue()
        self._all: list[_Worker] = []
        self._queued = 0

    async def start(self) -> None:
        """Start the processes."""
        for _ in range(self.processes):
            worker = _Worker()
            await worker.start()
            self._all.append(worker)
            self._idle.put_nowait(worker)

    async def close(self) -> None:
        """End the processes, whatever they do."""
        await asyncio.gather(*(worker.stop() for worker in self._all))

    async def run(
        self,
        job: str,
        arguments: dict[str, Any],
        seconds: float = 60.0,
        progress: Callable[[dict[str, Any]], None] | None = None,
    ) -> Any:
        """The result of a job. Cancelling the caller, or running out of time, ends the process that works on it.

        Raises Busy, Refused, Failed or TimeoutError.
        """
        return json.loads(await self.run_raw(job, arguments, seconds, progress))

    async def run_raw(
        self,
        job: str,
        arguments: dict[str, Any],
        seconds: float = 60.0,
        progress: Callable[[dict[str, Any]], None] | None = None,
    ) -> bytes:
        """The same as bytes of JSON, for answers that are only passed on."""
        if self._queued >= self.waiting:
            raise Busy
        self._queued += 1
        try:
            worker = await self._idle.get()
        finally:
            self._queued -= 1
        try:
            async with asyncio.timeout(seconds):
                return await worker.do(job, arguments, progress)
        except (Refused, Failed):
            raise
        except BaseException:
            worker.kill()
            raise
        finally:
            self._idle.put_nowait(worker)


class _Worker:
    """One process, started again when it has ended."""

    process: Process | None = None

    async def start(self) -> Process:
        if self.process is None or self.process.returncode is not None:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "ludus.server.worker", stdin=PIPE, stdout=PIPE, limit=LARGEST_LINE,
                start_new_session=True,
            )  # fmt: skip
        return self.process

    async def do(self, job: str, arguments: dict[str, Any], progress: Callable[[dict[str, Any]], None] | None) -> bytes:
        process = await self.start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"job": job, "arguments": arguments}).encode() + b"\n")
            await process.stdin.drain()
            while True:
                head = json.loads(await process.stdout.readline() or b"null")
                if head is None:
                    raise Failed(f"the process that worked on {job} has ended")
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
                        log.error("%s failed: %s", job, json.loads(data))
                        raise Failed(f"{job} failed")
        except (OSError, asyncio.IncompleteReadError) as error:
            self.kill()
            raise Failed(f"the process that worked on {job} has ended") from error

    def kill(self) -> None:
        """End the process; the next job starts another."""
        process, self.process = self.process, None
        if process is not None and process.returncode is None:
            process.kill()

    async def stop(self) -> None:
        process = self.process
        self.kill()
        if process is not None:
            await process.wait()
