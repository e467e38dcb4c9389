"""What was read of a person's hands, kept from one time to the next: of many hands only newer ones are read again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, case, func, select, tuple_
from sqlalchemy.orm import Session, aliased

from ludus.server.models import HandSeat
from ludus.teach.tracker import BITS

Met = dict[tuple[str, str], NDArray[np.float64]]
"""By name and agent: the hands with somebody, one's results there, how they played."""
_NOT_COUNTED = HandSeat.chances.is_(None)
COLUMNS: tuple[tuple[Any, Any], ...] = (
    (HandSeat.big_blind, np.float64), (HandSeat.net, np.float64), (HandSeat.adjusted, np.float64),
    (_NOT_COUNTED, np.bool_), (HandSeat.place, "U10"), (HandSeat.street, "U1"), (HandSeat.paid, np.int64),
    (HandSeat.raised, np.int64), *((func.coalesce(column, 0), np.int64) for column in (
        HandSeat.chances, HandSeat.taken, HandSeat.later_raises, HandSeat.later_calls
    )),
)  # fmt: skip
"""What is read of a hand, with its type."""


class Played(NamedTuple):
    """What was read of matching hands, up to one of them, so that only newer ones need to be read the next time."""

    until: tuple[datetime, str]  # when the last one was finished, and which it is
    mark: tuple[Any, ...]  # their number and sums, by which a change is noticed
    columns: tuple[NDArray[Any], ...]
    opponents: Met


class KeptFigures:
    """What was read of the hands of people who have played many; a few of the latest asked for."""

    MOST, LEAST = 20, 2000  # kinds of questions that are kept, and hands from which on it is worth it

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Played] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[str, str]) -> Played | None:
        """What is known."""
        with self._lock:
            return self._kept.get(key)

    def put(self, key: tuple[str, str], played: Played) -> None:
        """Keep it, and forget what was not asked for lately."""
        if len(played.columns[0]) < self.LEAST:
            return
        with self._lock:
            self._kept[key] = played
            self._kept.move_to_end(key)
            if len(self._kept) > self.MOST:
                self._kept.popitem(last=False)


def read(session: Session, conditions: Sequence[ColumnElement[bool]], past: Played | None) -> Played | None:
    """All matching hands; those up to the last of ``past`` from there, unless something about them has changed."""
    order = tuple_(HandSeat.finished, HandSeat.hand_id)
    if past is not None and past.mark == _mark(session, (*conditions, order <= past.until)):
        conditions = (*conditions, order > past.until)
    else:
        past = None
    last = select(HandSeat.finished, HandSeat.hand_id).where(*conditions)
    found = session.execute(last.order_by(HandSeat.finished.desc(), HandSeat.hand_id.desc()).limit(1)).first()
    if found is None:
        return past
    until = found[0], found[1]
    conditions = (*conditions, order <= until)  # hands may be finished meanwhile
    query = select(*(column for column, _ in COLUMNS)).where(*conditions)
    rows = session.execute(query.order_by(HandSeat.finished, HandSeat.hand_id)).all()
    told = zip(zip(*rows, strict=True), COLUMNS, strict=True)
    columns = tuple(np.array(each, kind) for each, (_, kind) in told)
    opponents = _met(session, conditions)
    if past is not None:
        columns = tuple(map(np.concatenate, zip(past.columns, columns, strict=True)))
        for key, sums in past.opponents.items():
            opponents[key] = opponents.get(key, 0) + sums
    _, net, adjusted, not_counted = columns[:4]
    unknown = np.isnan(adjusted)
    mark = len(net), float(net.sum()), float(adjusted[~unknown].sum()), int(unknown.sum()), int(not_counted.sum())
    return Played(until, _rounded(mark), columns, opponents)


def _mark(session: Session, conditions: Sequence[ColumnElement[bool]]) -> tuple[Any, ...]:
    net, adjusted, counted = func.sum(HandSeat.net), HandSeat.adjusted, func.count(HandSeat.chances)
    query = select(
        func.count(), net, func.sum(adjusted), func.count() - func.count(adjusted), func.count() - counted
    )  # fmt: skip
    return _rounded(tuple(value or 0 for value in session.execute(query.where(*conditions)).one()))


def _rounded(mark: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sums in another order differ in their last digits."""
    return tuple(round(float(value), 3) for value in mark)


def _met(session: Session, conditions: Sequence[ColumnElement[bool]]) -> Met:
    """For all with whom one has played."""
    other, mine = aliased(HandSeat), HandSeat.net * 1.0 / HandSeat.big_blind

    def times(condition: Any) -> ColumnElement[int]:
        return func.sum(case((condition, 1), else_=0))

    bits = [column.op("&")(bit) != 0 for bit in BITS.values() for column in (other.chances, other.taken)]
    query = (
        select(
            other.name, other.agent, func.count(), func.sum(mine), func.sum(mine * mine), times(other.paid),
            times(other.raised), func.coalesce(func.sum(other.later_raises), 0),
            func.coalesce(func.sum(other.later_calls), 0), *(times(bit) for bit in bits),
        )
        .select_from(HandSeat)
        .join(other, (other.hand_id == HandSeat.hand_id) & (other.seat != HandSeat.seat))
        .where(*conditions)
        .group_by(other.name, other.agent)
    )  # fmt: skip
    return {(name, agent): np.array(sums, np.float64) for name, agent, *sums in session.execute(query)}
