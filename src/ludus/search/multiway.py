"""Depth-limited search for any number of players: the rest of the street is solved with everybody's ranges.

The search follows Brown, Sandholm & Amos (2018) and Pluribus (Brown & Sandholm 2019). It begins at the decision that is
asked about, with the hands that each seat may hold there. The betting of the rest of the street is solved by external
sampling; where it ends everybody picks one of several continuations of a blueprint (`multiway_walks`). Each seat's
hands are put into groups of like strength by its own range, so that a narrow range is told apart finely.

The hand that is asked about learns on its own, beside the range that it belongs to: the others answer the range and
never learn which hand it is. In the end all strategies stand, and each action of that hand is valued by deals that all
actions share. So the mix and the values are of one solution, and the errors of the values are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.cards.evaluator import evaluate
from ludus.cards.ranges import CLASSES, COMBOS, Weights, class_of_combo, combo_index
from ludus.cards.strength import PREFLOP_ORDER, all_hands_strength
from ludus.games.compiled.engine import rules_of
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.search.multiway_walks import CHOICES, UPDATE, Street, add_up, learn, value_actions
from ludus.search.river_walks import learn_river, members_of
from ludus.search.street_start import begin_with
from ludus.search.street_tree import MOST_ALL_IN, place_rows, street_tree
from ludus.solvers.blueprint.rollouts import Floats, UnseenCards, moments, table_of, table_of_ranges
from ludus.solvers.blueprint.strategy import Blueprint, Book
from ludus.trees.translation import nearest_raise, poker_moves, pot_fraction, raise_by

RIVER = 3
GROUPS = (30, 30, 30, 100)  # of hands of a seat, by street: more would have too few visits in a second
POTS = (1600.0, 1600.0, 1600.0, 10.0)
"""By street, the regrets that the blueprint's strategy begins with. A visit brings one or two pots of noise where much
is still to come, and a group of hands has a few hundred visits, far fewer behind several raises: with less, opponents
there would play worse than the blueprint, and what is worth most would be to be raised by them."""
STEPS = 5.0  # that the blueprint's strategy counts for in the average
USUAL_PLAYERS = 3
ENDS = (120_000, 200_000, 250_000, 500_000)
"""By street, ends of the street that are reached for a second of thinking about so many players: half of it on two
cores. They are counted, not timed, so that the same decision gets the same answer."""
DEALS = (8_000, 10_000, 14_000, 40_000)  # by street, that value the actions for a second of thinking
LEAST_SECONDS, MOST_SECONDS = 0.02, 20.0  # of thinking: less would find nothing, more would change nothing
PATIENCE = 4.0  # times the seconds given, after which walks end early
RIVER_STEPS, RIVER_WALKS = 800, 16  # updates for a second of thinking, and walks of each player between them
STREAMS = 4  # of random numbers, and so of walks that may go on at once
ROUNDS = 16  # of a stream between two updates
BLOCK = 512  # deals of one stream
SOLVE_ERROR = (0.15, 0.15, 0.15, 0.03)
"""By street, of the pot with the chips that an action puts in: how far its value is off, beside the luck of the deals.
It is judged from few spots: a river of two against its exact solution, and flops of three players against searches of
eight times as long, where most values were closer and some raises were off by more. Before the flop and on the turn it
is taken over from the flop."""
LEAST_OWN = 1e-3  # the weight of the hand that is asked about in its range, at least
USUAL_RAISE = 0.75  # of the pot, where the blueprint never raises


@dataclass(frozen=True, eq=False)
class SearchAnswer:
    """What a search says about one hand."""

    actions: tuple[int, ...]
    chances: tuple[float, ...]  # how often the solution takes each
    means: Floats  # [actions] chips won from now on; folding is 0
    covariance: Floats  # [actions, actions] of the means
    deals: int
    walks: int
    boards: int = 0  # that stood for all; 0: all


@dataclass(frozen=True, eq=False)
class MultiwaySearch:
    """Searches with the blueprint as what comes after the street; ``seconds`` of thinking are on two cores.

    The same seed gives the same answer, whatever the number of threads, unless the search takes far too long. Before
    the flop it needs the card tables of all boards, and builds them where there are none; with ``build=False`` some
    boards stand for all until somebody else has built them.
    """

    blueprint: Blueprint
    seconds: float = 1.0
    seed: int = 1
    threads: int = 1
    patience: float = PATIENCE
    build: bool = True

    def __post_init__(self) -> None:
        if self.blueprint.abstraction.form == "tree":
            raise ValueError("a search goes on by a blueprint that knows any table, not by one of the form of a tree")
        if not self.seconds > 0:
            raise ValueError(f"a search takes more than 0 seconds, got {self.seconds}")
        if self.seed < 0 or self.threads < 1:
            raise ValueError(f"a seed is not negative and threads are at least 1, got {self.seed} and {self.threads}")

    def answer(
        self, public: PokerState, hand: tuple[int, int], ranges: Sequence[Weights | None], also: Sequence[int] = ()
    ) -> SearchAnswer:
        """How to play a hand in a state, with the ranges ``[1326]`` of all seats that are left, the own one too.

        Raises of ``also`` are among the actions. ValueError where the ranges have no hands that go together.
        """
        rules = rules_of(replace(public.game, bets=None))
        line = [action for street in public.line for action in street]
        actions = self._actions(public, rules, line, also)
        tree = street_tree(self.blueprint, rules, line, actions)
        held = [None if own is None else np.array(own, np.float64) for own in ranges]
        own = held[public.player]
        if own is None:
            raise ValueError("a search needs the range of the player to act, too")
        own[combo_index(*hand)] = max(own[combo_index(*hand)], LEAST_OWN * own.max())
        groups = GROUPS[public.street] + 1
        street = Street(tree, _groups(public, held, groups - 1), groups, public.player)
        numbers = place_rows(tree, public.game.players, groups, CHOICES)
        book, boards = self.blueprint.book_after(public.board, self.threads, self.build)
        solve = _Solve(self, public, rules, street, book, np.zeros(numbers), np.zeros(numbers))
        solve.begin(held, combo_index(*hand))
        asked = table_of(public, hand, held, boards)
        with ThreadPoolExecutor(min(self.threads, STREAMS)) as pool:
            if public.street == RIVER and not rules["dead_antes"]:
                walks = solve.run_river(pool, held, combo_index(*hand))
            else:
                walks = solve.run(pool, table_of_ranges(public, held, boards=boards), asked)
            means, covariance, deals = solve.values(pool, asked)
        row = int(tree.row[0]) + (groups - 1) * len(actions)
        total = solve.average[row : row + len(actions)]
        chances = total / total.sum()
        if FOLD not in actions:  # who checks can fold to any bet
            means[0] = max(means[0], 0.0)
        at_stake = public.pot - tree.hands["stack"][1 : len(actions) + 1, public.player] + public.stacks[public.player]
        off = np.where(np.array(actions) == FOLD, 0.0, SOLVE_ERROR[public.street] * at_stake)
        covariance += np.diag(off**2 / 2)  # of one value, so that two differ by as much
        return SearchAnswer(tuple(actions), tuple(chances.tolist()), means, covariance, deals, walks, len(boards))

    def _actions(self, public: PokerState, rules: Any, line: Sequence[int], also: Sequence[int]) -> list[int]:
        """What the blueprint does here, as the table allows it, and what is asked for; a usual raise if none is."""
        found, moves = self.blueprint.find(rules, line), poker_moves(public)
        actions = {CALL, *also} | ({FOLD} if moves.fold else set())
        for action in found.actions if found else ():
            if action > CALL and moves.raises:
                actions.add(action if action in moves else nearest_raise(moves, action))
        raises = sorted(action for action in actions if action > CALL)
        if len(raises) > 1 and raises[-1] not in also and pot_fraction(public, raises[-1]) > MOST_ALL_IN:
            actions.remove(raises[-1])
        if max(actions) <= CALL and moves.raises:
            actions.add(raise_by(public, USUAL_RAISE))
        return sorted(actions)


@dataclass(frozen=True, eq=False)
class _Solve:
    """The numbers of one search."""

    search: MultiwaySearch
    public: PokerState
    rules: Any
    street: Street
    book: Book
    regret: Floats
    average: Floats

    def begin(self, ranges: Sequence[Weights | None], hand: int) -> None:
        """Begin with what the blueprint does."""
        kinds = self.search.blueprint.kinds(self.public.board)
        weights = np.stack([np.zeros(len(COMBOS)) if own is None else own for own in ranges])
        begin_with(
            self.search.blueprint.abstraction.layout.spec, self.rules, self.book, self.street, kinds, weights,
            hand, STEPS, POTS[self.public.street], self.regret, self.average,
        )  # fmt: skip

    def run(self, pool: ThreadPoolExecutor, everyone: UnseenCards, asked: UnseenCards) -> int:
        """Walk until the ends are reached that the time is for; returns the number of walks."""
        search, rules, street = self.search, self.rules, self.street
        spec, book = search.blueprint.abstraction.layout.spec, self.book
        walkers = np.array([seat for seat in self.public.live_seats() if self.public.stacks[seat] > 0], np.int64)
        most = 2 * self.public.game.players * len(street.tree.memory)
        updates = [np.zeros(most + 4000, UPDATE) for _ in range(STREAMS)]
        wanted, begun = self._share(ENDS), inf
        step = ends = walks = 0

        def work(stream: int) -> tuple[int, int, int]:
            s0, s1 = np.random.SeedSequence((search.seed, step, stream)).generate_state(2, np.uint64)
            return learn(
                spec, rules, book, street, self.regret, everyone, asked, walkers, ROUNDS, s0, s1, updates[stream]
            )

        while ends < wanted and (perf_counter() - begun < search.patience * search.seconds):
            step += 1
            parts = list(pool.map(work, range(STREAMS)))
            for stream, (written, reached, done) in enumerate(parts):
                if not done:
                    raise ValueError("hands of these ranges hardly ever go together: widen them")
                add_up(updates[stream], written, float(step), self.regret, self.average)
                ends, walks = ends + reached, walks + done
            begun = min(begun, perf_counter())  # compiling is not taken for thinking
        return walks

    def run_river(self, pool: ThreadPoolExecutor, ranges: Sequence[Weights | None], hand: int) -> int:
        """The same on the river, with all hands of a player in each walk, later walks counting for more (linear CFR:
        Brown & Sandholm 2019)."""
        search, public, street = self.search, self.public, self.street
        ranks = np.zeros(len(COMBOS), np.int64)
        free = ~np.isin(COMBOS, public.board).any(axis=1)
        ranks[free] = evaluate(np.column_stack([COMBOS[free], np.tile(public.board, (int(free.sum()), 1))]))
        held = {seat: ranges[seat] for seat in public.live_seats() if public.stacks[seat] > 0}
        tables = {seat: table_of_ranges(public, ranges, without=seat) for seat in held}
        members = {
            seat: members_of(street.group[seat], own, street.groups, hand if seat == public.player else -1)
            for seat, own in held.items() if own is not None
        }  # fmt: skip
        gain, shown = np.zeros_like(self.regret), np.zeros_like(self.regret)
        begun, step = inf, 0

        def work(seat: int) -> int:
            s0, s1 = np.random.SeedSequence((search.seed, step, seat)).generate_state(2, np.uint64)
            return learn_river(
                self.rules, street, self.regret, tables[seat], ranks, members[seat], seat, RIVER_WALKS, s0, s1, gain,
                shown,
            )  # fmt: skip

        wanted = self._share((0, 0, 0, RIVER_STEPS))
        while step < wanted and perf_counter() - begun < search.patience * search.seconds:
            step += 1
            if min(pool.map(work, held)) < RIVER_WALKS:
                raise ValueError("hands of these ranges hardly ever go together: widen them")
            for numbers, more in ((self.regret, gain), (self.average, shown)):
                more *= step
                numbers += more
                more[:] = 0.0
            begun = min(begun, perf_counter())
        return step * RIVER_WALKS * len(held)

    def values(self, pool: ThreadPoolExecutor, asked: UnseenCards) -> tuple[Floats, Floats, int]:
        """What the actions are worth: means, their covariance, and the number of deals."""
        search, tree = self.search, self.street.tree
        spec, book = search.blueprint.abstraction.layout.spec, self.book
        blocks, seat = max(2, self._share(DEALS) // BLOCK), self.public.player
        spent = float(self.rules["start"][seat] - tree.hands["stack"][0, seat])

        def work(block: int) -> Floats:
            s0, s1 = np.random.SeedSequence((search.seed, 0, STREAMS + block)).generate_state(2, np.uint64)
            out = np.empty((int(tree.children[0]), BLOCK))
            if value_actions(spec, self.rules, book, self.street, self.average, asked, s0, s1, out) < BLOCK:
                raise ValueError("hands of these ranges hardly ever go together: widen them")
            return out

        won = np.concatenate(list(pool.map(work, range(blocks))), axis=1) + spent
        means, scatter = moments(won, np.eye(len(won)))
        deals, boards = won.shape[1], len(asked.boards)
        return means, scatter / (deals - 1) / (min(deals, boards) if boards else deals), deals

    def _share(self, counts: Sequence[int]) -> int:
        """How much of what is counted there is time for: the more players, the longer each takes."""
        seconds = min(max(self.search.seconds, LEAST_SECONDS), MOST_SECONDS)
        return int(counts[self.public.street] * seconds * min(1.0, USUAL_PLAYERS / len(self.public.live_seats())))


def _groups(public: PokerState, ranges: Sequence[Weights | None], groups: int) -> NDArray[np.int64]:
    """``[players, 1326]`` Groups of hands of like strength, about equally much of each seat's range in each."""
    if public.board:
        strength = all_hands_strength(public.board)[:, 1]
    else:
        names = PREFLOP_ORDER.split()
        strength = -np.array([names.index(name) for name in CLASSES])[class_of_combo]
    order = np.argsort(strength, kind="stable")
    found = np.zeros((public.game.players, len(COMBOS)), np.int64)
    for seat in public.live_seats():
        weights = ranges[seat]
        assert weights is not None
        upto = np.cumsum(weights[order]) - weights[order] / 2
        found[seat, order] = np.minimum((upto / max(weights.sum(), 1e-300) * groups).astype(np.int64), groups - 1)
    return found
