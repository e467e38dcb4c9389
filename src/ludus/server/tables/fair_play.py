"""Nobody is helped with a hand that they are playing against other people.

This is a best effort, by the cards: it knows the hands that a person plays under this name, and neither another name of
theirs nor a program on their own machine. It looks at nobody else's cards, so asking tells nothing about them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING

from fastapi import HTTPException

from ludus.cards.card import parse_cards

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ludus.server.service import Service

FLOP = 3
NOT_NOW = "you are playing this hand, or one like it, with other people: there is help with it when it is over"
Cards = tuple[int, ...]


def current_hands(service: Service, person: str | None, session: Session | None = None) -> list[tuple[Cards, Cards]]:
    """The hole cards and boards of the hands that a person is playing with other people. Call it in a thread.

    Whoever has a session already gives it: who holds one and waits for another may wait for all others who do so.
    """
    hands = service.tables.among_people(person, session) if person is not None else []
    return [(hand.state.hole(hand.people.index(person)), hand.state.board) for hand in hands]


def is_current(
    service: Service, person: str | None, cards: Sequence[str], board: Sequence[str], session: Session | None = None
) -> bool:
    """Whether cards are those of a hand that somebody plays with other people; hole cards may be unknown.

    It reads the database: call it in a thread.
    """
    asked = parse_cards("".join(cards)), parse_cards("".join(board))
    return any(alike(playing, asked) for playing in current_hands(service, person, session))


def refuse_current_hand(
    service: Service, person: str | None, cards: Sequence[str], board: Sequence[str], session: Session | None = None
) -> None:
    """409 when somebody asks for help with such a hand."""
    if is_current(service, person, cards, board, session):
        raise HTTPException(409, NOT_NOW)


def alike(playing: tuple[Cards, Cards], asked: tuple[Cards, Cards]) -> bool:
    """Whether cards that are asked about are those in play, or those with other suits, on this street or another.

    Hole cards must be the same where they are told; of boards one is the beginning of the other. Without hole cards it
    takes a flop to be alike.
    """
    (hole, board), (hand, other) = playing, asked
    if not hand and min(len(board), len(other)) < FLOP:
        return False
    for suits in permutations(range(4)):
        renamed = {card: card // 4 * 4 + suits[card % 4] for card in (*hand, *other)}
        same = not hand or {renamed[card] for card in hand} == set(hole)
        on_board = {renamed[card] for card in other}
        if same and (on_board <= set(board) or on_board >= set(board)):
            return True
    return False
