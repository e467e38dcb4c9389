"""Other people's solvers on the Leduc games, where they are installed.

A peer gets every advantage. Its clock counts the CPU time of its solver alone, on one core: not the building of the
game, not the checks of how far it has come, not what else the machine is doing. And besides its own Leduc, which tells
suits apart, it plays the smaller game of ranks alone that ours plays.

OpenSpiel: ``CFRPlusSolver`` of its Python module, in C++, alternating updates, linear averaging. It walks the states of
the game anew in every iteration and looks information sets up by their names; the module has no solver that keeps the
tree. The sampling solvers are of the same module. Its no-limit games are ours: the uniform strategy has the same
exploitability, 222.7315 chips with bets of the pot and all-in, 393.0507 with all multiples of the ante.

LiteEFG: its CFR+ on the tree that it makes of OpenSpiel's game; to NashConv 1e-3 the fastest of its CFR+, DCFR, PCFR+.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

from ludus.experiments.bench.rates import cpu_rate
from ludus.solvers.running import next_check

LEDUC = {"leduc": "leduc_poker(suit_isomorphism=True)", "leduc_suits": "leduc_poker"}
NO_LIMIT = (
    "universal_poker(betting=nolimit,numPlayers=2,numRounds=2,blind={ante} {ante},firstPlayer=1 1,numSuits=2,"
    "numRanks=3,numHoleCards=1,numBoardCards=0 1,stack={stack} {stack},bettingAbstraction={bets})"
)
LEDUC_NL = {
    "leduc_nl_pot": NO_LIMIT.format(ante=100, stack=1200, bets="fcpa"),
    "leduc_nl_all": NO_LIMIT.format(ante=1, stack=12, bets="fullgame"),  # counted in antes, so that all bets are whole
}
RACES = 3  # the best of this many, where they are short
RATE_SECONDS = 2.0  # a speed without a target is measured for about this long


def solver_peers(
    targets: Mapping[str, float], seconds: float, seed: int, quick: bool
) -> tuple[dict[str, Any], list[str]]:
    """What each peer does on each game, within a limit of seconds each, None where it is missing or fails; and why."""
    failures: list[str] = []
    found = {
        "open_spiel": _measured("pyspiel", lambda peer: open_spiel(peer, targets, seconds, seed, quick), failures),
        "liteefg": _measured("LiteEFG", lambda peer: lite_efg(peer, targets, seconds), failures),
    }
    return found, failures


def _measured(module: str, measure: Callable[[Any], dict[str, Any]], failures: list[str]) -> dict[str, Any] | None:
    try:
        library = import_module(module)
    except ImportError:
        return None
    try:
        return measure(library)
    except Exception as error:  # of any kind: a peer that fails must not take our figures with it
        failures.append(f"{module} could not be measured: {type(error).__name__}: {error}")
        return None


def open_spiel(pyspiel: Any, targets: Mapping[str, float], seconds: float, seed: int, quick: bool) -> dict[str, Any]:
    """OpenSpiel's C++ solvers. Quick: without the exact solver where an iteration takes seconds."""
    found: dict[str, Any] = {"algorithm": "CFR+ (C++)", "limit_seconds": seconds}
    for name, description in LEDUC.items():
        found[name] = _open_spiel_race(pyspiel, pyspiel.load_game(description), targets, seconds)
    short = min(RATE_SECONDS, seconds)
    for name, description in LEDUC_NL.items():
        game = pyspiel.load_game(description)
        sampling = {
            "external": pyspiel.ExternalSamplingMCCFRSolver(game, seed=seed),
            "outcome": pyspiel.OutcomeSamplingMCCFRSolver(game, seed=seed),
        }
        too_long = quick and name == "leduc_nl_all"
        exact = None if too_long else cpu_rate(pyspiel.CFRPlusSolver(game).evaluate_and_update_policy, short)
        found[name] = {"exact_iterations_per_second": exact} | {
            f"{kind}_iterations_per_second": cpu_rate(solver.run_iteration, short) for kind, solver in sampling.items()
        }
    return found


def _open_spiel_race(pyspiel: Any, game: Any, targets: Mapping[str, float], seconds: float) -> dict[str, Any]:
    def run() -> dict[str, Any]:
        solver = pyspiel.CFRPlusSolver(game)
        sets = len(solver.tabular_average_policy().policy_table())

        def nash_conv() -> float:
            return float(pyspiel.nash_conv(game, solver.average_policy()))

        return {"information_sets": sets} | race(solver.evaluate_and_update_policy, nash_conv, targets, seconds)

    return best_race(run, seconds)


def lite_efg(library: Any, targets: Mapping[str, float], seconds: float) -> dict[str, Any]:
    """LiteEFG's CFR+, its linear average included."""
    pyspiel, recipe = import_module("pyspiel"), import_module("LiteEFG.baselines.CFRplus")
    if hasattr(library, "set_threads"):
        library.set_threads(1)
    found: dict[str, Any] = {"algorithm": "CFR+", "limit_seconds": seconds}
    for name, description in LEDUC.items():
        found[name] = _lite_efg_race(library, recipe, pyspiel.load_game(description), targets, seconds)
    return found


def _lite_efg_race(
    library: Any, recipe: Any, game: Any, targets: Mapping[str, float], seconds: float
) -> dict[str, Any]:
    def run() -> dict[str, Any]:
        with _away_from_home():
            environment, graph = library.OpenSpielEnv(game, traverse_type="Enumerate"), recipe.graph()
        environment.set_graph(graph)

        def step() -> None:
            graph.update_graph(environment)
            environment.update_strategy(graph.current_strategy())

        def nash_conv() -> float:
            return float(sum(environment.exploitability(graph.current_strategy(), "linear-avg-iterate")))

        return {"information_sets": len(environment.state_lookup)} | race(step, nash_conv, targets, seconds)

    return best_race(run, seconds)


def best_race(run: Callable[[], dict[str, Any]], seconds: float) -> dict[str, Any]:
    """The fastest of some identical races, as many as fit into half of the time."""
    races = [run()]
    each = races[0]["iterations"] / races[0]["iterations_per_second"]
    while len(races) < RACES and (len(races) + 1) * each < seconds / 2:
        races.append(run())
    return max(races, key=lambda result: float(result["iterations_per_second"]))


def race(
    step: Callable[[], object], nash_conv: Callable[[], float], targets: Mapping[str, float], seconds: float
) -> dict[str, Any]:
    """CPU seconds of ``step`` until NashConv falls to each target, None where a limit comes first.

    NashConv is measured off the clock, after the same numbers of iterations as ours.
    """
    reached: dict[str, float | None] = dict.fromkeys(targets)
    done, spent = 0, 0.0
    while spent < seconds and None in reached.values():
        goal, start = next_check(done), time.thread_time() - spent
        while done < goal and spent < seconds:
            step()
            done, spent = done + 1, time.thread_time() - start
        now = nash_conv()
        for name, target in targets.items():
            if reached[name] is None and now <= target:
                reached[name] = spent
    return {"iterations_per_second": done / spent, "iterations": done, "seconds_to": reached}


@contextmanager
def _away_from_home() -> Iterator[None]:
    """LiteEFG writes the games that it converts into the user's home and prints as it goes: keep both from them."""
    before = os.environ.get("HOME")
    with TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        os.environ["HOME"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["HOME"]
            else:
                os.environ["HOME"] = before
