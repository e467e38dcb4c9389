"""Spot solving that goes on after the browser has gone: one run per spot, reported to everyone who listens."""

from __future__ import annotations

import asyncio
import logging
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from fastapi import HTTPException
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from ludus.server.database import AWAY
from ludus.server.learning.solve_queue import BROKE, STALE, UNFINISHED, SolveQueue
from ludus.server.limits import AtOnce
from ludus.server.models import Person, SpotRow, new_key
from ludus.server.private_files import private_file, private_folder
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
POLL = 1.0  # seconds between two looks at what other servers do
SAID = 5.0  # seconds between two times that a server says it is still solving
LEFT_OVER = 3600.0  # seconds after which a half-written file is nobody's


@dataclass(eq=False)
class Run:
    """A solve that goes on, with all that it has reported so far."""

    past: list[dict[str, Any]] = field(default_factory=list)
    estimate: dict[str, Any] | None = None  # how wrong the one may be that can be looked at
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False
    task: asyncio.Task[None] | None = None  # that solves it, here
    following: asyncio.Task[None] | None = None  # that looks how far another server is
    estimating: asyncio.Task[None] | None = None
    address: str | None = None  # from which it was asked for

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
        self.queue = SolveQueue(service.database)
        self.runs: dict[str, Run] = {}
        self.room = Room(max(1, service.settings.helpers // 2), service.settings.memory)
        self.most_memory = min(MOST_MEMORY, service.settings.memory)  # of one solve
        self.of_addresses = AtOnce(MOST_OF_ADDRESS)
        self.workers: Workers | None = None
        self._solving: set[str] = set()
        self._some = asyncio.Event()
        self._taking: asyncio.Task[None] | None = None

    @cached_property
    def folder(self) -> Path:
        """Where solutions are kept."""
        folder = self.service.settings.folder / "solutions"
        private_folder(folder, ours=True)
        for file in folder.glob("*.solution"):
            private_file(file)
        return folder

    async def start(self) -> None:
        """Clean up what an earlier server left behind, and begin to work off what waits."""
        await asyncio.to_thread(self._recover)
        if self._taking is None:
            self._taking = asyncio.create_task(self._take_all(), name="solves")
        self._some.set()

    def _recover(self) -> None:
        self.queue.recover()
        old = time.time() - (LEFT_OVER if self.queue.shared else -LEFT_OVER)  # others may just be writing theirs
        for half in self.folder.glob(".ludus-*.tmp"):
            with suppress(FileNotFoundError):
                if half.stat().st_mtime < old:
                    half.unlink()

    async def close(self) -> None:
        """End all runs; what is not solved waits for the next server."""
        runs = self.runs.values()
        of_runs = [task for run in runs for task in (run.task, run.following, run.estimating)]
        tasks = [task for task in (self._taking, *of_runs) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(*AWAY):
            await asyncio.to_thread(self.queue.give_back)
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
            unfinished = select(func.count()).select_from(SpotRow).where(SpotRow.status.in_(UNFINISHED))
            running, of_all = session.scalar(unfinished.where(mine)) or 0, session.scalar(unfinished) or 0
        if running >= MOST_AT_ONCE:
            raise HTTPException(429, f"{running} of your spots are not solved yet: wait for one, or cancel it")
        if count >= MOST_SPOTS or size >= MOST_BYTES:
            raise HTTPException(
                409,
                f"you keep {count} spots with {size / 1e6:.0f} MB, the most are {MOST_SPOTS} with "
                f"{MOST_BYTES / 1e6:.0f} MB: delete some first",
            )
        if self.of_addresses.full(ASKER.get().address):
            raise HTTPException(429, f"{MOST_OF_ADDRESS} spots from your address are not solved yet: wait for one")
        if of_all >= MOST_WAITING:
            raise HTTPException(429, "too many spots are being solved: try again in a minute", {"Retry-After": "60"})
        if shutil.disk_usage(self.folder).free < LEAST_FREE:
            raise HTTPException(409, "the server has no room left for solutions")

    def begin(self, row: SpotRow) -> None:
        """Have a spot solved whose row says 'waiting', by whichever server is next. Called in the event loop."""
        run = self.watch(row.id)
        run.address = ASKER.get().address
        self.of_addresses.begin(run.address)
        if row.summary.get("fast"):
            run.estimating = asyncio.create_task(self._estimate(row.id, dict(row.spot), run))
        self._some.set()

    def watch(self, key: str) -> Run:
        """The run of a spot that is not solved yet, wherever that goes on."""
        run = self.runs.get(key)
        if run is None:
            run = self.runs[key] = Run()
            run.following = asyncio.create_task(self._follow(key, run))
        return run

    async def _follow(self, key: str, run: Run) -> None:
        """Tell what another server writes down about a spot, until it has ended or is being solved here."""
        while key not in self._solving:
            with suppress(*AWAY):
                row = await asyncio.to_thread(self._row, key)
                if key in self._solving:
                    return
                for step in row.progress[len(run.past) :] if row is not None else ():
                    run.tell(step)
                if row is None or row.status not in UNFINISHED:
                    self._over(key, run)
                    return
            await asyncio.sleep(POLL)

    def _row(self, key: str) -> SpotRow | None:
        with self.service.database.session() as session:
            return session.get(SpotRow, key)

    async def _take_all(self) -> None:
        """Solve what waits, as long as there is room."""
        recovered = time.monotonic()
        while True:
            try:
                if self.queue.shared and time.monotonic() - recovered > STALE.total_seconds():
                    recovered = time.monotonic()
                    await asyncio.to_thread(self.queue.recover)
                while len(self._solving) < self.room.places and (row := await asyncio.to_thread(self.queue.take)):
                    run = self.runs.setdefault(row.id, Run())
                    self._solving.add(row.id)
                    run.task = asyncio.create_task(self._solve(row.id, dict(row.spot), dict(row.summary), run))
                    run.task.add_done_callback(partial(self._free, row.id))
            except AWAY as error:
                log.warning("no spot can be taken: %s", error)
            self._some.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL if self.queue.shared else STALE.total_seconds()):
                    await self._some.wait()

    def _free(self, key: str, _: object) -> None:
        self._solving.discard(key)
        self._some.set()

    async def _say(self, key: str, run: Run) -> None:
        """Say every few seconds that a spot is being solved here; end it when it is no longer ours."""
        while True:
            await asyncio.sleep(SAID)
            with suppress(*AWAY):
                if not await asyncio.to_thread(self.queue.say, key, measured(run)) and run.task is not None:
                    run.task.cancel()

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
        name, saying = f"{key}.solution", asyncio.create_task(self._say(key, run))
        try:
            end = await self._solved(key, name, spot, asked, run)
        except asyncio.CancelledError:
            self._remove(name)
            self._over(key, run)
            raise
        finally:
            saying.cancel()
        await self._end(key, run, **end)

    async def _solved(
        self, key: str, name: str, spot: dict[str, Any], asked: dict[str, Any], run: Run
    ) -> dict[str, Any]:
        """Solve a spot into a file, and say how that ended."""
        job = {
            "spot": spot, "target": asked["target"], "seconds": asked["seconds"], "file": str(self.folder / name),
            "most": asked.get("memory", self.most_memory), "ray": self.service.settings.ray,
        }  # fmt: skip
        try:
            async with self.room.place(job["most"]):
                if self.workers is None:
                    self.workers = Workers(max(1, self.service.settings.helpers // 2), MOST_WAITING, nice=10)
                    await self.workers.start()
                found = await self.workers.run("solve", job, job["seconds"] + EXTRA_SECONDS, run.tell)
            summary = {**asked, "found": found["summary"]}
            return {"status": "solved", "summary": summary, "file": name, "size": found["size"]}
        except (Refused, ValueError) as error:
            why = str(error)
        except TimeoutError:
            why = "solving took too long and was stopped: use fewer bet sizes"
        except Failed as error:
            log.error("solving spot %s: %s", key, error)
            why = BROKE
        except Exception:
            log.exception("solving spot %s", key)
            why = "solving broke down, which is a defect of ours"
        return {"status": "failed", "error": why}

    async def _end(self, key: str, run: Run, **values: Any) -> None:
        """Write down how a spot ended, as soon as the database takes it."""
        try:
            while True:
                try:
                    if values["status"] == "solved":
                        await asyncio.to_thread(self.queue.keep, key, self.folder / values["file"])
                    await asyncio.to_thread(self.queue.end, key, progress=measured(run), **values)
                    break
                except IntegrityError:  # the spot has been deleted
                    break
                except AWAY as error:  # what was found is not thrown away
                    log.warning("spot %s cannot be written down yet: %s", key, error)
                    await asyncio.sleep(AGAIN)
        finally:
            self._over(key, run)

    def _over(self, key: str, run: Run) -> None:
        """Tell those who listen that a spot has ended."""
        if run.over:
            return
        if self.runs.get(key) is run:
            del self.runs[key]
        if run.address is not None:
            self.of_addresses.end(run.address)
        run.over = True
        self._remove(self.estimate_file(key).name)
        run.tell()

    async def cancel(self, key: str) -> bool:
        """End a run without a result, here or elsewhere; whether there was one."""
        if not await asyncio.to_thread(self.queue.cancel, key):
            return False
        run = self.runs.get(key)
        if run is not None and run.task is not None:
            run.task.cancel()
            await asyncio.wait([run.task])
        if run is not None:
            self._over(key, run)
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


def measured(run: Run) -> list[dict[str, Any]]:
    """The steps of a run that say how exploitable it was: those that are kept."""
    return [step for step in run.past if step["percent"] is not None]


def new_row(person: Person, name: str, spot: dict[str, Any], asked: dict[str, Any]) -> SpotRow:
    """A spot that waits to be solved; what was asked for is kept with what is found."""
    return SpotRow(id=new_key(), person_id=person.id, name=name, spot=spot, status="waiting", summary=asked)
