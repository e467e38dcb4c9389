"""What people ask of a table, as the event that it leads to, or why not."""

from __future__ import annotations

from typing import Any

from ludus.server.tables.state import Conflict, TableState, is_too_long

Event = tuple[str, dict[str, Any]]


def chair_of(table: TableState, person: str) -> int:
    """Where a person sits; Conflict if they do not."""
    at = table.chair_of(person)
    if at is None:
        raise Conflict("you do not sit at this table")
    return at


def act(table: TableState, person: str, hand_id: str, turn: int, action: int) -> Event:
    """A person acts; ``turn`` is the number of actions before theirs."""
    hand = table.hand
    if table.closed:
        raise Conflict("the table is closed")
    if hand is None or hand.id != hand_id:
        raise Conflict("that hand is not being played")
    if hand.over:
        raise Conflict("the hand is over")
    if hand.people[hand.state.player] != person:
        raise Conflict("it is not your turn")
    if hand.turn != turn:
        raise Conflict(f"turn {turn} of the hand is not now: it is turn {hand.turn}")
    if is_too_long(hand.state, action):
        raise ValueError("so much has been raised that the only raise left is all-in")
    return "acted", {"hand": hand.id, "turn": turn, "chair": hand.to_act, "action": action}


def ready(table: TableState, person: str) -> int:
    """The chair of a person who wants the next hand."""
    at, hand = chair_of(table, person), table.hand
    chair = table.chairs[at]
    if table.closed:
        raise Conflict("the table is closed")
    if hand is not None and not hand.over and at in hand.seats and not chair.away:
        raise Conflict("the hand is not over yet")
    if table.config.chips == "carry" and not chair.stack:
        raise Conflict("you are out" if table.config.sit_and_go else "you have no chips: rebuy first")
    return at


def rebuy(table: TableState, person: str) -> Event:
    """A person fills up their stack, between hands."""
    at = chair_of(table, person)
    if table.config.sit_and_go:
        raise Conflict("nobody buys chips in a sit-and-go")
    if table.config.chips != "carry":
        raise Conflict("stacks are the same in every hand here: there is nothing to buy")
    if table.playing and table.hand is not None and at in table.hand.seats:
        raise Conflict("chips are bought between hands")
    if (chips := table.config.stack - table.chairs[at].stack) <= 0:
        raise Conflict(f"you have {table.chairs[at].stack} chips, a stack is {table.config.stack}")
    return "rebought", {"chair": at, "chips": chips}


def sit(table: TableState, person: str, name: str, chair: int | None, invited: bool) -> Event | None:
    """A person takes a chair, at once or when the hand is over; nothing happens if they have one."""
    free = table.free_chairs()
    if table.closed or table.closing:
        raise Conflict("the table is closed")
    if (at := table.chair_of(person)) is not None:
        if table.chairs[at].leaving:
            raise Conflict("you are leaving: sit down again when the hand is over")
        return None
    if not (invited or table.config.open):
        raise PermissionError("this table is not open: ask somebody at it for the link")
    if table.config.sit_and_go and table.hand is not None:
        raise Conflict("the sit-and-go has begun")
    if not free:
        raise Conflict("no chair is free")
    if chair is not None and chair not in free:
        raise Conflict(f"chair {chair} is not free: {', '.join(map(str, free))} would be")
    return "sat", {"chair": free[0] if chair is None else chair, "person": person, "name": name}
