"""Look-aheads of games that are small enough to be flattened: Kuhn poker, Leduc, tiny hold'em.

A look-ahead goes to the end of the street and the cards after it, where leaf values stand for the rest, or to the end
of the hand where there are none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ludus.games.menu import Menu
from ludus.games.moves import CALL
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import hole_hands, with_menu
from ludus.search.resolver import Floats, Kept
from ludus.solvers.beliefs import RangeStrategy
from ludus.solvers.best_response import Evaluator
from ludus.solvers.cfr import ExactSolver, with_averaging
from ludus.solvers.depth.gadget import constrain
from ludus.solvers.leaf_values import LeafValues
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.flat import FlatGame, flatten
from ludus.trees.translation import pot_fraction

FLUSH = 5  # cards
MOST_ITERATIONS = 1_000_000
TREMBLE = 1e-6  # how often an action is taken that is never played, so that there is a range after it


@dataclass(frozen=True)
class Effort:
    """How much a look-ahead is solved: CFR+, its first iterations left out of the average (Moravcik et al. 2017)."""

    iterations: int = 1000
    skipped: int = 500

    def __post_init__(self) -> None:
        if not 1 <= self.iterations <= MOST_ITERATIONS:
            raise ValueError(f"a look-ahead has 1 to {MOST_ITERATIONS:,} iterations, got {self.iterations}")
        if not 0 <= self.skipped < self.iterations:
            raise ValueError(
                f"a look-ahead leaves out fewer iterations than it has, got {self.skipped} of {self.iterations}"
            )


@dataclass(frozen=True)
class SmallGames:
    """The searcher of small games; ``leaf_values`` of a game may be None: then look-aheads go to the end of the hand.

    ``bets`` is the menu of the look-ahead; a game with fixed bets keeps its own.
    """

    leaf_values: Callable[[PokerGame], LeafValues | None]
    effort: Effort = Effort()
    bets: Menu | None = None

    def solve(self, public: PokerState, player: int, kept: Kept | None) -> FlatLookAhead:
        """A look-ahead from a public state on, behind the gadget unless it is the beginning of a hand."""
        game = self.tree(public.game)
        values = self.leaf_values(game)
        flat = flatten(game, root=with_menu(public, game), streets=None if values is None else 1, dealt=True)
        ranges = None
        if kept is not None:
            scale = kept.own.max()
            flat, ranges = constrain(flat, 1 - player, kept.conceded / scale, kept.own / scale)
        if not flat.frontier:
            values = None
        how = with_averaging(ALGORITHMS["cfr+"], "uniform")
        solver = ExactSolver(flat, how, averaging_from=self.effort.skipped + 1, ranges=ranges, leaf_values=values)
        solver.run(self.effort.iterations)
        return FlatLookAhead(solver, game, public.game)

    def tree(self, game: PokerGame) -> PokerGame:
        """The game that look-aheads play."""
        return look_ahead_game(game, self.bets)


def look_ahead_game(game: PokerGame, bets: Menu | None) -> PokerGame:
    """A game with the bets of a look-ahead, unless they are fixed, and without suits where no flush can come."""
    seen = game.show_suits and game.hole_cards + sum(game.board_cards) >= FLUSH
    offered = game.bets if bets is None or game.betting == "limit" else bets
    return replace(game, bets=offered, show_suits=seen)


def taken_for(state: PokerState, action: int) -> int:
    """The action of a look-ahead that stands for one at the table: a size that it lacks is its nearest.

    All-in stands for nothing less as long as there is another size, for it would end the hand.
    """
    raises = [each for each in state.legal_actions() if each > CALL]
    if action <= CALL or action in raises:
        return action
    if not raises:
        return CALL
    size = pot_fraction(state, action)
    return min(raises[:-1] or raises, key=lambda each: abs(pot_fraction(state, each) - size))


class FlatLookAhead:
    """A flattened look-ahead that has been solved."""

    def __init__(self, solver: ExactSolver, tree: PokerGame, table: PokerGame) -> None:
        flat = self._flat = solver.flat
        self._table, self._tree, played = table, tree, solver.average()
        leaves = solver.leaf_averages() if flat.frontier else None
        self._judge = Evaluator(flat, solver.plan, leaf_values=leaves)
        self._chances = _root_chances(flat, played)
        self._played = _trembling(flat, played)
        p = solver.plan
        self.numbers = int(flat.deals.situation.size + p.tables.size + p.values + p.reaches + 3 * flat.entries)

    def range_strategy(self) -> RangeStrategy:
        """How each hand of the player to act at its root plays there."""
        flat, actions = self._flat, self._actions
        classes = {name: at for at, name in enumerate(flat.deals.hands)}
        rows = [classes[self._tree.name_cards(hand)] for hand in hole_hands(self._table)]
        return RangeStrategy(actions, self._chances[rows])

    @property
    def _actions(self) -> tuple[int, ...]:
        return self._flat.group_actions[self._flat.nodes["group"][self._flat.begin]]

    def kept(self, state: PokerState, player: int) -> Kept:
        """A player's range at a state of the look-ahead, and what their average play concedes there."""
        node, here = self._flat.find(with_menu(state, self._tree))
        own = self._judge.reach(self._played, player, node)[here]
        conceded = self._judge.values(self._played, 1 - player, node, best=True)[here]
        return Kept(own, conceded)

    def kept_after(self, state: PokerState, boards: Sequence[tuple[int, ...]], player: int) -> list[Kept]:
        """The same on each board that a street is followed by."""
        return [self.kept(state.deal([*state.cards, *board[len(state.board) :]]), player) for board in boards]

    def step(self, state: PokerState, action: int) -> PokerState:
        """The state after an action as this look-ahead has it."""
        state = with_menu(state, self._tree)
        return state.apply(taken_for(state, action))


def _root_chances(flat: FlatGame, played: Floats) -> Floats:
    """[hands, actions] of a table by_action at the root of a look-ahead, which has one board."""
    node = flat.nodes[flat.begin]
    count, hands = int(node["count"]), len(flat.deals.hands)
    return played[node["start"] : node["start"] + count * hands].reshape(count, hands).T.copy()


def _trembling(flat: FlatGame, played: Floats) -> Floats:
    """The same play, but with every action taken now and then."""
    counts = np.repeat(flat.groups["actions"], flat.groups["actions"] * flat.groups["situations"])
    return (1 - TREMBLE) * played + TREMBLE / counts
