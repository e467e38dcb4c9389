"""Where a hand of hold'em is in an abstract game: compiled, over the records of `ludus.games.compiled.engine`.

An abstract game offers few bets and keeps only part of what has happened. Four forms of memory:

* ``TREE``: the whole betting sequence. The memory is a node of a tree (`ludus.trees.blueprint.build_tree`).
* ``BOUNDED``: a summary of fixed size, for any number of players. Before the flop: position, raises so far (3 and
  more are one), where the last raiser sits and the size of that raise, callers since (2 and more are one), whether one
  has acted before. FollowUp: how many of the players left act later (2 and more are one), opponents left (3 and more
  are one), raises on this street and the size of the last, who was the last to raise on an earlier street (oneself,
  another, nobody), and the stack by the pot as the street began, in five levels.
* ``LEADS``: the same, and also who was the last to raise before the street before this one.
* ``APARICIO``: position, street and the last significant action of the street (nothing, check, call, a raise of one of
  the sizes, all-in): the key of a published assistant (Aparicio 2025). What came before is lost.

A *slot* is the place of an action in a row of numbers: in a tree the actions of a node count up; in the other forms
0 is fold, 1 check or call, then the sizes, and the last all-in, whether they are possible or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludus.compiled import kernel
from ludus.games.compiled.engine import raise_bounds
from ludus.games.compiled.offers import DEPTHS, menu_fields, row_of
from ludus.games.moves import CALL, FOLD

TREE, BOUNDED, APARICIO, LEADS = range(4)
SIZES = 6  # beside all-in
MOST_ACTIONS = SIZES + 3
LEVELS = (0.75, 2.0, 5.0, 12.0)  # of the stack by the pot: below the first, ..., above the last
SPEC = np.dtype(
    [
        ("form", np.int64),
        ("players", np.int64),  # that the abstract game is for
        ("width", np.int64),  # slots of a row, but in a tree
        ("sizes", np.int64),  # the most sizes beside all-in that any list has
        ("cards", np.int64, (4,)),  # how many kinds of hands a street has
        ("base", np.int64, (5,)),  # where the rows of a street begin, but in a tree
        *menu_fields(4 * DEPTHS * (SIZES + 1)),
    ]
)
"""An abstract game and its bet menu."""
_ACTIONS = (MOST_ACTIONS,)
FRAME = np.dtype(
    [
        ("count", np.int64),
        ("action", np.int64, _ACTIONS),
        ("slot", np.int64, _ACTIONS),
        ("offset", np.int64),
        ("memory", np.int64),
        ("street", np.int64),
        ("mine", np.int64),  # whether it is the walker's decision
        ("chosen", np.int64),
        ("skipped", np.int64),  # bit k: action k was left out
        ("sampled", np.float64),  # the probability with which the action was chosen
        ("reach", np.float64),  # the walker's own sampling probability before this decision
        ("sigma", np.float64, _ACTIONS),
        ("value", np.float64, _ACTIONS),
    ]
)
"""A decision: its actions, ascending, with their slots, and what walks note there."""

_CALLERS, _ACTED, _RAISER, _BEFORE = 4, 8, 20, 24  # where the fields of a summary begin; the slot is at 0


@kernel
def menu(spec: Any, rules: Any, hand: Any, out: Any) -> int:
    """Fill in the actions of the player to act, the legal ones of the abstract game; returns their number.

    The menu of an abstract game has nothing but fractions of the pot and all-in, so this is `offers.raises` in short:
    training spends much of its time here.
    """
    tree = spec.form == TREE
    seat, top = hand.player, hand.top
    count = 0
    if hand.bet[seat] < top:
        out.action[0], out.slot[0] = FOLD, 0
        count = 1
    out.action[count], out.slot[count] = CALL, count if tree else 1
    count += 1
    row = row_of(hand.street, 0, hand.raises, 0)
    sizes = spec.count[row]
    if sizes > 0:
        low, high = raise_bounds(rules, hand)
        if high > 0:
            pot, start, last = hand.pot + top - hand.bet[seat], spec.start[row], np.int64(0)
            for size in range(sizes):
                to, slot = high, spec.width - 1
                if spec.fraction[start + size] > 0:
                    to, slot = top + np.int64(np.rint(spec.fraction[start + size] * pot)), 2 + size
                    if to < low or to >= high or to == last:
                        continue
                out.action[count], out.slot[count] = to, count if tree else slot
                last = to
                count += 1
    out.count = count
    return count


@kernel
def advance(spec: Any, memory: Any, hand: Any, action: Any) -> np.int64:
    """What is remembered after an action, but in a tree; the hand is the one before it."""
    seat = hand.player
    slot = _slot(spec, hand, action)
    if spec.form == APARICIO:
        if action == FOLD:
            return np.int64(memory)
        if action == CALL:
            return np.int64(1) if hand.bet[seat] == hand.top else np.int64(2)
        return np.int64(1 + slot)
    if action == FOLD:
        return np.int64(memory)
    memory |= 1 << (_ACTED + seat)
    if action == CALL:
        if hand.bet[seat] < hand.top:
            callers = min((memory >> _CALLERS & 15) + 1, 2)
            memory = memory & ~(15 << _CALLERS) | callers << _CALLERS
        return np.int64(memory)
    keep = memory & ~(15 | 15 << _CALLERS | 15 << _RAISER)
    return np.int64(keep | (slot - 1) | (seat + 1) << _RAISER)


@kernel
def next_street(spec: Any, memory: Any) -> np.int64:
    """What is remembered when a new street begins, but in a tree."""
    if spec.form == APARICIO:
        return np.int64(0)
    return np.int64((memory >> _BEFORE << 4 | memory >> _RAISER & 15) << _BEFORE)


@kernel
def _slot(spec: Any, hand: Any, action: Any) -> np.int64:
    """The slot of an action that need not be one of the menu: a raise counts as the nearest size, all-in as all-in."""
    if action <= CALL:
        return np.int64(action - FOLD)
    seat = hand.player
    if action >= hand.stack[seat] + hand.bet[seat]:
        return np.int64(spec.width - 1)
    row = row_of(hand.street, 0, hand.raises, 0)
    size = (action - hand.top) / (hand.pot + hand.top - hand.bet[seat])
    best, nearest = np.int64(spec.width - 3), np.inf
    for at in range(spec.count[row]):
        fraction = spec.fraction[spec.start[row] + at]
        if fraction > 0 and abs(fraction - size) < nearest:
            best, nearest = np.int64(at), abs(fraction - size)
    return np.int64(2 + best)


@kernel
def place(spec: Any, players: Any, seat: Any) -> np.int64:
    """The position of a seat in the abstract game, which may be for another number of players.

    Positions count from the button: a smaller table is one at which the first have folded, and at a larger one the
    early positions are the earliest that is known. Heads-up the button has the small blind.
    """
    trained = spec.players
    if players == trained:
        return np.int64(seat)
    if players == 2:
        return np.int64(1 - seat)
    if seat < 2:
        return np.int64(seat) if trained > 2 else np.int64(1 - seat)
    return np.int64(max(2, trained - (players - seat)) if trained > 2 else 1)


@kernel
def situation(spec: Any, players: Any, memory: Any, hand: Any) -> np.int64:
    """The number of the situation of the player to act on its street, but in a tree."""
    seat = hand.player
    trained = spec.players
    if spec.form == APARICIO:
        return np.int64(place(spec, players, seat) * (spec.sizes + 4) + memory)
    raises = min(hand.raises, 3)
    slot, raiser = memory & 15, (memory >> _RAISER & 15) - 1
    sizes = spec.sizes + 1
    if hand.street == 0:
        callers, acted = memory >> _CALLERS & 15, memory >> (_ACTED + seat) & 1
        faced = np.int64(0)
        if raises > 0:
            faced = 1 + ((raises - 1) * trained + place(spec, players, raiser)) * sizes + slot - 1
        levels = 1 + 3 * trained * sizes
        return np.int64(((place(spec, players, seat) * levels + faced) * 3 + callers) * 2 + acted)
    later = opponents = 0
    bets = np.int64(0)
    for other in range(players):
        bets += hand.bet[other]
        if other != seat and not hand.folded >> other & 1:
            opponents += 1
            later += other > seat and hand.stack[other] > 0
    led, ways = np.int64(0), np.int64(3)
    for ago in range(hand.street):
        before = (memory >> (_BEFORE + 4 * ago) & 15) - 1
        who = 0 if before < 0 else 1 if before == seat else 2
        if spec.form == LEADS and ago == 1:
            led, ways = 3 * led + who, np.int64(9)
        elif led % 3 == 0:
            led += who
    ratio = (hand.stack[seat] + hand.bet[seat]) / (hand.pot - bets)
    level = np.int64(0)
    for limit in LEVELS:
        level += ratio > limit
    met = 0 if raises == 0 else 1 + (raises - 1) * sizes + slot - 1
    number = min(later, 2) * 3 + min(opponents, 3) - 1
    return np.int64(((number * (1 + 3 * sizes) + met) * ways + led) * 5 + level)


def situations(form: int, players: int, sizes: int, street: int) -> int:
    """How many situations a street has, but in a tree."""
    if form == APARICIO:
        return players * (sizes + 4)
    if street == 0:
        return players * (1 + 3 * players * (sizes + 1)) * 3 * 2
    return 9 * (1 + 3 * (sizes + 1)) * (9 if form == LEADS and street > 1 else 3) * 5
