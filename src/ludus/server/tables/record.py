"""A finished hand as rows of the database, and its text.

Hold'em is kept in the PHH format. That has no word for Leduc and Kuhn poker, whose hands are kept as JSON: the rules as
`ludus.server.wire` writes them, the betting as ACPC logs do, the cards in the order of dealing, and the players.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from ludus.cards.card import CARDS, parse_card
from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names
from ludus.games.record import betting_text, replay, retrace
from ludus.protocols.histories import PlayedHand, read_phh, write_phh
from ludus.server.tables.core import Hand, Table
from ludus.server.tables.deck import SCHEME
from ludus.server.wire import game_from_wire, game_to_wire

FORMAT = "ludus-hand-1"


def hand_rows(table_id: str, table: Table, finished: datetime) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The rows of the hand that has just ended, for ``Hand`` and ``HandSeat``."""
    hand = table.hand
    assert hand is not None
    assert hand.net is not None
    game = hand.state.game
    row = {
        "id": hand.id,
        "table_id": table_id,
        "upload_id": None,
        "number": hand.number,
        "finished": finished,
        "game": table.config.game,
        "players": game.players,
        "big_blind": game.big_blind,
        "pot": hand.state.pot,
        "board": "".join(CARDS[card] for card in hand.state.board),
        "phh": write_record(hand, finished),
        "commitment": hand.commitment,
        "deal": {
            "scheme": SCHEME,
            "cards": [CARDS[card] for card in hand.deck],
            "salts": hand.salts,
            "people": sum(person is not None for person in hand.people),
        },
        "adjusted": False,
        "reviewed": False,
    }
    return row, _seat_rows(table, hand)


def _seat_rows(table: Table, hand: Hand) -> list[dict[str, Any]]:
    """What everybody did, counted as `ludus.arena.statistics` counts it."""
    state, places = hand.state, place_names(hand.state.game)
    assert hand.net is not None
    rows: list[dict[str, Any]] = [
        {
            "hand_id": hand.id,
            "seat": seat,
            "person_id": hand.people[seat],
            "name": hand.names[seat],
            "agent": "" if hand.people[seat] else table.config.opponent(chair).spec,
            "place": places[seat],
            "cards": "".join(CARDS[card] for card in state.hole(seat)),
            "shown": hand.showdown and not state.folded >> seat & 1,
            "stack": state.game.stacks[seat],
            "net": hand.net[seat],
            "adjusted": None,
            "paid": False,
            "raised": False,
            "raises": 0,
            "calls": 0,
            "folded": bool(state.folded >> seat & 1),
            "showdown": hand.showdown and not state.folded >> seat & 1,
            "street": state.street,
        }
        for seat, chair in enumerate(hand.seats)
    ]
    for at, action in retrace(state):
        row = rows[at.player]
        if action == FOLD:
            row["street"] = at.street
        elif action > CALL:
            row["raises"] += 1
            row["paid"] |= at.street == 0
            row["raised"] |= at.street == 0
        elif at.to_call():
            row["calls"] += 1
            row["paid"] |= at.street == 0
    return rows


def write_record(hand: Hand, played: datetime | None = None) -> str:
    """The text of a finished hand."""
    state = hand.state
    if state.game.hole_cards == 2:
        chairs = tuple(chair + 1 for chair in hand.seats)
        return write_phh(
            PlayedHand(state, hand.names, hand.number, venue="Ludus", played=played, time_zone="UTC", seats=chairs)
        )
    return json.dumps(
        {
            "format": FORMAT,
            "game": game_to_wire(state.game),
            "betting": betting_text(state),
            "cards": [CARDS[card] for card in state.cards],
            "players": list(hand.names),
            "number": hand.number,
        }
    )


def read_record(text: str) -> PlayedHand:
    """A hand from its text; all hole cards are known."""
    if not text.startswith("{"):
        return read_phh(text)[0]
    data = json.loads(text)
    if data.get("format") != FORMAT:
        raise ValueError(f"a hand in JSON has the format {FORMAT}, not {data.get('format')!r}")
    game = game_from_wire(data["game"])
    cards = [parse_card(card) for card in data["cards"]]
    deck = [*cards, *(card for card in game.deck if card not in cards)]
    return PlayedHand(replay(game, data["betting"], deck), tuple(data["players"]), data["number"])
