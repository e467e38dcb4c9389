"""What is kept: people, tables with their logs, hands, decisions, solved spots, drills."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    false,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

KEY = 22  # characters of a random name: 128 bits
TO_FOLD = "block IS NULL AND upload_id IS NULL AND person_id IS NOT NULL"


def new_key() -> str:
    """A name that nobody can guess, safe in a URL."""
    return secrets.token_urlsafe(16)


class Moment(TypeDecorator[datetime]):
    """A time, always UTC: SQLite forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Say that it is UTC."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


class Base(DeclarativeBase):
    """All tables. Constraints have names, so that a later version can change them in every database."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s", "uq": "uq_%(table_name)s_%(column_0_name)s", "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        }
    )  # fmt: skip
    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON, datetime: Moment}  # noqa: RUF012


class Person(Base):
    """A guest, or somebody with an account: then there is a user name and a password."""

    __tablename__ = "people"
    id: Mapped[str] = mapped_column(String(KEY), primary_key=True, default=new_key)
    name: Mapped[str] = mapped_column(String(40))
    username: Mapped[str | None] = mapped_column(String(40), unique=True)
    password: Mapped[str | None] = mapped_column(String(200))  # argon2
    version: Mapped[int] = mapped_column(default=1)  # of the log-in: cookies of an earlier one are void
    preferences: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created: Mapped[datetime] = mapped_column(default=now)
    seen: Mapped[datetime | None] = mapped_column(default=now)  # to the day


class EndedSession(Base):
    """A log-in that somebody has ended: its cookies are void."""

    __tablename__ = "ended_sessions"
    id: Mapped[str] = mapped_column(String(KEY), primary_key=True)
    ended: Mapped[datetime] = mapped_column(default=now, index=True)


class Token(Base):
    """A bot's key to a person's API. Only its SHA-256 is kept."""

    __tablename__ = "tokens"
    id: Mapped[str] = mapped_column(String(KEY), primary_key=True, default=new_key)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    label: Mapped[str] = mapped_column(String(80), default="")
    created: Mapped[datetime] = mapped_column(default=now)
    used: Mapped[datetime | None]


class TableRow(Base):
    """A table as it was set up."""

    __tablename__ = "tables"
    id: Mapped[str] = mapped_column(String(KEY), primary_key=True, default=new_key)
    host_id: Mapped[str] = mapped_column(ForeignKey("people.id"), index=True)
    config: Mapped[dict[str, Any]]
    invite: Mapped[str] = mapped_column(String(KEY), default=new_key)
    created: Mapped[datetime] = mapped_column(default=now)
    closed: Mapped[datetime | None] = mapped_column(index=True)


class Sitter(Base):
    """Who sits at a table, or has sat there."""

    __tablename__ = "sitters"
    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True, index=True)


class Lease(Base):
    """Where the server is reached that has something in its hands: a table, a match. See `ludus.server.leases`."""

    __tablename__ = "leases"
    id: Mapped[str] = mapped_column(String(KEY), primary_key=True)
    url: Mapped[str] = mapped_column(String(200))


class TableEvent(Base):
    """The log of a table: its state is what its events make it."""

    __tablename__ = "table_events"
    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(20))
    data: Mapped[dict[str, Any]]
    time: Mapped[datetime] = mapped_column(default=now)


class Hand(Base):
    """A finished hand, played here or uploaded."""

    __tablename__ = "hands"
    id: Mapped[str] = mapped_column(String(KEY), primary_key=True, default=new_key)
    table_id: Mapped[str | None] = mapped_column(ForeignKey("tables.id", ondelete="SET NULL"), index=True)
    upload_id: Mapped[str | None] = mapped_column(ForeignKey("uploads.id", ondelete="CASCADE"), index=True)
    number: Mapped[int]
    finished: Mapped[datetime] = mapped_column(default=now, index=True)
    game: Mapped[str] = mapped_column(String(40))  # 'holdem', 'leduc-nl', ...
    players: Mapped[int]
    big_blind: Mapped[int]
    pot: Mapped[int]
    board: Mapped[str] = mapped_column(String(20), default="")
    phh: Mapped[str] = mapped_column(Text)
    commitment: Mapped[str | None] = mapped_column(String(64))
    deal: Mapped[dict[str, Any] | None] = mapped_column(JSON)  # the promised deck, and the seeds of its order
    adjusted: Mapped[bool] = mapped_column(default=False)  # whether the luck of all-ins is worked out
    reviewed: Mapped[bool] = mapped_column(default=False)


class HandSeat(Base):
    """One player's part in a hand. Seats are the game's: 0 acts first after the flop.

    Some columns of the hand are here once more, so that lists and statistics of a person need not read the hands, which
    are long.
    """

    __tablename__ = "hand_seats"
    hand_id: Mapped[str] = mapped_column(ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id"))
    name: Mapped[str] = mapped_column(String(40))
    agent: Mapped[str] = mapped_column(String(80), default="")  # 'blueprint:level=3'; empty for people
    place: Mapped[str] = mapped_column(String(10))  # 'BTN'
    cards: Mapped[str] = mapped_column(String(10), default="")
    shown: Mapped[bool] = mapped_column(default=False)  # whether everybody has seen them
    stack: Mapped[int]
    net: Mapped[float]  # chips
    adjusted: Mapped[float | None]  # the same with all-ins counted by their equity
    paid: Mapped[bool] = mapped_column(default=False)  # VPIP
    raised: Mapped[bool] = mapped_column(default=False)  # PFR
    raises: Mapped[int] = mapped_column(default=0)
    calls: Mapped[int] = mapped_column(default=0)
    folded: Mapped[bool] = mapped_column(default=False)
    showdown: Mapped[bool] = mapped_column(default=False)
    street: Mapped[int] = mapped_column(default=0)  # the last one they were in
    chances: Mapped[int | None]  # what a tracker counts (`teach.tracker.BITS`); nothing in hands that wait for it
    taken: Mapped[int | None]
    later_raises: Mapped[int | None]  # after the first street
    later_calls: Mapped[int | None]
    finished: Mapped[datetime]
    game: Mapped[str] = mapped_column(String(40))
    big_blind: Mapped[int]
    table_id: Mapped[str | None] = mapped_column(String(KEY))
    upload_id: Mapped[str | None] = mapped_column(String(KEY))
    block: Mapped[int | None]  # of `FoldedHands` in which the hand is for its person
    __table_args__ = (
        Index("hand_seats_of_person", "person_id", "finished", "hand_id"),
        Index("hand_seats_to_fold", "person_id", "finished", "hand_id", sqlite_where=text(TO_FOLD),
              postgresql_where=text(TO_FOLD)),
        Index("hand_seats_to_count", "hand_id", sqlite_where=text("chances IS NULL"),
              postgresql_where=text("chances IS NULL")),
    )  # fmt: skip


class FoldedHands(Base):
    """Some of the hands that a person has played here, as columns: see `ludus.server.hands.columns`."""

    __tablename__ = "folded_hands"
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    format: Mapped[int]
    words: Mapped[dict[str, Any]]
    hands: Mapped[bytes] = mapped_column(LargeBinary)
    others: Mapped[bytes] = mapped_column(LargeBinary)


class Decision(Base):
    """A person's decision with what the assistant says about it."""

    __tablename__ = "decisions"
    hand_id: Mapped[str] = mapped_column(ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True)
    step: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)  # number of the action in the hand
    seat: Mapped[int]
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id"))
    street: Mapped[int]
    action: Mapped[int]
    grade: Mapped[str] = mapped_column(String(12))
    loss: Mapped[float]  # big blinds
    situation: Mapped[str] = mapped_column(String(60), default="")  # 'flop, facing a bet'
    tendency: Mapped[str] = mapped_column(String(30), default="")  # 'calls too much'; empty when it was no error
    place: Mapped[str] = mapped_column(String(10), server_default="")  # of the seat, and whether the hand is of a file:
    uploaded: Mapped[bool] = mapped_column(server_default=false())  # so that statistics need not read the seats
    advice: Mapped[dict[str, Any]]
    __table_args__ = (  # what lists and statistics look at, apart from the advice, which is long
        Index("decisions_in_brief", "person_id", "uploaded", "hand_id", "grade", "loss", "street", "situation",
              "tendency", "place"),
    )  # fmt: skip


class Note(Base):
    """What a person wrote about a hand."""

    __tablename__ = "notes"
    hand_id: Mapped[str] = mapped_column(ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id"), primary_key=True)
    text: Mapped[str] = mapped_column(Text)
    changed: Mapped[datetime] = mapped_column(default=now)


class Share(Base):
    """A link to a hand that somebody shares: whoever knows its id may see the replay."""

    __tablename__ = "shares"
    id: Mapped[str] = mapped_column(String(KEY), primary_key=True, default=new_key)
    hand_id: Mapped[str] = mapped_column(ForeignKey("hands.id", ondelete="CASCADE"), index=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id"), index=True)
    names: Mapped[bool]
    cards: Mapped[bool]  # all that the person may see; else those that were shown
    created: Mapped[datetime] = mapped_column(default=now)


class Upload(Base):
    """A file of hands from elsewhere."""

    __tablename__ = "uploads"
    id: Mapped[str] = mapped_column(String(KEY), primary_key=True, default=new_key)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id"), index=True)
    name: Mapped[str] = mapped_column(String(120))
    created: Mapped[datetime] = mapped_column(default=now)
    hero: Mapped[str] = mapped_column(String(40), default="")
    status: Mapped[str] = mapped_column(String(12), default="waiting")  # reading, reviewing, done, failed
    report: Mapped[dict[str, Any]] = mapped_column(default=dict)


class SpotRow(Base):
    """A spot somebody has solved, or is solving. Whoever knows its id may look at it."""

    __tablename__ = "spots"
    id: Mapped[str] = mapped_column(String(KEY), primary_key=True, default=new_key)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id"), index=True)
    name: Mapped[str] = mapped_column(String(120), default="")
    created: Mapped[datetime] = mapped_column(default=now)
    spot: Mapped[dict[str, Any]]  # `Spot.to_dict`
    status: Mapped[str] = mapped_column(String(12), default="waiting")  # solving, solved, failed, cancelled
    error: Mapped[str] = mapped_column(Text, default="")
    progress: Mapped[list[Any]] = mapped_column(default=list)  # [{iterations, seconds, percent}]
    summary: Mapped[dict[str, Any]] = mapped_column(default=dict)
    file: Mapped[str] = mapped_column(String(80), default="")  # in the folder of solutions
    size: Mapped[int] = mapped_column(default=0)
    holder: Mapped[str | None] = mapped_column(String(KEY))  # the server that solves it
    seen: Mapped[datetime | None]  # when that server last said so
    tries: Mapped[int] = mapped_column(default=0, server_default="0")


class Solution(Base):
    """A solved spot as its file has it, where servers on several machines share a database."""

    __tablename__ = "solutions"
    spot_id: Mapped[str] = mapped_column(ForeignKey("spots.id", ondelete="CASCADE"), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class Drill(Base):
    """A question of a drill; answered or not yet."""

    __tablename__ = "drills"
    id: Mapped[str] = mapped_column(String(KEY), primary_key=True, default=new_key)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id"))
    theme: Mapped[str] = mapped_column(String(40))
    created: Mapped[datetime] = mapped_column(default=now)
    question: Mapped[dict[str, Any]]
    solution: Mapped[dict[str, Any]]
    answer: Mapped[str | None] = mapped_column(String(20))
    grade: Mapped[str | None] = mapped_column(String(12))
    answered: Mapped[datetime | None]
    loss: Mapped[float | None]  # big blinds
    __table_args__ = (Index("drills_of_person", "person_id", "answered"),)
