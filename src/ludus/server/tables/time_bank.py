"""Time beyond the clock: as much again as one turn has, used when a turn runs out, and coming back little by little."""

from __future__ import annotations

import time

REFILL = 0.1  # of a turn's seconds, with every hand


class TimeBanks:
    """What each person at a table has left. It is in memory only: after a restart banks are full."""

    def __init__(self) -> None:
        self._used: dict[str, float] = {}  # seconds, by person
        self._turn: tuple[str, float] | None = None  # whose clock runs, and when it runs out

    def begin(self, person: str, seconds: float) -> float:
        """A person's clock starts; the seconds they have beyond it."""
        self._turn = person, time.monotonic() + seconds
        return max(seconds - self._used.get(person, 0.0), 0.0)

    def end(self) -> None:
        """The turn is over: what it took beyond the clock is used up."""
        if self._turn is not None:
            person, ends = self._turn
            beyond = max(time.monotonic() - ends, 0.0)
            self._used[person] = self._used.get(person, 0.0) + beyond
            self._turn = None

    def refill(self, seconds: float) -> None:
        """A new hand, at a table where turns have so many seconds."""
        self._used = {who: used - REFILL * seconds for who, used in self._used.items() if used > REFILL * seconds}
