"""Games played side by side, and the experience that learners get from them.

Every lane is one game that waits for a decision. What a seat sees there is a compact *row*: memories keep rows, and
``see`` makes of them what a network is shown. A lane whose game ends begins another at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus.files import Arrays
from ludus.rl.memories import Column, Columns

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


class Look(NamedTuple):
    """What each lane's seat to act sees."""

    rows: NDArray[Any]  # [lanes, *row]
    open: Bools  # [lanes, actions]: which are legal
    seats: Ints  # [lanes]: who is to act


class Saved(Protocol):
    """A part of a training that is saved with it."""

    def state(self) -> Arrays:
        """All that is needed to go on later, the generator aside."""

    def restore(self, arrays: Arrays) -> None:
        """Go on from what ``state`` gave."""


class Shown(Saved, Protocol):
    """Games of one kind, as networks see them."""

    rng: np.random.Generator  # the learner draws from it, too
    seats: int  # seats that learners play
    actions: int
    row: Column  # shape and type of a row
    inputs: tuple[int, ...]  # shape of what a network is shown

    def see(self, rows: NDArray[Any]) -> Floats:
        """[n, *inputs] What a network is shown, from rows."""


class Lanes(Shown, Protocol):
    """Games of one kind side by side."""

    count: int

    def look(self) -> Look:
        """The decisions that wait."""

    def step(self, actions: Ints) -> tuple[NDArray[np.float64], Bools]:
        """Act in every lane: rewards [lanes, seats] in units that suit a network, and which games are over."""


class Walked(NamedTuple):
    """What walks of external sampling met: decisions of the player they were for, and those of the others."""

    rows: NDArray[Any]  # [n, *row]
    open: Bools  # [n, actions]
    advantages: Floats  # [n, actions]: what each action gained over the strategy, in units that suit a network
    other_rows: NDArray[Any]  # [m, *row]
    other_open: Bools
    other_chances: Floats  # [m, actions]: how the others played there
    touched: int  # nodes of the game's tree, with repetition


Play = Callable[[int, NDArray[Any], Bools], Floats]  # [n, actions] how a seat plays in rows with open actions


class Walks(Shown, Protocol):
    """Games of one kind that can be walked through in all of one seat's actions; rows are numbers from 0 on."""

    @property
    def rows(self) -> int:
        """How many there are."""

    def walk(self, seat: int, count: int, play: Play) -> Walked:
        """So many walks for a seat, while everybody plays so."""


def distinct(rows: NDArray[Any]) -> tuple[NDArray[Any], Ints | None]:
    """Rows without repetition, and where each is among them; rows of more than 8 bytes as they are, and None.

    In a small game most rows of a batch are equal, and a network need see each of them only once.

    >>> distinct(np.array([7, 3, 7], np.int32))
    (array([3, 7], dtype=int32), array([1, 0, 1]))
    """
    size = rows.dtype.itemsize * int(np.prod(rows.shape[1:]))
    if size not in (1, 2, 4, 8):
        return rows, None
    numbers = np.ascontiguousarray(rows).reshape(-1).view(f"u{size}")
    different, places = np.unique(numbers, return_inverse=True)
    return different.view(rows.dtype).reshape(-1, *rows.shape[1:]), places


class Experience:
    """Joins decisions to transitions: a seat's row and action, its reward until it is to act again, its next row.

    A reward that comes before a seat's first decision in a game has no cause among its actions and is left out.
    """

    def __init__(self, lanes: Lanes) -> None:
        shape, kind = lanes.row
        size = lanes.count, lanes.seats
        self._acted = np.zeros(size, np.bool_)
        self._rows = np.zeros((*size, *shape), kind)
        self._actions = np.zeros(size, np.int64)
        self._rewards = np.zeros(size)

    @staticmethod
    def columns(lanes: Lanes) -> Columns:
        """The columns of transitions."""
        return {
            "row": lanes.row, "action": ((), np.int16), "reward": ((), np.float32), "next": lanes.row,
            "open": ((lanes.actions,), np.bool_), "over": ((), np.bool_),
        }  # fmt: skip

    def before(self, look: Look) -> Arrays:
        """The transitions that these decisions complete."""
        every = np.arange(len(look.seats))
        at = np.flatnonzero(self._acted[every, look.seats])
        return self._transitions((at, look.seats[at]), look.rows[at], look.open[at], False)

    def after(self, look: Look, actions: Ints, rewards: NDArray[np.float64], over: Bools) -> Arrays:
        """Note what was done and what it brought; the transitions of the games that are over."""
        every = np.arange(len(look.seats))
        self._acted[every, look.seats] = True
        self._rows[every, look.seats] = look.rows
        self._actions[every, look.seats] = actions
        self._rewards[every, look.seats] = 0.0
        self._rewards += rewards
        at = np.nonzero(self._acted & over[:, None])
        closed = np.zeros((len(at[0]), look.open.shape[1]), np.bool_)
        ended = self._transitions(at, self._rows[at], closed, True)
        self._acted[over] = False
        return ended

    def _transitions(self, at: tuple[Ints, ...], following: NDArray[Any], open_actions: Bools, over: bool) -> Arrays:
        return {
            "row": self._rows[at], "action": self._actions[at], "reward": self._rewards[at], "next": following,
            "open": open_actions, "over": np.full(len(at[0]), over), "lane": at[0], "seat": at[1],
        }  # fmt: skip

    def forget(self) -> None:
        """All games have begun anew: no decision is waiting for what comes of it."""
        self._acted[:] = False

    def state(self) -> Arrays:
        """All that is needed to go on later."""
        return {"acted": self._acted, "rows": self._rows, "actions": self._actions, "rewards": self._rewards}

    def restore(self, arrays: Arrays) -> None:
        """Go on from what ``state`` gave."""
        self._acted, self._rows = arrays["acted"].astype(np.bool_), arrays["rows"]
        self._actions, self._rewards = arrays["actions"], arrays["rewards"]
