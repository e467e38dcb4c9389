"""A player at a dealer's port: any agent of ours, hand after hand until the dealer hangs up."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ludus.agents.base import Agent, Event, Observer
from ludus.games.base import TERMINAL
from ludus.games.moves import CALL, FOLD, Moves
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import move_text
from ludus.protocols.acpc.follow import Follower, Heard, outcome
from ludus.protocols.acpc.hand import warm_up
from ludus.protocols.acpc.messages import VERSION, MatchState

_CONNECT_SECONDS = 30.0
_CHUNK = 65536
_MOST_REPORTS = 20


class Leave(Exception):
    """Raised by an agent that wants to leave the table."""


@dataclass(frozen=True)
class Result:
    """What a client has played."""

    hands: tuple[float, ...]  # chips won in each finished hand
    troubles: int = 0  # how often something went wrong
    complete: bool = True  # whether no hand was broken off


def play(
    agent: Agent,
    game: PokerGame,
    host: str,
    port: int,
    rng: np.random.Generator,
    report: Callable[[str], None] = lambda text: None,
) -> Result:
    """Play at a dealer's port until it hangs up, which is the normal end.

    Where the agent fails or does something illegal, the client checks, or folds if that is not free, and reports it.
    """
    player = Player(agent, game, rng, report)
    warm_up(game)
    with socket.create_connection((host, port), timeout=_CONNECT_SECONDS) as peer:
        peer.settimeout(None)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            peer.sendall(VERSION)
            for line in _lines(peer):
                if answer := player.hear(line):
                    peer.sendall(answer)
        except Leave:
            return player.result()
        except ConnectionError as error:
            player.trouble(f"the connection to the dealer was lost: {error}")
    return player.hear_the_end()


def _lines(peer: socket.socket) -> Iterator[bytes]:
    """Lines without their ends."""
    rest = b""
    while data := peer.recv(_CHUNK):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r")
        if len(rest) > _CHUNK:
            raise ConnectionError(f"it sends lines of more than {_CHUNK} bytes")


class Player:
    """Turns what a dealer says into states for an agent, and the agent's actions into answers."""

    def __init__(self, agent: Agent, game: PokerGame, rng: np.random.Generator, report: Callable[[str], None]) -> None:
        self.agent, self.rng, self.report = agent, rng, report
        self._observer = agent if isinstance(agent, Observer) else None
        self.results: list[float] = []
        self.troubles = 0
        self._follower = Follower(game)
        self._last = -1  # the last finished hand

    def hear(self, line: bytes) -> bytes | None:
        """The answer to a line of the dealer; nothing if it is not our turn."""
        text = line.decode("latin-1")
        if not text or text[0] in "#;" or text.startswith("ENDGAME"):
            return None
        try:
            heard = self._follower.hear(text)
            if heard.now.state.player == TERMINAL:
                self._finish(heard)
                return None
        except ValueError as error:
            self.trouble(f"a line of the dealer makes no sense, {error}: {text[:200]!r}")
            return None
        self._observe(heard)
        if heard.now.state.player != heard.now.position:
            return None
        return line + b":" + move_text(heard.now.state, self._act(heard.now)).encode() + b"\r\n"

    def hear_the_end(self) -> Result:
        """The dealer has hung up."""
        if self._follower.now is not None:
            self.trouble(f"the dealer hung up in the middle of hand {self._follower.now.hand}")
        return self.result()

    def result(self) -> Result:
        """What has been played so far."""
        return Result(tuple(self.results), self.troubles, self._follower.now is None)

    def trouble(self, text: str) -> None:
        """Count something that should not have happened, and report it unless it happens too often."""
        self.troubles += 1
        if self.troubles <= _MOST_REPORTS:
            self.report(text if self.troubles < _MOST_REPORTS else f"{text} (what follows is not reported)")

    def _finish(self, heard: Heard) -> None:
        if heard.now.hand == self._last:
            return
        self._last = heard.now.hand
        self.results.append(outcome(heard.now.state)[heard.now.position])
        self._observe(heard)

    def _observe(self, heard: Heard) -> None:
        if self._observer is None:
            return
        for step in heard.steps:
            try:
                self._observer.observe(Event(heard.now.position, step.state, step.player, step.action))
            except Leave:
                raise
            except Exception as error:
                self.trouble(f"the agent failed to observe: {type(error).__name__}: {error}")

    def _act(self, now: MatchState) -> int:
        """The agent's action, or the cautious one where it has no legal one."""
        try:
            action = self.agent.act(now.state, self.rng)
            now.state.apply(action)
            return int(action)
        except Leave:
            raise
        except Exception as error:
            action = careful(now.state)
            name = now.state.action_name(action)
            self.trouble(f"hand {now.hand}: {name} instead, the agent failed: {type(error).__name__}: {error}")
            return action


def careful(state: PokerState) -> int:
    """The cautious action: check, or fold if that is not free."""
    moves = state.legal_actions()
    assert isinstance(moves, Moves)
    return FOLD if moves.fold else CALL
