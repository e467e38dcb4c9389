"""Slumbot's action strings and our states, both ways.

``k`` is a check, ``c`` a call, ``f`` a fold, ``b300`` a bet or raise to 300 chips on *this street* (our actions count
the same way, ACPC's count the whole hand), and ``/`` ends a street, even where no more bets are possible:
``b20000c///``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ludus.games.acpc import read_game
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import retrace
from ludus.protocols.slumbot.wire import shown

MOST_TEXT = 2000  # far more than a hand can have
_MOVES = re.compile(r"[kcf/]|b[1-9][0-9]{0,4}")


@lru_cache(maxsize=1)
def slumbot_game() -> PokerGame:
    """Heads-up no-limit hold'em, 50/100, stacks of 20,000. Seat 0 is the big blind, as Slumbot's position 0 is."""
    return read_game("holdem.nolimit.2p.reverse_blinds.game")


def move_text(state: PokerState, action: int) -> str:
    """An action of the player to act.

    >>> dealt = slumbot_game().start().deal(range(52))
    >>> move_text(dealt, 0), move_text(dealt.apply(0), 0), move_text(dealt, 300)
    ('c', 'k', 'b300')
    """
    if action == CALL:
        return "c" if state.to_call() else "k"
    return "f" if action == FOLD else f"b{action}"


def action_text(state: PokerState) -> str:
    """The whole betting of a hand so far.

    >>> dealt = slumbot_game().start().deal(range(52))
    >>> action_text(dealt.apply(200).apply(0)), action_text(dealt.apply(20000).apply(0).deal(range(52)))
    ('b200c/', 'b20000c//')
    """
    streets = [""] * len(state.line)
    for at, action in retrace(state, state.game.deck):  # the cards do not matter here, and may be hidden
        streets[at.street] += move_text(at, action)
    return "/".join(streets)


def read_move(state: PokerState, text: str) -> int:
    """The action of a text such as 'k' or 'b300'; ValueError when the player to act cannot do that."""
    if state.player == TERMINAL:
        raise ValueError("the hand is over already")
    if text in ("k", "c"):
        if (text == "c") != (state.to_call() > 0):
            raise ValueError("there is nothing to call" if text == "c" else f"{state.to_call()} are to call")
        return CALL
    return FOLD if text == "f" else int(text[1:])


def replay(text: str, deck: Sequence[int]) -> PokerState:
    """The state after an action string, with the cards of a deck: the hole cards of seat 0, of seat 1, the board.

    ValueError when an action is not legal, a slash is not where a street ends (those at the very end may be missing),
    or a card is due that the deck does not have.

    >>> replay("b200c/kb400", range(7)).player
    0
    """
    moves = _MOVES.findall(text[:MOST_TEXT])
    if "".join(moves) != text:
        raise ValueError(f"{shown(text)} is not an action string: it has k, c, f, b with a number of chips, and /")
    state = _dealt(slumbot_game().start(), deck)
    for at, move in enumerate(moves):
        if move == "/":
            continue
        try:
            state = state.apply(read_move(state, move))
        except ValueError as error:
            raise ValueError(f"{shown(move)} after {shown(''.join(moves[:at]))} is not legal: {error}") from None
        state = _dealt(state, deck)
    full = action_text(state)
    if text.rstrip("/") != full.rstrip("/") or not full.startswith(text):
        raise ValueError(f"the streets of {shown(text)} do not end where its / are: {full}")
    return state


def _dealt(state: PokerState, deck: Sequence[int]) -> PokerState:
    while state.player == CHANCE:
        due = state.game.card_targets[state.street]
        if len(deck) < due:
            hole = state.game.card_targets[0]
            raise ValueError(f"the board has {len(deck) - hole} cards where {due - hole} are due")
        state = state.deal(deck)
    return state
