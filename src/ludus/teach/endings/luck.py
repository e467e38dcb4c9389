"""The luck of all-ins: what hands were worth without it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ludus.cards.equity import equity
from ludus.cards.ranges import COMBOS, combo_index
from ludus.games.holdem import is_holdem
from ludus.games.poker import HIDDEN, PokerState
from ludus.games.showdown import strength
from ludus.protocols.histories import PlayedHand
from ludus.protocols.histories.hand import contested_pot


def ran_out(state: PokerState) -> bool:
    """Whether several players were in when the betting was over before all cards were dealt."""
    return len(state.live_seats()) > 1 and not state.line[-1]


def betting_end(state: PokerState) -> int:
    """The last street on which somebody acted."""
    return max((street for street, actions in enumerate(state.line) if actions), default=0)


def adjusted(played: PlayedHand) -> list[float]:
    """What each seat won; where the betting was over before the board was complete, what it wins on average then.

    Each pot counts by the equity of the hands in it on the board at that time; hands that were in, but not in this pot,
    are out of the deck, folded ones are not. A rake is taken as it was, from every pot alike.
    """
    state, returns = played.state, played.returns()
    assert returns is not None
    live = state.live_seats()
    if not ran_out(state) or any(HIDDEN in state.hole(seat) for seat in live):
        return list(returns)
    ends = state.game.card_targets
    board = state.cards[ends[0] : ends[betting_end(state)]]
    after_rake = 1 - played.rake / max(contested_pot(state), 1)
    won = [-float(spent) for spent in state.spent()]
    for pot in state.pots():
        if len(pot.seats) == 1:  # what nobody matched
            won[pot.seats[0]] += pot.amount
            continue
        for seat, share in zip(pot.seats, equities(state, pot.seats, board), strict=True):
            won[seat] += pot.amount * share * after_rake
    return won


def equities(state: PokerState, seats: Sequence[int], board: Sequence[int]) -> Sequence[float]:
    """The equities of some seats' hands on a board, with those of the other live seats known."""
    dead = [card for seat in state.live_seats() if seat not in seats for card in state.hole(seat)]
    if not is_holdem(state.game):
        return _small_shares(state, seats, board)
    ranges = np.zeros((len(seats), len(COMBOS)))
    for row, seat in zip(ranges, seats, strict=True):
        low, high = sorted(state.hole(seat))
        row[combo_index(low, high)] = 1.0
    return equity(list(ranges), board, dead, threads=1).equity


def _small_shares(state: PokerState, seats: Sequence[int], board: Sequence[int]) -> Sequence[float]:
    """The same in a small game over all boards: with one pot, as two players have."""
    seen = {*board, *(card for seat in state.live_seats() for card in state.hole(seat))}
    rest = [card for card in state.game.deck if card not in seen]
    total = np.zeros(len(seats))
    boards = list(combinations(rest, sum(state.game.board_cards) - len(board)))
    for more in boards:
        strengths = np.array([strength((*state.hole(seat), *board, *more)) for seat in seats])
        best = strengths == strengths.max()
        total += best / best.sum()
    return [float(share) for share in total / len(boards)]
