"""Finished hands for tests of the server: really played, put into its database."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import insert

from ludus.cards.card import parse_cards
from ludus.games import holdem
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import dealt
from ludus.protocols.histories import PlayedHand
from ludus.server.hands.histories import hand_rows
from ludus.server.models import Hand, HandSeat
from ludus.server.service import Service

START = datetime(2026, 1, 1, tzinfo=UTC)


def dealt_out(game: PokerGame, cards: str, *actions: int) -> PokerState:
    """The end of a hand with these cards, in the order of dealing, after these actions."""
    deck = [*parse_cards(cards)]
    deck += [card for card in game.deck if card not in deck]
    state = dealt(game.start(), deck)
    for action in actions:
        state = dealt(state.apply(action), deck)
    return state


def at_random(game: PokerGame, seed: int) -> PokerState:
    """The end of a hand that is played at random, with a few big bets."""
    chance = random.Random(seed)
    deck = list(game.deck)
    chance.shuffle(deck)
    state = dealt(game.start(), deck)
    while state.player >= 0:
        moves = state.legal_actions()
        raises = moves.raises  # type: ignore[attr-defined]
        choices = [0, 0, 0, *([-1] if moves.fold else []), *raises[:1], *raises[-1:]]  # type: ignore[attr-defined]
        state = dealt(state.apply(chance.choice(choices)), deck)
    return state


def keep(
    service: Service,
    state: PokerState,
    people: Sequence[str | None],
    names: Sequence[str] = (),
    number: int = 1,
    game: str = "holdem",
    shown: Collection[int] = (),
    agent: str = "blueprint:level=3",
    **columns: Any,
) -> str:
    """Put a hand into the database; its id."""
    names = names or [f"player {seat}" for seat in range(state.game.players)]
    agents = ["" if person else agent for person in people]
    told = {"finished": START + timedelta(minutes=number), "number": number} | columns
    hand, seats = hand_rows(
        PlayedHand(state, tuple(names), number), game=game, people=people, agents=agents, shown=shown, **told
    )
    with service.database.session() as session:
        session.execute(insert(Hand), [hand])
        session.execute(insert(HandSeat), seats)
    return str(hand["id"])


HEADS_UP = holdem(stack=200)
