"""A person's strength on the scale of the levels, from results without the luck of all-ins, and how sure that is."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from ludus.agents.levels import STEPS
from ludus.server.hands.columns import Columns
from ludus.server.hands.means import Mean, from_sums, per_100

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


def ratings(found: Columns, fair: NDArray[np.float64]) -> list[Rating]:
    """Ratings heads-up and at larger tables, as far as there are hands against the levels.

    ``fair`` are the results of all hands in big blinds, without the luck of all-ins where it is worked out.
    """
    results = _results(found, fair)
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


def _results(found: Columns, fair: NDArray[np.float64]) -> dict[tuple[int, int], tuple[int, float, float]]:
    """By level and size of the table: hands, and sum and sum of squares of what was won, in big blinds.

    Hands count in which all others play at one level.
    """
    levels = np.array([level_of(agent) or 0 for _, agent in found.words["who"]], np.int64)[found.others["who"]]
    hands, hand = found.hands, found.others["hand"]
    others, highest = np.bincount(hand, minlength=len(hands)), np.zeros(len(hands), np.int64)
    np.maximum.at(highest, hand, levels)
    same = np.bincount(hand, weights=levels == highest[hand], minlength=len(hands)) == others
    counted = same & (highest > 0) & (hands["game"] == found.number("game", "holdem"))
    results: dict[tuple[int, int], tuple[int, float, float]] = {}
    for level in np.unique(highest[counted]).tolist():
        for size, of_size in ((2, others == 1), (6, others > 1)):
            won = fair[counted & of_size & (highest == level)]
            if len(won):
                results[level, size] = len(won), float(won.sum()), float((won * won).sum())
    return results


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
