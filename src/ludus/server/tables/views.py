"""What somebody sees of a table. A hidden card is in nothing that this module makes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from ludus.cards.card import CARDS
from ludus.games.names import hand_name, place_names
from ludus.games.poker import PokerState
from ludus.server.tables.dealing import GivenSeeds
from ludus.server.tables.deck import closed_places, seed_list
from ludus.server.tables.sit_and_go import standings
from ludus.server.tables.state import Chair, HandInPlay, TableState, raise_bounds
from ludus.teach.endings.showdowns import awards

BACK = "??"


@dataclass
class Room:
    """What a view shows of a table besides its state."""

    id: str
    host: str
    host_name: str
    invite: str
    config: dict[str, Any]
    seeds: GivenSeeds = field(default_factory=GivenSeeds)
    version: int = 0
    ready: Collection[int] = ()
    connected: Collection[int] = ()
    waiting: list[int] = field(default_factory=list)
    next: int | None = None  # when the next hand is dealt, in milliseconds since 1970
    deadline: int | None = None  # when the player to act runs out of time
    equities: tuple[str, list[dict[str, Any]]] | None = None  # of the all-in of a hand
    bank: float = 0.0  # seconds that they have beyond it


def view(table: TableState, room: Room, person: str | None, events: list[dict[str, Any]]) -> dict[str, Any]:
    """The table as a person sees it, or somebody who only watches."""
    you = table.chair_of(person)
    seated = you is not None and person == table.chairs[you].person
    hand = table.hand
    return {
        "type": "table",
        "id": room.id,
        "version": room.version,
        "config": room.config,
        "host": room.host_name,
        "you": you,
        "hosting": person == room.host,
        "invite": room.invite if you is not None or person == room.host else None,
        "closing": table.closing,
        "closed": table.closed,
        "promise": _promise(table, room, you, person),
        "chairs": _chairs(table, room, you if seated else None),
        "hand": None if hand is None else _hand(hand, room, person),
        "waiting": room.waiting,
        "next": room.next,
        "history": table.hands,
        "ledger": _ledger(table, person),
        "sit_and_go": standings(table),
        "rematch": None if table.rematch is None or you is None else [*table.rematch],
        "events": events,
    }


def _ledger(table: TableState, person: str | None) -> list[dict[str, Any]]:
    """What everybody has brought, has now and has won; neither ids nor empty lines."""
    return [
        {
            "name": account.name, "chair": account.chair, "ai": account.person is None,
            "you": account.person is not None and account.person == person, "hands": account.hands,
            "net": account.net, "bought": account.bought,
            "buys": account.buys, "sitting": account.sitting,
        }
        for account in table.ledger
        if account.hands or (account.sitting and account.person is not None)
    ]  # fmt: skip


def _promise(table: TableState, room: Room, you: int | None, person: str | None) -> dict[str, Any] | None:
    """The deck of the next hand, who has given a seed for its order, and one's own."""
    if table.promised is None:
        return None
    given = [at for at, chair in enumerate(table.chairs) if room.seeds.of(at, chair.person) is not None]
    own = room.seeds.of(you, person)
    return {"id": table.promised.hand, "commitment": table.promised.commitment, "seed": own, "chairs": given}


def _chairs(table: TableState, room: Room, you: int | None) -> list[dict[str, Any]]:
    hand, free = table.hand, table.free_chairs()
    seats = {chair: seat for seat, chair in enumerate(hand.seats)} if hand is not None else {}
    places = place_names(hand.state.game) if hand is not None else []
    shown = []
    for at, chair in enumerate(table.chairs):
        opponent = table.config.opponent(at)
        person = chair.person is not None
        row = {
            "chair": at,
            "kind": "person" if person else "ai",
            "name": chair.name,
            "agent": None if person else opponent.agent,
            "level": None if person else opponent.level,
            "free": at in free,
            "away": chair.away,
            "ready": not person or at in room.ready,
            "connected": not person or at in room.connected,
            "coming": chair.coming[1] if chair.coming else None,
        }
        seat = seats.get(at)
        row |= _idle(chair) if hand is None or seat is None else _playing(hand, seat, chair, at == you, places[seat])
        if hand is not None and seat is not None and hand.people[seat] != chair.person:  # the hand is its player's
            row["kind"] = "ai" if hand.people[seat] is None else "person"
            row |= {"name": hand.names[seat], "coming": chair.name if person else None, "stack": _after(hand, seat)}
        shown.append(row)
    return shown


def _after(hand: HandInPlay, seat: int) -> int:
    """The chips of a seat after a hand."""
    return hand.state.game.stacks[seat] + (hand.net[seat] if hand.net is not None else 0)


def _idle(chair: Chair) -> dict[str, Any]:
    return {
        "stack": chair.stack, "bet": 0, "cards": [], "folded": False, "all_in": False, "in_hand": False, "place": None,
        "net": None, "made": None,
    }  # fmt: skip


def _playing(hand: HandInPlay, seat: int, chair: Chair, own: bool, place: str) -> dict[str, Any]:
    state = hand.state
    folded = bool(state.folded >> seat & 1)
    bet = state.bets[seat] if not hand.over else 0
    stack = chair.stack if hand.over else state.stacks[seat]
    hole = state.hole(seat)
    own = own and chair.person == hand.people[seat]  # not somebody who took the chair after the hand
    if own or (hand.showdown and not folded):
        cards = [CARDS[card] for card in hole]
    else:
        cards = [] if folded else [BACK] * len(hole)
    return {
        "stack": stack,
        "bet": bet,
        "cards": cards,
        "folded": folded,
        "all_in": not folded and not state.stacks[seat],
        "in_hand": True,
        "place": place,
        "net": None if hand.net is None else hand.net[seat],
        "made": hand_name(hole + state.board) if hand.showdown and not folded else None,
    }


def _hand(hand: HandInPlay, room: Room, person: str | None) -> dict[str, Any]:
    state, to_act = hand.state, hand.to_act
    yours = to_act is not None and person is not None and hand.people[state.player] == person
    return {
        "id": hand.id,
        "number": hand.number,
        "over": hand.over,
        "street": state.street,
        "board": [CARDS[card] for card in state.board],
        "pot": state.pot,
        "pots": [
            {"chips": pot.amount, "chairs": [hand.seats[seat] for seat in pot.seats]} for pot in state.pots()
        ],
        "button": hand.seats[-1],
        "turn": hand.turn,
        "to_act": to_act,
        "deadline": None if to_act is None else room.deadline,
        "bank": 0.0 if to_act is None else room.bank,
        "legal": legal(state) if yours else None,
        "commitment": hand.promised.commitment,
        "seeds": seed_list(hand.seeds),
        "reveal": reveal(hand, person) if hand.over else None,
        "awards": [
            {"chips": award.amount, "chairs": [hand.seats[seat] for seat in award.seats]} for award in awards(state)
        ] if hand.over else [],
        "equities": room.equities[1] if room.equities is not None and room.equities[0] == hand.id else None,
        "blinds": sorted(state.game.blinds)[-2:],
        "betting": state.betting(),
    }  # fmt: skip


def legal(state: PokerState) -> dict[str, Any]:
    """What the player to act may do."""
    bounds, call = raise_bounds(state), state.to_call()
    return {
        "fold": call > 0,
        "call": call,
        "raise": None if bounds is None else {"min": bounds[0], "max": bounds[1]},
        "pot": state.pot + call,
    }


def reveal(hand: HandInPlay, person: str | None) -> dict[str, Any]:
    """The leaves of a finished hand: all of them for the only person in it, for others what they have seen anyway."""
    state = hand.state
    if person is not None and {who for who in hand.people if who is not None} == {person}:
        return hand.promised.opened(hand.seeds)
    shown = set(state.live_seats()) if hand.showdown else set()
    shown |= {seat for seat, who in enumerate(hand.people) if who is not None and who == person}
    game = state.game
    closed = closed_places(shown, game.players, game.hole_cards, len(state.cards), len(hand.deck))
    return hand.promised.opened(hand.seeds, closed)
