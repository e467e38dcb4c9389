"""Tasks in processes of this machine, which end with this one."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from typing import Any

from ludus.parallel.blocks import ahead
from ludus.parallel.engines import AHEAD, Engine
from ludus.parallel.work import Prepared, Task, Tell, Work

log = logging.getLogger(__name__)
DEAD_WORKER = "a worker has died; the same command goes on from what is written"


class Processes(Engine):
    """Worker processes, started for each `run`. Ctrl-C is this process's business: it tells them."""

    name = "processes"

    def run(self, work: Work, tasks: Iterable[Task], tell: Tell | None = None) -> Generator[Any, None, None]:
        """As `Engine.run`; OSError when a worker dies."""
        try:
            with _pool(self.workers, work, tell) as pool:
                yield from ahead(partial(_submit, pool), tasks, AHEAD * self.workers)
        except BrokenProcessPool:
            raise OSError(DEAD_WORKER) from None


@contextmanager
def _pool(count: int, work: Work, tell: Tell | None) -> Iterator[ProcessPoolExecutor]:
    """Processes that work for this one. When this one no longer wants to wait for them, they end at once."""
    context = multiprocessing.get_context("spawn")
    line, stop = context.Pipe(duplex=False)  # closed by the system when this process is gone
    ear, mouth = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(count, context, _start, (line, work, mouth, context.Lock()))
    listening = threading.Thread(target=_listen, args=(ear, tell), daemon=True)
    listening.start()
    try:
        yield pool
    except BaseException:
        stop.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        stop.close()
        line.close()
        mouth.close()
        listening.join()
        ear.close()


def _listen(ear: Connection, tell: Tell | None) -> None:
    """Pass on what tasks tell, until nobody is left to tell anything."""
    while True:
        try:
            told = ear.recv()
        except (EOFError, OSError):
            return
        try:
            if tell:
                tell(told)
        except Exception:  # nobody sees it any more, but whoever tells must not wait
            log.exception("what tasks tell is no longer passed on")
            tell = None


def _submit(pool: ProcessPoolExecutor, task: Task) -> Future[Any]:
    """Give a task to a pool, which may start processes: they ignore Ctrl-C, because this process tells them."""
    if threading.current_thread() is not threading.main_thread():
        return pool.submit(_do, task)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return pool.submit(_do, task)
    finally:
        signal.signal(signal.SIGINT, before)


_OWN: list[Prepared | Exception] = []  # of a worker process; or why there is none


def _start(line: Connection, work: Work, mouth: Connection, lock: AbstractContextManager[Any]) -> None:
    def tell(what: Any) -> None:
        with lock:
            mouth.send(what)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(line,), daemon=True).start()
    Finalize(None, _close, exitpriority=1)
    try:
        _OWN.append(work.prepared(tell))
    except Exception as error:  # reported when work is asked for: a pool only knows that a worker has died
        _OWN.append(error)


def _close() -> None:
    while _OWN:
        own = _OWN.pop()
        if isinstance(own, Prepared):
            own.close()


def _end_with_parent(line: Connection) -> None:
    """A worker that is told to stop, or whose parent is gone, exits at once, together with its programs."""
    with suppress(EOFError, OSError):
        line.recv_bytes()
    try:
        _close()
    finally:
        os._exit(1)


def _do(task: Task) -> Any:
    (own,) = _OWN
    if isinstance(own, Exception):
        raise own
    return own.call(*task)
