"""A player that acts on its chance of winning alone, found by simulation (Pricope 2020, HeuristicMC)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.games.showdown import strength_rows
from ludus.trees.translation import poker_moves, raise_by


@dataclass(frozen=True)
class HeuristicAgent:
    """Raises whenever it is ahead, calls when the price is right, else checks or folds. It never bluffs.

    Ahead is taking more than a share of the pots against random hands of the players still in; thresholds are for one
    opponent, and become smaller with more as an equal share does.
    """

    simulations: int = 200
    size: float = 1.0  # of a raise, as a fraction of the pot
    ahead: float = 0.5  # above this share it raises
    least: float = 0.0  # below this share it calls nothing, however cheap

    def __post_init__(self) -> None:
        if self.simulations < 1:
            raise ValueError(f"the number of simulations must be at least 1, got {self.simulations}")
        if not 0 <= self.size <= 1000:
            raise ValueError(f"a raise is from 0 to 1000 pots, 0 for the smallest, got {self.size:g}")
        for name in ("ahead", "least"):
            if not 0 <= (value := getattr(self, name)) <= 1:
                raise ValueError(f"{name} is a share from 0 to 1, got {value:g}")

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Simulate, then bet on what comes out."""
        moves = poker_moves(observation)
        opponents = len(observation.live_seats()) - 1
        share = self.winning_share(observation, opponents, rng)
        fair = 2 / (opponents + 1)
        if share > self.ahead * fair and moves.raises:
            return raise_by(observation, self.size)
        price = observation.to_call() / (observation.pot + observation.to_call())
        return CALL if not moves.fold or share >= max(price, self.least * fair) else FOLD

    def winning_share(self, observation: PokerState, opponents: int, rng: np.random.Generator) -> float:
        """The share of the pot that the hand takes on average, against random hands on random boards."""
        game, seat = observation.game, observation.player
        own, board = observation.hole(seat), observation.board
        unseen = np.array([card for card in game.deck if card not in observation.cards])
        to_come, count = sum(game.board_cards) - len(board), game.hole_cards
        shuffled = np.argsort(rng.random((self.simulations, len(unseen))), axis=1)
        dealt = unseen[shuffled[:, : opponents * count + to_come]]
        shown = np.tile(np.array(board, np.int64), (self.simulations, 1))
        full = np.hstack([shown, dealt[:, opponents * count :]])
        mine = strength_rows(np.hstack([np.tile(own, (self.simulations, 1)), full]))
        theirs = np.stack(
            [strength_rows(np.hstack([dealt[:, i * count : (i + 1) * count], full])) for i in range(opponents)]
        )
        tied = 1 + (theirs == mine).sum(axis=0)
        return float(np.mean((theirs.max(axis=0) <= mine) / tied))
