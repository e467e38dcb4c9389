"""The kernels of Monte Carlo CFR against a slow reference: payoffs, expected regrets, expected averages."""

import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.cards.evaluator import CATEGORY, evaluate
from ludus.cards.random import streams
from ludus.cards.ranges import CLASSES, class_of_combo, combo_index
from ludus.games import CALL, CHANCE, FOLD, TERMINAL, holdem
from ludus.games.compiled import engine
from ludus.games.menu import Menu
from ludus.games.poker import PokerState
from ludus.solvers.blueprint.deals import DEAL, no_tables, rank_hands, sort_hands, won
from ludus.solvers.blueprint.samplers import MOST_DECISIONS, Walk, external, outcome
from ludus.solvers.blueprint.strategy import Blueprint, Found
from ludus.trees.blueprint import Abstraction
from ludus.trees.situations import FRAME, menu
from random_games import random_game

SURE = 5.0  # standard errors
STRONG = np.array([name[0] == "A" or name[0] == name[1] for name in CLASSES], int)
WEIGHT = 1e6  # of the fixed strategies, in chips of regret: what some hands add hardly changes them


# Cards and payoffs


@pytest.mark.parametrize("dialect", ["casino", "acpc"])
@settings(max_examples=150)
@given(seed=st.integers(0, 2**32))
def test_winnings_are_those_of_the_readable_rules_up_to_odd_chips(dialect, seed):
    rng = random.Random(seed)
    game = random_game(rng, "no-limit", dialect)
    while game.dead_antes:
        game = random_game(rng, "no-limit", dialect)
    deck = rng.sample(range(0, 52, rng.choice([1, 1, 2])), 2 * game.players + 5)  # two suits: more ties
    rules, hand, deal = engine.rules_of(game), engine.empty_hand(), np.zeros(1, DEAL)[0]
    engine.new_hand(rules, hand)
    state = game.start()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.deal(deck)
            continue
        bounds = state.raise_bounds()
        moves = [CALL] * 3 + [FOLD] * (FOLD in state.legal_actions()) + ([rng.choice(bounds)] if bounds else [])
        action = rng.choice(moves)
        engine.act(rules, hand, action)
        state = state.apply(action)
    rank_hands(np.array(deck, np.uint8), game.players, deal)
    found = np.array([won(rules, hand, deal, seat) for seat in range(game.players)])
    assert found.sum() == pytest.approx(0, abs=1e-9)
    odd = 0 if dialect == "acpc" else game.players - 1  # at most a chip less than winners for each pot
    np.testing.assert_allclose(found, state.returns(), atol=odd + 1e-9)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), players=st.integers(2, 10))
def test_hands_are_sorted_by_class_and_category(seed, players):
    deck = random.Random(seed).sample(range(52), 2 * players + 5)
    deal, start = np.zeros(1, DEAL)[0], 2 * players
    made = Blueprint(Abstraction(holdem(bets=Menu.parse("allin")), "aparicio", "aparicio"), {}, np.zeros(0, np.uint8))
    for street, cards in enumerate((0, 3, 4, 5)):
        sort_hands(no_tables(), np.array(deck, np.uint8), players, street, deal)
        board = deck[start : start + cards]
        kinds = made.kinds(board)
        for seat in range(players):
            hole = deck[2 * seat : 2 * seat + 2]
            (expected,) = kinds_of(np.sort([hole], axis=1), np.array([board], int))
            assert deal["kind"][seat * 4 + street] == expected == kinds[combo_index(*hole)]


def test_hands_of_very_many_decisions_come_to_an_end():
    """Deep stacks, ten players who never fold: after so many decisions nobody raises any more."""
    abstraction = Abstraction(holdem(10, stack=10**9, bets=Menu.parse("10%")), "aparicio", "aparicio")
    layout, rng = abstraction.layout, random.Random(1)
    rules, hand, frame = layout.rules, engine.empty_hand(), np.zeros(1, FRAME)[0]
    lengths = np.zeros(20, int)
    for at in range(len(lengths)):  # such hands would be longer
        engine.new_hand(rules, hand)
        while hand["player"] != TERMINAL:
            count = menu(layout.spec, rules, hand, frame)
            engine.act(rules, hand, int(frame["action"][count - 1]) if rng.random() < 0.3 else CALL)
            lengths[at] += 1
    assert lengths.max() > MOST_DECISIONS + 10
    regret = np.tile(np.array([0, 7, 3, 0], np.float32), layout.infosets)  # fold, call, raise, all-in
    average = np.zeros_like(regret)
    walk = Walk(*layout.tree[:2], layout.tree.offset, no_tables(), 1e9 * regret, average, np.zeros(0, np.float32))
    assert outcome(layout.spec, rules, walk, 500, 0.1, 0.0, *streams(1, 1)[0]) == 500
    assert np.isfinite(walk.regret).all()
    assert (average >= 0).all()


# A slow reference of what the walks estimate, under fixed strategies


class Node(NamedTuple):
    """A public state of the abstract game."""

    state: PokerState
    children: tuple["Node", ...]
    found: Found | None  # None at an end

    def all(self) -> Iterator["Node"]:
        yield self
        for child in self.children:
            yield from child.all()


class Deals:
    """Many deals at once: what each seat holds on each street, and the order of the hands at showdown."""

    def __init__(self, players: int, count: int, seed: int) -> None:
        decks = np.argsort(np.random.default_rng(seed).random((count, 52)), axis=1)[:, : 2 * players + 5]
        holes = [np.sort(decks[:, 2 * seat : 2 * seat + 2], axis=1) for seat in range(players)]
        self.count = count
        self.kind = [
            [kinds_of(hole, decks[:, 2 * players : 2 * players + cards]) for cards in (0, 3, 4, 5)] for hole in holes
        ]
        ranks = np.column_stack([evaluate(np.column_stack([hole, decks[:, 2 * players :]])) for hole in holes])
        strengths = (ranks[:, :, None] <= ranks[:, None, :]).sum(axis=2)  # how many hands one is as good as
        orders, self.order = np.unique(strengths, axis=0, return_inverse=True)
        self.order, self.orders = self.order.ravel(), orders.tolist()

    def payoffs(self, state: PokerState):
        """Chips of every deal and seat at an end, by the readable rules."""
        return np.array([state.payoffs(order) for order in self.orders])[self.order]


def kinds_of(hole, board):
    """The class of hands, and what they make from the flop on."""
    kinds = class_of_combo[hole[:, 1] * (hole[:, 1] - 1) // 2 + hole[:, 0]].astype(np.int64)
    return kinds * 9 + CATEGORY[evaluate(np.column_stack([hole, board]))] if board.shape[1] else kinds


def short_game(players: int, bets: str, form: str) -> Abstraction:
    return Abstraction(holdem(players, stack=60, blinds=(10, 20), bets=Menu.parse(bets)), form, "aparicio")


CASES = {
    "heads-up": short_game(2, "pot,allin;allin;- / allin;-", "tree"),
    "three": short_game(3, "allin;- / -", "tree"),
    "bounded": short_game(3, "pot,allin;- / -", "bounded"),
}


class Case:
    """An abstract game under fixed strategies that differ from hand to hand, and what to compare: sums over hands.

    A sum is that of an action in a situation over the weaker or the stronger hands: pairs and aces, later on a made
    hand.
    """

    def __init__(self, abstraction: Abstraction) -> None:
        self.abstraction, layout = abstraction, abstraction.layout
        self.players = abstraction.game.players
        self.regret = (WEIGHT * np.random.default_rng(3).choice([0.1, 0.5, 1.0], layout.slots)).astype(np.float32)
        self.book = Blueprint(abstraction, {}, np.zeros(layout.slots, np.uint8))
        self.root = self._grow(abstraction.game.start(), ())
        active, labels, self.size, self.first = [], [], 0, {}
        for node in self.root.all():
            if node.found is None or node.found.start in self.first:
                continue
            self.first[node.found.start] = self.size
            row, column = np.divmod(
                np.arange(abstraction.kinds[node.found.street] * node.found.stride), node.found.stride
            )
            active.append(node.found.start + np.arange(len(row)))
            labels.append(self.size + 2 * column + self._strong(row, node.found.street))
            self.size += 2 * node.found.stride
        self.active, self.labels = np.concatenate(active), np.concatenate(labels)

    def _grow(self, state: PokerState, actions: tuple[int, ...]) -> Node:
        while state.player == CHANCE:
            state = state.deal(range(52))
        if state.player == TERMINAL:
            return Node(state, (), None)
        found = self.book.find(self.abstraction.layout.rules, actions)
        assert found is not None
        assert found.actions == tuple(state.legal_actions())
        assert found.street == state.street
        children = tuple(self._grow(state.apply(action), (*actions, action)) for action in found.actions)
        return Node(state, children, found)

    @staticmethod
    def _strong(kinds, street: int):
        return STRONG[kinds] if street == 0 else (kinds % 9 > 0).astype(int)

    # The reference

    def expected(self, deals: int) -> tuple["Sums", "Sums", "Sums"]:
        """Regrets and averages of one walk for each seat, by playing every line of every deal.

        The last are averages by the probability that all who act come there.
        """
        self.deals = Deals(self.players, deals, seed=1)
        self.regrets, self.averages, self.reached = (np.zeros((deals, self.size)) for _ in range(3))
        self._values(self.root, np.ones((self.players, deals)))
        for seat in range(self.players):
            self._average(self.root, seat, np.ones(deals))
        return Sums.of(self.regrets), Sums.of(self.averages), Sums.of(self.reached)

    def _row(self, node: Node):
        """Strategies ``[deals, actions]`` of the player to act, and the labels of his sums."""
        found, seat = node.found, node.state.player
        kinds = self.deals.kind[seat][found.street]
        slots = found.start + kinds[:, None] * found.stride + np.array(found.slots)
        sigma = self.regret[slots].astype(float)
        labels = self.first[found.start] + 2 * np.array(found.slots) + self._strong(kinds, found.street)[:, None]
        return sigma / sigma.sum(axis=1, keepdims=True), labels

    def _values(self, node: Node, reach):
        """Values ``[deals, seats]`` of a node; ``reach[seat]`` is each seat's own probability of coming here."""
        if node.found is None:
            return self.deals.payoffs(node.state)
        sigma, labels = self._row(node)
        seat, values = node.state.player, []
        for at, child in enumerate(node.children):
            further = reach.copy()
            further[seat] *= sigma[:, at]
            values.append(self._values(child, further))
        value = sum(sigma[:, at, None] * each for at, each in enumerate(values))
        others = np.prod(np.delete(reach, seat, axis=0), axis=0)
        for at, each in enumerate(values):
            self.regrets[np.arange(self.deals.count), labels[:, at]] += others * (each - value)[:, seat]
            self.reached[np.arange(self.deals.count), labels[:, at]] += others * reach[seat] * sigma[:, at]
        return value

    def _average(self, node: Node, seat: int, reach) -> None:
        """With two players the other one's actions all count; with more they fold, call, raise as 1 : 2 : 1."""
        if node.found is None or node.state.folded >> seat & 1:
            return
        moves = node.found.actions
        if node.state.player == seat:
            weights, labels = self._row(node)
            for at in range(len(moves)):
                self.averages[np.arange(self.deals.count), labels[:, at]] += reach * weights[:, at]
        elif self.players == 2:
            weights = np.ones((1, len(moves)))
        else:
            raises = sum(move > 0 for move in moves)
            weights = np.array([[1.0 if move == FOLD else 2.0 if move == CALL else 1 / raises for move in moves]])
            weights /= weights.sum()
        for at, child in enumerate(node.children):
            self._average(child, seat, reach * weights[:, at])

    # The kernels

    def sampled(
        self, sampling: str, batches: int, baseline=None, epsilon: float = 0.5, apart: int = 0
    ) -> tuple["Sums", "Sums"]:
        """The same by a kernel, in batches of walks that start from the fixed strategies."""
        layout, rounds = self.abstraction.layout, 4000 if self.players == 2 else 1000
        regret, average = self.regret.copy(), np.zeros(layout.slots, np.float32)
        known = np.zeros(0, np.float32) if baseline is None else baseline
        walk = Walk(*layout.tree[:2], layout.tree.offset, no_tables(), regret, average, known)
        count, before = rounds * self.players, self.regret[self.active]
        sums = np.zeros((2, batches, self.size))
        for batch, (s0, s1) in enumerate(streams(7, batches)):
            if sampling == "outcome":
                assert outcome(layout.spec, layout.rules, walk, count, epsilon, 0.0, s0, s1) == count
            else:
                external(layout.spec, layout.rules, walk, count, 0.0, -1.0, s0, s1, apart)
            regret[self.active] -= before
            for each, array in zip(sums, (regret, average), strict=True):
                each[batch] = np.bincount(self.labels, array[self.active], self.size) / rounds
            regret[self.active], average[self.active] = before, 0
        assert np.array_equal(regret, self.regret)  # nothing was added elsewhere
        assert not average.any()
        return Sums.of(sums[0]), Sums.of(sums[1])


class Sums(NamedTuple):
    """Means and their standard errors."""

    mean: np.ndarray
    error: np.ndarray

    @classmethod
    def of(cls, samples) -> "Sums":
        return cls(samples.mean(axis=0), samples.std(axis=0, ddof=1) / np.sqrt(len(samples)))


def agree(one: Sums, other: Sums, scale: float = 1.0) -> None:
    """Means differ by no more than chance explains, and are known well enough for that to mean something."""
    apart = one.mean - scale * other.mean
    error = np.sqrt(one.error**2 + (scale * other.error) ** 2)
    assert (np.abs(apart) <= SURE * error + 1e-2).all(), (apart / np.maximum(error, 1e-12)).round(1)
    assert error.sum() < 0.1 * scale * np.abs(other.mean).sum()


@pytest.fixture(scope="module", params=list(CASES))
def case(request):
    made = Case(CASES[request.param])
    return made, *made.expected(30_000)


@pytest.mark.parametrize("apart", [0, 700])
def test_external_sampling_is_right_on_average(case, apart):
    made, regrets, averages, reached = case
    found = made.sampled("external", 40, apart=apart)
    agree(found[0], regrets)
    agree(found[1], averages if made.players == 2 else reached)


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_outcome_sampling_is_right_on_average(case, epsilon):
    made, regrets, averages, _ = case
    found = made.sampled("outcome", 100, epsilon=epsilon)
    agree(found[0], regrets)
    agree(found[1], averages)


def test_baselines_change_no_mean(case):
    made, regrets, averages, _ = case
    arbitrary = np.random.default_rng(5).uniform(-40, 40, made.abstraction.layout.slots).astype(np.float32)
    found = made.sampled("outcome", 100, arbitrary)
    agree(found[0], regrets)
    agree(found[1], averages)
