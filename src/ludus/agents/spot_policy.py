"""What heads-up hold'em players are taken to do where nothing is solved: a fixed policy for every hand at once.

Each hand has a place in its own player's range: 0 is the strongest, 1 the weakest. Strength is the order of
`PREFLOP_ORDER` before the flop and afterwards E[HS], the equity against a random hand, so draws count. From the top, a
share of the range raises, the next call, the rest fold; edges are soft, so neighbouring hands mix.

* Before the flop, where nobody has raised: the small blind raises the upper 70 % and calls with the next 15 %; the
  big blind, if that is all, raises the upper 35 % and checks the rest.
* Facing a raise or a bet of b pots a range goes on with the share 1 / (1 + b) that keeps a bluff from winning by
  itself (the minimum defence frequency), and raises with the upper 12 %.
* After the flop, with nothing to call: the upper 30 % bets, and as a bluff the lowest 10 % do so.

Raises are of the pot before the flop, of three quarters of it afterwards.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ludus.agents.strength import shares_beaten
from ludus.cards.ranges import COMBOS, Weights
from ludus.cards.strength import all_hands_strength
from ludus.games.moves import CALL, FOLD
from ludus.games.poker import PokerState
from ludus.solvers.beliefs import UNAWARE, RangeStrategy, bayes
from ludus.trees.translation import poker_moves, raise_by

EDGE = 0.06  # the part of the range over which a hand's action changes into the next one
OPEN, LIMP, ISOLATE = 0.7, 0.15, 0.35
VALUE, BLUFF, RAISE = 0.3, 0.1, 0.12


def policy(public: PokerState, own: Weights) -> RangeStrategy:
    """How the player to act, whose range is given ``[1326]``, plays every hand."""
    moves = poker_moves(public)
    place = places(_strengths(public), own)
    raised = any(action > 0 for action in public.line[-1])
    bluffs = np.zeros(len(COMBOS))
    if moves.fold and (raised or public.street > 0):
        pays = public.to_call() / public.pot
        raises, goes_on = RAISE, 1 - pays
    elif moves.fold:
        raises, goes_on = OPEN, OPEN + LIMP
    elif public.street == 0:
        raises, goes_on = ISOLATE, 1.0
    else:
        raises, goes_on = VALUE, 1.0
        bluffs = _up_to(1 - place, BLUFF)
    stays = _up_to(place, goes_on) if moves.fold else np.ones(len(COMBOS))
    raising = np.minimum(np.maximum(_up_to(place, raises), bluffs), stays)
    to = raise_by(public, 1 if public.street == 0 else 0.75)
    if to == CALL:
        return RangeStrategy((FOLD, CALL), np.column_stack([1 - stays, stays]))
    return RangeStrategy((FOLD, CALL, to), np.column_stack([1 - stays, stays - raising, raising]))


def after_policy(public: PokerState, own: Weights, action: int) -> Weights:
    """The range of the player to act after they have been seen to act; raises of all sizes count alike."""
    played = policy(public, own)
    column = 0 if action == FOLD else 1 if action == CALL else len(played.actions) - 1
    return bayes(own, played.chances[:, column], UNAWARE)


def places(strength: NDArray[np.float64], own: Weights) -> Weights:
    """Each hand's place in a range: the share of it that is stronger, and half of what is as strong.

    >>> places(np.array([0.9, 0.5, 0.5, 0.1]), np.array([1.0, 1.0, 1.0, 1.0])).tolist()
    [0.125, 0.5, 0.5, 0.875]
    """
    _, group = np.unique(-strength, return_inverse=True)
    weight = np.bincount(group, own)
    above = np.cumsum(weight) - weight / 2
    return np.asarray((above / weight.sum())[group])


def _up_to(place: Weights, share: float) -> Weights:
    """1 for hands within the upper share of a range, 0 for those below, in between at the edge."""
    if share >= 1:
        return np.ones(len(place))
    return np.clip((share - place) / EDGE + 0.5, 0.0, 1.0)


def _strengths(public: PokerState) -> NDArray[np.float64]:
    return _equities(public.board) if public.board else shares_beaten(public.game, ())


@lru_cache(maxsize=64)
def _equities(board: tuple[int, ...]) -> NDArray[np.float64]:
    """E[HS] of all hands, 0 for those that the board makes impossible."""
    return np.nan_to_num(all_hands_strength(board)[:, 1])
