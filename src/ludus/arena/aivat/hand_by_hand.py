"""AIVAT one hand at a time, for games of any size: the plain form that the table for small games is tested against.

The hands that a known player may have held lie along one axis of an array of weights ``[others, hands]``, the other
seat's along the other: one row, their real hand, unless they are known too. Chance deals every combination of cards
without a conflict equally often, so a weight is 0 or the product of the known players' own reach.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ludus.arena.aivat.heuristics import Heuristic, outcomes
from ludus.arena.aivat.showdowns import Showdowns
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.moves import FOLD, Moves
from ludus.games.poker import HIDDEN, PokerGame, PokerState
from ludus.games.record import apply_or_forfeit
from ludus.solvers.beliefs import RangeStrategist, RangeStrategy, Valuer, bayes

MOST_HANDS_JOINTLY = 200  # hands of a seat, where both players are known
MOST_DEALS = 5_000  # of the next street, where a heuristic does not average over them itself
MOST_ACTIONS = 500  # decisions with more choices are not corrected
_REMEMBERED = 50_000
Floats = NDArray[np.float64]


class Aivat:
    """Estimates for one seating: ``known`` maps a seat to the strategy that is played there, for one seat or both."""

    def __init__(self, game: PokerGame, known: Mapping[int, RangeStrategist], heuristic: Heuristic) -> None:
        check_known(game, known)
        self.game, self.known, self.heuristic = game, dict(known), heuristic
        self._showdowns = Showdowns(game)
        self._seat = min(known)  # whose hands are the columns
        self._both = len(known) == 2
        hands = self._showdowns.hands
        if self._both and len(hands) > MOST_HANDS_JOINTLY:
            raise ValueError(f"{game.name} has {len(hands)} hands, too many to average over both players': name one")
        if not heuristic.averages_deals and self._most_deals() > MOST_DEALS:
            raise ValueError(f"{game.name} has too many boards for a heuristic that does not average them")
        apart = np.array([self._showdowns.possible(hand) for hand in hands], np.float64)
        root = self._root()
        self._mean = _mean(apart, heuristic.values(root, self._seat, hands))
        self._estimates: dict[tuple[object, ...], float] = {}
        player = known[self._seat]
        asked = heuristic.asks_players and not self._both
        self._valuer = player if asked and isinstance(player, Valuer) else None

    def estimate(self, final: PokerState, seat: int, forfeit: bool = False) -> float:
        """What a seat would have won in a finished hand with less luck; all hole cards must be known.

        ``forfeit``: the last action was a fold that the player did not choose, for example because they ran out of
        time. A fold where checking is free always is one.
        """
        check_final(self.game, final)
        other = tuple(sorted(final.hole(1 - self._seat))) if not self._both else ()
        key = final.line, other, final.board, forfeit
        if key not in self._estimates:
            if len(self._estimates) >= _REMEMBERED:
                self._estimates.clear()
            self._estimates[key] = self._estimate(final, other, forfeit)
        return self._estimates[key] if seat == 0 else -self._estimates[key]

    def _estimate(self, final: PokerState, other: tuple[int, ...], forfeit: bool) -> float:
        """For seat 0: what it won, averaged over hands, and the corrections on the way."""
        others = self._showdowns.hands if self._both else (other,)
        weights = np.array([self._showdowns.possible(hand) for hand in others], np.float64)
        state = self._root()
        actions = [action for street in final.line for action in street]
        total = self._deal_of_hands(state, weights, others)
        done = 0
        while state.player != TERMINAL:
            if state.player == CHANCE:
                later = self._dealt(state, final)
                told = self._told_card(state, later, weights, other)
                if told is None:
                    total += self._expected_deal(state, later, weights, others)
                weights = self._left(weights, later)
                total += -_mean(weights, self.heuristic.values(later, self._seat, others)) if told is None else told
                state = later
                continue
            action, last = actions[done], done == len(actions) - 1
            if is_forfeit(state, action) or (forfeit and last):
                return total + final.returns()[0]
            if state.player in self.known:
                chances = read_range(self.known[state.player], state, self._possible(state))
                reached = self._played(weights, state.player, chances, action)
                if not reached.any():
                    if action == FOLD:  # they never fold here, so it was not their decision
                        return total + final.returns()[0]
                    raise ValueError(never_plays(state, action))
                total += self._correction(state, action, chances, weights, others)
                weights = reached
            state = apply_or_forfeit(state, action)
            done += 1
        return total + self._payoff(state, weights, others)

    def _root(self) -> PokerState:
        """After the hole cards are dealt, as an onlooker sees it."""
        state = self.game.start()
        for card in self.game.deck[: 2 * self.game.hole_cards]:
            state = state.apply(card)
        return state.seen_by(-1)

    # Chance

    def _deal_of_hands(self, root: PokerState, weights: Floats, others: tuple[tuple[int, ...], ...]) -> float:
        """The mean value of all deals, less that of the hands which the other seat may hold."""
        found = self._valuer.range_values([root], self._seat) if self._valuer and root.player >= 0 else None
        if found is None:
            return self._mean - _mean(weights, self.heuristic.values(root, self._seat, others))
        told, sign = found[0], 1 if self._seat == 0 else -1
        return sign * float(told.mean() - told[self._showdowns.hands.index(others[0])])

    def _told_card(self, state: PokerState, later: PokerState, weights: Floats, other: tuple[int, ...]) -> float | None:
        """The mean value over the next card less the value after the one that came, as the known player tells them.

        None where they are not asked: before the flop there are too many, and after an all-in equities are exact.
        """
        if self._valuer is None or later.player == TERMINAL or len(later.board) != len(state.board) + 1:
            return None
        held = (*state.board, *other)
        dealt = [state.deal((*state.cards, card)) for card in self.game.deck if card not in held]
        told = self._valuer.range_values(dealt, self._seat)
        if told is None:
            return None
        values = told[:, self._showdowns.hands.index(other)]
        chances = [float(self._left(weights, each).sum()) for each in dealt]
        came = next(at for at, each in enumerate(dealt) if each.board == later.board)
        sign = 1 if self._seat == 0 else -1
        return sign * float(np.average(values, weights=chances) - values[came])

    def _dealt(self, state: PokerState, final: PokerState) -> PokerState:
        """The state after the cards that came; after all of them, where nobody can bet and the heuristic averages."""
        later = state.deal(final.cards)
        while later.player == CHANCE and self.heuristic.averages_deals:
            later = later.deal(final.cards)
        return later

    def _expected_deal(
        self, state: PokerState, later: PokerState, weights: Floats, others: tuple[tuple[int, ...], ...]
    ) -> float:
        """The mean value of the state after cards are dealt, before they are."""
        if self.heuristic.averages_deals:
            return _mean(weights, self.heuristic.values(state, self._seat, others))
        dealt = {*state.board} if self._both else {*state.board, *others[0]}
        unseen = [card for card in self.game.deck if card not in dealt]
        count = len(later.board) - len(state.board)
        total = 0.0
        for cards in combinations(unseen, count):
            next_state = state.deal(state.cards + cards)
            left = self._left(weights, next_state)
            if left.any():
                total += float((left * self.heuristic.values(next_state, self._seat, others)).sum())
        hidden = 2 * self.game.hole_cards
        return total / comb(len(self.game.deck) - hidden - len(state.board), count) / float(weights.sum())

    def _left(self, weights: Floats, state: PokerState) -> Floats:
        """The weights of the hands that the board leaves possible."""
        possible = self._possible(state)
        return weights * possible * possible[:, None] if self._both else weights * possible

    def _possible(self, state: PokerState) -> NDArray[np.bool_]:
        return self._showdowns.possible(state.board)

    def _most_deals(self) -> int:
        return max(comb(len(self.game.deck), cards) for cards in self.game.board_cards)

    # Decisions of known players

    def _played(self, weights: Floats, player: int, strategy: RangeStrategy, action: int) -> Floats:
        """The weights after an action."""
        if action not in strategy.actions:
            return np.zeros_like(weights)
        chance = strategy.chances[:, strategy.actions.index(action)]
        return bayes(weights, chance if player == self._seat else chance[:, None])

    def _correction(
        self,
        state: PokerState,
        action: int,
        strategy: RangeStrategy,
        weights: Floats,
        others: tuple[tuple[int, ...], ...],
    ) -> float:
        """Expected value over everything the player could have done, less the value after what they did."""
        if len(strategy.actions) > MOST_ACTIONS:
            return 0.0
        told = self._told(state, others)
        expected = taken = 0.0
        for choice in strategy.actions:
            reached = self._played(weights, state.player, strategy, choice)
            if reached.any():
                values: Floats | float = (
                    self.heuristic.values(apply_or_forfeit(state, choice), self._seat, others)
                    if told is None
                    else told.get(choice, 0.0)
                )
                weighted = float((reached * values).sum())
                expected += weighted
                if choice == action:
                    taken = weighted / float(reached.sum())
        return expected / float(weights.sum()) - taken

    def _told(self, state: PokerState, others: tuple[tuple[int, ...], ...]) -> dict[int, float] | None:
        """What the player to act says that their actions win for seat 0 against the other's hand; None if nothing."""
        player = self._valuer
        found = player.action_values(state) if player and state.player == self._seat else None
        if found is None:
            return None
        row = found.values[self._showdowns.hands.index(others[0])]
        return dict(zip(found.actions, (row if state.player == 0 else -row).tolist(), strict=True))

    # The end

    def _payoff(self, state: PokerState, weights: Floats, others: tuple[tuple[int, ...], ...]) -> float:
        """What seat 0 won, on average over the hands that could have been held."""
        first, second, tied = outcomes(state)
        if first == second == tied:
            return first
        won, lost = (first, second) if self._seat == 0 else (second, first)
        total = 0.0
        for row, other in zip(weights, others, strict=True):
            if row.any():
                win, tie = self._showdowns.against(other, state.board)
                total += float((row * (lost + (won - lost) * win + (tied - lost) * tie)).sum())
        return total / float(weights.sum())


def check_known(game: PokerGame, known: Mapping[int, RangeStrategist]) -> None:
    """ValueError unless a game is for two and the players known to AIVAT can say how they play."""
    if game.players != 2:
        raise ValueError(f"AIVAT is for two players here, {game.name} has {game.players}")
    if not known or not set(known) <= {0, 1}:
        raise ValueError(f"AIVAT must know the player of seat 0, of seat 1 or both, got {sorted(known)}")
    for seat, player in known.items():
        if not isinstance(player, RangeStrategist):
            raise ValueError(f"the player of seat {seat} cannot tell how it plays its hands, so AIVAT cannot know it")


def check_final(game: PokerGame, final: PokerState) -> None:
    """ValueError unless a state is the end of a hand of a game with all cards visible."""
    if final.game is not game and final.game != game:
        raise ValueError(f"this is a hand of another game than {game.name} as AIVAT was set up for")
    if final.player != TERMINAL or HIDDEN in final.cards:
        raise ValueError("AIVAT needs a finished hand with the hole cards of both players")


def is_forfeit(state: PokerState, action: int) -> bool:
    """Whether an action is a fold where the player could check."""
    moves = state.legal_actions()
    return action == FOLD and isinstance(moves, Moves) and not moves.fold


def never_plays(state: PokerState, action: int) -> str:
    """The error for an action that no hand of a known player takes."""
    return f"seat {state.player} played {state.action_name(action)!r}, which its strategy never does with any hand here"


def read_range(player: RangeStrategist, public: PokerState, possible: NDArray[np.bool_]) -> RangeStrategy:
    """How a known player plays its possible hands ``[hands]``; ValueError when these are not probabilities."""
    strategy = player.range_strategy(public)
    chances = np.asarray(strategy.chances, np.float64)
    if chances.shape != (len(possible), len(strategy.actions)):
        raise ValueError(f"expected a row of chances for each of {len(possible)} hands, got {chances.shape}")
    if len(strategy.actions) > MOST_ACTIONS:  # too many to look at each
        return strategy
    chances = np.where(possible[:, None], chances, 0.0)
    if not (chances >= 0).all() or not np.allclose(chances.sum(axis=1)[possible], 1.0, rtol=0, atol=1e-6):
        raise ValueError(f"the chances of a hand's actions must add up to 1 at {public!r}")
    return RangeStrategy(strategy.actions, chances)


def _mean(weights: Floats, values: Floats) -> float:
    return float((weights * values).sum() / weights.sum())
