"""Other people's programs as players: started with HOST PORT like ACPC competitors, and spoken to over a socket."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import IO

import numpy as np

from ludus import agents
from ludus.agents.base import Agent, Event
from ludus.games.poker import PokerGame, PokerState
from ludus.protocols.acpc.messages import match_state, read_reply

START_SECONDS = 30.0
MOVE_SECONDS = 30.0
SEND_SECONDS = 10.0
DEALER = "`ludus acpc dealer` would repair it and warn"
MOST_FAILURES = 5  # in a row; after that a program is not restarted
_MOST_LINE = 4096
_VERSION = re.compile(rb"VERSION:[0-9]+\.[0-9]+\.[0-9]+\s*", re.ASCII)


class Program:
    """A program that plays over the ACPC protocol. It is started when first needed, and again after it has exited.

    It is told every state of its hands, as a dealer would. An answer that a dealer would repair, an exit and a silence
    of ``seconds`` are errors, and the table decides what they cost; so try an unknown program with
    `ludus.protocols.acpc.dealer` first. After an exit or a silence it is restarted for the next hand, until it has
    failed `MOST_FAILURES` times in a row.
    """

    independent = True  # what it learns is its own business: every worker has a copy
    _process: subprocess.Popen[bytes] | None = None
    _errors: IO[bytes] | None = None
    _socket: socket.socket | None = None

    def __init__(self, command: str, game: PokerGame, seconds: float | None = None) -> None:
        if game.dialect != "acpc" or game.bets is not None:
            raise ValueError(
                f"programs play the games of the ACPC, not {game.name}: give a .game file such as "
                "holdem.nolimit.2p.reverse_blinds.game"
            )
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"{command!r} is not a command: {error}") from None
        if not self.words:
            raise ValueError("exec: needs a command to start, as in exec:./bot")
        if shutil.which(self.words[0]) is None:
            raise ValueError(f"there is no program {self.words[0]!r} that can be started")
        self.command, self.seconds = command, MOVE_SECONDS if seconds is None else seconds
        self.hand, self.failures = -1, 0
        self.asked = b""
        self._read = b""
        self._trouble = ""

    # What a table asks

    def observe(self, event: Event) -> None:
        """Send the state; what goes wrong is reported when the program has to act."""
        if event.action is None:
            self.hand += 1
            if self._socket is None and self.failures < MOST_FAILURES:
                self.start()
        self.asked = match_state(event.state, event.seat, self.hand).encode()
        if self._socket is not None:
            try:
                self._socket.settimeout(SEND_SECONDS)
                self._socket.sendall(self.asked + b"\r\n")
            except OSError as error:
                self._fail(f"took no more lines ({error})")

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Wait for the answer to the state that was sent last."""
        deadline = time.monotonic() + self.seconds
        while True:
            line = self._line(deadline)
            if line[:1] in (b"#", b";", b""):
                continue
            reply = read_reply(observation, self.hand, line, self.asked)
            if reply.warnings and not line.startswith(b"MATCHSTATE:"):
                raise ValueError(f"answered {_shown(line)}, which is not of the protocol ({DEALER})")
            if reply.action is None:  # an answer to another state, perhaps one that came too late
                continue
            if reply.warnings:
                raise ValueError(f"answered {_shown(line[len(self.asked) :])}, which is not legal ({DEALER})")
            self.failures = 0
            return reply.action

    def close(self) -> None:
        """End the program and everything it has started, for good; another thread may be waiting for it."""
        self.failures = MOST_FAILURES
        self._stop()

    def _stop(self) -> None:
        peer, self._socket = self._socket, None
        process, self._process = self._process, None
        errors, self._errors = self._errors, None
        if peer is not None:
            peer.close()
        if process is not None:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(2)
            with suppress(OSError):  # its children, too, if it has exited without them
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if errors is not None:
            errors.close()

    def __del__(self) -> None:
        self.close()

    # The connection

    def start(self) -> None:
        """Start the program and wait until it has connected; what goes wrong is reported when it has to act."""
        self._stop()
        self._read, self._trouble = b"", ""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = [f"{part}" for part in listener.getsockname()]
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the program
            try:
                self._process = subprocess.Popen(
                    [*self.words, *address], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._errors,
                    start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                self._fail(f"cannot be started: {error.strerror}")
                return
            deadline = time.monotonic() + START_SECONDS
            listener.settimeout(0.2)
            while self._socket is None:
                try:
                    self._socket, _ = listener.accept()
                except TimeoutError:
                    if self._process.poll() is not None or time.monotonic() > deadline:
                        self._fail("has not connected")
                        return
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if not _VERSION.fullmatch(version := self._line(deadline)):
                self._fail(f"does not speak the protocol: it began with {version[:40]!r}")
        except (OSError, ValueError):
            self._fail("has sent no version")

    def _line(self, deadline: float) -> bytes:
        """The next line, without its end."""
        while b"\n" not in self._read:
            if self._socket is None:
                raise OSError(f"{self.command} {self._trouble or 'is not running'}")
            if len(self._read) > _MOST_LINE:
                self._fail("sent a line without end")
                continue
            left = deadline - time.monotonic()
            if left <= 0:
                self._fail(f"has not answered for {self.seconds:g} s")
                continue
            self._socket.settimeout(left)
            try:
                part = self._socket.recv(_MOST_LINE)
            except TimeoutError:
                continue
            except OSError as error:
                self._fail(f"is gone ({error.strerror})")
                continue
            if part:
                self._read += part
            else:
                self._fail("has ended")
        line, _, self._read = self._read.partition(b"\n")
        return line.rstrip(b"\r")

    def _fail(self, trouble: str) -> None:
        """Give up on the program until the next hand, and remember why."""
        self.failures += 1
        said = b""
        if self._errors is not None:
            with suppress(OSError, ValueError):
                self._errors.seek(0)
                said = self._errors.read(1 << 16).strip().rpartition(b"\n")[2][:100]
        self._trouble = trouble + (f": {said.decode('utf-8', 'replace')}" if said else "")
        self._stop()


def _shown(line: bytes) -> str:
    return repr(line[:40].decode("ascii", "replace"))


def make_player(spec: str, game: PokerGame) -> Agent:
    """One of our agents by its name, or with ``exec:COMMAND`` a program; ValueError when there is no such player."""
    return Program(spec.removeprefix("exec:"), game) if spec.startswith("exec:") else agents.make(spec, game)


def put_away(players: Iterable[Agent]) -> None:
    """End the programs among some players."""
    for player in players:
        if isinstance(player, Program):
            player.close()
