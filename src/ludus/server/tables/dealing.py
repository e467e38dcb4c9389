"""What leads to the next hand: a deck that is promised, and a seed from every player for its order."""

from __future__ import annotations

from typing import Any

from ludus.server.models import new_key
from ludus.server.tables.commands import MOST
from ludus.server.tables.deck import Seeds, first_button, shuffled
from ludus.server.tables.state import Conflict, TableState, apply, deal, next_button

Event = tuple[str, dict[str, Any]]


class GivenSeeds:
    """Seeds for the next hand. The first that a person gives counts; nobody is told another's before the deal."""

    def __init__(self) -> None:
        self._given: dict[int, tuple[str, str]] = {}

    def give(self, chair: int, person: str, seed: str) -> bool:
        """Take a seed; whether it is new. Conflict if the person has given another one."""
        known = self.of(chair, person)
        if known is not None and known != seed:
            raise Conflict("you have given another seed for this hand already: the first one counts")
        self._given[chair] = person, seed
        return known is None

    def of(self, chair: int | None, person: str | None) -> str | None:
        """The seed of a person in a chair."""
        found = self._given.get(chair) if chair is not None else None
        return found[1] if found is not None and found[0] == person else None

    def of_next_hand(self, table: TableState) -> Seeds:
        """The seeds of those who are dealt in, by chair."""
        found = {chair: self.of(chair, table.chairs[chair].person) for chair in table.in_next_hand()}
        return {chair: seed for chair, seed in found.items() if seed is not None}

    def clear(self) -> None:
        """The hand is dealt."""
        self._given.clear()


def next_hand(table: TableState, seeds: GivenSeeds, now: float = 0.0) -> list[Event]:
    """The events that begin the next hand at a time; an AI without chips buys some first, except in a sit-and-go."""
    events: list[Event] = []
    for at, chair in enumerate(table.chairs):
        if chair.person is None and not chair.stack and table.config.chips == "carry" and not table.config.sit_and_go:
            events.append(("rebought", {"chair": at, "chips": table.config.stack}))
            table = apply(table, *events[-1])
    button, given = next_button(table), seeds.of_next_hand(table)
    assert table.promised is not None
    if button is None:
        button = first_button(table.promised.hand, given, table.in_next_hand())
    return [*events, ("dealt", deal(table, button, given, now))]


def consequences(table: TableState) -> list[Event]:
    """What happens by itself after an event: a table that closes does so between hands, any other has a promise.

    A sit-and-go closes when it is decided, and any table before it has more chips than can be counted.
    """
    if table.closed:
        return []
    full = table.bought + table.config.seats * table.config.stack > MOST
    if (table.closing or table.decided or full) and not table.playing:
        return [("closed", {})]
    if table.promised is None:
        deck = table.config.game_of([table.config.stack] * table.config.seats).deck
        return [("promised", shuffled(new_key(), deck).to_dict())]
    return []
