"""Tables as the API tells of them: what may be played, lists of tables, and a table as somebody sees it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from ludus.server.routes.bodies import Body
from ludus.server.tables.config import SitAndGo, TableConfig


class NumberBounds(BaseModel):
    """What may be chosen."""

    min: int
    max: int
    default: int | list[int]


class TablePreset(BaseModel):
    """A usual set-up."""

    key: str
    seats: int
    stack: int
    small_blind: int
    big_blind: int
    ante: int
    chips: str
    sit_and_go: SitAndGo | None


class GameInfo(BaseModel):
    """A game, and what may be set at its tables."""

    game: str
    seats: list[int]
    stack: NumberBounds
    blinds: NumberBounds
    ante: NumberBounds
    chips: list[str]
    presets: list[TablePreset]
    exploitability: float | None = Field(description="of the opponent 'equilibrium', in chips a hand")


class OpponentInfo(BaseModel):
    """An AI, and the games it plays."""

    agent: str
    levels: bool
    games: list[str]


class Games(BaseModel):
    """All that can be played."""

    games: list[GameInfo]
    opponents: list[OpponentInfo]
    described: dict[str, str] = Field(description="what each agent does, in a few words of English")
    heads_up: list[str] = Field(description="agents of hold'em that play at tables of two seats only")


class Listed(Body):
    """A table in a list."""

    id: str
    config: TableConfig
    host: str
    people: int
    free: int
    hands: int
    idle: bool = Field(description="whether nobody looks at it and no hand is being played")
    created: datetime


class ChairView(BaseModel):
    """A chair. Cards that you may not see are "??"."""

    chair: int
    kind: Literal["person", "ai", "empty"]
    name: str
    agent: str | None
    level: int | None
    free: bool = Field(description="whether a person may sit down here")
    coming: str | None = Field(description="who sits down when the hand is over")
    stack: int
    bet: int
    cards: list[str]
    folded: bool
    all_in: bool
    in_hand: bool
    place: str | None
    away: bool
    ready: bool
    connected: bool
    net: int | None
    made: str | None


class SeedView(BaseModel):
    """What a player gave for the order of a deck."""

    chair: int
    seed: str


class PromiseView(BaseModel):
    """The deck of the next hand: its commitment, and who has given a seed for its order so far."""

    id: str = Field(description="of the hand")
    commitment: str
    seed: str | None = Field(description="your own, if you have given one; others' are told with the deal")
    chairs: list[int] = Field(description="who has given one")


class HandView(BaseModel):
    """The hand that is being played, or the last one."""

    id: str
    number: int
    over: bool
    street: int
    board: list[str]
    pot: int
    pots: list[dict[str, Any]]
    button: int
    turn: int
    to_act: int | None
    deadline: int | None
    bank: float = Field(description="seconds that the player to act has beyond the deadline")
    legal: dict[str, Any] | None
    commitment: str
    seeds: list[SeedView]
    reveal: dict[str, Any] | None
    betting: str
    awards: list[Award] = Field(description="who won which pot, when the hand is over")
    equities: list[StreetEquities] | None = Field(description="of an all-in, from street to street, once worked out")
    blinds: list[int] = Field(description="the small and the big one of this hand")


class Award(BaseModel):
    """A pot, without what nobody called, and who shares it."""

    chips: int
    chairs: list[int]


class StreetEquities(BaseModel):
    """What the hands of an all-in win on average with this many cards on the board, by chair."""

    cards: int
    shares: dict[str, float]


class AccountView(BaseModel):
    """What a player has brought to the table and won at it; ``bought`` tells nothing where stacks are the same."""

    name: str
    chair: int
    ai: bool
    you: bool
    hands: int
    net: int
    bought: int
    buys: int
    sitting: bool


class Place(BaseModel):
    """Where somebody finished in a sit-and-go, and the percentage of the prize pool for it."""

    place: int
    chair: int
    name: str
    prize: int


class SitAndGoView(BaseModel):
    """Where a sit-and-go stands."""

    level: int
    blinds: list[int] = Field(description="small, big and ante of this level")
    next: list[int] = Field(description="of the next level")
    hands_left: int | None = Field(description="until then")
    rises: int | None = Field(description="when it begins, in seconds since 1970")
    prizes: list[int]
    left: int = Field(description="players with chips")
    decided: bool
    places: list[Place]
    worth: dict[str, float] = Field(description="percentage of the prize pool that a chair's stack is worth (ICM)")


class TableView(BaseModel):
    """A table as you see it."""

    type: Literal["table"]
    id: str
    version: int
    config: TableConfig
    host: str
    you: int | None
    hosting: bool
    invite: str | None
    closing: bool = Field(description="whether it closes when the hand is over")
    closed: bool
    promise: PromiseView | None
    chairs: list[ChairView]
    hand: HandView | None
    waiting: list[int]
    next: int | None
    history: int
    ledger: list[AccountView]
    sit_and_go: SitAndGoView | None
    rematch: list[str] | None = Field(description="the table that goes on from here and its invitation, for players")
    events: list[dict[str, Any]]
