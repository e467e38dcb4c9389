"""Hands per second of matches and of the ACPC dealer."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ludus import games, solvers
from ludus.arena.entrants import make_player
from ludus.arena.match import play_match
from ludus.arena.match_units import MatchUnits
from ludus.arena.plan import MatchPlan
from ludus.experiments.bench.dealer import bare_sockets, loopback
from ludus.experiments.bench.rates import Tell, best_rate, optional

LEDUC_HANDS = 200_000
READABLE_HANDS = 4_000
HOLDEM_HANDS = 4_000
DEALER_HANDS = 2_000
PAIRS = (("random", "call"), ("tight", "loose"), ("always-raise", "call"))
REPEATS = 3


def bench_arena(seed: int, tell: Tell) -> dict[str, Any]:
    """All figures; OpenSpiel's game is the small one, limit Leduc, and keeps no log."""
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
        compiled = _best(tell, "no-limit Leduc, two tables", tables, Path(folder))
        result["leduc_hands_per_second"] = compiled
        tell("the same, readable")
        result["leduc_readable_hands_per_second"] = best_rate(lambda: _readable(tables), REPEATS)
        for pair in PAIRS:
            plan = MatchPlan(games.holdem(), pair, HOLDEM_HANDS, duplicate=True, seed=seed)
            name = f"holdem_{'_'.join(pair)}_hands_per_second".replace("-", "_")
            result[name] = _best(tell, " v ".join(pair), plan, Path(folder))
    tell("the dealer")
    dealer = max(loopback(DEALER_HANDS, seed) for _ in range(REPEATS))
    bare = max(bare_sockets(DEALER_HANDS) for _ in range(REPEATS))
    result |= {"dealer_hands_per_second": dealer, "seed": seed, "cores": 1, "leduc_bets": "all"}
    peers = {"bare sockets, no poker (dealer)": {"per_second": bare, "ratio": dealer / bare}}
    tell("OpenSpiel")
    if (spiel := _open_spiel(seed)) is not None:
        peers["OpenSpiel evaluate_bots, limit Leduc"] = {"per_second": spiel, "ratio": compiled / spiel}
    result["peers"] = peers
    return result


def _best(tell: Tell, what: str, plan: MatchPlan, folder: Path) -> float:
    """Hands per second of a match with its log, each time from the beginning."""
    tell(what)
    runs = iter(range(1000))
    return best_rate(lambda: _matched(plan, folder / f"{what}-{next(runs)}"), REPEATS)


def _matched(plan: MatchPlan, out: Path) -> float:
    return play_match(plan, out).hands


def _readable(plan: MatchPlan) -> float:
    """The hands of a match between tables, played as all other agents play."""
    units = MatchUnits(plan, [make_player(spec, plan) for spec in plan.players])
    units.fast = None
    return sum(map(len, units.play(0, READABLE_HANDS // 2)))


def _open_spiel(seed: int) -> float | None:
    """Hands per second of OpenSpiel's own match of two uniform tables, in limit Leduc; None if it is not installed."""
    if (pyspiel := optional("pyspiel")) is None:
        return None
    game = pyspiel.load_game("leduc_poker")
    policy = pyspiel.UniformRandomPolicy(game)
    bots = [pyspiel.make_policy_bot(game, player, seed, policy) for player in range(2)]

    def play() -> float:
        for hand in range(1000):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed + hand)
        return 1000.0

    return best_rate(play, REPEATS)
