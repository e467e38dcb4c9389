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
    """Raises the pot whenever it is ahead, calls when the price is right, else checks or folds. It never bluffs.

    Ahead is winning more often than an equal share against random hands of the players still in.
    """

    simulations: int = 200

    def __post_init__(self) -> None:
        if self.simulations < 1:
            raise ValueError(f"the number of simulations must be at least 1, got {self.simulations}")

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Simulate, then bet on what comes out."""
        moves = poker_moves(observation)
        opponents = len(observation.live_seats()) - 1
        share = self.winning_share(observation, opponents, rng)
        if share > 1 / (opponents + 1) and moves.raises:
            return raise_by(observation, 1)
        price = observation.to_call() / (observation.pot + observation.to_call())
        return CALL if not moves.fold or share >= price else FOLD

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
