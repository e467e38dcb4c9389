"""The API of what is looked at in bulk: charts of play before the flop, and one spot on many flops."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field, model_validator

from ludus.server.people.identity import FEW, Me
from ludus.server.routes.bodies import Body
from ludus.server.service import Here
from ludus.server.tables.fair_play import refuse_current_hand

router = APIRouter(prefix="/api", tags=["study"])
SECONDS = 60.0
MOST_FLOPS = 100
Card = Annotated[str, Field(pattern="^[2-9TJQKA][shdc]$")]


class ChartAction(BaseModel):
    """What can be done; `share` is how often the whole range does it, none where no hand comes there."""

    key: str
    kind: str
    amount: int | None
    share: float | None


class ChartStep(BaseModel):
    """A decision on the way."""

    line: str
    position: str
    pot: int
    to_call: int
    stack: int
    actions: list[ChartAction]
    taken: str | None


class ChartDecision(ChartStep):
    """The decision that the chart is of, by class of hands in the order of the actions."""

    reach: dict[str, float]
    strategy: dict[str, list[float]]
    worth: dict[str, list[float]] | None = Field(description="big blinds from then on, a fold is 0; of solutions only")


class Chart(BaseModel):
    """Where a line leads; no decision where the flop comes or the hand is over."""

    players: int
    stack: float
    line: str
    path: list[ChartStep]
    big_blind: int
    source: Literal["solved", "blueprint"]
    source_stack: float = Field(description="the depth that was solved; the one asked for is taken for it")
    gain: float | None = Field(description="of a solution: what best responses gain, as a share of the blinds")
    depths: list[float] = Field(description="of which solutions are shipped")
    decision: ChartDecision | None


class FlopsOf(Body):
    """A spot whose board is replaced, and how many flops."""

    spot: dict[str, Any]
    count: int = Field(25, ge=1, le=MOST_FLOPS)


class OneFlop(Body):
    """A spot, and the flop to put in place of its board."""

    spot: dict[str, Any]
    flop: Annotated[list[Card], Field(min_length=3, max_length=3)]

    @model_validator(mode="after")
    def three_cards(self) -> OneFlop:
        """A flop of one deck."""
        if len(set(self.flop)) < len(self.flop):
            raise ValueError(f"a flop is three different cards, got {' '.join(self.flop)}")
        return self


class FlopTimes(BaseModel):
    """A flop and how many of the 22,100 it stands for."""

    flop: list[str]
    times: float


class Flops(BaseModel):
    """The flops of a report."""

    flops: list[FlopTimes]


class FlopRow(BaseModel):
    """One flop of a report: an estimate by value networks; EVs in chips."""

    flop: list[str]
    hands: float = Field(description="how many pairs of hands both can hold there: its weight, with `times`")
    pot: float
    ev: dict[str, float]
    equity: dict[str, float]
    lines: dict[str, dict[str, Any]] = Field(description="what the first player does, and after 'X' the other")
    accuracy: dict[str, Any]


@router.get("/charts", dependencies=[FEW], summary="A chart of play before the flop")
async def chart(
    here: Here,
    players: Annotated[int, Query(ge=2, le=6)] = 6,
    stack: Annotated[float, Query(ge=2, le=1000)] = 100,
    line: Annotated[str, Query(max_length=200, pattern="^[A-Z0-9-]*$")] = "",
) -> Chart:
    """What to do with every hand after a line such as 'F-F-R25', from solved tables or else the blueprint."""
    asked = {"players": players, "stack": stack, "line": line}
    return Chart.model_validate(await here.helpers.run("chart", asked, SECONDS))


@router.post("/flops", dependencies=[FEW], summary="The flops of a report")
async def flops(asked: FlopsOf, here: Here) -> Flops:
    """So many flops, spread evenly over all; ask for each of them in turn."""
    return Flops.model_validate(await here.helpers.run("flops", asked.model_dump(), SECONDS))


@router.post("/flops/row", dependencies=[FEW], summary="One flop of a report")
async def flop_row(asked: OneFlop, person: Me, here: Here) -> FlopRow:
    """An estimate of a spot on one flop."""
    await asyncio.to_thread(refuse_current_hand, here, person.id, (), asked.flop)
    return FlopRow.model_validate(await here.helpers.run("flop_row", asked.model_dump(), SECONDS))
