"""Solved play before the flop as a file, and as a strategy that charts and agents can ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import class_of_combo
from ludus.files import check_array, load_arrays, save_arrays
from ludus.games.moves import CALL, FOLD
from ludus.games.names import place_names
from ludus.games.poker import PokerGame, PokerState
from ludus.nets.holdem.classes import COUNT
from ludus.nets.holdem.network import HandNetwork
from ludus.search.preflop import PreflopGain, PreflopSolver
from ludus.solvers.beliefs import RangeStrategist, RangeStrategy
from ludus.trees.preflop import CHIPS, PreflopBetting, PreflopModel, preflop_betting
from ludus.trees.translation import nearest_raise, poker_moves

KIND, FORMAT = "preflop-solution", 2
SHIPPED = Path(__file__).parent / "data"
SEATS, DEPTHS = 6, (20, 30, 50, 70, 100, 200)  # and big blinds of the solutions that are shipped
ABOUT = 1.42  # times as deep or as shallow: stacks that are taken for those of a solution, so that 14 to 284 are known
NEAR = 1.6  # times as much or as little: a raise that is taken for another one
SMALL_BLINDS = (1 / 3, 2 / 3)  # of the big one: taken for a half
WHOLE = 65_535  # of a hand: what is hardly ever done counts, too, where ranges are small


@dataclass(frozen=True, eq=False)
class PreflopSolution:
    """Strategies of all decisions of a model, and how good they are within it."""

    model: PreflopModel
    strategy: NDArray[np.uint16]  # [nodes, 169]: how often the action that leads to a node is taken, in parts of WHOLE
    worth: NDArray[np.float16]  # [nodes, 169]: what that action is worth from then on, in big blinds; folding is 0
    gain: PreflopGain
    iterations: int
    network: str  # the digest of the network that valued the leaves

    @cached_property
    def betting(self) -> PreflopBetting:
        """The tree."""
        return preflop_betting(self.model)

    def check(self, game: PokerGame) -> None:
        """ValueError unless all decisions of a game are among those that were solved, or are taken for them."""
        depths = [stack / game.big_blind / self.model.stack for stack in game.stacks]
        near = max(max(depths), 1 / min(depths)) <= ABOUT
        if game.players > self.model.players or not (near and self.fits(game)):
            raise ValueError(f"this was solved for {self._table}, not for the table that was asked for")

    def fits(self, game: PokerGame) -> bool:
        """Whether a game of any stacks has the positions and blinds of the model, as far as both have them."""
        if min(game.players, self.model.players) == 2:
            same = game.players == self.model.players and min(game.blinds) * 2 == game.big_blind
        else:  # positions count from the button: fewer seats are as many where the first ones have folded
            low, high = SMALL_BLINDS
            same = low <= game.blinds[0] / game.big_blind <= high and game.blinds[1] == game.big_blind
        return same and sum(map(bool, game.blinds)) == 2 and not any(game.antes)

    @property
    def _table(self) -> str:
        return f"{self.model.players} players with {self.model.stack:g} big blinds"

    def describe(self, game: PokerGame | None = None) -> str:
        """What it is and how good, in a sentence; and that a game of other players or stacks is taken for it."""
        most = max(self.gain.gains)
        told = (
            f"solved for {self._table}, {self.iterations:,} iterations; best responses in this model gain "
            f"{100 * self.gain.mean:.3f} % of the blinds on average, {most:.4f} bb a hand at most"
        )
        if game is None or (game.players, *game.stacks) == (self.model.players, *self._stacks(game)):
            return told
        return f"{told}; this table is taken for that one, seats counted from the button"

    def _stacks(self, game: PokerGame) -> list[int]:
        """What all would have in the chips of a game."""
        return [round(self.model.stack * game.big_blind)] * game.players

    def data(self) -> dict[str, Any]:
        """How it was made, as JSON data."""
        return {
            "model": asdict(self.model), "iterations": self.iterations, "network": self.network,
            "gains_bb": dict(zip(place_names(self.model.game), self.gain.gains, strict=True)),
            "values_bb": dict(zip(place_names(self.model.game), self.gain.values, strict=True)),
            "gain_of_pot": self.gain.mean,
        }  # fmt: skip

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """How every hand plays in a state; a raise of another size is taken for the nearest one of the model."""
        node = self._node(public)
        children = self.betting.children(node)
        legal = [self._at_table(public, child) for child in children]
        chances = self.chances(node)[class_of_combo]
        used = list(dict.fromkeys(legal))
        merged = np.stack(
            [chances[:, [at for at, each in enumerate(legal) if each == action]].sum(axis=1) for action in used], 1
        )
        return RangeStrategy(tuple(used), merged)

    def values(self, public: PokerState, hand: int) -> dict[int, float]:
        """What the actions of a class of hands are worth in a state, in chips from now on; folding is 0."""
        found: dict[int, float] = {}
        for child in self.betting.children(self._node(public)):
            action, value = self._at_table(public, child), float(self.worth[child, hand]) * public.game.big_blind
            found[action] = 0.0 if action == FOLD else max(found.get(action, value), value)
        return found

    def _at_table(self, public: PokerState, node: int) -> int:
        """The action that leads to a node in the chips of a table, as its rules allow it."""
        action = int(self.betting.action[node])
        if action <= CALL:
            return action
        moves = poker_moves(public)
        all_in = action >= self.model.stack * CHIPS  # whatever the stack is here
        return nearest_raise(moves, moves.raises[-1] if all_in else round(action * public.game.big_blind / CHIPS))

    def chances(self, node: int) -> NDArray[np.float64]:
        """``[169, actions]`` How the classes play at a decision."""
        weights = self.strategy[self.betting.children(node)].T.astype(np.float64)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def _node(self, public: PokerState) -> int:
        """The node of a state, or the one that it is taken for; ValueError where the model has none."""
        tree, node, line = self.betting, 0, list(public.line[0])
        fewer = self.model.players - public.game.players
        if len(line) < -fewer or any(action != FOLD for action in line[: max(-fewer, 0)]):
            raise ValueError(f"this solution has {self.model.players} seats: those before them are to fold")
        for chips in [FOLD] * fewer + line[max(-fewer, 0) :]:
            action = round(chips * CHIPS / public.game.big_blind) if chips > CALL else chips
            children = [child for child in tree.children(node) if (tree.action[child] > CALL) == (action > CALL)]
            near = sorted(children, key=lambda child: abs(int(tree.action[child]) - action))
            known = int(tree.action[near[0]]) if near else 0
            if not near or not (known == action if action <= CALL else known / NEAR <= action <= known * NEAR):
                raise ValueError(
                    "this solution leaves that betting out: raises are of about its own sizes, there is one caller "
                    "besides the big blind, and re-raises are called by those only who have put in chips before"
                )
            node = near[0]
        seat = public.player if public.player < 2 else public.player + fewer
        if public.street or tree.player[node] != seat:
            raise ValueError("this solution is of play before the flop, with at most three players in")
        return node

    def has(self, public: PokerState) -> bool:
        """Whether the model has a state."""
        try:
            self._node(public)
        except ValueError:
            return False
        return True

    def save(self, path: Path) -> None:
        """Write it; the same solution always gives the same bytes."""
        header = {
            "kind": KIND, "format": FORMAT, "model": asdict(self.model), "iterations": self.iterations,
            "network": self.network, "gain": asdict(self.gain),
        }  # fmt: skip
        save_arrays(path, header, {"strategy": self.strategy, "worth": self.worth})

    @classmethod
    def load(cls, path: Path) -> PreflopSolution:
        """Read one; ValueError when it is damaged."""
        header, arrays = load_arrays(path, KIND, FORMAT)
        try:
            model, gain = PreflopModel(**_tuples(header["model"])), PreflopGain(**_tuples(header["gain"]))
            tables = arrays["strategy"], arrays["worth"]
            found = cls(model, *tables, gain, int(header["iterations"]), str(header["network"]))
            check_array("strategy", found.strategy, "uint16", (len(found.betting), COUNT))
            check_array("worth", found.worth, "float16", (len(found.betting), COUNT))
            if not np.isfinite(found.worth).all():
                raise ValueError("it has values that are no numbers")
            if len(found.gain.gains) != found.model.players:
                raise ValueError("it has gains of other seats than its own")
            for node in found.betting.decisions.tolist():
                if not found.strategy[found.betting.children(node)].any(axis=0).all():
                    raise ValueError(f"decision {node} has hands that do nothing")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is no solution of play before the flop: {error}") from None
        return found


def _tuples(known: dict[str, Any]) -> dict[str, Any]:
    """What was read from JSON, its lists as tuples."""
    return {name: tuple(at) if isinstance(at, list) else at for name, at in known.items()}


def solve_table(
    model: PreflopModel, network: HandNetwork, iterations: int, progress: Callable[[int], None] | None = None
) -> PreflopSolution:
    """Solve a model for so many iterations, and measure what comes out as it will be saved."""
    if iterations < 1:
        raise ValueError(f"a solution takes at least one iteration, got {iterations}")
    solver = PreflopSolver(model, network)
    solver.run(iterations, progress)
    average = solver.average()
    kept = np.round(average * WHOLE).astype(np.uint16)
    for node in solver.betting.decisions.tolist():  # many actions, all rare: the most frequent one is kept
        children = np.array(solver.betting.children(node))
        lost = np.flatnonzero(~kept[children].any(axis=0))
        kept[children[average[children][:, lost].argmax(axis=0)], lost] = 1
    sums = kept.astype(np.float32)
    worth, gain = solver.worth(sums).astype(np.float16), solver.measure(sums)
    return PreflopSolution(model, kept, worth, gain, iterations, network.digest)


@lru_cache(8)
def _loaded(path: Path) -> PreflopSolution:
    return PreflopSolution.load(path)


def shipped_solution(players: int, stack: float) -> PreflopSolution | None:
    """The solution of a table that comes with Ludus, if there is one."""
    path = SHIPPED / f"preflop-{players}-{stack:g}.safetensors"
    return _loaded(path) if path.exists() else None


def nearest_solution(stack: float, players: int = SEATS) -> PreflopSolution | None:
    """The shipped solution whose stacks, in big blinds, are the most like these, if any is taken for them."""
    near = min(DEPTHS, key=lambda depth: abs(log(depth / stack)))
    return shipped_solution(players, near) if max(near / stack, stack / near) <= ABOUT else None


def effective_stack(public: PokerState) -> float | None:
    """What the player to act can win or lose, in big blinds: by those who are in, or else by who is still to act.

    None where those who are in have stacks so unlike that no one depth can stand for them.
    """
    began = [stack + bet for stack, bet in zip(public.stacks, public.bets, strict=True)]
    own, others = began[public.player], [seat for seat in public.live_seats() if seat != public.player]
    acted = [seat for seat in others if public.bets[seat] > public.game.blinds[seat]]
    met = [min(own, began[seat]) for seat in acted or others]
    unlike = acted and max(met) > ABOUT * min(met)
    return None if unlike else max(met) / public.game.big_blind


@dataclass(frozen=True, eq=False)
class SolvedOpening:
    """A strategy whose play before the flop is a solution's, where one is shipped for about such a table.

    Stacks need not be alike: what counts is how much the player to act can lose to those who are in the hand.
    """

    rest: RangeStrategist

    def solution(self, public: PokerState) -> PreflopSolution | None:
        """The one that has a state, if any."""
        stack = None if public.street or public.game.players < 3 else effective_stack(public)
        found = nearest_solution(stack) if stack else None
        return found if found is not None and found.fits(public.game) and found.has(public) else None

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """How every hand plays in a state."""
        return (self.solution(public) or self.rest).range_strategy(public)

    def describe(self, game: PokerGame) -> str:
        """What plays where no solution does."""
        describe = getattr(self.rest, "describe", None)
        return str(describe(game)) if describe else ""
