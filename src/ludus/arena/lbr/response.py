"""Local best response: how much a simple exploiter that knows an agent's strategy wins from it.

Lisy & Bowling (2017), "Equilibrium approximation quality of current no-limit poker bots". The exploiter keeps the range
of hands that the agent may hold, by Bayes' rule from what it would have done with each of them. At its own decisions it
compares folding, calling and some bets as if both checked and called from then on; a bet also wins the pot when the
agent folds at once. What it wins on average is a lower bound on what a best response wins, whatever it assumes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from ludus.arena.lbr.menus import StreetMenu
from ludus.arena.lbr.odds import is_holdem, odds
from ludus.cards.ranges import combo_index
from ludus.cards.showdown import tally_hand
from ludus.games.base import CHANCE, TERMINAL
from ludus.games.moves import CALL, FOLD, Moves
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import free_hands, hole_hands
from ludus.solvers.beliefs import RangeStrategist, RangeStrategy, bayes

Floats = NDArray[np.float64]

RUN_OUTS = 256
"""Random boards that say what an all-in before the flop of hold'em is worth."""

_ROUNDING = 1e-9
_MOST_BYTES = 1 << 26


class LocalBestResponse:
    """The exploiter of one agent in a heads-up game, with one menu of actions for each street.

    Public states are those of ``PokerState.seen_by(-1)``. A range is a vector of weights over ``hole_hands``, 0 where a
    hand holds a card of the exploiter or of the board.
    """

    def __init__(self, game: PokerGame, agent: object, menus: Sequence[StreetMenu]) -> None:
        if game.players != 2:
            raise ValueError(f"local best response is for two players, {game.name} has {game.players}")
        if game.board_cards[0]:
            raise ValueError(f"local best response wants betting before the first board card, unlike {game.name}")
        if not isinstance(agent, RangeStrategist):
            name = type(agent).__name__
            raise ValueError(f"{name} does not tell how it plays every hand, which local best response must know")
        if len(menus) != len(game.board_cards):
            raise ValueError(f"{game.name} has {len(game.board_cards)} streets, got {len(menus)} menus")
        self.game, self.agent, self.menus = game, agent, tuple(menus)
        self.first = game.start().deal(game.deck).seen_by(-1)
        self._replies: OrderedDict[object, RangeStrategy] = OrderedDict()
        self._bytes = 0

    def reply(self, state: PokerState) -> RangeStrategy:
        """What the agent does with each hand when it is to act; at least the latest answers are remembered."""
        key = state.line, state.board
        if found := self._replies.get(key):
            self._replies.move_to_end(key)
            return found
        reply = self.agent.range_strategy(state)
        shape = len(hole_hands(self.game)), len(reply.actions)
        if reply.chances.shape != shape:
            raise ValueError(f"the agent's strategy has the shape {reply.chances.shape} instead of {shape}")
        sums = reply.chances.sum(axis=1)[free_hands(self.game, state.board)]
        if not (np.abs(sums - 1) < 1e-6).all() or reply.chances.min() < 0:
            raise ValueError(f"the agent's strategy at {state.public_state()!r} is not made of probabilities")
        self._replies[key] = reply
        self._bytes += reply.chances.nbytes
        while self._bytes > _MOST_BYTES and len(self._replies) > 1:
            self._bytes -= self._replies.popitem(last=False)[1].chances.nbytes
        return reply

    def choose(self, state: PokerState, hole: tuple[int, ...], weights: Floats) -> int:
        """The exploiter's action with a hand against a range: algorithm 1 of the paper."""
        menu, moves = self.menus[state.street], state.legal_actions()
        assert isinstance(moves, Moves), "nobody is to act"
        sizes, fold = menu.sizes(state), menu.fold and moves.fold
        if not fold and not sizes:
            return CALL
        equity = odds(self.game, hole, state.board).equity
        asked, seat = state.to_call(), state.player
        pot = state.pot - max(0, state.bets[1 - seat] - state.bets[seat] - asked)  # less what cannot be called
        wins = float(weights @ equity / weights.sum())
        best, value = (FOLD, 0.0) if fold else (CALL, -inf)
        if (call := wins * pot - (1 - wins) * asked) > value:
            best, value = CALL, call
        for size in sizes:
            more = min(size - max(state.bets), state.stacks[1 - seat])
            folds, wins = self._pressure(state.apply(size), weights, equity)
            bet = folds * pot + (1 - folds) * (wins * (pot + more) - (1 - wins) * (asked + more))
            if bet > value:
                best, value = size, bet
        return best

    def _pressure(self, state: PokerState, weights: Floats, equity: Floats) -> tuple[float, float]:
        """How often the agent folds to a bet, and the exploiter's equity against what does not fold."""
        reply = self.reply(state)
        if FOLD not in reply.actions:
            return 0.0, float(weights @ equity / weights.sum())
        stays = bayes(weights, 1 - reply.chances[:, reply.actions.index(FOLD)])
        share = stays.sum() / weights.sum()
        if share < _ROUNDING:
            return 1.0, 0.0
        return 1 - float(share), float(stays @ equity / stays.sum())

    def worth(
        self, state: PokerState, seat: int, hole: tuple[int, ...], weights: Floats, rng: np.random.Generator | None
    ) -> float:
        """What the exploiter wins on average when nobody is left to act, over the agent's range and the board.

        Exact, except in hold'em before the flop: there ``rng`` draws boards, and the estimate is unbiased.
        """
        if len(state.live_seats()) == 1:
            return state.payoffs(())[seat]
        final = state
        while final.player == CHANCE:
            final = final.deal([*final.cards, *(card for card in self.game.deck if card not in final.cards)])
        win, lose = (final.payoffs(strengths)[seat] for strengths in ((2 - seat, 1 + seat), (1 + seat, 2 - seat)))
        prizes = win, lose, final.payoffs((1, 1))[seat]
        if rng is not None and is_holdem(self.game) and not state.board:
            return self._run_out(hole, weights, prizes, rng)
        known = odds(self.game, hole, state.board)
        wins, ties = (float(weights @ chance / weights.sum()) for chance in known)
        return wins * prizes[0] + (1 - wins - ties) * prizes[1] + ties * prizes[2]

    def _run_out(
        self, hole: tuple[int, ...], weights: Floats, prizes: tuple[float, float, float], rng: np.random.Generator
    ) -> float:
        """The same over random boards, each with a hand of the range out of the deck: as likely as in play."""
        hands = _draws(weights, RUN_OUTS, rng)
        order = rng.random((RUN_OUTS, 52))
        order[:, list(hole)] = 1.0
        np.put_along_axis(order, np.array(hole_hands(self.game))[hands], 1.0, axis=1)
        boards = np.argpartition(order, 5, axis=1)[:, :5].astype(np.uint8)
        combos = np.flatnonzero(weights).astype(np.uint16)
        hand, once, held = combo_index(*hole), np.ones(1, np.int64), weights[combos]
        tallies = np.array([tally_hand(board[None], once, hand, combos, held)[1:] for board in boards])
        return float((tallies @ np.array(prizes) / tallies.sum(axis=1)).mean())

    # One hand

    def play(self, seat: int, hole: tuple[int, ...], rng: np.random.Generator) -> float:
        """What the exploiter wins in one hand with these cards, on average over everything that need not be drawn.

        The agent holds a range instead of a hand: its actions come as often as the range plays them. Where an action of
        the agent ends the hand, its value counts by its probability and the hand continues with the other actions. So
        the mean over many hands is the value of the exploiter, with less noise than played hands would have.
        """
        state, weights = self.first, free_hands(self.game, hole).astype(np.float64)
        won, share = 0.0, 1.0
        while not settled(state):
            if state.player == seat:
                state = state.apply(self.choose(state, hole, weights))
            elif state.player == CHANCE:
                state = self._deal(state, hole, weights, rng)
                weights = np.where(free_hands(self.game, state.board), weights, 0.0)
            else:
                reply = self.reply(state)
                chances = weights @ reply.chances / weights.sum()
                for at, action in enumerate(reply.actions):
                    if action <= CALL and chances[at] > 0 and settled(after := state.apply(action)):
                        won += (
                            share
                            * chances[at]
                            * self.worth(after, seat, hole, bayes(weights, reply.chances[:, at]), rng)
                        )
                        chances[at] = 0.0
                if (left := float(chances.sum())) < _ROUNDING:
                    return won
                at = int(_draws(chances, 1, rng)[0])
                state, share = state.apply(reply.actions[at]), share * left
                weights = bayes(weights, reply.chances[:, at])
                weights /= weights.sum()
        return won + share * self.worth(state, seat, hole, weights, rng)

    def _deal(self, state: PokerState, hole: tuple[int, ...], weights: Floats, rng: np.random.Generator) -> PokerState:
        """The next street's cards, with a hand of the range out of the deck."""
        theirs = hole_hands(self.game)[int(_draws(weights, 1, rng)[0])]
        left = [card for card in self.game.deck if card not in hole and card not in theirs and card not in state.board]
        due = self.game.card_targets[state.street] - len(state.cards)
        return state.deal([*state.cards, *rng.permutation(left)[:due].tolist()])


def settled(state: PokerState) -> bool:
    """Whether nobody is left to act: the hand is over, or somebody is all-in and only cards are to come."""
    return state.player == TERMINAL or (state.player == CHANCE and 0 in state.stacks)


def _draws(weights: Floats, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Places of a vector of weights, drawn in proportion to their weight."""
    upto = np.cumsum(weights)
    drawn = np.searchsorted(upto, rng.random(count) * upto[-1], side="right")
    return np.asarray(np.minimum(drawn, np.searchsorted(upto, upto[-1])))  # products may round up to the whole
