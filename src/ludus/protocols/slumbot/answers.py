"""What Slumbot answers, and whether it can be true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ludus.cards.card import CARDS, format_cards
from ludus.games.base import TERMINAL
from ludus.games.poker import PokerState
from ludus.protocols.slumbot.actions import MOST_TEXT, replay, slumbot_game
from ludus.protocols.slumbot.wire import shown

MOST_TOKEN = 1000
STACK = 20_000
_CARDS = {name: card for card, name in enumerate(CARDS)}


@dataclass(frozen=True)
class Answer:
    """The fields of an answer that matter. ``old_action``, ``won_pot`` and the sums of a session follow from others."""

    action: str
    position: int  # our seat: 0 is the big blind
    hole: tuple[int, ...]
    board: tuple[int, ...]
    bot: tuple[int, ...] | None  # the bot's cards, when the hand is over
    winnings: int | None  # None: the hand is not over
    baseline: int | None


def read_answer(data: Mapping[str, Any]) -> Answer:
    """The fields of an answer, each of its type; ValueError says which is not."""
    action = data.get("action")
    if not isinstance(action, str) or len(action) > MOST_TEXT:
        raise ValueError(f"action is {_seen(data, 'action')}, not an action string")
    position = _number(data, "client_pos", 0, 1)
    if position is None:
        raise ValueError("client_pos is missing")
    winnings = _number(data, "winnings", -STACK, STACK)
    hole, board = _cards(data, "hole_cards", 2), _cards(data, "board", 0, 3, 4, 5)
    over = winnings is not None
    bot = _cards(data, "bot_hole_cards", 2) if over and data.get("bot_hole_cards") is not None else None
    baseline = _number(data, "baseline_winnings", -2 * STACK, 2 * STACK) if over else None
    return Answer(action, position, hole, board, bot, winnings, baseline)


def read_token(data: Mapping[str, Any]) -> str | None:
    """The token of an answer, if it has one; ValueError when it is not a text."""
    token = data.get("token")
    if token is None:
        return None
    if not isinstance(token, str) or not 0 < len(token) <= MOST_TOKEN:
        raise ValueError(f"token is {_seen(data, 'token')}, not a text of 1 to {MOST_TOKEN} characters")
    return token


def _seen(data: Mapping[str, Any], name: str) -> str:
    return shown(data[name]) if name in data else "missing"


def _number(data: Mapping[str, Any], name: str, low: int, high: int) -> int | None:
    value = data.get(name)
    if value is None:
        return None
    if type(value) is not int or not low <= value <= high:  # True is not a position
        raise ValueError(f"{name} is {_seen(data, name)}, not a whole number from {low} to {high}")
    return value


def _cards(data: Mapping[str, Any], name: str, *lengths: int) -> tuple[int, ...]:
    value = data.get(name)
    if (
        not isinstance(value, list)
        or len(value) not in lengths
        or not all(isinstance(card, str) and card in _CARDS for card in value)
    ):
        counts = " or ".join(map(str, lengths))
        raise ValueError(f"{name} is {_seen(data, name)}, not a list of {counts} cards such as Ah")
    return tuple(_CARDS[card] for card in value)


def state_of(answer: Answer) -> PokerState:
    """The state that an answer describes; while the bot's cards are not known, any others stand in for them.

    ValueError when the answer contradicts itself: illegal actions, cards that are missing or there twice, the wrong
    player to act, or winnings that are not what the rules give.
    """
    known = answer.hole + answer.board
    bot = answer.bot or tuple(card for card in slumbot_game().deck if card not in known)[:2]
    hands = (answer.hole, bot) if answer.position == 0 else (bot, answer.hole)
    state = replay(answer.action, (*hands[0], *hands[1], *answer.board))
    if len(state.board) != len(answer.board):
        raise ValueError(
            f"the board is {format_cards(answer.board)} after {shown(answer.action)}: {len(state.board)} cards are due"
        )
    if answer.winnings is None:
        if state.player != answer.position:
            turn = "the hand is over" if state.player == TERMINAL else "it is the bot's turn"
            raise ValueError(f"{turn} after {shown(answer.action)}, but the answer has no winnings")
        return state
    _check_end(answer, state)
    return state


def _check_end(answer: Answer, state: PokerState) -> None:
    if state.player != TERMINAL:
        raise ValueError(f"winnings are {answer.winnings}, but the hand is not over after {shown(answer.action)}")
    if answer.bot is None and len(state.live_seats()) > 1:
        raise ValueError("a showdown without bot_hole_cards")
    payoff = state.returns()[answer.position]
    if payoff != answer.winnings:
        raise ValueError(f"winnings are {answer.winnings} where the rules give {payoff:g} for {shown(answer.action)}")


def follow(answer: Answer, before: Answer, expected: PokerState) -> PokerState:
    """The state of an answer to an action that led from the one before to ``expected``; ValueError if it cannot be."""
    if (answer.position, answer.hole) != (before.position, before.hole):
        raise ValueError(
            f"position and hole cards were {before.position}, {format_cards(before.hole)} and are "
            f"{answer.position}, {format_cards(answer.hole)} within one hand"
        )
    if answer.board[: len(before.board)] != before.board:
        raise ValueError(f"the board was {format_cards(before.board)} and is {format_cards(answer.board)} in one hand")
    state = state_of(answer)
    if _moves(state)[: len(_moves(expected))] != _moves(expected):
        raise ValueError(f"action is {shown(answer.action)}, which does not begin with what was played")
    return state


def _moves(state: PokerState) -> list[int]:
    return [action for street in state.line for action in street]
