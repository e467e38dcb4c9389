"""Advice for people: one question per person at a time, the latest counts, and the last answer is remembered."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from typing import Any

from ludus.server.work.workers import Workers

SECONDS = 30.0
COMPILING = 300.0  # before everything is compiled
MOST_KEPT = 1000  # people whose last answer is remembered


class Replaced(Exception):
    """The person has asked something else in the meantime."""


class AdviceDesk:
    """Where people ask for advice."""

    def __init__(self) -> None:
        self._latest: dict[str, int] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._answers: OrderedDict[str, tuple[str, bytes]] = OrderedDict()

    async def ask(self, person_id: str, question: dict[str, Any], helpers: Workers, ready: bool) -> bytes:
        """The answer to a question as JSON; Replaced when there was a later one, else as `Workers.run`.

        A question that is being worked on is not stopped for the next one: that would cost a process all it has loaded.
        """
        key = hashlib.sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()
        mine = self._latest[person_id] = self._latest.get(person_id, 0) + 1
        try:
            async with self._locks.setdefault(person_id, asyncio.Lock()):
                known = self._answers.get(person_id)
                if known is not None and known[0] == key:
                    return known[1]
                if self._latest.get(person_id) != mine:
                    raise Replaced
                found = await helpers.run_raw("advise", question, SECONDS if ready else COMPILING)
                self._keep(person_id, key, found)
                return found
        finally:
            if self._latest.get(person_id) == mine:  # no later question is waiting: forget the person
                del self._latest[person_id]
                self._locks.pop(person_id, None)

    def _keep(self, person_id: str, key: str, found: bytes) -> None:
        self._answers[person_id] = key, found
        self._answers.move_to_end(person_id)
        if len(self._answers) > MOST_KEPT:
            self._answers.popitem(last=False)
