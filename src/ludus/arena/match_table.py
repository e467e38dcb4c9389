"""One table: agents play hands, their thinking is timed, and a player who breaks the rules loses the hand.

A player who raises an error, plays an illegal action or thinks too long gives up the hand at once, even where they may
check. They lose what they have put in, the others continue without them, and it is reported.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.agents.base import Agent, Event, Observer
from ludus.files import write_atomically
from ludus.games.base import TERMINAL
from ludus.games.moves import FOLD
from ludus.games.poker import STREETS, PokerGame, PokerState
from ludus.games.record import dealt, move_text
from ludus.protocols.acpc.messages import seen_from

MOST_REASON = 200
_ARRAYS = ("seconds", "decisions", "longest")


class Timeout(Exception):
    """A player has thought too long. Not a TimeoutError, which an agent may raise and catch itself."""


@dataclass(frozen=True)
class Forfeit:
    """Who gave up a hand, and why."""

    player: int
    reason: str


@dataclass(frozen=True)
class FinishedHand:
    """A hand that is over: its final state, its betting as ``games.record`` writes it, and who gave up."""

    state: PokerState
    betting: str
    forfeits: list[Forfeit]


@dataclass
class Times:
    """Thinking time by [players, streets]: seconds, decisions, and the longest of them."""

    players: int
    seconds: NDArray[np.float64] = field(init=False)
    decisions: NDArray[np.int64] = field(init=False)
    longest: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        shape = self.players, len(STREETS)
        self.seconds, self.decisions, self.longest = np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape)

    def add(self, other: Times) -> None:
        """Add the thinking of another part of the match."""
        self.seconds += other.seconds
        self.decisions += other.decisions
        self.longest = np.maximum(self.longest, other.longest)

    def save(self, path: Path) -> None:
        """Keep them in a separate file: they are not part of a log, because they differ from run to run."""
        write_atomically(path, json.dumps({name: getattr(self, name).tolist() for name in _ARRAYS}).encode())

    def load(self, path: Path) -> None:
        """Add what was saved; nothing if that is not known."""
        try:
            data = json.loads(path.read_text())
            read = [np.array(data[name], np.float64) for name in _ARRAYS]
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return
        if all(array.shape == self.seconds.shape and (array >= 0).all() and (array < 1e15).all() for array in read):
            other = Times(self.players)
            other.seconds, other.decisions, other.longest = read[0], read[1].astype(np.int64), read[2]
            self.add(other)


@dataclass
class ThinkingClock:
    """Measures how long players think and says how long they may."""

    players: int
    move_seconds: float | None = None
    left: list[float] | None = None  # seconds that each player still has for the match
    times: Times = field(init=False)

    def __post_init__(self) -> None:
        self.times = Times(self.players)

    def take(self) -> Times:
        """What has been measured since the last time."""
        times, self.times = self.times, Times(self.players)
        return times

    def limit(self, player: int) -> float | None:
        """How long they may think now."""
        if self.left is None:
            return self.move_seconds
        return self.left[player] if self.move_seconds is None else min(self.left[player], self.move_seconds)

    def note(self, player: int, street: int, seconds: float) -> None:
        """Add a decision."""
        times = self.times
        times.seconds[player, street] += seconds
        times.decisions[player, street] += 1
        if seconds > times.longest[player, street]:
            times.longest[player, street] = seconds
        if self.left is not None:
            self.left[player] -= seconds


class MatchTable:
    """Agents that play hand after hand. ``agents`` are in the order of the players, who change seats."""

    def __init__(self, agents: Sequence[Agent], clock: ThinkingClock) -> None:
        self.agents, self.clock = list(agents), clock
        self.observers = [isinstance(agent, Observer) for agent in agents]
        self.watched = any(self.observers)

    def play(
        self, game: PokerGame, seating: Sequence[int], deck: Sequence[int], rngs: Sequence[np.random.Generator]
    ) -> FinishedHand:
        """One hand to its end; ``seating`` has the player of each seat, ``rngs`` a generator for each seat."""
        forfeits: list[Forfeit] = []
        betting: list[str] = []
        street = 0
        state = dealt(game.start(), deck)
        if self.watched:
            self._tell(state, seating)
        while state.player != TERMINAL:
            seat, before = state.player, state
            player, action = seating[seat], FOLD
            start = time.perf_counter()
            try:
                limit = self.clock.limit(player)
                if limit is None:
                    action = index(self.agents[player].act(before.seen_by(seat), rngs[seat]))
                else:
                    action = index(self._ask_in_time(limit, player, before.seen_by(seat), rngs[seat]))
                state = before.apply(action)
            except (Exception, SystemExit) as error:  # whatever an agent does, the match continues
                action, state = FOLD, before.give_up()
                forfeits.append(Forfeit(player, reason_of(error)))
            self.clock.note(player, before.street, time.perf_counter() - start)
            betting.append("/" * (before.street - street) + move_text(before, action))
            street = before.street
            state = dealt(state, deck)
            if self.watched:
                self._tell(state, seating, seat, action)
        betting.append("/" * (state.street - street))
        return FinishedHand(state, "".join(betting), forfeits)

    def _ask_in_time(self, limit: float, player: int, observation: PokerState, rng: np.random.Generator) -> int:
        """Ask a player, and interrupt Python code that takes too long where the system can: in a main thread."""
        if limit <= 0:
            raise Timeout("no time left for the match")
        agent, start = self.agents[player], time.perf_counter()
        if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
            before = signal.signal(signal.SIGALRM, _ring)
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, limit, max(limit, 0.1))  # again, if the first is caught
                    action = agent.act(observation, rng)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            finally:  # even if it rings in the line above
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, before)
        else:
            action = agent.act(observation, rng)
        if time.perf_counter() - start > limit:
            raise Timeout("thought too long")
        return action

    def _tell(self, state: PokerState, seating: Sequence[int], actor: int = -1, action: int | None = None) -> None:
        for seat, player in enumerate(seating):
            agent: Any = self.agents[player]
            if self.observers[player]:
                try:
                    agent.observe(Event(seat, seen_from(state, seat), actor, action))
                except (Exception, SystemExit):  # it will fail again, and be reported, when it has to act
                    continue


def reason_of(error: BaseException) -> str:
    """What went wrong, in one line of plain text that a log can hold."""
    try:
        text = f"{error}"
    except Exception:
        text = "an error that cannot be told"
    if not isinstance(error, ValueError | OSError | Timeout):
        text = f"{type(error).__name__}: {text}"
    plain = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    return "".join(letter if letter.isprintable() else "?" for letter in plain)[:MOST_REASON] or type(error).__name__


def _ring(*_: object) -> None:
    raise Timeout("thought too long")
