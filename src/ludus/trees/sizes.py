"""The small language of bet sizes, and the whole chips that they come to at a point of a street.

Sizes are a list, separated by commas or blanks, in upper or lower case; the empty text is no bet at all:

==================  ======================================================================================
``75%``             percent of the pot; a raise adds so much of the pot after calling to the opponent's bet
``2.5x``            raises only: to so many times the opponent's bet
``40c``             chips; a raise adds them to the opponent's bet
``e``               geometric: the fraction of the pot that, bet and called once a street, ends all-in
``3e``              the same in three bets; among raises, those already made on the street count as bets
``3e200%``          the same, but at most so many percent of the pot
``a``               all-in
==================  ======================================================================================

"The opponent's bet" is all that he has put in on this street. Percentages are exact decimals, and every amount is
rounded to whole chips, halves up. An amount below the minimum is lifted to it, one that reaches the stack is all-in,
equal ones are one. The minimum bet is an option; a raise adds at least as much as the bet or raise before it did, but
all-in is always enough.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from reprlib import repr as shortened
from typing import Any

MOST_CHIPS = 10**9
MOST_PERCENT = 10**6
MOST_SIZES = 32
MAX_TEXT = 1000
DECIMALS = 6

_DECIMAL = rf"[0-9]{{1,10}}(?:\.[0-9]{{0,{DECIMALS}}})?|\.[0-9]{{1,{DECIMALS}}}"
_NUMBER = re.compile(rf"({_DECIMAL}) ?(%?)", re.ASCII)
_SIZE = re.compile(rf"({_DECIMAL})?([%xcea])(?:({_DECIMAL})%)?", re.ASCII)
_LIMITS = {"%": (0, MOST_PERCENT), "x": (1, 1000), "c": (0, MOST_CHIPS), "e": (0, 100)}  # above the first
_NAMES = {"%": "a percentage", "x": "a multiple", "c": "a number of chips", "e": "a number of bets", "a": "all-in"}
_EXAMPLES = "'75%', '2.5x' (raises only), '40c', 'e', '3e', '3e200%' or 'a'"


def parse_number(name: str, value: object, low: int = 0, high: int = MOST_PERCENT) -> Fraction:
    """A decimal from a number or a text, with or without %, exactly as written; a float has at most six decimals.

    >>> parse_number("merge", "12.5%"), parse_number("merge", 0.1)
    (Fraction(25, 2), Fraction(1, 10))
    """
    number: Fraction | None = None
    if isinstance(value, str) and (match := _NUMBER.fullmatch(value.strip())):
        number = Fraction(match[1])
    elif isinstance(value, int | float | Fraction) and not isinstance(value, bool) and low <= value <= high:
        number = Fraction(round(Fraction(value) * 10**DECIMALS), 10**DECIMALS)
    if number is None or not low <= number <= high:
        raise ValueError(f"{name} is a number from {low} to {high}, as in 10 or '12.5%', got {shortened(value)}")
    return number


def number_text(number: Fraction) -> str:
    """The decimal text of a number with at most six decimals.

    >>> number_text(Fraction(25, 2)), number_text(Fraction(150))
    ('12.5', '150')
    """
    whole, rest = divmod(round(number * 10**DECIMALS), 10**DECIMALS)
    return f"{whole}.{rest:0{DECIMALS}d}".rstrip("0").removesuffix(".")


def percent_of(percent: Fraction, chips: Any) -> Any:
    """That percentage of some chips, a number or an array, in whole chips, halves up.

    >>> percent_of(Fraction(33), 50), percent_of(Fraction(50), 3)
    (17, 2)
    """
    scale = 100 * percent.denominator
    return (2 * percent.numerator * chips + scale) // (2 * scale)


@dataclass(frozen=True, slots=True)
class Size:
    """One size: its kind is one of % x c e a; ``number`` is 0 for 'e' alone and for 'a', ``most`` is a percentage."""

    kind: str
    number: Fraction = Fraction(0)
    most: Fraction | None = None

    def __post_init__(self) -> None:
        if self.kind not in _NAMES:
            raise ValueError(f"a size is one of {', '.join(_NAMES)}, got {shortened(self.kind)}")
        for number in (self.number, Fraction(1) if self.most is None else self.most):
            if not isinstance(number, Fraction) or 10**DECIMALS % number.denominator:
                raise ValueError(f"the number of a size is a decimal of at most {DECIMALS} places, got {number}")
        low, high = _LIMITS.get(self.kind, (-1, 0))
        if self.kind == "e" and not self.number:
            low = -1
        if not low < self.number <= high:
            raise ValueError(
                f"'{self}' has {_NAMES[self.kind]} out of bounds: write one above {low} and at most {high}"
                if self.kind != "a"
                else f"all-in is 'a' without a number, got {self.number}"
            )
        if self.kind in "ce" and self.number.denominator != 1:
            raise ValueError(f"'{self}' has {_NAMES[self.kind]} that is not whole: write a whole number")
        if self.most is not None and (self.kind != "e" or not 0 < self.most <= MOST_PERCENT):
            raise ValueError(
                f"'{self}' has no valid maximum: only 'e' has one, above 0% and at most {MOST_PERCENT}%, as in '3e200%'"
            )

    @classmethod
    def parse(cls, text: str) -> Size:
        """One size from its text.

        >>> Size.parse("3e200%")
        Size(kind='e', number=Fraction(3, 1), most=Fraction(200, 1))
        >>> Size.parse("0.5")
        Traceback (most recent call last):
        ValueError: '0.5' is not a bet size: write '75%', '2.5x' (raises only), '40c', 'e', '3e', '3e200%' or 'a'
        """
        match = _SIZE.fullmatch(text.lower())
        if match is None or (match[1] is None and match[2] in "%xc") or (match[1] is not None and match[2] == "a"):
            raise ValueError(f"{shortened(text)} is not a bet size: write {_EXAMPLES}")
        if match[1] is not None and not (number := Fraction(match[1])):
            raise ValueError(f"{shortened(text)} is a bet size of nothing: write a number above 0, or leave it out")
        return cls(match[2], number if match[1] else Fraction(0), Fraction(match[3]) if match[3] else None)

    def __str__(self) -> str:
        number = number_text(self.number) if self.number else ""
        return number + self.kind + ("" if self.most is None else f"{number_text(self.most)}%")

    def extra(self, pot: int, stack: int, facing: int, streets: int, raises: int) -> int:
        """Chips on top of the opponent's ``facing``, before any bound; after so many raises, with so many streets."""
        if self.kind == "%":
            return int(percent_of(self.number, pot))
        if self.kind == "x":
            return int(percent_of(100 * self.number, facing)) - facing
        if self.kind == "c":
            return int(self.number)
        if self.kind == "a":
            return stack
        bets = max(1, (int(self.number) or streets) - raises)
        extra = math.floor(pot * geometric_fraction(pot, stack, bets) + 0.5)
        return extra if self.most is None else min(extra, percent_of(self.most, pot))


def geometric_fraction(pot: int, stack: int, bets: int) -> float:
    """The fraction f of the pot that, bet and called so often, puts the stack in: pot (1 + 2f)^bets = pot + 2 stack.

    >>> geometric_fraction(pot=100, stack=400, bets=2)
    1.0
    """
    return float(((1 + 2 * stack / pot) ** (1 / bets) - 1) / 2)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes that a player may choose from; sorted and without repetition, so equal choices are equal and read alike."""

    items: tuple[Size, ...] = ()

    def __post_init__(self) -> None:
        if len(self.items) > MOST_SIZES:
            raise ValueError(f"at most {MOST_SIZES} bet sizes stand in one list, got {len(self.items)}: leave some out")
        kinds = list(_NAMES)
        ordered = sorted(set(self.items), key=lambda size: (kinds.index(size.kind), size.number, size.most or 0))
        object.__setattr__(self, "items", tuple(ordered))

    @classmethod
    def parse(cls, text: object) -> Sizes:
        """Sizes from their text; the module's docstring has the language.

        >>> str(Sizes.parse("A, 75%,33.0%  2.50x"))
        '33%, 75%, 2.5x, a'
        """
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            raise ValueError(
                f"bet sizes are a text of at most {MAX_TEXT} characters, as in '33%, 75%, a', got {shortened(text)}"
            )
        parts = [part.split() for part in text.split(",")]
        if len(parts) > 1 and not all(parts):
            raise ValueError(f"{shortened(text)} has an empty size: write one between two commas, as in '33%, 75%'")
        return cls(tuple(Size.parse(item) for part in parts for item in part))

    def __str__(self) -> str:
        return ", ".join(map(str, self.items))

    def __bool__(self) -> bool:
        return bool(self.items)


@dataclass(frozen=True, slots=True)
class BetRules:
    """What holds for every bet and raise, whatever sizes are listed. Percentages of 0 are rules that are off.

    - ``min_bet``: the smallest bet in chips.
    - ``raise_cap``: the most raises after the bet on a street; None for no limit.
    - ``add_all_in``: all-in is added when the stack left after calling is at most this percentage of the pot then.
    - ``force_all_in``: a bet or raise is all-in instead when, once it is called, the stack left would be at most this
      percentage of the pot.
    - ``merge``: from the largest amount down, one of y% of the pot is left out when the last kept, of x%, is close:
      (100 + x) / (100 + y) <= 1 + merge / 100. PioSOLVER and postflop-solver have this rule.

    Percentages of the pot are rounded to whole chips, halves up, before they are compared with a stack.
    """

    min_bet: int = 1
    raise_cap: int | None = None
    add_all_in: Fraction = Fraction(0)
    force_all_in: Fraction = Fraction(0)
    merge: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if type(self.min_bet) is not int or not 1 <= self.min_bet <= MOST_CHIPS:
            raise ValueError(
                f"min_bet is a whole number of chips from 1 to {MOST_CHIPS}, got {shortened(self.min_bet)}"
            )
        if self.raise_cap is not None and (type(self.raise_cap) is not int or not 0 <= self.raise_cap <= MOST_CHIPS):
            raise ValueError(f"raise_cap is a whole number of raises, 0 for none, got {shortened(self.raise_cap)}")
        for name in ("add_all_in", "force_all_in", "merge"):
            object.__setattr__(self, name, parse_number(name, getattr(self, name)))

    def amounts(
        self, sizes: Sizes, *, pot: int, stack: int, streets: int, facing: int = 0, step: int = 0, bets: int = 0
    ) -> tuple[int, ...]:
        """The bets or raises on offer, ascending, as what the player will have put in on this street.

        ``pot`` and ``stack`` are those after calling, the stack being what both still have; ``streets`` are left, this
        one included; ``facing`` is what the opponent has put in on this street, ``step`` what his last bet or raise
        added, ``bets`` the number of bets and raises on this street so far.

        >>> BetRules().amounts(Sizes.parse("33%, 75%, a"), pot=200, stack=900, streets=1)
        (66, 150, 900)
        >>> BetRules().amounts(Sizes.parse("50%, 100%"), pot=332, stack=834, streets=1, facing=66, step=66, bets=1)
        (232, 398)
        """
        if stack <= 0 or (self.raise_cap is not None and bets > self.raise_cap):
            return ()
        least = step if bets else self.min_bet
        extras = set()
        for size in sizes.items:
            wanted = size.extra(pot, stack, facing, streets, raises=max(0, bets - 1))
            extra = min(max(wanted, least), stack)
            forced = stack - extra <= percent_of(self.force_all_in, pot + 2 * extra)
            extras.add(stack if forced else extra)
        if stack <= percent_of(self.add_all_in, pot):
            extras.add(stack)
        return tuple(facing + extra for extra in self._apart(extras, pot))

    def _apart(self, extras: set[int], pot: int) -> list[int]:
        """The amounts that are not merged into a larger one, ascending."""
        kept: list[int] = []
        for extra in sorted(extras, reverse=True):
            if not kept or 100 * (pot + kept[-1]) > (100 + self.merge) * (pot + extra):
                kept.append(extra)
        return kept[::-1]
