"""AIVAT: what a player would have won with less luck, hand by hand and without bias.

Burch, Schmid, Moravcik, Morrill & Bowling (2018), "AIVAT: a new variance reduction technique for agent evaluation in
imperfect information games". A hand's payoff is replaced by

    u + sum over chance events and over decisions of known players of (E[v] - v)

where v is a heuristic's estimate of the value after the event and E[v] its mean over what could have happened instead.
Each correction is 0 on average, whatever the heuristic; a good one removes most of the luck. The payoff and each v are
averaged over the hands that the known players could have held, given what everybody has done and what the others hold:
chance times the known players' own reach. Nothing is corrected at the decisions of an unknown player, and the deal of
their hand counts as chance.

*Forfeits.* A player who runs out of time folds without having chosen to, perhaps where they could check. That is an
event of its own: the corrections up to it stay, because each of them is 0 on average given what came before, and they
end there; the payoff of a fold is the same for every hand. Dropping them and counting the plain payoff instead would
bias the mean, because corrections would be kept only where nobody forfeited later. A forfeit of a known player must not
depend on the hand they hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from ludus.arena.aivat.cell_tree import fits
from ludus.arena.aivat.hand_by_hand import Aivat
from ludus.arena.aivat.heuristics import Heuristic
from ludus.arena.aivat.small_games import AivatTable
from ludus.games.poker import PokerGame, PokerState
from ludus.solvers.beliefs import RangeStrategist

__all__ = ["Aivat", "AivatTable", "Estimator", "make_aivat"]


class Estimator(Protocol):
    """Estimates for one seating of two players."""

    def estimate(self, final: PokerState, seat: int, forfeit: bool = False) -> float:
        """What a seat would have won in a finished hand with less luck; all hole cards must be known.

        ``forfeit``: the last action was a fold that the player did not choose.
        """


def make_aivat(game: PokerGame, known: Mapping[int, RangeStrategist], heuristic: Heuristic) -> Estimator:
    """The fastest way to the estimates of a seating: a table for a small game, otherwise hand by hand.

    ``known`` maps a seat to the player whose strategy is known there: one seat, or both in a small game.
    """
    for suits in (False, True) if fits(game) else ():
        with suppress(ValueError):  # a player may look at suits where the game does not
            return AivatTable(game, known, heuristic, suits)
    return Aivat(game, known, heuristic)  # which says what is wrong, if anything is
