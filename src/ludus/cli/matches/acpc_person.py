"""A person in a terminal as a player of the ACPC protocol, and a table with dealer and programs in one command."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import IO

import numpy as np

from ludus.agents.base import Event
from ludus.cli.views.screen import Quit, Screen
from ludus.games.base import TERMINAL
from ludus.games.poker import PokerGame, PokerState
from ludus.protocols.acpc.client import Leave, play
from ludus.protocols.acpc.dealer import LOCALHOST
from ludus.protocols.acpc.follow import outcome

_NO_LIMIT = str(10**9)  # milliseconds: a person may take a walk
_STOP_SECONDS = 5.0


class Person(Screen):
    """Somebody at this terminal: shown what happens, asked when it is his turn."""

    def __init__(self, game: PokerGame) -> None:
        super().__init__(game)
        self._names: list[str] = []
        self._before: PokerState | None = None
        self._hands = 0

    def observe(self, event: Event) -> None:
        """Show what has happened."""
        me, state, before = event.seat, event.state, self._before
        if event.action is None or before is None:
            self._hands += 1
            players = range(self.game.players)
            others = ["opponent"] if self.game.players == 2 else [f"player {n + 1}" for n in players]
            self._names = ["you" if seat == me else others[(seat - me - 1) % len(others)] for seat in players]
            self.say(f"\nHand {self._hands}: you are {self.places[me]}")
        elif event.player != me:
            name = before.action_name(event.action)
            self.say(f"  {self.places[event.player]} {self._names[event.player]}: {name}")
        if state.player == TERMINAL:
            self.show_end(state, me, self._names, outcome(state))
        elif event.action is None or before is None or state.street != before.street:
            self.show_street(state, me)
        self._before = None if state.player == TERMINAL else state

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Ask for an action."""
        try:
            return self.ask(observation, self._names)
        except (Quit, KeyboardInterrupt):
            self.say("")
            raise Leave from None


def play_by_hand(game: PokerGame, host: str, port: int) -> None:
    """A person plays at a dealer's port until the end, or until he quits."""
    person = Person(game)
    person.welcome(f"at the dealer {host}:{port}")
    with suppress(KeyboardInterrupt):  # while others think
        play(person, game, host, port, np.random.default_rng(), lambda text: person.say(f"  {text}", style="yellow"))
    person.summary()


def sit_down(game: PokerGame, game_file: str, agent: str, hands: int, seed: int, log: str | None) -> None:
    """Start a dealer and a program for every other seat, and play against them here."""
    names = ["you", *[f"player{seat}" for seat in range(2, game.players + 1)]]
    options = [] if log else ["-l"]
    for limit in ("--t_response", "--t_hand", "--t_per_hand"):
        options += [limit, _NO_LIMIT]
    with tempfile.TemporaryFile() as troubles:
        dealer = _start(troubles, "dealer", log or "table", game_file, str(hands), str(seed), *names, "-q", *options)
        children = [dealer]
        try:
            assert dealer.stdout is not None
            ports = dealer.stdout.readline().split()
            if len(ports) != game.players:
                raise OSError(f"the dealer did not start: {_last_line(troubles)}")
            for seat, port in enumerate(ports[1:], 1):
                words = ("--agent", agent, "--game", game_file, "--seed", str(seed + seat), LOCALHOST, port.decode())
                children.append(_start(troubles, "play", *words))
            play_by_hand(game, LOCALHOST, int(ports[0]))
        finally:
            for child in children:
                _stop(child)


def _start(troubles: IO[bytes], *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ludus", "acpc", *words]
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=troubles, start_new_session=True
    )


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End a program of ours, gently first."""
    child.terminate()
    try:
        child.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    if child.stdout is not None:
        child.stdout.close()


def _last_line(file: IO[bytes]) -> str:
    file.seek(0)
    return (file.read(4096).decode("utf-8", "replace").strip().splitlines() or ["no reason given"])[-1]
