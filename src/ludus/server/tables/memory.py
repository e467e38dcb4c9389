"""The memory of AIs who play by what their opponents did before: rebuilt for each hand from the hands that are kept.

They remember the finished hands that they have played with the people at the table: what everybody did there, and
nobody's cards. Nothing else is stored, so what is deleted is forgotten.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ludus.agents import AGENTS
from ludus.server.hands.opponents import earlier_hands

if TYPE_CHECKING:
    from ludus.server.service import Service

log = logging.getLogger(__name__)
MOST_HANDS = 200  # with each person, the latest ones
MOST_KEPT = 500  # hands in play whose memory is at hand
SECONDS = 60.0  # for counting hands, which compiles at first
WHO = [name for name, kind in AGENTS.items() if kind.remembers]


class Memories:
    """What those who remember know at the tables, worked out once a hand."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._known: OrderedDict[str, asyncio.Task[dict[str, Any]]] = OrderedDict()

    async def of(self, hand_id: str, sitting: Sequence[str], people: Sequence[str]) -> dict[str, Any]:
        """Profiles by seat of who sits there: people by their ids, AIs by their specs."""
        if hand_id not in self._known:
            self._known[hand_id] = asyncio.create_task(self._recall(sitting, people), name="memory")
            if len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)
        found = await asyncio.shield(self._known[hand_id])
        return {str(seat): found[who] for seat, who in enumerate(sitting) if who in found}

    async def close(self) -> None:
        """End; nobody waits any more."""
        for task in self._known.values():
            task.cancel()
        await asyncio.gather(*self._known.values(), return_exceptions=True)

    async def _recall(self, sitting: Sequence[str], people: Sequence[str]) -> dict[str, Any]:
        """What is known of those who sit there; nothing when that fails: then the play is balanced."""
        needed = "agents" if len(sitting) == 2 else "advice"  # by which what it takes has been compiled
        if self._service.settings.warm_up and needed not in self._service.ready:
            return {}
        try:
            hands = await asyncio.to_thread(self.hands, people, len(sitting))
            asked = {"hands": hands, "wanted": sorted(set(sitting))}
            found: dict[str, Any] = await self._service.thinkers.run("remember", asked, SECONDS) if hands else {}
            return found
        except Exception as error:  # whatever goes wrong there, the table goes on
            log.error("what opponents did before is not known: %s %s", type(error).__name__, error)
            return {}

    def hands(self, people: Sequence[str], players: int) -> list[dict[str, Any]]:
        """The hands of people with those who remember, everybody in them named. It reads the database."""
        found: dict[str, dict[str, Any]] = {}
        with self._service.database.session() as session:
            for person in people:
                for hand in earlier_hands(session, person, WHO, players, MOST_HANDS):
                    found[hand["record"]] = {**hand, "agents": [who or person for who in hand["agents"]]}
        return list(found.values())
