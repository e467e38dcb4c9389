"""Hold'em at a table as the pictures that networks learnt from (`ludus.rl.pictures`), for two players or more."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ludus.agents.expert.guesses import longest_run, most_of_a_suit
from ludus.agents.expert.rules import winning_share
from ludus.cards.random import streams
from ludus.games.holdem import is_holdem
from ludus.games.learning.encoding import DiscreteActions
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import public_decisions
from ludus.rl.pictures import (
    BOARD,
    EARLIER,
    LAST,
    NUMBERS,
    OWN,
    POT,
    PRICE,
    RUN,
    SHARE,
    STREET,
    SUITED,
    THEIRS,
    pictures,
)  # fmt: skip

if TYPE_CHECKING:
    from ludus.rl.lanes import Floats

_SIMULATIONS = 1000  # for the share of pots that a hand wins


class HoldemView:
    """What a network is shown of a state of no-limit hold'em, and what its actions are.

    With more than two players the share is that against all who are left, their stacks are the mean, as Pricope (2020,
    section 4.4) proposes, and the last action is that of whoever else acted last.
    """

    def __init__(self, game: PokerGame) -> None:
        if not is_holdem(game) or game.betting != "no-limit":
            raise ValueError(f"pictures are of no-limit hold'em, not of {game.name} ({game.betting})")
        self.actions = DiscreteActions(game)

    def row(self, state: PokerState) -> Floats:
        """[17] What the player to act sees, as the learner's games show it (`ludus.arena.freeze_out_lanes.show`)."""
        seat, board = state.player, np.array(state.board, np.uint8)
        others = [each for each in state.live_seats() if each != seat]
        chips = 2 * sum(state.game.stacks) / state.game.players
        owed = min(state.to_call(), state.stacks[seat])
        row = np.full(NUMBERS, -1, np.float32)
        row[:BOARD], row[BOARD : BOARD + len(board)] = state.hole(seat), board
        row[EARLIER], row[LAST] = 0, 0
        for before, action in public_decisions(state):
            if before.player == seat:
                row[EARLIER] = len(before.board)
            else:
                row[LAST] = (2 if action > 0 else 1) / 2
        row[SHARE] = _share(state.hole(seat), state.board, len(others))
        row[PRICE] = owed / (state.pot + owed)
        row[OWN], row[POT] = state.stacks[seat] / chips, state.pot / chips
        row[THEIRS] = sum(state.stacks[each] for each in others) / len(others) / chips
        row[RUN], row[SUITED], row[STREET] = longest_run(board) / 5, most_of_a_suit(board) / 5, state.street / 3
        return row

    def of(self, state: PokerState, seat: int) -> Floats:
        """[9, 17, 17] What is shown of a state."""
        assert seat == state.player
        shown: Floats = pictures(self.row(state)[None])[0]
        return shown


@lru_cache(maxsize=4096)
def _share(hand: tuple[int, ...], board: tuple[int, ...], opponents: int) -> float:
    """Simulated from the same random numbers every time, so that a network always says the same of a situation."""
    s0, s1 = streams(0, 1)[0]
    return float(winning_share(hand[0], hand[1], np.array(board, np.uint8), opponents, _SIMULATIONS, s0, s1)[0])
