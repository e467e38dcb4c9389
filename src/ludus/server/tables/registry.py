"""All tables of a server: in memory while somebody is there, in the log always."""

from __future__ import annotations

import asyncio
import gc
import logging
import re
import time
from contextlib import nullcontext, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from ludus.agents import AGENTS, with_settings
from ludus.agents.levels import STRONGEST
from ludus.agents.registry import settings_of
from ludus.agents.short_stacks import is_short
from ludus.games.holdem import is_holdem
from ludus.games.poker import PokerState
from ludus.games.showdown import strength
from ludus.server.hands.follow_up import hand_finished
from ludus.server.leases import Elsewhere
from ludus.server.models import Person, Sitter, TableRow, new_key, now
from ludus.server.people.vault import Vault
from ludus.server.tables.ai_turns import SECONDS, AiTurns
from ludus.server.tables.config import HOLDEM, USUAL_LEVEL, TableConfig
from ludus.server.tables.dealing import consequences
from ludus.server.tables.live import LiveTable
from ludus.server.tables.log import Entry, TableLog, Unreadable, load, prune
from ludus.server.tables.memory import Memories
from ludus.server.tables.sit_and_go import prizes_left
from ludus.server.tables.state import Conflict, HandInPlay, TableState, apply, new_table
from ludus.server.tables.views import Room
from ludus.server.work.wire import to_wire
from ludus.server.work.workers import Busy, Failed
from ludus.teach.endings.luck import ran_out

if TYPE_CHECKING:
    from ludus.server.service import Service

log = logging.getLogger(__name__)
MOST_OPEN = 20  # tables that a person hosts at a time
LISTED = 50
EQUITY_SECONDS = 300.0  # the first may have to compile, and a process that is ended meanwhile begins again
IDLE = 120.0  # seconds until a table that nobody looks at leaves the memory
SWEEP = 15.0
PRUNE = 3600.0  # seconds between two times that old events are forgotten
KEPT = timedelta(days=1)  # for which events stay, besides those of a table's last hand
SOLVERS = ("blueprint", "exploiter", "resolver", "multiway")  # AIs that push or fold with short stacks
LIMITS = {"iterations": 1000, "threads": 1}  # of opponents who think, besides their seconds
MOST_DECISIONS = 20  # of a hand that are thought about for one turn, after a restart
NAME = r"[\w-]{22}"


class Observation(NamedTuple):
    """What a person who is to act sees of their table; ``agents`` play in the seats, empty for people."""

    config: TableConfig
    state: PokerState
    agents: tuple[str, ...]


class Tables:
    """The tables of a service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._vault = Vault(service.secret)
        self.log = TableLog(service.database, self._vault)
        self.minds = AiTurns(service.players)
        self.thinkers = AiTurns(service.thinkers, 1, SECONDS + MOST_DECISIONS * service.settings.thinking)
        self.memories = Memories(service)
        self.live: dict[str, LiveTable] = {}
        self.hands = 0  # that have ended
        self._giving: dict[str, asyncio.Task[None]] = {}
        self._coming: dict[str, asyncio.Task[LiveTable | None]] = {}
        self._sweeper: asyncio.Task[None] | None = None
        self._exploitability: dict[str, float] = {}
        self._asking = asyncio.Lock()  # only one request works that out

    async def start(self) -> None:
        """Begin; the evaluator of showdowns is loaded now, not in the middle of a hand."""
        await asyncio.to_thread(_load_evaluator)
        gc.collect()
        gc.freeze()  # what is loaded by now stays: to look through it again and again would stop the loop for long
        self.log.start()
        self._sweeper = asyncio.create_task(self._sweep(), name="idle tables")

    async def close(self) -> None:
        """Leave the memory; the log has it all."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        for live in list(self.live.values()):
            self.drop(live)
        await asyncio.gather(*self._giving.values(), return_exceptions=True)
        await self.memories.close()
        await self.minds.close()
        await self.thinkers.close()
        await self.log.close()

    async def _sweep(self) -> None:
        pruned = -PRUNE
        while True:
            await asyncio.sleep(SWEEP)
            self.sweep()
            if not await asyncio.to_thread(self._service.leases.still_held):
                for live in list(self.live.values()):
                    self.drop(live)
            if time.monotonic() - pruned >= PRUNE:
                pruned = time.monotonic()
                try:
                    await asyncio.to_thread(prune, self._service.database, now() - KEPT)
                except Exception as error:  # another time
                    log.warning("old events of tables are still there: %s", error)

    def sweep(self, seconds: float = IDLE) -> None:
        """Let tables go that nobody has looked at for a while."""
        before = time.monotonic() - seconds
        for live in list(self.live.values()):
            if live.touched < before and live.idle():
                self.drop(live)

    def drop(self, live: LiveTable) -> None:
        """Let a table leave the memory."""
        if self.live.get(live.room.id) is live:
            del self.live[live.room.id]
            if self._service.leases.shared:
                self._giving[live.room.id] = asyncio.create_task(self._give(live.room.id))
        live.stop()

    async def _give(self, table_id: str) -> None:
        """Let go of a table that has left the memory, unless it has come back."""
        await asyncio.sleep(0)
        if table_id not in self.live and table_id not in self._coming:
            await asyncio.to_thread(self._service.leases.give, table_id)
        self._giving.pop(table_id, None)

    # Making and finding

    async def create(self, config: TableConfig, person: Person) -> LiveTable:
        """A new table; the person sits in its first chair."""
        await self._make_room(person.id)
        row: dict[str, Any] = {
            "id": new_key(), "host_id": person.id, "config": config.model_dump(mode="json"), "invite": new_key(),
            "created": now(), "closed": None,
        }  # fmt: skip
        table = new_table(config, person.id, person.name)
        events = [("created", {"person": person.id, "name": person.name}), *consequences(table)]
        await self.log.keep(Entry(row["id"], 1, events, row=row))
        live = self._enter(row, person.name, apply(table, *events[1]))
        if self._service.leases.shared:
            self.drop(live)  # it comes to the server that its people reach
        return live

    async def _make_room(self, person: str) -> None:
        """Close the oldest of a person's tables, if nobody looks at them, when there are too many."""
        hosted = await asyncio.to_thread(self._hosted, person)
        for key in hosted[: max(0, len(hosted) - MOST_OPEN + 1)]:
            try:
                live = await self.find(key)
            except Elsewhere:
                raise Conflict(f"you have {MOST_OPEN} tables: close one first") from None
            if live is not None and live.viewers:
                raise Conflict(f"you have {MOST_OPEN} tables: close one first")
            if live is not None:
                await live.do(lambda live=live: live.close(person))  # type: ignore[misc]

    def _hosted(self, person: str) -> list[str]:
        with self._service.database.session() as session:
            mine = TableRow.host_id == person, TableRow.closed.is_(None)
            return list(session.scalars(select(TableRow.id).where(*mine).order_by(TableRow.created)))

    def _enter(self, row: dict[str, Any], host_name: str, table: TableState) -> LiveTable:
        room = Room(row["id"], row["host_id"], host_name, row["invite"], row["config"])
        live = self.live[row["id"]] = LiveTable(self, table, room)
        return live

    async def find(self, table_id: str) -> LiveTable | None:
        """A table, from memory or from its log; None when there is no such table, Elsewhere when it is there."""
        if (live := self.live.get(table_id)) is not None:
            return live
        if not re.fullmatch(NAME, table_id, re.ASCII):
            return None
        if (giving := self._giving.get(table_id)) is not None:
            await asyncio.wait([giving])
        if (task := self._coming.get(table_id)) is None:
            task = self._coming[table_id] = asyncio.create_task(self._fetch(table_id))
            task.add_done_callback(lambda _: self._coming.pop(table_id))
        return await asyncio.shield(task)

    async def _fetch(self, table_id: str) -> LiveTable | None:
        found = await asyncio.to_thread(self._load, table_id)
        return None if found is None else self._enter(*found)

    def _load(self, table_id: str) -> tuple[dict[str, Any], str, TableState] | None:
        with self._service.database.session() as session:
            row = session.get(TableRow, table_id)
            if row is None:
                return None
            self._service.leases.take(table_id)  # before its log is read: from now on nobody else writes to it
            host = session.get(Person, row.host_id)
            try:
                table = self._read(session, row)
            except Unreadable as error:
                log.error("%s", error)
                return None
            fields = {"id": row.id, "host_id": row.host_id, "invite": row.invite, "config": row.config}
            return fields, host.name if host is not None else "", table

    def _read(self, session: Session, row: TableRow) -> TableState:
        return load(session.connection(), self._vault, row.id, TableConfig.model_validate(row.config))

    async def act(self, spec: str, state: PokerState, table: TableState) -> int:
        """The AI's action. Who thinks for seconds does so within limits, and keeps nobody else waiting.

        With ten big blinds and less, those who play well ask a solve of the hand, which counts prizes in a sit-and-go.
        """
        kind = AGENTS[spec.partition(":")[0]]
        if plays_push_or_fold(spec) and is_short(state):
            return await self.thinkers.act(spec, state, short=True, prizes=prizes_left(table))
        if kind.remembers:
            assert table.hand is not None
            people = [person for person in table.hand.people if person]
            known = await self.memories.of(table.hand.id, table.sitting(), people)
            return await self.thinkers.act(spec, state, known=known)
        if is_holdem(state.game) and kind.thinks:
            limits = {name: most for name, most in LIMITS.items() if name in kind.parameters}
            return await self.thinkers.act(
                with_settings(spec, seconds=self._service.settings.thinking, **limits), state
            )
        return await self.minds.act(spec, state)

    async def equities(self, hand: HandInPlay) -> list[dict[str, Any]]:
        """What the hands of an all-in win on average, from street to street, by chair."""
        found = await self._service.helpers.run("run_out", {"state": to_wire(hand.state)}, EQUITY_SECONDS)
        chairs = dict(enumerate(hand.seats))
        return [
            {
                "cards": cards,
                "shares": {str(chairs[seat]): share for seat, share in enumerate(shares) if share is not None},
            }
            for cards, shares in found
        ]

    # What others ask

    def observation(self, table_id: str, person_id: str) -> Observation | None:
        """The state as a person sees it, if they are to act at a table in memory."""
        live = self.live.get(table_id)
        hand = live.table.hand if live is not None else None
        if live is None or hand is None or hand.over or hand.people[hand.state.player] != person_id:
            return None
        return Observation(live.table.config, hand.state.seen_by(hand.state.player), live.table.agents())

    def among_people(self, person: str, session: Session | None = None) -> list[HandInPlay]:
        """The hands that a person is playing with other people, at whichever server. It reads the database."""
        rows = (
            select(TableRow)
            .join(Sitter, Sitter.table_id == TableRow.id)
            .where(Sitter.person_id == person, TableRow.closed.is_(None), TableRow.config["people"].as_integer() > 1)
        )
        tables = {key: live.table for key, live in list(self.live.items())}
        with self._service.database.session() if session is None else nullcontext(session) as reading:
            for row in reading.scalars(rows).all():
                if row.id not in tables:
                    with suppress(Unreadable):
                        tables[row.id] = self._read(reading, row)
        hands = [table.hand for table in tables.values() if table.hand is not None and not table.hand.over]
        return [hand for hand in hands if person in hand.people and len({*hand.people} - {None}) > 1]

    def finished(self, hand: HandInPlay, config: TableConfig) -> None:
        """A hand is over and kept: what is left to find out about it is found out behind the table."""
        self.hands += 1
        review = config.assistant != "off" and config.game == HOLDEM and any(hand.people)
        if review or ran_out(hand.state):
            try:
                hand_finished(self._service, hand.id, review)
            except Exception:
                log.exception("nothing is worked out about hand %s", hand.id)

    async def exploitability(self) -> dict[str, float]:
        """What a perfect opponent wins from our equilibria, in chips a hand; empty while they are not solved yet."""
        if not self._exploitability and self._service.ready.get("agents") and not self._asking.locked():
            async with self._asking:
                try:
                    self._exploitability = await self._service.helpers.run("equilibria", {})
                except (Busy, Failed, TimeoutError) as error:
                    log.warning("exploitability is not known: %s", error)
        return self._exploitability

    def listing(self, person: str | None, mine: bool) -> list[dict[str, Any]]:
        """The tables of a person, or those that are open to all, the newest first. It reads the database."""
        rows = select(TableRow, Person.name).join(Person, Person.id == TableRow.host_id)
        rows = rows.where(TableRow.closed.is_(None)).order_by(TableRow.created.desc())
        with self._service.database.session() as session:
            if mine:
                rows = rows.where(TableRow.id.in_(select(Sitter.table_id).where(Sitter.person_id == person)))
            else:
                rows = rows.where(TableRow.config["open"].as_boolean())
            found = []
            for row, host in session.execute(rows.limit(LISTED)):
                live = self.live.get(row.id)
                try:
                    table = live.table if live is not None else self._read(session, row)
                except Unreadable as error:
                    log.error("%s", error)
                    continue
                people = len(table.people())
                if (row.host_id != person and table.chair_of(person) is None) if mine else not people:
                    continue
                found.append(
                    {
                        "id": row.id, "config": row.config, "host": host, "people": people,
                        "free": len(table.free_chairs()), "hands": table.hands,
                        "idle": not table.playing and (live is None or not live.viewers), "created": row.created,
                    }
                )  # fmt: skip
            return found


def plays_push_or_fold(spec: str) -> bool:
    """Whether an AI plays short stacks by solves: those that play well, from the usual level on."""
    level = int(settings_of(spec).get("level", STRONGEST))
    return spec.partition(":")[0] in SOLVERS and level >= USUAL_LEVEL


def _load_evaluator() -> None:
    for cards in (range(7), range(5)):
        strength(list(cards))
