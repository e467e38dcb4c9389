"""A person's hands as columns: what figures are worked out from.

The hands that were played here are folded: a thousand at a time, once nothing about them is going to change, become one
row of the database with all their columns, so that few rows are read however many hands somebody has. Those that are
not folded yet are read one by one, and so are those of a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, bindparam, delete, func, select, tuple_, update
from sqlalchemy.orm import Session, aliased

from ludus.server.hands.filters import HandFilter, in_utc
from ludus.server.models import FoldedHands, HandSeat, Person

BLOCK = 1000  # hands that are folded together
FORMAT = 1  # of the columns below: what was folded otherwise is folded anew
WORDS = ("game", "place", "table_id")
PLAYED = ("paid", "raised", "chances", "taken", "later_raises", "later_calls")
_COUNTS = [(name, "<u2") for name in PLAYED]
HANDS = np.dtype(
    [("finished", "<i8"), ("big_blind", "<f8"), ("net", "<f8"), ("adjusted", "<f8"), ("street", "<u2"), *_COUNTS]
    + [(name, "<i4") for name in WORDS]
)
"""A hand of one's own: when it ended in microseconds since 1970, its worth, what one did, and numbers of words."""
OTHERS = np.dtype([("hand", "<i4"), ("who", "<i4"), *_COUNTS])
"""Somebody else in one of them, by the number of the hand, and what they did."""
_START = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
Words = dict[str, list[Any]]
Rows = NDArray[np.void]


@dataclass(frozen=True)
class Columns:
    """Hands in the order in which they ended, and the others in them, by hand; ``words`` are what numbers stand for.

    A word of ``who`` is a name and an agent.
    """

    hands: Rows
    others: Rows
    words: Words

    def chosen(self, which: NDArray[np.bool_]) -> Columns:
        """Some of the hands."""
        of_others = which[self.others["hand"]]
        others = self.others[of_others]
        others["hand"] = (np.cumsum(which) - 1)[others["hand"]]
        return Columns(self.hands[which], others, self.words)

    def number(self, kind: str, word: Any) -> int:
        """The number that stands for a word; one that no hand has where there is none."""
        return self.words[kind].index(word) if word in self.words[kind] else -1


def columns_of(session: Session, asked: HandFilter, person_id: str) -> Columns:
    """The matching hands of a person."""
    if asked.upload is not None:
        return _read(session, asked.conditions(person_id))
    return matching(played_here(session, person_id), asked)


def played_here(session: Session, person_id: str) -> Columns:
    """All hands that a person has played here."""
    folded = select(FoldedHands).where(FoldedHands.person_id == person_id, FoldedHands.format == FORMAT)
    while True:
        blocks = [
            Columns(np.frombuffer(row.hands, HANDS), np.frombuffer(row.others, OTHERS), _told(row.words))
            for row in session.scalars(folded.order_by(FoldedHands.number))
        ]
        others = _read(session, _unfolded(person_id))
        if session.scalar(select(func.count()).select_from(folded.subquery())) == len(blocks):
            return _joined([*blocks, others])  # otherwise some were folded between the two readings


def matching(all_hands: Columns, asked: HandFilter) -> Columns:
    """Those of some hands that somebody asks for."""
    hands = all_hands.hands
    which = np.ones(len(hands), np.bool_)
    for kind, word in (("game", asked.game), ("place", asked.place), ("table_id", asked.table)):
        if word is not None:
            which &= hands[kind] == all_hands.number(kind, word)
    if asked.since is not None:
        which &= hands["finished"] >= microseconds(in_utc(asked.since))
    if asked.until is not None:
        which &= hands["finished"] < microseconds(in_utc(asked.until))
    if asked.opponent is not None:
        meant = [asked.means(name, agent) for name, agent in all_hands.words["who"]]
        met = all_hands.others["hand"][np.array(meant, np.bool_)[all_hands.others["who"]]]
        which &= np.bincount(met, minlength=len(hands)) > 0
    return all_hands if which.all() else all_hands.chosen(which)


def microseconds(time: datetime) -> int:
    """A time as columns have it."""
    return (time - _START) // _MICROSECOND


def moment(time: int) -> datetime:
    """And back."""
    return _START + int(time) * _MICROSECOND


# Folding


def fold(session: Session, person_id: str, most: int = BLOCK) -> bool:
    """Fold the oldest hands of a person that can be, if they are enough; whether they were."""
    _one_at_a_time(session, person_id)
    old = delete(FoldedHands).where(FoldedHands.person_id == person_id, FoldedHands.format != FORMAT)
    if session.connection().execute(old).rowcount:
        unfold(session, person_id)
    settled = (*_unfolded(person_id), HandSeat.adjusted.is_not(None), HandSeat.chances.is_not(None))
    order = HandSeat.finished, HandSeat.hand_id
    keys = session.execute(select(*order, HandSeat.seat).where(*settled).order_by(*order).limit(most)).all()
    if len(keys) < most:
        return False
    found = _read(session, (*settled, tuple_(*order) <= tuple(keys[-1][:2])))
    if len(found.hands) != most:  # one has come in between
        return True
    last = select(func.max(FoldedHands.number)).where(FoldedHands.person_id == person_id)
    number = (session.scalar(last) or 0) + 1
    session.add(
        FoldedHands(
            person_id=person_id, number=number, format=FORMAT, words=found.words, hands=found.hands.tobytes(),
            others=found.others.tobytes(),
        )
    )  # fmt: skip
    session.flush()
    seat = HandSeat.hand_id == bindparam("key"), HandSeat.seat == bindparam("at")
    folded = update(HandSeat).where(*seat).values(block=number).execution_options(synchronize_session=False)
    session.connection().execute(folded, [{"key": key.hand_id, "at": key.seat} for key in keys])
    return True


def unfold(session: Session, person_id: str) -> None:
    """A person's hands are going to change: they are read one by one until they are folded again."""
    _one_at_a_time(session, person_id)
    session.execute(delete(FoldedHands).where(FoldedHands.person_id == person_id))
    folded = HandSeat.person_id == person_id, HandSeat.block.is_not(None)
    session.execute(update(HandSeat).where(*folded).values(block=None).execution_options(synchronize_session=False))


def _one_at_a_time(session: Session, person_id: str) -> None:
    """Until the transaction ends no other server folds or unfolds the hands of a person."""
    session.get(Person, person_id, with_for_update=True)


def people_to_fold(session: Session, least: int = BLOCK) -> Sequence[str]:
    """Who has so many hands that are not folded that some can be."""
    waiting = HandSeat.block.is_(None), HandSeat.upload_id.is_(None), HandSeat.person_id.is_not(None)
    people = select(HandSeat.person_id).where(*waiting).group_by(HandSeat.person_id).having(func.count() >= least)
    return [person for person in session.scalars(people) if person is not None]


def _unfolded(person_id: str) -> tuple[ColumnElement[bool], ...]:
    return HandSeat.person_id == person_id, HandSeat.block.is_(None), HandSeat.upload_id.is_(None)


# Reading


def _read(session: Session, conditions: Sequence[ColumnElement[bool]]) -> Columns:
    """Hands one by one, in the order in which they ended."""
    own, other = HandSeat, aliased(HandSeat)
    query = select(
        own.hand_id, own.finished, own.big_blind, own.net, own.adjusted, own.street, *_played(own),
        *(getattr(own, name) for name in WORDS),
    )  # fmt: skip
    rows = session.execute(query.where(*conditions).order_by(own.finished, own.hand_id)).all()
    at = {row[0]: number for number, row in enumerate(rows)}
    words: Words = {}
    hands = np.zeros(len(rows), HANDS)
    told = list(zip(*(row[1:] for row in rows), strict=True)) or [()] * len(HANDS.names or ())
    for name, values in zip(HANDS.names or (), told, strict=True):
        if name in WORDS:
            hands[name], words[name] = _numbered(values)
        else:
            hands[name] = list(map(microseconds, values)) if name == "finished" else values
    met = select(own.hand_id, other.name, other.agent, *_played(other)).select_from(own)
    met = met.join(other, (other.hand_id == own.hand_id) & (other.seat != own.seat)).where(*conditions)
    seen = sorted((at[row[0]], (row[1], row[2]), *row[3:]) for row in session.execute(met) if row[0] in at)
    others = np.zeros(len(seen), OTHERS)
    numbers, who, *counts = zip(*seen, strict=True) if seen else [()] * len(OTHERS.names or ())
    others["hand"] = numbers
    others["who"], words["who"] = _numbered(who)
    for name, values in zip(PLAYED, counts, strict=True):
        others[name] = values
    return Columns(hands, others, words)


def _played(seat: Any) -> list[Any]:
    """What somebody did; nothing of what trackers count in hands that wait for it."""
    return [seat.paid, seat.raised, *(func.coalesce(getattr(seat, name), 0) for name in PLAYED[2:])]


def _numbered(values: Iterable[Any]) -> tuple[list[int], list[Any]]:
    """Words by their numbers, and all of them."""
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values], list(numbers)


def _told(words: Words) -> Words:
    """Words as JSON has them."""
    return {**words, "who": [(name, agent) for name, agent in words["who"]]}


def _joined(blocks: Sequence[Columns]) -> Columns:
    """All hands of some blocks, in the order in which they ended."""
    words: dict[str, dict[Any, int]] = {kind: {} for kind in (*WORDS, "who")}
    hands = np.concatenate([block.hands for block in blocks])
    others = np.concatenate([block.others for block in blocks])
    first, first_other = 0, 0
    for block in blocks:
        here = hands[first : first + len(block.hands)]
        there = others[first_other : first_other + len(block.others)]
        for kind, known in words.items():
            rows = there if kind == "who" else here
            numbers = [known.setdefault(word, len(known)) for word in block.words[kind]]
            if numbers != list(range(len(numbers))):
                rows[kind] = np.array(numbers, np.int32)[rows[kind]]
        there["hand"] += first
        first, first_other = first + len(here), first_other + len(there)
    return _in_order(Columns(hands, others, {kind: list(known) for kind, known in words.items()}))


def _in_order(found: Columns) -> Columns:
    """The same in the order in which the hands ended: some may have come late."""
    times = found.hands["finished"]
    if (times[1:] >= times[:-1]).all():
        return found
    order = np.argsort(times, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    others = found.others.copy()
    others["hand"] = place[others["hand"]]
    return Columns(found.hands[order], others[np.argsort(others["hand"], kind="stable")], found.words)
