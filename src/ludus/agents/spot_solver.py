"""A heads-up hold'em player that solves the last streets while it plays.

Before them both players are taken to follow a fixed policy (`ludus.agents.spot_policy`), which says what hands each of
them comes with. From the start of a street that is solved, the betting of this street and of those to come is
solved with these ranges, the pot and the smaller stack; bets that were made and are not among the sizes are added, so
the hand is always in the tree. The action is drawn from the solution for its own hand.

Nothing is kept from hand to hand except solutions that may be asked for again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import cycle
from typing import Any

import numpy as np

from ludus.agents.drawing import draw
from ludus.agents.spot_policy import after_policy, policy
from ludus.agents.strength import hand_place
from ludus.cards.card import DECK
from ludus.cards.ranges import COMBOS, Weights
from ludus.games.menu import BetRules, Menu, PlayerSizes
from ludus.games.moves import CALL
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import public_decisions
from ludus.games.sizes import MOST_CHIPS, Size, Sizes
from ludus.solvers.beliefs import UNAWARE, RangeStrategy, bayes, possible
from ludus.solvers.running import MOST_ITERATIONS
from ludus.solvers.spot.kernels.compact import Places, normalised, rows_of
from ludus.solvers.spot.kernels.plan import Floats
from ludus.solvers.spot.layout import PLAYERS, STREETS, Layout
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.betting import IP, BettingTree, build_betting_tree
from ludus.trees.spot import Spot
from ludus.trees.subgame import Subgame
from ludus.trees.translation import at_table, poker_moves

CHOICES = {"river": (3,), "turn,river": (2, 3)}
SIZES = {  # bets and raises, of a river; fewer, for the time they take, of a turn and what is after it; of a flop
    "no-limit": (("33%, 75%, a", "75%, a"), ("75%", "100%; a"), ("33%, 75%", "75%")),
    "pot-limit": (("33%, 75%, 100%", "100%"), ("75%", "100%"), ("75%", "100%")),
}
OPENS = ("75%, 125%", "100%", "75%", "a")  # raises before the flop, by how many were made
ALL_IN = Fraction(400)  # percent of the pot: before the river all-in is offered where it is at most this much
MOST_RAISES = 3  # after the bet on a street, where the rules have no cap and no more were made
MOST_BYTES = 2 << 30
USUAL_ITERATIONS = 100
MOST_KEPT = 16

Decisions = Sequence[tuple[PokerState, int]]
Ranges = tuple[Weights, Weights]
"""Of seat 0 and of seat 1, weights ``[1326]``."""


@dataclass(frozen=True, eq=False)
class SolvedStreet:
    """The strategies of the first street of a solved spot."""

    layout: Layout
    average: tuple[Floats, Floats]  # sums of strategies of OOP and of IP

    def at(self, node: int) -> Weights:
        """How every hand plays a decision, ``[1326, actions]``; nothing for hands that the board blocks."""
        tree, player = self.layout.tree, int(self.layout.tree.kind[node])
        hands, actions = self.layout.boards[0].hands[player], len(tree.children(node))
        first = int(Places.of(tree).strategy[node])
        rows = rows_of(self.average[player], self.layout.rows[0][player], hands.start, 0, first, actions)
        played = np.zeros((len(COMBOS), actions))
        played[hands.combo] = normalised(rows).T
        return played


@dataclass(frozen=True, eq=False)
class SpotSolverAgent:
    """Solves the river, or the turn and the river, with this many iterations or for this many seconds a decision.

    With both it stops at the first of them, with neither after 100 iterations. Without a limit in seconds the same
    situation is always played in the same way. ``fallbacks`` counts, by reason, how often a street was played or looked
    at by the policy because it could not be solved.
    """

    iterations: int | None = None
    streets: str = "river"
    seconds: float | None = None
    fallbacks: Counter[str] = field(init=False, repr=False, default_factory=Counter)
    _solutions: dict[Hashable, SolvedStreet] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        if self.iterations is not None and not 1 <= self.iterations <= MOST_ITERATIONS:
            raise ValueError(f"iterations are 1 to {MOST_ITERATIONS:.0e}, got {self.iterations}")
        if self.streets not in CHOICES:
            raise ValueError(f"streets are {' or '.join(map(repr, CHOICES))}, got {self.streets!r}")
        if self.seconds is not None and not self.seconds > 0:
            raise ValueError(f"seconds are above 0, got {self.seconds}")

    def act(self, observation: PokerState, rng: np.random.Generator) -> int:
        """Draw from the solution, or from the policy."""
        return draw(self.strategy(observation), rng.random())

    def strategy(self, observation: PokerState) -> Mapping[int, float]:
        """How it plays the hand it holds."""
        played = self.range_strategy(observation)
        row = played.chances[hand_place(observation.game, observation.hole(observation.player))]
        return {action: chance for action, chance in zip(played.actions, row.tolist(), strict=True) if chance > 0}

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """How it plays every hand."""
        here, ranges = _streets(public)[public.street], self.ranges(public)
        start = here[0][0] if here else public
        found = self._solution(start, [action for _, action in here], ranges)
        if found:
            return _at_the_table(public, found[0], found[1][-1])
        for state, action in here:
            ranges = _changed(ranges, state, after_policy(state, ranges[state.player], action))
        return policy(public, ranges[public.player])

    def check(self, game: PokerGame) -> None:
        """ValueError unless it can play a game."""
        if not _is_heads_up_holdem(game):
            raise ValueError(f"spot-solver plays heads-up hold'em only, not {game.name}")

    def ranges(self, public: PokerState) -> Ranges:
        """The hands that both seats bring to the start of the street, as it sees them."""
        self.check(public.game)
        ranges: Ranges = np.ones(len(COMBOS)), np.ones(len(COMBOS))
        for decisions in _streets(public)[: public.street]:
            if not decisions:
                continue
            ranges = _unblocked(ranges, decisions[0][0])
            found = self._solution(decisions[0][0], [action for _, action in decisions], ranges)
            for at, (state, action) in enumerate(decisions):
                own = ranges[state.player]
                if found:
                    solved, nodes = found
                    taken = solved.layout.tree.children(nodes[at]).index(nodes[at + 1])
                    own = bayes(own, solved.at(nodes[at])[:, taken], UNAWARE)
                else:
                    own = after_policy(state, own, action)
                ranges = _changed(ranges, state, own)
        return _unblocked(ranges, public)

    def _solution(
        self, start: PokerState, actions: Sequence[int], ranges: Ranges
    ) -> tuple[SolvedStreet, list[int]] | None:
        """The street that starts here solved, and the nodes that actions lead along; None where that is not wanted.

        Or not possible: then it is counted.
        """
        if start.street not in CHOICES[self.streets]:
            return None
        try:
            subgame, _, _ = subgame_of(start, actions)
            key = start.game, start.line, start.board, subgame.menu, subgame.rules
            solved = self._solutions.get(key)
            if solved is None:
                oop, ip = ranges[start.player], ranges[1 - start.player]
                if len(self._solutions) >= MOST_KEPT:
                    self._solutions.clear()
                solved = self._solutions[key] = self._solve(Layout.of(Spot(subgame, np.stack([oop, ip]))))
        except ValueError as error:
            self.fallbacks[str(error)] += 1
            return None
        return solved, _follow(solved.layout.tree, actions, subgame.stack)

    def _solve(self, layout: Layout) -> SolvedStreet:
        if layout.memory > MOST_BYTES:
            raise ValueError(f"the solution would take {layout.memory / 2**30:.1f} GiB")
        solver, start = SpotSolver(layout), time.perf_counter()
        if self.seconds is None:
            solver.run(self.iterations or USUAL_ITERATIONS)
        else:
            most = self.iterations or MOST_ITERATIONS
            while solver.iterations < most and time.perf_counter() - start < self.seconds:
                solver.advance(most)
        oop, ip = solver.average()[0]
        return SolvedStreet(layout, (oop, ip))


def subgame_of(start: PokerState, actions: Sequence[int]) -> tuple[Subgame, BettingTree, list[int]]:
    """The subgame from a point of a street on, the tree of this street, and its nodes that actions lead along.

    What was bet at the table and is not among the sizes is added to them. The tree of all streets is for the solver.
    """
    if start.street == 0:
        subgame = _preflop_subgame(start, actions)
        tree = build_betting_tree(subgame, streets=1)
        nodes = _follow(tree, actions, subgame.stack)
        if len(nodes) <= len(actions):
            raise ValueError("the betting at the table cannot be followed in a tree")
        return subgame, tree, nodes
    stack = min(*map(sum, zip(start.stacks, start.bets, strict=True)), MOST_CHIPS)
    added: tuple[tuple[list[str], list[str]], ...] = (([], []), ([], []))  # [player][bets or raises]
    while True:
        subgame = _subgame(start, sum(action > 0 for action in (*start.line[start.street], *actions)), added)
        tree = build_betting_tree(subgame, streets=1)
        nodes = _follow(tree, actions, stack)
        if len(nodes) > len(actions):
            return subgame, tree, nodes
        player, action = int(tree.kind[nodes[-1]]), min(actions[len(nodes) - 1], stack)
        top = max(min(before, stack) for before in (*start.bets, *actions[: len(nodes) - 1]))
        size = f"{action - top}c"
        if player > 1 or size in added[player][top > 0]:
            raise ValueError("the betting at the table cannot be followed in a tree")
        added[player][top > 0].append(size)


def _follow(tree: BettingTree, actions: Sequence[int], stack: int) -> list[int]:
    """The nodes from the root on that actions lead along, as far as the tree has them."""
    nodes = [0]
    for action in actions:
        if (child := _child(tree, nodes[-1], min(action, stack))) is None:
            break
        nodes.append(child)
    return nodes


def _subgame(start: PokerState, raises: int, added: tuple[tuple[list[str], list[str]], ...]) -> Subgame:
    game, street = start.game, start.street
    cap = game.max_raises[street] - 1 if game.max_raises else max(MOST_RAISES, raises - 1)
    sizes: dict[str, Any] = {}
    left = len(game.board_cards) - 1 - street
    for later in range(street, len(game.board_cards)):
        if game.betting == "limit":
            bet = raising = f"{game.raise_sizes[later]}c"
        else:
            bet, raising = SIZES[game.betting][left if later == street else min(left, 1)]
        sizes[STREETS[later + 2]] = {"bet": bet, "raise": raising}
    here = sizes[STREETS[street + 2]]
    for player, name in enumerate(PLAYERS):
        here[name] = {
            kind: ";".join(", ".join([row, *added[player][at]]) for row in here[kind].split(";"))
            for at, kind in enumerate(("bet", "raise"))
        }
    added_all_in = ALL_IN if left > 0 and game.betting == "no-limit" else Fraction(0)
    least = min(game.smallest_raise(street), MOST_CHIPS)
    rules = BetRules(min_bet=least, raise_cap=max(cap, 0), add_all_in=added_all_in)
    put_in, behind = ((min(row[0], MOST_CHIPS), min(row[1], MOST_CHIPS)) for row in (start.bets, start.stacks))
    done = start.line[street]
    return Subgame(
        start.board, start.pot - sum(start.bets), behind, Menu.of_tables(sizes), rules, bets=put_in,
        player=start.player if done else None, raises=sum(action > 0 for action in done),
    )  # fmt: skip


def _preflop_subgame(start: PokerState, actions: Sequence[int]) -> Subgame:
    """What two players can do before the flop, small blind on the button; with the raises that were made."""
    bets, stacks = ((row[0], row[1]) for row in (start.bets, start.stacks))
    most, top, raises = min(map(sum, zip(bets, stacks, strict=True))), max(bets), 0
    rows = [[list(Sizes.parse(sizes).items) for sizes in OPENS] for _ in range(2)]
    for player, action in zip(cycle((start.player, 1 - start.player)), actions, strict=False):
        if action > 0:
            to = min(action, most)
            seen = Size("a") if to == most else Size("c", Fraction(to - top))
            rows[player][min(raises, len(OPENS) - 1)].append(seen)
            top, raises = to, raises + 1
    menu = Menu((tuple(PlayerSizes(tuple(Sizes(tuple(sizes)) for sizes in player)) for player in rows),))
    rules = BetRules(min_bet=min(start.game.smallest_raise(0), MOST_CHIPS), add_all_in=ALL_IN)
    return Subgame((), start.pot - sum(bets), stacks, menu, rules, bets=bets, player=start.player)


def _child(tree: BettingTree, node: int, action: int) -> int | None:
    """The node after an action at the table, None where the tree has no such bet."""
    if tree.kind[node] > IP:
        return None
    numbers = [known.number for known in tree.actions(node)]
    return tree.children(node)[numbers.index(action)] if action in numbers else None


def _at_the_table(public: PokerState, solved: SolvedStreet, node: int) -> RangeStrategy:
    """The strategies of a node as actions that are legal at the table; impossible hands check or call."""
    tree, moves = solved.layout.tree, poker_moves(public)
    taken = [at_table(action, moves) for action in tree.actions(node)]
    actions = tuple(sorted({*taken, CALL}))
    chances = np.zeros((len(COMBOS), len(actions)))
    for action, column in zip(taken, solved.at(node).T, strict=True):
        chances[:, actions.index(action)] += column
    chances[chances.sum(axis=1) == 0, actions.index(CALL)] = 1.0
    return RangeStrategy(actions, chances)


def _streets(public: PokerState) -> list[Decisions]:
    """The decisions of each street so far."""
    found: list[list[tuple[PokerState, int]]] = [[] for _ in public.line]
    for state, action in public_decisions(public):
        found[state.street].append((state, action))
    return [*found]


def _changed(ranges: Ranges, state: PokerState, own: Weights) -> Ranges:
    """Both ranges with that of the player to act replaced."""
    return (own, ranges[1]) if state.player == 0 else (ranges[0], own)


def _unblocked(ranges: Ranges, public: PokerState) -> Ranges:
    return possible(public, ranges[0]), possible(public, ranges[1])


def _is_heads_up_holdem(game: PokerGame) -> bool:
    return game.players == 2 and game.hole_cards == 2 and game.board_cards == (0, 3, 1, 1) and game.deck == DECK
