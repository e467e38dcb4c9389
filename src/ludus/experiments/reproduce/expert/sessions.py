"""Freeze-outs in sessions of as many games as the source played, each with a memory of its own, on all cores.

Every session is a function of its players, the seed and its number. What is played is kept in a file, so that an
interrupted experiment goes on from there.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludus.agents import make
from ludus.arena.freeze_outs import play_session
from ludus.arena.interval import Interval, interval
from ludus.experiments.report import Stopped
from ludus.files import write_atomically
from ludus.games import holdem
from ludus.parallel import Stages, in_blocks

SESSION = 250
STACK, BLINDS = 100, (5, 10)
FILE = "sessions.json"


@dataclass(frozen=True)
class Played:
    """What came out of a session."""

    games: int
    wins: int
    chips: int  # of the first player at the end of each game, added up
    hands: int
    accuracy: float | None = None  # of the model's guesses, out of sample
    fold_accuracy: float | None = None  # of whether the next action is a fold
    commonest: float | None = None  # the share of the most common action: what guessing it always comes to
    actions: int = 0  # of the opponent that were seen


@dataclass(frozen=True)
class Row:
    """Sessions between two players."""

    players: tuple[str, str]  # as ``agents.make`` knows them
    sessions: tuple[Played, ...]

    @property
    def games(self) -> int:
        """How many were played."""
        return sum(each.games for each in self.sessions)

    @property
    def hands(self) -> int:
        """How many hands they had."""
        return sum(each.hands for each in self.sessions)

    @property
    def wins(self) -> Interval:
        """The share of games won: over sessions where somebody learns in them, else over games."""
        if self.sessions[0].accuracy is not None and len(self.sessions) > 1:
            return interval([each.wins / each.games for each in self.sessions])
        share = sum(each.wins for each in self.sessions) / self.games
        return Interval(self.games, share, (share * (1 - share) * self.games / max(self.games - 1, 1)) ** 0.5)

    @property
    def stack(self) -> float:
        """The first player's chips at the end of a game, on average."""
        return sum(each.chips for each in self.sessions) / self.games


def play_rows(
    pairs: Sequence[tuple[str, str]], games: int, seed: int, place: Path, workers: int, progress: Stages
) -> list[Row]:
    """Rows of sessions; games are rounded up to whole sessions where they are more than one."""
    sizes = [min(games, SESSION)] * -(-games // SESSION)
    kept, lock = _read(place / FILE), threading.Lock()
    waiting = [
        (pair, number, size)
        for pair in dict.fromkeys(pairs)
        for number, size in enumerate(sizes)
        if _key(pair, number, size, seed) not in kept
    ]

    def work(block: tuple[tuple[str, str], int, int]) -> None:
        found = asdict(_session(*block, seed))
        with lock:
            kept[_key(*block, seed)] = found
            write_atomically(place / FILE, json.dumps(kept, indent=1).encode())

    def told(done: int, total: int) -> None:
        progress("playing freeze-outs", done * sizes[0], total * sizes[0], "games")

    try:
        in_blocks(work, waiting, workers, told)
    except KeyboardInterrupt:
        raise Stopped(f"the same command goes on from {place}") from None
    return [
        Row(pair, tuple(Played(**kept[_key(pair, number, size, seed)]) for number, size in enumerate(sizes)))
        for pair in pairs
    ]


def _session(pair: tuple[str, str], number: int, games: int, seed: int) -> Played:
    found = play_session(holdem(stack=STACK, blinds=BLINDS), [make(spec) for spec in pair], games, seed, number)
    wins, chips, hands = int((found.chips > STACK).sum()), int(found.chips.sum()), int(found.hands.sum())
    model = found.model
    if model is None:
        return Played(games, wins, chips, hands)
    counts = np.bincount(model.examples["action"][: model.count])
    right, folds = (model.share_right(what) or 0.0 for what in ("right", "right_folds"))
    return Played(games, wins, chips, hands, right, folds, float(counts.max() / counts.sum()), model.count)


def _key(pair: tuple[str, str], number: int, games: int, seed: int) -> str:
    return f"{pair[0]} v {pair[1]}, {games} games, seed {seed}, session {number}"


def _read(path: Path) -> dict[str, Any]:
    """Sessions that were played before; none if the file is not one of ours."""
    try:
        found = json.loads(path.read_text())
        return {key: asdict(Played(**each)) for key, each in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
