"""What a line of the protocol means, in plain data."""

from __future__ import annotations

from dataclasses import dataclass

from ludus.games.base import TERMINAL
from ludus.games.moves import Moves
from ludus.games.poker import PokerState


@dataclass(frozen=True)
class Explanation:
    """A state as the competition's library would report it; chips are totals for the whole hand."""

    round: int
    finished: bool
    actor_position: int | None
    fold_legal: bool | None
    min_raise_to: int | None  # None: no raise is legal; in limit games 0 where one is
    max_raise_to: int | None
    spent: list[int]  # by position


def explain(state: PokerState) -> Explanation:
    """Who is to act, and what they may do.

    >>> from ludus.games.acpc import read_game
    >>> from ludus.protocols.acpc.messages import read_match_state
    >>> game = read_game("holdem.nolimit.2p.reverse_blinds.game")
    >>> found = explain(read_match_state(game, "MATCHSTATE:0:0:cr1734:5d5c|").state)
    >>> found.actor_position, found.min_raise_to, found.max_raise_to
    (1, 3368, 20000)
    """
    spent = list(state.spent())
    if state.player == TERMINAL:
        return Explanation(state.street, True, None, None, None, None, spent)
    moves, bounds = state.legal_actions(), state.raise_bounds()
    assert isinstance(moves, Moves)
    low: int | None = None
    high: int | None = None
    if bounds is not None and state.game.betting == "limit":
        low = high = 0
    elif bounds is not None:
        before = spent[state.player] - state.bets[state.player]
        low, high = bounds[0] + before, bounds[1] + before
    return Explanation(state.street, False, state.player, moves.fold, low, high, spent)
