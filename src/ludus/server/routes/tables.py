"""The API of tables: everything that the socket can do, over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from secrets import compare_digest
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, WebSocket
from pydantic import Field

from ludus.server.models import KEY, Person
from ludus.server.people.identity import FEW, MaybeMe, Me, maybe_person
from ludus.server.routes.bodies import Body
from ludus.server.routes.quotas import charge
from ludus.server.routes.table_views import Games, Listed, TableView
from ludus.server.service import Here, Service, service_of
from ludus.server.tables.commands import MOST, action_number
from ludus.server.tables.config import TableConfig, catalogue
from ludus.server.tables.deck import SEED
from ludus.server.tables.live import LiveTable, TableGone
from ludus.server.tables.log import NotKept
from ludus.server.tables.sockets import TOO_MANY, Viewer
from ludus.server.tables.state import Conflict

router = APIRouter(prefix="/api", tags=["tables"])
TableId = Annotated[str, Path(max_length=40, description="The id of a table.")]
NO_TABLE = 4404
MOST_VIEWERS = 50  # sockets at a table, beyond which only those who sit there get another
NOT_KEPT = "the table could not keep that: try again"


class Sit(Body):
    """Which chair; by default any that is free. The invitation is in the link that those at the table can pass on."""

    chair: int | None = Field(None, ge=0, le=9)
    invite: str | None = Field(None, max_length=KEY)


class Act(Body):
    """An action. ``turn`` is the number of actions in the hand so far, so that nothing is done twice."""

    hand: str = Field(max_length=KEY)
    turn: int = Field(ge=0, le=10_000)
    action: Literal["fold", "call", "raise"]
    to: int | None = Field(None, ge=1, le=MOST, description="of a raise: all chips of this street")


class Seeding(Body):
    """Your part of the order in which the next deck is dealt: 16 random bytes of your own, in hex."""

    hand: str = Field(max_length=KEY, description="the id of the table's promise")
    seed: str = Field(pattern=f"^[0-9a-f]{{{SEED}}}$", examples=["00112233445566778899aabbccddeeff"])


async def _live(service: Service, table_id: str) -> LiveTable:
    live = await service.tables.find(table_id)
    if live is None:
        raise HTTPException(404, "there is no such table")
    return live


async def _do(
    service: Service, table_id: str, person: str, command: Callable[[LiveTable], Awaitable[None]]
) -> dict[str, Any]:
    """Carry out a command, and show the table after it."""
    live = await _live(service, table_id)
    try:
        await live.do(lambda: command(live))
    except Conflict as error:
        raise HTTPException(409, f"{error}") from None
    except PermissionError as error:
        raise HTTPException(403, f"{error}") from None
    except (TableGone, NotKept):
        raise HTTPException(503, NOT_KEPT, {"Retry-After": "1"}) from None
    except ValueError as error:
        raise HTTPException(422, f"{error}") from None
    return live.view(person)


async def _create(service: Service, config: TableConfig, me: Person) -> LiveTable:
    charge(service.limits, service.limits.new_tables)
    try:
        return await service.tables.create(config, me)
    except Conflict as error:
        raise HTTPException(409, f"{error}") from None
    except (TableGone, NotKept):
        raise HTTPException(503, NOT_KEPT, {"Retry-After": "1"}) from None


@router.get("/games", response_model=Games, summary="What can be played, and against whom")
async def games(service: Here) -> dict[str, Any]:
    """Games with the limits of their tables and usual set-ups, and the opponents there are."""
    return catalogue(await service.tables.exploitability())


@router.post("/tables", status_code=201, response_model=TableView, summary="Set up a table")
async def create(config: TableConfig, me: Me, service: Here) -> dict[str, Any]:
    """You sit in chair 0. The first hand is dealt when you are ready."""
    return (await _create(service, config, me)).view(me.id)


@router.get("/tables", dependencies=[FEW], response_model=list[Listed], summary="Your tables, or those open to all")
async def tables(
    me: MaybeMe, service: Here, mine: Annotated[bool, Query()] = False, open: Annotated[bool, Query()] = False
) -> list[dict[str, Any]]:
    """With ``mine`` those that you host or play at, otherwise those that anybody may join; the newest first."""
    if mine and open:
        raise HTTPException(422, "ask for mine or for open, not for both")
    if mine and me is None:
        return []
    return await asyncio.to_thread(service.tables.listing, me.id if me else None, mine)


@router.get("/tables/{table_id}", response_model=TableView, summary="A table as you see it")
async def table(
    table_id: TableId, me: MaybeMe, service: Here, since: Annotated[int, Query(ge=-1)] = -1
) -> dict[str, Any]:
    """``since``: only events with a higher number; those of this hand without it."""
    live = await _live(service, table_id)
    live.touch()
    return live.view(me.id if me else None, since if since >= 0 else None)


@router.delete("/tables/{table_id}", response_model=TableView, summary="Close your table")
async def close(table_id: TableId, me: Me, service: Here) -> dict[str, Any]:
    """Only its host may. A hand is played to its end first: the host checks or folds in it."""
    return await _do(service, table_id, me.id, lambda live: live.close(me.id))


@router.post("/tables/{table_id}/seats", response_model=TableView, summary="Sit down")
async def sit(table_id: TableId, body: Sit, me: Me, service: Here) -> dict[str, Any]:
    """You play from the next hand on. A table that is not open requires the invitation."""

    def command(live: LiveTable) -> Awaitable[None]:
        invited = compare_digest((body.invite or "").encode(), live.room.invite.encode())
        return live.sit(me.id, me.name, body.chair, invited)

    return await _do(service, table_id, me.id, command)


@router.delete("/tables/{table_id}/seats/me", response_model=TableView, summary="Leave")
async def leave(table_id: TableId, me: Me, service: Here) -> dict[str, Any]:
    """In a hand you check or fold until it is over; then the AI takes your chair."""
    return await _do(service, table_id, me.id, lambda live: live.leave(me.id))


@router.post("/tables/{table_id}/actions", response_model=TableView, summary="Fold, call or raise")
async def act(table_id: TableId, body: Act, me: Me, service: Here) -> dict[str, Any]:
    """``call`` is a check where there is nothing to call."""
    try:
        action = action_number(body.action, body.to)
    except ValueError as error:
        raise HTTPException(422, f"{error}") from None
    return await _do(service, table_id, me.id, lambda live: live.act(me.id, body.hand, body.turn, action))


@router.post("/tables/{table_id}/seed", response_model=TableView, summary="Give a seed for the next deck")
async def seed(table_id: TableId, body: Seeding, me: Me, service: Here) -> dict[str, Any]:
    """Between the table's promise and the deal; then nobody, the server included, chooses what is dealt."""
    return await _do(service, table_id, me.id, lambda live: live.seed(me.id, body.hand, body.seed))


@router.post("/tables/{table_id}/ready", response_model=TableView, summary="Ready for the next hand")
async def ready(table_id: TableId, me: Me, service: Here) -> dict[str, Any]:
    """The hand is dealt when all people are ready, or a little later."""
    return await _do(service, table_id, me.id, lambda live: live.ready(me.id))


@router.post("/tables/{table_id}/rebuy", response_model=TableView, summary="Fill up your stack")
async def rebuy(table_id: TableId, me: Me, service: Here) -> dict[str, Any]:
    """Between hands, where chips carry over."""
    return await _do(service, table_id, me.id, lambda live: live.rebuy(me.id))


@router.post("/tables/{table_id}/rematch", response_model=TableView, summary="Play again at a table that is closed")
async def rematch(table_id: TableId, me: Me, service: Here) -> dict[str, Any]:
    """A new table like this one, with you in its first chair; or the one that somebody else has asked for already.

    Everybody who sat at the old table finds the new one, and its invitation, in ``rematch``.
    """
    live = await _live(service, table_id)
    if live.table.chair_of(me.id) is None:
        raise HTTPException(409, "you do not sit at this table")
    if not live.table.closed:
        raise HTTPException(409, "the table is not closed: play on at it")
    if live.table.rematch is None:
        again = await _create(service, live.table.config, me)
        await _do(service, table_id, me.id, lambda old: old.rematch(me.id, again.room.id, again.room.invite))
    return live.view(me.id)


@router.websocket("/tables/{table_id}/socket")
async def socket(websocket: WebSocket, table_id: str) -> None:
    """The table as it changes, and what you do there."""
    service = service_of(websocket)
    person = await maybe_person(websocket)
    live = await service.tables.find(table_id)
    await websocket.accept()
    if live is None or live.gone:
        await websocket.close(NO_TABLE if live is None else 1012)
        return
    if live.table.chair_of(person.id if person else None) is None and len(live.viewers) >= MOST_VIEWERS:
        await websocket.close(TOO_MANY)
        return
    await Viewer(websocket, live, person.id if person else None).run(service.limits)
