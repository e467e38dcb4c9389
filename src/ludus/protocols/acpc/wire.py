"""Connections that cannot hurt: lines of bounded length in, messages of bounded delay out."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic

LONGEST_LINE = 4096  # bytes, one of them for the end of a C string: longer lines are cut into pieces
_CHUNK = 4096
_MOST_UNSENT = 1 << 16
_MOST_DRAINED = 1 << 16
_LONGEST_POLL = 24 * 3600.0
_AWAKE = 0.0003  # seconds of polling before sleeping; waking up takes about as long
_HOLD = 0.002  # seconds that messages to players who are not asked may wait


class Late(Exception):
    """Nothing came in time."""


class Gone(Exception):
    """The other side has closed the connection, or lost it."""


class Stuck(Exception):
    """A message cannot be delivered; ``seat`` does not read, or is gone."""

    def __init__(self, seat: int) -> None:
        super().__init__(f"seat {seat + 1} takes no messages")
        self.seat = seat


class Connection:
    """One peer: its lines as they come in, and what could not be sent to it yet."""

    def __init__(self, peer: socket.socket) -> None:
        peer.setblocking(False)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.peer, self.ended = peer, False
        self.unsent, self.stuck_since = b"", 0.0  # since when something could not be sent; 0: everything was
        self._read = b""
        self._poll = select.poll()
        self._poll.register(peer, select.POLLIN)

    def line(self) -> bytes | None:
        """The next line with its end, a piece of one that is too long, or what came before the connection ended."""
        end = self._read.find(b"\n") + 1
        if not 0 < end < LONGEST_LINE:
            if len(self._read) >= LONGEST_LINE - 1:
                end = LONGEST_LINE - 1
            elif self.ended and self._read:
                end = len(self._read)
            else:
                return None
        line, self._read = self._read[:end], self._read[end:]
        return line

    def wait(self, seconds: float) -> bool:
        """Whether something can be read within a time; a peer that answers at once is polled without sleeping."""
        awake = monotonic() + min(seconds, _AWAKE)
        while not (found := self._poll.poll(0)) and monotonic() < awake:
            pass
        return bool(found or self._poll.poll(_milliseconds(max(seconds - _AWAKE, 0))))

    def receive(self) -> None:
        """Read what has arrived; only when there is no whole line left, so that memory is bounded."""
        try:
            data = self.peer.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._read += data
        self.ended = not data

    def queue(self, data: bytes) -> None:
        """Keep a message until the next ``push``; OSError when the peer has long stopped reading."""
        self.unsent += data
        if len(self.unsent) > _MOST_UNSENT:
            raise BrokenPipeError("the peer does not read")

    def push(self) -> bool:
        """Send what the system takes at once; whether that was all. OSError when the connection is lost."""
        with suppress(BlockingIOError):
            self.unsent = self.unsent[self.peer.send(self.unsent) :]
        if self.unsent and not self.stuck_since:
            self.stuck_since = monotonic()
        elif not self.unsent:
            self.stuck_since = 0.0
        return not self.unsent

    def close(self) -> None:
        """Hang up; what the peer has sent meanwhile is discarded, so that it can read all that was sent to it."""
        try:
            self.peer.shutdown(socket.SHUT_WR)
            for _ in range(_MOST_DRAINED // _CHUNK):
                if not self.peer.recv(_CHUNK):
                    break
        except OSError:
            pass
        self.peer.close()


class Wire:
    """The connections of all seats. No seat can hold up what goes to another one.

    A player who is asked is sent their message at once. What the others are told waits a moment for the answer: if it
    comes soon, as it does from a program, it goes out with what they are told next, which halves everybody's work.
    """

    def __init__(
        self, connections: Sequence[Connection], patience: float, idle: Callable[[], None] = lambda: None
    ) -> None:
        self.connections, self.patience = list(connections), patience
        self._idle = idle  # called when nothing has come for a moment
        self._held: set[int] = set()  # seats with messages that nobody has tried to send yet
        self._stuck: set[int] = set()  # seats that did not take all of theirs

    def tell(self, seat: int, data: bytes) -> None:
        """Send a message soon; ``Stuck`` when it cannot be delivered."""
        try:
            self.connections[seat].queue(data)
        except OSError:
            raise Stuck(seat) from None
        self._held.add(seat)

    def ask(self, seat: int, data: bytes) -> None:
        """Send a message now, after everything that the seat was told before."""
        self.tell(seat, data)
        self._push(seat)

    def read_line(self, seat: int, deadline: float) -> bytes:
        """The next line of a seat; ``Late`` when the monotonic clock reaches the deadline, ``Gone`` at the end."""
        connection = self.connections[seat]
        until = min(monotonic() + _HOLD, deadline)
        while (line := connection.line()) is None:
            if connection.ended:
                raise Gone
            now = monotonic()
            if now >= deadline:
                raise Late
            if now >= until:
                self.push_held()
                self._idle()
                until = deadline
            if self._stuck:
                self._wait_and_push(until - now, seat)
            elif connection.wait(until - now):
                connection.receive()
        return line

    def flush(self) -> None:
        """Wait until everything is sent; ``Stuck`` when a seat does not take it in time."""
        self.push_held()
        while self._stuck:
            self._wait_and_push(self.patience)

    def push_held(self) -> None:
        """Send what can wait no longer."""
        for seat in sorted(self._held):
            self._push(seat)

    def _push(self, seat: int) -> None:
        self._held.discard(seat)
        try:
            done = self.connections[seat].push()
        except OSError:
            raise Stuck(seat) from None
        if done:
            self._stuck.discard(seat)
        elif monotonic() > self.connections[seat].stuck_since + self.patience:
            raise Stuck(seat)
        else:
            self._stuck.add(seat)

    def _wait_and_push(self, seconds: float, reading: int | None = None) -> None:
        """Wait for a seat's line and, meanwhile, for those that have not taken their messages."""
        self.push_held()
        wanted = dict.fromkeys(self._stuck, select.POLLOUT)
        if reading is not None:
            wanted[reading] = wanted.get(reading, 0) | select.POLLIN
        poll, now = select.poll(), monotonic()
        for seat, events in wanted.items():
            poll.register(self.connections[seat].peer, events)
            seconds = min(seconds, max((self.connections[seat].stuck_since or now) + self.patience - now, 0))
        found = dict(poll.poll(_milliseconds(seconds)))
        for seat in sorted(self._stuck):
            self._push(seat)
        if reading is not None and found.get(self.connections[reading].peer.fileno(), 0) & ~select.POLLOUT:
            self.connections[reading].receive()

    def close(self) -> None:
        """Hang up on everybody."""
        for seat in self._held:
            with suppress(OSError):
                self.connections[seat].push()
        for connection in self.connections:
            connection.close()


def _milliseconds(seconds: float) -> int:
    """Milliseconds for ``poll``, which never waits for less than was asked."""
    return int(1000 * min(seconds, _LONGEST_POLL)) + 1


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 is any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=8)


def accept(listener: socket.socket, deadline: float | None) -> Connection:
    """The first peer that connects; the port is closed after it. ``Late`` when none comes in time."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    listener.setblocking(False)
    while True:
        left = _LONGEST_POLL if deadline is None else max(deadline - monotonic(), 0.0)
        if not poll.poll(_milliseconds(left)):
            if left < _LONGEST_POLL:
                raise Late
            continue
        try:
            peer, _ = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            continue
        listener.close()
        return Connection(peer)
