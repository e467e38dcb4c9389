"""A street between two players, solved while the player waits: how to play one hand, and what that is worth.

Turns and rivers are solved to the end of the hand. On the flop, and before it at a table of two, the betting of the
street is solved, and a value network stands for the rest.

The street is solved from its start, or from where the third player folded, with the ranges that both came with, as
`ludus.agents.spot_solver` does; so what the players did from then on changes their ranges as the solution says. Where
the solution hardly ever does what was done, its ranges there mean nothing. Then the betting so far is locked and the
rest is solved again, with the ranges that both have by the blueprint at this very point.

Players who have folded are no part of the spot except for their chips, which lie in the pot.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np

from ludus.agents.evaluation import RARE, Estimate, within
from ludus.agents.spot_solver import MOST_BYTES, subgame_of
from ludus.cards.ranges import COMBOS, Weights, combo_index
from ludus.games.action import Action
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.record import public_decisions
from ludus.nets.holdem.shipped import shipped_values
from ludus.parallel import usable_cores
from ludus.search.fast_spots import accuracy_of
from ludus.solvers.beliefs import Beliefs, Decisions, possible
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solution import Solution
from ludus.solvers.spot.solve import SpotRun, measure
from ludus.solvers.spot.solver import SpotSolver, default_algorithm
from ludus.solvers.spot.view import View
from ludus.trees.locks import Lock
from ludus.trees.spot import Spot
from ludus.trees.subgame import Subgame
from ludus.trees.translation import at_table, poker_moves

ITERATIONS = {2: 115, 3: 900}
"""By street, iterations for a second of thinking: in 0.7 of one a turn is solved to about 1 % of the pot, a river to
0.1 %. Two cores can do them, so that the same decision gets the same answer; the clock ends what takes far longer."""
LEAVES = 3000
"""That a network values for a second of thinking, in one iteration after the other: in 0.7 of one a flop of 100 big
blinds has about 105 iterations, which one core does, and is solved to 1 or 2 % of the pot by the network's values."""
LEAST_ITERATIONS = 30  # whatever the clock says: on a busy machine an answer is late and less exact, not missing
PATIENCE = 5.0  # times the seconds given, after which a solve ends early
MOST_SECONDS = 30.0  # of thinking: more iterations would change nothing
GOOD = 10.0  # percent of the pot: a solution that can be exploited for more is not used again
THIN = {
    0: 0.0,
    1: 0.0,
    2: 0.05,
    3: 0.0,
}  # hands of a smaller weight are left out of a range, for the time that they take
LEAST_OWN = 1e-3  # the weight of the hand that is asked about, at least
LEFT_OVER = 0.002  # of the pot: what a hand is worth is off by as much at least, whatever all hands are together
HAND_ERROR = 0.05  # of the pot: how far networks are off for a hand, the root of twice their loss in exact solves
VALUE_ERROR = 0.03  # of what the hand is worth: the more is at stake, the further they are off
MOST_KEPT = 8
STAGES = ("preflop-end", "flop-end")  # by street: the network behind it


@dataclass(frozen=True, eq=False)
class SpotAnswer:
    """What a solved spot says about one hand."""

    chances: dict[int, float]  # by action at the table
    values: dict[int, Estimate]
    opponent: Weights  # [1326] their range at this point, the largest 1, without the cards in sight
    solution: Solution

    @property
    def percent(self) -> float:
        """What the solution can be exploited for, of the pot."""
        return self.solution.measured.percent


@dataclass(frozen=True, eq=False)
class SpotAdviser:
    """Solves spots with the ranges that are believed in, and remembers the last ones."""

    beliefs: Beliefs
    _solutions: dict[Hashable, Solution] = field(init=False, repr=False, default_factory=dict)

    def answer(
        self, observation: PokerState, seconds: float, also: Sequence[int] = (), decisions: Decisions | None = None
    ) -> SpotAnswer | None:
        """What to do with the hand held, solved within about this many seconds; None where that cannot be done.

        A raise of ``also`` is among the answers; ``decisions`` are as `Beliefs` takes them.
        """
        if len(observation.live_seats()) != 2:
            return None
        if observation.street < len(STAGES) and not _has_networks(observation.game):
            return None
        if observation.street == 0 and observation.game.players > 2:
            return None  # blinds that have folded say something: charts and searches know it
        try:
            case = SpotCase.of(observation, [to for to in also if to > CALL], decisions)
            found = case.read(self._solution(case, case.start, (), seconds))
            return found or case.read(self._solution(case, observation, case.locks, seconds / 2), usual=False)
        except ValueError:  # too large a tree, betting that it cannot follow, ranges that never meet
            return None

    def _solution(self, case: SpotCase, point: PokerState, locks: tuple[Lock, ...], seconds: float) -> Solution:
        """The street solved with the ranges that both players have at a point of the hand, and with locks."""
        ranges = np.stack(case.ranges(self.beliefs, point))
        key = point.game, point.line, point.board, case.subgame, locks, ranges.tobytes()
        known = self._solutions.get(key)
        if known is None:
            known = _solved(Spot(case.subgame, ranges, locks), seconds)
            if len(self._solutions) >= MOST_KEPT:
                self._solutions.clear()
            if known.measured.percent <= GOOD:
                self._solutions[key] = known
        return known


@dataclass(frozen=True, eq=False)
class SpotCase:
    """A decision of one of two players in a subgame: from where it begins, and where it is in the tree."""

    observation: PokerState
    decisions: Decisions  # of the hand so far
    start: PokerState  # the first on this street with two players
    subgame: Subgame
    lines: tuple[str, ...]  # of the decisions from the start up to this one
    done: tuple[Action, ...]  # at each but the last
    also: tuple[int, ...]

    @classmethod
    def of(cls, observation: PokerState, also: Sequence[int], decisions: Decisions | None = None) -> SpotCase:
        """ValueError where no tree can be built for it, or none with more than one raise asked for."""
        if len(also) > 1:
            raise ValueError("one raise can be added to a spot")
        decisions = list(public_decisions(observation)) if decisions is None else decisions
        street = observation.street
        here = [each for each in decisions if each[0].street == street and len(each[0].live_seats()) == 2]
        start = here[0][0] if here else observation.seen_by(-1)
        actions = [action for _, action in here]
        subgame, tree, nodes = subgame_of(_two_handed(start), [*actions, *also])
        lines = tuple(tree.line(node) for node in nodes[: len(actions) + 1])
        done = tuple(tree.action(node) for node in nodes[1 : len(actions) + 1])
        return cls(observation, decisions, start, subgame, lines, done, tuple(also))

    @property
    def hand(self) -> int:
        """The own hand's place among the combinations."""
        return combo_index(*self.observation.hole(self.observation.player))

    @property
    def locks(self) -> tuple[Lock, ...]:
        """What was done from the start on, done with every hand."""
        done = zip(self.lines, self.done, strict=False)
        return tuple(Lock(line, ((action, 1.0),)) for line, action in done)

    def ranges(self, beliefs: Beliefs, point: PokerState) -> tuple[Weights, Weights]:
        """Both players' ranges at a point, without the thinnest hands but with the player's own."""
        since = 0 if point is self.observation else len(self.done)
        tracked = beliefs.ranges(point, self.decisions[: len(self.decisions) - since])
        found = []
        for seat in point.live_seats():
            own = np.where(tracked[seat] < THIN.get(point.street, 0.0), 0.0, tracked[seat])
            if seat == self.observation.player:
                own[self.hand] = max(own[self.hand], LEAST_OWN)
            found.append(own)
        return found[0], found[1]

    def read(self, solution: Solution, usual: bool = True) -> SpotAnswer | None:
        """What the solution says; None where it hardly ever comes here, if that matters, or says nothing."""
        view, at_start = solution.at(self.lines[-1]), solution.layout.ranges
        me = view.player
        mine = int(np.searchsorted(view.combos[me], self.hand))
        held = view.reach[1 - me]
        often = held.sum() / at_start[1 - me].sum(), view.reach[me][mine] / at_start[me][self.hand]
        if usual and min(often) < RARE:
            return None
        values = view.action_ev[:, mine]
        if np.isnan(values).any():
            return None
        error = max(solution.measured.exploitability, LEFT_OVER * self.observation.pot)
        if solution.accuracy is not None:
            error += HAND_ERROR * self.observation.pot + VALUE_ERROR * float(np.abs(values).max())
        chances, worth = self._at_the_table(view, view.strategy[:, mine].tolist(), values.tolist(), error)
        opponent = np.zeros(len(COMBOS))
        opponent[view.combos[1 - me]] = held
        opponent = possible(self.observation, opponent, self.observation.hole(self.observation.player))
        return SpotAnswer(
            chances,
            {action: Estimate(0.0) if action == FOLD else Estimate(value, error) for action, value in worth.items()},
            opponent,
            solution,
        )

    def _at_the_table(
        self, view: View, chances: Sequence[float], values: Sequence[float], error: float
    ) -> tuple[dict[int, float], dict[int, float]]:
        """Chances and values by actions that are legal at the table, where those of the tree may fall together.

        What costs more than the error is not played: early iterations left it in the average.
        """
        moves = poker_moves(self.observation)
        mixed: dict[int, float] = {}
        worth: dict[int, float] = {}
        for known, chance, value in zip(view.actions, chances, values, strict=True):
            action = at_table(known, moves)
            mixed[action] = mixed.get(action, 0.0) + chance
            worth[action] = max(worth.get(action, value), value)
        for action in self.also:  # more than the opponent can call is worth as much as what they can
            if action not in worth:
                worth[action], mixed[action] = worth[max(worth)], 0.0
        if not moves.fold:  # who checks can fold to any bet
            worth[CALL] = max(worth[CALL], 0.0)
        return within(mixed, worth, error), worth


def _solved(spot: Spot, seconds: float) -> Solution:
    street = spot.subgame.street
    cut = street < len(STAGES)
    layout = Layout.of(spot.changed(depth=1) if cut else spot)
    if layout.memory > MOST_BYTES:
        raise ValueError(f"the solution would take {layout.memory / 2**30:.1f} GiB")
    solver = SpotSolver(layout, workers=usable_cores(), leaf_values=shipped_values()[STAGES[street]] if cut else None)
    solver.warm_up()  # so that compiling is not taken for solving
    begun, most = time.perf_counter(), _iterations(solver, street, seconds)
    while solver.iterations < LEAST_ITERATIONS or (
        solver.iterations < most and time.perf_counter() - begun < PATIENCE * seconds
    ):
        solver.advance(most)
    run = SpotRun(
        solver, default_algorithm(layout), measure(solver), time.perf_counter() - begun, (), "iterations",
        accuracy=accuracy_of(spot.stack / (spot.pot + sum(spot.subgame.bets))) if cut else None,
    )  # fmt: skip
    return Solution.of(run)


def _iterations(solver: SpotSolver, street: int, seconds: float) -> int:
    """How many iterations there are to be for some seconds of thinking."""
    seconds = min(seconds, MOST_SECONDS)
    if solver.frontier is None:
        return max(LEAST_ITERATIONS, int(ITERATIONS[street] * seconds))
    valued = int((solver.frontier.leaves.stacks > 0).sum())
    return max(LEAST_ITERATIONS, int(LEAVES * seconds / max(valued, 1)))


def _has_networks(game: PokerGame) -> bool:
    """Whether value networks know how a game goes on after the first streets."""
    return game.betting == "no-limit" and not game.max_raises and (game.players > 2 or game.blinds[0] > game.blinds[1])


def _two_handed(start: PokerState) -> PokerState:
    """A point of a street as a hand of the two who are left: what others have put in is in the pot."""
    seats = start.live_seats()
    if start.game.players == 2:
        return start
    first, second = (start.stacks[seat] for seat in seats)
    posts = (max(start.game.blinds), 0)
    state = copy(start)
    state.game = replace(start.game, stacks=(first + start.pot, second), blinds=posts, antes=(), first_seats=())
    state.stacks, state.bets, state.folded = (first, second), tuple(start.bets[seat] for seat in seats), 0
    state.player = seats.index(start.player)
    state.cards = (*(HIDDEN,) * 4, *start.board)
    return state
