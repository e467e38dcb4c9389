"""Waiting in line: addresses take turns, and at each address its people do, so that nobody waits for a crowd."""

from __future__ import annotations

from collections import OrderedDict, deque
from contextvars import ContextVar
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Asker(NamedTuple):
    """Whose work it is: a person, and the address they ask from."""

    person: str = ""
    address: str = ""


NOBODY = Asker()
ASKER: ContextVar[Asker] = ContextVar("asker", default=NOBODY)
"""Who has asked for what is going on, set for each request; by default the server itself."""


class FairQueue(Generic[T]):
    """What waits for its turn, at most a number of things.

    >>> queue = FairQueue[str](9)
    >>> for text, asker in (("a1", "ann"), ("a2", "ann"), ("b1", "bob")):
    ...     lost = queue.put(text, Asker(asker))
    >>> [queue.take() for _ in range(len(queue))]
    ['a1', 'b1', 'a2']
    """

    def __init__(self, most: int) -> None:
        self.most, self._size = most, 0
        self._of: OrderedDict[str, OrderedDict[str, deque[T]]] = OrderedDict()

    def __len__(self) -> int:
        return self._size

    def put(self, item: T, asker: Asker, first: bool = False) -> T | None:
        """Add something, behind or ahead of what the same person waits for. What has no place any more, if anything.

        When the line is full, the last of whoever takes up most of it has to go; of whoever asks that is what they add.
        """
        waiting = self._of.setdefault(asker.address, OrderedDict()).setdefault(asker.person, deque())
        if first:
            waiting.appendleft(item)
        else:
            waiting.append(item)
        self._size += 1
        if self._size <= self.most:
            return None
        most = self._most()
        own_first = first and most == asker
        lost = self._of[most.address][most.person]
        gone = lost.popleft() if own_first else lost.pop()
        self._taken(most)
        return gone

    def _most(self) -> Asker:
        """Who takes up most of the line; of several, who came or was served last."""
        address = max(reversed(self._of), key=self.count)
        people = self._of[address]
        return Asker(max(reversed(people), key=lambda each: len(people[each])), address)

    def count(self, address: str) -> int:
        """How much waits there for people of an address."""
        return sum(map(len, self._of.get(address, {}).values()))

    def take(self) -> T:
        """What is next; its person and its address then wait until all others have had a turn."""
        address, people = next(iter(self._of.items()))
        person, waiting = next(iter(people.items()))
        item = waiting.popleft()
        people.move_to_end(person)
        self._of.move_to_end(address)
        self._taken(Asker(person, address))
        return item

    def remove(self, item: T, asker: Asker) -> None:
        """Nobody waits for something any more; it may be gone already."""
        waiting = self._of[asker.address].get(asker.person) if asker.address in self._of else None
        if waiting is not None and item in waiting:
            waiting.remove(item)
            self._taken(asker)

    def _taken(self, asker: Asker) -> None:
        self._size -= 1
        people = self._of[asker.address]
        if not people[asker.person]:
            del people[asker.person]
        if not people:
            del self._of[asker.address]
