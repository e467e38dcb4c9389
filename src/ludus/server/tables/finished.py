"""A hand that has just ended at a table as rows of the database."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ludus.protocols.histories import PlayedHand
from ludus.server.hands.histories import hand_rows
from ludus.server.tables.deck import SCHEME
from ludus.server.tables.state import HandInPlay, TableState


def table_rows(table_id: str, table: TableState, finished: datetime) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The rows for ``Hand`` and ``HandSeat``; the deck is kept with what its order comes from, for the proof."""
    hand = table.hand
    assert hand is not None
    return hand_rows(
        played_hand(hand, finished),
        game=table.config.game,
        people=hand.people,
        agents=table.agents(),
        shown=hand.state.live_seats() if hand.showdown else (),
        id=hand.id,
        table_id=table_id,
        upload_id=None,
        finished=finished,
        commitment=hand.promised.commitment,
        deal={"scheme": SCHEME, **hand.promised.to_dict(), "seeds": sorted(hand.seeds.items())},
    )


def played_hand(hand: HandInPlay, finished: datetime | None = None) -> PlayedHand:
    """A finished hand as histories know it."""
    chairs = tuple(chair + 1 for chair in hand.seats)
    return PlayedHand(
        hand.state, hand.names, hand.number, venue="Ludus", played=finished, time_zone="UTC", seats=chairs
    )
