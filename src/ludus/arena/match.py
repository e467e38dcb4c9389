"""Play a match: units in blocks, in this process or by an engine, written to a log in order.

Every hand depends only on the plan and its own number, so the log is the same on any number of workers and after any
interruption. The exception is a player who learns: they see the hands in order, in one process. Players with a time
limit, and outside programs, may of course play differently from run to run.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from ludus.agents.base import Agent, learns
from ludus.arena.aivat.cell_tree import fits
from ludus.arena.aivat.in_match import match_aivat
from ludus.arena.entrants import make_player
from ludus.arena.log import HandRecord, LoggedHand, LogWriter, MatchLog, read_log
from ludus.arena.match_table import Times
from ludus.arena.match_units import MatchUnits
from ludus.arena.plan import MatchPlan
from ludus.parallel import HERE, Engine, Work
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
    engine: Engine = HERE,
    agents: Sequence[Agent] | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a match to its end, or until it is interrupted; ``out`` is the folder of its log, and of an earlier part.

    ``engine`` says where: threads are for players who think about many tables together. ``agents`` are players that
    exist already, who play here; otherwise they are made, in each worker, from the plan's names.
    """
    own = agents is None
    made = [make_player(spec, plan) for spec in plan.players] if agents is None else list(agents)
    try:
        return _play(plan, out, engine if own else HERE, made, progress)
    finally:
        if own:
            put_away(made)


def _play(
    plan: MatchPlan, out: Path | None, engine: Engine, agents: list[Agent], progress: Progress | None
) -> MatchResult:
    alone = plan.match_seconds is not None or any(map(learns, agents))
    if engine.name == "threads" and (alone or plan.acpc):
        raise ValueError("many tables at once are for players who neither learn nor speak ACPC, without a clock")
    kept = Keeping(plan, out)
    blocks: Generator[Block]
    if alone or engine is HERE:
        blocks = _locally(plan, agents, kept.units, out, kept.times)
    else:
        if plan.aivat and not fits(plan.game):
            match_aivat(plan, agents)  # so that what it computes and keeps is computed only once
        blocks = (block for _, block in spread([plan], lambda _: kept.units, engine))
    complete = False
    try:
        with ended_by_sigterm(), closing(blocks):
            for block in blocks:
                kept.append(block)
                if progress is not None:
                    progress(min(kept.units, plan.units), plan.units)
        complete = True
    except KeyboardInterrupt:
        pass
    finally:
        kept.close()
    return kept.result(complete)


class Keeping:
    """A match as it is played: its log, in a folder or in memory, and the times of its players."""

    def __init__(self, plan: MatchPlan, out: Path | None) -> None:
        self.plan, self.out, self.times, self.memory = plan, out, Times(len(plan.players)), _Memory()
        self.writer = None if out is None else LogWriter(out, plan)
        self.sink = self.writer or self.memory
        if out is not None:
            self.times.load(out / TIMES)
        self.start, self.before = time.perf_counter(), self.sink.hands

    @property
    def units(self) -> int:
        """That are played."""
        return self.sink.units

    def append(self, block: Block) -> None:
        """Keep the units that come next."""
        units, spent = block
        self.times.add(spent)
        if self.sink.append(units) and self.out is not None:
            self.times.save(self.out / TIMES)

    def close(self) -> None:
        """Write what is not written yet."""
        if self.writer is not None:
            self.writer.close()
            self.times.save(self.writer.path.parent / TIMES)

    def result(self, complete: bool) -> MatchResult:
        """The match as far as it is."""
        read = (
            partial(MatchLog.of, self.plan.header(), self.memory.played)
            if self.out is None
            else partial(read_log, self.out)
        )
        seconds = time.perf_counter() - self.start
        return MatchResult(read, self.times, seconds, self.sink.hands - self.before, complete)


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
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


def spread(
    plans: Sequence[MatchPlan], first_of: Callable[[int], int], engine: Engine, whole: Sequence[bool] = ()
) -> Generator[tuple[int, Block]]:
    """Blocks of matches from an engine, match by match and in order, each with the number of its match.

    ``first_of`` a match is asked for when its turn comes; a match that is ``whole``, since somebody learns in it, is
    one block from its first unit on.
    """
    names = {spec for plan in plans for spec in plan.players}
    if not engine.same_machine and (any(map(_is_program, names)) or any(plan.acpc for plan in plans)):
        raise ValueError("programs play on the machine where they are: leave out --ray, or exec: and --acpc")
    asked: deque[tuple[int, int, _Pace]] = deque()

    def tasks() -> Iterator[tuple[int, int, int]]:
        for match, plan in enumerate(plans):
            at, pace = first_of(match), _pace_of(plan, engine)
            if whole and whole[match]:
                at, pace = 0 if at < plan.units else at, _Pace(plan.units, plan.units)
            while at < plan.units:
                count = min(pace.size, plan.units - at)
                asked.append((match, count, pace))
                yield match, at, count
                at += count

    work = Work("ludus.arena.match:play_units", (tuple(plans),), "ludus.arena.match:Tables", plans[0].seed)
    with closing(engine.run(work, tasks())) as blocks:
        for block, seconds in blocks:
            match, count, pace = asked.popleft()
            pace.note(count, seconds)
            yield match, block


def _is_program(spec: str) -> bool:
    return spec.startswith("exec:")


def _pace_of(plan: MatchPlan, engine: Engine) -> _Pace:
    slow = plan.acpc or plan.move_seconds is not None or any(map(_is_program, plan.players))
    size = 1 if slow or engine.name == "threads" else 4 if plan.freezeout else 256
    return _Pace(min(size, max(1, plan.units // (4 * max(1, engine.workers)))))


class Tables:
    """What a worker plays matches with: the players of the match that it was asked for last."""

    def __init__(self, plans: Sequence[MatchPlan]) -> None:
        self.plans = plans
        self.players: list[Agent] = []
        self.at = -1
        self.units: MatchUnits | None = None

    def open(self, match: int, anew: bool) -> MatchUnits:
        """The table of a match, with new players for its beginning: they may learn."""
        if self.units is None or self.at != match or anew:
            self.close()
            plan = self.plans[match]
            self.players += [make_player(spec, plan) for spec in plan.players]
            self.at, self.units = match, MatchUnits(plan, self.players)
        return self.units

    def close(self) -> None:
        """Send the players away."""
        self.units = None
        put_away(self.players)
        self.players.clear()


def play_units(tables: Tables, match: int, first: int, count: int) -> tuple[Block, float]:
    """Some units of a match, and how long they took."""
    units, start = tables.open(match, first == 0), time.perf_counter()
    played = units.play(first, count)
    return (played, units.clock.take()), time.perf_counter() - start
