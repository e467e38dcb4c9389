"""What the trackers of online poker count of a hand: for each seat, which of the usual things it could do and did.

Definitions as PokerTracker and Hold'em Manager publish them:

* *3-bet*: a raise over the first raise before the flop; a chance is every decision that faces exactly one raise, not
  one's own, where raising is possible.
* *Fold to 3-bet*: of those who made that first raise and face the second.
* *Steal*: a raise first in from the cutoff, the button or the small blind, when everybody before has folded.
* *C-bet*: a bet on the flop by the last raiser before it, when nobody has bet yet; *fold to c-bet*: of those who face
  such a bet before anybody has raised it.
* *WTSD* is the share of flops seen that went to showdown, *W$SD* the share of showdowns in which something was won.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names
from ludus.games.poker import PokerState
from ludus.games.record import retrace
from ludus.protocols.histories.hand import without_gaps

FIGURES = ("three_bet", "fold_to_three_bet", "steal", "c_bet", "fold_to_c_bet", "showdowns", "won_at_showdown")
BITS = {name: 1 << at for at, name in enumerate(FIGURES)}
STEALERS = ("CO", "BTN", "SB", "BTN/SB")


@dataclass(slots=True)
class SeatCounts:
    """What one seat could do and did, as bits of `BITS`, and its bets, raises and calls after the first street."""

    chances: int = 0
    taken: int = 0
    later_raises: int = 0
    later_calls: int = 0

    def count(self, name: str, done: bool) -> None:
        """A chance, taken or not."""
        self.chances |= BITS[name]
        self.taken |= BITS[name] * done


def tracked(final: PokerState, returns: Sequence[float]) -> list[SeatCounts]:
    """The counts of every seat of a finished hand, with what each seat won or lost."""
    game = final.game
    seats, places, holdem = [SeatCounts() for _ in range(game.players)], place_names(game), game.hole_cards == 2
    raises, first, last, limped = 0, -1, -1, False  # before the flop: how many, by whom first and last
    flop_bets, c_bettor, folded_early = 0, -1, 0
    for state, action in retrace(final, without_gaps(game, final.cards)):
        seat, aggressive = state.player, action > CALL
        counts = seats[seat]
        if state.street:
            counts.later_raises += aggressive
            counts.later_calls += action == CALL and state.to_call() > 0
        if not holdem or state.street > 1:
            continue
        if state.street == 0:
            if raises == 0 and not limped and places[seat] in STEALERS:
                counts.count("steal", aggressive)
            elif raises == 1 and last != seat and state.raise_bounds() is not None:
                counts.count("three_bet", aggressive)
            elif raises == 2 and first == seat:
                counts.count("fold_to_three_bet", action == FOLD)
            if aggressive:
                raises, first, last = raises + 1, seat if first < 0 else first, seat
            limped |= action == CALL and raises == 0 and state.to_call() > 0
            folded_early |= (action == FOLD) << seat
            continue
        if flop_bets == 0 and seat == last:
            counts.count("c_bet", aggressive)
            c_bettor = seat if aggressive else -1
        elif flop_bets == 1 and c_bettor >= 0:
            counts.count("fold_to_c_bet", action == FOLD)
        flop_bets += aggressive
    _count_ends(final, returns, seats, folded_early)
    return seats


def _count_ends(final: PokerState, returns: Sequence[float], seats: list[SeatCounts], folded_early: int) -> None:
    """Flops seen, showdowns and what they brought. In games with one card each every hand counts as seen."""
    live, spent = final.live_seats(), final.spent()
    if not final.board and final.game.hole_cards == 2:
        return
    for seat, counts in enumerate(seats):
        if folded_early >> seat & 1:
            continue
        shown = len(live) > 1 and seat in live
        counts.count("showdowns", shown)
        if shown:  # what nobody called is no loss and comes back
            matched = min(spent[seat], max(paid for other, paid in enumerate(spent) if other != seat))
            counts.count("won_at_showdown", returns[seat] > 1e-9 - matched)
