"""Matches of rock, paper, scissors, kept in memory: each of our moves is committed to before the other's is known."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Any

from ludus.arena.interval import finite, interval
from ludus.server.models import new_key

MOVES = ("rock", "paper", "scissors")
RESULTS = {"won": 1, "tied": 0, "lost": -1}
UNIFORM = [1 / 3, 1 / 3, 1 / 3]
OPPONENTS: dict[str, list[float] | None] = {"equilibrium": UNIFORM, "learner": None, "biased": [0.5, 0.3, 0.2]}
"""How often each plays rock, paper, scissors; None: as it has learnt."""
MOST_ROUNDS, MOST_MATCHES = 1000, 2000
SHOWN = 50  # of the last rounds


def commitment(salt: str, move: str) -> str:
    """What binds us to a move: anybody can work it out once salt and move are known."""
    return hashlib.sha256(f"{salt}:{move}".encode()).hexdigest()


@dataclass(eq=False)
class RpsMatch:
    """One person's match."""

    person: str
    opponent: str
    id: str = field(default_factory=new_key)
    mix: list[float] = field(default_factory=lambda: UNIFORM)  # what the committed move was drawn from
    regrets: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    results: list[int] = field(default_factory=list)  # of all rounds: 1 won, 0 tied, -1 lost
    rounds: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=SHOWN))  # the last of them
    salt: str = ""
    theirs: str = ""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def next(self) -> int:
        """The number of the round to play."""
        return len(self.results) + 1

    @property
    def over(self) -> bool:
        """Whether all rounds are played."""
        return len(self.results) >= MOST_ROUNDS

    def commit(self) -> None:
        """Draw and bind the next move."""
        self.salt = secrets.token_hex(16)
        self.theirs = secrets.SystemRandom().choices(MOVES, self.mix)[0]

    def play(self, move: str) -> dict[str, Any]:
        """The round with the other's move: everything about it is now revealed."""
        difference = (MOVES.index(move) - MOVES.index(self.theirs)) % 3
        result = ("tied", "won", "lost")[difference]  # paper beats rock, scissors paper, rock scissors
        self.rounds.append(
            {
                "round": self.next, "move": move, "theirs": self.theirs, "salt": self.salt,
                "commitment": commitment(self.salt, self.theirs), "mix": self.mix, "result": result,
            }
        )  # fmt: skip
        self.results.append(RESULTS[result])
        return self.rounds[-1]

    def score(self) -> dict[str, Any]:
        """Rounds won, tied and lost, and the mean of +1, 0 and -1 with its 95 % interval."""
        results = self.results
        found = interval(results)
        mean = found.mean if results else 0.0
        wide = finite(found.ci95)
        return {
            **{name: results.count(value) for name, value in RESULTS.items()},
            "mean": mean,
            "low": None if wide is None else mean - wide,
            "high": None if wide is None else mean + wide,
        }

    def shown(self) -> dict[str, Any]:
        """The match without what is still secret."""
        return {
            "id": self.id, "opponent": self.opponent, "round": self.next, "over": self.over,
            "commitment": None if self.over else commitment(self.salt, self.theirs), "score": self.score(),
            "rounds": list(self.rounds), "last": self.rounds[-1] if self.rounds else None,
        }  # fmt: skip


class RpsMatches:
    """All matches; the oldest go when there are too many. Used in the event loop only."""

    def __init__(self, most: int = MOST_MATCHES) -> None:
        self.most = most
        self._matches: OrderedDict[str, RpsMatch] = OrderedDict()

    def add(self, match: RpsMatch) -> str | None:
        """Remember a match; the id of one that is forgotten for it."""
        self._matches[match.id] = match
        return self._matches.popitem(last=False)[0] if len(self._matches) > self.most else None

    def __contains__(self, key: str) -> bool:
        return key in self._matches

    def get(self, key: str, person: str) -> RpsMatch | None:
        """A person's own match."""
        found = self._matches.get(key)
        if found is None or found.person != person:
            return None
        self._matches.move_to_end(key)
        return found
