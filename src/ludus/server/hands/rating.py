"""A person's strength on the scale of the levels, from results without the luck of all-ins, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, aliased

from ludus.agents.levels import STEPS
from ludus.server.hands.means import Mean, from_sums, per_100
from ludus.server.models import HandSeat

THINKING = 6  # the level of those who think, which has no place on the scale
LEAST = 100  # hands in all; fewer say nothing
_BLUEPRINT = re.compile(r"blueprint(?::level=([1-5]))?")


class AgainstLevel(BaseModel):
    """Results at tables where all others played one level."""

    level: int
    hands: int
    bb100: Mean


class Rating(BaseModel):
    """Where one stands: 3.5 is halfway between levels 3 and 4; below 1 and above 5 the scale goes on evenly."""

    players: int = Field(description="2 for heads-up, 6 for all larger tables")
    level: float | None = Field(description="none where there are too few hands")
    low: float | None
    high: float | None
    hands: int = Field(description="that count")
    against: list[AgainstLevel]


def ratings(session: Session, conditions: Sequence[ColumnElement[bool]]) -> list[Rating]:
    """Ratings heads-up and at larger tables, as far as there are hands against the levels."""
    results = _results(session, conditions)
    return [
        _rating(players, {level: sums for (level, size), sums in sorted(results.items()) if size == players})
        for players in STEPS
        if any(size == players for _, size in results)
    ]


def _rating(players: int, results: dict[int, tuple[int, float, float]]) -> Rating:
    """Each result says where one stands; the surer it is, the more it counts."""
    found = {level: from_sums(*sums) for level, sums in results.items()}
    against = [AgainstLevel(level=level, hands=one.units, bb100=per_100(one)) for level, one in found.items()]
    sure = {level: one for level, one in found.items() if level != THINKING and one.units > 1 and one.ci95 > 0}
    hands = sum(one.units for one in sure.values())
    if hands < LEAST:
        return Rating(players=players, level=None, low=None, high=None, hands=hands, against=against)
    weights = [1 / one.ci95**2 for one in sure.values()]
    places = [position(level, players) + one.mean for level, one in sure.items()]
    at, half = float(np.average(places, weights=weights)), float(1 / np.sqrt(sum(weights)))
    level, low, high = (on_scale(place, players) for place in (at, at - half, at + half))
    return Rating(players=players, level=level, low=low, high=high, hands=hands, against=against)


def _results(
    session: Session, conditions: Sequence[ColumnElement[bool]]
) -> dict[tuple[int, int], tuple[int, float, float]]:
    """By level and size of the table: hands, and sum and sum of squares of what was won, in big blinds."""
    other = aliased(HandSeat)
    won = func.coalesce(HandSeat.adjusted, HandSeat.net) * 1.0 / HandSeat.big_blind
    hand = (
        select(won.label("won"), func.min(other.agent).label("agent"), func.count().label("others"))
        .select_from(HandSeat)
        .join(other, (other.hand_id == HandSeat.hand_id) & (other.seat != HandSeat.seat))
        .where(*conditions, HandSeat.game == "holdem")
        .group_by(HandSeat.hand_id, HandSeat.seat, HandSeat.adjusted, HandSeat.net, HandSeat.big_blind)
        .having(func.min(other.agent) == func.max(other.agent))
        .subquery()
    )
    sums = func.count(), func.sum(hand.c.won), func.sum(hand.c.won * hand.c.won)
    found: dict[tuple[int, int], tuple[int, float, float]] = {}
    for agent, others, *row in session.execute(
        select(hand.c.agent, hand.c.others, *sums).group_by(hand.c.agent, hand.c.others)
    ):
        if level := level_of(agent):
            key = level, 2 if others == 1 else 6
            before = found.get(key, (0, 0.0, 0.0))
            found[key] = (before[0] + row[0], before[1] + row[1], before[2] + row[2])
    return found


def level_of(agent: str) -> int | None:
    """The level that an agent plays at, if it is one of the lobby's."""
    if agent in ("resolver", "multiway"):
        return THINKING
    match = _BLUEPRINT.fullmatch(agent)
    return int(match[1] or 5) if match else None


def position(level: int, players: int) -> float:
    """Where a level stands, in big blinds per hand above level 1: the measured steps, one after the other."""
    return float(sum(STEPS[players][: level - 1]))


def on_scale(at: float, players: int) -> float:
    """A position as a level."""
    places = np.cumsum([0.0, *STEPS[players]])
    if at < 0:
        return 1 + at / STEPS[players][0]
    if at > places[-1]:
        return len(places) + (at - float(places[-1])) / STEPS[players][-1]
    return float(np.interp(at, places, np.arange(1, len(places) + 1)))
