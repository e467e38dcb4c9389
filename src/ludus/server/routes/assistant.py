"""The API of the assistant: advice on one's own decision at a table, and on any situation told in words."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Response
from pydantic import BaseModel, Field

from ludus.server.hands.filters import clean
from ludus.server.hands.opponents import earlier_hands
from ludus.server.learning.advice_desk import Replaced
from ludus.server.models import KEY, Person, TableRow
from ludus.server.people.identity import FEW, Me
from ludus.server.routes.bodies import Body
from ludus.server.service import Here, Service
from ludus.server.tables.fair_play import refuse_current_hand
from ludus.server.tables.registry import Observation
from ludus.server.work.warming import until_ready
from ludus.server.work.wire import to_wire

router = APIRouter(prefix="/api", tags=["assistant"])
MOST_TEXT = 10_000
PATIENCE = 5.0  # seconds
PREPARING = "the assistant is being prepared, a minute or two on a new machine: ask again soon"


class Reason(BaseModel):
    """A part of the explanation: a key of the page's texts and what is filled in; a value may be a reason itself."""

    key: str
    values: dict[str, Any]


class ChoiceView(BaseModel):
    """An action with how often it should be played and what it is worth in chips, folding 0."""

    action: int = Field(description="-1 fold, 0 check or call, else the chips of this street raised to")
    name: str
    chance: float
    value: float
    error: float = Field(description="standard error of the value")
    best: bool = Field(False, description="of the highest value among those that are played")


class GainView(BaseModel):
    """What a mix wins more than another, in chips."""

    mean: float
    error: float = Field(description="its standard error")


class OpponentView(BaseModel):
    """A player who is still in, and the hands that they are taken to hold."""

    seat: int
    place: str
    share: float = Field(description="of all hands that they could hold")
    equity: float = Field(description="of your own hand against their range alone")
    range: str


class AdviceView(BaseModel):
    """What to do, what every action is worth, and what that rests on; amounts in chips."""

    seat: int
    place: str
    cards: str
    board: str
    street: int
    line: str
    pot: int
    to_call: int
    stacks: list[int]
    bets: list[int]
    big_blind: int
    source: str = Field(description="'solved', 'searched', 'chart' or 'blueprint': where mix and values come from")
    note: str
    accuracy: float | None = Field(None, description="the largest standard error of the values, in parts of the pot")
    choices: list[ChoiceView]
    best: int = Field(description="the action of the highest value among those that are played")
    equity: float = Field(description="of your own hand against all opponents at once")
    pot_odds: float | None = Field(description="the share of the pot after a call that it costs; null with no bet")
    needed: float | None = Field(None, description="the equity that a call needs; null against several opponents")
    enough: bool | None = Field(None, description="whether the hand has it")
    minimum_defence: float | None
    outs: list[str]
    opponents: list[OpponentView]
    explanation: str
    reasons: list[Reason]
    seconds: float
    exploiting: list[ChoiceView] = Field(
        description="the mix against these opponents, by how they played in your earlier hands with them; empty where "
        "there are too few"
    )
    exploiting_gain: GainView | None = Field(
        None, description="what that mix wins more from them than the balanced one; null where that is not clear"
    )
    exploiting_hands: int = Field(0, description="that their play is known from")
    grids: dict[str, dict[str, float]] = Field(
        description="ranges by the 169 classes, weights 0 to 1: of each opponent by seat, and 'own', as others see it"
    )


class Situation(Body):
    """A decision in words, as `ludus advise` takes it."""

    text: str = Field(
        max_length=MOST_TEXT, examples=["6 players, 100bb; hero CO AhKh; folds to CO, r2.5bb, BTN r8bb, f, f"]
    )


@router.get(
    "/tables/{table}/advice", dependencies=[FEW], summary="Advice on one's own decision, now", response_model=AdviceView
)
async def advice(table: Annotated[str, Path(max_length=KEY)], me: Me, service: Here) -> Response:
    """Only at one's turn, at a hold'em table with a live assistant and no other people; 409 says why not."""
    seen = service.tables.observation(table, me.id)
    if seen is None:
        if await asyncio.to_thread(_is_missing, service, table):
            raise HTTPException(404, "there is no such table")
        raise HTTPException(409, "there is advice when it is your turn, on your own decision: wait for it")
    config = seen.config
    if config.assistant != "live":
        raise HTTPException(409, "this table was set up without live advice: make one with assistant 'live'")
    if config.people > 1:
        raise HTTPException(409, "with other people at the table live advice is not fair: there is a review after it")
    if config.game != "holdem":
        raise HTTPException(409, f"there is advice for hold'em only, not for {config.game}")
    earlier = await asyncio.to_thread(_earlier, service, me, seen)
    return await _answered(service, me, {"state": to_wire(seen.state), "agents": seen.agents, "earlier": earlier})


@router.post(
    "/advice", dependencies=[FEW], summary="Advice on any situation of no-limit hold'em", response_model=AdviceView
)
async def advise(situation: Situation, me: Me, service: Here) -> Response:
    """The situation is told in a line of text: the table, your own cards, then what was done.

    Not on a hand that you are playing with other people: 409, as far as its cards tell.
    """
    answer = await _answered(service, me, {"text": situation.text})
    told = json.loads(bytes(answer.body))
    await asyncio.to_thread(refuse_current_hand, service, me.id, told["cards"].split(), told["board"].split())
    return answer


async def _answered(service: Service, me: Person, question: dict[str, Any]) -> Response:
    """What is solved needs less than a search does, and is answered earlier on a new machine."""
    if service.settings.warm_up:
        with suppress(TimeoutError):  # loading what is compiled takes a moment
            await asyncio.wait_for(until_ready(service.pools, "spots"), PATIENCE)
    searching = not service.settings.warm_up or "advice" in service.ready
    if not searching and "spots" not in service.ready:
        raise HTTPException(409, PREPARING)
    question |= {} if searching else {"search": False}
    try:
        found = await service.advice_desk.ask(me.id, question, service.helpers, bool(service.ready.get("advice")))
    except Replaced:
        raise HTTPException(409, "you have asked something else meanwhile, which is answered instead") from None
    if found == b"null":
        raise HTTPException(409, PREPARING)
    return Response(found, media_type="application/json")


def _earlier(service: Service, me: Person, seen: Observation) -> list[dict[str, Any]]:
    agents = {agent for agent in seen.agents if agent}
    with service.database.session() as session:
        return earlier_hands(session, me.id, agents, len(seen.agents))


def _is_missing(service: Service, table: str) -> bool:
    with service.database.session() as session:
        return session.get(TableRow, clean(table)) is None
