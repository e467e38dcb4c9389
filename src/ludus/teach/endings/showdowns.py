"""How a hand ended: who won which pot, and the equities of an all-in from street to street."""

from __future__ import annotations

from typing import NamedTuple

from ludus.games.poker import HIDDEN, PokerState
from ludus.games.pots import winners_of
from ludus.games.showdown import strength
from ludus.protocols.histories.hand import contested_pot, uncalled
from ludus.teach.endings.luck import betting_end, equities, ran_out


class Award(NamedTuple):
    """A pot without what nobody called, and the seats that share it."""

    amount: int
    seats: tuple[int, ...]


class Equities(NamedTuple):
    """What the hands of an all-in win on average with this many cards on the board, by seat; None: folded."""

    cards: int
    shares: tuple[float | None, ...]


def awards(state: PokerState) -> list[Award]:
    """The main pot and the side pots of a finished hand with their winners; none where a hand was never seen.

    As chips are shared (`PokerState.payoffs`), layers that the same winners share are one pot.

    >>> from ludus.games import holdem
    >>> awards(holdem().start().deal(range(52)).apply(6).apply(-1))  # the small blind raises, and four come back
    [Award(amount=4, seats=(1,))]
    """
    live = state.live_seats()
    if len(live) == 1:
        return [Award(contested_pot(state), (live[0],))]
    if any(HIDDEN in state.hole(seat) for seat in live):
        return []
    players = range(state.game.players)
    strengths = [strength(state.hole(seat) + state.board) if seat in live else 0 for seat in players]
    best = sorted({seat for pot in state.pots() for seat in winners_of(pot, strengths)})
    back, found = sum(uncalled(state)), []
    for pot in reversed(state.pots(best)):
        taken = min(back, pot.amount) if len(pot.seats) == 1 else 0
        back -= taken
        if pot.amount > taken:
            found.append(Award(pot.amount - taken, tuple(winners_of(pot, strengths))))
    return found[::-1]


def run_out(state: PokerState) -> list[Equities]:
    """The equities of all who were in, from the end of the betting to the last card; none where there was no all-in.

    They are shares of a pot that all of them can win.
    """
    live = state.live_seats()
    if not ran_out(state) or any(HIDDEN in state.hole(seat) for seat in live):
        return []
    ends, found = state.game.card_targets, []
    for street in range(betting_end(state), len(ends)):
        board = state.cards[ends[0] : ends[street]]
        shares = dict(zip(live, equities(state, live, board), strict=True))
        found.append(Equities(len(board), tuple(shares.get(seat) for seat in range(state.game.players))))
    return found
