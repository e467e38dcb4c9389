"""What leads to the next hand: a deck that is promised, and a seed from every player for its order."""

from __future__ import annotations

from typing import Any

from ludus.server.models import new_key
from ludus.server.tables.deck import Seeds, shuffled
from ludus.server.tables.state import Conflict, TableState


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


def consequences(table: TableState) -> list[tuple[str, dict[str, Any]]]:
    """What happens by itself after an event: a table that closes does so between hands, any other has a promise."""
    if table.closed:
        return []
    if table.closing and not table.playing:
        return [("closed", {})]
    if table.promised is None:
        deck = table.config.game_of([table.config.stack] * table.config.seats).deck
        return [("promised", shuffled(new_key(), deck).to_dict())]
    return []
