"""Hands per second of sampled self-play in abstract hold'em, ours and OpenSpiel's."""

from __future__ import annotations

import time
from typing import Any

from ludus.experiments.bench.rates import Tell, best_rate, cpu_rate, optional
from ludus.parallel import usable_cores
from ludus.solvers.blueprint.presets import LAST_ACTION, make_abstraction
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


def bench_blueprint(seed: int, quick: bool, tell: Tell) -> dict[str, Any]:
    """Hands per second and memory. Quick: shorter runs, and classes of hands for the tree instead of buckets."""
    result: dict[str, Any] = {}
    for players in (2, 6):
        tell(f"outcome sampling, {players} players")
        run = _Run(make_abstraction(players, form=LAST_ACTION), "outcome", seed, 20_000 if quick else 400_000)
        name = f"outcome_sampling_hands_per_second_{players}p"
        result[name], result[f"{name}_all_cores"] = run.one_core(quick)[0], run.all_cores(quick)
        result[f"memory_bytes_{players}p"] = run.training.memory
        result[f"infosets_{players}p"] = run.training.layout.infosets
    cards = CATEGORY_CLASSES if quick else BUCKETS
    tell("external sampling (bucket tables that are not there yet are built first)")
    tree = _Run(make_abstraction(cards=cards), "external", seed, 1000 if quick else 20_000)
    result["external_sampling_hands_per_second_2p"] = tree.one_core(quick)[0]
    result["external_sampling_hands_per_second_2p_all_cores"] = tree.all_cores(quick)
    result["external_sampling_cards"] = cards
    result["external_sampling_nodes"] = tree.training.layout.tree.nodes
    seconds = SOURCE_HANDS / result["outcome_sampling_hands_per_second_2p_all_cores"]
    result |= {
        "minutes_for_a_billion_hands_2p": round(seconds / 60, 1),
        "cores": usable_cores(),
        "seed": seed,
        "quick": quick,
    }
    result["peers"], result["failures"] = peers(seed, quick, tell)
    return result


class _Run:
    """A training that has settled a little before it is measured."""

    def __init__(self, abstraction: Abstraction, sampling: Any, seed: int, block: int) -> None:
        tables = abstraction.buckets.tables(usable_cores()) if abstraction.buckets else None
        self.training = Training(abstraction, Method(sampling, seed, block), tables)
        self.training.warm_up()
        self.training.run_block()

    def one_core(self, quick: bool) -> tuple[float, float]:
        """Hands and walks per CPU second of one core, in the fastest of some blocks."""
        best, walks = (0.0, 0.0), self.training.method.walks
        for _ in range(2 if quick else 6):
            before, start = self.training.state.hands, time.thread_time()
            hands = self.training.run_block().hands - before
            spent = time.thread_time() - start
            best = max(best, (hands / spent, walks / spent))
        return best

    def all_cores(self, quick: bool) -> float:
        """Hands per second on all cores."""

        def work() -> float:
            before = self.training.state.hands
            return self.training.run_block(usable_cores()).hands - before

        return best_rate(work, 2 if quick else 6)


def peers(seed: int, quick: bool, tell: Tell) -> tuple[dict[str, dict[str, float]], list[str]]:
    """OpenSpiel's samplers on heads-up hold'em of 100 big blinds with its bets, and ours on the same betting tree.

    It knows every card, where we know classes of hands; so it meets more information sets and looks them up by their
    names. Both clocks count CPU seconds of one core. A walk is for one player; in outcome sampling it is a hand.
    The second list says what went wrong.
    """
    if (pyspiel := optional("pyspiel")) is None:
        return {}, []
    found, failures = {}, []
    seconds = QUICK_PEER_SECONDS if quick else PEER_SECONDS
    abstraction = make_abstraction(cards=CATEGORY_CLASSES, bets=POT)
    try:
        game = pyspiel.load_game(OPEN_SPIEL)
        solvers = {
            "outcome": pyspiel.OutcomeSamplingMCCFRSolver(game, seed=seed),
            "external": pyspiel.ExternalSamplingMCCFRSolver(game, seed=seed),
        }
        for kind, solver in solvers.items():
            tell(f"{kind} sampling on OpenSpiel's betting tree")
            walks = 2 * cpu_rate(solver.run_iteration, seconds)  # an iteration is a walk for each player
            ours = _Run(abstraction, kind, seed, 2000 if quick else {"outcome": 400_000, "external": 10_000}[kind])
            speed = ours.one_core(quick)[1]
            found[f"OpenSpiel {kind} sampling, walks"] = {"per_second": walks, "ours": speed, "ratio": speed / walks}
    except Exception as error:  # of any kind: a peer that fails must not take our figures with it
        failures.append(f"OpenSpiel could not be measured: {type(error).__name__}: {error}")
    return found, failures
