"""``ludus bench arena``: hands a second of matches and of the ACPC dealer."""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludus.arena.plan import MatchPlan

LEDUC_HANDS = 200_000
READABLE_HANDS = 4_000
HOLDEM_HANDS = 4_000
DEALER_HANDS = 2_000
PAIRS = (("random", "call"), ("tight", "loose"), ("always-raise", "call"))
Rate = Callable[[str, Callable[[], float], int], float]


def bench_arena(seed: int, rate: Rate) -> dict[str, Any]:
    """All figures; ``rate`` measures units a second of some work, the best of so many runs."""
    from ludus import games, solvers
    from ludus.arena.plan import MatchPlan
    from ludus.protocols.acpc.bench import loopback

    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        game = games.leduc_nl("all")
        specs = []
        for at in (1, 2):
            path = Path(folder) / f"{at}.safetensors"
            solvers.solve(game, "external", iterations=20_000, seed=at).strategy.save(path)
            specs.append(f"strategy:{path}")
        tables = MatchPlan(game, (specs[0], specs[1]), LEDUC_HANDS, duplicate=True, seed=seed)
        _matched(MatchPlan(game, (specs[0], specs[1]), 1000, duplicate=True, seed=seed), Path(folder) / "warm")
        compiled = _best(rate, "no-limit Leduc, two tables", tables, Path(folder))
        result["leduc_hands_per_second"] = compiled
        result["leduc_readable_hands_per_second"] = rate("the same, readable", lambda: _readable(tables), 3)
        for pair in PAIRS:
            plan = MatchPlan(games.holdem(), pair, HOLDEM_HANDS, duplicate=True, seed=seed)
            name = f"holdem_{'_'.join(pair)}_hands_per_second".replace("-", "_")
            result[name] = _best(rate, " v ".join(pair), plan, Path(folder))
    dealer = max(loopback(DEALER_HANDS, seed) for _ in range(3))
    bare = max(_bare_sockets(DEALER_HANDS) for _ in range(3))
    result |= {"dealer_hands_per_second": dealer, "seed": seed, "cores": 1, "leduc_bets": "all"}
    peers = {"bare sockets, no poker (dealer)": {"per_second": bare, "ratio": dealer / bare}}
    if (spiel := _open_spiel(rate, seed)) is not None:
        peers["OpenSpiel evaluate_bots, limit Leduc"] = {"per_second": spiel, "ratio": compiled / spiel}
    result["peers"] = peers
    return result


def _best(rate: Rate, what: str, plan: MatchPlan, folder: Path) -> float:
    """Hands a second of a match with its log, each time from the beginning."""
    runs = iter(range(1000))
    return rate(what, lambda: _matched(plan, folder / f"{what}-{next(runs)}"), 3)


def _matched(plan: MatchPlan, out: Path) -> float:
    from ludus.arena.match import play_match

    return play_match(plan, out).hands


def _readable(plan: MatchPlan) -> float:
    """The hands of a match between tables, played as all other agents play."""
    from ludus.arena.entrants import make_player
    from ludus.arena.match_units import MatchUnits

    units = MatchUnits(plan, [make_player(spec, plan) for spec in plan.players])
    units.fast = None
    return sum(map(len, units.play(0, READABLE_HANDS // 2)))


def _bare_sockets(hands: int) -> float:
    """Hands a second when nobody looks at them: the lines of a called-down hand between two players, and no poker."""
    from ludus.games.acpc import read_game
    from ludus.games.moves import CALL
    from ludus.games.record import replay
    from ludus.protocols.acpc.bench import GAME
    from ludus.protocols.acpc.messages import match_state

    game = read_game(GAME)
    bettings = ["", "c"] + ["cc/" * street + acted for street in (1, 2, 3) for acted in ("", "c")] + ["cc/cc/cc/cc"]
    states = [replay(game, betting, game.deck) for betting in bettings]
    assert all(state.player >= CALL for state in states[:-1])
    lines = [[match_state(state, seat, 0).encode() + b"\r\n" for seat in range(2)] for state in states]
    command = [sys.executable, "-m", "ludus.protocols.acpc.caller", "127.0.0.1"]
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
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


def _open_spiel(rate: Rate, seed: int) -> float | None:
    """Hands a second of OpenSpiel's own match of two uniform tables, in limit Leduc; None if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("leduc_poker")
    policy = pyspiel.UniformRandomPolicy(game)
    bots = [pyspiel.make_policy_bot(game, player, seed, policy) for player in range(2)]

    def play() -> float:
        for hand in range(1000):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed + hand)
        return 1000.0

    return rate("OpenSpiel", play, 3)
