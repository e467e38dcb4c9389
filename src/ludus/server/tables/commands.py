"""Actions as clients name them."""

from __future__ import annotations

from typing import Any

from ludus.games.moves import CALL, FOLD
from ludus.server.tables.deck import read_seed

WORDS = ("fold", "call", "raise")
MOST = 2**31 - 1


def read_action(message: dict[str, Any]) -> tuple[str, int, int]:
    """Hand, turn and action of a message; ValueError says what is wrong with it."""
    hand, turn, word = message.get("hand"), message.get("turn"), message.get("action")
    if not isinstance(hand, str):
        raise ValueError("say in which hand: its id as `hand`")
    if type(turn) is not int:
        raise ValueError("say at which turn of the hand: a whole number as `turn`")
    if word not in WORDS:
        raise ValueError(f"an action is one of {', '.join(WORDS)}")
    return hand, turn, action_number(word, message.get("to"))


def read_seeding(message: dict[str, Any]) -> tuple[str, str]:
    """Hand and seed of a message; ValueError says what is wrong with it."""
    if not isinstance(hand := message.get("hand"), str):
        raise ValueError("say for which hand: its id as `hand`, which the table's `promise` has")
    return hand, read_seed(message.get("seed"))


def action_number(word: str, to: Any) -> int:
    """The engine's number of an action."""
    if word != "raise":
        if to is not None:
            raise ValueError(f"only a raise has chips `to` go to, {word} has none")
        return FOLD if word == "fold" else CALL
    if type(to) is not int or not 0 < to <= MOST:
        raise ValueError("a raise needs the chips of this street that it goes `to`, a whole number above 0")
    return to
