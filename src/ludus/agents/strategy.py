"""A saved strategy as a player, at its own game and at tables that allow other bets (`ludus.trees.translation`)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from hashlib import blake2b
from types import MappingProxyType

import numpy as np

from ludus.agents.drawing import draw
from ludus.games.definition import check_same_game, first_difference, rules_besides_bets
from ludus.games.moves import CALL
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.record import hole_hands
from ludus.solvers.beliefs import RangeStrategy
from ludus.solvers.strategy import Strategy
from ludus.trees.translation import Follower, Line, Point

MOST_KEPT = 200_000  # decisions looked up once; then all are forgotten
MOST_RANGES = 1_000
MOST_TABLES = 16


def load_strategy(file: str, purify: float = 0.0, seed: int = 0) -> StrategyAgent:
    """A player from a file; see `Strategy.purified` for what the threshold does."""
    table = Strategy.load(file)
    return StrategyAgent(table.purified(purify) if purify else table, seed)


@dataclass
class _Seen:
    """What has been looked up at one table."""

    follower: Follower
    rows: dict[tuple[int, Line, tuple[int, ...]], Mapping[int, float]] = field(default_factory=dict)
    ranges: dict[tuple[int, Line, tuple[int, ...]], RangeStrategy] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class StrategyAgent:
    """Plays a table of probabilities.

    The table at which it sits has the rules of the strategy's game, except for bets. Bets that the strategy does not
    know are translated, at random where two sizes are near: the chance is drawn from the seed, its own hand and the
    betting up to that bet, so it stays the same throughout a hand and differs from hand to hand. Information sets that
    the strategy has never met are played uniformly, as in `Strategy.table`. Where a translated hand has no decision in
    the strategy's tree it checks or calls.
    """

    table: Strategy
    seed: int = 0
    _tree: PokerGame = field(init=False, repr=False)
    _tables: dict[PokerGame, _Seen] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        game = self.table.game()
        if not isinstance(game, PokerGame):
            raise ValueError(f"a strategy plays poker at a table, this one is for {game.name}")
        object.__setattr__(self, "_tree", game)

    def check(self, game: PokerGame) -> None:
        """ValueError unless it can play a game: one with the rules it was solved for, its bets aside."""
        check_same_game(rules_besides_bets(self._tree), rules_besides_bets(game))

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Draw from the strategy."""
        return draw(self.strategy(observation), rng.random())

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """What the table says about the hand it holds."""
        seen = self._at(observation.game)
        key = observation.player, observation.line, observation.cards
        found = seen.rows.get(key)
        if found is None:
            if len(seen.rows) >= MOST_KEPT:
                seen.rows.clear()
            hand = observation.hole(observation.player)
            if HIDDEN in hand:
                raise ValueError("the player's own cards are hidden: ask for the strategy of the whole range")
            found = seen.rows[key] = MappingProxyType(self._row(seen, observation, hand))
        return found

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """What the table says about every hand; those that the board makes impossible check or call."""
        seen, board = self._at(public.game), public.board
        key = public.player, public.line, board
        found = seen.ranges.get(key)
        if found is None:
            if len(seen.ranges) >= MOST_RANGES:
                seen.ranges.clear()
            rows = [
                {CALL: 1.0} if set(hand) & set(board) else self._row(seen, public, hand)
                for hand in hole_hands(public.game)
            ]
            actions = tuple(sorted(set().union(*rows)))
            chances = np.array([[row.get(action, 0.0) for action in actions] for row in rows])
            chances.setflags(write=False)
            found = seen.ranges[key] = RangeStrategy(actions, chances)
        return found

    def _row(self, seen: _Seen, observation: PokerState, hand: tuple[int, ...]) -> dict[int, float]:
        """The actions at the table with a hand, ascending."""
        hand = tuple(sorted(hand))
        point = seen.follower.follow(observation.line, lambda played: self._uniform(hand, played))
        row: dict[int, float] = {}
        for action, chance in self._tree_row(point, observation, hand).items():
            if chance > 0:
                row[point.images[action]] = row.get(point.images[action], 0.0) + chance
        return dict(sorted(row.items()))

    def _tree_row(self, point: Point, observation: PokerState, hand: tuple[int, ...]) -> dict[int, float]:
        """The actions of the tree."""
        if point.tree is None or not point.ready:
            return {CALL: 1.0}
        seat, count = observation.player, len(hand)
        state = copy(point.tree)
        state.cards = (*observation.cards[: seat * count], *hand, *observation.cards[(seat + 1) * count :])
        name, actions = state.information_state(seat), tuple(point.tree.legal_actions())
        known = self.table.at(seat, name)
        if known and tuple(known) != actions:
            raise ValueError(f"the actions of information set {name!r} are not those of the game: {tuple(known)}")
        return known or dict.fromkeys(actions, 1 / len(actions))

    def _uniform(self, hand: tuple[int, ...], played: tuple[int, ...]) -> float:
        digest = blake2b(f"{self.seed}:{hand}:{played}".encode(), digest_size=8).digest()
        return (int.from_bytes(digest) >> 11) / 2**53

    def _at(self, game: PokerGame) -> _Seen:
        """What is known of a table; ValueError says in which rule it differs from the strategy's game."""
        seen = self._tables.get(game)
        if seen is None:
            self.check(game)
            if len(self._tables) >= MOST_TABLES:
                self._tables.clear()
            seen = self._tables[game] = _Seen(Follower(self._tree, game))
        return seen


def difference(tree: PokerGame, table: PokerGame) -> str | None:
    """In which rule a table differs from a strategy's game, its bets aside; None when the strategy can play there."""
    return first_difference(rules_besides_bets(tree), rules_besides_bets(table))
