"""Where tasks run: this thread, threads, processes, or a Ray cluster. Results come in the order of the tasks.

A task is a pure function of its arguments, so results depend neither on the engine nor on the number of its workers nor
on the order in which they end. No engine hands out more than a few tasks for each worker ahead of the result that is
waited for, so that neither memory nor a cluster's object store is flooded; tasks are taken from an iterable only when
they are handed out, which lets a caller cut them as it learns how long they take.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

from ludus.parallel.blocks import ahead
from ludus.parallel.work import Prepared, Task, Tell, Work

AHEAD = 3  # tasks for each worker that are handed out at a time


class Engine:
    """Runs tasks; this one in this thread, one after the other. A context: leaving it gives back what it holds."""

    name = "here"
    same_machine = True  # whether tasks see this machine's files and programs

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers

    @property
    def workers(self) -> int:
        """How many tasks run at once; it may change on a cluster."""
        return self._workers

    def run(self, work: Work, tasks: Iterable[Task], tell: Tell | None = None) -> Generator[Any, None, None]:
        """What the tasks return, in their order. Close it (`contextlib.closing`) to end early.

        ``tell`` is called, in any thread, with what tasks of a work that ``tells`` say while they run.
        """
        own = work.prepared(tell)
        try:
            for task in tasks:
                yield own.call(*task)
        finally:
            own.close()

    def figures(self) -> dict[str, Any]:
        """What `--json` says of it."""
        return {"engine": self.name, "workers": self.workers}

    def told(self) -> str:
        """What a progress bar says of it; nothing where there is nothing to see."""
        return ""

    def close(self) -> None:
        """Give back what it holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


HERE = Engine()


class Threads(Engine):
    """Threads of this process: for tasks that wait together for one device."""

    name = "threads"

    def run(self, work: Work, tasks: Iterable[Task], tell: Tell | None = None) -> Generator[Any, None, None]:
        """As `Engine.run`; each thread prepares its own."""
        local, made = threading.local(), list[Prepared]()

        def call(task: Task) -> Any:
            if not hasattr(local, "own"):
                local.own = work.prepared(tell)
                made.append(local.own)
            return local.own.call(*task)

        pool = ThreadPoolExecutor(self.workers)
        try:
            yield from ahead(lambda task: pool.submit(call, task), tasks, AHEAD * self.workers)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for own in made:
                own.close()


def open_engine(workers: int = 1, tables: int = 0, ray: str | None = None, here: Engine | None = None) -> Engine:
    """The engine that options ask for: a Ray cluster for its address, threads for ``tables``, else processes.

    ``here`` is the engine without a cluster where that is known.
    """
    from ludus.parallel.processes import Processes

    if workers < 1:
        raise ValueError(f"there is at least one worker, got {workers}")
    if ray is not None:
        if tables:
            raise ValueError("--tables are threads of this process and --ray is a cluster: give one of them")
        from ludus.parallel.cluster import RayCluster

        return RayCluster(ray)
    if here is not None:
        return here
    if tables:
        return Threads(tables)
    return Processes(workers) if workers > 1 else HERE
