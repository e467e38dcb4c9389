"""Local best response in small games, exactly, and the best response to compare it with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np

from ludus.arena.lbr.menus import StreetMenu
from ludus.arena.lbr.response import Floats, LocalBestResponse, settled
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.definition import define
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import free_hands, hole_hands
from ludus.parallel import Progress
from ludus.solvers.beliefs import RangeStrategist, bayes
from ludus.solvers.measure import measure
from ludus.solvers.strategy import Origin, Strategy
from ludus.trees.deals import MOST_DEALS, count_deals
from ludus.trees.flat import FlatGame, flatten

MOST_STATES = 3_000_000


def exact_lbr(
    game: PokerGame, agent: object, menus: Sequence[StreetMenu], progress: Progress | None = None
) -> tuple[float, float]:
    """What local best response wins from an agent in each seat, in chips per hand, over every deal and every action.

    ValueError when the game is too large for that.
    """
    if count_deals(game) > MOST_DEALS:
        raise ValueError(f"{game.name} has too many deals to go through: sample hands instead")
    walk = _Walk(LocalBestResponse(game, agent, menus))
    hands = hole_hands(game)
    values = np.zeros((2, len(hands)))
    for seat in range(2):
        for at, hole in enumerate(hands):
            weights = free_hands(game, hole).astype(np.float64)
            values[seat, at] = walk.value(walk.lbr.first, seat, hole, weights / weights.sum())
            if progress is not None:
                progress(seat * len(hands) + at + 1, 2 * len(hands))
    first, second = values.mean(axis=1).tolist()
    return first, second


class _Walk:
    """Goes through everything that can happen while one seat plays local best response."""

    def __init__(self, lbr: LocalBestResponse) -> None:
        self.lbr, self.states = lbr, 0

    def value(self, state: PokerState, seat: int, hole: tuple[int, ...], weights: Floats) -> float:
        """What is won from here on, times the sum of the range's weights."""
        self.states += 1
        if self.states > MOST_STATES:
            raise ValueError(f"{self.lbr.game.name} is too large to go through whole: sample hands instead")
        if settled(state):
            return float(weights.sum()) * self.lbr.worth(state, seat, hole, weights, rng=None)
        if state.player == seat:
            return self.value(state.apply(self.lbr.choose(state, hole, weights)), seat, hole, weights)
        if state.player != CHANCE:
            reply = self.lbr.reply(state)
            return sum(
                self.value(state.apply(action), seat, hole, part)
                for action, part in zip(reply.actions, bayes(weights, reply.chances.T), strict=True)
                if part.any()
            )
        game, total = self.lbr.game, 0.0
        for dealt in deals(state, hole):
            if (part := np.where(free_hands(game, dealt.board), weights, 0.0)).any():
                total += self.value(dealt, seat, hole, part)
        return total / comb(len(game.deck) - len(state.cards), _due(state))


def deals(state: PokerState, known: Sequence[int] = ()) -> Iterator[PokerState]:
    """The states after every way to deal the next street from the unknown cards."""
    left = [card for card in state.game.deck if card not in known and card not in state.cards]
    for cards in combinations(left, _due(state)):
        yield state.deal([*state.cards, *cards])


def _due(state: PokerState) -> int:
    return state.game.card_targets[state.street] - len(state.cards)


def best_response_values(game: PokerGame, agent: RangeStrategist) -> tuple[float, float] | None:
    """What a best response wins from an agent in each seat, in chips; None where the game is too large for that."""
    try:
        flat = flatten(game)
    except ValueError:
        return None
    (found,) = measure(tabulated(flat, agent), flat=flat)
    first, second = found.best_response
    return first, second


def tabulated(flat: FlatGame, agent: RangeStrategist) -> Strategy:
    """The strategy of an agent, as far as a small game's information sets can express it, as a table.

    Where they do not tell suits apart, hands that differ by suit must be played alike.
    """
    game = flat.game
    assert isinstance(game, PokerGame)
    first, hands = game.start().deal(game.deck).seen_by(-1), hole_hands(game)
    names = [game.name_cards(hand) for hand in hands]
    known: dict[tuple[int, str], dict[int, float]] = {}
    waiting = [first]
    while waiting:
        state = waiting.pop()
        if state.player == CHANCE:
            waiting.extend(deals(state))
        elif state.player != TERMINAL:
            reply, public, free = agent.range_strategy(state), state.public_state(), free_hands(game, state.board)
            for at in np.flatnonzero(free).tolist():
                row = dict(zip(reply.actions, reply.chances[at].tolist(), strict=True))
                known[state.player, names[at] + public] = row
            waiting.extend(state.apply(action) for action in state.legal_actions())
    sets = flat.sets
    chances = np.zeros(len(sets.actions))
    for at, (player, name) in enumerate(zip(sets.players.tolist(), sets.names, strict=True)):
        here = range(int(sets.offsets[at]), int(sets.offsets[at + 1]))
        chances[here] = [known[player, name].get(int(sets.actions[i]), 0.0) for i in here]
    return Strategy(
        define(game), sets.players, sets.names, sets.offsets, sets.actions, sets.labels, chances, Origin("agent")
    )
