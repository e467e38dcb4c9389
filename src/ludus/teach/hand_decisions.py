"""A decision taken from a hand that was played, to be advised on."""

from __future__ import annotations

from ludus.games.poker import HIDDEN, PokerState
from ludus.protocols.histories import PlayedHand
from ludus.teach.review import observations
from ludus.teach.situation_facts import seat_of


def decision_in(hand: PlayedHand, player: str | None = None, decision: int | None = None) -> PokerState:
    """What a player saw at one of their decisions, counted from 1; by default the last one, of the one known player."""
    seat = _seat(hand, player)
    found = [observation for _, observation, _ in observations(hand.state, seat)]
    if not found:
        raise ValueError(f"{hand.players[seat]} makes no decision in this hand")
    if decision is not None and decision > len(found):
        raise ValueError(f"{hand.players[seat]} makes {len(found)} decisions in this hand, there is no {decision}")
    return found[(decision or 0) - 1]


def _seat(hand: PlayedHand, player: str | None) -> int:
    """The seat of a name or position; without one, the only seat whose cards are known."""
    state = hand.state
    if player is not None:
        seat = hand.players.index(player) if player in hand.players else seat_of(player, state.game)
        if HIDDEN in state.hole(seat):
            raise ValueError(f"the cards of {hand.players[seat]} are not known")
        return seat
    known = [seat for seat in range(state.game.players) if HIDDEN not in state.hole(seat)]
    if len(known) != 1:
        names = ", ".join(hand.players[seat] for seat in known) or "nobody"
        raise ValueError(f"the cards of {names} are known: say whose decision it is with --player")
    return known[0]
