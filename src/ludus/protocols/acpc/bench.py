"""How many hands a second the dealer deals."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ludus.games.acpc import read_game
from ludus.protocols.acpc.dealer import LOCALHOST, Dealer
from ludus.protocols.acpc.log import Records
from ludus.protocols.acpc.match import Match

GAME = "holdem.nolimit.2p.reverse_blinds.game"


def loopback(hands: int = 2000, seed: int = 0) -> float:
    """Hands a second of no-limit hold'em with two players that always call, each in a process of its own.

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
