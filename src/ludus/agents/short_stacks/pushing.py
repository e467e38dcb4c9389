"""Push or fold at the table: with ten big blinds and less, first in or facing one all-in, a solve of the hand decides.

Everything else (limps, small raises, several all-ins, later streets) is left to whoever plays otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ludus.cards.ranges import class_of_combo, combo_index
from ludus.games.holdem import is_holdem
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerGame, PokerState
from ludus.solvers.short_stacks import PushOrFold, solve_push_or_fold

SHORT = 10.0  # big blinds


def is_short(state: PokerState) -> bool:
    """Whether push or fold decides here: before the flop at no-limit hold'em, with a short stack, nobody but one in."""
    game = state.game
    if not is_holdem(game) or game.betting != "no-limit" or state.player < 0 or state.street or game.players > 10:
        return False
    me, stacks = state.player, game.stacks
    rivals = [stacks[seat] for seat in state.live_seats() if seat != me]
    return min(stacks[me], max(rivals)) <= SHORT * game.big_blind and _pusher(state) is not None


def push_or_fold(state: PokerState, prizes: Sequence[float] | None, rng: np.random.Generator) -> int:
    """The action where a stack ``is_short``; with the prizes of the places that are left, they count, not chips."""
    order, pusher = _order(state.game), _pusher(state)
    assert pusher is not None
    solved = _solved(state.game, None if prizes is None else tuple(prizes))
    hand, me = int(class_of_combo[combo_index(*state.hole(state.player))]), order.index(state.player)
    wanted = solved.push[me] if pusher < 0 else solved.call[order.index(pusher), me]
    if rng.random() >= wanted[hand]:
        return FOLD if state.to_call() else CALL
    bounds = state.raise_bounds()
    return CALL if pusher >= 0 or bounds is None else bounds[1]


def _order(game: PokerGame) -> list[int]:
    """Seats in the order of acting before the flop, the big blind last."""
    return [1, 0] if game.players == 2 else [*range(2, game.players), 0, 1]


def _pusher(state: PokerState) -> int | None:
    """The seat that is all-in, -1 when all have folded so far; None when anything else was done."""
    order, raised = _order(state.game), -1
    for seat, action in zip(order, state.line[0], strict=False):
        if action == FOLD:
            continue
        if action == CALL or raised >= 0 or state.stacks[seat]:
            return None
        raised = seat
    return raised if len(state.line[0]) < len(order) else None


@lru_cache(maxsize=64)
def _solved(game: PokerGame, prizes: tuple[float, ...] | None) -> PushOrFold:
    order, (antes, blinds) = _order(game), game.posted
    posted = [min(game.stacks[seat], antes[seat] + blinds[seat]) for seat in order]
    return solve_push_or_fold([game.stacks[seat] for seat in order], posted, prizes)
