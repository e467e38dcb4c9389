"""Continual re-solving (Moravcik et al. 2017, "DeepStack"): play by solving again at every decision.

Between two decisions a player keeps two things and no strategy: their own range, and for each of the opponent's hands
the value that their own play concedes to it. At a decision both go into a look-ahead, in front of which the opponent
may leave with those values (the gadget of Burch, Johanson & Bowling 2014), so that what is played there concedes no
more than before. After an own action the range follows by Bayes' rule, and the values are those after that action; a
card changes both as the look-ahead foresaw. An action of the opponent changes neither, whatever its size: it is simply
where the next look-ahead begins, and in this way every bet is answered inside a tree that has it.

Nothing here knows a game: a `Searcher` builds and solves look-aheads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ludus.games.base import CHANCE
from ludus.games.moves import CALL
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import public_decisions
from ludus.solvers.beliefs import RangeStrategy

Floats = NDArray[np.float64]
MOST_KEPT = 30_000_000  # numbers of all look-aheads; then old ones are forgotten, those before any board last


class Kept(NamedTuple):
    """What is carried from one decision to the next."""

    own: Floats  # the player's range, over the searcher's hands
    conceded: Floats  # the opponent's counterfactual values
    estimate: Floats | None = None  # the opponent's range, as far as it can be told


class Key(NamedTuple):
    """What a look-ahead is remembered by."""

    game: PokerGame
    line: tuple[tuple[int, ...], ...]
    board: tuple[int, ...]
    player: int


class LookAhead(Protocol):
    """A look-ahead that has been solved, from a public state on."""

    @property
    def numbers(self) -> int:
        """How many numbers it holds."""

    def range_strategy(self) -> RangeStrategy:
        """How each hand of the player to act at its root plays there."""

    def kept(self, state: PokerState, player: int) -> Kept:
        """What a player carries on from a public state of the look-ahead."""

    def kept_after(self, state: PokerState, boards: Sequence[tuple[int, ...]], player: int) -> list[Kept]:
        """The same from where a street ends, once cards have made it each of these boards."""

    def step(self, state: PokerState, action: int) -> PokerState:
        """The state after an action as this look-ahead has it: a size that it lacks is taken for its nearest."""


class Searcher(Protocol):
    """Builds and solves the look-aheads of a kind of game."""

    def solve(self, public: PokerState, player: int, kept: Kept | None) -> LookAhead:
        """A player's look-ahead from a public state on; without what they kept it is the beginning of a hand."""


@dataclass(frozen=True, eq=False)
class Resolver:
    """Plays every decision by a look-ahead of its own. The same public history always gives the same play.

    Look-aheads are remembered, and are for one thread.
    """

    searcher: Searcher
    most: int = MOST_KEPT
    _known: dict[Key, LookAhead] = field(init=False, repr=False, default_factory=dict)

    def range_strategy(self, public: PokerState) -> RangeStrategy:
        """How every hand of the player to act plays in a public state."""
        return self.look(public).range_strategy()

    def look(self, public: PokerState) -> LookAhead:
        """The look-ahead of the player to act; those of their earlier decisions are made first."""
        return self._look(public, public.player, list(public_decisions(public)))

    def carried(self, publics: Sequence[PokerState], player: int) -> list[Kept]:
        """What a player has kept where a street begins, before anybody acts on it: after one line, on each of some
        boards."""
        before = list(public_decisions(publics[0]))
        if not before:
            return [self._look(public, player, []).kept(public, player) for public in publics]
        return self._each_kept(publics, player, before)

    def _look(self, public: PokerState, player: int, before: list[tuple[PokerState, int]]) -> LookAhead:
        key = Key(public.game, public.line, public.board, player)
        found = self._known.pop(key, None)
        if found is None:
            found = self.searcher.solve(public, player, self._kept(public, player, before))
            self._make_room(found.numbers)
        self._known[key] = found  # the last that was asked for
        return found

    def _make_room(self, numbers: int) -> None:
        numbers += sum(known.numbers for known in self._known.values())
        if numbers <= self.most:
            return
        for old in sorted(self._known, key=lambda key: not key.board):  # among equals, the one not asked for longest
            if numbers <= self.most:
                break
            numbers -= self._known.pop(old).numbers

    def _kept(self, public: PokerState, player: int, before: list[tuple[PokerState, int]]) -> Kept | None:
        """What a player brings to a decision from their last one, or from the beginning of the hand."""
        return self._each_kept([public], player, before)[0] if before else None

    def _each_kept(
        self, publics: Sequence[PokerState], player: int, before: list[tuple[PokerState, int]]
    ) -> list[Kept]:
        """The same for states that differ in their last card alone."""
        own = [at for at, (state, _) in enumerate(before) if state.player == player]
        if not own:
            start = before[0][0]
            return [self._look(start, player, []).kept(start, player)] * len(publics)
        state, action = before[own[-1]]
        last = self._look(state, player, before[: own[-1]])
        after = last.step(state, action)
        if state.street < publics[0].street:  # the street ended with that action or with the opponent's call
            after = after if after.street > state.street else last.step(after, CALL)
            if after.player == CHANCE:
                return last.kept_after(after, [public.board for public in publics], player)
        return [last.kept(after, player)] * len(publics)
