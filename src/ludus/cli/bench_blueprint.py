"""What ``ludus bench blueprint`` measures: sampled self-play of abstract hold'em, ours and OpenSpiel's."""

from __future__ import annotations

import sys
import time
from typing import Any

from ludus.cli.research.bench import best_rate
from ludus.cli.solver_peers import rate
from ludus.cli.solving.train import bucket_tables, make_abstraction
from ludus.parallel import usable_cores
from ludus.solvers.blueprint.training import Method, Training
from ludus.trees.blueprint import CATEGORY_CLASSES, Abstraction

BUCKETS = "200"
POT = "100%,allin"  # the bets of OpenSpiel's abstraction: fold, call, pot, all-in
OPEN_SPIEL = (
    "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind=2 1,firstPlayer=2 1 1 1,numSuits=4,numRanks=13,"
    "numHoleCards=2,numBoardCards=0 3 1 1,stack=200 200,bettingAbstraction=fcpa)"
)
PEER_SECONDS, QUICK_PEER_SECONDS = 5.0, 0.5
SOURCE_HANDS = 1_000_000_000  # that Aparicio (2025) trains each model with


def bench_blueprint(seed: int, quick: bool) -> dict[str, Any]:
    """Hands per second and memory. Quick: shorter runs, and classes of hands for the tree instead of buckets."""
    result: dict[str, Any] = {}
    for players in (2, 6):
        run = _Run(make_abstraction(players, 100, "s1", None, None), "outcome", seed, 20_000 if quick else 400_000)
        name = f"outcome_sampling_hands_per_second_{players}p"
        what = f"outcome sampling, {players} players"
        result[name], result[f"{name}_all_cores"] = run.one_core(what, quick)[0], run.all_cores(what, quick)
        result[f"memory_bytes_{players}p"] = run.training.memory
        result[f"infosets_{players}p"] = run.training.layout.infosets
    cards = CATEGORY_CLASSES if quick else BUCKETS
    tree = _Run(make_abstraction(2, 100, "tree", cards, "default"), "external", seed, 1000 if quick else 20_000)
    result["external_sampling_hands_per_second_2p"] = tree.one_core("external sampling", quick)[0]
    result["external_sampling_hands_per_second_2p_all_cores"] = tree.all_cores("external sampling", quick)
    result["external_sampling_cards"] = cards
    result["external_sampling_nodes"] = tree.training.layout.tree.nodes
    seconds = SOURCE_HANDS / result["outcome_sampling_hands_per_second_2p_all_cores"]
    result |= {
        "minutes_for_a_billion_hands_2p": round(seconds / 60, 1),
        "cores": usable_cores(),
        "seed": seed,
        "quick": quick,
    }
    result["peers"] = peers(seed, quick)
    return result


class _Run:
    """A training that has settled a little before it is measured."""

    def __init__(self, abstraction: Abstraction, sampling: Any, seed: int, block: int) -> None:
        self.training = Training(abstraction, Method(sampling, seed, block), bucket_tables(abstraction))
        self.training.warm_up()
        self.training.run_block()

    def one_core(self, what: str, quick: bool) -> tuple[float, float]:
        """Hands and walks in a CPU second of one core, of the fastest of some blocks."""
        from rich.console import Console

        best, walks = (0.0, 0.0), self.training.method.walks
        with Console(stderr=True).status(f"measuring {what}, one core"):
            for _ in range(2 if quick else 6):
                before, start = self.training.state.hands, time.thread_time()
                hands = self.training.run_block().hands - before
                spent = time.thread_time() - start
                best = max(best, (hands / spent, walks / spent))
        return best

    def all_cores(self, what: str, quick: bool) -> float:
        """Hands in a second on all cores."""

        def work() -> float:
            before = self.training.state.hands
            return self.training.run_block(usable_cores()).hands - before

        return best_rate(f"{what}, all cores", work, 2 if quick else 6)


def peers(seed: int, quick: bool) -> dict[str, dict[str, float]]:
    """OpenSpiel's samplers on heads-up hold'em of 100 big blinds with its bets, and ours on the same betting tree.

    It knows every card, where we know classes of hands; so it meets more information sets and looks them up by their
    names. Both clocks count CPU seconds of one core. A walk is for one player; of outcome sampling it is a hand.
    """
    try:
        import pyspiel
    except ImportError:
        return {}
    found = {}
    seconds = QUICK_PEER_SECONDS if quick else PEER_SECONDS
    abstraction = make_abstraction(2, 100, "tree", CATEGORY_CLASSES, POT)
    try:
        game = pyspiel.load_game(OPEN_SPIEL)
        solvers = {
            "outcome": pyspiel.OutcomeSamplingMCCFRSolver(game, seed=seed),
            "external": pyspiel.ExternalSamplingMCCFRSolver(game, seed=seed),
        }
        for kind, solver in solvers.items():
            walks = 2 * rate(solver.run_iteration, seconds)  # an iteration is a walk for each player
            ours = _Run(abstraction, kind, seed, 2000 if quick else {"outcome": 400_000, "external": 10_000}[kind])
            speed = ours.one_core(f"{kind} sampling on OpenSpiel's betting tree", quick)[1]
            found[f"OpenSpiel {kind} sampling, walks"] = {"per_second": walks, "ours": speed, "ratio": speed / walks}
    except Exception as error:  # of whatever kind: a peer that fails must not take our figures with it
        print(f"OpenSpiel could not be measured: {type(error).__name__}: {error}", file=sys.stderr)
    return found
