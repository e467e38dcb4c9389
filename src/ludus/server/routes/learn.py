"""The API of lessons: regret matching, Kuhn poker, Leduc's equilibrium, and rock, paper, scissors."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Response
from pydantic import BaseModel, Field, model_validator

from ludus.server.learning.rps_matches import MOST_ROUNDS, OPPONENTS, RpsMatch
from ludus.server.models import KEY
from ludus.server.people.identity import FEW, Me
from ludus.server.routes.bodies import Body
from ludus.server.service import Here, Service

router = APIRouter(prefix="/api", tags=["learn"])
SECONDS = 60.0
Payoff = Annotated[float, Field(ge=-1000, le=1000)]
Row = Annotated[list[Payoff], Field(min_length=3, max_length=3)]
Share = Annotated[float, Field(ge=0, le=1)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Key = Annotated[str, Path(min_length=KEY, max_length=KEY, pattern="^[A-Za-z0-9_-]+$")]


class RegretMatching(Body):
    """A zero-sum matrix game [row, column] in what the row player wins, and who plays against them."""

    payoffs: Annotated[list[Row], Field(min_length=3, max_length=3)] = Field(
        [[0, -1, 1], [1, 0, -1], [-1, 1, 0]], validate_default=True
    )
    iterations: int = Field(1000, ge=1, le=200_000)
    opponent: Annotated[list[Share], Field(min_length=3, max_length=3)] | None = Field(
        None, description="A mix that the column player keeps; null: they learn too."
    )
    sampled: bool = Field(True, description="Whether the opponent's action is drawn, or taken in expectation.")
    seed: Seed = 1

    @model_validator(mode="after")
    def some_mix(self) -> RegretMatching:
        """A fixed opponent plays something."""
        if self.opponent is not None and not 0.99 <= sum(self.opponent) <= 1.01:
            raise ValueError(f"the opponent's mix adds up to 1, got {sum(self.opponent):g}")
        return self


class Kuhn(Body):
    """A run on Kuhn poker."""

    algorithm: Literal["cfr", "cfr+", "mccfr"] = "cfr"
    iterations: int = Field(1000, ge=1, le=200_000)
    seed: Seed = 1


class MatrixPoint(BaseModel):
    """The row player's current mix, average strategy and regrets at an iteration, and the column player's."""

    iteration: int
    mix: list[float]
    average: list[float]
    regrets: list[float]
    gained: list[float] | None = Field(description="What this one iteration added to the regrets.")
    opponent: dict[str, list[float]]
    value: float
    best_response: float
    exploitability: float | None


class MatrixRun(BaseModel):
    """The points of a run."""

    names: list[str]
    sampled: bool
    points: list[MatrixPoint]


class KuhnPoint(BaseModel):
    """The average strategy (how often each information set bets or calls), exactly measured."""

    iteration: int
    strategy: dict[str, float]
    exploitability: float
    value: float


class KuhnRun(BaseModel):
    """The points of a run, and the member of Kuhn's family of equilibria that its end is nearest to."""

    cards: list[str]
    sets: list[dict[str, Any]]
    points: list[KuhnPoint]
    family: dict[str, Any]
    exact_value: float


class LeducChoice(BaseModel):
    """An action: how often it is taken, and what it wins from here on (a fold is worth 0)."""

    key: str
    name: str
    action: str
    to: int | None
    chance: float
    value: float | None


class LeducState(BaseModel):
    """What the equilibrium does in a state."""

    game: str
    card: str
    board: str | None
    betting: str
    ranks: list[str]
    player: int | None
    pot: int
    stage: Literal["act", "board", "over"]
    to_call: int | None
    choices: list[LeducChoice]
    value: float | None
    exploitability: float = Field(description="What a best response wins of it in chips a hand, over both seats.")
    unit: int = Field(description="The ante in chips.")


@router.post(
    "/learn/regret-matching", dependencies=[FEW], response_model=MatrixRun, summary="Watch regret matching learn"
)
async def regret_matching(asked: RegretMatching, person: Me, here: Here) -> Response:
    """Every one of the first 20 iterations, then four for each doubling; the same seed gives the same run."""
    return await _raw(here, "regret_matching", asked.model_dump())


@router.post("/learn/kuhn", dependencies=[FEW], response_model=KuhnRun, summary="Watch an algorithm solve Kuhn poker")
async def kuhn(asked: Kuhn, person: Me, here: Here) -> Response:
    """The strategy of every information set on the way, and the equilibria."""
    return await _raw(here, "kuhn", asked.model_dump())


@router.get("/learn/leduc", dependencies=[FEW], response_model=LeducState, summary="The equilibrium of Leduc poker")
async def leduc(
    person: Me,
    here: Here,
    card: Annotated[str, Query(min_length=1, max_length=2, examples=["K"])],
    game: Literal["leduc", "leduc-nl"] = "leduc-nl",
    board: Annotated[str | None, Query(max_length=2)] = None,
    betting: Annotated[str, Query(max_length=100, description="As in 'cr300c/': chips of the whole hand.")] = "",
) -> Response:
    """How often it takes each action with a card after some betting, and what that is worth to it."""
    job = {"game": game, "card": card, "board": board or None, "betting": betting}
    return await _raw(here, "leduc", job)


async def _raw(service: Service, job: str, arguments: dict[str, Any]) -> Response:
    return Response(await service.helpers.run_raw(job, arguments, SECONDS), media_type="application/json")


# Rock, paper, scissors


class NewMatch(Body):
    """Whom to play."""

    opponent: Literal["equilibrium", "learner", "biased"] = "equilibrium"


class RpsMove(Body):
    """A move; ``round`` guards against a move that is sent twice."""

    move: Literal["rock", "paper", "scissors"]
    round: int | None = Field(None, ge=1, le=MOST_ROUNDS)


class Round(BaseModel):
    """A round with everything about it; commitment = SHA-256 of 'salt:theirs' as hexadecimal digits."""

    round: int
    move: str
    theirs: str
    salt: str
    commitment: str
    mix: list[float]
    result: Literal["won", "tied", "lost"]


class MatchView(BaseModel):
    """A match: the commitment is to the opponent's move of the round that comes."""

    id: str
    opponent: str
    round: int
    over: bool
    commitment: str | None
    score: dict[str, float | None]
    rounds: list[Round]
    last: Round | None


@router.get("/rps", summary="Opponents at rock, paper, scissors")
async def opponents() -> list[str]:
    """Their names."""
    return list(OPPONENTS)


@router.post("/rps", status_code=201, summary="Begin a match of rock, paper, scissors")
async def new_match(asked: NewMatch, person: Me, here: Here) -> MatchView:
    """The opponent has drawn its first move: the commitment binds it."""
    match = RpsMatch(person.id, asked.opponent)
    _bind(match, await _learnt(here, match, None))
    await asyncio.to_thread(here.leases.take, match.id)
    if (forgotten := here.rps_matches.add(match)) is not None:
        await asyncio.to_thread(here.leases.give, forgotten)
    return MatchView.model_validate(match.shown())


@router.get("/rps/{key}", summary="A match")
async def one_match(key: Key, person: Me, here: Here) -> MatchView:
    """As it stands."""
    return MatchView.model_validate(_own(here, key, person.id).shown())


@router.post("/rps/{key}", summary="Play a round")
async def play(key: Key, asked: RpsMove, person: Me, here: Here) -> MatchView:
    """The opponent's move is opened, and the next one bound."""
    match = _own(here, key, person.id)
    async with match.lock:
        if match.over:
            raise HTTPException(409, f"the match is over after {MOST_ROUNDS} rounds: begin another")
        if asked.round is not None and asked.round != match.next:
            raise HTTPException(409, f"round {asked.round} is not the one to play: that is {match.next}")
        learnt = await _learnt(here, match, asked.move)
        match.play(asked.move)
        _bind(match, learnt)
    return MatchView.model_validate(match.shown())


def _own(service: Service, key: str, person: str) -> RpsMatch:
    match = service.rps_matches.get(key, person)
    if match is None:
        raise HTTPException(404, "there is no such match of yours; matches end when the server does")
    return match


def _bind(match: RpsMatch, learnt: dict[str, Any]) -> None:
    match.mix, match.regrets = learnt["mix"], learnt["regrets"]
    match.commit()


async def _learnt(service: Service, match: RpsMatch, move: str | None) -> dict[str, Any]:
    """The mix of the next move: fixed, or learnt by regret matching on the moves so far."""
    fixed = OPPONENTS[match.opponent]
    if fixed is not None:
        return {"mix": fixed, "regrets": match.regrets}
    found: dict[str, Any] = await service.players.run("rps_mix", {"regrets": match.regrets, "move": move}, SECONDS)
    return found
