"""A blueprint as a player of no-limit hold'em, at tables of other sizes, stacks and bets too.

A blueprint that keeps the whole betting sequence follows a hand by action translation (`ludus.trees.translation`); the
other forms know any table by themselves. `BlueprintAgent.describe` says which it is and what differs from training.

Where a blueprint knows nothing - training has never met the information set, or a hand has left its tree - nothing is
bet or raised. What costs nothing is checked; facing a bet, the upper part of its own range calls, that is, of the range
as the blueprint has played so far. The part is the one by which all who face the bet together keep a bluff from winning
by itself: each folds so often that all of them together fold just as often as a bluff needs to break even.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ludus.agents.drawing import draw
from ludus.agents.levels import STRONGEST, at_level, check_level
from ludus.agents.spot_policy import EDGE, places
from ludus.agents.strength import shares_beaten
from ludus.cards.ranges import COMBOS, Weights, combo_index
from ludus.games.compiled.engine import rules_of
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.record import free_hands
from ludus.solvers.beliefs import Beliefs, RangeStrategy
from ludus.solvers.blueprint.strategy import Blueprint, Found
from ludus.trees.translation import Follower, Line, Point, depth, nearest_raise, poker_moves

AUTO = "auto"
SHIPPED = Path(__file__).parent / "data"
HEADS_UP, SIX_PLAYER = "heads-up", "six-player"
MOST_BOARDS, MOST_RANGES, MOST_PLACES, MOST_TABLES = 5_000, 1_000, 50_000, 16
_MASK, _GOLDEN = (1 << 64) - 1, 0x9E3779B97F4A7C15
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_Bits = TypeVar("_Bits", int, NDArray[np.uint64])


def shipped_blueprints() -> list[str]:
    """The names of the blueprints that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.safetensors"))


def shipped_for(players: int) -> str:
    """The name of the shipped blueprint for a table of this many players; ValueError when there is none."""
    known = shipped_blueprints()
    for name in (HEADS_UP, SIX_PLAYER) if players == 2 else (SIX_PLAYER,):
        if name in known:
            return name
    raise ValueError(f"no blueprint for {players} players comes with this package: name a file")


def check_rules(game: PokerGame) -> None:
    """ValueError unless a blueprint could play a game: no-limit hold'em with the usual seats."""
    if game.betting != "no-limit":
        raise ValueError(f"a blueprint plays no-limit hold'em, not {game.name}")
    rules_of(replace(game, bets=None))
    if not _usual_seats(game):
        raise ValueError("a blueprint sits where seat 0 opens after the flop and heads-up the other one before it")


def load_blueprint(name: str | Path = AUTO, game: PokerGame | None = None) -> Blueprint:
    """A blueprint by the name of a shipped one or from a file; ``auto`` is the shipped one for a table's players."""
    known = shipped_blueprints()
    if str(name) == AUTO:
        if game is None:
            raise ValueError(f"which blueprint depends on the table: name a file or one of {', '.join(known)}")
        name = shipped_for(game.players)
    path = SHIPPED / f"{name}.safetensors" if str(name) in known else Path(name)
    if not path.is_file():
        there = f"name a file or one of {', '.join(known)}" if known else "name a file"
        raise ValueError(f"there is no blueprint {str(name)!r}: {there}")
    return _load(path.resolve(), path.stat().st_mtime_ns)


def blueprint_agent(name: str = AUTO, level: int = STRONGEST, purify: float = 0.0, seed: int = 0) -> BlueprintAgent:
    """The registry's player ``blueprint``: a shipped blueprint or a file, at a level."""
    return BlueprintAgent(None if name == AUTO else load_blueprint(name), level, purify, seed)


@lru_cache(maxsize=8)
def _load(path: Path, changed: int) -> Blueprint:
    return Blueprint.load(path)


class BlueprintPlace(NamedTuple):
    """A decision at the table in a blueprint: None where it is not there; what its actions are at the table."""

    found: Found | None
    images: tuple[int, ...]


@dataclass
class _KnownTable:
    """What has been looked up at one table."""

    blueprint: Blueprint
    rules: Any  # of the table, as kernels see them
    follower: Follower | None  # in the form of a tree
    beliefs: Beliefs  # of its own play
    places: dict[Line | Point, BlueprintPlace] = field(default_factory=dict)
    ranges: dict[tuple[Line, tuple[int, ...]], RangeStrategy] = field(default_factory=dict)
    calls: dict[tuple[Line, tuple[int, ...]], Weights] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class BlueprintAgent:
    """Plays a blueprint, or the shipped one that fits each table it comes to, at a level (`ludus.agents.levels`).

    Actions less likely than ``purify`` are never played, unless none is likelier. Bets that a tree does not know are
    translated at random: the chance is drawn from the seed, its own hand and the betting up to that bet.
    """

    blueprint: Blueprint | None = None
    level: int = STRONGEST
    purify: float = 0.0
    seed: int = 0
    _tables: dict[PokerGame, _KnownTable] = field(init=False, repr=False, default_factory=dict)
    _kinds: dict[tuple[Blueprint, tuple[int, ...]], NDArray[np.uint16]] = field(
        init=False, repr=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        check_level(self.level)
        if not 0 <= self.purify <= 1:
            raise ValueError(f"a threshold of purification is between 0 and 1, got {self.purify}")

    def blueprint_for(self, game: PokerGame) -> Blueprint:
        """The blueprint that it plays at a table."""
        return at_level(self.blueprint or load_blueprint(AUTO, game), self.level)

    def check(self, game: PokerGame) -> None:
        """ValueError unless it can play a game: no-limit hold'em, for a tree with as many players as the tree has.

        Stacks, blinds, antes, bets and the dialect may differ from those of training.
        """
        check_rules(game)
        tree = self.blueprint_for(game).abstraction
        if tree.form == "tree" and tree.game.players != game.players:
            raise ValueError(f"this blueprint is for {tree.game.players} players, the table has {game.players}")

    def describe(self, game: PokerGame) -> str:
        """What it plays at a table, and how that differs from what it was trained for."""
        made = self.blueprint_for(game)
        trained, hands = made.abstraction.game, made.training.get("hands")
        text = f"blueprint for {trained.players} players with {_number(depth(trained))} big blinds"
        if isinstance(hands, int | float):
            text += f", {hands:,.0f} hands of training"
        if self.level != STRONGEST:
            text += f", level {self.level} of {STRONGEST}"
        other = []
        if game.players != trained.players:
            other.append(f"{game.players} players")
        if abs(depth(game) / depth(trained) - 1) > 0.02 or len(set(game.stacks)) > 1:
            stacks = sorted({stack / game.big_blind for stack in game.stacks})
            other.append(f"{' to '.join(map(_number, dict.fromkeys((stacks[0], stacks[-1]))))} big blinds")
        if _forced(game) != _forced(trained):
            other.append("other blinds or antes")
        return f"{text}; played here by translation with {', '.join(other)}" if other else text

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Draw from the strategy."""
        return draw(self.strategy(observation), rng.random())

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """What the blueprint says about the hand it holds, actions ascending."""
        hand = observation.hole(observation.player)
        if HIDDEN in hand:
            raise ValueError("the player's own cards are hidden: ask for the strategy of the whole range")
        table, combo = self._at(observation.game), combo_index(*hand)
        if table.follower is None:
            place = self._at_line(table, observation)
        else:
            point = table.follower.follow(observation.line, lambda played: self._uniform(played, combo))
            place = self._at_point(table, point)
        if place.found is not None:
            found = place.found
            start = found.start + int(self._kinds_of(table, observation.board)[combo]) * found.stride
            chances = [int(table.blueprint.strategy[start + slot]) for slot in found.slots]
            if total := sum(chances):
                row: dict[int, float] = {}
                for action, chance in zip(place.images, chances, strict=True):
                    if chance:
                        row[action] = row.get(action, 0.0) + chance / total
                return self._purified(row)
        calls = float(self._calls(table, observation)[combo])
        return {action: chance for action, chance in ((FOLD, 1 - calls), (CALL, calls)) if chance > 0}

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """What the blueprint says about every hand; those that the board makes impossible check or call."""
        table = self._at(public.game)
        key = public.line, public.board
        if (known := table.ranges.get(key)) is None:
            known = _kept(table.ranges, key, self._range(table, public), MOST_RANGES)
        return known

    def _range(self, table: _KnownTable, public: PokerState) -> RangeStrategy:
        kinds, parts = self._kinds_of(table, public.board), list(self._parts(table, public))
        images = {FOLD, CALL}.union(*(place.images for place, _ in parts))
        actions = tuple(sorted(images if poker_moves(public).fold else images - {FOLD}))
        chances = np.zeros((len(COMBOS), len(actions)))
        for place, hands in parts:
            if place.found is not None:
                found = place.found
                starts = found.start + kinds[hands].astype(np.int64) * found.stride
                for action, slot in zip(place.images, found.slots, strict=True):
                    chances[hands, actions.index(action)] += table.blueprint.strategy[starts + slot]
        possible = free_hands(public.game, public.board)
        chances[~possible] = 0.0
        chances[~possible, actions.index(CALL)] = 1.0
        if len(unknown := np.flatnonzero(chances.sum(axis=1) == 0)):
            calls = self._calls(table, public)[unknown]
            chances[unknown, actions.index(CALL)] = calls
            if FOLD in actions:
                chances[unknown, 0] = 1 - calls
        chances /= chances.sum(axis=1, keepdims=True)
        if self.purify:
            top = chances.max(axis=1, keepdims=True)
            chances = np.where(chances >= np.minimum(top, self.purify), chances, 0.0)
            chances /= chances.sum(axis=1, keepdims=True)
        played = [at for at in range(len(actions)) if chances[:, at].any()]
        chances = np.ascontiguousarray(chances[:, played])
        chances.setflags(write=False)
        return RangeStrategy(tuple(actions[at] for at in played), chances)

    def _purified(self, row: dict[int, float]) -> dict[int, float]:
        """As `Strategy.purified`, for one row; actions ascending."""
        if self.purify:
            least = min(self.purify, max(row.values()))
            row = {action: chance for action, chance in row.items() if chance >= least}
            total = sum(row.values())
            row = {action: chance / total for action, chance in row.items()}
        return dict(sorted(row.items()))

    # Where a hand is in the blueprint

    def _parts(self, table: _KnownTable, public: PokerState) -> Iterator[tuple[BlueprintPlace, NDArray[np.intp]]]:
        """The places that hands are at, several where bets were translated."""
        if table.follower is None:
            yield self._at_line(table, public), np.arange(len(COMBOS))
            return
        combos = np.arange(len(COMBOS), dtype=np.uint64)
        for point, hands in table.follower.spread(
            public.line, len(COMBOS), lambda played: _uniforms(self._seeded(played), combos)
        ):
            yield self._at_point(table, point), hands

    def _at_line(self, table: _KnownTable, state: PokerState) -> BlueprintPlace:
        known = table.places.get(state.line)
        if known is None:
            found = table.blueprint.find(table.rules, [action for street in state.line for action in street])
            moves = poker_moves(state)
            images = tuple(_legal(moves, action) for action in found.actions) if found else ()
            known = _kept(table.places, state.line, BlueprintPlace(found, images), MOST_PLACES)
        return known

    def _at_point(self, table: _KnownTable, point: Point) -> BlueprintPlace:
        known = table.places.get(point)
        if known is None:
            found = None
            if point.tree is not None and point.ready:
                line = [action for street in point.tree.line for action in street]
                found = table.blueprint.find(table.blueprint.abstraction.layout.rules, line)
            images = tuple(point.images[action] for action in found.actions) if found else ()
            known = _kept(table.places, point, BlueprintPlace(found, images), MOST_PLACES)
        return known

    def _seeded(self, played: tuple[int, ...]) -> int:
        return int.from_bytes(blake2b(f"{self.seed}:{played}".encode(), digest_size=8).digest())

    def _uniform(self, played: tuple[int, ...], combo: int) -> float:
        return float(_uniforms(self._seeded(played), combo))

    def _kinds_of(self, table: _KnownTable, board: tuple[int, ...]) -> NDArray[np.uint16]:
        key = table.blueprint, board
        if (known := self._kinds.get(key)) is None:
            known = _kept(self._kinds, key, table.blueprint.kinds(board).astype(np.uint16), MOST_BOARDS)
        return known

    def _at(self, game: PokerGame) -> _KnownTable:
        table = self._tables.get(game)
        if table is None:
            self.check(game)
            made, rules = self.blueprint_for(game), rules_of(replace(game, bets=None))
            follower = Follower(made.abstraction.game, game) if made.abstraction.form == "tree" else None
            table = _kept(self._tables, game, _KnownTable(made, rules, follower, Beliefs(self)), MOST_TABLES)
        return table

    # Where the blueprint knows nothing

    def _calls(self, table: _KnownTable, state: PokerState) -> Weights:
        """How often each hand ``[1326]`` checks or calls where nothing is known; it folds otherwise."""
        key = state.line, state.board
        if (known := table.calls.get(key)) is None:
            known = np.ones(len(COMBOS))
            if poker_moves(state).fold:
                facing = len(state.live_seats()) - 1
                share = 1 - (state.to_call() / state.pot) ** (1 / facing)
                place = places(shares_beaten(state.game, state.board), table.beliefs.range_of(state, state.player))
                known = np.clip((share - place) / EDGE + 0.5, 0.0, 1.0)
            _kept(table.calls, key, known, MOST_RANGES)
        return known


def _kept(known: dict[_Key, _Value], key: _Key, value: _Value, most: int) -> _Value:
    """Remember a value; when there are too many, all others are forgotten."""
    if len(known) >= most:
        known.clear()
    known[key] = value
    return value


def _uniforms(seed: int, combo: _Bits) -> Any:
    """A number from 0 to 1 for each hand (splitmix64; Steele, Lea & Flood 2014)."""
    bits = (seed + (combo + 1) * _GOLDEN) & _MASK
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & _MASK
    return ((bits ^ (bits >> 31)) >> 11) / 2.0**53


def _legal(moves: Any, action: int) -> int:
    """The action itself, or the nearest that is legal at a table with bets of its own."""
    if action in moves:
        return action
    return nearest_raise(moves, action) if action > CALL and moves.raises else CALL


def _usual_seats(game: PokerGame) -> bool:
    """Whether seats are as in a card room: seat 0 opens after the flop, heads-up the other one before it."""
    first = game.first_seats if game.dialect == "acpc" else ()
    if any(first[1:]):
        return False
    return game.players > 2 or (game.blinds[0] > game.blinds[1] and (game.dialect == "casino" or first[:1] == (1,)))


def _forced(game: PokerGame) -> tuple[float, ...]:
    """Blinds and antes by the big blind."""
    ante = max(game.antes, default=0)
    return tuple(round(chips / game.big_blind, 3) for chips in (*sorted(game.blinds)[-2:], ante))


def _number(value: float) -> str:
    return f"{value:.4g}"
