"""Our solvers on the Leduc games on one core, and the peers' in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from ludus.experiments.bench.cfr_peers import solver_peers
from ludus.experiments.bench.rates import Tell, best_rate
from ludus.games import leduc, leduc_nl
from ludus.games.base import Game
from ludus.solvers import solve
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.montecarlo.solver import MonteCarlo, Sampling
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.flat import flatten

TARGETS = {"1e-2": 1e-2, "1e-3": 1e-3, "1e-4": 1e-4}  # of NashConv, in antes
COMPARED = "1e-3"
PEER_SECONDS, QUICK_PEER_SECONDS = 60.0, 20.0
RUN_SECONDS, QUICK_RUN_SECONDS = 0.25, 0.1  # one of several runs of ours takes about this long
SOLVES = 20  # the best of this many: limit Leduc is solved in the blink of an eye


def bench_cfr(quick: bool, peer_seconds: float | None, seed: int, tell: Tell) -> dict[str, Any]:
    """Everything; quick leaves out the last target, the peers' largest game and most repetitions."""
    targets = {name: value for name, value in TARGETS.items() if not quick or name != "1e-4"}
    limit = peer_seconds or (QUICK_PEER_SECONDS if quick else PEER_SECONDS)
    repeats, seconds = (3, QUICK_RUN_SECONDS) if quick else (7, RUN_SECONDS)
    result: dict[str, Any] = {
        "leduc": limit_leduc(leduc(), "dcfr", targets, repeats, seconds, tell),
        "leduc_cfr_plus": limit_leduc(leduc(), "cfr+", targets, repeats, seconds, tell),
        "leduc_suits": limit_leduc(leduc(show_suits=True), "dcfr", targets, repeats, seconds, tell),
        "leduc_nl_pot": no_limit_leduc(leduc_nl("pot,allin"), seed, repeats, seconds, tell),
        "leduc_nl_all": no_limit_leduc(leduc_nl("all"), seed, repeats, seconds, tell),
    }
    tell(f"the peers, at most {limit:g} s each on each game")
    result["peers"], failures = solver_peers(targets, limit, seed, quick)
    for name, peer in result["peers"].items():
        result[f"ratio_to_{name}"] = _ratio(peer, result, "leduc_suits")
        result[f"ratio_to_{name}_ranks"] = _ratio(peer, result, "leduc")
    return result | {"cores": 1, "seed": seed, "quick": quick, "failures": failures}


def limit_leduc(
    game: Game, algorithm: str, targets: Mapping[str, float], repeats: int, seconds: float, tell: Tell
) -> dict[str, Any]:
    """Speed, and what a user waits for: the solver's iterations and the checks that the target is reached."""
    flat = flatten(game)
    solver = ExactSolver(flat, ALGORITHMS[algorithm])
    tell(f"limit Leduc, {algorithm}")
    reached = {
        name: min(_seconds_to(game, algorithm, target) for _ in range(SOLVES)) for name, target in targets.items()
    }
    return {
        "algorithm": algorithm,
        "information_sets": len(flat.sets),
        "iterations_per_second": speed(solver.run, repeats, seconds),
        "seconds_to": dict.fromkeys(TARGETS) | reached,
    }


def _seconds_to(game: Game, algorithm: str, nash_conv: float) -> float:
    result = solve(game, algorithm, target=nash_conv / game.players)
    if result.stopped_by == "interrupt":  # which ends a run without loss, but this is not what was asked for
        raise KeyboardInterrupt
    return result.seconds


def no_limit_leduc(game: Game, seed: int, repeats: int, seconds: float, tell: Tell) -> dict[str, Any]:
    """Speeds of the exact solver and of sampling with one stream; an iteration is a walk for each player."""
    tell("no-limit Leduc")
    flat = flatten(game)
    result: dict[str, Any] = {"algorithm": "dcfr", "information_sets": len(flat.sets)}
    runs = {"exact": ExactSolver(flat, ALGORITHMS["dcfr"]).run} | {
        kind: MonteCarlo(flat, Sampling(kind, seed, streams=1)).run for kind in ("external", "outcome")
    }
    for kind, run in runs.items():
        tell(f"no-limit Leduc, {kind}")
        result[f"{kind}_iterations_per_second"] = speed(run, repeats, seconds)
    return result


def speed(run: Callable[[int], object], repeats: int, seconds: float) -> float:
    """Iterations per second of the best of several runs of about ``seconds``; compiled before the clock starts."""
    run(1)
    count, spent = 1, 0.0
    while True:
        start = time.perf_counter()
        run(count)
        spent = time.perf_counter() - start
        if spent > seconds / 8:
            break
        count *= 2
    chunk = max(1, round(count * seconds / spent))

    def work() -> float:
        run(chunk)
        return chunk

    return best_rate(work, repeats)


def _ratio(peer: dict[str, Any] | None, ours: dict[str, Any], game: str) -> float | None:
    """The peer's seconds over ours, on the game with the same information sets."""
    theirs = peer and peer.get(game, {}).get("seconds_to", {}).get(COMPARED)
    return theirs / ours[game]["seconds_to"][COMPARED] if theirs else None
