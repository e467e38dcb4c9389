"""The WebSockets that are open, and whose they are: who is no longer let in is sent away from them, too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

LOGGED_OUT = 4401  # why a socket is closed


@dataclass(eq=False)
class OpenSocket:
    """A socket. Whose it is comes in when that is known: the person's id, and the cookie or token they showed."""

    person: str | None = None
    shown: str = ""
    void: asyncio.Event = field(default_factory=asyncio.Event)


class OpenSockets:
    """All sockets of a server. Used in the event loop only."""

    def __init__(self) -> None:
        self._open: set[OpenSocket] = set()

    @contextmanager
    def opened(self) -> Iterator[OpenSocket]:
        """A socket, until the end of the block."""
        socket = OpenSocket()
        self._open.add(socket)
        try:
            yield socket
        finally:
            self._open.discard(socket)

    def close(self, person: str, which: Callable[[str], bool] = lambda shown: True) -> None:
        """Close the sockets of a person, all or those for which something void was shown."""
        for socket in self._open:
            if socket.person == person and which(socket.shown):
                socket.void.set()

    def shown(self) -> set[str]:
        """What was shown for them."""
        return {socket.shown for socket in self._open if socket.person is not None}

    def close_void(self, void: Collection[str]) -> None:
        """Close those for which something was shown that is void."""
        for socket in self._open:
            if socket.person is not None and socket.shown in void:
                socket.void.set()

    def __len__(self) -> int:
        return len(self._open)
