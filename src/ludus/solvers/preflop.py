"""Heads-up play before the flop, solved over the 169 classes of hands: push or fold, and simple raise trees.

The small blind, who also has the button, acts first: they fold, limp, raise or move all-in, and the big blind
answers. There is no play after the flop: **a called raise that is not all-in, or a checked limp, ends the hand, and the
players share the pot by their all-in equity**. For all-ins that is exact; for the rest it leaves out position, bluffs
and skill, so a raise tree is a sketch of the game and push or fold the game itself.

The 169 classes lose nothing: hands of a class differ by a permutation of the suits, and an equilibrium can treat them
alike. Every two classes meet as often as hands of theirs share no card, with their exact equity. The tree becomes a
`FlatGame` whose situations are the classes, so the CFR family and the exact best response of this package do the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from operator import attrgetter
from typing import cast

import numpy as np

from ludus.cards.preflop import PreflopTable, pair_counts
from ludus.cards.ranges import CLASS_SIZES, CLASSES
from ludus.games.action import Action, Kind
from ludus.games.base import TERMINAL, Game
from ludus.games.menu import BetRules, Menu, PlayerSizes
from ludus.games.sizes import Size, Sizes, parse_number
from ludus.solvers.best_response import Evaluation, Evaluator
from ludus.solvers.capabilities import check_supports
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.passes import Floats
from ludus.solvers.running import Check, Limits, Measuring, on_the_grid, run
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.betting import FOLD, IP, BettingTree, build_betting_tree
from ludus.trees.deals import Deals
from ludus.trees.flat import GROUP, NODE, FlatGame
from ludus.trees.subgame import Subgame

SMALL_BLIND, BIG_BLIND = 0, 1
SEATS = ("SB", "BB")
MOST_STACK = 1000.0
CHIPS = 1_000_000  # in a big blind
MOST_DECISIONS = 500


@dataclass(frozen=True, slots=True)
class PreflopTree:
    """The bets of a hand, in big blinds. Without raises and limps it is pure push or fold."""

    stack: float = 10.0
    """What each player has before blinds and antes."""
    small_blind: float = 0.5
    ante: float = 0.0
    """What each player pays before the deal, on top of a blind; raises are counted without it."""
    raises: tuple[float, ...] = ()
    """What the small blind can open to."""
    reraises: tuple[float, ...] = ()
    """Every later raise, as multiples of the bet that it answers; one that reaches the stack is not offered."""
    limp: bool = False
    """Whether the small blind can just call the big blind."""
    all_in: bool = True
    """Whether everybody can move all-in at every turn."""

    def __post_init__(self) -> None:
        numbers = (self.stack, self.small_blind, self.ante, *self.raises, *self.reraises)
        if not all(isfinite(number) for number in numbers):
            raise ValueError(f"stacks, blinds and bets are finite numbers of big blinds, got {numbers}")
        if not 0 <= self.small_blind <= 1 or self.ante < 0:
            raise ValueError(
                f"the small blind is from 0 to 1 big blind and the ante not negative, got {self.small_blind:g} "
                f"and {self.ante:g}"
            )
        if not self.small_blind + self.ante < self.stack <= MOST_STACK:
            raise ValueError(
                f"a stack is more than the small blind and the ante ({self.small_blind + self.ante:g} big blinds) and "
                f"at most {MOST_STACK:g}, got {self.stack:g}"
            )
        for raises in (self.raises, self.reraises):
            if list(raises) != sorted(set(raises)):
                raise ValueError(f"raises are given once each and from the smallest up, got {raises}")
        if self.raises and not 2 <= self.raises[0] <= self.raises[-1] < self.most:
            raise ValueError(
                f"a raise is to at least 2 big blinds and to less than the all-in ({self.most:g}), got {self.raises}"
            )
        if self.reraises and (self.reraises[0] < 2 or self.allin_only):
            raise ValueError(
                f"re-raises are multiples of at least 2 and need a raise or a limp to answer, got {self.reraises}"
            )
        if self.limp and self.most <= 1:
            raise ValueError(f"to limp takes more than a big blind, and the stack leaves {self.most:g}")
        if self.allin_only and not self.all_in:
            raise ValueError("without all-in, raises and limps the small blind can only fold: offer something")

    @property
    def allin_only(self) -> bool:
        """Whether this is pure push or fold."""
        return not (self.raises or self.limp)

    @property
    def most(self) -> float:
        """The bet that is all-in."""
        return self.stack - self.ante

    @property
    def players(self) -> int:
        """Two: all that a `FlatGame` asks of its game."""
        return 2


@dataclass(frozen=True, eq=False)
class Decision:
    """One point of the betting: what each class does there."""

    player: int  # SMALL_BLIND or BIG_BLIND
    path: tuple[str, ...]  # what was done before
    actions: tuple[Action, ...]  # amounts in millionths of a big blind
    names: tuple[str, ...]  # fold, check, call, limp, raise 2.5, all-in
    strategy: Floats  # [169, actions]
    reach: Floats  # [169]: how probably the player comes here with a class
    probability: float  # how often it comes up

    @property
    def name(self) -> str:
        """Who decides after what: 'SB', 'BB after all-in', 'SB after limp, raise 3'."""
        return SEATS[self.player] + (f" after {', '.join(self.path)}" if self.path else "")

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of the actions."""
        return tuple(action.kind for action in self.actions)

    @property
    def frequencies(self) -> Floats:
        """``[actions]``: the shares of the hands that come here, counted by combinations; nan when none does."""
        held = CLASS_SIZES * self.reach
        total = held.sum()
        return (held @ self.strategy) / total if total > 0 else np.full(len(self.actions), np.nan)


@dataclass(frozen=True, eq=False)
class PreflopSolution:
    """An equilibrium up to its exploitability, in big blinds a hand."""

    tree: PreflopTree
    algorithm: str
    decisions: tuple[Decision, ...]  # those before a decision come before it
    evaluation: Evaluation
    iterations: int
    seconds: float

    @property
    def value(self) -> float:
        """What the small blind wins on average."""
        return self.evaluation.value[SMALL_BLIND]

    @property
    def exploitability(self) -> float:
        """What the two players could gain by leaving the strategy, divided by two."""
        return self.evaluation.exploitability

    def at(self, *path: str) -> Decision:
        """The decision after some actions; ValueError when there is none."""
        for decision in self.decisions:
            if decision.path == path:
                return decision
        there = "; ".join(", ".join(decision.path) or "(nothing)" for decision in self.decisions)
        raise ValueError(f"nobody decides after {', '.join(path) or 'nothing'}; there are decisions after: {there}")


def solve_preflop(
    tree: PreflopTree,
    table: PreflopTable,
    *,
    target: float = 1e-6,
    iterations: int = 100_000,
    algorithm: str = "dcfr+",
    progress: Callable[[Check[Evaluation]], object] | None = None,
) -> PreflopSolution:
    """Solve a tree down to a target exploitability in big blinds, with at most so many iterations.

    ``algorithm`` is one of `schedules.ALGORITHMS` that needs no plan of all iterations beforehand.
    """
    limits = Limits(iterations, target)
    check_supports("preflop", algorithm)
    betting = grow(tree)
    flat = flatten_tree(tree, table, betting)
    solver = ExactSolver(flat, ALGORITHMS[algorithm])
    judge = Evaluator(flat, solver.plan)
    solver.warm_up()
    judge.evaluate(solver.average())  # compiled before the clock starts
    measuring = Measuring(lambda: judge.evaluate(solver.average()), attrgetter("exploitability"), on_the_grid)
    ended = run(solver, limits, measuring, progress=progress)
    if ended.stopped_by == "interrupt" or ended.last.measured is None:  # seconds of work: nothing to keep
        raise KeyboardInterrupt
    decisions = _decisions(tree, flat, betting, solver.average())
    return PreflopSolution(tree, algorithm, decisions, ended.last.measured, solver.iterations, ended.last.seconds)


# The tree of bets


def subgame_of(tree: PreflopTree) -> Subgame:
    """The betting as a subgame of one street, in parts of a big blind: the big blind is out of position."""
    most = _chips(tree.stack) - _chips(tree.ante)
    small, big = _chips(tree.small_blind), min(CHIPS, most)
    all_in = [Size("a")] * tree.all_in
    opens = Sizes((*(Size("c", Fraction(_chips(size) - big)) for size in tree.raises), *all_in))
    times = (parse_number("a re-raise", multiple) for multiple in tree.reraises if multiple <= MOST_STACK)
    later = Sizes((*(Size("x", multiple) for multiple in times), *all_in))
    menu = Menu(((PlayerSizes((later,)), PlayerSizes((opens, later))),), "drop")
    rules = BetRules(min_bet=CHIPS, limp=tree.limp)
    return Subgame(
        (), 2 * _chips(tree.ante), (most - big, most - small), menu, rules, bets=(big, small), depth=1
    )  # fmt: skip


def _chips(blinds: float) -> int:
    return round(blinds * CHIPS)


def grow(tree: PreflopTree) -> BettingTree:
    """The betting, with the children of each decision side by side, as a `FlatGame` wants them."""
    subgame = subgame_of(tree)
    width = 3 + max(len(sizes.items) for sizes in subgame.menu.lists)
    try:
        betting = build_betting_tree(subgame, most=MOST_DECISIONS * width).breadth_first()
    except ValueError:
        betting = None
    if betting is None or betting.decisions > MOST_DECISIONS:
        raise ValueError(f"these bets make more than {MOST_DECISIONS} decisions: offer fewer or larger raises")
    return betting


def seat_at(betting: BettingTree, node: int) -> int:
    """Who decides at a node: SMALL_BLIND or BIG_BLIND."""
    return SMALL_BLIND if betting.kind[node] == IP else BIG_BLIND


def action_name(tree: PreflopTree, betting: BettingTree, node: int) -> str:
    """The action that leads to a node: fold, check, call, limp, raise 2.5, all-in."""
    action, parent = betting.action(node), int(betting.parent[node])
    if betting.paid[node, betting.player[parent]] == _chips(tree.stack) - _chips(tree.ante) and (
        action.kind == Kind.RAISE or (action.kind == Kind.CALL and not parent)
    ):
        return "all-in"
    if action.kind == Kind.RAISE:
        return f"raise {action.amount / CHIPS:g}"
    return "limp" if not parent and action.kind != Kind.FOLD else action.phrase().verb


def path_to(tree: PreflopTree, betting: BettingTree, node: int) -> tuple[str, ...]:
    """The actions that lead to a node."""
    names = []
    while node:
        names.append(action_name(tree, betting, node))
        node = int(betting.parent[node])
    return tuple(reversed(names))


def flatten_tree(tree: PreflopTree, table: PreflopTable, betting: BettingTree) -> FlatGame:
    """A grown tree as the arrays that the solvers work on: one situation a class, one group a decision."""
    nodes = np.zeros(len(betting), NODE)
    groups: list[tuple[int, int, int, int, int]] = []
    payoffs: list[list[tuple[float, float]]] = []
    decided = np.flatnonzero(betting.player >= 0).tolist()
    start = 0
    for at in range(len(betting)):
        if betting.player[at] < 0:
            nodes[at] = (TERMINAL, 0, 0, -1, 0, 0, len(payoffs), 1.0)
            payoffs.append(_payoffs(tree, betting, at))
            continue
        children, player = betting.children(at), seat_at(betting, at)
        nodes[at] = (player, len(children), children[0], len(groups), start, 0, -1, 1.0)
        groups.append((start, player, len(children), len(CLASSES), at))
        start += len(children) * len(CLASSES)
    names = tuple(tuple(action_name(tree, betting, child) for child in betting.children(at)) for at in decided)
    return FlatGame(
        game=cast(Game, tree),  # which is never played, only counted by its players
        public=True,
        nodes=nodes,
        groups=np.array(groups, GROUP),
        payoffs=np.array(payoffs),
        deals=_deals(table),
        group_names=tuple(", ".join(path_to(tree, betting, at)) for at in decided),
        group_streets=(0,) * len(decided),
        group_actions=tuple(tuple(range(len(each))) for each in names),
        group_labels=names,
    )


def _payoffs(tree: PreflopTree, betting: BettingTree, leaf: int) -> list[tuple[float, float]]:
    """What both win when the small blind's hand is better, worse and as good."""
    stake = (_chips(tree.ante) + int(betting.paid[leaf].min())) / CHIPS  # what exceeds the other's bet goes back
    if betting.kind[leaf] != FOLD:
        return [(stake, -stake), (-stake, stake), (0.0, 0.0)]
    lost = stake if seat_at(betting, int(betting.parent[leaf])) == SMALL_BLIND else -stake
    return [(-lost, lost)] * 3


def _deals(table: PreflopTable) -> Deals:
    """How probably two classes meet and win, as if each class were a hand."""
    meet = pair_counts() / pair_counts().sum()
    equity = table.equity.astype(np.float64)
    wins = meet * (equity - equity.T)  # exactly as much won as lost, whatever was rounded in the table
    return Deals(
        hands=CLASSES,
        boards=(((),),),
        before=(np.zeros(1, np.int64),),
        situation=np.zeros((0, 2, 1), np.int32),
        outcome=np.zeros(0, np.int8),
        meet=(meet[None],),
        wins=wins[None],
        ties=(meet * table.tie)[None],
    )


def _decisions(tree: PreflopTree, flat: FlatGame, betting: BettingTree, table: Floats) -> tuple[Decision, ...]:
    """The strategy (by_action) by decision, with each player's own reach."""
    reach = {0: np.ones((2, len(CLASSES)))}
    (meet,) = flat.deals.meet[0]
    decisions = []
    for at in np.flatnonzero(betting.player >= 0).tolist():
        start, children, player = int(flat.nodes["start"][at]), betting.children(at), seat_at(betting, at)
        strategy = table[start : start + len(children) * len(CLASSES)].reshape(len(children), -1).T.copy()
        own, often = reach[at][player].copy(), float(reach[at][0] @ meet @ reach[at][1])
        names = tuple(action_name(tree, betting, child) for child in children)
        decisions.append(
            Decision(player, path_to(tree, betting, at), betting.actions(at), names, strategy, own, often)
        )  # fmt: skip
        for action, child in enumerate(children):
            reach[child] = reach[at].copy()
            reach[child][player] *= strategy[:, action]
    return tuple(decisions)
