"""How a table is set up: what may be asked for, and the game that a hand at it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ludus.agents import AGENTS, at_web_tables, make
from ludus.agents.levels import STRONGEST
from ludus.games import PokerGame, holdem, kuhn, leduc, leduc_nl

GameName = Literal["holdem", "leduc-nl", "leduc", "kuhn"]
HOLDEM: GameName = "holdem"
MOST_CHIPS = 1_000_000
BETWEEN_PEOPLE = 60  # seconds to act at a table of several people that names no limit
USUAL_LEVEL = 3
USUAL_LEVEL_HANDS = 10
USUAL_PRIZES = {2: [100], 3: [100], 4: [65, 35], 5: [65, 35], 6: [65, 35]}
MOST_ENTRANTS = 9
MOST_LEVEL = 29  # by then the blinds are thirty thousand times what they were
MOST_PRIZES = [50, 30, 20]  # at larger tables
SMALL = {"leduc-nl": (1200, 100), "leduc": (20, 1), "kuhn": (10, 1)}  # stack and ante
"""Two-player games with chips of their own. Stacks of the limit games only have to be deep enough for every bet."""


def usual_agent(game: str) -> str:
    """Who plays for the AI by default."""
    return "blueprint" if game == HOLDEM else "equilibrium"


def agents_at(game: str) -> list[str]:
    """Who may play for the AI at a table of a game, the usual one first."""
    return list(dict.fromkeys([usual_agent(game), *at_web_tables(game)]))


class AiOpponent(BaseModel):
    """Who plays for the AI, and how strong the blueprint is: 1 to 5."""

    model_config = ConfigDict(extra="forbid")
    agent: str = Field(usual_agent(HOLDEM), max_length=40)
    level: int | None = Field(default=None, ge=1, le=STRONGEST)

    @property
    def spec(self) -> str:
        """As `ludus.agents.make` takes it."""
        return f"{self.agent}:level={self.level}" if self.level is not None else self.agent


class SitAndGo(BaseModel):
    """A tournament at one table: chips carry over, blinds rise, and who has none is out.

    The blinds of a table are those of the first level, and double with every second one. A level lasts for some
    ``hands`` or some ``minutes``. ``prizes`` are percentages of the prize pool by place.
    """

    model_config = ConfigDict(extra="forbid")
    hands: int | None = Field(None, ge=1, le=200)
    minutes: int | None = Field(None, ge=1, le=60)
    prizes: list[int] = Field(default_factory=list, max_length=9)

    @model_validator(mode="after")
    def _fits(self) -> SitAndGo:
        if self.hands is not None and self.minutes is not None:
            raise ValueError("a level lasts for some hands or for some minutes, not for both")
        if self.minutes is None:
            self.hands = self.hands or USUAL_LEVEL_HANDS
        if self.prizes and (
            sum(self.prizes) != 100 or min(self.prizes) < 1 or self.prizes != sorted(self.prizes)[::-1]
        ):
            raise ValueError(f"prizes are whole percentages, the largest first, that add up to 100, got {self.prizes}")
        return self

    def level(self, hands: int, seconds: float, before: int) -> int:
        """The level of the next hand, after some hands and seconds; one by one, however long a pause was."""
        wanted = hands // self.hands if self.hands is not None else int(seconds // (60 * (self.minutes or 1)))
        return min(wanted, before + 1, MOST_LEVEL)


class TableConfig(BaseModel):
    """A table: the game, the chips, who plays. ``stack`` and blinds may be left out at the small games."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"game": "holdem", "seats": 2, "opponents": [{"agent": "blueprint", "level": 3}]}
        },
    )
    game: GameName = HOLDEM
    seats: int = Field(2, ge=2, le=10)
    stack: int = Field(200, ge=1, le=MOST_CHIPS)
    small_blind: int = Field(1, ge=0, le=MOST_CHIPS)
    big_blind: int = Field(2, ge=0, le=MOST_CHIPS)
    ante: int = Field(0, ge=0, le=MOST_CHIPS)
    chips: Literal["reset", "carry"] = "reset"
    sit_and_go: SitAndGo | None = None
    opponents: list[AiOpponent] = Field(default_factory=list, max_length=9)
    people: int = Field(1, ge=1, le=10)
    assistant: Literal["off", "after", "live"] = "after"
    seconds: int | None = Field(None, ge=5, le=300)
    open: bool = False

    @model_validator(mode="before")
    @classmethod
    def _chips_of_small_games(cls, data: Any) -> Any:
        """A small game has chips of its own; what is left out is filled in."""
        if isinstance(data, dict) and isinstance(name := data.get("game"), str) and name in SMALL:
            stack, ante = SMALL[name]
            own = {"seats": 2, "stack": stack, "small_blind": 0, "big_blind": 0, "ante": ante}
            return own | {key: value for key, value in data.items() if value is not None}
        return data

    @model_validator(mode="after")
    def _fits(self) -> TableConfig:
        if self.game == HOLDEM:
            if not 1 <= self.small_blind <= self.big_blind:
                raise ValueError(
                    f"blinds are a small one of at least 1 and a big one that is not smaller, got "
                    f"{self.small_blind} and {self.big_blind}"
                )
            if self.big_blind + self.ante > self.stack:
                raise ValueError(
                    f"a stack of {self.stack} does not cover the big blind of {self.big_blind} and the ante of "
                    f"{self.ante}: at most that much"
                )
        else:
            stack, ante = SMALL[self.game]
            if (self.seats, self.stack, self.small_blind, self.big_blind, self.ante) != (2, stack, 0, 0, ante):
                raise ValueError(
                    f"{self.game} has two seats, stacks of {stack}, an ante of {ante} and no blinds: leave them out"
                )
            if self.chips != "reset":
                raise ValueError(f"stacks are the same in every hand of {self.game}: chips is 'reset'")
        if self.sit_and_go is not None:
            self._check_sit_and_go(self.sit_and_go)
        if self.people > self.seats:
            raise ValueError(f"{self.people} people do not fit at a table of {self.seats} seats")
        if self.people > 1 and self.seconds is None:
            self.seconds = BETWEEN_PEOPLE
        self._check_opponents()
        return self

    def _check_sit_and_go(self, game: SitAndGo) -> None:
        if self.game != HOLDEM or self.seats > MOST_ENTRANTS:
            raise ValueError(
                f"a sit-and-go is hold'em for 2 to {MOST_ENTRANTS} players, not {self.game} for {self.seats}"
            )
        self.chips = "carry"
        game.prizes = game.prizes or USUAL_PRIZES.get(self.seats, MOST_PRIZES)
        if len(game.prizes) > self.seats:
            raise ValueError(f"{len(game.prizes)} prizes are too many for {self.seats} players")

    def _check_opponents(self) -> None:
        known = agents_at(self.game)
        self.opponents = self.opponents or [AiOpponent(agent=known[0])]
        if len(self.opponents) not in (1, self.seats - 1):
            raise ValueError(
                f"name one opponent for all or one for each of the {self.seats - 1} other seats, got "
                f"{len(self.opponents)}"
            )
        for opponent in self.opponents:
            if opponent.agent not in known:
                raise ValueError(f"at {self.game} there are {', '.join(known)}, not {opponent.agent!r}")
            self._check_thinker(opponent)
            if AGENTS[opponent.agent].levels:
                opponent.level = opponent.level or USUAL_LEVEL
            elif opponent.level is not None:
                levelled = " and the ".join(name for name, kind in AGENTS.items() if kind.levels)
                raise ValueError(f"only the {levelled} has levels, {opponent.agent} has none")

    def _check_thinker(self, opponent: AiOpponent) -> None:
        """ValueError if somebody cannot think at such a table."""
        kind = AGENTS[opponent.agent]
        if kind.heads_up and self.seats > 2:
            raise ValueError(f"{opponent.agent} plays against one opponent, at two seats, not at {self.seats}")
        if kind.thinks and self.game == HOLDEM:
            _check_agent(opponent.agent, self.game_of([self.stack] * self.seats))

    def opponent(self, chair: int) -> AiOpponent:
        """Who plays at a chair that nobody sits in."""
        return self.opponents[0] if len(self.opponents) == 1 else self.opponents[max(chair - 1, 0)]

    def blinds(self, level: int = 0) -> tuple[int, int, int]:
        """Small blind, big blind and ante at a level: each is twice what it was two levels before, up to all chips."""
        halves, most = (2, 3)[level % 2] << level // 2, self.seats * self.stack
        small, big, ante = (min(each * halves >> 1, most) for each in (self.small_blind, self.big_blind, self.ante))
        return small, big, ante

    def game_of(self, stacks: Sequence[int], level: int = 0) -> PokerGame:
        """The game of one hand, seats in the order of the game."""
        return _game(self.game, tuple(stacks), *self.blinds(level))


@lru_cache(maxsize=512)
def _check_agent(agent: str, game: PokerGame) -> None:
    make(agent, game)


@lru_cache(maxsize=512)
def _game(name: str, stacks: tuple[int, ...], small_blind: int, big_blind: int, ante: int) -> PokerGame:
    if name == "leduc-nl":
        return leduc_nl("any", stack=stacks[0], ante=ante)
    if name != HOLDEM:
        return replace(leduc() if name == "leduc" else kuhn(), stacks=stacks)
    return holdem(len(stacks), stacks, (small_blind, big_blind), ante)


def catalogue(exploitability: dict[str, float]) -> dict[str, Any]:
    """The games and the opponents that there are, for GET /api/games."""
    rows: list[tuple[str, int, int, int, int, dict[str, int] | None]] = [
        ("heads-up", 2, 200, 1, 2, None), ("six-max", 6, 200, 1, 2, None), ("full-ring", 9, 200, 1, 2, None),
        ("deep", 2, 400, 1, 2, None), ("short", 2, 40, 1, 2, None), ("sit-and-go", 6, 1500, 10, 20, {"hands": 8}),
    ]  # fmt: skip
    presets = [
        {
            "key": key, "seats": seats, "stack": stack, "small_blind": small, "big_blind": big, "ante": 0,
            "chips": "carry", "sit_and_go": tournament,
        }
        for key, seats, stack, small, big, tournament in rows
    ]  # fmt: skip
    games: list[dict[str, Any]] = [
        {
            "game": HOLDEM, "seats": [2, 10], "stack": {"min": 1, "max": MOST_CHIPS, "default": 200},
            "blinds": {"min": 1, "max": MOST_CHIPS, "default": [1, 2]}, "ante": {"min": 0, "max": MOST_CHIPS,
            "default": 0}, "chips": ["carry", "reset", "sit-and-go"], "presets": presets, "exploitability": None,
        }
    ]  # fmt: skip
    for name, (stack, ante) in SMALL.items():
        own = {
            "key": name, "seats": 2, "stack": stack, "small_blind": 0, "big_blind": 0, "ante": ante, "chips": "reset",
            "sit_and_go": None,
        }  # fmt: skip
        games.append(
            {
                "game": name, "seats": [2, 2], "stack": {"min": stack, "max": stack, "default": stack},
                "blinds": {"min": 0, "max": 0, "default": [0, 0]}, "ante": {"min": ante, "max": ante, "default": ante},
                "chips": ["reset"], "presets": [own], "exploitability": exploitability.get(name),
            }
        )  # fmt: skip
    offered = {name: agents_at(name) for name in (HOLDEM, *SMALL)}
    kinds = {agent: AGENTS[agent] for agents in offered.values() for agent in agents}
    opponents = [
        {"agent": agent, "levels": kind.levels, "games": [name for name in offered if agent in offered[name]]}
        for agent, kind in kinds.items()
    ]
    described = {agent: kind.description for agent, kind in kinds.items()}
    heads_up = [agent for agent in offered[HOLDEM] if AGENTS[agent].heads_up]
    return {"games": games, "opponents": opponents, "described": described, "heads_up": heads_up}
