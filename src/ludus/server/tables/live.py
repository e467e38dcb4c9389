"""A table that is being played at: one task owns it, and everything that happens to it goes through that task.

What people ask for comes as commands in a mailbox; timers and the AI's answers come there too. A command decides which
events happen, they are committed to the log, then the state moves on and everybody is told. A command that is cancelled
by whoever asked is still finished.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ludus.games.moves import CALL
from ludus.games.poker import PokerState
from ludus.server.tables import requests
from ludus.server.tables.chat import Chat
from ludus.server.tables.config import BETWEEN_PEOPLE
from ludus.server.tables.dealing import Event, consequences, next_hand
from ludus.server.tables.log import Entry, NotKept
from ludus.server.tables.state import Conflict, HandInPlay, TableState, apply, is_too_long, passive
from ludus.server.tables.story import steps_after, tell
from ludus.server.tables.time_bank import TimeBanks
from ludus.server.tables.views import Room, view
from ludus.teach.endings.luck import ran_out

if TYPE_CHECKING:
    from ludus.server.tables.registry import Tables
    from ludus.server.tables.sockets import Viewer

log = logging.getLogger(__name__)
SOON = 0.04  # seconds: what the AI or the dealer does at once is shown in one message with what came before
NEXT_HAND = 10.0  # seconds in which several people have time to look at a hand that is over
TOLD = 300  # steps of the story that are kept for clients to catch up with
Command = Callable[[], Awaitable[None]]


class TableGone(Exception):
    """The table has left the memory: look it up again."""


class LiveTable:
    """A table in memory."""

    def __init__(self, tables: Tables, table: TableState, room: Room) -> None:
        self._tables = tables
        self.table, self.room = table, room
        self.viewers: set[Viewer] = set()
        self.chat, self._banks = Chat(), TimeBanks()
        self.touched = time.monotonic()
        self.gone = False
        self._ready: set[int] = set()
        self._story: deque[dict[str, Any]] = deque(maxlen=TOLD)
        self._mail: asyncio.Queue[tuple[Command, asyncio.Future[None] | None]] = asyncio.Queue()
        self._timer: asyncio.TimerHandle | None = None
        self._telling: asyncio.TimerHandle | None = None
        self._busy = False  # whether the table itself acts next, at once
        self._working = self._changed = False  # whether it works on a command, and that has changed something
        self._asked: tuple[str, int] | None = None  # hand and turn that the clock runs or the AI thinks for
        self._pause_since: float | None = None  # since when the next hand could begin
        self._thinking: asyncio.Task[None] | None = None
        self._working_out: asyncio.Task[None] | None = None
        self._task = asyncio.create_task(self._run(), name=f"table {room.id}")
        if consequences(table):  # of a log that ends in between
            self._post(self._happen)
        self._plan()
        self.tell()

    # The mailbox

    async def do(self, command: Command) -> None:
        """Have a command carried out after those before it; its errors are the caller's."""
        if self.gone:
            raise TableGone
        self.touched = time.monotonic()
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._mail.put_nowait((command, done))
        await asyncio.shield(done)

    def _post(self, command: Command) -> None:
        """The same for the table itself."""
        if not self.gone:
            self._mail.put_nowait((command, None))

    async def _run(self) -> None:
        while True:
            self._working = False
            command, done = await self._mail.get()
            self._working = True
            try:
                await self._carry_out(command, done)
                if self._changed:
                    self._changed = False
                    self._plan()
                    self.tell()
            except asyncio.CancelledError:
                if done is not None and not done.done():
                    done.set_exception(TableGone())
                raise
            except Exception as error:
                if not isinstance(error, NotKept):
                    log.exception("table %s has broken down", self.room.id)
                if done is not None and not done.done():
                    done.set_exception(error)
                self._tables.drop(self)  # what is true is in the log
                return

    async def _carry_out(self, command: Command, done: asyncio.Future[None] | None) -> None:
        """Do what a command says; what it refuses is the caller's to know."""
        try:
            await command()
            if done is not None and not done.done():
                done.set_result(None)
        except (Conflict, PermissionError, ValueError) as error:
            if done is None:
                log.error("table %s could not go on: %s", self.room.id, error)
            elif not done.done():
                done.set_exception(error)

    def idle(self) -> bool:
        """Whether nobody looks and nothing is under way."""
        thinking = self._thinking is not None and not self._thinking.done()
        busy = self._working or thinking or not self._mail.empty() or self._timer is not None
        return not (busy or self.viewers)

    def stop(self) -> None:
        """Leave the memory; commands that still wait are not done."""
        self.gone = True
        self._set_timer(None, None)
        if self._telling is not None:
            self._telling.cancel()
        for task in (self._thinking, self._working_out, self._task):
            if task is not None and task is not asyncio.current_task():
                task.cancel()
        while not self._mail.empty():
            _, done = self._mail.get_nowait()
            if done is not None and not done.done():
                done.set_exception(TableGone())
        for viewer in self.viewers:
            viewer.end()

    # What happens

    async def _happen(self, *events: Event) -> None:
        """Events and their consequences, all or none: they are committed, then they are so, then they are told."""
        before = after = self.table
        done, waiting, story = list[Event](), list(events), list[dict[str, Any]]()
        while waiting or (waiting := consequences(after)):
            kind, data = waiting.pop(0)
            last, after = after, apply(after, kind, data)
            done.append((kind, data))
            story += tell(last, kind, data, after)
        if not done:
            return
        ended = after.hand is not None and after.hand.over and after.hands > before.hands
        entry = Entry(self.room.id, before.number + 1, done, after if ended else None)
        await self._tables.log.keep(entry)
        self.table = after
        self._story.extend(story)
        if ended:
            assert after.hand is not None
            self._pause_since = time.monotonic()
            self._tables.finished(after.hand, after.config)
            if ran_out(after.hand.state) and self.viewers:
                self._working_out = asyncio.create_task(self._work_out(after.hand))
        self._changed = True

    async def _work_out(self, hand: HandInPlay) -> None:
        """The equities of an all-in, for those who look at it; the table does not wait for them."""
        try:
            equities = await self._tables.equities(hand)
        except Exception as error:
            log.warning("the equities of hand %s are not known: %s %s", hand.id, type(error).__name__, error)
            return
        self.room.equities = hand.id, equities
        self.tell()

    async def act(self, person: str, hand_id: str, turn: int, action: int) -> None:
        """A person acts; ``turn`` is the number of actions before theirs."""
        await self._happen(requests.act(self.table, person, hand_id, turn, action))

    async def _act(self, hand_id: str, turn: int, action: int | None, late: bool = False) -> None:
        """The table acts for the AI, or for somebody who does not."""
        hand = self.table.hand
        if hand is None or hand.over or (hand.id, hand.turn) != (hand_id, turn):
            return
        action = passive(hand.state) if action is None else action
        action = CALL if is_too_long(hand.state, action) else action
        data = {"hand": hand_id, "turn": turn, "chair": hand.to_act, "action": action}
        await self._happen(("acted", {**data, "late": True} if late else data))

    async def _deal(self) -> None:
        if self.table.closed or self.table.playing or not self._can_deal():
            return
        self._banks.refill(self.table.config.seconds or 0)
        events = next_hand(self.table, self.room.seeds, time.time())
        self._ready.clear()
        self.room.seeds.clear()
        await self._happen(*events)

    async def seed(self, person: str, hand_id: str, seed: str) -> None:
        """A person gives their part of the order of the next deck."""
        at, promised = requests.chair_of(self.table, person), self.table.promised
        if promised is None or promised.hand != hand_id:
            raise Conflict("that hand is not promised: give a seed for the one that is")
        self._changed |= self.room.seeds.give(at, person, seed)

    async def ready(self, person: str) -> None:
        """A person wants the next hand."""
        at = requests.ready(self.table, person)
        chair = self.table.chairs[at]
        self._ready.add(at)
        if self._pause_since is None and not self.table.playing:
            self._pause_since = time.monotonic()
        if chair.away and not chair.leaving:
            await self._happen(("back", {"chair": at}))
        self._changed = True

    async def away(self, person: str) -> None:
        """A person sits out until they are back; in a hand they check or fold."""
        at = self.table.chair_of(person)
        if at is None:
            raise Conflict("you do not sit at this table")
        if not self.table.chairs[at].away and self.table.chairs[at].person == person:
            self._ready.discard(at)
            await self._happen(("away", {"chair": at}))

    async def say(self, person: str, text: Any) -> None:
        """A person says something to those who sit here."""
        line = self.chat.say(self.table, person, text)
        for viewer in self.viewers:
            if self.table.chair_of(viewer.person) is not None:
                viewer.say(line)

    async def back(self, person: str) -> None:
        """A person who was away is here again."""
        at = requests.chair_of(self.table, person)
        if self.table.chairs[at].away and not self.table.chairs[at].leaving:
            await self._happen(("back", {"chair": at}))

    async def rebuy(self, person: str) -> None:
        """A person fills up their stack, between hands."""
        await self._happen(requests.rebuy(self.table, person))

    async def sit(self, person: str, name: str, chair: int | None, invited: bool) -> None:
        """A person takes a chair, at once or when the hand is over."""
        event = requests.sit(self.table, person, name, chair, invited or person == self.room.host)
        if event is not None:
            await self._happen(event)

    async def leave(self, person: str) -> None:
        """A person gives up their chair; in a hand they check or fold until it is over."""
        at = requests.chair_of(self.table, person)
        if not self.table.chairs[at].leaving or self.table.chairs[at].person != person:
            self._ready.discard(at)
            await self._happen(("left", {"chair": at}))

    async def close(self, person: str) -> None:
        """The host closes the table; a hand is played to its end before, in which they check or fold."""
        table = self.table
        if person != self.room.host:
            raise PermissionError("only its host closes a table")
        if table.closed or table.closing:
            return
        if table.playing and table.hand is not None:
            if table.hand.people[table.hand.state.player] is not None:
                self._asked = None  # whoever is to act has a clock from now on
            await self._happen(("closing", {"chair": table.chair_of(person)}))
        else:
            await self._happen(("closed", {}))

    async def rematch(self, person: str, table_id: str, invite: str) -> None:
        """Somebody who plays here goes on at another table: the others are told where."""
        requests.chair_of(self.table, person)
        if self.table.rematch is None:
            await self._happen(("rematched", {"table": table_id, "invite": invite}))

    # What the table does by itself

    def _plan(self) -> None:
        """Make sure that whoever is to act does, or that the next hand is dealt."""
        room, hand = self.room, self.table.hand
        room.waiting, room.next = [], None
        self._busy = False
        if self.table.closed or self.gone:
            room.deadline = None
            self._set_timer(None, None)
        elif hand is None or hand.over:
            room.deadline = None
            self._plan_next()
        else:
            assert hand.to_act is not None
            away = self.table.chairs[hand.to_act].away
            self._busy = away or hand.people[hand.state.player] is None
            if self._asked != (hand.id, hand.turn):
                self._asked = hand.id, hand.turn
                self._plan_turn(hand.id, hand.turn, hand.state)
            elif away:  # they left while they were to act
                self._post(lambda: self._act(hand.id, hand.turn, None))

    def _plan_turn(self, hand_id: str, turn: int, state: PokerState) -> None:
        assert self.table.hand is not None
        at = self.table.hand.to_act
        assert at is not None
        chair, seconds = self.table.chairs[at], self.table.config.seconds
        seconds = BETWEEN_PEOPLE if seconds is None and self.table.closing else seconds
        self.room.deadline, self.room.bank = None, 0.0
        self._set_timer(None, None)
        self._banks.end()
        if self.table.hand.people[state.player] is None:
            spec = self.table.config.opponent(at).spec
            self._thinking = asyncio.create_task(self._think(spec, hand_id, turn, state))
        elif chair.away:
            self._post(lambda: self._act(hand_id, turn, None))
        elif seconds is not None:
            self.room.deadline = int(1000 * (time.time() + seconds))
            if (person := self.table.hand.people[state.player]) is not None and self.table.config.people > 1:
                self.room.bank = self._banks.begin(person, seconds)
            self._set_timer(seconds + self.room.bank, lambda: self._act(hand_id, turn, None, late=True))

    async def _think(self, spec: str, hand_id: str, turn: int, state: PokerState) -> None:
        action, table = None, self.table
        try:
            action = await self._tables.act(spec, state, table)
        except Exception:
            log.exception("%s did not act at table %s", spec, self.room.id)
        self._post(lambda: self._act(hand_id, turn, action))

    def _present(self) -> list[int]:
        """Chairs of people who would be dealt in now."""
        chairs = self.table.chairs
        return [at for at in self.table.in_next_hand() if chairs[at].person is not None and not chairs[at].away]

    def _can_deal(self) -> bool:
        if self.table.config.sit_and_go:
            return bool(self._present()) and not self.table.decided
        ai = sum(chair.person is None for chair in self.table.chairs)  # they buy chips when they have none
        return bool(self._present()) and len(self._present()) + ai >= 2

    def _plan_next(self) -> None:
        present = self._present()
        missing = [at for at in present if at not in self._ready]
        self.room.waiting = missing or ([] if present else self.table.people())
        if not self._can_deal():
            self._set_timer(None, None)
            return
        if not missing:
            self._set_timer(None, None)
            self._busy = True
            self._post(self._deal)
            return
        if len(present) > 1 and self._pause_since is not None:
            left = self._pause_since + NEXT_HAND - time.monotonic()
            self.room.next = int(1000 * (time.time() + max(left, 0)))
            self._set_timer(max(left, 0), self._deal)
        else:
            self._set_timer(None, None)

    def _set_timer(self, seconds: float | None, command: Command | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None and command is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._ring, command)

    def _ring(self, command: Command) -> None:
        self._timer = None
        self._post(command)

    # Who looks

    def join(self, viewer: Viewer) -> None:
        """Somebody opens a socket."""
        self.touched = time.monotonic()
        self.viewers.add(viewer)
        if self.table.chair_of(viewer.person) is not None:
            for line in self.chat.lines:
                viewer.say({**line, "old": True})
        self.tell()
        viewer.wake()

    def part(self, viewer: Viewer) -> None:
        """Somebody closes one."""
        self.touched = time.monotonic()
        self.viewers.discard(viewer)
        self.tell()

    def tell(self) -> None:
        """Everybody who looks is shown the table as it is now, or in a moment if it goes on by itself."""
        self.room.version = max(self.room.version + 1, int(time.time() * 1000))
        self.room.ready = self._ready
        self.room.connected = {at for viewer in self.viewers if (at := self.table.chair_of(viewer.person)) is not None}
        if not self._busy:
            self._show()
        elif self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(SOON, self._show)

    def _show(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None
        for viewer in self.viewers:
            viewer.wake()

    def touch(self) -> None:
        """Somebody has looked."""
        self.touched = time.monotonic()

    def last_step(self) -> int:
        """The number of the last step of the story."""
        return self._story[-1]["n"] if self._story else 0

    def view(self, person: str | None, since: int | None = None) -> dict[str, Any]:
        """The table as somebody sees it, with the steps after one of the story: by default those of this hand."""
        return view(self.table, self.room, person, steps_after(self._story, since))
