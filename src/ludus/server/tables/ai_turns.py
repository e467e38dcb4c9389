"""The AI's turns: observations go to the players' process, some at once if several wait, and actions come back."""

from __future__ import annotations

import asyncio
import logging
import secrets
from typing import Any

from ludus.games.poker import PokerState
from ludus.server.tables.state import passive
from ludus.server.work.fair_queue import ASKER, FairQueue
from ludus.server.work.wire import to_wire
from ludus.server.work.workers import Workers

log = logging.getLogger(__name__)
AT_ONCE = 16  # turns in one job
MOST_WAITING = 10_000
SECONDS = 20.0  # for a job as a rule; one that takes longer is given up, and the AI checks or folds
FIRST = 600.0  # for the first turn of an agent, which may have to compile


class AiTurns:
    """Asks the agents. They see nothing but what their seat sees."""

    def __init__(self, workers: Workers, at_once: int = AT_ONCE, seconds: float = SECONDS) -> None:
        self._workers, self._at_once, self._seconds = workers, at_once, seconds
        self._waiting = FairQueue[tuple[dict[str, Any], asyncio.Future[int | None]]](MOST_WAITING)
        self._tasks: set[asyncio.Task[None]] = set()
        self._known: set[str] = set()  # agents that have acted

    async def act(self, spec: str, state: PokerState, **more: Any) -> int:
        """The action of the player to act; a passive one when the agent fails.

        ``more`` is what else the turn has: ``known`` are the profiles by seat that an agent who remembers goes by,
        ``short`` says that push or fold decides, ``prizes`` are those that are left.
        """
        turn = {"agent": spec, "seed": secrets.randbits(63), "state": to_wire(state.seen_by(state.player)), **more}
        answer: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        if (lost := self._waiting.put((turn, answer), ASKER.get())) is not None and not lost[1].done():
            lost[1].set_result(None)
        if len(self._tasks) < self._workers.processes:
            task = asyncio.create_task(self._work(), name="AI turns")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        action = await answer
        if action is None or action not in state.legal_actions():
            log.error("%s gave no legal action (%s) after %s: it checks or folds", spec, action, state.betting())
            return passive(state)
        return action

    async def _work(self) -> None:
        """Work off what waits."""
        while self._waiting:
            batch = [self._waiting.take() for _ in range(min(self._at_once, len(self._waiting)))]
            actions = await self._ask([turn for turn, _ in batch])
            for (_, answer), action in zip(batch, actions, strict=True):
                if not answer.done():
                    answer.set_result(action)

    async def _ask(self, turns: list[dict[str, Any]]) -> list[int | None]:
        agents = {turn["agent"] for turn in turns}
        try:
            seconds = self._seconds if agents <= self._known else FIRST
            actions: list[int | None] = await self._workers.run("act", {"turns": turns}, seconds)
            self._known |= agents
            return actions
        except Exception as error:  # whatever goes wrong there, the tables go on
            log.error("the AI of %d tables did not act: %s %s", len(turns), type(error).__name__, error)
        if len(turns) == 1:
            return [None]
        return [action for turn in turns for action in await self._ask([turn])]  # only one of them may be to blame

    async def close(self) -> None:
        """End, answering nobody any more."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
