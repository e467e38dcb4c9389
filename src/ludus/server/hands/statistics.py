"""The figures of a person's hands, worked out from columns: results with their intervals, style, grades, leaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ludus.arena.interval import interval, student_95
from ludus.games.poker import STREETS
from ludus.server.hands.filters import ERRORS, GRADES, HandFilter
from ludus.server.hands.histories import card_list
from ludus.server.hands.kept_figures import COLUMNS, KeptFigures, Met, read
from ludus.server.hands.means import Mean, from_sums, per_100
from ludus.server.hands.rating import Rating, ratings
from ludus.server.models import Decision, HandSeat
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


def statistics(session: Session, asked: HandFilter, person_id: str, kept: KeptFigures | None = None) -> HandStatistics:
    """All figures of the matching hands; of those that are kept from the last time only what is newer is read."""
    kept, key = kept or KeptFigures(), (person_id, asked.model_dump_json())
    conditions = asked.conditions(person_id)
    played = read(session, conditions, kept.get(key))
    if played is not None:
        kept.put(key, played)
    columns = played.columns if played is not None else tuple(np.array([], kind) for _, kind in COLUMNS)
    unit, net, adjusted, _, seats, streets, *habits = columns
    won, known = net / unit, adjusted / unit
    fair = np.where(np.isnan(known), won, known)
    counts = np.stack(habits)
    by_place = _groups(seats, won, fair)
    for group in by_place:
        group.style = _style(counts[:, seats == group.key])
    return HandStatistics(
        hands=len(won), won=int((won > 0).sum()), tied=int((won == 0).sum()), lost=int((won < 0).sum()),
        total=float(won.sum()), bb100=per_100(interval(won)), adjusted=per_100(interval(fair)) if len(won) else None,
        pending=int(np.isnan(known).sum()), curve=curve(won, fair),
        by_place=by_place,
        by_street=_groups(streets, won, fair, "0123"),
        style=_style(counts),
        opponents=_opponents(played.opponents if played is not None else {}),
        grades=grades_of(session, asked, person_id),
        ratings=ratings(session, conditions),
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


def _groups(keys: NDArray[np.str_], won: Floats, fair: Floats, order: Sequence[str] = ()) -> list[Group]:
    """The results of each kind of hand, the commonest first or in a given order."""
    found = []
    for key in np.unique(keys):
        chosen = keys == key
        mine = won[chosen]
        found.append(
            Group(
                key=str(key), hands=len(mine), bb100=per_100(interval(mine)), adjusted=per_100(interval(fair[chosen])),
                total=float(mine.sum()), style=None,
            )
        )  # fmt: skip
    return sorted(found, key=lambda group: order.index(group.key) if order else -group.hands)


def _style(counts: NDArray[np.int64]) -> StyleFigures:
    """From ``[6, hands]``: paid, raised, chances, taken, bets and raises, calls."""
    paid, raised, chances, taken, raises, calls = counts
    pairs = [(int((chances & bit > 0).sum()), int((taken & bit > 0).sum())) for bit in BITS.values()]
    return _shares(counts.shape[1], int(paid.sum()), int(raised.sum()), int(raises.sum()), int(calls.sum()), pairs)


def _shares(
    hands: int, paid: int, raised: int, raises: int, calls: int, pairs: Sequence[tuple[int, int]]
) -> StyleFigures:
    shares = {name: _share(done, could) for name, (could, done) in zip(BITS, pairs, strict=True)}
    chances = {name: could for name, (could, _) in zip(BITS, pairs, strict=True)}
    return StyleFigures(
        vpip=_share(paid, hands), pfr=_share(raised, hands), aggression=_share(raises, calls),
        chances={"vpip": hands, "pfr": hands, "aggression": calls, **chances}, **shares,
    )  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _opponents(met: Met) -> list[OpponentFigures]:
    """Those one has played most hands with."""
    found = []
    for name, agent in sorted(met, key=lambda key: (-met[key][0], *key))[:MOST_OPPONENTS]:
        number, total, squares, *counts = met[name, agent].tolist()
        hands, paid, raised, bets, calls, *pairs = map(int, (number, *counts))
        found.append(
            OpponentFigures(
                name=name, agent=agent, hands=hands, bb100=per_100(from_sums(hands, total, squares)), total=total,
                style=_shares(hands, paid, raised, bets, calls, list(zip(pairs[::2], pairs[1::2], strict=True))),
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
    worst = of(Decision, HandSeat.big_blind).where(Decision.loss > 0).order_by(Decision.loss.desc()).limit(WORST)
    return Grades(
        decisions=decisions,
        hands=session.scalar(of(func.count(Decision.hand_id.distinct()))) or 0,
        counts=counts, loss=total, loss_per_100=per_100(from_sums(decisions, total, squares)),
        leaks={group: _sorted_leaks(kinds) for group, kinds in leaks.items()},
        worst=[_costly(row, unit) for row, unit in session.execute(worst)],
    )  # fmt: skip


def _costly(row: Decision, big_blind: int) -> Costly:
    told = row.advice["advice"]
    return Costly(
        hand=row.hand_id, step=row.step, situation=row.situation, name=row.advice["name"],
        cards=card_list(told["cards"]), board=card_list(told["board"]), grade=row.grade, loss=row.loss,
        big_blind=big_blind,
    )  # fmt: skip
