"""What following the advice costs: decisions from play, advised, and judged in exact solutions of the same subgames."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ludus.agents.blueprint import BlueprintAgent, load_blueprint
from ludus.experiments.bench.rates import Tell
from ludus.games import holdem
from ludus.games.base import TERMINAL
from ludus.games.names import street_name
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import dealt
from ludus.parallel import usable_cores
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import solve_spot
from ludus.teach.advice import Advice
from ludus.teach.advisor import SOLVED, SOLVING, Advisor, default_advisor
from ludus.teach.spots.advice import SpotCase

STREETS = ("river", "turn", "flop")
TARGETS = {"river": 0.1, "turn": 0.1, "flop": 0.3}  # percent of the pot that exact solutions can be exploited for
MOST_ITERATIONS = 3000


def bench_advice(
    streets: Sequence[str], decisions: int, seconds: float, seed: int, stack: int, tell: Tell
) -> dict[str, Any]:
    """Regret of the advised mixes in parts of the pot, street by street, for so many decisions of each."""
    for street in streets:
        if street not in STREETS:
            raise ValueError(f"advice is judged on the {', '.join(STREETS)}, got {street!r}")
    game = holdem(stack=2 * stack)
    advisor = default_advisor(game, seconds=seconds)
    found: dict[str, Any] = {}
    for street in streets:
        advisor.advise(next(_decisions(game, street, seed + 1)))  # what it compiles is no part of the time
        regrets, spent = list[float](), list[float]()
        for observation in _decisions(game, street, seed):
            begun = time.perf_counter()
            advice = advisor.advise(observation)
            took = time.perf_counter() - begun
            if advice.source != SOLVED:
                continue
            tell(f"{street}, decision {len(regrets) + 1} of {decisions}")
            regrets.append(_regret(advisor, advice, seconds, TARGETS[street]))
            spent.append(took)
            if len(regrets) == decisions:
                break
        found[street] = {
            "regret_mean": float(np.mean(regrets)), "regret_p95": float(np.quantile(regrets, 0.95)),
            "regret_max": max(regrets), "decisions": len(regrets), "seconds_mean": float(np.mean(spent)),
            "target_percent": TARGETS[street],
        }  # fmt: skip
    return {
        **found, "seconds": seconds, "stack_bb": stack, "seed": seed, "cores": usable_cores(),
    }  # fmt: skip


def _decisions(game: PokerGame, street: str, seed: int) -> Iterator[PokerState]:
    """Decisions on a street, at most one a hand, of hands that the blueprint plays against itself."""
    agent = BlueprintAgent(load_blueprint("auto", game))
    rng = np.random.default_rng([seed, STREETS.index(street)])
    while True:
        deck = rng.permutation(52).tolist()
        state, seen = dealt(game.start(), deck), list[PokerState]()
        while state.player != TERMINAL:
            if street_name(game, state.street) == street and len(state.legal_actions()) > 1:
                seen.append(state.seen_by(state.player))
            state = dealt(state.apply(agent.act(state.seen_by(state.player), rng)), deck)
        if seen:
            yield seen[int(rng.integers(len(seen)))]


def _regret(advisor: Advisor, advice: Advice, seconds: float, target: float) -> float:
    """What the advised mix loses to the best action in the exact solution of its subgame, in parts of the pot."""
    observation = advice.state
    answer = advisor.spots.answer(observation, SOLVING * seconds)
    assert answer is not None
    spot, case = answer.solution.layout.spot.changed(depth=None), SpotCase.of(observation, [])
    exact = Solution.of(
        solve_spot(spot, target=target, iterations=MOST_ITERATIONS, workers=usable_cores(), packed=not spot.locks)
    )
    known = case.read(exact, usual=False)
    assert known is not None
    worth = {action: value.mean for action, value in known.values.items()}
    mixed = sum(choice.chance * worth[choice.action] for choice in advice.choices)
    return max(0.0, max(worth.values()) - mixed) / observation.pot
