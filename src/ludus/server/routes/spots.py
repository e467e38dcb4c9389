"""The API of study: spots and what they are solved to."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Response, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, model_validator
from sqlalchemy import select, update

from ludus.server.learning.solve_queue import UNFINISHED
from ludus.server.learning.spot_presets import PRESETS
from ludus.server.learning.spot_solves import MOST_SPOTS, new_row
from ludus.server.models import KEY, Person, SpotRow
from ludus.server.people.identity import FEW, MaybeMe, Me
from ludus.server.routes.bodies import Body
from ludus.server.routes.quotas import charge
from ludus.server.service import Here, Service
from ludus.server.tables.fair_play import refuse_current_hand

router = APIRouter(prefix="/api", tags=["study"])
MOST_SPOT = 200_000  # characters: two ranges, and locks
CHECK_SECONDS, LOOK_SECONDS = 30.0, 30.0
Key = Annotated[str, Path(min_length=KEY, max_length=KEY, pattern="^[A-Za-z0-9_-]+$")]
Line = Annotated[
    str,
    Query(
        max_length=1000,
        description="What has happened: X check, C call, F fold, B50 bet or raise to 50, 2c a card.",
        examples=["X-B50-C-2c"],
    ),
]
Chosen = Annotated[str, Query(min_length=KEY, max_length=KEY, pattern="^[A-Za-z0-9_-]+$")]


# Spots


class SpotIn(Body):
    """A spot as `Spot.to_dict` writes it: board, pot, stack, oop, ip, sizes, rake, lock and the rules of betting."""

    spot: dict[str, Any] = Field(examples=[PRESETS["srp-river"]])

    @model_validator(mode="after")
    def not_too_long(self) -> SpotIn:
        """A spot of a reasonable size."""
        if len(json.dumps(self.spot)) > MOST_SPOT:
            raise ValueError(f"a spot has at most {MOST_SPOT} characters as JSON")
        return self


class NewSpot(SpotIn):
    """A spot to solve, until its exploitability is ``target`` per cent of the pot or the time is over."""

    name: str = Field("", max_length=120)
    target: float = Field(0.5, ge=0.05, le=5)
    seconds: float = Field(60, ge=1, le=120)
    parent: str | None = Field(None, min_length=KEY, max_length=KEY, description="The spot that this is a variant of.")


class Renamed(Body):
    """Another name."""

    name: str = Field(max_length=120)


class SpotPreset(BaseModel):
    """A spot to begin with; its name is the page's."""

    key: str
    spot: dict[str, Any]


class Checked(BaseModel):
    """What solving a spot takes."""

    spot: dict[str, Any]
    nodes: int
    lines: int
    decisions: int
    hands: dict[str, int]
    tables: int = Field(description="Bytes of the whole tables: they grow with the tree.")
    memory: int = Field(
        description="Bytes that solving takes: less where tables are packed, more where rivers are kept."
    )
    packed: bool = Field(description="Whether the tables are packed into half of their bytes, to fit.")
    available: int = Field(description="Bytes that it may take.")
    fits: bool
    advice: str | None = Field(description="What would make it fit.")
    rivers: bool = Field(description="Whether the rivers are kept, or solved again where one looks.")
    fast: bool = Field(description="Whether there will be an estimate of the flop in a second or two.")


class Progress(BaseModel):
    """How far a run has come; percent of the pot where it was measured."""

    iterations: int
    seconds: float
    percent: float | None


class SpotInfo(BaseModel):
    """A spot that is solved, or is being solved."""

    id: str
    name: str
    created: datetime
    mine: bool
    status: Literal["waiting", "solving", "solved", "failed", "cancelled"]
    error: str
    spot: dict[str, Any]
    target: float
    seconds: float
    parent: str | None
    progress: list[Progress]
    estimate: dict[str, Any] | None = Field(
        description="While it is solved: how wrong the estimate may be that can be looked at, in percent of the pot."
    )
    summary: dict[str, Any] | None
    size: int


class SpotView(BaseModel):
    """A place in a solved spot; at decisions with what every hand does."""

    model_config = ConfigDict(extra="allow")
    kind: Literal["decision", "card", "end"]
    line: str
    board: str
    pot: int
    stacks: dict[str, int]
    bets: dict[str, int]
    player: Literal["oop", "ip"] | None
    path: list[dict[str, Any]]
    exploitability_percent: float | None
    estimate: dict[str, Any] | None = Field(description="How wrong it may be, where it is an estimate of the flop.")
    rivers: bool


def info(service: Service, row: SpotRow, person: Person | None, progress: bool = True) -> SpotInfo:
    """A row as it is shown, with what its run has reported so far."""
    asked = row.summary
    run = service.spot_solves.runs.get(row.id)
    steps = run.past if run is not None else row.progress
    return SpotInfo.model_validate(
        {
            "id": row.id, "name": row.name, "created": row.created, "status": row.status, "error": row.error,
            "mine": person is not None and person.id == row.person_id, "spot": row.spot, "size": row.size,
            "target": asked["target"], "seconds": asked["seconds"], "parent": asked.get("parent"),
            "progress": steps if progress else [], "estimate": run and run.estimate,
            "summary": asked["found"] if row.status == "solved" else None,
        }
    )  # fmt: skip


def find(service: Service, key: str) -> SpotRow:
    """A spot by its id; 404 if there is none."""
    with service.database.session() as session:
        row = session.get(SpotRow, key)
    if row is None:
        raise HTTPException(404, "there is no such spot")
    return row


def find_own(service: Service, key: str, person: Person) -> SpotRow:
    """One of a person's own spots; 403 for those of others."""
    row = find(service, key)
    if row.person_id != person.id:
        raise HTTPException(403, "this spot is somebody else's: you may look at it, not change it")
    return row


@router.get("/spots/presets", summary="Spots to begin with")
def presets() -> list[SpotPreset]:
    """A handful of common spots; the river ones are solved in less than a second, the flops in about a minute."""
    return [SpotPreset(key=key, spot=spot) for key, spot in PRESETS.items()]


@router.post("/spots/check", dependencies=[FEW], summary="What solving a spot takes")
async def check(asked: SpotIn, person: Me, here: Here) -> Checked:
    """Its canonical form, its size, and whether it fits; an invalid spot is refused with a sentence."""
    job = {"spot": asked.spot, "most": here.spot_solves.most_memory}
    found = await here.helpers.run("check_spot", job, CHECK_SECONDS)
    await asyncio.to_thread(refuse_current_hand, here, person.id, (), [found["spot"]["board"]])
    return Checked.model_validate(found)


@router.post("/spots", dependencies=[FEW], status_code=201, summary="Solve a spot")
async def create(asked: NewSpot, person: Me, here: Here) -> SpotInfo:
    """Starts at once and goes on without the browser; follow it on the WebSocket.

    A flop without rake has an estimate in a second or two, by networks; it can be looked at until the spot is solved.
    While you play with other people, a spot with the board of that hand is neither solved nor shown: 409.
    """
    study = here.spot_solves
    await asyncio.to_thread(study.check_room, person)
    found = await here.helpers.run("check_spot", {"spot": asked.spot, "most": study.most_memory}, CHECK_SECONDS)
    await asyncio.to_thread(refuse_current_hand, here, person.id, (), [found["spot"]["board"]])
    if not found["fits"]:
        raise HTTPException(422, found["advice"])
    charge(here.limits, here.limits.new_solves)
    wanted = {
        "target": asked.target, "seconds": asked.seconds, "parent": asked.parent, "fast": found["fast"],
        "memory": found["memory"],
    }  # fmt: skip

    def insert() -> SpotRow:
        study.check_room(person)
        row = new_row(person, asked.name.strip(), found["spot"], wanted)
        with here.database.session() as session:
            session.add(row)
        return row

    row = await asyncio.to_thread(insert)
    study.begin(row)
    return info(here, row, person)


@router.get("/spots", summary="My spots")
def mine(person: Me, here: Here) -> list[SpotInfo]:
    """The newest first, without their progress."""
    chosen = select(SpotRow).where(SpotRow.person_id == person.id).order_by(SpotRow.created.desc()).limit(MOST_SPOTS)
    with here.database.session() as session:
        rows = list(session.scalars(chosen))
    return [info(here, row, person, progress=False) for row in rows]


@router.get("/spots/{key}", summary="A spot")
def one(key: Key, person: MaybeMe, here: Here) -> SpotInfo:
    """Whoever knows its id may look at it."""
    return info(here, find(here, key), person)


@router.patch("/spots/{key}", summary="Rename a spot")
def rename(key: Key, asked: Renamed, person: Me, here: Here) -> SpotInfo:
    """Only its owner may."""
    find_own(here, key, person)
    with here.database.session() as session:
        session.execute(update(SpotRow).where(SpotRow.id == key).values(name=asked.name.strip()))
    return info(here, find(here, key), person)


@router.delete("/spots/{key}", status_code=204, summary="Forget a spot")
async def delete(key: Key, person: Me, here: Here) -> None:
    """The solution goes with it."""
    row = await asyncio.to_thread(find_own, here, key, person)
    await here.spot_solves.delete(row)


@router.post("/spots/{key}/cancel", summary="Stop solving")
async def cancel(key: Key, person: Me, here: Here) -> SpotInfo:
    """Nothing is kept of the run except what it has reported."""
    await asyncio.to_thread(find_own, here, key, person)
    if not await here.spot_solves.cancel(key):
        raise HTTPException(409, "this spot is not being solved")
    return info(here, await asyncio.to_thread(find, here, key), person)


@router.post("/spots/{key}/solve", summary="Solve again")
async def solve_again(key: Key, person: Me, here: Here) -> SpotInfo:
    """Start one again that failed or was cancelled."""
    study = here.spot_solves

    def reset() -> SpotRow:
        refuse_current_hand(here, person.id, (), [find_own(here, key, person).spot["board"]])
        study.check_room(person)
        ended = SpotRow.id == key, SpotRow.status.not_in((*UNFINISHED, "solved"))
        with here.database.session() as session:
            changed = session.execute(
                update(SpotRow).where(*ended).values(status="waiting", error="", progress=[], tries=0)
            )
            if not getattr(changed, "rowcount", 0):
                raise HTTPException(409, "this spot is solved, or being solved")
        return find(here, key)

    row = await asyncio.to_thread(reset)
    study.begin(row)
    return info(here, row, person)


# Looking at solutions


async def solution_file(service: Service, key: str, person: Person | None, estimates: bool = False) -> str:
    """The file of a solved spot, or of its estimate while it is solved; 409 while there is none."""
    row = await asyncio.to_thread(find, service, key)
    asker = person.id if person else None
    await asyncio.to_thread(refuse_current_hand, service, asker, (), [row.spot["board"]])
    run = service.spot_solves.runs.get(key)
    if estimates and run is not None and run.estimate is not None:
        return str(service.spot_solves.estimate_file(key))
    if row.status == "solved":
        file = service.spot_solves.folder / row.file
        await asyncio.to_thread(service.spot_solves.queue.fetch, key, file)
        return str(file)
    told = {"failed": "it failed", "cancelled": "it was cancelled"}.get(row.status, "it is still being solved")
    raise HTTPException(409, f"this spot has no solution: {told}")


def raw(data: bytes) -> Response:
    """JSON from a worker, as it came."""
    return Response(data, media_type="application/json")


@router.get("/spots/{key}/view", dependencies=[FEW], response_model=SpotView, summary="What a line leads to")
async def view(key: Key, person: MaybeMe, here: Here, line: Line = "") -> Response:
    """A decision with the strategy and EV of every hand, the cards that can come, or the end; and the way there.

    While a flop is solved this is an estimate of its first street, by networks, as soon as there is one.
    """
    job = {"file": await solution_file(here, key, person, estimates=True), "line": line}
    return raw(await here.helpers.run_raw("view", job, LOOK_SECONDS))


@router.get("/spots/{key}/runouts", dependencies=[FEW], response_model=dict[str, Any], summary="Card by card")
async def runouts(key: Key, person: MaybeMe, here: Here, line: Line = "") -> Response:
    """What every card after a line makes of EVs, equities and the next decision."""
    job = {"file": await solution_file(here, key, person), "line": line}
    return raw(await here.helpers.run_raw("runouts", job, LOOK_SECONDS))


@router.get(
    "/spots/{key}/compare", dependencies=[FEW], response_model=dict[str, Any], summary="Two solutions of one spot"
)
async def compare(key: Key, other: Chosen, person: MaybeMe, here: Here, line: Line = "") -> Response:
    """EVs and frequencies side by side, and which hands gain; sizes and locks may differ, the rest must be the same."""
    job = {
        "file": await solution_file(here, key, person),
        "other": await solution_file(here, other, person),
        "line": line,
    }
    return raw(await here.helpers.run_raw("compare", job, LOOK_SECONDS))


@router.websocket("/spots/{key}/socket")
async def socket(key: str, connection: WebSocket, person: MaybeMe, here: Here) -> None:
    """All progress of a run from its beginning on, then the spot as it ended."""
    await connection.accept()
    try:
        row = await asyncio.to_thread(find, here, key[:KEY])
    except HTTPException:
        await connection.close(4404, "there is no such spot")
        return
    telling = asyncio.create_task(_tell(connection, here, row.id, person))
    hearing = asyncio.create_task(_hear(connection, here))
    try:
        await asyncio.wait([telling, hearing], return_when=asyncio.FIRST_COMPLETED)
    finally:
        telling.cancel()
        hearing.cancel()
        await asyncio.gather(telling, hearing, return_exceptions=True)


async def _tell(connection: WebSocket, service: Service, key: str, person: Person | None) -> None:
    row = await asyncio.to_thread(find, service, key)
    run = service.spot_solves.watch(key) if row.status in UNFINISHED else service.spot_solves.runs.get(key)
    if run is not None:
        async for message in run.messages():
            await connection.send_json(message)
    try:
        row = await asyncio.to_thread(find, service, key)
    except HTTPException:
        await connection.close(4404, "the spot was deleted")
        return
    if run is None:
        for step in row.progress:
            await connection.send_json({"type": "progress", **step})
    ended = info(service, row, person).model_dump(mode="json")
    await connection.send_json({"type": "done", "info": ended})
    await connection.close()


async def _hear(connection: WebSocket, service: Service) -> None:
    """Notice when the client goes; what it says is not needed."""
    limit = service.limits.messages()
    try:
        while limit.allows(await connection.receive_text()):
            pass
        await connection.close(4429, "too many messages")
    except (WebSocketDisconnect, KeyError, RuntimeError):
        return
