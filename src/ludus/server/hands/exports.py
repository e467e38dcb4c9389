"""A person's hands as files, read and written in parts: nothing is held open between two parts of a download."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from ludus.protocols.histories import write_pokerstars
from ludus.server.database import Database
from ludus.server.hands import listing
from ludus.server.hands.filters import HandFilter
from ludus.server.hands.histories import is_phh, read_record, seen_by, visible_seats, write_record
from ludus.server.models import HandSeat

AT_ONCE = 500
COLUMNS = (
    "id", "finished", "game", "table", "upload", "number", "players", "big_blind", "place", "cards", "board", "pot",
    "net", "adjusted", "showdown", "street", "opponents", "grade", "loss", "note",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_Part = TypeVar("_Part")


def csv_lines(database: Database, asked: HandFilter, person_id: str) -> Iterator[str]:
    """The matching hands as a table with a heading, the latest first."""
    yield _csv([COLUMNS])

    def lines(session: Session, found: Sequence[listing.Found]) -> str:
        rows = [row.model_dump(mode="json") for row in listing.rows(session, found, person_id)]
        return _csv([[cell(row[name]) for name in COLUMNS] for row in rows])

    yield from _in_parts(database, asked, person_id, lines)


def cell(value: object) -> object:
    """A value as a cell; a text that a spreadsheet would take for a formula gets a ' before it.

    >>> cell("=1+1"), cell(-3.5), cell(["Ah", "Kd"]), cell(None)
    ("'=1+1", -3.5, 'Ah Kd', '')
    """
    if value is None:
        return ""
    if isinstance(value, list):
        value = " ".join(value) if all(len(card) == 2 for card in value) else ", ".join(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def phhs(database: Database, asked: HandFilter, person_id: str) -> Iterator[str]:
    """The matching hold'em hands as sections of a .phhs file, the latest first, with the cards that one may see."""
    number = 0
    for records in _in_parts(database, asked, person_id, lambda session, found: _records(session, found, person_id)):
        yield "".join(f"[{at}]\n{text}\n" for at, text in enumerate(records, number + 1))
        number += len(records)


def pokerstars(database: Database, asked: HandFilter, person_id: str) -> Iterator[str]:
    """The matching hands as PokerStars' text, the latest first, with one's own cards and those that were shown.

    Trackers tell hands apart by their numbers, so ours are made of their keys. What the format cannot say is left out.
    """
    for texts in _in_parts(database, asked, person_id, lambda session, found: _told(session, found, person_id)):
        yield "".join(texts)


def _records(session: Session, found: Sequence[listing.Found], person_id: str) -> list[str]:
    seats, records = _seats(session, found), []
    for hand, _ in found:
        if is_phh(hand.phh):
            visible = visible_seats(seats[hand.id], person_id, hand.upload_id is not None)
            hidden = len(visible) < hand.players
            records.append(write_record(seen_by(read_record(hand.phh), visible)) if hidden else hand.phh)
    return records


def _told(session: Session, found: Sequence[listing.Found], person_id: str) -> list[str]:
    seats, texts = _seats(session, found), []
    for hand, own in found:
        if not is_phh(hand.phh):
            continue
        played = read_record(hand.phh)
        if hand.upload_id is None:
            number = int.from_bytes(hashlib.sha256(hand.id.encode()).digest()[:7])
            played = replace(
                seen_by(played, {own.seat, *(seat.seat for seat in seats[hand.id] if seat.shown)}),
                number=number, played=hand.finished, time_zone="UTC", table=hand.table_id or "",
            )  # fmt: skip
        with suppress(ValueError):
            texts.append(write_pokerstars(played) + "\n")
    return texts


def _seats(session: Session, found: Sequence[listing.Found]) -> dict[str, list[HandSeat]]:
    seats: dict[str, list[HandSeat]] = {hand.id: [] for hand, _ in found}
    for seat in session.scalars(select(HandSeat).where(HandSeat.hand_id.in_(seats))):
        seats[seat.hand_id].append(seat)
    return seats


def _in_parts(
    database: Database,
    asked: HandFilter,
    person_id: str,
    made: Callable[[Session, Sequence[listing.Found]], _Part],
) -> Iterator[_Part]:
    before = None
    while True:
        with database.session() as session:
            found, before = listing.page(session, asked, person_id, AT_ONCE, before)
            part = made(session, found)
        yield part
        if before is None:
            return
