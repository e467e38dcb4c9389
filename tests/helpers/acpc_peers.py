"""A dealer in a thread and players at its ports, for tests of the ACPC protocol."""

from __future__ import annotations

import io
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ludus.agents.base import Agent
from ludus.games.acpc import parse_game, read_game
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.protocols.acpc.client import Player as Client
from ludus.protocols.acpc.client import Result
from ludus.protocols.acpc.clock import Limits
from ludus.protocols.acpc.dealer import Dealer, MatchFailed
from ludus.protocols.acpc.log import Records
from ludus.protocols.acpc.match import Match
from ludus.protocols.acpc.messages import match_state
from paths import TESTS

DATA = TESTS / "data" / "acpc"
NO_LIMIT = "holdem.nolimit.2p.reverse_blinds.game"
HELLO = b"VERSION:2.0.0\r\n"
SECONDS = 20  # after which a test gives up


def recordings(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


@dataclass
class Played:
    """What a match has left behind."""

    totals: tuple[float, ...] | None
    report: list[str]
    seconds: float
    seen: list[bytes] = field(default_factory=list)  # by each peer

    @property
    def troubles(self) -> list[str]:
        """Errors and warnings, and the line after an error that says how long was waited."""
        return [line for line in self.report if line.startswith(("WARNING", "ERROR")) or "seconds spent" in line]


Player = Callable[[socket.socket], bytes]


def play_match(
    match: Match,
    players: Sequence[Player],
    log: Path | None = None,
    transactions: Path | None = None,
    append: bool = False,
    quiet: bool = True,
) -> Played:
    """Deal a match to players that talk to it over sockets, each in a thread of its own."""
    records, report = Records(log, transactions, append), io.StringIO()
    dealer = Dealer(match, records, report, quiet)
    seen, failures = [b""] * len(players), []

    def sit(seat: int) -> None:
        with socket.create_connection(("127.0.0.1", dealer.ports[seat]), timeout=SECONDS) as peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                seen[seat] = players[seat](peer)
            except OSError:  # the dealer has hung up
                return
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=sit, args=(seat,), daemon=True) for seat in range(len(players))]
    for thread in threads:
        thread.start()
    start = time.monotonic()
    try:
        totals: tuple[float, ...] | None = dealer.play()
    except MatchFailed:
        totals = None
    seconds = time.monotonic() - start
    records.close()
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert not failures
    return Played(totals, report.getvalue().splitlines(), seconds, seen)


def match_of(game: str | PokerGame = NO_LIMIT, hands: int = 1, seed: int = 0, **more: object) -> Match:
    """A match of players a, b, ...; limits are given as response, hand, per_hand, start."""
    rules = read_game(game) if isinstance(game, str) else game
    limits = Limits(**{key: more.pop(key) for key in ("response", "hand", "per_hand", "start") if key in more})
    names = more.pop("names", None) or [chr(97 + seat) for seat in range(rules.players)]
    return Match(rules, hands, seed, tuple(names), limits=limits, **more)


def game_for(players: int, limit: bool = False) -> PokerGame:
    """Hold'em for any number of players, as a game file defines it."""
    text = f"""GAMEDEF
{"limit" if limit else "nolimit"}
numPlayers = {players}
numRounds = 4
stack ={" 2000" * players}
blind = {"10 5" if players == 2 else "5 10" + " 0" * (players - 2)}
raiseSize = 10 10 20 20
maxRaises = {"3 4 4 4" if limit else "250 250 250 250"}
firstPlayer = {"2" if players == 2 else "3"} 1 1 1
numSuits = 4
numRanks = 13
numHoleCards = 2
numBoardCards = 0 3 1 1
END GAMEDEF"""
    return parse_game(text, f"holdem-{players}")


def lines_of(peer: socket.socket):
    """Whole lines until the dealer hangs up."""
    with peer.makefile("rb") as stream:
        yield from stream


def scripted(steps: Sequence[str], delay: float = 0.0) -> Player:
    """A player of a recording: '>' a line that comes, '<' what it sends, '=' the last line with more, '!' hang up."""

    def play(peer: socket.socket) -> bytes:
        lines, seen, last = lines_of(peer), b"", b""
        for step in steps:
            kind, text = step[0], step[1:].encode("latin-1")
            if kind == ">":
                line = next(lines, b"")
                seen, last = seen + line, line.rstrip(b"\r\n")
            elif kind == "!":
                return seen
            else:
                if last and delay:
                    time.sleep(delay)
                peer.sendall(last + text if kind == "=" else text)
        return seen + b"".join(lines)

    return play


def told_in(steps: Sequence[str]) -> bytes:
    """What a recorded player was told."""
    return b"".join(step[1:].encode() + b"\r\n" for step in steps if step[0] == ">")


def every_line(answer: Callable[[bytes], bytes]) -> Player:
    """Answers every line, on its turn or not."""

    def play(peer: socket.socket) -> bytes:
        peer.sendall(HELLO)
        seen = b""
        for line in lines_of(peer):
            seen += line
            peer.sendall(answer(line.rstrip(b"\r\n")))
        return seen

    return play


class Steady:
    """An agent that does the same whenever it is told the same: raises, folds and calls of every kind."""

    def __init__(self, most: int | None = None) -> None:
        self.left = most  # actions, after which it falls asleep for good
        self.asleep = threading.Event()

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.asleep.set()
                time.sleep(SECONDS)
        chance = zlib.crc32(match_state(observation, observation.player, 0).encode())
        moves = observation.legal_actions()
        if chance % 20 == 0 and moves.fold:
            return FOLD
        if chance % 3 or not moves.raises:
            return CALL
        return moves.raises[chance // 7 % min(len(moves.raises), 40)]


def agent(player: Agent, game: PokerGame, done: Callable[[Result], None] = lambda result: None) -> Player:
    """One of our agents behind the client's logic; what it has heard is what it returns."""

    def play(peer: socket.socket) -> bytes:
        troubles: list[str] = []
        client = Client(player, game, np.random.default_rng(0), troubles.append)
        peer.sendall(HELLO)
        seen = b""
        for line in lines_of(peer):
            seen += line
            if answer := client.hear(line.rstrip(b"\r\n")):
                peer.sendall(answer)
        done(client.hear_the_end())
        assert not [text for text in troubles if "hung up" not in text]
        return seen

    return play
