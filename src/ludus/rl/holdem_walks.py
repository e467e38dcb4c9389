"""Heads-up hold'em walked through for Deep CFR: all its betting as a tree, hands by their buckets, many walks at once.

A row is an information set of an abstract game (``ludus.trees.blueprint``): a decision of the tree and a kind of hand.
A network is not shown their numbers but what they mean: the betting as chips and actions, the kind of hand by the
centre of its bucket. Walks go through the tree level by level, so that a network is asked about all of a level at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.cards.random import streams
from ludus.cards.ranges import CLASSES
from ludus.compiled import kernel
from ludus.files import Arrays
from ludus.games.action import Kind
from ludus.games.compiled.engine import empty_hand, new_hand, shuffle
from ludus.rl.lanes import Bools, Floats, Ints, Play, Walked
from ludus.rl.memories import Column
from ludus.rl.policy import draw_rows
from ludus.solvers.blueprint.deals import CATEGORIES, DEAL, no_tables, rank_hands, sort_hands
from ludus.solvers.blueprint.strategy import FULL, Blueprint
from ludus.trees.blueprint import MOST_NODES, Abstraction
from ludus.trees.bucket_tables import BucketTables
from ludus.trees.growing import CHANCE, FOLD, Grown, grow
from ludus.trees.situations import SIZES

COMPONENTS = 9  # numbers that tell the hands of a street apart: the main axes of its buckets, or categories
SPELT = 4  # actions of a street that are spelt out
_RANKS = "23456789TJQKA"


class Level(NamedTuple):
    """Where many walks are after as many moves: what was found there and which places of the next level follow."""

    node: Ints
    own: Bools  # whether it is the walker's decision
    rows: Ints  # -1 where nobody decides
    chances: Floats  # [n, actions]
    next: Ints  # [n, actions]: -1 where an action was not followed


class HoldemWalks:
    """Heads-up no-limit hold'em of an abstract game whose form is a tree."""

    seats = 2
    row: Column = (), np.int32

    def __init__(self, abstraction: Abstraction, seed: int) -> None:
        if abstraction.game.players != 2 or abstraction.form != "tree":
            raise ValueError(f"Deep CFR walks through heads-up hold'em in the form of a tree, not {abstraction.form}")
        self.abstraction, self.rng = abstraction, np.random.default_rng(seed)
        self._random = streams(seed, 1)[0].copy()
        layout, begin = abstraction.layout, empty_hand()
        new_hand(layout.rules, begin)
        grown = grow(layout.rules, layout.spec, begin, 3, SIZES + 1, 4 * MOST_NODES)
        assert isinstance(grown, Grown)
        self.tree, self.kinds = grown, max(abstraction.kinds)
        self.decisions = np.flatnonzero(grown.player >= 0)  # in the order of the layout's rows
        assert len(self.decisions) == layout.tree.nodes
        self.rows = len(self.decisions) * self.kinds
        self._number = np.cumsum(grown.player >= 0) - 1  # of a node: which decision it is
        self.unit = float(max(abstraction.game.stacks))
        self._find_children()
        self._betting, self._cards = self._show_betting(), self._show_cards()
        self.inputs: tuple[int, ...] = (self._betting.shape[1] + self._cards.shape[2],)
        self._tables = no_tables() if abstraction.buckets is None else abstraction.buckets.tables()

    # What a network is shown

    def _find_children(self) -> None:
        """By action: 0 fold, 1 check or call, from 2 on the sizes."""
        tree = self.tree
        parents = tree.parent
        moved = np.flatnonzero((np.arange(len(parents)) > 0) & (tree.player[parents] >= 0))
        action = np.where(tree.done == Kind.FOLD, 0, np.where(tree.done == Kind.RAISE, 2 + tree.size, 1)).astype(
            np.int64
        )
        self.actions = int(action[moved].max()) + 1
        self._child = np.full((len(parents), self.actions), -1, np.int64)
        self._child[parents[moved], action[moved]] = moved
        self.open = self._child >= 0  # [nodes, actions]

    def _show_betting(self) -> Floats:
        """[decisions, numbers] Street, seat, chips paid and owed, and the first actions of each street, with sizes."""
        tree, shown = self.tree, list[list[float]]()
        for node in self.decisions.tolist():
            seat, street = int(tree.player[node]), int(tree.street[node])
            own, other = (float(tree.paid[node, each]) for each in (seat, 1 - seat))
            acted, counts, above = np.zeros((4, SPELT, 2)), [0] * 4, node
            path = []
            while above > 0:
                path.append(above)
                above = int(tree.parent[above])
            for at in reversed(path):
                before = int(tree.parent[at])
                if tree.player[before] >= 0 and counts[tree.street[before]] < SPELT:
                    pot = float(tree.paid[before].sum())
                    added = float(tree.paid[at].sum()) - pot
                    acted[tree.street[before], counts[tree.street[before]]] = 1, min(added / pot, 3.0)
                    counts[tree.street[before]] += 1
            chips = [own / self.unit, other / self.unit, (other - own) / (own + other), np.log1p(own + other) / 6]
            places = [float(each == street) for each in range(4)]
            shown.append([*places, float(seat), *chips, *acted.ravel().tolist()])
        return np.array(shown, np.float32)

    def _show_cards(self) -> Floats:
        """[streets, kinds, 4 x components] What a kind of hand is, in the place of its street."""
        shown = np.zeros((4, self.kinds, 4 * COMPONENTS), np.float32)
        high, low = (np.array([_RANKS.index(name[at]) for name in CLASSES]) for at in range(2))
        suited, gap = np.array([name.endswith("s") for name in CLASSES]), high - low
        numbers = (high / 12, low / 12, gap == 0, suited, gap / 12, gap == 1, high > 8, low > 8)
        classes = np.array(numbers, np.float32).T
        shown[0, : len(CLASSES), : classes.shape[1]] = classes
        if self.abstraction.buckets is None:  # a class and what it makes
            for street in range(1, 4):
                places = slice(street * COMPONENTS, (street + 1) * COMPONENTS)
                shown[street, :, : classes.shape[1]] = np.repeat(classes, CATEGORIES, axis=0)
                shown[street, :, places] = np.tile(np.eye(CATEGORIES), (len(CLASSES), 1))
            return shown
        for street, buckets in enumerate(self.abstraction.buckets.streets, 1):
            centres = buckets.centres.astype(np.float64)
            centred = centres - centres.mean(axis=0)
            _, _, axes = np.linalg.svd(centred, full_matrices=False)
            found = centred @ axes[:COMPONENTS].T
            places = slice(street * COMPONENTS, street * COMPONENTS + found.shape[1])
            shown[street, : len(found), places] = found / found[:, 0].std()
        return shown

    def see(self, rows: NDArray[Any]) -> Floats:
        """[n, inputs] What a network is shown."""
        decision, kind = np.divmod(rows.astype(np.int64), self.kinds)
        street = self.tree.street[self.decisions[decision]]
        return np.concatenate([self._betting[decision], self._cards[street, kind]], axis=1)

    # Walks

    def walk(self, seat: int, count: int, play: Play) -> Walked:
        """So many walks for a seat, while everybody plays so."""
        kinds, better = np.zeros((count, 2, 4), np.int32), np.zeros(count, np.int8)
        deal_many(self._tables, self._random, kinds, better)
        levels, touched = list[Level](), 0
        hand, node = np.arange(count), np.zeros(count, np.int64)
        hands = list[Ints]()
        while len(node):
            node = self._dealt(node)
            hands.append(hand)
            touched += len(node)
            level = self._look(seat, hand, node, kinds, play)
            place, action = np.nonzero(level.next)
            following = np.full(level.next.shape, -1, np.int64)
            following[place, action] = np.arange(len(place))
            levels.append(level._replace(next=following))
            hand, node = hand[place], self._child[node[place], action]
        return self._gathered(seat, levels, hands, better, touched)

    def _dealt(self, node: Ints) -> Ints:
        """The nodes after the cards that are due."""
        while len(at := np.flatnonzero(self.tree.kind[node] == CHANCE)):
            node[at] = self.tree.child[self.tree.first[node[at]]]
        return node

    def _look(self, seat: int, hand: Ints, node: Ints, kinds: NDArray[np.int32], play: Play) -> Level:
        """What is played at nodes; ``next`` is 1 for the actions to follow."""
        player = self.tree.player[node].astype(np.int64)
        can, rows = self.open[node], np.full(len(node), -1, np.int64)
        decides = player >= 0
        held = kinds[hand[decides], player[decides], self.tree.street[node[decides]]]
        rows[decides] = self._number[node[decides]] * self.kinds + held
        chances, follows = np.zeros(can.shape, np.float32), can & (player == seat)[:, None]
        for each in range(2):
            at = np.flatnonzero(player == each)
            if len(at):
                chances[at] = play(each, rows[at].astype(np.int32), can[at])
        others = np.flatnonzero(player == 1 - seat)
        follows[others, draw_rows(chances[others], self.rng.random(len(others)))] = True
        return Level(node, player == seat, rows, chances, follows.astype(np.int64))

    def _gathered(
        self, seat: int, levels: list[Level], hands: list[Ints], better: NDArray[np.int8], touched: int
    ) -> Walked:
        """From the last level back to the first: what places are worth to the walker."""
        later = np.zeros(0)
        found = list[tuple[Any, ...]]()
        for level, hand in zip(reversed(levels), reversed(hands), strict=True):
            worth = np.where(level.next >= 0, np.append(later, 0.0)[level.next], 0.0)
            others = (level.rows >= 0) & ~level.own
            values = (worth * np.where(level.own[:, None], level.chances, 1.0)).sum(axis=1)
            ends = level.rows < 0
            values[ends] = self._won(seat, level.node[ends], better[hand[ends]]) / self.unit
            can = self.open[level.node]
            gained = np.where(can, worth - values[:, None], 0.0).astype(np.float32)
            own = level.own
            found.append(
                (level.rows[own], can[own], gained[own], level.rows[others], can[others], level.chances[others])
            )
            later = values
        rows, can, gained, other_rows, other_open, other_chances = (
            np.concatenate(each) for each in zip(*found, strict=True)
        )
        return Walked(
            rows.astype(np.int32), can, gained, other_rows.astype(np.int32), other_open, other_chances, touched
        )

    def _won(self, seat: int, node: Ints, better: NDArray[np.int8]) -> NDArray[np.float64]:
        """Chips that the walker has won where hands end; ``better`` is 1 where seat 0 has the better hand."""
        tree = self.tree
        paid = tree.paid[node].min(axis=1).astype(np.float64)
        folded = np.where(tree.player[tree.parent[node]] == seat, -1.0, 1.0)
        won: NDArray[np.float64] = paid * np.where(tree.kind[node] == FOLD, folded, better if seat == 0 else -better)
        return won

    # What comes of it

    def blueprint(self, policy: Any, notes: dict[str, Any]) -> Blueprint:
        """The strategy of a policy (rows, open actions -> chances) in every information set, as a blueprint."""
        layout, parts = self.abstraction.layout, list[NDArray[np.uint8]]()
        kinds = self.abstraction.kinds
        for number, node in enumerate(self.decisions.tolist()):
            rows = (number * self.kinds + np.arange(kinds[self.tree.street[node]])).astype(np.int32)
            can = self.open[node]
            chances = policy(rows, np.tile(can, (len(rows), 1)))[:, can]
            parts.append(np.rint(FULL * chances).astype(np.uint8).ravel())
        strategy = np.concatenate(parts)
        assert len(strategy) == layout.slots
        return Blueprint(self.abstraction, notes, strategy)

    def state(self) -> Arrays:
        """Where its random numbers are."""
        return {"random": self._random}

    def restore(self, arrays: Arrays) -> None:
        """Go on from there."""
        self._random = arrays["random"].copy()


@kernel
def deal_many(
    tables: BucketTables, random: NDArray[np.uint64], kinds: NDArray[np.int32], better: NDArray[np.int8]
) -> None:
    """Deal hands: the kinds [hands, seats, streets] of what both hold, and who has the better hand: 1, 0 or -1."""
    deck, deals = np.arange(52).astype(np.uint8), np.zeros(1, DEAL)
    s0, s1 = random[0], random[1]
    for at in range(len(better)):
        deal = deals[0]
        s0, s1 = shuffle(deck, 9, s0, s1)
        for street in range(4):
            sort_hands(tables, deck, 2, street, deal)
        rank_hands(deck, 2, deal)
        for seat in range(2):
            for street in range(4):
                kinds[at, seat, street] = deal.kind[seat * 4 + street]
        better[at] = (deal.rank[0] < deal.rank[1]) - (deal.rank[0] > deal.rank[1])
    random[0], random[1] = s0, s1
