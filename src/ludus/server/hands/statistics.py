"""The figures of a person's hands, worked out from columns: results with their intervals, style, grades, leaks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, case, func, select, tuple_
from sqlalchemy.orm import Session, aliased

from ludus.arena.interval import Interval, interval, student_95
from ludus.games.poker import STREETS
from ludus.server.hands.filters import ERRORS, GRADES, HandFilter
from ludus.server.hands.histories import card_list
from ludus.server.models import Decision, HandSeat

POINTS = 400  # of a curve
MOST_OPPONENTS = 50
WORST = 10
Floats = NDArray[np.float64]


class Mean(BaseModel):
    """A mean and its 95 % interval; nothing where there are too few values."""

    mean: float | None
    low: float | None
    high: float | None
    too_few: bool = Field(description="whether there are too few values to trust the interval")


class CurvePoint(BaseModel):
    """Where the total stands after this many hands, in big blinds, and where it may stand without luck (95 %)."""

    hand: int
    total: float
    adjusted: float
    low: float | None
    high: float | None


class Group(BaseModel):
    """Hands of one kind together; the total in big blinds."""

    key: str
    hands: int
    bb100: Mean
    adjusted: Mean
    total: float


class StyleFigures(BaseModel):
    """The usual figures, counted over all hands: shares, and bets and raises for each call."""

    vpip: float | None
    pfr: float | None
    aggression: float | None
    showdowns: float | None
    won_at_showdown: float | None


class OpponentFigures(BaseModel):
    """Somebody one has played with: one's own result in those hands, and how they play."""

    name: str
    agent: str
    hands: int
    bb100: Mean
    total: float
    style: StyleFigures


class LeakFigures(BaseModel):
    """Decisions of one kind together; losses in big blinds."""

    kind: str
    decisions: int
    errors: int = Field(description="inaccuracies and worse")
    loss: float


class Costly(BaseModel):
    """A decision that lost much."""

    hand: str
    step: int
    situation: str
    name: str = Field(description="what was done")
    cards: list[str]
    board: list[str]
    grade: str
    loss: float


class Grades(BaseModel):
    """What the reviewed decisions cost, in big blinds."""

    decisions: int
    hands: int
    counts: dict[str, int]
    loss: float
    loss_per_100: Mean = Field(description="decisions")
    leaks: dict[str, list[LeakFigures]] = Field(
        description="by street, position, situation and tendency, the costliest first"
    )
    worst: list[Costly]


class HandStatistics(BaseModel):
    """The figures of the hands that were asked for."""

    hands: int
    won: int
    tied: int
    lost: int
    total: float
    bb100: Mean
    adjusted: Mean | None = Field(description="with all-ins counted by their equity")
    pending: int = Field(description="hands whose all-ins are not worked out yet: they count as they were")
    curve: list[CurvePoint]
    by_place: list[Group]
    by_street: list[Group] = Field(description="by the street on which one's hand ended")
    style: StyleFigures
    opponents: list[OpponentFigures]
    grades: Grades


class Played(NamedTuple):
    """What was read of matching hands, up to one of them, so that only newer ones need to be read the next time."""

    until: tuple[datetime, str]  # when the last one was finished, and which it is
    mark: tuple[Any, ...]  # their number and sums, by which a change is noticed
    columns: tuple[NDArray[Any], ...]
    opponents: dict[tuple[str, str], NDArray[np.float64]]  # by name and agent: hands, and sums


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


_COLUMNS: tuple[tuple[Any, Any], ...] = (
    (HandSeat.big_blind, np.float64), (HandSeat.net, np.float64), (HandSeat.adjusted, np.float64),
    (HandSeat.place, "U10"), (HandSeat.street, np.int8), (HandSeat.showdown, np.bool_), (HandSeat.paid, np.bool_),
    (HandSeat.raised, np.bool_), (HandSeat.raises, np.int64), (HandSeat.calls, np.int64),
)  # fmt: skip


def statistics(session: Session, asked: HandFilter, person_id: str, kept: KeptFigures | None = None) -> HandStatistics:
    """All figures of the matching hands; of those that are kept from the last time only what is newer is read."""
    kept, key = kept or KeptFigures(), (person_id, asked.model_dump_json())
    played = _read(session, asked.conditions(person_id), kept.get(key))
    if played is not None:
        kept.put(key, played)
    columns = played.columns if played is not None else tuple(np.array([], kind) for _, kind in _COLUMNS)
    unit, net, adjusted, places, streets, *habits = columns
    won, known = net / unit, adjusted / unit
    fair = np.where(np.isnan(known), won, known)
    return HandStatistics(
        hands=len(won), won=int((won > 0).sum()), tied=int((won == 0).sum()), lost=int((won < 0).sum()),
        total=float(won.sum()), bb100=per_100(interval(won)), adjusted=per_100(interval(fair)) if len(won) else None,
        pending=int(np.isnan(known).sum()), curve=curve(won, fair), by_place=_groups(places, won, fair),
        by_street=_groups(streets, won, fair, "0123"), style=_style(won, *habits),
        opponents=_opponents(played.opponents if played is not None else {}),
        grades=grades_of(session, asked, person_id),
    )  # fmt: skip


def _read(session: Session, conditions: Sequence[ColumnElement[bool]], past: Played | None) -> Played | None:
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
    query = select(*(column for column, _ in _COLUMNS)).where(*conditions)
    rows = session.execute(query.order_by(HandSeat.finished, HandSeat.hand_id)).all()
    told = zip(zip(*rows, strict=True), _COLUMNS, strict=True)
    columns = tuple(np.array(each, kind) for each, (_, kind) in told)
    opponents = _met(session, conditions)
    if past is not None:
        columns = tuple(map(np.concatenate, zip(past.columns, columns, strict=True)))
        for key, sums in past.opponents.items():
            opponents[key] = opponents.get(key, 0) + sums
    _, net, adjusted = columns[:3]
    unknown = np.isnan(adjusted)
    mark = len(net), float(net.sum()), float(adjusted[~unknown].sum()), int(unknown.sum())
    return Played(until, _rounded(mark), columns, opponents)


def _mark(session: Session, conditions: Sequence[ColumnElement[bool]]) -> tuple[Any, ...]:
    known = func.count(HandSeat.adjusted)
    query = select(func.count(), func.sum(HandSeat.net), func.sum(HandSeat.adjusted), func.count() - known)
    return _rounded(tuple(value or 0 for value in session.execute(query.where(*conditions)).one()))


def _rounded(mark: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sums in another order differ in their last digits."""
    return tuple(round(float(value), 3) for value in mark)


def per_100(found: Interval) -> Mean:
    """An interval per hand as one per hundred hands."""
    found = found.scaled(100)
    if not found.units:
        return Mean(mean=None, low=None, high=None, too_few=True)
    if not np.isfinite(found.ci95):
        return Mean(mean=found.mean, low=None, high=None, too_few=True)
    return Mean(
        mean=found.mean, low=found.mean - found.ci95, high=found.mean + found.ci95, too_few=found.too_few
    )  # fmt: skip


def from_sums(count: int, total: float, squares: float) -> Interval:
    """The interval of values of which only their number, sum and sum of squares are known."""
    if count < 2:
        return Interval(count, total if count else float("nan"), float("nan"))
    variance = max(squares - total * total / count, 0.0) / (count - 1)
    return Interval(count, total / count, float(np.sqrt(variance)))


def curve(won: Floats, fair: Floats) -> list[CurvePoint]:
    """The running total with the 95 % interval of what it would be without luck, at a limited number of points."""
    count = len(won)
    if not count:
        return []
    at = np.unique(np.linspace(0, count - 1, min(count, POINTS)).round().astype(np.int64))
    hands = np.arange(1, count + 1)
    total, expected = np.cumsum(won), np.cumsum(fair)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.maximum(np.cumsum(fair**2) - expected**2 / hands, 0.0) / (hands - 1)
    half = np.sqrt(variance * hands)
    half[at[1:]] *= [student_95(int(i)) for i in at[1:]]
    return [
        CurvePoint(
            hand=int(hands[i]), total=float(total[i]), adjusted=float(expected[i]),
            low=float(expected[i] - half[i]) if i else None, high=float(expected[i] + half[i]) if i else None,
        )
        for i in at
    ]  # fmt: skip


def _groups(keys: NDArray[Any], won: Floats, fair: Floats, order: Sequence[str] = ()) -> list[Group]:
    """The results of each kind of hand, the commonest first or in a given order."""
    found = []
    for key in np.unique(keys):
        chosen = keys == key
        mine = won[chosen]
        found.append(
            Group(
                key=str(key), hands=len(mine), bb100=per_100(interval(mine)), adjusted=per_100(interval(fair[chosen])),
                total=float(mine.sum()),
            )
        )  # fmt: skip
    return sorted(found, key=lambda group: order.index(group.key) if order else -group.hands)


def _style(
    won: Floats,
    showdown: NDArray[Any],
    paid: NDArray[Any],
    raised: NDArray[Any],
    raises: NDArray[Any],
    calls: NDArray[Any],
) -> StyleFigures:
    shown = int(showdown.sum())
    won_there = int(((won > 0) & showdown.astype(bool)).sum())
    return _shares(len(won), int(paid.sum()), int(raised.sum()), int(raises.sum()), int(calls.sum()), shown, won_there)


def _shares(hands: int, paid: int, raised: int, raises: int, calls: int, shown: int, won: int) -> StyleFigures:
    return StyleFigures(
        vpip=_share(paid, hands), pfr=_share(raised, hands), aggression=_share(raises, calls),
        showdowns=_share(shown, hands), won_at_showdown=_share(won, shown),
    )  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _met(session: Session, conditions: Sequence[ColumnElement[bool]]) -> dict[tuple[str, str], NDArray[np.float64]]:
    """For all with whom one has played: the hands, one's results there, how they played."""
    other, mine = aliased(HandSeat), HandSeat.net * 1.0 / HandSeat.big_blind

    def times(condition: Any) -> ColumnElement[int]:
        return func.sum(case((condition, 1), else_=0))

    query = (
        select(
            other.name, other.agent, func.count(), func.sum(mine), func.sum(mine * mine), times(other.paid),
            times(other.raised), func.sum(other.raises), func.sum(other.calls), times(other.showdown),
            times(other.showdown & (other.net > 0)),
        )
        .select_from(HandSeat)
        .join(other, (other.hand_id == HandSeat.hand_id) & (other.seat != HandSeat.seat))
        .where(*conditions)
        .group_by(other.name, other.agent)
    )  # fmt: skip
    return {(name, agent): np.array(sums, np.float64) for name, agent, *sums in session.execute(query)}


def _opponents(met: Mapping[tuple[str, str], NDArray[np.float64]]) -> list[OpponentFigures]:
    """Those one has played most hands with."""
    found = []
    for name, agent in sorted(met, key=lambda key: (-met[key][0], *key))[:MOST_OPPONENTS]:
        hands, total, squares, *counts = met[name, agent].tolist()
        found.append(
            OpponentFigures(
                name=name, agent=agent, hands=int(hands), bb100=per_100(from_sums(int(hands), total, squares)),
                total=total, style=_shares(int(hands), *map(int, counts)),
            )
        )  # fmt: skip
    return found


# Grades


def _sorted_leaks(kinds: Mapping[str, Sequence[float]]) -> list[LeakFigures]:
    found = [
        LeakFigures(kind=kind, decisions=int(n), errors=int(bad), loss=loss) for kind, (n, bad, loss) in kinds.items()
    ]
    return sorted(found, key=lambda leak: -leak.loss)


def grades_of(session: Session, asked: HandFilter, person_id: str) -> Grades:
    """What the reviewed decisions of the matching hands cost."""
    own = (Decision.person_id == person_id, *asked.conditions(person_id))

    def of(*columns: Any) -> Any:
        query = select(*columns).select_from(Decision)
        return query.join(HandSeat, HandSeat.hand_id == Decision.hand_id).where(*own)

    kinds = (Decision.grade, Decision.street, HandSeat.place, Decision.situation, Decision.tendency)
    sums = (func.count(), func.sum(Decision.loss), func.sum(Decision.loss * Decision.loss))
    rows = session.execute(of(*kinds, *sums).group_by(*kinds)).all()
    counts = dict.fromkeys(GRADES, 0)
    leaks: dict[str, dict[str, list[float]]] = {"street": {}, "position": {}, "situation": {}, "tendency": {}}
    total, squares = 0.0, 0.0
    for grade, street, place, situation, tendency, times, loss, square in rows:
        counts[grade] += times
        total, squares = total + loss, squares + square
        for group, kind in zip(leaks, (STREETS[street], place, situation, tendency), strict=True):
            if kind:
                row = leaks[group].setdefault(kind, [0, 0, 0.0])
                row[0], row[1], row[2] = row[0] + times, row[1] + times * (grade in ERRORS), row[2] + loss
    decisions = sum(counts.values())
    worst = of(Decision).where(Decision.loss > 0).order_by(Decision.loss.desc()).limit(WORST)
    return Grades(
        decisions=decisions,
        hands=session.scalar(of(func.count(Decision.hand_id.distinct()))) or 0,
        counts=counts, loss=total, loss_per_100=per_100(from_sums(decisions, total, squares)),
        leaks={group: _sorted_leaks(kinds) for group, kinds in leaks.items()},
        worst=[_costly(row) for row in session.scalars(worst)],
    )  # fmt: skip


def _costly(row: Decision) -> Costly:
    told = row.advice["advice"]
    return Costly(
        hand=row.hand_id, step=row.step, situation=row.situation, name=row.advice["name"],
        cards=card_list(told["cards"]), board=card_list(told["board"]), grade=row.grade, loss=row.loss,
    )  # fmt: skip
