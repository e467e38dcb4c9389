"""The figures of a person's hands, worked out from columns: results with their intervals, style, grades, leaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session

from ludus.arena.interval import interval, student_95
from ludus.games.poker import STREETS
from ludus.server.hands.columns import PLAYED, Columns, Rows, columns_of
from ludus.server.hands.filters import ERRORS, GRADES, HandFilter
from ludus.server.hands.histories import card_list
from ludus.server.hands.means import Mean, from_sums, per_100
from ludus.server.hands.rating import Rating, ratings
from ludus.server.models import Decision, Hand, HandSeat
from ludus.teach.tracker import BITS

POINTS = 400  # of a curve
MOST_OPPONENTS = 50
WORST = 10
Floats = NDArray[np.float64]


class CurvePoint(BaseModel):
    """Where the total stands after this many hands, in big blinds, and where it may stand without luck (95 %)."""

    hand: int
    total: float
    adjusted: float
    low: float | None
    high: float | None


class StyleFigures(BaseModel):
    """The usual figures as trackers count them: shares of the chances there were, except for the aggression."""

    vpip: float | None
    pfr: float | None
    three_bet: float | None
    fold_to_three_bet: float | None
    steal: float | None
    c_bet: float | None
    fold_to_c_bet: float | None
    aggression: float | None = Field(description="bets and raises for each call, after the first street")
    showdowns: float | None = Field(description="of flops seen")
    won_at_showdown: float | None
    chances: dict[str, int] = Field(description="how often each could be done; for the aggression, the calls")


class Group(BaseModel):
    """Hands of one kind together; the total in big blinds."""

    key: str
    hands: int
    bb100: Mean
    adjusted: Mean
    total: float
    style: StyleFigures | None = Field(description="where hands are told apart by position")


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
    big_blind: int = Field(description="chips of one big blind in that hand")


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
    ratings: list[Rating] = Field(description="on the scale of the levels, heads-up and at larger tables")


def statistics(session: Session, asked: HandFilter, person_id: str, found: Columns | None = None) -> HandStatistics:
    """All figures of the matching hands; ``found`` are these hands where they have been read."""
    found = columns_of(session, asked, person_id) if found is None else found
    hands, places = found.hands, found.words["place"]
    won, known = hands["net"] / hands["big_blind"], hands["adjusted"] / hands["big_blind"]
    fair = np.where(np.isnan(known), won, known)
    by_place = _groups(hands["place"], places, won, fair)
    for group in by_place:
        group.style = _style(hands[hands["place"] == places.index(group.key)])
    return HandStatistics(
        hands=len(won), won=int((won > 0).sum()), tied=int((won == 0).sum()), lost=int((won < 0).sum()),
        total=float(won.sum()), bb100=per_100(interval(won)), adjusted=per_100(interval(fair)) if len(won) else None,
        pending=int(np.isnan(known).sum()), curve=curve(won, fair),
        by_place=sorted(by_place, key=lambda group: (-group.hands, group.key)),
        by_street=_groups(hands["street"], "0123", won, fair),
        style=_style(hands),
        opponents=_opponents(found, won),
        grades=grades_of(session, asked, person_id),
        ratings=ratings(found, fair),
    )  # fmt: skip


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


def _groups(numbers: NDArray[np.int32], words: Sequence[str], won: Floats, fair: Floats) -> list[Group]:
    """The results of each kind of hand; ``numbers`` stand for words, in whose order they come."""
    found = []
    for number in np.flatnonzero(np.bincount(numbers, minlength=1)).tolist():
        chosen = numbers == number
        mine = won[chosen]
        found.append(
            Group(
                key=words[number], hands=len(mine), bb100=per_100(interval(mine)),
                adjusted=per_100(interval(fair[chosen])), total=float(mine.sum()), style=None,
            )
        )  # fmt: skip
    return found


def _style(played: Rows) -> StyleFigures:
    """The style of one's own hands, or of somebody else in theirs."""
    return _shares(_counts(played, np.zeros(len(played), np.int32), 1)[0])


def _counts(played: Rows, who: NDArray[np.int32], number: int) -> NDArray[np.int64]:
    """By who it was: hands, money put in and raises before the flop, later raises and calls, and chances and what was
    made of them for each of `BITS`: ``[number, 5 + 2 * len(BITS)]``."""
    columns = [np.ones(len(played), np.int64), *(played[name] for name in PLAYED if name not in ("chances", "taken"))]
    bits = [played[name] & bit > 0 for bit in BITS.values() for name in ("chances", "taken")]
    sums = [np.bincount(who, weights=column, minlength=number) for column in (*columns, *bits)]
    return np.stack(sums, axis=1).astype(np.int64)


def _shares(counts: NDArray[np.int64]) -> StyleFigures:
    hands, paid, raised, raises, calls, *pairs = counts.tolist()
    shares = {name: _share(done, could) for name, could, done in zip(BITS, pairs[::2], pairs[1::2], strict=True)}
    return StyleFigures(
        vpip=_share(paid, hands), pfr=_share(raised, hands), aggression=_share(raises, calls),
        chances={"vpip": hands, "pfr": hands, "aggression": calls, **dict(zip(BITS, pairs[::2], strict=True))},
        **shares,
    )  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _opponents(found: Columns, won: Floats) -> list[OpponentFigures]:
    """Those one has played most hands with."""
    known, who = found.words["who"], found.others["who"]
    mine = won[found.others["hand"]]
    counts = _counts(found.others, who, len(known))
    totals, squares = (np.bincount(who, weights=each, minlength=len(known)) for each in (mine, mine * mine))
    met = sorted(np.flatnonzero(counts[:, 0]).tolist(), key=lambda number: (-counts[number, 0], known[number]))
    return [
        OpponentFigures(
            name=known[at][0], agent=known[at][1], hands=int(counts[at, 0]), total=float(totals[at]),
            bb100=per_100(from_sums(int(counts[at, 0]), float(totals[at]), float(squares[at]))),
            style=_shares(counts[at]),
        )
        for at in met[:MOST_OPPONENTS]
    ]  # fmt: skip


# Grades


def _sorted_leaks(kinds: Mapping[str, Sequence[float]]) -> list[LeakFigures]:
    found = [
        LeakFigures(kind=kind, decisions=int(n), errors=int(bad), loss=loss) for kind, (n, bad, loss) in kinds.items()
    ]
    return sorted(found, key=lambda leak: -leak.loss)


def grades_of(session: Session, asked: HandFilter, person_id: str) -> Grades:
    """What the reviewed decisions of the matching hands cost."""
    own = [Decision.person_id == person_id]
    if asked.is_plain:  # the index of decisions has it all
        own.append(~Decision.uploaded)
    else:
        matching = HandSeat.hand_id == Decision.hand_id, *asked.conditions(person_id)
        own.append(exists(select(1).where(*matching)))
    kinds = (Decision.grade, Decision.street, Decision.place, Decision.situation, Decision.tendency)
    sums = (func.count(), func.sum(Decision.loss), func.sum(Decision.loss * Decision.loss))
    rows = session.execute(select(*kinds, *sums).where(*own).group_by(*kinds)).all()
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
    return Grades(
        decisions=decisions,
        hands=session.scalar(select(func.count(Decision.hand_id.distinct())).where(*own)) or 0,
        counts=counts, loss=total, loss_per_100=per_100(from_sums(decisions, total, squares)),
        leaks={group: _sorted_leaks(kinds) for group, kinds in leaks.items()},
        worst=_worst(session, person_id, own),
    )  # fmt: skip


def _worst(session: Session, person_id: str, own: Sequence[ColumnElement[bool]]) -> list[Costly]:
    """The costliest decisions; first their losses, which the index has, then the decisions themselves."""
    lost = select(Decision.hand_id, Decision.loss).where(*own, Decision.loss > 0)
    rows = session.execute(lost.order_by(Decision.loss.desc()).limit(WORST)).all()
    if not rows:
        return []
    mine = Decision.person_id == person_id, Decision.hand_id.in_([row.hand_id for row in rows])
    query = select(Decision, Hand.big_blind).join(Hand, Hand.id == Decision.hand_id)
    found = session.execute(query.where(*mine, Decision.loss >= rows[-1].loss))
    worst = sorted(
        ((row, unit) for row, unit in found), key=lambda each: (-each[0].loss, each[0].hand_id, each[0].step)
    )
    return [_costly(row, unit) for row, unit in worst[:WORST]]


def _costly(row: Decision, big_blind: int) -> Costly:
    told = row.advice["advice"]
    return Costly(
        hand=row.hand_id, step=row.step, situation=row.situation, name=row.advice["name"],
        cards=card_list(told["cards"]), board=card_list(told["board"]), grade=row.grade, loss=row.loss,
        big_blind=big_blind,
    )  # fmt: skip
