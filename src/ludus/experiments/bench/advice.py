"""What following the advice costs: decisions from play, advised, and judged in exact solutions of the same subgames."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ludus.agents.blueprint import BlueprintAgent, load_blueprint
from ludus.arena.interval import interval
from ludus.cards.ranges import COMBOS
from ludus.experiments.bench.rates import Tell
from ludus.games import holdem
from ludus.games.base import TERMINAL
from ludus.games.names import street_name
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import dealt
from ludus.parallel import usable_cores
from ludus.solvers.beliefs import reach_of
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import solve_spot
from ludus.teach.advice import Advice
from ludus.teach.advisor import SOLVED, SOLVING, Advisor, default_advisor, in_usual_suits
from ludus.teach.spots.advice import SpotCase
from ludus.trees.spot import Spot

STREETS = ("river", "turn", "flop")
TARGET = 0.1  # percent of the pot that exact solutions can be exploited for
HANDS = 10  # that are judged in one exact solution
MOST_ITERATIONS = 3000


@dataclass
class Judged:
    """What was found on a street."""

    regrets: list[list[float]] = field(default_factory=list)  # in parts of the pot, spot by spot
    seconds: list[float] = field(default_factory=list)  # of the first advice about each spot
    unsolved: int = 0  # decisions whose advice did not come from a solution, and is not judged

    @property
    def decisions(self) -> int:
        """That were judged."""
        return sum(map(len, self.regrets))

    def data(self, target: float) -> dict[str, Any]:
        """As JSON data; hands of one spot are no independent decisions, so the interval is that of spots."""
        each = [regret for spot in self.regrets for regret in spot]
        spots = interval([float(np.mean(spot)) for spot in self.regrets])
        return {
            "regret_mean": float(np.mean(each)), "regret_p95": float(np.quantile(each, 0.95)), "regret_max": max(each),
            "regret_ci95": spots.ci95 if spots.units > 1 else None, "decisions": len(each), "spots": spots.units,
            "unsolved": self.unsolved, "seconds_mean": float(np.mean(self.seconds)), "target_percent": target,
        }  # fmt: skip


def bench_advice(
    streets: Sequence[str], decisions: int, seconds: float, seed: int, stack: int, tell: Tell, hands: int = HANDS,
    target: float = TARGET,
) -> dict[str, Any]:  # fmt: skip
    """Regret of the advised mixes in parts of the pot, street by street, for so many decisions of each.

    A spot is drawn from play; the hand that was held there is judged, and others that the player comes there with, so
    many in all. Ctrl-C ends it with what was found.
    """
    for street in streets:
        if street not in STREETS:
            raise ValueError(f"advice is judged on the {', '.join(STREETS)}, got {street!r}")
    if not target > 0:
        raise ValueError(f"exact solutions are solved to more than 0 % of the pot, got {target}")
    game = holdem(stack=2 * stack)
    advisor = default_advisor(game, seconds=seconds)
    found = dict[str, Judged]()
    try:
        for street in streets:
            advisor.advise(next(_spots(game, street, seed + 1, 1))[0])  # what it compiles is no part of the time
            found[street] = judged = Judged()
            for spot in _spots(game, street, seed, hands):
                if judged.decisions >= decisions:
                    break
                tell(f"{street}, decision {judged.decisions + 1} of {decisions}")
                _judge(advisor, spot[: decisions - judged.decisions], target, judged)
    except KeyboardInterrupt:
        tell("stopped")
    told = {street: judged.data(target) for street, judged in found.items() if judged.regrets}
    return {**told, "seconds": seconds, "stack_bb": stack, "hands": hands, "seed": seed, "cores": usable_cores()}


def _spots(game: PokerGame, street: str, seed: int, hands: int) -> Iterator[list[PokerState]]:
    """Decisions on a street, at most one a hand of the blueprint against itself, each with so many hands to hold."""
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
            played = seen[int(rng.integers(len(seen)))]
            reach = reach_of(agent, played.seen_by(-1))
            others = rng.choice(len(reach), hands - 1, p=reach / reach.sum())
            yield [played, *(_holding(played, tuple(COMBOS[other].tolist())) for other in others)]


def _holding(observation: PokerState, hand: tuple[int, ...]) -> PokerState:
    """The same decision with other cards."""
    cards, first = list(observation.cards), observation.player * len(hand)
    cards[first : first + len(hand)] = hand
    new = observation.seen_by(observation.player)
    new.cards = tuple(cards)
    return new


def _judge(advisor: Advisor, spot: Sequence[PokerState], target: float, judged: Judged) -> None:
    """Advise every hand of a spot, and add what that costs."""
    exact, regrets = dict[bool, Solution](), list[float]()
    for observation in spot:
        begun = time.perf_counter()
        advice = advisor.advise(observation)
        took = time.perf_counter() - begun
        if advice.source != SOLVED:
            judged.unsolved += 1
            continue
        if not regrets:
            judged.seconds.append(took)
        regrets.append(_regret(advisor, advice, target, exact))
    if regrets:
        judged.regrets.append(regrets)


def _regret(advisor: Advisor, advice: Advice, target: float, exact: dict[bool, Solution]) -> float:
    """What the advised mix loses to the best action in the exact solution of its subgame, in parts of the pot.

    Solutions are kept in ``exact``: from the start of the street, and with the betting so far locked.
    """
    observation = in_usual_suits(advice.state)
    answer, case = advisor.spots.answer(observation, SOLVING * advisor.seconds), SpotCase.of(observation, [])
    assert answer is not None
    locked = bool(answer.solution.layout.spot.locks)
    if locked not in exact:
        ranges = np.stack(advisor.beliefs.ranges(observation if locked else case.start))  # no hand is left out
        spot = Spot(case.subgame, ranges, case.locks if locked else ())
        run = solve_spot(spot, target=target, iterations=MOST_ITERATIONS, workers=usable_cores(), packed=not locked)
        if run.stopped_by == "interrupt":  # what is half solved judges nothing
            raise KeyboardInterrupt
        exact[locked] = Solution.of(run)
    known = case.read(exact[locked], usual=False)
    assert known is not None
    worth = {action: value.mean for action, value in known.values.items()}
    mixed = sum(choice.chance * worth[choice.action] for choice in advice.choices)
    return max(0.0, max(worth.values()) - mixed) / observation.pot
