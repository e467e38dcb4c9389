"""Spot solving that goes on after the browser has gone: one run per spot, reported to everyone who listens."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from fastapi import HTTPException
from sqlalchemy import func, select, update

from ludus.server.database import AWAY
from ludus.server.limits import AtOnce
from ludus.server.models import Person, SpotRow, new_key
from ludus.server.service import Service
from ludus.server.work.fair_queue import ASKER
from ludus.server.work.room import Room
from ludus.server.work.workers import Busy, Failed, Refused, Workers

log = logging.getLogger(__name__)
MOST_MEMORY = 2_000_000_000  # bytes that one solve may take
MOST_SPOTS, MOST_BYTES = 100, 1_000_000_000  # that a person keeps
MOST_AT_ONCE, MOST_OF_ADDRESS, MOST_WAITING = 3, 8, 24  # runs of a person, an address and all that have not ended
LEAST_FREE = 2_000_000_000  # bytes that stay free where solutions are kept
ESTIMATE_SECONDS = 120.0  # where compiling comes first; otherwise one or two
EXTRA_SECONDS = 180.0  # beyond the time for solving: compiling, reading and saving
AGAIN = 2.0  # seconds until another try when the database is away
UNFINISHED = ("waiting", "solving")
LOST = "the server was stopped before this was solved: start it again"


@dataclass(eq=False)
class Run:
    """A solve that goes on, with all that it has reported so far."""

    past: list[dict[str, Any]] = field(default_factory=list)
    estimate: dict[str, Any] | None = None  # how wrong the one may be that can be looked at
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False
    task: asyncio.Task[None] | None = None
    estimating: asyncio.Task[None] | None = None

    def tell(self, step: dict[str, Any] | None = None) -> None:
        """Add a step, or just wake the listeners."""
        if step is not None:
            self.past.append(step)
        self.changed.set()
        self.changed = asyncio.Event()

    async def messages(self) -> AsyncIterator[dict[str, Any]]:
        """All steps, those of the past first, and the estimate once it is there, until it is over."""
        told, estimated = 0, False
        while True:
            changed = self.changed
            if self.estimate is not None and not estimated:
                estimated = True
                yield {"type": "estimate", "estimate": self.estimate}
            for step in self.past[told:]:
                told += 1
                yield {"type": "progress", **step}
            if changed is self.changed:
                if self.over:
                    return
                await changed.wait()


class SpotSolves:
    """The solves of a server. They have processes of their own, so that advice never waits for them."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.runs: dict[str, Run] = {}
        self.room = Room(max(1, service.settings.helpers // 2), service.settings.memory)
        self.most_memory = min(MOST_MEMORY, service.settings.memory)  # of one solve
        self.of_addresses = AtOnce(MOST_OF_ADDRESS)
        self.workers: Workers | None = None

    @cached_property
    def folder(self) -> Path:
        """Where solutions are kept."""
        folder = self.service.settings.folder / "solutions"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    async def start(self) -> None:
        """Clean up what an earlier server left unfinished."""
        await asyncio.to_thread(self._recover)

    def _recover(self) -> None:
        unfinished = SpotRow.status.in_(UNFINISHED)
        with self.service.database.session() as session:
            lost = session.scalars(select(SpotRow.id).where(unfinished)).all()
            session.execute(update(SpotRow).where(unfinished).values(status="failed", error=LOST))
        for key in lost:  # other files there may belong to another database
            self._remove(f"{key}.solution", f"{key}.estimate")
        for half in self.folder.glob(".ludus-*.tmp"):
            half.unlink(missing_ok=True)

    async def close(self) -> None:
        """End all runs; the next server says that they were lost."""
        tasks = [task for run in self.runs.values() for task in (run.task, run.estimating) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.workers is not None:
            await self.workers.close()

    # Runs

    def check_room(self, person: Person) -> None:
        """HTTPException unless a person may solve one more spot now. It reads the database: call it in a thread."""
        with self.service.database.session() as session:
            mine = SpotRow.person_id == person.id
            count, size = session.execute(
                select(func.count(), func.coalesce(func.sum(SpotRow.size), 0)).select_from(SpotRow).where(mine)
            ).one()
            running = session.scalar(
                select(func.count()).select_from(SpotRow).where(mine, SpotRow.status.in_(UNFINISHED))
            )
        if running is not None and running >= MOST_AT_ONCE:
            raise HTTPException(429, f"{running} of your spots are not solved yet: wait for one, or cancel it")
        if count >= MOST_SPOTS or size >= MOST_BYTES:
            raise HTTPException(
                409,
                f"you keep {count} spots with {size / 1e6:.0f} MB, the most are {MOST_SPOTS} with "
                f"{MOST_BYTES / 1e6:.0f} MB: delete some first",
            )
        if self.of_addresses.full(ASKER.get().address):
            raise HTTPException(429, f"{MOST_OF_ADDRESS} spots from your address are not solved yet: wait for one")
        if len(self.runs) >= MOST_WAITING:
            raise HTTPException(429, "too many spots are being solved: try again in a minute", {"Retry-After": "60"})
        if shutil.disk_usage(self.folder).free < LEAST_FREE:
            raise HTTPException(409, "the server has no room left for solutions")

    def begin(self, row: SpotRow) -> None:
        """Solve a spot whose row says 'waiting'. Called in the event loop."""
        run, address = Run(), ASKER.get().address
        self.runs[row.id] = run
        self.of_addresses.begin(address)
        run.task = asyncio.create_task(self._solve(row.id, dict(row.spot), dict(row.summary), run))
        run.task.add_done_callback(lambda _: self.of_addresses.end(address))
        if row.summary.get("fast"):
            run.estimating = asyncio.create_task(self._estimate(row.id, dict(row.spot), run))

    async def _estimate(self, key: str, spot: dict[str, Any], run: Run) -> None:
        """Have something to look at until the spot is solved; where that fails, people wait as they did before."""
        file = self.estimate_file(key)
        try:
            job = {"spot": spot, "file": str(file)}
            found = await self.service.background.run("estimate", job, ESTIMATE_SECONDS)
        except (Busy, Failed, Refused, TimeoutError) as error:
            log.warning("estimating spot %s: %s", key, error)
            return
        if run.over:  # in the meantime
            self._remove(file.name)
            return
        run.estimate = found
        run.tell()

    def estimate_file(self, key: str) -> Path:
        """Where the estimate of a spot is kept while it is solved."""
        return self.folder / f"{key}.estimate"

    async def _solve(self, key: str, spot: dict[str, Any], asked: dict[str, Any], run: Run) -> None:
        """Wait for a process, solve, and write down how it ended; nothing is written when it is cancelled."""
        name = f"{key}.solution"
        job = {
            "spot": spot, "target": asked["target"], "seconds": asked["seconds"], "file": str(self.folder / name),
            "most": asked.get("memory", self.most_memory),
        }  # fmt: skip
        try:
            async with self.room.place(job["most"]):
                await asyncio.to_thread(self._note, key, status="solving")
                if self.workers is None:
                    self.workers = Workers(max(1, self.service.settings.helpers // 2), MOST_WAITING, nice=10)
                    await self.workers.start()
                found = await self.workers.run("solve", job, job["seconds"] + EXTRA_SECONDS, run.tell)
            end = {
                "status": "solved",
                "summary": {**asked, "found": found["summary"]},
                "file": name,
                "size": found["size"],
            }
        except (Refused, ValueError) as error:
            end = {"status": "failed", "error": str(error)}
        except TimeoutError:
            end = {"status": "failed", "error": "solving took too long and was stopped: use fewer bet sizes"}
        except Failed as error:
            log.error("solving spot %s: %s", key, error)
            end = {
                "status": "failed",
                "error": "solving broke down; it may have taken too much memory: try fewer sizes",
            }
        except Exception:
            log.exception("solving spot %s", key)
            end = {"status": "failed", "error": "solving broke down, which is a defect of ours"}
        await self._end(key, run, **end)

    async def _end(self, key: str, run: Run, **values: Any) -> None:
        try:
            measured = [step for step in run.past if step["percent"] is not None]
            while True:
                try:
                    await asyncio.to_thread(self._note, key, progress=measured, **values)
                    break
                except AWAY as error:  # what was found is not thrown away
                    log.warning("spot %s cannot be written down yet: %s", key, error)
                    await asyncio.sleep(AGAIN)
        finally:
            self.runs.pop(key, None)
            run.over = True
            self._remove(self.estimate_file(key).name)
            run.tell()

    def _note(self, key: str, **values: Any) -> None:
        with self.service.database.session() as session:
            session.execute(update(SpotRow).where(SpotRow.id == key).values(**values))

    async def cancel(self, key: str) -> bool:
        """End a run without a result; whether there was one."""
        run = self.runs.get(key)
        if run is None or run.task is None:
            return False
        run.task.cancel()
        await asyncio.wait([run.task])
        if run.over:  # it has just ended by itself
            return False
        self._remove(f"{key}.solution")
        await self._end(key, run, status="cancelled")
        return True

    def _remove(self, *names: str) -> None:
        for name in names:
            (self.folder / name).unlink(missing_ok=True)

    async def delete(self, row: SpotRow) -> None:
        """Forget a spot and its solution."""
        await self.cancel(row.id)

        def forget() -> None:
            with self.service.database.session() as session:
                found = session.get(SpotRow, row.id)
                if found is not None:
                    session.delete(found)
            self._remove(f"{row.id}.solution")

        await asyncio.to_thread(forget)


def new_row(person: Person, name: str, spot: dict[str, Any], asked: dict[str, Any]) -> SpotRow:
    """A spot that waits to be solved; what was asked for is kept with what is found."""
    return SpotRow(id=new_key(), person_id=person.id, name=name, spot=spot, status="waiting", summary=asked)
