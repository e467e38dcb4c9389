"""Which hands somebody asks for: the same words for lists, exports and statistics, made into conditions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr
from sqlalchemy import ColumnElement, and_, exists, or_, select
from sqlalchemy.orm import aliased

from ludus.server.models import KEY, Decision, Hand, HandSeat, Note

Grade = Literal["best", "fine", "inaccuracy", "mistake", "blunder"]
GRADES: tuple[str, ...] = get_args(Grade)
ERRORS = GRADES[2:]


class HandFilter(BaseModel):
    """Which of one's own hands; what is left out does not matter."""

    model_config = ConfigDict(extra="forbid")
    game: str | None = Field(None, max_length=40, description="'holdem', 'leduc-nl', 'leduc' or 'kuhn'")
    table: str | None = Field(None, max_length=KEY, description="hands of this table")
    upload: str | None = Field(None, max_length=KEY, description="hands of this uploaded file")
    opponent: str | None = Field(None, max_length=80, description="a player's name, or an AI such as 'blueprint'")
    place: str | None = Field(None, max_length=10, description="where one sat: 'BTN', 'BB', ...")
    since: datetime | None = Field(None, description="finished at this time or later; UTC unless it says otherwise")
    until: datetime | None = Field(None, description="finished before this time")
    _here: bool = PrivateAttr(False)

    def played_here(self) -> Self:
        """The same without uploaded hands, unless they were asked for."""
        self._here = self.upload is None
        return self

    @property
    def is_plain(self) -> bool:
        """Whether all hands that were played here are asked for."""
        return self._here and not self.model_dump(exclude_none=True)

    def conditions(self, person_id: str) -> list[ColumnElement[bool]]:
        """Conditions on the rows of the person's own seats."""
        found: list[ColumnElement[bool]] = [HandSeat.person_id == person_id]
        if self._here:
            found.append(HandSeat.upload_id.is_(None))
        for column, value in (
            (HandSeat.game, self.game), (HandSeat.table_id, self.table), (HandSeat.upload_id, self.upload),
            (HandSeat.place, self.place),
        ):  # fmt: skip
            if value is not None:
                found.append(column == clean(value))
        if self.opponent is not None:
            found.append(_against(clean(self.opponent)))
        if self.since is not None:
            found.append(HandSeat.finished >= in_utc(self.since))
        if self.until is not None:
            found.append(HandSeat.finished < in_utc(self.until))
        return found

    def means(self, name: str, agent: str) -> bool:
        """Whether somebody is the opponent that is asked for."""
        wanted = clean(self.opponent or "")
        return wanted in (name, agent) or agent.startswith(f"{wanted}:")


class HandSearch(HandFilter):
    """The same with filters that only lists of hands have."""

    result: Literal["won", "lost", "split"] | None = None
    showdown: bool | None = Field(None, description="whether one saw the showdown")
    graded: Grade | None = Field(None, description="with a decision of one's own of this grade or worse")
    noted: bool | None = Field(None, description="whether one wrote a note about it")
    text: str | None = Field(None, max_length=80, description="part of the note, of a name, of the board or the cards")

    def conditions(self, person_id: str) -> list[ColumnElement[bool]]:
        """Conditions on the rows of the person's own seats."""
        found = super().conditions(person_id)
        if self.result is not None:
            found.append({"won": HandSeat.net > 0, "lost": HandSeat.net < 0, "split": HandSeat.net == 0}[self.result])
        if self.showdown is not None:
            found.append(HandSeat.showdown == self.showdown)
        if self.graded is not None:
            grades = GRADES[GRADES.index(self.graded) :]
            bad = select(Decision.hand_id).where(Decision.person_id == person_id, Decision.grade.in_(grades))
            found.append(HandSeat.hand_id.in_(bad))
        noted = and_(Note.hand_id == HandSeat.hand_id, Note.person_id == person_id)
        if self.noted is not None:
            found.append(exists().where(noted) if self.noted else ~exists().where(noted))
        if self.text:
            found.append(_mentions(clean(self.text), noted))
        return found


def clean(text: str) -> str:
    """A text that a database takes: PostgreSQL has no zero characters."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def in_utc(time: datetime) -> datetime:
    """A time as the database compares it."""
    try:
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except OverflowError:  # at the very ends of the calendar
        return time.replace(tzinfo=UTC)


def _against(name: str) -> ColumnElement[bool]:
    other = aliased(HandSeat)
    named = or_(other.name == name, other.agent == name, other.agent.startswith(f"{name}:", autoescape=True))
    return exists(select(1).where(other.hand_id == HandSeat.hand_id, other.seat != HandSeat.seat, named))


def _mentions(text: str, noted: ColumnElement[bool]) -> ColumnElement[bool]:
    other = aliased(HandSeat)
    cards = text.replace(" ", "")
    return or_(
        exists().where(noted, Note.text.icontains(text, autoescape=True)),
        exists(select(1).where(other.hand_id == HandSeat.hand_id, other.name.icontains(text, autoescape=True))),
        exists().where(Hand.id == HandSeat.hand_id, Hand.board.icontains(cards, autoescape=True)),
        HandSeat.cards.icontains(cards, autoescape=True),
    )
