"""Bet menus, compiled: the raises on offer in a hand of `ludus.games.compiled.engine` (as `ludus.games.menu.amounts`).

A menu is one record of numbers. Its rows are lists of sizes, for each street, each of two players (one, with more of
them) and each number of bets and raises before; the row of a donk bet comes first.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.compiled import kernel
from ludus.games.compiled.engine import LIMIT, raise_bounds
from ludus.games.menu import PLAIN_RULES, BetRules, Menu
from ludus.games.sizes import DECIMALS, Sizes

Ints = NDArray[np.int64]
STREETS, SIDES, DEPTHS = 4, 2, 6  # raises on a street that may have their own sizes
CAPACITY = 1024
PERCENT, TIMES, CHIPS, GEOMETRIC, ALL_IN, UNIT = range(6)
_KINDS = "%xceau"
_DEEP = DEPTHS + 1
_ROWS = (STREETS * SIDES * _DEEP,)
_SCALE = 10**DECIMALS
_WHOLE = 100 * _SCALE  # all of something, as a percentage of the smallest unit


def menu_fields(capacity: int) -> list[Any]:
    """The fields of a menu with this many sizes in total, equal lists counted once; other records may have them too."""
    return [
        ("drop", np.int64),
        ("limp", np.int64),
        ("add_all_in", np.int64),  # percentages by their millionths
        ("force_all_in", np.int64),
        ("merge", np.int64),
        ("start", np.int64, _ROWS),
        ("count", np.int64, _ROWS),
        ("kind", np.int64, (capacity,)),
        ("fraction", np.float64, (capacity,)),  # of the pot; -1 where that is not what counts
        ("number", np.int64, (capacity,)),  # percentages by their millionths, multiples of a bet as percentages of it
        ("most", np.int64, (capacity,)),  # -1 for none
    ]


def menu_record(menu: Menu | None, rules: BetRules = PLAIN_RULES) -> Any:
    """A menu and its rules as a record for the kernels; None where only the rules of a limit game bet."""
    record = np.zeros(1, np.dtype(menu_fields(CAPACITY)))[0]
    fill_menu(record, menu, rules)
    return record


def fill_menu(record: Any, menu: Menu | None, rules: BetRules = PLAIN_RULES) -> None:
    """The same into a record that has these fields."""
    record["limp"] = rules.limp
    for name in ("add_all_in", "force_all_in", "merge"):
        record[name] = getattr(rules, name) * _SCALE
    if menu is None:
        return
    record["drop"] = menu.fit == "drop"
    known: dict[Sizes, int] = {}
    for street in range(STREETS):
        for side in range(SIDES):
            own = menu.of(street, side)
            if len(own.rows) > DEPTHS:
                raise ValueError(f"a bet menu has at most {DEPTHS} raises a street, got {len(own.rows)}")
            lists = [own.at(0, donk=True), *(own.at(bets) for bets in range(DEPTHS))]
            for depth, sizes in enumerate(lists):
                if sizes not in known:
                    known[sizes] = sum(len(other.items) for other in known)
                    _fill(record, known[sizes], sizes, menu.fit == "drop")
                row = (street * SIDES + side) * _DEEP + depth
                record["start"][row], record["count"][row] = known[sizes], len(sizes.items)


def _fill(record: Any, start: int, sizes: Sizes, drop: bool) -> None:
    if start + len(sizes.items) > (capacity := len(record["kind"])):
        raise ValueError(f"a bet menu has at most {capacity} sizes in all: list fewer")
    for at, size in enumerate(sizes.items, start):
        kind = _KINDS.index(size.kind)
        scale = {PERCENT: _SCALE, TIMES: _WHOLE}.get(kind, 1)
        number = size.number * scale
        if number.denominator != 1 and not drop:
            raise ValueError(f"'{size}' has more than {DECIMALS} decimals: give it fewer")
        most = Fraction(-1) if size.most is None else size.most * _SCALE
        record["kind"][at], record["number"][at], record["most"][at] = kind, int(number), int(most)
        record["fraction"][at] = size.fraction if kind == PERCENT else -1.0


@kernel
def share(percent: Any, chips: Any) -> np.int64:
    """A percentage, by its millionths, of some chips in whole chips, halves up: exact for less than 2**33 chips."""
    whole, part = percent // _WHOLE, percent % _WHOLE
    return np.int64(whole * chips + (part * chips + _WHOLE // 2) // _WHOLE)


@kernel
def row_of(street: Any, side: Any, bets: Any, donk: Any) -> int:
    """The row of a menu for a player after this many bets and raises on a street."""
    depth = 0 if donk and bets == 0 else 1 + min(bets, DEPTHS - 1)
    return int((street * SIDES + side) * _DEEP + depth)


@kernel
def raises(menu: Any, rules: Any, hand: Any, donk: Any, at: Any, out: Ints, which: Ints) -> int:
    """The raises of the player to act into ``out`` from ``at`` on, ascending, and their places in the list of sizes.

    Of sizes that come to the same amount the last is named where what is too small is lifted, else the first. All-in
    that is added has the place after the last.
    """
    seat = hand.player
    row = row_of(hand.street, seat if rules.players == SIDES else 0, hand.raises, donk)
    if menu.count[row] == 0 and menu.add_all_in == 0 and rules.betting != LIMIT:
        return 0
    low, high = raise_bounds(rules, hand)
    if high == 0:
        return 0
    if rules.betting == LIMIT:
        out[at], which[at] = low, 0
        return 1
    top = hand.top
    pot, stack, least = hand.pot + top - hand.bet[seat], high - top, low - top
    streets, before = rules.streets - hand.street, max(0, hand.raises - 1)
    found: Any = np.int64(0)  # typed, so that `_put` is compiled less often
    start = menu.start[row]
    for place in range(menu.count[row]):
        kind, number = menu.kind[start + place], menu.number[start + place]
        step = wanted = np.int64(0)
        if kind == PERCENT:
            exact = not menu.drop
            wanted = share(number, pot) if exact else np.int64(np.rint(menu.fraction[start + place] * pot))
        elif kind == TIMES:
            wanted = share(number, top) - top
        elif kind == CHIPS:
            wanted = number
        elif kind == GEOMETRIC:
            wanted = _geometric(number, menu.most[start + place], pot, stack, streets, before)
        elif kind == ALL_IN:
            wanted = stack
        else:
            step, wanted = number, least + -low % number
        while True:
            if not menu.drop or kind == ALL_IN or least <= wanted < stack:
                extra = min(max(wanted, least), stack)
                if menu.force_all_in > 0 and stack - extra <= share(menu.force_all_in, pot + 2 * extra):
                    extra = stack
                found = _put(top + extra, place, not menu.drop, at, found, out, which)
            wanted += step
            if step == 0 or wanted > stack:
                break
    if menu.add_all_in > 0 and stack <= share(menu.add_all_in, pot):
        found = _put(top + stack, menu.count[row], False, at, found, out, which)
    return _apart(menu.merge, pot - top, at, found, out, which) if menu.merge > 0 else found


@kernel
def _geometric(number: Any, most: Any, pot: Any, stack: Any, streets: Any, before: Any) -> np.int64:
    bets = max(1, (number if number > 0 else streets) - before)
    fraction = ((1 + 2 * stack / pot) ** (1 / bets) - 1) / 2
    extra = np.int64(np.floor(pot * fraction + 0.5))
    return extra if most < 0 else min(extra, share(most, pot))


@kernel
def _put(amount: Any, place: Any, later: Any, at: int, found: int, out: Ints, which: Ints) -> int:
    """Insert an amount in its order, unless it is there; the later of two equal ones may give its place."""
    here = at + found
    while here > at and out[here - 1] > amount:
        here -= 1
    if here > at and out[here - 1] == amount:
        if later:
            which[here - 1] = place
        return found
    for other in range(at + found, here, -1):
        out[other], which[other] = out[other - 1], which[other - 1]
    out[here], which[here] = amount, place
    return found + 1


@kernel
def _apart(merge: Any, base: Any, at: int, found: int, out: Ints, which: Ints) -> int:
    """Leave out, from the largest amount down, those that are close to the last one kept (`BetRules.merge`)."""
    whole, part = merge // _WHOLE, merge % _WHOLE
    kept = at + found - 1
    for here in range(at + found - 2, at - 1, -1):
        larger, smaller = base + out[kept], base + out[here]
        apart = larger - smaller - whole * smaller
        if apart > 0 and apart * _WHOLE > part * smaller:
            kept -= 1
            out[kept], which[kept] = out[here], which[here]
    left = at + found - max(kept, at)
    for here in range(left):
        out[at + here], which[at + here] = out[kept + here], which[kept + here]
    return left
