"""Where a sit-and-go stands: its level, who is out at which place, and what the stacks are worth."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ludus.games.icm import icm
from ludus.server.tables.state import TableState

equities = lru_cache(maxsize=1024)(icm)


def ranking(table: TableState) -> list[int]:
    """All chairs, the best first: those with chips by their stacks, then the others, the last to go first."""
    left = [at for at, chair in enumerate(table.chairs) if at not in table.out]
    return sorted(left, key=lambda at: -table.chairs[at].stack) + list(reversed(table.out))


def prizes_left(table: TableState) -> list[float] | None:
    """The prizes of the places that those in a hand play for, as parts of the pool; None at other tables."""
    game, hand = table.config.sit_and_go, table.hand
    if game is None or hand is None:
        return None
    count = len(hand.seats)
    return [prize / 100 for prize in [*game.prizes, *[0] * count][:count]]


def standings(table: TableState) -> dict[str, Any] | None:
    """A sit-and-go as everybody sees it; None at other tables.

    ``worth`` is the part of the prize pool that each chair's stack is worth (ICM), as before the hand being played.
    """
    game, seats = table.config.sit_and_go, table.config.seats
    if game is None:
        return None
    prizes = [*game.prizes, *[0] * (seats - len(game.prizes))]
    left = [at for at in range(seats) if at not in table.out]
    level = table.level if table.playing else game.level(table.hands, 0, table.level) if game.hands else table.level
    worth = equities(tuple(table.chairs[at].stack for at in left), tuple(map(float, prizes[: len(left)])))
    decided = table.closed or (table.decided and not table.playing)
    places = ranking(table)
    return {
        "level": level,
        "blinds": list(table.config.blinds(level)),
        "next": list(table.config.blinds(level + 1)),
        "hands_left": None if game.hands is None else game.hands - (table.hands % game.hands if table.hands else 0),
        "rises": None if game.minutes is None or table.began is None else table.began + 60 * game.minutes * (level + 1),
        "prizes": game.prizes,
        "left": len(left),
        "decided": decided,
        "places": [
            {"place": place, "chair": at, "name": table.chairs[at].name, "prize": prizes[place - 1]}
            for place, at in enumerate(places, 1)
            if decided or at in table.out
        ],
        "worth": {str(at): share for at, share in zip(left, worth, strict=True)},
    }
