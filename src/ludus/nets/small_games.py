"""Value networks of small games: what is asked at the beginning of the last street, and situations to learn it from.

A hand is a class of cards that information states do not tell apart, so two hands count as often as chance deals both.
Networks learn values in which the commonest pair of hands on a board counts 1.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ludus.games.definition import first_difference, rules_besides_bets
from ludus.games.moves import CALL
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import with_menu
from ludus.nets.examples import Examples
from ludus.nets.network import Floats, ValueNetwork
from ludus.nets.ranges import random_range
from ludus.parallel import HERE, Engine, Progress, Work, in_blocks, usable_cores
from ludus.solvers.best_response import Evaluator
from ludus.solvers.cfr import ExactSolver
from ludus.solvers.depth.frontier import FlatLeaves
from ludus.solvers.depth.solved_leaves import Rest, SolvedLeaves
from ludus.solvers.leaf_values import Evaluate, Leaves
from ludus.solvers.schedules import ALGORITHMS
from ludus.trees.deals import Deals, deal_all
from ludus.trees.flat import flatten

BLOCK = 500  # situations of one stream of random numbers
PARTS = 4  # of an ante: what players put in before the last street is a multiple of that
SOLVES = SolvedLeaves(500, "dcfr")
PLAYED = 0.8  # the share of situations with ranges from play, the others' are random
PHASES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024)  # iterations of learning players
NOISE = (0.0, 0.2, 0.5, 1.0)  # by how much a range from play is changed: a factor e to the power of a normal number
LEAST = 1e-3  # what is left of a hand that is never played so


@dataclass(frozen=True)
class Stage:
    """The beginning of the last street of a small game, as networks see it."""

    game: PokerGame

    def __post_init__(self) -> None:
        if self.game.players != 2 or len(self.game.board_cards) != 2 or not self.game.board_cards[1]:
            raise ValueError(f"value networks are for games of two players and two streets, not for {self.game.name}")

    @property
    def name(self) -> str:
        """What a network's file says of where it is asked."""
        return f"beginning of street {len(self.game.board_cards)}"

    @cached_property
    def deals(self) -> Deals:
        """All deals of the game."""
        return deal_all(self.game)

    @cached_property
    def meet(self) -> Floats:
        """[boards, hands, hands] How often pairs of hands are dealt on a board, the commonest counting 1."""
        meet = self.deals.meet[-1]
        return np.asarray(meet / meet.max(axis=(1, 2), keepdims=True))

    @cached_property
    def possible(self) -> Floats:
        """[boards, hands] 1 for hands that a board allows."""
        return np.asarray(self.meet.sum(axis=2) > 0, np.float64)

    @property
    def numbers(self) -> int:
        """How many numbers tell a network about the public state."""
        return len(self.meet) + 1

    def public(self, board: NDArray[np.int64], pots: NDArray[np.int64]) -> Floats:
        """[n, numbers] Which board it is, and the pot as a part of the largest that there can be."""
        return np.concatenate([np.eye(len(self.meet))[board], (pots / self._largest)[:, None]], axis=1)

    def unbet(self, board: NDArray[np.int64], ranges: Floats) -> Floats:
        """[n, 2, hands] What hands win if nobody bets any more, in pots."""
        return np.asarray(np.einsum("nho,npo->nph", self._wins[board], ranges[:, ::-1]) / 2)

    @cached_property
    def _wins(self) -> Floats:
        return np.asarray(self.deals.wins / self.deals.meet[-1].max(axis=(1, 2), keepdims=True))

    @cached_property
    def _largest(self) -> int:
        return max(state.pot for state in self.ends) if self.game.betting == "limit" else 2 * min(self.game.stacks)

    @cached_property
    def ends(self) -> list[PokerState]:
        """Public states at the end of the first street, one for each pot that the game's own bets lead to."""
        states = {state.pot: state for state in flatten(self.game, streets=1).frontier if min(state.stacks) > 0}
        return list(states.values())

    @cached_property
    def other_ends(self) -> list[PokerState]:
        """The same for pots that bets of other sizes lead to."""
        if self.game.betting == "limit":
            return self.ends
        first = replace(self.game, bets=None).start().deal(self.game.deck).seen_by(-1)
        step = max(1, min(self.game.blinds) // PARTS)
        bets = [bet for bet in first.legal_actions() if bet > CALL and bet % step == 0 and bet < min(self.game.stacks)]
        return [with_menu(first.apply(bet).apply(CALL), self.game) for bet in bets]

    @cached_property
    def played(self) -> Floats:
        """[strategies, lines, players, hands] Ranges at the end of the first street of players who learn by CFR+.

        Both what they play in an iteration and what they have played on average, early and late.
        """
        flat, found = flatten(self.game), []
        solver, judge = ExactSolver(flat, ALGORITHMS["cfr+"]), Evaluator(flat)
        nodes = [flat.find(state)[0] for state in flatten(self.game, streets=1).frontier if min(state.stacks) > 0]
        for phase in PHASES:
            solver.run(phase - solver.iterations)
            for table in (solver.strategy, solver.average()):
                found.append([[judge.reach(table, player, node) for player in range(2)] for node in nodes])
        return np.array(found)

    def prepare(self) -> None:
        """Work out what threads share before they start."""
        if not self.ends or not self.other_ends or not len(self.played):
            raise ValueError(f"nobody has chips left on the second street of {self.game.name} with these stacks")

    def states(self, ends: list[PokerState]) -> list[tuple[int, PokerState]]:
        """Each board, by its number, after each of these ends."""
        cards = self.deals.cards[-1]
        return [(at, end.deal([*end.cards, *cards[at].tolist()])) for end in ends for at in range(len(cards))]


@dataclass(frozen=True, eq=False)
class NetworkLeaves:
    """Leaf values of a small game by a network; ValueError when it is one of another game."""

    network: ValueNetwork
    stage: Stage

    def __post_init__(self) -> None:
        if found := first_difference(self.network.rules, rules_besides_bets(self.stage.game)):
            raise ValueError(f"this value network is for another game: {found}")
        wanted = len(self.stage.deals.hands), self.stage.numbers
        shape = self.network.shape
        if self.network.stage != self.stage.name or (shape.hands, shape.public) != wanted:
            raise ValueError(f"this value network is for the {self.network.stage}, not the {self.stage.name}")

    @classmethod
    def load(cls, path: Path, game: PokerGame) -> NetworkLeaves:
        """From a file, for a game."""
        return cls(ValueNetwork.load(path), Stage(game))

    def bind(self, leaves: Leaves) -> Evaluate:
        """Prepare for the leaves of a flat game that ends right after the last cards."""
        stage = self.stage
        if not isinstance(leaves, FlatLeaves) or leaves.boards.shape[1] != sum(stage.game.board_cards):
            raise ValueError("this network values the leaves of a small game, after the last cards of the board")
        whole = stage.deals.boards[-1]
        board = np.array([whole.index(leaves.flat.deals.boards[-1][at]) for at in leaves.board], np.int64)
        public, possible = stage.public(board, leaves.pots), stage.possible[board][:, None]
        chance = leaves.meet.max(axis=(1, 2))
        scale = (leaves.pots * chance)[:, None, None]
        even = possible / possible.sum(axis=2, keepdims=True)

        def evaluate(reach: Floats) -> Floats:
            reach = reach * possible
            mass = reach.sum(axis=2, keepdims=True)
            ranges = np.where(mass > 0, reach / np.where(mass > 0, mass, 1.0), even)
            return np.asarray(
                self.network.values(public, ranges, stage.unbet(board, ranges)) * possible * scale * mass[:, ::-1]
            )

        return evaluate


def make_examples(
    stage: Stage, count: int, seed: int, first: int = 0, progress: Progress | None = None, engine: Engine = HERE
) -> Examples:
    """Random situations at the beginning of the last street, each solved to its end; whole blocks, after the ``first``.

    Half of them have pots that the game's own bets lead to, half any others; most have ranges from play. The same seed
    gives the same situations on any number of cores: a block of them has random numbers of its own.
    """
    if count < 1 or first % BLOCK:
        raise ValueError(f"situations are made in blocks of {BLOCK}, got {count} after {first}")
    numbers = range(first // BLOCK, -(-(first + count) // BLOCK))
    if engine is HERE:
        stage.prepare()
        return Examples.joined(in_blocks(partial(make_block, stage, seed), numbers, usable_cores(), progress))
    work = Work("ludus.nets.small_games:make_block", (stage.game,), "ludus.nets.small_games:prepared", seed)
    parts: list[Examples] = []
    with closing(engine.run(work, ((seed, number) for number in numbers))) as made:
        for part in made:
            parts.append(part)
            if progress is not None:
                progress(len(parts), len(numbers))
    return Examples.joined(parts)


def prepared(game: PokerGame) -> Stage:
    """What a worker makes examples with."""
    stage = Stage(game)
    stage.prepare()
    return stage


def make_block(stage: Stage, seed: int, number: int) -> Examples:
    """A block of situations, solved; it has random numbers of its own."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    hands = len(stage.deals.hands)
    kinds = [stage.states(ends) for ends in (stage.ends, stage.other_ends)]
    rests: dict[tuple[int, int], Rest] = {}
    orders = [_by_strength(stage, board) for board in range(len(stage.meet))]
    boards, pots = np.zeros(BLOCK, np.int64), np.zeros(BLOCK, np.int64)
    ranges, values = np.zeros((BLOCK, 2, hands)), np.zeros((BLOCK, 2, hands))
    for at in range(BLOCK):
        kind = at % len(kinds)
        which = int(rng.integers(len(kinds[kind])))
        board, state = kinds[kind][which]
        if rng.random() < PLAYED:
            ranges[at] = _played_ranges(stage, board, rng)
        else:
            ranges[at] = [random_range(orders[board], hands, rng) for _ in range(2)]
        rest = rests.get((kind, which))
        if rest is None:
            rest = rests[kind, which] = Rest(state, stage.deals.meet[-1][board], SOLVES)
        values[at] = rest.values(ranges[at], forget=True) / (state.pot * stage.deals.meet[-1][board].max())
        boards[at], pots[at] = board, state.pot
    unbet = stage.unbet(boards, ranges)
    return Examples(stage.public(boards, pots), ranges, unbet, values, stage.possible[boards])


def _played_ranges(stage: Stage, board: int, rng: np.random.Generator) -> Floats:
    """[2, hands] Ranges as learning players have them at the end of a street, more or less."""
    lines = stage.played
    line = int(rng.integers(lines.shape[1]))
    own = np.array([lines[rng.integers(len(lines)), line, player] for player in range(2)])
    noise = np.exp(rng.choice(NOISE) * rng.standard_normal(own.shape))
    own = np.maximum(own, LEAST) * noise * stage.possible[board]
    return np.asarray(own / own.sum(axis=1, keepdims=True))


def _by_strength(stage: Stage, board: int) -> NDArray[np.int64]:
    """The hands that a board allows, weakest first."""
    strength = stage.deals.wins[board].sum(axis=1)
    hands = np.flatnonzero(stage.possible[board])
    return np.asarray(hands[np.argsort(strength[hands], kind="stable")], np.int64)
