"""Play a match: units in blocks, in one process or several, written to a log in order.

Every hand depends only on the plan and its own number, so the log is the same on any number of workers and after any
interruption. The exception is a player who learns: they see the hands in order, in one process. Players with a time
limit, and outside programs, may of course play differently from run to run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from multiprocessing.synchronize import Event
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from ludus.agents.base import Agent, learns
from ludus.arena.aivat.cell_tree import fits
from ludus.arena.aivat.in_match import match_aivat
from ludus.arena.entrants import make_player
from ludus.arena.log import HandRecord, LoggedHand, LogWriter, MatchLog, read_log
from ludus.arena.match_table import Times
from ludus.arena.match_units import MatchUnits
from ludus.arena.plan import MatchPlan
from ludus.parallel import ahead
from ludus.protocols.programs import put_away

TIMES = "times.json"
QUICK = 0.1  # seconds of a block of units that may as well be larger
TABULAR_BLOCK = 4096
Progress = Callable[[int, int], object]
"""Called with the number of units played and their total."""


@dataclass(frozen=True, eq=False)
class MatchResult:
    """A match as far as it was played."""

    read: Callable[[], MatchLog]
    times: Times
    seconds: float  # of this run
    hands: int  # played in this run
    complete: bool

    @cached_property
    def log(self) -> MatchLog:
        """All its hands, including those of earlier runs; read when they are asked for."""
        return self.read()


def play_match(
    plan: MatchPlan,
    out: Path | None = None,
    workers: int = 1,
    agents: Sequence[Agent] | None = None,
    progress: Progress | None = None,
    tables: int = 0,
) -> MatchResult:
    """Play a match to its end, or until it is interrupted; ``out`` is the folder of its log, and of an earlier part.

    ``tables`` is how many are played at once by threads of this process instead of ``workers``: for players who think
    about many tables together.

    ``agents`` are players that exist already; otherwise they are made, in each worker, from the plan's names.
    """
    if workers < 1:
        raise ValueError(f"a match needs at least one worker, got {workers}")
    own = agents is None
    made = [make_player(spec, plan) for spec in plan.players] if agents is None else list(agents)
    try:
        return _play(plan, out, workers if own else 1, made, progress, tables if own else 0)
    finally:
        if own:
            put_away(made)


def _play(
    plan: MatchPlan, out: Path | None, workers: int, agents: list[Agent], progress: Progress | None, tables: int
) -> MatchResult:
    writer = None if out is None else LogWriter(out, plan)
    times, memory = Times(len(agents)), _Memory()
    sink = writer or memory
    if out is not None:
        times.load(out / TIMES)
    start, before = time.perf_counter(), sink.hands
    if tables:
        if any(map(learns, agents)) or plan.match_seconds is not None or plan.acpc:
            raise ValueError("many tables at once are for players who neither learn nor speak ACPC, without a clock")
        blocks = _in_threads(plan, agents, tables, sink.units)
    elif workers == 1 or plan.match_seconds is not None or any(map(learns, agents)):
        blocks = _locally(plan, agents, sink.units, out, times)
    else:
        blocks = _in_processes(plan, agents, workers, sink.units)
    complete = False
    try:
        with _ended_by_sigterm(), closing(blocks):
            for units, spent in blocks:
                times.add(spent)
                if sink.append(units) and out is not None:
                    times.save(out / TIMES)
                if progress is not None:
                    progress(min(sink.units, plan.units), plan.units)
        complete = True
    except KeyboardInterrupt:
        pass
    finally:
        if writer is not None:
            writer.close()
            times.save(writer.path.parent / TIMES)
    read = partial(MatchLog.of, plan.header(), memory.played) if out is None else partial(read_log, out)
    return MatchResult(read, times, time.perf_counter() - start, sink.hands - before, complete)


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """A polite request to end (SIGTERM) acts like Ctrl-C: it leaves a whole log, and no programs behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Memory:
    """A log that is kept in memory."""

    def __init__(self) -> None:
        self.units = 0
        self.played: list[LoggedHand] = []

    @property
    def hands(self) -> int:
        return len(self.played)

    def append(self, units: Sequence[Sequence[HandRecord]]) -> bool:
        for unit in units:
            self.played.extend(LoggedHand(number, *hand) for number, hand in enumerate(unit, self.hands))
            self.units += 1
        return False


Block = tuple[list[list[HandRecord]], Times]


@dataclass
class _Pace:
    """How many units are played before anything is written: one, and twice as many whenever they were quick."""

    most: int
    size: int = 1

    def note(self, units: int, seconds: float) -> None:
        """So many units took so long."""
        if units == self.size and seconds < QUICK:
            self.size = min(self.most, 2 * units)


def _largest_block(units: MatchUnits) -> int:
    """The most units that are played before anything is written; one where players are given time."""
    plan = units.plan
    return 1 if plan.move_seconds or plan.match_seconds or units.table.watched else 4 if plan.freezeout else 32


def _locally(plan: MatchPlan, agents: Sequence[Agent], first: int, out: Path | None, times: Times) -> Generator[Block]:
    units = MatchUnits(plan, agents, _left(plan, times))
    if first and out is not None and any(map(learns, agents)):
        for hand in read_log(out).hands:
            units.remember(hand)
    pace = _Pace(_largest_block(units)) if units.fast is None else _Pace(TABULAR_BLOCK, TABULAR_BLOCK)
    at = first
    while at < plan.units:
        count, start = min(pace.size, plan.units - at), time.perf_counter()
        played = units.play(at, count)
        pace.note(count, time.perf_counter() - start)
        yield played, units.clock.take()
        at += count


def _left(plan: MatchPlan, times: Times) -> list[float] | None:
    """The seconds that each player still has."""
    if plan.match_seconds is None:
        return None
    return [plan.match_seconds - spent for spent in times.seconds.sum(axis=1).tolist()]


def _in_processes(plan: MatchPlan, agents: Sequence[Agent], workers: int, first: int) -> Generator[Block]:
    """Blocks from worker processes, in order; a few are in progress ahead of the one that is waited for."""
    if plan.aivat and not fits(plan.game):
        match_aivat(plan, agents)  # so that what it computes and keeps is computed only once
    slow = plan.acpc or plan.move_seconds is not None or any(spec.startswith("exec:") for spec in plan.players)
    size = 1 if slow else 4 if plan.freezeout else 256
    pace = _Pace(min(size, max(1, -(-(plan.units - first) // (4 * workers)))))
    waiting: deque[Future[tuple[Block, float]]] = deque()
    at = first
    with workers_of(workers, _begin, plan) as pool:
        try:
            while at < plan.units or waiting:
                while at < plan.units and len(waiting) < 3 * workers:
                    count = min(pace.size, plan.units - at)
                    waiting.append(submit(pool, _work, at, count))
                    at += count
                block, seconds = waiting.popleft().result()
                pace.note(len(block[0]), seconds)
                yield block
        except BrokenProcessPool:
            raise OSError(DEAD_WORKER) from None


def _in_threads(plan: MatchPlan, agents: Sequence[Agent], tables: int, first: int) -> Generator[Block]:
    """Units from tables that are played at once, each by a thread with players of its own; in order."""
    own = threading.local()
    match_aivat(plan, agents)  # so that what it computes and keeps is computed only once

    def work(at: int) -> Block:
        if not hasattr(own, "units"):
            own.units = MatchUnits(plan, [make_player(spec, plan) for spec in plan.players])
        return own.units.play(at, 1), own.units.clock.take()

    pool = ThreadPoolExecutor(tables)
    try:
        yield from ahead(pool, work, range(first, plan.units), 2 * tables)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


DEAD_WORKER = "a worker of the match has died; the same command goes on from what is written"


@contextmanager
def workers_of(count: int, begin: Callable[..., None], *args: object) -> Iterator[ProcessPoolExecutor]:
    """Processes that play for this one. When this one no longer wants to wait for them, they end at once."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(count, context, _start_worker, (stop, begin, args))
    try:
        yield pool
    except BaseException:
        stop.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def submit(pool: ProcessPoolExecutor, work: Callable[..., Any], *args: object) -> Future[Any]:
    """Give work to a pool, which may start processes: they ignore Ctrl-C, because this process tells them."""
    if threading.current_thread() is not threading.main_thread():
        return pool.submit(work, *args)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return pool.submit(work, *args)
    finally:
        signal.signal(signal.SIGINT, before)


_UNITS: list[MatchUnits | Exception] = []  # of a worker process; or why there are none
_PLAYERS: list[Agent] = []


def _start_worker(stop: Event, begin: Callable[..., None], args: tuple[object, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(stop,), daemon=True).start()
    Finalize(None, put_away, (_PLAYERS,), exitpriority=1)
    begin(*args)


def _end_with_parent(stop: Event) -> None:
    """A worker that is told to stop, or whose parent is gone, exits at once, together with its programs."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    while not stop.wait(0.2):
        if not parent.is_alive():
            break
    try:
        put_away(_PLAYERS)
    finally:
        os._exit(1)


def _begin(plan: MatchPlan) -> None:
    try:
        _PLAYERS.extend(make_player(spec, plan) for spec in plan.players)
        _UNITS.append(MatchUnits(plan, _PLAYERS))
    except Exception as error:  # reported when work is asked for: a pool only knows that a worker has died
        _UNITS.append(error)


def _work(first: int, count: int) -> tuple[Block, float]:
    """A block and how long it took."""
    (units,) = _UNITS
    if isinstance(units, Exception):
        raise units
    start = time.perf_counter()
    played = units.play(first, count)
    return (played, units.clock.take()), time.perf_counter() - start
