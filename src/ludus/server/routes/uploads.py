"""The API of hand histories from elsewhere: PHH, or the text of poker sites, read and reviewed in the background."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Request
from pydantic import BaseModel, Field
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from ludus.server.hands import listing
from ludus.server.hands import uploads as uploading
from ludus.server.hands.filters import HandFilter, clean
from ludus.server.hands.listing import HandRow
from ludus.server.hands.means import Mean
from ludus.server.hands.statistics import Costly, LeakFigures, grades_of
from ludus.server.limits import begin_all
from ludus.server.models import KEY, Hand, HandSeat, Person, Upload
from ludus.server.people.identity import FEW, Me, address_of
from ludus.server.routes.quotas import charge
from ludus.server.service import Here, Service

router = APIRouter()
MOST_BYTES = 2_000_000
SHOWN = 200  # hands in the answer; the others are at /api/hands?upload=


class UploadStarted(BaseModel):
    """Where to ask how far it is."""

    id: str


class UploadRow(BaseModel):
    """A file in the list."""

    id: str
    name: str
    created: datetime
    hero: str
    status: Literal["waiting", "reading", "reviewing", "done", "failed"]


class ProblemInfo(BaseModel):
    """A hand that could not be read, and why."""

    hand: str
    why: str


class UploadSummary(BaseModel):
    """What the reviewed decisions cost, in big blinds."""

    hands: int
    decisions: int
    grades: dict[str, int]
    loss: float
    loss_per_100: Mean = Field(description="decisions")


class UploadReport(BaseModel):
    """What a review has found so far."""

    summary: UploadSummary
    leaks: dict[str, list[LeakFigures]]
    worst: list[Costly]


class UploadInfo(UploadRow):
    """A file with its hands and what was found in them."""

    error: str | None = Field(description="why it failed")
    done: int = Field(description="hands reviewed")
    total: int = Field(description="hands to be reviewed")
    read: int = Field(description="hands that could be read")
    mine: int = Field(description="hands of those read that the player was in: those that are listed")
    limit: int = Field(description="the most hands that are reviewed, the first of the file")
    players: list[str]
    report: UploadReport | None = Field(description="what the reviewed decisions cost, and where most of it was lost")
    problems: list[ProblemInfo]
    more_problems: int
    hands: list[HandRow]


@router.post(
    "/uploads", summary="Upload a file of hands", status_code=202,
    openapi_extra={"requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}, "required": True}},
)  # fmt: skip
async def upload(
    request: Request,
    me: Me,
    service: Here,
    name: Annotated[str, Query(max_length=120, description="of the file")] = "hands",
    hero: Annotated[str, Query(max_length=200, description="whose decisions; default: who shows most cards")] = "",
) -> UploadStarted:
    """The body is the text of the file, at most 2 MB: PHH (.phh, .phhs), or a poker site's."""
    text = _text(await _body(request))
    if not text.strip():
        raise HTTPException(422, "the file is empty: send the text of a hand history as the body")
    charge(service.limits, service.limits.new_files)
    behind = service.follow_up
    under_way, full = begin_all((behind.uploads, me.id), (behind.uploads_of_addresses, address_of(request)))
    if full is not None:
        whose = "your files" if full is behind.uploads else "the files from your address"
        raise HTTPException(429, f"{full.most} of {whose} are being read already: wait for one of them")
    with under_way:
        key = await asyncio.to_thread(uploading.create, service, me.id, clean(name).strip() or "hands")
        if key is None:
            raise HTTPException(409, f"you keep {uploading.MOST_FILES} files already: delete one first")
        behind.spawn(uploading.read(service, me.id, key, text, clean(hero), under_way.pop_all()))
    return UploadStarted(id=key)


async def _body(request: Request) -> bytes:
    """The body, refused as soon as it is too long."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise HTTPException(413, f"a file has at most {MOST_BYTES:,} bytes: cut it into parts")
        parts.append(part)
    return b"".join(parts)


def _text(data: bytes) -> str:
    """UTF-8, or else the Western letters of older files; no zero characters, which PostgreSQL does not store."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text.replace("\0", "")


@router.get("/uploads", summary="One's own files")
def uploads(me: Me, service: Here) -> list[UploadRow]:
    """The latest first, at most 100."""
    with service.database.session() as session:
        query = select(Upload).where(Upload.person_id == me.id).order_by(Upload.created.desc()).limit(100)
        rows = session.scalars(query).all()
        open_files = [row.id for row in rows if row.status == "reviewing"]
        left = set(session.scalars(_wanted(open_files).with_only_columns(Hand.upload_id).where(~Hand.reviewed)))
        for row in rows:
            if row.id in open_files and row.id not in left:
                row.status = "done"
        return [_row(row) for row in rows]


def _wanted(keys: list[str]) -> Select[str]:
    """The ids of the hands of some files that are to be reviewed."""
    return select(Hand.id).where(Hand.upload_id.in_(keys), Hand.number <= uploading.MOST_REVIEWED)


@router.get("/uploads/{key}", dependencies=[FEW], summary="A file with its hands and the report")
async def uploaded(key: Annotated[str, Path(max_length=KEY)], me: Me, service: Here) -> UploadInfo:
    """Ask again while its status is 'reading' or 'reviewing'. A review that a restart cut short then goes on."""
    info, left = await service.in_turn(lambda: _info(service, clean(key), me))
    if info.status == "reviewing":
        uploading.review_rest(service, left)
    return info


@router.delete("/uploads/{key}", summary="Delete a file with its hands", status_code=204)
def delete(key: Annotated[str, Path(max_length=KEY)], me: Me, service: Here) -> None:
    """The hands and their reviews go with it."""
    with service.database.session() as session:
        session.delete(_own(session.get(Upload, clean(key)), me))


def _own(row: Upload | None, me: Person) -> Upload:
    if row is None or row.person_id != me.id:
        raise HTTPException(404, "there is no such file among yours")
    return row


def _row(row: Upload) -> UploadRow:
    return UploadRow(id=row.id, name=row.name, created=row.created, hero=row.hero, status=row.status)  # type: ignore[arg-type]


def _info(service: Service, key: str, me: Person) -> tuple[UploadInfo, list[str]]:
    lost = uploading.is_lost(service, me.id, key)  # first: whoever has stopped reading has written how it ended
    with service.database.session() as session:
        row = _own(session.get(Upload, key), me)
        if row.status == "reading" and lost:
            row.status, row.report = "failed", {"error": "the server was stopped while it read this: upload it again"}
        total = session.scalar(_wanted([key]).with_only_columns(func.count())) or 0
        unreviewed = session.scalars(_wanted([key]).where(~Hand.reviewed).order_by(Hand.number))
        left = [hand for hand in unreviewed if hand not in service.follow_up.failed]
        if row.status == "reviewing" and not left:
            row.status = "done"
        mine = select(func.count()).where(HandSeat.upload_id == key, HandSeat.person_id == me.id)
        asked = HandFilter.model_validate({"upload": key})
        found, _ = listing.page(session, asked, me.id, SHOWN, None)
        told: dict[str, Any] = row.report
        info = UploadInfo(
            **_row(row).model_dump(), error=told.get("error"), done=total - len(left), total=total,
            read=told.get("read", 0), mine=session.scalar(mine) or 0, limit=uploading.MOST_REVIEWED,
            players=told.get("players", []),
            problems=[ProblemInfo(**problem) for problem in told.get("problems", [])],
            more_problems=told.get("more_problems", 0), report=_report(session, asked, me) if total else None,
            hands=listing.rows(session, found, me.id),
        )  # fmt: skip
        return info, left


def _report(session: Session, asked: HandFilter, me: Person) -> UploadReport:
    found = grades_of(session, asked, me.id)
    summary = UploadSummary(
        hands=found.hands, decisions=found.decisions, grades=found.counts, loss=found.loss,
        loss_per_100=found.loss_per_100,
    )  # fmt: skip
    return UploadReport(summary=summary, leaks=found.leaks, worst=found.worst)
