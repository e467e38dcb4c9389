"""AIVAT in a match: whose strategies are known, in which seats, and what a hand was worth without its luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ludus.agents.base import Agent
from ludus.arena.aivat.cell_tree import fits
from ludus.arena.aivat.estimator import Estimator, make_aivat
from ludus.arena.aivat.heuristics import make_heuristic
from ludus.arena.log import chips
from ludus.arena.plan import MatchPlan
from ludus.games.poker import PokerState
from ludus.solvers.beliefs import RangeStrategist


@dataclass(frozen=True, eq=False)
class MatchAivat:
    """Estimators by how far the players have rotated: the player in seat 0."""

    estimators: tuple[Estimator, ...]

    def values(self, final: PokerState, turn: int, forfeit: bool = False) -> tuple[float, ...]:
        """AIVAT's estimate of a finished hand, by seat."""
        value = self.estimators[turn].estimate(final, 0, forfeit)
        return chips((value, -value))


def match_aivat(plan: MatchPlan, agents: Sequence[Agent]) -> MatchAivat | None:
    """What AIVAT needs for a match; None when it is not asked for, ValueError when nobody's strategy is known.

    All known strategies are used in a small game; in a large one, or when the plan is one-sided, the first of them.
    """
    if plan.aivat is None:
        return None
    known: dict[int, RangeStrategist] = {
        player: agent for player, agent in enumerate(agents) if isinstance(agent, RangeStrategist)
    }
    if not known:
        raise ValueError("AIVAT needs a player who can say how every hand is played; none of these can")
    if plan.one_sided or not fits(plan.game):
        first = min(known)
        known = {first: known[first]}
    heuristic = make_heuristic(plan.aivat, plan.game)
    seatings = ([(seat + turn) % 2 for seat in range(2)] for turn in range(2))
    return MatchAivat(tuple(make_aivat(plan.game, _by_seat(known, seating), heuristic) for seating in seatings))


def _by_seat(known: Mapping[int, RangeStrategist], seating: Sequence[int]) -> dict[int, RangeStrategist]:
    return {seat: known[player] for seat, player in enumerate(seating) if player in known}
