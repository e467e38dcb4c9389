"""The numbers behind a decision: equity against ranges, what a call needs, how much must be defended, and outs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludus.agents.strength import shares_beaten
from ludus.cards.equity import equity
from ludus.cards.ranges import COMBOS, Weights, combo_index
from ludus.games.moves import CALL
from ludus.games.poker import PokerGame, PokerState
from ludus.games.record import public_decisions
from ludus.solvers.beliefs import Decisions

SAMPLES = 50_000
"""Deals drawn where not all can be enumerated: an equity is then within 0.5 % of the pot, 19 times in 20."""


def equity_against(
    hand: tuple[int, int], ranges: Sequence[Weights], board: Sequence[int], samples: int = SAMPLES, seed: int = 0
) -> float:
    """The share of the pot that a hand wins against all ranges at once if no more bets are made.

    Exact against one range from the flop on, else drawn at random.
    """
    own = np.zeros(len(COMBOS))
    own[combo_index(*hand)] = 1.0
    drawn = None if board and len(ranges) == 1 else samples
    return equity([own, *ranges], board, samples=drawn, seed=seed).equity[0]


def pot_odds(public: PokerState) -> float:
    """The share of the pot that a call costs: the equity it needs if it is the last bet; 0 with nothing to call.

    Of what is in the pot only as much counts from each player as the caller, who may be all-in, can win.

    >>> from ludus.games import holdem
    >>> state = holdem(stack=200).start().deal(range(52)).apply(6)
    >>> state.pot, state.to_call(), pot_odds(state)
    (8, 4, 0.3333333333333333)
    """
    asked, spent, antes = public.to_call(), public.spent(), public.game.posted[0]
    if not asked:
        return 0.0
    dead = antes if public.game.dead_antes else (0,) * len(spent)
    most = spent[public.player] - dead[public.player] + asked
    pot = asked + sum(free + min(paid - free, most) for paid, free in zip(spent, dead, strict=True))
    return asked / pot


def minimum_defence(public: PokerState, decisions: Decisions | None = None) -> float | None:
    """How much of a range must go on against the last bet of a street so that bluffing any two cards does not pay.

    The raiser risks what they put in, as far as it can be called, to win the pot before: pot / (pot + risk). It is the
    share of all those together who can still call. None where nobody has bet or raised; blinds are not bets.
    """
    asked, decisions = public.to_call(), list(public_decisions(public)) if decisions is None else decisions
    raises = [(state, action) for state, action in decisions if state.street == public.street and action > CALL]
    if not (asked and raises):
        return None
    state, action = raises[-1]
    called = min(action, public.bets[public.player] + public.stacks[public.player])
    risk = max(called - state.bets[state.player], asked)
    return state.pot / (state.pot + risk)


def share_ahead(game: PokerGame, hand: tuple[int, int], ranges: Sequence[Weights], board: tuple[int, ...]) -> float:
    """The chance that a hand is the best as the cards lie, ties counted half; ranges are taken as independent."""
    values = shares_beaten(game, board)
    mine = values[combo_index(*hand)]
    ahead = (values < mine) + 0.5 * (values == mine)
    free = ~np.isin(COMBOS, (*hand, *board)).any(axis=1)
    chance = 1.0
    for weights in ranges:
        held = weights * free
        chance *= float(held @ ahead / held.sum()) if held.any() else 0.0  # such a board cannot come
    return chance


def outs(game: PokerGame, hand: tuple[int, int], ranges: Sequence[Weights], board: tuple[int, ...]) -> tuple[int, ...]:
    """The cards that, coming next, put a hand ahead of the opponents' ranges more often than not, the highest first.

    Ahead is meant as the cards then lie. A hand that is ahead more often than not already has no outs, nor has any
    before the flop or on the river.
    """
    if len(board) not in (3, 4) or share_ahead(game, hand, ranges, board) > 0.5:
        return ()
    unseen = [card for card in reversed(game.deck) if card not in (*hand, *board)]
    return tuple(card for card in unseen if share_ahead(game, hand, ranges, (*board, card)) > 0.5)
