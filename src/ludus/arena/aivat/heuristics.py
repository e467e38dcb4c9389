"""Estimates of what a situation is worth, for AIVAT: the better they are, the less luck is left in its results.

AIVAT has the right mean with any heuristic that is fixed before the match. So none may be made from the hands that it
is to judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ludus.arena.aivat.cell_tree import CellTree, fits, profile_values, tree_of
from ludus.arena.aivat.showdowns import Showdowns
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import hole_hands
from ludus.solvers.settings import Settings
from ludus.solvers.solve import make_solver
from ludus.solvers.strategy import Strategy

Floats = NDArray[np.float64]
HEURISTICS = {
    "solved": "values of a strategy that is solved for the purpose (small games)",
    "search": "what a known player's look-ahead says of each of their actions; equity elsewhere",
    "equity": "shares of what the pot may come to, by the chances at showdown",
    "zero": "nothing: no corrections, only the mean over the hands that a known player may have held",
    "strategy:FILE": "values of a saved strategy when both players follow it (small games)",
}
SOLVING_ITERATIONS = 200


class Heuristic(Protocol):
    """What a public state is worth with given hands. It must be a pure function of its arguments."""

    @property
    def asks_players(self) -> bool:
        """Whether known players who can tell are asked what their actions are worth."""

    @property
    def averages_deals(self) -> bool:
        """Whether its value before cards are dealt is exactly the mean of its values after."""

    def values(self, public: PokerState, seat: int, others: Sequence[tuple[int, ...]]) -> Floats:
        """Chips that seat 0 will win, ``[others, hands]``: some hands of the other seat against every hand of this one.

        ``public`` hides both hands, ``hands`` follow ``games.record.hole_hands``. What cannot be held has any finite
        value. A seat's hand against the other's has the same value whichever seat is asked about.
        """


class ZeroHeuristic:
    """Everything is worth nothing: what is left of AIVAT is the mean over hands (Bowling et al. 2008)."""

    averages_deals, asks_players = True, False

    def __init__(self, game: PokerGame) -> None:
        self._hands = len(hole_hands(game))

    def values(self, public: PokerState, seat: int, others: Sequence[tuple[int, ...]]) -> Floats:
        """Zeros."""
        return np.zeros((len(others), self._hands))


class EquityHeuristic:
    """A stake goes to the better hand, over all boards that can come.

    The stake is what both have matched, since not every hand calls an open bet, times a ``growth`` for every street
    that still has betting to come, but never more than the stacks.
    """

    averages_deals = True

    def __init__(self, game: PokerGame, growth: float = 1.5, asks_players: bool = False) -> None:
        self.asks_players = asks_players
        if not 1 <= growth <= 10:
            raise ValueError(f"pots grow by a factor from 1 to 10 a street, got {growth}")
        self.growth = growth
        self._showdowns = Showdowns(game)

    def values(self, public: PokerState, seat: int, others: Sequence[tuple[int, ...]]) -> Floats:
        """Payoffs by the exact probabilities of winning, losing and tying."""
        first, second, tied = self._stakes(public)
        if first == second == tied:
            return np.full((len(others), len(self._showdowns.hands)), first)
        won, lost = (first, second) if seat == 0 else (second, first)
        rows = []
        for other in others:
            win, tie = self._showdowns.against(other, public.board)
            rows.append(lost + (won - lost) * win + (tied - lost) * tie)
        return np.array(rows)

    def _stakes(self, public: PokerState) -> tuple[float, float, float]:
        """What seat 0 gets if it wins, if the other does, and in a tie.

        Before a deal they are the same as after it, whatever the cards, so deals are averaged exactly.
        """
        game = public.game
        while public.player == CHANCE:
            public = public.deal((*public.cards, *(card for card in game.deck if card not in public.cards)))
        if public.player == TERMINAL:
            return outcomes(public)
        antes = game.posted[0] if game.dead_antes else (0, 0)
        matched = min(chips - ante for chips, ante in zip(public.spent(), antes, strict=True))
        most = min(stack - ante for stack, ante in zip(game.stacks, antes, strict=True))
        stake = min(matched * self.growth ** (len(game.board_cards) - public.street), most)
        return stake + antes[1], -stake - antes[0], (antes[1] - antes[0]) / 2


def outcomes(final: PokerState) -> tuple[float, float, float]:
    """What seat 0 gets at the end of a hand if it wins, if the other does, and in a tie: all the same after a fold."""
    won, lost, tied = (final.payoffs(strengths)[0] for strengths in ((1, 0), (0, 1), (1, 1)))
    return won, lost, tied


class SolvedHeuristic:
    """What each hand wins against each other when both players follow one strategy; for games with a small tree."""

    averages_deals, asks_players = True, False

    def __init__(self, tree: CellTree, strategy: Floats) -> None:
        self.tree = tree
        self.cells = profile_values(tree, strategy)

    @classmethod
    def solve(cls, game: PokerGame, iterations: int = SOLVING_ITERATIONS) -> SolvedHeuristic:
        """A rough equilibrium by DCFR, the same for every pair of players."""
        tree = tree_of(game)
        solver = make_solver(tree.flat, Settings("dcfr"), iterations)
        solver.warm_up()
        while solver.iterations < iterations:
            solver.advance(iterations)
        return cls(tree, solver.average())

    def values(self, public: PokerState, seat: int, others: Sequence[tuple[int, ...]]) -> Floats:
        """Looked up in the table."""
        tree = self.tree
        cells = tree.cells_of(self.cells, tree.node_of(public), tree.board_index(public.board))
        rows = [tree.hand_index(other) for other in others]
        return cells[tree.hand_of][:, rows].T if seat == 0 else cells[rows][:, tree.hand_of]


@lru_cache(8)
def make_heuristic(name: str, game: PokerGame) -> Heuristic:
    """A heuristic by its name, one of `HEURISTICS`; an empty name means the best one that the game is small enough for.

    >>> from ludus.games import holdem
    >>> type(make_heuristic("", holdem())).__name__
    'EquityHeuristic'
    """
    if game.players != 2:
        raise ValueError(f"AIVAT is for two players here, {game.name} has {game.players}")
    kind, _, path = (name or default_heuristic(game)).partition(":")
    if kind == "zero" and not path:
        return ZeroHeuristic(game)
    if kind in ("equity", "search") and not path:
        return EquityHeuristic(game, asks_players=kind == "search")
    if kind == "solved" and not path:
        return SolvedHeuristic.solve(game)
    if kind == "strategy" and path:
        return SolvedHeuristic(tree := tree_of(game), Strategy.load(Path(path), game).table(tree.flat))
    raise ValueError(f"there is no value heuristic {name!r}; there are {', '.join(HEURISTICS)}")


def default_heuristic(game: PokerGame) -> str:
    """The name of the heuristic that a match uses unless told otherwise."""
    return "solved" if fits(game) else "search"
