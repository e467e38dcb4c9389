"""Spots by plain recursion: one hand at a time, every opposing hand and every card in turn, in double precision.

A strategy is a function of a node of the betting tree, the cards dealt since the start and a hand, a pair of cards with
the lower one first; it gives the probabilities of the actions. Values are as the solver has them: what a hand wins,
from half the starting pot on, summed over the opponent's hands with their weights and over the cards that can come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from random import Random

import numpy as np

from ludus.cards.evaluator import evaluate
from ludus.cards.ranges import COMBOS, combo_index
from ludus.trees.betting import CHANCE, FOLD, SHOWDOWN, BettingTree, build_betting_tree
from ludus.trees.spot import Spot

Hand = tuple[int, int]
Cards = tuple[int, ...]
Decision = tuple[int, Cards, Hand]
Strategy = Callable[[int, Cards, Hand], np.ndarray]
Locked = Callable[[int, Cards, Hand], bool]
Seen = dict[Decision, tuple[float, list[float]]]


def hand_of(combo: int) -> Hand:
    low, high = sorted(COMBOS[combo].tolist())
    return low, high


def combo_of(hand: Hand) -> int:
    return combo_index(*hand)


@cache
def strength(board: Cards, hand: Hand) -> int:
    """1 is the best."""
    return int(evaluate([[*board, *hand]])[0])


@dataclass
class Reference:
    """A spot with its betting tree and its ranges as weights by hand."""

    spot: Spot
    tree: BettingTree = field(init=False)
    ranges: tuple[dict[Hand, float], dict[Hand, float]] = field(init=False)

    def __post_init__(self) -> None:
        self.tree = build_betting_tree(self.spot)
        oop, ip = (
            {hand_of(combo): float(weights[combo]) for combo in np.flatnonzero(weights).tolist()}
            for weights in (self.spot.weights[0], self.spot.weights[1])
        )
        self.ranges = oop, ip
        self.children = [self.tree.children(node) for node in range(len(self.tree))]
        self.kind, self.paid = self.tree.kind.tolist(), self.tree.paid.tolist()

    def rake(self, final_pot: float) -> float:
        percent, cap = float(self.spot.rake.percent), self.spot.rake.cap
        return min(final_pot * percent / 100, np.inf if cap is None else float(cap))

    def result(self, node: int, dealt: Cards, player: int, mine: Hand, his: Hand) -> float:
        """What a player wins at a leaf: what he is paid less what he put in, and less half of the starting pot."""
        paid = self.paid[node]
        called = min(paid)  # what was bet beyond this goes back
        final = self.spot.pot + 2 * called
        to_share = final - self.rake(final)
        if self.kind[node] == FOLD:
            folder = self.kind[int(self.tree.parent[node])]
            share = 0.0 if folder == player else 1.0
        else:
            board = (*self.spot.board, *dealt)
            assert len(board) == 5
            one, two = strength(board, mine), strength(board, his)
            share = 1.0 if one < two else 0.5 if one == two else 0.0
        return share * to_share - called - self.spot.pot / 2

    def chance(self, dealt: Cards) -> float:
        """The probability of each card that neither player nor the board has."""
        return 1 / (52 - len(self.spot.board) - len(dealt) - 4)

    def value(
        self, player: int, hand: Hand, strategy: Strategy, best: bool = False, locked: Locked | None = None,
        seen: Seen | None = None, result: Callable[..., float] | None = None,
    ) -> float:  # fmt: skip
        """What a hand wins against a strategy, by the same strategy or by a best response to it but where locked.

        ``seen`` gets the value of every decision, of either player, and there of every action. With a ``result`` leaves
        pay that instead of what the player wins.
        """
        pays = result or self.result

        def go(node: int, dealt: Cards, reach: dict[Hand, float]) -> float:
            kind = self.kind[node]
            if kind in (FOLD, SHOWDOWN):
                return sum(each * pays(node, dealt, player, hand, his) for his, each in reach.items())
            if kind == CHANCE:
                total = 0.0
                for card in set(range(52)) - {*self.spot.board, *dealt, *hand}:
                    after = {his: each * self.chance(dealt) for his, each in reach.items() if card not in his}
                    total += go(self.children[node][0], (*dealt, card), after)
                return total
            values = []
            for action, child in enumerate(self.children[node]):
                after = reach
                if kind != player:
                    after = {his: each * strategy(node, dealt, his)[action] for his, each in reach.items()}
                values.append(go(child, dealt, after))
            if kind != player:
                value = sum(values)
            elif best and not (locked and locked(node, dealt, hand)):
                value = max(values)
            else:
                value = float(strategy(node, dealt, hand) @ values)
            if seen is not None:
                seen[node, dealt, hand] = value, values
            return value

        met = {his: each for his, each in self.ranges[1 - player].items() if not set(his) & set(hand)}
        return go(0, (), met)

    def values(self, player: int, strategy: Strategy, best: bool = False, **options) -> dict[Hand, float]:
        return {hand: self.value(player, hand, strategy, best, **options) for hand in self.ranges[player]}

    def expected_rake(self, strategy: Strategy) -> float:
        def taken(node: int, *_) -> float:
            return self.rake(self.spot.pot + 2 * min(self.paid[node]))

        return self.mean(0, self.values(0, strategy, result=taken))

    def masses(self, player: int) -> dict[Hand, float]:
        """For each hand the weight of the opponent's hands that it can meet."""
        return {
            hand: sum(each for his, each in self.ranges[1 - player].items() if not set(his) & set(hand))
            for hand in self.ranges[player]
        }

    def mean(self, player: int, values: dict[Hand, float]) -> float:
        """The mean over all pairs of hands, in chips."""
        pairs = sum(self.ranges[player][hand] * mass for hand, mass in self.masses(player).items())
        return sum(self.ranges[player][hand] * each for hand, each in values.items()) / pairs

    def decisions(self, player: int) -> Iterator[Decision]:
        """All the information sets of a player, those that his hand or the opponent's hands make impossible too."""
        for node in np.flatnonzero(self.tree.kind == player).tolist():
            for dealt in self.dealings(int(self.tree.street[node]) - len(self.spot.board)):
                for hand in self.ranges[player]:
                    if not set(hand) & set(dealt):
                        yield node, dealt, hand

    def dealings(self, count: int) -> Iterator[Cards]:
        yield from permutations(sorted(set(range(52)) - set(self.spot.board)), count)

    def own_reach(self, strategy: Strategy, node: int, dealt: Cards, hand: Hand) -> float:
        """How likely a player takes a hand to a decision of his: his weight times his own probabilities so far."""
        player, reach, child = self.kind[node], 1.0, node
        while child:
            parent = int(self.tree.parent[child])
            if self.kind[parent] == player:
                known = dealt[: int(self.tree.street[parent]) - len(self.spot.board)]
                reach *= strategy(parent, known, hand)[self.children[parent].index(child)]
            child = parent
        return reach * self.ranges[player][hand]


def random_strategy(reference: Reference, seed: int, symmetries: list[Cards] | None = None) -> Strategy:
    """A random strategy, the same for situations that one of the permutations of suits makes equal."""
    suits = symmetries or [(0, 1, 2, 3)]

    @cache
    def strategy(node: int, dealt: Cards, hand: Hand) -> np.ndarray:
        same = [(moved_cards(dealt, each), moved_hand(hand, each)) for each in suits]
        cards, pair = min(same)
        random = Random(hash((seed, node, *cards, *pair)))  # a hash of integers is the same in every run
        mix = np.array([random.random() ** 2 for _ in reference.children[node]])
        return mix / mix.sum()

    return strategy


def moved_cards(cards: Cards, suits: Cards) -> Cards:
    return tuple(card & ~3 | suits[card & 3] for card in cards)


def moved_hand(hand: Hand, suits: Cards) -> Hand:
    low, high = sorted(moved_cards(hand, suits))
    return low, high


def symmetries_of(spot: Spot) -> list[Cards]:
    """The permutations of the suits that leave the board, as a set, and both ranges as they are."""
    found = []
    for suits in permutations(range(4)):
        whole = set(moved_cards(spot.board, suits)) == set(spot.board)
        for weights in (spot.weights[0], spot.weights[1]):
            whole &= all(
                weights[combo_of(moved_hand(hand_of(combo), suits))] == weights[combo]
                for combo in np.flatnonzero(weights).tolist()
            )
        if whole:
            found.append(suits)
    return found


# --- Between strategies and the tables of the solver ----------------------------------------------------------------


def places(layout) -> Iterator[tuple[int, int, int, Cards, Hand, np.ndarray]]:
    """For each decision on each board that is kept and each hand there: street, player, node, cards, hand, and where
    in the table of that street and player its actions stand."""
    tree = layout.tree
    for at, boards in enumerate(layout.boards):
        for player in (0, 1):
            hands, rows = boards.hands[player], layout.rows[at][player]
            for board, cards in enumerate(boards.cards.tolist()):
                dealt = tuple(cards[len(layout.spot.board) :])
                first, count = int(hands.start[board]), int(hands.start[board + 1] - hands.start[board])
                row = 0
                for node in np.flatnonzero((tree.kind == player) & (tree.street == len(cards))).tolist():
                    actions = np.arange(len(tree.children(node)))
                    for place in range(count):
                        where = rows * first + (row + actions) * count + place
                        yield at, player, node, dealt, hand_of(int(hands.combo[first + place])), where
                    row += len(actions)


def as_tables(layout, strategy: Strategy) -> list[list[np.ndarray]]:
    """A strategy in the form of the solver's sums of strategies."""
    tables = [[np.zeros(layout.entries(at, p), np.float32) for p in (0, 1)] for at in range(len(layout.boards))]
    for at, player, node, dealt, hand, where in places(layout):
        tables[at][player][where] = strategy(node, dealt, hand)
    return tables


def from_tables(layout, tables) -> dict[Decision, np.ndarray]:
    """What tables say of every decision on the boards that are kept."""
    return {
        (node, dealt, hand): tables[at][player][where].astype(np.float64)
        for at, player, node, dealt, hand, where in places(layout)
    }


def matched(row: np.ndarray) -> np.ndarray:
    """Regret matching; a row of sums is normalised by it as well."""
    positive = np.maximum(row, 0.0)
    return positive / positive.sum() if positive.sum() > 1e-30 else np.full(len(row), 1 / len(row))


def strategy_of(layout, tables) -> Strategy:
    """The strategy of tables, on the boards that are not kept that of the board which a symmetry turns them into."""
    kept, symmetries = from_tables(layout, tables), symmetries_of(layout.spot)

    @cache
    def strategy(node: int, dealt: Cards, hand: Hand) -> np.ndarray:
        for suits in symmetries:
            key = node, moved_cards(dealt, suits), moved_hand(hand, suits)
            if key in kept:
                return matched(kept[key])
        raise AssertionError(f"no board stands for {dealt}")

    return strategy


# --- The recurrence -------------------------------------------------------------------------------------------------


class ReferenceCFR:
    """Alternating CFR, straight from the recurrence in ``solvers/schedules.py``: first add, then discount.

    Strategies are averaged in iterations 1, 1 + every, ...; the sums then get the factors of the iterations up to the
    next such one at once.
    """

    def __init__(self, reference: Reference, discount, clip: bool, every: int) -> None:
        self.reference, self.discount, self.clip, self.every = reference, discount, clip, every
        self.regrets: dict[Decision, np.ndarray] = {}
        self.sums: dict[Decision, np.ndarray] = {}
        for player in (0, 1):
            for key in reference.decisions(player):
                self.regrets[key] = np.zeros(len(reference.children[key[0]]))
                self.sums[key] = np.zeros(len(reference.children[key[0]]))
        self.iterations = 0

    def run(self) -> None:
        """One iteration."""
        t = self.iterations + 1
        positive, negative, _ = self.discount(t)
        for player in (0, 1):
            now = {key: matched(row) for key, row in self.regrets.items()}

            def strategy(node: int, dealt: Cards, hand: Hand, now=now) -> np.ndarray:
                return now[node, dealt, hand]

            if (t - 1) % self.every == 0:
                factor = np.prod([self.discount(step)[2] for step in range(t, t + self.every)])
                for key in self.reference.decisions(player):
                    self.sums[key] = (self.sums[key] + self.reference.own_reach(strategy, *key) * now[key]) * factor
            seen: Seen = {}
            for hand in self.reference.ranges[player]:
                self.reference.value(player, hand, strategy, seen=seen)
            for (node, dealt, hand), (value, values) in seen.items():
                if self.reference.kind[node] == player:
                    row = self.regrets[node, dealt, hand] + (np.array(values) - value)
                    row = np.maximum(row, 0.0) if self.clip else row
                    self.regrets[node, dealt, hand] = row * np.where(row > 0, positive, negative)
        self.iterations = t
