"""Monte-Carlo continual re-solving (Sustr, Kovarik & Lisy 2019): continual re-solving with samples and no network.

At every decision a player samples from there to the end of the hand, behind the gadget of continual re-solving
(`ludus.search.resolver`): the opponent may leave with what they were estimated to have. Most samples are aimed at the
hand that is held. What has been learned (regrets, average strategy, values of histories) goes on from one decision of a
hand to the next; the first begins with what was learned before play at the root of the game.

The thinking of a decision is a function of the seed, the public history and the hand alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ludus.games.base import CHANCE
from ludus.games.menu import Menu
from ludus.games.moves import CALL
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.record import hole_hands, public_decisions, with_menu
from ludus.search.mccr_sampling import VALUE, WEIGHT, Stage, Start, Tables, new_line, sample
from ludus.search.small_games import TREMBLE, look_ahead_game, taken_for
from ludus.solvers.beliefs import RangeStrategy
from ludus.solvers.passes import Floats, Plan, by_action, normalised, plan, reach_pass, uniform_strategy
from ludus.trees.flat import FlatGame, flatten

AVERAGINGS = ("reach", "uniform")
MOST_NUMBERS = 50_000_000  # in the tables of one search
MOST_KEPT = 30_000_000  # numbers in the tables of all searches that are remembered; then all are forgotten
MOST_PARTS = 5_000  # of games, remembered as arrays

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MonteCarloResolver:
    """Plays every decision by samples of its own.

    ``samples`` are those of a decision, ``preparation`` those at the root of a game before the first hand. ``aim`` is
    the share of samples that deal the hand that is held, ``exploration`` that of random actions of the player whose
    regrets a sample changes. ``averaging`` says how the opponent's values are found: as the mean of the samples'
    counterfactual values ("uniform"), or from values of histories weighted by their "reach", which the paper found
    better. ``bets`` is the menu of the tree; a game with fixed bets keeps its own.
    """

    samples: int = 10_000
    preparation: int = 100_000
    seed: int = 0
    exploration: float = 0.6
    aim: float = 0.9
    averaging: str = "reach"
    bets: Menu | None = None
    _parts: dict[Hashable, Part] = field(init=False, repr=False, default_factory=dict)
    _known: dict[Hashable, Search] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        if self.samples < 1 or self.preparation < 0:
            raise ValueError(
                f"there is at least 1 sample a decision and no fewer than 0 before play, "
                f"got {self.samples} and {self.preparation}"
            )
        if not 0 < self.exploration <= 1:
            raise ValueError(f"the share of exploration is above 0 and at most 1, got {self.exploration}")
        if not 0 <= self.aim < 1:
            raise ValueError(f"the share of samples with the own hand is at least 0 and below 1, got {self.aim}")
        if self.averaging not in AVERAGINGS:
            raise ValueError(f"averaging is one of {', '.join(AVERAGINGS)}, got {self.averaging!r}")

    def check(self, game: PokerGame) -> None:
        """ValueError unless it can play a game."""
        if game.players != 2:
            raise ValueError(f"Monte-Carlo re-solving is for two players, {game.name} has {game.players}")
        self._part(self.tree(game), None)

    def tree(self, game: PokerGame) -> PokerGame:
        """The game that is sampled."""
        return look_ahead_game(game, self.bets)

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """How the player to act plays the hand that they hold, in bets of the tree."""
        player = observation.player
        hand = observation.hole(player)
        if HIDDEN in hand:
            raise ValueError("the player's own cards are hidden: ask for the strategy of the whole range")
        found = self.search(observation.seen_by(-1), player, self.tree(observation.game).name_cards(sorted(hand)))
        return {
            action: float(chance) for action, chance in zip(found.part.actions, found.held, strict=True) if chance > 0
        }

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """How every hand plays in a public state: one search for each that the board allows."""
        self.check(public.game)
        part = self._part(self.tree(public.game), public)
        rows = {
            name: self.search(public, public.player, name).held
            if part.possible[at]
            else np.full(len(part.actions), 1 / len(part.actions))
            for at, name in enumerate(part.flat.deals.hands)
        }
        names = [self.tree(public.game).name_cards(hand) for hand in hole_hands(public.game)]
        return RangeStrategy(part.actions, np.array([rows[name] for name in names]))

    def search(self, public: PokerState, player: int, hand: str) -> Search:
        """What a player thinks at a decision with a hand; what they thought before in this hand is thought first."""
        where = player, public.public_state(), hand
        key = public.game, where
        found = self._known.get(key)
        if found is None:
            self.check(public.game)
            found = self._begin(public, player, hand)
            self._sample(found, self.aim, self.samples, *where)
            self._remember(key, found)
        return found

    def prepared(self, game: PokerGame) -> Search:
        """What is known of a game before play."""
        found = self._known.get(game)
        if found is None:
            part = self._part(self.tree(game), None)
            found = Search(part, part.new_tables(), 0, "", np.ones(len(part.hands)))
            self._sample(found, 0.0, self.preparation)
            self._remember(game, found)
        return found

    def _begin(self, public: PokerState, player: int, hand: str) -> Search:
        """A search before its first sample: what is carried on from the player's last decision or from preparation."""
        tree, before = self.tree(public.game), list(public_decisions(public))
        part, own = self._part(tree, public), [made for made in before if made[0].player == player]
        if hand not in part.hands or not part.possible[part.hands.index(hand)]:
            raise ValueError(f"nobody can hold {hand!r} at {public.public_state()!r} of {public.game.name}")
        last = self.search(own[-1][0], player, hand) if own else self.prepared(public.game)
        reach, leaving = np.ones(len(part.hands)), None
        if own:
            reach, after = last.after(with_menu(own[-1][0], tree), own[-1][1], public)
            leaving = last.conceded(after, player, reach)
        elif before:
            leaving = last.conceded(with_menu(before[0][0], tree), player, reach)
        return Search(part, part.carry(last.part, last.tables), player, hand, reach, leaving)

    def _sample(self, search: Search, aim: float, samples: int, *what: object) -> None:
        text = "|".join(map(str, (self.seed, search.part.flat.game.name, *what)))
        random = np.frombuffer(blake2b(text.encode(), digest_size=16).digest(), "<u8").astype(np.uint64)
        begin, flat = search.start(aim), search.part.flat
        line = new_line(len(flat.groups), int(flat.groups["actions"].max()))
        by_reach = self.averaging == "reach"
        sample(search.part.stage, begin, search.tables, line, self.exploration, by_reach, 0, samples, random)
        if not by_reach:
            search.count(samples)

    def _part(self, tree: PokerGame, public: PokerState | None) -> Part:
        key = tree, public and public.public_state()
        found = self._parts.get(key)
        if found is None:
            if len(self._parts) >= MOST_PARTS:
                self._parts.clear()
            root = None if public is None else with_menu(public, tree)
            found = self._parts[key] = Part(flatten(tree, root=root))
        return found

    def _remember(self, key: Hashable, found: Search) -> None:
        if sum(known.part.numbers for known in self._known.values()) + found.part.numbers > MOST_KEPT:
            self._known.clear()
        self._known[key] = found


class Part:
    """A part of a game to sample in, and the size of its tables."""

    def __init__(self, flat: FlatGame) -> None:
        self.flat, self.hands, deals = flat, flat.deals.hands, flat.deals
        self.cells = int(flat.groups["situations"].sum())
        cell = np.cumsum(flat.groups["situations"], dtype=np.int64) - flat.groups["situations"]
        self.numbers = 2 * flat.entries + 4 * self.cells * len(self.hands)
        if self.numbers > MOST_NUMBERS:
            raise ValueError(
                f"{flat.game.name} takes tables of {self.numbers:,} numbers, too many to sample in: "
                f"at most {MOST_NUMBERS:,}"
            )
        self.stage = Stage(flat.nodes, flat.payoffs, deals.situation, deals.outcome, cell, len(self.hands))
        self.actions = flat.group_actions[flat.nodes["group"][0]]
        self.dealt = deals.situation[:, :, flat.nodes["level"][0]] % len(self.hands)  # [deals, players]: hands
        self.possible = np.isin(np.arange(len(self.hands)), self.dealt[:, 0])
        self._places: dict[Part, tuple[Ints, Ints]] = {}

    @cached_property
    def plan(self) -> Plan:
        """What exact passes look up."""
        return plan(self.flat)

    def new_tables(self) -> Tables:
        """Tables in which nothing has been learned."""
        flat, pairs = self.flat, self.cells * len(self.hands)
        root = len(flat.deals.boards[flat.nodes["level"][0]]) * len(self.hands)
        stored, values, choice = np.zeros(self.cells, np.bool_), np.zeros((2, 2, pairs)), np.zeros((root, 2))
        return Tables(np.zeros(flat.entries), np.zeros(flat.entries), stored, values, choice)

    def carry(self, before: Part, learned: Tables) -> Tables:
        """What has been learned in a larger part, as far as it is about this one; the choice to leave is a new one."""
        if before not in self._places:
            self._places[before] = self._find(before)
        old, entries = self._places[before]
        tables, known = self.new_tables(), entries >= 0
        tables.regrets[known], tables.sums[known] = learned.regrets[entries[known]], learned.sums[entries[known]]
        here = np.flatnonzero(old >= 0)
        tables.stored[here] = learned.stored[old[here]]
        shape = 2, 2, -1, len(self.hands)
        tables.values.reshape(shape)[:, :, here] = learned.values.reshape(shape)[:, :, old[here]]
        return tables

    def _find(self, before: Part) -> tuple[Ints, Ints]:
        """Where each cell, and each entry of a table, is in a larger part; -1 if it is not there."""
        mine, theirs, hands = self.flat, before.flat, len(self.hands)
        names = zip(theirs.groups["player"].tolist(), theirs.group_names, strict=True)
        groups = {name: at for at, name in enumerate(names)}
        boards = [
            np.array([whole.index(board) if board in whole else -1 for board in boards], np.int64)
            for boards, whole in zip(mine.deals.boards, theirs.deals.boards, strict=True)
        ]
        cells, entries = np.full(self.cells, -1), np.full(mine.entries, -1)
        for at, (group, name) in enumerate(zip(mine.groups, mine.group_names, strict=True)):
            found = groups.get((int(group["player"]), name))
            if found is None or mine.group_actions[at] != theirs.group_actions[found]:
                continue
            count, size, there = int(group["actions"]), int(group["situations"]), theirs.groups[found]
            board = np.repeat(boards[mine.nodes["level"][group["node"]]], hands)
            situation = np.where(board < 0, -1, board * hands + np.arange(size) % hands)
            first = int(self.stage.cell[at])
            cells[first : first + size] = np.where(situation < 0, -1, before.stage.cell[found] + situation)
            rows = int(there["start"]) + situation[:, None] * count + np.arange(count)
            rows[situation < 0] = -1
            entries[int(group["start"]) : int(group["start"]) + size * count] = rows.ravel()
        return cells, entries


@dataclass(frozen=True, eq=False)
class Search:
    """What a player has learned at a decision with a hand."""

    part: Part
    tables: Tables
    player: int
    hand: str  # none in preparation
    reach: Floats  # [hands]: the player's range
    leaving: Floats | None = None  # [hands]: what the opponent may leave with

    def start(self, aim: float) -> Start:
        """How samples begin: deals by chance times the range, a share of them with the hand that is held."""
        own = self.part.dealt[:, self.player]
        weights = self.reach[own]
        chances = weights / weights.sum()
        held = self.part.hands.index(self.hand) if self.hand else -1
        leaving = np.zeros(0) if self.leaving is None else self.leaving
        return Start(self.player, aim, np.flatnonzero(own == held), own == held, chances, chances.cumsum(), leaving)

    @property
    def chances(self) -> Floats:
        """[hands, actions]: the average strategy at the decision; any action where nothing is known."""
        count, hands = len(self.part.actions), len(self.part.hands)
        first = int(self.part.flat.nodes["start"][0])
        sums = self.tables.sums[first : first + count * hands].reshape(hands, count)
        total = sums.sum(axis=1, keepdims=True)
        chances: Floats = np.divide(sums, total, out=np.full(sums.shape, 1 / count), where=total > 0)
        return chances

    @property
    def held(self) -> Floats:
        """[actions]: how the hand is played."""
        row: Floats = self.chances[self.part.hands.index(self.hand)]
        return row

    def after(self, state: PokerState, action: int, public: PokerState) -> tuple[Floats, PokerState]:
        """The player's range after their action at the root, and what of the way to a later public state is theirs.

        That is the action, and the card after it: an action of the opponent changes nothing. A size that the tree lacks
        is taken for its nearest.
        """
        if action not in self.part.actions:
            action = taken_for(state, action)
        column = self.chances[:, self.part.actions.index(action)]
        reach = self.reach * ((1 - TREMBLE) * column + TREMBLE / len(self.part.actions))
        after = state.apply(action)
        if state.street < public.street:
            after = after if after.street > state.street else after.apply(CALL)
            if after.player == CHANCE:
                after = after.deal([*after.cards, *public.board[len(after.board) :]])
        return reach / reach.max(), after

    def count(self, samples: int) -> None:
        """Weigh the sums of counterfactual values of some samples, by how often the average strategy comes there.

        Divided by these weights they are values of histories, against a range of hands the mean over the samples.
        """
        part, flat, ready = self.part, self.part.flat, self.part.plan
        played = normalised(ready, by_action(ready, self.tables.sums), uniform_strategy(ready))
        chance, hands = flat.deals.meet[flat.nodes["level"][0]].sum(), len(part.hands)
        own, reach = self.reach / self.reach[part.dealt[:, self.player]].mean(), np.zeros(ready.reaches)
        for player in (1 - self.player,) if self.hand else (0, 1):
            other = 1 - player
            reach_pass(ready, other, played, reach)
            for group, first in zip(flat.groups, (part.stage.cell * hands).tolist(), strict=True):
                node = int(group["node"])
                meet, at = flat.deals.meet[flat.nodes["level"][node]], int(ready.reach_at[other, node])
                came = reach[at : at + int(ready.size[node])].reshape(-1, hands)
                came = came * own if other == self.player else came
                weights = meet / chance * np.expand_dims(came, 1 + player)
                self.tables.values[player, WEIGHT, first : first + meet.size] += samples * weights.ravel()

    def conceded(self, state: PokerState, player: int, reach: Floats) -> Floats:
        """[hands]: what the other player is estimated to get at a public state of the tree, against a range."""
        flat, hands = self.part.flat, len(self.part.hands)
        node, here = flat.find(state)
        if flat.nodes["group"][node] < 0:  # an end of the tree that stands for a bet with chips behind
            return np.zeros(hands) if self.leaving is None else self.leaving
        first = int(self.part.stage.cell[flat.nodes["group"][node]]) + here.start
        values = self.tables.values[1 - player].reshape(2, -1, hands)[:, first : first + hands]
        if player == 0:  # rows are the other's hands
            values = np.stack([-values[VALUE].T, values[WEIGHT].T])
        meet = flat.deals.meet[flat.nodes["level"][node]][here.start // hands]
        known = values[WEIGHT] > 0
        means = np.divide(values[VALUE], values[WEIGHT], out=np.zeros((hands, hands)), where=known)
        weights = meet * reach * known
        total, before = weights.sum(axis=1), np.zeros(hands) if self.leaving is None else self.leaving
        found: Floats = np.divide((weights * means).sum(axis=1), total, out=before.copy(), where=total > 0)
        return found
