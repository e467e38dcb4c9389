"""The dealer: it seats players at ports, deals from a seed, asks, repairs, keeps time and score.

It does what the competition's dealer does, down to the words of its warnings, and a little more where that one could
hang: neither comments nor part of a line stop the clock, and a player who reads nothing cannot block the others.
A reply without the player's own hole cards is ignored; that dealer compares it with what earlier lines left in memory.
"""

from __future__ import annotations

import re
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from ludus.games.record import move_text, read_move
from ludus.protocols.acpc.clock import Clock
from ludus.protocols.acpc.deal import decks
from ludus.protocols.acpc.hand import Hand, warm_up
from ludus.protocols.acpc.log import Records, Transaction, score_line, state_line
from ludus.protocols.acpc.match import Match
from ludus.protocols.acpc.messages import read_reply
from ludus.protocols.acpc.wire import Gone, Late, Stuck, Wire, accept, listen

LOCALHOST = "127.0.0.1"
_VERSION = re.compile(rb"VERSION:\s*\+?([0-9]{1,10})\.\s*\+?([0-9]{1,10})\.\s*\+?[0-9]")
_MOST_IGNORED = 100  # lines of one request that are reported; a flood is not
_MOST_UNPRINTED = 100
_HANDSHAKE = 60.0  # seconds that players have for their first line, at least


class MatchFailed(Exception):
    """The match cannot continue; the text is what the competition's dealer would print."""


class Dealer:
    """One match. It listens as soon as it is made; ``play`` waits for the players and deals.

    ``report`` gets what the competition's dealer writes to standard error, including the messages unless ``quiet``.
    """

    def __init__(
        self,
        match: Match,
        records: Records | None = None,
        report: TextIO | None = None,
        quiet: bool = True,
        host: str = LOCALHOST,
        ports: Sequence[int] = (),
    ) -> None:
        seats = len(match.names)
        if len(ports) > seats or not all(0 <= port <= 65535 for port in ports):
            raise ValueError(f"a port for each of {seats} seats is 0..65535, got {', '.join(map(str, ports))}")
        self.match, self.records, self.report, self.quiet = match, records or Records(), report, quiet
        self.totals = [0.0] * seats
        self.clock = Clock(match.limits, seats, match.hands)
        self._wire = Wire((), self.clock.response, self._print)
        self._unprinted: list[str] = []
        self._wall = time.time() - time.monotonic()  # timestamps never run backwards, whatever the date does
        self.started = 0.0  # when the first hand began, on the monotonic clock
        self._listeners: list[socket.socket] = []
        try:
            for port in (*ports, *[0] * (seats - len(ports))):
                self._listeners.append(listen(host, port))
        except BaseException:
            self.close()
            raise
        self.ports = tuple(int(listener.getsockname()[1]) for listener in self._listeners)

    # The match

    def play(self) -> tuple[float, ...]:
        """Wait for the players and play all hands; what each seat has won. ``MatchFailed`` says why it ended early."""
        try:
            self._begin()
            self._play_hands()
            self._wire.flush()
            self._tell("FINISHED at", time.monotonic())
            score = score_line(self.totals, self.match.names)
            self._say(score)
            self.records.note(score)
        except (MatchFailed, Stuck) as error:
            failure = (
                MatchFailed(f"ERROR: could not send state to seat {error.seat + 1}")
                if isinstance(error, Stuck)
                else error
            )
            self._say(str(failure))
            raise failure from None
        finally:
            self.close()
        return tuple(self.totals)

    def close(self) -> None:
        """Hang up and stop listening."""
        for listener in self._listeners:
            listener.close()
        self._wire.close()
        self._print()

    def _begin(self) -> None:
        """Wait until everybody is seated and has said which version they speak."""
        self.records.note(self.match.header())
        self._say(self.match.header())
        self._print()
        warm_up(self.match.game)
        start = self.match.limits.start
        deadline = None if start is None else time.monotonic() + start / 1000
        for seat, listener in enumerate(self._listeners):
            try:
                self._wire.connections.append(accept(listener, deadline))
            except Late:
                raise MatchFailed(f"ERROR: timed out waiting for seat {seat + 1} to connect") from None
        deadline = time.monotonic() + max(self.clock.response, _HANDSHAKE if start is None else start / 1000)
        for seat in range(len(self._listeners)):
            self._check_version(seat, deadline)
        self.started = time.monotonic()
        self._tell("STARTED at", self.started)

    def _check_version(self, seat: int, deadline: float) -> None:
        try:
            line = self._wire.read_line(seat, deadline)
        except (Late, Gone):
            raise MatchFailed(f"ERROR: could not read version string from seat {seat + 1}") from None
        version = _VERSION.match(line)
        if version is None:
            raise MatchFailed(f"ERROR: invalid version string {printable(line).removesuffix(chr(10))}")
        if int(version[1]) != 2 or int(version[2]) > 0:
            self._warn(seat, "ERROR: this server is currently using version 2.0.0")

    def _play_hands(self) -> None:
        match, deals = self.match, decks(self.match.game, self.match.seed)
        hand = self._take_up(deals)
        while hand.number < match.hands:
            while not hand.over:
                asked, sent = self._send_states(hand)
                hand.act(self._ask(hand, asked, sent))
            self._settle(hand)
            self._send_states(hand)
            if not self.quiet and hand.number % 100 == 0:
                for seat, used in enumerate(self.clock.used_in_match):
                    self._say(f"Seconds cumulatively spent in match for seat {seat}: {int(used)}")
            hand = self._next_hand(hand, deals)

    def _next_hand(self, hand: Hand, deals: Iterator[list[int]]) -> Hand:
        self.clock.new_hand()
        return Hand(self.match.game, hand.number + 1, next(deals))

    def _settle(self, hand: Hand, log: bool = True) -> None:
        """Add a finished hand to the totals and to the log."""
        values = hand.state.returns()
        seats = [self.match.seat(position, hand.number) for position in range(len(values))]
        for seat, value in zip(seats, values, strict=True):
            self.totals[seat] += value
        if log:
            self.records.note(state_line(hand.record(), values, [self.match.names[seat] for seat in seats]))

    # One decision

    def _send_states(self, hand: Hand) -> tuple[bytes, float]:
        """Tell every seat the state; returns what the player to act was told, and when."""
        asked, sent, lines = b"", 0.0, []
        for seat in range(len(self.totals)):
            position = self.match.position(seat, hand.number)
            message = hand.message(position)
            if position == hand.state.player:
                self._wire.ask(seat, message + b"\r\n")
                asked, sent = message, time.monotonic()
            else:
                self._wire.tell(seat, message + b"\r\n")
            if not self.quiet:
                lines.append(f"TO {seat + 1} at {self._wall + time.monotonic():.6f} {message.decode()}\r\n")
        if lines:
            self._say("".join(lines), end="")
        return asked, sent

    def _ask(self, hand: Hand, asked: bytes, sent: float) -> int:
        """The action of the player to act: wait, ignore lines that are not an answer, repair bad ones."""
        seat = self.match.seat(hand.state.player, hand.number)
        deadline = sent + self.clock.longest_wait(seat)
        lines = 0
        while True:
            try:
                line = self._wire.read_line(seat, deadline)
            except (Late, Gone) as error:
                raise self._no_answer(seat, sent, isinstance(error, Late)) from None
            received = time.monotonic()
            lines += 1
            shown = lines <= _MOST_IGNORED
            if shown and not self.quiet:
                text = printable(line)
                self._say(f"FROM {seat + 1} at {self._wall + received:.6f} {text}", end="\n" * (text[-1:] != "\n"))
            if line[0] in b"#;":
                if received > deadline:
                    raise self._no_answer(seat, sent, True)
                self._wire.push_held()
                continue
            if self.clock.out_of_time(seat, received - sent):
                raise MatchFailed(f"ERROR: seat {seat + 1} ran out of time")
            reply = read_reply(hand.state, hand.number, line, asked)
            for warning in reply.warnings if shown or reply.action is not None else ():
                self._warn(seat, warning)
            if reply.action is not None:
                self.clock.charge(seat, received - sent)
                if self.records.transacting:
                    move, wall = move_text(hand.state, reply.action), self._wall
                    self.records.transact(Transaction(move, hand.number, wall + sent, wall + received))
                return reply.action
            self._wire.push_held()

    def _no_answer(self, seat: int, sent: float, late: bool) -> MatchFailed:
        waited, limit = time.monotonic() - sent, self.clock.response
        if late and waited < limit:
            return MatchFailed(f"ERROR: seat {seat + 1} ran out of time")
        return MatchFailed(
            f"ERROR: could not get action from seat {seat + 1}\n{waited:.1f} seconds spent waiting; timeout {limit:.1f}"
        )

    # An earlier run

    def _take_up(self, deals: Iterator[list[int]]) -> Hand:
        """The hand in which an earlier run of the match stopped, or the first one."""
        hand = Hand(self.match.game, 0, next(deals))
        for line in self.records.earlier():
            self._repeat(hand, line)
            if hand.over:  # it is in the log, unless the run ended between the last action and the log
                self._settle(hand, log=hand.number > self.records.last_logged)
                hand = self._next_hand(hand, deals)
        return hand

    def _repeat(self, hand: Hand, line: str) -> None:
        """An action of an earlier run: it must be legal and in time."""
        try:
            past = Transaction.parse(line)
        except ValueError as error:
            raise MatchFailed(f"ERROR: {error}") from None
        if past.hand != hand.number:
            raise MatchFailed(f"ERROR: handId mismatch in transaction log: {line}")
        seat = self.match.seat(hand.state.player, hand.number)
        try:
            hand.act(read_move(hand.state, past.move))
        except ValueError:
            raise MatchFailed(f"ERROR: invalid action in transaction log: {line}") from None
        seconds = max(past.received - past.sent, 0.0)
        if self.clock.out_of_time(seat, seconds):
            raise MatchFailed(f"ERROR: seat {seat + 1} ran out of time in transaction file")
        self.clock.charge(seat, seconds)

    # What is said

    def _tell(self, text: str, moment: float) -> None:
        if not self.quiet:
            self._say(f"{text} {self._wall + moment:.6f}")

    def _say(self, text: str, end: str = "\n") -> None:
        """Report something: printed when nobody answers for a moment, or when there is a lot to print."""
        if self.report is not None:
            self._unprinted.append(text + end)
            if len(self._unprinted) > _MOST_UNPRINTED:
                self._print()

    def _print(self) -> None:
        if self.report is not None and self._unprinted:
            self.report.write("".join(self._unprinted))
            self.report.flush()
            self._unprinted.clear()

    def _warn(self, seat: int, text: str) -> None:
        self._say(text)
        if self.match.strict:
            raise MatchFailed(f"ERROR: seat {seat + 1} must keep to the protocol in a strict match")


def printable(line: bytes) -> str:
    r"""A line from a peer as it can be shown: up to the first zero byte, odd characters as '?', its end kept.

    >>> printable(b"caf\xe9 \x1b[2J\r\n")
    'caf? ?[2J\r\n'
    """
    text = line.partition(b"\0")[0].decode("latin-1")
    body = text.rstrip("\r\n")
    return "".join(char if " " <= char <= "~" else "?" for char in body) + text[len(body) :]


def serve(
    match: Match,
    host: str = LOCALHOST,
    ports: Sequence[int] = (),
    log: Path | None = None,
    transactions: Path | None = None,
    append: bool = False,
    quiet: bool = False,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> tuple[float, ...]:
    """Deal a match as the competition's program does: ports and score on ``out``, the rest on ``err``."""
    out, err = out or sys.stdout, err or sys.stderr
    records = Records(log, transactions, append)
    try:
        dealer = Dealer(match, records, err, quiet, host, ports)
        print(*dealer.ports, file=out, flush=True)
        totals = dealer.play()
        print(score_line(totals, match.names), file=out, flush=True)
    finally:
        records.close()
    return totals
