"""Learning from situations while they are made: what a step may learn from is fixed by the plan, not by the clock.

Blocks are read in their order at a fixed pace, all of them within the first `SHARE` of the steps; a trainer that is
faster than the makers of situations waits. So the network is the same on any engine. With a window only the blocks read
last stay in memory, and reading goes round again at the same pace.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch

from ludus.nets.holdem.labels import Block, Labelled
from ludus.nets.holdem.tensors import BoardTable
from ludus.nets.holdem.training import Memory

SHARE = 0.5  # of the steps, in which all blocks are read for the first time


@dataclass(frozen=True)
class Schedule:
    """Which blocks are learnt from, and when they are read; the others, which come first, are held to judge by."""

    blocks: int
    learnt: int
    steps: int
    window: int  # blocks in memory at most, besides those held

    @classmethod
    def of(cls, blocks: int, held: float, steps: int, window: int) -> Schedule:
        """At least this share of the blocks is held."""
        learnt = int(blocks * (1 - held))
        return cls(blocks, learnt, steps, min(window or learnt, learnt))

    @property
    def held(self) -> range:
        """The blocks to judge by."""
        return range(self.learnt, self.blocks)

    @property
    def order(self) -> list[int]:
        """In which blocks are wanted.

        >>> Schedule.of(4, 0.1, 100, 0).order
        [3, 0, 1, 2]
        """
        return [*self.held, *range(self.learnt)]

    def read_by(self, step: int) -> int:
        """How many blocks, the same one again counting again, have been read before a step.

        >>> [Schedule.of(5, 0.1, 16, window).read_by(step) for window in (0, 2) for step in (1, 2, 3, 8, 9, 16)]
        [1, 1, 2, 4, 4, 4, 1, 1, 2, 4, 5, 8]
        """
        read = 1 + int((step - 1) * self.learnt / (SHARE * self.steps))
        return min(read, self.learnt) if self.window == self.learnt else read


class Source(Protocol):
    """Where blocks come from (`ludus.nets.holdem.shards.Shards`)."""

    def wait_for(self, number: int) -> Labelled:
        """A block, as soon as it is there."""

    def check_going(self) -> None:
        """KeyboardInterrupt when training is to end."""


class Stream(Memory):
    """Situations on a device that are read block by block, in the places of those that were read longest ago."""

    def __init__(self, source: Source, schedule: Schedule, block: Block, device: torch.device) -> None:
        self._source, self._schedule, self._block, self._device = source, schedule, block, device
        self._read = -1
        places = schedule.window + len(schedule.held)
        for place, number in enumerate(schedule.held, schedule.window):
            part = Memory([source.wait_for(number)], device)
            if not place - schedule.window:
                self._make_room(part, places)
            self._put(place, part)

    def held(self, share: float) -> int:
        """All blocks that the schedule holds."""
        return len(self._schedule.held) * self._block.situations

    def have(self, step: int, held: int) -> int:
        """Read what the step may learn from, and how many situations that is."""
        self._source.check_going()
        wanted, window = self._schedule.read_by(step), self._schedule.window
        self._read = max(0, wanted - window) if self._read < 0 else self._read  # a training may go on from some step
        while self._read < wanted:
            part = Memory([self._source.wait_for(self._read % self._schedule.learnt)], self._device)
            self._put(self._read % window, part)
            self._read += 1
        return min(wanted, window) * self._block.situations

    def _make_room(self, like: Memory, places: int) -> None:
        for name in self.PARTS:
            part: torch.Tensor = getattr(like, name)
            setattr(self, name, part.new_zeros(places * len(part), *part.shape[1:]))
        rows = places * self._block.boards
        self.table = BoardTable(*(part.new_zeros(rows, *part.shape[1:]) for part in like.table))

    def _put(self, place: int, part: Memory) -> None:
        first, row = place * self._block.situations, place * self._block.boards
        assert len(part.table.known) <= self._block.boards
        for name in self.PARTS:
            getattr(self, name)[first : first + len(part)] = getattr(part, name)
        self.rows[first : first + len(part)] += row
        for mine, its in zip(self.table, part.table, strict=True):
            mine[row : row + len(its)] = its
