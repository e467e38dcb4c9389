"""How many hands per second the ACPC dealer deals, and how many the wire alone would carry."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ludus.games.acpc import read_game
from ludus.games.moves import CALL
from ludus.games.record import replay
from ludus.protocols.acpc.dealer import LOCALHOST, Dealer
from ludus.protocols.acpc.log import Records
from ludus.protocols.acpc.match import Match
from ludus.protocols.acpc.messages import match_state

GAME = "holdem.nolimit.2p.reverse_blinds.game"


def loopback(hands: int = 2000, seed: int = 0) -> float:
    """Hands per second of no-limit hold'em with two players that always call, each in a process of its own.

    Eight actions a hand go over TCP on this machine, and the dealer keeps its log. The time is that of play alone,
    from the first state sent.
    """
    with tempfile.TemporaryDirectory() as folder:
        records = Records(Path(folder) / "bench.log")
        dealer = Dealer(Match(read_game(GAME), hands, seed, ("first", "second")), records)
        command = [sys.executable, "-m", "ludus.protocols.acpc.caller", LOCALHOST]
        players = [subprocess.Popen([*command, str(port)]) for port in dealer.ports]
        try:
            dealer.play()
            return hands / (time.monotonic() - dealer.started)
        finally:
            for player in players:
                player.kill()
                player.wait()
            records.close()


def bare_sockets(hands: int) -> float:
    """Hands per second when nobody looks at them: the lines of a called-down hand between two players, and no poker."""
    game = read_game(GAME)
    bettings = ["", "c"] + ["cc/" * street + acted for street in (1, 2, 3) for acted in ("", "c")] + ["cc/cc/cc/cc"]
    states = [replay(game, betting, game.deck) for betting in bettings]
    assert all(state.player >= CALL for state in states[:-1])
    lines = [[match_state(state, seat, 0).encode() + b"\r\n" for seat in range(2)] for state in states]
    command = [sys.executable, "-m", "ludus.protocols.acpc.caller", LOCALHOST]
    listeners = [socket.create_server((LOCALHOST, 0)) for _ in range(2)]
    players = [subprocess.Popen([*command, str(listener.getsockname()[1])]) for listener in listeners]
    try:
        peers = []
        for listener in listeners:
            listener.settimeout(30)
            peers.append(listener.accept()[0])
        for peer in peers:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer.recv(4096)
        start = time.monotonic()
        for _ in range(hands):
            for state, told in zip(states, lines, strict=True):
                for peer, line in zip(peers, told, strict=True):
                    peer.sendall(line)
                if state.player >= 0:
                    peers[state.player].recv(4096)
        return hands / (time.monotonic() - start)
    finally:
        for player in players:
            player.kill()
            player.wait()
        for open_socket in (*listeners, *peers):
            open_socket.close()
