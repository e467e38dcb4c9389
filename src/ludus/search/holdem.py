"""Look-aheads of heads-up no-limit hold'em.

Before the flop and on the flop a look-ahead goes to the end of the street, where leaf values stand for the rest. On the
turn and the river it goes to the end of the hand, which is solved exactly; the turn may end with its street, too, where
time is short. It begins at the opponent's last action, which is always in its tree, whatever its size.

The decision that a look-ahead is made for (of both players, on the river) has more sizes than the later ones, whose
all-ins are at most a few pots: an opponent who bets far more is answered when they do, by the next look-ahead.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ludus.cards.ranges import COMBOS, blocked
from ludus.games.holdem import is_holdem
from ludus.games.menu import BetRules, Menu, PlayerSizes
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import public_decisions
from ludus.games.sizes import MOST_CHIPS, Size, Sizes
from ludus.search.holdem_look_ahead import Begun, HoldemLookAhead
from ludus.search.resolver import Floats, Kept
from ludus.solvers.leaf_values import LeafValues
from ludus.solvers.spot.gadget import Gadget
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.spot import Spot
from ludus.trees.subgame import Subgame
from ludus.trees.translation import pot_fraction

ENDS = ("preflop-end", "flop-end", "turn-end")  # by street: the stage of leaf values at the end of its betting
BEGINNINGS = ("", "flop", "turn", "river")  # by street: the stage at its beginning, after the card
FIRST = Sizes.parse("50%, 100%, 200%, a")
LATER = Menu(((PlayerSizes((Sizes.parse("100%, a"),)),),))
RAISES = (2, 1, 1, 1)  # by street: how many may follow the first decision's one; all-in comes on top
FARTHEST = Fraction(400)  # percent of the pot: the largest all-in of a later decision
COMMITTED = Fraction(15)  # percent of the pot: whoever would have less behind puts in all
ABOUT = 1.5  # sizes of the pot that differ by less are about the same
LEAST_WEIGHT = 1e-6  # of the commonest hand, so that every hand is thought about
LEAST_ITERATIONS, MOST_ITERATIONS = 10, 100_000
DEEPEST = MOST_CHIPS // 2  # so that the pot of two stacks is not too large
TURN, RIVER = 2, 3


@dataclass(frozen=True)
class Effort:
    """How much a look-ahead is solved: iterations by street, or as many as fit into some seconds."""

    iterations: tuple[int, int, int, int] = (400, 240, 110, 800)
    seconds: float = 0.0  # a decision; 0: by iterations
    workers: int = 2  # threads that solve a turn
    capped: bool = False  # whether the iterations end it even if there are seconds left

    def __post_init__(self) -> None:
        if len(self.iterations) != 4 or not all(1 <= each <= MOST_ITERATIONS for each in self.iterations):
            raise ValueError(f"four streets have 1 to {MOST_ITERATIONS:,} iterations each, got {self.iterations}")
        if not 0 <= self.seconds < float("inf"):
            raise ValueError(f"a decision takes a number of seconds above 0, or 0 for no limit, got {self.seconds}")
        if not 1 <= self.workers <= 64:
            raise ValueError(f"a turn is solved by 1 to 64 threads, got {self.workers}")

    def times(self, factor: float) -> Effort:
        """That many times the iterations."""
        first, second, third, fourth = (max(1, round(factor * each)) for each in self.iterations)
        return replace(self, iterations=(first, second, third, fourth))

    def run(self, solver: SpotSolver, street: int, started: float) -> None:
        """Solve a look-ahead that was begun at a time of the clock."""
        if not self.seconds:
            solver.run(self.iterations[street])
            return
        most = self.iterations[street] if self.capped else MOST_ITERATIONS
        solver.run(min(LEAST_ITERATIONS, most))
        while time.perf_counter() - started < self.seconds and solver.iterations < most:
            solver.run(min(max(1, solver.iterations // 10), most - solver.iterations))


@dataclass(frozen=True, eq=False)
class HoldemSearch:
    """The searcher of hold'em.

    ``values`` are leaf values by stage: of the ends of streets that are cut off, and of the beginnings after them.
    ``turn`` is "exact" or "network". ``bets`` are the sizes of all decisions but the one that is thought about.
    ``estimate`` is the weight of the range that the last look-ahead gives the opponent, who cannot leave with it; the
    rest is any hand, which may.
    """

    values: Mapping[str, LeafValues]
    effort: Effort = Effort()
    turn: str = "exact"
    bets: Menu = LATER
    estimate: float = 0.5

    def __post_init__(self) -> None:
        if self.turn not in ("exact", "network"):
            raise ValueError(f"a turn is solved 'exact' or by 'network', got {self.turn!r}")
        if not 0 <= self.estimate <= 1:
            raise ValueError(f"the weight of the estimated range is 0 to 1, got {self.estimate}")
        for street in range(self._exact_from):
            for stage in (ENDS[street], BEGINNINGS[street + 1]):
                if stage not in self.values:
                    raise ValueError(
                        f"look-aheads that end before the hand need leaf values of the stage {stage!r}: "
                        "give a folder that has its network"
                    )

    @property
    def _exact_from(self) -> int:
        """The first street that is solved to the end of the hand."""
        return TURN if self.turn == "exact" else RIVER

    def check(self, game: PokerGame) -> None:
        """ValueError unless it can play a game."""
        buttons = game.blinds[0] > game.blinds[-1] and game.first_seats in ((), (1, 0, 0, 0))
        if game.players != 2 or not is_holdem(game) or game.betting != "no-limit" or game.max_raises or not buttons:
            raise ValueError(
                f"it looks ahead in heads-up no-limit hold'em, small blind on the button, not in {game.name}"
            )
        if min(game.stacks) > DEEPEST:
            raise ValueError(f"it looks ahead with stacks of up to {DEEPEST:,} chips, got {min(game.stacks):,}")

    def solve(self, public: PokerState, player: int, kept: Kept | None) -> HoldemLookAhead:
        """A look-ahead from a public state on, behind the gadget unless it is the beginning of a hand."""
        started, street = time.perf_counter(), public.street
        begun = self.prepared(public, player, kept)
        cut = street < self._exact_from
        values = self.values[ENDS[street]] if cut else None
        layout, workers = Layout.of(begun.spot), self.effort.workers
        solver = SpotSolver(layout, workers=workers, leaf_values=values, gadget=begun.gadget)
        self.effort.run(solver, street, started)
        return HoldemLookAhead.of(solver, begun, player, self.values[BEGINNINGS[street + 1]] if cut else None)

    def prepared(self, public: PokerState, player: int, kept: Kept | None) -> Begun:
        """Where a look-ahead begins, with both ranges and, unless a hand begins there, the opponent's constraints."""
        begins, action = public, None
        if public.line[-1] and public.player == player:
            begins, action = list(public_decisions(public))[-1]
        possible, opponent = blocked(np.ones(len(COMBOS)), public.board), 1 - player
        ranges, gadget = np.stack([possible, possible]), None
        if kept is not None and any(begins.line):
            scale = (kept.own * possible).max()
            ranges[player] = possible * np.maximum(kept.own / scale, LEAST_WEIGHT)
            ranges[opponent], bound = self._prior(kept.estimate, possible)
            gadget = Gadget(opponent, np.asarray(kept.conceded / scale), bound)
        return Begun(begins, action, Spot(self.subgame(begins, action), ranges), gadget)

    def _prior(self, estimate: Floats | None, possible: Floats) -> tuple[Floats, Floats]:
        """The opponent's range in front of the gadget, and the part of each hand that cannot leave."""
        if estimate is None or not (known := estimate * possible).any():
            return possible, np.zeros(len(COMBOS))
        known, rest = self.estimate * known / known.sum(), (1 - self.estimate) * possible / possible.sum()
        mixed = known + rest
        bound = np.divide(known, mixed, out=np.zeros(len(COMBOS)), where=mixed > 0)
        return np.asarray(possible * np.maximum(mixed / mixed.max(), LEAST_WEIGHT)), bound

    def subgame(self, begins: PokerState, action: int | None = None) -> Subgame:
        """What is played from where a look-ahead begins; an action of the opponent's there is in its tree."""
        game, street, bets = begins.game, begins.street, (min(begins.bets[0], DEEPEST), min(begins.bets[1], DEEPEST))
        stacks = min(begins.stacks[0], DEEPEST), min(begins.stacks[1], DEEPEST)
        raises = sum(known > 0 for known in begins.line[-1])
        farthest = FARTHEST if any(size.kind == "a" for sizes in self.bets.lists for size in sizes.items) else 0
        pot, most = begins.pot - sum(begins.bets), min(map(sum, zip(stacks, bets, strict=True)))
        raised = min(action, most) if action is not None and action > 0 else 0
        committed = 0 if raised and 100 * (most - raised) <= COMMITTED * (pot + 2 * raised) else COMMITTED
        rules = BetRules(
            min_bet=game.smallest_raise(street), add_all_in=Fraction(farthest), force_all_in=Fraction(committed)
        )
        seen = Size("a") if raised == most else Size("c", Fraction(raised - max(bets))) if raised else None
        player = begins.player if action is None else 1 - begins.player
        menu = self._menu(street, player, raises, 0 if seen is None else pot_fraction(begins, raised), seen)
        return Subgame(
            begins.board, pot, stacks, menu, rules, bets=bets, player=begins.player, raises=min(raises, 1),
            depth=1 if street < self._exact_from else None,
        )  # fmt: skip

    def _menu(self, street: int, player: int, raises: int, part: float, seen: Size | None) -> Menu:
        """The sizes of a player's look-ahead that begins after so many raises, and with one more that was seen, of that
        part of the pot, if any."""

        def later(street: int, seat: int, raises: int) -> tuple[Size, ...]:
            return tuple(size for size in self.bets.of(street, seat).at(raises).items if size.kind != "a")

        def here(seat: int) -> PlayerSizes:
            first = 0 if seen is None else 1  # the raise of the decision that is thought about
            rows = [later(street, seat, raises + more) for more in range(first + RAISES[street] + 1)]
            rows[first] = FIRST.items if seat == player or street == RIVER else rows[first]
            if seen is not None and seat != player:
                rows[0] = (seen, *(size for size in rows[0] if not _near(size, part)))
            if seen is not None:  # what follows a check instead is short: a bet and a raise
                rows[2:] = [row if more % 2 == (seat == player) else () for more, row in enumerate(rows[2:])]
            return PlayerSizes((*[Sizes()] * min(raises, 1), *map(Sizes, rows), Sizes()))

        def after(street: int, seat: int) -> PlayerSizes:
            return PlayerSizes((Sizes(later(street, seat, 0)), Sizes()))

        before = [(PlayerSizes(),) * 2] * street
        rest = [(after(later, 0), after(later, 1)) for later in range(street + 1, RIVER + 1)]
        return Menu((*before, (here(0), here(1)), *rest))


def _near(size: Size, part: float) -> bool:
    """Whether a percentage of the pot is about the same as a part of it."""
    return size.kind == "%" and 1 / ABOUT < float(size.number) / (100 * part) < ABOUT


def equity_values(leaves: LeafValues) -> Mapping[str, LeafValues]:
    """The same leaf values at every stage."""
    return dict.fromkeys((*ENDS, *BEGINNINGS[1:]), leaves)
