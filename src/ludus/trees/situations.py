"""Where a hand of hold'em is in an abstract game: compiled, over the records of `ludus.games.compiled.engine`.

An abstract game offers few bets and keeps only part of what has happened. Five forms of memory:

* ``TREE``: the whole betting sequence. The memory is a node of a tree (`ludus.trees.blueprint.build_tree`).
* ``BOUNDED``: a summary of fixed size, for any number of players. Before the flop: position, raises so far (3 and
  more are one), where the last raiser sits and the size of that raise, callers since (2 and more are one), whether one
  has acted before. FollowUp: how many of the players left act later (2 and more are one), opponents left (3 and more
  are one), raises on this street and the size of the last, who was the last to raise on an earlier street (oneself,
  another, nobody), and the stack by the pot as the street began, in five levels.
* ``LEADS``: the same, and also who was the last to raise before the street before this one.
* ``SEATS``: the same, and also what one did before the flop when one acts there again (called, raised), and on the flop
  where one sits and, in a pot of two, where the other does: small blind, big blind, the last two seats, or earlier.
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

TREE, BOUNDED, APARICIO, LEADS, SEATS = range(5)
SIZES = 14  # beside all-in: a summary has four bits for one of them, all-in or none
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

_CALLERS, _ACTED, _RAISER, _BEFORE, _RAISED = 4, 8, 20, 24, 40  # where the fields of a summary begin; the slot is at 0
_TYPES = 28  # of pots as SEATS tells them apart on the flop: 16 of two players, 12 of more


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
    keep = memory & ~(15 | 15 << _CALLERS | 15 << _RAISER) | np.int64(1) << (_RAISED + seat)
    return np.int64(keep | (slot - 1) | (seat + 1) << _RAISER)


@kernel
def next_street(spec: Any, memory: Any) -> np.int64:
    """What is remembered when a new street begins, but in a tree."""
    if spec.form == APARICIO:
        return np.int64(0)
    return np.int64(((memory >> _BEFORE & 0xFF) << 4 | memory >> _RAISER & 15) << _BEFORE)


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
def _sizes_of(spec: Any, street: Any, raise_number: Any) -> np.int64:
    """How many sizes a raise is told apart by, all-in among them: the most that any list has, but by SEATS its own."""
    if spec.form != SEATS:
        return np.int64(spec.sizes + 1)
    row, found = row_of(street, 0, raise_number, 0), np.int64(1)
    for at in range(spec.count[row]):
        found += spec.fraction[spec.start[row] + at] > 0
    return np.int64(found)


@kernel
def _met(spec: Any, street: Any, raises: Any, slot: Any, raisers: Any, raiser: Any) -> tuple[np.int64, np.int64]:
    """The number of what one faces, nothing or which raise it is, whose and of what size, and how many there are.

    The third raise stands for all that follow. Before the flop it counts who of several raised.
    """
    number, total = np.int64(0), np.int64(1)
    for each in range(3):
        sizes = _sizes_of(spec, street, each)
        if each + 1 == min(raises, 3):
            number = total + raiser * sizes + (sizes - 1 if slot == spec.width - 1 else min(slot - 2, sizes - 1))
        total += raisers * sizes
    return np.int64(number), np.int64(total)


@kernel
def _sector(spec: Any, players: Any, seat: Any) -> np.int64:
    """Where a seat is: small blind, big blind, one of the last two, or earlier."""
    at = place(spec, players, seat)
    return np.int64(at if at < 2 else 2 + (at < spec.players - 2))


@kernel
def _pot_type(spec: Any, players: Any, seat: Any, rival: Any, opponents: Any, later: Any) -> np.int64:
    """The type of a pot by who is in it, ``rival`` being one of the opponents; see `_TYPES`."""
    own = _sector(spec, players, seat)
    if opponents > 1:
        return np.int64(16 + (min(later, 2) * 2 + min(opponents, 3) - 2) * 2 + (own < 2))
    other = _sector(spec, players, rival)
    if own == other and own > 1 and later > 0:
        return np.int64(
            5 * (own - 2)
        )  # two of one sector who sits there first: as two small or big blinds, which are not
    return np.int64(4 * own + other)


@kernel
def situation(spec: Any, players: Any, memory: Any, hand: Any) -> np.int64:
    """The number of the situation of the player to act on its street, but in a tree."""
    seat = hand.player
    if spec.form == APARICIO:
        return np.int64(place(spec, players, seat) * (spec.sizes + 4) + memory)
    seats, raises, slot = spec.form == SEATS, hand.raises, (memory & 15) + 1
    if hand.street == 0:
        callers, acted = memory >> _CALLERS & 15, memory >> (_ACTED + seat) & 1
        raiser = place(spec, players, (memory >> _RAISER & 15) - 1) if raises > 0 else np.int64(0)
        met, kinds = _met(spec, 0, raises, slot, spec.players, raiser)
        if seats:
            acted += memory >> (_RAISED + seat) & 1
        return np.int64(((place(spec, players, seat) * kinds + met) * 3 + callers) * (3 if seats else 2) + acted)
    met, kinds = _met(spec, hand.street, raises, slot, 1, np.int64(0))
    later = opponents = 0
    bets, rival = np.int64(0), seat
    for other in range(players):
        bets += hand.bet[other]
        if other != seat and not hand.folded >> other & 1:
            opponents += 1
            later += other > seat and hand.stack[other] > 0
            rival = other
    led, ways = np.int64(0), np.int64(3)
    for ago in range(hand.street):
        before = (memory >> (_BEFORE + 4 * ago) & 15) - 1
        who = 0 if before < 0 else 1 if before == seat else 2
        if spec.form != BOUNDED and ago == 1:
            led, ways = 3 * led + who, np.int64(9)
        elif led % 3 == 0:
            led += who
    ratio = (hand.stack[seat] + hand.bet[seat]) / (hand.pot - bets)
    level = np.int64(0)
    for limit in LEVELS:
        level += ratio > limit
    number = np.int64(min(later, 2) * 3 + min(opponents, 3) - 1)
    if seats and hand.street == 1:
        number = _pot_type(spec, players, seat, rival, opponents, later)
    return np.int64(((number * kinds + met) * ways + led) * 5 + level)


def situations(spec: Any, street: int) -> int:
    """How many situations a street has, but in a tree."""
    form, players = int(spec["form"]), int(spec["players"])
    if form == APARICIO:
        return players * (int(spec["sizes"]) + 4)
    kinds = int(_met(spec, street, 0, 0, players if street == 0 else 1, 0)[1])
    if street == 0:
        return players * kinds * 3 * (3 if form == SEATS else 2)
    pots = _TYPES if form == SEATS and street == 1 else 9
    return pots * kinds * (9 if form != BOUNDED and street > 1 else 3) * 5
