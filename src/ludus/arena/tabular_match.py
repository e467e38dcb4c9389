"""Matches between strategy tables of small games, compiled: the log of the readable table, many times as fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ludus.agents.base import Agent
from ludus.agents.strategy import StrategyAgent, difference
from ludus.arena.aivat.in_match import MatchAivat
from ludus.arena.log import HandRecord, chips, record
from ludus.arena.plan import MatchPlan
from ludus.cards.philox import uniform_at
from ludus.compiled import kernel
from ludus.games.base import TERMINAL
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import dealt_text, move_text, replay
from ludus.games.showdown import strength
from ludus.trees.deals import FIRST_WINS, SECOND_WINS, TIE
from ludus.trees.flat import DEAL, FlatGame, flatten

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Deal:
    """What the walk and the log need to know about a deal."""

    cards: tuple[int, ...]
    situations: Ints  # [seats, levels]
    outcome: int
    texts: tuple[str, ...]  # the cards by the street the hand ended on


class TabularMatch:
    """Two strategy tables of one game, walked down its public tree.

    The game may allow more bets than the tree has: players who follow the same tree never make others.
    """

    def __init__(self, plan: MatchPlan, flat: FlatGame, tables: Sequence[Floats], aivat: MatchAivat | None) -> None:
        self.plan, self.flat, self.aivat = plan, flat, aivat
        self.tables = np.stack(tables)
        nodes, groups = flat.nodes, flat.groups
        width = np.where(nodes["group"] >= 0, groups["situations"][nodes["group"]], 0)
        self.tree = np.stack([nodes[name] for name in ("player", "count", "first", "start", "level")] + [width]).astype(
            np.int64
        )
        assert isinstance(flat.game, PokerGame)
        self.game = flat.game
        self.betting = _betting_of_leaves(self.game)
        self.deals: dict[tuple[int, ...], int] = {}
        self.known: list[_Deal] = []
        self._boards = [{board: at for at, board in enumerate(level)} for level in flat.deals.boards]
        self._hands = {hand: at for at, hand in enumerate(flat.deals.hands)}
        self._records: dict[int, HandRecord] = {}
        self._values: dict[tuple[int, int], tuple[float, ...]] = {}

    @classmethod
    def of(cls, plan: MatchPlan, agents: Sequence[Agent], aivat: MatchAivat | None = None) -> TabularMatch | None:
        """The fast way to play a match, if there is one."""
        if plan.game.players != 2 or plan.freezeout or plan.move_seconds or plan.match_seconds or plan.acpc:
            return None
        tables = [agent.table for agent in agents if type(agent) is StrategyAgent]
        if len(tables) < 2:
            return None
        game, other = (table.game() for table in tables)
        assert isinstance(game, PokerGame)
        if game != other or (game != plan.game and (plan.game.bets is not None or difference(game, plan.game))):
            return None  # somebody may have to translate bets
        flat = _flat(game)
        if flat is None:
            return None
        return cls(plan, flat, [table.table(flat) for table in tables], aivat)

    def play(self, first: int, count: int) -> list[list[HandRecord]]:
        """This many units from a number on."""
        plan, per_unit = self.plan, self.plan.hands_per_unit
        rows = plan.deck_rows(first, count)
        deals = np.array([self._deal(row) for row in map(tuple, rows.tolist())], np.int64)
        situations = np.stack([deal.situations for deal in self.known])
        leaves = np.empty((count, per_unit), np.int64)
        _walk(np.uint64(plan.seed), first, plan.duplicate, deals, situations, self.tree, self.tables, leaves)
        turns = np.arange(per_unit) + (0 if plan.duplicate else np.arange(first, first + count)[:, None])
        keys = (deals[:, None] * self.tree.shape[1] + leaves) * 2 + turns % 2
        known = self._records
        return [[known.get(key) or self._record(key) for key in row] for row in keys.tolist()]

    def _record(self, key: int) -> HandRecord:
        """The hand of a deal that ends at a leaf, with the players in these seats or one seat on."""
        rest, turn = divmod(key, 2)
        deal, leaf = divmod(rest, self.tree.shape[1])
        betting, known = self.betting[leaf], self.known[deal]
        names = self.plan.names if turn == 0 else self.plan.names[::-1]
        if (values := self._values.get((leaf, known.outcome))) is None:
            row = self.flat.payoffs[self.flat.nodes["leaf"][leaf], known.outcome]
            values = self._values[leaf, known.outcome] = chips(row)
        aivat = None
        if self.aivat is not None:
            aivat = self.aivat.values(replay(self.plan.game, betting, known.cards), turn)
        cards = known.texts[betting.count("/")]
        found = self._records[key] = record(betting, cards, values, names, aivat=aivat)
        return found

    def _deal(self, cards: tuple[int, ...]) -> int:
        """The number of a deal among those met so far."""
        found = self.deals.get(cards)
        if found is None:
            found = self.deals[cards] = len(self.known)
            self.known.append(self._look_at(cards))
        return found

    def _look_at(self, cards: tuple[int, ...]) -> _Deal:
        game, hole, deals = self.game, self.game.hole_cards, self.flat.deals
        own = [self._hands[game.name_cards(cards[seat * hole : (seat + 1) * hole])] for seat in range(2)]
        levels = sorted(set(game.card_targets))
        starts = (2 * hole, *game.card_targets)
        streets = [game.name_cards(cards[start:end]) for start, end in zip(starts, game.card_targets, strict=False)]
        situations = np.empty((2, len(levels)), np.int64)
        for level, target in enumerate(levels):
            dealt = tuple(s for s, end in zip(streets, game.card_targets, strict=True) if end <= target)
            board = self._boards[level][dealt]
            situations[:, level] = [board * len(deals.hands) + hand for hand in own]
        mine, theirs = (strength((*cards[seat * hole : (seat + 1) * hole], *cards[2 * hole :])) for seat in range(2))
        outcome = FIRST_WINS if mine > theirs else SECOND_WINS if mine < theirs else TIE
        return _Deal(cards, situations, outcome, tuple(dealt_text(game, cards, s) for s in range(len(streets))))


@lru_cache(maxsize=4)
def _flat(game: PokerGame) -> FlatGame | None:
    """The public tree of a game; None when it is too large and the readable table has to play it."""
    try:
        return flatten(game)
    except ValueError:
        return None


@lru_cache(maxsize=4)
def _betting_of_leaves(game: PokerGame) -> dict[int, str]:
    """The betting that leads to each terminal node of a game's public tree, as ``games.record`` writes it."""
    flat = _flat(game)
    assert flat is not None
    found: dict[int, str] = {}
    stack: list[tuple[int, PokerState, str]] = [(0, game.start().deal(game.deck).seen_by(-1), "")]
    while stack:
        node, state, text = stack.pop()
        row = flat.nodes[node]
        if row["player"] == TERMINAL:
            found[node] = text
        elif row["player"] == DEAL:
            stack.append((int(row["first"]), state.deal(game.deck), text))
        else:
            for at, action in enumerate(state.legal_actions(), int(row["first"])):
                later = state.apply(action)
                slashes = "/" * (later.street - state.street)
                stack.append((at, later, text + move_text(state, action) + slashes))
    return found


@kernel
def _walk(
    seed: np.uint64, first: int, duplicate: bool, deals: Ints, situations: Ints, tree: Ints, tables: Floats, out: Ints
) -> None:
    """Write the leaf that each hand ends at into ``out`` [units, hands]; chance is drawn as ``agents.draw`` does."""
    player, count, child, start, level, width = tree[0], tree[1], tree[2], tree[3], tree[4], tree[5]
    draws = np.zeros(2, np.int64)
    for row in range(len(out)):
        unit = first + row
        for hand in range(out.shape[1]):
            turn = hand if duplicate else unit
            draws[:] = 0
            node = 0
            while player[node] != TERMINAL:
                seat = player[node]
                if seat < 0:
                    node = child[node]
                    continue
                u = uniform_at(seed, np.uint64(unit), np.uint64(hand), np.uint64(seat + 1), draws[seat])
                draws[seat] += 1
                at = start[node] + situations[deals[row], seat, level[node]]
                total, chosen = 0.0, 0
                for action in range(count[node]):
                    chance = tables[(seat + turn) % 2, at + action * width[node]]
                    total += chance
                    if chance > 0.0:
                        chosen = action
                    if u < total:
                        break
                node = child[node] + chosen
            out[row, hand] = node
